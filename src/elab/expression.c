// Expressions of the text → nodes of the flat model, with type and dimension. Functions are inlined, folds unrolled.
#include "elab/elab.h"

#include "block/text.h"
#include "elab/library.h"
#include "lang/idioms.h"

#include <math.h>
#include <string.h>

Value value_failed(void)
{
    return (Value){.failed = true};
}

Value value_make(NodeId node, ValueType type, Dim dim)
{
    return (Value){.node = node, .type = (uint8_t)type, .dim = dim};
}

// ---- variables

static bool check_reading(Elab* e, const Env* env, uint32_t var, Span span)
{
    const FlatVar* flat = &e->flat->vars.at[var];
    if (flat->kind == VAR_PARAM)
        return true;
    if (env->constant)
    {
        Diag* diag = elab_error(e, K_NOT_CONSTANT, span, "`%s` changes during a run, this must be known before it",
                                e->vars.at[var].name);
        elab_note(e, diag, flat->span, "declared here");
        elab_help(e, diag,
                  e->choosing_items
                      ? "`if` between items chooses them before the run, by parameters; what changes during it is "
                        "`y = if … then … else …`, `when … { … }` or modes"
                      : "only numbers and parameters can stand here");
        return false;
    }
    if (!env->expect || env->in_operator)
        return true;
    Diag* diag = elab_error(e, K_EXPECT_PLACE, span, "`%s` changes during a run: say when", e->vars.at[var].name);
    elab_help(e, diag,
              flat->type == TYPE_EVENT ? "write `count(%s)` or `time_of(%s, 1)`" : "write `final(%s)` or `at(t, %s)`",
              e->vars.at[var].name, e->vars.at[var].name);
    return false;
}

Value elaborate_var(Elab* e, const Env* env, uint32_t var, Span span)
{
    if (!check_reading(e, env, var, span))
        return value_failed();
    // A signal that nothing defines has no type either; that it is missing is reported elsewhere.
    bool undefined =
        !e->flat->vars.at[var].hidden && !e->vars.at[var].init && !e->vars.at[var].def && !e->vars.at[var].given;
    if (undefined && e->flat->vars.at[var].kind == VAR_SIGNAL)
        return e->error_count += !e->silent, value_failed();
    ValueType type = infer_var(e, var);  // before any node of it is made
    if (env->structural)
    {
        elaborate_init(e, var, true);
        if (e->vars.at[var].failed)
            return e->error_count += !e->silent, value_failed();
    }
    Value value = value_make(flat_var(e->flat, var, span), type, dim_of_unit(&e->flat->vars.at[var].unit));
    if (type == TYPE_MODE)
        value.machine = e->flat->vars.at[var].machine;
    return value;
}

static Value derive(Elab* e, const Env* env, uint32_t var, int order, Span span)
{
    Dim second = dim_second();
    for (; order > 0 && e->vars.at[var].chain && !e->vars.at[var].has_first_order; order--)
        var = e->vars.at[var].chain - 1;
    Value value = elaborate_var(e, env, var, span);
    if (order > 0 && !value_to_real(e, &value, span))
        return value_failed();
    for (; order > 0; order--)
    {
        value.node = flat_node(e->flat, NODE_DER, TYPE_REAL, value.node, 0, 0, 0, 0, span);
        value.dim = value.dim.kind == DIM_KNOWN ? dim_multiply(&value.dim, &second, -1) : (Dim){0};
    }
    return value;
}

