// An instant of a plain model: one island whose units are fused, and none of memories, delays, impulses, bond graphs,
// choices, assertions. It does what instant.c, touch.c and commit.c do, in their order and by the same rules for one
// guard, one reaction, one assignment (guard.h, commit.h); but nothing is asked that such a model has not, and walks
// are loops over lists. Whatever else the moment brings (inputs that were set, events posted, states that are held,
// tags that go on at the same t) is left to instant.c before anything has changed.
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

bool plain_is_simple(const Kernel* kernel)
{
    const kaiModel* m = kernel->model;
    bool simple = m->machines_count == 0 && kernel->options->fired == NULL && kernel->hooks->calm != NULL;
    for (uint32_t i = 0; i < m->guards_count; i++)
        simple &= is_crossing(&m->guards[i]) && !m->guards[i].time_only && !m->guards[i].one_way &&
                  m->guards[i].present == NO_REG && m->guards[i].react_present == NO_REG &&
                  m->guards[i].islands.count == 1;
    for (uint32_t i = 0; i < m->acts_count; i++)
        simple &= m->acts[i].kind == ACT_ASSIGN;
    return simple;
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

static kaiStatus arm(Kernel* kernel, bool* leaving)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->moment++;  // derivatives and signals are those after the reactions
    kernel->arming++;
    bool looked = false, again = kernel->restarted.count > 0;  // then states and slopes are in the registers
    EACH_ACTIVE(kernel, guards, index)
    {
        GuardState* state = &kernel->guards[index];
        if (status != KAI_OK)
            return status;
        state->armed = kernel->arming;
        if (!looked && model->guards[index].islands.count > 0)
        {
            looked = true;
            kernel->island_looked[0] = kernel->moment;
            if (!again)
            {
                kernel->hooks->load(kernel->owner, 0, kernel->now.t);
                status = kernel->hooks->slopes(kernel->owner, 0);
            }
            if (status == KAI_OK)
                status = kernel_run(kernel, model->islands[0].events);
        }
        else if (model->guards[index].islands.count == 0)
            status = kernel_run(kernel, model->guards[index].look);
        if (status == KAI_OK)
            status = guard_arm_one(kernel, index, leaving);
        agenda_set(&kernel->agenda, agenda_guard(kernel, index), state->due);
    }
    return status;
}

static kaiStatus check_limits(Kernel* kernel)
{
    kaiStatus status = kernel_check_tags(kernel);
    if (status != KAI_OK)
        return status;
    return budget_look(kernel->budget) ? KAI_OK : kernel_stop(kernel);
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
    if (status != KAI_OK || !*more)
        return status;
    kaiTag at = kernel->now;
    kernel->now.m = result.state ? 0 : kernel->now.m + 1;
    kernel->now.p += result.state ? 1 : 0;
    status = kernel->hooks->round(kernel->owner, at, result.state);
    return status == KAI_OK ? check_limits(kernel) : status;
}

// ---- ordinary instants
// -----------------------------------------------------------------------------------------------
//
// One guard has crossed, what it leads to assigns variables, and a second tag finds nothing more to do; nobody wants to
// see the left limit, and no listener has a suspicion. The second tag and the listeners decide that; if it turns out
// otherwise, they are told what they have missed and it goes on as any other instant (`carry_on`).

static bool is_ordinary(const Kernel* kernel, double t)
{
    return kernel->simple && kernel->located_count == 1 && kernel->due_clocks.count == 0 &&
           kernel->hooks->calm(kernel->owner, t);
}

static void begin_ordinary(Kernel* kernel, double t)
{
    uint32_t index = kernel->located[0];
    kernel->counters.instants++;
    kernel->now = (kaiTag){t, 0, 0};
    kernel->R[kernel->model->reg_time] = kernel->load_time = kernel->flow_start = kernel->instant_time = t;
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    kernel->hooks->load(kernel->owner, 0, t);
    kernel->instant_runs++;
    kernel->fired_count = kernel->located_count = kernel->jump_count = 0;
    kernel->rounding = 0;
    guard_turn(kernel, index, kernel->guards[index].toward);
}

// By the reaction of the first tag, whose states are those of the left limit.
static void take_left_limits(Kernel* kernel, uint32_t located)
{
    double* R = kernel->R;
    for (uint32_t i = 0; i < kernel->model->guards_count; i++)
    {
        const Guard* guard = &kernel->model->guards[i];
        double g = R[guard->react_g];
        R[guard->last_g] = g;
        if (i == located)
            kernel->left_g = g;
        else if ((guard->searched && g != 0) || R[guard->side] == 2)
            R[guard->side] = sign_of(g);
    }
}

