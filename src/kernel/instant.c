// All tags of one t (rules T2-T4, R5): left limit, reactions and commits until nothing changes.
#include "kernel/blocks.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"
#include "kernel/commit.h"

#include <math.h>

void instant_left_limits(Kernel* kernel, bool start)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_memory(kernel, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->left != NO_REG && !(start && memory->has_first))
            kernel->R[memory->dst] = kernel->R[memory->left];
    }
}

static kaiStatus check_assertions(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_assertion(kernel, &w);)
    {
        const Assertion* a = &model->assertions[w.index];
        if (kernel->R[a->broken] == 0)
            continue;
        return kernel_fail(kernel, a->place, NULL, "assertion failed at t = %.17g (tag %d, %d): %s%s%s", kernel->now.t,
                           kernel->now.p, kernel->now.m, model_string(model, a->source), a->text != 0 ? ": " : "",
                           model_string(model, a->text));
    }
    return KAI_OK;
}

// ---- the loop
// --------------------------------------------------------------------------------------------------------

// Left limits of what is due, and of what it may change. `found`: where the islands stand.
static kaiStatus touch_due(Kernel* kernel, double t, double found, bool start)
{
    const kaiModel* model = kernel->model;
    touch_moment(kernel, t);
    kernel->load_time = found;
    kaiStatus status = start || model->delays_count == 0 ? KAI_OK : kernel->hooks->before(kernel->owner, t);
    if (status != KAI_OK)
        return status;
    kernel->moment++;
    touch_begin(kernel);
    if (start)
    {
        touch_all(kernel);
        kernel_disturb_all(kernel);
    }
    for (uint32_t i = 0; i < model->always_units_count && !model->fused; i++)
        touch_unit(kernel, model->always_units[i]);
    for (uint32_t i = 0; i < kernel->due_clocks.count; i++)
        touch_register(kernel, model->clocks[kernel->due_clocks.at[i]].flag);
    for (uint32_t i = 0; i < kernel->located_count && !model->fused; i++)
    {
        touch_guard(kernel, kernel->located[i]);
        touch_register(kernel, model->guards[kernel->located[i]].latch);
    }
    if (kernel->queue.count > 0)
        delay_touch_due(kernel, t, 0);
    kernel_hold_inputs(kernel);
    for (uint32_t i = 0; i < kernel->outside_count; i++)
    {
        touch_register(kernel, kernel->outside[i]);
        kernel_disturb(kernel, kernel->outside[i]);
    }
    kernel->outside_count = 0;
    status = touch_settle(kernel, start);
    if (status == KAI_OK && !model->fused)  // which has settled all there is
        status = touch_rows(kernel);
    touch_merge(kernel);
    if (kernel_numeric(kernel))
        kernel->hooks->left(kernel->owner);
    return status;
}

static kaiStatus left_limit(Kernel* kernel, bool start)
{
    kernel->now.p = -1;
    kernel->now.m = 0;
    kaiStatus status = touch_due(kernel, kernel->now.t, kernel->now.t, start);
    if (status != KAI_OK)
        return status;
    if (start)  // `pre(x, first)` is `first` there already, so what was written decides, not the flow
        status = kernel_run(kernel, kernel->model->react);
    return status == KAI_OK ? kernel->hooks->tag(kernel->owner, true) : status;
}

// At the tag of an impulse the state already contains the jump (rule R2).
static kaiStatus integrate_impulses(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    for (TouchWalk w = {0}; touch_next(kernel, &kernel->touched.nows, model->now_states_count, &w);)
    {
        const NowState* n = &model->now_states[w.index];
        if (kernel->R[n->state] == kernel->R[n->now])
            continue;
        kernel->R[n->state] = kernel->R[n->now];
        kernel->reaction_moved = true;
        kernel_disturb(kernel, n->state);
        if (!isfinite(kernel->R[n->now]) && status == KAI_OK)
            status = kernel_overflow(kernel, n->state - model->reg_first[REG_STATE]);
    }
    return status;
}

static kaiStatus check_faults(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (TouchWalk w = {0}; touch_next(kernel, &kernel->touched.faults, model->faults_count, &w);)
    {
        const ModelFault* fault = &model->faults[w.index];
        if (kernel->R[fault->condition] == 0 || !kernel_ctx_active(kernel, fault->ctx))
            continue;
        kaiStatus status = kernel_fail(kernel, fault->place, model_string(model, fault->help), "%s, at t = %.17g",
                                       model_string(model, fault->text), kernel->now.t);
        kernel->failure.code = model_string(model, fault->code);
        return status;
    }
    return KAI_OK;
}

