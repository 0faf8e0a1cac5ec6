// Expected breakpoints: nothing here is searched for, the solver is told not to step over it (rule C3).
#include "sim/sim.h"

#include <math.h>

// Tick n of a clock is first + n T, computed from n, never summed (rule D1).
static double clock_time(const kaiSim* sim, const Clock* clock)
{
    double period = sim->R[clock->period], first = sim->R[clock->first], n = sim->R[clock->count];
    return n == 0 ? first : first + n * period;  // a period of inf: one tick
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
    }
    return KAI_OK;
}

// Times that differ only by the rounding of their formulas are one time.
static bool is_due(double due, double t)
{
    return due <= t + 4e-16 * fabs(t);
}

// Where a clock ticks at what is one time, its own time is taken: a delayed sample that comes a rounding early must not
// pull the clock along, or the next sample would be earlier still.
double schedule_next(kaiSim* sim)
{
    double next = fmin(delay_next_time(sim), sim->hold_next), tick = INFINITY;
    for (uint32_t i = 0; i < sim->model->clocks_count; i++)
        tick = fmin(tick, clock_time(sim, &sim->model->clocks[i]));
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
        if (sim->model->guards[w.index].time_only)
            next = fmin(next, sim->guards[w.index].due);
    return tick < next || is_due(tick, next) ? tick : next;
}

void schedule_mark_due(kaiSim* sim, double t)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->clocks_count; i++)
    {
        const Clock* clock = &model->clocks[i];
        if (!is_due(clock_time(sim, clock), t))
            continue;
        sim->R[clock->count] += 1;
        if (!sim_ctx_active(sim, clock->ctx))
            continue;
        sim->R[clock->flag] = 1;
        fired_clock(sim, i);
    }
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
        if (model->guards[w.index].time_only && is_due(sim->guards[w.index].due, t))
        {
            sim->guards[w.index].due = INFINITY;
            sim->located[sim->located_count++] = w.index;
        }
    delay_mark_due(sim, t);
}

void schedule_enter_modes(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->machines_count; i++)
    {
        const ModeInfo* mode = &model->modes[model->machines[i].first_mode + model->machines[i].initial];
        if (mode->entry != NO_REG && sim_ctx_active(sim, mode->ctx))
            sim->R[mode->entry] = 1;
    }
}
