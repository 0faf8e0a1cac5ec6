// Units (decision 0018): the flow and the reaction of a model that is not fused, cut into the smallest parts that can
// be evaluated by themselves, with lists of who reads what. A run follows these lists from what changes, so that an
// instant costs what it touches.
//
// A reaction unit is a definition (or a loop of them), a guard, a memory, a `when` or transition, an assertion, a fault
// or a delay. `next` leads to the units that change with it: those that read what it computes, and those whose
// memories it reads, because a memory holds its left limit only at instants that touch it.
#include "schedule/linker.h"
#include "schedule/reads.h"

// ---- definitions
// -----------------------------------------------------------------------------------------------------

static void add_tasks(Linker* k, const ProgramSpec* spec, uint32_t* unit_of)
{
    Builder* b = k->b;
    Order order = order_tasks(&b->c, spec);
    linker_request(b, FORM_COMPONENTS, OWNER_UNIT, b->units.count, spec);
    for (uint32_t i = 0; i < order.count; i++)
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
            unit_of[order.tasks[t]] = b->units.count + i + 1;
    for (uint32_t i = 0; i < order.count; i++)
    {
        uint32_t self = b->units.count;
        ModelUnit u = linker_new_unit(k, UNIT_TASK, i);
        linker_begin(k);
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
        {
            linker_read_task(k, spec->phase, order.tasks[t]);
            if (spec->phase == PHASE_REACT && k->flow_of[order.tasks[t]] != 0)
                linker_add_need(k, &u, k->flow_of[order.tasks[t]] - 1);
            vec_push(b->arena, b->unit_vars, b->c.tasks.at[order.tasks[t]].var);
            u.vars.count++;
        }
        linker_inputs(k, &u, self);
        if (spec->phase == PHASE_REACT)
        {
            linker_memories(k, self);
            linker_sources(k, self);
        }
        linker_push_unit(k, u);
    }
}

// ---- left limits of guards and memories
// ------------------------------------------------------------------------------

static void add_left(Linker* k, UnitKind kind, uint32_t index, const SymReg* regs, int count)
{
    Builder* b = k->b;
    Sinks sinks = {0};
    linker_begin(k);
    for (int i = 0; i < count; i++)
    {
        ScalarId value = sink_value(b, &b->event_index, regs[i]);
        if (value == 0)
            continue;
        linker_read_sink(k, &b->event_index, regs[i]);
        vec_push(b->arena, sinks, (Sink){sink_ctx(b, &b->event_index, regs[i]), value, regs[i]});
    }
    if (sinks.count == 0)
        return;
    ModelUnit u = linker_new_unit(k, kind, index);
    linker_request_values(b, &sinks);
    linker_inputs(k, &u, NO_REG);
    map_set(&k->left_of, (uint64_t)kind << 32 | index, linker_push_unit(k, u));
}

static void add_flow_units(Linker* k)
{
    Builder* b = k->b;
    ProgramSpec spec = {.phase = PHASE_FLOW,
                        .tasks = b->react_tasks.at,
                        .task_count = b->react_tasks.count,
                        .sinks = b->event_sinks.at,
                        .sink_count = b->event_sinks.count};
    add_tasks(k, &spec, k->flow_of);
    for (uint32_t i = 0; i < b->guards.count; i++)
    {
        SymReg regs[] = {b->guards.at[i].argument, b->guards.at[i].present};
        add_left(k, UNIT_GUARD, i, regs, 2);
    }
    for (uint32_t i = 0; i < b->memories.count; i++)
        add_left(k, UNIT_MEMORY, i, &b->memories.at[i].left, 1);
    b->draft.flow_unit_count = b->units.count;
}

// ---- what a reaction decides
// -----------------------------------------------------------------------------------------

// Reads the sinks that fill `regs` and makes their code. `own`: what else the unit needs is read by the caller, which
// links it and adds the unit.
static ModelUnit begin_unit(Linker* k, UnitKind kind, uint32_t index, const SymReg* regs, int count)
{
    Builder* b = k->b;
    Sinks sinks = {0};
    uint32_t left, self = b->units.count;
    ModelUnit u = linker_new_unit(k, kind, index);
    linker_begin(k);
    for (int i = 0; i < count; i++)
    {
        ScalarId value = sink_value(b, &b->react_index, regs[i]);
        linker_read_sink(k, &b->react_index, regs[i]);
        if (value != 0)
            vec_push(b->arena, sinks, (Sink){sink_ctx(b, &b->react_index, regs[i]), value, regs[i]});
        else
            linker_read_reg(k, regs[i]);
    }
    linker_request_values(b, &sinks);
    if (map_get(&k->left_of, (uint64_t)kind << 32 | index, &left))
        linker_add_need(k, &u, left);
    linker_sources(k, self);
    return u;
}

