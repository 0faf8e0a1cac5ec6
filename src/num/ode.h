// Initial value problems x' = f(t, x), one step at a time. This room knows no models: it sees n doubles and a function.
//
// Contract of every method. `ode_step` takes one accepted step from t to at most `limit` and leaves a dense output over
// that step: `ode_dense` with theta in [0, 1]. The caller may then cut the step at a theta (`ode_cut`: an event was
// located there) and go on from there, or change the state and call `ode_restart`. A one-step method restarts for free.
// Everything that changes lives in one block, so that a snapshot is a copy (CVODE excepted: see ode_save). Nothing is
// allocated after ode_create.
//
// Status: 0 done, < 0 failed (ODE_ERR_...).
#ifndef KAIROS_NUM_ODE_H
#define KAIROS_NUM_ODE_H

#include "base/few.h"
#include "kairos/base.h"

#include <stdbool.h>
#include <string.h>

#define ODE_METHODS(X)                                                                                                 \
    X(AUTO, "auto", "taylor; rk45 where there is no power series, rosenbrock or cvode_bdf where stability limits it")  \
    X(RK45, "rk45", "Dormand-Prince 5(4), 4th-order dense output, PI step control")                                    \
    X(RK23, "rk23", "Bogacki-Shampine 3(2), cubic Hermite dense output")                                               \
    X(EULER, "euler", "forward Euler, fixed step")                                                                     \
    X(RIEMANN, "riemann", "fixed step, integrals by the right Riemann sum")                                            \
    X(BACKWARD_EULER, "backward_euler", "backward Euler, fixed step, halved where Newton does not converge")           \
    X(TRAPEZOID, "trapezoid", "trapezoidal rule, variable step")                                                       \
    X(ROSENBROCK, "rosenbrock", "Rodas4, stiffly accurate, dense output")                                              \
    X(CVODE_ADAMS, "cvode_adams", "SUNDIALS CVODE, Adams with fixed point iteration")                                  \
    X(CVODE_BDF, "cvode_bdf", "SUNDIALS CVODE, BDF with Newton iteration")                                             \
    X(TAYLOR, "taylor", "power series of the model itself, order and step from the tolerance")

typedef enum OdeMethod
{
#define X(name, text, about) ODE_##name,
    ODE_METHODS(X)
#undef X
        ODE_METHOD_COUNT
} OdeMethod;

// What the first step after a breakpoint uses (paper 004, section 3.2): the method itself, backward Euler, or impulse
// backward Euler (one backward Euler step of the smallest size forward, then the same step backward in time).
typedef enum OdeBreakpoint
{
    ODE_BREAK_SAME,
    ODE_BREAK_BACKWARD_EULER,
    ODE_BREAK_IBE,
} OdeBreakpoint;

enum
{
    ODE_OK = 0,
    ODE_ERR_RHS = -1,       // f returned nonzero, which is in OdeStats.rhs_status
    ODE_ERR_STEP = -2,      // the step size fell below what t can resolve
    ODE_ERR_CONVERGE = -3,  // an implicit equation could not be solved, even with the smallest step
    ODE_ERR_LINEAR = -4,    // a singular matrix, even with the smallest step
    ODE_ERR_MEMORY = -5,
    ODE_ERR_NAN = -6,     // f returned a NaN at the start of a step
    ODE_ERR_SERIES = -7,  // taylor: f has no power series there
};

enum
{
    ODE_NO_SERIES = 1000,  // OdeSystem.series: f has none
    ODE_ENDLESS = 1000,    // OdeSystem.degree: the solution is no polynomial
    ODE_WHOLE = 999,       // nor here, but its series converges everywhere, and its defect is its next term and `rest`
    ODE_ORDER = 30,        // the highest order of taylor
};

