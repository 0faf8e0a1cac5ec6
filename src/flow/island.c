// Islands (rule D2, paper 004 section 4.3): parts of the model with a solver, a step and a time of their own; every
// model has at least one. An island takes one step beyond the present, not past what is expected to disturb it, nor
// past the first crossing of a guard that reads it alone; guards that read several look for their crossings in the
// steps these have in common, and remember them. What disturbs it earlier finds the dense output of the step as
// checkpoint: the island rolls back to that time and starts again. Undisturbed it never rolls back.
#include "flow/guard_path.h"

#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

// ---- states and registers
// --------------------------------------------------------------------------------------------

static const uint32_t* states_of(const Flow* flow, uint32_t island)
{
    return flow->model->island_states + flow->model->islands[island].states.first;
}

static uint32_t count_of(const Flow* flow, uint32_t island)
{
    uint32_t count = flow->islands[island].count;
    return count < COUNT_MANY ? count : flow->model->islands[island].states.count;
}

static void scatter(const Flow* flow, uint32_t island, const double* restrict from, double* restrict to)
{
    const uint32_t *states = states_of(flow, island), n = count_of(flow, island), base = flow->islands[island].base;
    if (base != NO_REG && n > 0)
        memcpy(to + base, from, sizeof(double) * n);
    else
        for (uint32_t i = 0; i < n; i++)
            to[states[i]] = from[i];
}

static void gather(const Flow* flow, uint32_t island, const double* restrict from, double* restrict to)
{
    const uint32_t *states = states_of(flow, island), n = count_of(flow, island), base = flow->islands[island].base;
    if (base != NO_REG && n > 0)
        memcpy(to, from + base, sizeof(double) * n);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[states[i]];
}

static uint32_t base_of(const Flow* flow, uint32_t island)
{
    const uint32_t *states = states_of(flow, island), n = flow->model->islands[island].states.count;
    for (uint32_t i = 1; i < n; i++)
        if (states[i] != states[0] + i)
            return NO_REG;
    return n > 0 ? states[0] : 0;
}

uint32_t island_state(const Flow* flow, uint32_t island, uint32_t slot)
{
    return states_of(flow, island)[slot];
}

double island_theta(const Flow* flow, uint32_t island, double t)
{
    double start = island_start(flow, island), end = island_end(flow, island);
    if (flow->islands[island].pin_time == t)
        return flow->islands[island].pin;
    return end > start ? (t - start) / (end - start) : 1;
}

// Storages that depend on sources, or by way of a ratio that varies, are integrated like all others and drift by the
// error of the steps; who reads them finds them where they belong. What the flow computes for that is what will be
// asked for at this time.
static void tie(Flow* flow, BondTies ties)
{
    Kernel* kernel = flow->kernel;
    if (bonds_are_tied(kernel, ties) && !kernel_numeric(kernel) &&
        vm_run(flow->model, kernel->R, flow->model->flow, &kernel->host) == 0)
        bonds_tie(kernel, ties);
}

void island_load_at(Flow* flow, uint32_t island, double t)
{
    IslandState* s = &flow->islands[island];
    s->loaded = t;
    t = t == flow->kernel->now.t ? flow->kernel->load_time : t;
    bool here = t == island_end(flow, island);
    double theta = here ? 1 : island_theta(flow, island, t), *x = kernel_states(flow->kernel);
    if (s->terms > 0 && !here)
        for (uint32_t i = s->base, end = i + count_of(flow, island); i < end; i++)
            x[i] = island_value(flow, s, theta, i);
    else if (here)
        scatter(flow, island, ode_state(island_ode(flow, island)), x);
    else
    {
        ode_dense(island_ode(flow, island), theta, flow->island_x, NULL);
        scatter(flow, island, flow->island_x, x);
    }
    if (flow->kernel->bonds != NULL)
        tie(flow, BOND_TIES_ALL);
}

