// See interval.h.
#include "vm/interval.h"

// ---- quotients

// A divisor that is 0 all the time makes infinities, which stand still; one that comes to 0 makes anything.
static bool stands_at_zero(VmRange b)
{
    return b.low == 0 && b.high == 0 && b.hidden == 0 && signbit(b.low) == signbit(b.high);
}

static VmRange divide(VmRange a, VmRange b, double* units)
{
    *units = interval_folds(b);
    if (stands_at_zero(b) && !interval_has(a, 0))
        return interval_of(a.low / b.low, a.high / b.low);
    if (interval_has(b, 0))
        return (VmRange){-INFINITY, INFINITY, a.hidden > 0 || b.hidden > 0 ? INFINITY : 0, 0};
    double least = interval_least(b);
    VmRange z = interval_mul(interval(a.low, a.high), interval(1 / b.high, 1 / b.low));
    if (a.hidden > 0 || b.hidden > 0)
        z.hidden = smaller(interval_width(z), (a.hidden + interval_times(interval_most(a) / least, b.hidden)) / least);
    return z;
}

// ---- functions of one argument

// Whether one of the places c + 2 k pi lies in the range.
static bool meets(VmRange a, double c)
{
    return ceil((a.low - c) / (2 * M_PI)) * (2 * M_PI) + c <= a.high;
}

static VmRange wave(VmRange a, double at_low, double at_high, double top)
{
    if (!(interval_width(a) < 2 * M_PI))
        return interval_pass(interval(-1, 1), 1, a.hidden);
    VmRange z = interval_of(at_low, at_high);
    if (meets(a, top))
        z.high = 1;
    if (meets(a, top + M_PI))
        z.low = -1;
    return interval_pass(z, 1, a.hidden);
}

static VmRange tangent(VmRange a, double* units)
{
    if (!(interval_width(a) < M_PI) || meets(a, M_PI / 2) || meets(a, -M_PI / 2))
    {
        *units = a.low == a.high ? 0 : INFINITY;
        return a.low == a.high ? interval_of(tan(a.low), tan(a.low)) : interval(-INFINITY, INFINITY);
    }
    VmRange z = interval_of(tan(a.low), tan(a.high));
    *units = asinh(z.high) - asinh(z.low);
    return interval_pass(z, 1 + interval_most(z) * interval_most(z), a.hidden);
}

static VmRange grow(uint32_t op, VmRange a, double* units)
{
    double most = interval_most(a);
    *units = interval_within(a, INTERVAL_EXP);
    switch (op)
    {
    case VM_EXP: return interval_pass(interval_of(exp(a.low), exp(a.high)), exp(a.high), a.hidden);
    case VM_SINH: return interval_pass(interval_of(sinh(a.low), sinh(a.high)), cosh(most), a.hidden);
    default: return interval_pass(interval_of(cosh(interval_least(a)), cosh(most)), sinh(most), a.hidden);
    }
}

static VmRange logarithm(uint32_t op, VmRange a, double* units)
{
    double least = interval_least(a), most = interval_most(a);
    *units = interval_folds(a);
    VmRange z = op == VM_LOG ? interval(log(least), log(most)) : interval(log10(least), log10(most));
    return interval_pass(z, 1 / least, a.hidden);
}

static VmRange root(VmRange a, double* units)
{
    double least = sqrt(interval_least(a)), most = sqrt(interval_most(a));
    *units = 0.5 * interval_folds(a);
    return interval_pass(interval(least, most), 0.5 / least, a.hidden);
}

static VmRange saturate(uint32_t op, VmRange a, double* units)
{
    bool steep = op == VM_TANH;
    *units = steep ? interval_within(a, INTERVAL_TANH) : a.low == a.high ? 0 : asinh(a.high) - asinh(a.low);
    VmRange z = steep ? interval(tanh(a.low), tanh(a.high)) : interval(atan(a.low), atan(a.high));
    return interval_pass(z, 1, a.hidden);
}

static double clipped(double v)
{
    return v < -1 ? -1 : v > 1 ? 1 : v;
}

static VmRange magnitude(VmRange a)
{
    return interval_pass(interval(interval_least(a), interval_most(a)), 1, a.hidden);
}

// Guards watch where these step: in a step of the solver they stand still.
static VmRange stairs(uint32_t op, VmRange a)
{
    switch (op)
    {
    case VM_SIGN: return interval((a.low > 0) - (a.low < 0), (a.high > 0) - (a.high < 0));
    case VM_FLOOR: return interval(floor(a.low), floor(a.high));
    default: return interval(a.low == 0 && a.high == 0, interval_has(a, 0));  // NOT
    }
}

VmRange interval_unary(uint32_t op, VmRange a, double* units)
{
    switch (op)
    {
    case VM_MOVE: return a;
    case VM_NEG: return (VmRange){-a.high, -a.low, a.hidden, 0};
    case VM_SIN: return wave(a, sin(a.low), sin(a.high), M_PI / 2);
    case VM_COS: return wave(a, cos(a.low), cos(a.high), 0);
    case VM_TAN: return tangent(a, units);
    case VM_ASIN: return interval_pass(interval_of(asin(clipped(a.low)), asin(clipped(a.high))), INFINITY, a.hidden);
    case VM_ACOS: return interval_pass(interval_of(acos(clipped(a.low)), acos(clipped(a.high))), INFINITY, a.hidden);
    case VM_ATAN:
    case VM_TANH: return saturate(op, a, units);
    case VM_EXP:
    case VM_SINH:
    case VM_COSH: return grow(op, a, units);
    case VM_LOG:
    case VM_LOG10: return logarithm(op, a, units);
    case VM_SQRT: return root(a, units);
    case VM_ABS: return magnitude(a);
    default: return stairs(op, a);
    }
}

