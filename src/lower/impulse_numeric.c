// Numeric impulses (paper 003, section 4): a signal is one number, regular part and impulse together. δ is 1/h for one
// step of length h, `der` the difference to the step before over the length of the step, and integrals are right
// Riemann sums (eqs. 35-37), for which the solver is `riemann`.
//
// An event ends its step early, at the time at which it was located. The pulses of its instant have the full length h
// all the same: they are a step of their own that takes no time. What an integrator adds in a reaction is h times the
// pulse, its share; the regular part was integrated up to here already and has no part in it. Shares are kept by order,
// as the weights of symbolic impulses are (parts.c), so that an integrator of δ adds its weight itself and not
// h (weight / h), which may differ in the last bit, and so that what jumps is told from what is a pulse for one step
// only. What the run shows is one number (decision 0016).
#include "lower/compiler.h"

static ScalarId reg(Compiler* c, SymReg r)
{
    return scalar_reg(&c->scalars, r);
}

static ScalarId number(Compiler* c, double value)
{
    return scalar_const(&c->scalars, value);
}

static ScalarId binary(Compiler* c, VmOp op, ScalarId a, ScalarId b, NodeId n)
{
    return scalar_make(&c->scalars, op, a, b, 0, c->flat->nodes.at[n].span);
}

static ScalarId memory_cell(Compiler* c, CellKind kind, uint64_t space, NodeId n)
{
    uint64_t key = space << 40 | n;
    uint32_t index;
    if (!map_get(&c->cell_index, key, &index))
    {
        index = c->cells.count;
        map_set(&c->cell_index, key, index);
        uint32_t ctx = n < c->node_ctxs.count ? c->node_ctxs.at[n] : 0;
        Cell cell = {.kind = kind, .node = n, .ctx = ctx == CTX_UNUSED ? 0 : ctx, .latch_present = NO_REG};
        cell.latch = compiler_reg(c, REG_MEMORY);
        vec_push(c->arena, c->cells, cell);
    }
    return reg(c, c->cells.at[index].latch);
}

// Σ aₖ/hᵏ over the weights of all orders: what a pulse gives to the integral over it.
static ScalarId share(Compiler* c, NodeId n, ScalarId (*weight)(Compiler*, NodeId, int))
{
    ScalarId total = weight(c, n, 0), power = number(c, 1), h = reg(c, c->step.length);
    for (int k = 1; k <= node_order(c, n); k++)
    {
        power = binary(c, VM_MUL, power, h, n);
        total = binary(c, VM_ADD, total, binary(c, VM_DIV, weight(c, n, k), power, n), n);
    }
    return total;
}

// The shares that this instant has given up to this tag, this one included.
ScalarId numeric_shares(Compiler* c, NodeId n)
{
    return binary(c, VM_ADD, memory_cell(c, CELL_PULSE, 64, n), share(c, n, impulse_made), n);
}

ScalarId numeric_pulse(Compiler* c, NodeId n)
{
    return binary(c, VM_DIV, numeric_shares(c, n), reg(c, c->step.length), n);
}

// The length of the step in work. Where no pulse can be, the difference is taken to any time in the step, so that
// guards on it see no corner at its ends.
static ScalarId step_length(Compiler* c, NodeId n)
{
    ScalarId whole = reg(c, c->step.taken), now = reg(c, c->time);
    if (node_order(c, n) >= 0)
        return whole;
    return scalar_select(&c->scalars, binary(c, VM_EQ, now, reg(c, c->step.end), n), whole,
                         binary(c, VM_SUB, now, reg(c, c->step.from), n));
}

// In a reaction it is what the last step left, and pulses on top. There was no step at the start, nor in a mode that
// has just been entered: there it is exact, so that a difference of differences sees no jump that nobody made.
static ScalarId difference_in_reaction(Compiler* c, NodeId n, ScalarId u)
{
    ScalarId kept = memory_cell(c, CELL_STEP, 65, n);
    ScalarId before = scalar_select(&c->scalars, binary(c, VM_EQ, kept, kept, n), kept, flow_derivative(c, u));
    return node_order(c, n) < 0 ? before : binary(c, VM_ADD, before, numeric_pulse(c, n), n);
}

// Between instants it is taken to the end of the step before; what was absent there (NaN) has moved nowhere. Where no
// time has passed since then it is exact: guards want to know where things go from here, without rounding.
static ScalarId difference_in_flow(Compiler* c, NodeId n, ScalarId u)
{
    Scalars* s = &c->scalars;
    ScalarId last = last_value(c, c->flat->nodes.at[n].arg[0]);
    ScalarId slope = binary(c, VM_DIV, binary(c, VM_SUB, u, last, n), step_length(c, n), n);
    ScalarId known = scalar_select(s, binary(c, VM_EQ, last, last, n), slope, number(c, 0));
    ScalarId begins = binary(c, VM_EQ, reg(c, c->time), reg(c, c->step.from), n);
    return scalar_select(s, begins, flow_derivative(c, u), known);
}

Lowered numeric_difference(Compiler* c, Phase phase, NodeId n, Lowered u)
{
    if (c->scalars.list.at[u.value].fixed && node_order(c, c->flat->nodes.at[n].arg[0]) < 0)
        return (Lowered){number(c, 0), u.present};
    ScalarId value = phase == PHASE_REACT ? difference_in_reaction(c, n, u.value) : difference_in_flow(c, n, u.value);
    return (Lowered){value, u.present};
}

// A state with what pulses of a higher order than δ added to it for their one step.
ScalarId numeric_state(Compiler* c, uint32_t v, ScalarId jumped)
{
    const VarInfo* info = &c->vars.at[v];
    Span span = c->flat->vars.at[v].span;
    ScalarId power = number(c, 1), h = reg(c, c->step.length);
    for (int k = 0; k <= info->order; k++)
    {
        power = scalar_make(&c->scalars, VM_MUL, power, h, 0, span);
        ScalarId high = scalar_make(&c->scalars, VM_DIV, reg(c, info->first_impulse + (uint32_t)k), power, 0, span);
        jumped = scalar_make(&c->scalars, VM_ADD, jumped, high, 0, span);
    }
    return jumped;
}

// `by` is how far the number has moved since the tag before; its pulses are no jump, nor is what rounding leaves when
// they are taken away.
ScalarId numeric_regular_jump(Compiler* c, NodeId n, ScalarId by)
{
    Span span = c->flat->nodes.at[n].span;
    ScalarId pulse = binary(c, VM_DIV, share(c, n, impulse_part), reg(c, c->step.length), n);
    ScalarId rest = binary(c, VM_SUB, by, pulse, n);
    ScalarId noise = binary(c, VM_MUL, number(c, 1e-14), scalar_make(&c->scalars, VM_ABS, pulse, 0, 0, span), n);
    ScalarId small = binary(c, VM_LE, scalar_make(&c->scalars, VM_ABS, rest, 0, 0, span), noise, n);
    return scalar_select(&c->scalars, small, number(c, 0), rest);
}