// Where the solver stands it has them, or will need them.
kaiStatus island_slopes_now(Flow* flow, uint32_t island)
{
    IslandState* s = &flow->islands[island];
    double t = flow->kernel->R[flow->model->reg_time];
    s->sloped = flow->kernel->moment;
    if (s->loaded != island_end(flow, island) || !s->begun || flow->kernel->island_disturbed[island])
        return kernel_run(flow->kernel, s->gliding ? flow->glides[island].code : flow->model->islands[island].deriv);
    Ode* ode = island_ode(flow, island);
    int failed = ode_evaluate(ode);
    if (failed != ODE_OK)
        return flow_ode_failed(flow, island, failed);
    scatter(flow, island, ode_slope(ode), kernel_slopes(flow->kernel));
    s->loaded = ode_time(ode);
    flow->kernel->R[flow->model->reg_time] = t;
    return KAI_OK;
}

void island_ends(Flow* flow, uint32_t island)
{
    const Ode* ode = island_ode(flow, island);
    flow->islands[island].loaded = NAN;
    scatter(flow, island, ode_state(ode), kernel_states(flow->kernel));
    scatter(flow, island, ode_slope(ode), kernel_slopes(flow->kernel));
}

// In a window that is the whole step theta is that of the step, to the last bit.
double island_window_theta(const Flow* flow, uint32_t island, double from, double length, double theta)
{
    double start = island_start(flow, island), h = island_end(flow, island) - start;
    return from == start && length == h ? theta : h > 0 ? (from - start) / h + theta * (length / h) : 1;
}

// At `theta` of a window.
void island_look(Flow* flow, uint32_t island, double from, double length, double theta, bool slopes)
{
    Ode* ode = island_ode(flow, island);
    double at = island_window_theta(flow, island, from, length, theta);
    flow->islands[island].loaded = NAN;
    ode_dense(ode, at, flow->island_x, slopes ? flow->island_dx : NULL);
    scatter(flow, island, flow->island_x, kernel_states(flow->kernel));
    if (slopes)
        scatter(flow, island, flow->island_dx, kernel_slopes(flow->kernel));
}

// States that zeno = continue holds do not move.
static void hold_slopes(Flow* flow)
{
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        if (flow->kernel->hold_by[i] != 0)
            kernel_slopes(flow->kernel)[i] = 0;
}

// Whether a guard reads no state, but time or what is delayed: it may switch the equations of any island.
static bool has_free_guards(const kaiModel* model)
{
    uint32_t g = 0;
    while (g < model->guards_count && model->guards[g].state_count > 0)
        g++;
    return g < model->guards_count;
}

static bool is_watched(const kaiModel* model, const Island* island)
{
    bool watched = model->fused;
    for (uint32_t i = 0; i < island->guards.count && !watched; i++)
        watched = model->guards[model->island_guards[island->guards.first + i]].islands.count == 1;
    return watched;
}

static int island_rhs(void* ctx, double t, const double* x, double* dx)
{
    IslandSystem* own = ctx;
    Flow* flow = own->flow;
    Kernel* kernel = flow->kernel;
    const kaiModel* model = flow->model;
    IslandState* s = &flow->islands[own->island];
    CodeRange code = model->islands[own->island].deriv;
    double *states = kernel_states(kernel), *slopes = kernel_slopes(kernel);
    if (!budget_look_inside(kernel->budget))
        return kernel_stop(kernel), -1;
    kernel->R[model->reg_time] = t;
    s->loaded = NAN;
    for (int i = 0; own->states != NULL && i < own->system.n; i++)
        own->states[i] = x[i];
    if (own->states == NULL)
        scatter(flow, own->island, x, states);
    if (kernel_numeric(kernel))
        pulse_trial(flow, t);
    flow->beyond = 0;  // guards that were looked for may have gone beyond, too
    uint32_t loop = vm_run(model, kernel->R, code, s->guarded ? &flow->trial : &kernel->host);
    s->beyond |= flow->beyond > 0;
    if (loop != 0)
    {
        kernel->now.t = t;
        return kernel_run(kernel, code) != KAI_OK ? -1 : 0;
    }
    if (kernel->holds > 0)
        hold_slopes(flow);
    if (kernel->slides > 0)
        flow->hooks->bend(flow->owner);
    for (int i = 0; own->states != NULL && i < own->system.n; i++)
        dx[i] = island_rates(flow, own)[i];
    if (own->states == NULL)
        gather(flow, own->island, slopes, dx);
    return 0;
}

