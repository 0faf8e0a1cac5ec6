// Makes tapes (tape.h): walks the code along the path that the modes of the moment take, keeps what moves, and says
// what each operator is for power series: linear, a convolution, or a recurrence through its derivative.
//
// Every write of a register makes a slot of its own, but inside loops, where a register may be read before it is
// written: there it has one slot, and the block is repeated until all is settled. Straight code is sorted by level and
// operator, so that the dispatch is paid once a run.
#include "vm/tape_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void* tape_draft_grown(TapeDraft* d, void* at, uint32_t* capacity, size_t size)
{
    kaiAllocator a = d->space->allocator;
    uint32_t next = *capacity < 32 ? 32 : 2 * *capacity;
    void* made = a.alloc(a.user, at, *capacity * size, next * size);
    if (made == NULL)
        d->failed = true;
    else
        *capacity = next;
    return made;
}

struct TapeDraft* tape_draft_create(SeriesSpace* space)
{
    kaiAllocator a = space->allocator;
    TapeDraft* d = a.alloc(a.user, NULL, 0, sizeof *d);
    if (d != NULL)
    {
        memset(d, 0, sizeof *d);
        d->space = space;
        d->model = space->model;
    }
    return d;
}

void tape_draft_free(SeriesSpace* space)
{
    TapeDraft* d = space->draft;
    kaiAllocator a = space->allocator;
    if (d == NULL)
        return;
#define X(type, name)                                                                                                  \
    if (d->name.at != NULL)                                                                                            \
        a.alloc(a.user, d->name.at, d->name.capacity * sizeof(type), 0);
    DRAFT_LISTS(X)
#undef X
    a.alloc(a.user, d, sizeof *d, 0);
}

// ---- slots
// -----------------------------------------------------------------------------------------------------------

static uint32_t add_slot(TapeDraft* d, uint32_t reg, bool constant)
{
    uint32_t slot = d->slots.count;
    APPEND(d, slots, (SlotInfo){.reg = reg, .constant = constant, .block = d->block, .degree = 0});
    return d->failed ? 0 : slot;
}

static bool moves(const TapeDraft* d, uint32_t reg)
{
    return d->space->slot_of[reg] != NO_REG;
}

// What a register moves by: nothing if it stands still.
static uint32_t moving(const TapeDraft* d, uint32_t reg)
{
    return moves(d, reg) ? d->space->slot_of[reg] : TAPE_ZERO;
}

static uint32_t constant(TapeDraft* d, uint32_t reg)
{
    uint32_t* slot = &d->space->constant_of[reg];
    if (*slot == NO_REG)
        *slot = add_slot(d, reg, true);
    return *slot;
}

// For a convolution: also a constant has a row.
static uint32_t either(TapeDraft* d, uint32_t reg)
{
    return moves(d, reg) ? d->space->slot_of[reg] : constant(d, reg);
}

static uint32_t result(TapeDraft* d, uint32_t reg)
{
    uint32_t* slot = &d->space->slot_of[reg];
    if (*slot == NO_REG || d->block == 0 || d->slots.at[*slot].block != d->block)
        *slot = add_slot(d, reg, false);
    return *slot;
}

static uint32_t hidden(TapeDraft* d, TapeFirst first, uint32_t x, uint32_t y, double number)
{
    uint32_t slot = add_slot(d, NO_REG, first == FIRST_NUMBER || first == FIRST_TABLE_SLOPE);
    APPEND(d, loads, (TapeLoad){.first = (uint8_t)first, .slot = slot, .x = x, .y = y, .number = number});
    return slot;
}

static void node(TapeDraft* d, TapeOp op, uint32_t z, uint32_t x, uint32_t y, uint32_t w)
{
    APPEND(d, nodes, (Node){.op = (uint8_t)op, .z = z, .x = x, .y = y, .w = w, .part = d->parts.count - 1});
}

// ---- operators
// -------------------------------------------------------------------------------------------------------

