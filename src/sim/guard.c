// Guards: relations that stay latched between instants (rule C1) and level crossings (C2). After every accepted step
// their sign is looked at; a crossing is located on the dense output, in the local variable theta of the step, on the
// far side. Two roots inside one step show as an extremum of g, found as the root of its exact slope.
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static int sign_of(double g)
{
    return (g > 0) - (g < 0);
}

static bool is_crossing(const Guard* guard)
{
    return guard->kind == GUARD_UP || guard->kind == GUARD_DOWN || guard->kind == GUARD_CROSS;
}

bool guard_is_active(const kaiSim* sim, const Guard* guard, bool react)
{
    uint32_t present = react ? guard->react_present : guard->present;
    return sim_ctx_active(sim, guard->ctx) && (present == NO_REG || sim->R[present] != 0);
}

// ---- latches
// ---------------------------------------------------------------------------------------------------------

// At the left limit of an instant. A crossing that went back over its level since the last step is armed again; the
// located ones get their side afterwards.
void guard_left_limit(kaiSim* sim)
{
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        const Guard* guard = &sim->model->guards[w.index];
        bool active = guard_is_active(sim, guard, false);
        double now = active ? sim->R[guard->argument] : NAN;
        sim->R[guard->last_g] = now;
        if (is_crossing(guard) && active && guard->searched && sim->R[guard->side] != 2 && sign_of(now) != 0)
            sim->R[guard->side] = sign_of(now);
    }
}

static double fresh_truth(const Guard* guard, double argument)
{
    switch (guard->kind)
    {
    case GUARD_LESS: return argument < 0;
    case GUARD_LESS_EQUAL: return argument <= 0;
    case GUARD_FLOOR_UP:
    case GUARD_FLOOR_DOWN: return floor(argument);
    default: return 0;
    }
}

kaiStatus guard_start(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (int round = 0; round < 4; round++)  // a relation may stand on another one
    {
        kaiStatus status = sim_run_code(sim, model->events);
        if (status != KAI_OK)
            return status;
        for (uint32_t i = 0; i < model->guards_count; i++)
        {
            const Guard* guard = &model->guards[i];
            if (!is_crossing(guard))
                sim->R[guard->latch] = fresh_truth(guard, sim->R[guard->argument]);
            else if (guard_is_active(sim, guard, false))
                sim->R[guard->side] = sign_of(sim->R[guard->argument]);
        }
    }
    return KAI_OK;
}

static void cross(kaiSim* sim, uint32_t index, int toward)
{
    const Guard* guard = &sim->model->guards[index];
    double* R = sim->R;
    GuardState* state = &sim->guards[index];
    state->located++;
    sim->counters.located++;
    state->crossed = (int8_t)toward;
    fired_guard(sim, index);
    if (state->fired != sim->instant_runs)
    {
        state->fired = sim->instant_runs;
        sim->fired[sim->fired_count++] = index;
    }
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: R[guard->latch] = R[guard->latch] == 0; break;
    case GUARD_FLOOR_UP: R[guard->latch] += 1; break;
    case GUARD_FLOOR_DOWN: R[guard->latch] -= 1; break;
    default:
        R[guard->latch] = 1;
        R[guard->side] = toward;
        return;
    }
    sim->field_changed = true;
}

static bool fires(const Guard* guard, int from, int to)
{
    switch (guard->kind)
    {
    case GUARD_UP: return to > 0 && from <= 0;
    case GUARD_DOWN: return to < 0 && from >= 0;
    default: return from * to < 0;
    }
}

static void commit_crossing(kaiSim* sim, const Guard* guard, GuardState* state, CommitResult* result)
{
    double* R = sim->R;
    double g = R[guard->react_g];
    int now = sign_of(g), before = (int)R[guard->side];
    if (before == 2)
        R[guard->side] = now;
    else if (g != R[guard->last_g])
    {
        if (fires(guard, before, now))
        {
            R[guard->latch] = 1;
            state->located++;
            result->other = true;
        }
        R[guard->side] = now;
    }
}

