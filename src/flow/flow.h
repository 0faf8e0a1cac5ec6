// Floor 2: time. Solvers, islands and their steps, crossings inside a step, what goes into delays, numeric impulses,
// initial equations, and the loop that goes from instant to instant. What happens at an instant is the kernel's.
#ifndef KAIROS_FLOW_FLOW_H
#define KAIROS_FLOW_FLOW_H

#include "kernel/kernel.h"
#include "num/ode.h"
#include "num/root.h"
#include "vm/range.h"
#include "vm/series.h"
#include "vm/slice.h"

typedef struct Flow Flow;

// What the loop asks of listeners.
typedef struct FlowHooks
{
    kaiStatus (*point)(void* owner);                             // a solver point, no instant
    kaiStatus (*between)(void* owner, double from, double to);   // the steps between two times are known
    kaiStatus (*end)(void* owner);                               // an instant has been recorded
    kaiStatus (*passed)(void* owner, uint32_t guard, double t);  // a window ended without a crossing
    bool (*leaves)(void* owner, double* theta);     // the first place in the step where a held state leaves
    void (*bend)(void* owner);                      // the derivatives in the registers: along surfaces, if on any
    kaiStatus (*check)(void* owner, bool instant);  // at every time reached
} FlowHooks;

// An island in a run: its solver is island_ode(flow, i), whose last step holds the present. Where that step is a short
// polynomial, it stands here and in flow->shorts (decision 0226), and nobody else needs the solver; nor does the island
// while it glides (glide.c). Two lines of the cache: in the first what neighbours ask for.
typedef struct IslandState
{
    double loaded;    // the time whose states are in the registers; NaN = none
    OdeSpan step;     // the last step, if it is known here
    double pin_time;  // a located guard put this time at `pin` of the step
    uint64_t sloped;  // kernel->moment for which the registers of its derivatives are exact
    uint32_t base;    // its states are consecutive from this one on; NO_REG: they are not
    uint8_t terms;    // of the last step as a polynomial; 0: it is not shown
    bool known;       // `step` and `taken` are what the solver has, or would have
    bool gliding;     // glide.c takes its steps, and the solver stands where that began
    uint8_t count;    // of its states; COUNT_MANY: so many or more
    uint8_t creeps;   // guard_back.c
    double pin;
    uint64_t own;           // kernel->touch of the instant at which a guard that reads it was located
    int64_t taken;          // steps of the solver
    uint64_t disturbed_at;  // kernel->touch when it started again last
    double pushed;          // what goes into its delays has been looked at there
    double ahead;           // the longest way it was ahead of the rest
    int64_t rollbacks;
    bool begun;        // its solver has started
    bool due;          // it stands at the present and must take a step
    bool steps;        // it has something to do between instants
    bool guarded;      // a guard may switch its equations
    bool watched;      // a guard reads it alone
    bool beyond;       // its solver has tried points beyond the domain of an operator
    bool ends_beyond;  // a guard has been looked for there
    bool free;         // nothing that is scheduled disturbs it
} IslandState;

typedef struct Glide  // of an island that glides; a line of the cache
{
    OdeGlide ode;
    CodeRange code;  // its derivatives
} Glide;

enum
{
    PIECE_TERMS = 3,  // of a short polynomial at most; it has 2 at least
    AHEAD_SEEN = 8,
    COUNT_MANY = 255,
};

typedef struct IslandSystem  // what the solver of an island calls back with; two lines of the cache
{
    Flow* flow;
    Series* series;  // solver = taylor, auto
    double* states;  // registers of its states, where they lie side by side; or NULL
    uint32_t island;
    uint32_t obstacle;  // the register that had no series when there was none
    OdeSystem system;
    const uint32_t* entries;  // of its Jacobian: numbers in model->jacobian_values
    double until;             // how far the delayed signals go that the series has read
} IslandSystem;

// A guard that is searched for in a step.
typedef struct Candidate
{
    uint32_t guard;
    double reached;  // as a part of the step: so far it is known
    double side;     // what a crossing remembers there
    double after;    // where it has crossed; inf: nowhere yet
    uint32_t windows, gaps;
} Candidate;

// Of a guard that is a sum of states: factor · times / over for one of its states; NO_REG: 1.
typedef struct GuardTerm
{
    uint32_t state, times, over;
    double factor;
} GuardTerm;

