// What guards depend on, directly or through actions and resets of what they depend on. The rest, such as a counter
// that nobody reads, can neither end a sequence of reactions nor tell two rounds of it apart: it is left out.
#include "prove/circuit.h"

typedef struct Walk
{
    Encoder* e;
    VEC(NodeId) stack;
    bool* seen;  // per node
} Walk;

static void push(Walk* w, NodeId n)
{
    if (n == 0 || w->seen[n])
        return;
    w->seen[n] = true;
    vec_push(w->e->arena, w->stack, n);
}

static void mark_var(Walk* w, uint32_t v);

static void mark_graph(Walk* w, uint32_t graph)
{
    const Flat* f = w->e->flat;
    for (uint32_t i = 0; i < f->graphs.at[graph].nodes.count; i++)
    {
        const FlatBondNode* node = &f->bond_nodes.at[f->graphs.at[graph].nodes.at[i]];
        for (uint32_t k = 0; node->extensity != NO_VAR && k < node->ports; k++)
            mark_var(w, node->extensity + k);
        if (bond_is_source(node->kind))
            mark_var(w, node->kind == BOND_SE ? node->e : node->f);
    }
}

static void mark_var(Walk* w, uint32_t v)
{
    Encoder* e = w->e;
    if (e->decides[v])
        return;
    e->decides[v] = true;
    push(w, e->flat->vars.at[v].init);  // of a parameter, or what entering a mode resets to
    for (uint32_t i = 0; i < e->flat->carried.count; i++)
        if (e->flat->carried.at[i].var == v)
            push(w, e->flat->carried.at[i].area);
    if (e->circuits->outputs[v].graph != 0)
    {
        mark_graph(w, e->circuits->outputs[v].graph - 1);
        return;
    }
    for (uint32_t d = e->first_def[v]; d != 0; d = e->next_def[d - 1])
        push(w, e->flat->defs.at[d - 1].value);
    for (uint32_t d = e->impulsive[v] ? e->first_rate[v] : 0; d != 0; d = e->next_rate[d - 1])
        push(w, e->flat->defs.at[d - 1].value);
}

static void mark_all(Walk* w)
{
    while (w->stack.count > 0)
    {
        const Node* node = &w->e->flat->nodes.at[w->stack.at[--w->stack.count]];
        if (node->op == NODE_VAR)
            mark_var(w, node->aux);
        for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
            push(w, node->arg[i]);
    }
}

static void mark_actions(Walk* w)
{
    for (uint32_t r = 0; r < w->e->reactions.count; r++)
    {
        const FlatActions* actions = w->e->reactions.at[r].actions;
        for (uint32_t i = 0; i < actions->count; i++)
            if (actions->at[i].kind != FLAT_HALT && w->e->decides[actions->at[i].var])
                push(w, actions->at[i].value);
    }
}

// `x = 1 - pre(x)` keeps an instant going without any reaction.
static void mark_memories(Walk* w)
{
    const Flat* f = w->e->flat;
    bool* has_pre = arena_array(w->e->arena, bool, f->nodes.count);
    for (NodeId n = 1; n < f->nodes.count; n++)
    {
        has_pre[n] = f->nodes.at[n].op == NODE_PRE;
        for (int i = 0; i < node_op_arity((NodeOp)f->nodes.at[n].op); i++)
            has_pre[n] |= has_pre[f->nodes.at[n].arg[i]];
    }
    for (uint32_t d = 0; d < f->defs.count; d++)
        if (f->defs.at[d].order == 0 && has_pre[f->defs.at[d].value])
            mark_var(w, f->defs.at[d].var);
}

void deciding_find(Encoder* e)
{
    Walk w = {.e = e};
    e->decides = arena_array(e->arena, bool, e->flat->vars.count + 1);
    w.seen = arena_array(e->arena, bool, e->flat->nodes.count);
    for (uint32_t r = 0; r < e->reactions.count; r++)
    {
        push(&w, e->reactions.at[r].trigger);
        push(&w, e->reactions.at[r].guard);
    }
    push(&w, e->flat->experiment.region);
    mark_memories(&w);
    do
    {
        mark_all(&w);
        mark_actions(&w);
    } while (w.stack.count > 0);
}