static void write_sum(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    bool a = moves(d, pc[1]), b = moves(d, pc[2]);
    uint32_t x = moving(d, pc[1]), y = moving(d, pc[2]), z = result(d, pc[0]);
    if (a && b)
        node(d, op == VM_ADD ? TAPE_ADD : TAPE_SUBTRACT, z, x, y, NO_REG);
    else
        node(d, op == VM_SUB && b ? TAPE_NEGATE : TAPE_COPY, z, a ? x : y, NO_REG, NO_REG);
}

static void write_product(TapeDraft* d, const uint32_t* pc)
{
    bool a = moves(d, pc[1]), b = moves(d, pc[2]);
    uint32_t x = either(d, pc[1]), y = either(d, pc[2]), z = result(d, pc[0]);
    if (x == y)
        node(d, TAPE_SQUARE, z, x, NO_REG, NO_REG);
    else if (a && b)
        node(d, TAPE_MULTIPLY, z, x, y, NO_REG);
    else
        node(d, TAPE_SCALE, z, a ? y : x, a ? x : y, NO_REG);
}

static void write_quotient(TapeDraft* d, const uint32_t* pc)
{
    uint32_t x = either(d, pc[1]), y = either(d, pc[2]);
    TapeOp op = moves(d, pc[2]) ? TAPE_DIVIDE : TAPE_PER;
    node(d, op, result(d, pc[0]), x, y, NO_REG);
}

static void write_kink(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    bool absolute = op == VM_ABS;
    uint32_t side = d->sides.count, x = moving(d, pc[1]), y = absolute ? NO_REG : moving(d, pc[2]);
    APPEND(d, sides, (TapeSide){.reg_x = pc[1], .reg_y = absolute ? NO_REG : pc[2], .most = op == VM_MAX});
    if (absolute)
        node(d, TAPE_ABSOLUTE, result(d, pc[0]), x, side, NO_REG);
    else
        node(d, TAPE_EITHER, result(d, pc[0]), x, y, side);
}

static void write_select(TapeDraft* d, const uint32_t* pc)
{
    uint32_t c = constant(d, pc[1]), x = moving(d, pc[2]), y = moving(d, pc[3]);
    node(d, TAPE_CHOOSE, result(d, pc[0]), c, x, y);
}

// The partner of sine is cosine of the same, and there may be code for it already. Looked for nearby only: both come
// from one level of the code.
static uint32_t find_partner(const TapeDraft* d, TapeFirst first, uint32_t x)
{
    uint32_t end = d->loads.count > 1000 ? d->loads.count - 1000 : 0;
    for (uint32_t i = d->loads.count; i-- > end;)
        if (d->loads.at[i].first == first && d->loads.at[i].x == x)
            return d->loads.at[i].slot;
    return NO_REG;
}

// Sine and cosine, or the hyperbolic ones. Both are computed where one is asked for; who asks for the other later gets
// a copy.
static void write_pair(TapeDraft* d, const uint32_t* pc, TapeFirst own, TapeFirst other, bool down)
{
    uint32_t x = moving(d, pc[1]), z = result(d, pc[0]);
    uint32_t there = d->block == 0 ? find_partner(d, own, x) : NO_REG;
    if (there != NO_REG)
    {
        node(d, TAPE_COPY, z, there, NO_REG, NO_REG);
        return;
    }
    uint32_t partner = hidden(d, other, x, NO_REG, 0);
    bool sine = own == FIRST_SIN || own == FIRST_SINH;
    node(d, down && !sine ? TAPE_DERIVE_DOWN : TAPE_DERIVE, z, x, partner, NO_REG);
    node(d, down && sine ? TAPE_DERIVE_DOWN : TAPE_DERIVE, partner, x, z, NO_REG);
}

// tan, tanh: z' = w x' with w = 1 + z², 1 - z².
static void write_tangent(TapeDraft* d, const uint32_t* pc, bool hyperbolic)
{
    uint32_t x = moving(d, pc[1]), z = result(d, pc[0]);
    uint32_t w = hidden(d, hyperbolic ? FIRST_MINUS_SQUARE : FIRST_PLUS_SQUARE, z, NO_REG, 0);
    node(d, TAPE_DERIVE, z, x, w, NO_REG);
    node(d, hyperbolic ? TAPE_SQUARE_DOWN : TAPE_SQUARE, w, z, NO_REG, NO_REG);
}

