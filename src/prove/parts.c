// Bond graphs fall into parts that do not see each other at an instant: a source on a junction imposes its effort or
// flow on all around it, and a storage that no set of modes can make dependent (a C on a 0-junction, an I on a
// 1-junction) keeps its own, so that it is a source for each of its neighbours. 20 switches in a chain of cells are
// then a few small questions.
#include "prove/circuit.h"

#include "base/sets.h"
#include "elab/constant.h"

static const FlatBondNode* node_at(const Encoder* e, uint32_t n)
{
    return &e->flat->bond_nodes.at[n];
}

// Bonds of a node, and who is at the other end of one of them.
static uint32_t degree(const Encoder* e, uint32_t node)
{
    return (uint32_t)bond_degree(e->flat->bond_graph, (int)node);
}

static uint32_t bond_of(const Encoder* e, uint32_t node, uint32_t index)
{
    return (uint32_t)bond_at(e->flat->bond_graph, (int)node, (int)index);
}

static uint32_t neighbour(const Encoder* e, uint32_t node, uint32_t index)
{
    return (uint32_t)bond_other_end(e->flat->bond_graph, (int)bond_of(e, node, index), (int)node);
}

static bool is_resistor(const Encoder* e, uint32_t n)
{
    double r;
    const FlatBondNode* node = node_at(e, n);
    if (node->kind != BOND_R || node->law != 0 || node->free)
        return false;
    NodeId init = e->flat->vars.at[node->parameter].init;
    return init != 0 && flat_eval_const(e->flat, init, &r) && r > 0;
}

// A junction of the other kind that has a resistor or the dual storage of its own: it imposes nothing on its
// neighbours.
static bool is_soft(const Encoder* e, uint32_t n, BondKind kind, BondKind storage)
{
    const FlatBondNode* node = node_at(e, n);
    for (uint32_t i = 0; node->kind == kind && i < degree(e, n); i++)
    {
        uint32_t other = neighbour(e, n, i);
        if (is_resistor(e, other) || (node_at(e, other)->kind == storage && node_at(e, other)->law == 0))
            return true;
    }
    return false;
}

// Junctions of one kind that are bonded to each other share their effort (or flow), whatever switches elsewhere.
typedef struct Cluster
{
    VEC(uint32_t) junctions;
} Cluster;

static bool in_cluster(const Cluster* c, uint32_t n)
{
    for (uint32_t i = 0; i < c->junctions.count; i++)
        if (c->junctions.at[i] == n)
            return true;
    return false;
}

static Cluster find_cluster(Encoder* e, uint32_t junction)
{
    Cluster c = {0};
    vec_push(e->arena, c.junctions, junction);
    for (uint32_t k = 0; k < c.junctions.count; k++)
    {
        uint32_t j = c.junctions.at[k];
        for (uint32_t i = 0; i < degree(e, j); i++)
        {
            uint32_t other = neighbour(e, j, i);
            bool same = node_at(e, other)->kind == node_at(e, junction)->kind && node_at(e, other)->machine == 0;
            if (same && !in_cluster(&c, other))
                vec_push(e->arena, c.junctions, other);
        }
    }
    return c;
}

// All around the cluster but the keeper itself: none imposes what the keeper does.
static bool is_kept(Encoder* e, const Cluster* c, uint32_t keeper)
{
    bool source = bond_is_source(node_at(e, keeper)->kind), effort = !bond_imposes_flow(node_at(e, keeper)->kind);
    for (uint32_t k = 0; k < c->junctions.count; k++)
    {
        for (uint32_t i = 0; i < degree(e, c->junctions.at[k]); i++)
        {
            uint32_t other = neighbour(e, c->junctions.at[k], i);
            if (other == keeper || in_cluster(c, other) || is_resistor(e, other))
                continue;
            bool rival = node_at(e, other)->kind == (effort ? BOND_SE : BOND_SF);
            bool soft = is_soft(e, other, effort ? BOND_J1 : BOND_J0, effort ? BOND_I : BOND_C);
            if (rival || (!source && !soft))
                return false;
        }
    }
    return true;
}

// Marks the junctions around a source, or around a storage that is never dependent.
static void mark_keeper(Encoder* e, uint32_t n)
{
    const FlatBondNode* node = node_at(e, n);
    bool storage = node->extensity != NO_VAR && node->law == 0 && !node->free && node->matrix == NO_VAR;
    if ((!bond_is_source(node->kind) && !storage) || degree(e, n) != 1)
        return;
    bool effort = !bond_imposes_flow(node->kind);
    uint32_t j = neighbour(e, n, 0);
    if (node_at(e, j)->kind != (effort ? BOND_J0 : BOND_J1) || node_at(e, j)->machine != 0 ||
        e->circuits->keeper[j] != 0)
        return;
    Cluster c = find_cluster(e, j);
    if (!is_kept(e, &c, n))
        return;
    e->circuits->keeper[n] = n + 1;
    for (uint32_t k = 0; k < c.junctions.count; k++)
        e->circuits->keeper[c.junctions.at[k]] = n + 1;
}

static void join_bonds(const Encoder* e, uint32_t* parent)
{
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
        for (uint32_t i = 1; e->circuits->keeper[n] == 0 && i < degree(e, n); i++)
            parent[sets_root(parent, bond_of(e, n, i))] = sets_root(parent, bond_of(e, n, 0));
}

static void fill_parts(Encoder* e, uint32_t* parent)
{
    Circuits* c = e->circuits;
    uint32_t* number = arena_array(e->arena, uint32_t, e->flat->bonds.count + 1);
    for (uint32_t b = 0; b < e->flat->bonds.count; b++)
    {
        uint32_t root = sets_root(parent, b);
        if (number[root] == 0)
        {
            const BondGraph* graph = e->flat->bond_graph;
            uint32_t component = (uint32_t)graph->component_of[graph->bonds[b].from];
            vec_push(e->arena, c->parts, (CircuitPart){.graph = component});
            number[root] = c->parts.count;
        }
        c->part_of[b] = number[root] - 1;
        vec_push(e->arena, c->parts.at[number[root] - 1].bonds, b);
    }
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
        if (degree(e, n) > 0 && c->keeper[n] == 0)
            vec_push(e->arena, c->parts.at[c->part_of[bond_of(e, n, 0)]].nodes, n);
}

void parts_find(Encoder* e)
{
    Circuits* c = e->circuits;
    uint32_t bonds = e->flat->bonds.count;
    c->keeper = arena_array(e->arena, uint32_t, e->flat->bond_nodes.count + 1);
    c->part_of = arena_array(e->arena, uint32_t, bonds + 1);
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
        mark_keeper(e, n);
    uint32_t* parent = arena_array(e->arena, uint32_t, bonds + 1);
    for (uint32_t b = 0; b < bonds; b++)
        parent[b] = b;
    join_bonds(e, parent);
    fill_parts(e, parent);
}
