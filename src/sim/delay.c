// `delay(u, T)`. Events wait in a heap ordered by time and arrival. Continuous signals leave a history of points with
// slopes, four to a step, cubic in between (error of fourth order in a quarter step); a jump of u is two points at one
// time, and comes out as an instant T later. A step is never longer than the shortest delay, so the history always
// reaches far enough.
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// ---- memory that grows
// -----------------------------------------------------------------------------------------------

static void* grow(kaiSim* sim, void* block, uint32_t* capacity, uint32_t wanted, size_t size)
{
    kaiAllocator a = sim->options.allocator;
    uint32_t next = *capacity < 64 ? 64 : *capacity * 2;
    while (next < wanted)
        next *= 2;
    void* made = a.alloc(a.user, block, *capacity * size, next * size);
    if (made != NULL)
        *capacity = next;
    return made;
}

static kaiStatus out_of_memory(kaiSim* sim)
{
    sim_fail(sim, 0, NULL, "out of memory at t = %.17g", sim->now.t);
    sim->failure.status = KAI_ERR_MEMORY;
    return KAI_ERR_MEMORY;
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

static bool comes_before(const QueueEntry* a, const QueueEntry* b)
{
    return a->t != b->t ? a->t < b->t : a->order < b->order;
}

static void swap_entries(QueueEntry* heap, uint32_t i, uint32_t k)
{
    QueueEntry held = heap[i];
    heap[i] = heap[k];
    heap[k] = held;
}

// There is room for it.
static void queue_place(Queue* q, QueueEntry entry)
{
    entry.order = q->arrivals++;
    uint32_t i = q->count++;
    q->heap[i] = entry;
    for (; i > 0 && comes_before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap_entries(q->heap, i, (i - 1) / 2);
}

static kaiStatus queue_push(kaiSim* sim, QueueEntry entry)
{
    Queue* q = &sim->queue;
    if (q->count == q->capacity)
    {
        QueueEntry* made = grow(sim, q->heap, &q->capacity, q->count + 1, sizeof *made);
        if (made == NULL)
            return out_of_memory(sim);
        q->heap = made;
    }
    queue_place(q, entry);
    return KAI_OK;
}

static QueueEntry queue_pop(Queue* q)
{
    QueueEntry top = q->heap[0];
    q->heap[0] = q->heap[--q->count];
    for (uint32_t i = 0;;)
    {
        uint32_t least = i;
        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < q->count; k++)
            if (comes_before(&q->heap[k], &q->heap[least]))
                least = k;
        if (least == i)
            return top;
        swap_entries(q->heap, i, least);
        i = least;
    }
}

static kaiStatus queue_turn(kaiSim* sim, uint32_t index);

kaiStatus delay_send(kaiSim* sim, CommitResult* result)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->delays_count; i++)
    {
        const Delay* d = &model->delays[i];
        kaiStatus status = d->queue ? queue_turn(sim, i) : KAI_OK;
        if (status != KAI_OK)
            return status;
        if (!d->event || d->queue || (d->present != NO_REG && sim->R[d->present] == 0) || !sim_ctx_active(sim, d->ctx))
            continue;
        double T = sim->R[d->time];
        if (T < 0 || isnan(T))
            return sim_fail(sim, d->place, "a delay must be 0 or more", "a delay of %g at t = %.17g", T, sim->now.t);
        if (T == 0)  // the next tag
        {
            sim->R[d->out] = sim->R[d->value];
            sim->R[d->out_present] = 1;
            result->other = true;
            continue;
        }
        status = queue_push(sim, (QueueEntry){.t = sim->now.t + T, .delay = i, .value = sim->R[d->value]});
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

enum
{
    JUMP = 0x80000000u
};  // an entry that only marks the time at which a jump comes out of a delay

// Entries that were held back go into the queue again, in their order. They lie reversed in the slots below `end`,
// which popping has freed; one more was popped than held, so no slot is written before it was read.
static void return_held(Queue* q, uint32_t end, uint32_t held)
{
    for (uint32_t i = 0; i < held / 2; i++)
        swap_entries(q->heap, end - held + i, end - 1 - i);
    for (uint32_t k = 0; k < held; k++)
        queue_place(q, q->heap[end - held + k]);
}

// Two events of one `delay` that are due at one time come out at two tags: none is lost.
void delay_mark_due(kaiSim* sim, double t)
{
    Queue* q = &sim->queue;
    uint32_t end = q->count, held = 0;
    while (q->count > 0 && q->heap[0].t <= t + 4e-16 * fabs(t))
    {
        QueueEntry entry = queue_pop(q);
        if (entry.delay & JUMP)
        {
            sim->field_changed = true;
            continue;
        }
        const Delay* d = &sim->model->delays[entry.delay];
        if (sim->R[d->out_present] != 0)
        {
            q->heap[end - 1 - held++] = entry;
            continue;
        }
        sim->R[d->out] = entry.value;
        sim->R[d->out_present] = 1;
    }
    return_held(q, end, held);
}

double delay_next_time(const kaiSim* sim)
{
    return sim->queue.count > 0 ? sim->queue.heap[0].t : INFINITY;
}

// ---- histories
// -------------------------------------------------------------------------------------------------------

static HistoryPoint* point_at(const History* h, uint32_t i)
{
    return &h->points[(h->first + i) & (h->capacity - 1)];
}

static kaiStatus history_grow(kaiSim* sim, History* h)
{
    uint32_t old = h->capacity, capacity = h->capacity;
    HistoryPoint* made = grow(sim, NULL, &capacity, old + 1, sizeof *made);
    if (made == NULL)
        return out_of_memory(sim);
    for (uint32_t i = 0; i < h->count; i++)
        made[i] = *point_at(h, i);
    kaiAllocator a = sim->options.allocator;
    if (h->points != NULL)
        a.alloc(a.user, h->points, old * sizeof *made, 0);
    *h = (History){.points = made, .count = h->count, .capacity = capacity};
    return KAI_OK;
}

static kaiStatus history_push(kaiSim* sim, History* h, HistoryPoint point, double keep_from)
{
    while (h->count > 2 && point_at(h, 1)->t < keep_from)
    {
        h->first = (h->first + 1) & (h->capacity - 1);
        h->count--;
    }
    if (h->count == h->capacity)
    {
        kaiStatus status = history_grow(sim, h);
        if (status != KAI_OK)
            return status;
    }
    h->count++;
    *point_at(h, h->count - 1) = point;
    return KAI_OK;
}

// queue(put, take): what comes in goes behind what waits; what is taken goes.
static kaiStatus queue_turn(kaiSim* sim, uint32_t index)
{
    const Delay* d = &sim->model->delays[index];
    History* h = &sim->histories[index];
    if (!sim_ctx_active(sim, d->ctx))
        return KAI_OK;
    kaiStatus status = KAI_OK;
    if (sim->R[d->present] != 0)
        status = history_push(sim, h, (HistoryPoint){.t = sim->now.t, .value = sim->R[d->value]}, -INFINITY);
    if (status == KAI_OK && sim->R[d->time] != 0)
    {
        h->first = (h->first + 1) & (h->capacity - 1);
        h->count--;
    }
    sim->R[d->out_present] = h->count;
    sim->R[d->out] = h->count > 0 ? point_at(h, 0)->value : 0;
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
        double at = point_at(h, mid)->t;
        if (right ? at <= t : at < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return slope ? 0 : point_at(h, 0)->value;  // before the start it stood still
    const HistoryPoint* last = point_at(h, h->count - 1);
    if (lo == h->count)
        return slope ? last->slope : last->value;
    const HistoryPoint *a = point_at(h, lo - 1), *b = point_at(h, lo);
    if (!(b->t > a->t))
        return slope ? a->slope : a->value;
    return slope ? cubic_slope(a, b, t) : cubic(a, b, t);
}

double delay_value(void* ctx, uint32_t index, double time, bool slope)
{
    kaiSim* sim = ctx;
    const Delay* d = &sim->model->delays[index];
    const History* h = &sim->histories[index];
    if (h->count == 0)
        return 0;
    double T = sim->R[d->time], at = time - T;
    // A jump that comes out now is seen after the instant at this time, not before it.
    bool right = time <= sim->flow_start;
    double ulps = 4e-16 * fabs(time);  // t + T - T need not be t
    return history_value(h, right ? at + ulps : at - ulps, right, slope);
}

static kaiStatus push_all(kaiSim* sim, double t)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->delays_count; i++)
    {
        const Delay* d = &model->delays[i];
        if (d->event)
            continue;
        History* h = &sim->histories[i];
        double value = sim->R[d->flow_value], slope = sim->R[d->flow_slope];
        kaiStatus status = history_push(sim, h, (HistoryPoint){t, value, slope}, t - 2 * sim->R[d->time]);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

static bool has_histories(const kaiModel* model)
{
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (!model->delays[i].event)
            return true;
    return false;
}

// Before the start a signal has its start value; delays of delays need a round each.
static kaiStatus start_histories(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    kaiStatus status = KAI_OK;
    for (uint32_t round = 0; round < model->delays_count && status == KAI_OK; round++)
    {
        status = sim_run_code(sim, model->events);
        for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
        {
            const Delay* d = &model->delays[i];
            if (d->event)
                continue;
            sim->histories[i].count = 0;
            HistoryPoint point = {sim->options.start, sim->R[d->flow_value], 0};
            status = history_push(sim, &sim->histories[i], point, -INFINITY);
        }
    }
    return status;
}

kaiStatus delay_start(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    double shortest = INFINITY;
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (!model->delays[i].event)
            shortest = fmin(shortest, sim->R[model->delays[i].time]);
    if (shortest == INFINITY)
        return KAI_OK;
    if (!(shortest > 0))
        return sim_fail(sim, model->delays[0].place, "a continuous signal needs a delay above 0",
                        "a transport delay of %g", shortest);
    double limit = sim->options.max_step > 0 ? fmin(sim->options.max_step, shortest) : shortest;
    ode_set_max_step(sim->ode, limit);
    return start_histories(sim);
}

kaiStatus delay_step(kaiSim* sim)
{
    if (!has_histories(sim->model))
        return KAI_OK;
    double start = ode_step_start(sim->ode), h = ode_time(sim->ode) - start;
    for (int k = 1; k <= 4; k++)
    {
        double theta = k / 4.0, t = k == 4 ? ode_time(sim->ode) : start + theta * h;
        sim->R[sim->model->reg_time] = t;
        ode_dense(sim->ode, theta, sim_states(sim), sim_slopes(sim));
        kaiStatus status = sim_run_code(sim, sim->model->events);
        if (status == KAI_OK)
            status = push_all(sim, t);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

// After an instant: the right limit joins the history, and a jump is announced T later.
kaiStatus delay_instant(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    if (!has_histories(model))
        return KAI_OK;
    memcpy(sim_slopes(sim), ode_slope(sim->ode), sizeof(double) * model->state_count);
    kaiStatus status = sim_run_code(sim, model->events);
    for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
    {
        const Delay* d = &model->delays[i];
        History* h = &sim->histories[i];
        if (d->event)
            continue;
        double value = sim->R[d->flow_value], slope = sim->R[d->flow_slope];
        bool jumps =
            h->count > 0 && (point_at(h, h->count - 1)->value != value || point_at(h, h->count - 1)->slope != slope);
        status = history_push(sim, h, (HistoryPoint){sim->now.t, value, slope}, sim->now.t - 2 * sim->R[d->time]);
        if (status == KAI_OK && jumps)
            status = queue_push(sim, (QueueEntry){.t = sim->now.t + sim->R[d->time], .delay = i | JUMP});
    }
    return status;
}