// ---- functions of two arguments

// |a|^p, of magnitudes from least to most.
static VmRange power_of(double least, double most, double p)
{
    return interval_of(pow(least, p), pow(most, p));
}

// A power that falls runs through its logarithm, one that grows through the last part of its argument, where it is
// large; below the first power its slope is infinite at 0. Where the argument moves little its logarithm is no more
// than that.
double interval_power_folds(VmRange a, double p)
{
    double most = interval_most(a), least = interval_least(a),
           folds = interval_within(interval_of(p * log(least), p * log(most)), INTERVAL_EXP);
    if (p < 0)
        return folds;
    return smaller(folds, p * (most - least) / most) + (p < 1 ? (1 - p) * interval_folds(a) : 0);
}

static VmRange power_fixed(VmRange a, double p, double* units)
{
    double most = interval_most(a), least = interval_least(a);
    bool odd = floor(p) == p && fmod(p, 2) != 0;
    *units = interval_power_units(a, p);
    VmRange z = power_of(least, most, p);
    if (odd && a.low < 0 && (a.high < 0 || (a.high == 0 && p > 0)))  // at 0 itself a falling power is +infinity
        z = (VmRange){-z.high, -z.low, 0, 0};
    else if (odd && a.low < 0)
        z = p > 0 ? interval(-pow(-a.low, p), pow(a.high, p)) : interval(-INFINITY, INFINITY);
    if (a.hidden > 0)
        z = interval_pass(z, fabs(p) * larger(pow(least, p - 1), pow(most, p - 1)), a.hidden);
    return z;
}

static VmRange power(VmRange a, VmRange b, double* units)
{
    if (b.low == b.high)
        return power_fixed(a, b.low, units);
    double least = interval_least(a), most = interval_most(a);
    VmRange exponent = interval_mul(interval(b.low, b.high), interval(log(least), log(most)));
    *units = interval_within(exponent, INTERVAL_EXP);
    VmRange z = interval_of(exp(exponent.low), exp(exponent.high));
    z.low = a.low < 0 ? -z.high : z.low;
    return interval_pass(z, INFINITY, a.hidden + b.hidden);
}

static VmRange distance(VmRange a, VmRange b, double* units)
{
    VmRange z = interval(hypot(interval_least(a), interval_least(b)), hypot(interval_most(a), interval_most(b)));
    *units = interval_folds(z);
    return interval_pass(z, 1, a.hidden + b.hidden);
}

// The angle of a rectangle that holds neither the origin nor a part of the cut lies between those of its corners.
static VmRange angle(VmRange y, VmRange x, double* units)
{
    VmRange r = distance(y, x, units), z = interval(-M_PI, M_PI);
    if (x.low > 0 || y.low > 0 || y.high < 0)
        z = interval_hull(interval_of(atan2(y.low, x.low), atan2(y.high, x.high)),
                          interval_of(atan2(y.low, x.high), atan2(y.high, x.low)));
    return interval_pass(z, 1 / r.low, y.hidden + x.hidden);
}

static VmRange relation(uint32_t op, VmRange a, VmRange b)
{
    bool apart = a.high < b.low || b.high < a.low, one = a.low == a.high && b.low == b.high && a.low == b.low;
    switch (op)
    {
    case VM_LT: return interval(a.high < b.low, a.low < b.high);
    case VM_LE: return interval(a.high <= b.low, a.low <= b.high);
    case VM_EQ: return interval(one, !apart);
    case VM_NE: return interval(apart, !one);
    case VM_AND:
        return interval(!interval_has(a, 0) && !interval_has(b, 0), interval_most(a) != 0 && interval_most(b) != 0);
    default:
        return interval(!interval_has(a, 0) || !interval_has(b, 0), interval_most(a) != 0 || interval_most(b) != 0);
    }
}

VmRange interval_binary(uint32_t op, VmRange a, VmRange b, double* units)
{
    switch (op)
    {
    case VM_ADD: return interval_add(a, b);
    case VM_SUB: return interval_sub(a, b);
    case VM_MUL: return interval_mul(a, b);
    case VM_DIV: return divide(a, b, units);
    case VM_POW: return power(a, b, units);
    case VM_ATAN2: return angle(a, b, units);
    case VM_HYPOT: return distance(a, b, units);
    case VM_MIN: return (VmRange){smaller(a.low, b.low), smaller(a.high, b.high), larger(a.hidden, b.hidden), 0};
    case VM_MAX: return (VmRange){larger(a.low, b.low), larger(a.high, b.high), larger(a.hidden, b.hidden), 0};
    default: return relation(op, a, b);
    }
}

double interval_units(uint32_t op, VmRange a, VmRange b)
{
    double units = 0;
    switch (op)
    {
    case VM_DIV: return interval_folds(b);
    case VM_POW:
        if (b.low == b.high)
            return interval_power_units(a, b.low);
        interval_binary(op, a, b, &units);
        return units;
    case VM_EXP:
    case VM_SINH:
    case VM_COSH: return interval_within(a, INTERVAL_EXP);
    case VM_TANH: return interval_within(a, INTERVAL_TANH);
    case VM_LOG:
    case VM_LOG10: return interval_folds(a);
    case VM_SQRT: return 0.5 * interval_folds(a);
    case VM_ATAN2:
    case VM_HYPOT: interval_binary(op, a, b, &units); return units;
    default: interval_unary(op, a, &units); return units;
    }
}