static Value elaborate_path(Elab* e, const Env* env, const Expr* expr)
{
    const PathStep* step = &expr->path->steps.at[0];
    Value value;
    if (expr->path->steps.count == 1 && !step->index && elaborate_builtin_name(e, env, step->name, step->span, &value))
        return value;
    Target target;
    if (!scope_resolve(e, env, expr->path, &target))
        return value_failed();
    if (target.local && expr->order == 0)
        return target.local->value;
    if (target.local)
    {
        Diag* diag = elab_error(e, K_NOT_A_VALUE, expr->span, "`%s` has no derivative here", step->name);
        elab_help(e, diag, "write `der(%s)`", step->name);
        return value_failed();
    }
    if (target.kind == SYMBOL_VAR)
        return derive(e, env, target.index, expr->order, expr->span);
    bool is_array = target.kind == SYMBOL_VARS || target.kind == SYMBOL_INSTANCES;
    const char* name = target.symbol->name;
    if (target.kind == SYMBOL_VARS)
    {
        Diag* diag = elab_error(e, K_NOT_AN_ARRAY, expr->span, "`%s` is an array: say which element", name);
        elab_help(e, diag, "write `%s[%lld]`", name, (long long)target.symbol->from);
        return value_failed();
    }
    if (target.kind == SYMBOL_TEXT)
    {
        Diag* diag = elab_error(e, K_NOT_A_VALUE, expr->span, "`%s` is a text, not a value", name);
        elab_help(e, diag, "a text names a file: `table(%s, u)`", name);
        return value_failed();
    }
    Diag* diag = elab_error(e, K_NOT_A_VALUE, expr->span, "`%s` is an %s, not a value", name,
                            is_array ? "array of instances" : "instance");
    elab_help(e, diag, "name one of its variables: `%s%s.…`", name, is_array ? "[1]" : "");
    return value_failed();
}

// ---- literals

static Value elaborate_number(Elab* e, const Expr* expr)
{
    FlatUnit unit = {.si = {1, 0}};
    if (expr->unit && !unit_find(e, expr->unit, &unit))
        return value_failed();
    NodeId node = flat_const(e->flat, scale_to_si(unit.si, expr->number), TYPE_REAL);
    return value_make(node, TYPE_REAL, expr->unit ? dim_of_unit(&unit) : dim_number());
}

static Value elaborate_misplaced(Elab* e, const Expr* expr)
{
    if (expr->kind == EXPR_ERROR)
        return e->error_count++, value_failed();
    bool is_string = expr->kind == EXPR_STRING;
    Diag* diag =
        elab_error(e, K_NOT_A_VALUE, expr->span, is_string ? "a text is no value" : "a list is no single value");
    if (!is_string)
        elab_help(e, diag, "give it to a parameter, `param k = […]`, and read `k[i]`");
    return value_failed();
}

// ---- operators

static Dim join_dims(Elab* e, const Value* a, const Value* b, const Expr* expr, const char* what)
{
    Dim result;
    bare_beside(e, a, b, expr->b ? expr->b->span : expr->span);
    bare_beside(e, b, a, expr->a ? expr->a->span : expr->span);
    if (dim_join(&a->dim, &b->dim, &result))
        return result;
    Diag* diag = elab_error(e, K_UNIT_MISMATCH, expr->op_span.file ? expr->op_span : expr->span, "cannot %s %s and %s",
                            what, dim_text(e->arena, &a->dim), dim_text(e->arena, &b->dim));
    elab_help(e, diag, "both sides must have the same dimension");
    return (Dim){0};
}

static Value elaborate_power(Elab* e, Value a, Value b, const Expr* expr)
{
    double exponent;
    Dim dim = {0}, none = dim_none();
    value_check_dim(e, &b, &none, expr->b ? expr->b->span : expr->span, "an exponent");
    if (a.dim.kind == DIM_NUMBER && b.dim.kind != DIM_BARE)
        dim = dim_number();
    else if (a.dim.kind == DIM_KNOWN && dim_is_none(&a.dim))
        dim = a.dim;
    else if (flat_eval_const(e->flat, b.node, &exponent))
        dim = dim_power(&a.dim, exponent);
    return value_make(flat_node(e->flat, NODE_POW, TYPE_REAL, a.node, b.node, 0, 0, 0, expr->span), TYPE_REAL, dim);
}

static Value arithmetic(Elab* e, const Expr* expr, Value a, Value b)
{
    static const NodeOp ops[] = {[OP_ADD] = NODE_ADD, [OP_SUB] = NODE_SUB, [OP_MUL] = NODE_MUL, [OP_DIV] = NODE_DIV};
    bool fine = value_to_real(e, &a, expr->a->span);
    fine &= value_to_real(e, &b, expr->b->span);
    if (!fine)
        return value_failed();
    if (expr->op == OP_POW)
        return elaborate_power(e, a, b, expr);
    if (expr->op == OP_ADD)  // T + 5[degC]
        check_difference(e, expr->b), check_difference(e, expr->a);
    Dim dim = expr->op == OP_MUL   ? dim_multiply(&a.dim, &b.dim, 1)
              : expr->op == OP_DIV ? dim_multiply(&a.dim, &b.dim, -1)
                                   : join_dims(e, &a, &b, expr, expr->op == OP_ADD ? "add" : "subtract");
    return value_make(flat_node(e->flat, ops[expr->op], TYPE_REAL, a.node, b.node, 0, 0, 0, expr->span), TYPE_REAL,
                      dim);
}

