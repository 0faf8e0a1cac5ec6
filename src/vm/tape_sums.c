// Sums on a tape: what is added, taken away, turned round and scaled by numbers that stand still is one sum of the
// slots that move, with factors that are made once at order 0. A linear field costs a product a term and order then,
// instead of an operator for each sign of its text. What many read stays a slot of its own, unless it is a single term.
//
// Sine and cosine of what moves as time does are turned by one product each instead of a convolution.
#include "vm/tape_draft.h"

enum
{
    TERMS_MOST = 12,   // of a sum
    FACTORS_MOST = 8,  // of a term
};

static void use(TapeDraft* d, uint32_t slot)
{
    d->slots.at[slot].uses++;
}

void tape_count_uses(TapeDraft* d, const Series* s)
{
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].uses = 0;
    for (uint32_t i = 0; i < s->output_count; i++)
        if (d->space->slot_of[s->outputs[i]] != NO_REG)
            use(d, d->space->slot_of[s->outputs[i]]);
    for (uint32_t p = 0; p < d->parts.count; p++)
        for (uint32_t i = 0; i < 2 * d->parts.at[p].unknowns; i++)
            use(d, d->loops.at[d->parts.at[p].first + i]);
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        const Node* n = &d->nodes.at[i];
        for (int k = 0; n->live && k < 3; k++)
            if (tape_operand(n, k) != NO_REG)
                use(d, tape_operand(n, k));
        for (uint32_t k = 0; n->live && n->op == TAPE_ROW && k < n->y; k++)
            use(d, d->terms.at[n->x + k].slot);
        for (uint32_t k = 0; n->live && n->op == TAPE_SUM && k < n->y; k++)
            use(d, d->sums.at[n->x + k].slot);
    }
}

static bool is_linear(const TapeDraft* d, const Node* n)
{
    return (n->op <= TAPE_PER || n->op == TAPE_SUM) && tape_is_straight(d, n) && d->slots.at[n->z].block == 0;
}

static void append_term(TapeDraft* d, const TapeSum* from, const TapeSum* times, uint32_t factor)
{
    TapeSum term = {.slot = from->slot, .first = d->factors.count};
    for (uint32_t k = 0; k < from->count; k++)
        APPEND(d, factors, d->factors.at[from->first + k]);
    for (uint32_t k = 0; k < times->count; k++)
        APPEND(d, factors, d->factors.at[times->first + k]);
    if (factor != NO_REG)
        APPEND(d, factors, factor);
    term.count = d->factors.count - term.first;
    APPEND(d, sums, term);
}

// Adds the terms of what a term has, each times its factors and another (NO_REG: 1). True: the slot is not needed.
static bool add_terms(TapeDraft* d, TapeSum times, uint32_t factor)
{
    const SlotInfo info = d->slots.at[times.slot];
    bool folds = info.sum_count > 0 && ((info.uses == 1 && !info.row) || info.sum_count == 1);
    for (uint32_t i = 0; folds && i < info.sum_count; i++)
        folds = d->sums.at[info.first_sum + i].count + times.count < FACTORS_MOST;
    const TapeSum itself = {.slot = times.slot};
    for (uint32_t i = 0; i < (folds ? info.sum_count : 1); i++)
    {
        TapeSum from = folds ? d->sums.at[info.first_sum + i] : itself;
        append_term(d, &from, &times, factor);
    }
    return folds;
}

static bool add_operand(TapeDraft* d, uint32_t slot, uint32_t factor)
{
    return add_terms(d, (TapeSum){.slot = slot}, factor);
}

// The terms of a linear operator. True: they stand for more than the operator itself.
static bool add_node(TapeDraft* d, const Node* n)
{
    bool folds;
    switch (n->op)
    {
    case TAPE_NEGATE: return add_operand(d, n->x, TAPE_OPPOSITE);
    case TAPE_SCALE: return add_operand(d, n->y, tape_factor(n->x, false));
    case TAPE_PER: return add_operand(d, n->x, tape_factor(n->y, true));
    case TAPE_COPY: return add_operand(d, n->x, NO_REG);
    case TAPE_SUM:  // from tape_same.c, or a row
        for (uint32_t k = 0; k < n->y; k++)
            add_terms(d, d->sums.at[n->x + k], NO_REG);
        return true;
    default: folds = add_operand(d, n->x, NO_REG);
    }
    return add_operand(d, n->y, n->op == TAPE_SUBTRACT ? (uint32_t)TAPE_OPPOSITE : NO_REG) || folds;
}

