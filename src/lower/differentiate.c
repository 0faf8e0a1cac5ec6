// Derivatives of lowered expressions by the chain rule, exact. What a register contributes is the caller's business:
// along the flow (guard slopes, `der`), or with respect to one state (Jacobians).
#include "lower/compiler.h"

#include <math.h>

static ScalarId make(Compiler* c, VmOp op, ScalarId a, ScalarId b, Span span)
{
    return scalar_make(&c->scalars, op, a, b, 0, span);
}

static ScalarId number(Compiler* c, double value)
{
    return scalar_const(&c->scalars, value);
}

static bool is_zero(const Compiler* c, ScalarId s)
{
    double v;
    return scalar_is_const(&c->scalars, s, &v) && v == 0;
}

static ScalarId add(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    if (is_zero(c, a))
        return b;
    return is_zero(c, b) ? a : make(c, VM_ADD, a, b, span);
}

static ScalarId sub(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    if (is_zero(c, b))
        return a;
    return is_zero(c, a) ? make(c, VM_NEG, b, 0, span) : make(c, VM_SUB, a, b, span);
}

static ScalarId mul(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    if (is_zero(c, a) || is_zero(c, b))
        return number(c, 0);
    return make(c, VM_MUL, a, b, span);
}

static ScalarId divide(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    return is_zero(c, a) ? a : make(c, VM_DIV, a, b, span);
}

// f'(a) for f of one variable; n is f(a) itself.
static ScalarId outer(Compiler* c, ScalarId n, VmOp op, ScalarId a, Span s)
{
    ScalarId one = number(c, 1);
    switch (op)
    {
    case VM_SIN: return make(c, VM_COS, a, 0, s);
    case VM_COS: return make(c, VM_NEG, make(c, VM_SIN, a, 0, s), 0, s);
    case VM_TAN: return add(c, one, mul(c, n, n, s), s);
    case VM_ASIN: return divide(c, one, make(c, VM_SQRT, sub(c, one, mul(c, a, a, s), s), 0, s), s);
    case VM_ACOS: return divide(c, number(c, -1), make(c, VM_SQRT, sub(c, one, mul(c, a, a, s), s), 0, s), s);
    case VM_ATAN: return divide(c, one, add(c, one, mul(c, a, a, s), s), s);
    case VM_SINH: return make(c, VM_COSH, a, 0, s);
    case VM_COSH: return make(c, VM_SINH, a, 0, s);
    case VM_TANH: return sub(c, one, mul(c, n, n, s), s);
    case VM_EXP: return n;
    case VM_LOG: return divide(c, one, a, s);
    case VM_LOG10: return divide(c, number(c, 1 / log(10)), a, s);
    case VM_SQRT: return divide(c, number(c, 0.5), n, s);
    case VM_ABS: return make(c, VM_SIGN, a, 0, s);
    default: return number(c, 0);
    }
}

static ScalarId choose(Compiler* c, ScalarId condition, ScalarId a, ScalarId b)
{
    return scalar_select(&c->scalars, condition, a, b);
}

// slope · d, and 0 where the argument stands still: there the slope need not exist (sqrt(max(u, 0)) below u = 0). Along
// the flow the branches of `d` say where it stands still; no new condition may come into a signal.
static ScalarId chain(Compiler* c, ScalarId slope, ScalarId d, Span s)
{
    const Scalar x = c->scalars.list.at[d];
    double constant;
    if (scalar_is_const(&c->scalars, d, &constant))
        return mul(c, slope, d, s);
    if (x.op == VM_SELECT && (is_zero(c, x.arg[1]) || is_zero(c, x.arg[2])))
        return choose(c, x.arg[0], chain(c, slope, x.arg[1], s), chain(c, slope, x.arg[2], s));
    ScalarId product = mul(c, slope, d, s);
    return c->derive.along_flow ? product : choose(c, make(c, VM_EQ, d, number(c, 0), s), number(c, 0), product);
}

