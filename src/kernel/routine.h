// A routine: what the ordinary instants of a scene come to where nothing but crossings, ticks and reactions that assign
// is in it, as one flat record. See routine.c.
#ifndef KAIROS_KERNEL_ROUTINE_H
#define KAIROS_KERNEL_ROUTINE_H

#include "kernel/scene.h"

enum
{
    ROUTINE_GUARDS = 8,
    ROUTINE_WHENS = 8,
    ROUTINE_ACTS = 16,  // of all reactions together
};

typedef struct RoutineGuard  // a crossing that is searched
{
    const Guard* guard;
    GuardState* state;
    double *side, *last_g;
    const double *react_g, *g, *slope;
    uint32_t index, item;  // in the agenda
} RoutineGuard;

typedef struct RoutineAct
{
    const double* value;
    double* target;
    uint32_t state;  // NO_REG: it is none
    bool disturbs;   // the island reads it
} RoutineAct;

typedef struct RoutineWhen
{
    const double* fire;
    ScenePiece code;
    uint32_t reaction;
    uint32_t first, count;  // in `acts`
} RoutineWhen;

struct Routine
{
    ScenePiece react, look;
    uint32_t guard_count, when_count;
    RoutineGuard guards[ROUTINE_GUARDS];
    RoutineWhen whens[ROUTINE_WHENS];
    RoutineAct acts[ROUTINE_ACTS];
};

// Of a scene of a fused model; NULL: it has more than a routine holds, or there is no memory, and ordinary.c runs it.
Routine* routine_make(Kernel* kernel, const Scene* scene);
void routine_free(Kernel* kernel, Routine* routine);
kaiStatus routine_run(Kernel* kernel, const Scene* scene, double t);

// ordinary.c: what was staged, as commit_apply_staged, with the values before it kept for listeners.
void ordinary_assign(Kernel* kernel, CommitResult* result);
// After `first` the listeners hear of its commit; after another tag, if there was one (`again`), of that; then tags go
// on.
kaiStatus ordinary_carry_on(Kernel* kernel, kaiTag first, bool state, bool again);

#endif
