// The run loop: start, steps, instants, end. The agenda tells what comes next; only what is due is worked on.
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
        status = size_nominals(sim);
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
    sim->flow_start = sim->options.start;
    kaiStatus status = prepare(sim);
    if (status == KAI_OK)
        status = check_start_values(sim);
    if (status == KAI_OK)
        status = instant_run(sim, sim->options.start, true);
    size_start(sim);
    if (status == KAI_OK)
        status = record_instant_end(sim);
    return status == KAI_OK ? check_balance(sim, true) : status;
}

// ---- steps
// -----------------------------------------------------------------------------------------------------------

// Crossings a few ulp of t (or of their step) apart share one instant.
static double shared(const kaiSim* sim, uint32_t item, double t)
{
    uint32_t guard = item - sim->model->clocks_count;
    if (item < sim->model->clocks_count || guard >= sim->model->guards_count || sim->model->guards[guard].time_only)
        return 4e-16 * fabs(t);
    return fmax(9e-16 * fabs(t), 4e-15 * (sim->guards[guard].until - sim->guards[guard].from));
}

// The islands of a located guard stand where it was found in their steps, and go on from there: what is left of a step
// is known to a few ulp of its length only, which is too coarse beside the next crossing of the same guard. The step of
// an island that it reads alone has been cut there already.
static void pin_islands(kaiSim* sim, uint32_t index, double t)
{
    const GuardState* g = &sim->guards[index];
    const IndexRange islands = sim->model->guards[index].islands;
    for (uint32_t i = 0; i < islands.count; i++)
    {
        uint32_t island = sim->model->guard_islands[islands.first + i];
        const Ode* ode = sim->island_odes[island];
        double start = ode_step_start(ode), h = ode_time(ode) - start, length = g->until - g->from;
        sim->islands[island].own = sim->touch + 1;
        if (islands.count == 1)
            return;
        island_disturb(sim, island);
        if (g->due != t || !(h > 0))
            continue;
        sim->islands[island].pin_time = t;
        sim->islands[island].pin =
            g->from == start && length == h ? g->theta : (g->from - start) / h + g->theta * (length / h);
    }
}

static kaiStatus take_due(kaiSim* sim, uint32_t item)
{
    const kaiModel* model = sim->model;
    agenda_set(&sim->agenda, item, INFINITY);
    if (item < model->clocks_count)
        sim->due_clocks.at[sim->due_clocks.count++] = item;
    else if (item < model->clocks_count + model->guards_count)
        sim->located[sim->located_count++] = item - model->clocks_count;
    else if (item < agenda_hold(sim))
        return islands_arrive(sim, item - model->clocks_count - model->guards_count);
    return KAI_OK;
}

// Takes what is due at `next` from the agenda. *found: something discrete is, and *t is its time.
static kaiStatus collect_due(kaiSim* sim, double next, bool* found, double* t)
{
    uint32_t item = 0;
    double at;
    kaiStatus status = KAI_OK;
    *found = delay_next_time(sim) <= next + 4e-16 * fabs(next);
    *t = next;
    while (status == KAI_OK && (at = agenda_next(&sim->agenda, &item)) <= next + shared(sim, item, next))
    {
        bool island = item >= agenda_island(sim, 0) && item < agenda_hold(sim);
        if (!island)
            *t = fmax(*t, at);
        *found |= !island;
        status = take_due(sim, item);
    }
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        pin_islands(sim, sim->located[i], *t);
        sim->guards[sim->located[i]].due = INFINITY;
    }
    return status;
}

static kaiStatus solver_point(kaiSim* sim, double t)
{
    bool recorded = t >= sim->options.stop;
    for (uint32_t i = 0; i < sim->waiting.count; i++)
        recorded |= sim->islands[sim->waiting.at[i]].recorded;
    sim->now = (kaiTag){t, 0, 0};
    sim->rank = 0;
    touch_moment(sim, t);
    size_look(sim);
    kaiStatus status = recorded ? record_tag(sim, false, false) : KAI_OK;
    if (status == KAI_OK)
        status = check_balance(sim, false);
    return status == KAI_OK && sim_numeric(sim) ? pulse_step_done(sim) : status;
}

static kaiStatus run_instant(kaiSim* sim, double t)
{
    size_look(sim);
    kaiStatus status = instant_run(sim, t, false);
    if (status == KAI_OK)
        status = record_instant_end(sim);
    return status == KAI_OK ? check_balance(sim, true) : status;
}

// To the next time at which anything is due. KAI_INSTANT: it was an instant.
static kaiStatus proceed(kaiSim* sim)
{
    uint32_t item;
    bool found = false;
    double t, next = fmin(agenda_next(&sim->agenda, &item), delay_next_time(sim));
    next = fmin(next, sim->options.stop);
    kaiStatus status = next > sim->now.t ? record_step(sim, sim->now.t, next) : KAI_OK;
    if (status == KAI_OK)
        status = collect_due(sim, next, &found, &t);
    if (status != KAI_OK)
        return status;
    if (!found)
        return solver_point(sim, next);
    status = run_instant(sim, t);
    return status == KAI_OK ? KAI_INSTANT : status;
}

static bool is_over(const kaiSim* sim)
{
    return sim->halted || sim->now.t >= sim->options.stop || same_time(sim->now.t, sim->options.stop);
}

// To the next instant, or to the end.
static kaiStatus go_on(kaiSim* sim)
{
    for (;;)
    {
        if (sim->options.interrupt != NULL && *sim->options.interrupt != 0)
            return KAI_INTERRUPTED;
        kaiStatus status = sim->outside.count > 0 ? run_instant(sim, sim->now.t) : KAI_OK;
        if (status == KAI_OK && !sim->halted)
            status = islands_advance(sim);
        if (status == KAI_OK && is_over(sim))
            return KAI_END;
        if (status == KAI_OK)
            status = proceed(sim);
        if (status != KAI_OK)
            return status;
    }
}

static kaiStatus fail_with(kaiSim* sim, kaiStatus status)
{
    sim->ended = true;
    if (sim->failure.status == KAI_OK)
        sim->failure = (kaiFailure){.status = status, .tag = sim->now, .text = "the run was stopped"};
    return status;
}

kaiStatus kaiSim_Step(const kaiModel* model, kaiSim* sim)
{
    (void)model;
    if (sim->ended)
        return sim->failure.status != KAI_OK ? sim->failure.status : KAI_END;
    kaiStatus status = sim->started ? go_on(sim) : run_start(sim);
    if (status < 0)
        return fail_with(sim, status);
    if (status == KAI_OK)
        status = KAI_INSTANT;  // the start
    if (status == KAI_INSTANT && sim->halted)
        status = KAI_END;
    if (status == KAI_END)
        size_end(sim);
    sim->ended |= status == KAI_END;
    return status;
}

kaiStatus kaiSim_Run(const kaiModel* model, kaiSim* sim)
{
    kaiStatus status;
    do
        status = kaiSim_Step(model, sim);
    while (status == KAI_INSTANT);
    return status;
}
