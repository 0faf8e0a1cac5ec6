// Types. No declaration says `bool`: a signal has the type of its definition, a parameter that of its value. So types
// are read off the syntax first, silently; elaboration then checks every use against them.
#include "elab/elab.h"

#include <string.h>

const char* type_name(ValueType type)
{
    static const char* const names[] = {"a real number", "a Boolean", "an event", "a mode"};
    return names[type];
}

static ValueType infer_expr(Elab* e, const Env* env, const Expr* expr);

static ValueType infer_path(Elab* e, const Env* env, const Expr* expr)
{
    Target target;
    if (expr->order > 0)
        return TYPE_REAL;
    if (expr->path->steps.count == 1 && strcmp(expr->path->steps.at[0].name, "entry") == 0)
        return TYPE_EVENT;
    if (!scope_resolve(e, env, expr->path, &target))
        return TYPE_REAL;
    if (target.local)
        return target.local->value.type;
    return target.kind == SYMBOL_VAR ? infer_var(e, target.index) : TYPE_REAL;
}

static ValueType infer_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index)
{
    return index < expr->items.count ? infer_expr(e, env, expr->items.at[index]) : TYPE_REAL;
}

static ValueType infer_function(Elab* e, const Env* env, const Expr* expr)
{
    const Function* function = scope_function(e, expr->path->steps.at[0].name, expr->path->steps.at[0].span);
    if (!function)
        return TYPE_REAL;
    for (const Call* call = env->calls; call; call = call->up)
        if (call->function == function)
            return TYPE_REAL;
    if (!function->body)
        return TYPE_REAL;
    Call call = {.up = env->calls, .function = function};
    Env inside = *env;
    inside.calls = &call;
    inside.locals = NULL;
    for (uint32_t i = 0; i < function->params.count; i++)
    {
        Local* local = arena_new(e->arena, Local);
        *local = (Local){.next = inside.locals, .name = function->params.at[i]};
        local->value.type = (uint8_t)infer_argument(e, env, expr, i);
        inside.locals = local;
    }
    return infer_expr(e, &inside, function->body);
}

static ValueType infer_call(Elab* e, const Env* env, const Expr* expr)
{
    static const char* const events[] = {"up", "down", "cross", "clock", "sample", "queue", "while"};
    static const char* const like_first[] = {"pre", "post", "delay", "smooth"};
    const char* name = expr->path->steps.at[0].name;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (strcmp(name, events[i]) == 0)
            return TYPE_EVENT;
    for (size_t i = 0; i < sizeof like_first / sizeof like_first[0]; i++)
        if (strcmp(name, like_first[i]) == 0)
            return infer_argument(e, env, expr, 0);
    if (strcmp(name, "present") == 0)
        return TYPE_BOOL;
    if (strcmp(name, "default") == 0)
        return infer_argument(e, env, expr, 1);
    return builtin_exists(name) ? TYPE_REAL : infer_function(e, env, expr);
}

// A union of events is an event; so is an event beside anything in `and` (rule E1).
static ValueType infer_logic(Elab* e, const Env* env, const Expr* expr)
{
    bool a = infer_expr(e, env, expr->a) == TYPE_EVENT, b = infer_expr(e, env, expr->b) == TYPE_EVENT;
    return (expr->op == OP_AND ? a || b : a && b) ? TYPE_EVENT : TYPE_BOOL;
}

static ValueType infer_fold(Elab* e, const Env* env, const Expr* expr)
{
    int64_t from, to;
    if (expr->op != FOLD_FORALL && expr->op != FOLD_EXISTS)
        return TYPE_REAL;
    if (!scope_range(e, env, &expr->range, &from, &to) || to < from)
        return TYPE_BOOL;
    Local local = {.next = env->locals, .name = expr->index};
    local.value = value_make(flat_const(e->flat, (double)from, TYPE_REAL), TYPE_REAL, dim_number());
    Env inside = *env;
    inside.locals = &local;
    return infer_expr(e, &inside, expr->a) == TYPE_EVENT ? TYPE_EVENT : TYPE_BOOL;
}

static ValueType infer_node(Elab* e, const Env* env, const Expr* expr)
{
    switch (expr->kind)
    {
    case EXPR_BOOL: return TYPE_BOOL;
    case EXPR_UNARY: return expr->op == OP_NOT ? TYPE_BOOL : TYPE_REAL;
    case EXPR_BINARY:
        if (expr->op == OP_AND || expr->op == OP_OR)
            return infer_logic(e, env, expr);
        return expr->op >= OP_LT && expr->op <= OP_NE ? TYPE_BOOL : TYPE_REAL;
    case EXPR_FOLD: return infer_fold(e, env, expr);
    case EXPR_IF:
    {
        ValueType then_type = infer_expr(e, env, expr->b), else_type = infer_expr(e, env, expr->c);
        return then_type == else_type ? then_type : TYPE_REAL;
    }
    case EXPR_PATH: return infer_path(e, env, expr);
    case EXPR_CALL: return infer_call(e, env, expr);
    default: return TYPE_REAL;
    }
}

static ValueType infer_expr(Elab* e, const Env* env, const Expr* expr)
{
    if (e->depth >= MAX_DEPTH || ++e->steps > MAX_STEPS)
        return TYPE_REAL;
    e->depth++;
    ValueType type = infer_node(e, env, expr);
    e->depth--;
    return type;
}

// What a signal is defined by, or what else gives a value.
static const Expr* type_source(const VarInfo* info, const Env** env)
{
    bool from_def = info->def && !info->init_defines;
    *env = from_def ? info->def_env : info->env;
    return from_def ? info->def : info->init;
}

static bool is_logic(const Expr* expr)
{
    bool binary = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    return binary || (expr->kind == EXPR_FOLD && (expr->op == FOLD_FORALL || expr->op == FOLD_EXISTS));
}

