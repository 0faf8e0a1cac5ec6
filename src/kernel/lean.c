// Lean instants (decision 0325). From one instant to the next of a small model most of what an instant writes is
// overwritten by the next one before anybody has read it: numbers of moments, windows of guards, lists of what fired
// and what started again. As long as nobody is told (kernel->unseen.until) the loop of flow/orbit.c stays within such
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

bool lean_possible(const Kernel* kernel, const Routine* r)
{
    bool possible = kernel->simple && kernel->options->fired == NULL;
    for (uint32_t i = 0; possible && i < r->guard_count; i++)
        possible = serves_guard(&r->guards[i]);
    return possible;
}

// ---- back
// -----------------------------------------------------------------------------------------------------------

static void take_back_cause(Kernel* kernel, const Lean* lean)
{
    RoutineGuard* crossed = lean->tag.crossed;
    if (crossed == NULL)
    {
        kernel->R[kernel->model->clocks[lean->back.clock].count] -= 1;
        kernel->due_clocks.at[kernel->due_clocks.count++] = lean->back.clock;
        agenda_set(&kernel->agenda, lean->back.clock, INFINITY);
        return;
    }
    *crossed->latch = 0;
    crossed->state->fired = lean->back.fired;
    crossed->state->located--;
    kernel->counters.located--;
}

static void clear_events(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->raised_count; i++)
        kernel->R[kernel->raised[i]] = 0;
    kernel->raised_count = 0;
}

// As forget_guard of contexts.c: those of modes that were entered in vain.
static void forget_guards(const Routine* r)
{
    for (uint32_t i = 0; i < r->guard_count; i++)
    {
        const RoutineGuard* at = &r->guards[i];
        *at->last_g = NAN;
        at->state->active = false;
        if (at->side != NULL)
            *at->side = 2;
    }
}

void lean_take_back(Kernel* kernel, Lean* lean)
{
    const LeanBack* back = &lean->back;
    const Routine* r = back->scene->routine;
    for (uint32_t i = 0; i < back->act_count; i++)
        *back->acts[i].target = back->before[i];
    if (back->move != NULL)
    {
        if (lean->scene != NULL && lean->scene->routine != NULL)
            forget_guards(lean->scene->routine);
        *back->move->mode = back->mode;
        scene_adopt(kernel, back->scene);
    }
    for (uint32_t i = 0; i < r->guard_count; i++)
    {
        const RoutineGuard* at = &r->guards[i];
        *(at->crossing ? at->side : at->latch) = back->sides[i];
        at->state->active = true;
    }
    clear_events(kernel);
    take_back_cause(kernel, lean);
    kernel->counters.tags -= back->tags;
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
        at->state->from = at->state->until = kernel->now.t;
    }
}

