// What guard.c and crossing.c share: signs, directions, sides of a level.
#ifndef KAIROS_KERNEL_GUARD_H
#define KAIROS_KERNEL_GUARD_H

#include "base/tolerance.h"
#include "kernel/kernel.h"

#include <math.h>

static inline int sign_of(double g)
{
    return (g > 0) - (g < 0);
}

static inline bool is_crossing(const Guard* guard)
{
    return guard->kind == GUARD_UP || guard->kind == GUARD_DOWN || guard->kind == GUARD_CROSS;
}

static inline bool is_relation(const Guard* guard)
{
    return guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
}

static inline int8_t direction(const Kernel* kernel, const Guard* guard)
{
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: return kernel->R[guard->latch] != 0 ? 1 : -1;
    case GUARD_UP:
    case GUARD_FLOOR_UP: return 1;
    case GUARD_DOWN:
    case GUARD_FLOOR_DOWN: return -1;
    default: return (int8_t)(kernel->R[guard->side] > 0 ? -1 : 1);
    }
}

// g as the search sees it.
static inline double guard_value(const Kernel* kernel, const Guard* guard)
{
    return kernel->R[guard->g] + kernel->guards[guard - kernel->model->guards].bias;
}

// Whether g lies where the guard has crossed, given what it remembers.
static inline bool is_past(const Kernel* kernel, const Guard* guard, double g)
{
    switch (guard->kind)
    {
    case GUARD_LESS: return (g < 0) != (kernel->R[guard->latch] != 0);
    case GUARD_LESS_EQUAL: return (g <= 0) != (kernel->R[guard->latch] != 0);
    case GUARD_FLOOR_UP: return g >= 0;
    case GUARD_FLOOR_DOWN: return g < 0;
    case GUARD_UP: return g > 0 && kernel->R[guard->side] <= 0;
    case GUARD_DOWN: return g < 0 && kernel->R[guard->side] >= 0;
    default: return g * kernel->R[guard->side] < 0;
    }
}

// Whether a crossing with the value g remembers the other side.
static inline bool guard_has_turned(const Kernel* kernel, const Guard* guard, double g)
{
    return is_crossing(guard) && g != 0 && kernel->R[guard->side] != sign_of(g);
}

// ---- what a tag does to one of them

// On which side of its level a crossing is. A guard of time is on the level where its time is the present (rule T6).
static inline int guard_side_of(const Kernel* kernel, const Guard* guard, double g)
{
    double t = kernel->R[kernel->model->reg_time];
    bool on = guard->time_only && fabs(g) <= fabs(kernel->R[guard->slope]) * kernel_slack(kernel, t);
    return on ? 0 : sign_of(g);
}

// A crossing that went back over its level since the last step is armed again.
static inline void guard_update_side(Kernel* kernel, const Guard* guard)
{
    int now = guard_side_of(kernel, guard, kernel->R[guard->argument]);
    if (is_crossing(guard) && guard->searched && kernel->R[guard->side] != 2 && now != 0)
        kernel->R[guard->side] = now;
}

// Within what a crossing may be off its level by at this time, if it reaches it here.
static inline bool guard_is_near(const Kernel* kernel, const Guard* guard, double g)
{
    return fabs(g) <= fabs(kernel->R[guard->slope]) * TIME_GUARD_MOST * kernel_slack(kernel, kernel->now.t);
}

void guard_reach(Kernel* kernel, uint32_t index);  // guard.c

// A crossing that reaches its level where something else happens, on its way to the side that it fires from, is there:
// rounding may have left it short, and a jump from there takes it back over its level.
static inline bool guard_arrives(const Kernel* kernel, const Guard* guard, double g)
{
    bool beyond = (guard->kind == GUARD_UP && kernel->R[guard->side] > 0) ||
                  (guard->kind == GUARD_DOWN && kernel->R[guard->side] < 0);  // relations have no side
    return beyond && guard_is_near(kernel, guard, g);
}
static inline void guard_arrive(Kernel* kernel, const Guard* guard, double g)
{
    if (guard_arrives(kernel, guard, g))
        guard_reach(kernel, (uint32_t)(guard - kernel->model->guards));
}

