// Names and paths. All names of an instance share one table, whichever mode declares them: from outside they are
// reached through the instance; from inside, where the mode they are declared in is active.
#include "elab/elab.h"
#include "lang/idioms.h"
#include "settings/settings.h"

#include <math.h>
#include <string.h>

// Names get small numbers, so that (instance, name) is one exact 64-bit key.
static uint64_t symbol_key(Elab* e, uint32_t instance, const char* name)
{
    uint32_t number;
    uint64_t name_key = (uint64_t)(uintptr_t)name;
    if (!map_get(&e->name_index, name_key, &number))
        map_set(&e->name_index, name_key, number = e->name_index.count + 1);
    return (uint64_t)instance << 32 | number;
}

// ---- models and functions, by the file that names them

static void see(Elab* e, Map* index, uint32_t file, const char* name, uint32_t number, bool own)
{
    uint32_t found;
    uint64_t key = symbol_key(e, file, name);
    if (own || !map_get(index, key, &found))
        map_set(index, key, number);
}

// The names that a file sees: its own, else what it imports; program_load has reported names that are declared twice.
// Made when the file names something: of many files few do.
static void index_file(Elab* e, uint32_t file)
{
    const Program* program = e->program;
    const bool* visible = program_visible(program, file);
    uint32_t models = 0, functions = 0;
    for (uint32_t f = 0; f < program->files.count; f++)
    {
        const FileAst* ast = program->files.at[f];
        for (uint32_t i = 0; visible[f] && i < ast->models.count; i++)
            see(e, &e->model_index, file, ast->models.at[i]->name, models + i, f == file);
        for (uint32_t i = 0; visible[f] && i < ast->functions.count; i++)
            see(e, &e->function_index, file, ast->functions.at[i]->name, functions + i, f == file);
        models += ast->models.count;
        functions += ast->functions.count;
    }
    e->seen_files[file] = true;
}

// What is given with a call, and belongs to no file, sees what the first one does.
static bool sees(Elab* e, const Map* index, const char* name, Span span, uint32_t* number)
{
    const Program* program = e->program;
    uint32_t file = span.file - 1;  // as a rule sources are files, in this order
    if (file >= program->files.count || program->files.at[file]->file != span.file)
        file = 0;
    for (uint32_t f = 1; f < program->files.count && file == 0 && span.file != 0; f++)
        file = program->files.at[f]->file == span.file ? f : 0;
    if (file < program->files.count && !e->seen_files[file])
        index_file(e, file);
    return map_get(index, symbol_key(e, file, name), number);
}

const Model* scope_model(Elab* e, const char* name, Span span)
{
    uint32_t number;
    return sees(e, &e->model_index, name, span, &number) ? e->program->models.at[number] : NULL;
}

const Function* scope_function(Elab* e, const char* name, Span span)
{
    uint32_t number;
    return sees(e, &e->function_index, name, span, &number) ? e->program->functions.at[number] : NULL;
}

uint32_t scope_symbol(Elab* e, uint32_t instance, const char* name)
{
    uint32_t index;
    return map_get(&e->symbol_index, symbol_key(e, instance, name), &index) ? index + 1 : 0;
}

static void report_second(Elab* e, const Env* env, const Symbol* first, Span span)
{
    Diag* diag;
    if (first->span.file == span.file && first->span.start == span.start)
    {
        diag = elab_error(e, K_DUPLICATE_NAME, span, "every pass of the `for` declares `%s` again", first->name);
        elab_help(e, diag, "declare an array outside the `for`: `%s[i in 1..N]`", first->name);
        return;
    }
    diag = elab_error(e, K_DUPLICATE_NAME, span, "`%s` is declared twice in model %s", first->name,
                      scope_model_name(e, env));
    elab_note(e, diag, first->span, "first declared here");
    elab_help(e, diag,
              first->ctx != env->ctx ? "names in different modes of a model must differ too: rename one"
                                     : "rename one of them");
}

