// Commits of an instance of a block: whether one is due, what its outputs are at the tag of the one that comes, and the
// commit itself, one round of its reaction.
#include "block/instance_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what is due

// An indicator that is on another side because the block reacted has not crossed anything.
static bool has_turned(const BlockInstance* b)
{
    if (b->now.time != b->commit_time || !b->now.has_indicators)
        return true;
    for (uint32_t i = 0; i < b->block->indicator_count; i++)
        if ((b->now.indicators[i] > 0) != (b->reference[i] > 0))
            return true;
    return false;
}

static bool is_due(const BlockInstance* b, bool touched)
{
    return b->pending || (touched && has_turned(b));
}

// What block_ask_due answers where nothing is to be committed, but some events are to be told; a commit is 1.
static const double TELL_ONLY = 0.75;

double block_ask_due(const BlockInstance* b, const double* R, const uint32_t* a)
{
    uint32_t count = b->block->input_count;
    if (R[a[0]] == 0)
        return 0;
    bool due = is_due(b, R[a[1]] != 0);
    for (uint32_t i = 0; i < count; i++)
        due |= R[a[3 + i]] != R[a[3 + count + i]];
    return due ? 1 : b->waits ? TELL_ONLY : 0;
}

// ---- outputs at a tag

// Where the commit will be, as far as it is known: `b->tag` has its outputs there.
static bool look_at_tag(BlockInstance* b)
{
    const kaiBlock* k = b->block;
    BlockView* to = &b->tag;
    if (!block_fetch_all(b))
        return false;
    if (!block_went(b, k->get_reaction(b->it, b->now.time, b->tag.inputs, to->outputs), "reaction"))
        return false;
    to->time = b->now.time;
    memcpy(to->states, b->now.states, sizeof(double) * k->state_count);
    b->tag_number = b->number;
    return true;
}

// `a`: time, states, the inputs that `reader` reads.
static bool is_known(const BlockInstance* b, const kaiBlockVariable* reader, const double* R, const uint32_t* a)
{
    uint32_t states = b->block->state_count, at = 1 + states;
    bool same = b->tag_number == b->number && !differs(b->tag.time, R[a[0]]);
    for (uint32_t i = 0; i < states && same; i++)
        same = !differs(b->tag.states[i], R[a[1 + i]]);
    for (uint32_t i = 0; reader->reads != NULL && i < reader->read_count && same; i++)
        if (reader->reads[i] >= states)
            same = !differs(b->tag.inputs[reader->reads[i] - states], R[a[at++]]);
    return same;
}

static bool look_with(BlockInstance* b, const kaiBlockVariable* reader, const double* R, const uint32_t* a)
{
    const kaiBlock* k = b->block;
    uint32_t at = 1 + k->state_count;
    if (is_known(b, reader, R, a))
        return true;
    if (!block_move_to(b, R, a, NULL, k->state_count))
        return false;
    for (uint32_t i = 0; i < k->input_count; i++)
        b->tag.inputs[i] = b->inputs_of[i] == UINT32_MAX || b->inputs_of[i] != i ? b->now.inputs[i] : 0;
    for (uint32_t i = 0; reader->reads != NULL && i < reader->read_count; i++)
        if (reader->reads[i] >= k->state_count)
            b->tag.inputs[reader->reads[i] - k->state_count] = R[a[at++]];
    return look_at_tag(b);
}

static double tell(BlockInstance* b, uint32_t index, bool reacts)
{
    const kaiBlockVariable* v = &b->block->outputs[index];
    uint32_t carrier = b->outputs_of[index];
    bool late = carrier != UINT32_MAX && b->waiting[carrier] != 0 && !(reacts && b->tag.outputs[carrier] != 0);
    double value = reacts && !late ? b->tag.outputs[index] : b->now.outputs[index];
    if (!v->event)
        return value;
    bool there = late || (reacts && value != 0);
    if (there)
        b->told[index] = 1;
    return there ? 1 : 0;
}

double block_ask_tag(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a)
{
    const kaiBlock* k = b->block;
    const kaiBlockVariable* reader = &k->outputs[b->outputs_of[index] != UINT32_MAX ? b->outputs_of[index] : index];
    uint32_t count = block_tag_inputs(k, reader, NULL), first = 4 + k->state_count;
    if (R[a[2]] != b->number)  // it has committed at this tag already
        return b->tag_number == R[a[2]] ? tell(b, index, true) : tell(b, index, false);
    bool due = R[a[0]] != 0 && k->get_reaction != NULL && is_due(b, R[a[1]] != 0);
    for (uint32_t i = 0; i < count && R[a[0]] != 0; i++)
        due |= k->get_reaction != NULL && R[a[first + i]] != R[a[first + count + i]];
    if ((due && !look_with(b, reader, R, a + 3)) || !block_fetch(b, BLOCK_OUTPUT))
        return NAN;
    return tell(b, index, due);
}

