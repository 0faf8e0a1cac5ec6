// kairos export -o system.ssp: each instance of the root model an FMU, instances of the same model and structure the
// same one; values of their parameters and what they start with as the whole model has them (kairos/fmi.h).
#include "fmi/export.h"
#include "api/compilation.h"
#include "fmi/catalogue.h"
#include "fmi/describe.h"
#include "fmi/packing.h"
#include "fmi/zip.h"
#include "ssp/system.h"

#include <math.h>
#include <string.h>

typedef struct SspExport
{
    jmp_buf fail;
    Arena arena;
    const kaiProgramOptions* source;
    const kaiCompileOptions* which;
    const kaiFmuOptions* options;
    kaiError* error;
    kaiProgram* program;
    kaiModel* whole;
    kaiSim* sim;  // of the whole, at its start
    kaiModel* part;
    VEC(kaiGiven) settings;
    SspSystem system;
    Packing packing;
} SspExport;

// ---- the whole
// ------------------------------------------------------------------------------------------------------

static kaiStatus take_work(kaiProgram* program, Compilation* c, void* user)
{
    (void)program;
    SspExport* e = user;
    const Flat* flat = compilation_elaborate(c, e->which);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    return system_take(&e->system, &e->arena, flat, e->error);
}

static kaiStatus first_error(SspExport* e, kaiStatus status)
{
    const kaiError* first = status == KAI_ERR_MODEL ? program_first_error(e->program) : NULL;
    if (first != NULL)
        error_copy(e->error, first);
    return status;
}

static void keep_setting(SspExport* e, const char* name, double value)
{
    if (isfinite(value) && value != 0)
        vec_push(&e->arena, e->settings, ((kaiGiven){name, arena_printf(&e->arena, "%.17g", value)}));
}

static kaiStatus start_whole(SspExport* e)
{
    kaiSimOptions run = kaiModel_SimOptions(e->whole);
    e->system.start = run.start;
    e->system.stop = run.stop;
    keep_setting(e, "start", run.start);
    keep_setting(e, "stop", run.stop);
    keep_setting(e, "rtol", run.rtol);
    keep_setting(e, "atol", run.atol);
    run.row = NULL;
    run.allocator = e->source->allocator;
    if (strncmp(run.solver, "cvode", 5) == 0)
        run.solver = "auto";
    kaiError why;
    e->sim = kaiSim_Create(e->whole, &run, &why);
    kaiStatus status = e->sim != NULL ? kaiSim_StepTo(e->sim, run.start) : why.status;
    if (status >= 0)
        return KAI_OK;
    error_copy(e->error, e->sim != NULL ? kaiSim_Failure(e->sim) : &why);
    return status == KAI_ERR_MEMORY ? status : KAI_ERR_USAGE;
}

static kaiStatus read_whole(SspExport* e)
{
    kaiStatus status = kaiProgram_Open(e->source, &e->program, e->error);
    if (e->program == NULL)
        return status;
    if (status == KAI_OK)
        status = program_ask_about(e->program, e->which, take_work, e);
    if (status == KAI_OK)
        status = kaiProgram_Compile(e->program, e->which, &e->whole);
    if (status != KAI_OK)
        return first_error(e, status);
    return start_whole(e);
}

// What the whole model has for a variable of a component, in its declared unit. False: it has none.
static bool value_in_whole(SspExport* e, const SspComponent* c, const char* name, kaiVariable* v, double* value)
{
    int index = kaiModel_FindVariable(e->whole, arena_printf(&e->arena, "%s.%s", c->name, name));
    if (index < 0 || !kaiModel_Variable(e->whole, index, v))
        return false;
    *value = v->start;
    return (v->kind != KAI_STATE && v->kind != KAI_DISCRETE && kaiSim_Get(e->sim, index, value)) || !isnan(*value);
}

// ---- components
// -----------------------------------------------------------------------------------------------------

static kaiCompileOptions part_options(SspExport* e, const char* model, const kaiOverride* overrides, uint32_t count)
{
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.model = model;
    options.overrides = overrides;
    options.override_count = (int)count;
    options.settings = e->settings.at;
    options.setting_count = (int)e->settings.count;
    return options;
}

