// Ratios that vary, and slopes between storages that depend on each other: a crank, a cam, a saturating coil behind a
// switch. The map of a set of modes is made with a nominal ratio n₀ or slope S₀; what it lacks to the present one goes
// into the inputs, and what the derivative of the constraint lacks into their slopes (index reduction, rule B2):
//
//   row of a TF or GY    y = n x:   b = (n - n₀) x    b' = n' x + (n - n₀) x'    x' a row of its own (`rate`)
//   row of a storage     e = e(q):                    b' = e' - S₀ f
//
// All of them are linear in what is unknown, and are solved with the block they belong to. At an instant the run takes
// the present ratios themselves (kernel/present.c), so that an impulse goes through the ratio that is there.
#include "elab/bond_map.h"

typedef struct Varying
{
    BondMap* map;
    Elab* e;
    uint32_t index;
    Span span;
} Varying;

static NodeId read(const Varying* v, uint32_t var)
{
    return flat_var(v->e->flat, var, v->span);
}

static NodeId operate(const Varying* v, NodeOp op, NodeId a, NodeId b)
{
    return flat_node(v->e->flat, op, TYPE_REAL, a, b, 0, 0, 0, v->span);
}

// The slope of what hangs on it in turn.
static NodeId slope_of(const Varying* v, NodeId value)
{
    v->e->flat->endless_slopes = true;
    return flat_node(v->e->flat, NODE_SLOPE, TYPE_REAL, value, 0, 0, 1, 0, v->span);
}

static FlatBondNode* node_of(const Varying* v)
{
    return &v->e->flat->bond_nodes.at[v->index];
}

// The ratio or slope of the equations times a variable.
static NodeId nominal(const Varying* v, uint32_t var)
{
    Flat* flat = v->e->flat;
    if (node_of(v)->nominal == 0)
        node_of(v)->nominal = ++flat->coefficient_count;
    NodeId value = operate(v, NODE_REGULAR, read(v, var), 0);
    return flat_node(flat, NODE_MAP, TYPE_REAL, operate(v, NODE_LIST, value, 0), 0, 0, node_of(v)->nominal - 1, 0,
                     v->span);
}

static uint32_t solved(const Varying* v, const char* what, NodeId value)
{
    uint32_t var = bond_hidden_signal(v->e, what, v->span);
    NodeId residual = operate(v, NODE_SUB, value, read(v, var));
    vec_push(v->e->arena, v->e->flat->implicits, (FlatImplicit){.var = var, .residual = residual, .span = v->span});
    return var;
}

// The derivative of an effort or flow of the node: a row of its own, unless sources and storages give it in any mode.
static uint32_t rate_of(const Varying* v, int side, bool flow, uint32_t var)
{
    BondMap* map = v->map;
    BondTerm term;
    bond_terms(v->e->flat->bond_graph, (int)v->index, side, flow, &term);
    uint32_t rate = bond_hidden_signal(v->e, "rate", v->span);
    FlatBondOutput output = {.var = rate, .area = NO_VAR, .mapped = true, .rate = true};
    vec_push(v->e->arena, output.terms, term);
    if (bond_map_knows(map, &output))
        var_add_def(v->e, rate, 0, 0, slope_of(v, read(v, var)), v->span);
    else
        vec_push(v->e->arena, map->graph->outputs, output);
    return rate;
}

// Row `row` of a TF or GY, with x the effort or flow that the ratio multiplies. The residual is b less what b should
// be, not that of y = n x: a set of modes may give y and x both by other rows, and b would be in neither.
static void ratio_input(const Varying* v, uint32_t row)
{
    const FlatBondNode node = *node_of(v);
    bool gyrator = node.kind == BOND_GY, flow = gyrator || row == 1;
    int side = row == 0 ? 1 : 0;
    uint32_t x = side == 1 ? (flow ? node.f2 : node.e2) : flow ? node.f : node.e;
    NodeId ratio = read(v, node.parameter);
    NodeId value = operate(v, NODE_SUB, operate(v, NODE_MUL, ratio, read(v, x)), nominal(v, x));
    FlatBondInput input = {.node = v->index, .port = row, .slope = NO_VAR, .by = NO_VAR};
    if (v->map->may_depend[node.local])
    {
        uint32_t rate = rate_of(v, side, flow, x);
        NodeId turns = operate(v, NODE_MUL, slope_of(v, ratio), read(v, x));
        NodeId moves = operate(v, NODE_SUB, operate(v, NODE_MUL, ratio, read(v, rate)), nominal(v, rate));
        input.by = rate;
        input.slope = solved(v, "slope", operate(v, NODE_ADD, turns, moves));
    }
    input.var = solved(v, "free", value);
    vec_push(v->e->arena, v->map->graph->inputs, input);
}

static void storage_slope(const Varying* v)
{
    const FlatBondNode node = *node_of(v);
    uint32_t imposed = node.kind == BOND_C ? node.e : node.f, moved = node.kind == BOND_C ? node.f : node.e;
    NodeId slope = operate(v, NODE_SUB, slope_of(v, read(v, imposed)), nominal(v, moved));
    FlatBondInput input = {.node = v->index, .var = imposed, .by = moved};
    v->e->flat->solves_slopes = true;
    input.slope = solved(v, "slope", slope);
    vec_push(v->e->arena, v->map->graph->inputs, input);
}

bool bond_varying_inputs(BondMap* map, uint32_t index)
{
    Elab* e = map->e;
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    Varying v = {.map = map, .e = e, .index = index, .span = node->span};
    bool modulated = node->parameter != NO_VAR && e->flat->vars.at[node->parameter].kind != VAR_PARAM;
    if (bond_is_two_port(node->kind) && node->free)
    {
        ratio_input(&v, 0);
        ratio_input(&v, 1);
        return true;
    }
    if (!map->may_depend[node->local])
        return false;
    if (node->extensity == NO_VAR || (node->law == 0 && !modulated))
        return false;
    storage_slope(&v);
    return true;
}