void guard_commit(kaiSim* sim, CommitResult* result)
{
    double* R = sim->R;
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        uint32_t i = w.index;
        const Guard* guard = &sim->model->guards[i];
        if (!guard_is_active(sim, guard, true))
        {
            R[guard->last_g] = NAN;
            if (is_crossing(guard))
                R[guard->side] = 2;
            continue;
        }
        if (is_crossing(guard))
            commit_crossing(sim, guard, &sim->guards[i], result);
        else if (R[guard->latch] != R[guard->truth])
        {
            R[guard->latch] = R[guard->truth];
            sim->field_changed = true;
        }
        R[guard->last_g] = R[guard->react_g];
    }
}

// ---- arming
// ----------------------------------------------------------------------------------------------------------

static int8_t direction(const kaiSim* sim, const Guard* guard)
{
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: return sim->R[guard->latch] != 0 ? 1 : -1;
    case GUARD_UP:
    case GUARD_FLOOR_UP: return 1;
    case GUARD_DOWN:
    case GUARD_FLOOR_DOWN: return -1;
    default: return (int8_t)(sim->R[guard->side] > 0 ? -1 : 1);
    }
}

// Whether g lies where the guard has crossed, given what it remembers.
static bool is_past(const kaiSim* sim, const Guard* guard, double g)
{
    switch (guard->kind)
    {
    case GUARD_LESS: return (g < 0) != (sim->R[guard->latch] != 0);
    case GUARD_LESS_EQUAL: return (g <= 0) != (sim->R[guard->latch] != 0);
    case GUARD_FLOOR_UP: return g >= 0;
    case GUARD_FLOOR_DOWN: return g < 0;
    case GUARD_UP: return g > 0 && sim->R[guard->side] <= 0;
    case GUARD_DOWN: return g < 0 && sim->R[guard->side] >= 0;
    default: return g * sim->R[guard->side] < 0;
    }
}

static void toggle_latches(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        const Guard* guard = &sim->model->guards[sim->located[i]];
        if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
            sim->R[guard->latch] = sim->R[guard->latch] == 0;
    }
}

// Guards were searched on the branch before the instant. One whose own kink lies at the same time (max(0, x) that comes
// down to 0) may have crossed on that branch only: with the branches of now it is not past its level and does not go
// there. The slopes of the states are still those before the instant, so a field that turns makes no difference here.
static kaiStatus drop_turned(kaiSim* sim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->located_count; i++)
        sim->guards[sim->located[i]].slope = sim->R[sim->model->guards[sim->located[i]].slope];
    toggle_latches(sim);
    kaiStatus status = sim_run_code(sim, sim->model->events);
    toggle_latches(sim);
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        uint32_t index = sim->located[i];
        const Guard* guard = &sim->model->guards[index];
        const GuardState* state = &sim->guards[index];
        bool turned = state->toward * state->slope > 0 && state->toward * sim->R[guard->slope] <= 0;
        if (!turned || is_past(sim, guard, sim->R[guard->g]))
            sim->located[kept++] = index;
    }
    sim->located_count = kept;
    return status;
}

kaiStatus guard_apply_located(kaiSim* sim)
{
    kaiStatus status = sim->located_count > 1 ? drop_turned(sim) : KAI_OK;
    for (uint32_t i = 0; i < sim->located_count && status == KAI_OK; i++)
        cross(sim, sim->located[i], sim->guards[sim->located[i]].toward);
    sim->located_count = 0;
    return status;
}

// On the level exactly, and about to leave it: the crossing belongs to this instant. True if it fires.
static bool leaves_level(kaiSim* sim, const Guard* guard, const GuardState* state)
{
    int to = sign_of(state->slope), from = is_crossing(guard) ? (int)sim->R[guard->side] : 0;
    if (state->g != 0 || to == 0)
        return false;
    switch (guard->kind)
    {
    case GUARD_LESS: return to < 0 && sim->R[guard->latch] == 0;
    case GUARD_LESS_EQUAL: return to > 0 && sim->R[guard->latch] != 0;
    case GUARD_FLOOR_UP: return false;
    case GUARD_FLOOR_DOWN: return to < 0;
    default: break;
    }
    if (fires(guard, from, to))
        return true;
    sim->R[guard->side] = to;  // where it goes is where it will be
    return false;
}

