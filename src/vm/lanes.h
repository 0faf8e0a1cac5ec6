// Four rows side by side, order after order: convolutions of four pairs of rows at once. Each lane is summed in the
// order in which convolve.h sums a row, so that a result does not depend on its company. Internal to src/vm.
#ifndef KAIROS_VM_LANES_H
#define KAIROS_VM_LANES_H

#include "vm/convolve.h"
#include "vm/tape.h"

typedef struct Quad
{
    Pair a, b;
} Quad;

// Quads lie at multiples of 16 bytes.
static inline Pair pair_in(const double* p)
{
    Pair v;
    memcpy(&v, __builtin_assume_aligned(p, sizeof v), sizeof v);
    return v;
}

static inline Quad quad_at(const double* p)
{
    return (Quad){pair_in(p), pair_in(p + 2)};
}

static inline Quad quad_all(double v)
{
    return (Quad){{v, v}, {v, v}};
}

static inline void pair_put(double* p, Pair v)
{
    memcpy(__builtin_assume_aligned(p, sizeof v), &v, sizeof v);
}

static inline void quad_put(double* p, Quad v)
{
    pair_put(p, v.a);
    pair_put(p + 2, v.b);
}

static inline Quad quad_plus(Quad x, Quad y)
{
    return (Quad){x.a + y.a, x.b + y.b};
}

static inline Quad quad_minus(Quad x, Quad y)
{
    return (Quad){x.a - y.a, x.b - y.b};
}

static inline Quad quad_times(Quad x, Quad y)
{
    return (Quad){x.a * y.a, x.b * y.b};
}

static inline Quad quad_over(Quad x, Quad y)
{
    return (Quad){x.a / y.a, x.b / y.b};
}

static inline Quad quad_negative(Quad x)
{
    return (Quad){-x.a, -x.b};
}

static inline Quad quad_product(const double* p, const double* q)
{
    return (Quad){pair_in(p) * pair_in(q), pair_in(p + 2) * pair_in(q + 2)};
}

// sum of x[j] y[k - j], first <= j <= last.
static inline Quad quad_convolve(const double* x, const double* y, int k, int first, int last)
{
    const double *p = x + 4 * first, *q = y + 4 * (k - first);
    int n = last - first + 1;
    Quad s0 = quad_all(0), s1 = s0, s2 = s0, s3 = s0;
    for (; n >= 4; n -= 4, p += 16, q -= 16)
    {
        s0 = quad_plus(s0, quad_product(p, q));
        s1 = quad_plus(s1, quad_product(p + 4, q - 4));
        s2 = quad_plus(s2, quad_product(p + 8, q - 8));
        s3 = quad_plus(s3, quad_product(p + 12, q - 12));
    }
    s0 = quad_plus(s0, s2);
    s1 = quad_plus(s1, s3);
    if (n >= 2)
    {
        s0 = quad_plus(s0, quad_product(p, q));
        s1 = quad_plus(s1, quad_product(p + 4, q - 4));
        p += 8;
        q -= 8;
        n -= 2;
    }
    s0 = quad_plus(s0, s1);
    return n > 0 ? quad_plus(s0, quad_product(p, q)) : s0;
}

// sum of (weight + step j) x[j] y[k - j].
static inline Quad quad_weighted(const double* x, const double* y, int k, int first, int last, Quad weight, Quad step)
{
    const double *p = x + 4 * first, *q = y + 4 * (k - first);
    int n = last - first + 1;
    Quad s0 = quad_all(0), s1 = s0, more = quad_times(quad_all(2), step);
    Quad w0 = quad_plus(weight, quad_times(step, quad_all(first)));
    Quad w1 = quad_plus(weight, quad_times(step, quad_all(first + 1)));
    for (; n >= 2; n -= 2, p += 8, q -= 8)
    {
        s0 = quad_plus(s0, quad_times(quad_times(w0, quad_at(p)), quad_at(q)));
        s1 = quad_plus(s1, quad_times(quad_times(w1, quad_at(p + 4)), quad_at(q - 4)));
        w0 = quad_plus(w0, more);
        w1 = quad_plus(w1, more);
    }
    s0 = quad_plus(s0, s1);
    return n > 0 ? quad_plus(s0, quad_times(quad_times(w0, quad_at(p)), quad_at(q))) : s0;
}

static inline Quad quad_slope(const double* x, const double* y, int k, int first, int last)
{
    return quad_weighted(x, y, k, first, last, quad_all(0), quad_all(1));
}

static inline Quad quad_square(const double* x, int k)
{
    Quad sum = quad_times(quad_all(2), quad_convolve(x, x, k, 0, (k - 1) / 2));
    const double* half = x + (size_t)(k / 2) * 4;
    return k % 2 == 0 ? quad_plus(sum, quad_product(half, half)) : sum;
}

#endif
