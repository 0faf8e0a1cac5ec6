// What an instant works on (decision 0018). An instant starts from what is due and follows the lists of readers, so
// that its cost does not grow with the rest of the model. In a fused model (decision 0035) the set is everything: its
// three units are always touched and nothing is listed. Two rules keep the result that of a reaction of everything:
// - A register is touched before it changes. At that moment the left limits of all that reads it are taken, however
//   late in the instant: nothing they read has changed since the instant began, or they would have been touched then.
// - What is not touched keeps its value. Where a touched unit reads it, it is evaluated once for this time (pulled), as
//   between instants.
#include "kernel/brief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- pulling: values between instants
// --------------------------------------------------------------------------------

static void load_islands(Kernel* kernel, IndexRange range)
{
    for (uint32_t i = 0; i < range.count; i++)
        kernel->hooks->load(kernel->owner, kernel->model->unit_islands[range.first + i],
                            kernel->R[kernel->model->reg_time]);
}

// Marks a flow unit and all that it needs as asked for.
static void pull(Kernel* kernel, uint32_t unit, IndexList* list)
{
    const kaiModel* model = kernel->model;
    uint32_t depth = 0;
    uint32_t* stack = kernel->flow_stack;
    if (kernel->flow_moments[unit] == kernel->moment)
        return;
    kernel->flow_moments[unit] = kernel->moment;
    stack[depth++] = unit;
    while (depth > 0)
    {
        uint32_t at = stack[--depth];
        const ModelUnit* u = &model->units[at];
        list->at[list->count++] = at;
        load_islands(kernel, u->islands);
        for (uint32_t i = 0; i < u->needs.count; i++)
        {
            uint32_t need = model->unit_links[u->needs.first + i];
            if (kernel->flow_moments[need] == kernel->moment)
                continue;
            kernel->flow_moments[need] = kernel->moment;
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

static kaiStatus run_units(Kernel* kernel, const IndexList* list)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < list->count && status == KAI_OK; i++)
        status = kernel_run(kernel, kernel->model->units[list->at[i]].code);
    return status;
}

static kaiStatus run_pulled(Kernel* kernel, IndexList* list)
{
    sort(list);  // the numbers follow the order of the flow
    kaiStatus status = run_units(kernel, list);
    list->count = 0;
    return status;
}

void touch_moment(Kernel* kernel, double t)
{
    kernel->moment++;
    kernel->load_time = t;
    kernel->R[kernel->model->reg_time] = t;
}

static void pull_var(Kernel* kernel, uint32_t var)
{
    const kaiModel* model = kernel->model;
    uint32_t reg = model->vars[var].reg, state = reg - model->reg_first[REG_STATE];
    if (model->var_units[var] != NO_REG)
        pull(kernel, model->var_units[var], &kernel->fresh.flows);
    else if (reg >= model->reg_first[REG_STATE] && state < model->state_count)
        kernel->hooks->load(kernel->owner, model->state_islands[state], kernel->R[model->reg_time]);
}

kaiStatus touch_var(Kernel* kernel, uint32_t var)
{
    pull_var(kernel, var);
    return run_pulled(kernel, &kernel->fresh.flows);
}

static void pull_rows(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->row_flows.count; i++)
        pull(kernel, kernel->row_flows.at[i], &kernel->fresh.flows);
    for (uint32_t i = 0; i < kernel->row_islands.count; i++)
        kernel->hooks->load(kernel->owner, kernel->row_islands.at[i], kernel->R[kernel->model->reg_time]);
}

kaiStatus touch_rows(Kernel* kernel)
{
    pull_rows(kernel);
    return run_pulled(kernel, &kernel->fresh.flows);
}

// What rows and probes show: flow units, and the islands of states.
void touch_show(Kernel* kernel, uint32_t var)
{
    const kaiModel* model = kernel->model;
    uint32_t reg = model->vars[var].reg, state = reg - model->reg_first[REG_STATE];
    if (model->var_units[var] != NO_REG)
        kernel->row_flows.at[kernel->row_flows.count++] = model->var_units[var];
    else if (reg >= model->reg_first[REG_STATE] && state < model->state_count)
    {
        uint32_t island = model->state_islands[state];
        if (!kernel->island_shown[island])
            kernel->row_islands.at[kernel->row_islands.count++] = island;
        kernel->island_shown[island] = true;
    }
}