static void end_unit(Linker* k, ModelUnit u)
{
    linker_inputs(k, &u, NO_REG);
    linker_memories(k, k->b->units.count);
    linker_push_unit(k, u);
}

static void add_guards(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->guards.count; i++)
    {
        const Guard* g = &b->guards.at[i];
        SymReg regs[] = {g->react_g, g->react_present, g->truth};
        ModelUnit u = begin_unit(k, UNIT_GUARD, i, regs, 3);
        end_unit(k, u);
    }
}

static void add_memories(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->memories.count; i++)
    {
        ModelUnit u = begin_unit(k, UNIT_MEMORY, i, &b->memories.at[i].src, 1);
        linker_read_ctx(k, b->memories.at[i].ctx);
        linker_read_reg(k, b->memories.at[i].left);
        end_unit(k, u);
    }
}

static void read_actions(Linker* k, const FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
    {
        if (actions->at[i].value == 0)
            continue;
        Lowered l = lower(&k->b->c, PHASE_REACT, actions->at[i].value);
        linker_read_scalar(k, l.value);
        linker_read_scalar(k, l.present);
    }
}

// Start values of what a mode declares, and of the machines in it.
static void read_resets(Linker* k, uint32_t machine)
{
    Compiler* c = &k->b->c;
    const FlatMachine* m = &c->flat->machines.at[machine];
    for (uint32_t i = 0; i < m->modes.count; i++)
    {
        const FlatMode* mode = &m->modes.at[i];
        for (uint32_t s = 0; s < mode->states.count; s++)
            if (c->flat->vars.at[mode->states.at[s]].init != 0)
                linker_read_scalar(k, lower(c, PHASE_REACT, c->flat->vars.at[mode->states.at[s]].init).value);
        for (uint32_t s = 0; s < mode->machines.count; s++)
            read_resets(k, mode->machines.at[s]);
    }
}

static void add_reactions(Linker* k)
{
    Builder* b = k->b;
    const Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < b->reactions.count; i++)
    {
        SymReg regs[] = {b->reactions.at[i].fire, b->reactions.at[i].weight};
        ModelUnit u = begin_unit(k, UNIT_REACTION, i, regs, 2);
        bool when = i < flat->whens.count;
        read_actions(k, when ? &flat->whens.at[i].actions : &flat->transitions.at[i - flat->whens.count].actions);
        if (!when)
            read_resets(k, flat->transitions.at[i - flat->whens.count].machine);
        vec_push(b->arena, b->reaction_units, b->units.count);
        end_unit(k, u);
    }
}

static void add_rest(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->assertions.count; i++)
        end_unit(k, begin_unit(k, UNIT_ASSERTION, i, &b->assertions.at[i].broken, 1));
    for (uint32_t i = 0; i < b->faults.count; i++)
        end_unit(k, begin_unit(k, UNIT_FAULT, i, &b->faults.at[i].condition, 1));
    for (uint32_t i = 0; i < b->delays.count; i++)
    {
        SymReg regs[] = {b->delays.at[i].value, b->delays.at[i].present, b->delays.at[i].time};
        end_unit(k, begin_unit(k, UNIT_DELAY, i, regs, 3));
    }
}

static void add_react_units(Linker* k)
{
    Builder* b = k->b;
    ProgramSpec spec = {.phase = PHASE_REACT,
                        .tasks = b->react_tasks.at,
                        .task_count = b->react_tasks.count,
                        .sinks = b->react_sinks.at,
                        .sink_count = b->react_sinks.count};
    Order order = order_tasks(&b->c, &spec);
    k->first_guard = b->units.count + order.count;
    k->first_memory = k->first_guard + b->guards.count;
    b->draft.first_guard_unit = k->first_guard;
    for (uint32_t i = 0; i < b->memories.count; i++)
        map_set(&k->memory_of, b->memories.at[i].dst, i);
    for (uint32_t i = 0; i < b->guards.count; i++)
        map_set(&k->guard_of, b->guards.at[i].last_g, i);
    add_tasks(k, &spec, k->react_of);
    add_guards(k);
    add_memories(k);
    add_reactions(k);
    add_rest(k);
}