static kaiStatus compile_part(SspExport* e, const char* model, const kaiOverride* overrides, uint32_t count)
{
    kaiCompileOptions options = part_options(e, model, overrides, count);
    kaiModel_Free(e->part);
    e->part = NULL;
    return first_error(e, kaiProgram_Compile(e->program, &options, &e->part));
}

// The FMU of a component: its model, with the parameters that decide its structure as the whole has them.
static kaiStatus find_fmu(SspExport* e, SspComponent* c)
{
    SspFmu made = {.model = c->model, .key = c->model};
    kaiVariable v, in_whole;
    double value;
    kaiStatus status = compile_part(e, c->model, NULL, 0);
    for (int i = 0; status == KAI_OK && kaiModel_Variable(e->part, i, &v); i++)
        if (v.causality == KAI_CAUSALITY_PARAMETER && v.variability == KAI_VARIABILITY_CONSTANT &&
            value_in_whole(e, c, v.name, &in_whole, &value) && value != v.start)
        {
            const char* name = arena_copy_string(&e->arena, v.name, strlen(v.name));
            vec_push(&e->arena, made.overrides, ((kaiOverride){name, value}));
            made.key = arena_printf(&e->arena, "%s %s=%.17g", made.key, name, value);
        }
    for (c->fmu = 0; status == KAI_OK && c->fmu < e->system.fmus.count; c->fmu++)
        if (strcmp(e->system.fmus.at[c->fmu].key, made.key) == 0)
            return KAI_OK;
    int others = 0;
    for (uint32_t i = 0; i < e->system.fmus.count; i++)
        others += strcmp(e->system.fmus.at[i].model, c->model) == 0;
    made.file = others == 0 ? arena_printf(&e->arena, "resources/%s.fmu", c->model)
                            : arena_printf(&e->arena, "resources/%s_%d.fmu", c->model, others + 1);
    vec_push(&e->arena, e->system.fmus, made);
    return status;
}

static bool is_named(const SspFmu* fmu, const char* name)
{
    for (uint32_t i = 0; i < fmu->outputs.count; i++)
        if (strcmp(fmu->outputs.at[i], name) == 0)
            return true;
    return false;
}

// What others read of a component becomes an output of its FMU.
static void collect_outputs(SspExport* e)
{
    for (uint32_t i = 0; i < e->system.components.count; i++)
    {
        SspComponent* c = &e->system.components.at[i];
        SspFmu* fmu = &e->system.fmus.at[c->fmu];
        for (uint32_t k = 0; k < c->connectors.count; k++)
            if (!is_named(fmu, c->connectors.at[k].name))
                vec_push(&e->arena, fmu->outputs, c->connectors.at[k].name);
        c->connectors.count = 0;
    }
}

static SspType type_of(const FmiVariable* v)
{
    return v->type == FMI_BOOLEAN ? SSP_BOOLEAN : v->type == FMI_INTEGER ? SSP_INTEGER : SSP_REAL;
}

static void add_value(SspExport* e, SspComponent* c, const FmiVariable* f)
{
    kaiVariable own, in_whole;
    double value;
    bool starts = f->causality == FMI_PARAMETER || f->causality == FMI_INPUT || f->initial == FMI_EXACT;
    if (!starts || f->aspect != FMI_VALUE || f->causality == FMI_STRUCTURAL || f->type > FMI_BOOLEAN ||
        !kaiModel_Variable(e->part, f->variable, &own) || !value_in_whole(e, c, f->name, &in_whole, &value) ||
        value == own.start)
        return;
    SspValue made = {.name = arena_copy_string(&e->arena, f->name, strlen(f->name)), .type = type_of(f)};
    made.value = in_whole.scale * value + in_whole.offset;
    vec_push(&e->arena, c->values, made);
}

// Connectors are all inputs and outputs of the FMU that SSP has a type for.
static kaiStatus fill_component(SspExport* e, SspComponent* c)
{
    SspFmu* fmu = &e->system.fmus.at[c->fmu];
    Catalogue catalogue;
    kaiStatus status = compile_part(e, c->model, fmu->overrides.at, fmu->overrides.count);
    if (status != KAI_OK)
        return status;
    catalogue_make(&catalogue, &e->arena, e->part, e->options->version);
    catalogue_show(&catalogue, fmu->outputs.at, (int)fmu->outputs.count);
    for (uint32_t i = 1; i < catalogue.list.count; i++)
    {
        const FmiVariable* f = &catalogue.list.at[i];
        add_value(e, c, f);
        if ((f->causality != FMI_INPUT && f->causality != FMI_OUTPUT) || f->type > FMI_BOOLEAN)
            continue;
        const char* si = f->unit != NULL && f->type == FMI_REAL ? describe_si(&e->arena, f->unit) : NULL;
        SspConnector made = {.name = arena_copy_string(&e->arena, f->name, strlen(f->name)),
                             .unit = si,
                             .type = type_of(f),
                             .output = f->causality == FMI_OUTPUT};
        vec_push(&e->arena, c->connectors, made);
    }
    return KAI_OK;
}

