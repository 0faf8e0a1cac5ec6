// The order of a tape: what the outputs need, which orders are not 0 by structure, and the operators as words. Straight
// code is sorted by level and operator, so that the dispatch is paid once a run.
#include "vm/tape_draft.h"

#include "model/code.h"

#include <stdlib.h>

// ---- what is needed
// --------------------------------------------------------------------------------------------------

static bool is_convolution(uint32_t op)
{
    return op >= TAPE_MULTIPLY && op <= TAPE_COMPOSE;
}

// A pair keeps what it needs in a quad.
static bool is_pair(uint32_t op)
{
    return op == TAPE_WAVE || op == TAPE_SWELL;
}

// Whether operand i is read in its row; the exponent of a power is a number.
static bool reads_row(const Node* n, int i)
{
    return is_convolution(n->op) && !is_pair(n->op) && !(n->op == TAPE_POWER && i == 1);
}

// Whether operand i is read at the order in work; rows of w (and of z itself) end before it.
static bool reads_now(const Node* n, int i)
{
    switch (n->op)
    {
    case TAPE_DERIVE:
    case TAPE_DERIVE_DOWN:
    case TAPE_TURN:
    case TAPE_TURN_DOWN:
    case TAPE_OVER:
    case TAPE_OVER_DOWN: return i == 0;
    case TAPE_ANGLE: return i < 2;
    default: return true;
    }
}

static void keep(TapeDraft* d, uint32_t slot, bool* more)
{
    *more |= !d->slots.at[slot].live;
    d->slots.at[slot].live = true;
}

void tape_find_live(TapeDraft* d, const Series* s)
{
    bool more = false;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        d->nodes.at[i].live = false;
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].live = false;
    for (uint32_t i = 0; i < s->output_count; i++)
        keep(d, tape_moving(d, s->outputs[i]), &more);
    for (uint32_t p = 0; p < d->parts.count; p++)
        for (uint32_t i = 0; i < 2 * d->parts.at[p].unknowns; i++)
            keep(d, d->loops.at[d->parts.at[p].first + i], &more);
    do
    {
        more = false;
        for (uint32_t i = d->nodes.count; i-- > 0;)
        {
            Node* n = &d->nodes.at[i];
            if (n->live || !d->slots.at[n->z].live)
                continue;
            n->live = true;
            for (int k = 0; k < 3; k++)
                if (tape_operand(n, k) != NO_REG)
                    keep(d, tape_operand(n, k), &more);
            for (uint32_t k = 0; n->op == TAPE_ROW && k < n->y; k++)
                keep(d, d->terms.at[n->x + k].slot, &more);
            for (uint32_t k = 0; n->op == TAPE_SUM && k < n->y; k++)
            {
                const TapeSum* term = &d->sums.at[n->x + k];
                keep(d, term->slot, &more);
                for (uint32_t f = 0; f < term->count; f++)
                    keep(d, tape_factor_slot(d->factors.at[term->first + f]), &more);
            }
        }
    } while (more);
    tape_find_rows(d);
}

static bool writes_row(const Node* n)
{
    return (is_convolution(n->op) && !is_pair(n->op)) || n->op == TAPE_GIVEN;
}

static void mark_rows(TapeDraft* d, const Node* n)
{
    bool turns = n->field && (n->op == TAPE_TURN || n->op == TAPE_TURN_DOWN);
    for (int k = 0; n->live && !turns && k < 3; k++)
        if (tape_operand(n, k) != NO_REG && reads_row(n, k))
            d->slots.at[tape_operand(n, k)].row = true;
    if (n->live && !n->field && writes_row(n))
        d->slots.at[n->z].row = true;
}

// Whether order 0 has to bring a slot more than a register has.
static bool is_brought(const SlotInfo* s)
{
    return s->row || s->first || s->turned || s->constant;
}

// Those of which others are made at order 0: what is made later reads what is made before.
static void mark_firsts(TapeDraft* d)
{
    for (uint32_t i = 0; i < d->quads.count; i++)
        for (int k = 0; k < TAPE_LANES; k++)
            d->slots.at[d->quads.at[i].slot[k]].first = true;
    for (uint32_t i = d->loads.count; i-- > 0;)
    {
        const TapeLoad* load = &d->loads.at[i];
        const SlotInfo* slot = &d->slots.at[load->slot];
        if (load->first < FIRST_SIN || load->first > FIRST_PRODUCT || !is_brought(slot))
            continue;
        d->slots.at[load->x].first = true;
        if (load->first >= FIRST_SUM)
            d->slots.at[load->y].first = true;
    }
}

