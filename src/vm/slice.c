// See slice.h. What is needed is found without regard to the order of the instructions: a register that is written
// twice is computed twice, which costs something and is never wrong. A mode without instructions is an empty block; a
// switch all of whose modes are empty goes.
#include "vm/slice.h"

#include "model/code.h"

#include <string.h>

bool slice_is_possible(const kaiModel* model, CodeRange range)
{
    CodeItem item;
    for (uint32_t at = range.start; at < range.end; at += item.words)
        if (!code_item(model->code, at, range.end, &item) || item.op == VM_FIX || item.op == VM_NEWTON ||
            item.op == VM_CALL || item.op == VM_DELAYED)
            return false;
    return true;
}

static bool mark(uint8_t* needed, uint32_t first, uint32_t count)
{
    bool grew = false;
    for (uint32_t i = 0; i < count; i++)
    {
        grew |= needed[first + i] == 0;
        needed[first + i] = 1;
    }
    return grew;
}

static bool is_row(uint32_t op)
{
    return op == VM_ROW || op == VM_ROW_SIZE;
}

// ---- what a program reads

enum
{
    DEPTH = 32  // of blocks within blocks; deeper ones have computed nothing
};

// Where the program stands: in the block of a mode, within that of another. What a block has computed holds in it
// alone.
typedef struct Reading
{
    uint32_t* seen;              // per register: the number of the block that computed it last
    uint32_t end[DEPTH];         // of the blocks around, the outermost first
    uint32_t number[DEPTH + 1];  // and theirs; the first is that of the program
    uint32_t depth;
    uint32_t* last;
    uint8_t* needed;
} Reading;

static bool has_computed(const Reading* r, uint32_t reg)
{
    bool found = false;
    for (uint32_t i = 0; i <= r->depth && i <= DEPTH && !found; i++)
        found = r->seen[reg] == r->number[i];
    return found;
}

static void read_registers(const Reading* r, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!has_computed(r, first + i))
            r->needed[first + i] = 1;
}

static void enter_block(Reading* r, uint32_t end)
{
    if (r->depth < DEPTH)
        r->end[r->depth] = end;
    r->depth++;
    if (r->depth <= DEPTH)
        r->number[r->depth] = ++*r->last;
}

static void read_run(const kaiModel* model, const Reading* r, const CodeItem* item)
{
    for (uint32_t i = 0; i < item->reg_count; i += item->stride)
    {
        const uint32_t* at = model->code + item->first_reg + i;
        for (uint32_t k = 1; k < item->stride; k++)
            read_registers(r, at[k], k < 3 && is_row(item->op) ? vm_constant(model, at[3]) : 1);
        if (r->depth <= DEPTH)
            r->seen[at[0]] = r->number[r->depth];
    }
}

void slice_mark_read(const kaiModel* model, CodeRange range, uint32_t* seen, uint32_t* last, uint8_t* needed)
{
    Reading r = {.seen = seen, .number = {++*last}, .last = last, .needed = needed};
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
    {
        while (r.depth > 0 && r.depth <= DEPTH && at >= r.end[r.depth - 1])
            r.depth--;
        for (uint32_t i = 0; item.stride == 0 && i < item.reg_count; i++)
            read_registers(&r, model->code[item.first_reg + i], 1);
        if (item.op == VM_SWITCH)
            enter_block(&r, at + item.words + model->code[at + item.words - 1]);
        else if (item.op == VM_NEWTON || item.op == VM_FIX)
            enter_block(&r, at + item.words + item.body);
        else if (item.op == VM_JUMP && r.depth > 0 && r.depth <= DEPTH)
            r.number[r.depth] = ++*last;  // the block of the next mode
        else if (item.stride > 0)
            read_run(model, &r, &item);
    }
}

// ---- the slice

