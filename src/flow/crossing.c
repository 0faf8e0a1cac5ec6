// Where guards cross (rule C2). After every accepted step of an island the guards that read it alone are looked at; a
// crossing is located on the dense output, in the local variable theta of the step, on the far side. Two roots inside
// one step show as an extremum of g, found as the root of its exact slope. A guard that reads several islands looks for
// itself, in the part of time that their last steps have in common.
#include "flow/flow.h"
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

enum
{
    NO_ISLAND = 0xffffffffu
};

typedef struct Search
{
    Flow* flow;
    const Guard* guard;
    double start, length;  // of the step or window
    int toward;
    uint32_t island;  // the only one it reads, whose step it is; NO_ISLAND: a window
} Search;

// States of all that the guard reads, at theta of the window. With slopes: those of g as well.
static void look_at(Search* s, double theta, bool slopes)
{
    Flow* flow = s->flow;
    const kaiModel* model = flow->model;
    const Guard* guard = s->guard;
    for (uint32_t i = 0; i < guard->islands.count; i++)
        island_look(flow, model->guard_islands[guard->islands.first + i], s->start, s->length, theta, slopes);
    vm_run(model, flow->kernel->R, slopes ? guard->look : guard->code, &flow->kernel->host);
}

// The few states that the guard reads, at theta of the step.
static void load_some(Search* s, double theta)
{
    Flow* flow = s->flow;
    const kaiModel* model = flow->model;
    const int* slots = model->guard_slots + s->guard->first_state;
    const int* states = model->guard_states + s->guard->first_state;
    uint32_t base = flow->islands[s->island].base;
    double* x = base != NO_REG ? kernel_states(flow->kernel) + base : flow->island_x;
    ode_dense_some(flow->island_odes[s->island], theta, slots, (int)s->guard->state_count, x);
    for (uint32_t i = 0; base == NO_REG && i < s->guard->state_count; i++)
        kernel_states(flow->kernel)[states[i]] = x[slots[i]];
}

static double guard_at(Search* s, double theta)
{
    Flow* flow = s->flow;
    const Guard* guard = s->guard;
    bool own = guard->code.end > guard->code.start;
    flow->kernel->counters.guard_calls++;
    flow->kernel->R[flow->model->reg_time] = s->start + theta * s->length;
    if (s->island == NO_ISLAND || !own)
        look_at(s, theta, !own);
    else
    {
        load_some(s, theta);
        vm_run(flow->model, flow->kernel->R, guard->code, &flow->kernel->host);
    }
    return guard_value(flow->kernel, guard);
}

static double root_function(void* ctx, double theta)
{
    Search* s = ctx;
    return s->toward * guard_at(s, theta);
}

static double slope_function(void* ctx, double theta)
{
    Search* s = ctx;
    Flow* flow = s->flow;
    const Guard* guard = s->guard;
    flow->kernel->counters.guard_calls++;
    flow->kernel->R[flow->model->reg_time] = s->start + theta * s->length;
    for (uint32_t i = 0; i < guard->islands.count; i++)
        island_look(flow, flow->model->guard_islands[guard->islands.first + i], s->start, s->length, theta, true);
    bool own = guard->slope_code.end > guard->slope_code.start;
    vm_run(flow->model, flow->kernel->R, own ? guard->slope_code : guard->look, &flow->kernel->host);
    return -s->toward * flow->kernel->R[guard->slope];
}