static kaiStatus react_once(Kernel* kernel)
{
    kernel->counters.tags++;
    touch_merge(kernel);
    kaiStatus status = touch_react(kernel);
    if (status == KAI_OK && kernel_blocks(kernel) != NULL)
        status = blocks_check(kernel);
    if (status == KAI_OK && kernel->model->faults_count > 0)
        status = check_faults(kernel);
    if (status == KAI_OK && kernel->model->now_states_count > 0)
        status = integrate_impulses(kernel);
    if (status == KAI_OK && kernel->model->assertions_count > 0)
        status = check_assertions(kernel);
    if (status == KAI_OK && kernel->bonds == NULL)  // the switching writes the rows otherwise
        status = kernel->hooks->tag(kernel->owner, false);
    return status;
}

// Nothing changed in the commit: does something outside the reactions still move, or does a guard leave its level?
static kaiStatus rest(Kernel* kernel, CommitResult* result, bool* more)
{
    bool leaving = false;
    kaiStatus status = kernel_numeric(kernel) ? kernel->hooks->settle(kernel->owner, &result->state) : KAI_OK;
    if (status == KAI_OK && !result->state)
        status = guard_arm(kernel, &leaving);
    *more = leaving || result->state;
    return status;
}

kaiStatus instant_react(Kernel* kernel, bool* more)
{
    *more = false;
    kaiStatus status = react_once(kernel);
    CommitResult result = {false, false};
    if (status == KAI_OK)
        status = commit_stage(kernel, &result);
    if (status == KAI_OK && kernel->bonds != NULL)
        status = switching_run(kernel, &result);
    if (status == KAI_OK)
        status = commit_apply(kernel, &result);
    if (status != KAI_OK)
        return status;
    *more = result.state || result.other;
    if (!*more)
        status = rest(kernel, &result, more);
    return status == KAI_OK && *more ? commit_next_tag(kernel, &result) : status;
}

kaiStatus instant_begin(Kernel* kernel, double t, bool start)
{
    bool again = !start && kernel_reached(kernel, t, kernel->instant_time);
    double found = t;
    kernel->counters.instants += !again;
    kaiStatus status = KAI_OK;
    // The left limit at a located crossing lies a rounding beyond the level that a relation keeps an operator from.
    kernel->host.beyond = kernel->located_count > 0 ? &kernel->beyond : NULL;
    if (again)  // crossings a few ulp apart share one instant: its tags go on
    {
        t = kernel->instant_time;
        kernel->R[kernel->model->reg_time] = t;
        kernel->now.m++;
        status = touch_due(kernel, t, found, false);
    }
    else
    {
        kernel->now.t = t;
        kernel->R[kernel->model->reg_time] = t;
        status = left_limit(kernel, start);
        kernel->now.p = 0;
        kernel->now.m = 0;
    }
    kernel->host.beyond = NULL;
    kernel_give_inputs(kernel);
    if (status != KAI_OK)
        return status;
    kernel->instant_runs++;
    kernel->fired_count = 0;
    kernel->rounding = again ? kernel->rounding : 0;
    kernel->hooks->begin(kernel->owner, t, again);
    if (kernel->bonds != NULL)
        switching_begin(kernel);
    kernel->flow_start = t;
    kernel->instant_time = t;
    if (start)
        schedule_enter_modes(kernel);
    status = schedule_mark_due(kernel, t);
    return status == KAI_OK ? guard_apply_located(kernel) : status;
}

kaiStatus instant_end(Kernel* kernel)
{
    kaiStatus status = kernel->hooks->end(kernel->owner);
    return status == KAI_OK && kernel->model->delays_count > 0 ? kernel->hooks->after(kernel->owner) : status;
}

kaiStatus instant_run(Kernel* kernel, double t, bool start)
{
    bool served = (kernel->plain || kernel->simple) && !start && plain_serves(kernel, t);
    const Scene* scene = served && kernel->simple ? ordinary_scene(kernel, t) : NULL;
    if (scene != NULL)
        return ordinary_run(kernel, scene, t);
    if (served && kernel->plain)
        return plain_run(kernel, t);
    if (!start && kernel->brief != NULL && circuit_serves(kernel, t))
        return circuit_run(kernel, t);
    kaiStatus status = instant_begin(kernel, t, start);
    for (bool more = true; more && status == KAI_OK;)
        status = instant_react(kernel, &more);
    return status == KAI_OK ? instant_end(kernel) : status;
}