// The system. `jacobian` may be NULL (then it is made by differences); it fills the values of df/dx in the order of the
// compressed-column pattern, and df/dt if `dfdt` is not NULL.
typedef struct OdeSystem
{
    int n;
    void* ctx;
    // For taylor and auto, NULL otherwise or if there are none. The solution through (t, x[0]) is the sum of x[k]
    // theta^k: makes x[k + 1] for from <= k < to; x[from] and all before are there. from = 0 is a new expansion, whose
    // f(t, x[0]) = x[1] has the bits of rhs; then the orders follow one another. Status as rhs, or ODE_NO_SERIES.
    int (*series)(void* ctx, double t, int from, int to, double* const* x);
    // After order 0, or NULL: the degree of the solution if it is a polynomial by structure; ODE_WHOLE or ODE_ENDLESS
    // if not.
    int (*degree)(void* ctx);
    int (*rhs)(void* ctx, double t, const double* x, double* dx);
    int (*jacobian)(void* ctx, double t, const double* x, double* values, double* dfdt);
    const int* column_start;  // n + 1 entries, or NULL: dense
    const int* row_index;     // column_start[n] entries, ascending in a column
    // After order 0, or NULL: where taylor notes how many orders it took, kept for each field that the system has. Only
    // the cost depends on it.
    int* (*orders)(void* ctx);
    // After order 0, or NULL: where every order is a sum of x[1] and of other numbers of order 0, these numbers (at
    // most `room` of them) and how many there are; -1: it is not so. The same key, the same factors of these sums.
    int (*inputs)(void* ctx, int room, double* inputs, uint64_t* key);
    // Orders 2 to `to` of an x[1] and of such numbers that the caller gives.
    void (*try_inputs)(void* ctx, const double* inputs, int to, double* const* x);
    // After order 0, or NULL: a linear field of few states as a small matrix; NULL: it is not such a one.
    const FewField* (*few)(void* ctx);
    // After an order of ODE_WHOLE, or NULL: a bound of the terms from this order on that the slopes get from what is no
    // state, within h; the largest, by the weights of the states.
    double (*rest)(void* ctx, int order, double h, const double* weights);
} OdeSystem;

typedef struct OdeOptions
{
    OdeMethod method;
    OdeBreakpoint breakpoint;
    double rtol, atol;   // error per step below atol unit + rtol |x|, root mean square over the states (ode_set_unit)
    double step;         // fixed methods: the step; others: the first step, 0 = choose
    double max_step;     // 0 = no limit
    double min_step;     // 0 = what time resolves
    int max_iterations;  // of Newton's method and of fixed points in one step; 0 = what the method takes
} OdeOptions;

typedef struct OdeStats
{
    int64_t steps, rhs_calls, restarts, rejected, jacobian_calls, factorisations, newton_iterations, halvings;
    int64_t broken;  // of the rejected ones, how many f broke off (a NaN); `halvings`: how many Newton's iteration did
    int rhs_status;  // what f returned when it failed
    int worst;       // the state with the largest share of the error in the last step that was rejected, or -1
} OdeStats;

typedef struct Ode Ode;  // the head of the block; opaque but for two times, which are asked for all the time

enum
{
    ODE_AT_TIME = 0,
    ODE_AT_START = 8,
};

// Name of a method ("rk45"), and back; -1 if there is none.
const char* ode_method_name(OdeMethod method);
const char* ode_method_about(OdeMethod method);
int ode_method_find(const char* name);
bool ode_method_is_fixed(OdeMethod method);  // its steps are as long as the user says
// It may ask for the Jacobian: a program for that is worth making.
bool ode_method_uses_jacobian(OdeMethod method);

OdeOptions ode_default_options(void);

// A solver for one system; `system` must outlive it. NULL if the allocator gave nothing, or as ode_trouble says.
Ode* ode_create(const OdeSystem* system, const OdeOptions* options, kaiAllocator allocator);
void ode_destroy(Ode* ode);
// Why ode_create cannot serve this system with this method, as a sentence in static memory: it needs a part of Kairos
// that is not there. NULL: it can.
const char* ode_trouble(const OdeSystem* system, const OdeOptions* options);

