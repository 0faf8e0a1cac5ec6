// Guards: relations that stay latched between instants (rule C1) and level crossings (C2): what they remember, what a
// commit makes of them, and how they are armed after an instant. Where they cross is found in crossing.c.
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

bool guard_is_active(const kaiSim* sim, const Guard* guard, bool react)
{
    uint32_t present = react ? guard->react_present : guard->present;
    return sim_ctx_active(sim, guard->ctx) && (present == NO_REG || sim->R[present] != 0);
}

// ---- latches
// ---------------------------------------------------------------------------------------------------------

// A crossing that went back over its level since the last step is armed again.
static void update_side(kaiSim* sim, const Guard* guard)
{
    int now = sign_of(sim->R[guard->argument]);
    if (is_crossing(guard) && guard->searched && sim->R[guard->side] != 2 && now != 0)
        sim->R[guard->side] = now;
}

// At the left limit of an instant; the located ones get their side afterwards.
void guard_left_limit(kaiSim* sim)
{
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        const Guard* guard = &sim->model->guards[w.index];
        bool active = guard_is_active(sim, guard, false);
        sim->R[guard->last_g] = active ? sim->R[guard->argument] : NAN;
        if (active)
            update_side(sim, guard);
    }
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

kaiStatus guard_start(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (int round = 0; round < 4; round++)  // a relation may stand on another one
    {
        kaiStatus status = sim_run_code(sim, model->events);
        if (status != KAI_OK)
            return status;
        for (uint32_t i = 0; i < model->guards_count; i++)
        {
            const Guard* guard = &model->guards[i];
            if (!is_crossing(guard))
                sim->R[guard->latch] = fresh_truth(guard, sim->R[guard->argument]);
            else if (guard_is_active(sim, guard, false))
                sim->R[guard->side] = sign_of(sim->R[guard->argument]);
        }
    }
    return KAI_OK;
}

static kaiStatus cross(kaiSim* sim, uint32_t index, int toward)
{
    const Guard* guard = &sim->model->guards[index];
    double* R = sim->R;
    touch_guard(sim, index);
    touch_register(sim, guard->latch);
    kaiStatus status = touch_settle(sim, false);
    if (status != KAI_OK)
        return status;
    GuardState* state = &sim->guards[index];
    state->located++;
    sim->counters.located++;
    state->crossed = (int8_t)toward;
    fired_guard(sim, index);
    if (state->fired != sim->instant_runs)
    {
        state->fired = sim->instant_runs;
        sim->fired[sim->fired_count++] = index;
    }
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: R[guard->latch] = R[guard->latch] == 0; break;
    case GUARD_FLOOR_UP: R[guard->latch] += 1; break;
    case GUARD_FLOOR_DOWN: R[guard->latch] -= 1; break;
    default:
        sim_raise(sim, guard->latch);
        R[guard->side] = toward;
        return KAI_OK;
    }
    islands_disturb(sim, guard->latch);
    return KAI_OK;
}

static bool fires(const Guard* guard, int from, int to)
{
    switch (guard->kind)
    {
    case GUARD_UP: return to > 0 && from <= 0;
    case GUARD_DOWN: return to < 0 && from >= 0;
    default: return from * to < 0;
    }
}

static void commit_crossing(kaiSim* sim, const Guard* guard, GuardState* state, CommitResult* result)
{
    double* R = sim->R;
    double g = R[guard->react_g];
    int now = sign_of(g), before = (int)R[guard->side];
    if (before == 2)
        R[guard->side] = now;
    else if (g != R[guard->last_g])
    {
        if (fires(guard, before, now))
        {
            sim_raise(sim, guard->latch);
            state->located++;
            result->other = true;
        }
        R[guard->side] = now;
    }
}

void guard_commit(kaiSim* sim, CommitResult* result)
{
    double* R = sim->R;
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        uint32_t i = w.index;
        const Guard* guard = &sim->model->guards[i];
        if (!guard_is_active(sim, guard, true))
        {
            R[guard->last_g] = NAN;
            if (is_crossing(guard))
                R[guard->side] = 2;
            continue;
        }
        if (is_crossing(guard))
            commit_crossing(sim, guard, &sim->guards[i], result);
        else if (R[guard->latch] != R[guard->truth])
        {
            R[guard->latch] = R[guard->truth];
            islands_disturb(sim, guard->latch);
        }
        R[guard->last_g] = R[guard->react_g];
    }
}