// ---- commits

static void keep_before(BlockInstance* b)
{
    BlockView* to = &b->before;
    const kaiBlock* k = b->block;
    to->time = b->now.time;  // the arrays of a view lie one after the other
    memcpy(to->states, b->now.states, sizeof(double) * block_view_size(k));
    b->before_number = b->number;
    b->committed = true;
}

static bool same_values(const BlockInstance* b)
{
    return memcmp(b->before.states, b->now.states, sizeof(double) * block_view_size(b->block)) == 0;
}

// What it raises at this tag with all inputs known. What nobody was told yet is told at the next tag. True: something.
static bool raise_events(BlockInstance* b, bool* raised)
{
    const kaiBlock* k = b->block;
    *raised = b->waits = false;
    if (k->get_reaction == NULL)
        return true;
    bool same = b->tag_number == b->number && b->tag.time == b->now.time &&
                memcmp(b->tag.states, b->now.states, sizeof(double) * k->state_count) == 0 &&
                memcmp(b->tag.inputs, b->now.inputs, sizeof(double) * k->input_count) == 0;
    if (!same && k->input_count > 0)
        memcpy(b->tag.inputs, b->now.inputs, sizeof(double) * k->input_count);
    if (!same && !look_at_tag(b))
        return false;
    for (uint32_t i = 0; i < k->output_count; i++)
    {
        if (!k->outputs[i].event)
            continue;
        b->waiting[i] = b->tag.outputs[i] != 0 && b->told[i] == 0;
        *raised |= b->tag.outputs[i] != 0 || b->told[i] != 0;
        b->waits |= b->waiting[i] != 0;
        b->told[i] = 0;
    }
    for (uint32_t i = 0; i < k->input_count; i++)
        *raised |= k->inputs[i].event && b->now.inputs[i] != 0;
    return true;
}

// One round. If it changed nothing that anybody can see, the discrete state keeps its number, and the instant can end.
static bool commit(BlockInstance* b)
{
    const kaiBlock* k = b->block;
    kaiBlockEvents events = {.next = INFINITY};
    double next = b->next, end = b->end;
    bool raised;
    if (!block_fetch_all(b) || !raise_events(b, &raised))
        return false;
    keep_before(b);
    block_forget_values(&b->now);
    memory_forget(&b->memory);
    if (!block_went(b, k->commit(b->it, b->now.time, b->now.inputs, &events, b->now.states), "commit"))
        return false;
    b->between = events.more;
    if (!block_fetch_all(b))
        return false;
    memcpy(b->after, b->now.states, sizeof(double) * k->state_count);
    memcpy(b->reference, b->now.indicators, sizeof(double) * k->indicator_count);
    b->commit_time = b->now.time;
    b->pending = events.more;
    b->next = events.next;
    b->end = events.end ? 1 : 0;
    bool changed = events.more || raised || b->next != next || b->end != end || !same_values(b);
    b->after_number = b->number += changed ? 1 : 0;
    if (!changed)
        b->tag_number = NAN;
    return true;
}

// Events have been told that came too late for the tag before: nothing is asked of the block.
static void forget_told(BlockInstance* b)
{
    keep_before(b);
    for (uint32_t i = 0; i < b->block->output_count; i++)
        b->waiting[i] = b->told[i] = 0;
    b->waits = false;
    b->after_number = b->number += 1;
}

static bool react(BlockInstance* b, const double* R, const uint32_t* a)
{
    uint32_t count = b->block->state_count + b->block->input_count;
    if (!block_move_to(b, R, a + 2, NULL, count))
        return false;
    if (R[a[0]] > TELL_ONLY)
        return commit(b);
    if (!block_fetch_all(b))
        return false;
    memcpy(b->after, b->now.states, sizeof(double) * b->block->state_count);
    forget_told(b);
    return true;
}

double block_ask_commit(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a)
{
    uint32_t count = b->block->state_count + b->block->input_count;
    bool due = R[a[0]] > 0.5;
    bool again = b->pending && b->number == b->before_number;  // it changed nothing, and wants to be asked once more
    bool done = due && b->committed && !again && R[a[1]] == b->before_number &&
                block_stands_at(b, &b->before, R, a + 2, NULL, count);
    if (due && !done)
    {
        if (R[a[1]] != b->number)
            return snprintf(b->said, sizeof b->said, "the run went back before a commit of it"), block_fail(b, "past");
        if (!react(b, R, a))
            return block_fail(b, "commit");
    }
    switch (index)
    {
    case BLOCK_AFTER_NUMBER: return due ? b->after_number : R[a[1]];
    case BLOCK_AFTER_NEXT: return b->next;
    case BLOCK_AFTER_END: return b->end;
    default: return due ? b->after[index - BLOCK_AFTER_STATES] : R[a[3 + index - BLOCK_AFTER_STATES]];
    }
}
