// Where guards cross (rule C2). After every accepted step of an island the guards that read it alone are looked at; a
// guard that reads several islands looks for itself, in the part of time that their last steps have in common.
//
// Along the step a guard is a polynomial (guard_path.c). Where |c0| exceeds all other terms it does not cross;
// otherwise all its roots are isolated, in order, and what a guard remembers (its side, its latch) decides which is the
// first that counts. A guard that is not affine in the states has a series that is cut off: it is taken for as long as
// its last terms are below rounding and its end agrees with the guard itself, and expanded again from there. So nothing
// is sampled, and nothing is called smooth that was not resolved. The located time is on the far side, by the same
// evaluation that the instant there will use.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <float.h>
#include <math.h>

enum
{
    WINDOWS_MOST = 100000,  // in one search; then the step is cut where it has got to
    GAPS_MOST = 64,         // places of a guard in one step that no window resolves
};

// ---- times that are one (rule T6)
// ------------------------------------------------------------------------------------

// Crossings closer than this part of the step share one instant.
static double theta_share(const Flow* flow, double start, double length)
{
    return larger(TIME_SAME_PART, kernel_slack(flow->kernel, larger(fabs(start), fabs(start + length))) / length);
}

static double steps_behind(const GuardPath* path)
{
    const IndexRange islands = path->guard->islands;
    double most = 0;
    for (uint32_t i = 0; i < islands.count; i++)
    {
        uint32_t island = path->flow->model->guard_islands[islands.first + i];
        most = larger(most, (double)island_taken(path->flow, island));
    }
    return most;
}

double guard_crossing_slack(const GuardPath* path, double t, double g, double slope)
{
    double slack = kernel_slack(path->flow->kernel, t), rounds = 1 + steps_behind(path) / TIME_STEPS_SAME;
    double own = rounds * TIME_SAME * guard_largest_term(path, g, slope) / fabs(slope);
    return own > slack ? smaller(own, TIME_GUARD_MOST * slack) : slack;
}

// Zero but for rounding where the step ends, and on its way through: it crosses there, on whichever side rounding has
// left it. Something else may be due at that time, or a row of the solver stand there already.
static bool crosses_at_end(const GuardPath* path, double side)
{
    const Guard* guard = path->guard;
    double* R = path->flow->kernel->R;
    const GuardState* state = &path->flow->kernel->guards[path->index];
    if (!(state->toward * state->slope_end > 0) || guard->one_way)
        return false;
    if (fabs(state->slope_end) * path->length < GUARD_STEEP * fabs(state->g_end - state->g))
        return false;  // it touches
    double end = guard_path_time(path, 1), before = is_crossing(guard) ? R[guard->side] : 0;
    double most = fabs(state->slope_end) * TIME_GUARD_MOST * kernel_slack(path->flow->kernel, end);
    if (fabs(state->g_end) > most)
        return false;
    if (is_crossing(guard))
        R[guard->side] = side;
    bool would = is_past(path->flow->kernel, guard, state->toward);
    if (is_crossing(guard))
        R[guard->side] = before;
    double slack = guard_crossing_slack(path, end, state->g_end, state->slope_end);
    return would && fabs(state->g_end) <= fabs(state->slope_end) * slack;
}

// What lies on its level at the end of a step, on its way through, came from the near side: where g was there already
// when its slope says that it was not, rounding has flattened it (log(1 + z^2) near z = 0), and it does not cross.
static bool came_flat(const GuardPath* path)
{
    const GuardState* state = &path->flow->kernel->guards[path->index];
    double end = guard_path_time(path, 1), g = state->g_end, slope = state->slope_end;
    double back = GUARD_FLAT_BACK * guard_crossing_slack(path, end, g, slope);
    if (!(back < 0.5 * path->length))
        return false;
    double before = guard_path_value(path, 1 - back / path->length);
    return fabs(g - before) < GUARD_FLAT_PART * fabs(slope) * back;
}

// ---- locating
// --------------------------------------------------------------------------------------------------------