// Along a surface no program computes the Jacobian: differences, of the entries that the pattern has.
static int difference_jacobian(IslandSystem* own, double t, const double* x, double* values, double* dfdt)
{
    Flow* flow = own->flow;
    uint32_t n = count_of(flow, own->island);
    double *moved = flow->island_start, *f = flow->island_x, *f2 = flow->island_dx;
    int status = island_rhs(own, t, x, f);
    memcpy(moved, x, sizeof(double) * n);
    for (uint32_t k = 0; k < n && status == 0; k++)
    {
        double by = DIFFERENCE_PART * larger(fabs(x[k]), DIFFERENCE_LEAST);
        moved[k] = x[k] + by;
        status = island_rhs(own, t, moved, f2);
        moved[k] = x[k];
        for (int i = own->system.column_start[k]; i < own->system.column_start[k + 1]; i++)
            values[i] = (f2[own->system.row_index[i]] - f[own->system.row_index[i]]) / by;
    }
    double later = DIFFERENCE_PART * larger(fabs(t), DIFFERENCE_LEAST);
    if (status == 0 && dfdt != NULL)
        status = island_rhs(own, t + later, x, f2);
    for (uint32_t i = 0; i < n && dfdt != NULL; i++)
        dfdt[i] = (f2[i] - f[i]) / later;
    return status;
}

// The equations of an island read no other: its part of the Jacobian is a block. The program computes all of them, so
// small islands of a large model are better off with differences.
static int island_jacobian(void* ctx, double t, const double* x, double* values, double* dfdt)
{
    IslandSystem* own = ctx;
    Flow* flow = own->flow;
    const kaiModel* model = flow->model;
    if (flow->kernel->slides > 0)
        return difference_jacobian(own, t, x, values, dfdt);
    flow->kernel->R[model->reg_time] = t;
    flow->islands[own->island].loaded = NAN;
    scatter(flow, own->island, x, kernel_states(flow->kernel));
    const VmHost* host = flow->islands[own->island].guarded ? &flow->trial : &flow->kernel->host;
    if (vm_run(model, flow->kernel->R, model->jacobian, host) != 0)
        return -1;
    for (int i = 0; i < own->system.column_start[own->system.n]; i++)
    {
        bool held = flow->kernel->holds > 0 && flow->kernel->hold_by[model->jacobian_rows[own->entries[i]]] != 0;
        double value = flow->kernel->R[model->jacobian_values[own->entries[i]]];
        values[i] = held ? 0 : value;
    }
    for (uint32_t i = 0; dfdt != NULL && i < count_of(flow, own->island); i++)
    {
        uint32_t state = states_of(flow, own->island)[i], time = model->jacobian_times[state];
        dfdt[i] = time != NO_REG && (flow->kernel->holds == 0 || flow->kernel->hold_by[state] == 0)
                      ? flow->kernel->R[time]
                      : 0;
    }
    return 0;
}

// The pattern of one island; *next is the place for its entries.
static void make_pattern(Flow* flow, IslandSystem* own, int* columns, uint32_t* next)
{
    const kaiModel* model = flow->model;
    uint32_t n = model->islands[own->island].states.count, first = *next;
    for (uint32_t i = 0; i < n; i++)
    {
        uint32_t state = states_of(flow, own->island)[i];
        columns[i] = (int)(*next - first);
        for (int32_t k = model->jacobian_columns[state]; k < model->jacobian_columns[state + 1]; k++)
        {
            flow->island_rows[*next] = (int)model->state_slots[model->jacobian_rows[k]];
            flow->island_entries[(*next)++] = (uint32_t)k;
        }
    }
    columns[n] = (int)(*next - first);
    own->entries = flow->island_entries + first;
    own->system.column_start = columns;
    own->system.row_index = flow->island_rows + first;
    if (4 * n >= model->state_count)
        own->system.jacobian = island_jacobian;
}

// ---- waiting and starting again
// ---------------------------------------------------------------------------------------

