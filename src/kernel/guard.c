// Guards: relations that stay latched between instants (rule C1) and level crossings (C2): what they remember, what a
// commit makes of them, and how they are armed after an instant. Where they cross is found in crossing.c.
#include "kernel/guard.h"

#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"
#include "kernel/scene.h"
#include "model/code.h"

#include <math.h>
#include <string.h>

// ---- latches
// ---------------------------------------------------------------------------------------------------------

// At the left limit of an instant; the located ones get their side afterwards.
void guard_left_limit(Kernel* kernel)
{
    for (ActiveWalk w = {0}; active_guard(kernel, &w);)
        guard_left_one(kernel, &kernel->model->guards[w.index]);
}

// One that is located crosses in the direction in which it fires.
void guard_reach(Kernel* kernel, uint32_t index)
{
    bool located = !kernel->model->guards[index].searched;
    for (uint32_t i = 0; i < kernel->located_count; i++)
        located |= kernel->located[i] == index;
    kernel->guards[index].reached = (int8_t)(located ? 0 : kernel->hooks->reaches(kernel->owner, index));
}

kaiStatus guard_cross(Kernel* kernel, uint32_t index, int toward)
{
    const Guard* guard = &kernel->model->guards[index];
    if (!kernel->model->fused)
    {
        scene_spread(kernel);
        touch_guard(kernel, index);
        touch_register(kernel, guard->latch);
        kaiStatus status = touch_settle(kernel, false);
        if (status != KAI_OK)
            return status;
    }
    if (kernel->options->fired != NULL)
        kernel->hooks->fires(kernel->owner, SIGN_GUARD, index, guard->place);
    guard_turn(kernel, index, toward);
    return KAI_OK;
}

// A relation that lay past its level at the left limit, where another one was located, switches at the tag after: the
// operators that it keeps legal may lie beyond their domain by as much until then.
double guard_rounding(void* user)
{
    const Kernel* kernel = user;
    double most = kernel->rounding;
    for (uint32_t i = 0; i < kernel->model->guards_count; i++)
    {
        const Guard* guard = &kernel->model->guards[i];
        bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
        double g = kernel->R[guard->last_g];
        if (relation && guard->searched && kernel_ctx_active(kernel, guard->ctx) && is_past(kernel, guard, g))
            most = larger(most, DOMAIN_ROUNDING * fabs(g));
    }
    return most;
}

static double fresh_truth(const Guard* guard, double argument)
{
    switch (guard->kind)
    {
    case GUARD_LESS: return argument < 0;
    case GUARD_LESS_EQUAL: return argument <= 0;
    case GUARD_FLOOR_UP:
    case GUARD_FLOOR_DOWN: return floor(argument);
    default: return 0;
    }
}

kaiStatus guard_start(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (int round = 0; round < 4; round++)  // a relation may stand on another one
    {
        kaiStatus status = kernel_run(kernel, model->events);
        if (status != KAI_OK)
            return status;
        for (uint32_t i = 0; i < model->guards_count; i++)
        {
            const Guard* guard = &model->guards[i];
            if (!is_crossing(guard))
                kernel->R[guard->latch] = fresh_truth(guard, kernel->R[guard->argument]);
            else if (guard_is_active(kernel, guard, false))
                kernel->R[guard->side] = guard_side_of(kernel, guard, kernel->R[guard->argument]);
        }
    }
    return KAI_OK;
}

void guard_settle(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    bool settled = false;
    for (int round = 0; round < 4 && !settled; round++)
    {
        settled = true;
        vm_run(model, kernel->R, model->events, &kernel->host);
        for (uint32_t i = 0; i < model->guards_count; i++)
        {
            const Guard* guard = &model->guards[i];
            double g = kernel->R[guard->argument], *latch = &kernel->R[guard->latch];
            bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
            if (!relation || !guard_is_active(kernel, guard, false) || g == kernel->R[guard->last_g])
                continue;
            settled &= *latch == fresh_truth(guard, g);
            *latch = fresh_truth(guard, g);
        }
    }
}

void guard_commit(Kernel* kernel, CommitResult* result)
{
    for (ActiveWalk w = {0}; active_guard(kernel, &w);)
        guard_commit_one(kernel, w.index, result);
}