typedef struct SharpBox SharpBox;

// What the program of an island has of operators that can hide something (hidden.c).
typedef struct Sharp
{
    bool any;
    Slice* slice;           // the part of it that they need; NULL: all
    uint32_t first, count;  // in flow->sharp_slots: the states that it reads
    SharpBox* box;          // what holds for steps to come; NULL: each is asked by itself
} Sharp;

#define FLOW_STATE(X)                                                                                                  \
    X(bool, started)                                                                                                   \
    X(bool, ended)

// Type, name, elements, how many of them a snapshot holds.
#define FLOW_ARRAYS(X)                                                                                                 \
    X(IslandState, islands, model->islands_count, model->islands_count)                                                \
    X(Ode*, island_odes, model->islands_count, 0) /* saved one by one */                                               \
    X(Glide, glides, model->islands_count > 1 ? model->islands_count : 0, 0)                                           \
    X(IslandSystem, island_systems, model->islands_count, 0)                                                           \
    X(double, shorts, PIECE_TERMS*(size_t)model->state_count, 0) /* of each state, in short steps: coefficients */     \
    X(double, carried, model->islands_count > 1 ? model->state_count : 0, 0) /* of each state, in glides */            \
    X(double, island_x, model->state_count, 0)                                                                         \
    X(double, island_dx, model->state_count, 0)                                                                        \
    X(double, island_start, model->state_count, 0)                                                                     \
    X(int, island_columns, model->state_count + model->islands_count, 0) /* patterns of their Jacobians */             \
    X(int, island_rows, model->jacobian_rows_count, 0)                                                                 \
    X(uint32_t, island_entries, model->jacobian_rows_count, 0)                                                         \
    X(bool, small, model->state_count, 0)          /* states that have never reached their absolute tolerance */       \
    X(uint32_t, small_in, model->islands_count, 0) /* how many of them an island has */                                \
    X(double, small_size, model->state_count, 0)   /* and the largest they were */                                     \
    X(Candidate, candidates, model->guards_count, 0)                                                                   \
    X(Series*, guard_series, model->guards_count, 0) /* of those that are searched, made when first asked for */       \
    X(Slice*, guard_slices, model->guards_count, 0)  /* and what one without code of its own takes of `look` */        \
    X(Hot, guard_hots, model->guards_count, 0)       /* their code, or `look` */                                       \
    X(Series*, feed_series, model->delays_count, 0)  /* of what goes into delays */                                    \
    X(Series*, past_series, model->delays_count, 0)  /* and of what went in before the start */                        \
    X(bool, delay_read, model->delays_count, 0)      /* by right-hand sides */                                         \
    X(bool, guard_affine, model->guards_count, 0)    /* a sum of its states with factors, and a constant */            \
    X(bool, guard_direct, model->guards_count, 0)    /* and nothing but one state as it is */                          \
    X(double, guard_factors, model->guard_states_count, 0)                                                             \
    X(uint32_t, guard_term_first, model->guards_count + 1, 0)                                                          \
    X(Sharp, sharp, model->islands_count, 0)                                                                           \
    X(uint8_t, sharp_unread, model->reg_count, 0) /* results of sharp operators that no other one needs */             \
    X(uint32_t, sharp_slots, model->state_count, 0)                                                                    \
    X(double, missed, model->state_count, 0)        /* hidden.c: what a polynomial has missed */                       \
    X(uint8_t, guard_sharp, model->guards_count, 0) /* hidden_is_sharp */                                              \
    X(uint8_t, feed_sharp, model->delays_count, 0)                                                                     \
    X(uint8_t, past_sharp, model->delays_count, 0)                                                                     \
    X(double, reaches, model->state_count, 0) /* how far it gets in the step that is searched */                       \
    X(uint64_t, reach_numbers, model->state_count, 0)                                                                  \
    X(int64_t, limited, owner->kernel->options->profile ? model->state_count : 0,                                      \
      0) /* steps each state is the reason of */                                                                       \
    X(int64_t, refused, owner->kernel->options->profile ? model->state_count : 0, 0) /* and rejections */