// Start, or start again after the state or the vector field changed. Keeps the step size as a guess, but for `fresh`.
int ode_restart(Ode* ode, double t, const double* x, bool fresh);

// One accepted step, not beyond `limit` (> t). A step that would end within a few ulp of `limit` ends at `limit`
// exactly.
int ode_step(Ode* ode, double limit);

// What counts as 1 for atol in a state, 1 unless said otherwise: a charge of 1e-6 C is no small one. Before the first
// step.
void ode_set_unit(Ode* ode, int state, double unit);
double ode_tolerance(const Ode* ode, int state);  // atol of a state, which a method of fixed steps does not heed
double ode_allowance(const Ode* ode, int state);  // the error that the last step was allowed in a state
double ode_shortest_step(const Ode* ode);         // that may be taken from where it stands

// The last step: its two ends, and the state and slope at its end (valid until the next call that changes it).
static inline double ode_time(const Ode* ode)
{
    double t;
    memcpy(&t, (const char*)ode + ODE_AT_TIME, sizeof t);
    return t;
}
// taylor: x belongs to ode_time + ode_time_low. A cut ends where theta says, which t can only tell to an ulp; the next
// step is longer or shorter by that, so that it ends where it should.
double ode_time_low(const Ode* ode);
static inline double ode_step_start(const Ode* ode)
{
    double t;
    memcpy(&t, (const char*)ode + ODE_AT_START, sizeof t);
    return t;
}
// Its memory is going to be needed: fetches it. Changes nothing.
void ode_fetch(const Ode* ode);
// What theta counts in the dense output of the last step: ode_cut(theta) ends at start + theta · length, to the last
// digit.
double ode_dense_length(const Ode* ode);
// The length of the step in work, or of the last one, as a fixed method multiplies with it: the difference of the two
// times may be some ulp of t away from it. f may ask for it.
double ode_step_length(const Ode* ode);
const double* ode_state(const Ode* ode);
const double* ode_slope(const Ode* ode);
const double* ode_start_state(const Ode* ode);
const double* ode_start_slope(const Ode* ode);

// State at the fraction theta of the last step; `slope` (dx/dt on the interpolant) may be NULL.
void ode_dense(Ode* ode, double theta, double* x, double* slope);

// The same for a few states only: x[index[i]] for i < count.
void ode_dense_some(Ode* ode, double theta, const int* index, int count, double* x);

// One state, and with its slope.
double ode_dense_value(Ode* ode, double theta, int state);
void ode_dense_one(Ode* ode, double theta, int state, double* x, double* slope);

// The last step as polynomials in time since its start, in seconds, good for [0, ode_dense_length]. What ode_dense
// evaluates, whatever the method; the degree is at most ODE_ORDER.
int ode_piece_degree(const Ode* ode);
// Those of one state, where that is a power series from the start of the step on, of degree 2 at most. False: it is
// not.
bool ode_short_piece(Ode* ode, int state, double c[3]);
bool ode_is_series(const Ode* ode);  // as a power series from its start on
// The coefficients of one state (degree + 1 of them), and coefficient k of all states.
void ode_piece(Ode* ode, int state, double* coefficients);
void ode_piece_order(Ode* ode, int k, double* coefficients);
// Adds `factor` times the coefficients of a state, from order 1 on, to a polynomial of that degree: its new degree. -1:
// the step is no power series from its start on, and nothing was added.
int ode_piece_add(Ode* ode, int state, double factor, int degree, double* c);

// The last step of few states, where it is a power series of degree 2 at most: ode_dense at theta is that of the time
// theta * scale * length after its start. False: it is none of these.
typedef struct OdeShort
{
    int n, terms;  // of each state
    double scale, length;
    int64_t taken;  // steps of the solver
    const double* c[3];
} OdeShort;
bool ode_short_step(const Ode* ode, OdeShort* step);

