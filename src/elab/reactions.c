// Reactions: `when`, actions, assertions, start equations.
#include "elab/elab.h"

// ---- actions

static void report_assignment(Elab* e, const Action* action, const FlatVar* var)
{
    static const char* const whats[] = {[VAR_PARAM] = "a parameter",
                                        [VAR_SIGNAL] = "a signal",
                                        [VAR_EVENT] = "an event",
                                        [VAR_INPUT] = "an input",
                                        [VAR_MODE] = "a mode"};
    const char* name = action->target->steps.at[action->target->steps.count - 1].name;
    Diag* diag = elab_error(e, K_BAD_ASSIGNMENT, action->target->span, "`%s` is %s and cannot be assigned", name,
                            var->input ? "an input" : whats[var->kind]);
    elab_note(e, diag, var->span, "declared here");
    elab_help(e, diag,
              var->kind == VAR_EVENT  ? "write `emit %s`"
              : var->kind == VAR_MODE ? "modes change by `on … -> mode` (not `%s`)"
                                      : "`:=` changes states and discrete variables: declare `discrete %s`",
              name);
}

static void elaborate_assign(Elab* e, const Env* env, const Action* action, uint32_t var, FlatAction* result)
{
    const FlatVar* flat = &e->flat->vars.at[var];
    result->kind = FLAT_ASSIGN;
    Value value = elaborate_expr(e, env, action->value);
    if (flat->kind != VAR_STATE && flat->kind != VAR_DISCRETE)
    {
        report_assignment(e, action, flat);
        return;
    }
    Dim dim = dim_of_unit(&e->flat->vars.at[var].unit);
    if (!value_to_type(e, env, &value, infer_var(e, var), action->value->span))
        return;
    const char* name = arena_printf(e->arena, "`%s`", e->vars.at[var].name);
    FlatUnit unit = e->flat->vars.at[var].unit;
    value_in_unit(e, &value, &unit, action->value, name);
    value_check_dim(e, &value, &dim, action->value->span, name);
    result->value = value.node;
}

static void elaborate_emit(Elab* e, const Env* env, const Action* action, uint32_t var, FlatAction* result)
{
    FlatVar* flat = &e->flat->vars.at[var];
    result->kind = FLAT_EMIT;
    if (flat->type != TYPE_EVENT || flat->kind == VAR_INPUT)
    {
        Diag* diag =
            elab_error(e, K_BAD_EMIT, action->target->span, "`%s` is %s and cannot be emitted", e->vars.at[var].name,
                       flat->kind == VAR_INPUT ? "an input of this model" : "not an event");
        elab_note(e, diag, flat->span, "declared here");
        elab_help(e, diag, "declare `event %s`", e->vars.at[var].name);
    }
    else
        flat->emitted = true;
    if (!action->value)
        return;
    Value value = elaborate_expr(e, env, action->value);
    if (!value_to_real(e, &value, action->value->span))
        return;
    const char* name = arena_printf(e->arena, "`%s`", e->vars.at[var].name);
    FlatUnit unit = e->flat->vars.at[var].unit;
    Dim dim = dim_of_unit(&unit);
    value_in_unit(e, &value, &unit, action->value, name);
    value_check_dim(e, &value, &dim, action->value->span, name);
    result->value = value.node;
}

static void elaborate_action(Elab* e, const Env* env, const Action* action, FlatActions* result)
{
    FlatAction flat = {.kind = FLAT_HALT, .text = action->text, .span = action->span};
    if (action->kind != ACTION_HALT)
    {
        Target target;
        e->wanted = action->kind == ACTION_EMIT ? "event" : "discrete";
        bool found = scope_resolve(e, env, action->target, &target);
        e->wanted = NULL;
        if (found && (target.local || target.kind != SYMBOL_VAR))
        {
            Diag* diag = elab_error(e, K_BAD_ASSIGNMENT, action->target->span, "this is not one variable");
            elab_help(e, diag, "name a variable of the instance, or one element of the array");
            found = false;
        }
        if (!found)
        {
            if (action->value)
                elaborate_expr(e, env, action->value);  // for its own mistakes
            return;
        }
        flat.var = target.index;
        if (action->kind == ACTION_ASSIGN)
            elaborate_assign(e, env, action, target.index, &flat);
        else
            elaborate_emit(e, env, action, target.index, &flat);
    }
    vec_push(e->arena, *result, flat);
}

void elaborate_actions(Elab* e, const Env* env, const ActionList* actions, FlatActions* result)
{
    Env inside = *env;
    inside.at_event = true;
    for (uint32_t i = 0; i < actions->count; i++)
        elaborate_action(e, &inside, &actions->at[i], result);
}

