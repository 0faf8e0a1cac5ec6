// The functions and names of the language. One row per function: how many arguments, which rule, which node.
#include "elab/elab.h"

#include <math.h>
#include <string.h>

typedef Value BuiltinRule(Elab* e, const Env* env, const Expr* expr, NodeOp op);

typedef struct Builtin
{
    const char* name;
    uint32_t least, most;
    BuiltinRule* rule;
    NodeOp op;
    const char* usage;
} Builtin;

// ---- arguments

static Span argument_span(const Expr* expr, uint32_t index)
{
    return expr->items.at[index]->span;
}

static bool real_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, Value* value)
{
    *value = elaborate_expr(e, env, expr->items.at[index]);
    return value_to_real(e, value, argument_span(expr, index));
}

static bool event_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, Value* value)
{
    *value = elaborate_expr(e, env, expr->items.at[index]);
    return value_to_event(e, env, value, argument_span(expr, index));
}

// Seconds, or bare.
static bool time_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, Value* value)
{
    Dim second = dim_second();
    return real_argument(e, env, expr, index, value) &&
           value_check_dim(e, value, &second, argument_span(expr, index), "a time");
}

static bool whole_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, double* number)
{
    Value value;
    if (!elaborate_constant(e, env, expr->items.at[index], TYPE_REAL, &value, number))
        return false;
    if (*number >= 0 && *number == floor(*number) && *number < 1e6)
        return true;
    elab_error(e, K_BAD_INDEX, argument_span(expr, index), "a whole number is expected here, this is %g", *number);
    return false;
}

static Value make(Elab* e, const Env* env, const Expr* expr, NodeOp op, ValueType type, NodeId a, NodeId b, Dim dim)
{
    return value_make(flat_node(e->flat, op, type, a, b, 0, 0, env->ctx, expr->span), type, dim);
}

// A dimension times or per second; what is bare stays so.
static Dim per_second(Dim dim, int sign)
{
    Dim second = dim_second();
    return dim.kind == DIM_KNOWN ? dim_multiply(&dim, &second, sign) : (Dim){0};
}

static Dim join(Elab* e, const Value* a, const Value* b, Span span)
{
    Dim result;
    if (value_check_dim(e, b, &a->dim, span, "the other argument"))
        dim_join(&a->dim, &b->dim, &result);
    else
        result = (Dim){0};
    return result;
}

// ---- mathematics

// sin, exp …: of a plain number. The result goes with any unit, as a number does: `8*sin(t)` may be a force.
static Value rule_number(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    Dim none = dim_none();
    if (!real_argument(e, env, expr, 0, &a))
        return value_failed();
    value_check_dim(e, &a, &none, argument_span(expr, 0),
                    arena_printf(e->arena, "the argument of %s", node_op_text(op)));
    return make(e, env, expr, op, TYPE_REAL, a.node, 0, dim_number());
}

// abs, floor …: keep the dimension.
static Value rule_keep(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    if (!real_argument(e, env, expr, 0, &a))
        return value_failed();
    return make(e, env, expr, op, TYPE_REAL, a.node, 0, op == NODE_SIGN ? dim_number() : a.dim);
}

static Value rule_sqrt(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    if (!real_argument(e, env, expr, 0, &a))
        return value_failed();
    return make(e, env, expr, op, TYPE_REAL, a.node, 0, dim_power(&a.dim, 0.5));
}

// mod, hypot, atan2: two arguments of one dimension.
static Value rule_pair(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a, b;
    bool fine = real_argument(e, env, expr, 0, &a);
    fine &= real_argument(e, env, expr, 1, &b);
    if (!fine)
        return value_failed();
    Dim dim = join(e, &a, &b, argument_span(expr, 1));
    return make(e, env, expr, op, TYPE_REAL, a.node, b.node, op == NODE_ATAN2 ? dim_number() : dim);
}

static Value rule_pow(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Expr power = *expr;  // the same as a^b
    power.kind = EXPR_BINARY;
    power.op = OP_POW;
    power.a = expr->items.at[0];
    power.b = expr->items.at[1];
    (void)op;
    return elaborate_expr(e, env, &power);
}

static Env inside_operator(const Env* env)
{
    Env inside = *env;
    inside.in_operator = true;
    return inside;
}

