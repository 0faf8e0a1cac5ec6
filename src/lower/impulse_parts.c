// The impulse part of an expression in a reaction: the weight of δ⁽ᵏ⁾, by the rule of every operator (rule V4; paper
// 003, section 3). Products follow Leibniz, u δ⁽ⁱ⁾ = Σₖ (-1)ᵏ C(i,k) u⁽ᵏ⁾ δ⁽ⁱ⁻ᵏ⁾, with exact derivatives along the
// flow. What may go wrong only at run time leaves a fault: a condition that stops the run with a sentence.
#include "lower/compiler.h"

static ScalarId number(Compiler* c, double value)
{
    return scalar_const(&c->scalars, value);
}

static bool is_zero(Compiler* c, ScalarId s)
{
    double v;
    return scalar_is_const(&c->scalars, s, &v) && v == 0;
}

static ScalarId binary(Compiler* c, VmOp op, ScalarId a, ScalarId b, Span span)
{
    return scalar_make(&c->scalars, op, a, b, 0, span);
}

static ScalarId sum(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    if (is_zero(c, a))
        return b;
    return is_zero(c, b) ? a : binary(c, VM_ADD, a, b, span);
}

static ScalarId negative(Compiler* c, ScalarId a, Span span)
{
    return is_zero(c, a) ? a : scalar_make(&c->scalars, VM_NEG, a, 0, 0, span);
}

static uint32_t node_ctx(const Compiler* c, NodeId n)
{
    uint32_t ctx = n < c->node_ctxs.count ? c->node_ctxs.at[n] : 0;
    return ctx == CTX_UNUSED ? 0 : ctx;
}

// ---- jumps
// -----------------------------------------------------------------------------------------------------------

ScalarId last_value(Compiler* c, NodeId node)
{
    uint64_t key = (uint64_t)1 << 40 | node;
    uint32_t index;
    if (!map_get(&c->cell_index, key, &index))
    {
        index = c->cells.count;
        map_set(&c->cell_index, key, index);
        Cell cell = {.kind = CELL_LAST, .node = node, .ctx = node_ctx(c, node), .latch_present = NO_REG};
        cell.latch = compiler_reg(c, REG_MEMORY);
        vec_push(c->arena, c->cells, cell);
    }
    return scalar_reg(&c->scalars, c->cells.at[index].latch);
}

// How far the regular part has jumped since the tag before.
static ScalarId jump(Compiler* c, NodeId node)
{
    Lowered now = lower(c, PHASE_REACT, node);
    bool pulses = c->numeric && node_order(c, node) >= 0;
    if (!node_jumps(c, node) || c->scalars.list.at[now.value].fixed)
        return number(c, 0);
    Span span = c->flat->nodes.at[node].span;
    ScalarId last = last_value(c, node), by = binary(c, VM_SUB, now.value, last, span);
    if (pulses)
        by = numeric_regular_jump(c, node, by);
    // What was absent (NaN) at the tag before has nothing to jump from.
    ScalarId both = scalar_and(&c->scalars, now.present, binary(c, VM_EQ, last, last, span));
    return scalar_select(&c->scalars, both, by, number(c, 0));
}

// Whether it has jumped by more than rounding (1e-12 of its size).
static ScalarId has_jumped(Compiler* c, NodeId node)
{
    ScalarId by = node_jumps_beside_pre(c, node) ? jump(c, node) : number(c, 0);
    if (is_zero(c, by))
        return by;
    Span span = c->flat->nodes.at[node].span;
    ScalarId now = lower(c, PHASE_REACT, node).value;
    ScalarId size = binary(c, VM_ADD, scalar_make(&c->scalars, VM_ABS, now, 0, 0, span),
                           scalar_make(&c->scalars, VM_ABS, last_value(c, node), 0, 0, span), span);
    return binary(c, VM_LT, binary(c, VM_MUL, number(c, 1e-12), size, span),
                  scalar_make(&c->scalars, VM_ABS, by, 0, 0, span), span);
}

// ---- faults
// ----------------------------------------------------------------------------------------------------------

static ScalarId any_impulse(Compiler* c, NodeId n)
{
    ScalarId any = number(c, 0);
    for (int k = 0; k <= node_order(c, n); k++)
        any = scalar_or(&c->scalars, any,
                        binary(c, VM_NE, impulse_part(c, n, k), number(c, 0), c->flat->nodes.at[n].span));
    return any;
}

static void add_fault(Compiler* c, DiagCode code, NodeId n, ScalarId condition, const char* text)
{
    if (is_zero(c, condition))
        return;
    FaultInfo fault = {node_ctx(c, n), condition, text, c->flat->nodes.at[n].span, code};
    vec_push(c->arena, c->faults, fault);
}

