// Bond graphs fall into parts that do not see each other at an instant: a source on a junction imposes its effort or flow on
// all around it, and a storage that no set of modes can make dependent (a C on a 0-junction, an I on a 1-junction) keeps its
// own, so that it is a source for each of its neighbours. 20 switches in a chain of cells are then a few small questions.
#include "prove/circuit.h"

#include "elab/constant.h"

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    for (; parent[i] != i; i = parent[i])
        parent[i] = parent[parent[i]];
    return i;
}

static const FlatBondNode* node_at(const Encoder* e, uint32_t n)
{
    return &e->flat->bond_nodes.at[n];
}

static uint32_t other_end(const Encoder* e, uint32_t bond, uint32_t node)
{
    const FlatBond* b = &e->flat->bonds.at[bond];
    return b->from == node ? b->to : b->from;
}

static bool is_resistor(const Encoder* e, uint32_t n)
{
    double r;
    const FlatBondNode* node = node_at(e, n);
    if (node->kind != FLAT_R || node->law != 0 || node->free)
        return false;
    NodeId init = e->flat->vars.at[node->parameter].init;
    return init != 0 && flat_eval_const(e->flat, init, &r) && r > 0;
}

// A junction of the other kind that has a resistor or the dual storage of its own: it imposes nothing on its neighbours.
static bool is_soft(const Encoder* e, uint32_t n, FlatBondKind kind, FlatBondKind storage)
{
    const FlatBondNode* node = node_at(e, n);
    for (uint32_t i = 0; node->kind == kind && i < node->bonds.count; i++)
    {
        uint32_t other = other_end(e, node->bonds.at[i], n);
        if (is_resistor(e, other) || (node_at(e, other)->kind == storage && node_at(e, other)->law == 0))
            return true;
    }
    return false;
}

static uint32_t only_end(const Encoder* e, uint32_t n)
{
    return other_end(e, node_at(e, n)->bonds.at[0], n);
}

// The junction of a source that imposes its effort or flow alone, + 1; 0: none.
static uint32_t driven_junction(const Encoder* e, uint32_t n)
{
    const FlatBondNode* node = node_at(e, n);
    if (node->kind > FLAT_SF || node->bonds.count != 1)
        return 0;
    uint32_t j = only_end(e, n);
    const FlatBondNode* junction = node_at(e, j);
    if (junction->kind != (node->kind == FLAT_SE ? FLAT_J0 : FLAT_J1) || junction->machine != 0)
        return 0;
    for (uint32_t i = 0; i < junction->bonds.count; i++)
    {
        uint32_t other = other_end(e, junction->bonds.at[i], j);
        if (other != n && node_at(e, other)->kind == node->kind)
            return 0;
    }
    return j + 1;
}

// The junction of a storage that is never dependent, + 1; 0: it may be.
static uint32_t independent_junction(const Encoder* e, uint32_t n)
{
    const FlatBondNode* node = node_at(e, n);
    bool charge = node->kind == FLAT_C;
    if (node->extensity == NO_VAR || node->law != 0 || node->free || node->bonds.count != 1)
        return 0;
    uint32_t j = other_end(e, node->bonds.at[0], n);
    const FlatBondNode* junction = node_at(e, j);
    if (junction->kind != (charge ? FLAT_J0 : FLAT_J1) || junction->machine != 0)
        return 0;
    for (uint32_t i = 0; i < junction->bonds.count; i++)
    {
        uint32_t other = other_end(e, junction->bonds.at[i], j);
        bool soft = is_soft(e, other, charge ? FLAT_J1 : FLAT_J0, charge ? FLAT_I : FLAT_C);
        if (other != n && !is_resistor(e, other) && !soft)
            return 0;
    }
    return j + 1;
}

static void join_bonds(const Encoder* e, uint32_t* parent)
{
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
    {
        const FlatBondNode* node = node_at(e, n);
        for (uint32_t i = 1; e->circuits->keeper[n] == 0 && i < node->bonds.count; i++)
            parent[root_of(parent, node->bonds.at[i])] = root_of(parent, node->bonds.at[0]);
    }
}

static void fill_parts(Encoder* e, uint32_t* parent)
{
    Circuits* c = e->circuits;
    uint32_t* number = arena_array(e->arena, uint32_t, e->flat->bonds.count + 1);
    for (uint32_t b = 0; b < e->flat->bonds.count; b++)
    {
        uint32_t root = root_of(parent, b);
        if (number[root] == 0)
        {
            vec_push(e->arena, c->parts, (CircuitPart){.graph = e->flat->bonds.at[b].graph});
            number[root] = c->parts.count;
        }
        c->part_of[b] = number[root] - 1;
        vec_push(e->arena, c->parts.at[number[root] - 1].bonds, b);
    }
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
        if (node_at(e, n)->bonds.count > 0 && c->keeper[n] == 0)
            vec_push(e->arena, c->parts.at[c->part_of[node_at(e, n)->bonds.at[0]]].nodes, n);
}

void parts_find(Encoder* e)
{
    Circuits* c = e->circuits;
    uint32_t bonds = e->flat->bonds.count;
    c->keeper = arena_array(e->arena, uint32_t, e->flat->bond_nodes.count + 1);
    c->part_of = arena_array(e->arena, uint32_t, bonds + 1);
    for (uint32_t n = 0; n < e->flat->bond_nodes.count; n++)
    {
        uint32_t j = driven_junction(e, n);
        j = j != 0 ? j : independent_junction(e, n);
        if (j == 0)
            continue;
        c->keeper[j - 1] = n + 1;
        c->keeper[n] = n + 1;
    }
    uint32_t* parent = arena_array(e->arena, uint32_t, bonds + 1);
    for (uint32_t b = 0; b < bonds; b++)
        parent[b] = b;
    join_bonds(e, parent);
    fill_parts(e, parent);
}
