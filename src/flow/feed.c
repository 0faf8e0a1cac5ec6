// What goes into `delay(u, T)` between instants: the steps of the island that computes it, as points with slopes, four
// to a step; at an instant the right limit, and a jump that comes out T later (rule D1). The histories belong to the
// kernel.
#include "flow/flow.h"

#include <math.h>

// An island's last step, up to `until`.
kaiStatus delay_island_step(Flow* flow, uint32_t index, double until)
{
    const kaiModel* model = flow->model;
    const Ode* ode = flow->island_odes[index];
    const IndexRange delays = model->islands[index].delays;
    double start = fmax(ode_step_start(ode), flow->islands[index].pushed), length = until - start;
    kaiStatus status = KAI_OK;
    if (delays.count == 0 || !(length > 0))
        return status;
    flow->islands[index].pushed = until;
    double held = flow->kernel->R[model->reg_time];
    for (int k = 1; k <= 4 && status == KAI_OK; k++)
    {
        double t = k == 4 ? until : start + k / 4.0 * length;
        flow->kernel->R[model->reg_time] = t;
        island_look(flow, index, start, length, k / 4.0, true);
        if (k ==
            4)  // the slope of the equations, as after an instant here: that of the interpolant would look like a jump
        {
            flow->islands[index].loaded = NAN;
            island_load(flow, index, until);
            status = kernel_run(flow->kernel, model->islands[index].deriv);
        }
        for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
        {
            uint32_t delay = model->island_delays[delays.first + i];
            const Delay* d = &model->delays[delay];
            status = kernel_run(flow->kernel, d->look);
            HistoryPoint point = {t, flow->kernel->R[d->flow_value], flow->kernel->R[d->flow_slope]};
            if (status == KAI_OK)
                status = history_push(flow->kernel, &flow->kernel->histories[delay], point,
                                      t - 2 * flow->kernel->R[d->time]);
        }
    }
    flow->kernel->R[model->reg_time] = held;
    return status;
}

// What went in up to now was computed with what the instant is about to change.
kaiStatus delay_before(Flow* flow, double t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < flow->delaying.count && status == KAI_OK; i++)
        status = delay_island_step(flow, flow->delaying.at[i], t);
    return status;
}

// What goes in where the run stands.
static kaiStatus look_now(Flow* flow, const Delay* d)
{
    flow->kernel->R[flow->model->reg_time] = flow->kernel->now.t;
    island_load(flow, d->island, flow->kernel->now.t);
    kaiStatus status = island_slopes(flow, d->island);
    return status == KAI_OK ? kernel_run(flow->kernel, d->look) : status;
}

// After an instant: the right limit joins the history, and a jump is announced T later.
kaiStatus delay_instant(Flow* flow)
{
    const kaiModel* model = flow->model;
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
    {
        const Delay* d = &model->delays[i];
        History* h = &flow->kernel->histories[i];
        if (d->event || flow->islands[d->island].disturbed_at != flow->kernel->touch)
            continue;
        status = look_now(flow, d);
        double value = flow->kernel->R[d->flow_value], slope = flow->kernel->R[d->flow_slope];
        bool jumps = h->count > 0 &&
                     (history_point(h, h->count - 1)->value != value || history_point(h, h->count - 1)->slope != slope);
        status = history_push(flow->kernel, h, (HistoryPoint){flow->kernel->now.t, value, slope},
                              flow->kernel->now.t - 2 * flow->kernel->R[d->time]);
        if (status == KAI_OK && jumps)
            status = delay_jump(flow->kernel, i);
    }
    return status;
}
