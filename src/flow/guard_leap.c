// Guards that are sums of states, in a step of a linear field of few states: mostly it cannot bring them to their
// levels at all, which is told by how far the states get; and the first crossing in a leap (num/ode.h), which has not
// been taken yet. The rules are those of guard_short.c.
#include "flow/guard_short.h"

// ---- out of reach
// ----------------------------------------------------------------------------------------------------

typedef struct Step  // for all its guards
{
    const Ode* ode;
    const OdeLeap* leap;  // NULL: it has been taken
    const double *x0, *x, *slopes;
    double start, end, far;  // far: the most that counts as the same time there
} Step;

// As ode_reach.
static inline double reach_of(const Step* step, int slot)
{
    if (step->leap == NULL)
        return ode_reach(step->ode, slot);
    double sum = 0, h = step->leap->length;
    double* const* c = step->leap->c;
    for (int k = step->leap->degree; k >= 1; k--)
        sum = (sum + fabs(c[k][slot])) * h;
    return sum;
}

// The step cannot bring it to its level, nor so near to it that it could count as crossed where the step ends. Then g
// and its slope there are noted, for whoever passes the end.
static inline bool is_out_of_reach(const Flow* flow, uint32_t index, const Guard* guard, GuardState* state,
                                   const Step* step)
{
    const Kernel* kernel = flow->kernel;
    const int* slots = flow->model->guard_slots + guard->first_state;
    const double* factors = flow->guard_factors + guard->first_state;
    double g = state->g, reach = 0, change = 0, slope = 0;
    if (!flow->guard_affine[index] || state->from != step->start || state->sliding != 0 || is_past(kernel, guard, g) ||
        (is_crossing(guard) && kernel->R[guard->side] != sign_of(g)))
        return false;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        change += factors[i] * (step->x[slots[i]] - step->x0[slots[i]]);
        slope += factors[i] * step->slopes[slots[i]];
    }
    if (!(fabs(g) > fabs(change)) || !(fabs(g + change) > fabs(slope) * step->far))
        return false;
    for (uint32_t i = 0; i < guard->state_count; i++)
        reach += fabs(factors[i]) * reach_of(step, slots[i]);
    if (!(fabs(g) * (1 - GUARD_NOISE) > reach * (1 + GUARD_NOISE)))
        return false;
    state->g_end = g + change;
    state->slope_end = slope;
    state->until = step->end;
    return true;
}

bool guards_are_out_of_reach(Flow* flow, uint32_t island)
{
    Kernel* kernel = flow->kernel;
    GuardWalk w = {.island = island};
    if (!is_short(flow, island))
        return false;
    if (!own_guard(kernel, &w))
        return true;
    Ode* ode = island_ode(flow, island);
    double end = ode_time(ode);
    Step step = {.ode = ode,
                 .x0 = ode_start_state(ode),
                 .x = ode_state(ode),
                 .slopes = ode_slope(ode),
                 .start = ode_step_start(ode),
                 .end = end,
                 .far = TIME_GUARD_MOST * kernel_slack(kernel, end)};
    do
        if (!is_out_of_reach(flow, w.index, &flow->model->guards[w.index], &kernel->guards[w.index], &step))
            return false;
    while (own_guard(kernel, &w));
    return true;
}

// Those that the island's guards are among, of one island.
static inline const uint32_t* list_guards(const Kernel* kernel, const uint32_t** end)
{
    const kaiModel* model = kernel->model;
    const IndexRange range = model->islands[0].guards;
    const uint32_t* list = model->fused ? kernel->active_guards.at : model->island_guards + range.first;
    *end = list + (model->fused ? kernel->active_guards.count : range.count);
    return list;
}

static inline bool is_own(const Guard* guard, const GuardState* state)
{
    return state->active && guard->islands.count == 1;
}

bool leap_is_clear(Flow* flow)
{
    const OdeLeap* leap = &flow->leap;
    Kernel* kernel = flow->kernel;
    const uint32_t *end, *at = list_guards(kernel, &end);
    if (at == end)
        return true;
    Step step = {.leap = leap,
                 .x0 = ode_state(flow->island_odes[0]),
                 .x = leap->x,
                 .slopes = leap->slopes,
                 .start = leap->start,
                 .end = leap->end,
                 .far = TIME_GUARD_MOST * kernel_slack(kernel, leap->end)};
    for (; at < end; at++)
    {
        const Guard* guard = &flow->model->guards[*at];
        GuardState* state = &kernel->guards[*at];
        if (is_own(guard, state) && !is_out_of_reach(flow, *at, guard, state, &step))
            return false;
    }
    return true;
}

kaiStatus leap_pass(Flow* flow, double t)
{
    kaiStatus status = KAI_OK;
    for (const uint32_t *end, *at = list_guards(flow->kernel, &end); at < end && status == KAI_OK; at++)
    {
        GuardState* state = &flow->kernel->guards[*at];
        if (!is_own(&flow->model->guards[*at], state))
            continue;
        state->g = state->g_end;
        state->slope = state->slope_end;
        state->from = t;
        status = flow->hooks->passed(flow->owner, *at, t);
    }
    return status;
}