static Value over_run(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Env inside = inside_operator(env);
    Value a;
    if (!real_argument(e, &inside, expr, 0, &a))
        return value_failed();
    a = elaborate_as_var(e, &inside, a, argument_span(expr, 0));
    return make(e, env, expr, op, TYPE_REAL, a.node, 0, a.dim);
}

// min and max of two or more; of one, in `expect`, over the run.
static Value rule_extreme(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    if (expr->items.count == 1)
    {
        if (env->expect && !env->in_operator)
            return over_run(e, env, expr, op == NODE_MIN ? NODE_LEAST : NODE_GREATEST);
        Diag* diag = elab_error(e, K_ARGUMENT_COUNT, expr->span, "%s takes two arguments or more, here is one",
                                node_op_text(op));
        elab_help(e, diag, "over a run, `%s(x)` can stand in `expect`", node_op_text(op));
        return value_failed();
    }
    Value result = value_failed();
    bool fine = true;
    for (uint32_t i = 0; i < expr->items.count; i++)
    {
        Value next;
        fine &= real_argument(e, env, expr, i, &next);
        if (!fine)
            continue;
        if (i > 0)
            next = make(e, env, expr, op, TYPE_REAL, result.node, next.node,
                        join(e, &result, &next, argument_span(expr, i)));
        result = next;
    }
    return fine ? result : value_failed();
}

static Value rule_smooth(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]);
    if (a.failed)
        return a;
    a.node = flat_node(e->flat, op, a.type, a.node, 0, 0, 0, 0, expr->span);
    value_forget_parts(&a);
    return a;
}

// ---- events

static Value rule_crossing(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    if (!real_argument(e, env, expr, 0, &a))
        return value_failed();
    return make(e, env, expr, op, TYPE_EVENT, a.node, 0, (Dim){0});
}

// while(c): an event at every tag at which c holds (rule E2).
static Value rule_while(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]);
    if (!value_to_bool(e, &a, argument_span(expr, 0)))
        return value_failed();
    return value_make(flat_node(e->flat, op, TYPE_EVENT, a.node, 0, 0, 0, 0, expr->span), TYPE_EVENT, (Dim){0});
}

static Value rule_clock(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value period, first = value_make(flat_const(e->flat, 0, TYPE_REAL), TYPE_REAL, dim_number());
    bool fine = time_argument(e, env, expr, 0, &period);
    if (expr->items.count > 1)
        fine &= time_argument(e, env, expr, 1, &first);
    if (!fine)
        return value_failed();
    double number;
    if (e->flat->nodes.at[period.node].op == NODE_CONST && (number = e->flat->nodes.at[period.node].value) <= 0)
    {
        Diag* diag = elab_error(e, K_BAD_SETTING, argument_span(expr, 0),
                                "the period of a clock must be positive, this is %g", number);
        elab_help(e, diag, "ticks every tenth of a second are `clock(0.1)`");
    }
    return make(e, env, expr, op, TYPE_EVENT, period.node, first.node, (Dim){0});
}

static Value rule_sample(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a, event;
    Env drawn = *env;
    drawn.at_event = true;
    bool fine = real_argument(e, &drawn, expr, 0, &a);
    fine &= event_argument(e, env, expr, 1, &event);
    return fine ? make(e, env, expr, op, TYPE_EVENT, a.node, event.node, a.dim) : value_failed();
}

static Value rule_hold(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value event, first;
    bool fine = event_argument(e, env, expr, 0, &event);
    fine &= real_argument(e, env, expr, 1, &first);
    if (!fine)
        return value_failed();
    Dim dim = join(e, &event, &first, argument_span(expr, 1));
    return make(e, env, expr, op, TYPE_REAL, event.node, first.node, dim);
}

// Whether a value is known for all times before the run: made of `time`, numbers and parameters.
static bool is_of_time(const Flat* flat, NodeId root)
{
    const Node* node = &flat->nodes.at[root];
    bool fine = node->op == NODE_CONST || node->op == NODE_TIME;
    if (node->op == NODE_VAR)
        fine = flat->vars.at[node->aux].kind == VAR_PARAM;
    else if (!fine)
        fine = (node->op >= NODE_ADD && node->op <= NODE_SMOOTH) || node->op == NODE_TABLE;
    for (int i = 0; fine && i < node_op_arity((NodeOp)node->op); i++)
        fine = node->arg[i] == 0 || is_of_time(flat, node->arg[i]);
    return fine;
}