// Lists of numbers that are filled and emptied: name, room.
#define FLOW_LISTS(X)                                                                                                  \
    X(waiting, model->islands_count)  /* islands that must step */                                                     \
    X(delaying, model->islands_count) /* islands that feed delays */                                                   \
    X(looks, model->guards_count)     /* guards that want a look */

struct Flow
{
    const kaiModel* model;
    Kernel* kernel;
    const FlowHooks* hooks;
    void* owner;
    RootMethod root;
    SeriesSpace* series_space;
    uint64_t search_number;
    double* pieces;  // polynomials of what a guard reads
    uint32_t *piece_registers, piece_capacity;
    GuardTerm* guard_terms;
    double* guard_kept;    // registers, while a guard is looked at
    VmRanges* ranges;      // hidden.c; NULL: nobody has asked yet
    double* guard_errors;  // bounds of rounding, where they were asked for
    double* feed_rows;     // and of what a delayed signal reads
    uint32_t *feed_registers, feed_capacity;
    bool no_memory;                    // a search had none
    bool derived;                      // a start has been made: see flow_derive
    bool ends_known;                   // guards at the end of the step that is searched
    bool flies;                        // flight.c may serve this run
    bool beats;                        // beat.c may
    bool orbits;                       // orbit.c may
    bool strides;                      // stride.c may
    uint64_t silent;                   // instants that may pass before whoever runs this wants to know
    uint32_t orbit_wait, orbit_pause;  // steps that are taken without an orbit after one that was not worth it
    OdeFlight flight;
    OdeLeap leap;
    bool leapt;                            // the last step of an only island was one
    uint32_t seen[AHEAD_SEEN], seen_next;  // ahead.c: guards behind the first whose memory was fetched
    VmHost trial;                          // what right-hand sides run with while a solver tries
    uint32_t beyond, candidate_count, small_count;
#define X(type, name) type name;
    FLOW_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    FLOW_ARRAYS(X)
#undef X
#define X(name, count) IndexList name;
    FLOW_LISTS(X)
#undef X
    // Why a solver could not be made: a part is missing, or the model has not what it needs; NULL: none.
    const char* trouble;
};

// flow.c
bool flow_make(Flow* flow, Kernel* kernel, const OdeOptions* options, RootMethod root, const FlowHooks* hooks,
               void* owner);
void flow_free(Flow* flow);
size_t flow_save_size(const Flow* flow);
char* flow_save(const Flow* flow, char* block);
const char* flow_load(Flow* flow, const char* block, bool* ok);
kaiStatus flow_ode_failed(Flow* flow, uint32_t island, int status);

// size.c: nominal sizes; states that stay below their tolerance
kaiStatus nominals_start(Kernel* kernel);
void size_start(Flow* flow);
void size_look(Flow* flow, uint32_t island);  // after a step
void size_end(Flow* flow);

// run.c: parameters, start values, first latches, initial equations: all that comes before the first instant.
kaiStatus flow_prepare(Kernel* kernel);
// What a start makes of parameters and no snapshot holds: the equations of bond graphs, units of states. A run that
// gets a snapshot of another one has made them for other values, or not at all.
bool flow_is_derived(const Flow* flow);
kaiStatus flow_derive(Flow* flow);
// To the end of the next instant (KAI_INSTANT) or of the run (KAI_END).
kaiStatus flow_step(Flow* flow);
// The same, but not beyond t: KAI_OK if that came first; the run stands there then.
kaiStatus flow_step_to(Flow* flow, double t);
// The same, where nobody wants to know of up to `most` instants.
kaiStatus flow_run_to(Flow* flow, double t, uint64_t most);

// guard_affine.c: the factors of guards that are sums of states, where they hang on registers
void guard_affine_refresh(Flow* flow, uint32_t guard);
void guard_affine_refresh_all(Flow* flow);