// ---- logic of events and levels (rule E1)
//
// What stands in `and` and `or` is a level or the presence of an event: (L1, E1) or (L2, E2) is (L1 or L2, E1 or E2),
// and (L1, E1) and (L2, E2) is (L1 and L2, E1 where the second holds, or else E2 where L1 holds).

static NodeId level_of(const Value* value)
{
    return value->type == TYPE_EVENT ? 0 : value->event ? value->level : value->node;
}

static NodeId event_of(const Value* value)
{
    return value->type == TYPE_EVENT ? value->node : value->event;
}

static NodeId event_union(Elab* e, NodeId a, NodeId b, Span span)
{
    return a && b ? flat_node(e->flat, NODE_DEFAULT, TYPE_EVENT, a, b, 0, 0, 0, span) : a + b;
}

static NodeId event_where(Elab* e, NodeId event, NodeId level, Span span)
{
    return event && level ? flat_node(e->flat, NODE_FILTER, TYPE_EVENT, event, level, 0, 0, 0, span) : 0;
}

void value_forget_parts(Value* value)
{
    value->level = value->event = 0;
}

// `ta` and `tb` are the two as truth values.
static Value combine_logic(Elab* e, NodeOp op, Value a, Value b, const Value* ta, const Value* tb, Span span)
{
    NodeId la = level_of(&a), lb = level_of(&b), ea = event_of(&a), eb = event_of(&b), level, event;
    Value truth = value_make(flat_node(e->flat, op, TYPE_BOOL, ta->node, tb->node, 0, 0, 0, span), TYPE_BOOL, (Dim){0});
    if (op == NODE_OR)
    {
        level = la && lb ? flat_node(e->flat, op, TYPE_BOOL, la, lb, 0, 0, 0, span) : la + lb;
        event = event_union(e, ea, eb, span);
    }
    else
    {
        level = la && lb ? flat_node(e->flat, op, TYPE_BOOL, la, lb, 0, 0, 0, span) : 0;
        event = event_union(e, event_where(e, ea, tb->node, span), event_where(e, eb, la, span), span);
    }
    if (!event)
        return truth;
    if (level)
        return truth.level = level, truth.event = event, truth;
    Dim dim;
    bool joined = a.type == TYPE_EVENT && b.type == TYPE_EVENT && dim_join(&a.dim, &b.dim, &dim);
    Dim kept = op == NODE_AND && a.type == TYPE_EVENT ? a.dim : (Dim){0};
    Value made = value_make(event, TYPE_EVENT, joined ? dim : kept);
    made.level = truth.node;
    return made;
}

static Value logic(Elab* e, NodeOp op, Value a, Value b, Span a_span, Span b_span, Span span)
{
    Value ta = a, tb = b;
    bool fine = value_to_bool(e, &ta, a_span);
    fine &= value_to_bool(e, &tb, b_span);
    if (!fine)
        return value_failed();
    // An input of the model that is run has its type from its use: take what it was made.
    a = a.type == TYPE_REAL ? ta : a;
    b = b.type == TYPE_REAL ? tb : b;
    return combine_logic(e, op, a, b, &ta, &tb, span);
}

static Value relation(Elab* e, const Expr* expr, Value a, Value b)
{
    static const NodeOp ops[] = {[OP_LT] = NODE_LT, [OP_LE] = NODE_LE, [OP_GT] = NODE_GT,
                                 [OP_GE] = NODE_GE, [OP_EQ] = NODE_EQ, [OP_NE] = NODE_NE};
    if (a.failed || b.failed)
        return value_failed();
    bool equality = expr->op == OP_EQ || expr->op == OP_NE;
    bool same = equality && a.type == b.type && (a.type == TYPE_BOOL || a.type == TYPE_MODE);
    if (!same)
    {
        bool fine = value_to_real(e, &a, expr->a->span);
        fine &= value_to_real(e, &b, expr->b->span);
        if (!fine)
            return value_failed();
        join_dims(e, &a, &b, expr, "compare");
    }
    return value_make(flat_node(e->flat, ops[expr->op], TYPE_BOOL, a.node, b.node, 0, 0, 0, expr->span), TYPE_BOOL,
                      (Dim){0});
}