// At a left limit.
static inline void guard_left_one(Kernel* kernel, const Guard* guard)
{
    bool active = guard_is_active(kernel, guard, false);
    kernel->R[guard->last_g] = active ? kernel->R[guard->argument] : NAN;
    if (active)
    {
        guard_update_side(kernel, guard);
        guard_arrive(kernel, guard, kernel->R[guard->argument]);
    }
}

// A relation that counts as crossed at this time though rounding has left g short of its level: what it keeps legal
// (sqrt(max(h, 0)) with h = -1e-17) may lie as little beyond its domain. `g` may be older than this instant where
// nobody asked for left limits, and then it is far from the level.
static inline void guard_fall_short(Kernel* kernel, const Guard* guard, double g)
{
    if ((guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL) && guard_is_near(kernel, guard, g))
        kernel->rounding = larger(kernel->rounding, DOMAIN_ROUNDING * fabs(g));
}

// It has crossed: its latch, and what is remembered of that.
static inline void guard_turn(Kernel* kernel, uint32_t index, int toward)
{
    const Guard* guard = &kernel->model->guards[index];
    GuardState* state = &kernel->guards[index];
    double* R = kernel->R;
    state->located++;
    kernel->counters.located++;
    state->crossed = (int8_t)toward;
    state->fired_g = R[guard->argument];
    state->left = false;
    if (toward * state->fired_g < 0)
        guard_fall_short(kernel, guard, state->fired_g);
    if (state->fired != kernel->instant_runs)
    {
        state->fired = kernel->instant_runs;
        state->crossed_first = (int8_t)toward;  // it may come back at once
        kernel->fired[kernel->fired_count++] = index;
    }
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: R[guard->latch] = R[guard->latch] == 0; break;
    case GUARD_FLOOR_UP: R[guard->latch] += 1; break;
    case GUARD_FLOOR_DOWN: R[guard->latch] -= 1; break;
    default:
        kernel_raise(kernel, guard->latch);
        R[guard->side] = toward;
        return;
    }
    kernel_disturb(kernel, guard->latch);
}

static inline bool guard_fires(const Guard* guard, int from, int to)
{
    switch (guard->kind)
    {
    case GUARD_UP: return to > 0 && from <= 0;
    case GUARD_DOWN: return to < 0 && from >= 0;
    default: return from * to < 0;
    }
}

// Whether what this tag has assigned takes a crossing over its level.
static inline bool guard_jumps(const Kernel* kernel, uint32_t index)
{
    const double* R = kernel->R;
    const Guard* guard = &kernel->model->guards[index];
    double g = R[guard->react_g];
    if (g == R[guard->last_g])
        return false;
    int reached = kernel->guards[index].reached, before = reached != 0 ? reached : (int)R[guard->side];
    return before != 2 && guard_fires(guard, before, guard_side_of(kernel, guard, g));
}

// A crossing that has fired here and is back on its level by no more than time rounds: what comes out of a delay is
// read at the bend itself from now on. It has crossed.
static inline bool guard_stays_crossed(const Kernel* kernel, const Guard* guard, double g)
{
    const GuardState* state = &kernel->guards[guard - kernel->model->guards];
    return g == 0 && state->fired == kernel->instant_runs &&
           fabs(kernel->R[guard->last_g]) <= fabs(state->slope) * kernel_slack(kernel, kernel->now.t);
}

// A jump that ends on the level has not gone over it yet: `cross` goes on from the side that it came from. One that
// fired here was put back onto its level.
static inline bool guard_keeps_side(const Kernel* kernel, const Guard* guard, int side)
{
    return side == 0 && guard->kind == GUARD_CROSS && fabs(kernel->R[guard->side]) == 1 &&
           kernel->guards[guard - kernel->model->guards].fired != kernel->instant_runs;
}

static inline void guard_take_side(Kernel* kernel, const Guard* guard, double g)
{
    if (kernel->R[guard->side] != 2 && (g == kernel->R[guard->last_g] || guard_stays_crossed(kernel, guard, g)))
        return;
    int side = guard_side_of(kernel, guard, g);
    if (!guard_keeps_side(kernel, guard, side))
        kernel->R[guard->side] = side;
}

