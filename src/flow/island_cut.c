// Where a step ends before its solver meant it to: at the first crossing of a guard that reads its island alone, or
// where a state that zeno = continue holds leaves; and the step of the only island of a model, taken in one go to what
// is due or to what crosses before it (beat.c).
#include "flow/guard_path.h"

#include "base/tolerance.h"
#include "kernel/guard.h"

#include <math.h>

void island_count_step(kaiCounters* counters, double start, double length)
{
    if (counters->shortest_step == 0 || length < counters->shortest_step)
    {
        counters->shortest_step = length;
        counters->shortest_at = start;
    }
    counters->longest_step = larger(counters->longest_step, length);
}

// A guard that has just fired and is found again before time has moved would be found for ever: there and back on its
// level exactly. Time goes on by more than what counts as the same (rule T6), and then it is on one side.
static double go_forward(const Flow* flow, const Ode* ode, double theta)
{
    const Kernel* kernel = flow->kernel;
    double start = ode_step_start(ode), length = ode_dense_length(ode);
    if (start + theta * length > start || kernel->instant_time != start)
        return theta;
    bool again = false;
    for (uint32_t i = 0; i < kernel->located_count; i++)
        again |= kernel->guards[kernel->located[i]].fired == kernel->instant_runs;
    return again ? smaller(1, 2 * kernel_slack(kernel, start) / length) : theta;
}

// The first crossing of the step, which may have become shorter when it is found. BACK_ALL: the step has gone.
static GuardBack search(Flow* flow, uint32_t index, bool* found, double* theta)
{
    GuardBack back = BACK_NOT;
    flow->kernel->located_count = 0;
    do
    {
        *theta = 1;
        *found = flow->islands[index].watched && guard_search(flow, index, theta);
        back = *found ? guard_steps_back(flow, index, *theta) : BACK_NOT;
    } while (back == BACK_SOME);
    if (back == BACK_NOT && flow->kernel->located_count > 0)
        guard_keep_sides(flow, index, *theta);
    return back;
}

static void tell_located(Flow* flow, const Ode* ode)
{
    for (uint32_t i = 0; i < flow->kernel->located_count; i++)
    {
        flow->kernel->guards[flow->kernel->located[i]].due = ode_time(ode);
        agenda_set(&flow->kernel->agenda, agenda_guard(flow->kernel, flow->kernel->located[i]), ode_time(ode));
    }
    flow->kernel->located_count = 0;
}

// Guards that read it alone, and states that zeno = continue holds, end the step where they ask for an instant.
bool island_cut(Flow* flow, uint32_t index)
{
    Ode* ode = island_ode(flow, index);
    double theta, end = ode_time(ode);
    bool found, taken = search(flow, index, &found, &theta) != BACK_ALL;
    theta = found ? go_forward(flow, ode, theta) : theta;
    bool held = taken && flow->kernel->holds > 0 && flow->hooks->leaves(flow->owner, &theta);
    if (taken && (found || held))
        ode_cut(ode, theta);
    if (flow->model->islands[index].delays.count > 0 && ode_time(ode) != end)
        delay_cut(flow, index, ode_time(ode));
    if (held && flow->kernel->located_count == 0)
        agenda_set(&flow->kernel->agenda, agenda_hold(flow->kernel), ode_time(ode));
    tell_located(flow, ode);
    return taken;
}

// One guard has crossed, and nothing else is at that time: `limit` is that of what is due next.
static bool has_crossed_alone(Flow* flow, double limit)
{
    Kernel* kernel = flow->kernel;
    double t = ode_time(island_ode(flow, 0));
    return kernel->located_count == 1 && t > kernel->now.t &&
           t + larger(kernel_slack(kernel, t), kernel->guards[kernel->located[0]].slack) < limit;
}

bool island_leaps(Flow* flow, double limit)
{
    return !flow->sharp[0].any && flow->root == ROOT_ITP && ode_leap(flow->island_odes[0], limit, &flow->leap);
}

// A step of a linear field of few states, looked at before it is taken, to `limit` or to the only crossing in it.
// False: nothing has changed.
static bool leap(Flow* flow, double limit, bool* cut)
{
    Kernel* kernel = flow->kernel;
    int64_t calls = kernel->counters.guard_calls;
    double theta = 1;
    *cut = false;
    kernel->located_count = 0;
    ode_wake(flow->island_odes[0]);  // as if no snapshot had been taken
    if (!island_is_few(flow) || !island_leaps(flow, limit))
        return false;
    if (flow->leap.end != limit || !leap_is_clear(flow))
    {
        flow->islands[0].loaded = NAN;
        *cut = flow->islands[0].watched && guard_search_leap(flow, &kernel->located[0], &theta) &&
               flow->leap.start + theta * flow->leap.length > flow->leap.start;
        if (!*cut)
        {
            kernel->counters.guard_calls = calls;
            return false;
        }
        kernel->located_count = 1;
        kernel->guards[kernel->located[0]].slack = 0;
    }
    ode_leap_take(flow->island_odes[0], &flow->leap, theta);
    return true;
}

// Where the island stands, into its registers. Bonds are not tied where it goes from tick to tick.
static void load_end(Flow* flow)
{
    const IslandSystem* own = &flow->island_systems[0];
    const double* x = ode_state(flow->island_odes[0]);
    for (int i = 0; i < own->system.n; i++)
        own->states[i] = x[i];
    flow->islands[0].loaded = ode_time(flow->island_odes[0]);
}

// The step of the only island, with what crosses in it. False: the solver failed.
static bool take_step(Flow* flow, double limit, bool* cut)
{
    Ode* ode = island_ode(flow, 0);
    GuardBack back;
    do
    {
        double theta = 1;
        flow->leapt = leap(flow, limit, cut);
        if (flow->leapt)
            return true;
        if (hidden_step(flow, 0, limit) != ODE_OK)
            return false;
        bool far = flow->model->guards_count == 0 || (ode_time(ode) == limit && guards_are_out_of_reach(flow, 0));
        *cut = false;
        back = far ? BACK_NOT : search(flow, 0, cut, &theta);
        if (*cut && back == BACK_NOT)
            ode_cut(ode, go_forward(flow, ode, theta));
    } while (back == BACK_ALL);
    return true;
}

IslandReach island_reaches(Flow* flow, double limit)
{
    IslandState* s = &flow->islands[0];
    Ode* ode = island_ode(flow, 0);
    double t = ode_time(ode);
    bool cut;
    if (!take_step(flow, limit, &cut))
        return REACH_EARLIER;  // as it will be again, and said then
    s->loaded = NAN;
    if (flow->leapt && flow->island_systems[0].states != NULL)
        load_end(flow);
    s->ahead = larger(s->ahead, ode_time(ode) - t);
    if (ode_time(ode) == limit && !cut)
        return REACH_LIMIT;
    if (cut && has_crossed_alone(flow, limit))
    {
        s->own = flow->kernel->touch + 1;
        return REACH_CROSSING;
    }
    if (cut)
        tell_located(flow, ode);
    else
        island_count_step(&flow->kernel->counters, t, ode_time(ode) - t);
    s->due = false;
    flow->waiting.count = 0;
    agenda_set(&flow->kernel->agenda, agenda_island(flow->kernel, 0), ode_time(ode));
    touch_moment(flow->kernel, flow->kernel->now.t);
    return REACH_EARLIER;
}
