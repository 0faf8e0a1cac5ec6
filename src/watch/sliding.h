// Sliding (rule C4): fields on both sides of a surface that push the solution onto it.
#ifndef KAIROS_WATCH_SLIDING_H
#define KAIROS_WATCH_SLIDING_H

#include "base/tolerance.h"
#include "watch/surface.h"

#include <float.h>

#define SLIDING_STATE(X)                                                                                               \
    X(double, time)    /* of the last instant with a located crossing */                                               \
    X(double, since)   /* of the first of those that follow each other at once */                                      \
    X(uint32_t, flips) /* events in a row, at once, between two fields that push onto the surface */                   \
    X(bool, told)      /* that the run goes on along surfaces */

#define SLIDING_ARRAYS(X)                                                                                              \
    X(double, times, model->islands_count, model->islands_count) /* per island: of the last such that concerned it */  \
    X(double, first, model->state_count, model->state_count)     /* the field before the first flip */                 \
    X(double, before, model->state_count, 0)                     /* and before this instant */                         \
    X(double, after, model->state_count, 0)                                                                            \
    X(double, memories, model->reg_first[REG_VALUE] - model->reg_first[REG_MEMORY], 0) /* before this instant */       \
    X(double, first_memories, model->reg_first[REG_VALUE] - model->reg_first[REG_MEMORY],                              \
      model->reg_first[REG_VALUE] - model->reg_first[REG_MEMORY]) /* and before the first flip */

typedef struct Sliding
{
    const kaiModel* model;
    Kernel* kernel;
    Flow* flow;
    Motion* motion;
    Surfaces* surfaces;
    double step;  // of the solver, in which the crossings of this instant were found
    bool at_once;
#define X(type, name) type name;
    SLIDING_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    SLIDING_ARRAYS(X)
#undef X
} Sliding;

bool sliding_make(Sliding* s, Flow* flow, Motion* motion, Surfaces* surfaces);
void sliding_free(Sliding* s);
size_t sliding_save_size(const Sliding* s);
char* sliding_save(const Sliding* s, char* block);
const char* sliding_load(Sliding* s, const char* block);

void sliding_before(Sliding* s, double t);  // an instant: after the left limit
// The same of an ordinary instant (kernel/ordinary.c). False: it follows another at once, and has to be asked.
bool sliding_is_calm(Sliding* s, double t);
void sliding_calm(Sliding* s);        // at the end of such an instant
kaiStatus sliding_after(Sliding* s);  // and at its end
// Two times that no event can lie between, as far as the run can tell.
static inline bool sliding_at_once(const Sliding* s, double from, double to)
{
    const kaiSimOptions* o = s->kernel->options;
    bool starts = from >= o->start && to - o->start <= SLIDING_START * smaller(1, o->stop - o->start);
    return starts || to - from <= larger(64 * DBL_EPSILON * fabs(to), SLIDING_CLOSE * s->step);
}

#endif