// ---- what every instant must look at
// ---------------------------------------------------------------------------------

// Which expressions contain a `while(…)`; NULL: none does.
static bool* find_whiles(Compiler* c)
{
    bool any = false;
    bool* has = arena_array(c->arena, bool, c->flat->nodes.count);
    for (NodeId n = 1; n < c->flat->nodes.count; n++)  // arguments come first
    {
        const Node* node = &c->flat->nodes.at[n];
        has[n] = node->op == NODE_WHILE;
        for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
            has[n] |= has[node->arg[i]];
        any |= has[n];
    }
    return any ? has : NULL;
}

// An event that is present while a level holds is looked for at every instant (rule E2).
static void find_always_while(Linker* k)
{
    Builder* b = k->b;
    Compiler* c = &b->c;
    const bool* has = find_whiles(c);
    uint32_t at;
    if (has == NULL)
        return;
    for (uint32_t t = 0; t < c->tasks.count; t++)
        for (uint32_t d = 0; d < c->tasks.at[t].defs.count && k->react_of[t] != 0; d++)
            if (has[c->flat->defs.at[c->tasks.at[t].defs.at[d]].value])
                vec_push(b->arena, b->always_units, k->react_of[t] - 1);
    for (uint32_t i = 0; i < c->cells.count; i++)
        if (has[c->cells.at[i].node] && map_get(&k->memory_of, c->cells.at[i].latch, &at))
            vec_push(b->arena, b->always_units, k->first_memory + at);
    for (uint32_t i = 0; i < b->reactions.count; i++)
    {
        uint32_t t = i - c->flat->whens.count;
        bool when = i < c->flat->whens.count;
        if (has[when ? c->flat->whens.at[i].trigger : c->flat->transitions.at[t].trigger] ||
            has[when ? c->flat->whens.at[i].guard : c->flat->transitions.at[t].guard])
            vec_push(b->arena, b->always_units, b->reaction_units.at[i]);
    }
}

// Levels that nothing latches (x == 3, alternatives of `choose`) are sampled at every instant, whatever causes it.
static void find_always(Linker* k)
{
    Builder* b = k->b;
    Compiler* c = &b->c;
    uint32_t at;
    for (uint32_t i = 0; i < c->cells.count; i++)
    {
        const Cell cell = c->cells.at[i];
        if (!map_get(&k->memory_of, cell.latch, &at))
            continue;
        const Node node = c->flat->nodes.at[cell.node];
        bool always = false;
        if (cell.kind == CELL_EDGE)
            always = reads_continuous(c, lower(c, PHASE_FLOW, node.arg[0]).value);
        else if (cell.kind == CELL_PRE)
        {
            const VarInfo* info = &c->vars.at[c->flat->nodes.at[node.arg[0]].aux];
            always = info->looped && info->variability == VARIES_ALWAYS;
        }
        if (always)
            vec_push(b->arena, b->always_units, k->first_memory + at);
    }
    for (uint32_t i = 0; i < b->reactions.count; i++)
    {
        uint32_t t = i - c->flat->whens.count;
        bool when = i < c->flat->whens.count;
        NodeId trigger = when ? c->flat->whens.at[i].trigger : c->flat->transitions.at[t].trigger;
        NodeId guard = when ? c->flat->whens.at[i].guard : c->flat->transitions.at[t].guard;
        bool level = b->reactions.at[i].choice != 0 && c->flat->nodes.at[trigger].type == TYPE_BOOL;
        if (level || reads_continuous(c, lower_fires_in(c, PHASE_FLOW, trigger, guard)))
            vec_push(b->arena, b->always_units, b->reaction_units.at[i]);
    }
    find_always_while(k);
}

// ---- putting it together
// ---------------------------------------------------------------------------------------------

// Those that hear of the unit first.
static void put_edges(Linker* k, bool read)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < k->edges.count; i++)
    {
        IndexRange* next = &b->units.at[k->edges.at[i].from].next;
        if (k->edges.at[i].read == read)
            b->unit_links.at[next->first + next->count++] = k->edges.at[i].to;
    }
}

