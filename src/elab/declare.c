// Instances and their variables. Parameters are declared first, so that array sizes and `if` items can be decided.
#include "elab/elab.h"
#include "elab/library.h"

#include <string.h>

static const Env* keep_env(Elab* e, const Env* env)
{
    Env* copy = arena_new(e->arena, Env);
    *copy = *env;
    return copy;
}

static Env with_index(Elab* e, const Env* env, const char* name, int64_t index)
{
    Local* local = arena_new(e->arena, Local);
    *local = (Local){.next = env->locals, .name = name};
    local->value = value_make(flat_const(e->flat, (double)index, TYPE_REAL), TYPE_REAL, dim_number());
    Env result = *env;
    result.locals = local;
    return result;
}

// ---- variables

uint32_t declare_var(Elab* e, const Env* env, VarKind kind, ValueType type, const char* name, Span span)
{
    uint32_t index = e->flat->vars.count;
    FlatVar var = {.kind = kind, .type = type, .ctx = env->ctx, .instance = env->instance, .span = span};
    bool foreign = name[0] == '$' && name[1] == '$';  // of the text of a block: told with the path of its instance
    var.name = foreign          ? scope_path(e, env->instance, name + 2)
               : name[0] == '$' ? name
                                : scope_path(e, env->instance, name);
    var.hidden = name[0] == '$';
    var.unit.si.scale = 1;
    vec_push(e->arena, e->flat->vars, var);
    vec_push(e->arena, e->vars, (VarInfo){.name = name});
    if (env->ctx != 0 && (kind == VAR_STATE || kind == VAR_DISCRETE))
    {
        const FlatCtx* ctx = &e->flat->ctxs.at[env->ctx];
        vec_push(e->arena, e->flat->machines.at[ctx->machine].modes.at[ctx->mode].states, index);
    }
    elab_count_loop(e, span);
    return index;
}

static const Arg* find_arg(const Instance* instance, const char* name)
{
    for (uint32_t i = 0; i < instance->args->count; i++)
        if (instance->args->at[i].name == name)
            return &instance->args->at[i];
    return NULL;
}

typedef struct DeclState
{
    const Var* var;
    VarKind kind;
    bool is_event, input, output, unknown;
    const Expr* literal;  // the values of an array, or NULL
} DeclState;

static bool can_be_set(VarKind kind, bool input)
{
    return kind == VAR_PARAM || kind == VAR_STATE || kind == VAR_DISCRETE || kind == VAR_INPUT || input;
}

// One variable, or one element of an array: `element` picks it out of array literals.
static uint32_t declare_one(Elab* e, const Env* env, const DeclState* decl, const char* name, int64_t element)
{
    const Var* var = decl->var;
    bool is_event = decl->is_event;
    uint32_t index = declare_var(e, env, decl->kind, is_event ? TYPE_EVENT : TYPE_REAL, name, var->span);
    FlatVar* flat = &e->flat->vars.at[index];
    VarInfo* info = &e->vars.at[index];
    flat->input = decl->input;
    flat->output = decl->output;
    flat->description = var->description;
    if (var->unit)
        unit_find(e, var->unit, &flat->unit);
    flat->unknown = info->given = decl->unknown;
    flat->guessed = var->guessed;
    info->nominal = var->nominal;
    info->type_progress = is_event || decl->kind == VAR_STATE || decl->unknown ? DONE : NOT_BEGUN;
    const Instance* instance = &e->instances.at[env->instance];
    const Arg* arg = can_be_set(decl->kind, decl->input || decl->unknown) ? find_arg(instance, var->name) : NULL;
    info->init = arg ? arg->value : var->init;
    info->env = arg ? instance->arg_env : keep_env(e, env);
    if (decl->literal && element >= 0 && element < decl->literal->items.count)
        info->init = decl->literal->items.at[element];
    info->init_defines =
        !decl->input && !decl->unknown && (decl->kind == VAR_SIGNAL || decl->kind == VAR_EVENT) && info->init;
    bool overridden = can_be_set(decl->kind, decl->input || decl->unknown) && declare_override(e, index);
    info->spread = arg || overridden ? NULL : var->spread;  // a value that is given is not drawn
    return index;
}