// The first theta at which the guard has crossed, when the start of the bracket gives no sign to go by.
static double bisect_past(Search* s, double lo, double hi, double tolerance)
{
    while (hi - lo > tolerance)
    {
        double mid = 0.5 * (lo + hi);
        if (is_past(s->flow->kernel, s->guard, guard_at(s, mid)))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

// Roots are located to the resolution of the step, not of t: a bias of an ulp of t at every event would add up. A step
// that is long beside t is resolved more finely, so that the time is right to an ulp; one that starts at 0 has no such
// scale.
static double theta_tolerance(const Search* s)
{
    double ulp = 1.1e-16 * fabs(s->start) / s->length;
    return fabs(s->start) > 0.01 * s->length ? fmin(fmax(ulp, 1.2e-16), 1e-15) : 1e-15;
}

// Crossings closer than a few ulp of t share one instant.
static double theta_share(const Search* s)
{
    return fmax(4e-15, 9e-16 * fmax(fabs(s->start), fabs(s->start + s->length)) / s->length);
}

static bool has_crossed(const Search* s, double g)
{
    return s->toward * g > 0 || (g == 0 && is_past(s->flow->kernel, s->guard, 0));
}

// The step starts on the level (a ball put back on the floor) and leaves it the other way: a start with a sign to go
// by.
static bool leave_level(Search* s, Candidate* c)
{
    const double lo = c->lo, width = c->hi - c->lo;
    for (double part = 0.5; part > 1e-6; part *= 0.5)
    {
        double theta = lo + part * width, g = guard_at(s, theta);
        if (has_crossed(s, g))
        {
            c->hi = theta;
            c->g_hi = g;
            continue;
        }
        c->lo = theta;
        c->g_lo = g;
        return s->toward * g < 0;  // on the level still: no sign to go by
    }
    return false;
}

static double locate(Search* s, Candidate* c)
{
    if (!(s->toward * c->g_lo < 0) && !leave_level(s, c))
        return bisect_past(s, c->lo, c->hi, theta_tolerance(s));
    RootResult root = root_find(s->flow->root, root_function, s, c->lo, s->toward * c->g_lo, c->hi, s->toward * c->g_hi,
                                theta_tolerance(s));
    double after = root.after;
    // A relation that is strict on the far side has not crossed at an exact zero yet.
    if (root.f_after == 0 && !is_past(s->flow->kernel, s->guard, 0) && after + theta_tolerance(s) < c->hi)
        after += theta_tolerance(s);
    return after;
}

// A part of the step with the guard and its slope at both ends; the whole step, unless the guard is curved.
typedef struct Piece
{
    double lo, hi, g_lo, g_hi, slope_lo, slope_hi;
} Piece;

static void note_touch(Search* s, GuardState* state, double theta)
{
    state->touches++;
    state->touched = s->start + theta * s->length;
    s->flow->kernel->counters.touches++;
}

// A dip towards the level and back inside the piece: slopes at the ends tell, the exact slope locates it.
static bool find_dip(Search* s, GuardState* state, const Piece* p, Candidate* c)
{
    double h = s->length * (p->hi - p->lo);
    // A crossing that has completed must first go back over the level, whatever the rounding of g says.
    bool rearm = is_crossing(s->guard) && s->toward * s->flow->kernel->R[s->guard->side] > 0;
    int toward = rearm ? -s->toward : s->toward;
    if (!(toward * p->slope_lo > 0) || !(toward * p->slope_hi < 0) || (rearm && !(s->toward * p->g_hi > 0)))
        return false;
    if (fabs(p->g_lo) > h * fabs(p->slope_lo) && fabs(p->g_hi) > h * fabs(p->slope_hi))
        return false;  // even the steeper end does not reach
    Search turned = *s;
    turned.toward = toward;
    RootResult top = root_find(ROOT_ITP, slope_function, &turned, p->lo, -toward * p->slope_lo, p->hi,
                               -toward * p->slope_hi, (rearm ? 1e-15 : 1e-10) * (p->hi - p->lo));
    // A rebound starts on the level: its size, however small beside the rest of the step, is no rounding.
    double part = rearm ? (top.after - p->lo) / (p->hi - p->lo) : 1;
    double g_top = guard_at(s, top.after), scale = fmax(fabs(p->g_lo), part * fabs(p->g_hi));
    bool level = fabs(g_top) <= 1e-12 * scale;  // zero but for rounding: a touch is no crossing (rule C2)
    if (!level && (toward * g_top > 0 || (toward * g_top == 0 && is_past(s->flow->kernel, s->guard, g_top))))
    {
        *c = rearm ? (Candidate){.lo = top.after, .hi = p->hi, .g_lo = g_top, .g_hi = p->g_hi}
                   : (Candidate){.lo = p->lo, .hi = top.after, .g_lo = p->g_lo, .g_hi = g_top};
        return true;
    }
    if (fabs(g_top) <= 10 * (s->flow->kernel->options->rtol * scale + s->flow->kernel->options->rtol / 100))
        note_touch(s, state, top.after);
    return false;
}

// ---- curved guards
// ---------------------------------------------------------------------------------------------------

// A guard that is no affine function of the states can swing faster than they do. Its pieces are halved until the cubic
// through both ends agrees with the middle, so that each holds at most one swing; then each is looked at in turn.
static bool scan_piece(Search* s, GuardState* state, const Piece* p, int depth, Candidate* c)
{
    enum
    {
        DEPTH_MAX = 14
    };
    double width = p->hi - p->lo, h = s->length * width;
    Piece left = *p, right = *p;
    left.hi = right.lo = 0.5 * (p->lo + p->hi);
    left.slope_hi = right.slope_lo = -slope_function(s, left.hi) * s->toward;
    left.g_hi = right.g_lo = guard_value(s->flow->kernel, s->guard);
    double cubic = 0.5 * (p->g_lo + p->g_hi) + 0.125 * h * (p->slope_lo - p->slope_hi);
    double slope = 1.5 * (p->g_hi - p->g_lo) - 0.25 * h * (p->slope_lo + p->slope_hi);
    double scale = fmax(fabs(p->g_lo), fabs(p->g_hi)) + fabs(left.g_hi);
    bool smooth = fabs(cubic - left.g_hi) <= 0.02 * scale && fabs(slope - h * left.slope_hi) <= 0.1 * scale;
    if (!smooth && depth < DEPTH_MAX)
        return scan_piece(s, state, &left, depth + 1, c) || scan_piece(s, state, &right, depth + 1, c);
    if (is_past(s->flow->kernel, s->guard, p->g_hi))
    {
        *c = (Candidate){.lo = p->lo, .hi = p->hi, .g_lo = p->g_lo, .g_hi = p->g_hi};
        return true;
    }
    if (find_dip(s, state, p, c))
        return true;
    if (is_crossing(s->guard) && p->g_hi != 0)
        s->flow->kernel->R[s->guard->side] = sign_of(p->g_hi);  // armed again for the next piece
    return false;
}

static bool scan_curved(Search* s, GuardState* state, const Piece* whole, Candidate* c)
{
    double side = is_crossing(s->guard) ? s->flow->kernel->R[s->guard->side] : 0;
    bool found = scan_piece(s, state, whole, 0, c);
    if (is_crossing(s->guard))
        s->flow->kernel->R[s->guard->side] = side;  // until it is known where the step is cut
    return found;
}

// The time at theta must be that at which ode_cut ends, to the last digit: one unit earlier may be before the event.
static Search search_of(Flow* flow, uint32_t index, uint32_t island)
{
    const Ode* ode = flow->island_odes[island];
    return (Search){flow,
                    &flow->model->guards[index],
                    ode_step_start(ode),
                    ode_dense_length(ode),
                    flow->kernel->guards[index].toward,
                    island};
}

// The guards of the island and their slopes at the end of its step.
static void load_step_end(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    const Ode* ode = flow->island_odes[island];
    island_ends(flow, island);
    flow->kernel->R[model->reg_time] = ode_time(ode);
    vm_run(model, flow->kernel->R, model->islands[island].events, &flow->kernel->host);
    flow->kernel->counters.guard_calls++;
}

static bool find_crossing(Search* s, GuardState* state, const Piece* p, Candidate* c)
{
    if (s->guard->curved)
        return scan_curved(s, state, p, c);
    return is_past(s->flow->kernel, s->guard, p->g_hi) || (p->slope_lo * p->slope_hi < 0 && find_dip(s, state, p, c));
}

static void list_searched(Flow* flow, uint32_t island)
{
    flow->searched.count = 0;
    for (GuardWalk w = {.island = island}; own_guard(flow->kernel, &w);)
        flow->searched.at[flow->searched.count++] = w.index;
}

// Where the guards may have crossed in the step.
static void collect_candidates(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    const IndexList list = flow->searched;
    double end = ode_time(flow->island_odes[island]);
    flow->candidate_count = 0;
    for (uint32_t i = 0; i < list.count; i++)  // the search writes to the registers they lie in
    {
        GuardState* state = &flow->kernel->guards[list.at[i]];
        state->g_end = guard_value(flow->kernel, &model->guards[list.at[i]]);
        state->slope_end = flow->kernel->R[model->guards[list.at[i]].slope];
        state->until = end;
    }
    for (uint32_t i = 0; i < list.count; i++)
    {
        GuardState* state = &flow->kernel->guards[list.at[i]];
        Piece p = {0, 1, state->g, state->g_end, state->slope, state->slope_end};
        Candidate c = {.lo = 0, .hi = 1, .g_lo = p.g_lo, .g_hi = p.g_hi};
        Search s = search_of(flow, list.at[i], island);
        bool found = find_crossing(&s, state, &p, &c);
        c.guard = list.at[i];
        if (found)
            flow->candidates[flow->candidate_count++] = c;
    }
}

// Locates one candidate unless another one comes clearly before it.
static void locate_before(Flow* flow, uint32_t island, Candidate* c, double first)
{
    Search s = search_of(flow, c->guard, island);
    double latest = first + theta_share(&s);
    c->after = INFINITY;
    if (c->lo > latest)
        return;
    if (c->hi > latest)
    {
        double g = guard_at(&s, latest);
        if (!has_crossed(&s, g))
            return;
        c->hi = latest;
        c->g_hi = g;
    }
    c->after = locate(&s, c);
}

// The first crossing; those a few ulp of t after it share the instant.
static double first_crossing(Flow* flow, uint32_t island)
{
    double first = INFINITY, theta;
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        locate_before(flow, island, &flow->candidates[i], first);
        first = fmin(first, flow->candidates[i].after);
    }
    theta = first;
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        Search s = search_of(flow, flow->candidates[i].guard, island);
        if (flow->candidates[i].after <= first + theta_share(&s))
            theta = fmax(theta, flow->candidates[i].after);
    }
    return theta;
}