ValueType infer_var(Elab* e, uint32_t index)
{
    VarInfo* info = &e->vars.at[index];
    if (info->type_progress != NOT_BEGUN)
        return e->flat->vars.at[index].type;
    const Env* env;
    const Expr* source = type_source(info, &env);
    info->type_progress = UNDER_WAY;
    bool silent = e->silent;
    e->silent = true;
    ValueType type = source ? infer_expr(e, env, source) : TYPE_REAL;
    e->silent = silent;
    // A signal may be defined by an event: it is then the event's value, absent between. `and` and `or` give it truth.
    bool truth = type == TYPE_BOOL || (type == TYPE_EVENT && is_logic(source));
    e->flat->vars.at[index].type = truth ? TYPE_BOOL : TYPE_REAL;
    e->vars.at[index].type_progress = DONE;
    return e->flat->vars.at[index].type;
}

void infer_types(Elab* e)
{
    for (uint32_t i = 0; i < e->vars.count; i++)
        infer_var(e, i);
}

// ---- conversions

static bool report_type(Elab* e, const Value* value, ValueType wanted, Span span, const char* help)
{
    Diag* diag = elab_error(e, K_TYPE_MISMATCH, span, "%s is expected here, this is %s", type_name(wanted),
                            type_name(value->type));
    if (help)
        elab_help(e, diag, "%s", help);
    return false;
}

bool value_to_real(Elab* e, Value* value, Span span)
{
    if (value->failed)
        return false;
    if (value->type == TYPE_EVENT)
    {
        value->node = flat_node(e->flat, NODE_VALUE, TYPE_REAL, value->node, 0, 0, 0, 0, span);
        value->type = TYPE_REAL;
        value_forget_parts(value);
    }
    if (value->type == TYPE_REAL)
        return true;
    value->failed = true;
    return report_type(e, value, TYPE_REAL, span,
                       value->type == TYPE_BOOL ? "write `if … then 1 else 0`"
                                                : "compare it with a mode: `s.mode == name`");
}

// An input of the model that is run, without a default: nothing says what it is, its use does.
static bool is_untyped(const Elab* e, const Value* value)
{
    const Node* node = &e->flat->nodes.at[value->node];
    return node->op == NODE_VAR && e->flat->vars.at[node->aux].kind == VAR_INPUT && !e->vars.at[node->aux].init;
}

bool value_to_bool(Elab* e, Value* value, Span span)
{
    if (value->failed)
        return false;
    if (value->type == TYPE_REAL && is_untyped(e, value))
    {
        NodeId zero = flat_const(e->flat, 0, TYPE_REAL);
        value->node = flat_node(e->flat, NODE_NE, TYPE_BOOL, value->node, zero, 0, 0, 0, span);
        value->type = TYPE_BOOL;
    }
    if (value->type == TYPE_EVENT)
    {
        value->node =
            value->level ? value->level : flat_node(e->flat, NODE_PRESENT, TYPE_BOOL, value->node, 0, 0, 0, 0, span);
        value->type = TYPE_BOOL;
        value_forget_parts(value);
    }
    if (value->type == TYPE_BOOL)
        return true;
    value->failed = true;
    return report_type(e, value, TYPE_BOOL, span,
                       value->type == TYPE_REAL ? "compare it: `… != 0`, `… > 0`"
                                                : "compare it with a mode: `s.mode == name`");
}

bool value_to_event(Elab* e, const Env* env, Value* value, Span span)
{
    if (value->failed)
        return false;
    if (value->type == TYPE_BOOL)
    {
        NodeId level = value->event ? value->level : value->node;
        NodeId edge = level ? flat_node(e->flat, NODE_EDGE, TYPE_EVENT, level, 0, 0, 0, env->ctx, span) : 0;
        value->node = value->event && edge
                          ? flat_node(e->flat, NODE_DEFAULT, TYPE_EVENT, value->event, edge, 0, 0, 0, span)
                          : value->event + edge;
        value->type = TYPE_EVENT;
        value->dim = (Dim){0};
        value_forget_parts(value);
    }
    if (value->type == TYPE_EVENT)
        return true;
    value->failed = true;
    return report_type(e, value, TYPE_EVENT, span,
                       "`up(…)`, `down(…)` and `cross(…)` make events of zero crossings, `sample(…, ev)` of values");
}

bool value_to_type(Elab* e, const Env* env, Value* value, ValueType type, Span span)
{
    switch (type)
    {
    case TYPE_REAL: return value_to_real(e, value, span);
    case TYPE_BOOL: return value_to_bool(e, value, span);
    case TYPE_EVENT: return value_to_event(e, env, value, span);
    case TYPE_MODE: break;
    }
    return !value->failed && (value->type == TYPE_MODE || report_type(e, value, type, span, NULL));
}

bool value_check_dim(Elab* e, const Value* value, const Dim* wanted, Span span, const char* what)
{
    Dim joined;
    if (value->failed || dim_join(&value->dim, wanted, &joined))
        return true;
    Diag* diag = elab_error(e, K_UNIT_MISMATCH, span, "%s is in %s, this is in %s", what, dim_text(e->arena, wanted),
                            dim_text(e->arena, &value->dim));
    if (e->flat->nodes.at[value->node].op == NODE_CONST)
    {
        elab_help(e, diag, "write it in %s", dim_text(e->arena, wanted));
        return false;
    }
    Dim factor = dim_multiply(wanted, &value->dim, -1);
    const char* unit = dim_text(e->arena, &factor);
    elab_help(e, diag,
              "check the factors of this expression: one in %s is missing, as `2[%s]` or a parameter with this unit",
              unit, unit);
    return false;
}
