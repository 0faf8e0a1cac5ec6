// Routines (decision 0270). In a model of one fused island without modes every ordinary instant is the same but for its
// numbers: the guards, the reactions and what they assign, the program of the reaction and that of what guards are
// armed with are found once, with the addresses of all registers, and an instant is one way through that record. The
// rules are those of ordinary.c, guard.h and commit.h, as far as they can apply to crossings without a presence of
// their own and reactions outside modes; whatever turns out otherwise (several reactions at once, a second tag that
// finds something, a guard that leaves its level) goes on as there, from the same registers.
#include "kernel/routine_parts.h"

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

static bool takes_reaction(const kaiModel* model, const Reaction* reaction, uint32_t* acts)
{
    bool plain = true;
    *acts += reaction->act_count;
    for (uint32_t i = 0; i < reaction->act_count; i++)
        plain &= takes_act(model, reaction, i);
    return plain;
}

// Of crossings those that are searched, of all those that read the island.
static bool takes_guard(const Guard* guard)
{
    return guard->islands.count > 0 && (!is_crossing(guard) || guard->searched);
}

static bool is_small(const Kernel* kernel, const Scene* scene)
{
    const kaiModel* model = kernel->model;
    uint32_t acts = 0;
    bool small = kernel->plain && model->islands_count == 1 && scene->guards <= ROUTINE_GUARDS &&
                 scene->levels <= ROUTINE_GUARDS && scene->whens <= ROUTINE_WHENS && scene->moves <= ROUTINE_MOVES &&
                 scene->signals == 0;
    for (uint32_t i = 0; small && i < scene->guards; i++)
        small = takes_guard(&model->guards[scene_guards(scene)[i]]);
    for (uint32_t i = 0; small && i < scene->whens; i++)
        small = takes_reaction(model, &model->reactions[scene_whens(scene)[i]], &acts);
    for (uint32_t i = 0; small && i < scene->moves; i++)
        if (scene->move[i].transition != NO_REG)
            small =
                takes_reaction(model, &model->reactions[model->transitions[scene->move[i].transition].reaction], &acts);
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
                          .side = guard->side != NO_REG ? R + guard->side : NULL,
                          .last_g = R + guard->last_g,
                          .react_g = R + guard->react_g,
                          .g = R + guard->g,
                          .slope = R + guard->slope,
                          .argument = R + guard->argument,
                          .latch = R + guard->latch,
                          .kind = (uint8_t)guard->kind,
                          .index = index,
                          .item = agenda_guard(kernel, index),
                          .crossing = is_crossing(guard)};
}

static RoutineLevel level_of(const Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    return (RoutineLevel){.code.piece = piece_of(kernel->model, guard->code),
                          .g = kernel->R + guard->g,
                          .last_g = kernel->R + guard->last_g,
                          .argument = kernel->R + guard->argument};
}

static bool is_read(const kaiModel* model, uint32_t reg)
{
    uint32_t row = reg - model->reg_first[REG_STATE];
    return row < model->state_count || model->reg_island_first[row] < model->reg_island_first[row + 1];
}

static RoutineAct act_of(const Kernel* kernel, const Act* act)
{
    const kaiModel* model = kernel->model;
    uint32_t row = act->target - model->reg_first[REG_STATE];
    return (RoutineAct){.value = kernel->R + act->value,
                        .target = kernel->R + act->target,
                        .state = row < model->state_count ? row : NO_REG,
                        .disturbs = is_read(model, act->target)};
}

static RoutineWhen put_reaction(const Kernel* kernel, Routine* r, uint32_t index, uint32_t* acts)
{
    const kaiModel* model = kernel->model;
    const Reaction* reaction = &model->reactions[index];
    RoutineWhen when = {.fire = kernel->R + reaction->fire,
                        .code.piece = piece_of(model, reaction->code),
                        .reaction = index,
                        .ctx = reaction->ctx,
                        .first = *acts,
                        .count = reaction->act_count};
    for (uint32_t i = 0; i < reaction->act_count; i++)
        r->acts[(*acts)++] = act_of(kernel, &model->acts[reaction->first_act + i]);
    return when;
}

static RoutineMove put_move(const Kernel* kernel, Routine* r, SceneMove* move, uint32_t* acts)
{
    const kaiModel* model = kernel->model;
    const Machine* machine = &model->machines[move->machine];
    RoutineMove to = {.when.fire = kernel->R + move->fire, .move = move, .machine = move->machine};
    if (move->transition == NO_REG)
        return to;
    const Transition* t = &model->transitions[move->transition];
    to.when = put_reaction(kernel, r, t->reaction, acts);
    to.mode = kernel->R + machine->reg;
    to.to = t->to;
    to.leaves = model->modes[machine->first_mode + kernel_mode(kernel, machine)].ctx;
    to.disturbs = is_read(model, machine->reg);
    to.brief = true;
    return to;
}

