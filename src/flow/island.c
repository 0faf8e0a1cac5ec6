// Islands (rule D2, paper 004 section 4.3): parts of the model with a solver, a step and a time of their own; every
// model has at least one. An island takes one step beyond the present, not past what is expected to disturb it, nor
// past the first crossing of a guard that reads it alone; guards that read several look for their crossings in the
// steps these have in common, and remember them. What disturbs it earlier finds the dense output of the step as
// checkpoint: the island rolls back to that time and starts again. Undisturbed it never rolls back.
#include "flow/guard_path.h"

#include <math.h>
#include <string.h>

// ---- states and registers
// --------------------------------------------------------------------------------------------

static const uint32_t* states_of(const kaiSim* sim, uint32_t island)
{
    return sim->model->island_states + sim->model->islands[island].states.first;
}

static uint32_t count_of(const kaiSim* sim, uint32_t island)
{
    return sim->model->islands[island].states.count;
}

static void scatter(const kaiSim* sim, uint32_t island, const double* restrict from, double* restrict to)
{
    const uint32_t *states = states_of(sim, island), n = count_of(sim, island), base = sim->islands[island].base;
    if (base != NO_REG && n > 0)
        memcpy(to + base, from, sizeof(double) * n);
    else
        for (uint32_t i = 0; i < n; i++)
            to[states[i]] = from[i];
}

static void gather(const kaiSim* sim, uint32_t island, const double* restrict from, double* restrict to)
{
    const uint32_t *states = states_of(sim, island), n = count_of(sim, island), base = sim->islands[island].base;
    if (base != NO_REG && n > 0)
        memcpy(to, from + base, sizeof(double) * n);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[states[i]];
}

static uint32_t base_of(const kaiSim* sim, uint32_t island)
{
    const uint32_t *states = states_of(sim, island), n = count_of(sim, island);
    for (uint32_t i = 1; i < n; i++)
        if (states[i] != states[0] + i)
            return NO_REG;
    return n > 0 ? states[0] : 0;
}

uint32_t island_state(const kaiSim* sim, uint32_t island, uint32_t slot)
{
    return states_of(sim, island)[slot];
}

double island_theta(const kaiSim* sim, uint32_t island, double t)
{
    const Ode* ode = sim->island_odes[island];
    double start = ode_step_start(ode), end = ode_time(ode);
    if (sim->islands[island].pin_time == t)
        return sim->islands[island].pin;
    return end > start ? (t - start) / (end - start) : 1;
}

void island_load(kaiSim* sim, uint32_t island, double t)
{
    IslandState* s = &sim->islands[island];
    Ode* ode = sim->island_odes[island];
    if (s->loaded == t)
        return;
    s->loaded = t;
    t = t == sim->now.t ? sim->load_time : t;
    if (t == ode_time(ode))
    {
        scatter(sim, island, ode_state(ode), sim_states(sim));
        return;
    }
    ode_dense(ode, island_theta(sim, island, t), sim->island_x, NULL);
    scatter(sim, island, sim->island_x, sim_states(sim));
}

// Where the solver stands it has them, or will need them.
kaiStatus island_slopes(kaiSim* sim, uint32_t island)
{
    IslandState* s = &sim->islands[island];
    Ode* ode = sim->island_odes[island];
    double t = sim->R[sim->model->reg_time];
    if (s->sloped == sim->moment)
        return KAI_OK;
    s->sloped = sim->moment;
    if (!s->begun || s->disturbed || s->loaded != ode_time(ode))
        return sim_run_code(sim, sim->model->islands[island].deriv);
    int failed = ode_evaluate(ode);
    if (failed != ODE_OK)
        return sim_ode_failed(sim, island, failed);
    scatter(sim, island, ode_slope(ode), sim_slopes(sim));
    s->loaded = ode_time(ode);
    sim->R[sim->model->reg_time] = t;
    return KAI_OK;
}

void island_ends(kaiSim* sim, uint32_t island)
{
    const Ode* ode = sim->island_odes[island];
    sim->islands[island].loaded = NAN;
    scatter(sim, island, ode_state(ode), sim_states(sim));
    scatter(sim, island, ode_slope(ode), sim_slopes(sim));
}

// At `theta` of a window. In a window that is the whole step theta is that of the step, to the last bit.
void island_look(kaiSim* sim, uint32_t island, double from, double length, double theta, bool slopes)
{
    Ode* ode = sim->island_odes[island];
    double start = ode_step_start(ode), h = ode_time(ode) - start;
    double at = from == start && length == h ? theta : h > 0 ? (from - start) / h + theta * (length / h) : 1;
    sim->islands[island].loaded = NAN;
    ode_dense(ode, at, sim->island_x, slopes ? sim->island_dx : NULL);
    scatter(sim, island, sim->island_x, sim_states(sim));
    if (slopes)
        scatter(sim, island, sim->island_dx, sim_slopes(sim));
}

