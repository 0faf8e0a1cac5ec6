// All tags of one t (rules T2-T4, R5): left limit, reactions and commits until nothing changes.
#include "kernel/bonds.h"

#include <math.h>

void instant_left_limits(kaiSim* sim, bool start)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_memory(sim, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->left != NO_REG && !(start && memory->has_first))
            sim->R[memory->dst] = sim->R[memory->left];
    }
}

static kaiStatus check_assertions(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_assertion(sim, &w);)
    {
        const Assertion* a = &model->assertions[w.index];
        if (sim->R[a->broken] == 0)
            continue;
        return sim_fail(sim, a->place, NULL, "assertion failed at t = %.17g (tag %d, %d): %s%s%s", sim->now.t,
                        sim->now.p, sim->now.m, model_string(model, a->source), a->text != 0 ? ": " : "",
                        model_string(model, a->text));
    }
    return KAI_OK;
}

// ---- the loop
// --------------------------------------------------------------------------------------------------------

// Left limits of what is due, and of what it may change. `found`: where the islands stand.
static kaiStatus touch_due(kaiSim* sim, double t, double found, bool start)
{
    const kaiModel* model = sim->model;
    touch_moment(sim, t);
    sim->load_time = found;
    kaiStatus status = start ? KAI_OK : delay_before(sim, t);
    if (status != KAI_OK)
        return status;
    sim->moment++;
    touch_begin(sim);
    if (start)
    {
        touch_all(sim);
        islands_disturb_all(sim);
    }
    for (uint32_t i = 0; i < model->always_units_count; i++)
        touch_unit(sim, model->always_units[i]);
    for (uint32_t i = 0; i < sim->due_clocks.count; i++)
        touch_register(sim, model->clocks[sim->due_clocks.at[i]].flag);
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        touch_guard(sim, sim->located[i]);
        touch_register(sim, model->guards[sim->located[i]].latch);
    }
    delay_touch_due(sim, t, 0);
    for (uint32_t i = 0; i < sim->outside.count; i++)
    {
        touch_register(sim, sim->outside.at[i]);
        islands_disturb(sim, sim->outside.at[i]);
    }
    sim->outside.count = 0;
    status = touch_settle(sim, start);
    if (status == KAI_OK)
        status = touch_rows(sim);
    touch_merge(sim);
    if (sim_numeric(sim))
        pulse_left_limit(sim);
    return status;
}

static kaiStatus left_limit(kaiSim* sim, bool start)
{
    sim->now.p = -1;
    sim->now.m = 0;
    kaiStatus status = touch_due(sim, sim->now.t, sim->now.t, start);
    if (status != KAI_OK)
        return status;
    if (start)  // `pre(x, first)` is `first` there already, so what was written decides, not the flow
        status = sim_run_code(sim, sim->model->react);
    return status == KAI_OK ? record_tag(sim, true, true) : status;
}

// At the tag of an impulse the state already contains the jump (rule R2).
static kaiStatus integrate_impulses(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    kaiStatus status = KAI_OK;
    for (TouchWalk w = {0}; touch_next(sim, &sim->touched.nows, model->now_states_count, &w);)
    {
        const NowState* n = &model->now_states[w.index];
        if (sim->R[n->state] == sim->R[n->now])
            continue;
        sim->R[n->state] = sim->R[n->now];
        sim->reaction_moved = true;
        islands_disturb(sim, n->state);
        if (!isfinite(sim->R[n->now]) && status == KAI_OK)
            status = pulse_overflow(sim, n->state - model->reg_first[REG_STATE]);
    }
    return status;
}

static kaiStatus check_faults(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (TouchWalk w = {0}; touch_next(sim, &sim->touched.faults, model->faults_count, &w);)
    {
        const ModelFault* fault = &model->faults[w.index];
        if (sim->R[fault->condition] == 0 || !sim_ctx_active(sim, fault->ctx))
            continue;
        kaiStatus status = sim_fail(sim, fault->place, model_string(model, fault->help), "%s, at t = %.17g",
                                    model_string(model, fault->text), sim->now.t);
        sim->failure.code = model_string(model, fault->code);
        return status;
    }
    return KAI_OK;
}

static kaiStatus react_once(kaiSim* sim)
{
    sim->counters.tags++;
    touch_merge(sim);
    kaiStatus status = touch_react(sim);
    if (status == KAI_OK)
        status = check_faults(sim);
    if (status == KAI_OK)
        status = integrate_impulses(sim);
    if (status == KAI_OK)
        status = check_assertions(sim);
    if (status == KAI_OK && sim->bonds == NULL)  // the switching writes the rows otherwise
        status = record_tag(sim, true, false);
    return status;
}

// An instant that was asked to stop between two tags is not over, and cannot go on later: the run ends there.
static kaiStatus check_interrupt(kaiSim* sim)
{
    if (sim->options.interrupt == NULL || *sim->options.interrupt == 0)
        return KAI_OK;
    sim->ended = true;
    sim->failure = (kaiError){.status = KAI_INTERRUPTED, .tag = sim->now, .message = "interrupted inside an instant"};
    return KAI_INTERRUPTED;
}

static kaiStatus react_until_rest(kaiSim* sim)
{
    Endless endless;
    endless_begin(&endless);
    for (;;)
    {
        kaiStatus status = react_once(sim);
        if (status != KAI_OK)
            return status;
        CommitResult result;
        status = commit_stage(sim, &result);
        if (status == KAI_OK && sim->bonds != NULL)
            status = switching_run(sim, &result);
        if (status == KAI_OK)
            status = commit_apply(sim, &result);
        if (status != KAI_OK)
            return status;
        if (!result.state && !result.other)
        {
            bool leaving = false;
            if (sim_numeric(sim))
                status = pulse_settle(sim, &result.state);
            if (status == KAI_OK && !result.state)
                status = guard_arm(sim, &leaving);
            if (status != KAI_OK || (!leaving && !result.state))
                return status;
        }
        kaiTag at = sim->now;
        sim->now.m = result.state ? 0 : sim->now.m + 1;
        sim->now.p += result.state ? 1 : 0;
        status = endless_watch(sim, &endless, at, result.state);
        if (status == KAI_OK)
            status = check_interrupt(sim);
        if (status != KAI_OK)
            return status;
    }
}

kaiStatus instant_run(kaiSim* sim, double t, bool start)
{
    bool again = !start && t <= sim->instant_time + 4e-16 * fabs(t);
    double found = t;
    sim->counters.instants += !again;
    kaiStatus status = KAI_OK;
    if (again)  // crossings a few ulp apart share one instant: its tags go on
    {
        t = sim->instant_time;
        sim->R[sim->model->reg_time] = t;
        sim->now.m++;
        status = touch_due(sim, t, found, false);
    }
    else
    {
        sim->now.t = t;
        sim->rank = 0;
        sim->R[sim->model->reg_time] = t;
        status = left_limit(sim, start);
        sim->now.p = 0;
        sim->now.m = 0;
    }
    if (status != KAI_OK)
        return status;
    zeno_before(sim, t);
    if (sim->bonds != NULL)
        switching_begin(sim);
    sim->flow_start = t;
    sim->instant_time = t;
    if (start)
        schedule_enter_modes(sim);
    status = schedule_mark_due(sim, t);
    if (status == KAI_OK)
        status = guard_apply_located(sim);
    if (status == KAI_OK)
        status = react_until_rest(sim);
    if (status == KAI_OK)
        status = zeno_after(sim);
    return status == KAI_OK ? delay_instant(sim) : status;
}
