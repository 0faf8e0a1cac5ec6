// A lean instant: a routine (routine.h) of which no more is written than the next one reads. See lean.c.
#ifndef KAIROS_KERNEL_LEAN_H
#define KAIROS_KERNEL_LEAN_H

#include "kernel/routine.h"

typedef struct LeanTag  // what is left of an instant
{
    RoutineGuard* crossed;  // that has led to it; NULL: a clock has ticked
    kaiTag now;             // its last tag
    double g;               // at the left limit
} LeanTag;

typedef struct LeanBack  // what takes an instant back
{
    LeanTag tag;
    const Scene* scene;
    const RoutineMove* move;  // NULL: none was taken
    double mode;
    uint32_t reaction;       // NO_REG: none has fired
    const RoutineAct* acts;  // what was assigned, and what it was before
    uint32_t act_count;
    double before[ROUTINE_ACTS];
    double sides[ROUTINE_GUARDS];
    uint64_t fired;
    uint32_t clock, tags;
} LeanBack;

typedef struct Lean
{
    const Scene* scene;  // of the modes that are active
    LeanTag tag;
    double length;        // of the step that led here
    bool jumps;           // a state was assigned, perhaps what it was
    bool settles;         // the caller has contact looked at
    uint64_t counted[2];  // of the events that are counted: those that are present at the two tags
    LeanBack back;
} Lean;

// Whether instants of a scene may be lean at all.
static inline bool lean_serves(const Kernel* kernel, const Scene* scene)
{
    return scene != NULL && scene->routine != NULL && scene->routine->lean && kernel->counted.count <= 64;
}

typedef enum LeanEnd
{
    LEAN_BACK,   // it is more than that, and nothing has changed but what reactions compute
    LEAN_STILL,  // the island goes on as before, and there is no guard to be armed
    LEAN_MOVED,  // the island has to start again
} LeanEnd;

// What takes the next instant back is noted: before the step that leads there.
static inline void lean_keep(Lean* lean)
{
    const Routine* r = lean->scene->routine;
    LeanBack* back = &lean->back;
    back->tag = lean->tag;
    back->scene = lean->scene;
    back->move = NULL;
    back->act_count = 0;
    back->tags = 1;
    back->reaction = NO_REG;
    for (uint32_t i = 0; i < r->guard_count; i++)
        back->sides[i] = r->guards[i].crossing ? *r->guards[i].side : *r->guards[i].latch;
}
// Both tags of the instant at t, states in the registers: `crossed` has led there, or a clock (NULL).
LeanEnd lean_react(Kernel* kernel, Lean* lean, RoutineGuard* crossed, double t);
// Guards are armed; states and slopes are in the registers. False: one of them leads on, and has to be taken back.
bool lean_arm(Kernel* kernel, Lean* lean);
// What is remembered is that of before it again, but for states, which the caller has. Then, with these and their
// slopes and time in the registers, all that is computed.
void lean_take_back(Kernel* kernel, Lean* lean);
void lean_compute(Kernel* kernel, const Lean* lean);
// What listeners ask who look at it as at any ordinary instant: what has fired and jumped.
void lean_tell(Kernel* kernel, const Lean* lean);
// All that was not written in `count` instants, the last of which is in *lean.
void lean_land(Kernel* kernel, const Lean* lean, uint64_t count);

#endif
