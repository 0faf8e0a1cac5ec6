// Units (decision 0018): the flow and the reaction of a model that is not fused, cut into the smallest parts that can
// be evaluated by themselves, with lists of who reads what. A run follows these lists from what changes, so that an
// instant costs what it touches.
//
// A reaction unit is a definition (or a loop of them), a guard, a memory, a `when` or transition, an assertion, a fault
// or a delay. `next` leads to the units that change with it: those that read what it computes, and those whose
// memories it reads, because a memory holds its left limit only at instants that touch it.
#include "schedule/builder.h"
#include "schedule/reads.h"

typedef struct Edge
{
    uint32_t from, to;
} Edge;

typedef struct Linker
{
    Builder* b;
    VEC(SymReg) regs;  // what the unit at hand reads
    VEC(uint32_t) seen[REG_CLASS_COUNT];
    uint32_t round;
    uint32_t* flow_of;   // [task]: its flow unit + 1
    uint32_t* react_of;  // [task]: its reaction unit + 1
    Map memory_of;       // register → memory that fills it
    Map guard_of;        // last_g → guard
    Map delay_of;        // `out` of a continuous delay → delay
    Map left_of;         // guard or memory | kind << 32 → its flow unit
    VEC(Edge) edges;
    uint32_t first_guard, first_memory;  // their reaction units
} Linker;

static void request_code(Builder* b, CodeForm form, CodeOwner owner, uint32_t index, const ProgramSpec* spec)
{
    vec_push(b->arena, b->requests, (CodeRequest){form, owner, index, *spec});
}

// For the unit that is added next.
static void request_values(Builder* b, const Sinks* sinks)
{
    ProgramSpec spec = {.sinks = sinks->at, .sink_count = sinks->count};
    request_code(b, FORM_VALUES, OWNER_UNIT, b->units.count, &spec);
}

// ---- what a unit reads
// -----------------------------------------------------------------------------------------------

static void begin_reads(Linker* k)
{
    k->regs.count = 0;
    k->round++;
    scalar_walk(&k->b->c.scalars);
}

static void read_reg(Linker* k, SymReg reg)
{
    RegClass cls = sym_class(reg);
    if (reg == NO_REG || cls == REG_CONST || cls == REG_PARAM || reg == k->b->c.time)
        return;
    while (k->seen[cls].count <= sym_index(reg))
        vec_push(k->b->arena, k->seen[cls], 0);
    if (k->seen[cls].at[sym_index(reg)] == k->round)
        return;
    k->seen[cls].at[sym_index(reg)] = k->round;
    vec_push(k->b->arena, k->regs, reg);
}

static void read_ctx(Linker* k, uint32_t ctx)
{
    const Flat* flat = k->b->c.flat;
    for (; ctx != 0; ctx = flat->ctxs.at[ctx].parent)
        read_reg(k, k->b->c.vars.at[flat->machines.at[flat->ctxs.at[ctx].machine].mode_var].reg);
}

static void read_scalar(Linker* k, ScalarId root)
{
    Scalars* scalars = &k->b->c.scalars;
    double index;
    scalar_walk_push(scalars, root);
    for (Scalar x; scalar_walk_next(scalars, &x);)
        if (x.op == SCALAR_REG)
            read_reg(k, x.reg);
        else if (x.op == VM_DELAYED && scalar_is_const(scalars, x.arg[0], &index))
            read_reg(k, k->b->delays.at[(uint32_t)index].out);
}

static void read_task(Linker* k, Phase phase, uint32_t task)
{
    Compiler* c = &k->b->c;
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, phase, task, i);
        read_scalar(k, item.value.value);
        read_scalar(k, item.value.present);
        read_ctx(k, item.ctx);
    }
}

static void read_sink(Linker* k, Map* index, SymReg reg)
{
    ScalarId value = sink_value(k->b, index, reg);
    if (value == 0)
        return;
    read_scalar(k, value);
    read_ctx(k, sink_ctx(k->b, index, reg));
}