Symbol* scope_add(Elab* e, const Env* env, SymbolKind kind, const char* name, Span span)
{
    uint64_t key = symbol_key(e, env->instance, name);
    uint32_t found;
    if (builtin_name_exists(name))
    {
        Diag* diag = elab_error(e, K_DUPLICATE_NAME, span, "`%s` is a name of the language", name);
        elab_help(e, diag, "choose another name");
    }
    Symbol symbol = {.kind = kind, .name = name, .instance = env->instance, .ctx = env->ctx, .span = span};
    if (map_get(&e->symbol_index, key, &found))
        report_second(e, env, &e->symbols.at[found], span);
    else
        map_set(&e->symbol_index, key, e->symbols.count);
    vec_push(e->arena, e->symbols, symbol);
    return &e->symbols.at[e->symbols.count - 1];
}

const char* scope_path(Elab* e, uint32_t instance, const char* name)
{
    const char* prefix = e->flat->instances.at[instance].name;
    return *prefix ? arena_printf(e->arena, "%s.%s", prefix, name) : name;
}

const char* scope_model_name(Elab* e, const Env* env)
{
    return env->instance == NO_INSTANCE ? "?" : e->instances.at[env->instance].model->name;
}

bool ctx_is_within(const Flat* flat, uint32_t ctx, uint32_t ancestor)
{
    while (ctx != ancestor && ctx != 0)
        ctx = flat->ctxs.at[ctx].parent;
    return ctx == ancestor;
}

bool ctx_exclude(const Flat* flat, uint32_t a, uint32_t b)
{
    for (; a != 0; a = flat->ctxs.at[a].parent)
        for (uint32_t other = b; other != 0; other = flat->ctxs.at[other].parent)
            if (flat->ctxs.at[a].machine == flat->ctxs.at[other].machine &&
                flat->ctxs.at[a].mode != flat->ctxs.at[other].mode)
                return true;
    return false;
}

const char* ctx_text(Elab* e, uint32_t ctx)
{
    if (ctx == 0)
        return "outside all modes";
    const FlatCtx* context = &e->flat->ctxs.at[ctx];
    const FlatMachine* machine = &e->flat->machines.at[context->machine];
    const char* mode = machine->modes.at[context->mode].name;
    const char* instance = e->flat->instances.at[e->machine_instance.at[context->machine]].name;
    return *instance ? arena_printf(e->arena, "in mode %s of %s", mode, instance)
                     : arena_printf(e->arena, "in mode %s", mode);
}

// How a name that is not there would be declared. What is a setting of experiments was meant for one.
static const char* declaration_advice(Elab* e, const char* name)
{
    if (e->wanted == NULL)
        return arena_printf(e->arena, "declare it, `param %s = …` or `signal %s = …`; ", name, name);
    if (kaiSettings_Find(name) != NULL)
        return arena_printf(e->arena, "settings stand in an experiment, `experiment e of Model { %s = … }`; ", name);
    if (strcmp(e->wanted, "event") == 0)
        return arena_printf(e->arena, "declare it, `event %s`; ", name);
    if (strcmp(e->wanted, "signal") == 0)
        return arena_printf(e->arena, "declare it, `signal %s = …` or `param %s = …`; ", name, name);
    return arena_printf(e->arena, "declare it, `%s %s = 0`; ", e->wanted, name);
}

