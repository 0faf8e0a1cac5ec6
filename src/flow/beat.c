// From one instant to the next tick of a clock in a plain model of one island, or in a circuit that nobody looks at.
// What is scheduled next is a clock, and nothing else is due with it: the island takes its step to there. If no guard
// cuts it, the tick is the next instant; if one does, its crossing is; both without an agenda that is told of the step
// and asked for it again, and without lists of what is due. Whatever else may be in the way is left to run.c and
// island.c.
#include "flow/flow.h"

#include "kernel/blocks.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"

bool beat_serves(const Flow* flow)
{
    const kaiModel* model = flow->model;
    const Brief* brief = flow->kernel->brief;
    bool circuit = brief != NULL && brief->circuit;
    return (flow->kernel->plain || circuit) && model->islands_count == 1 && model->clocks_count > 0 &&
           flow->islands[0].steps && !flow->kernel->options->profile && kernel_blocks(flow->kernel) == NULL;
}

// The island waits for a step and nothing else is going on (run.c has asked the kernel).
static inline bool is_clear(const Flow* flow)
{
    const IslandState* island = &flow->islands[0];
    const Kernel* kernel = flow->kernel;
    // They are put back before a step (island.c).
    bool tied = kernel->bonds != NULL && bonds_are_tied(kernel, BOND_TIES_CONSTANT);
    return !tied && flow->waiting.count == 1 && flow->looks.count == 0 && island->begun && !island->beyond &&
           !island->ends_beyond && kernel->now.t == ode_time(flow->island_odes[0]);
}

bool beat_is_next(const Flow* flow, double until, uint32_t* clock, double* tick)
{
    const Kernel* kernel = flow->kernel;
    double second, t = *tick = agenda_next_two(&kernel->agenda, clock, &second), after = t + kernel_slack(kernel, t);
    return *clock < flow->model->clocks_count && t > kernel->now.t && t <= until && after < kernel->options->stop &&
           second > after && is_clear(flow);
}

bool beat_take(Flow* flow, double until, double* t)
{
    Kernel* kernel = flow->kernel;
    uint32_t item;
    double tick;
    if (!beat_is_next(flow, until, &item, &tick))
        return false;
    IslandReach reach = island_reaches(flow, tick);
    *t = reach == REACH_CROSSING ? ode_time(flow->island_odes[0]) : tick;
    if (reach != REACH_LIMIT)
        return reach == REACH_CROSSING;
    kernel->located_count = 0;
    agenda_set(&kernel->agenda, item, INFINITY);
    kernel->due_clocks.at[kernel->due_clocks.count++] = item;
    return true;
}