static void mark_shown(Kernel* kernel, uint32_t unit)
{
    IndexList* list = &kernel->fresh.flows;
    touch_moment(kernel, kernel->options->start);
    pull(kernel, unit, list);
    for (uint32_t i = 0; i < list->count; i++)
    {
        IndexRange islands = kernel->model->units[list->at[i]].islands;
        for (uint32_t k = 0; k < islands.count; k++)
            kernel->island_shown[kernel->model->unit_islands[islands.first + k]] = true;
    }
    list->count = 0;
}

void touch_shown(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->row_flows.count; i++)
        mark_shown(kernel, kernel->row_flows.at[i]);
    if (kernel->model->fused)
        kernel->island_shown[0] = true;
}

// ---- touching
// --------------------------------------------------------------------------------------------------------

static void clear(TouchSet* set)
{
#define X(name, size) set->name.count = 0;
    TOUCH_LISTS(X)
#undef X
}

void touch_begin(Kernel* kernel)
{
    kernel->touch++;
    kernel->scene.open = 0;
    if (kernel->model->fused)
        return;
    clear(&kernel->touched);
    clear(&kernel->settled);
    clear(&kernel->fresh);
}

static void add(IndexList* list, uint32_t index)
{
    list->at[list->count++] = index;
}

static void touch_variable(Kernel* kernel, uint32_t var)
{
    if (kernel->var_touches[var] == kernel->touch || kernel->model->fused)
        return;
    kernel->var_touches[var] = kernel->touch;
    add(&kernel->fresh.vars, var);
    if (kernel->model->var_nows[var] != 0)
        add(&kernel->fresh.nows, kernel->model->var_nows[var] - 1);
}

static void touch_reaction(Kernel* kernel, uint32_t reaction)
{
    const kaiModel* model = kernel->model;
    if (reaction < model->when_count)
    {
        add(&kernel->fresh.whens, reaction);
        return;
    }
    uint32_t machine = model->contexts[model->reactions[reaction].ctx].machine;
    if (kernel->machine_touches[machine] == kernel->touch)
        return;
    kernel->machine_touches[machine] = kernel->touch;
    add(&kernel->fresh.machines, machine);
}

static void list_element(Kernel* kernel, const ModelUnit* u)
{
    switch (u->kind)
    {
    case UNIT_ALL: break;
    case UNIT_GUARD: add(&kernel->fresh.guards, u->index); break;
    case UNIT_MEMORY: add(&kernel->fresh.memories, u->index); break;
    case UNIT_REACTION: touch_reaction(kernel, u->index); break;
    case UNIT_ASSERTION: add(&kernel->fresh.assertions, u->index); break;
    case UNIT_FAULT: add(&kernel->fresh.faults, u->index); break;
    case UNIT_DELAY: add(&kernel->fresh.delays, u->index); break;
    default:
        for (uint32_t i = 0; i < u->vars.count; i++)
            touch_variable(kernel, kernel->model->unit_vars[u->vars.first + i]);
    }
}

void touch_unit(Kernel* kernel, uint32_t unit)
{
    const kaiModel* model = kernel->model;
    if (kernel->react_touches[unit] == kernel->touch || model->fused)
        return;
    kernel->react_touches[unit] = kernel->touch;
    uint32_t next = kernel->fresh.reacts.count;  // those behind it have yet to be followed
    add(&kernel->fresh.reacts, unit);
    for (; next < kernel->fresh.reacts.count; next++)
    {
        const ModelUnit* u = &model->units[kernel->fresh.reacts.at[next]];
        list_element(kernel, u);
        load_islands(kernel, u->islands);
        for (uint32_t i = 0; i < u->needs.count; i++)
            pull(kernel, model->unit_links[u->needs.first + i], &kernel->fresh.flows);
        for (uint32_t i = 0; i < u->next.count; i++)
        {
            uint32_t other = model->unit_links[u->next.first + i];
            if (kernel->react_touches[other] == kernel->touch)
                continue;
            kernel->react_touches[other] = kernel->touch;
            add(&kernel->fresh.reacts, other);
        }
    }
}

void touch_register(Kernel* kernel, uint32_t reg)
{
    const kaiModel* model = kernel->model;
    uint32_t row = reg - model->reg_first[REG_STATE];
    if (model->fused)
        return;
    if (row < model->state_count)
        kernel->hooks->load(kernel->owner, model->state_islands[row], kernel->R[model->reg_time]);
    if (model->reg_vars[row] != 0)
        touch_variable(kernel, model->reg_vars[row] - 1);
    for (uint32_t i = model->reg_unit_first[row]; i < model->reg_unit_first[row + 1]; i++)
        touch_unit(kernel, model->reg_units[i]);
}

