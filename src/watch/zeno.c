// Trouble that spreads over instants (rule C4), each kind told from what guards do at the instants where they fire:
// (c) Their times accumulate: the intervals shrink by a steady ratio. Three states after such events give the limit.
// (d) Sliding: a guard fires, the field changes without any jump of a state, g turns back at once and the guard fires
//     again within the resolution of t: both fields push onto its surface. The same with jumps, if it does not stop,
//     is a contact kept up by impacts.
// (e) Tunnelling: a reaction turned g back from its level, and then g turned again before it had come back over the
//     level; or a surface that turned g back every time, ever sooner, is passed. Crossings that nothing turns back,
//     and jumps across a level, are not affected.
// zeno = continue (decision 0013): at the accumulation time the states that the guard reads and those that jumped are
// set to their limits and held there until the free field would move g off the level.
// A guard that fires costs a few comparisons; nothing is copied before its intervals look like a pattern.
#include "kernel/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* state_name(const kaiSim* sim, uint32_t state)
{
    return model_string(sim->model, sim->model->vars[sim->model->state_vars[state]].name);
}

static const char* guard_text(const kaiSim* sim, uint32_t guard)
{
    return model_string(sim->model, sim->model->guards[guard].text);
}

static bool is_crossing(const Guard* guard)
{
    return guard->kind == GUARD_UP || guard->kind == GUARD_DOWN || guard->kind == GUARD_CROSS;
}

static bool reads_state(const kaiSim* sim, uint32_t guard, uint32_t state)
{
    const Guard* g = &sim->model->guards[guard];
    for (uint32_t i = 0; i < g->state_count; i++)
        if (sim->model->guard_states[g->first_state + i] == (int32_t)state)
            return true;
    return false;
}

// ---- the free field
// --------------------------------------------------------------------------------------------------

// Derivatives and the slope of a guard from the states in the registers, nothing held.
static double free_slope(kaiSim* sim, uint32_t guard)
{
    vm_run(sim->model, sim->R, sim->model->deriv, &sim->host);
    vm_run(sim->model, sim->R, sim->model->events, &sim->host);
    return sim->R[sim->model->guards[guard].slope];
}

// The derivatives where the run stands.
static const double* field_now(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
        island_load(sim, i, sim->now.t);
    vm_run(sim->model, sim->R, sim->model->deriv, &sim->host);
    return sim_slopes(sim);
}

// How the slope of g changes along the free field: the second derivative of g, up to a positive factor.
static double free_bend(kaiSim* sim, uint32_t guard)
{
    const kaiModel* model = sim->model;
    double t = sim->R[model->reg_time], small = 1e-7 * fmax(fabs(t), 1e-3), *x = sim_states(sim);
    memcpy(sim->free_state, x, sizeof(double) * model->state_count);
    double before = free_slope(sim, guard);
    memcpy(sim->free_slope, sim_slopes(sim), sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < model->state_count; i++)
        x[i] += small * sim->free_slope[i];
    sim->R[model->reg_time] = t + small;
    double after = free_slope(sim, guard);
    memcpy(x, sim->free_state, sizeof(double) * model->state_count);
    sim->R[model->reg_time] = t;
    return after - before;
}

// ---- holding
// ---------------------------------------------------------------------------------------------------------

void zeno_hold(const kaiSim* sim, double* slopes)
{
    for (uint32_t i = 0; i < sim->model->state_count; i++)
        if (sim->hold_by[i] != 0)
            slopes[i] = 0;
}

static void release(kaiSim* sim, uint32_t guard)
{
    for (uint32_t i = 0; i < sim->model->state_count; i++)
        if (sim->hold_by[i] == guard + 1)
            sim->hold_by[i] = 0;
    sim->guards[guard].holding = false;
    sim->guards[guard].hold_due = 0;
    sim->holds--;
    islands_disturb_all(sim);
}