// How far a state can have got from where the last step began, anywhere in it: not less than that. Infinite where the
// step is no power series.
double ode_reach(const Ode* ode, int state);

// A flight: the step from here to `limit` at most, where that is a short polynomial by structure, with nothing of the
// solver changed yet. Whoever knows where it ends takes it that far; whoever does not takes a step as usual.
typedef struct OdeFlight
{
    double start, length;
    int degree;          // 1 or 2
    const double* c[3];  // coefficients of all states, in seconds
} OdeFlight;
// `degree`, 1 or 2, is that of the system. False: there is none from here.
bool ode_flight(Ode* ode, int degree, double limit, OdeFlight* flight);
bool ode_flies(const Ode* ode);  // it has just started again, and may fly
// What takes the steps of few states back that are taken from here to the next restart and through it: where the solver
// stands, not its last step.
enum
{
    ODE_KEPT = 128,  // numbers
};
typedef struct OdeKept
{
    double state[ODE_KEPT];
    double x[FEW_STATES], slope[FEW_STATES], carry[FEW_STATES];
} OdeKept;
bool ode_keeps(const Ode* ode);
void ode_keep(const Ode* ode, OdeKept* kept);
void ode_back(Ode* ode, const OdeKept* kept);
void ode_wake(Ode* ode);  // it did so before a snapshot was taken: order 0 of the system is made again
// Starts again at (t, x), where f is known and the series of the system begins: what ode_restart does. False: it has to
// be asked. Where ode_relaunches says no, it always has.
bool ode_relaunches(const Ode* ode);
bool ode_relaunch(Ode* ode, double t, const double* x, const double* f);
// A step of `theta` of its length, as if the whole had been taken and cut there.
void ode_fly(Ode* ode, const OdeFlight* flight, double theta);

// A leap: the step of a linear field of few states with products (few.h) from a restart to `limit` at most, made and
// not taken: nothing of the solver has changed. Whoever finds what ends it starts the solver again there, or takes a
// step as usual, which is this one.
typedef struct OdeLeap
{
    double start, end, length;
    int degree;
    double* const* c;          // coefficients of all states, order by order, in seconds
    const double *x, *slopes;  // at its end
} OdeLeap;
bool ode_leap(Ode* ode, double limit, OdeLeap* leap);
void ode_leap_take(Ode* ode, const OdeLeap* leap, double theta);  // as ode_step does, and ode_cut at theta < 1
// Where a cut at theta < 1 ends: its time, and the states.
double ode_leap_to(const Ode* ode, const OdeLeap* leap, double theta, double* x);
// The step was taken up to theta (1: all of it), and the solver has started again there, from x with the slopes f.
void ode_leapt(Ode* ode, const OdeLeap* leap, double theta, const double* x, const double* f);

// A glide (glide.c): where the motion is a short polynomial by structure, all that a solver does from restart to
// restart is a step that ends where the next restart is, and of all that it knows this is what matters. So the solver
// stands aside, whoever has it asks it for nothing, and its steps are taken here, with the same bits; ode_land puts it
// where it would be. The coefficients of the step are the caller's: GLIDE_TERMS for each state, of which the first two
// are x and f at its start; so is what sums carry on, a number for each state, 0 after a restart.
enum
{
    GLIDE_TERMS = 3,
    GLIDE_STATES = 4,  // at most
};
typedef struct OdeSpan  // the last step
{
    double start, end;
    double scale, length;  // scale * length is what theta counts: ode_dense_length
} OdeSpan;
typedef struct OdeGlide
{
    double low, start_low;  // what the two times lack: ode_time_low
    double event_time, event_mean;
    double next;
    uint32_t steps, restarts, calls;  // that the solver has not counted yet; calls of f
    uint8_t n, degree;                // 1 or 2
    uint8_t held;                     // steps since the restart
    bool carries;                     // what is carried on is not 0
} OdeGlide;
// Whether a solver that is going to start again may stand aside; then it does, before that.
bool ode_take_off(const Ode* ode, int degree, OdeGlide* glide, OdeSpan* step);
void glide_restart(OdeGlide* glide, OdeSpan* step, double t);
// The step to `limit` at most. False: the solver has to take it, and nothing has changed.
bool glide_step(OdeGlide* glide, OdeSpan* step, double limit, const double* c, const double* carry);
// The end of a step that nothing has ended before: where the next one begins, and what is carried on to it. False: the
// solver has to take that. Whoever has f there goes on (glide_resume), then steps.
bool glide_end(const OdeGlide* glide, const OdeSpan* step, const double* c, const double* carry, double* x,
               double* lost);
