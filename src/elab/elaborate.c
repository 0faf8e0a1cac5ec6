// The order of elaboration, and how it reports.
#include "elab/elab.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t report_key(DiagCode code, Span span, const char* tag)
{
    uint64_t key = (uint64_t)span.start << 32 | span.end;
    key = (key ^ ((uint64_t)span.file << 16 | (uint64_t)code)) * 0x9E3779B97F4A7C15u;
    for (; tag && *tag; tag++)
        key = (key ^ (uint64_t)(unsigned char)*tag) * 0x100000001B3u;
    return key ^ (key >> 31);
}

static bool is_new(Elab* e, DiagCode code, Span span, const char* tag)
{
    if (e->silent)
        return false;
    uint32_t unused;
    uint64_t key = report_key(code, span, tag);
    if (map_get(&e->seen, key, &unused))
        return false;
    map_set(&e->seen, key, 1);
    return true;
}

static const char* format_text(Elab* e, const char* format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char* text = arena_alloc(e->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

// A mistake inside a part of an imported file is one of who uses the part: the instance in the text of the user, if the
// work is on one.
static Span user_span(const Elab* e, Span span)
{
    uint32_t own = e->program->files.count > 0 ? e->program->files.at[0]->file : 0;
    if (span.file == 0 || span.file == own || e->here == 0 || e->here >= e->instances.count)
        return span;
    for (uint32_t i = e->here; i != 0; i = e->instances.at[i].parent)
        if (e->instances.at[i].span.file == own)
            return e->instances.at[i].span;
    return span;
}

static Diag* elab_point(Elab* e, Diag* diag, Span span)
{
    Span user = user_span(e, span);
    if (diag && (user.file != span.file || user.start != span.start))
        diag_note(e->diags, diag, span, "here, in the part");
    return diag;
}

__attribute__((format(printf, 5, 0))) static Diag* report(Elab* e, DiagCode code, Span span, const char* tag,
                                                          const char* format, va_list arguments)
{
    e->error_count += !e->silent;
    if (!is_new(e, code, span, tag))
        return NULL;
    const char* text = format_text(e, format, arguments);
    return elab_point(e, diag_error(e->diags, code, user_span(e, span), "%s", text), span);
}

Diag* elab_error_about(Elab* e, DiagCode code, Span span, const char* tag, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Diag* diag = report(e, code, span, tag, format, arguments);
    va_end(arguments);
    return diag;
}

Diag* elab_error(Elab* e, DiagCode code, Span span, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Diag* diag = report(e, code, span, NULL, format, arguments);
    va_end(arguments);
    return diag;
}

Diag* elab_warning(Elab* e, DiagCode code, Span span, const char* format, ...)
{
    if (!is_new(e, code, span, NULL))
        return NULL;
    va_list arguments;
    va_start(arguments, format);
    const char* text = format_text(e, format, arguments);
    va_end(arguments);
    return elab_point(e, diag_warning(e->diags, code, user_span(e, span), "%s", text), span);
}

void elab_help(Elab* e, Diag* diag, const char* format, ...)
{
    if (!diag)
        return;
    va_list arguments;
    va_start(arguments, format);
    diag_help(e->diags, diag, "%s", format_text(e, format, arguments));
    va_end(arguments);
}

void elab_note(Elab* e, Diag* diag, Span span, const char* format, ...)
{
    if (!diag)
        return;
    va_list arguments;
    va_start(arguments, format);
    diag_note(e->diags, diag, span, "%s", format_text(e, format, arguments));
    va_end(arguments);
}

// Nothing is near: say what there is.
static void list_known(Elab* e, Diag* diag, const char* const* names, uint32_t count, const char* otherwise)
{
    enum
    {
        MOST = 8
    };
    const char* text = "";
    uint32_t shown = 0;
    for (uint32_t i = 0; i < count && shown < MOST; i++)
        if (names[i][0] != '$')
            text = arena_printf(e->arena, "%s%s`%s`", text, shown++ ? ", " : "", names[i]);
    if (shown)
        elab_help(e, diag, "%sthere is %s%s", otherwise, text, count > MOST ? " and more" : "");
}

void elab_suggest_or(Elab* e, Diag* diag, const char* word, const char* const* names, uint32_t count,
                     const char* otherwise)
{
    if (!diag)
        return;
    const char* near = diag_nearest(word, names, count);
    if (near)
        elab_help(e, diag, "did you mean `%s`?", near);
    else
        list_known(e, diag, names, count, otherwise);
}

void elab_suggest(Elab* e, Diag* diag, const char* word, const char* const* names, uint32_t count)
{
    elab_suggest_or(e, diag, word, names, count, "");
}

bool elab_missed_before(Elab* e, DiagCode code, const void* scope, const char* name, Span span)
{
    enum
    {
        MOST_NOTES = 8
    };
    uint64_t key = ((uint64_t)(uintptr_t)scope * 31 + (uint64_t)(uintptr_t)name) * 127 + (uint64_t)code;
    uint32_t found;
    if (e->silent)
        return true;
    if (!map_get(&e->missed_index, key, &found))
    {
        map_set(&e->missed_index, key, e->diags->list.count);  // the diagnostic that the caller is about to make
        return false;
    }
    e->error_count++;
    Diag* diag = found < e->diags->list.count ? e->diags->list.at[found] : NULL;
    bool same = diag && diag->code == code && diag->span.start != span.start;
    if (same && diag->notes.count < MOST_NOTES && is_new(e, code, span, NULL))
        diag_note(e->diags, diag, span, "and here");
    return true;
}

bool elab_count_loop(Elab* e, Span span)
{
    if (e->too_large)
        return false;
    if (++e->loops <= MAX_VARIABLES)
        return true;
    Diag* diag = elab_error(e, K_MODEL_TOO_LARGE, span,
                            "this makes the model larger than the compiler takes (%d parts)", MAX_VARIABLES);
    elab_help(e, diag, "use a smaller range");
    e->too_large = true;
    return false;
}

static void elab_init(Elab* e, Program* program, const ElabOptions* options)
{
    memset(e, 0, sizeof *e);
    e->program = program;
    e->options = options;
    e->arena = program->arena;
    e->diags = program->diags;
    e->flat = arena_new(e->arena, Flat);
    flat_init(e->flat, e->arena);
    Map* maps[] = {&e->model_index,   &e->function_index, &e->name_index,  &e->symbol_index,    &e->seen,
                   &e->hidden_index,  &e->external_index, &e->block_index, &e->structural_seen, &e->missed_index,
                   &e->machine_places};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        map_init(maps[i], e->arena);
    // What an earlier elaboration of the same program reported is not reported again.
    for (uint32_t i = 0; i < e->diags->list.count; i++)
        is_new(e, e->diags->list.at[i]->code, e->diags->list.at[i]->span, NULL);
    e->override_used = arena_array(e->arena, bool, options->override_count + 1);
    e->word_mode = intern_string(program->names, "mode");
}

static void index_top_level(Elab* e)
{
    Program* program = e->program;
    e->seen_files = arena_array(e->arena, bool, program->files.count + 1);
    for (uint32_t i = program->functions.count; i-- > 0;)
    {
        const Function* function = program->functions.at[i];
        if (!builtin_exists(function->name))
            continue;
        Diag* diag =
            elab_error(e, K_DUPLICATE_TOP_LEVEL, function->span, "`%s` is a function of the language", function->name);
        elab_help(e, diag, "choose another name");
    }
}

static const Experiment* find_experiment(Elab* e, const char* name)
{
    Program* program = e->program;
    for (uint32_t i = 0; i < program->experiments.count; i++)
        if (strcmp(program->experiments.at[i]->name, name) == 0)
            return program->experiments.at[i];
    const char** names = arena_array(e->arena, const char*, program->experiments.count + 1);
    for (uint32_t i = 0; i < program->experiments.count; i++)
        names[i] = program->experiments.at[i]->name;
    Diag* diag = elab_error_about(e, K_UNKNOWN_EXPERIMENT, (Span){0}, name, "there is no experiment `%s`", name);
    elab_suggest(e, diag, name, names, program->experiments.count);
    return NULL;
}

static const Model* find_model(Elab* e, const char* name, Span span)
{
    Program* program = e->program;
    const char** names = arena_array(e->arena, const char*, program->models.count + 1);
    for (uint32_t i = 0; i < program->models.count; i++)
    {
        names[i] = program->models.at[i]->name;
        if (strcmp(names[i], name) == 0)
            return program->models.at[i];
    }
    Diag* diag = elab_error_about(e, K_UNKNOWN_MODEL, span, name, "there is no model `%s`", name);
    elab_suggest(e, diag, name, names, program->models.count);
    return NULL;
}

static const Model* last_model(Elab* e)
{
    FileAst* file = e->program->files.count ? e->program->files.at[0] : NULL;
    if (file && file->models.count)
        return file->models.at[file->models.count - 1];
    elab_error(e, K_NO_MODEL, (Span){.file = file ? file->file : 0}, "there is no model in this file");
    return NULL;
}

static void report_unused_overrides(Elab* e)
{
    const char** names = arena_array(e->arena, const char*, e->flat->vars.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->flat->vars.count; i++)
    {
        const FlatVar* var = &e->flat->vars.at[i];
        if (!var->hidden && (var->kind <= VAR_DISCRETE || var->kind == VAR_INPUT))
            names[count++] = var->name;
    }
    for (int i = 0; i < e->options->override_count; i++)
    {
        if (e->override_used[i])
            continue;
        const char* name = e->options->overrides[i].name;
        Diag* diag = elab_error_about(e, K_UNKNOWN_OVERRIDE, (Span){0}, name,
                                      "model %s has no parameter, state or discrete variable `%s` that could be set",
                                      e->flat->model_name, name);
        elab_suggest(e, diag, name, names, count);
    }
}

static void elaborate_model(Elab* e, const Model* model, const Experiment* experiment)
{
    e->flat->model_name = model->name;
    static const ArgList no_args;
    declare_root(e, model, experiment ? &experiment->args : &no_args,
                 experiment ? experiment->model_span : model->span);
    if (e->too_large)
        return;
    declare_given_signals(e);
    join_bonds(e);
    find_domains(e);
    find_targets(e);
    report_unused_overrides(e);  // after first derivatives have become states
    infer_types(e);
    elaborate_elements(e);
    elaborate_inits(e);
    elaborate_works(e);
    e->here = 0;
    define_inputs(e);
    define_bonds(e);
    check_definitions(e);
    check_parameters(e);
    match_equations(e);
    check_guesses(e);
    // Settings are evaluated: with a wrong model their values would be wrong too, their names are still worth checking.
    elaborate_experiment(e, experiment);
    resolve_areas(e);
    flat_order(e->flat);
    assert(flat_is_ordered(e->flat));
}

Flat* elaborate(Program* program, const ElabOptions* options)
{
    if (program->import_missing)
        return NULL;
    Elab e;
    elab_init(&e, program, options);
    index_top_level(&e);
    const Experiment* experiment = options->experiment ? find_experiment(&e, options->experiment) : NULL;
    if (options->experiment && !experiment)
        return NULL;
    const Model* model = experiment       ? find_model(&e, experiment->model, experiment->model_span)
                         : options->model ? find_model(&e, options->model, (Span){0})
                                          : last_model(&e);
    if (!model || model->extent.broken || (experiment && experiment->extent.broken))
        return NULL;
    elaborate_model(&e, model, experiment);
    return e.error_count > 0 ? NULL : e.flat;
}