// What went in before the start. Nothing happens there: relations and kinks are no events.
static bool past_argument(Elab* e, const Env* env, const Expr* expr, const Value* a, NodeId* past)
{
    Value value;
    Span span = argument_span(expr, 2);
    if (!real_argument(e, env, expr, 2, &value))
        return false;
    if (a->type == TYPE_EVENT)
        elab_error(e, K_DELAY_PAST, span, "an event has no past before the start: nothing was sent");
    else if (!is_of_time(e->flat, value.node))
    {
        Diag* diag =
            elab_error(e, K_DELAY_PAST, span, "the past of a signal is an expression of `time` and parameters");
        elab_help(e, diag, "it is asked for at times before the start, where nothing else has a value");
    }
    else
    {
        join(e, a, &value, span);
        *past = flat_node(e->flat, NODE_SMOOTH, TYPE_REAL, value.node, 0, 0, 0, 0, span);
        return true;
    }
    return false;
}

static Value rule_delay(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]), time;
    bool fine = !a.failed;
    if (fine && a.type == TYPE_MODE)
        fine = value_to_real(e, &a, argument_span(expr, 0));
    Env drawn = *env;
    drawn.at_event |= a.type == TYPE_EVENT;
    fine &= time_argument(e, &drawn, expr, 1, &time);
    NodeId past = 0;
    if (fine && expr->items.count > 2)
        fine = past_argument(e, env, expr, &a, &past);
    if (!fine)
        return value_failed();
    return value_make(flat_node(e->flat, op, a.type, a.node, time.node, past, 0, env->ctx, expr->span), a.type, a.dim);
}

static Value rule_queue(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value put, take;
    bool fine = event_argument(e, env, expr, 0, &put);
    fine &= event_argument(e, env, expr, 1, &take);
    return fine ? make(e, env, expr, op, TYPE_EVENT, put.node, take.node, put.dim) : value_failed();
}

static Value rule_present(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]);
    return a.failed ? a : make(e, env, expr, op, TYPE_BOOL, a.node, 0, (Dim){0});
}

static Value rule_value(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    (void)op;
    return real_argument(e, env, expr, 0, &a) ? a : value_failed();
}

static Value rule_default(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]), b = elaborate_expr(e, env, expr->items.at[1]);
    if (a.failed || b.failed)
        return value_failed();
    ValueType type = b.type == TYPE_EVENT && a.type != TYPE_EVENT ? TYPE_REAL : b.type;
    bool fine = value_to_type(e, env, &a, type, argument_span(expr, 0));
    fine &= value_to_type(e, env, &b, type, argument_span(expr, 1));
    return fine ? make(e, env, expr, op, type, a.node, b.node, join(e, &a, &b, argument_span(expr, 1)))
                : value_failed();
}

static Value rule_delta(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value event, weight;
    Env drawn = *env;
    drawn.at_event = true;
    bool fine = event_argument(e, env, expr, 0, &event);
    fine &= real_argument(e, &drawn, expr, 1, &weight);
    return fine ? make(e, env, expr, op, TYPE_REAL, event.node, weight.node, per_second(weight.dim, -1))
                : value_failed();
}

static Value rule_der(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    if (!real_argument(e, env, expr, 0, &a))
        return value_failed();
    return make(e, env, expr, op, TYPE_REAL, a.node, 0, per_second(a.dim, -1));
}

// ---- before, after, weight

static bool never_changes(Elab* e, NodeId node)
{
    const Node* at = &e->flat->nodes.at[node];
    return at->op == NODE_CONST || (at->op == NODE_VAR && e->flat->vars.at[at->aux].kind == VAR_PARAM);
}

static Value rule_pre(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a = elaborate_expr(e, env, expr->items.at[0]), first = {0};
    if (expr->items.count > 1)
    {
        first = elaborate_expr(e, env, expr->items.at[1]);
        if (a.failed ||
            !value_to_type(e, env, &first, a.type == TYPE_EVENT ? TYPE_REAL : a.type, argument_span(expr, 1)))
            return value_failed();
        join(e, &a, &first, argument_span(expr, 1));
    }
    if (a.failed || (first.node == 0 && never_changes(e, a.node)))
        return a;
    a = elaborate_as_var(e, env, a, argument_span(expr, 0));
    a.node = flat_node(e->flat, op, a.type, a.node, first.node, 0, 0, env->ctx, expr->span);
    value_forget_parts(&a);
    return a;
}