// A guard a·t + b is zero at -b/a, exactly as written: evaluated at t = 0, not from where the run happens to be.
static double affine_zero(kaiSim* sim, const Guard* guard, double slope)
{
    double t = sim->R[sim->model->reg_time];
    sim->R[sim->model->reg_time] = 0;
    vm_run(sim->model, sim->R, guard->code, &sim->host);
    double at = -sim->R[guard->g] / slope;
    sim->R[sim->model->reg_time] = t;
    vm_run(sim->model, sim->R, guard->code, &sim->host);
    return at;
}

static void arm_one(kaiSim* sim, uint32_t index, bool* leaving)
{
    const Guard* guard = &sim->model->guards[index];
    GuardState* state = &sim->guards[index];
    bool active = guard->searched && guard_is_active(sim, guard, false);
    state->active = active && !guard->time_only;
    state->due = INFINITY;
    if (!active)
        return;
    state->g = sim->R[guard->g];
    state->slope = sim->R[guard->slope];
    if (leaves_level(sim, guard, state))
    {
        cross(sim, index, sign_of(state->slope));
        *leaving = true;
    }
    if (state->rebound != 0 && state->fired != sim->instant_runs && state->rebound * state->slope <= 0)
        state->rebound = 0;  // something else has turned it
    state->toward = direction(sim, guard);
    if (guard->time_only && state->slope * state->toward > 0)
    {
        state->due = affine_zero(sim, guard, state->slope);
        if (!(state->due > sim->now.t))
            state->due = INFINITY;
    }
}

kaiStatus guard_arm(kaiSim* sim, bool* leaving)
{
    const kaiModel* model = sim->model;
    if (sim->holds > 0)
        zeno_check_held(sim);
    if (sim->field_changed)
    {
        memcpy(sim->x, sim_states(sim), sizeof(double) * model->state_count);
        int failed = ode_restart(sim->ode, sim->now.t, sim->x, isnan(sim->last_row_t) && sim->counters.instants <= 1);
        if (failed != ODE_OK)
            return sim_ode_failed(sim, failed);
        sim->field_changed = false;
    }
    if (model->guards_count == 0)
        return KAI_OK;
    memcpy(sim_states(sim), ode_state(sim->ode), sizeof(double) * model->state_count);
    memcpy(sim_slopes(sim), ode_slope(sim->ode), sizeof(double) * model->state_count);
    sim->R[model->reg_time] = sim->now.t;
    kaiStatus status = sim_run_code(sim, model->events);
    for (ActiveWalk w = {0}; status == KAI_OK && active_guard(sim, &w);)
        arm_one(sim, w.index, leaving);
    return status;
}

// ---- searching
// -------------------------------------------------------------------------------------------------------

typedef struct Search
{
    kaiSim* sim;
    const Guard* guard;
    double start, length;  // of the step
    int toward;
} Search;

static double guard_at(Search* s, double theta)
{
    kaiSim* sim = s->sim;
    const kaiModel* model = sim->model;
    const Guard* guard = s->guard;
    sim->counters.guard_calls++;
    sim->R[model->reg_time] = s->start + theta * s->length;
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
    return sim->R[guard->g];
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
    left.g_hi = right.g_lo = s->sim->R[s->guard->g];
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

// Where the guards may have crossed in the step. What needs the inside of the step disturbs the registers of its end, so
// the values there are kept.
static void collect_candidates(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    int64_t calls = sim->counters.guard_calls;
    sim->candidate_count = 0;
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        sim->guards[w.index].g_end = sim->R[model->guards[w.index].g];
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

kaiStatus guard_step_done(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        uint32_t i = w.index;
        GuardState* state = &sim->guards[i];
        const Guard* guard = &sim->model->guards[i];
        if (!state->active)
            continue;
        state->g = sim->R[guard->g];
        state->slope = sim->R[guard->slope];
        if (is_crossing(guard) && state->g != 0)
            sim->R[guard->side] = sign_of(state->g);
        state->toward = direction(sim, guard);
        if (state->rebound != 0 && status == KAI_OK)
            status = zeno_turned(sim, i);
    }
    return status;
}
