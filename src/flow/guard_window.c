// A window: the part of a step for which the polynomial of a guard holds, and the first place there at which the guard
// crosses (rule C2). All roots of the polynomial are isolated, in order, and what the guard remembers (its side, its
// latch) decides which is the first that counts. What is past its level by no more than its own operators round by
// (guard_rounding.c) is on it, and has not crossed: wherever a window happens to end.
#include "flow/guard_window.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>

// ---- locating
// --------------------------------------------------------------------------------------------------------

// Newton's method on the guard itself, which its polynomial is close to. False: it was still on its way, as at roots of
// a higher order.
static bool polish(const GuardPath* path, const GuardPolynomial* p, double theta, double reach, double* tau)
{
    double from = *tau, change = 0, place = guard_path_tolerance(path) * path->length;
    for (int round = 0; round < 4; round++)
    {
        change = guard_path_value(path, theta + *tau / path->length) / polynomial_slope(p->c, p->degree, *tau);
        if (!(fabs(*tau - change - from) <= CROSSING_POLISH * reach) || !(*tau - change > 0))
            return true;
        *tau -= change;
        if (fabs(change) <= FIXED_POINT_STILL * (*tau + theta * path->length))
            break;
    }
    return fabs(change) <= WINDOW_PLACES * place;
}

// The guard has crossed at `at`, and may have been there for a while.
static double locate_between(const GuardPath* path, double lo, double at)
{
    double g = guard_path_value(path, lo);
    bool clear = g != 0 && !is_past(path->flow->kernel, path->guard, g) && !guard_path_on_level(path, lo, g);
    return clear ? guard_samples_locate(path, lo, at) : at;
}

// The root at tau after theta is where the guard crosses.
static double locate(const GuardPath* path, const GuardPolynomial* p, double theta, const PolynomialRoot* root,
                     double lo, double limit)
{
    double tau = root->after;
    const Kernel* kernel = path->flow->kernel;
    if (path->flow->root != ROOT_ITP && is_past(kernel, path->guard, guard_path_value(path, limit)))
        return guard_samples_locate(path, lo, limit);  // a method of the papers was asked for
    bool settled = p->exact || !(tau > 0) || polish(path, p, theta, (limit - theta) * path->length, &tau);
    bool sum = path->flow->guard_affine[path->index];
    double at =
        guard_push_past(path, theta + tau / path->length, limit, sum ? polynomial_slope(p->c, p->degree, tau) : 0);
    return settled || !(at < INFINITY) ? at : locate_between(path, lo, at);
}

// ---- one window
// ------------------------------------------------------------------------------------------------------

// Two islands that move together keep their distance but for the rounding of each: that is no crossing.
static double noise_apart(const GuardWindow* w)
{
    Flow* flow = w->path->flow;
    const Guard* guard = w->path->guard;
    double scale = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
        scale = larger(scale, fabs(kernel_states(flow->kernel)[flow->model->guard_states[guard->first_state + i]]));
    return GUARD_NOISE_APART * scale;
}

// Where a guard is no sum of states, its operators say what the rounding of these makes of it.
static double noise_of(const GuardWindow* w)
{
    double own = GUARD_NOISE * fabs(w->p.c[0]);
    if (w->path->guard->islands.count <= 1)
        return own;
    double apart = noise_apart(w);
    if (!w->path->guard->curved || polynomial_clear(w->p.c, w->p.degree, w->length, larger(own, apart)))
        return apart;
    return larger(own, smaller(apart, WINDOW_ROUNDINGS * guard_path_rounding(w->path, w->theta)));
}

static double end_value(const GuardWindow* w)
{
    return w->p.exact ? polynomial_plain(w->p.c, w->p.degree, w->length) : w->g_end;
}