// Held, but the free field would take g to the side it bounced to.
static bool would_leave(kaiSim* sim, uint32_t guard)
{
    return -sim->guards[guard].barrier * free_bend(sim, guard) > 0;
}

static bool was_moved(const kaiSim* sim, uint32_t guard)
{
    for (uint32_t i = 0; i < sim->model->state_count; i++)
        if (sim->hold_by[i] == guard + 1 && sim->R[sim->model->reg_first[REG_STATE] + i] != sim->hold_limit[i])
            return true;
    return false;
}

// At the end of an instant: a jump of a held state, a mode that was left or a new force frees it.
void zeno_check_held(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->guards_count; i++)
    {
        const GuardState* state = &sim->guards[i];
        if (!state->holding || state->hold_due > 0)
            continue;
        if (!guard_is_active(sim, &sim->model->guards[i], false) || was_moved(sim, i) || would_leave(sim, i))
            release(sim, i);
    }
}

static bool leaves_at(kaiSim* sim, uint32_t guard, double theta)
{
    const Ode* ode = sim->island_odes[0];  // holding states needs a model with one island
    double start = ode_step_start(ode), length = ode_time(ode) - start;
    island_look(sim, 0, start, length, theta, false);
    sim->R[sim->model->reg_time] = start + theta * length;
    return would_leave(sim, guard);
}

bool zeno_search(kaiSim* sim, double* theta)
{
    bool found = false;
    for (uint32_t i = 0; i < sim->model->guards_count; i++)
    {
        const GuardState* state = &sim->guards[i];
        if (!state->holding || state->hold_due > 0 || !leaves_at(sim, i, *theta))
            continue;
        double lo = 0, hi = *theta;
        while (hi - lo > 1e-14)
        {
            double mid = 0.5 * (lo + hi);
            *(leaves_at(sim, i, mid) ? &hi : &lo) = mid;
        }
        if (hi < *theta)
            sim->located_count = 0;
        *theta = hi;
        found = true;
    }
    return found;
}

static void wait_for(kaiSim* sim, double t)
{
    sim->hold_next = t;
    agenda_set(&sim->agenda, agenda_hold(sim), t);
}

static void set_limits(kaiSim* sim, double t)
{
    const kaiModel* model = sim->model;
    wait_for(sim, INFINITY);
    for (uint32_t g = 0; g < model->guards_count; g++)
    {
        GuardState* state = &sim->guards[g];
        if (!state->holding || !(state->hold_due > 0))
            continue;
        if (state->hold_due > t + 4e-16 * fabs(t))
        {
            wait_for(sim, fmin(sim->hold_next, state->hold_due));
            continue;
        }
        state->hold_due = 0;
        for (uint32_t i = 0; i < model->state_count; i++)
            if (sim->hold_by[i] == g + 1)
                sim_states(sim)[i] = sim->hold_limit[i];
        islands_disturb_all(sim);
    }
}

// ---- accumulation
// ----------------------------------------------------------------------------------------------------

static double* past(kaiSim* sim, int event)
{
    return sim->zeno_past + (size_t)event * sim->model->state_count;
}

static void remember_states(kaiSim* sim, uint32_t guard)
{
    size_t size = sizeof(double) * sim->model->state_count;
    if (sim->tracked != guard + 1)
        sim->tracked_count = 0;
    sim->tracked = guard + 1;
    memmove(past(sim, 0), past(sim, 1), 2 * size);
    memcpy(past(sim, 2), sim_states(sim), size);
    sim->tracked_count++;
}

// Where the value of a state after the events goes (Aitken). What is zero but for the size of
// the last motion becomes zero.
static double limit_of(kaiSim* sim, uint32_t state, double excursion)
{
    double a = past(sim, 0)[state], b = past(sim, 1)[state], c = past(sim, 2)[state];
    double first = b - a, second = c - b, limit = c;
    if (fabs(second) < 0.99999 * fabs(first) && second != 0)
        limit = c + second * (second / first) / (1 - second / first);
    return fabs(limit) <= fmax(excursion, 0.01 * fabs(c - limit)) ? 0 : limit;
}

