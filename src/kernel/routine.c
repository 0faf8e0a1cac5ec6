// Routines (decision 0270). In a model of one fused island without modes every ordinary instant is the same but for its
// numbers: the guards, the reactions and what they assign, the program of the reaction and that of what guards are
// armed with are found once, with the addresses of all registers, and an instant is one way through that record. The
// rules are those of ordinary.c, guard.h and commit.h, as far as they can apply to crossings without a presence of
// their own and reactions outside modes; whatever turns out otherwise (several reactions at once, a second tag that
// finds something, a guard that leaves its level) goes on as there, from the same registers.
#include "kernel/routine.h"

#include "kernel/commit.h"
#include "kernel/guard.h"

#include <math.h>

// ---- making
// ----------------------------------------------------------------------------------------------------------

static bool takes_act(const kaiModel* model, const Reaction* reaction, uint32_t number)
{
    const Act* acts = model->acts + reaction->first_act;
    bool plain = acts[number].kind == ACT_ASSIGN && acts[number].present == NO_REG;
    for (uint32_t i = 0; i < number; i++)
        plain &= acts[i].target != acts[number].target;
    return plain;
}

static bool is_small(const Kernel* kernel, const Scene* scene)
{
    const kaiModel* model = kernel->model;
    uint32_t acts = 0;
    bool small = kernel->plain && model->islands_count == 1 && model->machines_count == 0 &&
                 scene->guards <= ROUTINE_GUARDS && scene->whens <= ROUTINE_WHENS &&
                 scene->signals + scene->levels + scene->moves == 0;
    for (uint32_t i = 0; small && i < scene->guards; i++)
    {
        const Guard* guard = &model->guards[scene_guards(scene)[i]];
        small = is_crossing(guard) && guard->searched;
    }
    for (uint32_t i = 0; small && i < scene->whens; i++)
    {
        const Reaction* reaction = &model->reactions[scene_whens(scene)[i]];
        acts += reaction->act_count;
        for (uint32_t k = 0; k < reaction->act_count; k++)
            small &= takes_act(model, reaction, k);
        small &= reaction->ctx == 0;
    }
    return small && acts <= ROUTINE_ACTS;
}

static ScenePiece piece_of(const kaiModel* model, CodeRange range)
{
    return (ScenePiece){model->code + range.start, model->code + range.end};
}

static RoutineGuard guard_of(const Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    double* R = kernel->R;
    return (RoutineGuard){.guard = guard,
                          .state = &kernel->guards[index],
                          .side = R + guard->side,
                          .last_g = R + guard->last_g,
                          .react_g = R + guard->react_g,
                          .g = R + guard->g,
                          .slope = R + guard->slope,
                          .index = index,
                          .item = agenda_guard(kernel, index)};
}

static RoutineAct act_of(const Kernel* kernel, const Act* act)
{
    const kaiModel* model = kernel->model;
    uint32_t row = act->target - model->reg_first[REG_STATE];
    bool state = row < model->state_count;
    return (RoutineAct){.value = kernel->R + act->value,
                        .target = kernel->R + act->target,
                        .state = state ? row : NO_REG,
                        .disturbs = state || model->reg_island_first[row] < model->reg_island_first[row + 1]};
}

Routine* routine_make(Kernel* kernel, const Scene* scene)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    Routine* r = is_small(kernel, scene) ? a.alloc(a.user, NULL, 0, sizeof *r) : NULL;
    if (r == NULL)
        return NULL;
    *r = (Routine){.react = *scene_reacts(scene), .look = piece_of(model, model->islands[0].events)};
    if (scene->looks != NULL)
        r->look = (ScenePiece){scene->looks->words, scene->looks->words + scene->looks->count};
    for (uint32_t i = 0; i < scene->guards; i++)
        r->guards[r->guard_count++] = guard_of(kernel, scene_guards(scene)[i]);
    for (uint32_t i = 0, acts = 0; i < scene->whens; i++)
    {
        const Reaction* reaction = &model->reactions[scene_whens(scene)[i]];
        r->whens[r->when_count++] = (RoutineWhen){.fire = kernel->R + reaction->fire,
                                                  .code = piece_of(model, reaction->code),
                                                  .reaction = scene_whens(scene)[i],
                                                  .first = acts,
                                                  .count = reaction->act_count};
        for (uint32_t k = 0; k < reaction->act_count; k++)
            r->acts[acts++] = act_of(kernel, &model->acts[reaction->first_act + k]);
    }
    return r;
}

