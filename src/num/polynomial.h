// Polynomials p(theta) = sum c[k] theta^k on [0, h], and all their roots there, in order. A guard along a step is one.
//
// What is certain. A sign is that of `polynomial_value`, which is compensated: right to the last digit unless the
// polynomial is so ill-conditioned that its coefficients do not define it. `before` and `after` of a root are
// neighbouring doubles, or nearly so, and the value at `after` has the new sign or is exactly 0.
//
// What is a touch. Coefficients that were computed are uncertain by some rounding errors each, so p is uncertain by
// `noise` = a few eps sum |c[k]| theta^k at theta, or by what the caller says if that is more (a difference of two
// large numbers). Roots that a change of p by `noise` would join or remove are reported as one: an extremum within
// noise of 0 is a touch, a cluster of higher order is one crossing or one touch by the signs on its sides. A polynomial
// that is within noise everywhere is zero, and has no roots.
//
// Isolation: Bernstein coefficients, Descartes' rule of signs, bisection (Lane and Riesenfeld 1981), with coefficients
// within rounding of 0 counted either way, so that no root is lost to them. Nothing is allocated.
#ifndef KAIROS_NUM_POLYNOMIAL_H
#define KAIROS_NUM_POLYNOMIAL_H

#include "base/tolerance.h"

#include <math.h>
#include <stdbool.h>

enum
{
    POLYNOMIAL_DEGREE = 40,  // at most
    POLYNOMIAL_ZERO = -1,    // polynomial_roots: zero up to rounding
    POLYNOMIAL_DOUBT = -2,   // polynomial_roots_closed: not told
};

typedef struct PolynomialRoot
{
    double before, after;  // old sign, new sign (or 0); of a touch and of a root at 0 both are the place itself
    int from, to;          // signs on the sides; from = 0: the polynomial starts on its level; to = 0: ends there
    bool touch;            // of even order: from = to
} PolynomialRoot;

double polynomial_value(const double* c, int degree, double theta);
// Plain Horner, for values that need no more digits than their coefficients have.
double polynomial_plain(const double* c, int degree, double theta);
double polynomial_slope(const double* c, int degree, double theta);
void polynomial_derivative(const double* c, int degree, double* derivative);

// The same polynomial around `by`: shifted(theta) = p(by + theta). In place where shifted == c.
void polynomial_shift(const double* c, int degree, double by, double* shifted);

// sum of |c[k]| h^k for k >= first: what those terms can make up on [0, h].
static inline double polynomial_bound(const double* c, int degree, double h, int first)
{
    double sum = 0;
    for (int k = degree; k >= first; k--)
    {
        sum = sum * h + fabs(c[k]);
    }
    for (int k = 0; k < first; k++)
    {
        sum *= h;
    }
    return sum;
}

// Whether a series with the terms c[0] … c[k] is taken to have ended: the last three in a row are below `part` of it on
// [0, h], and something has moved before them, which in sin(t)^4 around 0 is not so. Terms that come later all the same
// must show in a comparison with what was expanded, at WINDOW_LOOK_1 and WINDOW_LOOK_2 of h as well as at its end.
bool polynomial_has_ended(const double* c, int k, double h, double part);

// Surely no root and no touch on [0, h]. Most guards end here.
static inline bool polynomial_clear(const double* c, int degree, double h, double noise)
{
    return fabs(c[0]) * (1 - BOUND_ROUNDING) > polynomial_bound(c, degree, h, 1) + noise;
}

// The roots on [0, h] in ascending order, at most `limit` of them into `roots` (the first ones). The number found, or
// POLYNOMIAL_ZERO. degree <= POLYNOMIAL_DEGREE; noise >= 0; coefficients must be finite.
int polynomial_roots(const double* c, int degree, double h, double noise, PolynomialRoot* roots, int limit);

// The same for degree <= 2, by formula, and where the linear term outweighs all others, by Newton's method; for whoever
// settles the last digits himself: `after` is right to a few of them, and `before` is as much earlier.
// POLYNOMIAL_DOUBT: two roots, or a root and an end, are so close that rounding decides, or the polynomial may turn
// round; polynomial_roots tells.
int polynomial_roots_closed(const double* c, int degree, double h, double noise, PolynomialRoot roots[3]);

#endif
