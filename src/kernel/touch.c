// What an instant works on (decision 0018). An instant starts from what is due and follows the lists of readers, so
// that its cost does not grow with the rest of the model. In a fused model (decision 0035) the set is everything: its
// three units are always touched and nothing is listed. Two rules keep the result that of a reaction of everything:
// - A register is touched before it changes. At that moment the left limits of all that reads it are taken, however
//   late in the instant: nothing they read has changed since the instant began, or they would have been touched then.
// - What is not touched keeps its value. Where a touched unit reads it, it is evaluated once for this time (pulled), as
//   between instants.
#include "kernel/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- pulling: values between instants
// --------------------------------------------------------------------------------

static void load_islands(kaiSim* sim, IndexRange range)
{
    for (uint32_t i = 0; i < range.count; i++)
        island_load(sim, sim->model->unit_islands[range.first + i], sim->R[sim->model->reg_time]);
}

// Marks a flow unit and all that it needs as asked for.
static void pull(kaiSim* sim, uint32_t unit, IndexList* list)
{
    const kaiModel* model = sim->model;
    uint32_t depth = 0;
    uint32_t* stack = sim->flow_stack;
    if (sim->flow_moments[unit] == sim->moment)
        return;
    sim->flow_moments[unit] = sim->moment;
    stack[depth++] = unit;
    while (depth > 0)
    {
        uint32_t at = stack[--depth];
        const ModelUnit* u = &model->units[at];
        list->at[list->count++] = at;
        load_islands(sim, u->islands);
        for (uint32_t i = 0; i < u->needs.count; i++)
        {
            uint32_t need = model->unit_links[u->needs.first + i];
            if (sim->flow_moments[need] == sim->moment)
                continue;
            sim->flow_moments[need] = sim->moment;
            stack[depth++] = need;
        }
    }
}

static int by_number(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static void sort(IndexList* list)
{
    if (list->count > 16)
    {
        qsort(list->at, list->count, sizeof *list->at, by_number);
        return;
    }
    for (uint32_t i = 1; i < list->count; i++)
    {
        uint32_t item = list->at[i], k = i;
        for (; k > 0 && list->at[k - 1] > item; k--)
            list->at[k] = list->at[k - 1];
        list->at[k] = item;
    }
}

static kaiStatus run_units(kaiSim* sim, const IndexList* list)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < list->count && status == KAI_OK; i++)
        status = sim_run_code(sim, sim->model->units[list->at[i]].code);
    return status;
}

static kaiStatus run_pulled(kaiSim* sim, IndexList* list)
{
    sort(list);  // the numbers follow the order of the flow
    kaiStatus status = run_units(sim, list);
    list->count = 0;
    return status;
}

void touch_moment(kaiSim* sim, double t)
{
    sim->moment++;
    sim->load_time = t;
    sim->R[sim->model->reg_time] = t;
}

static void pull_var(kaiSim* sim, uint32_t var)
{
    const kaiModel* model = sim->model;
    uint32_t reg = model->vars[var].reg, state = reg - model->reg_first[REG_STATE];
    if (model->var_units[var] != NO_REG)
        pull(sim, model->var_units[var], &sim->fresh.flows);
    else if (reg >= model->reg_first[REG_STATE] && state < model->state_count)
        island_load(sim, model->state_islands[state], sim->R[model->reg_time]);
}

kaiStatus touch_var(kaiSim* sim, uint32_t var)
{
    pull_var(sim, var);
    return run_pulled(sim, &sim->fresh.flows);
}

static void pull_rows(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->row_flows.count; i++)
        pull(sim, sim->row_flows.at[i], &sim->fresh.flows);
    for (uint32_t i = 0; i < sim->row_islands.count; i++)
        island_load(sim, sim->row_islands.at[i], sim->R[sim->model->reg_time]);
}

kaiStatus touch_rows(kaiSim* sim)
{
    pull_rows(sim);
    return run_pulled(sim, &sim->fresh.flows);
}

// What rows and probes show: flow units, and the islands of states.
static void add_row_var(kaiSim* sim, uint32_t var)
{
    const kaiModel* model = sim->model;
    uint32_t reg = model->vars[var].reg, state = reg - model->reg_first[REG_STATE];
    if (model->var_units[var] != NO_REG)
        sim->row_flows.at[sim->row_flows.count++] = model->var_units[var];
    else if (reg >= model->reg_first[REG_STATE] && state < model->state_count)
    {
        uint32_t island = model->state_islands[state];
        if (!sim->islands[island].recorded)
            sim->row_islands.at[sim->row_islands.count++] = island;
        sim->islands[island].recorded = true;
    }
}

