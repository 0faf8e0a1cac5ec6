// Motion along surfaces (zeno = continue, decision 0089). On a surface g = 0 that two fields push the solution onto it
// moves with the mean of both that keeps g at 0 (Filippov); on one against which it is pressed, and which turns it back
// by jumps, with the free field and a force along those jumps that keeps g' at 0. Several surfaces at once are one
// linear system.
#ifndef KAIROS_WATCH_SURFACE_H
#define KAIROS_WATCH_SURFACE_H

#include "watch/motion.h"

enum
{
    SURFACES_MOST = 8,   // at one time
    INTERVALS_MOST = 32  // that are remembered for a report
};

typedef enum SurfaceKind
{
    SURFACE_NONE,
    SURFACE_FIELDS,   // between two configurations of what is discrete
    SURFACE_CONTACT,  // along the jumps of its reactions
} SurfaceKind;

typedef struct Surface
{
    uint8_t kind;
    int8_t leaving;  // found in a step: 1 with the other configuration, -1 as it is
    uint32_t guard;
    uint32_t interval;  // its place among the intervals; NO_REG: not remembered
    double share;       // of the other field, or the force; of the last evaluation
} Surface;

// A surface that was left along a tangent: where its guard has not gone away from it yet, the error of a dense output
// is larger than g, and nothing is searched.
typedef struct SurfaceLeft
{
    uint32_t guard;
    int8_t side;    // to which it was left; 0: this place is free
    bool over;      // found in a step
    double across;  // the difference of the slopes of g in the two fields
} SurfaceLeft;

typedef struct SurfaceInterval
{
    uint32_t guard;
    double from, to;
} SurfaceInterval;

#define SURFACE_STATE(X)                                                                                               \
    X(uint32_t, count)                                                                                                 \
    X(uint32_t, interval_count) /* all; the first ones are remembered */

#define SURFACE_ARRAYS(X)                                                                                              \
    X(Surface, surfaces, SURFACES_MOST, SURFACES_MOST)                                                                 \
    X(SurfaceLeft, left, SURFACES_MOST, SURFACES_MOST)                                                                 \
    X(SurfaceInterval, intervals, INTERVALS_MOST, INTERVALS_MOST)                                                      \
    X(double, directions, surfaces_room(model, options), surfaces_room(model, options)) /* of contacts: jumps */       \
    X(double, here, memories_room(model, options), memories_room(model, options))  /* the present configuration */     \
    X(double, there, memories_room(model, options), memories_room(model, options)) /* and the other one */             \
    X(double, columns, surfaces_room(model, options), 0)                                                               \
    X(double, base, model->state_count, 0)                                                                             \
    X(double, x, model->state_count, 0)

typedef struct Surfaces
{
    const kaiModel* model;
    Kernel* kernel;
    Flow* flow;
    Motion* motion;
    uint32_t struck;  // guard + 1 of a contact that a jump drives through its surface; 0: none
    double matrix[SURFACES_MOST][SURFACES_MOST + 1];
#define X(type, name) type name;
    SURFACE_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    SURFACE_ARRAYS(X)
#undef X
} Surfaces;

// zeno = continue, or slide.
bool surfaces_wanted(const kaiSimOptions* options);

bool surfaces_make(Surfaces* s, Flow* flow, Motion* motion);
void surfaces_free(Surfaces* s);
size_t surfaces_save_size(const Surfaces* s);
char* surfaces_save(const Surfaces* s, char* block);
const char* surfaces_load(Surfaces* s, const char* block);

// From here on the solution stays on the surface of `guard`. `there`: the MEMORY registers of the other configuration.
// `direction`: of the jumps that turned it back, one number a state. False: the motion is not unique, or there is no
// room; nothing is changed then.
bool surfaces_enter_fields(Surfaces* s, uint32_t guard, const double* there);
bool surfaces_enter_contact(Surfaces* s, uint32_t guard, const double* direction);

void surfaces_bend(Surfaces* s);                   // the derivatives in the registers become those along the surfaces
bool surfaces_search(Surfaces* s, double* theta);  // the first place in the step where one is left
kaiStatus surfaces_status(Surfaces* s);            // after that: whether the run can go on
void surfaces_check(Surfaces* s);                  // at the end of an instant: which ones are left

// surface_left.c
void surface_left_wait(Surfaces* s, uint32_t i, int with, double across);  // surface i is being left
bool surface_left_search(Surfaces* s, double* theta);                      // the first place where a guard is away
void surface_left_check(Surfaces* s);                                      // at the end of an instant: which ones are

#endif
