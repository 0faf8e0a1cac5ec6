// Instants of a circuit that nobody looks at: a model of one steady graph whose machines are all junctions, and none of
// memories, delays, choices, assertions, foreign parts. It does what instant.c, touch.c and commit.c do, in their order
// and by the same rules for one guard, one reaction, one assignment (guard.h, commit.h); but nothing is asked that such
// a model has not. Whatever else the moment brings (inputs that were set, events posted, states that are held, tags
// that go on at the same t) is left to instant.c before anything has changed.
#include "kernel/blocks.h"
#include "kernel/bonds.h"
#include "kernel/commit.h"
#include "kernel/course.h"
#include "kernel/guard.h"

bool circuit_is(const Kernel* kernel)
{
    const kaiModel* m = kernel->model;
    bool outside = true;
    for (uint32_t i = 0; i < m->when_count && outside; i++)
        outside = m->reactions[i].ctx == 0;
    return outside && kernel->brief->follows && m->islands_count == 1 && kernel->bonds->alone &&
           !kernel->bonds->steps && m->memories_count == 0 && m->delays_count == 0 && m->now_states_count == 0 &&
           m->faults_count == 0 && m->assertions_count == 0 && m->choice_count == 0 && kernel_blocks(kernel) == NULL;
}

bool circuit_serves(const Kernel* kernel, double t)
{
    return kernel->brief != NULL && kernel->brief->circuit && plain_serves(kernel, t);
}

bool circuit_list(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    Brief* brief = kernel->brief;
    IndexRange whens = model->contexts[0].whens;
    brief->when_count = whens.count;
    brief->whens = a.alloc(a.user, NULL, 0, sizeof *brief->whens * ((size_t)whens.count + 1));
    for (uint32_t i = 0; i < whens.count && brief->whens != NULL; i++)
    {
        const Reaction* reaction = &model->reactions[model->ctx_whens[whens.first + i]];
        brief->whens[i] = (CircuitWhen){&kernel->R[reaction->fire], reaction};
    }
    return brief->whens != NULL;
}

void circuit_forget(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    Brief* brief = kernel->brief;
    if (brief->whens != NULL)
        a.alloc(a.user, brief->whens, sizeof *brief->whens * ((size_t)brief->when_count + 1), 0);
    brief->whens = NULL;
}

// ---- the left limit

// Nobody looks at it: states, what memories of listeners show of them, and what guards compare, if the first reaction
// does not tell as well.
static kaiStatus pass_left(Kernel* kernel, double t)
{
    Brief* brief = kernel->brief;
    kaiStatus status = KAI_OK;
    kernel->react_touches[0] = kernel->touch;
    kernel->hooks->load(kernel->owner, 0, t);
    kernel->flow_moments[0] = kernel->flow_moments[1] = kernel->moment;
    if (brief->flow->count > 0)
        slice_run(brief->flow, kernel->model, kernel->R, &kernel->host);
    if (brief_puts_off(kernel))
        return KAI_OK;
    status = brief_events(kernel);
    if (status == KAI_OK)
        guard_left_limit(kernel);
    return status;
}

static kaiStatus left_limit(Kernel* kernel, double t)
{
    kernel->now = (kaiTag){t, -1, 0};
    kernel->load_time = kernel->R[kernel->model->reg_time] = t;
    kernel->moment += 2;
    kernel->touch++;
    kernel->scene.open = 0;
    kernel->host.beyond = kernel->located_count > 0 ? &kernel->beyond : NULL;
    kernel->brief->left_seen = kernel->hooks->sees(kernel->owner);
    kaiStatus status = kernel->brief->left_seen ? touch_settle(kernel, false) : pass_left(kernel, t);
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
    switching_begin(kernel);
    kernel->flow_start = kernel->instant_time = t;
    if (kernel->due_clocks.count > 0)
        status = schedule_mark_due(kernel, t);
    return status == KAI_OK && kernel->located_count > 0 ? guard_apply_located(kernel) : status;
}

// ---- one tag