static bool code_reads(const kaiModel* model, CodeRange code, uint32_t reg)
{
    CodeItem item;
    for (uint32_t at = code.start; at < code.end && code_item(model->code, at, code.end, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            if (model->code[item.first_reg + i] == reg)
                return true;
    return false;
}

static bool guard_reads(const kaiModel* model, const Guard* guard, uint32_t reg)
{
    for (uint32_t i = 0; i < guard->state_count; i++)
        if (model->reg_first[REG_STATE] + (uint32_t)model->guard_states[guard->first_state + i] == reg)
            return true;
    return code_reads(model, guard->code, reg);
}

// abs(x) < 0 where x has just left 0: the slope is that of abs on its side from before. It is asked again at the tag at
// which it has the other one.
bool guard_waits(Kernel* kernel, uint32_t index)
{
    const kaiModel* model = kernel->model;
    bool waits = false;
    for (uint32_t i = 0; i < kernel->fired_count && !waits; i++)
        waits = code_reads(model, model->guards[index].look, model->guards[kernel->fired[i]].latch);
    if (waits && !model->fused)
        touch_guard(kernel, index);
    return waits;
}

void guard_reread(Kernel* kernel, uint32_t target)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < kernel->fired_count; i++)
    {
        const Guard* guard = &model->guards[kernel->fired[i]];
        GuardState* state = &kernel->guards[kernel->fired[i]];
        bool on = kernel->R[guard->last_g] == 0 || (state->left && state->fired_g == 0);
        if (is_relation(guard) && on && kernel->R[guard->latch] != fresh_truth(guard, 0) &&
            guard_reads(model, guard, target))
        {
            kernel->R[guard->last_g] = NAN;
            state->left = false;
        }
    }
}

// A relation that has crossed at this time keeps its side where its mode is left and entered again at once, as it does
// where its mode stays: whether rounding has left it past its level or short of it tells nothing.
static void keep_crossed(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->fired_count; i++)
    {
        const Guard* guard = &kernel->model->guards[kernel->fired[i]];
        GuardState* state = &kernel->guards[kernel->fired[i]];
        if (!state->left || !is_relation(guard) || !kernel_ctx_active(kernel, guard->ctx))
            continue;
        kernel->R[guard->last_g] = state->fired_g;
        state->left = false;
    }
}

// Whether a guard of time alone fired in this instant at this value, or at the same on the other side of 0. Where `mod`
// jumps from one side of a level to the other, its values have one size too, and lie nowhere near the level.
static bool has_fired_at(const Kernel* kernel, double g, double slope)
{
    if (fabs(g) > GUARD_NEAR * fabs(slope * kernel->now.t))
        return false;
    for (uint32_t i = 0; i < kernel->fired_count; i++)
        if (kernel->model->guards[kernel->fired[i]].time_only &&
            fabs(kernel->guards[kernel->fired[i]].fired_g) == fabs(g))
            return true;
    return false;
}

// After a change of modes. A crossing of a guard of time alone counts at the time at which it is written, where
// rounding may still have the guard on its level or before it. The relation of another mode that lies on the same level
// (`x >= c` after `x < c`) must not see it there again: it holds as its slope says.
void guard_enter(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    bool timed = false, looked = false;
    keep_crossed(kernel);
    for (uint32_t i = 0; i < kernel->fired_count; i++)
        timed |= model->guards[kernel->fired[i]].time_only;
    for (uint32_t i = 0; timed && i < model->guards_count; i++)
    {
        const Guard* guard = &model->guards[i];
        if (!is_relation(guard) || !guard->time_only || !kernel_ctx_active(kernel, guard->ctx))
            continue;
        if (!looked)
            vm_run(model, kernel->R, guard->look, &kernel->host);
        looked = model->fused;  // where one program looks for all
        double g = kernel->R[guard->argument], slope = kernel->R[guard->slope];
        if (slope == 0 || !has_fired_at(kernel, g, slope))
            continue;
        looked = false;
        kernel->R[guard->last_g] = g;
        kernel->R[guard->latch] = slope < 0;
        kernel_disturb(kernel, guard->latch);
    }
}

// What guard_commit is going to change.
void guard_touch(Kernel* kernel)
{
    for (ActiveWalk w = {0}; active_guard(kernel, &w);)
    {
        const Guard* guard = &kernel->model->guards[w.index];
        if (!guard_is_active(kernel, guard, true))
            continue;
        bool changes = is_crossing(guard) ? kernel->R[guard->react_g] != kernel->R[guard->last_g]
                                          : kernel->R[guard->latch] != kernel->R[guard->truth];
        if (changes)
            touch_register(kernel, guard->latch);
    }
}

// ---- arming
// ----------------------------------------------------------------------------------------------------------

static void toggle_latches(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->located_count; i++)
    {
        const Guard* guard = &kernel->model->guards[kernel->located[i]];
        if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
            kernel->R[guard->latch] = kernel->R[guard->latch] == 0;
    }
}

