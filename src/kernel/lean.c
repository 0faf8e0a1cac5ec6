// Lean instants (decision 0325). From one instant to the next of a small model most of what an instant writes is
// overwritten by the next one before anybody has read it: numbers of moments, windows of guards, lists of what fired
// and what started again. As long as nobody is told (kernel->unseen_until) the loop of flow/orbit.c stays within such
// instants; what they have in common is written when it leaves (lean_land). The rules are those of routine.c and
// guard.h. What turns out to be more than one reaction or transition with a quiet second tag is taken back, to the last
// register that anybody keeps, and comes again the general way.
#include "kernel/lean.h"

#include "kernel/routine_parts.h"

static bool serves_guard(const RoutineGuard* at)
{
    const Guard* guard = at->guard;
    bool plain = at->kind == GUARD_UP || at->kind == GUARD_DOWN || at->kind == GUARD_CROSS || at->kind == GUARD_LESS ||
                 at->kind == GUARD_LESS_EQUAL;
    return plain && guard->searched && !guard->time_only && !guard->one_way && guard->present == NO_REG &&
           guard->react_present == NO_REG;
}

bool lean_serves(const Kernel* kernel, const Scene* scene)
{
    const Routine* r = scene != NULL ? scene->routine : NULL;
    bool serves = r != NULL && scene->levels == 0 && kernel->options->fired == NULL &&
                  kernel->counted.count <= 8 * sizeof((Lean){0}.counted[0]);
    for (uint32_t i = 0; serves && i < r->guard_count; i++)
        serves = serves_guard(&r->guards[i]);
    return serves;
}

// ---- back
// -----------------------------------------------------------------------------------------------------------

static inline void keep(Lean* lean, const RoutineGuard* crossed)
{
    const Routine* r = lean->scene->routine;
    LeanBack* back = &lean->back;
    back->tag = lean->tag;
    back->scene = lean->scene;
    back->move = NULL;
    back->act_count = 0;
    back->fired = crossed->state->fired;
    for (uint32_t i = 0; i < r->guard_count; i++)
        back->sides[i] = r->guards[i].crossing ? *r->guards[i].side : *r->guards[i].latch;
}

// Guards of modes that are left have forgotten that they were active, and are told again when they are armed.
void lean_take_back(Kernel* kernel, Lean* lean)
{
    const LeanBack* back = &lean->back;
    const Routine* r = back->scene->routine;
    GuardState* state = lean->tag.crossed->state;
    for (uint32_t i = 0; i < back->act_count; i++)
        *back->acts[i].target = back->before[i];
    if (back->move != NULL)
    {
        *back->move->mode = back->mode;
        scene_adopt(kernel, back->scene);
    }
    for (uint32_t i = 0; i < r->guard_count; i++)
    {
        const RoutineGuard* at = &r->guards[i];
        *(at->crossing ? at->side : at->latch) = back->sides[i];
        at->state->active = true;
    }
    *lean->tag.crossed->latch = 0;
    state->fired = back->fired;
    state->located--;
    kernel->counters.located--;
    kernel->counters.instants--;
    kernel->instant_runs--;
    kernel->now = back->tag.now;
    lean->scene = back->scene;
    lean->tag = back->tag;
}

void lean_compute(Kernel* kernel, const Lean* lean)
{
    Routine* r = lean->scene->routine;
    routine_code(kernel, &r->react);
    if (routine_has_look(r, lean->scene))
        routine_code(kernel, &r->look);
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        at->state->g = *at->g;
        at->state->slope = *at->slope;
        at->state->toward = direction(kernel, at->guard);
    }
}

static bool give_up(Kernel* kernel, Lean* lean)
{
    lean_take_back(kernel, lean);
    return false;
}

// ---- the first tag
// ---------------------------------------------------------------------------------------------------

