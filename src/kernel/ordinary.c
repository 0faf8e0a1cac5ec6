// Ordinary instants (decisions 0153, 0182, 0215, 0218). One guard has crossed, or clocks tick; what this leads to
// assigns variables and changes modes, and a second tag finds nothing more to do; nobody wants to see the left limit,
// and no listener has a suspicion. What such an instant can touch is known beforehand (scene.c, scene_modes.c), so that
// nothing is followed. The second tag and the listeners decide whether it is one; if it turns out otherwise, they are
// told what they have missed and it goes on as any other instant (`ordinary_carry_on`).
#include "kernel/commit.h"
#include "kernel/guard.h"
#include "kernel/routine.h"

#include <math.h>

// Several clocks have one scene only where that is one of everything.
const Scene* ordinary_scene(Kernel* kernel, double t)
{
    const kaiModel* model = kernel->model;
    uint32_t ticks = kernel->due_clocks.count;
    bool crossed = kernel->located_count == 1 && ticks == 0;
    if (!crossed && (kernel->located_count > 0 || !(ticks == 1 || (ticks > 1 && model->fused))))
        return NULL;
    if (!kernel->hooks->calm(kernel->owner, t))
        return NULL;
    return scene_of(kernel, crossed ? kernel->located[0] : model->guards_count + kernel->due_clocks.at[0], t);
}

static inline kaiStatus run(Kernel* kernel, const ScenePiece* pieces, uint32_t count)
{
    uint32_t failed = 0;
    for (const ScenePiece* end = pieces + count; pieces < end && failed == 0; pieces++)
        failed = vm_run_words(kernel->model, kernel->R, pieces->from, pieces->to, &kernel->host);
    return failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
}

// The left limits of relations, which the first reaction reads: what has not jumped since keeps its latch.
static kaiStatus take_levels(Kernel* kernel, const Scene* scene)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < scene->levels && status == KAI_OK; i++)
    {
        const Guard* guard = &kernel->model->guards[scene_levels(scene)[i]];
        status = kernel_run(kernel, guard->code);
        kernel->R[guard->last_g] = kernel->R[guard->argument] = kernel->R[guard->g];
    }
    return status;
}