// What guard_commit is going to change.
void guard_touch(kaiSim* sim)
{
    for (ActiveWalk w = {0}; active_guard(sim, &w);)
    {
        const Guard* guard = &sim->model->guards[w.index];
        if (!guard_is_active(sim, guard, true))
            continue;
        bool changes = is_crossing(guard) ? sim->R[guard->react_g] != sim->R[guard->last_g]
                                          : sim->R[guard->latch] != sim->R[guard->truth];
        if (changes)
            touch_register(sim, guard->latch);
    }
}

// ---- arming
// ----------------------------------------------------------------------------------------------------------

static void toggle_latches(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        const Guard* guard = &sim->model->guards[sim->located[i]];
        if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
            sim->R[guard->latch] = sim->R[guard->latch] == 0;
    }
}

// The located guards and their slopes, with the latches as they are. The derivatives are those of the step that ends
// here.
static kaiStatus look_located(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    kaiStatus status = KAI_OK;
    CodeRange last = {0, 0};
    for (uint32_t i = 0; i < sim->located_count && status == KAI_OK; i++)
    {
        const Guard* guard = &model->guards[sim->located[i]];
        for (uint32_t k = 0; k < guard->islands.count && status == KAI_OK; k++)
            status = island_slopes(sim, model->guard_islands[guard->islands.first + k]);
        if (status == KAI_OK && (guard->look.start != last.start || guard->look.end != last.end))
            status = sim_run_code(sim, guard->look);
        last = guard->look;
    }
    return status;
}

// Guards were searched on the branch before the instant. One whose own kink lies at the same time (max(0, x) that comes
// down to 0) may have crossed on that branch only: with the branches of now it is not past its level and does not go
// there. The slopes of the states are still those before the instant, so a field that turns makes no difference here.
static kaiStatus drop_turned(kaiSim* sim)
{
    uint32_t kept = 0;
    if (look_located(sim) != KAI_OK)
        return KAI_ERR_RUN;
    for (uint32_t i = 0; i < sim->located_count; i++)
        sim->guards[sim->located[i]].slope = sim->R[sim->model->guards[sim->located[i]].slope];
    toggle_latches(sim);
    kaiStatus status = look_located(sim);
    toggle_latches(sim);
    for (uint32_t i = 0; i < sim->located_count; i++)
    {
        uint32_t index = sim->located[i];
        const Guard* guard = &sim->model->guards[index];
        const GuardState* state = &sim->guards[index];
        bool turned = state->toward * state->slope > 0 && state->toward * sim->R[guard->slope] <= 0;
        if (!turned || is_past(sim, guard, sim->R[guard->g]))
            sim->located[kept++] = index;
    }
    sim->located_count = kept;
    return status;
}

kaiStatus guard_apply_located(kaiSim* sim)
{
    kaiStatus status = sim->located_count > 1 ? drop_turned(sim) : KAI_OK;
    for (uint32_t i = 0; i < sim->located_count && status == KAI_OK; i++)
        status = cross(sim, sim->located[i], sim->guards[sim->located[i]].toward);
    sim->located_count = 0;
    return status;
}

// On the level exactly, and about to leave it: the crossing belongs to this instant. True if it fires.
static bool leaves_level(kaiSim* sim, const Guard* guard, const GuardState* state)
{
    int to = sign_of(state->slope), from = is_crossing(guard) ? (int)sim->R[guard->side] : 0;
    if (state->g != 0 || to == 0)
        return false;
    switch (guard->kind)
    {
    case GUARD_LESS: return to < 0 && sim->R[guard->latch] == 0;
    case GUARD_LESS_EQUAL: return to > 0 && sim->R[guard->latch] != 0;
    case GUARD_FLOOR_UP: return false;
    case GUARD_FLOOR_DOWN: return to < 0;
    default: break;
    }
    if (fires(guard, from, to))
        return true;
    sim->R[guard->side] = to;  // where it goes is where it will be
    return false;
}