static bool is_held(const kaiSim* sim, uint32_t guard, uint32_t state)
{
    double jump = sim->R[sim->model->reg_first[REG_STATE] + state] - sim->zeno_left[state];
    return reads_state(sim, guard, state) || jump != 0;
}

typedef struct Accumulation
{
    uint32_t guard;
    double ratio, limit, excursion;
} Accumulation;

// A state that the guard reads and that would still move at the limit (a floor that rises) cannot be held.
static bool can_hold(kaiSim* sim, const Accumulation* a)
{
    const kaiModel* model = sim->model;
    double* x = sim_states(sim);
    double small = 0.01 * fabs(sim->guards[a->guard].slope);
    memcpy(sim->x, x, sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < model->state_count; i++)
        if (is_held(sim, a->guard, i))
            sim->free_slope[i] = limit_of(sim, i, a->excursion);
        else
            sim->free_slope[i] = x[i];
    memcpy(x, sim->free_slope, sizeof(double) * model->state_count);
    bool still = model->guards[a->guard].state_count > 0 && fabs(free_slope(sim, a->guard)) <= small;
    for (uint32_t i = 0; i < model->state_count; i++)
        still &= !reads_state(sim, a->guard, i) || fabs(sim_slopes(sim)[i]) <= small;
    memcpy(x, sim->x, sizeof(double) * model->state_count);
    return still;
}

static void say_limits(kaiSim* sim, const Accumulation* a, Text* values, Text* mode)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0, count = 0; i < model->state_count && count < 6; i++)
    {
        double jump = sim_states(sim)[i] - sim->zeno_left[i];
        if (!is_held(sim, a->guard, i))
            continue;
        double limit = limit_of(sim, i, a->excursion);
        text_say(values, "%s%s %s %.9g", count > 0 ? ", " : "", state_name(sim, i), jump != 0 ? "jumps towards" : "is",
                 limit);
        text_say(mode, "%s%s' = 0 at %s = %.6g", count++ > 0 ? " and " : "", state_name(sim, i), state_name(sim, i),
                 limit);
    }
}

// Other guards whose events accumulate with these.
static void say_company(const kaiSim* sim, const Accumulation* a, Text* text)
{
    const GuardState* own = &sim->guards[a->guard];
    for (uint32_t i = 0; i < sim->model->guards_count; i++)
    {
        const GuardState* other = &sim->guards[i];
        if (i == a->guard || other->pattern < 3 || fabs(other->last_ratio - a->ratio) > 0.05 * a->ratio ||
            own->last_time - other->last_time > 2 * own->last_interval)
            continue;
        kaiPlace place = model_place(sim->model, sim->model->guards[i].place);
        text_say(text, "; with it %s (%s:%d:%d)", guard_text(sim, i), place.file != NULL ? place.file : "?", place.line,
                 place.column);
    }
}

// `still`: the states can be held at their limits, so the mode to add is known.
static kaiStatus fail_accumulation(kaiSim* sim, const Accumulation* a, bool still)
{
    Text values = {0}, mode = {0}, company = {0};
    char help[290];
    say_limits(sim, a, &values, &mode);
    say_company(sim, a, &company);
    if (still)
        snprintf(help, sizeof help, "add a mode for what comes after it, with %.180s, or set zeno = continue", mode.at);
    else
        snprintf(help, sizeof help,
                 "add a mode for what comes after it, in which %.100s stays on its level; zeno = continue cannot hold "
                 "states that still move there",
                 guard_text(sim, a->guard));
    return sim_fail(sim, sim->model->guards[a->guard].place, help,
                    "Zeno: %s fires ever faster, each interval %.6g of the one before; the events accumulate at t = "
                    "%.15g, where %s%s",
                    guard_text(sim, a->guard), a->ratio, a->limit, values.length > 0 ? values.at : "no state jumps",
                    company.at);
}

