// Where a guard that is flat on its level passes through it. tanh(x) - x is -x³/3: within 1e-8 of x = 0 it is 0 but for
// rounding, and the roots of its polynomial scatter over 1e-5. Its second derivative is not flat there and vanishes at
// the same place, to the last digit: of a root of the odd order m that is where the derivative m - 1 goes through 0.
#include "base/tolerance.h"
#include "flow/guard_window.h"

#include <math.h>

// The order of the root that the guard has near the middle of an expansion which reaches as far as `way`: the first
// term that counts there.
static int order_of(const GuardPolynomial* p, double way)
{
    double most = 0, power = 1;
    int first = 0;
    for (int k = 0; k <= p->degree; k++, power *= way)
        most = larger(most, fabs(p->c[k]) * power);
    power = 1;
    while (first < p->degree && !(fabs(p->c[first]) * power >= FLAT_TERM * most))
    {
        first++;
        power *= way;
    }
    return first;
}

// The place beside theta where the derivative below that order vanishes; NaN: the root is not flat, or a touch.
static double centre(const GuardPath* path, double theta, double way)
{
    GuardPolynomial p;
    if (!guard_path_polynomial(path, theta, way, true, &p) || p.exact)
        return NAN;
    int m = order_of(&p, way);
    double tau = m >= 3 && m % 2 == 1 ? -p.c[m - 1] / (m * p.c[m]) : NAN;
    return fabs(tau) <= FLAT_NEAR * way ? theta + tau / path->length : NAN;
}

// As steep as its way to the level asks for, by its polynomial.
static bool is_steep(const GuardWindow* w, double at)
{
    double tau = (at - w->theta) * w->path->length;
    return fabs(polynomial_slope(w->p.c, w->p.degree, tau)) * tau > FLAT_STEEP * fabs(w->p.c[0]);
}

double guard_flat_place(const GuardWindow* w, double at)
{
    const GuardPath* path = w->path;
    // a crossing must be on the far side, beyond all rounding, or would be armed again
    if (!(at < INFINITY) || w->p.exact || is_crossing(path->guard) || !(at > w->theta) || is_steep(w, at))
        return at;
    if (is_past(path->flow->kernel, path->guard, w->p.c[0]) ||
        !is_past(path->flow->kernel, path->guard, guard_path_value(path, at)))
        return at;
    double near = guard_samples_locate(path, w->theta, at), way = (near - w->theta) * path->length;
    double place = centre(path, near, way);
    bool known = place > w->theta && place <= at && guard_path_on_level(path, place, guard_path_value(path, place));
    return known ? place : near;
}