static void declare_array(Elab* e, const Env* env, const DeclState* decl, int64_t from, int64_t to)
{
    uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_VARS, decl->var->name, decl->var->span) - e->symbols.at);
    e->symbols.at[at].first = e->flat->vars.count;
    e->symbols.at[at].from = from;
    e->symbols.at[at].to = to;
    for (int64_t i = from; i <= to && !e->too_large; i++)
    {
        Env element = decl->var->index ? with_index(e, env, decl->var->index, i) : *env;
        declare_one(e, &element, decl, arena_printf(e->arena, "%s[%lld]", decl->var->name, (long long)i), i - from);
    }
}

static Expr* element_of(Elab* e, const Expr* array, int64_t index)
{
    Expr* number = arena_new(e->arena, Expr);
    *number = (Expr){.kind = EXPR_NUMBER, .span = array->span, .number = (double)index};
    Path* path = arena_new(e->arena, Path);
    path->span = array->path->span;
    for (uint32_t i = 0; i < array->path->steps.count; i++)
        vec_push(e->arena, path->steps, array->path->steps.at[i]);
    path->steps.at[path->steps.count - 1].index = number;
    Expr* element = arena_new(e->arena, Expr);
    *element = *array;
    element->path = path;
    return element;
}

// `a : M(k = c)` where c is an array: the same as the list of its elements.
static const Expr* array_named(Elab* e, const Env* env, const Expr* expr)
{
    Target target;
    e->silent = true;
    bool found = expr->order == 0 && scope_resolve(e, env, expr->path, &target);
    e->silent = false;
    if (!found || target.local || target.kind != SYMBOL_VARS)
        return NULL;
    Expr* list = arena_new(e->arena, Expr);
    *list = (Expr){.kind = EXPR_ARRAY, .span = expr->span};
    for (int64_t i = target.symbol->from; i <= target.symbol->to; i++)
        vec_push(e->arena, list->items, element_of(e, expr, i));
    return list;
}

const Expr* array_given(Elab* e, const Env* env, const Expr* expr)
{
    return expr->kind == EXPR_ARRAY ? expr : expr->kind == EXPR_PATH ? array_named(e, env, expr) : NULL;
}

// The list that gives an array its size and values, or NULL.
static const Expr* array_literal(Elab* e, const Env* env, const DeclState* decl)
{
    const Instance* instance = &e->instances.at[env->instance];
    const Arg* arg = can_be_set(decl->kind, decl->input || decl->unknown) ? find_arg(instance, decl->var->name) : NULL;
    const Expr* init = arg ? arg->value : decl->var->init;
    if (init && init->kind == EXPR_PATH && (arg || decl->kind == VAR_PARAM))
        return array_named(e, arg ? instance->arg_env : env, init);
    return init && init->kind == EXPR_ARRAY ? init : NULL;
}

static void check_literal_size(Elab* e, const Expr* literal, const Var* var, int64_t size)
{
    if (!literal || literal->items.count == size)
        return;
    Diag* diag = elab_error(e, K_BAD_RANGE, literal->span, "`%s` has %lld elements, this list has %u", var->name,
                            (long long)size, literal->items.count);
    elab_note(e, diag, var->span, "declared here");
}

// A parameter is a text if its declaration gives it one; what is given in its place must be one too.
static bool declare_text(Elab* e, const Env* env, const DeclState* decl)
{
    const Var* var = decl->var;
    const Expr* text = decl->kind == VAR_PARAM && var->init && !var->index ? scope_text(e, env, var->init) : NULL;
    if (!text)
        return false;
    const Instance* instance = &e->instances.at[env->instance];
    const Arg* arg = find_arg(instance, var->name);
    const Expr* given = arg ? scope_text(e, instance->arg_env, arg->value) : text;
    if (!given)
    {
        Diag* diag = elab_error(e, K_TYPE_MISMATCH, arg->value->span, "`%s` is a text, this is a value", var->name);
        elab_note(e, diag, var->span, "declared here");
        elab_help(e, diag, "write it in quotes: `%s = \"…\"`", var->name);
    }
    Symbol* symbol = scope_add(e, env, given ? SYMBOL_TEXT : SYMBOL_FAILED, var->name, var->span);
    symbol->text = given;
    return true;
}

