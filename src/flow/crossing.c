// Where guards cross (rule C2). After every accepted step their sign is looked at; a crossing is located on the dense
// output, in the local variable theta of the step, on the far side. Two roots inside one step show as an extremum of g,
// found as the root of its exact slope. With islands each guard looks for itself, in the part of time that the last
// steps of all islands it reads have in common.
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

typedef struct Search
{
    kaiSim* sim;
    const Guard* guard;
    double start, length;  // of the step
    int toward;
} Search;

// With islands: states (and slopes) of all that the guard reads, at theta of the window.
static double look_at(Search* s, double theta, bool slopes)
{
    kaiSim* sim = s->sim;
    const kaiModel* model = sim->model;
    const Guard* guard = s->guard;
    slopes |= guard->code.end == guard->code.start;
    for (uint32_t i = 0; i < guard->islands.count; i++)
        island_look(sim, model->guard_islands[guard->islands.first + i], s->start, s->length, theta, slopes);
    vm_run(model, sim->R, slopes ? guard->look : guard->code, &sim->host);
    return guard_value(sim, guard);
}

static double guard_at(Search* s, double theta)
{
    kaiSim* sim = s->sim;
    const kaiModel* model = sim->model;
    const Guard* guard = s->guard;
    sim->counters.guard_calls++;
    sim->R[model->reg_time] = s->start + theta * s->length;
    if (sim->local)
        return look_at(s, theta, false);
    if (guard->code.end > guard->code.start)
    {
        ode_dense_some(sim->ode, theta, model->guard_states + guard->first_state, (int)guard->state_count,
                       sim_states(sim));
        vm_run(model, sim->R, guard->code, &sim->host);
    }
    else
    {
        ode_dense(sim->ode, theta, sim_states(sim), sim_slopes(sim));
        vm_run(model, sim->R, model->events, &sim->host);
    }
    return guard_value(sim, guard);
}

static double root_function(void* ctx, double theta)
{
    Search* s = ctx;
    return s->toward * guard_at(s, theta);
}

static double slope_function(void* ctx, double theta)
{
    Search* s = ctx;
    kaiSim* sim = s->sim;
    sim->counters.guard_calls++;
    sim->R[sim->model->reg_time] = s->start + theta * s->length;
    if (sim->local)
    {
        look_at(s, theta, true);
        return -s->toward * sim->R[s->guard->slope];
    }
    ode_dense(sim->ode, theta, sim_states(sim), sim_slopes(sim));
    bool own = s->guard->slope_code.end > s->guard->slope_code.start;
    vm_run(sim->model, sim->R, own ? s->guard->slope_code : sim->model->events, &sim->host);
    return -s->toward * sim->R[s->guard->slope];
}