// Newton's method on the guard itself, which its polynomial is close to.
static double polish(const GuardPath* path, const GuardPolynomial* p, double theta, double tau, double reach)
{
    double from = tau;
    for (int round = 0; round < 4; round++)
    {
        double change = guard_path_value(path, theta + tau / path->length) / polynomial_slope(p->c, p->degree, tau);
        if (!(fabs(tau - change - from) <= CROSSING_POLISH * reach) || !(tau - change > 0))
            return tau;
        tau -= change;
        if (fabs(change) <= FIXED_POINT_STILL * (tau + theta * path->length))
            break;
    }
    return tau;
}

// The root at tau after theta is where the guard crosses.
static double locate(const GuardPath* path, const GuardPolynomial* p, double theta, const PolynomialRoot* root,
                     double lo, double limit)
{
    double tau = root->after;
    if (path->flow->root != ROOT_ITP && is_past(path->flow->kernel, path->guard, guard_path_value(path, limit)))
        return guard_samples_locate(path, lo, limit);  // a method of the papers was asked for
    if (!p->exact && tau > 0)
        tau = polish(path, p, theta, tau, (limit - theta) * path->length);
    bool sum = path->flow->guard_affine[path->index];
    return guard_push_past(path, theta + tau / path->length, limit, sum ? polynomial_slope(p->c, p->degree, tau) : 0);
}

// ---- one window
// ------------------------------------------------------------------------------------------------------

typedef struct Window
{
    const GuardPath* path;
    GuardPolynomial p;
    double theta, end;  // of the step
    double length;      // of time
    double g_end;       // of an exact polynomial its value there
} Window;

// Two islands that move together keep their distance but for the rounding of each: that is no crossing.
static double noise_of(const Window* w)
{
    Flow* flow = w->path->flow;
    const Guard* guard = w->path->guard;
    double scale = 0;
    if (guard->islands.count <= 1)
        return GUARD_NOISE * fabs(w->p.c[0]);
    for (uint32_t i = 0; i < guard->state_count; i++)
        scale = larger(scale, fabs(kernel_states(flow->kernel)[flow->model->guard_states[guard->first_state + i]]));
    return GUARD_NOISE_APART * scale;
}

static double end_value(const Window* w)
{
    return w->p.exact ? polynomial_plain(w->p.c, w->p.degree, w->length) : w->g_end;
}

// An extremum so close to the level that the tolerances of the run could have made a touch of it.
static void note_near_touches(const Window* w)
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

// Past its level where the window starts, and not only by rounding that the next root makes good.
static bool starts_past(const Window* w, const PolynomialRoot* roots, int count)
{
    const Flow* flow = w->path->flow;
    const Guard* guard = w->path->guard;
    if (!is_past(flow->kernel, guard, w->p.c[0]))
        return false;
    bool returns = count > 0 && !roots[0].touch && !is_past(flow->kernel, guard, roots[0].to);
    double rounding = CROSSING_PAST_ROUNDING * polynomial_bound(w->p.c, w->p.degree, w->length, 1), slope = w->p.c[1];
    if (returns && w->theta == 0 && slope != 0)  // it may have counted as crossed at the end of the step before
        rounding = larger(rounding, 2 * fabs(slope) * guard_crossing_slack(w->path, w->path->start, w->p.c[0], slope));
    return !returns || fabs(w->p.c[0]) > rounding;
}

// There and back, by no more than the rounding of the states that the step was interpolated from: a touch (rule C2).
static bool only_touches(const Window* w, const PolynomialRoot* there, const PolynomialRoot* back)
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

// The first root that counts. Others turn what a crossing remembers.
static double walk_roots(const Window* w, const PolynomialRoot* roots, int count)
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
        bool touch = root->touch;
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
static double pass_end(const Window* w, double at)
{
    const GuardPath* path = w->path;
    Flow* flow = path->flow;
    if (at < INFINITY)
        return at;
    double g = w->end < 1 ? w->g_end : guard_path_value(path, 1);
    if (is_past(flow->kernel, path->guard, g))
        return guard_samples_locate(path, w->theta, w->end);
    if (is_crossing(path->guard) && g != 0)
        flow->kernel->R[path->guard->side] = sign_of(g);
    return INFINITY;
}