static inline kaiStatus stage(Kernel* kernel)
{
    const CircuitWhen *when = kernel->brief->whens, *end = when + kernel->brief->when_count;
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    for (; when < end && status == KAI_OK; when++)
        if (*when->fire != 0)
            status = commit_stage_reaction(kernel, when->reaction);
    if (status != KAI_OK)
        commit_forget(kernel);
    return status;
}

static void commit_guards(Kernel* kernel, CommitResult* result)
{
    const uint32_t* list = kernel->active_guards.at;
    for (const uint32_t* end = list + kernel->active_guards.count; list < end; list++)
        guard_commit_one(kernel, *list, result);
}

// Nothing is assigned at this tag: what is left forgets, then the modes are those that were found.
static void change_modes(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->leaving_count; i++)
        contexts_leave(kernel, kernel->leaving[i]);
    kernel->leaving_count = 0;
    passage_take_modes(kernel);
    guard_enter(kernel);
}

// `set`: that in which the tag began.
static void apply(Kernel* kernel, const BriefSet* set, CommitResult* result)
{
    uint32_t staged = kernel->staged_count;
    if (staged + kernel->reacted_count > 0)
        kernel->hooks->fires(kernel->owner, SIGN_REACTIONS, 0, 0);
    if (kernel->raised_count > 0)
        commit_clear_events(kernel, result);
    if (set != NULL && set->sums != NULL)
        brief_commit_set(kernel, set);
    else
        commit_guards(kernel, result);
    if (staged > 0)
    {
        commit_change_modes(kernel, result);
        commit_forget(kernel);
    }
    else if (kernel->leaving_count > 0)
        change_modes(kernel);
}

// ---- nothing changes any more

static kaiStatus arm(Kernel* kernel, bool* leaving)
{
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    return status == KAI_OK ? plain_arm(kernel, kernel->active_guards.at, kernel->active_guards.count, leaving)
                            : status;
}

static void run_reaction(Kernel* kernel, const BriefSet* set)
{
    kernel->brief->used = true;
    if (set != NULL)
        brief_react_set(kernel, set);
    else
        slice_run(kernel->brief->react, kernel->model, kernel->R, &kernel->host);
}

// `reacted`: its reaction has run.
static kaiStatus react(Kernel* kernel, bool reacted, bool* more)
{
    CommitResult result = {false, false};
    *more = false;
    kernel->counters.tags++;
    kernel->reaction++;
    BriefSet* set = brief_set(kernel);
    if (!reacted)
        run_reaction(kernel, set);
    kaiStatus status = stage(kernel);
    if (status == KAI_OK)
        status = switching_run(kernel, &result);
    if (status != KAI_OK)
        return status;
    if (kernel->brief->courses.open)
        course_note(kernel, set, &result);
    apply(kernel, set, &result);
    *more = result.state || result.other;
    if (!*more)
    {
        status = arm(kernel, more);
        course_end(kernel, *more);
    }
    return status == KAI_OK && *more ? commit_next_tag(kernel, &result) : status;
}

// An instant that is kept, but for guards that lead on. False: it is not.
static bool run_course(Kernel* kernel, bool* more, bool* reacted, kaiStatus* status)
{
    const CommitResult result = {false, false};
    const Course* course = course_run(kernel, reacted, status);
    *more = course == NULL;
    if (course == NULL || *status != KAI_OK)
        return course != NULL;
    *status = arm(kernel, more);
    if (*status == KAI_OK && *more)
        *status = course_tell(kernel, course);
    if (*status == KAI_OK && *more)
        *status = commit_next_tag(kernel, &result);
    return true;
}

kaiStatus circuit_run(Kernel* kernel, double t)
{
    bool more = true, reacted = false;
    kaiStatus status = begin(kernel, t);
    kernel->brief->courses.open = false;
    if (status == KAI_OK && !run_course(kernel, &more, &reacted, &status))
        course_begin(kernel);
    for (; more && status == KAI_OK; reacted = false)
        status = react(kernel, reacted, &more);
    return status == KAI_OK ? kernel->hooks->end(kernel->owner) : status;
}