// Everything that could have been meant: names of the instance, loop indices, builtin names.
void scope_suggest(Elab* e, Diag* diag, const Env* env, uint32_t instance, const char* name)
{
    if (!diag)
        return;
    VEC(const char*) names = {0};
    for (uint32_t i = 0; instance != NO_INSTANCE && i < e->symbols.count; i++)
        if (e->symbols.at[i].instance == instance && e->symbols.at[i].name != e->word_mode)
            vec_push(e->arena, names, e->symbols.at[i].name);
    for (const Local* local = env ? env->locals : NULL; local; local = local->next)
        vec_push(e->arena, names, local->name);
    uint32_t count = 0;
    const char* const* builtins = env ? builtin_value_names(&count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        vec_push(e->arena, names, builtins[i]);
    const char* declare = declaration_advice(e, name);
    elab_suggest_or(e, diag, name, names.at, names.count,
                    env && !env->calls && !env->expect && !e->in_experiment ? declare : "");
}

static bool is_variable(Elab* e, uint32_t instance, const char* from, size_t length)
{
    const char* name = intern(e->program->names, from, length);
    uint32_t found = instance == NO_INSTANCE ? 0 : scope_symbol(e, instance, name);
    return found && e->symbols.at[found - 1].kind == SYMBOL_VAR;
}

// The variable whose derivative other languages would call so: x_dot, xdot, der_x, dx, dxdt, dx_dt.
static const char* derived_variable(Elab* e, uint32_t instance, const char* name)
{
    static const char* const frames[][2] = {{"", "_dot"}, {"", "dot"}, {"", "Dot"}, {"", "_d"},   {"der_", ""},
                                            {"dot_", ""}, {"d_", ""},  {"d", ""},   {"d", "_dt"}, {"d", "dt"}};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
    {
        size_t before = strlen(frames[i][0]), behind = strlen(frames[i][1]);
        if (length > before + behind && strncmp(name, frames[i][0], before) == 0 &&
            strcmp(name + length - behind, frames[i][1]) == 0 &&
            is_variable(e, instance, name + before, length - before - behind))
            return arena_copy_string(e->arena, name + before, length - before - behind);
    }
    return NULL;
}

static void report_unknown(Elab* e, const Env* env, uint32_t instance, const PathStep* step, bool first)
{
    const void* scope = env->calls                ? (const void*)env->calls->function
                        : instance == NO_INSTANCE ? NULL
                                                  : (const void*)e->instances.at[instance].model;
    if (elab_missed_before(e, K_UNKNOWN_NAME, scope, step->name, step->span))
        return;
    Diag* diag;
    if (env->calls)
        diag = elab_error(e, K_UNKNOWN_NAME, step->span, "there is no `%s` in function %s", step->name,
                          env->calls->function->name);
    else if (instance == NO_INSTANCE)
        diag = elab_error(e, K_UNKNOWN_NAME, step->span, "there is no `%s` here", step->name);
    else
        diag = elab_error(e, K_UNKNOWN_NAME, step->span, "there is no `%s` in model %s", step->name,
                          e->instances.at[instance].model->name);
    if (diag && first && scope_function(e, step->name, step->span))
        elab_help(e, diag, "`%s` is a function: write `%s(…)`", step->name, step->name);
    else if (diag && first && idiom_name(step->name))
        elab_help(e, diag, "%s", idiom_name(step->name));
    else if (diag && first && idiom_is_own_function(step->name))
        elab_help(e, diag, "`%s` is a function: write `%s(…)`", step->name, step->name);
    else if (diag && first && !env->calls && derived_variable(e, instance, step->name))
        elab_help(e, diag, "the derivative of `%s` is `%s'`", derived_variable(e, instance, step->name),
                  derived_variable(e, instance, step->name));
    else if (env->calls && diag)
        elab_help(e, diag, "a function sees its arguments only: hand it over as one");
    if (diag && !diag->help)
        scope_suggest(e, diag, first ? env : NULL, env->calls ? NO_INSTANCE : instance, step->name);
}

// A name declared in a mode is visible in that mode and deeper. From outside the instance all names are.
static bool find_name(Elab* e, const Env* env, uint32_t instance, const PathStep* step, bool first, uint32_t* index)
{
    uint32_t found = instance == NO_INSTANCE || (first && env->calls) ? 0 : scope_symbol(e, instance, step->name);
    if (!found)
        return report_unknown(e, env, instance, step, first), false;
    *index = found - 1;
    const Symbol* symbol = &e->symbols.at[found - 1];
    bool entered = env->entered != 0 && ctx_is_within(e->flat, env->entered, symbol->ctx);
    if (first && !entered && !e->in_experiment && !ctx_is_within(e->flat, env->ctx, symbol->ctx))
    {
        Diag* diag = elab_error(e, K_UNKNOWN_NAME, step->span, "`%s` is declared %s and cannot be seen here",
                                step->name, ctx_text(e, symbol->ctx));
        elab_note(e, diag, symbol->span, "declared here");
        elab_help(e, diag, "declare it outside the modes");
        return false;
    }
    return true;
}

// Whether this place lies in a branch of an `if` expression that is never taken: its condition is known before the run,
// and its parameters then decide the structure.
static bool is_ruled_out(Elab* e, const Env* env)
{
    for (Branch* branch = env->branch; branch; branch = branch->up)
    {
        Value value;
        double number;
        if (branch->test == 0 || !flat_eval_const(e->flat, branch->test, &number) || (number != 0) == branch->when)
            continue;
        Env outside = *env;
        outside.branch = branch->up;
        branch->ruled_out = elaborate_constant(e, &outside, branch->condition, TYPE_BOOL, &value, &number);
        return branch->ruled_out;
    }
    return false;
}

// In a branch of an `if` that is never taken an index may lie outside: `if i > 1 then x[i - 1] else 0`.
static bool find_index(Elab* e, const Env* env, const Symbol* symbol, const Expr* expr, int64_t* index)
{
    Value value;
    double number;
    if (!elaborate_constant(e, env, expr, TYPE_REAL, &value, &number))
        return false;
    if (number != floor(number))
        return elab_error(e, K_BAD_INDEX, expr->span, "an index must be a whole number, this is %g", number), false;
    if (number < (double)symbol->from || number > (double)symbol->to)
    {
        if (e->silent && symbol->from <= symbol->to)  // only its type is asked for
            return *index = 0, true;
        if (is_ruled_out(e, env))
            return false;
        Diag* diag = elab_error(e, K_BAD_INDEX, expr->span, "index %.0f is outside `%s[%lld..%lld]`", number,
                                symbol->name, (long long)symbol->from, (long long)symbol->to);
        elab_note(e, diag, symbol->span, "declared here");
        return false;
    }
    return *index = (int64_t)number - symbol->from, true;
}

static bool take_index(Elab* e, const Env* env, const PathStep* step, const Symbol* symbol, Target* target)
{
    bool is_array = symbol->kind == SYMBOL_VARS || symbol->kind == SYMBOL_INSTANCES;
    if (!step->index)
        return true;
    if (!is_array)
    {
        Diag* diag = elab_error(e, K_NOT_AN_ARRAY, step->span, "`%s` is not an array", symbol->name);
        elab_note(e, diag, symbol->span, "declared here");
        elab_help(e, diag, "leave the index away; an array is declared with a range: `%s[i in 1..3]`", symbol->name);
        return false;
    }
    int64_t index;
    if (!find_index(e, env, symbol, step->index, &index))
        return false;
    target->index = symbol->kind == SYMBOL_VARS ? symbol->first + (uint32_t)index : symbol->list[index];
    target->kind = symbol->kind == SYMBOL_VARS ? SYMBOL_VAR : SYMBOL_INSTANCE;
    return true;
}

// Steps before the last must lead into one instance.
static bool enter_instance(Elab* e, const PathStep* step, const Target* target)
{
    if (target->kind == SYMBOL_INSTANCE)
        return true;
    Diag* diag;
    if (target->kind == SYMBOL_INSTANCES || target->kind == SYMBOL_VARS)
    {
        diag = elab_error(e, K_NOT_AN_ARRAY, step->span, "`%s` is an array: say which element", step->name);
        elab_help(e, diag, "write `%s[%lld]`", step->name, (long long)target->symbol->from);
    }
    else
    {
        diag = elab_error(e, K_UNKNOWN_NAME, step->span, "`%s` is a variable: it has no parts", step->name);
        elab_help(e, diag, "only instances have names inside: leave away what comes after the dot");
    }
    return false;
}

// `lit.mode`: a machine inside a mode is one name of its instance. The rest of the path from step `from` on, if it is
// one.
static const char* nested_mode(Elab* e, const Path* path, uint32_t from, uint32_t instance)
{
    const PathStep* last = &path->steps.at[path->steps.count - 1];
    if (from + 1 >= path->steps.count || strncmp(last->name, "mode", 4) != 0)
        return NULL;
    const char* name = path->steps.at[from].name;
    for (uint32_t i = from; i < path->steps.count; i++)
    {
        if (path->steps.at[i].index)
            return NULL;
        if (i > from)
            name = arena_printf(e->arena, "%s.%s", name, path->steps.at[i].name);
    }
    name = intern_string(e->program->names, name);
    return instance != NO_INSTANCE && scope_symbol(e, instance, name) ? name : NULL;
}

// One name of the path, in the instance that `target` has come to.
static bool resolve_step(Elab* e, const Env* env, const PathStep* step, bool first, Target* target)
{
    uint32_t index;
    if (!find_name(e, env, target->index, step, first, &index))
        return false;
    const Symbol* symbol = &e->symbols.at[index];
    if (symbol->kind == SYMBOL_FAILED)
        return e->error_count += !e->silent, false;
    target->symbol = symbol;
    target->kind = symbol->kind;
    target->index = symbol->first;
    if (!take_index(e, env, step, symbol, target))
        return false;
    target->symbol = &e->symbols.at[index];
    return true;
}

bool scope_resolve(Elab* e, const Env* env, const Path* path, Target* target)
{
    *target = (Target){.kind = SYMBOL_INSTANCE, .index = env->instance};
    for (const Local* local = env->locals; local; local = local->next)
        if (local->name == path->steps.at[0].name && path->steps.count == 1 && !path->steps.at[0].index)
            return target->local = local, true;
    for (uint32_t i = 0; i < path->steps.count; i++)
    {
        PathStep step = path->steps.at[i];
        if (i > 0 && !enter_instance(e, &path->steps.at[i - 1], target))
            return false;
        const char* nested = nested_mode(e, path, i, target->index);
        step.name = nested ? nested : step.name;
        if (!resolve_step(e, env, &step, i == 0, target))
            return false;
        if (nested)
            return true;
    }
    return true;
}

const Expr* scope_text(Elab* e, const Env* env, const Expr* expr)
{
    Target target;
    if (expr->kind == EXPR_STRING)
        return expr;
    if (expr->kind != EXPR_PATH || expr->order > 0)
        return NULL;
    bool silent = e->silent;
    e->silent = true;
    bool found = scope_resolve(e, env, expr->path, &target);
    e->silent = silent;
    return found && !target.local && target.kind == SYMBOL_TEXT ? target.symbol->text : NULL;
}

static bool range_bound(Elab* e, const Env* env, const Expr* expr, int64_t* bound)
{
    Value value;
    double number;
    if (!elaborate_constant(e, env, expr, TYPE_REAL, &value, &number))
        return false;
    if (number == floor(number) && fabs(number) <= 1e15)
        return *bound = (int64_t)number, true;
    Diag* diag =
        elab_error(e, K_BAD_RANGE, expr->span, "a bound of a range must be a whole number, this is %g", number);
    elab_help(e, diag, "round(…) makes one");
    return false;
}

bool scope_range(Elab* e, const Env* env, const Range* range, int64_t* from, int64_t* to)
{
    bool fine = range_bound(e, env, range->from, from);
    fine &= range_bound(e, env, range->to, to);
    if (!fine || *to - *from < MAX_VARIABLES)
        return fine;
    Diag* diag = elab_error(e, K_MODEL_TOO_LARGE, span_join(range->from->span, range->to->span),
                            "a range of %lld makes the model larger than the compiler takes (%d parts)",
                            (long long)(*to - *from + 1), MAX_VARIABLES);
    elab_help(e, diag, "use a smaller range");
    return false;
}