static int island_rhs(void* ctx, double t, const double* x, double* dx)
{
    IslandSystem* own = ctx;
    kaiSim* sim = own->sim;
    CodeRange code = sim->model->islands[own->island].deriv;
    sim->R[sim->model->reg_time] = t;
    sim->islands[own->island].loaded = NAN;
    scatter(sim, own->island, x, sim_states(sim));
    if (sim_numeric(sim))
        pulse_trial(sim, t);
    if (vm_run(sim->model, sim->R, code, &sim->host) != 0)
    {
        sim->now.t = t;
        return sim_run_code(sim, code) != KAI_OK ? -1 : 0;
    }
    if (sim->holds > 0)
        zeno_hold(sim, sim_slopes(sim));
    gather(sim, own->island, sim_slopes(sim), dx);
    return 0;
}

// The equations of an island read no other: its part of the Jacobian is a block. The program computes all of them, so
// small islands of a large model are better off with differences.
static int island_jacobian(void* ctx, double t, const double* x, double* values, double* dfdt)
{
    IslandSystem* own = ctx;
    kaiSim* sim = own->sim;
    const kaiModel* model = sim->model;
    sim->R[model->reg_time] = t;
    sim->islands[own->island].loaded = NAN;
    scatter(sim, own->island, x, sim_states(sim));
    if (vm_run(model, sim->R, model->jacobian, &sim->host) != 0)
        return -1;
    for (int i = 0; i < own->system.column_start[own->system.n]; i++)
    {
        bool held = sim->holds > 0 && sim->hold_by[model->jacobian_rows[own->entries[i]]] != 0;
        values[i] = held ? 0 : sim->R[model->jacobian_values[own->entries[i]]];
    }
    for (uint32_t i = 0; dfdt != NULL && i < count_of(sim, own->island); i++)
    {
        uint32_t state = states_of(sim, own->island)[i], time = model->jacobian_times[state];
        dfdt[i] = time != NO_REG && (sim->holds == 0 || sim->hold_by[state] == 0) ? sim->R[time] : 0;
    }
    return 0;
}

// The pattern of one island; *next is the place for its entries.
static void make_pattern(kaiSim* sim, IslandSystem* own, int* columns, uint32_t* next)
{
    const kaiModel* model = sim->model;
    uint32_t n = count_of(sim, own->island), first = *next;
    for (uint32_t i = 0; i < n; i++)
    {
        uint32_t state = states_of(sim, own->island)[i];
        columns[i] = (int)(*next - first);
        for (int32_t k = model->jacobian_columns[state]; k < model->jacobian_columns[state + 1]; k++)
        {
            sim->island_rows[*next] = (int)model->state_slots[model->jacobian_rows[k]];
            sim->island_entries[(*next)++] = (uint32_t)k;
        }
    }
    columns[n] = (int)(*next - first);
    own->entries = sim->island_entries + first;
    own->system.column_start = columns;
    own->system.row_index = sim->island_rows + first;
    if (4 * n >= model->state_count)
        own->system.jacobian = island_jacobian;
}

// ---- disturbing
// ------------------------------------------------------------------------------------------------------

void island_disturb(kaiSim* sim, uint32_t island)
{
    if (sim->islands[island].disturbed)
        return;
    sim->islands[island].disturbed = true;
    sim->disturbed.at[sim->disturbed.count++] = island;
}

void islands_disturb(kaiSim* sim, uint32_t reg)
{
    const kaiModel* model = sim->model;
    uint32_t row = reg - model->reg_first[REG_STATE];
    if (row < model->state_count)
        island_disturb(sim, model->state_islands[row]);
    for (uint32_t i = model->reg_island_first[row]; i < model->reg_island_first[row + 1]; i++)
        island_disturb(sim, model->reg_islands[i]);
}

void islands_disturb_all(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
        island_disturb(sim, i);
}

void islands_set(kaiSim* sim, uint32_t reg)
{
    uint32_t row = reg - sim->model->reg_first[REG_STATE];
    sim->R[sim->model->reg_time] = sim->now.t;
    if (row < sim->model->state_count)
        island_load(sim, sim->model->state_islands[row], sim->now.t);
    if (sim->outside.count < sim->model->vars_count)
        sim->outside.at[sim->outside.count++] = reg;
}

