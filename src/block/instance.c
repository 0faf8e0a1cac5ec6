// See instance.h.
#include "block/instance_inside.h"

#include "base/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- making

static double* take(double** room, uint32_t count)
{
    double* taken = *room;
    *room += count;
    return taken;
}

size_t block_view_size(const kaiBlock* b)
{
    return 2 * (size_t)b->state_count + b->input_count + b->output_count + b->indicator_count;
}

static uint32_t* take_indices(double** room, uint32_t count)
{
    return (uint32_t*)(void*)take(room, (count + 1) / 2);
}

static size_t index_room(const kaiBlock* b)
{
    return ((size_t)b->state_count + b->input_count + 1) / 2 + ((size_t)b->input_count + 1) / 2 +
           ((size_t)b->output_count + 1) / 2;
}

static void place_view(BlockView* view, const kaiBlock* b, double** room)
{
    *view = (BlockView){.time = NAN};
    view->states = take(room, b->state_count);
    view->inputs = take(room, b->input_count);
    view->rates = take(room, b->state_count);
    view->outputs = take(room, b->output_count);
    view->indicators = take(room, b->indicator_count);
}

bool block_make(BlockInstance* b, const kaiBlock* block, const kaiBlockHost* host)
{
    size_t count = 3 * block_view_size(block) + block->state_count + 1 + block->parameter_count + block->input_count +
                   block->indicator_count + 2 * (size_t)block->output_count + index_room(block);
    *b = (BlockInstance){.block = block, .host = *host, .room = sizeof(double) * count};
    double* room = host->allocator.alloc(host->allocator.user, NULL, 0, b->room);
    if (room == NULL)
        return false;
    memset(room, 0, b->room);
    b->start_arguments = take(&room, 1 + block->parameter_count + block->input_count);
    b->after = take(&room, block->state_count);
    place_view(&b->now, block, &room);
    place_view(&b->before, block, &room);
    place_view(&b->tag, block, &room);
    b->reference = take(&room, block->indicator_count);
    b->told = take(&room, block->output_count);
    b->waiting = take(&room, block->output_count);
    b->inputs_of = take_indices(&room, block->input_count);
    b->outputs_of = take_indices(&room, block->output_count);
    b->plain = take_indices(&room, block->state_count + block->input_count);
    block_carriers(block, b->inputs_of, b->outputs_of);
    for (uint32_t i = 0; i < block->state_count + block->input_count; i++)
        if (i < block->state_count || b->inputs_of[i - block->state_count] == UINT32_MAX)
            b->plain[b->plain_count++] = i;
    return true;
}

void block_reset(BlockInstance* b)
{
    if (b->it != NULL)
        b->block->close(b->it);
    b->it = NULL;
    memory_forget(&b->memory);
    b->started = b->committed = b->waits = b->scarce = false;
    b->tag_number = b->commit_time = NAN;
    b->why[0] = b->said[0] = 0;
}

void block_free(BlockInstance* b)
{
    if (b->start_arguments == NULL)
        return;
    block_reset(b);
    if (b->slopes.columns != NULL)
        b->host.allocator.alloc(b->host.allocator.user, b->slopes.columns, b->slopes.size, 0);
    b->slopes = (BlockSlopes){NULL, NULL, 0};
    memory_free(&b->memory, b->block, b->host.allocator);
    b->host.allocator.alloc(b->host.allocator.user, b->start_arguments, b->room, 0);
    b->start_arguments = NULL;
}

// ---- trouble

double block_fail(BlockInstance* b, const char* call)
{
    if (b->why[0] == 0)
        snprintf(b->why, sizeof b->why, "block %.60s fails in its %s at t = %.17g%s%s", b->host.instance, call,
                 b->now.time, b->said[0] != 0 ? ": " : "", b->said);
    return NAN;
}

bool block_went(BlockInstance* b, kaiStatus status, const char* call)
{
    b->scarce |= status == KAI_ERR_MEMORY;
    if (status != KAI_OK && status != KAI_ERR_LIMIT)
        block_fail(b, call);
    return status == KAI_OK;
}

// ---- where it is set

void block_forget_values(BlockView* view)
{
    view->has_rates = view->has_outputs = view->has_indicators = view->has_slopes = false;
}

// ---- the start

static bool open_instance(BlockInstance* b)
{
    block_reset(b);
    b->now.time = b->start_arguments[0];
    return block_went(b, b->block->open(b->block, &b->host, &b->it), "opening");
}

