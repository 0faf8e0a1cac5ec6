// A guard along a step: its value anywhere, and its polynomial around any place. The search (crossing.c) asks; where
// no polynomial is to be had it goes by samples (guard_samples.c).
#ifndef KAIROS_FLOW_GUARD_PATH_H
#define KAIROS_FLOW_GUARD_PATH_H

#include "flow/flow.h"
#include "kernel/guard.h"
#include "kernel/routine.h"
#include "num/polynomial.h"

enum
{
    NO_ISLAND = 0xffffffffu,
    GUARD_TERMS = 32,  // coefficients of a guard at most
};

typedef struct GuardPath
{
    Flow* flow;
    uint32_t index;
    const Guard* guard;
    double start, length;  // of the step, or of the window that the last steps of several islands have in common
    int toward;            // the direction in which g must go to cross
    uint32_t island;       // the only one it reads, whose step it is; NO_ISLAND: a window
} GuardPath;

GuardPath guard_path_of_step(Flow* flow, uint32_t guard, uint32_t island);
GuardPath guard_path_of_window(Flow* flow, uint32_t guard, double from, double until);

// The states that it reads, and time, at the fraction theta.
void guard_path_load(const GuardPath* path, double theta);
// g there, as an instant will compute it.
double guard_path_value(const GuardPath* path, double theta);
// crossing.c: g_end and slope_end of the guards that are searched for in the step of an island.
void guard_load_ends(Flow* flow, uint32_t island);
// How exactly the time of its crossing at t is known, by its slope there; the states are loaded.
double guard_crossing_slack(const GuardPath* path, double t, double g, double slope);
// Its slope along the dense output; g is in its register then.
double guard_path_slope(const GuardPath* path, double theta);

// guard_rounding.c: what rounding may have moved its value by, there.
double guard_path_rounding(const GuardPath* path, double theta);
// Whether its value g there is no more than that: the guard lies on its level, on whichever side rounding has left it.
// A sum of states does so only where it stands: of one that moves rule T6 says what is one time.
bool guard_path_on_level(const GuardPath* path, double theta, double g);
// Whether it lies there, or nearly, and does not move but for rounding.
bool guard_path_stands(const GuardPath* path, double theta, double g);
// The most steps that an island which it reads has taken since it started: each may have rounded its states.
double guard_steps_behind(const GuardPath* path);

static inline size_t guard_kept_size(const Flow* flow)  // registers, and what is loaded of each island
{
    return sizeof(double) * (flow->model->reg_count + (size_t)flow->model->islands_count);
}

static inline bool guard_has_code(const Guard* guard)
{
    return guard->code.end > guard->code.start;
}

static inline double guard_path_time(const GuardPath* path, double theta)
{
    return path->start + theta * path->length;
}

// A polynomial of the time after theta.
typedef struct GuardPolynomial
{
    int degree;
    bool exact;             // not cut off: it is the guard
    bool ended;             // taken to have no terms beyond these
    double until;           // what it reads of delayed signals is another polynomial after this time
    double c[GUARD_TERMS];  // c[0] is guard_path_value(theta)
} GuardPolynomial;

// Coefficients that matter within `reach`. False: the code has no series here. `all`: as many as there is room for.
bool guard_path_polynomial(const GuardPath* path, double theta, double reach, bool all, GuardPolynomial* p);

// guard_hidden.c: the fraction of the step up to which nothing of the guard can be hidden from what is known of it at
// theta, or from a few samples; at most `end`.
double guard_path_unhidden(const GuardPath* path, double theta, double end);
// What the guard is made from: registers, their number, their coefficients around theta from order 1 on, order by
// order. The highest order. What was loaded last stays where it is.
int guard_path_inputs(const GuardPath* path, double theta, uint32_t* count, const uint32_t** registers,
                      const double** rows);

// guard_affine.c: whether the guard is a sum of its states with factors that stand still, and what stands still; the
// factors, or the terms (room for 16, or NULL) that they are made of where they hang on registers.
bool guard_affine_read(const kaiModel* model, const Guard* guard, double* factors, GuardTerm* terms, uint32_t* count);
// Whether its code does nothing but copy a state.
bool guard_is_direct(const kaiModel* model, const Guard* guard);

// Series and room for all guards of a run. False: no memory.
bool guard_paths_create(Flow* flow);
void guard_paths_free(Flow* flow);
// That of a guard that is searched. NULL: no memory.
Series* guard_series(Flow* flow, uint32_t guard);

// By samples, between lo and hi: halved until a cubic through both ends agrees with the middle. True: *theta is the
// first place where the guard is past its level.
typedef struct GuardPiece
{
    double lo, hi, g_lo, g_hi, slope_lo, slope_hi;
} GuardPiece;
bool guard_samples_search(const GuardPath* path, double lo, double hi, double* theta);

// The first place in (lo, hi] where the guard is past its level; it is at hi and is not at lo.
double guard_samples_locate(const GuardPath* path, double lo, double hi);

// Surely no crossing in the step of an island: all that it reads together cannot get that far.
bool guard_path_far(const GuardPath* path);

// guard_short.c: the largest number that g was added up from, where the states are loaded. What is not a sum is known
// by its motion: a single state that it reads rounds by its own size.
double guard_largest_term(const GuardPath* path, double g, double slope);
// The first place from `at` on where the guard is past its level; inf: nowhere before `limit`. Rounding may want a few
// units more than the polynomial says; of a sum of states they are known, by its slope (0: not known), and nothing
// closer is asked for.
double guard_push_past(const GuardPath* path, double at, double limit, double slope);

// The search in the step of an island in which all its guards are sums of states and these are parabolas at most.
typedef enum GuardShort
{
    SHORT_UNSURE,   // not such a step, or something is close to something else: the general search tells
    SHORT_CLEAR,    // nothing crosses
    SHORT_CROSSED,  // one does, at *theta, and is kernel->located
} GuardShort;
// Whether no guard of the island can have crossed in its last step, told by how far states can get. For a step that an
// instant follows which arms them again.
bool guards_are_out_of_reach(Flow* flow, uint32_t island);
GuardShort guard_search_short(Flow* flow, uint32_t island, double* theta);
// The same of one guard in a window of several islands; with its slope there.
GuardShort guard_look_short(const GuardPath* path, double* theta, double* slope);
// The same in flow->flight, which has not been taken, of a model with one island. True: *guard crosses at *theta,
// alone.
bool guard_search_flight(Flow* flow, uint32_t* guard, double* theta);
// The same of the guards of a routine, armed where the flight starts. NULL: none, or that is not plain to see.
RoutineGuard* guard_search_routine(Flow* flow, Routine* r, double* theta);
bool guards_are_plain(const Flow* flow, const Routine* r);  // all of them may be looked at so

// guard_leap.c: the same in flow->leap, which has not been taken, of a model with one island.
// No guard can have crossed; g and slope at its end are noted.
bool leap_is_clear(Flow* flow);
kaiStatus leap_pass(Flow* flow, double t);  // then they pass that end
// True: *index crosses at *theta, alone.
bool guard_search_leap(Flow* flow, uint32_t* index, double* theta);

void guard_note_touch(const GuardPath* path, double theta);

// What theta resolves: an ulp of t, or of the step where that starts near t = 0.
double guard_path_tolerance(const GuardPath* path);

#endif