// The located guards and their slopes, with the latches as they are. The derivatives are those of the step that ends
// here. Those of one side lie a rounding beyond what its relations keep legal.
static kaiStatus look_located(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    CodeRange last = {0, 0};
    kernel->host.beyond = &kernel->beyond;
    for (uint32_t i = 0; i < kernel->located_count && status == KAI_OK; i++)
    {
        const Guard* guard = &model->guards[kernel->located[i]];
        for (uint32_t k = 0; k < guard->islands.count && status == KAI_OK; k++)
            status = kernel->hooks->slopes(kernel->owner, model->guard_islands[guard->islands.first + k]);
        if (status == KAI_OK && (guard->look.start != last.start || guard->look.end != last.end))
            status = kernel_run(kernel, guard->look);
        last = guard->look;
    }
    kernel->host.beyond = NULL;
    return status;
}

// Guards were searched on the branch before the instant. One whose own kink lies at the same time (max(0, x) that comes
// down to 0) may have crossed on that branch only: with the branches of now it is not past its level and does not go
// there. The slopes of the states are still those before the instant, so a field that turns makes no difference here.
// What hangs on one that was turned back is on the branch from before: *dropped, and all that is left is asked again.
static kaiStatus drop_turned_once(Kernel* kernel, bool* dropped)
{
    uint32_t kept = 0;
    if (look_located(kernel) != KAI_OK)
        return KAI_ERR_RUN;
    for (uint32_t i = 0; i < kernel->located_count; i++)
        kernel->guards[kernel->located[i]].slope_end = kernel->R[kernel->model->guards[kernel->located[i]].slope];
    toggle_latches(kernel);
    kaiStatus status = look_located(kernel);
    toggle_latches(kernel);
    for (uint32_t i = 0; i < kernel->located_count; i++)
    {
        uint32_t index = kernel->located[i];
        const Guard* guard = &kernel->model->guards[index];
        const GuardState* state = &kernel->guards[index];
        double g = guard_value(kernel, guard), way = state->toward * kernel->R[guard->slope];
        bool turned = state->toward * state->slope_end > 0 && way <= 0;
        bool stays = is_past(kernel, guard, g) && (g != 0 || way == 0);  // on the level, and does not go back at once
        if (!turned || stays)
            kernel->located[kept++] = index;
    }
    *dropped = kept < kernel->located_count;
    kernel->located_count = kept;
    return status;
}

static kaiStatus drop_turned(Kernel* kernel)
{
    kaiStatus status = KAI_OK;
    for (bool dropped = true; dropped && kernel->located_count > 1 && status == KAI_OK;)
        status = drop_turned_once(kernel, &dropped);
    return status;
}

// Guards that read a kink that fell short are on another branch from now on, which is off from the one before by as
// much: one that was on its level has not jumped.
void guard_keep_short(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    double near = GUARD_SHORT * kernel->rounding / DOMAIN_ROUNDING;
    for (ActiveWalk w = {0}; active_guard(kernel, &w);)  // who reads it has been touched
    {
        const Guard* guard = &model->guards[w.index];
        double* last = &kernel->R[guard->last_g];
        if (!guard->searched || !(fabs(*last) <= near) || !guard_is_active(kernel, guard, false))
            continue;
        vm_run(model, kernel->R, guard->code.end > guard->code.start ? guard->code : guard->look, &kernel->host);
        if (fabs(kernel->R[guard->g]) <= near)
            *last = kernel->R[guard->g];
    }
}

kaiStatus guard_apply_located(Kernel* kernel)
{
    double before = kernel->rounding;
    kaiStatus status = drop_turned(kernel);
    for (uint32_t i = 0; i < kernel->located_count && status == KAI_OK; i++)
        status = guard_cross(kernel, kernel->located[i], kernel->guards[kernel->located[i]].toward);
    if (status == KAI_OK && kernel->rounding > before)
        guard_keep_short(kernel);
    kernel->located_count = 0;
    return status;
}

// The selection (select.c) has found no reason to switch: a value past the level is rounding, or about to go back. It
// counts from where it is, and is asked again when it has gone further by as much.
void guard_wait_one_way(Kernel* kernel, const Guard* guard, GuardState* state, double before)
{
    bool crossed = kernel->R[guard->latch] != 0;
    kernel->R[guard->latch] = 0;
    double tie = select_tie(kernel, guard->ctx);
    if (fabs(state->g) <= tie)  // a tie stays until it is none, whatever the solver makes of it
    {
        state->bias = tie;
        state->g += tie;
        return;
    }
    bool leaves = state->g == 0 && state->slope < 0;
    if (!(state->g < 0) && !leaves)
    {
        // It was crossed here, and what storages were put back by has undone that: more each time at one moment.
        state->bias = crossed ? fmax(fmax(state->g, 2 * before), select_tolerance(kernel, guard->ctx)) : 0;
        state->g += state->bias;
        return;
    }
    state->bias = -state->g + larger(fabs(state->g), select_tolerance(kernel, guard->ctx));
    state->g += state->bias;
}

