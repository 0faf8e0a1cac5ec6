// Expected breakpoints: nothing here is searched for, the solver is told not to step over it (rule C3).
#include "kernel/sim.h"

#include <math.h>

// Tick n of a clock is first + n T, computed from n, never summed (rule D1).
static double clock_time(const kaiSim* sim, const Clock* clock)
{
    double period = sim->R[clock->period], first = sim->R[clock->first], n = sim->R[clock->count];
    return n == 0 ? first : first + n * period;  // a period of inf: one tick
}

double schedule_clock_time(const kaiSim* sim, uint32_t clock)
{
    return clock_time(sim, &sim->model->clocks[clock]);
}

// Times that differ only by the rounding of their formulas are one time.
static bool is_due(double due, double t)
{
    return due <= t + 4e-16 * fabs(t);
}

kaiStatus schedule_start(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->clocks_count; i++)
    {
        const Clock* clock = &sim->model->clocks[i];
        double period = sim->R[clock->period], first = sim->R[clock->first];
        if (!(period > 0) || isnan(first))
            return sim_fail(sim, clock->place, "give the clock a period above 0",
                            "a clock with period %g and first tick %g", period, first);
        double behind = (sim->options.start - first) / period;
        sim->R[clock->count] = behind > 0 ? ceil(behind) : 0;
        if (is_due(clock_time(sim, clock), sim->options.start))
            sim->due_clocks.at[sim->due_clocks.count++] = i;
        else
            agenda_set(&sim->agenda, i, clock_time(sim, clock));
    }
    return KAI_OK;
}

static void tick(kaiSim* sim, uint32_t index)
{
    const Clock* clock = &sim->model->clocks[index];
    sim->R[clock->count] += 1;
    if (!sim_ctx_active(sim, clock->ctx))
        return;
    sim_raise(sim, clock->flag);
    fired_clock(sim, index);
}

// The agenda has told which clocks are due.
kaiStatus schedule_mark_due(kaiSim* sim, double t)
{
    for (uint32_t i = 0; i < sim->due_clocks.count; i++)
    {
        uint32_t clock = sim->due_clocks.at[i];
        tick(sim, clock);
        agenda_set(&sim->agenda, clock, schedule_clock_time(sim, clock));
    }
    sim->due_clocks.count = 0;
    return delay_mark_due(sim, t);
}

void schedule_enter_modes(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->machines_count; i++)
    {
        const ModeInfo* mode = &model->modes[model->machines[i].first_mode + model->machines[i].start];
        if (mode->entry != NO_REG && sim_ctx_active(sim, mode->ctx))
            sim_raise(sim, mode->entry);
    }
}