void islands_wait(kaiSim* sim, uint32_t island)
{
    agenda_set(&sim->agenda, agenda_island(sim, island), INFINITY);
    if (sim->islands[island].due || !sim->islands[island].steps)
        return;
    sim->islands[island].due = true;
    sim->waiting.at[sim->waiting.count++] = island;
}

void islands_look(kaiSim* sim, uint32_t guard)
{
    if (sim->guards[guard].looking)
        return;
    sim->guards[guard].looking = true;
    sim->looks.at[sim->looks.count++] = guard;
}

// The step that holds the present ends here. Whoever is disturbed by its own guard has not run ahead in vain.
static void end_step(kaiSim* sim, uint32_t island, double t)
{
    IslandState* s = &sim->islands[island];
    Ode* ode = sim->island_odes[island];
    if (ode_time(ode) <= t || ode_step_start(ode) >= t)
        return;
    s->rollbacks += s->own != sim->touch;
    s->thrown += s->own != sim->touch;
    ode_cut(ode, island_theta(sim, island, t));
}

static kaiStatus restart(kaiSim* sim, uint32_t island)
{
    IslandState* s = &sim->islands[island];
    double t = sim->now.t;
    bool first = !s->begun;
    s->disturbed = false;
    island_load(sim, island, t);
    gather(sim, island, sim_states(sim), sim->island_start);
    if (!first)
        end_step(sim, island, t);
    int failed = ode_restart(sim->island_odes[island], t, sim->island_start, first);
    if (failed != ODE_OK)
        return sim_ode_failed(sim, island, failed);
    scatter(sim, island, sim->island_start, sim_states(sim));
    s->begun = true;
    s->disturbed_at = sim->touch;
    s->loaded = t;
    s->pin_time = NAN;
    s->sloped = 0;
    islands_wait(sim, island);
    return KAI_OK;
}

// From the registers, at the end of an instant.
kaiStatus islands_restart(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    IndexList list = sim->disturbed;
    sim->disturbed = (IndexList){sim->restarted.at, 0};  // arming may disturb again
    sim->restarted = list;
    for (uint32_t i = 0; i < list.count && status == KAI_OK; i++)
        status = restart(sim, list.at[i]);
    sim->R[sim->model->reg_time] = sim->now.t;
    return status;
}

// ---- stepping
// --------------------------------------------------------------------------------------------------------

static bool same_time(double due, double t)
{
    return due <= t + 4e-16 * fabs(t);
}

// The next time at which something expected may disturb the island. Alone it waits for all that is due. Where a clock
// ticks at what is one time, its own time is taken: a delayed sample that comes a rounding early must not pull the
// clock along, or the next sample would be earlier still.
static double limit_of(const kaiSim* sim, uint32_t index, double t)
{
    const kaiModel* model = sim->model;
    const Island* island = &model->islands[index];
    double limit = INFINITY, next;
    uint32_t item;
    if (model->islands_count == 1)
        limit = agenda_next(&sim->agenda, &item);
    else
    {
        for (uint32_t i = 0; i < island->clocks.count; i++)
        {
            next = schedule_clock_time(sim, model->island_clocks[island->clocks.first + i]);
            limit = next > t ? fmin(limit, next) : limit;
        }
        for (uint32_t i = 0; i < island->timers.count; i++)
        {
            next = sim->guards[model->island_timers[island->timers.first + i]].due;
            limit = next > t ? fmin(limit, next) : limit;
        }
    }
    next = delay_next_time(sim);
    if (island->queued && next > t && !same_time(limit, next))
        limit = next;
    return fmin(limit, sim->options.stop);
}

static void count_step(kaiCounters* counters, double start, double length)
{
    if (counters->shortest_step == 0 || length < counters->shortest_step)
    {
        counters->shortest_step = length;
        counters->shortest_at = start;
    }
    counters->longest_step = fmax(counters->longest_step, length);
}

// Whom the step was short for: asked only by those who want to explain a run.
static void profile_step(kaiSim* sim, uint32_t island, bool chosen, int64_t rejected_before)
{
    Ode* ode = sim->island_odes[island];
    OdeStats stats = ode_stats(ode);
    int limiting = chosen && count_of(sim, island) > 0 ? ode_limiting(ode) : -1;
    if (limiting >= 0)
        sim->limited[states_of(sim, island)[limiting]]++;
    if (stats.worst >= 0)
        sim->refused[states_of(sim, island)[stats.worst]] += stats.rejected - rejected_before;
}