static void write_arc(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t x = moving(d, pc[1]);
    uint32_t square = hidden(d, op == VM_ATAN ? FIRST_PLUS_SQUARE : FIRST_MINUS_SQUARE, x, NO_REG, 0), w = square;
    node(d, op == VM_ATAN ? TAPE_SQUARE : TAPE_SQUARE_DOWN, square, x, NO_REG, NO_REG);
    if (op != VM_ATAN)
    {
        w = hidden(d, FIRST_ROOT, square, NO_REG, 0);
        node(d, TAPE_ROOT, w, square, NO_REG, NO_REG);
    }
    node(d, op == VM_ACOS ? TAPE_OVER_DOWN : TAPE_OVER, result(d, pc[0]), x, w, NO_REG);
}

// x² + y², for hypot and atan2.
static uint32_t sum_of_squares(TapeDraft* d, uint32_t x, uint32_t y)
{
    uint32_t a = hidden(d, FIRST_SQUARE, x, NO_REG, 0), b = hidden(d, FIRST_SQUARE, y, NO_REG, 0);
    uint32_t sum = hidden(d, FIRST_SUM, a, b, 0);
    node(d, TAPE_SQUARE, a, x, NO_REG, NO_REG);
    node(d, TAPE_SQUARE, b, y, NO_REG, NO_REG);
    node(d, TAPE_ADD, sum, a, b, NO_REG);
    return sum;
}

static void write_plane(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t x = either(d, pc[1]), y = either(d, pc[2]), sum = sum_of_squares(d, x, y), z = result(d, pc[0]);
    if (op == VM_HYPOT)
        node(d, TAPE_ROOT, z, sum, NO_REG, NO_REG);
    else
        node(d, TAPE_ANGLE, z, x, y, sum);
}

static uint32_t logarithm(TapeDraft* d, uint32_t x)
{
    uint32_t z = hidden(d, FIRST_LOG, x, NO_REG, 0);
    node(d, TAPE_OVER, z, x, x, NO_REG);
    return z;
}

// x^y = exp(y log x) where the exponent moves.
static void write_power(TapeDraft* d, const uint32_t* pc)
{
    uint32_t x = either(d, pc[1]);
    if (!moves(d, pc[2]))
    {
        node(d, TAPE_POWER, result(d, pc[0]), x, constant(d, pc[2]), NO_REG);
        return;
    }
    uint32_t y = moving(d, pc[2]), log = logarithm(d, x), product = hidden(d, FIRST_PRODUCT, y, log, 0);
    node(d, TAPE_MULTIPLY, product, y, log, NO_REG);
    uint32_t z = result(d, pc[0]);
    node(d, TAPE_DERIVE, z, product, z, NO_REG);
}

static void write_log10(TapeDraft* d, const uint32_t* pc)
{
    uint32_t log = logarithm(d, moving(d, pc[1])), per = hidden(d, FIRST_NUMBER, NO_REG, NO_REG, M_LN10);
    node(d, TAPE_PER, result(d, pc[0]), log, per, NO_REG);
}

static void write_table(TapeDraft* d, const uint32_t* pc)
{
    uint32_t x = moving(d, pc[1]), slope = hidden(d, FIRST_TABLE_SLOPE, pc[1], pc[2], 0);
    node(d, TAPE_SCALE, result(d, pc[0]), slope, x, NO_REG);
}

// What went in is a polynomial of the time that is read. With a constant delay that goes as time does.
static void write_delayed(TapeDraft* d, const uint32_t* pc)
{
    uint32_t at = moving(d, pc[2]), z = result(d, pc[0]), given = z;
    bool varies = d->model->delays[(uint32_t)d->R[pc[1]]].varies;
    if (varies)
        given = add_slot(d, NO_REG, false);
    APPEND(
        d, loads,
        (TapeLoad){.first = FIRST_DELAYED, .slot = given, .x = pc[1], .y = pc[2], .number = d->R[pc[3]], .reg = pc[0]});
    if (varies)
        node(d, TAPE_COMPOSE, z, at, given, NO_REG);
    else
        node(d, TAPE_GIVEN, z, NO_REG, NO_REG, NO_REG);
}