// Everything that a whole program reads, its tasks included.
static void read_program(Linker* k, const ProgramSpec* spec)
{
    Order order = order_tasks(&k->b->c, spec);
    begin_reads(k);
    for (uint32_t i = 0; i < order.first[order.count]; i++)
        read_task(k, spec->phase, order.tasks[i]);
    for (uint32_t i = 0; i < spec->sink_count; i++)
    {
        read_scalar(k, spec->sinks[i].value);
        read_ctx(k, spec->sinks[i].ctx);
    }
}

// ---- linking
// ---------------------------------------------------------------------------------------------------------

static void add_need(Linker* k, ModelUnit* u, uint32_t unit)
{
    vec_push(k->b->arena, k->b->unit_links, unit);
    u->needs.count++;
}

static void add_island(Linker* k, ModelUnit* u, uint32_t island)
{
    for (uint32_t i = 0; i < u->islands.count; i++)
        if (k->b->unit_islands.at[u->islands.first + i] == island)
            return;
    vec_push(k->b->arena, k->b->unit_islands, island);
    u->islands.count++;
}

// What must be up to date before the unit is evaluated.
static void link_inputs(Linker* k, ModelUnit* u, uint32_t own)
{
    uint32_t task;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        SymReg reg = k->regs.at[i];
        if (sym_class(reg) == REG_STATE)
            add_island(k, u, k->b->state_islands.at[sym_index(reg)]);
        else if (map_get(&k->b->c.task_of, reg, &task) && k->flow_of[task] != 0 && k->flow_of[task] - 1 != own)
            add_need(k, u, k->flow_of[task] - 1);
    }
}

static void add_edge(Linker* k, uint32_t from, uint32_t to)
{
    if (from != to)
        vec_push(k->b->arena, k->edges, (Edge){from, to});
}

// Memories that the unit reads must hold their left limit.
static void link_memories(Linker* k, uint32_t unit)
{
    uint32_t at;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        if (map_get(&k->memory_of, k->regs.at[i], &at) && k->b->memories.at[at].left != NO_REG)
            add_edge(k, unit, k->first_memory + at);
        if (map_get(&k->guard_of, k->regs.at[i], &at))
            add_edge(k, unit, k->first_guard + at);
    }
}

// The unit that moves a state by impulses, within a reaction.
static bool now_unit(Linker* k, uint32_t state, uint32_t* unit)
{
    const VarInfo* info = &k->b->c.vars.at[k->b->state_vars.at[state]];
    uint32_t task;
    if (info->rhs_order < 0 || !map_get(&k->b->c.task_of, info->now, &task) || k->react_of[task] == 0)
        return false;
    *unit = k->react_of[task] - 1;
    return true;
}

// Who makes the unit change.
static void link_sources(Linker* k, uint32_t unit)
{
    uint32_t at;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        SymReg reg = k->regs.at[i];
        if (map_get(&k->b->c.task_of, reg, &at) && k->react_of[at] != 0)
            add_edge(k, k->react_of[at] - 1, unit);
        if (map_get(&k->memory_of, reg, &at))
            add_edge(k, k->first_memory + at, unit);
        if (sym_class(reg) == REG_STATE && now_unit(k, sym_index(reg), &at))
            add_edge(k, at, unit);
        if (sym_class(reg) == REG_STATE || sym_class(reg) == REG_MEMORY)
            vec_push(k->b->arena, k->b->unit_reads, (RegLink){reg, unit});
    }
}

static ModelUnit new_unit(Linker* k, UnitKind kind, uint32_t index)
{
    Builder* b = k->b;
    return (ModelUnit){.kind = (uint8_t)kind,
                       .index = index,
                       .needs = {b->unit_links.count, 0},
                       .islands = {b->unit_islands.count, 0},
                       .vars = {b->unit_vars.count, 0}};
}

static uint32_t push_unit(Linker* k, ModelUnit u)
{
    vec_push(k->b->arena, k->b->units, u);
    return k->b->units.count - 1;
}

// ---- definitions
// -----------------------------------------------------------------------------------------------------