// The machines are in the modes of the scene.
Routine* routine_make(Kernel* kernel, const Scene* scene)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    Routine* r = is_small(kernel, scene) ? a.alloc(a.user, NULL, 0, sizeof *r) : NULL;
    uint32_t acts = 0;
    if (r == NULL)
        return NULL;
    *r = (Routine){.react.piece = *scene_reacts(scene), .look.piece = piece_of(model, model->islands[0].events)};
    if (scene->looks != NULL)
        r->look.piece = (ScenePiece){scene->looks->words, scene->looks->words + scene->looks->count};
    for (uint32_t i = 0; i < scene->guards; i++)
        r->guards[r->guard_count++] = guard_of(kernel, scene_guards(scene)[i]);
    for (uint32_t i = 0; i < scene->levels; i++)
        r->levels[r->level_count++] = level_of(kernel, scene_levels(scene)[i]);
    for (uint32_t i = 0; i < scene->whens; i++)
        r->whens[r->when_count++] = put_reaction(kernel, r, scene_whens(scene)[i], &acts);
    for (uint32_t i = 0; i < scene->moves; i++)
        r->moves[r->move_count++] = put_move(kernel, r, &scene->move[i], &acts);
    r->lean = lean_possible(kernel, r);
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

static inline kaiStatus run(Kernel* kernel, RoutineCode* code)
{
    uint32_t failed = routine_code(kernel, code);
    return failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
}

static inline kaiStatus begin(Kernel* kernel, Routine* r, double t)
{
    bool crossed = kernel->located_count > 0;
    uint32_t index = kernel->left.guard = crossed ? kernel->located[0] : NO_REG;
    kernel->counters.instants++;
    kernel->now = (kaiTag){t, 0, 0};
    kernel->R[kernel->model->reg_time] = kernel->load_time = kernel->flow_start = kernel->instant_time = t;
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    kernel->hooks->load(kernel->owner, 0, t);
    uint32_t failed = r->level_count > 0 ? routine_levels(kernel, r, crossed) : 0;
    kaiStatus status = failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
    kernel->instant_runs++;
    kernel->fired_count = kernel->located_count = kernel->jump_count = 0;
    kernel->rounding = 0;
    if (crossed)
        guard_turn(kernel, index, kernel->guards[index].toward);
    else if (status == KAI_OK)
        status = schedule_mark_due(kernel, t);
    if (kernel->rounding > 0)
        guard_keep_short(kernel);
    return status;
}

// As take_left_limits of ordinary.c.
static inline void take_left_limits(Kernel* kernel, const Routine* r)
{
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->last_g = *at->react_g;
        if (at->index == kernel->left.guard)
            kernel->left.g = g;
        else if (at->crossing)
        {
            if (g != 0 || *at->side == 2)
                *at->side = sign_of(g);
            guard_arrive(kernel, at->guard, g);
        }
    }
}

static inline void disturb(Kernel* kernel)
{
    if (!kernel->island_disturbed[0])
        kernel_disturb_island(kernel, 0);
}

// The values that a reaction which fires alone assigns: all are read before the first of them is written.
static inline kaiStatus evaluate(Kernel* kernel, Routine* r, RoutineWhen* when, double* values)
{
    const RoutineAct* acts = r->acts + when->first;
    const kaiModel* model = kernel->model;
    kaiStatus status = routine_has_code(&when->code) ? run(kernel, &when->code) : KAI_OK;
    kernel->reacted[0] = when->reaction;
    kernel->reacted_count = 1;
    for (uint32_t i = 0; i < when->count && status == KAI_OK; i++)
    {
        values[i] = *acts[i].value;
        if (isnan(values[i]))
            status = commit_fail_value(kernel, &model->acts[model->reactions[when->reaction].first_act + i], false);
    }
    return status;
}

static inline void assign(Kernel* kernel, const RoutineAct* act, const double* values, uint32_t count,
                          CommitResult* result)
{
    for (uint32_t i = 0; i < count; i++, act++)
    {
        double before = *act->target;
        *act->target = values[i];
        if (act->state != NO_REG)
            kernel->jumps[kernel->jump_count++] = (Jump){act->state, before};
        if (before == values[i])
            continue;
        result->state |= act->state != NO_REG;
        result->other |= act->state == NO_REG;
        if (act->disturbs)
            disturb(kernel);
    }
}