static void sort_edges(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < k->edges.count; i++)
        b->units.at[k->edges.at[i].from].next.count++;
    for (uint32_t i = 0, at = b->unit_links.count; i < b->units.count; i++)
    {
        b->units.at[i].next.first = at;
        at += b->units.at[i].next.count;
        b->units.at[i].next.count = 0;
    }
    for (uint32_t i = 0; i < k->edges.count; i++)
        vec_push(b->arena, b->unit_links, 0);
    put_edges(k, false);
    for (uint32_t i = 0; i < b->units.count; i++)
        vec_push(b->arena, b->unit_hearers, b->units.at[i].next.count);
    put_edges(k, true);
}

static void list_variables(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t v = 0; v < b->c.vars.count; v++)
    {
        uint32_t task;
        bool computed = map_get(&b->c.task_of, b->c.vars.at[v].reg, &task) && k->flow_of[task] != 0;
        vec_push(b->arena, b->var_units, computed ? k->flow_of[task] - 1 : NO_REG);
        vec_push(b->arena, b->var_nows, 0);
    }
    for (uint32_t i = 0; i < b->now_states.count; i++)
        b->var_nows.at[b->state_vars.at[sym_index(b->now_states.at[i].state)]] = i + 1;
}

static void list_slots(Builder* b)
{
    for (uint32_t i = 0; i < b->guard_states.count; i++)
        vec_push(b->arena, b->guard_slots, (int32_t)b->state_slots.at[b->guard_states.at[i]]);
}

// ---- one island
// ------------------------------------------------------------------------------------------------------

// The whole flow, all guards, the whole reaction: an instant touches everything, so straight code serves best.
static void fuse_units(Builder* b)
{
    Linker k = {.b = b};
    ModelUnit flow = linker_new_unit(&k, UNIT_ALL, 0);
    flow.code = b->draft.flow;
    linker_add_island(&k, &flow, 0);
    linker_push_unit(&k, flow);
    ModelUnit events = linker_new_unit(&k, UNIT_ALL, 0);
    events.code = b->draft.events;
    linker_add_island(&k, &events, 0);
    linker_push_unit(&k, events);
    b->draft.flow_unit_count = b->units.count;
    ModelUnit react = linker_new_unit(&k, UNIT_ALL, 0);
    react.code = b->draft.react;
    linker_add_island(&k, &react, 0);
    linker_add_need(&k, &react, 0);
    linker_add_need(&k, &react, 1);
    uint32_t self = linker_push_unit(&k, react);
    vec_push(b->arena, b->always_units, self);
    for (uint32_t i = 0; i < b->reactions.count; i++)
        vec_push(b->arena, b->reaction_units, self);
    for (uint32_t v = 0; v < b->c.vars.count; v++)
    {
        uint32_t task;
        bool computed = map_get(&b->c.task_of, b->c.vars.at[v].reg, &task);
        vec_push(b->arena, b->var_units, computed ? 0 : NO_REG);
        vec_push(b->arena, b->var_nows, 0);
    }
}

static void link_units(Builder* b)
{
    Linker k = {.b = b};
    k.flow_of = arena_array(b->arena, uint32_t, b->c.tasks.count + 1);
    k.react_of = arena_array(b->arena, uint32_t, b->c.tasks.count + 1);
    map_init(&k.memory_of, b->arena);
    map_init(&k.guard_of, b->arena);
    map_init(&k.delay_of, b->arena);
    map_init(&k.left_of, b->arena);
    for (uint32_t i = 0; i < b->delays.count; i++)
        if (!b->delays.at[i].event)
            map_set(&k.delay_of, b->delays.at[i].out, i);
    add_flow_units(&k);
    add_react_units(&k);
    find_always(&k);
    sort_edges(&k);
    unit_island_looks(&k);
    unit_island_derivatives(&k);
    unit_island_guards(b);
    unit_island_events(&k);
    unit_island_delays(b);
    list_variables(&k);
}

void build_units(Builder* b)
{
    list_slots(b);
    if (b->draft.fused)
    {
        fuse_units(b);
        unit_island_fuse(b);
        unit_island_guards(b);
        unit_island_delays(b);
        return;
    }
    link_units(b);
}
