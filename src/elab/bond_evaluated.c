// Laws whose causality fits are evaluated, not solved: where the pressure at an orifice is that of a tank in any mode,
// its flow is a source, f = law(e). No iteration, no slope: a root of 0 is 0. What such sources give makes further
// efforts and flows known, and so further laws.
#include "elab/bond_map.h"

static NodeId operate(const BondMap* m, NodeOp op, NodeId a, NodeId b, Span span)
{
    return flat_node(m->e->flat, op, TYPE_REAL, a, b, 0, 0, 0, span);
}

// Classes that follow from what sources and storages impose in any mode by the sums of plain junctions. The blocks know
// fewer of them, because they hold junctions as a whole.
typedef struct Known
{
    BondMap* map;
    bool* classes;
    bool* excluded;  // nodes whose argument is not known after all
} Known;

static bool sum_gives(const Known* k, int node, int* class)
{
    const BondGraph* graph = k->map->local;
    bool flow = graph->nodes[node].kind == BOND_J0;
    int open = 0;
    if (!bond_is_junction(graph->nodes[node].kind) || graph->nodes[node].switch_index >= 0)
        return false;
    for (int i = 0; i < bond_degree(graph, node); i++)
    {
        int one = graph->class_of[2 * bond_at(graph, node, i) + flow];
        open += !k->classes[one];
        *class = k->classes[one] ? *class : one;
    }
    return open == 1;
}

static void find_known(Known* k)
{
    const BondGraph* graph = k->map->local;
    bool found = true;
    for (int c = 0; c < graph->class_count; c++)
        k->classes[c] = k->map->blocks->place[c] == BOND_KNOWN;
    while (found)
    {
        found = false;
        for (int n = 0; n < graph->node_count; n++)
        {
            int class = -1;
            if (!sum_gives(k, n, &class))
                continue;
            k->classes[class] = found = true;
        }
    }
}

static int class_at(const BondMap* m, int node, bool flow)
{
    return m->local->class_of[2 * bond_at(m->local, node, 0) + flow];
}

// What the resistor gives: by its law, or by r f and e/r.
static NodeId given_value(const BondMap* m, const FlatBondNode* node, bool flow)
{
    Flat* flat = m->e->flat;
    if (node->law)
        return node->law;
    NodeId r = flat_var(flat, node->parameter, node->span);
    NodeId other = flat_var(flat, flow ? node->e : node->f, node->span);
    return operate(m, flow ? NODE_DIV : NODE_MUL, other, r, node->span);
}

// Whether its law gives the flow from the effort, or the reverse; false: neither is known.
static bool fits(const Known* k, int index, bool* flow)
{
    const BondMap* m = k->map;
    const FlatBondNode* node = &m->e->flat->bond_nodes.at[m->graph->nodes.at[index]];
    if (node->kind != BOND_R || !node->free || k->excluded[index] || m->local->nodes[index].kind != BOND_R)
        return false;
    *flow = node->law ? node->law_gives_flow : !k->classes[class_at(m, index, true)];
    return k->classes[class_at(m, index, !*flow)];
}

// Puts sources in the places of laws that fit until no more do.
static void replace(Known* k)
{
    BondMap* m = k->map;
    for (bool found = true, flow = false; found;)
    {
        found = false;
        m->blocks = bond_blocks_create(m->local, m->e->arena);
        find_known(k);
        for (int i = 0; i < m->local->node_count; i++)
            if (fits(k, i, &flow))
            {
                m->local->nodes[i].kind = flow ? BOND_SF : BOND_SE;
                found = true;
            }
    }
}

// Replaced laws whose argument is not known to the blocks stay resistors. False: there are none.
static bool exclude(Known* k)
{
    BondMap* m = k->map;
    bool any = false;
    for (int i = 0; i < m->local->node_count; i++)
    {
        bool flow = m->local->nodes[i].kind == BOND_SF;
        if (m->e->flat->bond_nodes.at[m->graph->nodes.at[i]].kind != BOND_R || m->local->nodes[i].kind == BOND_R)
            continue;
        m->local->nodes[i].kind = BOND_R;
        if (m->blocks->place[class_at(m, i, !flow)] == BOND_KNOWN)
            m->local->nodes[i].kind = flow ? BOND_SF : BOND_SE;
        else
            k->excluded[i] = any = true;
    }
    for (int i = 0; i < m->local->node_count && any; i++)
        if (m->e->flat->bond_nodes.at[m->graph->nodes.at[i]].kind == BOND_R)
            m->local->nodes[i].kind = BOND_R;
    return any;
}