static LeanEnd give_up(Kernel* kernel, Lean* lean)
{
    kernel->counters.tags += lean->back.tags;
    lean_take_back(kernel, lean);
    return LEAN_BACK;
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
static inline void turn(Kernel* kernel, Lean* lean, const RoutineGuard* at)
{
    GuardState* state = at->state;
    lean->back.fired = state->fired;
    kernel->counters.located++;
    state->located++;
    state->crossed = state->crossed_first = state->toward;
    state->fired_g = *at->argument;
    state->fired = kernel->instant_runs;
    *at->latch = 1;
    *at->side = state->toward;
}

static inline bool begin(Kernel* kernel, Lean* lean, RoutineGuard* at, double t)
{
    Routine* r = lean->scene->routine;
    lean->tag.crossed = at;
    lean->tag.now = (kaiTag){t, 0, 0};
    kernel->now.t = kernel->R[kernel->model->reg_time] = t;
    kernel->counters.instants++;
    bool fine = r->level_count == 0 || routine_levels(kernel, r, at != NULL) == 0;
    kernel->instant_runs++;
    if (at != NULL)
        turn(kernel, lean, at);
    else
    {
        lean->back.clock = kernel->due_clocks.at[0];
        fine &= schedule_mark_due(kernel, t) == KAI_OK;
    }
    return fine;
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
    lean->back.reaction = when->reaction;
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
    lean->back.tags = 2;
    return true;
}

LeanEnd lean_react(Kernel* kernel, Lean* lean, RoutineGuard* crossed, double t)
{
    Routine* r = lean->scene->routine;
    RoutineWhen* when = NULL;
    RoutineMove* move = NULL;
    bool disturbs = false, fine = true;
    if (crossed != NULL && !crossed->crossing)
        return LEAN_BACK;
    lean->jumps = false;
    if (!begin(kernel, lean, crossed, t) || routine_code(kernel, &r->react) != 0 || !take_left_limits(kernel, lean, r))
        return give_up(kernel, lean);
    lean->counted[0] = count_present(kernel);
    lean->counted[1] = 0;
    if (!routine_find_one(kernel, r, &when, &move))
        return give_up(kernel, lean);
    bool other = (crossed != NULL || kernel->raised_count > 0) && kernel->model->instant_signals;
    if (crossed != NULL)
        *crossed->latch = 0;
    else
        clear_events(kernel);
    if (move != NULL)
        fine = take_move(kernel, lean, move, &disturbs);
    else if (when != NULL)
        fine = assign(kernel, lean, r, when, &disturbs, &other);
    if (fine && (lean->tag.now.p > 0 || other || move != NULL))
        fine = second_tag(kernel, lean, &disturbs);
    if (!fine || (!disturbs && lean->scene->routine->guard_count > 0))
        return give_up(kernel, lean);
    kernel->counters.tags += lean->back.tags;
    return disturbs ? LEAN_MOVED : LEAN_STILL;
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
        state->from = state->until = lean->tag.now.t;
        state->active = true;
    }
    return true;
}

void lean_tell(Kernel* kernel, const Lean* lean)
{
    const LeanBack* back = &lean->back;
    const RoutineGuard* crossed = lean->tag.crossed;
    kernel->left = (OrdinaryLeft){crossed != NULL ? crossed->index : NO_REG, lean->tag.g};
    kernel->fired_count = crossed != NULL;
    if (crossed != NULL)
        kernel->fired[0] = crossed->index;
    kernel->reacted_count = back->reaction != NO_REG;
    kernel->reacted[0] = back->reaction;
    kernel->jump_count = 0;
    for (uint32_t i = 0; i < back->act_count; i++)
        if (back->acts[i].state != NO_REG)
            kernel->jumps[kernel->jump_count++] = (Jump){back->acts[i].state, back->before[i]};
}

static void land_guard(Kernel* kernel, const RoutineGuard* at)
{
    GuardState* state = at->state;
    state->reached = 0;
    state->due = INFINITY;
    state->bias = 0;
    state->armed = kernel->arming;
    agenda_set(&kernel->agenda, at->item, INFINITY);
}

void lean_land(Kernel* kernel, const Lean* lean, uint64_t count)
{
    const Routine* r = lean->scene->routine;
    const RoutineGuard* crossed = lean->tag.crossed;
    kernel->load_time = kernel->flow_start = kernel->instant_time = lean->tag.now.t;
    kernel->moment += 3 * count;
    kernel->touch += count;
    kernel->react_touches[0] = kernel->touch;
    kernel->reaction += 2 * count;
    kernel->arming += count;
    kernel->island_looked[0] = kernel->moment;
    kernel->left = (OrdinaryLeft){crossed != NULL ? crossed->index : NO_REG, lean->tag.g};
    kernel->fired_count = crossed != NULL;
    kernel->located_count = kernel->jump_count = kernel->reacted_count = 0;
    if (crossed != NULL)
    {
        kernel->fired[0] = crossed->index;
        crossed->state->slack = 0;
    }
    for (uint32_t i = 0; i < r->guard_count; i++)
        land_guard(kernel, &r->guards[i]);
}
