// What is the same on a tape is made once: an operator with the operands of another is a copy of it, a difference the
// other way round is its opposite. Numbers that stand still are taken out of products, c x · y = c (x · y), where the
// sums that read them have a place for them (tape_sums.c). So the forces of two bodies on each other, and those in
// both directions of the plane, are one power and two products.
//
// A value and its operators are compared with all their coefficients, that of order 0 too: what adds a number that
// stands still (`offset`) is not the same as what it adds to.
#include "vm/tape_draft.h"

enum
{
    FACTORS_MOST = 4  // that a product takes out
};

// ---- what has been met
// -----------------------------------------------------------------------------------------------

static uint32_t mix(uint32_t h, uint32_t word)
{
    h = (h ^ word) * 0x9e3779b1u;
    return h ^ (h >> 15);
}

static bool make_table(TapeDraft* d)
{
    uint32_t size = 16;
    while (size < 2 * d->nodes.count)
        size *= 2;
    d->table.count = 0;
    for (uint32_t i = 0; i < size && !d->failed; i++)
        APPEND(d, table, NO_REG);
    return !d->failed;
}

// Where the node with these operands is in the table, or the empty place where it would be.
static uint32_t place_of(const TapeDraft* d, const Node* n)
{
    uint32_t mask = d->table.count - 1, at = mix(mix(mix(mix(7, n->op), n->x), n->y), n->w) & mask;
    for (; d->table.at[at] != NO_REG; at = (at + 1) & mask)
    {
        const Node* other = &d->nodes.at[d->table.at[at]];
        if (other->op == n->op && other->x == n->x && other->y == n->y && other->w == n->w)
            break;
    }
    return at;
}

// The slot that it makes, or NO_REG.
static uint32_t find(const TapeDraft* d, const Node* n)
{
    uint32_t at = place_of(d, n);
    return d->table.at[at] != NO_REG ? d->nodes.at[d->table.at[at]].z : NO_REG;
}

static void keep_node(TapeDraft* d, Node n)
{
    APPEND(d, nodes, n);
}

static void keep_first(TapeDraft* d, Node n)
{
    d->table.at[place_of(d, &n)] = d->nodes.count;
    keep_node(d, n);
}

// ---- multiples
// -------------------------------------------------------------------------------------------------------

// A slot as a multiple of another, which is none itself.
static TapeSum multiple_of(const TapeDraft* d, uint32_t slot)
{
    const SlotInfo* info = &d->slots.at[slot];
    return info->multiple.slot != TAPE_ZERO ? info->multiple : (TapeSum){.slot = slot};
}

static uint32_t alias_of(const TapeDraft* d, uint32_t slot)
{
    TapeSum m = multiple_of(d, slot);
    return m.count == 0 ? m.slot : slot;
}

static void copy_factors(TapeDraft* d, const TapeSum* from)
{
    for (uint32_t i = 0; i < from->count; i++)
        APPEND(d, factors, d->factors.at[from->first + i]);
}

static void set_multiple(TapeDraft* d, uint32_t z, uint32_t of, uint32_t factor)
{
    TapeSum m = multiple_of(d, of), out = {.slot = m.slot, .first = d->factors.count};
    if (m.slot == TAPE_ZERO || (m.count >= FACTORS_MOST && factor != NO_REG))
        return;
    copy_factors(d, &m);
    if (factor != NO_REG)
        APPEND(d, factors, factor);
    out.count = d->factors.count - out.first;
    if (out.count == 2 && factor == TAPE_OPPOSITE && d->factors.at[out.first] == TAPE_OPPOSITE)
        out.count = 0;
    d->slots.at[z].multiple = out;
}

// z is a slot that is there, or its opposite.
static void keep_copy(TapeDraft* d, Node n, uint32_t of, bool opposite)
{
    n.op = opposite ? TAPE_NEGATE : TAPE_COPY;
    n.x = of;
    n.y = n.w = NO_REG;
    set_multiple(d, n.z, of, opposite ? (uint32_t)TAPE_OPPOSITE : NO_REG);
    keep_node(d, n);
}

// ---- operators
// -------------------------------------------------------------------------------------------------------

static void keep_scaled(TapeDraft* d, Node n)
{
    uint32_t of = n.op == TAPE_SCALE ? n.y : n.x;
    uint32_t factor = n.op == TAPE_NEGATE  ? (uint32_t)TAPE_OPPOSITE
                      : n.op == TAPE_SCALE ? tape_factor(n.x, false)
                      : n.op == TAPE_PER   ? tape_factor(n.y, true)
                                           : NO_REG;
    if (!n.offset)
        set_multiple(d, n.z, of, factor);
    keep_node(d, n);
}