static void add_tasks(Linker* k, const ProgramSpec* spec, uint32_t* unit_of)
{
    Builder* b = k->b;
    Order order = order_tasks(&b->c, spec);
    request_code(b, FORM_COMPONENTS, OWNER_UNIT, b->units.count, spec);
    for (uint32_t i = 0; i < order.count; i++)
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
            unit_of[order.tasks[t]] = b->units.count + i + 1;
    for (uint32_t i = 0; i < order.count; i++)
    {
        uint32_t self = b->units.count;
        ModelUnit u = new_unit(k, UNIT_TASK, i);
        begin_reads(k);
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
        {
            read_task(k, spec->phase, order.tasks[t]);
            if (spec->phase == PHASE_REACT && k->flow_of[order.tasks[t]] != 0)
                add_need(k, &u, k->flow_of[order.tasks[t]] - 1);
            vec_push(b->arena, b->unit_vars, b->c.tasks.at[order.tasks[t]].var);
            u.vars.count++;
        }
        link_inputs(k, &u, self);
        if (spec->phase == PHASE_REACT)
        {
            link_memories(k, self);
            link_sources(k, self);
        }
        push_unit(k, u);
    }
}

// ---- left limits of guards and memories
// ------------------------------------------------------------------------------

static void add_left(Linker* k, UnitKind kind, uint32_t index, const SymReg* regs, int count)
{
    Builder* b = k->b;
    Sinks sinks = {0};
    begin_reads(k);
    for (int i = 0; i < count; i++)
    {
        ScalarId value = sink_value(b, &b->event_index, regs[i]);
        if (value == 0)
            continue;
        read_sink(k, &b->event_index, regs[i]);
        vec_push(b->arena, sinks, (Sink){sink_ctx(b, &b->event_index, regs[i]), value, regs[i]});
    }
    if (sinks.count == 0)
        return;
    ModelUnit u = new_unit(k, kind, index);
    request_values(b, &sinks);
    link_inputs(k, &u, NO_REG);
    map_set(&k->left_of, (uint64_t)kind << 32 | index, push_unit(k, u));
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
    ModelUnit u = new_unit(k, kind, index);
    begin_reads(k);
    for (int i = 0; i < count; i++)
    {
        ScalarId value = sink_value(b, &b->react_index, regs[i]);
        read_sink(k, &b->react_index, regs[i]);
        if (value != 0)
            vec_push(b->arena, sinks, (Sink){sink_ctx(b, &b->react_index, regs[i]), value, regs[i]});
        else
            read_reg(k, regs[i]);
    }
    request_values(b, &sinks);
    if (map_get(&k->left_of, (uint64_t)kind << 32 | index, &left))
        add_need(k, &u, left);
    link_sources(k, self);
    return u;
}

static void end_unit(Linker* k, ModelUnit u)
{
    link_inputs(k, &u, NO_REG);
    link_memories(k, k->b->units.count);
    push_unit(k, u);
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
        read_ctx(k, b->memories.at[i].ctx);
        read_reg(k, b->memories.at[i].left);
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
        read_scalar(k, l.value);
        read_scalar(k, l.present);
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
                read_scalar(k, lower(c, PHASE_REACT, c->flat->vars.at[mode->states.at[s]].init).value);
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

// ---- islands
// ---------------------------------------------------------------------------------------------------------

static void note_reads(Linker* k, uint32_t island)
{
    for (uint32_t i = 0; i < k->regs.count; i++)
        if (sym_class(k->regs.at[i]) == REG_MEMORY)
            vec_push(k->b->arena, k->b->island_reads, (RegLink){k->regs.at[i], island});
}

static void add_derivatives(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->islands.count; i++)
    {
        VEC(uint32_t) tasks = {0};
        for (uint32_t s = 0; s < b->islands.at[i].states.count; s++)
        {
            uint32_t state = b->island_states.at[b->islands.at[i].states.first + s], task;
            if (map_get(&b->c.task_of, sym_reg(REG_DERIV, state), &task))
                vec_push(b->arena, tasks, task);
        }
        ProgramSpec spec = {.phase = PHASE_FLOW, .tasks = tasks.at, .task_count = tasks.count};
        read_program(k, &spec);
        note_reads(k, i);
        request_code(b, FORM_PROGRAM, OWNER_ISLAND, i, &spec);
    }
}

