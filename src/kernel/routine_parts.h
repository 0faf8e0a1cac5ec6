// What routine.c and lean.c share: what a routine does at a tag, where no more than one reaction or transition fires.
#ifndef KAIROS_KERNEL_ROUTINE_PARTS_H
#define KAIROS_KERNEL_ROUTINE_PARTS_H

#include "kernel/commit.h"
#include "kernel/guard.h"
#include "kernel/routine.h"

// 0, or 1 + the component that has no solution.
static inline uint32_t routine_code(Kernel* kernel, RoutineCode* code)
{
    return hot_run(&code->hot, kernel->model, kernel->R, code->piece.from, code->piece.to, &kernel->host);
}

static inline bool routine_has_code(const RoutineCode* code)
{
    return code->piece.from < code->piece.to;
}

static inline bool routine_has_look(const Routine* r, const Scene* scene)
{
    return r->guard_count > 0 || scene->looks != NULL;
}

// As take_levels of ordinary.c. 0, or as routine_code.
static inline uint32_t routine_levels(Kernel* kernel, Routine* r, bool crossed)
{
    uint32_t failed = 0;
    kernel->host.beyond = crossed ? &kernel->beyond : NULL;
    for (RoutineLevel *at = r->levels, *end = at + r->level_count; at < end && failed == 0; at++)
    {
        failed = routine_code(kernel, &at->code);
        *at->last_g = *at->argument = *at->g;
    }
    kernel->host.beyond = NULL;
    return failed;
}

// What fires, if it is one reaction or one transition at most. False: it is more.
static inline bool routine_find_one(const Kernel* kernel, Routine* r, RoutineWhen** when, RoutineMove** move)
{
    uint32_t count = 0;
    for (RoutineWhen *at = r->whens, *end = at + r->when_count; at < end; at++)
        if (*at->fire != 0 && (at->ctx == 0 || !commit_is_preempted(kernel, at->ctx)))
        {
            count++;
            *when = at;
        }
    for (RoutineMove *at = r->moves, *end = at + r->move_count; at < end; at++)
        if (*at->when.fire != 0 && (*move == NULL || at->machine != (*move)->machine))  // the first of a machine
        {
            count += at->brief ? 1 : 2;
            *move = at;
        }
    return count < 2;
}

// Nothing reacts to what was assigned,
static inline bool routine_is_idle(const Routine* r)
{
    bool idle = true;
    for (const RoutineWhen *at = r->whens, *end = at + r->when_count; at < end; at++)
        idle &= *at->fire == 0;
    for (const RoutineMove *at = r->moves, *end = at + r->move_count; at < end; at++)
        idle &= *at->when.fire == 0;
    return idle;
}

// and it takes no guard across its level.
static inline bool routine_is_quiet(const Kernel* kernel, const Routine* r)
{
    bool quiet = routine_is_idle(r);
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
        quiet &= !at->crossing || *at->react_g == *at->last_g || !guard_jumps(kernel, at->index);
    return quiet;
}

#endif
