// Code as operators on power series: walks along the path that the modes of the moment take, keeps what moves, and says
// what each operator is for power series: linear, a convolution, or a recurrence through its derivative.
//
// Every write of a register makes a slot of its own, but inside loops, where a register may be read before it is
// written: there it has one slot, and the block is repeated until all is settled.
#include "vm/tape_draft.h"

#include <math.h>

// ---- slots
// -----------------------------------------------------------------------------------------------------------

uint32_t tape_add_slot(TapeDraft* d, uint32_t reg, bool constant)
{
    uint32_t slot = d->slots.count;
    APPEND(d, slots, (SlotInfo){.reg = reg, .constant = constant, .block = d->block, .degree = 0});
    return d->failed ? 0 : slot;
}

static uint32_t constant(TapeDraft* d, uint32_t reg)
{
    uint32_t* slot = &d->space->constant_of[reg];
    if (*slot == NO_REG)
        *slot = tape_add_slot(d, reg, true);
    return *slot;
}

// For a convolution: also a constant has a row.
static uint32_t either(TapeDraft* d, uint32_t reg)
{
    return tape_moves(d, reg) ? d->space->slot_of[reg] : constant(d, reg);
}

static uint32_t result(TapeDraft* d, uint32_t reg)
{
    uint32_t* slot = &d->space->slot_of[reg];
    if (*slot == NO_REG || d->block == 0 || d->slots.at[*slot].block != d->block)
        *slot = tape_add_slot(d, reg, false);
    return *slot;
}

static uint32_t hidden(TapeDraft* d, TapeFirst first, uint32_t x, uint32_t y, double number)
{
    uint32_t slot = tape_add_slot(d, NO_REG, first == FIRST_NUMBER || first == FIRST_TABLE_SLOPE);
    APPEND(d, loads, (TapeLoad){.first = (uint8_t)first, .slot = slot, .x = x, .y = y, .number = number});
    return slot;
}

static void node(TapeDraft* d, TapeOp op, uint32_t z, uint32_t x, uint32_t y, uint32_t w)
{
    APPEND(d, nodes, (Node){.op = (uint8_t)op, .z = z, .x = x, .y = y, .w = w, .part = d->parts.count - 1});
}

// The last one adds a number that stands still, or replaces it.
static void offset(TapeDraft* d)
{
    if (d->nodes.count > 0)
        d->nodes.at[d->nodes.count - 1].offset = true;
}

// ---- operators
// -------------------------------------------------------------------------------------------------------

static void write_sum(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    bool a = tape_moves(d, pc[1]), b = tape_moves(d, pc[2]);
    uint32_t x = tape_moving(d, pc[1]), y = tape_moving(d, pc[2]), z = result(d, pc[0]);
    if (a && b)
        node(d, op == VM_ADD ? TAPE_ADD : TAPE_SUBTRACT, z, x, y, NO_REG);
    else
    {
        node(d, op == VM_SUB && b ? TAPE_NEGATE : TAPE_COPY, z, a ? x : y, NO_REG, NO_REG);
        offset(d);
    }
}

static void write_product(TapeDraft* d, const uint32_t* pc)
{
    bool a = tape_moves(d, pc[1]), b = tape_moves(d, pc[2]);
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
    TapeOp op = tape_moves(d, pc[2]) ? TAPE_DIVIDE : TAPE_PER;
    node(d, op, result(d, pc[0]), x, y, NO_REG);
}

static void write_kink(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    bool absolute = op == VM_ABS;
    uint32_t side = d->sides.count, x = tape_moving(d, pc[1]), y = absolute ? NO_REG : tape_moving(d, pc[2]);
    APPEND(d, sides, (TapeSide){.reg_x = pc[1], .reg_y = absolute ? NO_REG : pc[2], .most = op == VM_MAX});
    if (absolute)
        node(d, TAPE_ABSOLUTE, result(d, pc[0]), x, side, NO_REG);
    else
        node(d, TAPE_EITHER, result(d, pc[0]), x, y, side);
}

// What parameters alone decide is a mode that seldom changes.
static bool is_settled(const TapeDraft* d, uint32_t reg)
{
    return reg < d->model->reg_first[REG_STATE];
}

static uint32_t chosen(const TapeDraft* d, const uint32_t* pc)
{
    return d->R[pc[1]] != 0 ? pc[2] : pc[3];
}