static bool is_plain_name(const Expr* expr)
{
    return expr->kind == EXPR_PATH && expr->order == 0 && expr->path->steps.count == 1 &&
           !expr->path->steps.at[0].index;
}

// `s.mode == fwd`: the name is one of the machine's modes.
static Value mode_constant(Elab* e, uint32_t machine, const Expr* expr)
{
    const FlatMachine* flat = &e->flat->machines.at[machine];
    const char* name = expr->path->steps.at[0].name;
    const char** names = arena_array(e->arena, const char*, flat->modes.count + 1);
    for (uint32_t i = 0; i < flat->modes.count; i++)
    {
        names[i] = flat->modes.at[i].name;
        if (names[i] != name)
            continue;
        Value value = value_make(flat_const(e->flat, i, TYPE_MODE), TYPE_MODE, (Dim){0});
        value.machine = machine;
        return value;
    }
    Diag* diag =
        elab_error(e, K_UNKNOWN_MODE, expr->span, "`%s` has no mode `%s`", e->flat->vars.at[flat->mode_var].name, name);
    elab_suggest(e, diag, name, names, flat->modes.count);
    return value_failed();
}

static Value elaborate_binary(Elab* e, const Env* env, const Expr* expr)
{
    Value a, b;
    bool equality = expr->op == OP_EQ || expr->op == OP_NE;
    if (equality && is_plain_name(expr->a) && !is_plain_name(expr->b))
    {
        b = elaborate_expr(e, env, expr->b);
        a = !b.failed && b.type == TYPE_MODE ? mode_constant(e, b.machine, expr->a) : elaborate_expr(e, env, expr->a);
    }
    else
    {
        a = elaborate_expr(e, env, expr->a);
        bool mode = equality && !a.failed && a.type == TYPE_MODE && is_plain_name(expr->b);
        b = mode ? mode_constant(e, a.machine, expr->b) : elaborate_expr(e, env, expr->b);
    }
    if (expr->op == OP_AND || expr->op == OP_OR)
        return logic(e, expr->op == OP_AND ? NODE_AND : NODE_OR, a, b, expr->a->span, expr->b->span, expr->span);
    return expr->op >= OP_LT && expr->op <= OP_NE ? relation(e, expr, a, b) : arithmetic(e, expr, a, b);
}

static Value elaborate_unary(Elab* e, const Env* env, const Expr* expr)
{
    if (expr->op == OP_NEG && expr->a->kind == EXPR_NUMBER)  // -40[degC] is one temperature
    {
        Expr number = *expr->a;
        number.number = -number.number;
        return elaborate_number(e, &number);
    }
    Value a = elaborate_expr(e, env, expr->a);
    bool is_not = expr->op == OP_NOT;
    if (!(is_not ? value_to_bool(e, &a, expr->a->span) : value_to_real(e, &a, expr->a->span)))
        return value_failed();
    value_forget_parts(&a);
    if (expr->op != OP_PLUS)
        a.node = flat_node(e->flat, is_not ? NODE_NOT : NODE_NEG, a.type, a.node, 0, 0, 0, 0, expr->span);
    return a;
}

static Value elaborate_branch(Elab* e, const Env* env, const Expr* expr, Branch* branch)
{
    Env inside = *env;
    branch->up = env->branch;
    inside.branch = branch;
    return elaborate_expr(e, &inside, expr);
}

