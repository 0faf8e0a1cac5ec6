// Crossings of guards that have no power series: external functions, and places where a root or a power starts at 0.
// A piece is halved until the cubic through both ends, with their slopes, agrees with the middle; then two roots inside
// it show as an extremum, found as the root of the exact slope. What swings faster than a million samples in a step
// tell is reported.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <math.h>

typedef struct Samples
{
    const GuardPath* path;
    int count;
    bool spent;
    double theta;  // where the crossing lies
} Samples;

static double root_function(void* ctx, double theta)
{
    const GuardPath* path = ctx;
    return path->toward * guard_path_value(path, theta);
}

// The same, per fraction of the step.
static double root_slope(void* ctx, double theta)
{
    const GuardPath* path = ctx;
    return path->toward * guard_path_slope(path, theta) * path->length;
}

static double slope_function(void* ctx, double theta)
{
    const GuardPath* path = ctx;
    return -path->toward * guard_path_slope(path, theta);
}

static double bisect_past(const GuardPath* path, double lo, double hi)
{
    const double tolerance = guard_path_tolerance(path);
    while (hi - lo > tolerance)
    {
        double mid = 0.5 * (lo + hi);
        if (!(mid > lo && mid < hi))
            break;
        if (is_past(path->flow->kernel, path->guard, guard_path_value(path, mid)))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

double guard_samples_locate(const GuardPath* path, double lo, double hi)
{
    double g_lo = guard_path_value(path, lo), g_hi = guard_path_value(path, hi), tolerance = guard_path_tolerance(path);
    if (!(path->toward * g_lo < 0) || !(path->toward * g_hi > 0))
        return bisect_past(path, lo, hi);  // no sign to go by
    RootResult root = root_find_sloped(path->flow->root, root_function, root_slope, (void*)path, lo,
                                       path->toward * g_lo, hi, path->toward * g_hi, tolerance);
    // A relation that is strict on the far side has not crossed at an exact zero yet.
    bool level = root.f_after == 0 && !is_past(path->flow->kernel, path->guard, 0) && root.after + tolerance < hi;
    return level ? root.after + tolerance : root.after;
}

static bool found_at(Samples* s, double lo, double hi)
{
    s->theta = guard_samples_locate(s->path, lo, hi);
    return true;
}

// A dip towards the level and back inside the piece: slopes at the ends tell, the exact slope locates it.
static bool find_dip(Samples* s, const GuardPiece* p)
{
    GuardPath turned = *s->path;
    const Flow* flow = turned.flow;
    double h = turned.length * (p->hi - p->lo);
    // A crossing that has completed must first go back over the level.
    bool rearm = is_crossing(turned.guard) && turned.toward * flow->kernel->R[turned.guard->side] > 0;
    int toward = turned.toward = rearm ? -turned.toward : turned.toward;
    if (!(toward * p->slope_lo > 0) || !(toward * p->slope_hi < 0) || (rearm && !(toward * p->g_hi < 0)))
        return false;
    if (fabs(p->g_lo) > h * fabs(p->slope_lo) && fabs(p->g_hi) > h * fabs(p->slope_hi))
        return false;  // even the steeper end does not reach
    RootResult top = root_find(ROOT_ITP, slope_function, &turned, p->lo, -toward * p->slope_lo, p->hi,
                               -toward * p->slope_hi, (rearm ? CROSSING_COARSEST : TOUCH_PLACE) * (p->hi - p->lo));
    double part = rearm ? (top.after - p->lo) / (p->hi - p->lo) : 1;
    double g_top = guard_path_value(s->path, top.after), scale = fmax(fabs(p->g_lo), part * fabs(p->g_hi));
    if (fabs(g_top) > TOUCH_SAMPLED * scale &&
        toward * g_top > 0)  // otherwise zero but for rounding: a touch (rule C2)
        return rearm ? found_at(s, top.after, p->hi) : found_at(s, p->lo, top.after);
    if (fabs(g_top) <= 10 * (flow->kernel->options->rtol * scale + flow->kernel->options->rtol / 100))
        guard_note_touch(s->path, top.after);
    return false;
}

static bool is_smooth(const GuardPath* path, const GuardPiece* p, double g_mid, double slope_mid)
{
    double h = path->length * (p->hi - p->lo);
    double cubic = 0.5 * (p->g_lo + p->g_hi) + 0.125 * h * (p->slope_lo - p->slope_hi);
    double slope = 1.5 * (p->g_hi - p->g_lo) - 0.25 * h * (p->slope_lo + p->slope_hi);
    double scale = fmax(fabs(p->g_lo), fabs(p->g_hi)) + fabs(g_mid);
    bool bent = fabs(cubic - g_mid) > 0.02 * scale || fabs(slope - h * slope_mid) > 0.1 * scale;
    return !bent;  // nor where it is no number: nothing is to be seen there
}

static void warn(Samples* s, double theta)
{
    const GuardPath* path = s->path;
    if (!s->spent)
        kernel_warn(
            path->flow->kernel, path->guard->place,
            "`%s` swings faster than a million samples tell, near t = %.9g: some of its crossings may be missing; "
            "`max_step` shortens the steps",
            model_string(path->flow->model, path->guard->text), guard_path_time(path, theta));
    s->spent = true;
}

enum
{
    LEAST = 3,  // halvings in any case
    MOST = 1000000,
    BREATH = 256,  // samples between two looks at limits and interrupts
};

// One more sample? An interrupt or a limit ends all of them; whoever asked for them sees that himself.
static bool may_go_on(Samples* s)
{
    s->count++;
    if (s->count % BREATH == 0 && s->count < MOST && !budget_look_inside(s->path->flow->kernel->budget))
    {
        s->count = MOST;
        s->spent = true;
    }
    return s->count < MOST;
}

static bool scan_piece(Samples* s, const GuardPiece* p, int depth)
{
    const GuardPath* path = s->path;
    const Flow* flow = path->flow;
    GuardPiece left = *p, right = *p;
    left.hi = right.lo = 0.5 * (p->lo + p->hi);
    left.slope_hi = right.slope_lo = guard_path_slope(path, left.hi);
    left.g_hi = right.g_lo = guard_value(flow->kernel, path->guard);
    bool smooth = depth >= LEAST && is_smooth(path, p, left.g_hi, left.slope_hi);
    bool divisible = p->hi - p->lo > 4 * guard_path_tolerance(path);
    if (!smooth && divisible && may_go_on(s))
        return scan_piece(s, &left, depth + 1) || scan_piece(s, &right, depth + 1);
    if (!smooth && divisible)
        warn(s, p->lo);
    // Still on the level that it is about to leave: halving came to where time no longer moves.
    bool stands = p->g_lo == 0 && p->g_hi == 0;
    if (!stands && is_past(flow->kernel, path->guard, p->g_hi))
        return found_at(s, p->lo, p->hi);
    if (find_dip(s, p))
        return true;
    if (is_crossing(path->guard) && p->g_hi != 0)
        flow->kernel->R[path->guard->side] = sign_of(p->g_hi);  // armed again for the next piece
    return false;
}

bool guard_samples_search(const GuardPath* path, double lo, double hi, double* theta)
{
    Samples s = {.path = path};
    GuardPiece p = {.lo = lo, .hi = hi};
    p.slope_lo = guard_path_slope(path, lo);
    p.g_lo = guard_value(path->flow->kernel, path->guard);
    p.slope_hi = guard_path_slope(path, hi);
    p.g_hi = guard_path_value(path, hi);
    bool found = scan_piece(&s, &p, 0);
    *theta = s.theta;
    return found;
}
