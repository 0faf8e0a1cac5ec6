// What a step may hide, answered for the steps to come (decision 0315). Ranges are asked for over a box that is larger
// than the step, ahead of the way its states go: as long as steps stay inside and what else the program reads stands
// still, the answer is theirs too. A smaller range never moves an operator by more units.
#include "base/extreme.h"
#include "base/tolerance.h"
#include "flow/flow.h"
#include "model/code.h"

#include <math.h>

enum
{
    WAIT = 16,  // steps until a box is tried again where even a small one was too large
};

// In widths of the step.
static const double AHEAD_FIRST = 4, AHEAD_MOST = 64, BEHIND = 0.5, MORE = 1.5, LESS = 0.25;

typedef struct Side
{
    uint32_t reg;
    double from, to, slope;  // of the last step
    double low, high;        // of the box
} Side;

typedef struct Input
{
    uint32_t reg;
    double value;
} Input;

struct SharpBox
{
    size_t size;
    uint32_t side_count, input_count, wait;
    bool known;  // nothing is hidden in the box
    double ahead;
    Input* inputs;
    Side sides[];  // time, then the states that the program reads
};

// ---- asking

void box_set(SharpBox* box, uint32_t side, double middle, double slope, double rest)
{
    double reach = fabs(slope) + rest;
    Side* s = &box->sides[side];
    s->from = middle - reach;
    s->to = middle + reach;
    s->slope = slope;
}

static bool holds(const SharpBox* box, const double* R)
{
    bool inside = box->known;
    for (uint32_t i = 0; inside && i < box->side_count; i++)
        inside = box->sides[i].from >= box->sides[i].low && box->sides[i].to <= box->sides[i].high;
    for (uint32_t i = 0; inside && i < box->input_count; i++)
        inside = R[box->inputs[i].reg] == box->inputs[i].value;
    return inside;
}

static void enlarge(Side* s, double ahead)
{
    double width = s->to - s->from;
    s->low = s->from - width * (s->slope < 0 ? ahead : BEHIND);
    s->high = s->to + width * (s->slope < 0 ? BEHIND : ahead);
}

static bool ask(SharpBox* box, Flow* flow, const Slice* slice)
{
    Kernel* kernel = flow->kernel;
    ranges_begin(flow->ranges, kernel->R, &kernel->host, HIDDEN_STEP);
    for (uint32_t i = 0; i < box->side_count; i++)
    {
        Side* s = &box->sides[i];
        enlarge(s, box->ahead);
        ranges_set(flow->ranges, s->reg, 0.5 * (s->low + s->high), 0, 0.5 * (s->high - s->low));
    }
    for (uint32_t i = 0; i < box->input_count; i++)
        box->inputs[i].value = kernel->R[box->inputs[i].reg];
    return ranges_measure(flow->ranges, slice->words, slice->count, flow->sharp_unread) <= HIDDEN_STEP;
}

bool box_answers(SharpBox* box, Flow* flow, const Slice* slice)
{
    if (holds(box, flow->kernel->R))
        return true;
    box->known = false;
    if (box->wait > 0)
        return box->wait--, false;
    box->known = ask(box, flow, slice);
    box->ahead *= box->known ? MORE : LESS;
    if (box->ahead < 1)
        box->wait = WAIT;
    box->ahead = smaller(larger(box->ahead, 1), AHEAD_MOST);
    return box->known;
}

// ---- making

// Whether its operators hang on nothing but the registers that they read, one after the other.
static bool is_straight(const Slice* slice)
{
    CodeItem item;
    for (uint32_t at = 0; at < slice->count; at += item.words)
        if (!code_item(slice->words, at, slice->count, &item) || item.op > VM_TABLE_SLOPE || item.op == VM_DELAYED)
            return false;
    return true;
}

static uint32_t side_register(const Flow* flow, uint32_t island, uint32_t side)
{
    const kaiModel* model = flow->model;
    if (side == 0)
        return model->reg_time;
    uint32_t slot = flow->sharp_slots[flow->sharp[island].first + side - 1];
    return model->reg_first[REG_STATE] + island_state(flow, island, slot);
}

static void mark_sides(const Flow* flow, uint32_t island, uint8_t* seen, uint8_t mark)
{
    for (uint32_t i = 0; i <= flow->sharp[island].count; i++)
        seen[side_register(flow, island, i)] = mark;
}

// What one run of an operator reads and nothing has made by then, each register once.
static uint32_t list_run(const kaiModel* model, const uint32_t* pc, const CodeItem* item, uint8_t* seen, Input* inputs)
{
    uint32_t count = 0;
    for (const uint32_t* end = pc + item->reg_count; pc < end; pc += item->stride)
    {
        for (uint32_t i = 1; i < item->stride; i++)
        {
            bool constant = pc[i] - model->reg_first[REG_CONST] < model->constants_count;
            if (seen[pc[i]] == 0 && !constant && inputs != NULL)
                inputs[count].reg = pc[i];
            count += seen[pc[i]] == 0 && !constant;
            seen[pc[i]] = 1;
        }
        seen[pc[0]] = 1;
    }
    return count;
}

// Registers that the slice reads, but for sides, constants and what it has made itself. `inputs` NULL: they are
// counted. `seen` is all 0, and is so again.
static uint32_t list_inputs(const Flow* flow, uint32_t island, uint8_t* seen, Input* inputs)
{
    const Slice* slice = flow->sharp[island].slice;
    uint32_t count = 0;
    CodeItem item;
    mark_sides(flow, island, seen, 1);
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        count +=
            list_run(flow->model, slice->words + item.first_reg, &item, seen, inputs != NULL ? inputs + count : NULL);
    mark_sides(flow, island, seen, 0);
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            seen[slice->words[item.first_reg + i]] = 0;
    return count;
}

bool box_create(Flow* flow, uint32_t island, uint8_t* seen)
{
    Sharp* sharp = &flow->sharp[island];
    kaiAllocator a = flow->kernel->options->allocator;
    if (sharp->slice == NULL || !is_straight(sharp->slice))
        return true;
    uint32_t inputs = list_inputs(flow, island, seen, NULL);
    size_t sides = sizeof(Side) * (sharp->count + 1), size = sizeof(SharpBox) + sides + sizeof(Input) * inputs;
    SharpBox* box = sharp->box = a.alloc(a.user, NULL, 0, size);
    if (box == NULL)
        return false;
    *box = (SharpBox){.size = size, .side_count = sharp->count + 1, .input_count = inputs, .ahead = AHEAD_FIRST};
    box->inputs = (Input*)((char*)box->sides + sides);
    list_inputs(flow, island, seen, box->inputs);
    for (uint32_t i = 0; i <= sharp->count; i++)
        box->sides[i].reg = side_register(flow, island, i);
    return true;
}

void box_free(SharpBox* box, kaiAllocator a)
{
    if (box != NULL)
        a.alloc(a.user, box, box->size, 0);
}