static void note_mode(TapeDraft* d, uint32_t reg)
{
    APPEND(d, modes, reg);
    APPEND(d, modes, (uint32_t)d->R[reg]);
}

static void write_move(TapeDraft* d, uint32_t to, uint32_t from)
{
    uint32_t x = tape_moving(d, from);
    if (d->block == 0)  // in straight code the register just shares the slot
    {
        APPEND(d, aliases, to);
        d->space->slot_of[to] = x;
    }
    else
        node(d, TAPE_COPY, result(d, to), x, NO_REG, NO_REG);
}

static void write_select(TapeDraft* d, const uint32_t* pc)
{
    if (is_settled(d, pc[1]))
    {
        write_move(d, pc[0], chosen(d, pc));
        return;
    }
    uint32_t c = constant(d, pc[1]), x = tape_moving(d, pc[2]), y = tape_moving(d, pc[3]);
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
    uint32_t x = tape_moving(d, pc[1]), z = result(d, pc[0]);
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
    uint32_t x = tape_moving(d, pc[1]), z = result(d, pc[0]);
    uint32_t w = hidden(d, hyperbolic ? FIRST_MINUS_SQUARE : FIRST_PLUS_SQUARE, z, NO_REG, 0);
    node(d, TAPE_DERIVE, z, x, w, NO_REG);
    node(d, hyperbolic ? TAPE_SQUARE_DOWN : TAPE_SQUARE, w, z, NO_REG, NO_REG);
}

static void write_arc(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t x = tape_moving(d, pc[1]);
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
    if (!tape_moves(d, pc[2]))
    {
        node(d, TAPE_POWER, result(d, pc[0]), x, constant(d, pc[2]), NO_REG);
        return;
    }
    uint32_t y = tape_moving(d, pc[2]), log = logarithm(d, x), product = hidden(d, FIRST_PRODUCT, y, log, 0);
    node(d, TAPE_MULTIPLY, product, y, log, NO_REG);
    uint32_t z = result(d, pc[0]);
    node(d, TAPE_DERIVE, z, product, z, NO_REG);
}

static void write_log10(TapeDraft* d, const uint32_t* pc)
{
    uint32_t log = logarithm(d, tape_moving(d, pc[1])), per = hidden(d, FIRST_NUMBER, NO_REG, NO_REG, M_LN10);
    node(d, TAPE_PER, result(d, pc[0]), log, per, NO_REG);
}

static void write_table(TapeDraft* d, const uint32_t* pc)
{
    uint32_t x = tape_moving(d, pc[1]), slope = hidden(d, FIRST_TABLE_SLOPE, pc[1], pc[2], 0);
    node(d, TAPE_SCALE, result(d, pc[0]), slope, x, NO_REG);
    offset(d);
}

// What went in is a polynomial of the time that is read. With a constant delay that goes as time does.
static void write_delayed(TapeDraft* d, const uint32_t* pc)
{
    uint32_t at = tape_moving(d, pc[2]), z = result(d, pc[0]), given = z;
    bool varies = d->model->delays[(uint32_t)d->R[pc[1]]].varies;
    if (varies)
        given = tape_add_slot(d, NO_REG, false);
    APPEND(
        d, loads,
        (TapeLoad){.first = FIRST_DELAYED, .slot = given, .x = pc[1], .y = pc[2], .number = d->R[pc[3]], .reg = pc[0]});
    if (varies)
        node(d, TAPE_COMPOSE, z, at, given, NO_REG);
    else
        node(d, TAPE_GIVEN, z, NO_REG, NO_REG, NO_REG);
}

// A short one is a sum like others, with its coefficients as factors: it can be part of a field.
static bool is_short_row(const TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    enum
    {
        TERMS_MOST = 16
    };
    uint32_t terms = 0;
    bool still = op == VM_ROW && d->block == 0;
    for (uint32_t i = 0; i < (uint32_t)d->R[pc[3]]; i++)
    {
        still &= !tape_moves(d, pc[2] + i);
        terms += tape_moves(d, pc[1] + i);
    }
    return still && terms <= TERMS_MOST;
}