static Value rule_post(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    if (env->junction)
    {
        Value a;
        if (!real_argument(e, env, expr, 0, &a))
            return value_failed();
        a = elaborate_as_var(e, env, a, argument_span(expr, 0));
        a.node = flat_node(e->flat, op, a.type, a.node, 0, 0, 0, 0, expr->span);
        return a;
    }
    Diag* diag = elab_error(e, K_POST_PLACE, expr->span, "%s() has a meaning in the guards of switched junctions only",
                            node_op_text(op));
    elab_help(e, diag, "`x` is the value at this tag, `pre(x)` the one before");
    elaborate_expr(e, env, expr->items.at[0]);
    return value_failed();
}

static Value rule_area(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    double order = 0;
    Env inside = inside_operator(env);
    bool fine = real_argument(e, &inside, expr, 0, &a);
    if (expr->items.count > 1)
        fine &= whole_argument(e, env, expr, 1, &order);
    if (!fine)
        return value_failed();
    a = elaborate_as_var(e, &inside, a, argument_span(expr, 0));
    const VarInfo* info = &e->vars.at[e->flat->nodes.at[a.node].aux];
    NodeId node = info->area && order == 0
                      ? flat_var(e->flat, info->area - 1, expr->span)
                      : flat_node(e->flat, op, TYPE_REAL, a.node, 0, 0, (uint32_t)order, 0, expr->span);
    for (int i = 0; i <= (int)order; i++)
        a.dim = per_second(a.dim, 1);
    return value_make(node, TYPE_REAL, a.dim);
}

// ---- tables and random numbers

static bool column_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, int* column)
{
    double number = 2;
    if (index < expr->items.count && !whole_argument(e, env, expr, index, &number))
        return false;
    *column = (int)number;
    if (number >= 1)
        return true;
    Diag* diag = elab_error(e, K_BAD_INDEX, argument_span(expr, index), "there is no column 0");
    elab_help(e, diag, "columns are counted from 1");
    return false;
}

// table(file, x) and table(file, x, column); row(file, n, column); rows(file, x).
static Value rule_table(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    const char* name = expr->path->steps.at[0].name;
    TableForm form = {.column = 1, .by_row = strcmp(name, "row") == 0};
    bool fine = real_argument(e, env, expr, 1, &a);
    fine &= op == NODE_ROWS || column_argument(e, env, expr, 2, &form.column);
    const Expr* file = scope_text(e, env, expr->items.at[0]);
    if (!file)
    {
        Diag* diag =
            elab_error(e, K_BAD_TABLE, argument_span(expr, 0), "the name of a file is expected here, in quotes");
        elab_help(e, diag, "write `%s(\"file.csv\", …)`, or a parameter that is a text: `param file = \"file.csv\"`",
                  name);
        return value_failed();
    }
    uint32_t index;
    if (!fine || !table_read(e, file, &form, &index))
        return value_failed();
    return value_make(flat_node(e->flat, op, TYPE_REAL, a.node, 0, 0, index, 0, expr->span), TYPE_REAL, (Dim){0});
}

// size(a): how many elements an array has, so that a model can be written for any number of them.
static Value rule_size(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    const Expr* array = expr->items.at[0];
    Target target = {0};
    (void)op;
    if (array->kind == EXPR_PATH && !scope_resolve(e, env, array->path, &target))
        return value_failed();
    if (array->kind == EXPR_PATH && !target.local && (target.kind == SYMBOL_VARS || target.kind == SYMBOL_INSTANCES))
    {
        int64_t count = target.symbol->to - target.symbol->from + 1;
        return value_make(flat_const(e->flat, count > 0 ? (double)count : 0, TYPE_REAL), TYPE_REAL, dim_number());
    }
    Diag* diag = elab_error(e, K_NOT_AN_ARRAY, array->span, "size() counts the elements of an array, this is none");
    elab_help(e, diag, "name an array: `param k = [1, 2]` has size(k) == 2");
    return value_failed();
}

static uint32_t stream_of(Elab* e, const Env* env, Span span)
{
    uint32_t instance = env->instance == NO_INSTANCE ? 0 : env->instance;
    if (!e->instances.at[instance].stream)
    {
        vec_push(e->arena, e->flat->streams, (FlatStream){.name = e->flat->instances.at[instance].name, .span = span});
        e->instances.at[instance].stream = e->flat->streams.count;
    }
    return e->instances.at[instance].stream - 1;
}