// A root that the guard itself, by its sign at the end, has not reached yet.
static bool lies_beyond(const Window* w, const PolynomialRoot* root)
{
    if (root->touch || w->length - root->after > WINDOW_END * w->length)
        return false;
    double g = w->end < 1 ? w->g_end : guard_path_value(w->path, 1);
    double size = polynomial_bound(w->p.c, w->p.degree, w->length, 0);
    return g != 0 && root->to != sign_of(g) && fabs(g) <= WINDOW_AGREES * size;
}

static double search_window(const Window* w)
{
    const GuardPolynomial* p = &w->p;
    PolynomialRoot roots[GUARD_TERMS];
    double noise = noise_of(w);
    if (polynomial_clear(p->c, p->degree, w->length, noise))
    {
        bool past = is_past(w->path->flow->kernel, w->path->guard, p->c[0]);
        if (p->exact && !past)
            return INFINITY;
        return pass_end(w, past ? walk_roots(w, roots, 0) : INFINITY);
    }
    int count = p->exact ? polynomial_roots_closed(p->c, p->degree, w->length, noise, roots) : POLYNOMIAL_DOUBT;
    if (count > 0)  // what the guard itself says at them, and at the end, settles the last digits
        return pass_end(w, walk_roots(w, roots, count));
    count = polynomial_roots(p->c, p->degree, w->length, noise, roots, GUARD_TERMS);
    if (count < 0)
        return INFINITY;  // it stands on its level
    if (count > 0 && count <= GUARD_TERMS && lies_beyond(w, &roots[count - 1]))
        count--;
    return pass_end(w, walk_roots(w, roots, count < GUARD_TERMS ? count : GUARD_TERMS));
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

// A pole, or terms that vanish by symmetry, show at the end of the window. A difference that does not shrink with the
// window is the rounding of the guard.
static void agree_at_end(Window* w)
{
    const GuardPath* path = w->path;
    double last = INFINITY;
    for (int round = 0; round < 60; round++)
    {
        w->g_end = guard_path_value(path, w->end);
        double size = polynomial_bound(w->p.c, w->p.degree, w->length, 0);
        double off = fabs(polynomial_plain(w->p.c, w->p.degree, w->length) - w->g_end);
        if (off <= WINDOW_AGREES * size || off > 0.2 * last)
            return;
        last = off;
        w->length *= 0.25;
        w->end = end_of(path, w->theta, w->length);
    }
}

// The guard from theta on. False: it has no polynomial there.
static bool open_window(const GuardPath* path, double theta, Window* w)
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
    w->length = resolved_length(&w->p, known > 0 && known < rest ? known : rest);
    w->end = end_of(path, theta, w->length);
    agree_at_end(w);
    return true;
}

// ---- one guard
// -------------------------------------------------------------------------------------------------------

static void give_up(const GuardPath* path, Candidate* c)
{
    kernel_warn(path->flow->kernel, path->guard->place,
                "`%s` swings faster than time resolves, near t = %.9g: some of its crossings may be missing",
                model_string(path->flow->model, path->guard->text), guard_path_time(path, c->reached));
    c->reached = 1;
    if (is_past(path->flow->kernel, path->guard, guard_path_value(path, 1)))
        c->after = 1;
}

// Where there is no polynomial: samples, of a small part if there may be one behind it. With foreign code in the model
// it is that which has none, anywhere.
static void scan_samples(const GuardPath* path, Candidate* c)
{
    bool small = c->windows < 40 && path->flow->model->blocks_count == 0;
    double end = small ? c->reached + (1 - c->reached) * 0x1p-10 : 1, at;
    if (guard_samples_search(path, c->reached, end, &at))
        c->after = at;
    c->reached = end;
}

