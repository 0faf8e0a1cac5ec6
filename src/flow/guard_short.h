// What the short searches share (guard_short.c, guard_leap.c): the root of one guard whose polynomial is at hand, and
// its last digits, which the guard itself settles.
#ifndef KAIROS_FLOW_GUARD_SHORT_H
#define KAIROS_FLOW_GUARD_SHORT_H

#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <float.h>
#include <math.h>

// g at a fraction of the step.
typedef double Evaluate(const GuardPath* path, double theta);

static inline double push_past(const GuardPath* path, double at, double limit, double slope, Evaluate* value)
{
    at = smaller(at, limit);
    double before = at, step = larger(at * DBL_EPSILON, CROSSING_NOWHERE),
           least = larger(0.75 * step, CROSSING_NOWHERE);
    double g = value(path, at);
    bool past = is_past(path->flow->kernel, path->guard, g);
    if (!past && slope != 0)
    {
        double rounding = DBL_EPSILON * guard_largest_term(path, g, slope) / (fabs(slope) * path->length);
        step = larger(step, rounding);
        least = larger(least, 0.75 * rounding);
    }
    while (!past)
    {
        if (at >= limit)
            return INFINITY;
        before = at;
        at = smaller(at + step, limit);
        step *= 2;
        past = is_past(path->flow->kernel, path->guard, value(path, at));
    }
    while (at - before > least)
    {
        double mid = 0.5 * (before + at);
        if (!(mid > before && mid < at))
            break;
        *(is_past(path->flow->kernel, path->guard, value(path, mid)) ? &at : &before) = mid;
    }
    return at;
}

typedef struct Sum  // along a step
{
    double c[GUARD_TERMS];
    int degree;
} Sum;

// The first of its roots that counts; inf: it starts on its level and leaves it for good; NaN: not plain to see.
static inline double choose_root(const GuardPath* path, const PolynomialRoot* roots, int count)
{
    const Kernel* kernel = path->flow->kernel;
    int first = count > 1 && roots[0].from == 0;  // it starts on its level, and comes back
    if (count == 1 && roots[0].from == 0 && roots[0].to == -path->toward)
        return INFINITY;
    if (count <= first || roots[first].to != path->toward)
        return NAN;
    return is_crossing(path->guard) && kernel->R[path->guard->side] == path->toward ? NAN : roots[first].after;
}

// Of a polynomial for which there is a closed form: what is no parabola. Where it has no root it has no touch either.
static inline bool goes_one_way(const double* c, int degree)
{
    return degree != 2 || c[2] == 0;
}

// A crossing that starts on its level, leaves it and comes back, as a body that was thrown up: what
// polynomial_roots_closed and choose_root come to. NaN: it is not that, or so close that rounding decides.
static inline double find_return(const GuardPath* path, const double* c)
{
    double end = c[1] + path->length * c[2], open = 8 * DBL_EPSILON * (fabs(c[1]) + path->length * fabs(c[2]));
    bool back = is_crossing(path->guard) && path->flow->kernel->R[path->guard->side] != path->toward &&
                path->toward * c[1] < -open && path->toward * end > open;
    return back ? -c[1] / c[2] : NAN;
}

// Where the guard first goes past its level, in seconds from the start of the step; inf: nowhere.
static inline double find_root(const GuardPath* path, const double* c, int degree)
{
    PolynomialRoot roots[3];
    double noise = GUARD_NOISE * fabs(c[0]);
    if (is_past(path->flow->kernel, path->guard, c[0]))
        return NAN;
    if (c[0] != 0 && polynomial_clear(c, degree, path->length, noise))
        return INFINITY;
    int count = polynomial_roots_closed(c, degree, path->length, noise, roots);
    return count == 0 && goes_one_way(c, degree) ? INFINITY : choose_root(path, roots, count);
}

// The crossing is this one, and no other comes with it.
static inline bool stands_alone(const GuardPath* path, double first, double second)
{
    double far = TIME_GUARD_MOST * kernel_slack(path->flow->kernel, path->start + path->length);
    double apart = larger(far, 2 * TIME_SAME_PART * path->length);
    return second - first > apart && path->length - first > apart;
}

static inline bool is_short(const Flow* flow, uint32_t island)
{
    const Ode* ode = island_ode(flow, island);
    return flow->root == ROOT_ITP && flow->kernel->holds == 0 && flow->kernel->slides == 0 && ode_is_series(ode);
}

#endif