bool guard_search(Flow* flow, uint32_t island, double* theta)
{
    flow->kernel->located_count = 0;
    list_searched(flow, island);
    if (flow->searched.count == 0)
        return false;
    load_step_end(flow, island);
    collect_candidates(flow, island);
    if (flow->candidate_count == 0)
        return false;
    *theta = first_crossing(flow, island);
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        Search s = search_of(flow, c->guard, island);
        if (c->after <= *theta || (c->lo < *theta && has_crossed(&s, guard_at(&s, *theta))))
            flow->kernel->located[flow->kernel->located_count++] = c->guard;
    }
    for (uint32_t i = 0; i < flow->searched.count; i++)  // the rest of the step is not looked at
        flow->kernel->guards[flow->searched.at[i]].until = flow->kernel->guards[flow->searched.at[i]].from;
    return true;
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

kaiStatus guard_pass(Flow* flow, uint32_t index)
{
    GuardState* state = &flow->kernel->guards[index];
    if (!(state->until > state->from))
        return KAI_OK;
    state->from = state->until;
    return pass(flow, index, state->g_end, state->slope_end, state->until);
}

// Two islands that move together keep their distance but for the rounding of each: that is no crossing.
static bool stands_still(const Search* s, const Piece* p)
{
    const kaiModel* model = s->flow->model;
    double scale = 0;
    for (uint32_t i = 0; i < s->guard->state_count; i++)
        scale = fmax(scale, fabs(kernel_states(s->flow->kernel)[model->guard_states[s->guard->first_state + i]]));
    double rounding = 1e-15 * scale;
    return s->guard->islands.count > 1 && fabs(p->g_hi - p->g_lo) <= rounding && fabs(p->g_hi) <= rounding &&
           s->length * fmax(fabs(p->slope_lo), fabs(p->slope_hi)) <= rounding;
}