static kaiStatus start_hold(kaiSim* sim, const Accumulation* a)
{
    Text values = {0}, mode = {0};
    say_limits(sim, a, &values, &mode);
    sim_warn(sim, sim->model->guards[a->guard].place,
             "Zeno: %s fires ever faster, each interval %.6g of the one before; the run goes on from the accumulation "
             "at t = %.15g and holds %s",
             guard_text(sim, a->guard), a->ratio, a->limit, mode.at);
    for (uint32_t i = 0; i < sim->model->state_count; i++)
        if (is_held(sim, a->guard, i) && sim->hold_by[i] == 0)
        {
            sim->hold_by[i] = a->guard + 1;
            sim->hold_limit[i] = limit_of(sim, i, a->excursion);
        }
    GuardState* state = &sim->guards[a->guard];
    state->holding = true;
    state->hold_due = a->limit;
    state->barrier = state->crossed;
    state->pattern = 0;
    state->rebound = 0;
    sim->holds++;
    wait_for(sim, fmin(sim->hold_next, a->limit));
    sim->tracked = sim->tracked_count = 0;
    islands_disturb_all(sim);
    return KAI_OK;
}

// Equal ratios in a row that make a pattern: fewer where each says more, for time ends sooner; more where the ratio is
// close to 1 and may still be on its way to it (sin(1/(1 - t)), whose intervals shrink, but not geometrically).
static double evidence(double ratio)
{
    double least = ratio > 0.6 ? 10 : ratio > 0.3 ? 6 : ratio > 0.05 ? 4 : ratio > 0.005 ? 3 : 2;
    return ratio > 0.95 ? 3 / (1 - ratio) : least;
}

// A relation that is turned back comes over its level again after each event: only the one direction counts.
static bool counts(const kaiSim* sim, uint32_t guard)
{
    const GuardState* g = &sim->guards[guard];
    return is_crossing(&sim->model->guards[guard]) || g->barrier == 0 || g->crossed == g->barrier;
}

// Short enough, as a part of the run so far. A relation that turns nothing back (the top of a bounce) only follows the
// guard that does, and leaves the report to it.
static double short_part(const kaiSim* sim, uint32_t guard)
{
    const GuardState* g = &sim->guards[guard];
    bool follows = g->active && g->barrier == 0 && !is_crossing(&sim->model->guards[guard]);
    return follows ? 1e-9 : 1e-7;
}

static kaiStatus watch_times(kaiSim* sim, uint32_t index, double t)
{
    GuardState* g = &sim->guards[index];
    double interval = t - g->last_time, ratio = interval / g->last_interval;
    if (!(interval > 0) || g->holding)
        return KAI_OK;
    bool steady = ratio < 0.9999 && ratio > 0 && fabs(ratio - g->first_ratio) < fmin(0.01 * ratio, 0.02 * (1 - ratio));
    g->pattern = steady ? g->pattern + 1 : 0;
    g->first_ratio = steady ? g->first_ratio : ratio;
    g->last_time = t;
    g->last_interval = interval;
    g->last_ratio = ratio;
    double enough = evidence(ratio);
    if (!steady && sim->tracked == index + 1)
        sim->tracked = 0;
    double limit = t + interval * ratio / (1 - ratio);
    double enough_time = short_part(sim, index) * (limit - sim->options.start);
    if (g->pattern + 2 < enough || interval * pow(ratio, 3) > enough_time ||
        (sim->tracked != 0 && sim->tracked != index + 1))
        return KAI_OK;
    remember_states(sim, index);
    if (g->pattern < enough || sim->tracked_count < 3 || interval > enough_time)
        return KAI_OK;
    Accumulation a = {index, ratio, limit, fabs(g->slope) * interval};
    bool still = can_hold(sim, &a), go_on = strcmp(sim->options.zeno, "continue") == 0;
    return still && go_on ? start_hold(sim, &a) : fail_accumulation(sim, &a, still);
}

