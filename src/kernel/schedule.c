// Expected breakpoints: nothing here is searched for, the solver is told not to step over it (rule C3).
#include "kernel/kernel.h"

#include <math.h>

// Of clocks = start the first tick is counted from the start of the run.
static double first_tick(const Kernel* kernel, const Clock* clock)
{
    return kernel->R[clock->first] + kernel->clock_origin;
}

// Tick n of a clock is first + n T, computed from n, never summed (rule D1).
static double clock_time(const Kernel* kernel, const Clock* clock)
{
    double period = kernel->R[clock->period], first = first_tick(kernel, clock), n = kernel->R[clock->count];
    return n == 0 ? first : first + n * period;  // a period of inf: one tick
}

double schedule_clock_time(const Kernel* kernel, uint32_t clock)
{
    return clock_time(kernel, &kernel->model->clocks[clock]);
}

// The first tick that is not before the start. One that rounding puts before it is at the start (rule T6).
static double first_count(Kernel* kernel, const Clock* clock)
{
    double start = kernel->options->start, period = kernel->R[clock->period], first = first_tick(kernel, clock);
    double behind = isinf(period) ? first < start : (start - first) / period, n = behind > 0 ? ceil(behind) : 0;
    if (first < start && isfinite(first))
        kernel->time_scale = larger(kernel->time_scale, fabs(first));
    kernel->R[clock->count] = n - 1;
    return n > 0 && kernel_same_time(kernel, clock_time(kernel, clock), start) ? n - 1 : n;
}

kaiStatus schedule_start(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->model->clocks_count; i++)
    {
        const Clock* clock = &kernel->model->clocks[i];
        double period = kernel->R[clock->period], first = first_tick(kernel, clock);
        if (!(period > 0) || isnan(first))
            return kernel_fail(kernel, clock->place, "give the clock a period above 0",
                               "a clock with period %g and first tick %g", period, first);
        kernel->R[clock->count] = first_count(kernel, clock);
        if (kernel_reached(kernel, clock_time(kernel, clock), kernel->options->start))
            kernel->due_clocks.at[kernel->due_clocks.count++] = i;
        else
            agenda_set(&kernel->agenda, i, clock_time(kernel, clock));
    }
    return KAI_OK;
}

// A clock ticks once at a time: where the next tick is at the same one (rule T6), ticks would go on without time doing
// so.
static kaiStatus tick(Kernel* kernel, uint32_t index, double* next)
{
    const Clock* clock = &kernel->model->clocks[index];
    double time = clock_time(kernel, clock);
    kernel->R[clock->count] += 1;
    *next = clock_time(kernel, clock);
    if (kernel_same_time(kernel, *next, time))
        return kernel_fail(
            kernel, clock->place, "give the clock a longer period",
            "the ticks of a clock with period %g are closer together than time can resolve, at t = %.17g",
            kernel->R[clock->period], time);
    if (!kernel_ctx_active(kernel, clock->ctx))
        return KAI_OK;
    kernel_raise(kernel, clock->flag);
    if (kernel->options->fired != NULL)
        kernel->hooks->fires(kernel->owner, SIGN_CLOCK, index, clock->place);
    return KAI_OK;
}

// The agenda has told which clocks are due.
kaiStatus schedule_mark_due(Kernel* kernel, double t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < kernel->due_clocks.count && status == KAI_OK; i++)
    {
        uint32_t clock = kernel->due_clocks.at[i];
        double next;
        status = tick(kernel, clock, &next);
        agenda_set(&kernel->agenda, clock, next);
    }
    kernel->due_clocks.count = 0;
    bool waits = kernel->model->delays_count > 0 || kernel->queue.count > 0;
    return status == KAI_OK && waits ? delay_mark_due(kernel, t) : status;
}

void schedule_enter_modes(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->machines_count; i++)
    {
        const ModeInfo* mode = &model->modes[model->machines[i].first_mode + model->machines[i].start];
        if (mode->entry != NO_REG && kernel_ctx_active(kernel, mode->ctx))
            kernel_raise(kernel, mode->entry);
    }
}