static inline void guard_commit_crossing(Kernel* kernel, uint32_t index, CommitResult* result)
{
    double* R = kernel->R;
    const Guard* guard = &kernel->model->guards[index];
    GuardState* state = &kernel->guards[index];
    double g = R[guard->react_g];
    if (guard->time_only && R[guard->side] == 2)  // its mode was entered: the slope is that of another time
        vm_run(kernel->model, R, guard->look, &kernel->host);
    if (guard_jumps(kernel, index))
    {
        kernel_raise(kernel, guard->latch);
        state->located++;
        state->reached = 0;
        result->other = true;
    }
    guard_take_side(kernel, guard, g);
}

static inline void guard_take_truth(Kernel* kernel, const Guard* guard)
{
    double truth = kernel->R[guard->truth];
    if (kernel->R[guard->latch] == truth)
        return;
    kernel->R[guard->latch] = truth;
    kernel_disturb(kernel, guard->latch);
}

// Latches and jumps across levels, at a commit.
static inline void guard_commit_one(Kernel* kernel, uint32_t index, CommitResult* result)
{
    double* R = kernel->R;
    const Guard* guard = &kernel->model->guards[index];
    if (!guard_is_active(kernel, guard, true))
    {
        R[guard->last_g] = NAN;
        if (is_crossing(guard))
            R[guard->side] = 2;
        kernel->guards[index].reached = 0;
        return;
    }
    if (is_crossing(guard))
        guard_commit_crossing(kernel, index, result);
    else
        guard_take_truth(kernel, guard);
    R[guard->last_g] = R[guard->react_g];
}

// guard.c
kaiStatus guard_cross(Kernel* kernel, uint32_t index, int toward);
// A relation has counted as crossed while rounding left it short of its level (guard_fall_short): others that read it.
void guard_keep_short(Kernel* kernel);
// Relations whose values are others than they were at the last commit are what these say, and those that hang on them:
// for a look at another place or side. Whoever asks has kept the memories, and puts them back.
void guard_settle(Kernel* kernel);
void guard_wait_one_way(Kernel* kernel, const Guard* guard, GuardState* state, double before);
kaiStatus guard_schedule_affine(Kernel* kernel, uint32_t index, bool* leaving);
// rest.c: it has crossed and leads back at once. True: its states were put onto the level, where they stay, with
// those of other levels that they come to rest on together.
bool guard_rests(Kernel* kernel, uint32_t index);
double guard_rate(Kernel* kernel, uint32_t index);  // where its slope has no value

// It has crossed, and leads back, or has become so slow on the way that it may be at rest on its level. Or it is on its
// level, to the last bit, where it may wait for others that are not.
static inline bool guard_may_rest(const Kernel* kernel, const Guard* guard, const GuardState* state, double before)
{
    bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
    return relation && state->fired == kernel->instant_runs && !guard->time_only &&
           (state->g == 0 || state->slope * direction(kernel, guard) > 0 ||
            fabs(state->slope) <= REST_VANISHES * fabs(before));
}

// On its level, at a rate that is nothing but what the terms of the field round by: it does not leave it. Asked of
// rates that would not have moved what it reads by GUARD_NEAR of itself, or of 1 where that is more (a state that rests
// at 0), in all the time that the run has had.
static inline bool guard_stands_still(Kernel* kernel, const Guard* guard, const GuardState* state)
{
    const int32_t *at = kernel->model->guard_states + guard->first_state, *end = at + guard->state_count;
    double least = fabs(state->slope * kernel->now.t) / GUARD_NEAR;
    for (const double* x = kernel_states(kernel); at < end; at++)
        if (larger(fabs(x[*at]), 1) >= least)
            return !guard->time_only && kernel->hooks->stands(kernel->owner, (uint32_t)(guard - kernel->model->guards));
    return false;
}

