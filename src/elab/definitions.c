// Definitions, values and start values of variables.
#include "elab/elab.h"

#include <string.h>

void var_add_def(Elab* e, uint32_t var, uint32_t ctx, int order, NodeId value, Span span)
{
    uint32_t index = e->flat->defs.count;
    FlatDef def = {.var = var, .ctx = ctx, .order = order, .value = value, .span = span};
    vec_push(e->arena, e->flat->defs, def);
    vec_push(e->arena, e->def_next, e->vars.at[var].first_def);
    e->vars.at[var].first_def = index + 1;
}

// ---- targets

static bool report_target(Elab* e, const Work* work, const FlatVar* var, const char* what, const char* help)
{
    Diag* diag = elab_error(e, K_BAD_DEFINITION, work->item->path->span, "`%s` is %s",
                            work->item->path->steps.at[work->item->path->steps.count - 1].name, what);
    elab_note(e, diag, var->span, "declared here");
    elab_help(e, diag, "%s", help);
    return false;
}

static bool check_kind(Elab* e, const Work* work, const FlatVar* var)
{
    int order = work->item->order;
    if (var->unknown)
        return report_target(e, work, var, "an unknown: equations determine it",
                             "write `equation x == …`, or declare it `signal`");
    switch (var->kind)
    {
    case VAR_PARAM:
        return report_target(e, work, var, "a parameter: its value is given where it is declared",
                             "declare it `signal` if it changes during a run");
    case VAR_DISCRETE:
        if (order > 0)
            return report_target(e, work, var, "discrete: it has no derivative, it changes in steps",
                                 "declare it `state` to integrate it; a discrete is changed by `when … { … := … }`");
        return report_target(e, work, var, "discrete: only `:=` in an action changes it",
                             "declare it `signal`, or write `when … { … := … }`");
    case VAR_MODE:
        return report_target(e, work, var, "the mode of a machine: only transitions change it", "write `on … -> mode`");
    case VAR_STATE:
        return order > 0 ||
               report_target(e, work, var, "a state: define its derivative", "write `x' = …`, or declare it `signal`");
    case VAR_INPUT:
        return report_target(e, work, var, "an input of this model: it is set from outside", "declare it `signal`");
    default:
        return order == 0 || report_target(e, work, var, "not a state: it has no derivative to define",
                                           "declare it `state`, or define it without the prime");
    }
}

// A container defines inputs of its instances, a model everything else of its own.
static bool check_side(Elab* e, const Work* work, const FlatVar* var)
{
    bool own = var->instance == work->env->instance;
    if (var->kind == VAR_STATE || own != var->input)
        return true;
    if (own)
        return report_target(e, work, var, "an input of this model: who uses the model defines it",
                             "declare it `signal`");
    return report_target(e, work, var, "no input: only the model itself defines it", "declare it `input` there");
}

// Second and higher derivatives: the lower ones become states of their own.
static uint32_t make_chain(Elab* e, uint32_t var)
{
    if (e->vars.at[var].chain)
        return e->vars.at[var].chain - 1;
    FlatVar base = e->flat->vars.at[var];
    Env env = {.instance = base.instance, .ctx = base.ctx};
    uint32_t next =
        declare_var(e, &env, VAR_STATE, TYPE_REAL, arena_printf(e->arena, "%s'", e->vars.at[var].name), base.span);
    FlatVar* flat = &e->flat->vars.at[next];
    flat->init = flat_const(e->flat, 0, TYPE_REAL);
    flat->unit.known = base.unit.known;
    if (base.unit.known)
    {
        Dim dim = dim_of_unit(&base.unit), second = dim_second();
        dim = dim_multiply(&dim, &second, -1);
        memcpy(flat->unit.dim, dim.exponent, sizeof flat->unit.dim);
        flat->unit.text = dim_text(e->arena, &dim);
    }
    e->vars.at[next].init_progress = e->vars.at[next].type_progress = DONE;
    e->vars.at[next].is_chain = !declare_override(e, next);
    e->vars.at[var].chain = next + 1;
    return next;
}

