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
#include "flow/guard_window.h"

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

double guard_steps_behind(const GuardPath* path)
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
    double slack = kernel_slack(path->flow->kernel, t), rounds = 1 + guard_steps_behind(path) / TIME_STEPS_SAME;
    if (guard_is_flat(path, g, slope))
        return TIME_GUARD_MOST * slack;
    // what it was made of: its terms here, and the way that it has come in this step
    double size = larger(guard_largest_term(path, g, slope), fabs(slope) * path->length);
    double own = rounds * TIME_SAME * size / fabs(slope);
    return own > slack ? smaller(own, TIME_GUARD_MOST * slack) : slack;
}

// What is not a sum of states rounds by what its own operators do.
static bool rounds_to_level(const GuardPath* path)
{
    double g = path->flow->kernel->guards[path->index].g_end;
    return !path->flow->guard_affine[path->index] && fabs(g) <= CROSSING_ROUNDINGS * guard_path_rounding(path, 1);
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
    bool there = would && (fabs(state->g_end) <= fabs(state->slope_end) * slack || rounds_to_level(path));
    return there && !guard_path_stands(path, 1, state->g_end);
}

static bool came_flat_to_end(const GuardPath* path)
{
    const GuardState* state = &path->flow->kernel->guards[path->index];
    return guard_came_flat(path, 1, state->g_end, state->slope_end);
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
    double end = guard_path_unhidden(path, c->reached, small ? c->reached + (1 - c->reached) * 0x1p-10 : 1), at;
    if (guard_samples_search(path, c->reached, end, &at))
        c->after = at;
    c->reached = end;
}

static void scan_window(const GuardPath* path, Candidate* c)
{
    GuardWindow w;
    c->windows++;
    if (!guard_window_open(path, c->reached, &w))
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
        c->after = guard_window_pass_end(&w, INFINITY);
    }
    else
        c->after = guard_window_search(&w);
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
    double end = ode_time(island_ode(flow, island));
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
    flow->kernel->R[model->reg_time] = ode_time(island_ode(flow, island));
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

// A relation that lies past its level where its island stands, by no more than its own operators round by, is on its
// level and has not crossed: what it keeps legal may lie as little beyond its domain.
void guard_excuse(Flow* flow, uint32_t island)
{
    Kernel* kernel = flow->kernel;
    for (GuardWalk w = {.island = island}; own_guard(kernel, &w);)
    {
        const Guard* guard = &flow->model->guards[w.index];
        GuardPath path = guard_path_of_step(flow, w.index, island);
        bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
        double rounding = relation ? guard_path_rounding(&path, 1) : 0, g = fabs(kernel->R[guard->g]);
        if (relation && g <= CROSSING_ROUNDINGS * rounding && is_past(kernel, guard, kernel->R[guard->g]))
            kernel->rounding = larger(kernel->rounding, DOMAIN_ROUNDING * g);
    }
}

// Whether a guard without a value would have one beyond the domains of its operators: 0/0 is nothing but a place.
static bool ends_there(Flow* flow, uint32_t index, CodeRange code)
{
    double* R = flow->kernel->R;
    vm_run(flow->model, R, code, &flow->trial);
    bool would = !isnan(R[flow->model->guards[index].g]);
    vm_run(flow->model, R, code, &flow->kernel->host);
    return would;
}

// A guard that has no value where an instant ends is looked for beyond its domain in the next step.
void guard_armed(Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    if (isnan(flow->kernel->guards[index].g) && guard->islands.count == 1)
        flow->islands[flow->model->guard_islands[guard->islands.first]].ends_beyond = true;
}

// Guards are looked for beyond the domains of their operators, since a relation may switch before, in this island or in
// one that is behind. Where none has when the next step begins, a guard without a value can decide nothing any more.
kaiStatus guard_check_domain(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    Kernel* kernel = flow->kernel;
    CodeRange code = model->islands[island].events;
    double t = ode_time(island_ode(flow, island));
    flow->islands[island].ends_beyond = false;
    flow->islands[island].loaded = NAN;
    island_load(flow, island, t);
    kernel->R[model->reg_time] = t;
    vm_run(model, kernel->R, code, &kernel->host);
    for (GuardWalk w = {.island = island}; own_guard(kernel, &w);)
    {
        const Guard* guard = &model->guards[w.index];
        if (!isnan(kernel->R[guard->g]) || !guard_is_active(kernel, guard, false) || !ends_there(flow, w.index, code))
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
    double length = ode_dense_length(island_ode(flow, island)), slack = 0;
    double far = TIME_GUARD_MOST * kernel_slack(flow->kernel, ode_time(island_ode(flow, island)));
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
    double theta = first, length = ode_dense_length(island_ode(flow, island));
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
    double length = ode_dense_length(island_ode(flow, island)), end = ode_time(island_ode(flow, island));
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
        bool flat = came_flat_to_end(&path);
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

bool guard_search(Flow* flow, uint32_t island, double* theta)
{
    const Ode* ode = island_ode(flow, island);
    double first;
    flow->kernel->located_count = flow->candidate_count = 0;
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
        return true;
    if (first < INFINITY && flow->candidate_count == 1 && flow->model->islands_count == 1)
        *theta = take_alone(flow);
    else if (first < INFINITY)
        *theta = collect_located(flow, island, first, theta_share(flow, ode_step_start(ode), ode_dense_length(ode)));
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
    GuardPath path = guard_path_of_window(flow, index, state->from, t);
    guard_keep_side(&path, 1, g, slope);
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
    kaiStatus status = pass(flow, index, state->g_end, state->slope_end, state->until);
    state->from = state->until;
    return status;
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
    bool ends = near && crosses_at_end(&path, c.side) && !came_flat_to_end(&path);
    bool found = ends || c.after < INFINITY;
    if (ends)
        c.after = 1;
    note_look(flow, index, &path, found, c.after, state->slope_end);
}
