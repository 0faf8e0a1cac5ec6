// Events that accumulate, sliding, tunnelling (rule C4); zeno = continue.
#ifndef KAIROS_WATCH_ZENO_H
#define KAIROS_WATCH_ZENO_H

#include "watch/sliding.h"

typedef struct ZenoGuard  // first what every arming asks for
{
    double excursion;                    // the farthest it has been from its level since it fired last
    int8_t rebound;                      // a reaction turned g back: the sign of the side it has to reach; 0 = none
    int8_t barrier;                      // the direction in which its events were turned back; 0 = the last was not
    bool turned;                         // its last event was turned back
    bool holding;                        // zeno = continue holds states at it
    uint32_t reversals;                  // in a row, each sooner than the one before
    double rebound_time, rebound_slope;  // when it was turned back, and how fast
    int64_t rebound_located;             // GuardState.located after that
    double located_g;                    // at the left limit of the instant at which it was located
    uint64_t located_at;                 // kernel->instant_runs of that
    double last_flip;                    // events that turned it back within the resolution of t
    uint32_t flips, jumps;               // how many followed the first, how many of all with jumps of states
    double last_time, last_interval, last_ratio;  // of its events
    double first_ratio;                           // of the row
    uint32_t pattern;                             // equal ratios in a row
    uint32_t slowing;                             // steady gains in a row
    double slowness, gain;                        // 1/(1 - ratio), and by how much it grows at an event, on average
    uint64_t modes;                               // in which its last event left the machines, as a hash
    double barrier_time, barrier_interval, longest;
    int64_t last_instants;  // counters.instants at the last of them
    double hold_due;        // when they get their limit; 0 = they have it
} ZenoGuard;

#define ZENO_STATE(X)                                                                                                  \
    X(double, last_instant) /* t of the last instant */                                                                \
    X(uint32_t, short_instants)                                                                                        \
    X(uint32_t, tracked) /* guard + 1 whose events seem to accumulate; its events in `past` */                         \
    X(uint32_t, tracked_count)

#define ZENO_ARRAYS(X)                                                                                                 \
    X(ZenoGuard, guards, model->guards_count, model->guards_count)                                                     \
    X(double, zeno_past, 3 * (size_t)model->state_count, 3 * (size_t)model->state_count) /* after its last events */   \
    X(double, zeno_left, model->state_count, 0) /* states before the reactions of this instant */                      \
    X(double, registers, model->reg_count, 0)   /* kept while reactions are tried */                                   \
    X(double, free_slope, model->state_count, 0)                                                                       \
    X(double, free_state, model->state_count, 0)                                                                       \
    X(double, x, model->state_count, 0)

typedef struct Zeno
{
    const kaiModel* model;
    Kernel* kernel;
    Flow* flow;
    const Sliding* sliding;
    bool off;  // zeno = off
#define X(type, name) type name;
    ZENO_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    ZENO_ARRAYS(X)
#undef X
} Zeno;

bool zeno_make(Zeno* zeno, Flow* flow, const Sliding* sliding);
void zeno_free(Zeno* zeno);
size_t zeno_save_size(const Zeno* zeno);
char* zeno_save(const Zeno* zeno, char* block);
const char* zeno_load(Zeno* zeno, const char* block);

void zeno_before(Zeno* zeno, double t);  // an instant: after the left limit
void zeno_late(Zeno* zeno);              // the same of an ordinary instant (kernel/ordinary.c), after its reactions
kaiStatus zeno_after(Zeno* zeno);        // and at its end, the guards armed again
void zeno_armed(Zeno* zeno, uint32_t guard);                  // a guard is watched from here on
kaiStatus zeno_turned(Zeno* zeno, uint32_t guard, double t);  // a step ended; the guard may wait for its rebound
void zeno_check_held(Zeno* zeno);                             // before the solver goes on: who is free again
bool zeno_search(Zeno* zeno, double* theta);                  // the first place in the step where a held state leaves

#endif
