// `delay(u, T)`. Events wait in a heap ordered by time and arrival. Continuous signals leave a history of points with
// slopes, four to a step, cubic in between (error of fourth order in a quarter step); a jump of u is two points at one
// time, and comes out as an instant T later. A step is never longer than the shortest delay, so the history always
// reaches far enough.
#include "kernel/sim.h"

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

static const uint32_t JUMP = 0x80000000u;    // an entry that only marks the time at which a jump comes out of a delay
static const uint32_t POSTED = 0x40000000u;  // an event from outside: the rest is the number of the variable

static kaiStatus wait_for(kaiSim* sim, double t, uint32_t target, double value)
{
    return queue_push(&sim->queue, sim->options.allocator, t, target, value, NULL) ? KAI_OK : out_of_memory(sim);
}

static kaiStatus touch_now(kaiSim* sim, uint32_t reg, uint32_t other)
{
    touch_register(sim, reg);
    if (other != NO_REG)
        touch_register(sim, other);
    return touch_settle(sim, false);
}

static kaiStatus come_out(kaiSim* sim, uint32_t reg, uint32_t present, double value)
{
    kaiStatus status = touch_now(sim, reg, present);
    if (status != KAI_OK)
        return status;
    sim->R[reg] = value;
    sim_raise(sim, present);
    return KAI_OK;
}

static kaiStatus queue_turn(kaiSim* sim, uint32_t index);

kaiStatus delay_send(kaiSim* sim, CommitResult* result)
{
    const kaiModel* model = sim->model;
    for (TouchWalk w = {0}; touch_next(sim, &sim->touched.delays, model->delays_count, &w);)
    {
        uint32_t i = w.index;
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
            status = come_out(sim, d->out, d->out_present, sim->R[d->value]);
            if (status != KAI_OK)
                return status;
            result->other = true;
            continue;
        }
        status = wait_for(sim, sim->now.t + T, i, sim->R[d->value]);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

// Touches what the entries due at t will change: those of the heap from place i on.
void delay_touch_due(kaiSim* sim, double t, uint32_t i)
{
    if (i >= sim->queue.count || !(queue_at(&sim->queue, i)->t <= t + 4e-16 * fabs(t)))
        return;
    uint32_t target = queue_at(&sim->queue, i)->target;
    if (target & POSTED)
    {
        touch_register(sim, sim->model->vars[target & ~POSTED].reg);
        touch_register(sim, sim->model->vars[target & ~POSTED].present);
    }
    else
    {
        const Delay* d = &sim->model->delays[target & ~JUMP];
        touch_register(sim, d->out);
        if (d->event)
            touch_register(sim, d->out_present);
    }
    delay_touch_due(sim, t, 2 * i + 1);
    delay_touch_due(sim, t, 2 * i + 2);
}

static kaiStatus hand_over(kaiSim* sim, const QueueEntry* entry)
{
    if (entry->target & POSTED)
    {
        const ModelVar* var = &sim->model->vars[entry->target & ~POSTED];
        return come_out(sim, var->reg, var->present, entry->value);
    }
    const Delay* d = &sim->model->delays[entry->target & ~JUMP];
    if (!(entry->target & JUMP))
        return come_out(sim, d->out, d->out_present, entry->value);
    kaiStatus status = touch_now(sim, d->out, NO_REG);
    islands_disturb(sim, d->out);
    return status;
}

// Whether what the entry brings is present already.
static bool is_taken(const kaiSim* sim, const QueueEntry* entry)
{
    if (entry->target & JUMP)
        return false;
    uint32_t present = entry->target & POSTED ? sim->model->vars[entry->target & ~POSTED].present
                                              : sim->model->delays[entry->target].out_present;
    return sim->R[present] != 0;
}

static kaiStatus move_entry(kaiSim* sim, Queue* to, const QueueEntry* entry)
{
    bool kept = queue_push(to, sim->options.allocator, entry->t, entry->target, entry->value, NULL);
    return kept ? KAI_OK : out_of_memory(sim);
}

// Two events for one place that are due at one time come out at two tags: none is lost.
kaiStatus delay_mark_due(kaiSim* sim, double t)
{
    kaiStatus status = KAI_OK;
    while (status == KAI_OK && queue_next(&sim->queue) <= t + 4e-16 * fabs(t))
    {
        QueueEntry entry = queue_pop(&sim->queue);
        status = is_taken(sim, &entry) ? move_entry(sim, &sim->held, &entry) : hand_over(sim, &entry);
    }
    while (status == KAI_OK && sim->held.count > 0)
    {
        QueueEntry entry = queue_pop(&sim->held);
        status = move_entry(sim, &sim->queue, &entry);
    }
    return status;
}

// ---- events from outside
// ---------------------------------------------------------------------------------------------

kaiStatus kaiSim_Post(kaiSim* sim, int variable, double value, double t, uint64_t* handle)
{
    if (sim == NULL)
        return KAI_ERR_USAGE;
    const kaiModel* model = sim->model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count || model->vars[variable].kind != MODEL_INPUT ||
        model->vars[variable].column != KAI_COLUMN_EVENT)
        return KAI_ERR_USAGE;
    const ModelVar* var = &model->vars[variable];
    double now = sim->started ? sim->now.t : sim->options.start;
    if (!(t >= now))
    {
        sim_fail(sim, var->place, "post it for the present or later, or restore a snapshot from before it",
                 "the event %s is posted for t = %.17g, which has passed: the run has come to t = %.17g",
                 model_string(model, var->name), t, now);
        sim->failure.status = KAI_OK;  // the run itself has not failed
        return KAI_ERR_USAGE;
    }
    bool kept = queue_push(&sim->queue, sim->options.allocator, t, (uint32_t)variable | POSTED, value, handle);
    return kept ? KAI_OK : out_of_memory(sim);
}

