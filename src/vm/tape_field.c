// The field of a tape: states whose derivatives are sums of such states with factors that stand still and of products
// of them, and what turns as time goes on (sine, cosine and exponential of what moves as time does, which are such
// states too, but for the name). One order of all of them is a sum of products a row, in one pass without operators:
//     x[k + 1] = (A x[k] + sums of convolutions) / (k + 1).
// What many read has a row of its own in front of the states. Everything else of the tape reads the field and is not
// read by it, so operators follow order by order, and after them the last sums of the states that do not belong to it.
//
// Where products feed nothing but integrals that nobody reads, the field is linear: its series converges everywhere,
// faster than any power, and the defect of its polynomial is its next term (`whole`).
#include "vm/convolve.h"
#include "vm/tape_draft.h"

#include <math.h>

// ---- what belongs to it
// ----------------------------------------------------------------------------------------------

static bool is_sum(const Node* n)
{
    return n->op <= TAPE_PER || n->op == TAPE_SUM;
}

static bool is_turn(const Node* n)
{
    return n->op == TAPE_TURN || n->op == TAPE_TURN_DOWN;
}

static bool is_product(const Node* n)
{
    return n->op == TAPE_MULTIPLY || n->op == TAPE_SQUARE || n->op == TAPE_SQUARE_DOWN;
}

static bool belongs(const TapeDraft* d, uint32_t slot)
{
    return d->slots.at[slot].field;
}

// The node that makes a slot, or NULL.
static const Node* maker_of(const TapeDraft* d, uint32_t slot)
{
    return d->slots.at[slot].made != NO_REG ? &d->nodes.at[d->slots.at[slot].made] : NULL;
}

// The node that turns the other of a pair.
static const Node* partner_of(const TapeDraft* d, const Node* n)
{
    const Node* other = maker_of(d, n->y);
    return other != NULL && is_turn(other) && other->y == n->z && other->x == n->x ? other : NULL;
}

static void note_ends(TapeDraft* d, const Series* s)
{
    for (uint32_t i = 0; i < d->slots.count; i++)
    {
        d->slots.at[i].ends = false;
        d->slots.at[i].made = NO_REG;
    }
    for (uint32_t i = 0; i < d->nodes.count; i++)
        if (d->nodes.at[i].live)
            d->slots.at[d->nodes.at[i].z].made = i;
    for (uint32_t i = 0; i < s->output_count; i++)
        d->slots.at[tape_moving(d, s->outputs[i])].ends = true;
}

static void mark_candidates(TapeDraft* d, const Series* s, bool products)
{
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].field = i <= TAPE_INPUT + s->input_count || d->slots.at[i].steady;
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        Node* n = &d->nodes.at[i];
        n->field = n->live && tape_is_straight(d, n) && n->part != PART_STEADY && d->slots.at[n->z].block == 0 &&
                   (is_sum(n) || (is_turn(n) && partner_of(d, n) != NULL) || (products && is_product(n)));
        d->slots.at[n->z].field |= n->field;
    }
}

// Factors stand still; what moves must belong to the field as well.
static bool reads_field(const TapeDraft* d, const Node* n)
{
    bool all = true;
    switch (n->op)
    {
    case TAPE_SUM:
        for (uint32_t k = 0; k < n->y; k++)
            all &= belongs(d, d->sums.at[n->x + k].slot);
        return all;
    case TAPE_SCALE: return belongs(d, n->y);
    case TAPE_MULTIPLY:
    case TAPE_ADD:
    case TAPE_SUBTRACT: return belongs(d, n->x) && belongs(d, n->y);
    case TAPE_TURN:
    case TAPE_TURN_DOWN: return belongs(d, n->y);
    default: return belongs(d, n->x);
    }
}

static void drop(TapeDraft* d, uint32_t slot, bool* more)
{
    *more |= d->slots.at[slot].field;
    d->slots.at[slot].field = false;
}

