// `delay(u, T)`. Events wait in a heap ordered by time and arrival. Continuous signals leave a history of points with
// slopes, four to a step, cubic in between (error of fourth order in a quarter step); a jump of u is two points at one
// time, and comes out as an instant T later. A step is never longer than the shortest delay, so the history always
// reaches far enough.
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

// ---- memory that grows
// -----------------------------------------------------------------------------------------------

static void* grow(Kernel* kernel, void* block, uint32_t* capacity, uint32_t wanted, size_t size)
{
    kaiAllocator a = kernel->options->allocator;
    uint32_t next = *capacity < 64 ? 64 : *capacity * 2;
    while (next < wanted)
        next *= 2;
    void* made = a.alloc(a.user, block, *capacity * size, next * size);
    if (made != NULL)
        *capacity = next;
    return made;
}

static kaiStatus out_of_memory(Kernel* kernel)
{
    kernel_fail(kernel, 0, NULL, "out of memory at t = %.17g", kernel->now.t);
    kernel->failure.status = KAI_ERR_MEMORY;
    return KAI_ERR_MEMORY;
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

static const uint32_t JUMP = 0x80000000u;    // an entry that only marks the time at which a jump comes out of a delay
static const uint32_t POSTED = 0x40000000u;  // an event from outside: the rest is the number of the variable

static kaiStatus wait_for(Kernel* kernel, double t, uint32_t target, double value)
{
    return queue_push(&kernel->queue, kernel->options->allocator, t, target, value, NULL) ? KAI_OK
                                                                                          : out_of_memory(kernel);
}

static kaiStatus touch_now(Kernel* kernel, uint32_t reg, uint32_t other)
{
    touch_register(kernel, reg);
    if (other != NO_REG)
        touch_register(kernel, other);
    return touch_settle(kernel, false);
}

static kaiStatus come_out(Kernel* kernel, uint32_t reg, uint32_t present, double value)
{
    kaiStatus status = touch_now(kernel, reg, present);
    if (status != KAI_OK)
        return status;
    kernel->R[reg] = value;
    kernel_raise(kernel, present);
    return KAI_OK;
}

static kaiStatus queue_turn(Kernel* kernel, uint32_t index);

kaiStatus delay_send(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    for (TouchWalk w = {0}; touch_next(kernel, &kernel->touched.delays, model->delays_count, &w);)
    {
        uint32_t i = w.index;
        const Delay* d = &model->delays[i];
        kaiStatus status = d->queue ? queue_turn(kernel, i) : KAI_OK;
        if (status != KAI_OK)
            return status;
        if (!d->event || d->queue || (d->present != NO_REG && kernel->R[d->present] == 0) ||
            !kernel_ctx_active(kernel, d->ctx))
            continue;
        double T = kernel->R[d->time];
        if (T < 0 || isnan(T))
            return kernel_fail(kernel, d->place, "a delay must be 0 or more", "a delay of %g at t = %.17g", T,
                               kernel->now.t);
        if (T == 0)  // the next tag
        {
            status = come_out(kernel, d->out, d->out_present, kernel->R[d->value]);
            if (status != KAI_OK)
                return status;
            result->other = true;
            continue;
        }
        status = wait_for(kernel, kernel->now.t + T, i, kernel->R[d->value]);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

// Touches what the entries due at t will change: those of the heap from place i on.
void delay_touch_due(Kernel* kernel, double t, uint32_t i)
{
    if (i >= kernel->queue.count || !(queue_at(&kernel->queue, i)->t <= t + 4e-16 * fabs(t)))
        return;
    uint32_t target = queue_at(&kernel->queue, i)->target;
    if (target & POSTED)
    {
        touch_register(kernel, kernel->model->vars[target & ~POSTED].reg);
        touch_register(kernel, kernel->model->vars[target & ~POSTED].present);
    }
    else
    {
        const Delay* d = &kernel->model->delays[target & ~JUMP];
        touch_register(kernel, d->out);
        if (d->event)
            touch_register(kernel, d->out_present);
    }
    delay_touch_due(kernel, t, 2 * i + 1);
    delay_touch_due(kernel, t, 2 * i + 2);
}

static kaiStatus hand_over(Kernel* kernel, const QueueEntry* entry)
{
    if (entry->target & POSTED)
    {
        const ModelVar* var = &kernel->model->vars[entry->target & ~POSTED];
        return come_out(kernel, var->reg, var->present, entry->value);
    }
    const Delay* d = &kernel->model->delays[entry->target & ~JUMP];
    if (!(entry->target & JUMP))
        return come_out(kernel, d->out, d->out_present, entry->value);
    kaiStatus status = touch_now(kernel, d->out, NO_REG);
    kernel_disturb(kernel, d->out);
    return status;
}

// Whether what the entry brings is present already.
static bool is_taken(const Kernel* kernel, const QueueEntry* entry)
{
    if (entry->target & JUMP)
        return false;
    uint32_t present = entry->target & POSTED ? kernel->model->vars[entry->target & ~POSTED].present
                                              : kernel->model->delays[entry->target].out_present;
    return kernel->R[present] != 0;
}

static kaiStatus move_entry(Kernel* kernel, Queue* to, const QueueEntry* entry)
{
    bool kept = queue_push(to, kernel->options->allocator, entry->t, entry->target, entry->value, NULL);
    return kept ? KAI_OK : out_of_memory(kernel);
}

// Two events for one place that are due at one time come out at two tags: none is lost.
kaiStatus delay_mark_due(Kernel* kernel, double t)
{
    kaiStatus status = KAI_OK;
    while (status == KAI_OK && queue_next(&kernel->queue) <= t + 4e-16 * fabs(t))
    {
        QueueEntry entry = queue_pop(&kernel->queue);
        if (!budget_look_inside(kernel->budget))  // a million may wait
            return kernel_stop(kernel);
        status = is_taken(kernel, &entry) ? move_entry(kernel, &kernel->held, &entry) : hand_over(kernel, &entry);
    }
    while (status == KAI_OK && kernel->held.count > 0)
    {
        QueueEntry entry = queue_pop(&kernel->held);
        status = move_entry(kernel, &kernel->queue, &entry);
    }
    return status;
}

// ---- events from outside
// ---------------------------------------------------------------------------------------------

kaiStatus delay_post(Kernel* kernel, uint32_t var, double value, double t, uint64_t* handle)
{
    bool kept = queue_push(&kernel->queue, kernel->options->allocator, t, var | POSTED, value, handle);
    return kept ? KAI_OK : out_of_memory(kernel);
}

kaiStatus delay_jump(Kernel* kernel, uint32_t delay)
{
    double t = kernel->now.t + kernel->R[kernel->model->delays[delay].time];
    return wait_for(kernel, t, delay | JUMP, 0);
}

double delay_next_time(const Kernel* kernel)
{
    return queue_next(&kernel->queue);
}

// ---- histories
// -------------------------------------------------------------------------------------------------------

static kaiStatus history_grow(Kernel* kernel, History* h)
{
    uint32_t old = h->capacity, capacity = h->capacity;
    HistoryPoint* made = grow(kernel, NULL, &capacity, old + 1, sizeof *made);
    if (made == NULL)
        return out_of_memory(kernel);
    for (uint32_t i = 0; i < h->count; i++)
        made[i] = *history_point(h, i);
    kaiAllocator a = kernel->options->allocator;
    if (h->points != NULL)
        a.alloc(a.user, h->points, old * sizeof *made, 0);
    *h = (History){.points = made, .count = h->count, .capacity = capacity};
    return KAI_OK;
}

kaiStatus history_push(Kernel* kernel, History* h, HistoryPoint point, double keep_from)
{
    while (h->count > 2 && history_point(h, 1)->t < keep_from)
    {
        h->first = (h->first + 1) & (h->capacity - 1);
        h->count--;
    }
    if (h->count == h->capacity)
    {
        kaiStatus status = history_grow(kernel, h);
        if (status != KAI_OK)
            return status;
    }
    h->count++;
    *history_point(h, h->count - 1) = point;
    return KAI_OK;
}

// queue(put, take): what comes in goes behind what waits; what is taken goes.
static kaiStatus queue_turn(Kernel* kernel, uint32_t index)
{
    const Delay* d = &kernel->model->delays[index];
    History* h = &kernel->histories[index];
    if (!kernel_ctx_active(kernel, d->ctx))
        return KAI_OK;
    kaiStatus status =
        kernel->R[d->present] != 0 || kernel->R[d->time] != 0 ? touch_now(kernel, d->out, d->out_present) : KAI_OK;
    if (status == KAI_OK && kernel->R[d->present] != 0)
        status = history_push(kernel, h, (HistoryPoint){.t = kernel->now.t, .value = kernel->R[d->value]}, -INFINITY);
    if (status == KAI_OK && kernel->R[d->time] != 0)
    {
        h->first = (h->first + 1) & (h->capacity - 1);
        h->count--;
    }
    kernel->R[d->out_present] = h->count;
    kernel->R[d->out] = h->count > 0 ? history_point(h, 0)->value : 0;
    kernel_disturb(kernel, d->out);
    kernel_disturb(kernel, d->out_present);
    return status;
}

static double cubic(const HistoryPoint* a, const HistoryPoint* b, double t)
{
    double h = b->t - a->t, s = (t - a->t) / h, r = 1 - s;
    return r * r * (1 + 2 * s) * a->value + s * s * (1 + 2 * r) * b->value + h * s * r * (r * a->slope - s * b->slope);
}

static double cubic_slope(const HistoryPoint* a, const HistoryPoint* b, double t)
{
    double h = b->t - a->t, s = (t - a->t) / h, r = 1 - s;
    return 6 * s * r * (b->value - a->value) / h + r * (r - 2 * s) * a->slope + s * (s - 2 * r) * b->slope;
}

// The value (or slope) at t; where two points share t, the one after the jump if `right`.
static double history_value(const History* h, double t, bool right, bool slope)
{
    uint32_t lo = 0, hi = h->count;  // first point that lies after t
    while (lo < hi)
    {
        uint32_t mid = (lo + hi) / 2;
        double at = history_point(h, mid)->t;
        if (right ? at <= t : at < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return slope ? 0 : history_point(h, 0)->value;  // before the start it stood still
    const HistoryPoint* last = history_point(h, h->count - 1);
    if (lo == h->count)
        return slope ? last->slope : last->value;
    const HistoryPoint *a = history_point(h, lo - 1), *b = history_point(h, lo);
    if (!(b->t > a->t))
        return slope ? a->slope : a->value;
    return slope ? cubic_slope(a, b, t) : cubic(a, b, t);
}

double delay_value(void* ctx, uint32_t index, double time, bool slope)
{
    Kernel* kernel = ctx;
    const Delay* d = &kernel->model->delays[index];
    const History* h = &kernel->histories[index];
    if (h->count == 0)
        return 0;
    double T = kernel->R[d->time], at = time - T;
    // A jump that comes out now is seen after the instant at this time, not before it.
    bool right = time <= kernel->flow_start;
    double ulps = 4e-16 * fabs(time);  // t + T - T need not be t
    return history_value(h, right ? at + ulps : at - ulps, right, slope);
}

// Before the start a signal has its start value; delays of delays need a round each.
static kaiStatus start_histories(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    for (uint32_t round = 0; round < model->delays_count && status == KAI_OK; round++)
    {
        status = kernel_run(kernel, model->events);
        for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
        {
            const Delay* d = &model->delays[i];
            if (d->event)
                continue;
            kernel->histories[i].count = 0;
            HistoryPoint point = {kernel->options->start, kernel->R[d->flow_value], 0};
            status = history_push(kernel, &kernel->histories[i], point, -INFINITY);
        }
    }
    return status;
}

kaiStatus delay_start(Kernel* kernel, double* shortest)
{
    const kaiModel* model = kernel->model;
    *shortest = INFINITY;
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (!model->delays[i].event)
            *shortest = fmin(*shortest, kernel->R[model->delays[i].time]);
    if (*shortest == INFINITY)
        return KAI_OK;
    if (!(*shortest > 0))
        return kernel_fail(kernel, model->delays[0].place, "a continuous signal needs a delay above 0",
                           "a transport delay of %g", *shortest);
    return start_histories(kernel);
}