// A guard a·t + b is zero at -b/a, exactly as written: evaluated at t = 0, not from where the run happens to be.
static double affine_zero(kaiSim* sim, const Guard* guard, double slope)
{
    double t = sim->R[sim->model->reg_time];
    sim->R[sim->model->reg_time] = 0;
    vm_run(sim->model, sim->R, guard->code, &sim->host);
    double at = -sim->R[guard->g] / slope;
    sim->R[sim->model->reg_time] = t;
    vm_run(sim->model, sim->R, guard->code, &sim->host);
    return at;
}

static kaiStatus arm_one(kaiSim* sim, uint32_t index, bool* leaving)
{
    const Guard* guard = &sim->model->guards[index];
    GuardState* state = &sim->guards[index];
    bool active = guard->searched && guard_is_active(sim, guard, false);
    state->active = active && !guard->time_only;
    state->due = INFINITY;
    state->from = state->until = sim->now.t;
    if (!active)
        return KAI_OK;
    state->g = sim->R[guard->g];
    state->slope = sim->R[guard->slope];
    if (leaves_level(sim, guard, state))
    {
        kaiStatus status = cross(sim, index, sign_of(state->slope));
        if (status != KAI_OK)
            return status;
        *leaving = true;
    }
    if (state->rebound != 0 && state->fired != sim->instant_runs && state->rebound * state->slope <= 0)
        state->rebound = 0;  // something else has turned it
    state->toward = direction(sim, guard);
    if (guard->time_only && state->slope * state->toward > 0)
    {
        state->due = affine_zero(sim, guard, state->slope);
        if (!(state->due > sim->now.t))
            state->due = INFINITY;
    }
    return KAI_OK;
}

// g and its slope where the run stands, of a guard that reads one island together with the others that do.
static kaiStatus look_now(kaiSim* sim, const Guard* guard)
{
    const kaiModel* model = sim->model;
    const uint32_t* islands = model->guard_islands + guard->islands.first;
    bool shared = guard->islands.count == 1;
    kaiStatus status = KAI_OK;
    if (shared && sim->islands[islands[0]].looked == sim->moment)
        return KAI_OK;
    for (uint32_t i = 0; i < guard->islands.count && status == KAI_OK; i++)
    {
        island_load(sim, islands[i], sim->now.t);
        status = island_slopes(sim, islands[i]);
    }
    if (shared)
        sim->islands[islands[0]].looked = sim->moment;
    if (status == KAI_OK)
        status = sim_run_code(sim, shared ? model->islands[islands[0]].events : guard->look);
    return status;
}

// A guard that was touched, or whose islands have started again.
static kaiStatus arm(kaiSim* sim, uint32_t index, bool* leaving)
{
    const Guard* guard = &sim->model->guards[index];
    if (sim->guards[index].armed == sim->arming)
        return KAI_OK;
    sim->guards[index].armed = sim->arming;
    kaiStatus status = look_now(sim, guard);
    if (!touch_has_guard(sim, index))
        update_side(sim, guard);  // the others had their left limit
    if (status == KAI_OK)
        status = arm_one(sim, index, leaving);
    agenda_set(&sim->agenda, agenda_guard(sim, index), sim->guards[index].due);
    if (sim->guards[index].active && guard->islands.count != 1)
        islands_look(sim, index);
    return status;
}

kaiStatus guard_arm(kaiSim* sim, bool* leaving)
{
    const kaiModel* model = sim->model;
    if (sim->holds > 0)
        zeno_check_held(sim);
    kaiStatus status = islands_restart(sim);
    sim->moment++;  // derivatives and signals are those after the reactions
    sim->arming++;
    touch_merge(sim);
    for (ActiveWalk w = {0}; status == KAI_OK && active_guard(sim, &w);)
        status = arm(sim, w.index, leaving);
    for (uint32_t i = 0; i < sim->restarted.count && !model->fused; i++)
    {
        IndexRange guards = model->islands[sim->restarted.at[i]].guards;
        for (uint32_t k = 0; k < guards.count && status == KAI_OK; k++)
            if (sim_ctx_active(sim, model->guards[model->island_guards[guards.first + k]].ctx))
                status = arm(sim, model->island_guards[guards.first + k], leaving);
    }
    return status;
}