static Value elaborate_if(Elab* e, const Env* env, const Expr* expr)
{
    Value condition = elaborate_expr(e, env, expr->a);
    bool decided = value_to_bool(e, &condition, expr->a->span);
    NodeId test = decided ? condition.node : 0;
    Branch then_branch = {.condition = expr->a, .test = test, .when = true};
    Branch else_branch = {.condition = expr->a, .test = test, .when = false};
    Value a = elaborate_branch(e, env, expr->b, &then_branch);
    Value b = elaborate_branch(e, env, expr->c, &else_branch);
    if (then_branch.ruled_out || else_branch.ruled_out)
        return then_branch.ruled_out ? b : a;
    if (!decided || a.failed || b.failed)
        return value_failed();
    if (a.type != b.type && (a.type == TYPE_BOOL) != (b.type == TYPE_BOOL) && a.type != TYPE_MODE &&
        b.type != TYPE_MODE)
    {
        elab_error(e, K_TYPE_MISMATCH, expr->span, "`then` gives %s, `else` gives %s", type_name(a.type),
                   type_name(b.type));
        return value_failed();
    }
    ValueType type = a.type == b.type ? a.type : TYPE_REAL;
    bool fine = value_to_type(e, env, &a, type, expr->b->span);
    fine &= value_to_type(e, env, &b, type, expr->c->span);
    if (!fine)
        return value_failed();
    Dim dim = join_dims(e, &a, &b, expr, "choose between");
    return value_make(flat_node(e->flat, NODE_IF, type, condition.node, a.node, b.node, 0, 0, expr->span), type, dim);
}

// ---- folds

typedef struct FoldRule
{
    NodeOp op;
    ValueType type;
    double neutral;
} FoldRule;

// clang-format off
static FoldRule fold_rule(ExprOp op)
{
    switch (op)
    {
    case FOLD_SUM: return (FoldRule){NODE_ADD, TYPE_REAL, 0};
    case FOLD_PRODUCT: return (FoldRule){NODE_MUL, TYPE_REAL, 1};
    case FOLD_LEAST: return (FoldRule){NODE_MIN, TYPE_REAL, INFINITY};
    case FOLD_GREATEST: return (FoldRule){NODE_MAX, TYPE_REAL, -INFINITY};
    case FOLD_FORALL: return (FoldRule){NODE_AND, TYPE_BOOL, 1};
    default: return (FoldRule){NODE_OR, TYPE_BOOL, 0};
    }
}

// clang-format on

// Pairs of pairs: a chain of ten thousand sums would be ten thousand deep, and less exact.
static Value fold_pairwise(Elab* e, const Expr* expr, const FoldRule* rule, Value* items, uint32_t count)
{
    for (; count > 1; count = (count + 1) / 2)
        for (uint32_t i = 0; i < count; i += 2)
        {
            Value* a = &items[i];
            Value* into = &items[i / 2];
            if (i + 1 == count)
            {
                *into = *a;
                continue;
            }
            Value* b = &items[i + 1];
            if (rule->type == TYPE_BOOL)
            {
                *into = logic(e, rule->op, *a, *b, expr->a->span, expr->a->span, expr->span);
                continue;
            }
            Dim dim = rule->op == NODE_MUL ? dim_multiply(&a->dim, &b->dim, 1) : join_dims(e, a, b, expr, "combine");
            NodeId node = flat_node(e->flat, rule->op, rule->type, a->node, b->node, 0, 0, 0, expr->span);
            *into = value_make(node, rule->type, dim);
        }
    return items[0];
}

static Value elaborate_fold(Elab* e, const Env* env, const Expr* expr)
{
    FoldRule rule = fold_rule(expr->op);
    int64_t from, to;
    if (!scope_range(e, env, &expr->range, &from, &to))
        return value_failed();
    if (to < from)
        return value_make(flat_const(e->flat, rule.neutral, rule.type), rule.type, dim_number());
    VEC(Value) items = {0};
    bool failed = false;
    for (int64_t i = from; i <= to && elab_count_loop(e, expr->span); i++)
    {
        Local local = {.next = env->locals, .name = expr->index};
        local.value = value_make(flat_const(e->flat, (double)i, TYPE_REAL), TYPE_REAL, dim_number());
        Env inside = *env;
        inside.locals = &local;
        Value item = elaborate_expr(e, &inside, expr->a);
        bool event = rule.type == TYPE_BOOL && !item.failed && item.type == TYPE_EVENT;
        failed |= !event && !value_to_type(e, &inside, &item, rule.type, expr->a->span);
        vec_push(e->arena, items, item);
    }
    return failed || e->too_large ? value_failed() : fold_pairwise(e, expr, &rule, items.at, items.count);
}