static void scan_window(const GuardPath* path, Candidate* c)
{
    Window w;
    c->windows++;
    if (!open_window(path, c->reached, &w))
    {
        scan_samples(path, c);
        return;
    }
    double least = 4 * guard_path_tolerance(path);
    if (w.end < 1 && w.end - w.theta < least)
    {
        w.end = smaller(1, w.theta + least);
        w.g_end = guard_path_value(path, w.end);
        if (++c->gaps > GAPS_MOST)
        {
            give_up(path, c);
            return;
        }
        c->after = pass_end(&w, INFINITY);
    }
    else
        c->after = search_window(&w);
    c->reached = w.end;
}

// Goes on to `horizon` at least, unless it finds a crossing.
static void scan(const GuardPath* path, Candidate* c, double horizon)
{
    double unused = 0, *side = is_crossing(path->guard) ? &path->flow->kernel->R[path->guard->side] : &unused,
           before = *side;
    *side = c->side;
    do
        scan_window(path, c);
    while (c->after == INFINITY && c->reached < smaller(horizon, 1));
    c->side = *side;
    *side = before;  // until it is known where the step is cut
}

static Candidate candidate_of(const Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    return (Candidate){
        .guard = index, .side = is_crossing(guard) ? flow->kernel->R[guard->side] : 0, .after = INFINITY};
}

// ---- one island
// ------------------------------------------------------------------------------------------------------

// zeno = continue holds all that it reads: it does not move, whatever the dense output of the solver makes of that.
bool guard_is_held(const Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    bool held = flow->kernel->holds > 0 && guard->state_count > 0;
    if (flow->kernel->guards[index].sliding != 0)
        return true;
    for (uint32_t i = 0; held && i < guard->state_count; i++)
        held = flow->kernel->hold_by[flow->model->guard_states[guard->first_state + i]] != 0;
    return held;
}

static bool is_far(Flow* flow, uint32_t index, uint32_t island)
{
    GuardPath path = guard_path_of_step(flow, index, island);
    return guard_path_far(&path);
}

static void list_candidates(Flow* flow, uint32_t island)
{
    double end = ode_time(flow->island_odes[island]);
    flow->candidate_count = 0;
    bool many = flow->model->guards_count > 4;  // then most are far from their levels
    flow->search_number++;
    for (GuardWalk w = {.island = island}; own_guard(flow->kernel, &w);)
    {
        if (guard_is_held(flow, w.index))
            continue;
        Candidate* c = &flow->candidates[flow->candidate_count++];
        *c = candidate_of(flow, w.index);
        c->reached = many && is_far(flow, w.index, island) ? 1 : 0;
        flow->kernel->guards[w.index].until = end;
    }
    flow->ends_known = false;
}

// The guards of the island and their slopes at the end of its step: asked for only where no crossing comes before.
void guard_load_ends(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    if (flow->ends_known)
        return;
    flow->ends_known = true;
    island_ends(flow, island);
    flow->kernel->R[model->reg_time] = ode_time(flow->island_odes[island]);
    flow->beyond = 0;
    vm_run(model, flow->kernel->R, model->islands[island].events, &flow->trial);
    flow->islands[island].ends_beyond |= flow->beyond > 0;
    flow->kernel->counters.guard_calls++;
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        GuardState* state = &flow->kernel->guards[flow->candidates[i].guard];
        state->g_end = guard_value(flow->kernel, &model->guards[flow->candidates[i].guard]);
        state->slope_end = flow->kernel->R[model->guards[flow->candidates[i].guard].slope];
    }
}