// Maps of bond graphs are constant between instants.
static void write_row(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t first = d->terms.count, count = (uint32_t)d->R[pc[3]];
    for (uint32_t i = 0; i < count; i++)
    {
        if (moves(d, pc[2] + i) && d->obstacle == NO_REG)
            d->obstacle = pc[0];
        if (moves(d, pc[1] + i))
            APPEND(d, terms, (TapeTerm){moving(d, pc[1] + i), pc[1] + i, pc[2] + i, op == VM_ROW_SIZE, 0});
    }
    node(d, TAPE_ROW, result(d, pc[0]), first, d->terms.count - first, NO_REG);
}

// In straight code the register just shares the slot.
static void write_move(TapeDraft* d, const uint32_t* pc)
{
    uint32_t x = moving(d, pc[1]);
    if (d->block == 0)
    {
        APPEND(d, aliases, pc[0]);
        d->space->slot_of[pc[0]] = x;
    }
    else
        node(d, TAPE_COPY, result(d, pc[0]), x, NO_REG, NO_REG);
}

static void write_operator(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t x;
    switch (op)
    {
    case VM_MOVE: write_move(d, pc); break;
    case VM_NEG:
        x = moving(d, pc[1]);
        node(d, TAPE_NEGATE, result(d, pc[0]), x, NO_REG, NO_REG);
        break;
    case VM_ADD:
    case VM_SUB: write_sum(d, op, pc); break;
    case VM_MUL: write_product(d, pc); break;
    case VM_DIV: write_quotient(d, pc); break;
    case VM_POW: write_power(d, pc); break;
    case VM_SIN: write_pair(d, pc, FIRST_SIN, FIRST_COS, true); break;
    case VM_COS: write_pair(d, pc, FIRST_COS, FIRST_SIN, true); break;
    case VM_SINH: write_pair(d, pc, FIRST_SINH, FIRST_COSH, false); break;
    case VM_COSH: write_pair(d, pc, FIRST_COSH, FIRST_SINH, false); break;
    case VM_TAN: write_tangent(d, pc, false); break;
    case VM_TANH: write_tangent(d, pc, true); break;
    case VM_ASIN:
    case VM_ACOS:
    case VM_ATAN: write_arc(d, op, pc); break;
    case VM_ATAN2:
    case VM_HYPOT: write_plane(d, op, pc); break;
    case VM_EXP:
        x = moving(d, pc[1]);
        {
            uint32_t z = result(d, pc[0]);
            node(d, TAPE_DERIVE, z, x, z, NO_REG);
        }
        break;
    case VM_LOG:
        x = moving(d, pc[1]);
        node(d, TAPE_OVER, result(d, pc[0]), x, x, NO_REG);
        break;
    case VM_LOG10: write_log10(d, pc); break;
    case VM_SQRT:
        x = moving(d, pc[1]);
        node(d, TAPE_ROOT, result(d, pc[0]), x, NO_REG, NO_REG);
        break;
    case VM_ABS:
    case VM_MIN:
    case VM_MAX: write_kink(d, op, pc); break;
    case VM_SELECT: write_select(d, pc); break;
    case VM_TABLE: write_table(d, pc); break;
    case VM_DELAYED: write_delayed(d, pc); break;
    case VM_ROW:
    case VM_ROW_SIZE: write_row(d, op, pc); break;
    default:  // external, random: no series
        if (d->obstacle == NO_REG)
            d->obstacle = pc[0];
        node(d, TAPE_COPY, result(d, pc[0]), TAPE_ZERO, NO_REG, NO_REG);
    }
}