// From all that look linear, or are products, to those that read nothing else.
static void find_members(TapeDraft* d, const Series* s, bool products)
{
    bool more = true;
    mark_candidates(d, s, products);
    while (more)
    {
        more = false;
        for (uint32_t i = 0; i < d->nodes.count; i++)
        {
            Node* n = &d->nodes.at[i];
            if (n->live && n->part != PART_STEADY && (!n->field || !reads_field(d, n)))
                drop(d, n->z, &more);
            n->field &= belongs(d, n->z);
        }
        for (uint32_t i = 0; i < s->output_count; i++)
            if (!belongs(d, tape_moving(d, s->outputs[i])))
                drop(d, TAPE_INPUT + i, &more);
    }
}

// The last sum of a state that does not belong to the field is a row, too: one that comes after the operators.
static void mark_last_sums(TapeDraft* d, const Series* s)
{
    for (uint32_t i = 0; i < s->output_count; i++)
    {
        const SlotInfo* slot = &d->slots.at[tape_moving(d, s->outputs[i])];
        Node* n = slot->made != NO_REG ? &d->nodes.at[slot->made] : NULL;
        if (n != NULL && !n->field && slot->uses == 1 && !slot->row && slot->block == 0 && is_sum(n) &&
            n->part != PART_STEADY && tape_is_straight(d, n))
            n->field = true;
    }
}

// What operators and outputs read is there as such.
static void mark_outside(TapeDraft* d)
{
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].outside = d->slots.at[i].ends;
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        const Node* n = &d->nodes.at[i];
        if (!n->live || n->field)
            continue;
        for (int k = 0; k < 3; k++)
            if (tape_operand(n, k) != NO_REG)
                d->slots.at[tape_operand(n, k)].outside = true;
        for (uint32_t k = 0; n->op == TAPE_ROW && k < n->y; k++)
            d->slots.at[d->terms.at[n->x + k].slot].outside = true;
        for (uint32_t k = 0; n->op == TAPE_SUM && k < n->y; k++)
            d->slots.at[d->sums.at[n->x + k].slot].outside = true;
    }
}

// ---- rows
// ------------------------------------------------------------------------------------------------------------

// A product that nothing else reads is part of the sum that reads it.
static bool is_inside(const TapeDraft* d, uint32_t slot)
{
    const SlotInfo* info = &d->slots.at[slot];
    const Node* maker = maker_of(d, slot);
    return maker != NULL && maker->field && is_product(maker) && info->uses == 1 && !info->row && !info->outside;
}

static void add_term(TapeDraft* d, TapeSum from, uint32_t factor)
{
    const Node* maker = is_inside(d, from.slot) ? maker_of(d, from.slot) : NULL;
    TapeSum term = {.slot = from.slot, .first = d->factors.count};
    for (uint32_t k = 0; k < from.count; k++)
        APPEND(d, factors, d->factors.at[from.first + k]);
    if (factor != NO_REG)
        APPEND(d, factors, factor);
    if (maker != NULL)
    {
        term.slot = maker->x;
        term.by = maker->op == TAPE_MULTIPLY ? maker->y : maker->x;
        if (maker->op == TAPE_SQUARE_DOWN)
            APPEND(d, factors, TAPE_OPPOSITE);
    }
    term.count = d->factors.count - term.first;
    APPEND(d, linear, term);
}

static void add_slot(TapeDraft* d, uint32_t slot, uint32_t factor)
{
    add_term(d, (TapeSum){.slot = slot}, factor);
}

static void add_node(TapeDraft* d, const Node* n)
{
    switch (n->op)
    {
    case TAPE_SUM:
        for (uint32_t k = 0; k < n->y; k++)
            add_term(d, d->sums.at[n->x + k], NO_REG);
        break;
    case TAPE_NEGATE: add_slot(d, n->x, TAPE_OPPOSITE); break;
    case TAPE_SCALE: add_slot(d, n->y, tape_factor(n->x, false)); break;
    case TAPE_PER: add_slot(d, n->x, tape_factor(n->y, true)); break;
    case TAPE_COPY: add_slot(d, n->x, NO_REG); break;
    case TAPE_MULTIPLY:
    case TAPE_SQUARE:
    case TAPE_SQUARE_DOWN:
        APPEND(d, linear,
               (TapeSum){.slot = n->x,
                         .by = n->op == TAPE_MULTIPLY ? n->y : n->x,
                         .first = d->factors.count,
                         .count = n->op == TAPE_SQUARE_DOWN});
        APPEND(d, factors, TAPE_OPPOSITE);
        break;
    default: add_slot(d, n->x, NO_REG); add_slot(d, n->y, n->op == TAPE_SUBTRACT ? (uint32_t)TAPE_OPPOSITE : NO_REG);
    }
}

