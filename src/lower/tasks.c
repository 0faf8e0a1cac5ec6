// The list of things to compute. Scheduling orders tasks; code generation writes their items.
#include "lower/compiler.h"

static void add_task(Compiler* c, Task task)
{
    uint32_t index = c->tasks.count;
    vec_push(c->arena, c->tasks, task);
    map_set(&c->task_of, task.reg, index);
    if (task.present != NO_REG)
        map_set(&c->task_of, task.present, index);
}

static void collect_defs(Compiler* c, Task* task, uint32_t var, int order)
{
    for (uint32_t d = c->vars.at[var].first_def[order]; d != 0; d = c->next_def.at[d - 1])
        vec_push(c->arena, task->defs, d - 1);
}

// The impulses of a variable, and for a state that integrates impulses its value in a reaction. Separate tasks from the
// regular part: an integrator needs the impulse of its input and not its value (rule R2).
static void make_impulse_tasks(Compiler* c, uint32_t v)
{
    VarInfo* info = &c->vars.at[v];
    int order = c->flat->vars.at[v].kind == VAR_STATE ? 1 : 0;
    for (int k = 0; k < info->order + 1; k++)
    {
        Task task = {.kind = TASK_IMPULSE, .var = v, .base = (uint32_t)(k + order), .present = NO_REG};
        task.reg = info->first_impulse + (uint32_t)k;
        collect_defs(c, &task, v, order);
        add_task(c, task);
    }
    if (info->rhs_order < 0)
        return;
    Task area = {.kind = TASK_IMPULSE, .var = v, .base = 0, .reg = info->area, .present = NO_REG};
    collect_defs(c, &area, v, 1);
    add_task(c, area);
    add_task(c, (Task){.kind = TASK_NOW, .var = v, .reg = info->now, .present = NO_REG});
}

void make_tasks(Compiler* c)
{
    for (uint32_t v = 0; v < c->vars.count; v++)
    {
        const VarInfo* info = &c->vars.at[v];
        VarKind kind = c->flat->vars.at[v].kind;
        if (kind == VAR_STATE)
        {
            Task task = {.kind = TASK_RIGHT_HAND_SIDE, .var = v, .reg = info->deriv, .present = NO_REG};
            collect_defs(c, &task, v, 1);
            add_task(c, task);
        }
        else if (info->implicit != 0)
            add_task(c, (Task){.kind = TASK_IMPLICIT, .var = v, .reg = info->reg, .present = NO_REG});
        else if (info->first_def[0] != 0)
        {
            Task task = {.kind = TASK_DEFINITION, .var = v, .reg = info->reg, .present = info->present};
            collect_defs(c, &task, v, 0);
            add_task(c, task);
        }
        make_impulse_tasks(c, v);
    }
}

void make_start_task(Compiler* c, uint32_t var)
{
    map_set(&c->start_of, c->vars.at[var].reg, c->tasks.count);
    vec_push(c->arena, c->tasks, (Task){.kind = TASK_START, .var = var, .reg = c->vars.at[var].reg, .present = NO_REG});
}

uint32_t task_item_count(Compiler* c, uint32_t task)
{
    const Task* t = &c->tasks.at[task];
    if (t->kind == TASK_START || t->kind == TASK_NOW || t->kind == TASK_IMPLICIT)
        return 1;
    return t->kind == TASK_DERIVATIVE ? task_item_count(c, t->base) : t->defs.count;
}

// At the tag at which its mode is preempted a definition gives nothing: not its value, not its impulse.
static ScalarId reacts(Compiler* c, Phase phase, uint32_t var, uint32_t ctx)
{
    bool gated = phase == PHASE_REACT && ctx != 0 && !c->vars.at[var].tested && ctx_preemptible(c->flat, ctx);
    return gated ? scalar_not(&c->scalars, lower_preempted(c, ctx)) : scalar_const(&c->scalars, 1);
}