// ---- sliding
// ---------------------------------------------------------------------------------------------------------

// Events closer than this cannot be told from one another over the run.
static double resolution(const kaiSim* sim, double t)
{
    double stop = isfinite(sim->options.stop) ? sim->options.stop : t;
    return 1e-13 * fmax(fabs(t), fabs(stop - sim->options.start));
}

// The field a little off the surface, on the side to which `along` leads in the direction `way`. Relations are taken
// anew there. The slope of g in it is the result.
static double field_beside(kaiSim* sim, uint32_t guard, const double* x, const double* along, double way, double* field)
{
    const kaiModel* model = sim->model;
    double small = way * 1e-7 * fmax(fabs(sim->now.t), 1e-6);
    for (uint32_t i = 0; i < model->state_count; i++)
        sim_states(sim)[i] = x[i] + small * along[i];
    double slope = guard_start(sim) == KAI_OK ? free_slope(sim, guard) : NAN;
    memcpy(field, sim_slopes(sim), sizeof(double) * model->state_count);
    return slope;
}

static void say_field(const kaiSim* sim, const double* field, const double* other, Text* text)
{
    for (uint32_t i = 0, count = 0; i < sim->model->state_count && count < 6; i++)
        if (field[i] != other[i])
            text_say(text, "%s%s' = %.9g", count++ > 0 ? ", " : "", state_name(sim, i), field[i]);
}

// The mean of both fields that stays on the surface (Filippov).
static void say_mean(const kaiSim* sim, const double* a, const double* b, double slope_a, double slope_b, Text* text)
{
    double share = slope_b / (slope_b - slope_a);
    for (uint32_t i = 0, count = 0; i < sim->model->state_count && count < 6; i++)
        if (a[i] != b[i])
            text_say(text, "%s%s' = %.6g", count++ > 0 ? ", " : "", state_name(sim, i),
                     share * a[i] + (1 - share) * b[i]);
}

static const char* side_name(const Guard* guard, int sign)
{
    if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
        return sign < 0 ? "where it holds" : "where it does not hold";
    return sign < 0 ? "below its level" : "above its level";
}

typedef struct Sides
{
    double *from, *to;  // fields on the side that g came from last, and on the other
    double slope_from, slope_to;
    bool exact;  // the slopes are those of the fields, not their signs only
} Sides;

// The two fields, looked at beside the surface; where discretes choose the field, not relations, those of this instant.
static Sides fields_of(kaiSim* sim, uint32_t index, const double* x)
{
    int crossed = sim->guards[index].crossed;
    size_t size = sizeof(double) * sim->model->state_count;
    double* along = past(sim, 2);  // leads back to where g came from
    memcpy(along, field_now(sim), size);
    Sides s = {.from = past(sim, 0), .to = past(sim, 1)};
    s.slope_from = field_beside(sim, index, x, along, 1, s.from);
    s.slope_to = field_beside(sim, index, x, along, -1, s.to);
    s.exact = crossed * s.slope_from > 0 && crossed * s.slope_to < 0;
    if (!s.exact)
    {
        memcpy(s.from, sim->left_slope, size);
        memcpy(s.to, along, size);
    }
    return s;
}

