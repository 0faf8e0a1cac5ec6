// Arithmetic before the run. The same functions as in a run, so that a folded constant is the number the run would get.
#include "elab/constant.h"

#include <math.h>

bool constant_folds(NodeOp op)
{
    return op >= NODE_ADD && op <= NODE_IF;
}

static double real_mod(double a, double b)
{
    return a - b * floor(a / b);
}

// clang-format off
static double apply_math(NodeOp op, double a, double b)
{
    switch (op)
    {
    case NODE_SIN: return sin(a);
    case NODE_COS: return cos(a);
    case NODE_TAN: return tan(a);
    case NODE_ASIN: return asin(a);
    case NODE_ACOS: return acos(a);
    case NODE_ATAN: return atan(a);
    case NODE_ATAN2: return atan2(a, b);
    case NODE_SINH: return sinh(a);
    case NODE_COSH: return cosh(a);
    case NODE_TANH: return tanh(a);
    case NODE_EXP: return exp(a);
    case NODE_LOG: return log(a);
    case NODE_LOG10: return log10(a);
    case NODE_SQRT: return sqrt(a);
    case NODE_HYPOT: return hypot(a, b);
    case NODE_ABS: return fabs(a);
    case NODE_SIGN: return (a > 0) - (a < 0);
    case NODE_MIN: return a < b ? a : b;
    case NODE_MAX: return a > b ? a : b;
    case NODE_FLOOR: return floor(a);
    case NODE_CEIL: return ceil(a);
    case NODE_ROUND: return round(a);
    case NODE_MOD: return real_mod(a, b);
    default: return NAN;
    }
}

static double apply(NodeOp op, double a, double b, double c)
{
    switch (op)
    {
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_DIV: return a / b;
    case NODE_POW: return pow(a, b);
    case NODE_NEG: return -a;
    case NODE_LT: return a < b;
    case NODE_LE: return a <= b;
    case NODE_GT: return a > b;
    case NODE_GE: return a >= b;
    case NODE_EQ: return a == b;
    case NODE_NE: return a != b;
    case NODE_AND: return a != 0 && b != 0;
    case NODE_OR: return a != 0 || b != 0;
    case NODE_NOT: return a == 0;
    case NODE_IF: return a != 0 ? b : c;
    default: return apply_math(op, a, b);
    }
}

// clang-format on

bool constant_apply(NodeOp op, const double arguments[3], double* value)
{
    *value = apply(op, arguments[0], arguments[1], arguments[2]);
    // -inf is what one writes for "no lower bound"; every other infinity comes from a division or an overflow.
    return isfinite(*value) || (op == NODE_NEG && !isnan(*value));
}

// Values of nodes met before: expressions are shared, a walk without it could take 2^n steps.
typedef struct Evaluation
{
    const Flat* flat;
    Map met;  // node → index in values + 1; 0 while it is under way, so that a circle ends
    VEC(double) values;
    int depth;
} Evaluation;

enum
{
    EVALUATION_DEPTH = 20000
};

static bool evaluate(Evaluation* v, NodeId id, double* value);

static bool evaluate_node(Evaluation* v, const Node* node, double* value)
{
    const FlatVar* var = node->op == NODE_VAR ? &v->flat->vars.at[node->aux] : NULL;
    if (var)
        return var->kind == VAR_PARAM && var->init != 0 && evaluate(v, var->init, value);
    if (node->op == NODE_SMOOTH)
        return evaluate(v, node->arg[0], value);
    if (!constant_folds(node->op))
        return false;
    double arguments[3] = {0};
    for (int i = 0; i < node_op_arity(node->op); i++)
        if (!evaluate(v, node->arg[i], &arguments[i]))
            return false;
    return constant_apply(node->op, arguments, value);
}

static bool evaluate(Evaluation* v, NodeId id, double* value)
{
    const Node* node = &v->flat->nodes.at[id];
    if (node->op == NODE_CONST)
        return *value = node->value, true;
    uint32_t met;
    if (map_get(&v->met, id, &met))
        return met != 0 && (*value = v->values.at[met - 1], true);
    if (v->depth >= EVALUATION_DEPTH)
        return false;
    map_set(&v->met, id, 0);
    v->depth++;
    bool known = evaluate_node(v, node, value);
    v->depth--;
    if (!known)
        return false;
    vec_push(v->flat->arena, v->values, *value);
    map_set(&v->met, id, v->values.count);
    return true;
}

bool flat_eval_const(const Flat* flat, NodeId id, double* value)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_VAR && flat->vars.at[node->aux].kind == VAR_PARAM && flat->vars.at[node->aux].init != 0)
        node = &flat->nodes.at[id = flat->vars.at[node->aux].init];
    if (node->op == NODE_CONST)  // most are
        return *value = node->value, true;
    Evaluation evaluation = {.flat = flat};
    map_init(&evaluation.met, flat->arena);
    return evaluate(&evaluation, id, value);
}