// Guards are looked for beyond the domains of their operators, since a relation may switch before, in this island or in
// one that is behind. Where none has when the next step begins, a guard without a value can decide nothing any more.
kaiStatus guard_check_domain(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    Kernel* kernel = flow->kernel;
    CodeRange code = model->islands[island].events;
    double t = ode_time(flow->island_odes[island]);
    flow->islands[island].ends_beyond = false;
    flow->islands[island].loaded = NAN;
    island_load(flow, island, t);
    kernel->R[model->reg_time] = t;
    vm_run(model, kernel->R, code, &kernel->host);
    for (GuardWalk w = {.island = island}; own_guard(kernel, &w);)
    {
        const Guard* guard = &model->guards[w.index];
        if (!isnan(kernel->R[guard->g]) || !guard_is_active(kernel, guard, false))
            continue;
        char text[100];
        uint32_t culprit = vm_trace_nan(model, kernel->R, code, guard->g);
        kernel->now.t = t;
        return kernel_fail(
            kernel, guard->place,
            "nothing can be decided by it from here on: keep its operand legal (`max`, a mode, a condition)",
            "`%s` has no value at t = %.9g%s", model_string(model, guard->text), t,
            vm_say_operator(model, kernel->R, code, culprit, text, sizeof text));
    }
    return KAI_OK;
}

// One that is alone.
static double scan_alone(Flow* flow, uint32_t island, double* first)
{
    Candidate* c = &flow->candidates[0];
    GuardPath path = guard_path_of_step(flow, c->guard, island);
    for (double horizon = 0; c->after == INFINITY && c->reached < 1 && c->windows < WINDOWS_MOST;
         horizon = 2 * c->reached)
        scan(&path, c, horizon);
    *first = c->after;
    return c->after < INFINITY ? 1 : c->reached;
}

// All guards go forward together, each a window and then twice as far at a time, so that none looks far beyond what
// another one ends. *first: the first crossing; the result: how far all have looked.
static double scan_all(Flow* flow, uint32_t island, double* first)
{
    double horizon = 0, least, bound = 1;
    uint64_t windows = 0;
    *first = INFINITY;
    do
    {
        least = 1;
        for (uint32_t i = 0; i < flow->candidate_count; i++)
        {
            Candidate* c = &flow->candidates[i];
            if (c->after < INFINITY || c->reached >= bound)
                continue;
            GuardPath path = guard_path_of_step(flow, c->guard, island);
            uint32_t before = c->windows;
            scan(&path, c, smaller(horizon, bound));
            windows += c->windows - before;
            *first = smaller(*first, c->after);
            bound = smaller(bound, *first + TIME_GUARD_MOST * theta_share(flow, path.start, path.length));
            least = smaller(least, c->after < INFINITY ? 1 : c->reached);
        }
        horizon = 2 * least;
    } while (least < bound && windows < WINDOWS_MOST);
    return least;
}

// Nothing has crossed as far as could be looked: the step ends there.
static void cut_unseen(Flow* flow, uint32_t island, double theta)
{
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        GuardPath path = guard_path_of_step(flow, flow->candidates[i].guard, island);
        GuardState* state = &flow->kernel->guards[path.index];
        state->slope_end = guard_path_slope(&path, theta);
        state->g_end = guard_path_value(&path, theta);
        state->until = guard_path_time(&path, theta);
    }
}

// How exactly a located crossing is known, in seconds: asked for where another could be the same.
static double located_slack(Flow* flow, const Candidate* c, uint32_t island)
{
    GuardPath path = guard_path_of_step(flow, c->guard, island);
    double slope = guard_path_slope(&path, c->after);
    return guard_crossing_slack(&path, guard_path_time(&path, c->after), guard_value(flow->kernel, path.guard), slope);
}

// Fills in how exactly those at `first`, or close to it, are known; the result is the slack of the first. One that is
// alone, in a model of one island, meets nothing.
static double located_slacks(Flow* flow, uint32_t island, double first)
{
    double length = ode_dense_length(flow->island_odes[island]), slack = 0;
    double far = TIME_GUARD_MOST * kernel_slack(flow->kernel, ode_time(flow->island_odes[island]));
    uint32_t near = 0;
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        flow->kernel->guards[flow->candidates[i].guard].slack = 0;
        near += (flow->candidates[i].after - first) * length <= far;
    }
    for (uint32_t i = 0; i < flow->candidate_count && (near > 1 || flow->model->islands_count > 1); i++)
    {
        const Candidate* c = &flow->candidates[i];
        if (!((c->after - first) * length <= far))
            continue;
        double own = flow->kernel->guards[c->guard].slack = located_slack(flow, c, island);
        slack = c->after == first ? larger(slack, own) : slack;
    }
    return slack;
}