void touch_all(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    if (model->fused)
        return;
    for (uint32_t i = model->flow_unit_count; i < model->units_count; i++)
        touch_unit(kernel, i);
    for (uint32_t i = 0; i < model->flow_unit_count; i++)
        pull(kernel, i, &kernel->fresh.flows);
    for (uint32_t i = 0; i < model->vars_count; i++)
        touch_variable(kernel, i);
}

// ---- left limits
// -----------------------------------------------------------------------------------------------------

static void keep_variables(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->fresh.vars.count; i++)
    {
        kernel->hooks->keep(kernel->owner, kernel->fresh.vars.at[i]);
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
void touch_accept(Kernel* kernel)
{
#define X(name, size) move(&kernel->settled.name, &kernel->fresh.name);
    TOUCH_LISTS(X)
#undef X
}

void touch_sort(TouchSet* set)
{
#define X(name, size) sort(&set->name);
    TOUCH_LISTS(X)
#undef X
}

// The three units of a fused model, once an instant.
static kaiStatus settle_fused(Kernel* kernel, bool start)
{
    const kaiModel* model = kernel->model;
    if (kernel->react_touches[0] == kernel->touch)
        return KAI_OK;
    kernel->react_touches[0] = kernel->touch;
    kernel->hooks->load(kernel->owner, 0, kernel->R[model->reg_time]);
    kernel->flow_moments[0] = kernel->flow_moments[1] = kernel->moment;
    kaiStatus status = brief_flow(kernel, start || kernel->now.p >= 0);
    if (status == KAI_OK && brief_puts_off(kernel))
        return KAI_OK;
    // The left limit of an expression with der(x) in it, which an impulse is multiplied with, reads the slope of x.
    if (status == KAI_OK && model->memories_count > 0 && model->impulse_order >= 0)
        status = kernel->hooks->slopes(kernel->owner, 0);
    if (status == KAI_OK)
        status = brief_events(kernel);
    if (status != KAI_OK)
        return status;
    if (model->memories_count > 0)
        instant_left_limits(kernel, start);
    guard_left_limit(kernel);
    return KAI_OK;
}

kaiStatus touch_settle(Kernel* kernel, bool start)
{
    if (kernel->model->fused)
        return settle_fused(kernel, start);
    kaiStatus status = run_pulled(kernel, &kernel->fresh.flows);
    if (status != KAI_OK || kernel->fresh.reacts.count + kernel->fresh.vars.count == 0)
        return status;
    kernel->walked = &kernel->fresh;
    instant_left_limits(kernel, start);
    guard_left_limit(kernel);
    kernel->walked = &kernel->touched;
    keep_variables(kernel);
    touch_accept(kernel);
    return KAI_OK;
}

void touch_merge(Kernel* kernel)
{
    if (kernel->model->fused)
        return;
#define X(name, size)                                                                                                  \
    if (kernel->settled.name.count > 0)                                                                                \
    {                                                                                                                  \
        move(&kernel->touched.name, &kernel->settled.name);                                                            \
        sort(&kernel->touched.name);                                                                                   \
    }
    TOUCH_LISTS(X)
#undef X
}

kaiStatus touch_react(Kernel* kernel)
{
    kernel->reaction++;
    if (kernel->model->fused)
        return brief_react(kernel);
    for (uint32_t i = 0; i < kernel->touched.reacts.count; i++)
        kernel->react_runs[kernel->touched.reacts.at[i]] = kernel->reaction;
    return run_units(kernel, &kernel->touched.reacts);
}

bool touch_reacts(const Kernel* kernel, uint32_t reaction)
{
    return kernel->model->fused || kernel->react_runs[kernel->model->reaction_units[reaction]] == kernel->reaction;
}

void touch_guard(Kernel* kernel, uint32_t guard)
{
    if (!kernel->model->fused)
        touch_unit(kernel, kernel->model->first_guard_unit + guard);
}

bool touch_has_guard(const Kernel* kernel, uint32_t guard)
{
    return kernel->model->fused || kernel->react_touches[kernel->model->first_guard_unit + guard] == kernel->touch;
}

bool touch_has_var(const Kernel* kernel, uint32_t var)
{
    return kernel->model->fused || kernel->var_touches[var] == kernel->touch;
}