static void define(BondMap* m, int index)
{
    FlatBondNode* node = &m->e->flat->bond_nodes.at[m->graph->nodes.at[index]];
    bool flow = m->local->nodes[index].kind == BOND_SF;
    uint32_t given = bond_hidden_signal(m->e, "law", node->span);
    NodeId value = given_value(m, node, flow);
    if (flow && bond_sign(m->local, bond_at(m->local, index, 0), index) < 0)  // sources count along their bond
        value = operate(m, NODE_NEG, value, 0, node->span);
    var_add_def(m->e, given, 0, 0, value, node->span);
    node->acts = m->local->nodes[index].kind;
    node->given = given;
}

void bond_find_evaluated(BondMap* m)
{
    Known k = {.map = m};
    k.classes = arena_array(m->e->arena, bool, m->local->class_count + 1);
    k.excluded = arena_array(m->e->arena, bool, m->local->node_count + 1);
    do
        replace(&k);
    while (exclude(&k));
    for (int i = 0; i < m->local->node_count; i++)
        if (m->e->flat->bond_nodes.at[m->graph->nodes.at[i]].kind != m->local->nodes[i].kind)
            define(m, i);
}

// ---- laws in loops

static bool reads_var(const Flat* flat, NodeId id, uint32_t var)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_VAR)
        return node->aux == var;
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        if (node->arg[i] && reads_var(flat, node->arg[i], var))
            return true;
    return false;
}

// Factors of a product: whether one is a sign of the variable, and another reads it.
static void count_factors(const Flat* flat, NodeId id, uint32_t var, bool* sign, bool* other)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_MUL || node->op == NODE_NEG)
    {
        count_factors(flat, node->arg[0], var, sign, other);
        if (node->op == NODE_MUL)
            count_factors(flat, node->arg[1], var, sign, other);
    }
    else if (reads_var(flat, id, var))
        *(node->op == NODE_SIGN ? sign : other) = true;
}

static bool has_signed_size(const Flat* flat, NodeId id, uint32_t var)
{
    const Node* node = &flat->nodes.at[id];
    bool sign = false, other = false;
    if (node->op == NODE_MUL)
        count_factors(flat, id, var, &sign, &other);
    for (int i = 0; i < node_op_arity((NodeOp)node->op) && !(sign && other); i++)
        if (node->arg[i] && has_signed_size(flat, node->arg[i], var))
            return true;
    return sign && other;
}

// sign(e)*sqrt(abs(e)) is one smooth law with two branches. As an event, the sign would stay 0 where the run starts at
// rest, and a loop has no solution then: it is read where it is instead. The sign stands beside it as a signal of its
// own, so that its level is watched: what comes to rest there in finite time does so at an event (rule C7). Friction,
// F*sign(f), keeps its event.
NodeId bond_law_in_loop(Elab* e, const FlatBondNode* node)
{
    uint32_t var = node->law_gives_flow ? node->e : node->f;
    if (!has_signed_size(e->flat, node->law, var))
        return node->law;
    NodeId argument = flat_var(e->flat, var, node->span);
    uint32_t side = bond_hidden_signal(e, "side", node->span);
    var_add_def(e, side, 0, 0, flat_node(e->flat, NODE_SIGN, TYPE_REAL, argument, 0, 0, 0, 0, node->span), node->span);
    return flat_node(e->flat, NODE_SMOOTH, TYPE_REAL, node->law, 0, 0, 0, 0, node->span);
}

bool bond_slope_matters(const BondMap* m, uint32_t index)
{
    const FlatBondNode* node = &m->e->flat->bond_nodes.at[index];
    int input = m->local->input_first[node->local];
    if (node->acts == node->kind)
        return true;
    for (int i = 0; i < m->blocks->block_count; i++)
        for (int k = 0; k < m->blocks->blocks[i].input_count && m->blocks->blocks[i].graph->port_count > 0; k++)
            if (m->blocks->blocks[i].inputs[k] == input)
                return true;
    return false;
}