// One that is alone, in a model of one island, meets nothing.
static double take_alone(Flow* flow)
{
    Candidate* c = &flow->candidates[0];
    GuardState* state = &flow->kernel->guards[c->guard];
    flow->kernel->located[flow->kernel->located_count++] = c->guard;
    state->slack = 0;
    state->until = state->from;  // the rest of the step is not looked at
    return c->after;
}

// The crossings that share the instant.
static double collect_located(Flow* flow, uint32_t island, double first, double share)
{
    double theta = first, length = ode_dense_length(flow->island_odes[island]);
    double slack = located_slacks(flow, island, first);
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        if (c->after <= first + larger(share, larger(slack, flow->kernel->guards[c->guard].slack) / length))
            theta = larger(theta, c->after);
    }
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        if (c->after <= theta)
            flow->kernel->located[flow->kernel->located_count++] = c->guard;
        flow->kernel->guards[c->guard].until =
            flow->kernel->guards[c->guard].from;  // the rest of the step is not looked at
    }
    return theta;
}

// Those that cross where the step ends, if the first does. True: there are some.
static bool collect_end(Flow* flow, uint32_t island, double first)
{
    double length = ode_dense_length(flow->island_odes[island]), end = ode_time(flow->island_odes[island]);
    Kernel* kernel = flow->kernel;
    bool all = first >= 1;
    if ((1 - first) * length > TIME_GUARD_MOST * kernel_slack(kernel, end))
        return false;
    guard_load_ends(flow, island);
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        GuardPath path = guard_path_of_step(flow, c->guard, island);
        if (!crosses_at_end(&path, c->side))
            continue;
        bool flat = came_flat(&path);
        island_ends(flow, island);  // which it has looked back from
        if (flat)
            continue;
        kernel->located[kernel->located_count++] = c->guard;
        all |= c->after == first;
    }
    if (!all)
        kernel->located_count = 0;
    for (uint32_t i = 0; i < flow->candidate_count && kernel->located_count > 0; i++)
        kernel->guards[flow->candidates[i].guard].until = kernel->guards[flow->candidates[i].guard].from;
    return kernel->located_count > 0;
}

// A crossing that another one ends the step for may have turned before: it remembers the side on which it is there.
static void keep_sides(Flow* flow, uint32_t island, double theta)
{
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        const Guard* guard = &flow->model->guards[c->guard];
        if (!is_crossing(guard) || c->after <= theta || c->side == flow->kernel->R[guard->side])
            continue;
        GuardPath path = guard_path_of_step(flow, c->guard, island);
        double g = guard_path_value(&path, theta);
        if (g != 0)
            flow->kernel->R[guard->side] = sign_of(g);
    }
}

bool guard_search(Flow* flow, uint32_t island, double* theta)
{
    const Ode* ode = flow->island_odes[island];
    double first;
    flow->kernel->located_count = 0;
    GuardShort found = guard_search_short(flow, island, theta);
    if (found == SHORT_CROSSED)
        return true;
    list_candidates(flow, island);
    if (found == SHORT_CLEAR && flow->candidate_count > 0)
    {
        if (collect_end(flow, island, 1))
            return true;
        guard_load_ends(flow, island);
    }
    if (found == SHORT_CLEAR)
        return false;
    if (flow->candidate_count == 0)
        return false;
    double seen = flow->candidate_count == 1 ? scan_alone(flow, island, &first) : scan_all(flow, island, &first);
    if ((first < INFINITY || seen >= 1) && collect_end(flow, island, smaller(first, 1)))
    {
        keep_sides(flow, island, 1);
        return true;
    }
    if (first < INFINITY && flow->candidate_count == 1 && flow->model->islands_count == 1)
        *theta = take_alone(flow);
    else if (first < INFINITY)
    {
        *theta = collect_located(flow, island, first, theta_share(flow, ode_step_start(ode), ode_dense_length(ode)));
        keep_sides(flow, island, *theta);
    }
    else if (seen < 1)
    {
        cut_unseen(flow, island, seen);
        *theta = seen;
    }
    else
        guard_load_ends(flow, island);
    return *theta < 1 || flow->kernel->located_count > 0;
}