static Value rule_random(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a, b = {0};
    bool fine = real_argument(e, env, expr, 0, &a);
    if (expr->items.count > 1)
        fine &= real_argument(e, env, expr, 1, &b);
    if (!env->at_event || env->constant || env->expect)
    {
        Diag* diag =
            elab_error(e, K_RANDOM_PLACE, expr->span, "%s() is drawn at events, there is none here", node_op_text(op));
        elab_help(e, diag, "draw in an action, `u := %s(…)`, or with `sample(%s(…), ev)`", node_op_text(op),
                  node_op_text(op));
        return value_failed();
    }
    if (!fine)
        return value_failed();
    Dim dim = op == NODE_EXPONENTIAL ? dim_power(&a.dim, -1) : join(e, &a, &b, expr->span);
    uint32_t stream = stream_of(e, env, expr->span);
    return value_make(flat_node(e->flat, op, TYPE_REAL, a.node, b.node, 0, stream, env->ctx, expr->span), TYPE_REAL,
                      dim);
}

// ---- over a run, in `expect`

static bool check_expect(Elab* e, const Env* env, const Expr* expr, const char* name)
{
    if (env->expect && !env->in_operator)
        return true;
    Diag* diag = elab_error(e, K_EXPECT_PLACE, expr->path->span,
                            "%s() looks at a whole run: it can stand in `expect` only", name);
    elab_help(e, diag, "in a model, `pre(x)`, `hold(ev, first)` and `delay(x, T)` look back");
    return false;
}

static bool run_argument(Elab* e, const Env* env, const Expr* expr, uint32_t index, bool event, Value* value)
{
    Env inside = inside_operator(env);
    *value = elaborate_expr(e, &inside, expr->items.at[index]);
    if (event ? !value_to_event(e, &inside, value, argument_span(expr, index)) : value->failed)
        return false;
    *value = elaborate_as_var(e, &inside, *value, argument_span(expr, index));
    return true;
}

static ValueType run_type(const Value* value)
{
    return value->type == TYPE_EVENT ? TYPE_REAL : value->type;
}

static Value rule_final(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value a;
    if (!check_expect(e, env, expr, node_op_text(op)) || !run_argument(e, env, expr, 0, op == NODE_COUNT, &a))
        return value_failed();
    ValueType type = op == NODE_COUNT ? TYPE_REAL : run_type(&a);
    Value result = make(e, env, expr, op, type, a.node, 0, op == NODE_COUNT ? dim_number() : a.dim);
    result.machine = a.machine;
    return result;
}

static Value rule_time_of(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value event, rank = value_make(flat_const(e->flat, 1, TYPE_REAL), TYPE_REAL, dim_number());
    if (!check_expect(e, env, expr, node_op_text(op)))
        return value_failed();
    bool fine = run_argument(e, env, expr, 0, true, &event);
    if (expr->items.count > 1)
        fine &= real_argument(e, env, expr, 1, &rank);
    return fine ? make(e, env, expr, op, TYPE_REAL, event.node, rank.node, (Dim){0}) : value_failed();
}

static Value rule_at(Elab* e, const Env* env, const Expr* expr, NodeOp op)
{
    Value time, index = {0}, a;
    if (!check_expect(e, env, expr, node_op_text(op)))
        return value_failed();
    bool by_index = expr->items.count == 3;
    bool fine = time_argument(e, env, expr, 0, &time);
    if (by_index)
        fine &= real_argument(e, env, expr, 1, &index);
    fine &= run_argument(e, env, expr, by_index ? 2 : 1, false, &a);
    if (!fine)
        return value_failed();
    NodeId second = by_index ? index.node : a.node, third = by_index ? a.node : 0;
    a.type = (uint8_t)run_type(&a);
    a.node = flat_node(e->flat, by_index ? NODE_AT_INDEX : op, a.type, time.node, second, third, 0, 0, expr->span);
    value_forget_parts(&a);
    return a;
}

// ---- the table

