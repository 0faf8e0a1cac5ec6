// Questions to a program: compile, check, list, format, and what is in it.
#include "api/compilation.h"
#include "api/starts.h"
#include "emit/compile.h"
#include "lang/format.h"
#include "num/ode.h"
#include "prove/overlap.h"

#include <string.h>
#include <sys/stat.h>

// Its solver may ask for the Jacobian.
static bool wants_jacobian(const Flat* flat)
{
    const char* solver = flat->experiment.solver;
    int method = ode_method_find(solver != NULL ? solver : "auto");
    const char* breakpoint = flat->experiment.breakpoint_solver;
    return (method >= 0 && ode_method_uses_jacobian((OdeMethod)method)) ||
           (breakpoint != NULL && strcmp(breakpoint, "same") != 0);
}

static kaiModel* build(Compilation* c, Flat* flat, const char** listing, bool impulses)
{
    CompileOptions compile = {.jacobian = wants_jacobian(flat), .list_impulses = impulses, .allocator = c->allocator};
    return compile_model(&c->arena, flat, &c->diags, &c->sources, &compile, listing);
}

// ---- compile

typedef struct CompileRequest
{
    const kaiCompileOptions* options;
    kaiModel* model;
} CompileRequest;

static kaiStatus compile_work(kaiProgram* p, Compilation* c, void* user)
{
    (void)p;
    CompileRequest* request = user;
    Flat* flat = compilation_elaborate(c, request->options);
    if (flat != NULL && c->diags.error_count == 0)
        request->model = build(c, flat, NULL, false);
    if (c->diags.error_count == 0 && request->model != NULL && starts_compute(request->model))
        return KAI_OK;
    model_free(request->model);
    request->model = NULL;
    return c->diags.error_count > 0 ? KAI_ERR_MODEL : KAI_ERR_MEMORY;
}

kaiStatus kaiProgram_Compile(kaiProgram* program, const kaiCompileOptions* options, kaiModel** model)
{
    if (model == NULL)
        return KAI_ERR_USAGE;
    CompileRequest request = {.options = options};
    kaiStatus status = program_ask_about(program, options, compile_work, &request);
    *model = status == KAI_OK ? request.model : NULL;
    return status;
}

void kaiModel_Free(kaiModel* model)
{
    model_free(model);
}

// ---- check

static kaiStatus check_one(Compilation* c, const char* experiment, const char* model)
{
    uint32_t before = c->diags.error_count;
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = experiment;
    options.model = model;
    Flat* flat = compilation_elaborate(c, &options);
    if (flat == NULL || c->diags.error_count != before)
        return KAI_OK;
    overlap_check(flat, &c->diags);
    CompileOptions compile = {.jacobian = wants_jacobian(flat), .decide = true, .allocator = c->allocator};
    kaiModel* made = compile_model(&c->arena, flat, &c->diags, &c->sources, &compile, NULL);
    bool failed = made == NULL && c->diags.error_count == before;
    model_free(made);
    return failed ? KAI_ERR_MEMORY : KAI_OK;
}

// A file of functions is there to be imported; one that declares nothing was meant to be something else.
static void check_empty(Compilation* c)
{
    const FileAst* file = c->program.files.count > 0 ? c->program.files.at[0] : NULL;
    bool empty = file != NULL && file->models.count + file->functions.count + file->experiments.count == 0 &&
                 file->imports.count + file->foreigns.count + file->lost.count == 0;
    if (empty && c->diags.error_count == 0)
        diag_error(&c->diags, K_NO_MODEL, (Span){.file = file->file}, "there is nothing in this file");
}

static kaiStatus check_work(kaiProgram* p, Compilation* c, void* user)
{
    (void)p, (void)user;
    kaiStatus status = KAI_OK;
    check_empty(c);
    for (uint32_t i = 0; i < c->program.experiments.count && status == KAI_OK; i++)
        if (!c->program.experiments.at[i]->extent.broken)
            status = check_one(c, c->program.experiments.at[i]->name, NULL);
    if (c->program.files.count > 0)
        for (uint32_t i = 0; i < c->program.files.at[0]->models.count && status == KAI_OK; i++)
            if (!c->program.files.at[0]->models.at[i]->extent.broken)
                status = check_one(c, NULL, c->program.files.at[0]->models.at[i]->name);
    if (status != KAI_OK)
        return status;
    return c->diags.error_count > 0 ? KAI_ERR_MODEL : KAI_OK;
}

kaiStatus kaiProgram_Check(kaiProgram* program)
{
    return program != NULL ? program_ask(program, check_work, NULL) : KAI_ERR_USAGE;
}

// ---- texts

static const char* const listings[] = {"flat", "schedule", "impulses", "causality", "names"};

enum
{
    LIST_FLAT,
    LIST_SCHEDULE,
    LIST_IMPULSES,
    LIST_CAUSALITY,
    LIST_NAMES,
    LIST_COUNT
};

typedef struct TextRequest
{
    const kaiCompileOptions* options;
    int what;
    const char* text;
} TextRequest;

const char* kaiProgram_ListingWord(int index)
{
    return index >= 0 && index < LIST_COUNT ? listings[index] : NULL;
}