// What moves as time does comes last, products before it.
static int place_of(const TapeDraft* d, const TapeSum* term)
{
    return term->by != TAPE_ZERO ? 1 : d->slots.at[term->slot].steady ? 2 : 0;
}

static void add_row(TapeDraft* d, const Node* n, uint32_t slot, uint32_t target)
{
    uint32_t first = d->linear.count, counts[3] = {0};
    if (n != NULL)
        add_node(d, n);
    else if (slot != TAPE_ZERO)
        add_slot(d, slot, NO_REG);
    for (uint32_t i = first; i < d->linear.count && !d->failed; i++)
    {
        TapeSum term = d->linear.at[i];
        uint32_t k = i;
        for (; k > first && place_of(d, &d->linear.at[k - 1]) > place_of(d, &term); k--)
            d->linear.at[k] = d->linear.at[k - 1];
        d->linear.at[k] = term;
        counts[place_of(d, &term)]++;
    }
    APPEND(d, rows, (TapeRow){target, counts[0], counts[1], counts[1] + counts[2], 0});
}

static void push(TapeDraft* d, uint32_t slot)
{
    if (d->slots.at[slot].row)
        APPEND(d, pushes, slot);
}

static void add_turn(TapeDraft* d, const Node* n)
{
    const Node* other = partner_of(d, n);
    d->slots.at[n->z].turned = true;
    push(d, n->z);
    if (other->z < n->z)
        return;
    APPEND(d, turns,
           (TapeTurn){.z = n->z,
                      .w = n->y,
                      .angle = n->x,
                      .z_down = n->op == TAPE_TURN_DOWN,
                      .w_down = other->op == TAPE_TURN_DOWN});
}

// Whether a slot is a sum that one output reads and nothing else: its row is that of the state.
static bool is_end(const TapeDraft* d, uint32_t slot)
{
    const SlotInfo* info = &d->slots.at[slot];
    return info->uses == 1 && info->ends && maker_of(d, slot) != NULL && maker_of(d, slot)->field &&
           !is_turn(maker_of(d, slot)) && !info->row;
}

static void write_rows(TapeDraft* d, const Series* s)
{
    for (uint32_t i = TAPE_INPUT; i < TAPE_INPUT + s->input_count; i++)
        push(d, i);
    for (uint32_t i = 0; i < d->nodes.count && !d->failed; i++)
    {
        const Node* n = &d->nodes.at[i];
        if (n->field && is_turn(n))
            add_turn(d, n);
        else if (n->field && !is_end(d, n->z) && !is_inside(d, n->z))
            add_row(d, n, NO_REG, n->z);
    }
    d->field_between = d->rows.count;
    for (uint32_t i = 0; i < s->output_count && !d->failed; i++)
    {
        uint32_t slot = tape_moving(d, s->outputs[i]);
        if (belongs(d, TAPE_INPUT + i))
            add_row(d, is_end(d, slot) ? maker_of(d, slot) : NULL, slot, i);
    }
    d->field_states = d->rows.count;
    for (uint32_t i = 0; i < s->output_count && !d->failed; i++)
    {
        uint32_t slot = tape_moving(d, s->outputs[i]);
        if (!belongs(d, TAPE_INPUT + i))
            add_row(d, is_end(d, slot) ? maker_of(d, slot) : NULL, slot, i);
    }
}

// ---- the rest
// --------------------------------------------------------------------------------------------------------