// Whether the result moves when the operands do as they do.
static bool operator_moves(const TapeDraft* d, uint32_t op, const uint32_t* pc, uint32_t words)
{
    bool any = false;
    switch (op)
    {
    case VM_LT:
    case VM_LE:
    case VM_EQ:
    case VM_NE:
    case VM_AND:
    case VM_OR:
    case VM_NOT:
    case VM_SIGN:
    case VM_FLOOR:
    case VM_TABLE_ROWS:
    case VM_TABLE_SLOPE: return false;
    case VM_SELECT: return moves(d, pc[2]) || moves(d, pc[3]);
    case VM_DELAYED: return moves(d, pc[2]);
    case VM_ROW:
    case VM_ROW_SIZE:
        for (uint32_t i = 0; i < (uint32_t)d->R[pc[3]]; i++)
            any |= moves(d, pc[1] + i) || moves(d, pc[2] + i);
        return any;
    default:
        for (uint32_t i = op == VM_CALL ? 2 : 1; i < words; i++)
            any |= moves(d, pc[i]);
        return any;
    }
}

// Whether the operator may jump or bend where nobody watches it: relations that matter are latched, and read nothing
// that moves.
static bool is_broken(const TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    switch (op)
    {
    case VM_LT:
    case VM_LE:
    case VM_EQ:
    case VM_NE:
    case VM_MIN:
    case VM_MAX: return moves(d, pc[1]) || moves(d, pc[2]);
    case VM_ABS:
    case VM_SIGN:
    case VM_FLOOR:
    case VM_TABLE:
    case VM_TABLE_SLOPE:
    case VM_TABLE_ROWS: return moves(d, pc[1]);
    default: return false;
    }
}

static void visit(TapeDraft* d, uint32_t op, const uint32_t* pc, uint32_t words)
{
    bool own = d->block != 0 && moves(d, pc[0]) && d->slots.at[d->space->slot_of[pc[0]]].block == d->block;
    bool moved = operator_moves(d, op, pc, words);
    d->broken |= is_broken(d, op, pc);
    if (d->dry)
    {
        d->changed |= moved && !own;
        if (moved && !own)
            result(d, pc[0]);
    }
    else if (moved)
        write_operator(d, op, pc);
    else if (own)  // of two that write it the other moves
        node(d, TAPE_COPY, result(d, pc[0]), TAPE_ZERO, NO_REG, NO_REG);
    else
        d->space->slot_of[pc[0]] = NO_REG;
}

// ---- code
// ------------------------------------------------------------------------------------------------------------

static const uint32_t* walk_run(TapeDraft* d, const uint32_t* pc)
{
    uint32_t op = *pc & 0xff, count = *pc >> 8;
    pc++;
    if (op == VM_CALL)
    {
        visit(d, op, pc, count);
        return pc + count;
    }
    uint32_t words = (uint32_t)vm_op_arity((VmOp)op) + 1;
    for (; count > 0 && !d->failed; count--, pc += words)
        visit(d, op, pc, words);
    return pc + words * count;
}

static const uint32_t* walk_switch(TapeDraft* d, const uint32_t* pc)
{
    uint32_t count = pc[2], mode = (uint32_t)d->R[pc[1]];
    const uint32_t* base = pc + 3 + count + 1;
    uint32_t offset = mode < count ? pc[3 + mode] : NO_REG;
    if (!d->dry)
    {
        APPEND(d, modes, pc[1]);
        APPEND(d, modes, mode);
    }
    return base + (offset != NO_REG ? offset : pc[3 + count]);
}

static void walk(TapeDraft* d, const uint32_t* pc, const uint32_t* end);

// A loop: first what moves in it, then its code as a part of its own.
static void walk_block(TapeDraft* d, const uint32_t* body, const uint32_t* end, PartInfo info)
{
    uint32_t outer = d->block;
    bool outer_dry = d->dry;
    if (outer == 0)
    {
        d->block = d->parts.count;
        d->dry = true;
        do
        {
            d->changed = false;
            walk(d, body, end);
        } while (d->changed && !d->failed);
        d->dry = outer_dry;
        APPEND(d, parts, info);
    }
    walk(d, body, end);
    if (outer == 0)
    {
        d->block = 0;
        APPEND(d, parts, (PartInfo){.rounds = 1});
    }
}

