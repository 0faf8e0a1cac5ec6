// Operators of one kind that wait for nothing but what is there are made four at a time: the coefficients of four
// slots lie side by side, order after order (a quad), and one pass over the orders makes four results (lanes.c). What
// an operator reads is filled into quads when it is there, once for all that read the same four; what it goes on from
// itself it keeps in one. Two that remain are dearer as four than one by one, and stay as they are.
#include "vm/tape_draft.h"

#include <string.h>

typedef struct Kind
{
    uint8_t operands;     // rows that are read, those of x and y
    bool keeps, partner;  // goes on from its own row; makes y as well
} Kind;

static bool find_kind(uint32_t op, Kind* kind)
{
    switch (op)
    {
    case TAPE_SQUARE:
    case TAPE_SQUARE_DOWN: *kind = (Kind){1, false, false}; return true;
    case TAPE_MULTIPLY: *kind = (Kind){2, false, false}; return true;
    case TAPE_ROOT:
    case TAPE_POWER: *kind = (Kind){1, true, false}; return true;
    case TAPE_DIVIDE:
    case TAPE_DERIVE:
    case TAPE_DERIVE_DOWN:
    case TAPE_OVER:
    case TAPE_OVER_DOWN: *kind = (Kind){2, true, false}; return true;
    case TAPE_WAVE:
    case TAPE_SWELL: *kind = (Kind){1, true, true}; return true;
    default: return false;
    }
}

// ---- quads
// -----------------------------------------------------------------------------------------------------------

static uint32_t find_quad(const TapeDraft* d, const uint32_t* slots)
{
    uint32_t at = d->slots.at[slots[0]].quad;
    while (at != 0 && memcmp(d->quads.at[at - 1].slot, slots, sizeof d->quads.at[at - 1].slot) != 0)
        at = d->quads.at[at - 1].next;
    return at;
}

static uint32_t add_quad(TapeDraft* d, const uint32_t* slots)
{
    TapeQuad quad = {.next = d->slots.at[slots[0]].quad};
    memcpy(quad.slot, slots, sizeof quad.slot);
    APPEND(d, quads, quad);
    d->slots.at[slots[0]].quad = d->quads.count;
    return d->quads.count;
}

// When all four are there.
static uint32_t level_after(const TapeDraft* d, const uint32_t* slots, uint32_t part)
{
    uint32_t level = 1;
    for (int i = 0; i < TAPE_LANES; i++)
        if (d->slots.at[slots[i]].part == part && d->slots.at[slots[i]].ready >= level)
            level = d->slots.at[slots[i]].ready + 1;
    return level;
}

// A quad that somebody reads: made by an operator, filled already, or to be filled.
static uint32_t read_quad(TapeDraft* d, const uint32_t* slots, uint32_t part)
{
    uint32_t quad = find_quad(d, slots);
    if (quad != 0)
        return quad - 1;
    quad = add_quad(d, slots) - 1;
    APPEND(d, order,
           (Node){.op = TAPE_FILL, .live = true, .z = quad, .part = part, .level = level_after(d, slots, part)});
    return quad;
}

// ---- groups
// ----------------------------------------------------------------------------------------------------------

static uint32_t operand(const Node* n, int i)
{
    return i == 0 ? n->x : n->y;
}

// What is read is made before the part ends in which it is read.
static bool fits(const TapeDraft* d, const Node* n)
{
    Kind kind;
    if (!find_kind(n->op, &kind) || !tape_is_straight(d, n) || n->part < PART_FIRST)
        return false;
    for (int i = 0; i < kind.operands; i++)
        if (d->slots.at[operand(n, i)].part > n->part)
            return false;
    return true;
}

static bool same_run(const Node* a, const Node* b)
{
    return a->op == b->op && a->part == b->part && a->level == b->level;
}

// Results that are read as rows by the operators themselves get their quads before anything is filled.
static void add_group(TapeDraft* d, uint32_t first, uint32_t count)
{
    const Node lead = d->order.at[first];
    uint32_t rows[2][TAPE_LANES];
    Kind kind = {0};
    find_kind(lead.op, &kind);
    TapeGroup g = {.op = lead.op};
    for (uint32_t i = 0; i < TAPE_LANES; i++)
    {
        Node* n = &d->order.at[first + (i < count ? i : count - 1)];
        g.z[i] = n->z;
        g.w[i] = kind.partner || lead.op == TAPE_POWER ? n->y : TAPE_ZERO;
        rows[0][i] = n->x;
        rows[1][i] = n->y;
        n->live = false;
    }
    if (kind.keeps)
        g.own = add_quad(d, g.z) - 1;
    if (kind.partner)
        g.y = add_quad(d, g.w) - 1;
    g.x = read_quad(d, rows[0], lead.part);
    if (kind.operands > 1)
        g.y = read_quad(d, rows[1], lead.part);
    APPEND(d, groups, g);
    APPEND(d, order,
           (Node){.op = TAPE_GROUP, .live = true, .z = d->groups.count - 1, .part = lead.part, .level = lead.level});
}

static void group_run(TapeDraft* d, uint32_t first, uint32_t count)
{
    for (; count >= TAPE_LANES - 1 && !d->failed; first += TAPE_LANES)
    {
        uint32_t taken = count < TAPE_LANES ? count : TAPE_LANES;
        add_group(d, first, taken);
        count -= taken;
    }
}

static bool is_pair(const Node* n)
{
    return n->op == TAPE_WAVE || n->op == TAPE_SWELL;
}

// A pair by itself: nobody else reads its quad.
static void add_pair(TapeDraft* d, Node* n)
{
    n->w = d->quads.count;
    APPEND(d, quads, (TapeQuad){.slot = {n->z, n->y, n->x, n->x}});
}

// After the nodes have been sorted, before they are written.
void tape_find_lanes(TapeDraft* d)
{
    uint32_t end = d->order.count, count = 0;
    for (uint32_t i = 0; i < end && !d->failed; i += count)
    {
        count = 1;
        if (!fits(d, &d->order.at[i]))
            continue;
        while (i + count < end && same_run(&d->order.at[i], &d->order.at[i + count]) &&
               fits(d, &d->order.at[i + count]))
            count++;
        group_run(d, i, count);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < end && !d->failed; i++)
        if (d->order.at[i].live && is_pair(&d->order.at[i]))
            add_pair(d, &d->order.at[i]);
    for (uint32_t i = 0; i < d->order.count; i++)
        if (d->order.at[i].live)
            d->order.at[kept++] = d->order.at[i];
    d->order.count = kept;
}
