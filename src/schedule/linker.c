// What a unit reads, and the lists that come of it: what must be up to date before it is evaluated, who makes it
// change.
#include "schedule/linker.h"

void linker_request(Builder* b, CodeForm form, CodeOwner owner, uint32_t index, const ProgramSpec* spec)
{
    vec_push(b->arena, b->requests, (CodeRequest){form, owner, index, *spec});
}

// For the unit that is added next.
void linker_request_values(Builder* b, const Sinks* sinks)
{
    ProgramSpec spec = {.sinks = sinks->at, .sink_count = sinks->count};
    linker_request(b, FORM_VALUES, OWNER_UNIT, b->units.count, &spec);
}

// ---- what a unit reads
// -----------------------------------------------------------------------------------------------

void linker_begin(Linker* k)
{
    k->regs.count = 0;
    k->round++;
    scalar_walk(&k->b->c.scalars);
}

void linker_read_reg(Linker* k, SymReg reg)
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

void linker_read_ctx(Linker* k, uint32_t ctx)
{
    const Flat* flat = k->b->c.flat;
    for (; ctx != 0; ctx = flat->ctxs.at[ctx].parent)
        linker_read_reg(k, k->b->c.vars.at[flat->machines.at[flat->ctxs.at[ctx].machine].mode_var].reg);
}

void linker_read_scalar(Linker* k, ScalarId root)
{
    Scalars* scalars = &k->b->c.scalars;
    double index;
    scalar_walk_push(scalars, root);
    for (Scalar x; scalar_walk_next(scalars, &x);)
        if (x.op == SCALAR_REG)
            linker_read_reg(k, x.reg);
        else if (x.op == VM_DELAYED && scalar_is_const(scalars, x.arg[0], &index))
            linker_read_reg(k, k->b->delays.at[(uint32_t)index].out);
}

void linker_read_task(Linker* k, Phase phase, uint32_t task)
{
    Compiler* c = &k->b->c;
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, phase, task, i);
        linker_read_scalar(k, item.value.value);
        linker_read_scalar(k, item.value.present);
        linker_read_ctx(k, item.ctx);
    }
}

void linker_read_sink(Linker* k, Map* index, SymReg reg)
{
    ScalarId value = sink_value(k->b, index, reg);
    if (value == 0)
        return;
    linker_read_scalar(k, value);
    linker_read_ctx(k, sink_ctx(k->b, index, reg));
}

// Everything that a whole program reads, its tasks included.
void linker_read_program(Linker* k, const ProgramSpec* spec)
{
    Order order = order_tasks(&k->b->c, spec);
    linker_begin(k);
    for (uint32_t i = 0; i < order.first[order.count]; i++)
        linker_read_task(k, spec->phase, order.tasks[i]);
    for (uint32_t i = 0; i < spec->sink_count; i++)
    {
        linker_read_scalar(k, spec->sinks[i].value);
        linker_read_ctx(k, spec->sinks[i].ctx);
    }
}

// ---- linking
// ---------------------------------------------------------------------------------------------------------

void linker_add_need(Linker* k, ModelUnit* u, uint32_t unit)
{
    vec_push(k->b->arena, k->b->unit_links, unit);
    u->needs.count++;
}

void linker_add_island(Linker* k, ModelUnit* u, uint32_t island)
{
    for (uint32_t i = 0; i < u->islands.count; i++)
        if (k->b->unit_islands.at[u->islands.first + i] == island)
            return;
    vec_push(k->b->arena, k->b->unit_islands, island);
    u->islands.count++;
}

// What must be up to date before the unit is evaluated.
void linker_inputs(Linker* k, ModelUnit* u, uint32_t own)
{
    uint32_t task;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        SymReg reg = k->regs.at[i];
        if (sym_class(reg) == REG_STATE)
            linker_add_island(k, u, k->b->state_islands.at[sym_index(reg)]);
        else if (map_get(&k->b->c.task_of, reg, &task) && k->flow_of[task] != 0 && k->flow_of[task] - 1 != own)
            linker_add_need(k, u, k->flow_of[task] - 1);
    }
}

static void add_edge(Linker* k, uint32_t from, uint32_t to, bool read)
{
    if (from != to)
        vec_push(k->b->arena, k->edges, (Edge){from, to, read});
}

// Memories that the unit reads must hold their left limit.
void linker_memories(Linker* k, uint32_t unit)
{
    uint32_t at;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        if (map_get(&k->memory_of, k->regs.at[i], &at) && k->b->memories.at[at].left != NO_REG)
            add_edge(k, unit, k->first_memory + at, true);
        if (map_get(&k->guard_of, k->regs.at[i], &at))
            add_edge(k, unit, k->first_guard + at, true);
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
void linker_sources(Linker* k, uint32_t unit)
{
    uint32_t at;
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        SymReg reg = k->regs.at[i];
        if (map_get(&k->b->c.task_of, reg, &at) && k->react_of[at] != 0)
            add_edge(k, k->react_of[at] - 1, unit, false);
        if (map_get(&k->memory_of, reg, &at))
            add_edge(k, k->first_memory + at, unit, false);
        if (sym_class(reg) == REG_STATE && now_unit(k, sym_index(reg), &at))
            add_edge(k, at, unit, false);
        if (sym_class(reg) == REG_STATE || sym_class(reg) == REG_MEMORY)
            vec_push(k->b->arena, k->b->unit_reads, (RegLink){reg, unit});
    }
}

ModelUnit linker_new_unit(Linker* k, UnitKind kind, uint32_t index)
{
    Builder* b = k->b;
    return (ModelUnit){.kind = (uint8_t)kind,
                       .index = index,
                       .needs = {b->unit_links.count, 0},
                       .islands = {b->unit_islands.count, 0},
                       .vars = {b->unit_vars.count, 0}};
}

uint32_t linker_push_unit(Linker* k, ModelUnit u)
{
    vec_push(k->b->arena, k->b->units, u);
    return k->b->units.count - 1;
}
