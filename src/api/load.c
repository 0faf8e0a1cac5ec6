// Text → kaiModel, checks, listings: the compiler side behind the public functions.
#include "api/compilation.h"
#include "emit/compile.h"
#include "lang/format.h"
#include "prove/overlap.h"

#include <string.h>

kaiLoadOptions kaiDefaultLoadOptions(void)
{
    return (kaiLoadOptions){.allocator = kaiDefaultAllocator()};
}

static bool wants_jacobian(const kaiLoadOptions* options, const Flat* flat)
{
    const char* solver = options->solver != NULL ? options->solver : flat->experiment.solver;
    static const char* const implicit[] = {"rosenbrock", "cvode_bdf", "backward_euler", "trapezoid", "riemann"};
    for (size_t i = 0; solver != NULL && i < sizeof implicit / sizeof *implicit; i++)
        if (strcmp(solver, implicit[i]) == 0)
            return true;
    const char* breakpoint = flat->experiment.breakpoint_solver;
    return breakpoint != NULL && strcmp(breakpoint, "same") != 0;
}

static kaiModel* build(Compilation* c, const kaiLoadOptions* options, Flat* flat, const char** listing, bool impulses)
{
    CompileOptions compile = {
        .jacobian = wants_jacobian(options, flat), .list_impulses = impulses, .allocator = options->allocator};
    return compile_model(&c->arena, flat, &c->diags, &c->sources, &compile, listing);
}

static kaiModel* build_decided(Compilation* c, const kaiLoadOptions* options, Flat* flat)
{
    CompileOptions compile = {
        .jacobian = wants_jacobian(options, flat), .decide = true, .allocator = options->allocator};
    const char** listing = NULL;
    return compile_model(&c->arena, flat, &c->diags, &c->sources, &compile, listing);
}

// ---- load
// ------------------------------------------------------------------------------------------------------------

static kaiStatus load_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    kaiModel** model = user;
    Flat* flat = compilation_elaborate(c, options, options->experiment, options->model);
    if (flat != NULL && c->diags.error_count == 0)
        *model = build(c, options, flat, NULL, false);
    if (c->diags.error_count > 0)
    {
        model_free(*model);
        *model = NULL;
        return KAI_ERR_MODEL;
    }
    return *model != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

kaiStatus kaiModel_Load(const kaiLoadOptions* options, kaiModel** model, kaiMessages** messages)
{
    *model = NULL;
    return compilation_run(options, messages, load_work, model);
}

void kaiModel_Free(kaiModel* model)
{
    model_free(model);
}

// ---- check
// -----------------------------------------------------------------------------------------------------------

static kaiStatus check_one(Compilation* c, const kaiLoadOptions* options, const char* experiment, const char* model)
{
    uint32_t before = c->diags.error_count;
    Flat* flat = compilation_elaborate(c, options, experiment, model);
    if (flat == NULL || c->diags.error_count != before)
        return KAI_OK;
    overlap_check(flat, &c->diags);
    kaiModel* made = build_decided(c, options, flat);
    bool failed = made == NULL && c->diags.error_count == before;
    model_free(made);
    return failed ? KAI_ERR_MEMORY : KAI_OK;
}

static kaiStatus check_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    (void)user;
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < c->program.experiments.count && status == KAI_OK; i++)
        status = check_one(c, options, c->program.experiments.at[i]->name, NULL);
    if (c->program.files.count > 0)
        for (uint32_t i = 0; i < c->program.files.at[0]->models.count && status == KAI_OK; i++)
            status = check_one(c, options, NULL, c->program.files.at[0]->models.at[i]->name);
    if (status != KAI_OK)
        return status;
    return c->diags.error_count > 0 ? KAI_ERR_MODEL : KAI_OK;
}

kaiStatus kaiModel_Check(const kaiLoadOptions* options, kaiMessages** messages)
{
    return compilation_run(options, messages, check_work, NULL);
}

// ---- texts
// -----------------------------------------------------------------------------------------------------------

typedef struct TextRequest
{
    const char* what;
    char* text;
} TextRequest;

static char* copy_out(const kaiLoadOptions* options, const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = options->allocator.alloc(options->allocator.user, NULL, 0, size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

static kaiStatus print_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    TextRequest* request = user;
    Flat* flat = compilation_elaborate(c, options, options->experiment, options->model);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    const char* text = NULL;
    if (strcmp(request->what, "flat") == 0)
        text = flat_print(flat, &c->arena);
    else if (strcmp(request->what, "causality") == 0)
        text = causality_print(flat, &c->arena);
    else if (strcmp(request->what, "schedule") == 0 || strcmp(request->what, "impulses") == 0)
    {
        kaiModel* made = build(c, options, flat, &text, strcmp(request->what, "impulses") == 0);
        if (made == NULL && c->diags.error_count == 0)
            return KAI_ERR_MEMORY;
        model_free(made);
    }
    else
        return KAI_ERR_USAGE;
    if (text == NULL)
        return KAI_ERR_MODEL;
    request->text = copy_out(options, text);
    return request->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

kaiStatus kaiModel_Print(const kaiLoadOptions* options, const char* what, char** text, kaiMessages** messages)
{
    TextRequest request = {.what = what};
    kaiStatus status = compilation_run(options, messages, print_work, &request);
    *text = request.text;
    return status;
}

static kaiStatus format_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    TextRequest* request = user;
    char* text = format_source(&c->arena, &c->sources, c->program.files.at[0]->file, &c->diags);
    if (text == NULL)
        return KAI_ERR_MODEL;
    request->text = copy_out(options, text);
    return request->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

kaiStatus kaiFormat(const kaiLoadOptions* options, char** text, kaiMessages** messages)
{
    TextRequest request = {0};
    kaiStatus status = compilation_run(options, messages, format_work, &request);
    *text = request.text;
    return status;
}

void kaiText_Free(char* text, kaiAllocator allocator)
{
    if (text != NULL)
        allocator.alloc(allocator.user, text, strlen(text) + 1, 0);
}

// ---- experiments
// -----------------------------------------------------------------------------------------------------

struct kaiExperiments
{
    kaiMessages* owner;
};

static kaiStatus list_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    (void)options;
    (void)user;
    return c->diags.error_count > 0 ? KAI_ERR_MODEL : KAI_OK;
}

kaiStatus kaiExperiments_Load(const kaiLoadOptions* options, kaiExperiments** list, kaiMessages** messages)
{
    *list = NULL;
    kaiStatus status = compilation_run(options, messages, list_work, NULL);
    if (status != KAI_OK)
        return status;
    kaiExperiments* made = options->allocator.alloc(options->allocator.user, NULL, 0, sizeof *made);
    if (made == NULL)
        return KAI_ERR_MEMORY;
    made->owner = *messages;
    *messages = NULL;
    *list = made;
    return KAI_OK;
}

int kaiExperiments_Count(const kaiExperiments* list)
{
    return (int)list->owner->program.experiments.count;
}

const char* kaiExperiments_Name(const kaiExperiments* list, int index)
{
    return list->owner->program.experiments.at[index]->name;
}

bool kaiExperiments_HasExpect(const kaiExperiments* list, int index)
{
    const Experiment* x = list->owner->program.experiments.at[index];
    for (uint32_t i = 0; i < x->settings.count; i++)
        if (x->settings.at[i]->kind == SETTING_EXPECT)
            return true;
    return false;
}

void kaiExperiments_Free(kaiExperiments* list)
{
    if (list == NULL)
        return;
    kaiAllocator a = list->owner->allocator;
    kaiMessages_Free(list->owner);
    a.alloc(a.user, list, sizeof *list, 0);
}