void tape_find_rows(TapeDraft* d)
{
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].row = d->slots.at[i].first = false;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        mark_rows(d, &d->nodes.at[i]);
}

// As they are when operators have been laid out: groups have no rows.
static void find_rows_again(TapeDraft* d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].row = d->slots.at[i].first = false;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        if (d->nodes.at[i].field)
            mark_rows(d, &d->nodes.at[i]);
    for (uint32_t i = 0; i < d->order.count; i++)
        mark_rows(d, &d->order.at[i]);
    for (uint32_t i = 0; i < d->pushes.count; i++)
        if (d->slots.at[d->pushes.at[i]].row)
            d->pushes.at[kept++] = d->pushes.at[i];
    d->pushes.count = kept;
    mark_firsts(d);
}

// ---- degrees
// ---------------------------------------------------------------------------------------------------------

static int degree_of(const TapeDraft* d, const Node* n)
{
    int x = 0, most = 0;
    for (int k = 0; k < 3; k++)
        if (tape_operand(n, k) != NO_REG)
        {
            int degree = d->slots.at[tape_operand(n, k)].degree;
            x = k == 0 ? degree : x;
            most = degree > most ? degree : most;
        }
    switch (n->op)
    {
    case TAPE_MULTIPLY: return x + d->slots.at[n->y].degree;
    case TAPE_SQUARE:
    case TAPE_SQUARE_DOWN: return 2 * x;
    case TAPE_GIVEN: return SERIES_ENDLESS;
    case TAPE_ROW:
        for (uint32_t k = 0; k < n->y; k++)
        {
            int degree = d->slots.at[d->terms.at[n->x + k].slot].degree;
            most = degree > most ? degree : most;
        }
        return most;
    case TAPE_SUM:
        for (uint32_t k = 0; k < n->y; k++)
        {
            int degree = d->slots.at[d->sums.at[n->x + k].slot].degree;
            most = degree > most ? degree : most;
        }
        return most;
    default: return is_convolution(n->op) && most > 0 ? SERIES_ENDLESS : most;
    }
}

// The input whose derivative stands in this register, of a closed system of states; NO_REG: none.
static uint32_t input_of(const TapeDraft* d, const Series* s, uint32_t reg)
{
    uint32_t state = reg - d->model->reg_first[REG_DERIV];
    uint32_t input = state < d->model->state_count ? d->model->state_slots[state] : NO_REG;
    return input < s->output_count && s->outputs[input] == reg ? input : NO_REG;
}

static bool moves_nothing(const kaiModel* model, const CodeItem* item, const uint32_t* regs)
{
    if (item->op != VM_MOVE || item->stride != 2)
        return false;
    uint32_t place = regs[1] - model->reg_first[REG_CONST];
    return place < model->constants_count && model->constants[place] == 0;
}

// States whose derivative is 0 as it is written do not move: what follows from them is a degree lower.
static void find_still(TapeDraft* d, const Series* s)
{
    const uint32_t count = (uint32_t)(s->end - s->code);
    CodeItem item;
    for (uint32_t at = 0; at < count && code_item(s->code, at, count, &item); at += item.words)
        for (uint32_t i = 0; i<item.reg_count; i += item.stride> 0 ? item.stride : 1)
        {
            const uint32_t* regs = s->code + item.first_reg + i;
            uint32_t input = input_of(d, s, regs[0]);
            if (input == NO_REG)
                continue;
            SlotInfo* slot = &d->slots.at[TAPE_INPUT + input];
            slot->still = !slot->driven && moves_nothing(d->model, &item, regs);
            slot->driven = !slot->still;
        }
}

