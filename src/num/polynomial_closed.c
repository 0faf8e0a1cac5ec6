// Roots of polynomials by formula, and of those whose linear term outweighs all others by Newton's method: for whoever
// settles the last digits himself. polynomial.h has the contract; where rounding decides polynomial.c tells.
#include "num/polynomial.h"

#include <float.h>

static inline int sign_of(double v)
{
    return (v > 0) - (v < 0);
}

static PolynomialRoot root_near(double at, int from)
{
    return (PolynomialRoot){at * (1 - 4 * DBL_EPSILON), at, from, -from, false};
}

// The roots of c + b x + a x² in (0, h), c != 0. The count, or POLYNOMIAL_DOUBT.
static int parabola_roots(double c, double b, double a, double h, double noise, PolynomialRoot* roots)
{
    const double end = c + h * (b + h * a), size = fabs(c) + h * (fabs(b) + h * fabs(a));
    double open = 8 * DBL_EPSILON * size;
    open = open > noise ? open : noise;
    const int from = sign_of(c);
    if (!(fabs(c) > open && fabs(end) > open))
    {
        return POLYNOMIAL_DOUBT;
    }
    if (a == 0)
    {
        roots[0] = root_near(-c / b, from);
        return from * end < 0;
    }
    const double square = b * b - 4 * a * c, bend = -b / (2 * a);
    bool inside = bend > 0 && bend < h;
    if (inside && !(fabs(c + 0.5 * b * bend) > 8 * open))
    {
        return POLYNOMIAL_DOUBT;  // perhaps a touch
    }
    if (from * end > 0 && (!inside || square < 0))
    {
        return 0;
    }
    double far = -0.5 * (b + (b < 0 ? -1 : 1) * sqrt(square)), one = c / far, two = far / a;
    double first = one < two ? one : two, last = one < two ? two : one;
    if (from * end > 0)
    {
        roots[0] = root_near(first, from);
        roots[1] = root_near(last, -from);
        return first > 0 && last < h ? 2 : from * a > 0 ? POLYNOMIAL_DOUBT : 0;
    }
    roots[0] = root_near(first > 0 && first < h ? first : last, from);
    return roots[0].after > 0 && roots[0].after < h ? 1 : POLYNOMIAL_DOUBT;
}

// What one pass over the terms at h tells.
typedef struct Survey
{
    double end, size, bend;  // p(h); the sum of the terms' sizes; and of k times theirs, from the second on
} Survey;

static Survey survey(const double* c, int degree, double h)
{
    Survey s = {c[0] + c[1] * h, fabs(c[0]) + fabs(c[1]) * h, 0};
    double power = h;
    for (int k = 2; k <= degree; k++)
    {
        power *= h;
        double term = c[k] * power;
        s.end += term;
        s.size += fabs(term);
        s.bend += k * fabs(term);
    }
    return s;
}

// The root of the parabola with the start, the slope there and the end of p: where that is monotone, close to its own.
static double parabola_start(double c, double b, double end, double h)
{
    double a = (end - c - b * h) / (h * h), square = b * b - 4 * a * c;
    double at = square > 0 ? 2 * c / (-b - copysign(sqrt(square), b)) : NAN;
    return at > 0 && at < h ? at : h * (c / (c - end));
}

// The one root of a polynomial that is monotone on [0, h], between the signs of its ends: Newton's method inside a
// bracket. Its steps shrink by squares: what the next one would be is known from the last two.
static double monotone_root(const double* c, int degree, double h, double end)
{
    double lo = 0, hi = h, at = parabola_start(c[0], c[1], end, h), before = 0;
    for (int round = 0; round < 60; round++)
    {
        double p = c[degree], slope = 0;
        for (int k = degree - 1; k >= 0; k--)
        {
            slope = slope * at + p;
            p = p * at + c[k];
        }
        *((p > 0) == (c[0] > 0) ? &lo : &hi) = at;
        double next = at - p / slope;
        bool inside = next > lo && next < hi;
        next = inside ? next : 0.5 * (lo + hi);
        double step = fabs(next - at), rounding = 4 * DBL_EPSILON * at;
        at = next;
        if (step <= rounding || (inside && 16 * step * (step / before) * (step / before) <= rounding))
        {
            break;
        }
        before = inside ? step : 0;
    }
    return at;
}

static int monotone_roots(const double* c, int degree, double h, double noise, PolynomialRoot* roots)
{
    Survey s = survey(c, degree, h);
    double open = 64 * DBL_EPSILON * s.size;
    open = open > noise ? open : noise;
    if (!(fabs(c[1]) * h * (1 - BOUND_ROUNDING) > s.bend))
    {
        return POLYNOMIAL_DOUBT;
    }
    if (c[0] == 0)
    {
        roots[0] = (PolynomialRoot){.from = 0, .to = sign_of(c[1])};
        return fabs(c[1]) * h > open ? 1 : POLYNOMIAL_DOUBT;
    }
    if (!(fabs(c[0]) > open && fabs(s.end) > open))
    {
        return POLYNOMIAL_DOUBT;
    }
    if ((c[0] > 0) == (s.end > 0))
    {
        return 0;
    }
    roots[0] = root_near(monotone_root(c, degree, h, s.end), sign_of(c[0]));
    return 1;
}

int polynomial_roots_closed(const double* c, int degree, double h, double noise, PolynomialRoot roots[3])
{
    double a = degree > 1 ? c[2] : 0;
    if (degree < 1)
    {
        return POLYNOMIAL_DOUBT;
    }
    if (degree > 2)
    {
        return monotone_roots(c, degree, h, noise, roots);
    }
    if (c[0] != 0)
    {
        return parabola_roots(c[0], c[1], a, h, noise, roots);
    }
    if (c[1] == 0 || !(fabs(c[1]) * h > noise))
    {
        return POLYNOMIAL_DOUBT;
    }
    roots[0] = (PolynomialRoot){.from = 0, .to = sign_of(c[1])};
    int count = a == 0 ? 0 : parabola_roots(c[1], a, 0, h, noise / h, roots + 1);
    return count >= 0 ? 1 + count : count;
}