// Whether f' has a pole at the border of where f is defined.
static bool has_singular_slope(VmOp op)
{
    return op == VM_SQRT || op == VM_LOG || op == VM_LOG10 || op == VM_ASIN || op == VM_ACOS;
}

static ScalarId power(Compiler* c, ScalarId n, const Scalar* x, ScalarId da, ScalarId db)
{
    ScalarId a = x->arg[0], b = x->arg[1];
    ScalarId lower_power = make(c, VM_POW, a, sub(c, b, number(c, 1), x->span), x->span);
    double exponent;
    bool regular = scalar_is_const(&c->scalars, b, &exponent) && exponent >= 1;
    ScalarId slope = mul(c, b, lower_power, x->span);
    ScalarId out = regular ? mul(c, slope, da, x->span) : chain(c, slope, da, x->span);
    if (is_zero(c, db))
        return out;
    return add(c, out, chain(c, mul(c, n, make(c, VM_LOG, a, 0, x->span), x->span), db, x->span), x->span);
}

// ---- external functions

// The arguments of a call moved by `h` times their derivatives.
static ScalarId moved_arguments(Compiler* c, ScalarId list, Map* memo, ScalarId h)
{
    const Scalar x = c->scalars.list.at[list];
    uint32_t d = number(c, 0);
    if (x.op != VM_ARGUMENT)
        return list;
    map_get(memo, x.arg[0], &d);
    ScalarId moved = add(c, x.arg[0], mul(c, h, d, x.span), x.span);
    return make(c, VM_ARGUMENT, moved, moved_arguments(c, x.arg[1], memo, h), x.span);
}

static ScalarId sum_of_sizes(Compiler* c, ScalarId list, Map* memo, bool of_derivatives)
{
    ScalarId sum = number(c, 0);
    for (Scalar x = c->scalars.list.at[list]; x.op == VM_ARGUMENT; x = c->scalars.list.at[x.arg[1]])
    {
        uint32_t d = number(c, 0);
        map_get(memo, x.arg[0], &d);
        sum = add(c, sum, make(c, VM_ABS, of_derivatives ? d : x.arg[0], 0, x.span), x.span);
    }
    return sum;
}

// The arguments, and behind them how they move.
static ScalarId arguments_and_moves(Compiler* c, ScalarId list, ScalarId rest, Map* memo, bool moves)
{
    const Scalar x = c->scalars.list.at[list];
    uint32_t d = number(c, 0);
    if (x.op != VM_ARGUMENT)
        return moves ? list : arguments_and_moves(c, rest, rest, memo, true);
    map_get(memo, x.arg[0], &d);
    ScalarId after = arguments_and_moves(c, x.arg[1], rest, memo, moves);
    return make(c, VM_ARGUMENT, moves ? d : x.arg[0], after, x.span);
}

// What its block tells of the derivative.
static ScalarId told_derivative(Compiler* c, const Scalar* x, Map* memo, uint32_t slope)
{
    ScalarId list = arguments_and_moves(c, x->arg[0], x->arg[0], memo, false);
    return make(c, VM_EXTERNAL, list, number(c, slope), x->span);
}

// Nothing is known about an external function, so its derivative in the direction of its arguments' derivatives is a
// central difference; the step moves the arguments by about the cube root of the rounding error, where the difference
// has 10 digits. Only the search for double crossings and Newton's method read it: `der` refuses (K137).
static ScalarId external_derivative(Compiler* c, const Scalar* x, Map* memo)
{
    Span s = x->span;
    ScalarId zero = number(c, 0), list = x->arg[0], speed = sum_of_sizes(c, list, memo, true);
    if (is_zero(c, speed))
        return zero;
    double index = 0;
    uint32_t told = 0;
    if (scalar_is_const(&c->scalars, x->arg[1], &index))
        told = c->flat->externals.at[(uint32_t)index].slope;
    if (told != 0)
        return told_derivative(c, x, memo, told);
    ScalarId size = add(c, number(c, 1), sum_of_sizes(c, list, memo, false), s);
    ScalarId moves = make(c, VM_LT, zero, speed, s);
    ScalarId h = divide(c, mul(c, number(c, 6e-6), size, s), choose(c, moves, speed, number(c, 1)), s);
    ScalarId ahead = make(c, VM_EXTERNAL, moved_arguments(c, list, memo, h), x->arg[1], s);
    ScalarId behind = make(c, VM_EXTERNAL, moved_arguments(c, list, memo, make(c, VM_NEG, h, 0, s)), x->arg[1], s);
    ScalarId slope = divide(c, sub(c, ahead, behind, s), mul(c, number(c, 2), h, s), s);
    return choose(c, moves, slope, zero);
}