// An operand with its place; of a name the place at which it is declared.
static const char* operand(Compiler* c, NodeId n)
{
    const Node* node = &c->flat->nodes.at[n];
    kaiPlace at = sources_place(c->sources, node->op == NODE_VAR ? c->flat->vars.at[node->aux].span : node->span);
    const char* text = flat_text(c->flat, c->arena, n);
    if (at.file == NULL)
        return arena_printf(c->arena, "`%s`", text);
    return arena_printf(c->arena, "`%s` (%s:%d:%d)", text, at.file, at.line, at.column);
}

// Once per node, when its first part is asked for.
static void watch_product(Compiler* c, NodeId n, NodeId u, NodeId v)
{
    const char* names = arena_printf(c->arena, "%s and %s", operand(c, u), operand(c, v));
    if (node_order(c, u) >= 0)
        add_fault(c, K_IMPULSE_PRODUCT, n, scalar_and(&c->scalars, any_impulse(c, u), any_impulse(c, v)),
                  arena_printf(c->arena, "a product of two impulses, %s", names));
    Span span = c->flat->nodes.at[n].span;
    ScalarId moved = has_jumped(c, u);
    NodeId derivative = u;
    for (int i = 1; i <= node_order(c, v) && !c->numeric; i++)  // nor may the derivatives that Leibniz takes
    {
        derivative = flat_node(c->flat, NODE_DER, TYPE_REAL, derivative, 0, 0, 0, 0, span);
        moved = scalar_or(&c->scalars, moved, has_jumped(c, derivative));
    }
    add_fault(c, K_IMPULSE_JUMP, n, scalar_and(&c->scalars, any_impulse(c, v), moved),
              arena_printf(c->arena, "an impulse times a signal that jumps at the same tag, %s", names));
}

static void watch_decision(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    ScalarId impulse = scalar_or(&c->scalars, any_impulse(c, node.arg[1]), any_impulse(c, node.arg[2]));
    ScalarId now = lower(c, PHASE_REACT, node.arg[0]).value;
    ScalarId last = last_value(c, node.arg[0]);
    ScalarId turned =
        scalar_and(&c->scalars, binary(c, VM_NE, now, last, node.span), binary(c, VM_EQ, last, last, node.span));
    const char* text = arena_printf(c->arena, "a decision that switches exactly at an impulse, %s or %s",
                                    operand(c, node.arg[1]), operand(c, node.arg[2]));
    add_fault(c, K_IMPULSE_DECISION, n, scalar_and(&c->scalars, impulse, turned), text);
}

// ---- products
// --------------------------------------------------------------------------------------------------------

static double binomial(int n, int k)
{
    double out = 1;
    for (int i = 1; i <= k; i++)
        out = out * (n - k + i) / i;
    return out;
}

// δ⁽ᵏ⁾ in u·V, where u (a lowered expression) carries no impulse.
static ScalarId leibniz(Compiler* c, NodeId n, ScalarId u, NodeId v, int k)
{
    Span span = c->flat->nodes.at[n].span;
    ScalarId total = number(c, 0), derivative = u;
    for (int i = k; i <= (c->numeric ? k : node_order(c, v)); i++)
    {
        ScalarId weight = impulse_part(c, v, i);
        if (i > k)
            derivative = flow_derivative(c, derivative);
        double factor = ((i - k) % 2 ? -1 : 1) * binomial(i, i - k);
        if (is_zero(c, weight) || is_zero(c, derivative))
            continue;
        ScalarId scaled = factor == 1 ? derivative : binary(c, VM_MUL, number(c, factor), derivative, span);
        total = sum(c, total, binary(c, VM_MUL, scaled, weight, span), span);
    }
    return total;
}

static ScalarId product_part(Compiler* c, NodeId n, NodeId a, NodeId b, int k)
{
    ScalarId left = leibniz(c, n, lower(c, PHASE_REACT, a).value, b, k);
    ScalarId right = leibniz(c, n, lower(c, PHASE_REACT, b).value, a, k);
    return sum(c, left, right, c->flat->nodes.at[n].span);
}