bool kaiSim_Cancel(kaiSim* sim, uint64_t handle)
{
    if (sim == NULL)
        return false;
    return queue_cancel(&sim->queue, handle);
}

double delay_next_time(const kaiSim* sim)
{
    return queue_next(&sim->queue);
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
    kaiStatus status =
        sim->R[d->present] != 0 || sim->R[d->time] != 0 ? touch_now(sim, d->out, d->out_present) : KAI_OK;
    if (status == KAI_OK && sim->R[d->present] != 0)
        status = history_push(sim, h, (HistoryPoint){.t = sim->now.t, .value = sim->R[d->value]}, -INFINITY);
    if (status == KAI_OK && sim->R[d->time] != 0)
    {
        h->first = (h->first + 1) & (h->capacity - 1);
        h->count--;
    }
    sim->R[d->out_present] = h->count;
    sim->R[d->out] = h->count > 0 ? point_at(h, 0)->value : 0;
    islands_disturb(sim, d->out);
    islands_disturb(sim, d->out_present);
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

// An island's last step, up to `until`.
kaiStatus delay_island_step(kaiSim* sim, uint32_t index, double until)
{
    const kaiModel* model = sim->model;
    const Ode* ode = sim->island_odes[index];
    const IndexRange delays = model->islands[index].delays;
    double start = fmax(ode_step_start(ode), sim->islands[index].pushed), length = until - start;
    kaiStatus status = KAI_OK;
    if (delays.count == 0 || !(length > 0))
        return status;
    sim->islands[index].pushed = until;
    double held = sim->R[model->reg_time];
    for (int k = 1; k <= 4 && status == KAI_OK; k++)
    {
        double t = k == 4 ? until : start + k / 4.0 * length;
        sim->R[model->reg_time] = t;
        island_look(sim, index, start, length, k / 4.0, true);
        if (k ==
            4)  // the slope of the equations, as after an instant here: that of the interpolant would look like a jump
        {
            sim->islands[index].loaded = NAN;
            island_load(sim, index, until);
            status = sim_run_code(sim, model->islands[index].deriv);
        }
        for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
        {
            uint32_t delay = model->island_delays[delays.first + i];
            const Delay* d = &model->delays[delay];
            status = sim_run_code(sim, d->look);
            HistoryPoint point = {t, sim->R[d->flow_value], sim->R[d->flow_slope]};
            if (status == KAI_OK)
                status = history_push(sim, &sim->histories[delay], point, t - 2 * sim->R[d->time]);
        }
    }
    sim->R[model->reg_time] = held;
    return status;
}

// What went in up to now was computed with what the instant is about to change.
kaiStatus delay_before(kaiSim* sim, double t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < sim->delaying.count && status == KAI_OK; i++)
        status = delay_island_step(sim, sim->delaying.at[i], t);
    return status;
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
    for (uint32_t i = 0; i < model->islands_count; i++)
        ode_set_max_step(sim->island_odes[i], limit);
    return start_histories(sim);
}

// What goes in where the run stands.
static kaiStatus look_now(kaiSim* sim, const Delay* d)
{
    sim->R[sim->model->reg_time] = sim->now.t;
    island_load(sim, d->island, sim->now.t);
    kaiStatus status = island_slopes(sim, d->island);
    return status == KAI_OK ? sim_run_code(sim, d->look) : status;
}

// After an instant: the right limit joins the history, and a jump is announced T later.
kaiStatus delay_instant(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    kaiStatus status = KAI_OK;
    if (!has_histories(model))
        return status;
    for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
    {
        const Delay* d = &model->delays[i];
        History* h = &sim->histories[i];
        if (d->event || sim->islands[d->island].disturbed_at != sim->touch)
            continue;
        status = look_now(sim, d);
        double value = sim->R[d->flow_value], slope = sim->R[d->flow_slope];
        bool jumps =
            h->count > 0 && (point_at(h, h->count - 1)->value != value || point_at(h, h->count - 1)->slope != slope);
        status = history_push(sim, h, (HistoryPoint){sim->now.t, value, slope}, sim->now.t - 2 * sim->R[d->time]);
        if (status == KAI_OK && jumps)
            status = wait_for(sim, sim->now.t + sim->R[d->time], i | JUMP, 0);
    }
    return status;
}