static void declare_variable(Elab* e, const Env* env, DeclState* decl)
{
    const Var* var = decl->var;
    if (declare_text(e, env, decl))
        return;
    const Expr* literal = decl->literal = array_literal(e, env, decl);
    int64_t from, to;
    if (var->index)
    {
        if (!scope_range(e, env, &var->range, &from, &to))
            scope_add(e, env, SYMBOL_FAILED, var->name, var->span);
        else
        {
            check_literal_size(e, literal, var, to < from ? 0 : to - from + 1);
            declare_array(e, env, decl, from, to);
        }
    }
    else if (literal)
        declare_array(e, env, decl, 1, literal->items.count);
    else
    {
        uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_VAR, var->name, var->span) - e->symbols.at);
        uint32_t index = declare_one(e, env, decl, var->name, -1);
        e->symbols.at[at].first = index;
    }
}

static DeclState decl_state(const Env* env, const Item* item, const Var* var)
{
    static const VarKind kinds[] = {VAR_PARAM, VAR_STATE,  VAR_DISCRETE, VAR_SIGNAL,
                                    VAR_EVENT, VAR_SIGNAL, VAR_SIGNAL,   VAR_SIGNAL};
    DeclState decl = {.var = var, .kind = kinds[item->decl], .is_event = item->decl == DECL_EVENT || item->is_event};
    decl.input = item->decl == DECL_INPUT;
    decl.output = item->decl == DECL_OUTPUT;
    decl.unknown = item->decl == DECL_UNKNOWN;
    if (decl.is_event)
        decl.kind = VAR_EVENT;
    if (decl.input && env->instance == 0)
        decl.kind = VAR_INPUT;
    return decl;
}

// `output x` of something declared elsewhere marks it.
static bool mark_output(Elab* e, const Env* env, const Var* var)
{
    uint32_t found = var->init || var->index ? 0 : scope_symbol(e, env->instance, var->name);
    if (!found)
        return false;
    const Symbol* symbol = &e->symbols.at[found - 1];
    if (symbol->kind == SYMBOL_FAILED)
        return true;
    if (symbol->kind != SYMBOL_VAR && symbol->kind != SYMBOL_VARS)
        return false;
    uint32_t count = symbol->kind == SYMBOL_VAR ? 1 : (uint32_t)(symbol->to - symbol->from + 1);
    for (uint32_t i = symbol->first; i < symbol->first + count; i++)
    {
        if (e->flat->vars.at[i].output)
            return false;
        e->flat->vars.at[i].output = true;
        if (var->unit && !e->flat->vars.at[i].unit.known)
            unit_find(e, var->unit, &e->flat->vars.at[i].unit);
    }
    return true;
}

static void declare_decl(Elab* e, const Env* env, const Item* item)
{
    for (uint32_t i = 0; i < item->vars.count && !e->too_large; i++)
    {
        DeclState decl = decl_state(env, item, &item->vars.at[i]);
        if (!(decl.output && mark_output(e, env, decl.var)))
            declare_variable(e, env, &decl);
    }
}

// ---- instances