// Events that were there before anybody could ask, in its start, are told at the first tag.
static bool await_first(BlockInstance* b)
{
    const kaiBlock* k = b->block;
    bool counts = false;
    for (uint32_t i = 0; i < k->output_count; i++)
    {
        b->waiting[i] = b->told[i] = 0;
        counts |= k->outputs[i].event && k->outputs[i].count > 0;
    }
    if (!counts)
        return true;
    if (!block_fetch(b, BLOCK_OUTPUT))
        return false;
    for (uint32_t i = 0; i < k->output_count; i++)
        if (k->outputs[i].event && k->outputs[i].count > 0 && b->now.outputs[k->outputs[i].count - 1] > 0)
            b->waiting[i] = b->waits = true;
    return true;
}

// Opens it anew and starts it, with the states that are in `now`.
static bool begin(BlockInstance* b)
{
    const kaiBlock* k = b->block;
    const double *parameters = b->start_arguments + 1, *inputs = parameters + k->parameter_count;
    if (b->why[0] != 0)  // what has failed is not tried again: the run ends with it
        return false;
    if (!open_instance(b) || !block_went(b, k->begin(b->it, b->now.time, parameters, inputs, b->now.states), "start"))
        return false;
    if (k->input_count > 0)
        memcpy(b->now.inputs, inputs, sizeof(double) * k->input_count);
    if (k->state_count > 0)
        memcpy(b->after, b->now.states, sizeof(double) * k->state_count);
    block_forget_values(&b->now);
    b->started = b->pending = true;
    b->between = false;
    b->number = 0;
    b->next = INFINITY;
    b->end = 0;
    return await_first(b);
}

static double ask_start(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a)
{
    const kaiBlock* k = b->block;
    uint32_t count = 1 + k->parameter_count + k->input_count;
    bool moved = false;
    for (uint32_t i = 0; i < count; i++)
    {
        moved |= differs(b->start_arguments[i], R[a[i]]);
        b->start_arguments[i] = R[a[i]];
    }
    for (uint32_t i = 0; i < k->state_count && (moved || !b->started); i++)
        b->now.states[i] = NAN;
    if ((moved || !b->started) && !begin(b))
        return NAN;
    return index == 0 ? b->number : b->after[index - 1];
}

// The model gives a state another start value than the block has: it starts with that.
static bool adopt_start(BlockInstance* b, const double* R, const uint32_t* a, const uint32_t* reads, uint32_t count)
{
    uint32_t states = b->block->state_count;
    bool other = false;
    if (b->committed || R[a[0]] != b->start_arguments[0])
        return true;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t known = reads != NULL ? reads[i] : i;
        other |= known < states && differs(b->after[known], R[a[1 + i]]);
    }
    if (!other)
        return true;
    memcpy(b->now.states, b->after, sizeof(double) * states);
    for (uint32_t i = 0; i < count; i++)
        if ((reads != NULL ? reads[i] : i) < states)
            b->now.states[reads != NULL ? reads[i] : i] = R[a[1 + i]];
    return begin(b);
}

// Sets one known, of the states and inputs. True: it has moved.
static bool move_known(BlockInstance* b, uint32_t known, double value)
{
    uint32_t states = b->block->state_count;
    double* at = known < states ? &b->now.states[known] : &b->now.inputs[known - states];
    bool moved = differs(*at, value);
    *at = value;
    return moved;
}

static bool apply(BlockInstance* b, bool moved)
{
    if (!moved)
        return true;
    block_forget_values(&b->now);
    return block_went(b, b->block->set(b->it, b->now.time, b->now.states, b->now.inputs), "set");
}

bool block_move_to(BlockInstance* b, const double* R, const uint32_t* a, const uint32_t* reads, uint32_t count)
{
    if (!adopt_start(b, R, a, reads, count))
        return false;
    bool moved = differs(b->now.time, R[a[0]]);
    b->now.time = R[a[0]];
    for (uint32_t i = 0; i < count; i++)
        moved |= move_known(b, reads != NULL ? reads[i] : i, R[a[1 + i]]);
    return apply(b, moved);
}

bool block_stands_at(const BlockInstance* b, const BlockView* view, const double* R, const uint32_t* a,
                     const uint32_t* reads, uint32_t count)
{
    uint32_t states = b->block->state_count;
    bool same = !differs(view->time, R[a[0]]);
    for (uint32_t i = 0; i < count && same; i++)
    {
        uint32_t known = reads != NULL ? reads[i] : i;
        same = !differs(known < states ? view->states[known] : view->inputs[known - states], R[a[1 + i]]);
    }
    return same;
}

// ---- values

