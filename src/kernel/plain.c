// An instant of a plain model: one island whose units are fused, and none of memories, delays, impulses, bond graphs,
// choices, assertions. It does what instant.c, touch.c and commit.c do, in their order and by the same rules for one
// guard, one reaction, one assignment (guard.h, commit.h); but nothing is asked that such a model has not, and walks
// are loops over lists. Whatever else the moment brings (inputs that were set, events posted, states that are held,
// tags that go on at the same t) is left to instant.c before anything has changed.
#include "kernel/brief.h"
#include "kernel/commit.h"
#include "kernel/guard.h"

#include <math.h>

bool plain_is(const Kernel* kernel)
{
    const kaiModel* m = kernel->model;
    return m->fused && kernel->bonds == NULL && m->delays_count == 0 && m->memories_count == 0 &&
           m->now_states_count == 0 && m->faults_count == 0 && m->assertions_count == 0 && m->choice_count == 0 &&
           !kernel_numeric(kernel);
}

bool plain_serves(const Kernel* kernel, double t)
{
    return kernel->outside_count == 0 && kernel->queue.count == 0 && kernel->holds == 0 && kernel->located_count < 2 &&
           !kernel_reached(kernel, t, kernel->instant_time);
}

// All guards of the active contexts, and all reactions `when`.
#define EACH_ACTIVE(kernel, list, index)                                                                               \
    for (uint32_t a_ = 0; a_ < (kernel)->active_count; a_++)                                                           \
        for (uint32_t i_ = 0, index, first_ = (kernel)->model->contexts[(kernel)->active[a_]].list.first;              \
             i_ < (kernel)->model->contexts[(kernel)->active[a_]].list.count &&                                        \
             (index = (kernel)->model->ctx_##list[first_ + i_], true);                                                 \
             i_++)

// ---- the left limit
// --------------------------------------------------------------------------------------------------

static kaiStatus left_limit(Kernel* kernel, double t)
{
    const kaiModel* model = kernel->model;
    kernel->now = (kaiTag){t, -1, 0};
    kernel->R[model->reg_time] = kernel->load_time = t;
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    kernel->flow_moments[0] = kernel->flow_moments[1] = kernel->moment;
    kernel->hooks->load(kernel->owner, 0, t);
    kernel->host.beyond = kernel->located_count > 0 ? &kernel->beyond : NULL;
    kaiStatus status = kernel_run(kernel, model->flow);
    if (status == KAI_OK)
        status = kernel_run(kernel, model->events);
    if (status == KAI_OK)
        EACH_ACTIVE(kernel, guards, index)
    guard_left_one(kernel, &model->guards[index]);
    if (status == KAI_OK)
        status = kernel->hooks->tag(kernel->owner, true);
    kernel->host.beyond = NULL;
    return status;
}

static kaiStatus begin(Kernel* kernel, double t)
{
    kernel->counters.instants++;
    kaiStatus status = left_limit(kernel, t);
    if (status != KAI_OK)
        return status;
    kernel->now.p = 0;
    kernel->instant_runs++;
    kernel->fired_count = 0;
    kernel->rounding = 0;
    kernel->hooks->begin(kernel->owner, t, false);
    kernel->flow_start = kernel->instant_time = t;
    if (kernel->due_clocks.count > 0)
        status = schedule_mark_due(kernel, t);
    return status == KAI_OK && kernel->located_count > 0 ? guard_apply_located(kernel) : status;
}

// ---- one tag
// ---------------------------------------------------------------------------------------------------------

static kaiStatus stage(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    *result = (CommitResult){.state = kernel->reaction_moved};
    kernel->reaction_moved = false;
    EACH_ACTIVE(kernel, whens, index)
    {
        const Reaction* reaction = &model->reactions[index];
        if (kernel->R[reaction->fire] != 0 && status == KAI_OK &&
            (reaction->ctx == 0 || !commit_is_preempted(kernel, reaction->ctx)))
            status = commit_stage_reaction(kernel, reaction);
    }
    if (status == KAI_OK && model->machines_count > 0)
        status = commit_take_transitions(kernel, result);
    if (status != KAI_OK)
        commit_forget(kernel);
    return status;
}

static void apply(Kernel* kernel, CommitResult* result)
{
    uint32_t staged = kernel->staged_count;
    if (staged + kernel->reacted_count > 0)
        kernel->hooks->fires(kernel->owner, SIGN_REACTIONS, 0, 0);
    if (kernel->raised_count > 0)
        commit_clear_events(kernel, result);
    EACH_ACTIVE(kernel, guards, index)
    guard_commit_one(kernel, index, result);
    if (kernel->model->machines_count > 0)
        commit_change_modes(kernel, result);
    else
        commit_apply_staged(kernel, result);
    if (staged > 0)
        commit_forget(kernel);
}

// ---- nothing changes any more
// ----------------------------------------------------------------------------------------

// States and slopes where the run stands, and all that guards of the island read.
static kaiStatus look_now(Kernel* kernel)
{
    kaiStatus status = KAI_OK;
    kernel->island_looked[0] = kernel->moment;
    if (kernel->restarted.count == 0)  // otherwise they are in the registers
    {
        kernel->hooks->load(kernel->owner, 0, kernel->now.t);
        status = kernel->hooks->slopes(kernel->owner, 0);
    }
    if (status != KAI_OK)
        return status;
    return kernel->brief != NULL ? brief_look(kernel) : kernel_run(kernel, kernel->model->islands[0].events);
}

kaiStatus plain_arm(Kernel* kernel, const uint32_t* list, uint32_t count, bool* leaving)
{
    kaiStatus status = KAI_OK;
    for (const uint32_t* end = list + count; list < end && status == KAI_OK; list++)
    {
        const Guard* guard = &kernel->model->guards[*list];
        GuardState* state = &kernel->guards[*list];
        state->armed = kernel->arming;
        if (guard->islands.count == 0)
            status = kernel_run(kernel, guard->look);
        else if (kernel->island_looked[0] != kernel->moment)
            status = look_now(kernel);
        if (status == KAI_OK)
            status = guard_arm_one(kernel, *list, leaving);
        agenda_set(&kernel->agenda, agenda_guard(kernel, *list), state->due);
    }
    return status;
}

static kaiStatus arm(Kernel* kernel, bool* leaving)
{
    const kaiModel* model = kernel->model;
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    for (uint32_t i = 0; i < kernel->active_count && status == KAI_OK; i++)
    {
        IndexRange guards = model->contexts[kernel->active[i]].guards;
        status = plain_arm(kernel, model->ctx_guards + guards.first, guards.count, leaving);
    }
    return status;
}

static kaiStatus react(Kernel* kernel, bool* more)
{
    CommitResult result;
    *more = false;
    kernel->counters.tags++;
    kernel->reaction++;
    kaiStatus status = kernel_run(kernel, kernel->model->react);
    if (status == KAI_OK)
        status = kernel->hooks->tag(kernel->owner, false);
    if (status == KAI_OK)
        status = stage(kernel, &result);
    if (status != KAI_OK)
        return status;
    apply(kernel, &result);
    *more = result.state || result.other;
    if (!*more)
        status = arm(kernel, more);
    return status == KAI_OK && *more ? commit_next_tag(kernel, &result) : status;
}

kaiStatus plain_run(Kernel* kernel, double t)
{
    kaiStatus status = begin(kernel, t);
    for (bool more = true; more && status == KAI_OK;)
        status = react(kernel, &more);
    return status == KAI_OK ? kernel->hooks->end(kernel->owner) : status;
}