// The first theta at which the guard has crossed, when the start of the bracket gives no sign to go by.
static double bisect_past(Search* s, double lo, double hi, double tolerance)
{
    while (hi - lo > tolerance)
    {
        double mid = 0.5 * (lo + hi);
        if (is_past(s->sim, s->guard, guard_at(s, mid)))
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
    return s->toward * g > 0 || (g == 0 && is_past(s->sim, s->guard, 0));
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
    RootResult root = root_find(s->sim->root, root_function, s, c->lo, s->toward * c->g_lo, c->hi, s->toward * c->g_hi,
                                theta_tolerance(s));
    double after = root.after;
    // A relation that is strict on the far side has not crossed at an exact zero yet.
    if (root.f_after == 0 && !is_past(s->sim, s->guard, 0) && after + theta_tolerance(s) < c->hi)
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
    s->sim->counters.touches++;
}

// A dip towards the level and back inside the piece: slopes at the ends tell, the exact slope locates it.
static bool find_dip(Search* s, GuardState* state, const Piece* p, Candidate* c)
{
    double h = s->length * (p->hi - p->lo);
    // A crossing that has completed must first go back over the level, whatever the rounding of g says.
    bool rearm = is_crossing(s->guard) && s->toward * s->sim->R[s->guard->side] > 0;
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
    if (!level && (toward * g_top > 0 || (toward * g_top == 0 && is_past(s->sim, s->guard, g_top))))
    {
        *c = rearm ? (Candidate){.lo = top.after, .hi = p->hi, .g_lo = g_top, .g_hi = p->g_hi}
                   : (Candidate){.lo = p->lo, .hi = top.after, .g_lo = p->g_lo, .g_hi = g_top};
        return true;
    }
    if (fabs(g_top) <= 10 * (s->sim->options.rtol * scale + s->sim->options.rtol / 100))
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
    left.g_hi = right.g_lo = guard_value(s->sim, s->guard);
    double cubic = 0.5 * (p->g_lo + p->g_hi) + 0.125 * h * (p->slope_lo - p->slope_hi);
    double slope = 1.5 * (p->g_hi - p->g_lo) - 0.25 * h * (p->slope_lo + p->slope_hi);
    double scale = fmax(fabs(p->g_lo), fabs(p->g_hi)) + fabs(left.g_hi);
    bool smooth = fabs(cubic - left.g_hi) <= 0.02 * scale && fabs(slope - h * left.slope_hi) <= 0.1 * scale;
    if (!smooth && depth < DEPTH_MAX)
        return scan_piece(s, state, &left, depth + 1, c) || scan_piece(s, state, &right, depth + 1, c);
    if (is_past(s->sim, s->guard, p->g_hi))
    {
        *c = (Candidate){.lo = p->lo, .hi = p->hi, .g_lo = p->g_lo, .g_hi = p->g_hi};
        return true;
    }
    if (find_dip(s, state, p, c))
        return true;
    if (is_crossing(s->guard) && p->g_hi != 0)
        s->sim->R[s->guard->side] = sign_of(p->g_hi);  // armed again for the next piece
    return false;
}

static bool scan_curved(Search* s, GuardState* state, const Piece* whole, Candidate* c)
{
    double side = is_crossing(s->guard) ? s->sim->R[s->guard->side] : 0;
    bool found = scan_piece(s, state, whole, 0, c);
    if (is_crossing(s->guard))
        s->sim->R[s->guard->side] = side;  // until it is known where the step is cut
    return found;
}

static Search search_of(kaiSim* sim, uint32_t index)
{
    // The time at theta must be that at which ode_cut ends, to the last digit: one unit earlier may be before the
    // event.
    double start = ode_step_start(sim->ode), length = ode_dense_length(sim->ode);
    return (Search){sim, &sim->model->guards[index], start, length, sim->guards[index].toward};
}

static void load_step_end(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    memcpy(sim_states(sim), ode_state(sim->ode), sizeof(double) * model->state_count);
    memcpy(sim_slopes(sim), ode_slope(sim->ode), sizeof(double) * model->state_count);
    sim->R[model->reg_time] = ode_time(sim->ode);
    vm_run(model, sim->R, model->events, &sim->host);
    sim->counters.guard_calls++;
}

// Where the guards may have crossed in the step. What needs the inside of the step disturbs the registers of its end,
// so the values there are kept.
static void collect_candidates(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    int64_t calls = sim->counters.guard_calls;
    sim->candidate_count = 0;
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        sim->guards[w.index].g_end = guard_value(sim, &model->guards[w.index]);
        sim->guards[w.index].slope_end = sim->R[model->guards[w.index].slope];
    }
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        uint32_t i = w.index;
        GuardState* state = &sim->guards[i];
        const Guard* guard = &model->guards[i];
        if (!state->active)
            continue;
        Piece p = {0, 1, state->g, state->g_end, state->slope, state->slope_end};
        Candidate c = {.lo = 0, .hi = 1, .g_lo = p.g_lo, .g_hi = p.g_hi};
        Search s = search_of(sim, i);
        bool past = is_past(sim, guard, p.g_hi);
        bool found = guard->curved ? scan_curved(&s, state, &p, &c)
                                   : past || (p.slope_lo * p.slope_hi < 0 && find_dip(&s, state, &p, &c));
        c.guard = i;
        if (found)
            sim->candidates[sim->candidate_count++] = c;
    }
    if (sim->counters.guard_calls != calls)
        load_step_end(sim);
}