static bool fetch_indicators(BlockInstance* b)
{
    BlockView* v = &b->now;
    MemoryPlace place = {v->time, v->states, v->inputs};
    if (memory_recall(&b->memory, b->block, &place, v->indicators))
        return v->has_indicators = true;
    v->has_indicators = block_went(b, b->block->get_indicators(b->it, v->indicators), "indicators");
    if (v->has_indicators)
        memory_keep(&b->memory, b->block, b->host.allocator, &place, v->indicators);
    return v->has_indicators;
}

// Between two rounds of one instant there are no rates and no indicators: they are what they were before, and compared
// when the last round is over.
bool block_fetch(BlockInstance* b, BlockQuestion question)
{
    BlockView* v = &b->now;
    const kaiBlock* k = b->block;
    if (b->between && question != BLOCK_OUTPUT)
        return true;
    if (question == BLOCK_RATE && !v->has_rates)
        return v->has_rates = block_went(b, k->get_rates(b->it, v->rates), "rates");
    if (question == BLOCK_OUTPUT && !v->has_outputs)
        return v->has_outputs = block_went(b, k->get_outputs(b->it, v->outputs), "outputs");
    return question != BLOCK_INDICATOR || v->has_indicators || fetch_indicators(b);
}

bool block_fetch_all(BlockInstance* b)
{
    return (b->block->state_count == 0 || block_fetch(b, BLOCK_RATE)) &&
           (b->block->output_count == 0 || block_fetch(b, BLOCK_OUTPUT)) &&
           (b->block->indicator_count == 0 || block_fetch(b, BLOCK_INDICATOR));
}

static double value_in(const BlockView* v, BlockQuestion question, uint32_t index)
{
    return question == BLOCK_RATE     ? v->rates[index]
           : question == BLOCK_OUTPUT ? v->outputs[index]
                                      : v->indicators[index];
}

static double ask_value(BlockInstance* b, BlockQuestion question, uint32_t index, const double* R, const uint32_t* a)
{
    const kaiBlockVariable* output = question == BLOCK_OUTPUT ? &b->block->outputs[index] : NULL;
    bool held = output != NULL && output->discrete;
    const uint32_t* reads = output != NULL && output->reads != NULL ? output->reads : b->plain;
    uint32_t count = reads != b->plain ? output->read_count : b->plain_count;
    if (R[a[0]] == b->number && !held && !block_move_to(b, R, a + 1, reads, count))
        return NAN;
    if (R[a[0]] == b->number)
        return block_fetch(b, question) ? value_in(&b->now, question, index) : NAN;
    if (b->committed && R[a[0]] == b->before_number && (held || block_stands_at(b, &b->before, R, a + 1, reads, count)))
        return value_in(&b->before, question, index);
    snprintf(b->said, sizeof b->said, "the run went back before a commit of it");
    return block_fail(b, "past");
}

// ---- slopes

static bool make_slopes(BlockInstance* b)
{
    size_t columns = (size_t)b->plain_count + 1;
    if (b->slopes.columns != NULL)
        return true;
    b->slopes.size = sizeof(double) * columns * (b->block->state_count + 1);
    b->slopes.columns = b->host.allocator.alloc(b->host.allocator.user, NULL, 0, b->slopes.size);
    if (b->slopes.columns == NULL)
        return false;
    b->slopes.has = (bool*)(b->slopes.columns + columns * b->block->state_count);
    return true;
}

// Nobody tells how rates change with time: a central difference, with the block back where it was.
static bool slope_in_time(BlockInstance* b, double* column)
{
    const kaiBlock* k = b->block;
    double t = b->now.time, h = FMU_DIFFERENCE * (1 + fabs(t));
    if (!block_fetch(b, BLOCK_RATE) || !block_went(b, k->set(b->it, t - h, b->now.states, b->now.inputs), "set") ||
        !block_went(b, k->get_rates(b->it, b->tag.rates), "rates") ||
        !block_went(b, k->set(b->it, t + h, b->now.states, b->now.inputs), "set"))
        return false;
    if (!block_went(b, k->get_rates(b->it, column), "rates"))
        return false;
    for (uint32_t i = 0; i < k->state_count; i++)
        column[i] = (column[i] - b->tag.rates[i]) / (2 * h);
    return block_went(b, k->set(b->it, t, b->now.states, b->now.inputs), "set");
}

static bool fetch_column(BlockInstance* b, uint32_t c)
{
    double* column = b->slopes.columns + (size_t)c * b->block->state_count;
    if (!b->now.has_slopes)
        memset(b->slopes.has, 0, b->plain_count + 1);
    b->now.has_slopes = true;
    if (b->slopes.has[c])
        return true;
    b->slopes.has[c] = c == b->plain_count ? slope_in_time(b, column)
                                           : block_went(b, b->block->get_slopes(b->it, b->plain[c], column), "slopes");
    return b->slopes.has[c];
}