// One transition alone is taken. *scene: that of the modes after it; NULL: they have none.
static inline kaiStatus take_move(Kernel* kernel, Routine* r, RoutineMove* move, CommitResult* result,
                                  const Scene** scene)
{
    double values[ROUTINE_ACTS];
    kaiStatus status = evaluate(kernel, r, &move->when, values);
    if (status != KAI_OK)
        return status;
    commit_clear_events(kernel, result);
    contexts_leave(kernel, move->leaves);
    assign(kernel, r->acts + move->when.first, values, move->when.count, result);
    if (*move->mode != move->to && move->disturbs)
        disturb(kernel);
    *move->mode = move->to;
    result->other = true;
    *scene = scene_after(kernel, move->move);
    guard_enter(kernel);
    return KAI_OK;
}

static inline kaiStatus take_reaction(Kernel* kernel, Routine* r, RoutineWhen* when, CommitResult* result)
{
    double values[ROUTINE_ACTS];
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    if (when != NULL)
        status = evaluate(kernel, r, when, values);
    if (status != KAI_OK)
        return status;
    commit_clear_events(kernel, result);
    if (when != NULL)
        assign(kernel, r->acts + when->first, values, when->count, result);
    return KAI_OK;
}

// ---- the second tag
// --------------------------------------------------------------------------------------------------

static inline kaiStatus second_tag(Kernel* kernel, Routine* r, bool* quiet)
{
    kaiStatus status = kernel_check_limits(kernel);
    if (status == KAI_OK)
        status = run(kernel, &r->react);
    if (status != KAI_OK || !(*quiet = routine_is_quiet(kernel, r)))
        return status;
    kernel->counters.tags++;
    kernel->reaction++;
    kernel->hooks->count(kernel->owner);
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->react_g;
        if (at->crossing)
            guard_take_side(kernel, at->guard, g);
        else
            guard_take_truth(kernel, at->guard);
        *at->last_g = g;
    }
    return KAI_OK;
}

// ---- the end
// ---------------------------------------------------------------------------------------------------------

// As guard_arm_one, of a crossing.
static inline kaiStatus arm_crossing(Kernel* kernel, const RoutineGuard* at, bool* leaving)
{
    GuardState* state = at->state;
    kaiStatus status = KAI_OK;
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
    Routine* r = scene->routine;
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    if (status == KAI_OK && kernel->restarted.count == 0)
        return plain_arm(kernel, scene_guards(scene), scene->guards, leaving);
    if (status == KAI_OK && routine_has_look(r, scene))
    {
        kernel->island_looked[0] = kernel->moment;
        status = run(kernel, &r->look);
    }
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end && status == KAI_OK; at++)
    {
        at->state->armed = kernel->arming;
        status = at->crossing ? arm_crossing(kernel, at, leaving) : guard_arm_one(kernel, at->index, leaving);
        agenda_set(&kernel->agenda, at->item, at->state->due);
    }
    return status;
}

// After the first commit: as ordinary_finish.
static inline kaiStatus finish(Kernel* kernel, const Scene* scene, const CommitResult* result)
{
    kaiTag first = kernel->now;
    kaiStatus status = KAI_OK;
    bool quiet = true, leaving = false;
    if (result->state || result->other)
    {
        kernel->now.p = result->state;
        kernel->now.m = !result->state;
        status = second_tag(kernel, scene->routine, &quiet);
    }
    if (status == KAI_OK && !quiet)
        return ordinary_carry_on(kernel, first, result->state, false);
    if (status == KAI_OK)
        status = arm(kernel, scene, &leaving);
    if (status != KAI_OK)
        return status;
    return leaving ? ordinary_carry_on(kernel, first, result->state, true) : kernel->hooks->past(kernel->owner);
}

kaiStatus routine_run(Kernel* kernel, const Scene* scene, double t)
{
    Routine* r = scene->routine;
    RoutineWhen* when = NULL;
    RoutineMove* move = NULL;
    CommitResult result = {false, false};
    kaiStatus status = begin(kernel, r, t);
    kernel->counters.tags++;
    kernel->reaction++;
    if (status == KAI_OK)
        status = run(kernel, &r->react);
    if (status != KAI_OK)
        return status;
    take_left_limits(kernel, r);
    kernel->hooks->count(kernel->owner);
    if (!routine_find_one(kernel, r, &when, &move))
        return ordinary_commit(kernel, scene);
    status = move != NULL ? take_move(kernel, r, move, &result, &scene) : take_reaction(kernel, r, when, &result);
    if (status != KAI_OK)
        return status;
    if (scene == NULL || scene->routine == NULL)
        return ordinary_finish(kernel, scene, kernel->now, &result);
    return finish(kernel, scene, &result);
}