// Locates one candidate unless another one comes clearly before it.
static void locate_before(kaiSim* sim, Candidate* c, double first)
{
    Search s = search_of(sim, c->guard);
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

bool guard_search(kaiSim* sim, double* theta)
{
    if (sim->model->guards_count == 0)
        return false;
    load_step_end(sim);
    collect_candidates(sim);
    if (sim->candidate_count == 0)
        return false;
    double first = INFINITY;
    for (uint32_t i = 0; i < sim->candidate_count; i++)
    {
        locate_before(sim, &sim->candidates[i], first);
        first = fmin(first, sim->candidates[i].after);
    }
    *theta = first;
    for (uint32_t i = 0; i < sim->candidate_count; i++)  // crossings a few ulp of t apart share the instant
    {
        Search s = search_of(sim, sim->candidates[i].guard);
        if (sim->candidates[i].after <= first + theta_share(&s))
            *theta = fmax(*theta, sim->candidates[i].after);
    }
    sim->located_count = 0;
    for (uint32_t i = 0; i < sim->candidate_count; i++)
    {
        const Candidate* c = &sim->candidates[i];
        Search s = search_of(sim, c->guard);
        if (c->after <= *theta || (c->lo < *theta && has_crossed(&s, guard_at(&s, *theta))))
            sim->located[sim->located_count++] = c->guard;
    }
    return true;
}

// The end of a step, or of a window, without a crossing.
static kaiStatus pass(kaiSim* sim, uint32_t index, double g, double slope, double t)
{
    GuardState* state = &sim->guards[index];
    const Guard* guard = &sim->model->guards[index];
    state->g = g;
    state->slope = slope;
    if (is_crossing(guard) && state->g != 0)
        sim->R[guard->side] = sign_of(state->g);
    state->toward = direction(sim, guard);
    return state->rebound != 0 ? zeno_turned(sim, index, t) : KAI_OK;
}

kaiStatus guard_step_done(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    for (ActiveWalk w = {0}; status == KAI_OK && active_guard(sim, &w);)
        if (sim->guards[w.index].active)
            status = pass(sim, w.index, sim->R[sim->model->guards[w.index].g],
                          sim->R[sim->model->guards[w.index].slope], ode_time(sim->ode));
    return status;
}

// ---- with islands
// ----------------------------------------------------------------------------------------------------

kaiStatus guard_pass(kaiSim* sim, uint32_t index)
{
    GuardState* state = &sim->guards[index];
    if (!(state->until > state->from))
        return KAI_OK;
    state->from = state->until;
    return pass(sim, index, state->g_end, state->slope_end, state->until);
}

// Two islands that move together keep their distance but for the rounding of each: that is no crossing.
static bool stands_still(const Search* s, const Piece* p)
{
    const kaiModel* model = s->sim->model;
    double scale = 0;
    for (uint32_t i = 0; i < s->guard->state_count; i++)
        scale = fmax(scale, fabs(sim_states(s->sim)[model->guard_states[s->guard->first_state + i]]));
    double rounding = 1e-15 * scale;
    return s->guard->islands.count > 1 && fabs(p->g_hi - p->g_lo) <= rounding && fabs(p->g_hi) <= rounding &&
           s->length * fmax(fabs(p->slope_lo), fabs(p->slope_hi)) <= rounding;
}

// The window [from, until] lies in the last steps of all islands that the guard reads.
void guard_look(kaiSim* sim, uint32_t index, double until)
{
    GuardState* state = &sim->guards[index];
    const Guard* guard = &sim->model->guards[index];
    Search s = {sim, guard, state->from, until - state->from, state->toward};
    sim->R[sim->model->reg_time] = until;
    sim->counters.guard_calls++;
    look_at(&s, 1, true);
    state->until = until;
    state->g_end = guard_value(sim, guard);
    state->slope_end = sim->R[guard->slope];
    Piece p = {0, 1, state->g, state->g_end, state->slope, state->slope_end};
    Candidate c = {.guard = index, .lo = 0, .hi = 1, .g_lo = p.g_lo, .g_hi = p.g_hi};
    bool past = is_past(sim, guard, p.g_hi);
    bool found = guard->curved ? scan_curved(&s, state, &p, &c)
                               : past || (p.slope_lo * p.slope_hi < 0 && find_dip(&s, state, &p, &c));
    found = found && !stands_still(&s, &p);
    state->theta = found ? locate(&s, &c) : 1;
    state->due = found ? s.start + state->theta * s.length : INFINITY;
    if (state->due <= state->from && sim->instant_time != state->from)
        state->due = nextafter(state->from, INFINITY);  // a row of the solver stands there: tags go forward
    agenda_set(&sim->agenda, agenda_guard(sim, index), state->due);
}