// What is there without a left limit: events, and signals that the reaction reads and does not compute.
static kaiStatus begin(Kernel* kernel, const Scene* scene, double t)
{
    bool crossed = kernel->located_count > 0;
    uint32_t index = kernel->left.guard = crossed ? kernel->located[0] : NO_REG;
    kaiStatus status = KAI_OK;
    kernel->counters.instants++;
    kernel->now = (kaiTag){t, 0, 0};
    kernel->R[kernel->model->reg_time] = kernel->load_time = kernel->flow_start = kernel->instant_time = t;
    kernel->moment += 2;
    kernel->touch++;
    if (kernel->model->fused)
        kernel->react_touches[0] = kernel->touch;
    else
        kernel->scene.open = (crossed ? index : kernel->model->guards_count + kernel->due_clocks.at[0]) + 1;
    for (uint32_t i = 0; i < scene->islands; i++)
        kernel->hooks->load(kernel->owner, scene_islands(scene)[i], t);
    if (scene->signals + scene->levels > 0)
    {
        kernel->host.beyond = crossed ? &kernel->beyond : NULL;
        status = run(kernel, scene_signals(scene), scene->signals);
        if (status == KAI_OK)
            status = take_levels(kernel, scene);
        kernel->host.beyond = NULL;
    }
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

// By the reaction of the first tag, whose states are those of the left limit.
static void take_left_limits(Kernel* kernel, const Scene* scene)
{
    double* R = kernel->R;
    for (uint32_t i = 0; i < scene->guards; i++)
    {
        uint32_t index = scene_guards(scene)[i];
        const Guard* guard = &kernel->model->guards[index];
        double g = R[guard->react_g];
        R[guard->last_g] = g;
        if (!is_crossing(guard))
            kernel->left.g = index == kernel->left.guard ? g : kernel->left.g;
        else if (index == kernel->left.guard)
            kernel->left.g = g;
        else
        {
            if ((guard->searched && g != 0) || R[guard->side] == 2)
                R[guard->side] = sign_of(g);
            guard_arrive(kernel, guard, g);
        }
    }
}

// How many machines have a transition that is enabled; *first: that which the first of them takes.
static inline uint32_t find_moves(const Kernel* kernel, const Scene* scene, SceneMove** first)
{
    uint32_t machines = 0, last = NO_REG;
    for (SceneMove *move = scene->move, *end = move + scene->moves; move < end; move++)
        if (kernel->R[move->fire] != 0 && move->machine != last)
        {
            last = move->machine;
            if (machines++ == 0)
                *first = move;
        }
    return machines;
}

// The only transition that is taken, into a mode that has nothing to enter: as commit_take_transitions has it.
static kaiStatus take_move(Kernel* kernel, const SceneMove* move, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    const Machine* machine = &model->machines[move->machine];
    const Transition* t = &model->transitions[move->transition];
    kaiStatus status = commit_stage_reaction(kernel, &model->reactions[t->reaction]);
    result->other = true;
    kernel->leaving[kernel->leaving_count++] = model->modes[machine->first_mode + kernel_mode(kernel, machine)].ctx;
    return status == KAI_OK ? commit_stage_value(kernel, machine->reg, t->to, 0, 0, false) : status;
}

// *move: the one transition that was taken; NULL: there was none, or were more.
static kaiStatus fire(Kernel* kernel, const Scene* scene, CommitResult* result, SceneMove** move)
{
    const Reaction* reactions = kernel->model->reactions;
    const uint32_t* whens = scene_whens(scene);
    kaiStatus status = KAI_OK;
    kernel->reacted_count = 0;
    for (uint32_t i = 0; i < scene->whens && status == KAI_OK; i++)
    {
        const Reaction* reaction = &reactions[whens[i]];
        if (kernel->R[reaction->fire] != 0 && (reaction->ctx == 0 || !commit_is_preempted(kernel, reaction->ctx)))
            status = commit_stage_reaction(kernel, reaction);
    }
    uint32_t machines = status == KAI_OK ? find_moves(kernel, scene, move) : 0;
    if (machines == 1 && (*move)->transition != NO_REG)
        status = take_move(kernel, *move, result);
    else
        *move = NULL;
    if (machines > 0 && *move == NULL)
        status = commit_take_transitions(kernel, result);
    if (status != KAI_OK)
        commit_forget(kernel);
    return status;
}

static inline bool leads_on(const Kernel* kernel, const Scene* scene)
{
    SceneMove* move;
    return find_moves(kernel, scene, &move) > 0;
}

// Nothing reacts to what was assigned, and it takes no guard across its level.
static bool is_quiet(const Kernel* kernel, const Scene* scene)
{
    const kaiModel* model = kernel->model;
    const uint32_t *whens = scene_whens(scene), *guards = scene_guards(scene);
    bool quiet = true;
    for (uint32_t i = 0; i < scene->whens; i++)
        quiet &= kernel->R[model->reactions[whens[i]].fire] == 0;
    for (uint32_t i = 0; i < scene->guards && quiet; i++)
        quiet = !is_crossing(&model->guards[guards[i]]) || !guard_jumps(kernel, guards[i]);
    return quiet && !leads_on(kernel, scene);
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

// As commit_change_modes. The scene of the modes after it, which is NULL if their instants are not ordinary.
static const Scene* change(Kernel* kernel, const Scene* scene, SceneMove* move, CommitResult* result)
{
    bool moves = kernel->leaving_count > 0;
    for (uint32_t i = 0; i < kernel->leaving_count; i++)
        contexts_leave(kernel, kernel->leaving[i]);
    kernel->leaving_count = 0;
    assign(kernel, result);
    if (!moves)
        return scene;
    scene = scene_after(kernel, move);
    guard_enter(kernel);
    return scene;
}

// What reads the event of a guard that leaves its level is touched already (guard_cross).
kaiStatus ordinary_carry_on(Kernel* kernel, kaiTag first, bool state, bool again)
{
    kaiTag at = kernel->now;
    scene_spread(kernel);
    kernel->hooks->late(kernel->owner);
    kaiStatus status = kernel->hooks->round(kernel->owner, first, state);
    if (again)
        kernel->now.m++;
    if (status == KAI_OK && again && at.p + at.m > 0)
        status = kernel->hooks->round(kernel->owner, at, false);
    if (status == KAI_OK && again)
        status = kernel_check_limits(kernel);
    for (bool more = true; more && status == KAI_OK;)
        status = instant_react(kernel, &more);
    return status == KAI_OK ? instant_end(kernel) : status;
}

// States and slopes are in the registers: what the guards of a fused model are armed with.
static kaiStatus look_all(Kernel* kernel, const Scene* scene)
{
    kernel->island_looked[0] = kernel->moment;
    uint32_t failed = slice_run(scene->looks, kernel->model, kernel->R, &kernel->host);
    return failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
}

static kaiStatus arm(Kernel* kernel, const Scene* scene, bool* leaving)
{
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    if (kernel->model->fused)
    {
        if (status == KAI_OK && scene->looks != NULL && kernel->restarted.count > 0)
            status = look_all(kernel, scene);
        return status == KAI_OK ? plain_arm(kernel, scene_guards(scene), scene->guards, leaving) : status;
    }
    for (uint32_t i = 0; i < scene->guards && status == KAI_OK; i++)
        status = guard_watch(kernel, scene_guards(scene)[i], true, leaving);
    return status == KAI_OK ? guard_watch_restarted(kernel, leaving) : status;
}

// Nothing was assigned, or nothing more is: guards are armed.
static kaiStatus come_to_rest(Kernel* kernel, const Scene* scene, kaiTag first, bool state)
{
    bool leaving = false;
    kaiStatus status = arm(kernel, scene, &leaving);
    if (status != KAI_OK)
        return status;
    return leaving ? ordinary_carry_on(kernel, first, state, true) : kernel->hooks->past(kernel->owner);
}

// As guard_commit_one, of crossings that nothing takes over their levels and of relations.
static void commit_guards(Kernel* kernel, const Scene* scene)
{
    const uint32_t* guards = scene_guards(scene);
    for (uint32_t i = 0; i < scene->guards; i++)
    {
        const Guard* guard = &kernel->model->guards[guards[i]];
        double g = kernel->R[guard->react_g];
        if (is_crossing(guard))
            guard_take_side(kernel, guard, g);
        else
            guard_take_truth(kernel, guard);
        kernel->R[guard->last_g] = g;
    }
}

// *quiet: it finds nothing more to do, and is over.
static kaiStatus second_tag(Kernel* kernel, const Scene* scene, bool* quiet)
{
    kaiStatus status = kernel_check_limits(kernel);
    if (status == KAI_OK)
        status = run(kernel, scene_reacts(scene), scene->reacts);
    if (status != KAI_OK || !(*quiet = is_quiet(kernel, scene)))
        return status;
    kernel->counters.tags++;
    kernel->reaction++;
    kernel->hooks->count(kernel->owner);
    commit_guards(kernel, scene);
    return KAI_OK;
}

// From the second tag on, if there is one. `scene` is that of the modes after the first; NULL: they have none.
kaiStatus ordinary_finish(Kernel* kernel, const Scene* scene, kaiTag first, const CommitResult* result)
{
    bool quiet = scene != NULL;
    kaiStatus status = KAI_OK;
    if (result->state || result->other)
    {
        kernel->now.p = result->state;
        kernel->now.m = !result->state;
        status = quiet ? second_tag(kernel, scene, &quiet) : kernel_check_limits(kernel);
    }
    if (status != KAI_OK)
        return status;
    return quiet ? come_to_rest(kernel, scene, first, result->state)
                 : ordinary_carry_on(kernel, first, result->state, false);
}

kaiStatus ordinary_commit(Kernel* kernel, const Scene* scene)
{
    CommitResult result = {false, false};
    SceneMove* move = NULL;
    kaiStatus status = fire(kernel, scene, &result, &move);
    if (status != KAI_OK)
        return status;
    commit_clear_events(kernel, &result);
    scene = change(kernel, scene, move, &result);
    return ordinary_finish(kernel, scene, kernel->now, &result);
}

kaiStatus ordinary_run(Kernel* kernel, const Scene* scene, double t)
{
    if (scene->routine != NULL)
        return routine_run(kernel, scene, t);
    kaiStatus status = begin(kernel, scene, t);
    kernel->counters.tags++;
    kernel->reaction++;
    if (status == KAI_OK)
        status = run(kernel, scene_reacts(scene), scene->reacts);
    if (status != KAI_OK)
        return status;
    take_left_limits(kernel, scene);
    kernel->hooks->count(kernel->owner);
    return ordinary_commit(kernel, scene);
}