// The end of a step, or of a window, without a crossing.
static kaiStatus pass(Flow* flow, uint32_t index, double g, double slope, double t)
{
    GuardState* state = &flow->kernel->guards[index];
    const Guard* guard = &flow->model->guards[index];
    state->g = g;
    state->slope = slope;
    if (is_crossing(guard) && state->g != 0)
        flow->kernel->R[guard->side] = sign_of(state->g);
    state->toward = direction(flow->kernel, guard);
    return flow->hooks->passed(flow->owner, index, t);
}

// g and its slope where a window ends.
static void load_end_of_window(const GuardPath* path)
{
    GuardState* state = &path->flow->kernel->guards[path->index];
    state->slope_end = guard_path_slope(path, 1);
    state->g_end = guard_value(path->flow->kernel, path->guard);
}

kaiStatus guard_pass(Flow* flow, uint32_t index)
{
    GuardState* state = &flow->kernel->guards[index];
    if (!(state->until > state->from))
        return KAI_OK;
    if (isnan(state->g_end))
    {
        GuardPath path = guard_path_of_window(flow, index, state->from, state->until);
        load_end_of_window(&path);
    }
    state->from = state->until;
    return pass(flow, index, state->g_end, state->slope_end, state->until);
}

// ---- several islands
// -------------------------------------------------------------------------------------------------

// What a look has found: when the guard is due.
static void note_look(Flow* flow, uint32_t index, const GuardPath* path, bool found, double theta, double slope)
{
    GuardState* state = &flow->kernel->guards[index];
    state->theta = found ? theta : 1;
    state->due = found ? path->start + state->theta * path->length : INFINITY;
    // Tags go forward where a row of the solver stands there, and where the guard has just fired and rounding has left
    // it on the near side.
    bool fired = state->fired == flow->kernel->instant_runs;
    if (state->due <= state->from && (fired || flow->kernel->instant_time != state->from))
        state->due = nextafter(state->from, INFINITY);
    state->slack = found ? guard_crossing_slack(path, state->due, 0, slope) : 0;
    agenda_set(&flow->kernel->agenda, agenda_guard(flow->kernel, index), state->due);
}

// The window [from, until] lies in the last steps of all islands that the guard reads.
void guard_look(Flow* flow, uint32_t index, double until)
{
    GuardState* state = &flow->kernel->guards[index];
    GuardPath path = guard_path_of_window(flow, index, state->from, until);
    state->until = until;
    state->g_end = NAN;  // not asked for yet
    flow->ends_known = true;
    double theta = 1, slope = 0;
    GuardShort found_short = state->from == path.start ? guard_look_short(&path, &theta, &slope) : SHORT_UNSURE;
    if (found_short != SHORT_UNSURE)
    {
        note_look(flow, index, &path, found_short == SHORT_CROSSED, theta, slope);
        return;
    }
    load_end_of_window(&path);
    Candidate c = candidate_of(flow, index);
    scan(&path, &c, 1);
    bool near = (1 - smaller(c.after, 1)) * path.length <= TIME_GUARD_MOST * kernel_slack(flow->kernel, until);
    bool ends = near && crosses_at_end(&path, c.side) && !came_flat(&path);
    bool found = ends || c.after < INFINITY;
    if (ends)
        c.after = 1;
    note_look(flow, index, &path, found, c.after, state->slope_end);
}