// island.c
static inline double* island_rates(const Flow* flow, const IslandSystem* own)  // beside own->states, as these are
{
    return own->states + (flow->model->reg_first[REG_DERIV] - flow->model->reg_first[REG_STATE]);
}
kaiStatus islands_create(Flow* flow, const OdeOptions* options);
void island_load_at(Flow* flow, uint32_t island, double t);
static inline void island_load(Flow* flow, uint32_t island, double t)  // its states at t into the registers
{
    if (flow->islands[island].loaded != t)
        island_load_at(flow, island, t);
}
kaiStatus island_slopes_now(Flow* flow, uint32_t island);
static inline kaiStatus island_slopes(Flow* flow, uint32_t island)  // their derivatives, from what is loaded
{
    return flow->islands[island].sloped == flow->kernel->moment ? KAI_OK : island_slopes_now(flow, island);
}
// alone.c: false: it is not so, and nothing has changed but what order 0 has computed.
bool island_restarts_alone(Flow* flow);
// glide.c: an island whose motion is a short polynomial by structure starts again and steps without its solver.
void island_land(const Flow* flow, uint32_t island);           // its solver takes over
bool island_takes_off(Flow* flow, uint32_t island, double t);  // it starts again, where order 0 has been made
bool island_relaunch(Flow* flow, uint32_t island, double t);   // the same of one that glides; false: the solver must
void island_leave(Flow* flow, uint32_t island, double t);      // its step ends here
bool island_glides_on(Flow* flow, uint32_t island, double limit);  // a step; false: the solver has to take it
static inline Ode* island_ode(const Flow* flow, uint32_t island)
{
    if (flow->islands[island].gliding)
        island_land(flow, island);
    return flow->island_odes[island];
}
static inline double island_start(const Flow* flow, uint32_t island)
{
    const IslandState* s = &flow->islands[island];
    return s->known ? s->step.start : ode_step_start(flow->island_odes[island]);
}
static inline double island_end(const Flow* flow, uint32_t island)
{
    const IslandState* s = &flow->islands[island];
    return s->known ? s->step.end : ode_time(flow->island_odes[island]);
}
// What theta counts there: ode_dense_length.
static inline double island_length(const Flow* flow, uint32_t island)
{
    const IslandState* s = &flow->islands[island];
    return s->known ? s->step.scale * s->step.length : ode_dense_length(flow->island_odes[island]);
}
static inline int64_t island_taken(const Flow* flow, uint32_t island)
{
    const IslandState* s = &flow->islands[island];
    return s->known ? s->taken : ode_step_count(flow->island_odes[island]);
}
// A state of a short step at the fraction theta of it, and its slope: what the solver's dense output says, bit by bit.
static inline double island_value(const Flow* flow, const IslandState* s, double theta, uint32_t state)
{
    const double* c = flow->shorts + PIECE_TERMS * (size_t)state;
    double tau = theta * s->step.scale * s->step.length, sum = 0 * tau + c[s->terms - 1];
    if (s->terms > 2)
        sum = sum * tau + c[1];
    return sum * tau + c[0];
}
static inline double island_slope(const Flow* flow, const IslandState* s, double theta, uint32_t state)
{
    const double* c = flow->shorts + PIECE_TERMS * (size_t)state;
    double tau = theta * s->step.scale * s->step.length, sum = s->terms > 2 ? 0 * tau + 2 * c[2] : 0;
    return sum * tau + c[1];
}
// Where in its step a place in a window lies.
double island_window_theta(const Flow* flow, uint32_t island, double from, double length, double theta);
void island_look(Flow* flow, uint32_t island, double from, double length, double theta, bool slopes);
kaiStatus islands_restart(Flow* flow);                  // those that were disturbed, from the registers
kaiStatus islands_advance(Flow* flow);                  // those that wait take a step; guards look ahead
kaiStatus islands_arrive(Flow* flow, uint32_t island);  // its step has become the past; it waits for the next
void island_ends(Flow* flow, uint32_t island);          // states and slopes at the end of its step into the registers
// edge.c: the step size became too small because the solution ends. KAI_OK: no, or nobody knows; else said.
kaiStatus edge_explain(Flow* flow, uint32_t island);
uint32_t island_state(const Flow* flow, uint32_t island, uint32_t slot);
double island_theta(const Flow* flow, uint32_t island, double t);  // where t lies in its last step
void islands_wait(Flow* flow, uint32_t island);
void islands_look(Flow* flow, uint32_t guard);
void islands_refresh(Flow* flow);  // after a snapshot was restored