static kaiStatus fail_sliding(kaiSim* sim, uint32_t index, double t)
{
    const GuardState* g = &sim->guards[index];
    const Guard* guard = &sim->model->guards[index];
    Text a = {0}, b = {0}, mean = {0};
    memcpy(sim->x, sim_states(sim), sizeof(double) * sim->model->state_count);
    Sides s = fields_of(sim, index, sim->x);
    memcpy(sim_states(sim), sim->x, sizeof(double) * sim->model->state_count);
    say_field(sim, s.from, s.to, &a);
    say_field(sim, s.to, s.from, &b);
    if (s.exact)
        say_mean(sim, s.from, s.to, s.slope_from, s.slope_to, &mean);
    sim->now.t = t;
    return sim_fail(sim, guard->place, "give the motion along the surface a mode of its own, or switch with hysteresis",
                    "sliding at t = %.15g: both vector fields push the solution onto the surface of %s: %s %s, %s "
                    "%s%s%s",
                    t, guard_text(sim, index), a.at, side_name(guard, -g->crossed), b.at, side_name(guard, g->crossed),
                    s.exact ? "; along the surface their mean is " : "", mean.at);
}

static kaiStatus fail_contact(kaiSim* sim, uint32_t index)
{
    return sim_fail(sim, sim->model->guards[index].place,
                    "add a mode for the contact that lasts (bodies that move together, a ball that rests)",
                    "sliding at t = %.15g: the reactions to %s turn the solution back and the field brings it to the "
                    "surface again, %u times within the resolution of time",
                    sim->now.t, guard_text(sim, index), sim->guards[index].flips);
}

static kaiStatus watch_flips(kaiSim* sim, uint32_t index, double t, bool turned)
{
    enum
    {
        IMPACTS = 24
    };
    GuardState* g = &sim->guards[index];
    bool again = g->turned && t - g->last_flip <= resolution(sim, t), jumped = sim->now.p > 0;
    g->turned = turned;
    if (!turned)
        return KAI_OK;
    g->flips = again ? g->flips + 1 : 0;
    g->jumps = again ? g->jumps + jumped : jumped;
    g->first_flip = again ? g->first_flip : t;
    g->last_flip = t;
    if (g->flips >= 1 && g->jumps == 0 && g->crossed != 0)
        return fail_sliding(sim, index, g->first_flip);
    return g->flips >= IMPACTS ? fail_contact(sim, index) : KAI_OK;
}

// ---- tunnelling
// ------------------------------------------------------------------------------------------------------

// With zeno = continue the fall is drawn, under a warning; otherwise the run stops here.
static kaiStatus fail_tunnelled(kaiSim* sim, uint32_t index, double t, double lasted)
{
    static const char format[] = "tunnelled at t = %.15g: the solution passes the surface of %s, which turned it back "
                                 "until now; the last motion away from it, %.6g long at a speed of %.6g, was too small "
                                 "to come back over the level";
    GuardState* g = &sim->guards[index];
    uint32_t place = sim->model->guards[index].place;
    double speed = fabs(g->rebound_slope);
    g->rebound = g->barrier = 0;
    g->reversals = 0;
    if (strcmp(sim->options.zeno, "continue") != 0)
        return sim_fail(sim, place,
                        "add a mode for motions below this size (a ball that rests), or locate the crossing exactly: "
                        "`down`, `up` or a relation without tolerance",
                        format, t, guard_text(sim, index), lasted, speed);
    sim_warn(sim, place, format, t, guard_text(sim, index), lasted, speed);
    return KAI_OK;
}

// A reaction had turned g back. It must come over the level before it turns again by itself.
kaiStatus zeno_turned(kaiSim* sim, uint32_t index, double t)
{
    GuardState* g = &sim->guards[index];
    double side = g->rebound * g->g, slope = g->rebound * g->slope;
    double beyond = sim->options.atol > 0 ? sim->options.atol : sim->options.rtol / 100;
    if (side > 0)
        g->rebound = 0;
    if (side > 0 || slope >= 0 || -side <= beyond)
        return KAI_OK;
    sim->now.t = t;
    return fail_tunnelled(sim, index, g->rebound_time, t - g->rebound_time);
}

