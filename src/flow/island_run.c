// The run loop of a model with islands: the agenda tells what comes next. Only what is due is worked on.
#include "kernel/sim.h"

#include <math.h>

static bool same_time(double a, double b)
{
    return isfinite(b) && fabs(a - b) <= 4e-16 * fmax(fabs(a), fabs(b));
}

// Crossings a few ulp of t (or of their step) apart share one instant.
static double shared(const kaiSim* sim, uint32_t item, double t)
{
    uint32_t guard = item - sim->model->clocks_count;
    if (item < sim->model->clocks_count || guard >= sim->model->guards_count || sim->model->guards[guard].time_only)
        return 4e-16 * fabs(t);
    return fmax(9e-16 * fabs(t), 4e-15 * (sim->guards[guard].until - sim->guards[guard].from));
}

// The islands of a located guard stand where it was found in their steps, and go on from there: what is left of a step
// is known to a few ulp of its length only, which is too coarse beside the next crossing of the same guard.
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
        island_disturb(sim, island);
        if (g->due != t || !(h > 0))
            continue;
        sim->islands[island].pin_time = t;
        sim->islands[island].pin =
            g->from == start && length == h ? g->theta : (g->from - start) / h + g->theta * (length / h);
    }
}

static void take_due(kaiSim* sim, uint32_t item)
{
    const kaiModel* model = sim->model;
    agenda_set(&sim->agenda, item, INFINITY);
    if (item < model->clocks_count)
        sim->due_clocks.at[sim->due_clocks.count++] = item;
    else if (item < model->clocks_count + model->guards_count)
        sim->located[sim->located_count++] = item - model->clocks_count;
    else
        islands_wait(sim, item - model->clocks_count - model->guards_count);
}

// Takes what is due at `next` from the agenda. True: something discrete is, and *t is its time.
static bool collect_due(kaiSim* sim, double next, double* t)
{
    uint32_t item = 0;
    double at;
    bool found = delay_next_time(sim) <= next + 4e-16 * fabs(next);
    *t = next;
    while ((at = agenda_next(&sim->agenda, &item)) <= next + shared(sim, item, next))
    {
        bool island = item >= sim->model->clocks_count + sim->model->guards_count;
        if (!island)
            *t = fmax(*t, at);
        found |= !island;
        take_due(sim, item);
    }
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        pin_islands(sim, sim->located[i], *t);
        sim->guards[sim->located[i]].due = INFINITY;
    }
    return found;
}

static kaiStatus solver_point(kaiSim* sim, double t)
{
    bool recorded = t >= sim->options.stop;
    for (uint32_t i = 0; i < sim->waiting.count; i++)
        recorded |= sim->islands[sim->waiting.at[i]].recorded;
    sim->now = (kaiTag){t, 0, 0};
    sim->rank = 0;
    touch_moment(sim, t);
    return recorded ? record_tag(sim, false, false) : KAI_OK;
}

static kaiStatus run_instant(kaiSim* sim, double t)
{
    kaiStatus status = instant_run(sim, t, false);
    return status == KAI_OK ? record_instant_end(sim) : status;
}

// To the next time at which anything is due. KAI_INSTANT: it was an instant.
static kaiStatus proceed(kaiSim* sim)
{
    uint32_t item;
    double t, next = fmin(agenda_next(&sim->agenda, &item), delay_next_time(sim));
    next = fmin(next, sim->options.stop);
    kaiStatus status = next > sim->now.t ? record_step(sim, sim->now.t, next) : KAI_OK;
    if (status != KAI_OK)
        return status;
    if (!collect_due(sim, next, &t))
        return solver_point(sim, next);
    status = run_instant(sim, t);
    return status == KAI_OK ? KAI_INSTANT : status;
}

kaiStatus island_run_step(kaiSim* sim)
{
    for (;;)
    {
        if (sim->options.interrupt != NULL && *sim->options.interrupt != 0)
            return KAI_INTERRUPTED;
        kaiStatus status = sim->outside.count > 0 ? run_instant(sim, sim->now.t) : KAI_OK;
        if (status == KAI_OK)
            status = islands_advance(sim);
        if (status == KAI_OK && (sim->now.t >= sim->options.stop || same_time(sim->now.t, sim->options.stop)))
        {
            sim->ended = true;
            return KAI_END;
        }
        if (status == KAI_OK)
            status = proceed(sim);
        if (status != KAI_OK)
            return status;
    }
}