static uint32_t time_island(Builder* b)
{
    uint32_t last = b->islands.count - 1;
    if (b->islands.at[last].states.count > 0 || b->islands.at[last].place != 0)
        vec_push(b->arena, b->islands, (Island){.name = build_string(b, "time")});
    return b->islands.count - 1;
}

static void add_guard_island(Builder* b, Guard* guard, uint32_t island)
{
    for (uint32_t i = 0; i < guard->islands.count; i++)
        if (b->guard_islands.at[guard->islands.first + i] == island)
            return;
    vec_push(b->arena, b->guard_islands, island);
    guard->islands.count++;
}

static void add_look(Linker* k, uint32_t index, Guard* guard)
{
    Builder* b = k->b;
    SymReg regs[] = {guard->g, guard->slope, guard->argument, guard->present};
    Sinks sinks = {0};
    uint32_t delay;
    for (int i = 0; i < 4; i++)
    {
        ScalarId value = sink_value(b, &b->event_index, regs[i]);
        if (value != 0)
            vec_push(b->arena, sinks, (Sink){guard->ctx, value, regs[i]});
    }
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = true};
    read_program(k, &spec);
    guard->islands = (IndexRange){b->guard_islands.count, 0};
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        RegClass cls = sym_class(k->regs.at[i]);
        if (cls == REG_STATE || cls == REG_DERIV)
            add_guard_island(b, guard, b->state_islands.at[sym_index(k->regs.at[i])]);
        else if (map_get(&k->delay_of, k->regs.at[i], &delay))
        {
            add_guard_island(b, guard, b->delays.at[delay].island);
            b->islands.at[b->delays.at[delay].island].queued = true;  // no window spans a jump that comes out
        }
    }
    if (guard->islands.count == 0 && !guard->time_only)
        add_guard_island(b, guard, time_island(b));
    // It is searched for along the steps of its island: one that begins to be watched, or whose level moves, in the
    // middle of a step must be looked for in the rest of it. (Those of several islands look for themselves.)
    if (guard->islands.count == 1)
        note_reads(k, b->guard_islands.at[guard->islands.first]);
    request_code(b, FORM_PROGRAM, OWNER_GUARD, index, &spec);
}

static void add_looks(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->guards.count; i++)
        if (b->guards.at[i].searched)
        {
            Guard guard = b->guards.at[i];
            add_look(k, i, &guard);
            b->guards.at[i] = guard;
        }
    for (uint32_t i = 0; i < b->delays.count; i++)
    {
        Delay* d = &b->delays.at[i];
        if (d->event)
            continue;
        Sinks sinks = {0};
        vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->flow_value), d->flow_value});
        vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->flow_slope), d->flow_slope});
        if (d->varies)
            vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->time), d->time});
        ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = true};
        read_program(k, &spec);
        note_reads(k, d->island);
        request_code(b, FORM_PROGRAM, OWNER_DELAY, i, &spec);
    }
}

// The guards that read one island only are looked at together: their search goes along with its steps.
static void add_island_events(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t island = 0; island < b->islands.count; island++)
    {
        Sinks sinks = {0};
        IndexRange own = b->islands.at[island].guards;
        for (uint32_t i = 0; i < own.count; i++)
        {
            const Guard* guard = &b->guards.at[b->island_guards.at[own.first + i]];
            SymReg regs[] = {guard->g, guard->slope, guard->argument, guard->present};
            for (int r = 0; r < 4 && guard->islands.count == 1; r++)
            {
                ScalarId value = sink_value(b, &b->event_index, regs[r]);
                if (value != 0)
                    vec_push(b->arena, sinks, (Sink){guard->ctx, value, regs[r]});
            }
        }
        ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = true};
        request_code(b, FORM_PROGRAM, OWNER_ISLAND_EVENTS, island, &spec);
    }
}