void glide_resume(OdeGlide* glide);
// glide_leave, glide_farthest: num/glide.h
void ode_land(Ode* ode, OdeGlide* glide, const OdeSpan* step, const double* c, const double* carry);

// Discard the part of the last step after theta: t and x become those at theta. Goes on without a restart only if the
// caller does not change anything; f is evaluated anew.
void ode_cut(Ode* ode, double theta);
// The last step is not believed after theta, which may be 0: then it has never been. The next one is not longer than
// `next`. No event.
void ode_retreat(Ode* ode, double theta, double next);
// f was asked for elsewhere since the last step: the series of the system does not begin at its end any more.
void ode_asked(Ode* ode);
// A cut where a restart follows at once, which brings the state.
void ode_leave(Ode* ode, double theta);

// f where the solver stands, unless it is known: after ode_cut the slope is that of the interpolant until the next
// step.
int ode_evaluate(Ode* ode);

// Impulse backward Euler in single steps, for a caller who has something to do between them: one right Riemann step
// (backward Euler) of length h, backward in time if h < 0, to t_end. No step control; the dense output is a point.
int ode_impulse_step(Ode* ode, double h, double t_end);

// Limit the next steps (somebody asks for caution); 0 removes the limit.
void ode_set_max_step(Ode* ode, double max_step);
double ode_next_step(const Ode* ode);

OdeStats ode_stats(const Ode* ode);
int64_t ode_step_count(const Ode* ode);
// The state with the largest share of the error in the step that has just been taken: the one that the next step is
// chosen for. -1: none, or the method has a fixed step. Costs a pass over the states.
int ode_limiting(Ode* ode);

// The method that takes the steps now, which only `auto` ever changes.
OdeMethod ode_method(const Ode* ode);
// Why auto took a method.
#define ODE_REASONS(X)                                                                                                 \
    X(SERIES, "the equations have power series")                                                                       \
    X(NO_SERIES, "the equations have no power series: external, random or delayed")                                    \
    X(BORDER, "the power series ends close by: a root or a power near 0, the border of a domain")                      \
    X(STIFF, "stability limits the steps of explicit methods: the equations are stiff")                                \
    X(PAYS, "it gets on faster again")                                                                                 \
    X(INSTANT, "an instant has changed what ended the power series")
typedef enum OdeReason
{
#define X(name, text) ODE_REASON_##name,
    ODE_REASONS(X)
#undef X
} OdeReason;
const char* ode_reason_text(OdeReason reason);
typedef struct OdeChange
{
    double t;
    OdeMethod method;
    OdeReason reason;
} OdeChange;
// The changes of an `auto`, the start among them: how many, and change i < min(count, ODE_CHANGES) of them; the last
// place is for the latest. Other methods have none.
enum
{
    ODE_CHANGES = 8
};
int64_t ode_change_count(const Ode* ode);
OdeChange ode_change(const Ode* ode, int index);
int64_t ode_steps_of(const Ode* ode, OdeMethod method);  // of an `auto`

// Snapshot: `size` bytes. For CVODE taking a snapshot reinitialises the integrator, so that the run that goes on and
// the one that is resumed agree bit for bit.
size_t ode_save_size(const Ode* ode);
void ode_save(Ode* ode, void* block);
int ode_load(Ode* ode, const void* block);

#endif