// Whether all that is not linear are products, and states that nothing reads.
static bool is_whole(TapeDraft* d, const Series* s)
{
    if (d->broken)
        return false;
    for (uint32_t p = 0; p < d->parts.count; p++)
        if (d->parts.at[p].rounds != 1 || d->parts.at[p].unknowns > 0)
            return false;
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        const Node* n = &d->nodes.at[i];
        bool plain = n->part == PART_STEADY || d->slots.at[n->z].plain;
        if (n->live && !plain && !is_sum(n) && !is_product(n))
            return false;
    }
    for (uint32_t i = 0; i < s->input_count; i++)
        if (!d->slots.at[TAPE_INPUT + i].plain && d->slots.at[TAPE_INPUT + i].uses > 0)
            return false;
    return true;
}

void tape_find_field(TapeDraft* d, const Series* s)
{
    d->field_between = d->field_states = 0;
    d->whole = false;
    if (!s->closed || d->obstacle != NO_REG || d->failed)
        return;
    note_ends(d, s);
    find_members(d, s, false);
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].plain = d->slots.at[i].field;
    find_members(d, s, true);
    tape_find_rows(d);
    tape_count_uses(d, s);
    mark_last_sums(d, s);
    mark_outside(d);
    write_rows(d, s);
    d->whole = is_whole(d, s);
}

// ---- running
// ---------------------------------------------------------------------------------------------------------

// The terms of the states without products and what moves as time does. A row without terms has one of nothing.
static void fill_stream(Tape* t)
{
    TapeField* f = &t->field;
    const TapePiece* piece = f->pieces;
    TapePiece* to = f->stream;
    f->square_count = 0;
    for (uint32_t i = 0; i < f->row_count; i++)
    {
        const TapeRow* row = &f->rows[i];
        bool state = i >= f->between_count;
        if (i == f->state_count)
        {
            f->last_stream = to;
            f->last_squares = f->squares + 2 * (size_t)f->square_count;
        }
        for (uint32_t k = 0; state && k < row->count; k++)
            *to++ = (TapePiece){piece[k].factor, piece[k].x, 0};
        if (state && row->count == 0)
            *to++ = (TapePiece){0, TAPE_ZERO, 0};
        if (state)
            to[-1].y = row->target + 1;
        piece += row->count;
        for (uint32_t k = 0; state && k < row->products; k++)
        {
            f->squares[2 * f->square_count] = (uint32_t)(piece + k - f->pieces);
            f->squares[2 * f->square_count++ + 1] = row->target;
        }
        piece += row->more;
    }
    f->stream_count = (uint32_t)(to - f->stream);
    if (f->state_count == f->row_count)
    {
        f->last_stream = to;
        f->last_squares = f->squares + 2 * (size_t)f->square_count;
    }
}

void tape_field_begin(Tape* t)
{
    TapeField* f = &t->field;
    TapePiece* piece = f->pieces;
    for (uint32_t i = 0; i < f->term_count; i++)
        f->pieces[i].factor = t->sums[f->first_sum + i].factor;
    for (TapeRow *row = f->rows, *end = row + f->row_count; row < end; row++)
    {
        piece += row->count + row->products;
        row->rise = 0;
        f->rises |= row->more > row->products;
        for (uint32_t i = row->products; i < row->more; i++, piece++)
            row->rise += piece->factor * t->now[piece->x];
    }
    fill_stream(t);
    f->products = false;
    for (uint32_t i = 0; i < f->row_count; i++)
        f->products |= f->rows[i].products > 0;
    f->lean = f->turn_count + f->push_count + f->between_count + f->square_count == 0 && !f->rises;
    for (uint32_t i = 0; i < f->turn_count; i++)
    {
        TapeTurn* turn = &f->turns[i];
        double rate = t->now[turn->angle];
        turn->z_rate = turn->z_down ? -rate : rate;
        turn->w_rate = turn->w_down ? -rate : rate;
    }
    f->key = tape_field_key(t);
    f->inputs = tape_field_inputs(t);
    if (f->few != NULL)
        tape_few_fill(t);
}