static kaiStatus fire(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    for (uint32_t i = 0; i < model->when_count && status == KAI_OK; i++)
        if (kernel->R[model->reactions[i].fire] != 0)
            status = commit_stage_reaction(kernel, &model->reactions[i]);
    if (status != KAI_OK)
        commit_forget(kernel);
    return status;
}

static bool is_quiet(const Kernel* kernel)
{
    bool quiet = true;
    for (uint32_t i = 0; i < kernel->model->when_count; i++)
        quiet &= kernel->R[kernel->model->reactions[i].fire] == 0;
    return quiet;
}

// As commit_apply_staged, with the values before it kept for listeners.
static void assign(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < kernel->staged_count; i++)
    {
        const Staged* s = &kernel->staged[i];
        uint32_t state = s->target - model->reg_first[REG_STATE];
        double before = kernel->R[s->target];
        kernel->R[s->target] = s->value;
        kernel->stamps[s->target] = 0;
        if (state < model->state_count)
            kernel->jumps[kernel->jump_count++] = (Jump){state, before};
        if (before == s->value)
            continue;
        result->state |= state < model->state_count;
        result->other |= state >= model->state_count;
        kernel_disturb(kernel, s->target);
    }
    kernel->staged_count = 0;
}

// After `first` the listeners hear of its commit; after another tag, if there was one, of that; then tags go on.
static kaiStatus carry_on(Kernel* kernel, kaiTag first, bool state, bool again)
{
    kaiTag at = kernel->now;
    kernel->hooks->late(kernel->owner);
    kaiStatus status = kernel->hooks->round(kernel->owner, first, state);
    if (again)
        kernel->now.m++;
    if (status == KAI_OK && again && at.p + at.m > 0)
        status = kernel->hooks->round(kernel->owner, at, false);
    if (status == KAI_OK && again)
        status = check_limits(kernel);
    for (bool more = true; more && status == KAI_OK;)
        status = react(kernel, &more);
    return status == KAI_OK ? kernel->hooks->end(kernel->owner) : status;
}

// Nothing was assigned, or nothing more is: guards are armed.
static kaiStatus come_to_rest(Kernel* kernel, kaiTag first, bool state)
{
    bool leaving = false;
    kaiStatus status = arm(kernel, &leaving);
    if (status != KAI_OK)
        return status;
    return leaving ? carry_on(kernel, first, state, true) : kernel->hooks->past(kernel->owner);
}

static kaiStatus second_tag(Kernel* kernel, kaiTag first, bool state)
{
    CommitResult result = {false, false};
    kaiStatus status = kernel_run(kernel, kernel->model->react);
    if (status != KAI_OK)
        return status;
    if (!is_quiet(kernel))
        return carry_on(kernel, first, state, false);
    kernel->counters.tags++;
    kernel->reaction++;
    kernel->hooks->count(kernel->owner);
    for (uint32_t i = 0; i < kernel->model->guards_count; i++)
        guard_commit_one(kernel, i, &result);
    return result.other ? carry_on(kernel, first, state, true) : come_to_rest(kernel, first, state);
}

static kaiStatus ordinary_run(Kernel* kernel, double t)
{
    CommitResult result = {false, false};
    uint32_t located = kernel->located[0];
    begin_ordinary(kernel, t);
    kernel->counters.tags++;
    kernel->reaction++;
    kaiStatus status = kernel_run(kernel, kernel->model->react);
    if (status != KAI_OK)
        return status;
    take_left_limits(kernel, located);
    kernel->hooks->count(kernel->owner);
    status = fire(kernel);
    if (status != KAI_OK)
        return status;
    commit_clear_events(kernel, &result);
    assign(kernel, &result);
    kaiTag first = kernel->now;
    if (!result.state && !result.other)
        return come_to_rest(kernel, first, false);
    kernel->now.p = result.state;
    kernel->now.m = !result.state;
    status = check_limits(kernel);
    return status == KAI_OK ? second_tag(kernel, first, result.state) : status;
}

kaiStatus plain_run(Kernel* kernel, double t)
{
    if (is_ordinary(kernel, t))
        return ordinary_run(kernel, t);
    kaiStatus status = begin(kernel, t);
    for (bool more = true; more && status == KAI_OK;)
        status = react(kernel, &more);
    return status == KAI_OK ? kernel->hooks->end(kernel->owner) : status;
}