// What is going to take a step, or a look, tells the agenda when it has: until then nobody asks it, but for events of
// delays that come one after the other, and a single island, whose step goes as far as what is due.
static bool agenda_waits(const Flow* flow)
{
    return flow->model->islands_count > 1 && flow->kernel->queue.count == 0;
}

void islands_wait(Flow* flow, uint32_t island)
{
    if (!agenda_waits(flow) || !flow->islands[island].steps)
        agenda_set(&flow->kernel->agenda, agenda_island(flow->kernel, island), INFINITY);
    if (flow->islands[island].due || !flow->islands[island].steps)
        return;
    flow->islands[island].due = true;
    flow->waiting.at[flow->waiting.count++] = island;
}

// Guards that read one island look when it takes a step. One that awakes later looks at what is left of that step.
static bool looks_with_step(const Flow* flow, uint32_t guard)
{
    const IndexRange islands = flow->model->guards[guard].islands;
    return islands.count == 1 && !(island_end(flow, flow->model->guard_islands[islands.first]) > flow->kernel->now.t);
}

void islands_look(Flow* flow, uint32_t guard)
{
    Kernel* kernel = flow->kernel;
    bool with_step = looks_with_step(flow, guard);
    if (with_step || !agenda_waits(flow))
        agenda_set(&kernel->agenda, agenda_guard(kernel, guard), kernel->guards[guard].due);
    if (kernel->guards[guard].looking || with_step)
        return;
    kernel->guards[guard].looking = true;
    flow->looks.at[flow->looks.count++] = guard;
}

// The step that holds the present ends here. Whoever is disturbed by its own guard has not run ahead in vain.
static void end_step(Flow* flow, uint32_t island, double t)
{
    IslandState* s = &flow->islands[island];
    if (island_end(flow, island) <= t || island_start(flow, island) >= t)
        return;
    s->rollbacks += s->own != flow->kernel->touch;
    if (s->gliding)
    {
        island_leave(flow, island, t);
        return;
    }
    Ode* ode = flow->island_odes[island];
    ode_leave(ode, island_theta(flow, island, t));
    s->known = false;
    if (flow->model->islands[island].delays.count > 0)
        delay_cut(flow, island, ode_time(ode));
}

// What others ask of the last step, where that is short (decision 0226).
static void show_step(Flow* flow, uint32_t island)
{
    IslandState* s = &flow->islands[island];
    const Ode* ode = flow->island_odes[island];
    OdeShort step;
    s->terms = 0;
    s->known = false;
    if (s->base == NO_REG || !ode_short_step(ode, &step))
        return;
    double* c = flow->shorts + PIECE_TERMS * (size_t)s->base;
    for (int i = 0; i < step.n; i++, c += PIECE_TERMS)
    {
        c[0] = step.c[0][i];
        c[1] = step.c[1][i];
        c[2] = step.terms > 2 ? step.c[2][i] : 0;
    }
    s->terms = (uint8_t)step.terms;
    s->known = true;
    s->step = (OdeSpan){ode_step_start(ode), ode_time(ode), step.scale, step.length};
    s->taken = step.taken;
}

static void started(Flow* flow, uint32_t island, double t)
{
    IslandState* s = &flow->islands[island];
    s->begun = true;
    s->terms = 0;
    s->known = s->gliding;
    s->disturbed_at = flow->kernel->touch;
    s->loaded = t;
    s->pin_time = NAN;
    s->sloped = flow->kernel->holds + flow->kernel->slides == 0 ? flow->kernel->moment : 0;  // as it was just evaluated
    if (!s->due)
        islands_wait(flow, island);
}

// The same where the states lie side by side in the registers and their series is all that the solver needs: nothing is
// copied to and fro. False: not so.
static bool relaunch(Flow* flow, uint32_t island, double t)
{
    IslandSystem* own = &flow->island_systems[island];
    Kernel* kernel = flow->kernel;
    uint32_t failed;
    if (flow->islands[island].gliding)
        return island_relaunch(flow, island, t);
    if (own->series == NULL || own->states == NULL || !ode_relaunches(flow->island_odes[island]))
        return false;
    kernel->R[flow->model->reg_time] = t;
    return series_begin(own->series, kernel->R, &kernel->host, &failed) == SERIES_OK &&
           (island_takes_off(flow, island, t) ||
            ode_relaunch(flow->island_odes[island], t, own->states, island_rates(flow, own)));
}