// ---- functions

// `np.sin(x)`, `Modelica.Math.sin(x)`: functions have no prefix.
static bool report_prefix(Elab* e, const Expr* expr)
{
    const Path* path = expr->path;
    const char* last = path->steps.at[path->steps.count - 1].name;
    if (path->steps.count == 1 || scope_symbol(e, 0, path->steps.at[0].name) || !idiom_is_function(last))
        return false;
    Diag* diag = elab_error(e, K_UNKNOWN_FUNCTION, path->span, "functions stand in no package");
    const char* idiom = idiom_function(last);
    if (idiom)
        elab_help(e, diag, "%s", idiom);
    else
        elab_help(e, diag, "write `%s(…)`", last);
    return true;
}

static void report_function(Elab* e, const Env* env, const Expr* expr)
{
    const char* name = expr->path->steps.at[0].name;
    if (report_prefix(e, expr) || elab_missed_before(e, K_UNKNOWN_FUNCTION, NULL, name, expr->path->span))
        return;
    Diag* diag = elab_error(e, K_UNKNOWN_FUNCTION, expr->path->span, "there is no function `%s`", name);
    bool variable = env->instance != NO_INSTANCE && scope_symbol(e, env->instance, name) != 0;
    const char* advice =
        variable ? arena_printf(e->arena, "an element of `%s` is `%s[i]`, a product `%s*(…)`", name, name, name)
                 : idiom_function(name);
    if (!advice)
        advice = library_advice(e->arena, name);
    if (diag && advice)
    {
        elab_help(e, diag, "%s", advice);
        return;
    }
    uint32_t builtin_count;
    const char* const* builtins = builtin_names(e->arena, &builtin_count);
    VEC(const char*) names = {0};
    for (uint32_t i = 0; diag && i < e->program->functions.count; i++)
        vec_push(e->arena, names, e->program->functions.at[i]->name);
    for (uint32_t i = 0; diag && i < builtin_count; i++)
        vec_push(e->arena, names, builtins[i]);
    elab_suggest(e, diag, name, names.at, names.count);
}

static bool report_recursion(Elab* e, const Env* env, const Expr* expr, const Function* function)
{
    const Call* call = env->calls;
    while (call && call->function != function)
        call = call->up;
    if (!call)
        return false;
    const char* cycle = function->name;
    for (call = env->calls;; call = call->up)
    {
        cycle = arena_printf(e->arena, "%s → %s", call->function->name, cycle);
        if (call->function == function)
            break;
    }
    Diag* diag =
        elab_error(e, K_FUNCTION_CYCLE, expr->path->span, "function %s calls itself: %s", function->name, cycle);
    elab_help(e, diag, "functions are put in place where they are called; use `sum`, `product` or an array of signals");
    return true;
}

static uint32_t external_index(Elab* e, const Function* function)
{
    uint64_t key = (uint64_t)(uintptr_t)function;
    uint32_t index = e->flat->externals.count;
    if (map_get(&e->external_index, key, &index))
        return index;
    const char* colon = strrchr(function->symbol, ':');
    if (!colon || colon == function->symbol || !colon[1])
    {
        Diag* diag = elab_error(e, K_BAD_EXTERNAL, function->span, "`%s` does not say where function %s is",
                                function->symbol, function->name);
        elab_help(e, diag, "write \"library:symbol\", for example \"libm.so.6:erf\"");
        colon = function->symbol;
    }
    FlatExternal external = {
        .name = function->name, .symbol = colon + (*colon == ':'), .arity = (int)function->params.count};
    external.library = arena_copy_string(e->arena, function->symbol, (size_t)(colon - function->symbol));
    external.span = function->span;
    vec_push(e->arena, e->flat->externals, external);
    map_set(&e->external_index, key, index);
    return index;
}