// An extremum so close to the level that the tolerances of the run could have made a touch of it.
static void note_near_touches(const GuardWindow* w)
{
    double rtol = w->path->flow->kernel->options->rtol;
    const GuardPolynomial* p = &w->p;
    double g_end = end_value(w), near = 10 * (rtol * larger(fabs(p->c[0]), fabs(g_end)) + rtol / 100);
    PolynomialRoot roots[GUARD_TERMS];
    if (!(fabs(p->c[0]) > near) || !(fabs(g_end) > near) || polynomial_clear(p->c, p->degree, w->length, near))
        return;
    int count = polynomial_roots(p->c, p->degree, w->length, near, roots, GUARD_TERMS);
    for (int i = 0; i < count; i++)
        if (roots[i].touch)
            guard_note_touch(w->path, w->theta + roots[i].after / w->path->length);
}

// Whether the guard would stand as well with its relation the other way: a field that leads back to the level at once
// is another matter (rules C4, C7).
static bool stands_either_way(const GuardWindow* w)
{
    Flow* flow = w->path->flow;
    double *latch = &flow->kernel->R[w->path->guard->latch], before = *latch;
    guard_path_load(w->path, w->theta);
    *latch = before == 0;
    bool stands = guard_stands(flow, w->path->index);
    *latch = before;
    return guard_stands(flow, w->path->index) && stands;  // and the registers are those of the step
}

// On its level, to the last bit, and it stays there: a relation is what it is on it (cos(max(x, 0)^2) < 1 from x = 0
// on).
static bool stays_on_level(const GuardWindow* w)
{
    bool still = !w->p.exact && w->g_end == 0;
    for (int k = 0; k <= w->p.degree && still; k++)
        still = w->p.c[k] == 0;
    return still && stands_either_way(w);
}

// Past its level where the window starts, and not only by rounding that the next root makes good.
static bool starts_past(const GuardWindow* w, const PolynomialRoot* roots, int count)
{
    const Flow* flow = w->path->flow;
    const Guard* guard = w->path->guard;
    if (!is_past(flow->kernel, guard, w->p.c[0]))
        return false;
    if (stays_on_level(w))
        return true;
    if (guard_path_on_level(w->path, w->theta, w->p.c[0]))
        return false;
    bool returns = count > 0 && !roots[0].touch && !is_past(flow->kernel, guard, roots[0].to);
    double rounding = CROSSING_PAST_ROUNDING * polynomial_bound(w->p.c, w->p.degree, w->length, 1), slope = w->p.c[1];
    if (returns && w->theta == 0 && slope != 0)  // it may have counted as crossed at the end of the step before
        rounding = larger(rounding, 2 * fabs(slope) * guard_crossing_slack(w->path, w->path->start, w->p.c[0], slope));
    return !returns || fabs(w->p.c[0]) > rounding;
}

// There and back, by no more than the rounding of the states that the step was interpolated from: a touch (rule C2).
static bool only_touches(const GuardWindow* w, const PolynomialRoot* there, const PolynomialRoot* back)
{
    if (there->to != -back->to || there->from != back->to)
        return false;
    double tau = 0.5 * (there->after + back->before), part = tau / w->length;
    double g = fabs(polynomial_value(w->p.c, w->p.degree, tau));
    double size = fabs(w->p.c[0]) + (w->p.exact ? part * fabs(end_value(w)) : 0);
    if (g <= CROSSING_TOUCH * size)
        return true;
    return g <= CROSSING_NEAR * size &&
           g <= CROSSING_ROUNDINGS * guard_path_rounding(w->path, w->theta + tau / w->path->length);
}

// It goes over its level and is on it still, for all that can be told up to the next root or the end: nothing has
// happened yet.
static bool only_reaches(const GuardWindow* w, double root, double limit)
{
    double middle = 0.5 * (root + limit);
    return guard_path_on_level(w->path, middle, guard_path_value(w->path, middle)) &&
           (limit < w->end || guard_path_on_level(w->path, limit, guard_path_value(w->path, limit)));
}