// Degrees grow from 0 until they settle or are beyond all orders. Loops of Newton's method never end.
int tape_find_degree(TapeDraft* d, const Series* s)
{
    bool more = true;
    int most = 0;
    for (uint32_t p = 0; p < d->parts.count; p++)
        if (d->parts.at[p].unknowns > 0 || d->broken)
            return SERIES_ENDLESS;
    d->slots.at[d->time_slot].degree = 1;
    if (s->closed)
        find_still(d, s);
    for (uint32_t i = 0; i < s->input_count && !s->closed; i++)
        d->slots.at[TAPE_INPUT + i].degree = 1;
    while (more)
    {
        more = false;
        for (uint32_t i = 0; i < d->nodes.count; i++)
        {
            SlotInfo* z = &d->slots.at[d->nodes.at[i].z];
            int degree = d->nodes.at[i].live ? degree_of(d, &d->nodes.at[i]) : 0;
            more |= degree > z->degree;
            z->degree = degree > z->degree ? degree : z->degree;
            if (z->degree >= SERIES_TERMS)
                return SERIES_ENDLESS;
        }
        for (uint32_t i = 0; i < s->output_count; i++)
        {
            SlotInfo* out = &d->slots.at[tape_moving(d, s->outputs[i])];
            int degree = out->degree + (s->closed && !d->slots.at[TAPE_INPUT + i].still ? 1 : 0);
            most = degree > most ? degree : most;
            if (s->closed && degree > d->slots.at[TAPE_INPUT + i].degree)
            {
                d->slots.at[TAPE_INPUT + i].degree = degree;
                more = true;
            }
        }
        if (most >= SERIES_TERMS)
            return SERIES_ENDLESS;
    }
    return s->closed && most == 0 ? 1 : most;
}

// ---- layout
// ----------------------------------------------------------------------------------------------------------

static bool is_slope(uint32_t op)
{
    return op == TAPE_DERIVE || op == TAPE_DERIVE_DOWN;
}

// The level after which a node can run.
static uint32_t level_of(const TapeDraft* d, const Node* n)
{
    uint32_t level = 0;
    for (int k = 0; k < 3; k++)
    {
        uint32_t slot = tape_operand(n, k);
        if (slot == NO_REG || !reads_now(n, k))
            continue;
        level = d->slots.at[slot].ready > level ? d->slots.at[slot].ready : level;
    }
    for (uint32_t k = 0; n->op == TAPE_ROW && k < n->y; k++)
    {
        uint32_t at = d->slots.at[d->terms.at[n->x + k].slot].ready;
        level = at > level ? at : level;
    }
    for (uint32_t k = 0; n->op == TAPE_SUM && k < n->y; k++)
    {
        uint32_t at = d->slots.at[d->sums.at[n->x + k].slot].ready;
        level = at > level ? at : level;
    }
    return level + 1;
}

// In straight parts nodes may be moved by level, in loops they stay as they are, with room for a push after each.
static void place_nodes(TapeDraft* d)
{
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        Node n = d->nodes.at[i];
        if (!n.live || n.field)
            continue;
        n.level = tape_is_straight(d, &n) ? level_of(d, &n) : 2 * d->order.count + 2;
        d->slots.at[n.z].part = n.part;
        d->slots.at[n.z].ready = n.level;
        APPEND(d, order, n);
    }
}

// Two that are each other's derivative are one operator: z is the one that follows the other up.
static void join_pairs(TapeDraft* d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->order.count; i++)
    {
        Node* n = &d->order.at[i];
        Node* before = count > 0 ? &d->order.at[count - 1] : NULL;
        bool joins = before != NULL && tape_is_straight(d, n) && is_slope(n->op) && is_slope(before->op) &&
                     before->x == n->x && before->y == n->z && n->y == before->z && before->z != n->z &&
                     before->x != n->z && before->x != before->z && before->part == n->part &&
                     before->level == n->level && !(before->op == TAPE_DERIVE_DOWN && n->op == TAPE_DERIVE_DOWN);
        if (!joins)
        {
            d->order.at[count++] = *n;
            continue;
        }
        TapeOp op = before->op == n->op ? TAPE_SWELL : TAPE_WAVE;
        if (before->op == TAPE_DERIVE_DOWN)
            *before = *n;
        before->op = (uint8_t)op;
    }
    d->order.count = count;
}

static void push(TapeDraft* d, uint32_t slot, uint32_t part, uint32_t level)
{
    if (d->slots.at[slot].row)
        APPEND(d, order, (Node){.op = TAPE_PUSH, .z = slot, .x = NO_REG, .part = part, .level = level, .live = true});
}