static inline uint64_t count_present(const Kernel* kernel)
{
    uint64_t present = 0, bit = 1;
    for (const uint32_t *at = kernel->counted.at, *end = at + kernel->counted.count; at < end; at++, bit <<= 1)
        present |= kernel->R[*at] != 0 ? bit : 0;
    return present;
}

// As guard_turn, of a crossing.
static inline void begin(Kernel* kernel, Lean* lean, RoutineGuard* at, double t)
{
    GuardState* state = at->state;
    keep(lean, at);
    lean->tag.crossed = at;
    lean->tag.now = kernel->now = (kaiTag){t, 0, 0};
    kernel->R[kernel->model->reg_time] = t;
    kernel->counters.instants++;
    kernel->counters.located++;
    state->located++;
    state->crossed = state->crossed_first = state->toward;
    state->fired_g = *at->argument;
    state->fired = ++kernel->instant_runs;
    *at->latch = 1;
    *at->side = state->toward;
}

// As take_left_limits of routine.c. False: another crossing has arrived at its level.
static inline bool take_left_limits(Kernel* kernel, Lean* lean, const Routine* r)
{
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->last_g = *at->react_g;
        if (at == lean->tag.crossed)
            lean->tag.g = g;
        else if (at->crossing)
        {
            if (g != 0 || *at->side == 2)
                *at->side = sign_of(g);
            if (guard_arrives(kernel, at->guard, g))
                return false;
        }
    }
    return true;
}

// As evaluate and assign of routine.c. *disturbs: the island reads what has changed.
static inline bool assign(Kernel* kernel, Lean* lean, Routine* r, RoutineWhen* when, bool* disturbs, bool* other)
{
    const RoutineAct *acts = r->acts + when->first, *end = acts + when->count;
    double values[ROUTINE_ACTS], *value = values, *before = lean->back.before;
    bool state = false, jumps = false;
    if (routine_has_code(&when->code) && routine_code(kernel, &when->code) != 0)
        return false;
    for (const RoutineAct* act = acts; act < end; act++, value++)
    {
        *value = *act->value;
        if (isnan(*value))
            return false;
    }
    lean->back.acts = acts;
    lean->back.act_count = when->count;
    value = values;
    for (const RoutineAct* act = acts; act < end; act++, value++, before++)
    {
        *before = *act->target;
        *act->target = *value;
        jumps |= act->state != NO_REG;
        if (*before == *value)
            continue;
        state |= act->state != NO_REG;
        *other |= act->state == NO_REG;
        *disturbs |= act->disturbs;
    }
    lean->jumps = jumps;
    lean->tag.now.p = state;
    return true;
}

static inline bool take_move(Kernel* kernel, Lean* lean, RoutineMove* move, bool* disturbs)
{
    bool other = true;
    lean->back.move = move;
    lean->back.mode = *move->mode;
    contexts_leave(kernel, move->leaves);
    if (!assign(kernel, lean, lean->scene->routine, &move->when, disturbs, &other))
        return false;
    *disturbs |= *move->mode != move->to && move->disturbs;
    *move->mode = move->to;
    lean->scene = scene_after(kernel, move->move);
    return lean_serves(kernel, lean->scene);
}

// ---- the second tag
// --------------------------------------------------------------------------------------------------

// What jumps over its level is found on the way, and all of it taken back.
static inline bool take_guards(Kernel* kernel, const Routine* r, bool* disturbs)
{
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double g = *at->react_g;
        if (!at->crossing)
        {
            double truth = kernel->R[at->guard->truth];
            *disturbs |= *at->latch != truth;
            *at->latch = truth;
        }
        else if (g != *at->last_g || *at->side == 2)
        {
            if (g != *at->last_g && guard_jumps(kernel, at->index))
                return false;
            guard_take_side(kernel, at->guard, g);
        }
        *at->last_g = g;
    }
    return true;
}