static const Model* instance_model(Elab* e, const Env* env, const Item* item)
{
    const Model* model = scope_model(e, item->type, item->type_span);
    if (model)
        return model;
    scope_add(e, env, SYMBOL_FAILED, item->name, item->name_span);
    if (elab_missed_before(e, K_UNKNOWN_MODEL, NULL, item->type, item->type_span))
        return NULL;
    Diag* diag = elab_error(e, K_UNKNOWN_MODEL, item->type_span, "there is no model `%s`", item->type);
    const char** names = arena_array(e->arena, const char*, e->program->models.count + 1);
    for (uint32_t i = 0; i < e->program->models.count; i++)
    {
        names[i] = e->program->models.at[i]->name;
        if (names[i] != item->type)
            continue;
        elab_note(e, diag, e->program->models.at[i]->span,
                  "one of that name stands in a file that is not imported here");
        elab_help(e, diag, "import it where it is used");
        return NULL;
    }
    const char* advice = library_advice(e->arena, item->type);
    if (advice)
        elab_help(e, diag, "%s", advice);
    else
        elab_suggest(e, diag, item->type, names, e->program->models.count);
    return NULL;
}

static bool contains_itself(const Elab* e, uint32_t instance, const Model* model)
{
    while (e->instances.at[instance].model != model && instance != 0)
        instance = e->instances.at[instance].parent;
    return e->instances.at[instance].model == model;
}

static bool report_model_cycle(Elab* e, const Env* env, const Item* item, const Model* model)
{
    if (!contains_itself(e, env->instance, model))
        return false;
    const char* cycle = model->name;
    uint32_t instance = env->instance;
    for (;; instance = e->instances.at[instance].parent)
    {
        cycle = arena_printf(e->arena, "%s → %s", e->instances.at[instance].model->name, cycle);
        if (e->instances.at[instance].model == model)
            break;
    }
    Diag* diag = elab_error(e, K_MODEL_CYCLE, item->type_span, "model %s contains itself: %s", model->name, cycle);
    elab_help(e, diag, "an instance of a model cannot be inside it; for a chain use an array of instances");
    return true;
}

static bool too_deep(Elab* e, const Env* env, const Item* item)
{
    if (e->instances.at[env->instance].depth < MAX_INSTANCE_DEPTH)
        return false;
    elab_error(e, K_MODEL_TOO_DEEP, item->name_span, "instances are nested more than %d deep here", MAX_INSTANCE_DEPTH);
    return true;
}

static void check_repeated(Elab* e, const Instance* instance, const Arg* arg)
{
    const Arg* first = find_arg(instance, arg->name);
    if (first == arg)
        return;
    Diag* diag = elab_error(e, K_DUPLICATE_NAME, arg->span, "argument `%s` is given twice", arg->name);
    elab_note(e, diag, first->span, "first given here");
    elab_help(e, diag, "keep one");
}

// Arguments that set nothing.
static void check_args(Elab* e, uint32_t index)
{
    const Instance* instance = &e->instances.at[index];
    for (uint32_t i = 0; i < instance->args->count; i++)
    {
        const Arg* arg = &instance->args->at[i];
        check_repeated(e, instance, arg);
        uint32_t found = scope_symbol(e, index, arg->name);
        const Symbol* symbol = found ? &e->symbols.at[found - 1] : NULL;
        Diag* diag = NULL;
        if (!symbol || symbol->kind == SYMBOL_INSTANCE || symbol->kind == SYMBOL_INSTANCES)
        {
            if (elab_missed_before(e, K_UNKNOWN_ARGUMENT, instance->model, arg->name, arg->span))
                continue;
            diag = elab_error(e, K_UNKNOWN_ARGUMENT, arg->span, "model %s has no parameter or state `%s`",
                              instance->model->name, arg->name);
            scope_suggest(e, diag, NULL, index, arg->name);
        }
        else if (symbol->kind != SYMBOL_FAILED && symbol->kind != SYMBOL_TEXT && symbol->first < e->flat->vars.count)
        {
            const FlatVar* var = &e->flat->vars.at[symbol->first];
            if (can_be_set(var->kind, var->input || var->unknown))
                continue;
            diag = elab_error(e, K_UNKNOWN_ARGUMENT, arg->span, "`%s` of model %s is defined there and cannot be set",
                              arg->name, instance->model->name);
            elab_note(e, diag, symbol->span, "declared here");
            elab_help(e, diag, "arguments set parameters, initial values and inputs");
        }
    }
}