static kaiStatus fill_system(SspExport* e)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < e->system.components.count && status == KAI_OK; i++)
        status = find_fmu(e, &e->system.components.at[i]);
    if (status == KAI_OK)
        collect_outputs(e);
    for (uint32_t i = 0; i < e->system.components.count && status == KAI_OK; i++)
        status = fill_component(e, &e->system.components.at[i]);
    return status;
}

// ---- the archive
// ----------------------------------------------------------------------------------------------------

static kaiStatus add_fmu(SspExport* e, ZipWriter* zip, const SspFmu* fmu)
{
    ZipMember bytes = {.arena = &e->arena};
    kaiFmuOptions options = *e->options;
    kaiCompileOptions which = part_options(e, fmu->model, fmu->overrides.at, fmu->overrides.count);
    options.path = NULL;
    options.sink = (kaiSink){zip_keep, &bytes};
    options.outputs = fmu->outputs.at;
    options.output_count = (int)fmu->outputs.count;
    kaiStatus status = kaiFmu_Export(e->source, &which, &options, e->error);
    if (status == KAI_OK)
        zip_add(zip, fmu->file, bytes.text.at, bytes.text.count);
    return status;
}

static kaiStatus write_archive(SspExport* e, const kaiSink* sink)
{
    ZipWriter zip = {.arena = &e->arena, .sink = sink};
    const char* text = system_write(&e->system, &e->arena);
    kaiStatus status = KAI_OK;
    zip_add(&zip, "SystemStructure.ssd", text, strlen(text));
    for (uint32_t i = 0; i < e->system.fmus.count && status == KAI_OK; i++)
        status = add_fmu(e, &zip, &e->system.fmus.at[i]);
    return status == KAI_OK ? zip_finish(&zip) : status;
}

static kaiStatus write_file(SspExport* e)
{
    kaiStatus status = packing_open(&e->packing, &e->arena, e->options->path, e->error);
    return status == KAI_OK ? packing_close(&e->packing, write_archive(e, &e->packing.sink), e->error) : status;
}

static kaiStatus export_all(SspExport* e)
{
    if (setjmp(e->fail) != 0)
        return error_memory(e->error);
    arena_init(&e->arena, e->source->allocator, &e->fail);
    kaiStatus status = read_whole(e);
    if (status == KAI_OK)
        status = fill_system(e);
    if (status != KAI_OK)
        return status;
    return e->options->sink.write != NULL ? write_archive(e, &e->options->sink) : write_file(e);
}

kaiStatus kaiSsp_Export(const kaiProgramOptions* source, const kaiCompileOptions* which, const kaiFmuOptions* options,
                        kaiError* error)
{
    error_clear(error);
    if (!export_has_options(source, which, options, error))
        return KAI_ERR_USAGE;
    if (!export_has_places(source, options) || options->version != 2)
        return error_set(error, KAI_ERR_USAGE,
                         "a system needs a model, a path and an allocator, and SSP 1.0 has FMUs of version 2");
    kaiAllocator a = source->allocator;
    SspExport* e = a.alloc(a.user, NULL, 0, sizeof *e);
    if (e == NULL)
        return error_memory(error);
    memset(e, 0, sizeof *e);
    e->source = source;
    e->which = which;
    e->options = options;
    e->error = error;
    kaiStatus status = export_all(e);
    packing_drop(&e->packing);  // memory ran out on the way
    kaiSim_Free(e->sim);
    kaiModel_Free(e->whole);
    kaiModel_Free(e->part);
    kaiProgram_Free(e->program);
    arena_free(&e->arena);
    a.alloc(a.user, e, sizeof *e, 0);
    return status;
}
