// Convolutions of rows, which products of power series are made of. In the sums x and y are rows; what is wanted is
// order k. Internal to src/vm.
#ifndef KAIROS_VM_CONVOLVE_H
#define KAIROS_VM_CONVOLVE_H

#include <string.h>

// Two doubles at a time, which every machine of ours can.
typedef double Pair __attribute__((vector_size(16)));

static inline Pair pair_at(const double* p)
{
    Pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

// p[0] p[-1].
static inline Pair pair_down(const double* p)
{
    Pair v = pair_at(p - 1);
    return (Pair){v[1], v[0]};
}

// sum of x[j] y[k - j], first <= j <= last.
static inline double convolve(const double* x, const double* y, int k, int first, int last)
{
    const double *p = x + first, *q = y + k - first;
    int n = last - first + 1;
    Pair a = {0, 0}, b = {0, 0};
    for (; n >= 4; n -= 4, p += 4, q -= 4)
    {
        a += pair_at(p) * pair_down(q);
        b += pair_at(p + 2) * pair_down(q - 2);
    }
    a += b;
    if (n >= 2)
    {
        a += pair_at(p) * pair_down(q);
        p += 2;
        q -= 2;
        n -= 2;
    }
    double sum = a[0] + a[1];
    return n > 0 ? sum + p[0] * q[0] : sum;
}

// sum of (weight + step j) x[j] y[k - j].
static inline double convolve_weighted(const double* x, const double* y, int k, int first, int last, double weight,
                                       double step)
{
    const double *p = x + first, *q = y + k - first;
    int n = last - first + 1;
    Pair a = {0, 0}, w = {weight + step * first, weight + step * (first + 1)}, more = {2 * step, 2 * step};
    for (; n >= 2; n -= 2, p += 2, q -= 2)
    {
        a += w * pair_at(p) * pair_down(q);
        w += more;
    }
    double sum = a[0] + a[1];
    return n > 0 ? sum + w[0] * p[0] * q[0] : sum;
}

// sum of j x[j] y[k - j].
static inline double convolve_slope(const double* x, const double* y, int k, int first, int last)
{
    return convolve_weighted(x, y, k, first, last, 0, 1);
}

static inline double square(const double* x, int k)
{
    int half = (k - 1) / 2;
    double sum = 2 * convolve(x, x, k, 0, half);
    return k % 2 == 0 ? sum + x[k / 2] * x[k / 2] : sum;
}

#endif