static bool find_target(Elab* e, Work* work)
{
    Target target;
    const Item* item = work->item;
    e->wanted = item->order > 0 ? "state" : "signal";
    bool found = scope_resolve(e, work->env, item->path, &target);
    e->wanted = NULL;
    if (!found)
        return false;
    if (target.local || target.kind != SYMBOL_VAR)
    {
        Diag* diag = elab_error(e, K_BAD_DEFINITION, item->path->span, "`%s` cannot be defined: it is %s",
                                item->path->steps.at[item->path->steps.count - 1].name,
                                target.local                 ? "the index of a `for`"
                                : target.kind == SYMBOL_VARS ? "an array"
                                                             : "an instance");
        elab_help(e, diag,
                  target.local || target.kind != SYMBOL_VARS ? "define a variable"
                                                             : "define its elements: `for i in 1..N { x[i] = … }`");
        return false;
    }
    const FlatVar* var = &e->flat->vars.at[target.index];
    work->var = target.index;
    return check_kind(e, work, var) && check_side(e, work, var);
}

void find_targets(Elab* e)
{
    for (uint32_t i = 0; i < e->works.count; i++)
    {
        Work* work = &e->works.at[i];
        if (work->item->kind != ITEM_DEF)
            continue;
        work->failed = !find_target(e, work);
        if (work->failed)
        {
            e->instances.at[work->env->instance].incomplete = true;
            continue;
        }
        VarInfo* info = &e->vars.at[work->var];
        info->has_first_order |= work->item->order == 1;
        if (work->item->order == 0)
            info->def = work->item->value, info->def_env = work->env;
        for (int order = work->item->order, var = (int)work->var; order > 1; order--)
            var = (int)make_chain(e, (uint32_t)var);
    }
}

// ---- definitions

static NodeId defining_value(Elab* e, const Env* env, const Expr* expr, uint32_t var, int order, Value* value)
{
    const FlatVar* flat = &e->flat->vars.at[var];
    Dim dim = dim_of_unit(&flat->unit), second = dim_second();
    ValueType type = infer_var(e, var);
    const char* name = arena_printf(e->arena, "`%s%.*s`", e->vars.at[var].name, order > 8 ? 8 : order, "''''''''");
    for (int i = 0; i < order && dim.kind == DIM_KNOWN; i++)
        dim = dim_multiply(&dim, &second, -1);
    *value = elaborate_expr(e, env, expr);
    if (!value_to_type(e, env, value, type, expr->span))
        return 0;
    FlatUnit unit = e->flat->vars.at[var].unit;
    if (order == 0)
        value_in_unit(e, value, &unit, expr, name);
    else if (order == 1)
        rate_in_unit(e, value, &unit, expr->span, name);
    value_check_dim(e, value, &dim, expr->span, name);
    return value->node;
}

void elaborate_definition(Elab* e, const Work* work)
{
    if (work->failed)
    {
        elaborate_expr(e, work->env, work->item->value);  // for its own mistakes
        return;
    }
    Value value;
    const Item* item = work->item;
    NodeId node = defining_value(e, work->env, item->value, work->var, item->order, &value);
    uint32_t var = work->var;
    for (int order = item->order; order > 1; order--)
    {
        uint32_t next = e->vars.at[var].chain - 1;
        var_add_def(e, var, work->env->ctx, 1, flat_var(e->flat, next, item->span), item->span);
        var = next;
    }
    var_add_def(e, var, work->env->ctx, item->order > 0, node, item->span);
}

// ---- values and start values

static void mark_structural(Elab* e, NodeId node)
{
    const Node* at = &e->flat->nodes.at[node];
    uint32_t unused;
    if (at->op == NODE_CONST || map_get(&e->structural_seen, node, &unused))
        return;
    map_set(&e->structural_seen, node, 1);
    if (at->op == NODE_VAR)
    {
        FlatVar* var = &e->flat->vars.at[at->aux];
        if (var->kind != VAR_PARAM || var->structural)
            return;
        var->structural = true;
        mark_structural(e, var->init);
        return;
    }
    for (int i = 0; i < node_op_arity(at->op); i++)
        mark_structural(e, e->flat->nodes.at[node].arg[i]);
}