static kaiStatus restart(Flow* flow, uint32_t island)
{
    IslandState* s = &flow->islands[island];
    double t = flow->kernel->now.t;
    bool first = !s->begun;
    flow->kernel->island_disturbed[island] = false;
    island_load(flow, island, t);
    if (!first)
        end_step(flow, island, t);
    if (!first && flow->kernel->holds + flow->kernel->slides == 0 && relaunch(flow, island, t))
    {
        started(flow, island, t);
        return KAI_OK;
    }
    gather(flow, island, kernel_states(flow->kernel), flow->island_start);
    int failed = ode_restart(island_ode(flow, island), t, flow->island_start, first);
    if (failed != ODE_OK)
        return flow_ode_failed(flow, island, failed);
    scatter(flow, island, flow->island_start, kernel_states(flow->kernel));
    started(flow, island, t);
    return KAI_OK;
}

// From the registers, at the end of an instant.
kaiStatus islands_restart(Flow* flow)
{
    kaiStatus status = KAI_OK;
    IndexList list = flow->kernel->disturbed;
    flow->kernel->disturbed = (IndexList){flow->kernel->restarted.at, 0};  // arming may disturb again
    flow->kernel->restarted = list;
    if (list.count == 1 && flow->model->islands_count == 1 && island_restarts_alone(flow))
        return KAI_OK;
    for (uint32_t i = 0; i < list.count && status == KAI_OK; i++)
        status = restart(flow, list.at[i]);
    flow->kernel->R[flow->model->reg_time] = flow->kernel->now.t;
    return status;
}

// ---- stepping
// --------------------------------------------------------------------------------------------------------

// When something comes out of a delay that may disturb the island.
static double next_out(const Flow* flow, const Island* island)
{
    const kaiModel* model = flow->model;
    double next = INFINITY;
    if (flow->kernel->queue.count == 0)
        return INFINITY;
    if (model->islands_count == 1)
        return model->fused || island->outs.count > 0 ? delay_next_time(flow->kernel) : INFINITY;
    for (uint32_t i = 0; i < island->outs.count; i++)
        next = smaller(next, queue_next_of(&flow->kernel->queue, model->island_outs[island->outs.first + i]));
    return next;
}

// The next time at which something expected may disturb the island. Alone it waits for all that is due. Where a clock
// ticks at what is one time, its own time is taken: a delayed sample that comes a rounding early must not pull the
// clock along, or the next sample would be earlier still.
static double limit_of(const Flow* flow, uint32_t index, double t)
{
    const kaiModel* model = flow->model;
    const Island* island = &model->islands[index];
    double limit = INFINITY, next;
    uint32_t item;
    if (model->islands_count == 1)
    {
        limit = agenda_next(&flow->kernel->agenda, &item);
        if (isfinite(limit))
            limit = agenda_last(&flow->kernel->agenda, limit + kernel_slack(flow->kernel, limit));
    }
    else
    {
        for (uint32_t i = 0; i < island->clocks.count; i++)
        {
            next = schedule_clock_time(flow->kernel, model->island_clocks[island->clocks.first + i]);
            limit = next > t ? smaller(limit, next) : limit;
        }
        for (uint32_t i = 0; i < island->timers.count; i++)
        {
            next = flow->kernel->guards[model->island_timers[island->timers.first + i]].due;
            limit = next > t ? smaller(limit, next) : limit;
        }
    }
    next = next_out(flow, island);
    if (next > t && !kernel_reached(flow->kernel, limit, next))
        limit = next;
    return smaller(limit, flow->kernel->options->stop);
}

// Whom the step was short for: asked only by those who want to explain a run.
static void profile_step(Flow* flow, uint32_t island, bool chosen, int64_t rejected_before)
{
    Ode* ode = island_ode(flow, island);
    OdeStats stats = ode_stats(ode);
    int limiting = chosen && count_of(flow, island) > 0 ? ode_limiting(ode) : -1;
    if (limiting >= 0)
        flow->limited[states_of(flow, island)[limiting]]++;
    if (stats.worst >= 0)
        flow->refused[states_of(flow, island)[stats.worst]] += stats.rejected - rejected_before;
}

