// How far a step may go that reads delayed signals: not beyond what is known (T from its start), not past a place where
// what comes out breaks, and with the solver `taylor` not past the end of the polynomial that its series was made from.
//
// A jump of u, or of its slope, comes out as an instant. What it does to the states is smoother by one order, and comes
// out of the delay again: breaks of higher order end steps, nothing more, and are followed as far as the methods
// notice.
#include "base/tolerance.h"
#include "flow/flow.h"
#include "model/code.h"

#include <math.h>

enum
{
    ORDER_MOST = 6,  // methods of order 5 do not notice more
    ORDER_MANY = 3,  // of islands with many delays, whose breaks multiply
    DELAYS_MANY = 8,
    PIECES_AHEAD = 16,  // a polynomial is followed into
};

// Which delays right-hand sides read.
void reaches_create(Flow* flow)
{
    const kaiModel* model = flow->model;
    CodeItem item;
    for (uint32_t i = 0; i < model->islands_count; i++)
    {
        CodeRange range = model->islands[i].deriv;
        for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item);
             at += item.words)
            for (uint32_t k = 0; item.op == VM_DELAYED && k < item.reg_count; k += item.stride)
            {
                uint32_t reg = model->code[item.first_reg + k + 1] - model->reg_first[REG_CONST];
                flow->delay_read[(uint32_t)model->constants[reg]] = true;
            }
    }
}

static double rounding_of(double t, double at)
{
    return DELAY_TOGETHER * larger(fabs(t), fabs(at));
}

// The first break after `at`, as far as is known. Found once, until it is passed.
static double next_break(History* h, double at, double rounding)
{
    if (at >= h->break_from && at + rounding < h->break_at)
        return h->break_at;
    uint32_t i = history_find(h, at, rounding, true);
    i = i == HISTORY_NONE ? 0 : i + 1;
    while (i < h->count && history_piece(h, i)->order == 0)
        i++;
    h->break_from = at;
    h->break_at = i < h->count ? history_piece(h, i)->start : h->end;
    return h->break_at;
}

// What the polynomial at `at` is good for: its piece, and those after it that it goes through as well.
static double polynomial_until(const Flow* flow, uint32_t delay, double at, double rounding)
{
    const History* h = &flow->kernel->histories[delay];
    uint32_t i = history_find(h, at, rounding, true);
    if (i == HISTORY_NONE && flow->model->delays[delay].past == NO_REG)
        return h->count > 0 ? history_piece(h, 0)->start : h->end;
    if (i == HISTORY_NONE)
    {
        h = &flow->kernel->pasts[delay];
        i = history_find(h, at, rounding, true);
        i = i == HISTORY_NONE ? 0 : i;
    }
    uint32_t first = i;
    double end = history_piece_end(h, i), near = DELAY_FOLLOW * flow->kernel->options->rtol;
    for (i++; i < h->count && i < first + PIECES_AHEAD && history_piece(h, i)->order == 0; i++)
    {
        double next = history_piece_end(h, i), mid = 0.5 * (end + next);
        double a = history_value(h, i, next, 0), b = history_value(h, i, mid, 0);
        if (!(fabs(history_value(h, first, next, 0) - a) <= near * fabs(a)) ||
            !(fabs(history_value(h, first, mid, 0) - b) <= near * fabs(b)))
            break;
        end = next;
    }
    return end;
}

// What breaks at t by one order less comes out of the delay there.
static uint32_t order_at(const History* h, double at, double rounding)
{
    uint32_t piece = history_find(h, at, rounding, true);
    if (piece == HISTORY_NONE || history_piece(h, piece)->start < at - rounding)
        return 0;
    return history_piece(h, piece)->order;
}

// T at t, where the step starts.
static kaiStatus delay_now(Flow* flow, uint32_t delay, double t, double* T)
{
    const Delay* d = &flow->model->delays[delay];
    kaiStatus status = KAI_OK;
    if (d->varies)
    {
        flow->kernel->R[flow->model->reg_time] = t;
        flow->islands[d->island].loaded = NAN;
        island_load(flow, d->island, t);
        status = kernel_run(flow->kernel, d->look);
    }
    *T = flow->kernel->R[d->time];
    if (status == KAI_OK && !(*T > 0))
        return delay_fail(flow->kernel, delay, *T, t);
    return status == KAI_OK && d->varies ? delay_feed_back(flow, delay, t - *T) : status;
}

// How far this delay lets a step go; what breaks where it starts.
static double limit_by(Flow* flow, uint32_t delay, double t, double T, uint32_t* order)
{
    const Delay* d = &flow->model->delays[delay];
    History* h = &flow->kernel->histories[delay];
    double at = t - T, rounding = rounding_of(t, at);
    if (d->varies)
        return t + T;
    double until = smaller(t, next_break(h, at, rounding));
    if (flow->island_systems[d->island].series != NULL)
        until = smaller(until, polynomial_until(flow, delay, at, rounding));
    uint32_t out = order_at(h, at, rounding);
    *order = out > 0 && (*order == 0 || out < *order) ? out : *order;
    return until + T;
}

kaiStatus delay_limit(Flow* flow, uint32_t island, double t, double* limit)
{
    const kaiModel* model = flow->model;
    const IndexRange delays = model->islands[island].delays;
    kaiStatus status = KAI_OK;
    uint32_t order = 0, most = delays.count > DELAYS_MANY ? ORDER_MANY : ORDER_MOST;
    double T, next = INFINITY;
    for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
    {
        uint32_t delay = model->island_delays[delays.first + i];
        if (!flow->delay_read[delay] && !model->delays[delay].varies)
            continue;
        status = delay_now(flow, delay, t, &T);
        if (status == KAI_OK && flow->delay_read[delay])
            status = pace_check_delay(flow, delay, T, t);
        if (status == KAI_OK && flow->delay_read[delay])
            next = smaller(next, limit_by(flow, delay, t, T, &order));
    }
    for (uint32_t i = 0; order > 0 && order < most && i < delays.count; i++)
    {
        History* h = &flow->kernel->histories[model->island_delays[delays.first + i]];
        h->order = h->order == 0 || h->order > order + 1 ? (uint16_t)(order + 1) : h->order;
    }
    *limit = next < *limit - DELAY_TOGETHER * fabs(*limit) ? next : *limit;
    flow->kernel->short_delay.number = 0;
    return status;
}

kaiStatus delay_too_short(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    Kernel* kernel = flow->kernel;
    const IndexRange delays = model->islands[island].delays;
    double T, t = ode_time(island_ode(flow, island));
    kaiStatus status = KAI_OK;
    if (kernel->short_delay.number > 0)
        return delay_fail(kernel, kernel->short_delay.number - 1, kernel->short_delay.value, kernel->short_delay.time);
    for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
    {
        uint32_t delay = model->island_delays[delays.first + i];
        if (!flow->delay_read[delay] || !model->delays[delay].varies)
            continue;
        status = delay_now(flow, delay, t, &T);
        if (status == KAI_OK && T < DELAY_SHORTEST * (1 + fabs(t)))
            status = delay_fail(kernel, delay, T, t);
    }
    return status;
}