// The instance of the block that the function asks: a function of each instance, not of the text.
static uint32_t block_function(Elab* e, const Env* env, const Function* function)
{
    const ProgramBlock* block = &e->program->blocks.at[function->block - 1];
    uint32_t made = e->flat->blocks.count, index = e->flat->externals.count;
    uint64_t key = ((uint64_t)env->instance << 32) | function->block;
    if (!map_get(&e->block_index, key, &made))
    {
        const char* path = e->flat->instances.at[env->instance].name;
        FlatBlock flat = {.name = *path ? path : block->name, .block = block->block, .path = block->path};
        flat.variant = block->variant;
        flat.library = block->library != NULL;
        flat.span = block->span;
        vec_push(e->arena, e->flat->blocks, flat);
        map_set(&e->block_index, key, made);
    }
    uint64_t both = (uint64_t)(uintptr_t)function * 0x9e3779b97f4a7c15u + made;
    if (map_get(&e->external_index, both, &index))
        return index;
    FlatExternal external = {.name = function->name, .library = block->path, .symbol = function->symbol};
    external.block = made + 1;
    external.arity = (int)function->params.count;
    external.span = block->span;
    FlatExternal slope = external;
    slope.symbol = block_slope(e->arena, block->block, function->symbol);
    external.slope = slope.symbol != NULL ? index + 1 : 0;
    vec_push(e->arena, e->flat->externals, external);
    map_set(&e->external_index, both, index);
    slope.arity *= 2;
    if (slope.symbol != NULL)
        vec_push(e->arena, e->flat->externals, slope);
    return index;
}

static Value call_external(Elab* e, const Env* env, const Expr* expr, const Function* function, Value* arguments)
{
    NodeId list = 0;
    bool fine = true;
    for (uint32_t i = expr->items.count; i-- > 0;)
    {
        fine &= value_to_real(e, &arguments[i], expr->items.at[i]->span);
        if (fine)
            list = flat_node(e->flat, NODE_LIST, TYPE_REAL, arguments[i].node, list, 0, 0, 0, expr->span);
    }
    if (!fine)
        return value_failed();
    uint32_t index = function->block != 0 ? block_function(e, env, function) : external_index(e, function);
    return value_make(flat_node(e->flat, NODE_EXTERNAL, TYPE_REAL, list, 0, 0, index, 0, expr->span), TYPE_REAL,
                      (Dim){0});
}

static bool check_count(Elab* e, const Expr* expr, const Function* function)
{
    uint32_t count = expr->items.count;
    if (count == function->params.count)
        return true;
    Diag* diag = elab_error(e, K_ARGUMENT_COUNT, expr->span, "%s takes %u argument%s, here are %u", function->name,
                            function->params.count, function->params.count == 1 ? "" : "s", count);
    elab_note(e, diag, function->span, "declared here");
    elab_help(e, diag, "write one value per argument");
    return false;
}

static Value call_function(Elab* e, const Env* env, const Expr* expr, const Function* function)
{
    enum
    {
        FEW = 6
    };  // more than that do not come from the stack
    Value few_values[FEW];
    Local few_locals[FEW];
    uint32_t count = expr->items.count;
    if (!check_count(e, expr, function))
        return value_failed();
    Value* arguments = count <= FEW ? few_values : arena_array(e->arena, Value, count);
    Local* locals = count <= FEW ? few_locals : arena_array(e->arena, Local, count);
    bool failed = false;
    for (uint32_t i = 0; i < count; i++)
    {
        arguments[i] = elaborate_expr(e, env, expr->items.at[i]);
        failed |= arguments[i].failed;
        locals[i] = (Local){.next = i ? &locals[i - 1] : NULL, .name = function->params.at[i], .value = arguments[i]};
    }
    if (failed)
        return value_failed();
    if (!function->body)
        return call_external(e, env, expr, function, arguments);
    Call call = {.up = env->calls, .function = function};
    Env inside = *env;
    inside.calls = &call;
    inside.locals = count ? &locals[count - 1] : NULL;
    return elaborate_expr(e, &inside, function->body);
}

static Value elaborate_call(Elab* e, const Env* env, const Expr* expr)
{
    const PathStep* step = &expr->path->steps.at[0];
    bool plain = expr->path->steps.count == 1 && !step->index;
    if (plain && builtin_exists(step->name))
        return elaborate_builtin(e, env, expr);
    const Function* function = plain ? scope_function(e, step->name, step->span) : NULL;
    if (!function)
        return report_function(e, env, expr), value_failed();
    if (report_recursion(e, env, expr, function))
        return value_failed();
    return call_function(e, env, expr, function);
}