static const uint32_t* walk_fix(TapeDraft* d, const uint32_t* pc)
{
    const uint32_t* body = pc + 5;
    walk_block(d, body, body + pc[1], (PartInfo){.rounds = pc[3] > 0 ? pc[3] : 1});
    return body + pc[1];
}

// The unknowns move whatever they are.
static const uint32_t* walk_newton(TapeDraft* d, const uint32_t* pc)
{
    uint32_t n = pc[2], first = d->loops.count;
    const uint32_t *registers = pc + 4, *body = registers + newton_registers(n);
    if (d->block != 0 && d->obstacle == NO_REG)
        d->obstacle = registers[0];  // a loop inside a loop: code that no compiler of ours emits
    d->block = d->parts.count;
    for (uint32_t i = 0; i < n; i++)
        d->space->slot_of[registers[i]] = add_slot(d, registers[i], false);
    d->block = 0;
    walk_block(d, body, body + pc[1], (PartInfo){.rounds = 1, .unknowns = n, .first = first});
    for (uint32_t i = 0; i < 2 * n; i++)
        APPEND(d, loops, moving(d, registers[i]));
    for (uint32_t i = 2 * n; i < newton_registers(n); i++)
        APPEND(d, loops, registers[i]);
    return body + pc[1];
}

static void walk(TapeDraft* d, const uint32_t* pc, const uint32_t* end)
{
    while (pc < end && !d->failed)
    {
        uint32_t op = *pc & 0xff;
        if (op < VM_OP_COUNT)
            pc = walk_run(d, pc);
        else if (op == VM_SWITCH)
            pc = walk_switch(d, pc);
        else if (op == VM_JUMP)
            pc += pc[1];
        else if (op == VM_NEWTON)
            pc = walk_newton(d, pc);
        else
            pc = walk_fix(d, pc);
    }
}

// ---- what is needed
// --------------------------------------------------------------------------------------------------

static bool is_convolution(uint32_t op)
{
    return op >= TAPE_MULTIPLY && op <= TAPE_COMPOSE;
}

// Whether operand i is read in its row; the exponent of a power is a number.
static bool reads_row(const Node* n, int i)
{
    return is_convolution(n->op) && !(n->op == TAPE_POWER && i == 1);
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

static void find_live(TapeDraft* d, const Series* s)
{
    bool more = false;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        d->nodes.at[i].live = false;
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].live = d->slots.at[i].row = false;
    for (uint32_t i = 0; i < s->output_count; i++)
        keep(d, moving(d, s->outputs[i]), &more);
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
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        const Node* n = &d->nodes.at[i];
        for (int k = 0; n->live && k < 3; k++)
            if (tape_operand(n, k) != NO_REG && reads_row(n, k))
                d->slots.at[tape_operand(n, k)].row = true;
        if (n->live && (is_convolution(n->op) || n->op == TAPE_GIVEN))
            d->slots.at[n->z].row = true;
    }
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

// Degrees grow from 0 until they settle or are beyond all orders. Loops of Newton's method never end.
static int find_degree(TapeDraft* d, const Series* s)
{
    bool more = true;
    int most = 0;
    for (uint32_t p = 0; p < d->parts.count; p++)
        if (d->parts.at[p].unknowns > 0 || d->broken)
            return SERIES_ENDLESS;
    d->slots.at[d->time_slot].degree = 1;
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
            SlotInfo* out = &d->slots.at[moving(d, s->outputs[i])];
            int degree = out->degree + (s->closed ? 1 : 0);
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
    return most;
}

// ---- layout
// ----------------------------------------------------------------------------------------------------------