// The first root that counts. Others turn what a crossing remembers.
static double walk_roots(const GuardWindow* w, const PolynomialRoot* roots, int count)
{
    const GuardPath* path = w->path;
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    double lo = w->theta;
    if (starts_past(w, roots, count))
        return guard_push_past(path, w->theta + guard_path_tolerance(path), w->end, 0);
    for (int i = 0; i < count; i++)
    {
        const PolynomialRoot* root = &roots[i];
        double limit = i + 1 < count ? w->theta + roots[i + 1].before / path->length : w->end;
        bool touch = root->touch && root->from != 0;  // what was before the start is what the guard remembers
        if (!touch && only_reaches(w, w->theta + root->after / path->length, limit))
            continue;
        if (!touch && i + 1 < count && only_touches(w, root, root + 1))
        {
            touch = true;
            i++;
        }
        if (touch)
            guard_note_touch(path, w->theta + root->after / path->length);
        else if (is_past(flow->kernel, guard, root->to))
        {
            double at = locate(path, &w->p, w->theta, root, lo, limit);
            if (at < INFINITY)
                return at;
        }
        else if (is_crossing(guard) && root->to != 0)
            flow->kernel->R[guard->side] = root->to;
        lo = w->theta + root->after / path->length;
    }
    if (count == 0)
        note_near_touches(w);
    return INFINITY;
}

// What the guard remembers at the end of the window; where rounding hid a crossing from the polynomial, that.
double guard_window_pass_end(const GuardWindow* w, double at)
{
    const GuardPath* path = w->path;
    Flow* flow = path->flow;
    if (at < INFINITY)
        return at;
    double g = w->end < 1 ? w->g_end : guard_path_value(path, 1);
    bool past = is_past(flow->kernel, path->guard, g), turned = guard_has_turned(flow->kernel, path->guard, g);
    if ((past || turned) && guard_path_on_level(path, w->end, g))
        return INFINITY;
    if (past)
        return guard_samples_locate(path, w->theta, w->end);
    if (turned)
        flow->kernel->R[path->guard->side] = sign_of(g);
    return INFINITY;
}

// A root that the guard itself, by its sign at the end, has not reached yet.
static bool lies_beyond(const GuardWindow* w, const PolynomialRoot* root)
{
    if (root->touch || w->length - root->after > WINDOW_END * w->length)
        return false;
    double g = w->end < 1 ? w->g_end : guard_path_value(w->path, 1);
    double size = polynomial_bound(w->p.c, w->p.degree, w->length, 0);
    return g != 0 && root->to != sign_of(g) && fabs(g) <= WINDOW_AGREES * size;
}

static double search(const GuardWindow* w)
{
    const GuardPolynomial* p = &w->p;
    PolynomialRoot roots[GUARD_TERMS];
    double noise = noise_of(w);
    if (polynomial_clear(p->c, p->degree, w->length, noise))
    {
        bool past = is_past(w->path->flow->kernel, w->path->guard, p->c[0]);
        if (p->exact && !past)
            return INFINITY;
        return guard_window_pass_end(w, past ? walk_roots(w, NULL, 0) : INFINITY);
    }
    int count = p->exact ? polynomial_roots_closed(p->c, p->degree, w->length, noise, roots) : POLYNOMIAL_DOUBT;
    if (count > 0)  // what the guard itself says at them, and at the end, settles the last digits
        return guard_window_pass_end(w, walk_roots(w, roots, count));
    count = polynomial_roots(p->c, p->degree, w->length, noise, roots, GUARD_TERMS);
    if (count < 0)  // it stands on its level
        return guard_window_pass_end(w, walk_roots(w, NULL, 0));
    if (count > 0 && count <= GUARD_TERMS && lies_beyond(w, &roots[count - 1]))
        count--;
    return guard_window_pass_end(w, walk_roots(w, roots, count < GUARD_TERMS ? count : GUARD_TERMS));
}

double guard_window_search(const GuardWindow* w)
{
    return guard_flat_place(w, search(w));
}