void routine_free(Kernel* kernel, Routine* routine)
{
    kaiAllocator a = kernel->options->allocator;
    if (routine != NULL)
        a.alloc(a.user, routine, sizeof *routine, 0);
}

// ---- the first tag
// ---------------------------------------------------------------------------------------------------

static inline kaiStatus run(Kernel* kernel, ScenePiece piece)
{
    uint32_t failed = vm_run_words(kernel->model, kernel->R, piece.from, piece.to, &kernel->host);
    return failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
}

static inline kaiStatus begin(Kernel* kernel, double t)
{
    bool crossed = kernel->located_count > 0;
    uint32_t index = kernel->left.guard = crossed ? kernel->located[0] : NO_REG;
    kernel->counters.instants++;
    kernel->counters.tags++;
    kernel->now = (kaiTag){t, 0, 0};
    kernel->R[kernel->model->reg_time] = kernel->load_time = kernel->flow_start = kernel->instant_time = t;
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    kernel->hooks->load(kernel->owner, 0, t);
    kernel->instant_runs++;
    kernel->fired_count = kernel->located_count = kernel->jump_count = 0;
    kernel->rounding = 0;
    kernel->reaction++;
    if (!crossed)
        return schedule_mark_due(kernel, t);
    guard_turn(kernel, index, kernel->guards[index].toward);
    return KAI_OK;
}

// As take_left_limits of ordinary.c.
static inline void take_left_limits(Kernel* kernel, const Routine* r)
{
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->last_g = *at->react_g;
        if (at->index == kernel->left.guard)
        {
            kernel->left.g = g;
            continue;
        }
        if (g != 0 || *at->side == 2)
            *at->side = sign_of(g);
        guard_arrive(kernel, at->guard, g);
    }
}

static inline void disturb(Kernel* kernel)
{
    if (!kernel->island_disturbed[0])
        kernel_disturb_island(kernel, 0);
}

// A reaction that fires alone: its values are read before the first of them is written.
static kaiStatus assign_alone(Kernel* kernel, const Routine* r, const RoutineWhen* when, CommitResult* result)
{
    const RoutineAct* acts = r->acts + when->first;
    double values[ROUTINE_ACTS];
    kaiStatus status = when->code.from < when->code.to ? run(kernel, when->code) : KAI_OK;
    kernel->reacted[0] = when->reaction;
    kernel->reacted_count = 1;
    for (uint32_t i = 0; i < when->count && status == KAI_OK; i++)
    {
        values[i] = *acts[i].value;
        if (isnan(values[i]))
            status = commit_fail_value(
                kernel, &kernel->model->acts[kernel->model->reactions[when->reaction].first_act + i], false);
    }
    if (status != KAI_OK)
        return status;
    commit_clear_events(kernel, result);
    for (uint32_t i = 0; i < when->count; i++, acts++)
    {
        double before = *acts->target;
        *acts->target = values[i];
        if (acts->state != NO_REG)
            kernel->jumps[kernel->jump_count++] = (Jump){acts->state, before};
        if (before == values[i])
            continue;
        result->state |= acts->state != NO_REG;
        result->other |= acts->state == NO_REG;
        if (acts->disturbs)
            disturb(kernel);
    }
    return KAI_OK;
}

static kaiStatus assign_many(Kernel* kernel, const Routine* r, CommitResult* result)
{
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    for (uint32_t i = 0; i < r->when_count && status == KAI_OK; i++)
        if (*r->whens[i].fire != 0)
            status = commit_stage_reaction(kernel, &kernel->model->reactions[r->whens[i].reaction]);
    if (status != KAI_OK)
    {
        commit_forget(kernel);
        return status;
    }
    commit_clear_events(kernel, result);
    ordinary_assign(kernel, result);
    return KAI_OK;
}

