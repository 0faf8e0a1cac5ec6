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
    return low <= high ? (VmRange){low, high, 0} : (VmRange){-INFINITY, INFINITY, 0};  // neither: not a number
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
    return (VmRange){smaller(a.low, b.low), larger(a.high, b.high), larger(a.hidden, b.hidden)};
}

// How far the logarithm of a magnitude moves.
static inline double interval_folds(VmRange a)
{
    return a.low == a.high ? 0 : log(interval_most(a) / interval_least(a));
}

// The part of a range that lies within -most and most, as wide as it is.
static inline double interval_within(VmRange a, double most)
{
    double low = larger(a.low, -most), high = smaller(a.high, most);
    return high > low ? high - low : 0;
}

VmRange interval_add(VmRange a, VmRange b);
VmRange interval_sub(VmRange a, VmRange b);
VmRange interval_mul(VmRange a, VmRange b);
VmRange interval_square(VmRange a);

// Operators of one and of two operands (VmOp). *units: by how many units of the operator its argument moves.
VmRange interval_unary(uint32_t op, VmRange a, double* units);
VmRange interval_binary(uint32_t op, VmRange a, VmRange b, double* units);

#endif