// ---- how far a polynomial holds
// --------------------------------------------------------------------------------------

// As long as the last terms are below rounding, so that what was cut off is.
static double resolved_length(const GuardPolynomial* p, double length)
{
    for (int round = 0; round < 60; round++)
    {
        double size = polynomial_bound(p->c, p->degree, length, 0), longest = length;
        if (!isfinite(size))  // near a pole coefficients are beyond all numbers: it holds nowhere near so far
        {
            length *= 0x1p-16;
            continue;
        }
        for (int k = p->degree; k > 0 && k > p->degree - 3; k--)
            if (p->c[k] != 0)
                longest = smaller(longest, pow(WINDOW_TERMS * size / fabs(p->c[k]), 1. / k));
        if (longest >= length)
            break;
        length = smaller(longest, 0.95 * length);
    }
    return length;
}

static double end_of(const GuardPath* path, double theta, double length)
{
    double end = theta + length / path->length;
    return end < 1 - 4 * DBL_EPSILON ? end : 1;
}

static double misfit(const GuardWindow* w, double part)
{
    double theta = w->theta + part * (w->end - w->theta);
    double g = part < 1 ? guard_path_value(w->path, theta) : w->g_end;
    return fabs(polynomial_plain(w->p.c, w->p.degree, part * w->length) - g);
}

// At the end of the window; inside as well where the series was taken to have ended, since what it left out may vanish
// at the end.
static double misfit_most(const GuardWindow* w)
{
    double off = misfit(w, 1);
    return w->p.ended ? larger(off, larger(misfit(w, WINDOW_LOOK_1), misfit(w, WINDOW_LOOK_2))) : off;
}

// What the guard is known to at best at the end of the window: t has a last digit, and its operators round.
static double noise_at_end(const GuardWindow* w)
{
    double slope = 0, t = guard_path_time(w->path, w->end);
    for (int k = w->p.degree; k > 0; k--)
        slope = slope * w->length + k * fabs(w->p.c[k]);
    double noise = TIME_SAME * fabs(t) * slope;
    return larger(noise, WINDOW_ROUNDINGS * guard_path_rounding(w->path, w->end));
}

// A pole, or terms that vanish by symmetry, show as a difference between the polynomial and the guard. A small one that
// does not shrink with the window is the rounding of the guard.
static void agree(GuardWindow* w)
{
    const GuardPath* path = w->path;
    double last = INFINITY, least = guard_path_tolerance(path);
    for (int round = 0; round < 60 && w->end - w->theta > least; round++)
    {
        w->g_end = guard_path_value(path, w->end);
        double size = polynomial_bound(w->p.c, w->p.degree, w->length, 0), off = misfit_most(w);
        if (off <= WINDOW_AGREES * size || (off > 0.2 * last && off <= WINDOW_ROUGH * size))
            return;
        if (off > 0.2 * last && off <= noise_at_end(w))
            return;
        last = off;
        w->length *= 0.25;
        w->end = end_of(path, w->theta, w->length);
    }
}

bool guard_window_open(const GuardPath* path, double theta, GuardWindow* w)
{
    double rest = (1 - theta) * path->length;
    w->path = path;
    w->theta = theta;
    w->end = 1;
    w->length = rest;
    if (!guard_path_polynomial(path, theta, rest, false, &w->p))
        return false;
    if (w->p.exact)
        return true;
    double known = w->p.until - guard_path_time(path, theta);
    double clear = (guard_path_unhidden(path, theta, 1) - theta) * path->length;
    w->length = resolved_length(&w->p, smaller(clear, known > 0 && known < rest ? known : rest));
    w->end = end_of(path, theta, w->length);
    agree(w);
    double certain = guard_window_certain(w);
    if (certain < w->length)
    {
        w->length = certain;
        w->end = end_of(path, theta, certain);
        w->g_end = guard_path_value(path, w->end);
    }
    return true;
}
