// What the state at a tag consists of, and how it falls apart: slots that no reaction connects do not influence each
// other within an instant, so each group can be asked alone.
#include "prove/circuit.h"

static uint32_t add_slot(Encoder* e, Slot slot)
{
    slot.group = e->slots.count;
    vec_push(e->arena, e->slots, slot);
    return slot.group;
}

static uint32_t root_of(Encoder* e, uint32_t slot)
{
    while (e->slots.at[slot].group != slot)
    {
        e->slots.at[slot].group = e->slots.at[e->slots.at[slot].group].group;
        slot = e->slots.at[slot].group;
    }
    return slot;
}

uint32_t slot_group(Encoder* e, uint32_t slot)
{
    return root_of(e, slot);
}

bool slot_concerns(Encoder* e, uint32_t slot, uint32_t group)
{
    if (e->slots.at[slot].written)
        return root_of(e, slot) == group;
    for (uint32_t r = 0; r < e->reactions.count; r++)
    {
        const Reaction* at = &e->reactions.at[r];
        for (uint32_t i = 0; at->group != NO_SLOT && i < at->constants.count; i++)
            if (at->constants.at[i] == slot && root_of(e, at->group) == group)
                return true;
    }
    return false;
}

uint32_t slot_of_node(const Encoder* e, NodeId node)
{
    uint32_t slot;
    return map_get(&e->node_slot, node, &slot) ? slot : NO_SLOT;
}

// ---- slots
// -----------------------------------------------------------------------------------------------------------

static void add_variables(Encoder* e)
{
    const Flat* f = e->flat;
    for (uint32_t v = 0; v < f->vars.count; v++)
    {
        const FlatVar* var = &f->vars.at[v];
        e->var_slot[v] = e->var_payload[v] = NO_SLOT;
        if (var->kind == VAR_STATE || var->kind == VAR_DISCRETE)
            e->var_slot[v] = add_slot(e, (Slot){.kind = var->kind == VAR_STATE ? SLOT_STATE : SLOT_DISCRETE,
                                                .index = v,
                                                .boolean = var->type == TYPE_BOOL,
                                                .name = var->name});
        if (var->kind != VAR_EVENT || !var->emitted || !e->decides[v])
            continue;
        e->var_slot[v] =
            add_slot(e, (Slot){.kind = SLOT_EVENT, .index = v, .boolean = true, .written = true, .name = var->name});
        e->var_payload[v] = add_slot(e, (Slot){.kind = SLOT_PAYLOAD,
                                               .index = v,
                                               .written = true,
                                               .name = arena_printf(e->arena, "value(%s)", var->name)});
    }
}

static void add_machines(Encoder* e)
{
    const Flat* f = e->flat;
    for (uint32_t m = 0; m < f->machines.count; m++)
    {
        const FlatMachine* machine = &f->machines.at[m];
        e->machine_slot[m] = e->slots.count;
        for (uint32_t k = 0; k < machine->modes.count; k++)
            add_slot(e, (Slot){.kind = SLOT_MODE,
                               .index = m,
                               .mode = k,
                               .boolean = true,
                               .written = true,
                               .name = arena_printf(e->arena, "%s=%s", f->vars.at[machine->mode_var].name,
                                                    machine->modes.at[k].name)});
        for (uint32_t k = 1; k < machine->modes.count; k++)
            e->slots.at[e->machine_slot[m] + k].group = e->machine_slot[m];
    }
    for (uint32_t c = 0; c < f->ctxs.count; c++)
        e->entry_slot[c] = NO_SLOT;
}

static void add_memory(Encoder* e, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    uint32_t first = NO_SLOT, second = NO_SLOT;
    const char* name = arena_printf(e->arena, "$%u", n);
    Slot slot = {.node = n, .written = true, .name = name};
    switch (node->op)
    {
    case NODE_EDGE:
        slot.kind = SLOT_EDGE;
        slot.boolean = true;
        first = add_slot(e, slot);
        break;
    case NODE_PRE:
        slot.kind = SLOT_PRE;
        slot.boolean = node->type == TYPE_BOOL;
        first = add_slot(e, slot);
        second = add_slot(e, (Slot){.kind = SLOT_PRE_HERE, .node = n, .boolean = true, .written = true, .name = name});
        break;
    case NODE_HOLD:
        slot.kind = SLOT_HOLD;
        first = add_slot(e, slot);
        break;
    case NODE_ENTRY:
        if (e->entry_slot[node->aux] == NO_SLOT)
            e->entry_slot[node->aux] = add_slot(
                e, (Slot){.kind = SLOT_ENTRY, .index = node->aux, .boolean = true, .written = true, .name = name});
        first = e->entry_slot[node->aux];
        break;
    default:
        slot.kind = SLOT_SIDE;
        first = add_slot(e, slot);
        second = add_slot(e, (Slot){.kind = SLOT_CROSSED, .node = n, .boolean = true, .written = true, .name = name});
        break;
    }
    map_set(&e->node_slot, n, first);
    if (second == NO_SLOT)
        return;
    map_set(&e->node_slot2, n, second);
    e->slots.at[second].group = root_of(e, first);
}