// Guards that read it alone, and states that zeno = continue holds, end the step where they ask for an instant.
static void cut_step(kaiSim* sim, uint32_t index)
{
    Ode* ode = sim->island_odes[index];
    double theta = 1;
    bool found = guard_search(sim, index, &theta), held = sim->holds > 0 && zeno_search(sim, &theta);
    if (!found && !held)
        return;
    ode_cut(ode, theta);
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        sim->guards[sim->located[i]].due = ode_time(ode);
        agenda_set(&sim->agenda, agenda_guard(sim, sim->located[i]), ode_time(ode));
    }
    if (held && sim->located_count == 0)
        agenda_set(&sim->agenda, agenda_hold(sim), ode_time(ode));
    sim->located_count = 0;
}

static kaiStatus take_step(kaiSim* sim, uint32_t index)
{
    IslandState* s = &sim->islands[index];
    Ode* ode = sim->island_odes[index];
    double t = ode_time(ode), limit = limit_of(sim, index, t);
    s->due = false;
    kaiStatus status = delay_island_step(sim, index, t);
    if (status == KAI_OK && !(limit > t) && t < sim->options.stop)
        agenda_set(&sim->agenda, agenda_island(sim, index), t);  // something else comes first
    if (status != KAI_OK || !(limit > t))
        return status;
    int64_t rejected = ode_stats(ode).rejected;
    int failed = ode_step(ode, limit);
    if (failed != ODE_OK)
        return sim_ode_failed(sim, index, failed);
    if (sim_numeric(sim))
        pulse_step_taken(sim);
    double end = ode_time(ode);
    cut_step(sim, index);
    bool chosen = end < limit && ode_time(ode) == end;
    if (sim->options.profile)
        profile_step(sim, index, chosen, rejected);
    if (chosen)
        count_step(&sim->counters, t, end - t);
    if (sim_numeric(sim))
        pulse_step_taken(sim);
    s->loaded = NAN;
    s->ahead = fmax(s->ahead, ode_time(ode) - t);
    agenda_set(&sim->agenda, agenda_island(sim, index), ode_time(ode));
    return KAI_OK;
}

kaiStatus islands_arrive(kaiSim* sim, uint32_t island)
{
    kaiStatus status = KAI_OK;
    for (GuardWalk w = {.island = island}; status == KAI_OK && island_guard(sim, &w);)
    {
        if (sim->guards[w.index].due != INFINITY)
            continue;
        status = guard_pass(sim, w.index);
        if (sim->model->guards[w.index].islands.count != 1)
            islands_look(sim, w.index);
    }
    islands_wait(sim, island);
    return status;
}

// As far as all islands that the guard reads have got.
static void look_ahead(kaiSim* sim, uint32_t index)
{
    const IndexRange islands = sim->model->guards[index].islands;
    double until = INFINITY;
    sim->guards[index].looking = false;
    for (uint32_t i = 0; i < islands.count; i++)
        until = fmin(until, ode_time(sim->island_odes[sim->model->guard_islands[islands.first + i]]));
    if (sim->guards[index].active && until > sim->guards[index].from)
        guard_look(sim, index, until);
}