static inline double product(const TapePiece* piece, const double* rows, int k)
{
    const double *x = rows + piece->x, *y = rows + piece->y;
    return piece->factor * (x == y ? square(x, k) : convolve(x, y, k, 0, k));
}

// What lies between states and derivatives, in its order.
static void run_between(const Tape* t, int k)
{
    const TapePiece* piece = t->field.pieces;
    for (const TapeRow *row = t->field.rows, *end = row + t->field.between_count; row < end; row++)
    {
        double sum = k == 1 ? row->rise : 0;
        for (uint32_t i = 0; i < row->count; i++, piece++)
            sum += piece->factor * t->now[piece->x];
        for (uint32_t i = 0; i < row->products; i++)
            sum += product(piece + i, t->rows, k);
        piece += row->more;
        t->now[row->target] = sum;
        if (t->row_of[row->target] != NO_REG)
            t->rows[t->row_of[row->target] + (uint32_t)k] = sum;
    }
}

static void add_rises(const TapeRow* row, const TapeRow* end, double* next)
{
    for (; row < end; row++)
        next[row->target] += 0.5 * row->rise;
}

static void add_products(const Tape* t, const uint32_t* at, const uint32_t* end, int k, double* next)
{
    for (double over = k + 1; at < end; at += 2)
        next[at[1]] += product(t->field.pieces + at[0], t->rows, k) / over;
}

// The sums of states are one stream: a term that ends a row says whose it is.
static inline void run_stream(const TapePiece* piece, const TapePiece* end, const double* now, int k, double* next)
{
    const double over = k + 1;
    while (piece < end)
    {
        double sum = 0;
        do
            sum += piece->factor * now[piece->x];
        while ((piece++)->y == 0);
        next[piece[-1].y - 1] = sum / over;
    }
}

static inline void run_order(const Tape* t, int k, const double* in, double* next, uint32_t states)
{
    const TapeField* f = &t->field;
    double* now = t->now;
    for (uint32_t i = 0; i < states; i++)
        now[TAPE_INPUT + i] = in[i];
    for (TapeTurn *turn = f->turns, *end = turn + f->turn_count; turn < end; turn++)
    {
        double z = now[turn->z], w = now[turn->w];
        turn->size = k == 1 ? fabs(z) + fabs(w) : turn->size;
        now[turn->z] = turn->z_rate * w / k;
        now[turn->w] = turn->w_rate * z / k;
    }
    for (const uint32_t *push = f->pushes, *end = push + 2 * (size_t)f->push_count; push < end; push += 2)
        t->rows[push[1] + (uint32_t)k] = now[push[0]];
    if (f->between_count > 0)
        run_between(t, k);
    run_stream(f->stream, f->last_stream, now, k, next);
    if (f->squares < f->last_squares)
        add_products(t, f->squares, f->last_squares, k, next);
    if (k == 1 && f->rises)
        add_rises(f->rows + f->between_count, f->rows + f->state_count, next);
}

void tape_field_run(const Tape* t, int from, int to, double* const* x, uint32_t states)
{
    const TapeField* f = &t->field;
    for (int k = from; k < to && f->lean; k++)
    {
        for (uint32_t i = 0; i < states; i++)
            t->now[TAPE_INPUT + i] = x[k][i];
        run_stream(f->stream, f->last_stream, t->now, k, x[k + 1]);
    }
    for (int k = from; k < to && !f->lean; k++)
        run_order(t, k, x[k], x[k + 1], states);
}

void tape_field_end(const Tape* t, int k, double* next)
{
    const TapeField* f = &t->field;
    run_stream(f->last_stream, f->stream + f->stream_count, t->now, k, next);
    if (f->last_squares < f->squares + 2 * (size_t)f->square_count)
        add_products(t, f->last_squares, f->squares + 2 * (size_t)f->square_count, k, next);
    if (k == 1 && f->rises)
        add_rises(f->rows + f->state_count, f->rows + f->row_count, next);
}