// island_cut.c
void island_count_step(kaiCounters* counters, double start, double length);  // one that its solver has chosen
// Its last step ends where something asks for an instant. False: it is not believed, and has to be taken again.
bool island_cut(Flow* flow, uint32_t island);
// The only island of a model, which waits for a step, takes one to `limit`, where something is due.
typedef enum IslandReach
{
    REACH_EARLIER,   // it could not, or stands earlier, as after islands_advance
    REACH_LIMIT,     // it stands there, and still waits for the next
    REACH_CROSSING,  // kernel->located has crossed where it stands; nothing else is due there. It still waits
} IslandReach;
IslandReach island_reaches(Flow* flow, double limit);
static inline bool island_is_few(const Flow* flow)  // that of a linear field of few states, or no series is known yet
{
    const Series* series = flow->island_systems[0].series;
    return series != NULL && series_few(series) != NULL;
}
// Its step to `limit` at most is flow->leap, which has not been taken. False: it is none of a linear field of few
// states.
bool island_leaps(Flow* flow, double limit);

// flight.c: from one instant to the next, where all that can come between is the crossing of a guard and the motion is
// a short polynomial. True: the island stands at *t, the guard is kernel->located and nothing else is due; false:
// nothing has changed. The same that steps, searches and the agenda come to, without them.
bool flight_serves(const Flow* flow);  // this run, at any time
bool flight_take(Flow* flow, double until, double* t);

// beat.c: from one instant to the next tick of a clock, or to a crossing before it. True: the island stands at *t, the
// clock is due or the guard is located, and nothing else is; false: the general way goes on from here.
bool beat_serves(const Flow* flow);  // this run, at any time
bool beat_take(Flow* flow, double until, double* t);
// A clock is due next, at *tick, and nothing else with it; the island waits for the step to there.
bool beat_is_next(const Flow* flow, double until, uint32_t* clock, double* tick);

// orbit.c: many instants in one go, before `until` and where nobody looks. How many: `most` of them at most; 0: the
// general way has to go on.
bool orbit_serves(const Flow* flow);  // this run, at any time
uint64_t orbit_take(Flow* flow, double until, uint64_t most);

// stride.c: the same where clocks tick and the solver takes the steps. *status: KAI_OK, or what has gone wrong in the
// last of them.
bool stride_serves(const Flow* flow);
uint64_t stride_take(Flow* flow, double until, uint64_t most, kaiStatus* status);

// run.c: the only island stands at t, where kernel->located has crossed or what is listed is due: it passes what is no
// crossing; the instant there.
kaiStatus flow_arrive(Flow* flow, double t);
kaiStatus flow_plain_instant(Flow* flow, double t);

// ahead.c: fetches the memory of what comes next. Nothing else. It is told by scenes, which are made at the start.
void ahead_prepare(Flow* flow);
void ahead_fetch(Flow* flow);

// expansion.c: power series of an island, for solver = taylor and auto
bool expansion_exists(const Flow* flow, uint32_t island);  // nothing in its code is without one
kaiStatus expansion_create(Flow* flow, IslandSystem* own);
void expansion_free(Flow* flow);

// guard_rounding.c: one bound for each register of the model, for vm_rounding; all are 0 but in the midst of a
// question. NULL: no memory.
double* rounding_bounds(Flow* flow);

// hidden.c: what may be hidden inside a step
bool hidden_create(Flow* flow);
void hidden_free(Flow* flow);
VmRanges* hidden_ranges(Flow* flow);  // NULL: no memory
// Whether a program has operators that can hide something; `answer` remembers it (0: not asked yet).
bool hidden_is_sharp(Flow* flow, const uint32_t* words, uint32_t count, uint8_t* answer);
// The range of a register on [0, h], from its value and the coefficients of a polynomial from order 1 on, `stride`
// apart.
void hidden_set_range(Flow* flow, uint32_t reg, const double* c, uint32_t stride, int degree, double h);
// The same at one place of it, HIDDEN_PLACE * h. What is not known even there no division of a step can narrow.
void hidden_set_place(Flow* flow, uint32_t reg, const double* c, uint32_t stride, int degree, double h);
// ode_step of an island, and no further than nothing can be hidden.
int hidden_step(Flow* flow, uint32_t island, double limit);