// ---- rows of maps

// Its terms that are not zero, in pairs of pairs like the row itself.
static ScalarId row_terms(Compiler* c, const Scalar* x, ScalarId* moves, uint32_t count)
{
    SymReg first = c->scalars.list.at[x->arg[1]].reg;
    for (uint32_t i = 0; i < count; i++)
        moves[i] = mul(c, scalar_reg(&c->scalars, first + i), moves[i], x->span);
    for (; count > 1; count = (count + 1) / 2)
        for (uint32_t i = 0; i < count; i += 2)
            moves[i / 2] = i + 1 < count ? add(c, moves[i], moves[i + 1], x->span) : moves[i];
    return count > 0 ? moves[0] : number(c, 0);
}

// The row times the derivatives of its values. Where few of them move (a Jacobian asks for one at a time) these terms
// alone.
static ScalarId row_derivative(Compiler* c, const Scalar* x, Map* memo)
{
    enum
    {
        FEW = 3
    };
    VEC(ScalarId) moves = {0};
    uint32_t moving = 0, last = 0, d;
    for (Scalar a = c->scalars.list.at[x->arg[0]]; a.op == VM_ARGUMENT; a = c->scalars.list.at[a.arg[1]])
    {
        vec_push(c->arena, moves, map_get(memo, a.arg[0], &d) ? d : number(c, 0));
        moving += !is_zero(c, moves.at[moves.count - 1]);
        last = is_zero(c, moves.at[moves.count - 1]) ? last : moves.count;
    }
    if (moving <= FEW)
        return row_terms(c, x, moves.at, last);
    ScalarId out = number(c, 0);
    for (uint32_t i = last; i-- > 0;)
        out = make(c, VM_ARGUMENT, moves.at[i], out, x->span);
    return scalar_make(&c->scalars, VM_ROW, out, x->arg[1], number(c, last), x->span);
}

// A condition as it is between instants, when no event is present.
static ScalarId without_events(Compiler* c, ScalarId s)
{
    const Scalar x = c->scalars.list.at[s];
    uint32_t ignored;
    if (x.op == SCALAR_REG)
        return map_get(&c->event_flags, x.reg, &ignored) ? number(c, 0) : s;
    if (x.op != VM_AND && x.op != VM_OR && x.op != VM_NOT)
        return s;
    ScalarId a = without_events(c, x.arg[0]), b = x.op != VM_NOT ? without_events(c, x.arg[1]) : 0;
    return make(c, (VmOp)x.op, a, b, x.span);
}

// What is chosen at the tag of an event only is no motion: v(t⁻) in `if hit then -2*pre(v) else 0` does not flow.
static ScalarId choose_flow(Compiler* c, ScalarId condition, ScalarId a, ScalarId b)
{
    double constant;
    if (scalar_is_const(&c->scalars, without_events(c, condition), &constant))
        return constant != 0 ? a : b;
    return choose(c, condition, a, b);
}

// The next derivative of a delayed signal, with respect to the time that is read.
static ScalarId delayed_slope(Compiler* c, const Scalar* x)
{
    double order = 0;
    scalar_is_const(&c->scalars, x->arg[2], &order);
    if (order + 1 >= DELAYED_ORDERS)
        return number(c, 0);
    return scalar_make(&c->scalars, VM_DELAYED, x->arg[0], x->arg[1], number(c, order + 1), x->span);
}

