// `delay(u, T)`. Events wait in a heap ordered by time and arrival. Continuous signals leave polynomials (history.c); a
// jump of u or of its slope comes out as an instant T later. What is read lies in the past: floor 2 limits its steps.
#include "base/tolerance.h"
#include "kernel/kernel.h"

#include <math.h>

static kaiStatus out_of_memory(Kernel* kernel)
{
    kernel_fail(kernel, 0, NULL, "out of memory at t = %.17g", kernel->now.t);
    kernel->failure.status = KAI_ERR_MEMORY;
    return KAI_ERR_MEMORY;
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

static const uint32_t JUMP = 0x80000000u;    // an entry that only marks the time at which a jump comes out of a delay
static const uint32_t POSTED = 0x40000000u;  // from outside, for an input: the rest is the number of the variable

static kaiStatus wait_for(Kernel* kernel, double t, uint32_t target, double value)
{
    bool kept = queue_push(&kernel->queue, kernel->options->allocator, t, target, value, target & ~JUMP);
    return kept ? KAI_OK : out_of_memory(kernel);
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
static kaiStatus pass_edges(Kernel* kernel);

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
        if (kernel_reached(kernel, kernel->now.t + T, kernel->now.t))  // 0, or lost in t (rule T6): the next tag
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
    if (i >= kernel->queue.count || !kernel_reached(kernel, queue_at(&kernel->queue, i)->t, t))
        return;
    uint32_t target = queue_at(&kernel->queue, i)->target;
    if (target & POSTED)
    {
        const ModelVar* var = &kernel->model->vars[target & ~POSTED];
        touch_register(kernel, var->reg);
        if (var->present != NO_REG)
            touch_register(kernel, var->present);
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

// An event is present, a value is there from this tag on.
static kaiStatus take_posted(Kernel* kernel, const ModelVar* var, double value)
{
    if (var->present != NO_REG)
        return come_out(kernel, var->reg, var->present, value);
    kaiStatus status = touch_now(kernel, var->reg, NO_REG);
    kernel->R[var->reg] = value;
    kernel_disturb(kernel, var->reg);
    return status;
}

static kaiStatus hand_over(Kernel* kernel, const QueueEntry* entry)
{
    if (entry->target & POSTED)
        return take_posted(kernel, &kernel->model->vars[entry->target & ~POSTED], entry->value);
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
    return present != NO_REG && kernel->R[present] != 0;
}

static kaiStatus move_entry(Kernel* kernel, Queue* to, const QueueEntry* entry)
{
    bool kept = queue_push(to, kernel->options->allocator, entry->t, entry->target, entry->value, entry->group);
    return kept ? KAI_OK : out_of_memory(kernel);
}

// Two events for one place that are due at one time come out at two tags: none is lost.
kaiStatus delay_mark_due(Kernel* kernel, double t)
{
    kaiStatus status = pass_edges(kernel);
    while (status == KAI_OK && kernel_reached(kernel, queue_next(&kernel->queue), t))
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
    bool kept = queue_push_alone(&kernel->queue, kernel->options->allocator, t, var | POSTED, value, handle);
    return kept ? KAI_OK : out_of_memory(kernel);
}

kaiStatus delay_jump(Kernel* kernel, uint32_t delay)
{
    double t = kernel->now.t + kernel->R[kernel->model->delays[delay].time];
    if (kernel->model->delays[delay].varies)
        return KAI_OK;  // delay_find_edge
    return wait_for(kernel, t, delay | JUMP, 0);
}

// ---- queues
// ----------------------------------------------------------------------------------------------------------

kaiStatus delay_remember(Kernel* kernel, History* h, const HistoryPiece* piece, const double* c)
{
    return history_push(h, kernel->options->allocator, piece, c) ? KAI_OK : out_of_memory(kernel);
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
        status = delay_remember(kernel, h, &(HistoryPiece){.start = kernel->now.t}, &kernel->R[d->value]);
    if (status == KAI_OK && kernel->R[d->time] != 0 && h->count > 0)
        history_drop(h);
    kernel->R[d->out_present] = h->count;
    kernel->R[d->out] = h->count > 0 ? history_value(h, 0, 0, 0) : 0;
    kernel_disturb(kernel, d->out);
    kernel_disturb(kernel, d->out_present);
    return status;
}

// ---- signals
// ---------------------------------------------------------------------------------------------------------

typedef struct Reading
{
    const History* h;
    uint32_t piece;  // HISTORY_NONE: before all that is known
    double at;       // the time that is read
    double end;      // of what this piece is good for
} Reading;

// A jump that comes out now is seen after the instant at this time, not before it; t + T - T need not be t, so what is
// read then is the piece at its very start: a level that was crossed where it went in is crossed where it comes out,
// not missed by a rounding error on which sqrt(max(u, 0)) would have no value. Where T varies a solver may try beyond
// the jump that comes out next: it sees what came before it go on.
static Reading find_piece(const Kernel* kernel, uint32_t index, double at)
{
    const Delay* d = &kernel->model->delays[index];
    const History* h = &kernel->histories[index];
    double time = kernel->R[kernel->model->reg_time],
           rounding = larger(kernel_slack(kernel, time), kernel_slack(kernel, at));
    bool right = time <= kernel->flow_start;
    double edge = d->varies && !right ? kernel->R[d->edge] : INFINITY;
    uint32_t piece = history_find(h, smaller(at, edge), rounding, right && at < edge);
    if (piece != HISTORY_NONE)
    {
        const HistoryPiece* p = history_piece(h, piece);
        bool begins = right && p->order == 1 && fabs(at - p->start) <= rounding;
        return (Reading){h, piece, begins ? p->start : at, history_piece_end(h, piece)};
    }
    double first = h->count > 0 ? history_piece(h, 0)->start : h->end;
    h = &kernel->pasts[index];
    if (d->past == NO_REG)
        return (Reading){NULL, HISTORY_NONE, at, first};
    piece = history_find(h, at, rounding, true);
    return (Reading){h, piece, at, piece != HISTORY_NONE ? history_piece_end(h, piece) : first};
}

// T is above 0, and what is asked for is known: while a solver tries it may not be, where T varies.
static bool is_known(Kernel* kernel, uint32_t index, double at)
{
    double time = kernel->R[kernel->model->reg_time], end = kernel->histories[index].end;
    if (!kernel->model->delays[index].varies)
        return true;
    if (!(time > at))
    {
        kernel->short_delay.number = index + 1;
        kernel->short_delay.time = time;
        kernel->short_delay.value = time - at;
    }
    bool known = time > at && at <= end + larger(kernel_slack(kernel, time), kernel_slack(kernel, end));
    kernel->unread |= !known;
    return known;
}

// Where nothing but its slope jumps, what a delay gives out before and after the instant of a bend is one number, that
// at the bend: t + T - T may miss it by a rounding error, and a guard that is on its level there would see it jump.
static double value_before_bend(const Kernel* kernel, const Reading* r, double at)
{
    double time = kernel->R[kernel->model->reg_time];
    const HistoryPiece* next = r->piece + 1 < r->h->count ? history_piece(r->h, r->piece + 1) : NULL;
    if (next == NULL || next->order != 1 ||
        !(next->start - at <= larger(kernel_slack(kernel, time), kernel_slack(kernel, at))))
        return history_value(r->h, r->piece, at, 0);
    double left = history_value(r->h, r->piece, next->start, 0), right = history_coefficient(r->h, next, 0);
    return fabs(left - right) <= DELAY_JUMP * larger(fabs(left), fabs(right)) ? right : left;
}

double delay_value(void* ctx, uint32_t index, double at, uint32_t order)
{
    Kernel* kernel = ctx;
    if (!is_known(kernel, index, at))
        return NAN;
    Reading r = find_piece(kernel, index, at);
    if (r.piece != HISTORY_NONE && order == 0 && !kernel->model->delays[index].varies)
        return value_before_bend(kernel, &r, r.at);
    if (r.piece != HISTORY_NONE)
        return history_value(r.h, r.piece, r.at, order);
    if (r.h != NULL)
        return NAN;
    return order == 0 ? kernel->histories[index].before : 0;
}

// A series is asked for at the start of a step, or at the end of one, where the next begins: it goes on to the right.
bool delay_series(void* ctx, uint32_t index, double at, int terms, double* c)
{
    Kernel* kernel = ctx;
    Reading r = find_piece(kernel, index, at);
    if (!is_known(kernel, index, at) || (r.h != NULL && r.piece == HISTORY_NONE))
        return false;
    if (r.piece != HISTORY_NONE)
        history_expand(r.h, r.piece, r.at, terms, c);
    for (int k = 0; k < terms && r.piece == HISTORY_NONE; k++)
        c[k] = k == 0 ? kernel->histories[index].before : 0;
    if (!kernel->model->delays[index].varies)
        kernel->series_until = smaller(kernel->series_until, kernel->R[kernel->model->reg_time] + (r.end - at));
    return true;
}

double delay_range(void* ctx, uint32_t index, double from, double to, uint32_t order, double* low, double* high)
{
    const Kernel* kernel = ctx;
    const History *h = &kernel->histories[index], *past = &kernel->pasts[index];
    double first = h->count > 0 ? history_piece(h, 0)->start : h->end, pieces = 0, before = order == 0 ? h->before : 0;
    *low = INFINITY;
    *high = -INFINITY;
    if (from < first && kernel->model->delays[index].past != NO_REG)
        pieces += history_range(past, from, smaller(to, first), order, low, high);
    else if (from < first)
        *low = *high = before;
    if (to > first || from >= first)
        pieces += history_range(h, larger(from, first), to, order, low, high);
    return pieces;
}

// ---- delays that vary
// ------------------------------------------------------------------------------------------------

// The first jump that went in after `at`, which is known to the rounding of t and of the guard that found it.
static double next_edge(const Kernel* kernel, uint32_t index, double at)
{
    const History* h = &kernel->histories[index];
    double rounding = 8 * TIME_SAME * larger(fabs(kernel->now.t), fabs(at));
    uint32_t i = history_find(h, at, rounding, true);
    for (i = i == HISTORY_NONE ? 0 : i + 1; i < h->count; i++)
        if (history_piece(h, i)->order == 1)
            return history_piece(h, i)->start;
    return h->order == 1 && h->end > at + rounding ? h->end : INFINITY;  // it has just gone in
}

// What has been waited for comes out.
static kaiStatus pass_edge(Kernel* kernel, uint32_t index)
{
    const Delay* d = &kernel->model->delays[index];
    kaiStatus status = touch_now(kernel, d->out, d->edge);
    kernel->R[d->edge] = next_edge(kernel, index, kernel->R[d->edge]);
    kernel_disturb(kernel, d->out);
    return status;
}

static kaiStatus pass_edges(Kernel* kernel)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < kernel->varying.count && status == KAI_OK; i++)
        for (uint32_t k = 0; k < kernel->located_count; k++)
            if (kernel->located[k] == kernel->model->delays[kernel->varying.at[i]].guard)
                status = pass_edge(kernel, kernel->varying.at[i]);
    return status;
}

bool delay_find_edge(Kernel* kernel, uint32_t index)
{
    const Delay* d = &kernel->model->delays[index];
    double at = kernel->now.t - kernel->R[d->time], edge = next_edge(kernel, index, at);
    if (edge == kernel->R[d->edge])
        return false;
    kernel->R[d->edge] = edge;
    kernel->R[kernel->model->guards[d->guard].side] = -1;
    return true;
}

// ---- start
// -----------------------------------------------------------------------------------------------------------

// What went in before the start: its start value, or what was given.
static bool start_history(Kernel* kernel, uint32_t index)
{
    const Delay* d = &kernel->model->delays[index];
    History *h = &kernel->histories[index], *past = &kernel->pasts[index];
    bool changed = h->before != kernel->R[d->flow_value];
    h->before = h->left = kernel->R[d->flow_value];
    h->left_slope = 0;
    if (d->past == NO_REG || past->count == 0)
        return changed;
    h->left = history_value(past, past->count - 1, kernel->options->start, 0);
    h->left_slope = history_value(past, past->count - 1, kernel->options->start, 1);
    return false;
}

// Delays of delays need a round each, and relations may stand on what comes out.
kaiStatus delay_start(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    bool changed = false;
    for (uint32_t i = 0; i < model->delays_count; i++)
        changed |= !model->delays[i].event;
    for (uint32_t round = 0; round < model->delays_count && changed && status == KAI_OK; round++)
    {
        status = guard_start(kernel);
        changed = false;
        for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
            if (!model->delays[i].event)
                changed |= start_history(kernel, i);
    }
    return status == KAI_OK && changed ? guard_start(kernel) : status;
}

kaiStatus delay_fail(Kernel* kernel, uint32_t delay, double T, double t)
{
    return kernel_fail(kernel, kernel->model->delays[delay].place,
                       "a continuous signal needs a delay above 0: keep it up with max(T, 0.001), say",
                       "a transport delay of %g at t = %.17g", T, t);
}

// Nothing is known yet: before anything is evaluated.
void delay_reset(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->delays_count; i++)
    {
        History* h = &kernel->histories[i];
        if (model->delays[i].event)
            continue;
        history_clear(h);
        history_clear(&kernel->pasts[i]);
        h->end = h->paced_from = kernel->options->start;
        h->paced = 0;
        h->break_at = -INFINITY;
        h->order = 0;
        h->before = 0;
        if (model->delays[i].varies)
            kernel->R[model->delays[i].edge] = INFINITY;
    }
}

kaiStatus delay_check(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    bool varies = false;
    for (uint32_t i = 0; i < model->delays_count; i++)
        varies |= model->delays[i].varies;
    if (varies)
        status = kernel_run(kernel, model->events);
    for (uint32_t i = 0; i < model->delays_count && status == KAI_OK; i++)
        if (!model->delays[i].event && !(kernel->R[model->delays[i].time] > 0))
            status = delay_fail(kernel, i, kernel->R[model->delays[i].time], kernel->options->start);
    kernel->short_delay.number = 0;
    return status;
}