// Rows of what does not write its own. Within a level they come before what reads them.
static void place_pushes(TapeDraft* d, const Series* s)
{
    uint32_t count = d->order.count;
    for (uint32_t i = TAPE_INPUT; i < TAPE_INPUT + s->input_count && !s->closed; i++)
        push(d, i, PART_PUSHES, 1);
    push(d, d->time_slot, PART_STEADY, 1);
    for (uint32_t i = 0; i < count && !d->failed; i++)
    {
        const Node n = d->order.at[i];
        const TapeGroup* g = n.op == TAPE_GROUP ? &d->groups.at[n.z] : NULL;
        bool pairs = g != NULL && is_pair(g->op);
        for (int k = 0; g != NULL && k < TAPE_LANES; k++)
        {
            push(d, g->z[k], n.part, n.level + 1);
            if (pairs)
                push(d, g->w[k], n.part, n.level + 1);
        }
        if (g == NULL && n.op != TAPE_FILL && !writes_row(&n))
            push(d, n.z, n.part, n.level + 1);
        if (is_pair(n.op))
            push(d, n.y, n.part, n.level + 1);
    }
}

static int compare_nodes(const void* a, const void* b)
{
    const Node *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->z > y->z) - (x->z < y->z);
}

static const uint8_t op_words[] = {
#define X(name, words) words,
    TAPE_OPS(X)
#undef X
};

static void write_words(TapeDraft* d)
{
    uint32_t at = 0;
    for (uint32_t p = 0; p < d->parts.count; p++)
    {
        const PartInfo* info = &d->parts.at[p];
        TapePart part = {d->words.count, 0, info->rounds, info->unknowns, info->first, 0, SERIES_TERMS};
        if (p == PART_STEADY)
            part.last = STEADY_LAST;
        while (at < d->order.count && d->order.at[at].part == p)
        {
            uint32_t head = d->words.count, op = d->order.at[at].op, count = 0;
            APPEND(d, words, op);
            for (; at < d->order.count && d->order.at[at].part == p && d->order.at[at].op == op; at++, count++)
            {
                const Node* n = &d->order.at[at];
                const uint32_t words[] = {n->z, n->x, n->y, is_pair(op) ? tape_lane_place(n->w) : n->w};
                for (int k = 0; k < op_words[op]; k++)
                    APPEND(d, words, words[k]);
            }
            if (!d->failed)
                d->words.at[head] |= count << 8;
        }
        part.end = d->words.count;
        if (part.end > part.start || part.unknowns > 0)
            APPEND(d, made, part);
    }
}

// What order 0 brings: constants and rows with a register first, then the hidden ones, which are made of them.
static void write_loads(TapeDraft* d)
{
    uint32_t own = d->loads.count, kept = 0;
    for (int constants = 1; constants >= 0; constants--)
    {
        for (uint32_t i = 1; i < d->slots.count; i++)
        {
            const SlotInfo* s = &d->slots.at[i];
            if (s->reg != NO_REG && (s->live || s->first) && s->constant == constants && is_brought(s))
                APPEND(d, loads, (TapeLoad){.first = FIRST_REGISTER, .slot = i, .x = s->reg});
        }
        d->constants = constants ? d->loads.count - own : d->constants;
    }
    for (uint32_t i = 0; i < own && !d->failed; i++)
    {
        TapeLoad load = d->loads.at[i];
        const SlotInfo* s = &d->slots.at[load.slot];
        if ((s->live || s->first) && is_brought(s))
            APPEND(d, loads, load);
    }
    for (uint32_t i = own; i < d->loads.count && !d->failed; i++)
        d->loads.at[kept++] = d->loads.at[i];
    d->loads.count = kept;
}

static void sort_nodes(TapeDraft* d)
{
    if (d->order.count > 0)
        qsort(d->order.at, d->order.count, sizeof *d->order.at, compare_nodes);
}

void tape_lay_out(TapeDraft* d, const Series* s)
{
    place_nodes(d);
    join_pairs(d);
    sort_nodes(d);
    tape_find_lanes(d);
    find_rows_again(d);
    place_pushes(d, s);
    sort_nodes(d);
    write_words(d);
    write_loads(d);
}
