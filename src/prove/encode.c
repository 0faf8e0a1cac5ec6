// The encoder's tables: reactions, definitions by variable, and which states take impulses.
#include "prove/circuit.h"

static void add_reactions(Encoder* e)
{
    const Flat* f = e->flat;
    for (uint32_t i = 0; i < f->whens.count; i++)
    {
        const FlatWhen* w = &f->whens.at[i];
        vec_push(e->arena, e->reactions,
                 (Reaction){.when = w,
                            .ctx = w->ctx,
                            .choice = w->choice,
                            .trigger = w->trigger,
                            .guard = w->guard,
                            .actions = &w->actions,
                            .span = w->span,
                            .group = NO_SLOT});
    }
    for (uint32_t i = 0; i < f->transitions.count; i++)
    {
        const FlatTransition* t = &f->transitions.at[i];
        vec_push(e->arena, e->reactions,
                 (Reaction){.transition = t,
                            .ctx = t->ctx,
                            .choice = t->choice,
                            .trigger = t->trigger,
                            .guard = t->guard,
                            .actions = &t->actions,
                            .span = t->span,
                            .group = NO_SLOT});
    }
}

static void index_definitions(Encoder* e)
{
    const Flat* f = e->flat;
    e->first_def = arena_array(e->arena, uint32_t, f->vars.count + 1);
    e->first_rate = arena_array(e->arena, uint32_t, f->vars.count + 1);
    e->next_def = arena_array(e->arena, uint32_t, f->defs.count + 1);
    e->next_rate = arena_array(e->arena, uint32_t, f->defs.count + 1);
    for (uint32_t d = f->defs.count; d-- > 0;)
    {
        const FlatDef* def = &f->defs.at[d];
        uint32_t* first = def->order == 0 ? e->first_def : e->first_rate;
        uint32_t* next = def->order == 0 ? e->next_def : e->next_rate;
        next[d] = first[def->var];
        first[def->var] = d + 1;
    }
}

// Nodes come after their arguments, so one pass finds those with `delta` below them; a signal that has it passes it on.
static void find_impulsive(Encoder* e)
{
    const Flat* f = e->flat;
    bool* node = arena_array(e->arena, bool, f->nodes.count);
    bool* signal = arena_array(e->arena, bool, f->vars.count + 1);
    e->impulsive = arena_array(e->arena, bool, f->vars.count + 1);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (NodeId n = 1; n < f->nodes.count; n++)
        {
            const Node* at = &f->nodes.at[n];
            node[n] = at->op == NODE_DELTA || (at->op == NODE_VAR && signal[at->aux]);
            for (int i = 0; i < node_op_arity((NodeOp)at->op); i++)
                node[n] |= node[at->arg[i]];
        }
        for (uint32_t d = 0; d < f->defs.count; d++)
        {
            const FlatDef* def = &f->defs.at[d];
            bool* mark = def->order == 0 ? &signal[def->var] : &e->impulsive[def->var];
            changed |= node[def->value] && !*mark;
            *mark |= node[def->value];
        }
    }
}

void encode_open(Encoder* e, Arena* arena, const Flat* flat, Logic* logic)
{
    *e = (Encoder){.arena = arena, .flat = flat, .logic = logic};
    e->var_slot = arena_array(arena, uint32_t, flat->vars.count + 1);
    e->var_payload = arena_array(arena, uint32_t, flat->vars.count + 1);
    e->machine_slot = arena_array(arena, uint32_t, flat->machines.count + 1);
    e->entry_slot = arena_array(arena, uint32_t, flat->ctxs.count + 1);
    e->inputs = arena_array(arena, Formula, flat->vars.count + 1);
    map_init(&e->node_slot, arena);
    map_init(&e->node_slot2, arena);
    e->time = logic_variable(logic, "time", false);
    add_reactions(e);
    index_definitions(e);
    find_impulsive(e);
    circuits_find(e);
    slots_find(e);
}
