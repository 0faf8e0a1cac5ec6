// From one instant to the next in a plain model of one island that moves along parabolas, as bodies in free flight do.
// Usually nothing can come before the next crossing of a guard: then there is no need of an agenda, of the end of a
// step that is going to be cut, or of lists of what is due. The crossing is looked for before the step is taken, and
// the step ends there. Whatever else may be in the way is left to run.c and island.c, with nothing changed.
#include "flow/guard_path.h"

#include <math.h>

bool flight_serves(const Flow* flow)
{
    enum
    {
        FEW = 8  // states
    };
    const kaiModel* model = flow->model;
    return flow->kernel->plain && model->islands_count == 1 && model->guards_count > 0 && model->state_count > 0 &&
           model->state_count <= FEW && flow->root == ROOT_ITP && !flow->kernel->options->profile &&
           flow->islands[0].base == 0 && flow->island_systems[0].series != NULL;
}

// The island waits for a step and nothing else is going on (run.c has asked the kernel).
static inline bool is_clear(const Flow* flow)
{
    const IslandState* island = &flow->islands[0];
    return flow->waiting.count == 1 && flow->looks.count == 0 && island->due && island->begun && !island->beyond &&
           flow->small_count == 0 && flow->kernel->now.t == ode_time(flow->island_odes[0]);
}

bool flight_take(Flow* flow, double until, double* t)
{
    Kernel* kernel = flow->kernel;
    Ode* ode = flow->island_odes[0];
    IslandState* island = &flow->islands[0];
    uint32_t item, guard;
    int degree = series_degree(flow->island_systems[0].series);  // 0: there is none yet, after a snapshot
    if (degree > 2 || !is_clear(flow))
        return false;
    if (isnan(island->loaded))
    {
        ode_wake(ode);
        degree = series_degree(flow->island_systems[0].series);
    }
    if (degree < 1 || degree > 2)
        return false;
    double theta, limit = smaller(agenda_next(&kernel->agenda, &item), kernel->options->stop);
    if (!(limit > kernel->now.t) || !ode_flight(ode, degree, limit, &flow->flight))
        return false;
    island->loaded = NAN;
    if (!guard_search_flight(flow, &guard, &theta))
        return false;
    double at = flow->flight.start + theta * flow->flight.length;
    if (!(at < until) || kernel_reached(kernel, limit, at))
        return false;
    ode_fly(ode, &flow->flight, theta);
    *t = ode_time(ode);
    const double* x = ode_state(ode);
    for (uint32_t i = 0; i < kernel->model->state_count; i++)
        flow->island_systems[0].states[i] = x[i];
    island->loaded = *t;
    island->own = kernel->touch + 1;
    island->ahead = larger(island->ahead, *t - flow->flight.start);
    kernel->located[0] = guard;
    kernel->located_count = 1;
    kernel->guards[guard].slack = 0;
    return true;
}