static void elaborate_value(Elab* e, uint32_t var, bool structural)
{
    VarInfo* info = &e->vars.at[var];
    const Expr* init = info->init;
    VarKind kind = e->flat->vars.at[var].kind;
    Env env = *info->env;
    env.constant = kind == VAR_PARAM || kind == VAR_INPUT || e->flat->vars.at[var].unknown;
    env.structural = structural;
    if (env.constant)
        env.choice = 0;
    Value value;
    bool silent = e->silent;
    e->silent = false;
    NodeId node = defining_value(e, &env, init, var, 0, &value);
    e->silent = silent;
    e->flat->vars.at[var].init = node;
    e->vars.at[var].failed = value.failed;
}

static void report_cycle(Elab* e, uint32_t var)
{
    Diag* diag = elab_error(e, K_PARAMETER_CYCLE, e->flat->vars.at[var].span, "the value of `%s` depends on itself",
                            e->vars.at[var].name);
    elab_help(e, diag, "give one of the parameters on the way a number");
}

void elaborate_init(Elab* e, uint32_t var, bool structural)
{
    VarInfo* info = &e->vars.at[var];
    FlatVar* flat = &e->flat->vars.at[var];
    if (info->init_progress == UNDER_WAY)
    {
        report_cycle(e, var);
        info->failed = true;
        return;
    }
    if (info->init_progress == DONE)
    {
        if (structural && !flat->structural && flat->kind == VAR_PARAM)
            mark_structural(e, flat_var(e->flat, var, flat->span));
        return;
    }
    flat->structural |= structural && flat->kind == VAR_PARAM;
    info->init_progress = UNDER_WAY;
    if (info->init)
        elaborate_value(e, var, structural);
    e->vars.at[var].init_progress = DONE;
}

// An overriding number of a Boolean: 0 is false.
static void settle_override(Elab* e, uint32_t var)
{
    FlatVar* flat = &e->flat->vars.at[var];
    const Node* node = &e->flat->nodes.at[flat->init];
    if (flat->init && flat->type == TYPE_BOOL && node->op == NODE_CONST && node->type == TYPE_REAL)
        flat->init = flat_const(e->flat, node->value != 0, TYPE_BOOL);
}

static void elaborate_nominal(Elab* e, uint32_t var)
{
    const VarInfo* info = &e->vars.at[var];
    Env env = *info->env;
    env.constant = true;
    Value value = elaborate_expr(e, &env, info->nominal);
    Dim dim = dim_of_unit(&e->flat->vars.at[var].unit);
    if (!value_to_real(e, &value, e->vars.at[var].nominal->span))
        return;
    FlatUnit unit = e->flat->vars.at[var].unit;
    unit.si.offset = 0;
    value_in_unit(e, &value, &unit, e->vars.at[var].nominal, "the nominal size");
    value_check_dim(e, &value, &dim, e->vars.at[var].nominal->span, "the nominal size");
    const Node* node = &e->flat->nodes.at[value.node];
    if (node->op == NODE_CONST && !(node->value > 0))
        elab_error(e, K_BAD_SETTING, e->vars.at[var].nominal->span, "a nominal size must be positive, this is %g",
                   node->value);
    e->flat->vars.at[var].nominal = value.node;
}

void elaborate_inits(Elab* e)
{
    uint32_t count = e->vars.count;  // hidden ones that come along the way are complete
    for (uint32_t i = 0; i < count && !e->too_large; i++)
    {
        const VarInfo* info = &e->vars.at[i];
        e->here = e->flat->vars.at[i].instance;
        if (info->nominal)
            elaborate_nominal(e, i);
        info = &e->vars.at[i];
        if (!info->init_defines)
        {
            elaborate_init(e, i, false);
            settle_override(e, i);
            continue;
        }
        Value value;
        const Expr* init = info->init;
        Env env = *info->env;
        NodeId node = defining_value(e, &env, init, i, 0, &value);
        var_add_def(e, i, e->flat->vars.at[i].ctx, 0, node, e->flat->vars.at[i].span);
    }
}