// The field where the states in the registers are, without leave to go beyond domains.
static bool is_legal(Flow* flow, uint32_t island)
{
    bool legal = true;
    vm_run(flow->model, flow->kernel->R, flow->model->islands[island].deriv, &flow->kernel->host);
    for (uint32_t i = 0; i < count_of(flow, island); i++)
        legal &= !isnan(kernel_slopes(flow->kernel)[states_of(flow, island)[i]]);
    return legal;
}

// A solver may try what lies beyond the level of a relation. If nothing has switched there, the step led out of the
// domain of an operator: the run ends at the first place where it has.
static kaiStatus check_domain(Flow* flow, uint32_t index)
{
    Ode* ode = island_ode(flow, index);
    flow->islands[index].beyond = false;
    flow->islands[index].loaded = NAN;
    island_load(flow, index, ode_time(ode));
    flow->kernel->R[flow->model->reg_time] = ode_time(ode);
    if (is_legal(flow, index))
        return KAI_OK;
    guard_excuse(flow, index);
    flow->islands[index].loaded = NAN;
    island_load(flow, index, ode_time(ode));
    flow->kernel->R[flow->model->reg_time] = ode_time(ode);
    if (is_legal(flow, index))
        return KAI_OK;
    double start = ode_step_start(ode), length = ode_time(ode) - start, lo = 0, hi = 1;
    for (int i = 0; i < 60 && length > 0; i++)
    {
        double mid = 0.5 * (lo + hi);
        island_look(flow, index, start, length, mid, false);
        flow->kernel->R[flow->model->reg_time] = start + mid * length;
        *(is_legal(flow, index) ? &lo : &hi) = mid;
    }
    // On the border but for rounding, a relation may still be about to switch: the next step tells.
    if ((1 - hi) * length <= TIME_GUARD_MOST * kernel_slack(flow->kernel, ode_time(ode)))
        return KAI_OK;
    ode_cut(ode, hi);
    return flow_ode_failed(flow, index, ODE_ERR_NAN);
}

// Before the next step storages that depend on sources are put back in the solver, too; in a method that remembers
// earlier steps only when they have come apart by a tolerance. Those that depend by way of a ratio stay: they act on
// nothing else, and near a pole of the ratio they would jump about from step to step.
static kaiStatus keep_ties(Flow* flow, uint32_t index)
{
    Kernel* kernel = flow->kernel;
    Ode* ode = island_ode(flow, index);
    double t = ode_time(ode);
    if (kernel->bonds == NULL || kernel_numeric(kernel) || ode_step_start(ode) == t ||
        !bonds_are_tied(kernel, BOND_TIES_CONSTANT))
        return KAI_OK;
    bool remembers = ode_method(ode) == ODE_CVODE_ADAMS || ode_method(ode) == ODE_CVODE_BDF, apart = false;
    double part = remembers ? kernel->options->rtol : BOND_NOTHING;
    kernel->R[flow->model->reg_time] = t;
    flow->islands[index].loaded = NAN;
    scatter(flow, index, ode_state(ode), kernel_states(kernel));
    tie(flow, BOND_TIES_CONSTANT);
    gather(flow, index, kernel_states(kernel), flow->island_start);
    for (uint32_t i = 0; i < count_of(flow, index) && !apart; i++)
        apart = fabs(flow->island_start[i] - ode_state(ode)[i]) > part * fabs(ode_state(ode)[i]);
    int failed = apart ? ode_restart(ode, t, flow->island_start, false) : ODE_OK;
    return failed != ODE_OK ? flow_ode_failed(flow, index, failed) : KAI_OK;
}