static void mark_recorded(kaiSim* sim, uint32_t unit)
{
    IndexList* list = &sim->fresh.flows;
    touch_moment(sim, sim->options.start);
    pull(sim, unit, list);
    for (uint32_t i = 0; i < list->count; i++)
    {
        IndexRange islands = sim->model->units[list->at[i]].islands;
        for (uint32_t k = 0; k < islands.count; k++)
            sim->islands[sim->model->unit_islands[islands.first + k]].recorded = true;
    }
    list->count = 0;
}

void touch_rows_create(kaiSim* sim)
{
    for (int i = 0; i < sim->column_count; i++)
        add_row_var(sim, sim->column_vars[i]);
    for (uint32_t i = 0; i < sim->model->probes_count; i++)
        add_row_var(sim, sim->model->probes[i].var);
    for (uint32_t i = 0; i < sim->row_flows.count; i++)
        mark_recorded(sim, sim->row_flows.at[i]);
    if (sim->model->fused)
        sim->islands[0].recorded = true;
}

// ---- touching
// --------------------------------------------------------------------------------------------------------

static void clear(TouchSet* set)
{
#define X(name, size) set->name.count = 0;
    TOUCH_LISTS(X)
#undef X
}

void touch_begin(kaiSim* sim)
{
    sim->touch++;
    if (sim->model->fused)
        return;
    clear(&sim->touched);
    clear(&sim->settled);
    clear(&sim->fresh);
}

static void add(IndexList* list, uint32_t index)
{
    list->at[list->count++] = index;
}

static void touch_variable(kaiSim* sim, uint32_t var)
{
    if (sim->var_touches[var] == sim->touch || sim->model->fused)
        return;
    sim->var_touches[var] = sim->touch;
    add(&sim->fresh.vars, var);
    if (sim->model->var_nows[var] != 0)
        add(&sim->fresh.nows, sim->model->var_nows[var] - 1);
}

static void touch_reaction(kaiSim* sim, uint32_t reaction)
{
    const kaiModel* model = sim->model;
    if (reaction < model->when_count)
    {
        add(&sim->fresh.whens, reaction);
        return;
    }
    uint32_t machine = model->contexts[model->reactions[reaction].ctx].machine;
    if (sim->machine_touches[machine] == sim->touch)
        return;
    sim->machine_touches[machine] = sim->touch;
    add(&sim->fresh.machines, machine);
}

static void list_element(kaiSim* sim, const ModelUnit* u)
{
    switch (u->kind)
    {
    case UNIT_ALL: break;
    case UNIT_GUARD: add(&sim->fresh.guards, u->index); break;
    case UNIT_MEMORY: add(&sim->fresh.memories, u->index); break;
    case UNIT_REACTION: touch_reaction(sim, u->index); break;
    case UNIT_ASSERTION: add(&sim->fresh.assertions, u->index); break;
    case UNIT_FAULT: add(&sim->fresh.faults, u->index); break;
    case UNIT_DELAY: add(&sim->fresh.delays, u->index); break;
    default:
        for (uint32_t i = 0; i < u->vars.count; i++)
            touch_variable(sim, sim->model->unit_vars[u->vars.first + i]);
    }
}

void touch_unit(kaiSim* sim, uint32_t unit)
{
    const kaiModel* model = sim->model;
    if (sim->react_touches[unit] == sim->touch || model->fused)
        return;
    sim->react_touches[unit] = sim->touch;
    uint32_t next = sim->fresh.reacts.count;  // those behind it have yet to be followed
    add(&sim->fresh.reacts, unit);
    for (; next < sim->fresh.reacts.count; next++)
    {
        const ModelUnit* u = &model->units[sim->fresh.reacts.at[next]];
        list_element(sim, u);
        load_islands(sim, u->islands);
        for (uint32_t i = 0; i < u->needs.count; i++)
            pull(sim, model->unit_links[u->needs.first + i], &sim->fresh.flows);
        for (uint32_t i = 0; i < u->next.count; i++)
        {
            uint32_t other = model->unit_links[u->next.first + i];
            if (sim->react_touches[other] == sim->touch)
                continue;
            sim->react_touches[other] = sim->touch;
            add(&sim->fresh.reacts, other);
        }
    }
}