// On the level exactly, and about to leave it: the crossing belongs to this instant. True if it fires.
static inline bool guard_leads_off(Kernel* kernel, const Guard* guard, const GuardState* state)
{
    int to = sign_of(state->slope), from = is_crossing(guard) ? (int)kernel->R[guard->side] : 0;
    bool stands = !isnan(state->g) && guard_side_of(kernel, guard, state->g) == 0;
    if (stands && to == 0 && is_crossing(guard))
        to = kernel->hooks->leads(kernel->owner, (uint32_t)(guard - kernel->model->guards));
    if (!stands || to == 0)
        return false;
    switch (guard->kind)
    {
    case GUARD_LESS: return to < 0 && kernel->R[guard->latch] == 0;
    case GUARD_LESS_EQUAL: return to > 0 && kernel->R[guard->latch] != 0;
    case GUARD_FLOOR_UP: return false;
    case GUARD_FLOOR_DOWN: return to < 0;
    default: break;
    }
    // one that has fired here and was put onto its level by what followed has crossed already
    bool again = state->slope != 0 && state->fired == kernel->instant_runs;
    if (!again && guard_fires(guard, from, to))
        return true;
    kernel->R[guard->side] = to;  // where it goes is where it will be
    return false;
}

bool guard_waits(Kernel* kernel, uint32_t index);  // guard.c: its slope is that of a branch that has been left

static inline bool guard_leaves_level(Kernel* kernel, const Guard* guard, const GuardState* state)
{
    return guard_leads_off(kernel, guard, state) && !(state->slope != 0 && guard_stands_still(kernel, guard, state));
}

// After an instant, g and its slope evaluated: the start of its watch.
static inline kaiStatus guard_arm_one(Kernel* kernel, uint32_t index, bool* leaving)
{
    const Guard* guard = &kernel->model->guards[index];
    GuardState* state = &kernel->guards[index];
    bool active = guard->searched && state->sliding == 0 && guard_is_active(kernel, guard, false);
    double before = state->active && state->from == kernel->now.t ? state->bias : 0;
    state->active = active && !guard->time_only;
    state->reached = 0;
    state->due = INFINITY;
    state->from = state->until = kernel->now.t;
    if (!active)
        return KAI_OK;
    state->bias = 0;
    double speed = state->slope;
    state->g = kernel->R[guard->g];
    state->slope = kernel->R[guard->slope];
    if (isnan(state->slope))
        state->slope = guard_rate(kernel, index);
    if (guard->one_way)
        guard_wait_one_way(kernel, guard, state, before);
    else if (guard_leaves_level(kernel, guard, state) && !(*leaving && guard_waits(kernel, index)))
    {
        kaiStatus status = guard_cross(kernel, index, direction(kernel, guard));
        if (status != KAI_OK)
            return status;
        *leaving = true;
    }
    else if (guard_may_rest(kernel, guard, state, speed) && guard_rests(kernel, index))
        *leaving = true;
    kernel->hooks->armed(kernel->owner, index);
    state->toward = direction(kernel, guard);
    bool approaches = guard->time_only && state->slope * state->toward > 0;
    return approaches ? guard_schedule_affine(kernel, index, leaving) : KAI_OK;
}

// ---- which there are

// The watched guards that read an island: for (GuardWalk w = {.island = …}; island_guard(kernel, &w);) … w.index …
typedef struct GuardWalk
{
    uint32_t island, at, index;
    ActiveWalk active;
} GuardWalk;

__attribute__((always_inline)) static inline bool island_guard(const Kernel* kernel, GuardWalk* w)
{
    const kaiModel* model = kernel->model;
    const IndexRange range = model->islands[w->island].guards;
    if (model->fused)  // all guards: those of modes that are not active must cost nothing
    {
        while (active_guard(kernel, &w->active))
            if (kernel->guards[w->index = w->active.index].active)
                return true;
        return false;
    }
    while (w->at < range.count)
        if (kernel->guards[w->index = model->island_guards[range.first + w->at++]].active)
            return true;
    return false;
}

// Those that read no other island.
__attribute__((always_inline)) static inline bool own_guard(const Kernel* kernel, GuardWalk* w)
{
    while (island_guard(kernel, w))
        if (kernel->model->guards[w->index].islands.count == 1)
            return true;
    return false;
}

#endif
