// A routine: what the ordinary instants of a scene come to where nothing but crossings, ticks and reactions that assign
// is in it, as one flat record. See routine.c.
#ifndef KAIROS_KERNEL_ROUTINE_H
#define KAIROS_KERNEL_ROUTINE_H

#include "kernel/scene.h"

enum
{
    ROUTINE_GUARDS = 8,
    ROUTINE_WHENS = 8,
    ROUTINE_MOVES = 8,
    ROUTINE_ACTS = 16,  // of all reactions and transitions together
};

typedef struct RoutineCode
{
    ScenePiece piece;
    Hot hot;
} RoutineCode;

typedef struct RoutineLevel  // a relation whose left limit the reaction reads
{
    RoutineCode code;
    const double* g;
    double *last_g, *argument;
} RoutineLevel;

typedef struct RoutineGuard
{
    const Guard* guard;
    GuardState* state;
    double *side, *last_g, *latch;
    const double *react_g, *g, *slope, *argument;
    uint32_t index, item;  // in the agenda
    bool crossing;         // one that is searched; otherwise a relation
    uint8_t kind;
} RoutineGuard;

typedef struct RoutineAct
{
    const double* value;
    double* target;
    uint32_t state;  // NO_REG: it is none
    bool disturbs;   // the island reads it
} RoutineAct;

typedef struct RoutineWhen  // a reaction
{
    const double* fire;
    RoutineCode code;
    uint32_t reaction, ctx;
    uint32_t first, count;  // in `acts`
} RoutineWhen;

typedef struct RoutineMove  // a transition
{
    RoutineWhen when;
    SceneMove* move;
    double* mode;  // the register of its machine, and what it becomes
    double to;
    uint32_t machine, leaves;  // the context that it leaves
    bool disturbs, brief;      // brief: it enters a mode, and nothing else
} RoutineMove;

struct Routine
{
    RoutineCode react, look;
    uint32_t guard_count, when_count, move_count, level_count;
    bool lean;  // its instants may be lean ones
    RoutineGuard guards[ROUTINE_GUARDS];
    RoutineLevel levels[ROUTINE_GUARDS];
    RoutineWhen whens[ROUTINE_WHENS];
    RoutineMove moves[ROUTINE_MOVES];
    RoutineAct acts[ROUTINE_ACTS];
};

// Of a scene of a fused model; NULL: it has more than a routine holds, or there is no memory, and ordinary.c runs it.
Routine* routine_make(Kernel* kernel, const Scene* scene);
bool lean_possible(const Kernel* kernel, const Routine* routine);  // lean.c
void routine_free(Kernel* kernel, Routine* routine);
kaiStatus routine_run(Kernel* kernel, const Scene* scene, double t);

// ordinary.c: whatever fires, from the values of the first reaction on;
// and what comes after the first commit, in the modes of `scene` (NULL: they have none).
kaiStatus ordinary_commit(Kernel* kernel, const Scene* scene);
kaiStatus ordinary_finish(Kernel* kernel, const Scene* scene, kaiTag first, const CommitResult* result);
// After `first` the listeners hear of its commit; after another tag, if there was one (`again`), of that; then tags go
// on.
kaiStatus ordinary_carry_on(Kernel* kernel, kaiTag first, bool state, bool again);

#endif