// ---- all together

static Value elaborate_kind(Elab* e, const Env* env, const Expr* expr)
{
    switch (expr->kind)
    {
    case EXPR_NUMBER: return elaborate_number(e, expr);
    case EXPR_BOOL: return value_make(flat_const(e->flat, expr->boolean, TYPE_BOOL), TYPE_BOOL, (Dim){0});
    case EXPR_PATH: return elaborate_path(e, env, expr);
    case EXPR_CALL: return elaborate_call(e, env, expr);
    case EXPR_UNARY: return elaborate_unary(e, env, expr);
    case EXPR_BINARY: return elaborate_binary(e, env, expr);
    case EXPR_IF: return elaborate_if(e, env, expr);
    case EXPR_FOLD: return elaborate_fold(e, env, expr);
    default: return elaborate_misplaced(e, expr);
    }
}

static Value report_deep(Elab* e, const Expr* expr)
{
    Diag* diag = elab_error(e, K_MODEL_TOO_DEEP, expr->span, "expressions are nested too deeply here");
    elab_help(e, diag, "give parts of it names: `signal part = …`");
    return value_failed();
}

Value elaborate_expr(Elab* e, const Env* env, const Expr* expr)
{
    if (e->depth >= MAX_DEPTH)
        return report_deep(e, expr);
    if (e->too_large)
        return value_failed();
    if (++e->steps > MAX_STEPS)
    {
        Diag* diag =
            elab_error(e, K_MODEL_TOO_LARGE, expr->span, "this makes the model larger than the compiler takes");
        elab_help(e, diag, "functions that call others twice double at each level: give values names with `signal`");
        return e->too_large = true, value_failed();
    }
    if (e->steps % 1024 == 0)
        arena_look(e->arena);
    e->depth++;
    Value value = elaborate_kind(e, env, expr);
    e->depth--;
    // Functions of functions grow deeper than any text: whoever walks the graph by recursion relies on this.
    return !value.failed && e->flat->nodes.at[value.node].depth > MAX_DEPTH ? report_deep(e, expr) : value;
}

bool elaborate_constant(Elab* e, const Env* env, const Expr* expr, ValueType type, Value* value, double* number)
{
    Env inside = *env;
    inside.constant = inside.structural = true;
    *value = elaborate_expr(e, &inside, expr);
    if (!value_to_type(e, &inside, value, type, expr->span))
        return false;
    if (flat_eval_const(e->flat, value->node, number))
        return true;
    Diag* diag = elab_error(e, K_NOT_CONSTANT, expr->span, "this has no value that is known before the run");
    elab_help(e, diag, "only numbers, and parameters that have a value, can stand here");
    return false;
}

// ---- hidden signals

static uint32_t hidden_var(Elab* e, const Env* env, const Value* value, Span span)
{
    uint64_t key = (uint64_t)value->node << 32 | env->ctx;
    uint32_t var;
    if (map_get(&e->hidden_index, key, &var))
        return var;
    const char* name = arena_printf(e->arena, "$%u", ++e->hidden_count);
    VarKind kind = value->type == TYPE_EVENT ? VAR_EVENT : VAR_SIGNAL;
    Env place = {.instance = env->instance == NO_INSTANCE ? 0 : env->instance, .ctx = env->ctx};
    var = declare_var(e, &place, kind, value->type, name, span);
    FlatVar* flat = &e->flat->vars.at[var];
    flat->machine = value->machine;
    flat->unit.known = value->dim.kind == DIM_KNOWN;
    memcpy(flat->unit.dim, value->dim.exponent, sizeof flat->unit.dim);
    e->vars.at[var].type_progress = e->vars.at[var].init_progress = DONE;
    var_add_def(e, var, env->ctx, 0, value->node, span);
    map_set(&e->hidden_index, key, var);
    return var;
}

Value elaborate_as_var(Elab* e, const Env* env, Value value, Span span)
{
    if (value.failed || e->flat->nodes.at[value.node].op == NODE_VAR)
        return value;
    value.node = flat_var(e->flat, hidden_var(e, env, &value, span), span);
    return value;
}