static Node swapped(Node n)
{
    uint32_t x = n.x;
    n.x = n.y;
    n.y = x;
    return n;
}

static void keep_sum(TapeDraft* d, Node n)
{
    n.x = alias_of(d, n.x);
    n.y = alias_of(d, n.y);
    Node other = swapped(n);
    uint32_t same = find(d, &n), turned = find(d, &other);
    if (same != NO_REG)
        keep_copy(d, n, same, false);
    else if (turned != NO_REG)
        keep_copy(d, n, turned, n.op == TAPE_SUBTRACT);
    else
        keep_first(d, n);
}

static void keep_found(TapeDraft* d, Node n)
{
    uint32_t there = find(d, &n);
    if (there == NO_REG)
        keep_first(d, n);
    else
        keep_copy(d, n, there, false);
}

// z = factors · made, as a sum with one term.
static void keep_term(TapeDraft* d, Node n, uint32_t made, const TapeSum* x, const TapeSum* y)
{
    TapeSum term = {.slot = made, .first = d->factors.count};
    copy_factors(d, x);
    copy_factors(d, y);
    term.count = d->factors.count - term.first;
    n.op = TAPE_SUM;
    n.x = d->sums.count;
    n.y = 1;
    APPEND(d, sums, term);
    if (term.count <= FACTORS_MOST)
        d->slots.at[n.z].multiple = term;
    keep_node(d, n);
}

static bool is_opposite(const TapeDraft* d, const TapeSum* m)
{
    return m->count == 1 && d->factors.at[m->first] == TAPE_OPPOSITE;
}

// The product of what the operands are multiples of.
static Node bare_product(const TapeDraft* d, Node n, TapeSum* x, TapeSum* y)
{
    *x = multiple_of(d, n.x);
    *y = n.op == TAPE_SQUARE ? *x : multiple_of(d, n.y);
    if (is_opposite(d, x) && is_opposite(d, y))
        x->count = y->count = 0;
    n.x = x->slot < y->slot ? x->slot : y->slot;
    n.y = x->slot < y->slot ? y->slot : x->slot;
    n.op = n.x == n.y ? TAPE_SQUARE : TAPE_MULTIPLY;
    n.y = n.x == n.y ? NO_REG : n.y;
    return n;
}

static void keep_product(TapeDraft* d, Node n)
{
    TapeSum x, y;
    Node product = bare_product(d, n, &x, &y);
    bool bare = x.count + y.count == 0;
    uint32_t there = find(d, &product);
    if (there == NO_REG && bare)
    {
        keep_first(d, product);
        return;
    }
    if (there == NO_REG)
    {
        TapeFirst first = product.op == TAPE_SQUARE ? FIRST_SQUARE : FIRST_PRODUCT;
        product.z = there = tape_add_slot(d, NO_REG, false);
        APPEND(d, loads, (TapeLoad){.first = (uint8_t)first, .slot = there, .x = x.slot, .y = y.slot});
        keep_first(d, product);
    }
    if (bare)
        keep_copy(d, n, there, false);
    else
        keep_term(d, n, there, &x, &y);
}

static void keep(TapeDraft* d, Node n)
{
    if (!n.live || !tape_is_straight(d, &n) || d->slots.at[n.z].block != 0)
    {
        keep_node(d, n);
        return;
    }
    switch (n.op)
    {
    case TAPE_COPY:
    case TAPE_NEGATE:
    case TAPE_SCALE:
    case TAPE_PER: keep_scaled(d, n); break;
    case TAPE_ADD:
    case TAPE_SUBTRACT: keep_sum(d, n); break;
    case TAPE_MULTIPLY:
    case TAPE_SQUARE: keep_product(d, n); break;
    case TAPE_DIVIDE:
        n.x = alias_of(d, n.x);
        n.y = alias_of(d, n.y);
        keep_found(d, n);
        break;
    case TAPE_ROOT:
    case TAPE_POWER:
        n.x = alias_of(d, n.x);
        keep_found(d, n);
        break;
    default: keep_node(d, n);
    }
}

void tape_find_same(TapeDraft* d)
{
    if (!make_table(d))
        return;
    d->order.count = 0;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        APPEND(d, order, d->nodes.at[i]);
    d->nodes.count = 0;
    for (uint32_t i = 0; i < d->order.count && !d->failed; i++)
        keep(d, d->order.at[i]);
    d->order.count = 0;
}