static void push_after(TapeDraft* d, uint32_t slot, uint32_t part, uint32_t level)
{
    if (!d->slots.at[slot].row)
        return;
    APPEND(d, order, (Node){.op = TAPE_PUSH, .z = slot, .x = NO_REG, .part = part, .level = level, .live = true});
    d->slots.at[slot].ready_row = level;
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
        const SlotInfo* s = &d->slots.at[slot];
        uint32_t at = reads_row(n, k) ? s->ready_row : s->ready;
        level = at > level ? at : level;
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

// Inputs first, then the nodes with their pushes; in straight parts they may be moved by level, in loops they stay.
static void lay_out(TapeDraft* d, const Series* s)
{
    for (uint32_t i = TAPE_INPUT; i <= TAPE_INPUT + s->input_count; i++)
        push_after(d, i, 0, 1);
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        Node n = d->nodes.at[i];
        if (!n.live)
            continue;
        n.level = tape_is_straight(d, &n) ? level_of(d, &n) : d->order.count + 2;
        d->slots.at[n.z].ready = d->slots.at[n.z].ready_row = n.level;
        APPEND(d, order, n);
        if (!is_convolution(n.op) && n.op != TAPE_GIVEN)
            push_after(d, n.z, n.part, n.level + 1);
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
            part.last = 2;
        while (at < d->order.count && d->order.at[at].part == p)
        {
            uint32_t head = d->words.count, op = d->order.at[at].op, count = 0;
            APPEND(d, words, op);
            for (; at < d->order.count && d->order.at[at].part == p && d->order.at[at].op == op; at++, count++)
            {
                const Node* n = &d->order.at[at];
                const uint32_t words[] = {n->z, n->x, n->y, n->w};
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
    for (uint32_t i = 1; i < d->slots.count; i++)
    {
        const SlotInfo* s = &d->slots.at[i];
        if (s->reg != NO_REG && s->live && (s->constant || s->row))
            APPEND(d, loads, (TapeLoad){.first = FIRST_REGISTER, .slot = i, .x = s->reg});
    }
    for (uint32_t i = 0; i < own && !d->failed; i++)
    {
        TapeLoad load = d->loads.at[i];
        if (d->slots.at[load.slot].live)
            APPEND(d, loads, load);
    }
    for (uint32_t i = own; i < d->loads.count && !d->failed; i++)
        d->loads.at[kept++] = d->loads.at[i];
    d->loads.count = kept;
}

// ---- packing
// ---------------------------------------------------------------------------------------------------------

static uint32_t number_rows(TapeDraft* d)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < d->slots.count; i++)
        d->slots.at[i].ready_row = d->slots.at[i].row ? rows++ : NO_REG;
    for (uint32_t i = 0; i < d->loads.count; i++)
    {
        d->loads.at[i].row = d->slots.at[d->loads.at[i].slot].ready_row;
        d->loads.at[i].constant = d->slots.at[d->loads.at[i].slot].constant;
    }
    return rows;
}

static uint32_t number_matrices(TapeDraft* d)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < d->made.count; i++)
    {
        d->made.at[i].matrix = next;
        next += d->made.at[i].unknowns * (d->made.at[i].unknowns + 1);  // and the pivots
    }
    return next;
}

static void* take(char** next, const void* from, size_t bytes)
{
    void* to = *next;
    if (bytes > 0 && from != NULL)
        memcpy(to, from, bytes);
    *next += (bytes + 15) / 16 * 16;
    return to;
}

