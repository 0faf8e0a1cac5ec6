// Numeric impulses (paper 003, section 4): a signal is one number, regular part and impulse together. δ is 1/h for one
// step of length h, `der` the difference to the step before over the length of the step, and integrals are right
// Riemann sums (eqs. 35-37), for which the solver is `riemann`.
//
// An event ends its step early, at the time at which it was located. The pulses of its instant have the full length h
// all the same: they are a step of their own that takes no time, so that its share of every integral is h times the
// pulse, and the regular part, which was integrated up to here already, has no share in it. What an integrator adds in
// a reaction is that share, the number `impulse_part(n, 0)`, and what a signal shows is share / h: the two divisions by
// h and multiplications with it that would only cost a bit are left out (decision 0016).
#include "sched/compiler.h"

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

// The shares that this instant has given up to this tag, this one included.
ScalarId numeric_shares(Compiler* c, NodeId n)
{
    return binary(c, VM_ADD, memory_cell(c, CELL_PULSE, 64, n), impulse_share(c, n), n);
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

// Between instants: the difference to the end of the step before. Where no time has passed since then, and in a
// reaction, it is what it was there; pulses come on top.
Lowered numeric_difference(Compiler* c, Phase phase, NodeId n, Lowered u)
{
    Scalars* s = &c->scalars;
    if (s->list.at[u.value].fixed)
        return (Lowered){number(c, 0), u.present};
    ScalarId before = memory_cell(c, CELL_STEP, 65, n);
    if (phase == PHASE_REACT)
        return (Lowered){node_order(c, n) < 0 ? before : binary(c, VM_ADD, before, numeric_pulse(c, n), n), u.present};
    ScalarId last = last_value(c, c->flat->nodes.at[n].arg[0]);
    ScalarId slope = binary(c, VM_DIV, binary(c, VM_SUB, u.value, last, n), step_length(c, n), n);
    ScalarId known = scalar_select(s, binary(c, VM_EQ, last, last, n), slope, number(c, 0));  // absent before: NaN
    return (Lowered){scalar_select(s, binary(c, VM_EQ, reg(c, c->time), reg(c, c->step.from), n), before, known),
                     u.present};
}

// What a state adds to the integral over it in the step of the pulses: h times what the pulses added to it.
ScalarId numeric_state_share(Compiler* c, ScalarId moved, Span span)
{
    return scalar_make(&c->scalars, VM_MUL, reg(c, c->step.length), moved, 0, span);
}