static inline bool second_tag(Kernel* kernel, Lean* lean, bool* disturbs)
{
    Routine* r = lean->scene->routine;
    lean->tag.now.m = !lean->tag.now.p;
    kernel->now = lean->tag.now;
    if (routine_code(kernel, &r->react) != 0 || !routine_is_idle(r) || !take_guards(kernel, r, disturbs))
        return false;
    lean->counted[1] = count_present(kernel);
    return true;
}

bool lean_react(Kernel* kernel, Lean* lean, RoutineGuard* crossed, double t)
{
    Routine* r = lean->scene->routine;
    RoutineWhen* when = NULL;
    RoutineMove* move = NULL;
    bool disturbs = false, other = kernel->model->instant_signals;
    lean->jumps = false;
    begin(kernel, lean, crossed, t);
    if (routine_code(kernel, &r->react) != 0 || !take_left_limits(kernel, lean, r))
        return give_up(kernel, lean);
    lean->counted[0] = count_present(kernel);
    if (!routine_find_one(kernel, r, &when, &move))
        return give_up(kernel, lean);
    *crossed->latch = 0;
    bool taken = move != NULL ? take_move(kernel, lean, move, &disturbs)
                              : when != NULL && assign(kernel, lean, r, when, &disturbs, &other);
    if (!taken || !(lean->tag.now.p > 0 || other || move != NULL) || !second_tag(kernel, lean, &disturbs) || !disturbs)
        return give_up(kernel, lean);
    return true;
}

// ---- the end
// ---------------------------------------------------------------------------------------------------------

// On its level exactly: one that has fired here and goes off is on the side to which it goes (guard_leads_off). True:
// it fires, or that is not plain to see.
static inline bool leads_on(Kernel* kernel, const Lean* lean, const RoutineGuard* at)
{
    GuardState* state = at->state;
    if (at->crossing && at == lean->tag.crossed && state->slope != 0)
    {
        *at->side = sign_of(state->slope);
        return false;
    }
    return guard_leaves_level(kernel, at->guard, state);
}

bool lean_arm(Kernel* kernel, Lean* lean)
{
    Routine* r = lean->scene->routine;
    if (routine_has_look(r, lean->scene) && routine_code(kernel, &r->look) != 0)
        return false;
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        GuardState* state = at->state;
        double before = state->slope;
        state->g = *at->g;
        state->slope = *at->slope;
        bool apart = at->crossing && (state->g < 0 || state->g > 0);
        if (isnan(state->slope) || (!apart && leads_on(kernel, lean, at)) ||
            (!at->crossing && guard_may_rest(kernel, at->guard, state, before)))
            return false;
        state->toward = direction(kernel, at->guard);
    }
    return true;
}

static void land_guard(Kernel* kernel, const Lean* lean, const RoutineGuard* at)
{
    GuardState* state = at->state;
    state->active = true;
    state->reached = 0;
    state->due = INFINITY;
    state->bias = 0;
    state->armed = kernel->arming;
    state->from = state->until = lean->tag.now.t;
    agenda_set(&kernel->agenda, at->item, INFINITY);
}

void lean_land(Kernel* kernel, const Lean* lean, uint64_t count)
{
    const Routine* r = lean->scene->routine;
    kernel->load_time = kernel->flow_start = kernel->instant_time = lean->tag.now.t;
    kernel->counters.tags += 2 * (int64_t)count;
    kernel->reaction += 2 * count;
    kernel->moment += 3 * count;
    kernel->arming += count;
    kernel->touch += count;
    kernel->react_touches[0] = kernel->touch;
    kernel->island_looked[0] = kernel->moment;
    kernel->left = (OrdinaryLeft){lean->tag.crossed->index, lean->tag.g};
    kernel->fired[0] = lean->tag.crossed->index;
    kernel->fired_count = 1;
    kernel->located_count = kernel->jump_count = kernel->reacted_count = 0;
    lean->tag.crossed->state->slack = 0;
    for (uint32_t i = 0; i < r->guard_count; i++)
        land_guard(kernel, lean, &r->guards[i]);
}
