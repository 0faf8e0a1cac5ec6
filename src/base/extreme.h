// The larger and the smaller of two numbers, as fmax and fmin have them (what is not a number does not count), inline:
// the compiler makes a call of those, and an instant asks dozens of times.
#ifndef KAIROS_BASE_EXTREME_H
#define KAIROS_BASE_EXTREME_H

static inline double larger(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b || b != b ? a : b;
}

#endif