// A surface that turned g back every time, ever sooner, and does not now, while nothing else happened.
static kaiStatus watch_barrier(kaiSim* sim, uint32_t index, double t, bool turned)
{
    enum
    {
        ROW = 4
    };
    GuardState* g = &sim->guards[index];
    double interval = t - g->barrier_time;
    if (!turned && g->crossed != g->barrier)
        return KAI_OK;  // on its way back
    bool sooner = interval < g->barrier_interval && g->crossed == g->barrier;
    bool alone = sim->counters.instants - g->last_instants <= 1;
    if (!turned && sooner && alone && g->reversals >= ROW && interval < 0.1 * g->longest && g->crossed * g->slope > 0)
        return fail_tunnelled(sim, index, t, interval);
    g->reversals = turned && sooner ? g->reversals + 1 : 0;
    g->longest = g->reversals > 0 ? fmax(g->longest, interval) : interval;
    g->barrier = turned ? g->crossed : 0;
    g->barrier_time = t;
    g->barrier_interval = interval;
    g->last_instants = sim->counters.instants;
    return KAI_OK;
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

// The derivatives before the reactions, of the islands that the located guards read: the others do not change.
static void keep_left_slopes(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        IndexRange islands = model->guards[sim->located[i]].islands;
        for (uint32_t k = 0; k < islands.count; k++)
        {
            uint32_t island = model->guard_islands[islands.first + k];
            IndexRange states = model->islands[island].states;
            island_slopes(sim, island);
            for (uint32_t s = 0; s < states.count; s++)
                sim->left_slope[model->island_states[states.first + s]] =
                    sim_slopes(sim)[model->island_states[states.first + s]];
        }
    }
}

// What the reactions of this instant will change is kept only while some guard is under suspicion.
void zeno_before(kaiSim* sim, double t)
{
    sim->instant_runs++;
    sim->fired_count = 0;
    if (sim->hold_next <= t + 4e-16 * fabs(t))
        set_limits(sim, t);
    bool flips = false;
    for (uint32_t i = 0; i < sim->located_count; i++)
        flips |= sim->guards[sim->located[i]].turned;
    if (sim->tracked != 0)
        memcpy(sim->zeno_left, sim_states(sim), sizeof(double) * sim->model->state_count);
    if (flips)
        keep_left_slopes(sim);
}

static kaiStatus watch_fired(kaiSim* sim, uint32_t index, double t)
{
    GuardState* g = &sim->guards[index];
    bool watched = g->active, turned = watched && g->crossed * g->slope < 0;
    kaiStatus status = watched ? watch_flips(sim, index, t, turned) : KAI_OK;
    if (status == KAI_OK && counts(sim, index))
        status = watch_times(sim, index, t);
    if (status == KAI_OK && watched)
        status = watch_barrier(sim, index, t, turned);
    bool waits = turned && g->crossed * g->g >= 0 && !g->holding;
    g->rebound = waits ? (int8_t)-g->crossed : 0;
    g->rebound_time = t;
    g->rebound_slope = g->slope;
    return status;
}

static kaiStatus watch_instants(kaiSim* sim, double t)
{
    bool tiny = t - sim->last_instant <= 1e-11 * (fabs(t) + 1e-3);
    sim->last_instant = t;
    sim->short_instants = tiny ? sim->short_instants + 1 : 0;
    if (sim->short_instants < 1000)
        return KAI_OK;
    uint32_t last = sim->fired_count > 0 ? sim->fired[0] : NO_REG;
    return sim_fail(sim, last != NO_REG ? sim->model->guards[last].place : 0,
                    "give the regime after it a mode of its own (a ball that rests, a switch that stays)",
                    "Zeno: the last 1000 instants lie closer together than time can resolve, near t = %.17g%s%s", t,
                    last != NO_REG ? "; the last one is " : "", last != NO_REG ? guard_text(sim, last) : "");
}

kaiStatus zeno_after(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < sim->fired_count; i++)
    {
        if (status == KAI_OK)
            status = watch_fired(sim, sim->fired[i], sim->now.t);
    }
    return status == KAI_OK ? watch_instants(sim, sim->now.t) : status;
}