static inline kaiStatus fire(Kernel* kernel, const Routine* r, CommitResult* result)
{
    const RoutineWhen* first = NULL;
    uint32_t count = 0;
    for (const RoutineWhen *at = r->whens, *end = at + r->when_count; at < end; at++)
        if (*at->fire != 0 && count++ == 0)
            first = at;
    return count == 1 ? assign_alone(kernel, r, first, result) : assign_many(kernel, r, result);
}

// ---- the second tag
// --------------------------------------------------------------------------------------------------

static inline bool is_quiet(const Kernel* kernel, const Routine* r)
{
    bool quiet = true;
    for (const RoutineWhen *at = r->whens, *end = at + r->when_count; at < end; at++)
        quiet &= *at->fire == 0;
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
        quiet &= *at->react_g == *at->last_g || !guard_jumps(kernel, at->index);
    return quiet;
}

static inline kaiStatus second_tag(Kernel* kernel, const Routine* r, bool* quiet)
{
    kaiStatus status = kernel_check_limits(kernel);
    if (status == KAI_OK)
        status = run(kernel, r->react);
    if (status != KAI_OK || !(*quiet = is_quiet(kernel, r)))
        return status;
    kernel->counters.tags++;
    kernel->reaction++;
    kernel->hooks->count(kernel->owner);
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->react_g;
        guard_take_side(kernel, at->guard, g);
        *at->last_g = g;
    }
    return KAI_OK;
}

// ---- the end
// ---------------------------------------------------------------------------------------------------------

// As guard_arm_one, of a crossing.
static inline kaiStatus arm_one(Kernel* kernel, const RoutineGuard* at, bool* leaving)
{
    GuardState* state = at->state;
    kaiStatus status = KAI_OK;
    state->armed = kernel->arming;
    if (state->sliding != 0 || isnan(*at->slope))
        return guard_arm_one(kernel, at->index, leaving);
    state->active = true;
    state->reached = 0;
    state->due = INFINITY;
    state->from = state->until = kernel->now.t;
    state->bias = 0;
    state->g = *at->g;
    state->slope = *at->slope;
    bool apart = state->g < 0 || state->g > 0;
    if (!apart && guard_leaves_level(kernel, at->guard, state))
    {
        status = guard_cross(kernel, at->index, direction(kernel, at->guard));
        *leaving = status == KAI_OK || *leaving;
    }
    if (status != KAI_OK)
        return status;
    kernel->hooks->armed(kernel->owner, at->index);
    state->toward = direction(kernel, at->guard);
    return KAI_OK;
}

static inline kaiStatus arm(Kernel* kernel, const Scene* scene, bool* leaving)
{
    const Routine* r = scene->routine;
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    if (status == KAI_OK && kernel->restarted.count == 0)
        return plain_arm(kernel, scene_guards(scene), scene->guards, leaving);
    if (status == KAI_OK && r->guard_count > 0)
    {
        kernel->island_looked[0] = kernel->moment;
        status = run(kernel, r->look);
    }
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end && status == KAI_OK; at++)
    {
        status = arm_one(kernel, at, leaving);
        agenda_set(&kernel->agenda, at->item, at->state->due);
    }
    return status;
}

kaiStatus routine_run(Kernel* kernel, const Scene* scene, double t)
{
    const Routine* r = scene->routine;
    CommitResult result = {false, false};
    bool quiet = true, leaving = false;
    kaiStatus status = begin(kernel, t);
    if (status == KAI_OK)
        status = run(kernel, r->react);
    if (status != KAI_OK)
        return status;
    take_left_limits(kernel, r);
    kernel->hooks->count(kernel->owner);
    status = fire(kernel, r, &result);
    if (status != KAI_OK)
        return status;
    kaiTag first = kernel->now;
    if (result.state || result.other)
    {
        kernel->now.p = result.state;
        kernel->now.m = !result.state;
        status = second_tag(kernel, r, &quiet);
    }
    if (status == KAI_OK && !quiet)
        return ordinary_carry_on(kernel, first, result.state, false);
    if (status == KAI_OK)
        status = arm(kernel, scene, &leaving);
    if (status != KAI_OK)
        return status;
    return leaving ? ordinary_carry_on(kernel, first, result.state, true) : kernel->hooks->past(kernel->owner);
}