TaskItem task_item(Compiler* c, Phase phase, uint32_t task, uint32_t index)
{
    Task t = c->tasks.at[task];
    if (t.kind == TASK_DERIVATIVE)
    {
        TaskItem item = task_item(c, phase, t.base, index);
        uint32_t known;
        if (!map_get(&c->slopes, item.value.value, &known))  // asked for again by every program
            map_set(&c->slopes, item.value.value, known = flow_derivative(c, item.value.value));
        item.value.value = known;
        return item;
    }
    if (t.kind == TASK_START)
    {
        const FlatVar* var = &c->flat->vars.at[t.var];
        ScalarId zero = scalar_const(&c->scalars, 0);
        Lowered value = var->init != 0 ? lower(c, phase, var->init) : (Lowered){zero, scalar_const(&c->scalars, 1)};
        return (TaskItem){.value = value, .span = var->span};
    }
    if (t.kind == TASK_IMPLICIT)
    {
        const FlatImplicit implicit = c->flat->implicits.at[c->vars.at[t.var].implicit - 1];
        return (TaskItem){.value = lower(c, phase, implicit.residual), .span = implicit.span};
    }
    if (t.kind == TASK_NOW)
    {
        const VarInfo* info = &c->vars.at[t.var];
        ScalarId value = scalar_make(&c->scalars, VM_ADD, scalar_reg(&c->scalars, info->reg),
                                     scalar_reg(&c->scalars, info->area), 0, c->flat->vars.at[t.var].span);
        if (c->numeric && info->order >= 0)
            value = numeric_state(c, t.var, value);
        return (TaskItem){.value = {value, scalar_const(&c->scalars, 1)}, .span = c->flat->vars.at[t.var].span};
    }
    FlatDef def = c->flat->defs.at[t.defs.at[index]];
    if (t.kind == TASK_IMPULSE)
    {
        ScalarId zero = scalar_const(&c->scalars, 0);
        ScalarId weight = phase == PHASE_REACT ? impulse_part(c, def.value, (int)t.base) : zero;
        ScalarId there = phase == PHASE_REACT ? lower(c, PHASE_REACT, def.value).present : zero;
        if (phase == PHASE_REACT)
            weight = scalar_select(&c->scalars, scalar_and(&c->scalars, there, reacts(c, phase, t.var, def.ctx)),
                                   weight, zero);
        return (TaskItem){.ctx = def.ctx, .value = {weight, scalar_const(&c->scalars, 1)}, .span = def.span};
    }
    TaskItem item = {.ctx = def.ctx, .value = lower(c, phase, def.value), .span = def.span};
    if (t.kind == TASK_DEFINITION)
        item.value.present = scalar_and(&c->scalars, item.value.present, reacts(c, phase, t.var, def.ctx));
    if (t.kind == TASK_RIGHT_HAND_SIDE)  // an absent derivative leaves its state (rule V1)
        item.value.value =
            scalar_select(&c->scalars, item.value.present, item.value.value, scalar_const(&c->scalars, 0));
    return item;
}

bool is_tear(const Compiler* c, uint32_t task)
{
    while (c->tasks.at[task].kind == TASK_DERIVATIVE)
        task = c->tasks.at[task].base;
    return c->tasks.at[task].kind == TASK_IMPLICIT;
}

// The derivative of pre(u) at a tag: what the derivative of u was at the tag before, first of all its left limit. A
// `pre` that its own definition reads is constant between instants.
static ScalarId pre_derivative(Compiler* c, uint32_t from)
{
    NodeId n = c->cells.at[from].node;
    uint32_t order = c->cells.at[from].kind == CELL_PRE ? 1 : c->cells.at[from].index + 1, index;
    uint64_t key = (uint64_t)(96 + order) << 40 | n;
    if (!map_get(&c->cell_index, key, &index))
    {
        index = c->cells.count;
        map_set(&c->cell_index, key, index);
        Cell cell = {.kind = CELL_PRE_DERIVATIVE, .node = n, .index = order, .latch_present = NO_REG};
        cell.latch = compiler_reg(c, REG_MEMORY);
        map_set(&c->pre_latches, cell.latch, index);
        vec_push(c->arena, c->cells, cell);
    }
    return scalar_reg(&c->scalars, c->cells.at[index].latch);
}

static ScalarId flow_leaf(Compiler* c, void* user, SymReg reg)
{
    (void)user;
    if (reg == c->time)
        return scalar_const(&c->scalars, 1);
    if (sym_class(reg) == REG_STATE)
        return scalar_reg(&c->scalars, sym_reg(REG_DERIV, sym_index(reg)));
    uint32_t base, derived, pre;
    if (map_get(&c->pre_latches, reg, &pre))
        return pre_derivative(c, pre);
    if (!map_get(&c->task_of, reg, &base) || c->tasks.at[base].kind == TASK_IMPULSE)
        return 0;
    if (c->tasks.at[base].kind == TASK_NOW)
        return scalar_reg(&c->scalars, c->vars.at[c->tasks.at[base].var].deriv);
    if (!map_get(&c->derived, reg, &derived))
    {
        derived = compiler_reg(c, REG_VALUE);
        map_set(&c->derived, reg, derived);
        add_task(c, (Task){.kind = TASK_DERIVATIVE,
                           .var = c->tasks.at[base].var,
                           .base = base,
                           .reg = derived,
                           .present = NO_REG});
    }
    return scalar_reg(&c->scalars, derived);
}

ScalarId flow_derivative(Compiler* c, ScalarId root)
{
    Map memo;
    map_init(&memo, c->arena);
    bool around = c->derive.along_flow;
    c->derive.along_flow = true;
    ScalarId value = differentiate(c, root, flow_leaf, NULL, &memo);
    c->derive.along_flow = around;
    map_release(&memo);
    return value;
}

void push_task_items(Compiler* c, Phase phase, uint32_t task)
{
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, phase, task, i);
        scalar_walk_push(&c->scalars, item.value.value);
        scalar_walk_push(&c->scalars, item.value.present);
    }
}

void push_task(Compiler* c, Phase phase, uint32_t task)
{
    scalar_walk(&c->scalars);
    push_task_items(c, phase, task);
}