// A guard a·t + b is zero at -b/a, exactly as written: evaluated at t = 0, not from where the run happens to be. Where
// another guard has fired since a was evaluated and b is that of another branch, it has no time yet: it is armed again
// after the reaction.
static double affine_zero(Kernel* kernel, const Guard* guard, double slope, bool fired)
{
    double t = kernel->R[kernel->model->reg_time];
    kernel->R[kernel->model->reg_time] = 0;
    vm_run(kernel->model, kernel->R, guard->code, &kernel->host);
    double b = kernel->R[guard->g];
    kernel->R[kernel->model->reg_time] = t;
    vm_run(kernel->model, kernel->R, guard->code, &kernel->host);
    double g = kernel->R[guard->g], size = larger(fabs(b), fabs(slope * t));
    return fired && fabs(b + slope * t - g) > GUARD_NEAR * size ? INFINITY : -b / slope;
}

// When a guard affine in time crosses. One that is not there yet, but whose time is the present, crosses at this
// instant.
kaiStatus guard_schedule_affine(Kernel* kernel, uint32_t index, bool* leaving)
{
    const Guard* guard = &kernel->model->guards[index];
    GuardState* state = &kernel->guards[index];
    state->due = affine_zero(kernel, guard, state->slope, *leaving);
    if (!kernel_reached(kernel, state->due, kernel->now.t))
        return KAI_OK;
    state->due = INFINITY;
    bool crossed = is_crossing(guard) && kernel->R[guard->side] == state->toward;  // it was this one, at this instant
    if (crossed || !(state->toward * state->g < 0))
        return KAI_OK;
    *leaving = true;
    return guard_cross(kernel, index, state->toward);
}

// g and its slope where the run stands, of a guard that reads one island together with the others that do.
static kaiStatus look_now(Kernel* kernel, const Guard* guard)
{
    const kaiModel* model = kernel->model;
    const uint32_t* islands = model->guard_islands + guard->islands.first;
    bool shared = guard->islands.count == 1;
    kaiStatus status = KAI_OK;
    if (shared && kernel->island_looked[islands[0]] == kernel->moment)
        return KAI_OK;
    for (uint32_t i = 0; i < guard->islands.count && status == KAI_OK; i++)
    {
        kernel->hooks->load(kernel->owner, islands[i], kernel->now.t);
        status = kernel->hooks->slopes(kernel->owner, islands[i]);
    }
    if (shared)
        kernel->island_looked[islands[0]] = kernel->moment;
    if (status == KAI_OK && shared && kernel->brief != NULL)
        return brief_look(kernel);
    if (status == KAI_OK)
        status = kernel_run(kernel, shared ? model->islands[islands[0]].events : guard->look);
    return status;
}

kaiStatus guard_watch(Kernel* kernel, uint32_t index, bool touched, bool* leaving)
{
    const Guard* guard = &kernel->model->guards[index];
    if (kernel->guards[index].armed == kernel->arming)
        return KAI_OK;
    kernel->guards[index].armed = kernel->arming;
    kaiStatus status = look_now(kernel, guard);
    if (!touched)
        guard_update_side(kernel, guard);
    if (status == KAI_OK)
        status = guard_arm_one(kernel, index, leaving);
    if (kernel->guards[index].active && !kernel->model->fused)
        kernel->hooks->look(kernel->owner, index);  // which says when it is due
    else
        agenda_set(&kernel->agenda, agenda_guard(kernel, index), kernel->guards[index].due);
    return status;
}

// They may have been touched.
kaiStatus guard_watch_restarted(Kernel* kernel, bool* leaving)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < kernel->restarted.count; i++)
    {
        IndexRange guards = model->islands[kernel->restarted.at[i]].guards;
        for (uint32_t k = 0; k < guards.count && status == KAI_OK; k++)
        {
            uint32_t index = model->island_guards[guards.first + k];
            if (kernel->guards[index].armed != kernel->arming && kernel_ctx_active(kernel, model->guards[index].ctx))
                status = guard_watch(kernel, index, touch_has_guard(kernel, index), leaving);
        }
    }
    return status;
}

// A guard that was touched, or whose islands have started again.
kaiStatus guard_arm(Kernel* kernel, bool* leaving)
{
    if (kernel->holds > 0)
        kernel->hooks->held(kernel->owner);
    kernel->moment++;  // derivatives and signals are those after the reactions
    kaiStatus status = kernel->hooks->restart(kernel->owner);
    kernel->arming++;
    touch_merge(kernel);
    for (ActiveWalk w = {0}; status == KAI_OK && active_guard(kernel, &w);)
        status = guard_watch(kernel, w.index, true, leaving);
    return status == KAI_OK && !kernel->model->fused ? guard_watch_restarted(kernel, leaving) : status;
}