// ---- reactions

NodeId elaborate_guard(Elab* e, const Env* env, const Expr* expr)
{
    Value value = elaborate_expr(e, env, expr);
    return value_to_bool(e, &value, expr->span) ? value.node : 0;
}

NodeId elaborate_weight(Elab* e, const Env* env, const Item* item)
{
    if (!item->weight)
        return 0;
    Value value = elaborate_expr(e, env, item->weight);
    return value_to_real(e, &value, item->weight->span) ? value.node : 0;
}

// Outside `choose` a Boolean means the moment it becomes true (rule R7).
static NodeId elaborate_trigger(Elab* e, const Env* env, const Expr* expr)
{
    Value value = elaborate_expr(e, env, expr);
    if (value.failed)
        return 0;
    if (env->choice && value.type == TYPE_EVENT)
        return value.node;
    bool fine = env->choice || (value.type != TYPE_BOOL && value.type != TYPE_EVENT)
                    ? value_to_bool(e, &value, expr->span)
                    : value_to_event(e, env, &value, expr->span);
    return fine ? value.node : 0;
}

static void elaborate_when(Elab* e, const Work* work)
{
    const Item* item = work->item;
    FlatWhen when = {
        .ctx = work->env->ctx, .instance = work->env->instance, .choice = work->env->choice, .span = item->span};
    when.trigger = elaborate_trigger(e, work->env, item->value);
    when.guard = item->guard ? elaborate_guard(e, work->env, item->guard) : 0;
    when.weight = elaborate_weight(e, work->env, item);
    elaborate_actions(e, work->env, &item->actions, &when.actions);
    vec_push(e->arena, e->flat->whens, when);
}

static void elaborate_assert(Elab* e, const Work* work)
{
    const Item* item = work->item;
    FlatAssert assertion = {.ctx = work->env->ctx, .text = item->text, .span = item->span};
    assertion.condition = elaborate_guard(e, work->env, item->value);
    vec_push(e->arena, e->flat->asserts, assertion);
}

// A first derivative that starts at 0 because nobody said otherwise is open to a start equation that mentions it.
static void open_derivatives(Elab* e, NodeId node)
{
    const Node* at = &e->flat->nodes.at[node];
    if (at->op == NODE_VAR && e->vars.at[at->aux].is_chain)
        e->flat->vars.at[at->aux].init = 0;
    for (int i = 0; i < node_op_arity(at->op); i++)
        open_derivatives(e, e->flat->nodes.at[node].arg[i]);
}

static void elaborate_initial(Elab* e, const Work* work)
{
    const Expr* expr = work->item->value;
    bool is_equation = expr->kind == EXPR_BINARY && expr->op == OP_EQ;
    if (!is_equation || work->env->ctx != 0)
    {
        Diag* diag = elab_error(e, K_BAD_INITIAL, expr->span,
                                is_equation ? "`initial` cannot stand inside a mode" : "`initial` needs an equation");
        elab_help(e, diag,
                  is_equation ? "write it outside the modes"
                              : "write `initial a == b`; a start value is `state x = …`");
        return;
    }
    Value value = elaborate_expr(e, work->env, expr);
    if (value.failed || e->flat->nodes.at[value.node].op != NODE_EQ)
        return;  // decided already: 1 == 1
    open_derivatives(e, value.node);
    vec_push(e->arena, e->flat->initials, value.node);
}

void elaborate_works(Elab* e)
{
    for (uint32_t i = 0; i < e->works.count && !e->too_large; i++)
    {
        const Work* work = &e->works.at[i];
        e->here = work->env->instance;
        switch (work->item->kind)
        {
        case ITEM_DEF: elaborate_definition(e, work); break;
        case ITEM_WHEN: elaborate_when(e, work); break;
        case ITEM_TRANSITION: elaborate_transition(e, work); break;
        case ITEM_ASSERT: elaborate_assert(e, work); break;
        case ITEM_INITIAL: elaborate_initial(e, work); break;
        case ITEM_EQUATION: elaborate_equation(e, work); break;
        default: break;
        }
    }
}

// `state x ~ 3` says where a solution is looked for: something must be solved.
void check_guesses(Elab* e)
{
    for (uint32_t v = 0; v < e->flat->vars.count; v++)
    {
        const FlatVar* var = &e->flat->vars.at[v];
        if (!var->guessed || e->flat->initials.count > 0)
            continue;
        Diag* diag = elab_error(e, K_BAD_INITIAL, var->span, "`%s ~ …` is a guess, and no `initial` equation is there",
                                e->vars.at[v].name);
        elab_help(e, diag, "write `initial a == b`, or `state %s = …` for a start value", e->vars.at[v].name);
    }
}