static ScalarId quotient_part(Compiler* c, NodeId n, int k)
{
    const Node node = c->flat->nodes.at[n];
    ScalarId inverse = binary(c, VM_DIV, number(c, 1), lower(c, PHASE_REACT, node.arg[1]).value, node.span);
    return leibniz(c, n, inverse, node.arg[0], k);
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

// pre(x) hands the impulse of the tag before on to this one.
static ScalarId pre_part(Compiler* c, NodeId n, int k)
{
    uint64_t key = (uint64_t)(2 + k) << 40 | n;
    uint32_t index;
    if (!map_get(&c->cell_index, key, &index))
    {
        index = c->cells.count;
        map_set(&c->cell_index, key, index);
        Cell cell = {.kind = CELL_PRE_IMPULSE, .node = n, .index = (uint32_t)k, .latch_present = NO_REG};
        cell.latch = compiler_reg(c, REG_MEMORY);
        vec_push(c->arena, c->cells, cell);
    }
    return scalar_reg(&c->scalars, c->cells.at[index].latch);
}

// delay(u, T) delays impulses too: each order goes through the queue like an event.
static ScalarId delay_part(Compiler* c, NodeId n, int k)
{
    uint64_t key = (uint64_t)(32 + k) << 40 | n;
    uint32_t index;
    if (!map_get(&c->cell_index, key, &index))
    {
        index = c->cells.count;
        map_set(&c->cell_index, key, index);
        Cell cell = {.kind = CELL_DELAY_IMPULSE, .node = n, .ctx = node_ctx(c, n)};
        cell.index = c->delay_count++;
        cell.side = (SymReg)k;
        cell.latch = compiler_reg(c, REG_MEMORY);
        cell.latch_present = compiler_reg(c, REG_MEMORY);
        vec_push(c->arena, c->cells, cell);
    }
    const Cell* cell = &c->cells.at[index];
    return scalar_select(&c->scalars, scalar_reg(&c->scalars, cell->latch_present),
                         scalar_reg(&c->scalars, cell->latch), number(c, 0));
}

// ---- parts
// -----------------------------------------------------------------------------------------------------------

static ScalarId make_part(Compiler* c, NodeId n, int k)
{
    const Node node = c->flat->nodes.at[n];
    NodeId a = node.arg[0], b = node.arg[1];
    Span s = node.span;
    switch (node.op)
    {
    case NODE_VAR: return scalar_reg(&c->scalars, c->vars.at[node.aux].first_impulse + (uint32_t)k);
    case NODE_DELTA:
        return scalar_select(
            &c->scalars, scalar_and(&c->scalars, lower(c, PHASE_REACT, a).present, lower(c, PHASE_REACT, b).present),
            lower(c, PHASE_REACT, b).value, number(c, 0));
    case NODE_ADD: return sum(c, impulse_part(c, a, k), impulse_part(c, b, k), s);
    case NODE_SUB: return sum(c, impulse_part(c, a, k), negative(c, impulse_part(c, b, k), s), s);
    case NODE_NEG: return negative(c, impulse_part(c, a, k), s);
    case NODE_SMOOTH:
    case NODE_VALUE: return impulse_part(c, a, k);
    case NODE_MUL: return product_part(c, n, a, b, k);
    case NODE_DIV: return quotient_part(c, n, k);
    case NODE_IF:
        return scalar_select(&c->scalars, lower(c, PHASE_REACT, a).value, impulse_part(c, b, k),
                             impulse_part(c, node.arg[2], k));
    case NODE_DEFAULT:
        return scalar_select(&c->scalars, lower(c, PHASE_REACT, a).present, impulse_part(c, a, k),
                             impulse_part(c, b, k));
    case NODE_DER: return k == 0 ? jump(c, a) : impulse_part(c, a, k - 1);
    case NODE_PRE: return pre_part(c, n, k);
    case NODE_DELAY: return delay_part(c, n, k);
    default: return number(c, 0);
    }
}

ScalarId impulse_made(Compiler* c, NodeId n, int k)
{
    const Node node = c->flat->nodes.at[n];
    ScalarId part = make_part(c, n, k);
    if (node.op != NODE_DER)
        return part;
    return scalar_select(&c->scalars, lower(c, PHASE_REACT, node.arg[0]).present, part, number(c, 0));
}

static void watch(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    if (node.op == NODE_MUL && node_order(c, node.arg[1]) >= 0)
        watch_product(c, n, node.arg[0], node.arg[1]);
    if (node.op == NODE_MUL && node_order(c, node.arg[0]) >= 0)
        watch_product(c, n, node.arg[1], node.arg[0]);
    if (node.op == NODE_DIV)
        watch_product(c, n, node.arg[1], node.arg[0]);
    if (node.op == NODE_IF)
        watch_decision(c, n);
}

ScalarId impulse_part(Compiler* c, NodeId n, int k)
{
    if (k < 0 || node_order(c, n) < k)
        return number(c, 0);
    uint32_t known;
    uint64_t key = (uint64_t)n * 16 + (uint64_t)k;
    if (map_get(&c->impulse_index, key, &known))
        return known;
    ScalarId part = make_part(c, n, k);
    if (c->flat->nodes.at[n].op != NODE_VAR)  // what is absent carries no impulse (rule V1)
        part = scalar_select(&c->scalars, lower(c, PHASE_REACT, n).present, part, number(c, 0));
    map_set(&c->impulse_index, key, part);
    if (k == 0)
        watch(c, n);
    return part;
}