static uint32_t add_instance(Elab* e, const Env* env, const Item* item, const Model* model, const char* name)
{
    uint32_t index = e->flat->instances.count;
    FlatInstance flat = {.name = scope_path(e, env->instance, name), .model = model->name, .parent = env->instance};
    flat.island = item->island;
    flat.span = item->name_span;
    vec_push(e->arena, e->flat->instances, flat);
    Instance instance = {.model = model, .parent = env->instance, .ctx = env->ctx, .args = &item->args};
    instance.depth = e->instances.at[env->instance].depth + 1;
    instance.arg_env = keep_env(e, env);
    instance.span = item->name_span;
    vec_push(e->arena, e->instances, instance);
    elab_count_loop(e, item->name_span);
    declare_items(e, &(Env){.instance = index, .ctx = env->ctx}, &model->items);
    check_args(e, index);
    return index;
}

// One instance of a model, or one element of a bond graph (`model` is NULL then).
static uint32_t declare_one_instance(Elab* e, const Env* env, const Item* item, const Model* model, BondKind kind,
                                     const char* name)
{
    uint32_t index = e->flat->instances.count;
    if (model)
        add_instance(e, env, item, model, name);
    else
        declare_element(e, env, item, kind, name);
    return index;
}

static void declare_instances(Elab* e, const Env* env, const Item* item, const Model* model, BondKind kind)
{
    int64_t from, to;
    if (!scope_range(e, env, &item->range, &from, &to))
    {
        scope_add(e, env, SYMBOL_FAILED, item->name, item->name_span);
        return;
    }
    uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_INSTANCES, item->name, item->name_span) - e->symbols.at);
    uint32_t* list = arena_array(e->arena, uint32_t, to < from ? 1 : to - from + 1);
    e->symbols.at[at].from = from;
    e->symbols.at[at].to = to;
    e->symbols.at[at].list = list;
    for (int64_t i = from; i <= to && !e->too_large; i++)
    {
        Env element = with_index(e, env, item->index, i);
        const char* name = arena_printf(e->arena, "%s[%lld]", item->name, (long long)i);
        list[i - from] = declare_one_instance(e, &element, item, model, kind, name);
    }
}

// A model wins over the element of the same name, in the files that see it.
static bool is_element(Elab* e, const Item* item, BondKind* kind)
{
    return !scope_model(e, item->type, item->type_span) && bond_kind_find(item->type, kind);
}

static void declare_instance(Elab* e, const Env* env, const Item* item)
{
    BondKind kind = BOND_SE;
    const Model* model = is_element(e, item, &kind) ? NULL : instance_model(e, env, item);
    if (!model && !is_element(e, item, &kind))
        return;
    if (model && item->is_switched)
        elab_error(e, K_SWITCH_MODE, item->type_span, "%s cannot be switched: only J0 and J1 are", item->type);
    if (model && (report_model_cycle(e, env, item, model) || too_deep(e, env, item)))
        scope_add(e, env, SYMBOL_FAILED, item->name, item->name_span);
    else if (item->index)
        declare_instances(e, env, item, model, kind);
    else
    {
        uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_INSTANCE, item->name, item->name_span) - e->symbols.at);
        e->symbols.at[at].first = e->flat->instances.count;
        declare_one_instance(e, env, item, model, kind, item->name);
    }
}

// ---- items

static void declare_for(Elab* e, const Env* env, const Item* item)
{
    int64_t from, to;
    if (!scope_range(e, env, &item->range, &from, &to))
        return;
    for (int64_t i = from; i <= to && elab_count_loop(e, item->span); i++)
    {
        Env pass = with_index(e, env, item->index, i);
        declare_items(e, &pass, &item->items);
    }
}