// clang-format off
static const Builtin builtins[] = {
    {"sin", 1, 1, rule_number, NODE_SIN, "sin(x)"},
    {"cos", 1, 1, rule_number, NODE_COS, "cos(x)"},
    {"tan", 1, 1, rule_number, NODE_TAN, "tan(x)"},
    {"asin", 1, 1, rule_number, NODE_ASIN, "asin(x)"},
    {"acos", 1, 1, rule_number, NODE_ACOS, "acos(x)"},
    {"atan", 1, 1, rule_number, NODE_ATAN, "atan(x)"},
    {"atan2", 2, 2, rule_pair, NODE_ATAN2, "atan2(y, x)"},
    {"sinh", 1, 1, rule_number, NODE_SINH, "sinh(x)"},
    {"cosh", 1, 1, rule_number, NODE_COSH, "cosh(x)"},
    {"tanh", 1, 1, rule_number, NODE_TANH, "tanh(x)"},
    {"exp", 1, 1, rule_number, NODE_EXP, "exp(x)"},
    {"log", 1, 1, rule_number, NODE_LOG, "log(x)"},
    {"log10", 1, 1, rule_number, NODE_LOG10, "log10(x)"},
    {"sqrt", 1, 1, rule_sqrt, NODE_SQRT, "sqrt(x)"},
    {"pow", 2, 2, rule_pow, NODE_POW, "pow(x, y)"},
    {"hypot", 2, 2, rule_pair, NODE_HYPOT, "hypot(x, y)"},
    {"abs", 1, 1, rule_keep, NODE_ABS, "abs(x)"},
    {"sign", 1, 1, rule_keep, NODE_SIGN, "sign(x)"},
    {"min", 1, 1000, rule_extreme, NODE_MIN, "min(x, y)"},
    {"max", 1, 1000, rule_extreme, NODE_MAX, "max(x, y)"},
    {"floor", 1, 1, rule_keep, NODE_FLOOR, "floor(x)"},
    {"ceil", 1, 1, rule_keep, NODE_CEIL, "ceil(x)"},
    {"round", 1, 1, rule_keep, NODE_ROUND, "round(x)"},
    {"mod", 2, 2, rule_pair, NODE_MOD, "mod(x, y)"},
    {"smooth", 1, 1, rule_smooth, NODE_SMOOTH, "smooth(x)"},
    {"up", 1, 1, rule_crossing, NODE_UP, "up(x)"},
    {"down", 1, 1, rule_crossing, NODE_DOWN, "down(x)"},
    {"cross", 1, 1, rule_crossing, NODE_CROSS, "cross(x)"},
    {"while", 1, 1, rule_while, NODE_WHILE, "while(condition)"},
    {"clock", 1, 2, rule_clock, NODE_CLOCK, "clock(T) or clock(T, first)"},
    {"sample", 2, 2, rule_sample, NODE_SAMPLE, "sample(x, ev)"},
    {"hold", 2, 2, rule_hold, NODE_HOLD, "hold(ev, first)"},
    {"queue", 2, 2, rule_queue, NODE_QUEUE, "queue(put, take)"},
    {"delay", 2, 3, rule_delay, NODE_DELAY, "delay(x, T) or delay(x, T, past)"},
    {"present", 1, 1, rule_present, NODE_PRESENT, "present(ev)"},
    {"value", 1, 1, rule_value, NODE_VALUE, "value(ev)"},
    {"default", 2, 2, rule_default, NODE_DEFAULT, "default(x, otherwise)"},
    {"delta", 2, 2, rule_delta, NODE_DELTA, "delta(ev, weight)"},
    {"der", 1, 1, rule_der, NODE_DER, "der(x)"},
    {"pre", 1, 2, rule_pre, NODE_PRE, "pre(x) or pre(x, first)"},
    {"post", 1, 1, rule_post, NODE_POST, "post(x)"},
    {"area", 1, 2, rule_area, NODE_AREA, "area(x) or area(x, order)"},
    {"table", 2, 3, rule_table, NODE_TABLE, "table(\"file.csv\", x) or table(\"file.csv\", x, column)"},
    {"row", 3, 3, rule_table, NODE_TABLE, "row(\"file.csv\", n, column)"},
    {"rows", 2, 2, rule_table, NODE_ROWS, "rows(\"file.csv\", x)"},
    {"size", 1, 1, rule_size, NODE_CONST, "size(array)"},
    {"uniform", 2, 2, rule_random, NODE_UNIFORM, "uniform(a, b)"},
    {"normal", 2, 2, rule_random, NODE_NORMAL, "normal(mean, deviation)"},
    {"exponential", 1, 1, rule_random, NODE_EXPONENTIAL, "exponential(rate)"},
    {"at", 2, 3, rule_at, NODE_AT, "at(t, x) or at(t, n, x)"},
    {"left", 2, 2, rule_at, NODE_LEFT, "left(t, x)"},
    {"final", 1, 1, rule_final, NODE_FINAL, "final(x)"},
    {"count", 1, 1, rule_final, NODE_COUNT, "count(ev)"},
    {"time_of", 1, 2, rule_time_of, NODE_TIME_OF, "time_of(ev, k)"},
};
// clang-format on
enum
{
    BUILTIN_COUNT = sizeof builtins / sizeof builtins[0]
};