static kaiStatus list_work(kaiProgram* p, Compilation* c, void* user)
{
    (void)p;
    TextRequest* request = user;
    Flat* flat = compilation_elaborate(c, request->options);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    if (request->what == LIST_FLAT)
        request->text = flat_print(flat, &c->arena);
    else if (request->what == LIST_NAMES)
        request->text = names_print(&c->program, flat, &c->arena);
    else if (request->what == LIST_CAUSALITY)
        request->text = causality_print(flat, &c->arena);
    else
    {
        kaiModel* made = build(c, flat, &request->text, request->what == LIST_IMPULSES);
        if (made == NULL && c->diags.error_count == 0)
            return KAI_ERR_MEMORY;
        model_free(made);
    }
    return request->text != NULL ? KAI_OK : KAI_ERR_MODEL;
}

kaiStatus kaiProgram_List(kaiProgram* program, const kaiCompileOptions* options, const char* what, const char** text)
{
    TextRequest request = {.options = options, .what = LIST_COUNT};
    for (int i = 0; what != NULL && i < LIST_COUNT; i++)
        if (strcmp(listings[i], what) == 0)
            request.what = i;
    if (text == NULL || request.what == LIST_COUNT)
        return KAI_ERR_USAGE;
    kaiStatus status = program_ask_about(program, options, list_work, &request);
    *text = status == KAI_OK ? request.text : NULL;
    return status;
}

static kaiStatus format_work(kaiProgram* p, Compilation* c, void* user)
{
    (void)p;
    TextRequest* request = user;
    request->text = format_source(&c->arena, &c->sources, c->program.files.at[0]->file, &c->diags);
    return request->text != NULL ? KAI_OK : KAI_ERR_MODEL;
}

kaiStatus kaiProgram_Format(kaiProgram* program, const char** text)
{
    TextRequest request = {0};
    if (program == NULL || text == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status = program_ask(program, format_work, &request);
    *text = status == KAI_OK ? request.text : NULL;
    return status;
}

// ---- what is in it

int kaiProgram_ModelCount(const kaiProgram* program)
{
    return program != NULL ? (int)program->text.models.count : 0;
}

const char* kaiProgram_ModelName(const kaiProgram* program, int index)
{
    return index >= 0 && index < kaiProgram_ModelCount(program) ? program->text.models.at[index]->name : NULL;
}

int kaiProgram_ExperimentCount(const kaiProgram* program)
{
    return program != NULL ? (int)program->text.experiments.count : 0;
}

static bool has_setting(const Experiment* x, SettingKind kind)
{
    for (uint32_t i = 0; i < x->settings.count; i++)
        if (x->settings.at[i]->kind == kind)
            return true;
    return false;
}

bool kaiProgram_Experiment(const kaiProgram* program, int index, kaiExperiment* experiment)
{
    if (index < 0 || index >= kaiProgram_ExperimentCount(program) || experiment == NULL)
        return false;
    const Experiment* x = program->text.experiments.at[index];
    *experiment = (kaiExperiment){.name = x->name,
                                  .model = x->model,
                                  .has_expect = has_setting(x, SETTING_EXPECT),
                                  .has_sweep = has_setting(x, SETTING_SWEEP),
                                  .place = sources_place(&program->sources, x->span)};
    return true;
}

int kaiProgram_FileCount(const kaiProgram* program)
{
    return program != NULL ? (int)program->sources.list.count : 0;
}

const char* kaiProgram_FileName(const kaiProgram* program, int index)
{
    return index >= 0 && index < kaiProgram_FileCount(program) ? program->sources.list.at[index].path : NULL;
}

static bool is_source(const Sources* sources, const struct stat* file)
{
    struct stat one;
    for (uint32_t i = 0; i < sources->list.count; i++)
        if (stat(sources->list.at[i].path, &one) == 0 && one.st_dev == file->st_dev && one.st_ino == file->st_ino)
            return true;
    return false;
}

bool kaiProgram_HasRead(const kaiProgram* program, const char* path)
{
    struct stat file;
    if (program == NULL || path == NULL || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    return is_source(&program->sources, &file) || is_source(&program->question.sources, &file);
}

bool kaiProgram_SourceLine(void* user, const char* file, int line, char* text, size_t size)
{
    const kaiProgram* program = user;
    size_t length = 0;
    const char* from = program != NULL && text != NULL ? sources_line(&program->sources, file, line, &length) : NULL;
    if (from == NULL || size == 0)
        return false;
    for (; length > 0 && (*from == ' ' || *from == '\t'); length--)
        from++;
    while (length > 0 && from[length - 1] == ' ')
        length--;
    length = length < size ? length : size - 1;
    memcpy(text, from, length);
    text[length] = 0;
    return true;
}

// ---- conveniences

kaiStatus kaiModel_Load(const char* path, const char* experiment, kaiModel** model, kaiError* error)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiExperiment first;
    options.path = path;
    if (model == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no place for the model");
    *model = NULL;
    kaiStatus status = kaiProgram_Open(&options, &program, error);
    compile.experiment = experiment;
    if (experiment == NULL && kaiProgram_Experiment(program, 0, &first))
        compile.experiment = first.name;
    if (status == KAI_OK)
        status = kaiProgram_Compile(program, &compile, model);
    if (status == KAI_ERR_MODEL && program_first_error(program) != NULL)
        error_copy(error, program_first_error(program));
    else if (status == KAI_ERR_MEMORY)
        error_memory(error);
    kaiProgram_Free(program);
    return status;
}
