// The order of the nodes of a flat model: an argument comes before its user. Building keeps it; a pass that replaces a
// node by an expression of younger ones (resolve_areas) breaks it, and the nodes are numbered anew once at the end.
#include "elab/flat.h"

#include <string.h>

bool flat_is_ordered(const Flat* flat)
{
    for (NodeId n = 1; n < flat->nodes.count; n++)
        for (int i = 0; i < 3; i++)
            if (flat->nodes.at[n].arg[i] >= n)
                return false;
    return true;
}

typedef struct Renumber
{
    Flat* flat;
    NodeId* numbers;  // [old]: new, 0 = not yet
    Node* nodes;      // in their new order
    NodeId count;
    VEC(NodeId) stack;
} Renumber;

static void place(Renumber* r, NodeId root)
{
    vec_push(r->flat->arena, r->stack, root);
    while (r->stack.count > 0)
    {
        NodeId n = r->stack.at[r->stack.count - 1];
        const Node* node = &r->flat->nodes.at[n];
        bool ready = true;
        for (int i = 0; i < 3 && r->numbers[n] == 0; i++)
            if (node->arg[i] != 0 && r->numbers[node->arg[i]] == 0)
            {
                vec_push(r->flat->arena, r->stack, node->arg[i]);
                ready = false;
            }
        if (!ready)
            continue;
        r->stack.count--;
        if (r->numbers[n] != 0)
            continue;
        r->numbers[n] = r->count;
        r->nodes[r->count] = *node;
        for (int i = 0; i < 3; i++)
            r->nodes[r->count].arg[i] = r->numbers[node->arg[i]];
        r->count++;
    }
}

static void renumber(const Renumber* r, NodeId* id)
{
    *id = r->numbers[*id];
}

static void renumber_actions(const Renumber* r, FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
        renumber(r, &actions->at[i].value);
}

static void renumber_reactions(const Renumber* r, Flat* flat)
{
    for (uint32_t i = 0; i < flat->whens.count; i++)
    {
        FlatWhen* when = &flat->whens.at[i];
        renumber(r, &when->trigger);
        renumber(r, &when->guard);
        renumber(r, &when->weight);
        renumber_actions(r, &when->actions);
    }
    for (uint32_t i = 0; i < flat->transitions.count; i++)
    {
        FlatTransition* t = &flat->transitions.at[i];
        renumber(r, &t->trigger);
        renumber(r, &t->guard);
        renumber(r, &t->weight);
        renumber_actions(r, &t->actions);
    }
}

static void renumber_experiment(const Renumber* r, FlatExperiment* x)
{
    for (uint32_t i = 0; i < x->expects.count; i++)
    {
        renumber(r, &x->expects.at[i].value);
        renumber(r, &x->expects.at[i].target);
        renumber(r, &x->expects.at[i].within);
    }
    renumber(r, &x->region);
}

// Every place of a flat model that names a node.
static void renumber_all(const Renumber* r, Flat* flat)
{
    for (uint32_t i = 0; i < flat->vars.count; i++)
        renumber(r, &flat->vars.at[i].init);
    for (uint32_t i = 0; i < flat->defs.count; i++)
        renumber(r, &flat->defs.at[i].value);
    for (uint32_t i = 0; i < flat->asserts.count; i++)
        renumber(r, &flat->asserts.at[i].condition);
    for (uint32_t i = 0; i < flat->initials.count; i++)
        renumber(r, &flat->initials.at[i]);
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
        renumber(r, &flat->bond_nodes.at[i].law);
    for (uint32_t i = 0; i < flat->implicits.count; i++)
        renumber(r, &flat->implicits.at[i].residual);
    for (uint32_t i = 0; i < flat->carried.count; i++)
        renumber(r, &flat->carried.at[i].area);
    renumber_reactions(r, flat);
    renumber_experiment(r, &flat->experiment);
}

void flat_order(Flat* flat)
{
    if (flat_is_ordered(flat))
        return;
    Renumber r = {.flat = flat, .count = 1};
    r.numbers = arena_array(flat->arena, NodeId, flat->nodes.count);
    r.nodes = arena_array(flat->arena, Node, flat->nodes.count);
    for (NodeId n = 1; n < flat->nodes.count; n++)
        place(&r, n);
    memcpy(flat->nodes.at, r.nodes, sizeof *r.nodes * flat->nodes.count);
    renumber_all(&r, flat);
    flat_index(flat);
}