static void declare_if(Elab* e, const Env* env, const Item* item)
{
    Value value;
    double number;
    e->choosing_items = true;
    bool known = elaborate_constant(e, env, item->value, TYPE_BOOL, &value, &number);
    e->choosing_items = false;
    if (known)
    {
        if (number != 0)
            declare_items(e, env, &item->items);
        return;
    }
    e->instances.at[env->instance].incomplete = true;
    // Undecided: its names exist or not, nobody knows. Silence about them.
    for (uint32_t i = 0; i < item->items.count; i++)
    {
        const Item* inner = item->items.at[i];
        for (uint32_t k = 0; inner->kind == ITEM_DECL && k < inner->vars.count; k++)
            scope_add(e, env, SYMBOL_FAILED, inner->vars.at[k].name, inner->vars.at[k].span);
        if (inner->kind == ITEM_INSTANCE)
            scope_add(e, env, SYMBOL_FAILED, inner->name, inner->name_span);
    }
}

static void declare_choose(Elab* e, const Env* env, const Item* item)
{
    Env inside = *env;
    inside.choice = e->flat->choices.count + 1;
    vec_push(e->arena, e->flat->choices, (FlatChoice){.ctx = env->ctx, .span = item->span});
    declare_items(e, &inside, &item->items);
}

static void declare_item(Elab* e, const Env* env, const Env** kept, const Item* item)
{
    switch (item->kind)
    {
    case ITEM_DECL: break;
    case ITEM_INSTANCE: declare_instance(e, env, item); break;
    case ITEM_FOR: declare_for(e, env, item); break;
    case ITEM_IF: declare_if(e, env, item); break;
    case ITEM_CHOOSE: declare_choose(e, env, item); break;
    case ITEM_MODES: declare_machine(e, env, item); break;
    case ITEM_PORT: declare_ports(e, env, item); break;
    case ITEM_BOND:
    case ITEM_CONNECT: declare_bond(e, env, item); break;
    default:
        if (!*kept)
            *kept = keep_env(e, env);
        vec_push(e->arena, e->works, (Work){.item = item, .env = *kept});
    }
}

typedef enum DeclPass
{
    PASS_PARAMS,  // first: sizes and conditions depend on them
    PASS_PARAM_ARRAYS,
    PASS_VARIABLES,
    PASS_COUNT,
} DeclPass;

static DeclPass pass_of(const Item* item)
{
    if (item->decl != DECL_PARAM)
        return PASS_VARIABLES;
    for (uint32_t i = 0; i < item->vars.count; i++)
        if (item->vars.at[i].index)
            return PASS_PARAM_ARRAYS;
    return PASS_PARAMS;
}

void declare_items(Elab* e, const Env* env, const ItemList* items)
{
    const Env* kept = NULL;
    uint32_t outer = e->here;
    e->here = env->instance;
    for (int pass = 0; pass < PASS_COUNT; pass++)
        for (uint32_t i = 0; i < items->count && !e->too_large; i++)
            if (items->at[i]->kind == ITEM_DECL && items->at[i]->decl != DECL_OUTPUT &&
                pass_of(items->at[i]) == (DeclPass)pass)
                declare_decl(e, env, items->at[i]);
    for (uint32_t i = 0; i < items->count && !e->too_large; i++)
        declare_item(e, env, &kept, items->at[i]);
    // Outputs last: they may name what is declared after them.
    for (uint32_t i = 0; i < items->count && !e->too_large; i++)
        if (items->at[i]->kind == ITEM_DECL && items->at[i]->decl == DECL_OUTPUT)
            declare_decl(e, env, items->at[i]);
    e->here = outer;
}

void declare_root(Elab* e, const Model* model, const ArgList* args, Span span)
{
    static const Env outside = {.instance = NO_INSTANCE};
    vec_push(e->arena, e->flat->instances, (FlatInstance){.name = "", .model = model->name, .span = model->span});
    Instance root = {.model = model, .args = args, .arg_env = &outside, .span = span};
    vec_push(e->arena, e->instances, root);
    declare_items(e, &(Env){.instance = 0}, &model->items);
    check_args(e, 0);
}