// hidden_box.c: an answer for more than one step. `seen`: a byte per register, all 0. False: no memory.
bool box_create(Flow* flow, uint32_t island, uint8_t* seen);
void box_free(SharpBox* box, kaiAllocator a);
// How a side moves in the step that is asked about, as in ranges_set; 0 is time, then come the states of the slice.
void box_set(SharpBox* box, uint32_t side, double middle, double slope, double rest);
// True: nothing is hidden in this step. False: that is not known.
bool box_answers(SharpBox* box, Flow* flow, const Slice* slice);

// crossing.c
// Looks for crossings of the guards that read this island alone in its last step; kernel->located are those at the
// first. True: the step must be cut at *theta.
bool guard_search(Flow* flow, uint32_t island, double* theta);
void guard_keep_sides(Flow* flow, uint32_t island, double theta);  // what others remember there, where it is cut
// guard_back.c: whether what is located at theta is the error of the step. None is located then.
typedef enum GuardBack
{
    BACK_NOT,
    BACK_SOME,  // the step ends before it now
    BACK_ALL,   // the step has not been taken
} GuardBack;
GuardBack guard_steps_back(Flow* flow, uint32_t island, double theta);
kaiStatus guard_check_domain(Flow* flow, uint32_t island);  // where its step begins
void guard_excuse(Flow* flow, uint32_t island);             // what is rounding there
void guard_armed(Flow* flow, uint32_t index);
// Looks from where the guard stands to `until`, and says when it is due; passes the end of its window.
void guard_look(Flow* flow, uint32_t index, double until);
kaiStatus guard_pass(Flow* flow, uint32_t index);
bool guard_is_held(const Flow* flow, uint32_t index);
// guard_reach.c: the side on which a crossing `up` or `down` arrives at the left limit of this instant, having come
// from where it fires to; 0: it does not.
int guard_reaches(Flow* flow, uint32_t index);
// guard_rounding.c: whether its slope, where the states in the registers are, is no more than what rounding makes of 0.
bool guard_stands(Flow* flow, uint32_t index);

// pulse.c: numeric impulses; for runs with them (kernel_numeric).
void pulse_start(Flow* flow);                     // registers; a warning if the numbers can overflow
void pulse_trial(Flow* flow, double t);           // the solver tries a step that ends at t
void pulse_step_taken(Flow* flow);                // the solver ended a step, or its end was cut off
void pulse_left_limit(Flow* flow);                // the left limit of an instant is known
kaiStatus pulse_step_done(Flow* flow);            // a step without an instant has been recorded
kaiStatus pulse_settle(Flow* flow, bool* moved);  // breakpoint_solver = ibe, at the end of an instant

// initial.c
kaiStatus initial_solve(Kernel* kernel);

// feed.c: what goes into delays. False: no memory.
bool feeds_create(Flow* flow);
void feeds_free(Flow* flow);
kaiStatus delay_feed_pasts(Flow* flow);                            // what was given of the time before the start
kaiStatus delay_feed_back(Flow* flow, uint32_t delay, double at);  // more of it, where `at` needs that
kaiStatus delay_feed(Flow* flow, uint32_t island);                 // in an island's last step, which it may cut
void delay_cut(Flow* flow, uint32_t island, double t);             // the step ends here
kaiStatus delay_before(Flow* flow, double t);                      // before an instant changes anything
kaiStatus delay_instant(Flow* flow);                               // after an instant

// reach.c: how far a step may go that reads delayed signals.
void reaches_create(Flow* flow);
// After a solver failed: a delay that has become too short for any step is the reason, and said so.
kaiStatus delay_too_short(Flow* flow, uint32_t island);
// The limit of a step from t on, and what breaks there.
kaiStatus delay_limit(Flow* flow, uint32_t island, double t, double* limit);

// pace.c: runs with delays that would never end.
typedef struct Pace
{
    double time;     // at the last look
    uint32_t still;  // looks since time went on
} Pace;
kaiStatus pace_check(Flow* flow, uint32_t delay);  // after each polynomial that goes into it
// The same for the polynomials of a past that begins at `from`.
kaiStatus pace_check_past(Flow* flow, uint32_t delay, double from, uint32_t parts);
kaiStatus pace_check_delay(Flow* flow, uint32_t delay, double T, double t);  // a T that is nothing beside t
kaiStatus pace_check_step(Flow* flow, Pace* pace);                           // time goes on, or something happens

#endif