// Its terms come behind those of the nodes before it (tape_keep_sums).
static void put_last(TapeDraft* d, Node* n)
{
    uint32_t first = d->sums.count;
    for (uint32_t k = 0; k < n->y; k++)
    {
        TapeSum term = d->sums.at[n->x + k];
        APPEND(d, sums, term);
    }
    n->x = first;
}

static void fold(TapeDraft* d, Node* n)
{
    SlotInfo* z = &d->slots.at[n->z];
    uint32_t first = d->sums.count, factors = d->factors.count;
    bool folds = add_node(d, n);
    if (d->sums.count - first > TERMS_MOST)
    {
        d->sums.count = first;
        d->factors.count = factors;
        if (n->op == TAPE_SUM)
            put_last(d, n);
        return;
    }
    z->first_sum = first;
    z->sum_count = d->sums.count - first;
    if (!folds)
        return;
    n->op = TAPE_SUM;
    n->x = z->first_sum;
    n->y = z->sum_count;
    n->w = NO_REG;
}

// Whether the result moves as time does: order 1 is all it has.
static bool is_steady(const TapeDraft* d, const Node* n)
{
    if (!is_linear(d, n) || n->op == TAPE_SUM)
        return false;
    bool x = n->op == TAPE_SCALE || d->slots.at[n->x].steady;
    bool two = n->op == TAPE_ADD || n->op == TAPE_SUBTRACT || n->op == TAPE_SCALE;
    return x && (!two || d->slots.at[n->y].steady);
}

static void turn(TapeDraft* d, Node* n)
{
    bool turns = (n->op == TAPE_DERIVE || n->op == TAPE_DERIVE_DOWN) && n->x != n->z && d->slots.at[n->x].steady;
    if (turns && tape_is_straight(d, n))
        n->op = n->op == TAPE_DERIVE ? TAPE_TURN : TAPE_TURN_DOWN;
}

// Only the terms of operators that have become sums are needed, and those of the field, which come last.
void tape_keep_sums(TapeDraft* d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        Node* n = &d->nodes.at[i];
        if (!n->live || n->field || n->op != TAPE_SUM)
            continue;
        for (uint32_t k = 0; k < n->y; k++)  // in the order of the nodes, so never over what is still to come
            d->sums.at[count + k] = d->sums.at[n->x + k];
        n->x = count;
        count += n->y;
    }
    d->sums.count = d->field_sums = count;
    for (uint32_t i = 0; i < d->linear.count; i++)
        APPEND(d, sums, d->linear.at[i]);
}

// The same for rows of maps: a guard of a circuit reads one of hundreds.
void tape_keep_terms(TapeDraft* d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        Node* n = &d->nodes.at[i];
        if (!n->live || n->op != TAPE_ROW)
            continue;
        for (uint32_t k = 0; k < n->y; k++)
            d->terms.at[count + k] = d->terms.at[n->x + k];
        n->x = count;
        count += n->y;
    }
    d->terms.count = count;
}

void tape_fold_sums(TapeDraft* d, const Series* s)
{
    tape_count_uses(d, s);
    d->slots.at[d->time_slot].steady = d->slots.at[TAPE_ZERO].steady = true;
    for (uint32_t i = 0; i < d->nodes.count && !d->failed; i++)
    {
        Node* n = &d->nodes.at[i];
        if (!n->live)
            continue;
        d->slots.at[n->z].steady = is_steady(d, n);
        if (d->slots.at[n->z].steady)
            n->part = PART_STEADY;
        turn(d, n);
        if (is_linear(d, n))
            fold(d, n);
        else if (n->op == TAPE_SUM)
            put_last(d, n);
    }
}
