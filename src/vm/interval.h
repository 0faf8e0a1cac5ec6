// Intervals: what operators make of them, and by how many units of an operator its argument moves. Internal to src/vm:
// range.c walks the code with them.
#ifndef KAIROS_VM_INTERVAL_H
#define KAIROS_VM_INTERVAL_H

#include "base/extreme.h"
#include "vm/range.h"

#include <math.h>

// The exponents beyond which exp is 0 or too large for a double, and the arguments beyond which tanh is 1 to the last
// digit: out there nothing moves.
#define INTERVAL_EXP 750.0
#define INTERVAL_TANH 20.0

static inline VmRange interval(double low, double high)
{
    return low <= high ? (VmRange){low, high, 0, 0} : (VmRange){-INFINITY, INFINITY, 0, 0};  // neither: not a number
}

static inline VmRange interval_of(double a, double b)
{
    return interval(smaller(a, b), larger(a, b));
}

static inline double interval_width(VmRange a)
{
    return a.low == a.high ? 0 : a.high - a.low;
}

static inline bool interval_has(VmRange a, double v)
{
    return a.low <= v && v <= a.high;
}

// The largest and the smallest magnitude.
static inline double interval_most(VmRange a)
{
    return larger(fabs(a.low), fabs(a.high));
}

static inline double interval_least(VmRange a)
{
    return interval_has(a, 0) ? 0 : smaller(fabs(a.low), fabs(a.high));
}

// 0 times anything is 0, also where the bound is infinite.
static inline double interval_times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

// What a motion that nobody has seen makes of the result: no more than `steep` times it, nor than the whole range.
static inline VmRange interval_pass(VmRange z, double steep, double hidden)
{
    z.hidden = hidden > 0 ? smaller(interval_width(z), interval_times(steep, hidden)) : 0;
    return z;
}

static inline VmRange interval_hull(VmRange a, VmRange b)
{
    return (VmRange){smaller(a.low, b.low), larger(a.high, b.high), larger(a.hidden, b.hidden), 0};
}

// How far the logarithm of a magnitude moves.
static inline double interval_folds(VmRange a)
{
    double part = interval_most(a) / interval_least(a) - 1;
    return a.low == a.high ? 0 : part < 1 ? part : log(part + 1);  // no more than that
}

// The part of a range that lies within -most and most, as wide as it is.
static inline double interval_within(VmRange a, double most)
{
    double low = larger(a.low, -most), high = smaller(a.high, most);
    return high > low ? high - low : 0;
}

static inline VmRange interval_add(VmRange a, VmRange b)
{
    VmRange z = interval(a.low + b.low, a.high + b.high);
    z.hidden = a.hidden + b.hidden;
    return z;
}

static inline VmRange interval_sub(VmRange a, VmRange b)
{
    VmRange z = interval(a.low - b.high, a.high - b.low);
    z.hidden = a.hidden + b.hidden;
    return z;
}

static inline VmRange interval_mul(VmRange a, VmRange b)
{
    double p = interval_times(a.low, b.low), q = interval_times(a.low, b.high), r = interval_times(a.high, b.low),
           s = interval_times(a.high, b.high);
    VmRange z = interval(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)));
    if (a.hidden > 0 || b.hidden > 0)
        z.hidden = smaller(interval_width(z),
                           interval_times(interval_most(b), a.hidden) + interval_times(interval_most(a), b.hidden));
    return z;
}

static inline VmRange interval_square(VmRange a)
{
    double most = interval_most(a), least = interval_least(a);
    return interval_pass(interval(least * least, most * most), 2 * most, a.hidden);
}

// Units of a power with an exponent that stands still; those of one that moves over more than a factor of two.
double interval_power_folds(VmRange a, double p);
static inline double interval_power_units(VmRange a, double p)
{
    double part = interval_most(a) / interval_least(a) - 1;
    if (a.low == a.high || p == 0)
        return 0;
    return part < 1 ? fabs(p) * part : interval_power_folds(a, p);
}

// Operators of one and of two operands (VmOp). *units: by how many units of the operator its argument moves.
VmRange interval_unary(uint32_t op, VmRange a, double* units);
VmRange interval_binary(uint32_t op, VmRange a, VmRange b, double* units);
// These alone, for an operator of which nobody reads the result.
double interval_units(uint32_t op, VmRange a, VmRange b);

#endif