static bool has_memory(NodeOp op)
{
    return op == NODE_EDGE || op == NODE_PRE || op == NODE_HOLD || op == NODE_ENTRY || op == NODE_UP ||
           op == NODE_DOWN || op == NODE_CROSS;
}

// ---- who reads what
// --------------------------------------------------------------------------------------------------

typedef struct Reader
{
    Encoder* e;
    VEC(NodeId) stack;
    uint32_t *node_stamp, *var_stamp;
    uint32_t stamp;
    uint32_t group;  // of what was read so far; NO_SLOT: nothing that changes
    Reaction* reaction;
} Reader;

static void join(Reader* r, uint32_t slot)
{
    if (slot == NO_SLOT)
        return;
    if (!r->e->slots.at[slot].written)
    {
        if (r->reaction != NULL)
            vec_push(r->e->arena, r->reaction->constants, slot);
        return;
    }
    uint32_t root = root_of(r->e, slot);
    if (r->group != NO_SLOT)
        r->e->slots.at[root].group = root_of(r->e, r->group);
    r->group = root_of(r->e, slot);
}

static void push(Reader* r, NodeId n)
{
    if (n == 0 || r->node_stamp[n] == r->stamp)
        return;
    r->node_stamp[n] = r->stamp;
    vec_push(r->e->arena, r->stack, n);
}

static void read_ctx(Reader* r, uint32_t ctx)
{
    for (; ctx != 0; ctx = r->e->flat->ctxs.at[ctx].parent)
        join(r, r->e->machine_slot[r->e->flat->ctxs.at[ctx].machine]);
}

static void read_var(Reader* r, uint32_t v);

// An effort or flow hangs on all modes, storages and sources of its part of the graph.
static void read_part(Reader* r, uint32_t part)
{
    const Flat* f = r->e->flat;
    const CircuitPart* p = &r->e->circuits->parts.at[part];
    for (uint32_t i = 0; i < p->nodes.count; i++)
    {
        const FlatBondNode* node = &f->bond_nodes.at[p->nodes.at[i]];
        if (node->machine != 0)
            join(r, r->e->machine_slot[node->machine - 1]);
        for (uint32_t k = 0; node->extensity != NO_VAR && k < node->ports; k++)
            read_var(r, node->extensity + k);
        if (bond_is_source(node->kind))
            read_var(r, node->kind == BOND_SE ? node->e : node->f);
    }
    for (uint32_t i = 0; i < p->bonds.count; i++)
        for (int end = 0; end < 2; end++)
        {
            const FlatBond* bond = &f->bonds.at[p->bonds.at[i]];
            uint32_t keeper = r->e->circuits->keeper[end == 0 ? bond->from : bond->to];
            if (keeper == 0)
                continue;
            const FlatBondNode* node = &f->bond_nodes.at[keeper - 1];
            read_var(r, node->extensity != NO_VAR ? node->extensity : node->kind == BOND_SE ? node->e : node->f);
        }
}

static void read_output(Reader* r, const FlatBondOutput* output)
{
    CircuitTerms terms = circuit_terms(r->e, output);
    for (uint32_t t = 0; t < terms.count; t++)
        read_part(r, r->e->circuits->part_of[terms.at[t].bond]);
}

static void read_var(Reader* r, uint32_t v)
{
    Encoder* e = r->e;
    const FlatVar* var = &e->flat->vars.at[v];
    if (r->var_stamp[v] == r->stamp)
        return;
    r->var_stamp[v] = r->stamp;
    join(r, e->var_slot[v]);
    join(r, e->var_payload[v]);
    read_ctx(r, var->ctx);
    if (var->kind == VAR_PARAM)
        push(r, var->init);
    for (uint32_t i = 0; i < e->flat->carried.count; i++)
        if (e->flat->carried.at[i].var == v)
            push(r, e->flat->carried.at[i].area);
    if (var->kind == VAR_MODE)
    {
        join(r, e->machine_slot[var->machine]);
        read_ctx(r, e->flat->machines.at[var->machine].ctx);
    }
    if (e->circuits->outputs[v].graph != 0)
    {
        read_output(r, e->circuits->outputs[v].output);
        return;
    }
    for (uint32_t d = e->first_def[v]; d != 0; d = e->next_def[d - 1])
    {
        push(r, e->flat->defs.at[d - 1].value);
        read_ctx(r, e->flat->defs.at[d - 1].ctx);
    }
    for (uint32_t d = e->impulsive[v] ? e->first_rate[v] : 0; d != 0; d = e->next_rate[d - 1])
    {
        push(r, e->flat->defs.at[d - 1].value);
        read_ctx(r, e->flat->defs.at[d - 1].ctx);
    }
}