typedef struct Slicer
{
    const kaiModel* model;
    CodeRange range;
    uint32_t count;               // items
    uint32_t* starts;             // of the items, and the end
    uint32_t* places;             // where they went
    uint8_t* labels;              // somebody jumps there
    uint32_t *out, length, last;  // words written; the head of the last run, or NO_REG
} Slicer;

static uint32_t item_at(const Slicer* s, uint32_t at)
{
    uint32_t low = 0, high = s->count;
    while (low < high)
    {
        uint32_t middle = (low + high) / 2;
        if (s->starts[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void list_items(Slicer* s)
{
    CodeItem item;
    for (uint32_t at = s->range.start; at < s->range.end; at += item.words)
    {
        code_item(s->model->code, at, s->range.end, &item);
        s->starts[s->count++] = at;
    }
    s->starts[s->count] = s->range.end;
}

// Those that are run in these modes.
static void list_taken(Slicer* s, const double* modes)
{
    const uint32_t* code = s->model->code;
    CodeItem item;
    for (uint32_t at = s->range.start; at < s->range.end;)
    {
        code_item(code, at, s->range.end, &item);
        if (item.stride > 0)
            s->starts[s->count++] = at;
        if (item.op == VM_SWITCH)
            at = (uint32_t)(vm_switch_target(modes, code + at) - code);
        else
            at += item.op == VM_JUMP ? code[at + 1] : item.words;
    }
    s->starts[s->count] = s->range.end;
}

static void list_labels(Slicer* s)
{
    CodeItem item;
    for (uint32_t i = 0; i < s->count; i++)
    {
        const uint32_t* pc = s->model->code + s->starts[i];
        code_item(s->model->code, s->starts[i], s->range.end, &item);
        for (uint32_t k = 0; item.op == VM_SWITCH && k <= pc[2]; k++)
            if (pc[3 + k] != NO_REG)
                s->labels[item_at(s, s->starts[i] + item.words + pc[3 + k])] = 1;
        if (item.op == VM_JUMP)
            s->labels[item_at(s, s->starts[i] + pc[1])] = 1;
    }
}

static bool mark_item(const Slicer* s, uint32_t index, uint8_t* needed)
{
    CodeItem item;
    const uint32_t* code = s->model->code;
    bool grew = false;
    code_item(code, s->starts[index], s->range.end, &item);
    if (item.op == VM_SWITCH)
        grew = mark(needed, code[item.first_reg], 1);
    for (uint32_t i = item.stride > 0 ? item.reg_count : 0; i > 0; i -= item.stride)
    {
        const uint32_t* at = code + item.first_reg + i - item.stride;
        for (uint32_t k = 1; needed[at[0]] != 0 && k < item.stride; k++)
            grew |= mark(needed, at[k], k < 3 && is_row(item.op) ? vm_constant(s->model, at[3]) : 1);
    }
    return grew;
}

static void put_run(Slicer* s, const CodeItem* item, bool fresh, const uint8_t* needed)
{
    for (uint32_t i = 0; i < item->reg_count; i += item->stride)
    {
        const uint32_t* at = s->model->code + item->first_reg + i;
        if (needed[at[0]] == 0)
            continue;
        if (fresh || s->last == NO_REG || (s->out[s->last] & 0xff) != item->op)
        {
            s->last = s->length;
            s->out[s->length++] = item->op;
        }
        fresh = false;
        s->out[s->last] += 1u << 8;
        memcpy(s->out + s->length, at, sizeof *at * item->stride);
        s->length += item->stride;
    }
}

// A switch in whose blocks nothing has been written yet: it goes when its end comes.
typedef struct Bare
{
    uint32_t item, end, length;
} Bare;

enum
{
    GONE = 2  // of labels: the item was left out
};

static void leave_out(Slicer* s, Bare bare, uint32_t next)
{
    for (uint32_t i = bare.item; i < next; i++)
    {
        s->labels[i] |= GONE;
        s->places[i] = bare.length;
    }
    s->length = bare.length;
    s->last = NO_REG;
}

static void put_items(Slicer* s, const uint8_t* needed)
{
    CodeItem item;
    Bare bare[DEPTH];
    uint32_t depth = 0;
    s->last = NO_REG;
    for (uint32_t i = 0; i < s->count; i++)
    {
        while (depth > 0 && s->starts[i] >= bare[depth - 1].end)
            leave_out(s, bare[--depth], i);
        code_item(s->model->code, s->starts[i], s->range.end, &item);
        s->places[i] = s->length;
        if (item.stride > 0)
        {
            put_run(s, &item, s->labels[i] != 0, needed);
            if (s->places[i] != s->length)
                depth = 0;  // those around it stay
            else if (s->labels[i] != 0)
                s->last = NO_REG;  // nothing that follows a label joins what stands before it
            continue;
        }
        memcpy(s->out + s->length, s->model->code + s->starts[i], sizeof(uint32_t) * item.words);
        if (item.op == VM_SWITCH && depth < DEPTH)
            bare[depth++] = (Bare){i, s->starts[i] + item.words + s->out[s->length + item.words - 1], s->length};
        s->length += item.words;
        s->last = NO_REG;
    }
    while (depth > 0)
        leave_out(s, bare[--depth], s->count);
    s->places[s->count] = s->length;
}

static void turn_jumps(Slicer* s)
{
    CodeItem item;
    for (uint32_t i = 0; i < s->count; i++)
    {
        uint32_t* pc = s->out + s->places[i];
        if ((s->labels[i] & GONE) != 0)
            continue;
        code_item(s->model->code, s->starts[i], s->range.end, &item);
        for (uint32_t k = 0; item.op == VM_SWITCH && k <= pc[2]; k++)
            if (pc[3 + k] != NO_REG)
                pc[3 + k] = s->places[item_at(s, s->starts[i] + item.words + pc[3 + k])] - (s->places[i] + item.words);
        if (item.op == VM_JUMP)
            pc[1] = s->places[item_at(s, s->starts[i] + pc[1])] - s->places[i];
    }
}

Slice* slice_make(const kaiModel* model, CodeRange range, const double* modes, uint8_t* needed, kaiAllocator a)
{
    uint32_t words = range.end - range.start;
    size_t size = sizeof(Slice) + sizeof(uint32_t) * words, scratch = (2 * sizeof(uint32_t) + 1) * ((size_t)words + 1);
    Slice* slice = a.alloc(a.user, NULL, 0, size);
    uint32_t* work = slice != NULL ? a.alloc(a.user, NULL, 0, scratch) : NULL;
    if (work == NULL)
    {
        if (slice != NULL)
            a.alloc(a.user, slice, size, 0);
        return NULL;
    }
    memset(work, 0, scratch);
    Slicer s = {.model = model, .range = range, .starts = work, .places = work + words + 1, .out = slice->words};
    s.labels = (uint8_t*)(work + 2 * ((size_t)words + 1));
    if (modes != NULL)
        list_taken(&s, modes);
    else
        list_items(&s);
    list_labels(&s);
    for (bool grew = true; grew;)
    {
        grew = false;
        for (uint32_t i = s.count; i > 0; i--)  // results before what they are made of
            grew |= mark_item(&s, i - 1, needed);
    }
    put_items(&s, needed);
    turn_jumps(&s);
    a.alloc(a.user, work, scratch, 0);
    size_t fits = sizeof(Slice) + sizeof(uint32_t) * s.length;
    Slice* smaller = fits < size ? a.alloc(a.user, slice, size, fits) : NULL;
    slice = smaller != NULL ? smaller : slice;
    slice->size = smaller != NULL ? fits : size;
    slice->count = s.length;
    slice->hot = (Hot){0};
    return slice;
}

void slice_free(Slice* slice, kaiAllocator a)
{
    if (slice != NULL)
        a.alloc(a.user, slice, slice->size, 0);
}