// `a`: number, time and knowns, and how each of them moves.
static double ask_slope(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a)
{
    const uint32_t* moves = a + 2 + b->plain_count;
    double sum = 0;
    if (R[a[0]] != b->number)
        return NAN;
    if (!make_slopes(b) || !block_move_to(b, R, a + 1, b->plain, b->plain_count))
        return NAN;
    for (uint32_t c = 0; c <= b->plain_count; c++)
    {
        double move = R[moves[c == b->plain_count ? 1 : 2 + c]];
        if (move == 0)
            continue;
        if (!fetch_column(b, c))
            return NAN;
        sum += move * b->slopes.columns[(size_t)c * b->block->state_count + index];
    }
    return sum;
}

// ---- all

double block_ask(BlockInstance* b, BlockQuestion question, uint32_t index, const double* R, const uint32_t* a)
{
    if (question == BLOCK_START)
        return ask_start(b, index, R, a);
    if (!b->started || b->why[0] != 0)
        return NAN;
    if (question == BLOCK_DUE)
        return block_ask_due(b, R, a);
    if (question == BLOCK_TAG)
        return block_ask_tag(b, index, R, a);
    if (question == BLOCK_SLOPE)
        return ask_slope(b, index, R, a);
    return question == BLOCK_COMMIT ? block_ask_commit(b, index, R, a) : ask_value(b, question, index, R, a);
}

kaiStatus block_step(BlockInstance* b, bool* event)
{
    if (b->block->step_done == NULL || !b->started)
        return KAI_OK;
    memory_forget(&b->memory);
    kaiStatus status = b->block->step_done(b->it, event);
    b->pending |= *event;
    return block_went(b, status, "end of a step") ? KAI_OK : KAI_ERR_RUN;
}

// ---- saving

typedef struct SavedBlock
{
    double number, next, end, before_number, after_number, time, before_time, commit_time;
    uint8_t started, pending, committed, between, waits;
} SavedBlock;

static size_t fixed_size(const BlockInstance* b)
{
    return sizeof(SavedBlock) + b->room;
}

bool block_save_size(BlockInstance* b, size_t* size)
{
    size_t own = 0;
    if (b->started && (b->block->fixed != NULL || b->block->save == NULL))
        return false;
    if (b->started && !block_went(b, b->block->save(b->it, NULL, &own), "save"))
        return false;
    *size = fixed_size(b) + own;
    return true;
}

bool block_save(BlockInstance* b, char* bytes, size_t size)
{
    SavedBlock s = {.number = b->number, .next = b->next, .end = b->end, .time = b->now.time};
    s.before_number = b->before_number;
    s.after_number = b->after_number;
    s.before_time = b->before.time;
    s.commit_time = b->commit_time;
    s.waits = b->waits;
    s.started = b->started;
    s.pending = b->pending;
    s.between = b->between;
    s.committed = b->committed;
    memcpy(bytes, &s, sizeof s);
    memcpy(bytes + sizeof s, b->start_arguments, b->room);
    size_t own = size - fixed_size(b);
    return !b->started || block_went(b, b->block->save(b->it, bytes + fixed_size(b), &own), "save");
}

static void take_saved(BlockInstance* b, const SavedBlock* s)
{
    b->number = s->number;
    b->next = s->next;
    b->end = s->end;
    b->before_number = s->before_number;
    b->after_number = s->after_number;
    b->now.time = s->time;
    b->before.time = s->before_time;
    b->commit_time = s->commit_time;
    b->tag_number = NAN;
    b->waits = s->waits != 0;
    b->pending = s->pending != 0;
    b->between = s->between != 0;
    b->committed = s->committed != 0;
    block_forget_values(&b->now);
    memory_forget(&b->memory);
}

bool block_restore(BlockInstance* b, const char* bytes, size_t size)
{
    SavedBlock s;
    if (size < fixed_size(b))
        return false;
    memcpy(&s, bytes, sizeof s);
    if (s.started == 0)
        return block_reset(b), true;
    memcpy(b->start_arguments, bytes + sizeof s, b->room);
    if (b->it == NULL && !open_instance(b))
        return false;
    b->started = true;
    take_saved(b, &s);
    const kaiBlock* k = b->block;
    return block_went(b, k->restore(b->it, bytes + fixed_size(b), size - fixed_size(b)), "restore");
}