void touch_register(kaiSim* sim, uint32_t reg)
{
    const kaiModel* model = sim->model;
    uint32_t row = reg - model->reg_first[REG_STATE];
    if (model->fused)
        return;
    if (row < model->state_count)
        island_load(sim, model->state_islands[row], sim->R[model->reg_time]);
    if (model->reg_vars[row] != 0)
        touch_variable(sim, model->reg_vars[row] - 1);
    for (uint32_t i = model->reg_unit_first[row]; i < model->reg_unit_first[row + 1]; i++)
        touch_unit(sim, model->reg_units[i]);
}

void touch_all(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    if (model->fused)
        return;
    for (uint32_t i = model->flow_unit_count; i < model->units_count; i++)
        touch_unit(sim, i);
    for (uint32_t i = 0; i < model->flow_unit_count; i++)
        pull(sim, i, &sim->fresh.flows);
    for (uint32_t i = 0; i < model->vars_count; i++)
        touch_variable(sim, i);
}

// ---- left limits
// -----------------------------------------------------------------------------------------------------

static void keep_variables(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->fresh.vars.count; i++)
    {
        record_keep(sim, sim->fresh.vars.at[i], sim->tag_last);
        record_keep(sim, sim->fresh.vars.at[i], sim->tag_before);
    }
}

static void move(IndexList* into, IndexList* from)
{
    if (from->count == 0)
        return;
    memcpy(into->at + into->count, from->at, sizeof *from->at * from->count);
    into->count += from->count;
    from->count = 0;
}

// Settled, but not part of the reaction that is being committed.
static void move_fresh(kaiSim* sim)
{
#define X(name, size) move(&sim->settled.name, &sim->fresh.name);
    TOUCH_LISTS(X)
#undef X
}

// The three units of a fused model, once an instant.
static kaiStatus settle_fused(kaiSim* sim, bool start)
{
    const kaiModel* model = sim->model;
    if (sim->react_touches[0] == sim->touch)
        return KAI_OK;
    sim->react_touches[0] = sim->touch;
    island_load(sim, 0, sim->R[model->reg_time]);
    sim->flow_moments[0] = sim->flow_moments[1] = sim->moment;
    kaiStatus status = sim_run_code(sim, model->flow);
    if (status == KAI_OK)
        status = sim_run_code(sim, model->events);
    if (status != KAI_OK)
        return status;
    instant_left_limits(sim, start);
    guard_left_limit(sim);
    return KAI_OK;
}

kaiStatus touch_settle(kaiSim* sim, bool start)
{
    if (sim->model->fused)
        return settle_fused(sim, start);
    kaiStatus status = run_pulled(sim, &sim->fresh.flows);
    if (status != KAI_OK || sim->fresh.reacts.count + sim->fresh.vars.count == 0)
        return status;
    sim->walked = &sim->fresh;
    instant_left_limits(sim, start);
    guard_left_limit(sim);
    sim->walked = &sim->touched;
    keep_variables(sim);
    move_fresh(sim);
    return KAI_OK;
}

void touch_merge(kaiSim* sim)
{
    if (sim->model->fused)
        return;
#define X(name, size)                                                                                                  \
    if (sim->settled.name.count > 0)                                                                                   \
    {                                                                                                                  \
        move(&sim->touched.name, &sim->settled.name);                                                                  \
        sort(&sim->touched.name);                                                                                      \
    }
    TOUCH_LISTS(X)
#undef X
}

kaiStatus touch_react(kaiSim* sim)
{
    sim->reaction++;
    if (sim->model->fused)
        return sim_run_code(sim, sim->model->react);
    for (uint32_t i = 0; i < sim->touched.reacts.count; i++)
        sim->react_runs[sim->touched.reacts.at[i]] = sim->reaction;
    return run_units(sim, &sim->touched.reacts);
}

bool touch_reacts(const kaiSim* sim, uint32_t reaction)
{
    return sim->model->fused || sim->react_runs[sim->model->reaction_units[reaction]] == sim->reaction;
}

void touch_guard(kaiSim* sim, uint32_t guard)
{
    if (!sim->model->fused)
        touch_unit(sim, sim->model->first_guard_unit + guard);
}

bool touch_has_guard(const kaiSim* sim, uint32_t guard)
{
    return sim->model->fused || sim->react_touches[sim->model->first_guard_unit + guard] == sim->touch;
}

bool touch_has_var(const kaiSim* sim, uint32_t var)
{
    return sim->model->fused || sim->var_touches[var] == sim->touch;
}