// What take_step says of it.
static void end_of_glide(Flow* flow, uint32_t index, double t, double limit)
{
    IslandState* s = &flow->islands[index];
    double end = s->step.end;
    flow->kernel->located_count = 0;
    if (end < limit)
        island_count_step(&flow->kernel->counters, t, end - t);
    s->loaded = NAN;
    s->ahead = larger(s->ahead, end - t);
    agenda_set(&flow->kernel->agenda, agenda_island(flow->kernel, index), end);
}

// *end: where the step would have ended if nothing had asked for an instant.
static kaiStatus step_and_cut(Flow* flow, uint32_t index, double limit, double* end)
{
    Ode* ode = island_ode(flow, index);
    for (bool taken = false; !taken;)
    {
        int failed = hidden_step(flow, index, limit);
        if (failed != ODE_OK)
            return flow_ode_failed(flow, index, failed);
        if (kernel_numeric(flow->kernel))
            pulse_step_taken(flow);
        kaiStatus status = flow->model->islands[index].delays.count > 0 ? delay_feed(flow, index) : KAI_OK;
        if (status != KAI_OK)
            return status;
        *end = ode_time(ode);
        // Of one island: the instant there arms all guards anew, so that no rounding is carried on.
        bool far = *end == limit && flow->model->islands_count == 1 && guards_are_out_of_reach(flow, index);
        taken = far || island_cut(flow, index);
    }
    return KAI_OK;
}

static kaiStatus take_step(Flow* flow, uint32_t index)
{
    IslandState* s = &flow->islands[index];
    double t = island_end(flow, index), limit = s->free ? flow->kernel->options->stop : limit_of(flow, index, t);
    s->due = false;
    if (s->gliding && island_glides_on(flow, index, limit))
    {
        end_of_glide(flow, index, t, limit);
        return KAI_OK;
    }
    Ode* ode = island_ode(flow, index);
    bool delays = flow->model->islands[index].delays.count > 0;
    kaiStatus status = delays ? delay_limit(flow, index, t, &limit) : KAI_OK;
    if (status == KAI_OK && !(limit > t))  // something else comes first, or it is the end
        agenda_set(&flow->kernel->agenda, agenda_island(flow->kernel, index),
                   t < flow->kernel->options->stop ? t : INFINITY);
    if (status != KAI_OK || !(limit > t))
        return status;
    s->terms = 0;
    s->known = false;
    if (s->beyond)
        status = check_domain(flow, index);
    if (status == KAI_OK && s->ends_beyond)
        status = guard_check_domain(flow, index);
    if (status == KAI_OK)
        status = keep_ties(flow, index);
    if (status != KAI_OK)
        return status;
    int64_t rejected = flow->kernel->options->profile ? ode_stats(ode).rejected : 0;
    double end = t;
    status = step_and_cut(flow, index, limit, &end);
    if (status != KAI_OK)
        return status;
    bool chosen = end < limit && ode_time(ode) == end;
    if (flow->kernel->options->profile)
        profile_step(flow, index, chosen, rejected);
    if (chosen)
        island_count_step(&flow->kernel->counters, t, end - t);
    if (kernel_numeric(flow->kernel))
        pulse_step_taken(flow);
    s->loaded = NAN;
    s->ahead = larger(s->ahead, ode_time(ode) - t);
    if (flow->small_in[index] > 0)
        size_look(flow, index);
    show_step(flow, index);
    agenda_set(&flow->kernel->agenda, agenda_island(flow->kernel, index), ode_time(ode));
    return flow->no_memory ? KAI_ERR_MEMORY : KAI_OK;
}

kaiStatus islands_arrive(Flow* flow, uint32_t island)
{
    kaiStatus status = KAI_OK;
    for (GuardWalk w = {.island = island}; status == KAI_OK && island_guard(flow->kernel, &w);)
    {
        if (flow->kernel->guards[w.index].due != INFINITY)
            continue;
        status = guard_pass(flow, w.index);
        if (flow->model->guards[w.index].islands.count != 1)
            islands_look(flow, w.index);
    }
    islands_wait(flow, island);
    return status;
}