static Tape* pack(TapeDraft* d, const Series* s, int degree)
{
    kaiAllocator a = d->space->allocator;
    uint32_t rows = number_rows(d), matrices = number_matrices(d);
    size_t size = sizeof(Tape) + 16 * 14 + sizeof(double) * ((size_t)d->slots.count + matrices) +
                  sizeof(double) * SERIES_TERMS * (size_t)rows +
                  sizeof(uint32_t) *
                      ((size_t)d->slots.count + d->words.count + d->modes.count + d->loops.count + s->output_count) +
                  sizeof(TapePart) * d->made.count + sizeof(TapeLoad) * d->loads.count +
                  sizeof(TapeSide) * d->sides.count + sizeof(TapeTerm) * d->terms.count +
                  sizeof(TapeSum) * d->sums.count + sizeof(uint32_t) * d->factors.count;
    Tape* t = a.alloc(a.user, NULL, 0, size);
    if (t == NULL)
        return NULL;
    memset(t, 0, size);
    char* next = (char*)t + (sizeof(Tape) + 15) / 16 * 16;
    t->size = size;
    t->now = take(&next, NULL, sizeof(double) * d->slots.count);
    t->rows = take(&next, NULL, sizeof(double) * SERIES_TERMS * rows);
    t->matrices = take(&next, NULL, sizeof(double) * matrices);
    t->parts = take(&next, d->made.at, sizeof(TapePart) * d->made.count);
    t->loads = take(&next, d->loads.at, sizeof(TapeLoad) * d->loads.count);
    t->sides = take(&next, d->sides.at, sizeof(TapeSide) * d->sides.count);
    t->terms = take(&next, d->terms.at, sizeof(TapeTerm) * d->terms.count);
    t->sums = take(&next, d->sums.at, sizeof(TapeSum) * d->sums.count);
    t->factors = take(&next, d->factors.at, sizeof(uint32_t) * d->factors.count);
    t->words = take(&next, d->words.at, sizeof(uint32_t) * d->words.count);
    t->modes = take(&next, d->modes.at, sizeof(uint32_t) * d->modes.count);
    t->loops = take(&next, d->loops.at, sizeof(uint32_t) * d->loops.count);
    t->row_of = take(&next, NULL, sizeof(uint32_t) * d->slots.count);
    t->outputs = take(&next, NULL, sizeof(uint32_t) * s->output_count);
    for (uint32_t i = 0; i < d->slots.count; i++)
        t->row_of[i] = d->slots.at[i].ready_row;
    for (uint32_t i = 0; i < s->output_count; i++)
        t->outputs[i] = moving(d, s->outputs[i]);
    t->mode_count = d->modes.count / 2;
    t->part_count = d->made.count;
    t->load_count = d->loads.count;
    t->side_count = d->sides.count;
    t->term_count = d->terms.count;
    t->sum_count = d->sums.count;
    t->time_slot = d->time_slot;
    t->obstacle = d->obstacle;
    t->degree = degree;
    return t;
}

void tape_free(SeriesSpace* space, Tape* tape)
{
    if (tape != NULL)
        space->allocator.alloc(space->allocator.user, tape, tape->size, 0);
}

static void begin_draft(TapeDraft* d, const Series* s, const double* R)
{
#define X(type, name) d->name.count = 0;
    DRAFT_LISTS(X)
#undef X
    d->R = R;
    d->failed = d->dry = d->broken = false;
    d->block = 0;
    d->obstacle = NO_REG;
    add_slot(d, NO_REG, false);
    for (uint32_t i = 0; i < s->input_count; i++)
        d->space->slot_of[s->inputs[i]] = add_slot(d, s->inputs[i], false);
    d->time_slot = add_slot(d, d->model->reg_time, false);
    d->space->slot_of[d->model->reg_time] = d->time_slot;
    for (uint32_t i = PART_PUSHES; i <= PART_FIRST; i++)
        APPEND(d, parts, (PartInfo){.rounds = 1});
}

Tape* tape_make(Series* series, const double* registers)
{
    TapeDraft* d = series->space->draft;
    const kaiModel* model = d->model;
    begin_draft(d, series, registers);
    walk(d, model->code + series->range.start, model->code + series->range.end);
    Tape* tape = NULL;
    if (!d->failed)
    {
        find_live(d, series);
        tape_fold_sums(d, series);
        find_live(d, series);
        tape_keep_sums(d);
        int degree = find_degree(d, series);
        lay_out(d, series);
        if (d->order.count > 0)
            qsort(d->order.at, d->order.count, sizeof *d->order.at, compare_nodes);
        write_words(d);
        write_loads(d);
        tape = d->failed ? NULL : pack(d, series, degree);
    }
    for (uint32_t i = 0; i < d->slots.count; i++)
        if (d->slots.at[i].reg != NO_REG)
            d->space->slot_of[d->slots.at[i].reg] = d->space->constant_of[d->slots.at[i].reg] = NO_REG;
    for (uint32_t i = 0; i < d->aliases.count; i++)
        d->space->slot_of[d->aliases.at[i]] = NO_REG;
    return tape;
}