static const Builtin* find_builtin(const char* name)
{
    for (int i = 0; i < BUILTIN_COUNT; i++)
        if (builtins[i].name[0] == name[0] && strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

bool builtin_exists(const char* name)
{
    return find_builtin(name) != NULL;
}

const char* const* builtin_names(Arena* arena, uint32_t* count)
{
    const char** names = arena_array(arena, const char*, BUILTIN_COUNT);
    for (int i = 0; i < BUILTIN_COUNT; i++)
        names[i] = builtins[i].name;
    *count = BUILTIN_COUNT;
    return names;
}

const char* builtin_usage(uint32_t index, const char** name)
{
    if (index >= BUILTIN_COUNT)
        return NULL;
    *name = builtins[index].name;
    return builtins[index].usage;
}

Value elaborate_builtin(Elab* e, const Env* env, const Expr* expr)
{
    const Builtin* builtin = find_builtin(expr->path->steps.at[0].name);
    uint32_t count = expr->items.count;
    if (count >= builtin->least && count <= builtin->most)
        return builtin->rule(e, env, expr, builtin->op);
    Diag* diag = elab_error(e, K_ARGUMENT_COUNT, expr->span, "%s takes %u%s argument%s, here are %u", builtin->name,
                            builtin->least,
                            builtin->most == 2 && builtin->least == 1 ? " or 2"
                            : builtin->most == 3                      ? " or 3"
                                                                      : "",
                            builtin->most == 1 ? "" : "s", count);
    elab_help(e, diag, "write %s", builtin->usage);
    return value_failed();
}

// ---- names

static const char* const name_list[] = {"time", "pi", "e_", "inf", "entry"};

const char* const* builtin_value_names(uint32_t* count)
{
    *count = sizeof name_list / sizeof name_list[0];
    return name_list;
}

bool builtin_name_exists(const char* name)
{
    for (size_t i = 0; i < sizeof name_list / sizeof name_list[0]; i++)
        if (name_list[i][0] == name[0] && strcmp(name_list[i], name) == 0)
            return true;
    return false;
}

static Value constant(Elab* e, double value)
{
    return value_make(flat_const(e->flat, value, TYPE_REAL), TYPE_REAL, dim_number());
}

static Value time_value(Elab* e, const Env* env, Span span)
{
    if (env->constant)
    {
        Diag* diag = elab_error(e, K_NOT_CONSTANT, span, "`time` changes during a run, this must be known before it");
        elab_help(e, diag, "only numbers and parameters can stand here");
        return value_failed();
    }
    // Bare: `sin(2*pi*time)` is what everybody writes.
    return value_make(flat_node(e->flat, NODE_TIME, TYPE_REAL, 0, 0, 0, 0, 0, span), TYPE_REAL, (Dim){0});
}

static Value entry_value(Elab* e, const Env* env, Span span)
{
    if (env->ctx == 0)
    {
        Diag* diag = elab_error(e, K_ENTRY_PLACE, span, "`entry` has a meaning inside a mode only");
        elab_help(e, diag, "at the start of a run use `initial` or a start value");
        return value_failed();
    }
    NodeId node = flat_node(e->flat, NODE_ENTRY, TYPE_EVENT, 0, 0, 0, env->ctx, env->ctx, span);
    return value_make(node, TYPE_EVENT, (Dim){0});
}

bool elaborate_builtin_name(Elab* e, const Env* env, const char* name, Span span, Value* value)
{
    if (!builtin_name_exists(name))
        return false;
    switch (name[0])
    {
    case 't': *value = time_value(e, env, span); break;
    case 'p': *value = constant(e, 3.14159265358979323846); break;
    case 'i': *value = constant(e, INFINITY); break;
    default: *value = name[1] == '_' ? constant(e, 2.71828182845904523536) : entry_value(e, env, span);
    }
    return true;
}