// As far as all islands that the guard reads have got.
static void look_ahead(Flow* flow, uint32_t index)
{
    const IndexRange islands = flow->model->guards[index].islands;
    double until = INFINITY;
    flow->kernel->guards[index].looking = false;
    for (uint32_t i = 0; i < islands.count; i++)
        until = smaller(until, island_end(flow, flow->model->guard_islands[islands.first + i]));
    if (flow->kernel->guards[index].active && until > flow->kernel->guards[index].from)
        guard_look(flow, index, until);
    else
        agenda_set(&flow->kernel->agenda, agenda_guard(flow->kernel, index), flow->kernel->guards[index].due);
}

kaiStatus islands_advance(Flow* flow)
{
    kaiStatus status = KAI_OK;
    if (flow->waiting.count + flow->looks.count == 0)
        return KAI_OK;
    for (uint32_t i = 0; i < flow->waiting.count && status == KAI_OK; i++)
        status = take_step(flow, flow->waiting.at[i]);
    for (uint32_t i = 0; i < flow->looks.count && status == KAI_OK; i++)
        look_ahead(flow, flow->looks.at[i]);
    flow->waiting.count = flow->looks.count = 0;
    touch_moment(flow->kernel, flow->kernel->now.t);
    return status;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

kaiStatus islands_create(Flow* flow, const OdeOptions* options)
{
    const kaiModel* model = flow->model;
    int* columns = flow->island_columns;
    uint32_t next = 0;
    bool free_guards = has_free_guards(model);
    for (uint32_t i = 0; i < model->islands_count; i++)
    {
        IslandSystem* own = &flow->island_systems[i];
        const Island* island = &model->islands[i];
        *own = (IslandSystem){.flow = flow, .island = i, .obstacle = NO_REG};
        own->system = (OdeSystem){.n = (int)island->states.count, .ctx = own, .rhs = island_rhs};
        if (model->has_jacobian)
            make_pattern(flow, own, columns, &next);
        columns += island->states.count + 1;
        bool series = options->method == ODE_TAYLOR || (options->method == ODE_AUTO && expansion_exists(flow, i));
        if (series && expansion_create(flow, own) != KAI_OK)
            return KAI_ERR_MEMORY;
        flow->island_odes[i] = ode_create(&own->system, options, flow->kernel->options->allocator);
        if (flow->island_odes[i] == NULL)
        {
            flow->trouble = ode_trouble(&own->system, options);
            return KAI_ERR_MEMORY;
        }
        flow->islands[i] =
            (IslandState){.base = base_of(flow, i), .loaded = flow->kernel->options->start, .pin_time = NAN};
        if (flow->islands[i].base != NO_REG)
            own->states = kernel_states(flow->kernel) + flow->islands[i].base;
        flow->islands[i].pushed = -INFINITY;
        // Something could switch before an operator leaves its domain. Otherwise a NaN shortens the step.
        flow->islands[i].guarded = free_guards || island->guards.count > 0 || (model->fused && model->guards_count > 0);
        flow->islands[i].watched = is_watched(model, island);
        if (island->delays.count > 0)
            flow->delaying.at[flow->delaying.count++] = i;
        flow->islands[i].steps = island->states.count + island->guards.count + island->delays.count > 0;
        flow->islands[i].count = (uint8_t)(island->states.count < COUNT_MANY ? island->states.count : COUNT_MANY);
        flow->islands[i].free =
            model->islands_count > 1 &&
            island->clocks.count + island->timers.count + island->delays.count + island->outs.count == 0;
    }
    return KAI_OK;
}

// Lists and heap from what a snapshot holds. Numbers of moments and instants belong to the run that made them.
void islands_refresh(Flow* flow)
{
    flow->waiting.count = flow->looks.count = 0;
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
    {
        flow->islands[i].loaded = flow->islands[i].begun ? NAN : flow->kernel->options->start;
        flow->islands[i].sloped = flow->islands[i].own = flow->islands[i].disturbed_at = 0;
        flow->islands[i].terms = 0;
        flow->islands[i].known = flow->islands[i].gliding = false;
        if (flow->islands[i].due)
            flow->waiting.at[flow->waiting.count++] = i;
    }
    for (uint32_t i = 0; i < flow->model->guards_count; i++)
    {
        if (flow->kernel->guards[i].looking)
            flow->looks.at[flow->looks.count++] = i;
    }
}
