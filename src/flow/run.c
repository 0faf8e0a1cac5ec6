// The run loop: start, steps, instants, end.
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

static bool same_time(double a, double b)
{
    return isfinite(b) && fabs(a - b) <= 4e-16 * fmax(fabs(a), fabs(b));
}

// ---- start
// -----------------------------------------------------------------------------------------------------------

static void apply_set_values(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->vars_count; i++)
        if (sim->set[i])
            sim->R[sim->model->vars[i].reg] = sim->set_values[i];
}

static kaiStatus prepare(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    sim->R[model->reg_time] = sim->options.start;
    if (sim_numeric(sim))
        pulse_start(sim);
    apply_set_values(sim);
    kaiStatus status = sim_run_code(sim, model->params);
    if (status == KAI_OK)
        status = sim_run_code(sim, model->start);
    apply_set_values(sim);
    if (status == KAI_OK && sim->bonds != NULL)
        status = bonds_start(sim);
    if (status == KAI_OK)
        status = guard_start(sim);
    if (status == KAI_OK)
        status = initial_solve(sim);
    if (status == KAI_OK)
        status = delay_start(sim);
    return status == KAI_OK ? schedule_start(sim) : status;
}

static kaiStatus check_start_values(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->state_count; i++)
        if (!isfinite(sim_states(sim)[i]))
        {
            const ModelVar* var = &model->vars[model->state_vars[i]];
            return sim_fail(sim, var->place, "give it a finite start value", "the start value of %s is %g",
                            model_string(model, var->name), sim_states(sim)[i]);
        }
    return KAI_OK;
}

// `balance`: power must balance in the values of the time reached. A step does not compute all of them by itself.
static kaiStatus check_balance(kaiSim* sim, bool instant)
{
    if (sim->bonds == NULL || !(sim->options.balance > 0))
        return KAI_OK;
    kaiStatus status = instant ? KAI_OK : sim_run_code(sim, sim->model->flow);
    return status == KAI_OK ? balance_check(sim) : status;
}

static kaiStatus run_start(kaiSim* sim)
{
    sim->started = true;
    sim->field_changed = true;
    sim->flow_start = sim->options.start;
    kaiStatus status = prepare(sim);
    if (status == KAI_OK)
        status = check_start_values(sim);
    if (status == KAI_OK)
        status = instant_run(sim, sim->options.start, true);
    if (status == KAI_OK)
        status = record_instant_end(sim);
    return status == KAI_OK ? check_balance(sim, true) : status;
}

// ---- steps
// -----------------------------------------------------------------------------------------------------------

static void load_states(kaiSim* sim)
{
    memcpy(sim_states(sim), ode_state(sim->ode), sizeof(double) * sim->model->state_count);
    sim->R[sim->model->reg_time] = ode_time(sim->ode);
}

static kaiStatus solver_point(kaiSim* sim)
{
    sim->now = (kaiTag){ode_time(sim->ode), 0, 0};
    sim->rank = 0;
    load_states(sim);
    kaiStatus status = record_tag(sim, false, false);
    if (status == KAI_OK)
        status = check_balance(sim, false);
    return status == KAI_OK && sim_numeric(sim) ? pulse_step_done(sim) : status;
}

// Only what the error control chose: a step that ends at an event says nothing about the equations.
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
static void profile_step(kaiSim* sim, bool chosen, int64_t rejected_before)
{
    OdeStats stats = ode_stats(sim->ode);
    int limiting = chosen ? ode_limiting(sim->ode) : -1;
    if (limiting >= 0)
        sim->limited[limiting]++;
    if (stats.worst >= 0)
        sim->refused[stats.worst] += stats.rejected - rejected_before;
}

// One step. *instant: something discrete is due at the time reached.
static kaiStatus advance(kaiSim* sim, double limit, double next, bool* instant)
{
    int64_t rejected = sim->options.profile ? ode_stats(sim->ode).rejected : 0;
    int failed = ode_step(sim->ode, limit);
    if (failed != ODE_OK)
        return sim_ode_failed(sim, NO_REG, failed);
    if (sim_numeric(sim))
        pulse_step_taken(sim);
    double theta = 1, end = ode_time(sim->ode), start = ode_step_start(sim->ode);
    bool found = guard_search(sim, &theta);
    if (sim->holds > 0)
        found |= zeno_search(sim, &theta);
    if (!found && end < limit)
        count_step(&sim->counters, start, end - start);
    if (sim->options.profile)
        profile_step(sim, !found && end < limit, rejected);
    kaiStatus status = KAI_OK;
    if (found)
        end = start + theta * (end - start);
    else
        status = guard_step_done(sim);
    *instant = found || same_time(end, next);
    if (status == KAI_OK)
        status = record_step(sim, start, end);
    if (status == KAI_OK && found)
        ode_cut(sim->ode, theta);
    if (sim_numeric(sim))
        pulse_step_taken(sim);
    if (status == KAI_OK)
        status = delay_step(sim);
    load_states(sim);
    if (status == KAI_OK && !*instant)
        status = solver_point(sim);
    return status;
}

static kaiStatus fail_with(kaiSim* sim, kaiStatus status)
{
    sim->ended = true;
    if (sim->failure.status == KAI_OK)
        sim->failure = (kaiError){.status = status, .tag = sim->now, .message = "the run was stopped"};
    return status;
}

kaiStatus kaiSim_Step(const kaiModel* model, kaiSim* sim)
{
    (void)model;
    if (sim->ended)
        return sim->failure.status != KAI_OK ? sim->failure.status : KAI_END;
    if (!sim->started)
    {
        kaiStatus status = run_start(sim);
        if (status < 0)
            return fail_with(sim, status);
        if (status > 0)
            return status;
        sim->ended = sim->halted;
        return sim->halted ? KAI_END : KAI_INSTANT;
    }
    if (sim->local)
    {
        kaiStatus status = island_run_step(sim);
        if (status < 0)
            return fail_with(sim, status);
        sim->ended |= sim->halted;
        return sim->ended ? KAI_END : status;
    }
    for (;;)
    {
        if (sim->options.interrupt != NULL && *sim->options.interrupt != 0)
            return KAI_INTERRUPTED;
        double next = schedule_next(sim), stop = sim->options.stop;
        double limit = fmin(next, stop);
        if (sim->field_changed)  // an input was set from outside
        {
            kaiStatus status = instant_run(sim, sim->now.t, false);
            if (status < 0)
                return fail_with(sim, status);
        }
        if (sim->now.t >= stop || same_time(sim->now.t, stop))
        {
            sim->ended = true;
            return KAI_END;
        }
        bool instant = limit <= sim->now.t || same_time(sim->now.t, limit);  // due within a few ulp: no step between
        kaiStatus status = instant ? KAI_OK : advance(sim, limit, next, &instant);
        if (status == KAI_OK && instant)
            status = instant_run(sim, same_time(ode_time(sim->ode), next) ? next : ode_time(sim->ode), false);
        if (status == KAI_OK && instant)
            status = record_instant_end(sim);
        if (status == KAI_OK && instant)
            status = check_balance(sim, true);
        if (status < 0)
            return fail_with(sim, status);
        if (status > 0)
            return status;
        if (sim->halted)
        {
            sim->ended = true;
            return KAI_END;
        }
        if (instant)
            return KAI_INSTANT;
    }
}

kaiStatus kaiSim_Run(const kaiModel* model, kaiSim* sim)
{
    kaiStatus status;
    do
        status = kaiSim_Step(model, sim);
    while (status == KAI_INSTANT);
    return status;
}