kaiStatus islands_advance(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    if (sim->waiting.count + sim->looks.count == 0)
        return KAI_OK;
    for (uint32_t i = 0; i < sim->waiting.count && status == KAI_OK; i++)
        status = take_step(sim, sim->waiting.at[i]);
    for (uint32_t i = 0; i < sim->looks.count && status == KAI_OK; i++)
        look_ahead(sim, sim->looks.at[i]);
    sim->waiting.count = sim->looks.count = 0;
    touch_moment(sim, sim->now.t);
    return status;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

// Arrays of a run with islands: field, number of elements.
#define ISLAND_ARRAYS(X)                                                                                               \
    X(island_odes, model->islands_count)                                                                               \
    X(island_systems, model->islands_count)                                                                            \
    X(islands, model->islands_count)                                                                                   \
    X(island_x, model->state_count)                                                                                    \
    X(island_dx, model->state_count)                                                                                   \
    X(island_start, model->state_count)                                                                                \
    X(island_columns, model->state_count + model->islands_count)                                                       \
    X(island_rows, model->jacobian_rows_count)                                                                         \
    X(island_entries, model->jacobian_rows_count)                                                                      \
    X(waiting.at, model->islands_count)                                                                                \
    X(delaying.at, model->islands_count)                                                                               \
    X(restarted.at, model->islands_count)                                                                              \
    X(disturbed.at, model->islands_count)                                                                              \
    X(row_islands.at, model->islands_count)                                                                            \
    X(looks.at, model->guards_count)                                                                                   \
    X(due_clocks.at, model->clocks_count)                                                                              \
    X(outside.at, model->vars_count)                                                                                   \
    X(row_flows.at, model->vars_count + model->impulse_titles_count + model->probes_count)                             \
    X(flow_moments, model->flow_unit_count)                                                                            \
    X(flow_stack, model->flow_unit_count)                                                                              \
    X(react_touches, model->units_count)                                                                               \
    X(react_runs, model->units_count)                                                                                  \
    X(var_touches, model->vars_count)                                                                                  \
    X(machine_touches, model->machines_count)                                                                          \
    X(agenda.times, agenda_hold(sim) + 1)                                                                              \
    X(agenda.heap, agenda_hold(sim) + 1)                                                                               \
    X(agenda.where, agenda_hold(sim) + 1)

static bool allocate(kaiSim* sim)
{
    const kaiModel* model = sim->model;
#define X(field, count)                                                                                                \
    if ((sim->field = sim_alloc(sim, (count), sizeof *sim->field)) == NULL)                                            \
        return false;
    ISLAND_ARRAYS(X)
#undef X
#define X(name, size)                                                                                                  \
    if ((sim->touched.name.at = sim_alloc(sim, (size), sizeof(uint32_t))) == NULL ||                                   \
        (sim->settled.name.at = sim_alloc(sim, (size), sizeof(uint32_t))) == NULL ||                                   \
        (sim->fresh.name.at = sim_alloc(sim, (size), sizeof(uint32_t))) == NULL)                                       \
        return false;
    TOUCH_LISTS(X)
#undef X
    return true;
}

kaiStatus islands_create(kaiSim* sim, const OdeOptions* options)
{
    const kaiModel* model = sim->model;
    if (!allocate(sim))
        return KAI_ERR_MEMORY;
    sim->agenda.count = agenda_hold(sim) + 1;
    agenda_init(&sim->agenda);
    int* columns = sim->island_columns;
    uint32_t next = 0;
    for (uint32_t i = 0; i < model->islands_count; i++)
    {
        IslandSystem* own = &sim->island_systems[i];
        const Island* island = &model->islands[i];
        *own = (IslandSystem){.sim = sim, .island = i};
        own->system = (OdeSystem){.n = (int)island->states.count, .ctx = own, .rhs = island_rhs};
        if (model->has_jacobian)
            make_pattern(sim, own, columns, &next);
        columns += island->states.count + 1;
        sim->island_odes[i] = ode_create(&own->system, options, sim->options.allocator);
        if (sim->island_odes[i] == NULL)
            return KAI_ERR_MEMORY;
        sim->islands[i] = (IslandState){.base = base_of(sim, i), .loaded = sim->options.start, .pin_time = NAN};
        sim->islands[i].pushed = -INFINITY;
        if (island->delays.count > 0)
            sim->delaying.at[sim->delaying.count++] = i;
        sim->islands[i].steps = island->states.count + island->guards.count + island->delays.count > 0;
    }
    sim->walked = &sim->touched;
    return KAI_OK;
}

void islands_free(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    guard_paths_free(sim);
    for (uint32_t i = 0; i < model->islands_count && sim->island_odes != NULL; i++)
        ode_destroy(sim->island_odes[i]);
#define X(field, count) sim_release(sim, sim->field, (count), sizeof *sim->field);
    ISLAND_ARRAYS(X)
#undef X
#define X(name, size)                                                                                                  \
    sim_release(sim, sim->touched.name.at, (size), sizeof(uint32_t));                                                  \
    sim_release(sim, sim->settled.name.at, (size), sizeof(uint32_t));                                                  \
    sim_release(sim, sim->fresh.name.at, (size), sizeof(uint32_t));
    TOUCH_LISTS(X)
#undef X
}

// Lists and heap from what a snapshot holds. Numbers of moments and instants belong to the run that made them.
void islands_refresh(kaiSim* sim)
{
    agenda_rebuild(&sim->agenda);
    sim->waiting.count = sim->looks.count = sim->outside.count = sim->disturbed.count = 0;
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
    {
        sim->islands[i].loaded = sim->islands[i].begun ? NAN : sim->options.start;
        sim->islands[i].sloped = sim->islands[i].own = sim->islands[i].disturbed_at = 0;
        if (sim->islands[i].due)
            sim->waiting.at[sim->waiting.count++] = i;
    }
    for (uint32_t i = 0; i < sim->model->guards_count; i++)
    {
        sim->guards[i].armed = 0;
        if (sim->guards[i].looking)
            sim->looks.at[sim->looks.count++] = i;
    }
    touch_moment(sim, sim->now.t);
}