static void list_guards(Builder* b)
{
    for (uint32_t i = 0; i < b->guard_islands.count; i++)
        b->islands.at[b->guard_islands.at[i]].guards.count++;
    for (uint32_t i = 0, at = 0; i < b->islands.count; i++)
    {
        b->islands.at[i].guards.first = at;
        at += b->islands.at[i].guards.count;
        b->islands.at[i].guards.count = 0;
    }
    for (uint32_t i = 0; i < b->guard_islands.count; i++)
        vec_push(b->arena, b->island_guards, 0);
    for (uint32_t g = 0; g < b->guards.count; g++)
        for (uint32_t i = 0; i < b->guards.at[g].islands.count; i++)
        {
            IndexRange* own = &b->islands.at[b->guard_islands.at[b->guards.at[g].islands.first + i]].guards;
            b->island_guards.at[own->first + own->count++] = g;
        }
}

static void list_delays(Builder* b)
{
    for (uint32_t i = 0; i < b->islands.count; i++)
    {
        b->islands.at[i].delays.first = b->island_delays.count;
        for (uint32_t d = 0; d < b->delays.count; d++)
            if (!b->delays.at[d].event && b->delays.at[d].island == i)
            {
                vec_push(b->arena, b->island_delays, d);
                b->islands.at[i].delays.count++;
            }
    }
}

// ---- putting it together
// ---------------------------------------------------------------------------------------------

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
    for (uint32_t i = 0; i < k->edges.count; i++)
    {
        IndexRange* next = &b->units.at[k->edges.at[i].from].next;
        b->unit_links.at[next->first + next->count++] = k->edges.at[i].to;
    }
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
    ModelUnit flow = new_unit(&k, UNIT_ALL, 0);
    flow.code = b->draft.flow;
    add_island(&k, &flow, 0);
    push_unit(&k, flow);
    ModelUnit events = new_unit(&k, UNIT_ALL, 0);
    events.code = b->draft.events;
    add_island(&k, &events, 0);
    push_unit(&k, events);
    b->draft.flow_unit_count = b->units.count;
    ModelUnit react = new_unit(&k, UNIT_ALL, 0);
    react.code = b->draft.react;
    add_island(&k, &react, 0);
    add_need(&k, &react, 0);
    add_need(&k, &react, 1);
    uint32_t self = push_unit(&k, react);
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

static void fuse_island(Builder* b)
{
    Linker k = {.b = b};
    VEC(uint32_t) slopes = {0};
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
        if (b->c.tasks.at[i].kind == TASK_RIGHT_HAND_SIDE)
            vec_push(b->arena, slopes, i);
    Sinks inputs = {0};
    for (uint32_t i = 0; i < b->delays.count; i++)
        if (!b->delays.at[i].event)
            vec_push(b->arena, inputs,
                     (Sink){b->delays.at[i].ctx, sink_value(b, &b->event_index, b->delays.at[i].flow_value), 0});
    ProgramSpec deriv = {.phase = PHASE_FLOW,
                         .tasks = slopes.at,
                         .task_count = slopes.count,
                         .sinks = inputs.at,
                         .sink_count = inputs.count};
    read_program(&k, &deriv);
    note_reads(&k, 0);
    Island* all = &b->islands.at[0];
    all->deriv = b->draft.deriv;
    all->events = b->draft.events;
    all->queued = true;
    for (uint32_t i = 0; i < b->guards.count; i++)
    {
        Guard* guard = &b->guards.at[i];
        guard->look = b->draft.events;
        guard->islands = (IndexRange){b->guard_islands.count, 1};
        vec_push(b->arena, b->guard_islands, 0);
    }
    for (uint32_t i = 0; i < b->delays.count; i++)
        b->delays.at[i].look = b->draft.events;
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
    add_looks(&k);
    add_derivatives(&k);
    list_guards(b);
    add_island_events(&k);
    list_delays(b);
    list_variables(&k);
}

void build_units(Builder* b)
{
    list_slots(b);
    if (b->draft.fused)
    {
        fuse_units(b);
        fuse_island(b);
        list_guards(b);
        list_delays(b);
        return;
    }
    link_units(b);
}