// The window [from, until] lies in the last steps of all islands that the guard reads.
void guard_look(Flow* flow, uint32_t index, double until)
{
    GuardState* state = &flow->kernel->guards[index];
    const Guard* guard = &flow->model->guards[index];
    Search s = {flow, guard, state->from, until - state->from, state->toward, NO_ISLAND};
    flow->kernel->R[flow->model->reg_time] = until;
    flow->kernel->counters.guard_calls++;
    look_at(&s, 1, true);
    state->until = until;
    state->g_end = guard_value(flow->kernel, guard);
    state->slope_end = flow->kernel->R[guard->slope];
    Piece p = {0, 1, state->g, state->g_end, state->slope, state->slope_end};
    Candidate c = {.guard = index, .lo = 0, .hi = 1, .g_lo = p.g_lo, .g_hi = p.g_hi};
    bool found = find_crossing(&s, state, &p, &c) && !stands_still(&s, &p);
    state->theta = found ? locate(&s, &c) : 1;
    state->due = found ? s.start + state->theta * s.length : INFINITY;
    if (state->due <= state->from && flow->kernel->instant_time != state->from)
        state->due = nextafter(state->from, INFINITY);  // a row of the solver stands there: tags go forward
    agenda_set(&flow->kernel->agenda, agenda_guard(flow->kernel, index), state->due);
}