static ScalarId operator_derivative(Compiler* c, ScalarId n, const Scalar* x, const ScalarId d[3])
{
    ScalarId a = x->arg[0], b = x->arg[1];
    Span s = x->span;
    switch (x->op)
    {
    case VM_MOVE:  // see lower_hold; a slope (lower_derivative) is constant in time only
        return x->arg[1] != 0 && !c->derive.along_flow ? d[0] : number(c, 0);
    case VM_ARGUMENT: return number(c, 0);  // see external_derivative, row_derivative
    case VM_ROW_SIZE: return number(c, 0);  // rounding: nobody asks
    case VM_TABLE: return mul(c, make(c, VM_TABLE_SLOPE, a, b, s), d[0], s);
    case VM_DELAYED: return mul(c, delayed_slope(c, x), d[1], s);
    case VM_ADD: return add(c, d[0], d[1], s);
    case VM_SUB: return sub(c, d[0], d[1], s);
    case VM_MUL: return add(c, mul(c, d[0], b, s), mul(c, a, d[1], s), s);
    case VM_DIV: return divide(c, sub(c, d[0], mul(c, n, d[1], s), s), b, s);
    case VM_NEG: return is_zero(c, d[0]) ? d[0] : make(c, VM_NEG, d[0], 0, s);
    case VM_POW: return power(c, n, x, d[0], d[1]);
    case VM_SELECT: return choose_flow(c, a, d[1], d[2]);
    case VM_MIN: return choose(c, make(c, VM_LE, a, b, s), d[0], d[1]);
    case VM_MAX: return choose(c, make(c, VM_LE, b, a, s), d[0], d[1]);
    case VM_ATAN2:
        return divide(c, sub(c, mul(c, d[0], b, s), mul(c, a, d[1], s), s), add(c, mul(c, a, a, s), mul(c, b, b, s), s),
                      s);
    case VM_HYPOT: return divide(c, add(c, mul(c, a, d[0], s), mul(c, b, d[1], s), s), n, s);
    default:
        if (is_zero(c, d[0]))
            return d[0];
        return has_singular_slope((VmOp)x->op) ? chain(c, outer(c, n, (VmOp)x->op, a, s), d[0], s)
                                               : mul(c, outer(c, n, (VmOp)x->op, a, s), d[0], s);
    }
}

// Whether the derivative of `n` is known to be 0, without a look inside.
static bool stands_still(const Compiler* c, ScalarId n, const Scalar* x)
{
    return x->fixed || (c->derive.moving != NULL && !walk_seen(c->derive.moving, n));
}

ScalarId differentiate(Compiler* c, ScalarId root, DerivativeLeaf* leaf, void* user, Map* memo)
{
    uint32_t base = c->derive.chain.count;  // of a derivative around this one
    vec_push(c->arena, c->derive.chain, root);
    ScalarId zero = number(c, 0);
    while (c->derive.chain.count > base)
    {
        ScalarId n = c->derive.chain.at[c->derive.chain.count - 1];
        const Scalar x = c->scalars.list.at[n];
        uint32_t known;
        if (map_get(memo, n, &known))
        {
            c->derive.chain.count--;
            continue;
        }
        ScalarId value;
        if (x.op == SCALAR_REG || stands_still(c, n, &x))
        {
            value = x.op == SCALAR_REG ? leaf(c, user, x.reg) : zero;
            map_set(memo, n, value != 0 ? value : zero);
            continue;
        }
        ScalarId d[3] = {zero, zero, zero};
        bool ready = true;
        for (int i = 0; i < vm_op_arity((VmOp)x.op); i++)
            if (map_get(memo, x.arg[i], &known))
                d[i] = known;
            else
            {
                vec_push(c->arena, c->derive.chain, x.arg[i]);
                ready = false;
            }
        if (!ready)
            continue;
        value = x.op == VM_EXTERNAL ? external_derivative(c, &x, memo)
                : x.op == VM_ROW    ? row_derivative(c, &x, memo)
                                    : operator_derivative(c, n, &x, d);
        map_set(memo, n, value);
    }
    uint32_t out = zero;
    map_get(memo, root, &out);
    return out;
}