static void write_short_row(TapeDraft* d, const uint32_t* pc)
{
    uint32_t first = d->sums.count;
    for (uint32_t i = 0; i < (uint32_t)d->R[pc[3]]; i++)
    {
        if (!tape_moves(d, pc[1] + i))
            continue;
        TapeSum term = {.slot = tape_moving(d, pc[1] + i), .first = d->factors.count, .count = 1};
        APPEND(d, factors, tape_factor(constant(d, pc[2] + i), false));
        APPEND(d, sums, term);
    }
    node(d, TAPE_SUM, result(d, pc[0]), first, d->sums.count - first, NO_REG);
}

// Maps of bond graphs are constant between instants.
static void write_row(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t first = d->terms.count, count = (uint32_t)d->R[pc[3]];
    if (is_short_row(d, op, pc))
    {
        write_short_row(d, pc);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
    {
        if (tape_moves(d, pc[2] + i) && d->obstacle == NO_REG)
            d->obstacle = pc[0];
        if (tape_moves(d, pc[1] + i))
            APPEND(d, terms, (TapeTerm){tape_moving(d, pc[1] + i), pc[1] + i, pc[2] + i, op == VM_ROW_SIZE, 0});
    }
    node(d, TAPE_ROW, result(d, pc[0]), first, d->terms.count - first, NO_REG);
}

static void write_operator(TapeDraft* d, uint32_t op, const uint32_t* pc)
{
    uint32_t x;
    switch (op)
    {
    case VM_MOVE: write_move(d, pc[0], pc[1]); break;
    case VM_NEG:
        x = tape_moving(d, pc[1]);
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
        x = tape_moving(d, pc[1]);
        {
            uint32_t z = result(d, pc[0]);
            node(d, TAPE_DERIVE, z, x, z, NO_REG);
        }
        break;
    case VM_LOG:
        x = tape_moving(d, pc[1]);
        node(d, TAPE_OVER, result(d, pc[0]), x, x, NO_REG);
        break;
    case VM_LOG10: write_log10(d, pc); break;
    case VM_SQRT:
        x = tape_moving(d, pc[1]);
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
        offset(d);
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
    case VM_SELECT:
        return is_settled(d, pc[1]) ? tape_moves(d, chosen(d, pc)) : tape_moves(d, pc[2]) || tape_moves(d, pc[3]);
    case VM_DELAYED: return tape_moves(d, pc[2]);
    case VM_ROW:
    case VM_ROW_SIZE:
        for (uint32_t i = 0; i < (uint32_t)d->R[pc[3]]; i++)
            any |= tape_moves(d, pc[1] + i) || tape_moves(d, pc[2] + i);
        return any;
    default:
        for (uint32_t i = op == VM_CALL ? 2 : 1; i < words; i++)
            any |= tape_moves(d, pc[i]);
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
    case VM_MAX: return tape_moves(d, pc[1]) || tape_moves(d, pc[2]);
    case VM_ABS:
    case VM_SIGN:
    case VM_FLOOR:
    case VM_TABLE:
    case VM_TABLE_SLOPE:
    case VM_TABLE_ROWS: return tape_moves(d, pc[1]);
    default: return false;
    }
}

static void visit(TapeDraft* d, uint32_t op, const uint32_t* pc, uint32_t words)
{
    bool own = d->block != 0 && tape_moves(d, pc[0]) && d->slots.at[d->space->slot_of[pc[0]]].block == d->block;
    bool moved = operator_moves(d, op, pc, words);
    if (op == VM_SELECT && !d->dry && is_settled(d, pc[1]) && pc[1] >= d->model->reg_first[REG_PARAM])
        note_mode(d, pc[1]);
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
        note_mode(d, pc[1]);
    return base + (offset != NO_REG ? offset : pc[3 + count]);
}

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
            tape_walk(d, body, end);
        } while (d->changed && !d->failed);
        d->dry = outer_dry;
        APPEND(d, parts, info);
    }
    tape_walk(d, body, end);
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
        d->space->slot_of[registers[i]] = tape_add_slot(d, registers[i], false);
    d->block = 0;
    walk_block(d, body, body + pc[1], (PartInfo){.rounds = 1, .unknowns = n, .first = first});
    for (uint32_t i = 0; i < 2 * n; i++)
        APPEND(d, loops, tape_moving(d, registers[i]));
    for (uint32_t i = 2 * n; i < newton_registers(n); i++)
        APPEND(d, loops, registers[i]);
    return body + pc[1];
}

void tape_walk(TapeDraft* d, const uint32_t* pc, const uint32_t* end)
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