// ---- the first crossing
// ----------------------------------------------------------------------------------------------

// As ode_dense_value.
static inline double state_in_leap(const OdeLeap* leap, int slot, double tau)
{
    double sum = 0;
    for (int k = leap->degree; k >= 0; k--)
        sum = sum * tau + leap->c[k][slot];
    return sum;
}

// As guard_path_value.
static double value_in_leap(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const kaiModel* model = flow->model;
    const Guard* guard = path->guard;
    double *R = flow->kernel->R, *x = kernel_states(flow->kernel), tau = theta * flow->leap.length;
    flow->kernel->counters.guard_calls++;
    R[model->reg_time] = guard_path_time(path, theta);
    if (guard->state_count == 1)
        x[model->guard_states[guard->first_state]] =
            state_in_leap(&flow->leap, model->guard_slots[guard->first_state], tau);
    else
    {
        double all[FEW_STATES];
        ode_leap_to(flow->island_odes[0], &flow->leap, theta, all);
        for (uint32_t i = guard->first_state, end = i + guard->state_count; i < end; i++)
            x[model->guard_states[i]] = all[model->guard_slots[i]];
    }
    if (flow->guard_direct[path->index])
        R[guard->g] = x[model->guard_states[guard->first_state]];
    else
        hot_run(&flow->guard_hots[path->index], model, R, model->code + guard->code.start,
                model->code + guard->code.end, &flow->trial);
    return guard_value(flow->kernel, guard);
}

// As ode_piece_add.
static inline void sum_in_leap(const GuardPath* path, double g, Sum* p)
{
    const Flow* flow = path->flow;
    const int* slots = flow->model->guard_slots + path->guard->first_state;
    const double* factors = flow->guard_factors + path->guard->first_state;
    const uint32_t count = path->guard->state_count;
    double* const* c = flow->leap.c;
    const int degree = p->degree = count > 0 ? flow->leap.degree : 0;
    p->c[0] = g;
    for (int k = 1; k <= degree; k++)
        p->c[k] = factors[0] * c[k][slots[0]];
    for (uint32_t i = 1; i < count; i++)
        for (int k = 1; k <= degree; k++)
            p->c[k] += factors[i] * c[k][slots[i]];
}

// As find_root, where no bound of the terms is asked that the end answers.
static inline double find_root_in_leap(const GuardPath* path, const Sum* p)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    const double *x0 = ode_state(flow->island_odes[0]), *x = flow->leap.x;
    PolynomialRoot roots[3];
    double end = p->c[0];
    for (uint32_t i = guard->first_state, last = i + guard->state_count; i < last; i++)
        end += flow->guard_factors[i] * (x[flow->model->guard_slots[i]] - x0[flow->model->guard_slots[i]]);
    if (!(p->c[0] * end < 0) || p->degree < 3 || is_past(flow->kernel, guard, p->c[0]))
        return find_root(path, p->c, p->degree);
    int count = polynomial_roots_closed(p->c, p->degree, path->length, GUARD_NOISE * fabs(p->c[0]), roots);
    return count == 0 ? INFINITY : choose_root(path, roots, count);
}

// Past its level at last; mostly at the next number. INFINITY: nowhere.
static inline double settle(const GuardPath* path, double root, const Sum* p)
{
    Kernel* kernel = path->flow->kernel;
    double at = root / path->length, theta = at + 0.51 * DBL_EPSILON * at;
    if (!(theta < 1))
        return INFINITY;
    if (is_past(kernel, path->guard, value_in_leap(path, theta)))
        return theta;
    kernel->counters.guard_calls--;  // the same place is asked for again
    return push_past(path, at, 1, polynomial_slope(p->c, p->degree, root), value_in_leap);
}

bool guard_search_leap(Flow* flow, uint32_t* index, double* theta)
{
    const OdeLeap* leap = &flow->leap;
    double first = INFINITY, second = INFINITY;
    GuardPath nearest;
    Sum sums[2], *p = &sums[0], *found = &sums[1];  // of the guard that is looked at, of the nearest
    for (const uint32_t *end, *at = list_guards(flow->kernel, &end); at < end; at++)
    {
        const Guard* guard = &flow->model->guards[*at];
        GuardState* state = &flow->kernel->guards[*at];
        if (!is_own(guard, state))
            continue;
        if (!flow->guard_affine[*at] || !guard_has_code(guard) || state->from != leap->start || state->sliding != 0)
            return false;
        const GuardPath path = {flow, *at, guard, leap->start, leap->length, state->toward, 0};
        state->until = state->from;  // the rest of the step is not looked at
        sum_in_leap(&path, state->g, p);
        double root = find_root_in_leap(&path, p);
        if (isnan(root))
            return false;
        second = smaller(second, larger(first, root));
        if (!(root < first))
            continue;
        nearest = path;
        first = root;
        Sum* other = found;
        found = p;
        p = other;
    }
    if (first == INFINITY || !stands_alone(&nearest, first, second))
        return false;
    *index = nearest.index;
    *theta = settle(&nearest, first, found);
    return *theta < 1;
}