static void read_all(Reader* r)
{
    Encoder* e = r->e;
    while (r->stack.count > 0)
    {
        NodeId n = r->stack.at[--r->stack.count];
        const Node* node = &e->flat->nodes.at[n];
        if (has_memory((NodeOp)node->op))
        {
            if (slot_of_node(e, n) == NO_SLOT)
                add_memory(e, n);
            join(r, slot_of_node(e, n));
            read_ctx(r, node->op == NODE_ENTRY ? node->aux : node->ctx);
        }
        if (node->op == NODE_VAR)
            read_var(r, node->aux);
        for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
            push(r, node->arg[i]);
    }
}

// What entering a mode resets, also in the machines inside it.
static void read_entry(Reader* r, uint32_t machine, uint32_t mode)
{
    const FlatMode* entered = &r->e->flat->machines.at[machine].modes.at[mode];
    for (uint32_t i = 0; i < entered->states.count; i++)
    {
        if (!r->e->decides[entered->states.at[i]])
            continue;
        join(r, r->e->var_slot[entered->states.at[i]]);
        push(r, r->e->flat->vars.at[entered->states.at[i]].init);
    }
    for (uint32_t i = 0; i < entered->machines.count; i++)
    {
        uint32_t inner = entered->machines.at[i];
        join(r, r->e->machine_slot[inner]);
        read_entry(r, inner, r->e->flat->machines.at[inner].initial);
    }
}

static void read_reaction(Reader* r, Reaction* reaction)
{
    r->stamp++;
    r->group = NO_SLOT;
    r->reaction = reaction;
    read_ctx(r, reaction->ctx);
    push(r, reaction->trigger);
    push(r, reaction->guard);
    if (reaction->transition != NULL && !reaction->transition->resume)
        read_entry(r, reaction->transition->machine, reaction->transition->to);
    for (uint32_t i = 0; i < reaction->actions->count; i++)
    {
        const FlatAction* action = &reaction->actions->at[i];
        if (action->kind == FLAT_HALT || !r->e->decides[action->var])
            continue;
        push(r, action->value);
        join(r, r->e->var_slot[action->var]);
        join(r, r->e->var_payload[action->var]);
    }
    read_all(r);
    reaction->group = r->group;
    r->reaction = NULL;
}

// ---- all together
// ----------------------------------------------------------------------------------------------------

static void mark_written(Encoder* e, const FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].kind == FLAT_ASSIGN && e->decides[actions->at[i].var])
            e->slots.at[e->var_slot[actions->at[i].var]].written = true;
}

static void mark_resets(Encoder* e)
{
    const Flat* f = e->flat;
    for (uint32_t m = 0; m < f->machines.count; m++)
        for (uint32_t k = 0; k < f->machines.at[m].modes.count; k++)
            for (uint32_t i = 0; i < f->machines.at[m].modes.at[k].states.count; i++)
            {
                uint32_t v = f->machines.at[m].modes.at[k].states.at[i];
                e->slots.at[e->var_slot[v]].written |= e->decides[v];
            }
    for (uint32_t v = 0; v < f->vars.count; v++)
        if ((e->impulsive[v] || circuit_moves(e, v)) && e->decides[v])
            e->slots.at[e->var_slot[v]].written = true;
}

// Alternatives of one `choose` exclude each other.
static void join_choices(Encoder* e)
{
    for (uint32_t i = 0; i < e->reactions.count; i++)
        for (uint32_t k = 0; k < i; k++)
        {
            const Reaction *a = &e->reactions.at[i], *b = &e->reactions.at[k];
            if (a->choice != 0 && a->choice == b->choice && a->group != NO_SLOT && b->group != NO_SLOT)
                e->slots.at[root_of(e, a->group)].group = root_of(e, b->group);
        }
}

void slots_find(Encoder* e)
{
    deciding_find(e);
    add_variables(e);
    add_machines(e);
    for (uint32_t i = 0; i < e->reactions.count; i++)
        mark_written(e, e->reactions.at[i].actions);
    mark_resets(e);
    for (uint32_t i = 0; i < e->flat->carried.count; i++)
        e->slots.at[e->var_slot[e->flat->carried.at[i].var]].written |= e->decides[e->flat->carried.at[i].var];
    Reader r = {.e = e};
    r.node_stamp = arena_array(e->arena, uint32_t, e->flat->nodes.count);
    r.var_stamp = arena_array(e->arena, uint32_t, e->flat->vars.count + 1);
    for (uint32_t i = 0; i < e->reactions.count; i++)
        read_reaction(&r, &e->reactions.at[i]);
    for (uint32_t v = 0; v < e->flat->vars.count; v++)  // `x = 1 - pre(x)` needs no reaction to go on for ever
        if (e->decides[v] && (e->impulsive[v] || e->first_def[v] != 0))
        {
            r.stamp++;
            r.group = NO_SLOT;
            read_var(&r, v);
            read_all(&r);
        }
    join_choices(e);
}
