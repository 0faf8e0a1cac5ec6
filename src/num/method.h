// What all methods of this room share: the solver block, the table of a method, and the helpers that sit in inner
// loops. Internal to src/num; other rooms see ode.h.
//
// Vectors. `x` and `slope` belong to the end of the last step (where the next one starts); a trial step writes its
// result into the buffers `x_start` and `slope_start`, which are free then, and accepting a step swaps the pointers. So
// a step that fails leaves the solver where it was, and nothing is copied.
//
// Dense output. Every one-step method has one in the nested form of Hairer, Norsett and Wanner (II.6)
//     x(theta) = x_start + theta (r0 + u (r1 + theta (r2 + u r3))),  u = 1 - theta,
// cut off after r0 (linear), r2 (cubic) or r3 (quartic); CVODE has a Taylor polynomial around the end of the step,
//     x(theta) = sum r_k (theta - 1)^k,
// taylor one around its start in seconds,
//     x(theta) = sum r_k (theta h)^k,
// so that one evaluator serves all. The coefficients are made when they are first asked for.
#ifndef KAIROS_NUM_METHOD_H
#define KAIROS_NUM_METHOD_H

#include "base/tolerance.h"
#include "num/jacobian.h"
#include "num/linear.h"
#include "num/ode.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    ODE_STAGES = 7,               // work vectors a method may ask for
    ODE_TERMS = 13,               // coefficients of the dense output of CVODE: Adams has order 12
    ODE_VECTORS = ODE_ORDER + 2,  // and of taylor, with what its sums carry on
};

// The form of the dense output of the last step.
typedef enum OdeForm
{
    FORM_POINT,    // no step yet: constant
    FORM_LINEAR,   // r0
    FORM_CUBIC,    // r0 .. r2
    FORM_QUARTIC,  // r0 .. r3
    FORM_TAYLOR,   // `terms` coefficients around the end
    FORM_SERIES,   // `terms` coefficients around the start, in seconds
} OdeForm;

// What `auto` knows of the method that it has, and of the one that it might have (choice.c).
typedef struct OdeChoice
{
    OdeReason reason;      // of the wish
    int counted;           // steps in `rate`
    double rate;           // time per unit of work, a moving average of steps that nothing but themselves limited
    double explicit_rate;  // the same when an explicit method was left
    int wanted;            // votes that are enough
    int wait;              // steps until the next look at taylor
    int64_t change_count;
    OdeChange changes[ODE_CHANGES];
    // What every step changes comes last, beside the counters that it changes (OdeState).
    int64_t taken[ODE_METHOD_COUNT];
    OdeMethod method, wish;  // in use; to be used from the next step on
    int held;                // steps since the last change
    int votes;               // steps in a row that stability limits
    int creeps;              // steps in a row that get on too slowly for a series that ends close by
    int patience;            // what `wait` is at first
    int fails, skips;        // restarts at which taylor failed at once; how many of the next ones do without
} OdeChoice;

// Everything that changes and is not a vector: a snapshot is this and the vectors.
typedef struct OdeState
{
    double t, t_start;   // the last step
    double t_low;        // taylor: what t lacks of the time of x, so that lengths of steps add up
    double t_start_low;  // the same at the start of the step
    double h;            // its length as the method took it, before any cut
    double trial;        // the length of the trial step in work, then of what is left of it
    double scale;        // the part of it that cuts have left, 1 = all
    double next;         // the step the error control proposes; 0 = none yet
    double narrow;       // taylor: the next step is not longer, since this one was tried longer; 0 = no such bound
    double caution;      // ode_set_max_step; 0 = none
    double strict;       // the mean square of the error must be smaller by this: 1, but for `auto` (choice.c)
    double log_error;    // log2 of the error of the last accepted step (PI control)
    double event_time;   // time of the last cut, or of the fresh start
    double event_mean;   // moving average of the time between cuts; 0 = none yet
    OdeForm form;
    int terms;            // FORM_TAYLOR, FORM_SERIES: number of coefficients
    bool dense_ready;     // the coefficients belong to the last step
    bool slope_valid;     // slope = f(t, x)
    bool jacobian_valid;  // the Jacobian belongs to (t, x)
    bool at_breakpoint;   // the next step is the first after a restart
    bool expanded;        // taylor: the system's series begins at (t, x)
    bool fresh;           // CVODE: the next start takes the first step of the options
    bool carries;         // taylor: what the sum of the last step has lost is kept
    bool bounded;         // taylor: the terms of the series limited the last step
    bool looked;          // first_step.c: a step has been taken since the start
    int met_next;         // taylor: the next place in `met`
    OdeChoice choice;     // its end and the beginning of the next are one line of the cache
    OdeStats stats;
    uint64_t met[4];  // fields and lengths of the last steps that a map could have taken (map.c)
} OdeState;

typedef struct Cvode Cvode;
typedef struct OdeMaps OdeMaps;

typedef struct OdeMethodTable
{
    int stages;         // work vectors
    int terms;          // coefficient vectors of the dense output
    int order;          // of the solution that is carried on
    bool fixed;         // fixed step
    bool matrix;        // needs a Jacobian and a linear solver of its own
    bool plans;         // finds its first step itself
    bool first_looked;  // asks for f at simple parts of a step only: first_step.c looks into its first one
    int (*step)(Ode* ode, double limit);
    void (*prepare)(Ode* ode);  // makes the coefficients of the dense output; NULL: the step makes them
    int (*create)(Ode* ode);
    void (*destroy)(Ode* ode);
    void (*restart)(Ode* ode);  // forget what is not in the block; NULL: there is nothing
    int (*begin)(Ode* ode);     // makes the slope at (t, x); NULL: f does
    void (*shares)(Ode* ode);   // fills stage[0] with the shares of the error; NULL: the step does
} OdeMethodTable;

// Runs have thousands of solvers: what a step reads of one lies in few lines of the cache, at which it begins.
struct Ode
{
    OdeState state;  // first: see ode_time
    kaiAllocator allocator;
    void* block;  // that it lies in, and its size
    size_t size;
    int terms;    // coefficient vectors
    int highest;  // taylor: the order of the tolerance; 0: not asked for yet
    int n;
    const OdeMethodTable* method;
    const OdeSystem* system;
    void* ctx;
    double *x, *x_start, *slope, *slope_start;
    OdeOptions options;
    double* atol;  // per state
    Linear* linear;
    double* dense[ODE_VECTORS];
    double* stage[ODE_STAGES];
    double* spare[3];  // for a question between two trials
    int (*rhs)(void* ctx, double t, const double* x, double* dx);
    Jacobian* jacobian;
    Cvode* cvode;
    OdeMaps* maps;  // of steps that came twice (map.c); NULL: none yet
};

extern const OdeMethodTable ode_rk45, ode_rk23, ode_euler, ode_riemann, ode_backward_euler, ode_trapezoid,
    ode_rosenbrock, ode_cvode_adams, ode_cvode_bdf, ode_taylor, ode_auto;

// What a trial step says: 0 done, TRIAL_SHRINK... try again with a smaller step, < 0 give up.
enum
{
    TRIAL_OK = 0,
    TRIAL_SHRINK = 1,    // f gave a NaN or asked for a smaller step
    TRIAL_CONVERGE = 2,  // Newton's iteration did not converge
    TRIAL_SINGULAR = 3,  // the matrix has no inverse
};

// The error a solver reports when even the smallest step ended with `trial`.
static inline int ode_failure(int trial)
{
    return trial == TRIAL_CONVERGE ? ODE_ERR_CONVERGE : trial == TRIAL_SINGULAR ? ODE_ERR_LINEAR : ODE_ERR_STEP;
}

// f with its counters; TRIAL_SHRINK if it is recoverable (> 0), ODE_ERR_RHS if not (< 0).
static inline int ode_rhs(Ode* ode, double t, const double* x, double* dx)
{
    ode->state.stats.rhs_calls++;
    int status = ode->rhs(ode->ctx, t, x, dx);
    if (status == 0)
    {
        return TRIAL_OK;
    }
    ode->state.stats.rhs_status = status;
    return status > 0 ? TRIAL_SHRINK : ODE_ERR_RHS;
}

// 0 * v is 0 for every finite v and NaN for the others, so one sum tells all.
static inline bool ode_finite(int n, const double* v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        sum += 0 * v[i];
    }
    return sum == 0;
}

// The smallest step that t can resolve with a few digits to spare.
static inline double ode_smallest(double t)
{
    double h = TIME_SMALLEST_STEP * fabs(t);
    return h > TIME_NOTHING ? h : TIME_NOTHING;
}

// The shortest step that may be taken, unless something is due before its end.
static inline double ode_shortest(const Ode* ode)
{
    double h = ode_smallest(ode->state.t);
    return ode->options.min_step > h ? ode->options.min_step * (1 - 4 * DBL_EPSILON) : h;
}

static inline double ode_larger(double a, double b)
{
    return a > b ? a : b;
}

// Scale of one component: error below atol + rtol max(|x before|, |x after|).
static inline double ode_scale(const Ode* ode, int i, double before, double after)
{
    return ode->atol[i] + ode->options.rtol * ode_larger(fabs(before), fabs(after));
}

// The last step was taken: the buffers with its result become the current ones.
static inline void ode_accept(Ode* ode, double h, double t_end, OdeForm form)
{
    OdeState* s = &ode->state;
    double* x = ode->x;
    double* slope = ode->slope;
    ode->x = ode->x_start;
    ode->x_start = x;
    ode->slope = ode->slope_start;
    ode->slope_start = slope;
    s->t_start = s->t;
    s->t = t_end;
    s->h = h;
    s->scale = 1;
    s->form = form;
    s->dense_ready = false;
    s->jacobian_valid = false;
    s->at_breakpoint = false;
    s->expanded = false;
    s->carries = false;
    s->stats.steps++;
}

// A moving average, 0.8 old + 0.2 new; the next step is at most 3 of it. Events closer together than any step tell
// nothing about the next.
static inline void ode_note_event(Ode* ode)
{
    OdeState* s = &ode->state;
    double distance = s->t - s->event_time;
    if (!(distance > (s->event_mean > 0 ? 0 : ode_shortest(ode))))
    {
        return;
    }
    s->event_mean = s->event_mean > 0 ? 0.8 * s->event_mean + 0.2 * distance : distance;
    s->event_time = s->t;
    if (s->next > 3 * s->event_mean)
    {
        s->next = ode_larger(3 * s->event_mean, ode_shortest(ode));
    }
}

// The times of the last step where it ends at theta.
static inline void ode_end_at(OdeState* s, double theta)
{
    s->scale *= theta;
    double length = s->scale * s->h;
    s->t = s->t_start + length;
    s->t_low = s->t_start_low + (length - (s->t - s->t_start));
    s->trial = s->t - s->t_start;
    s->slope_valid = false;
}

// A restart at t: there is no step behind it.
static inline void ode_begin_again(OdeState* s, double t, bool fresh)
{
    s->t_low = s->t_start_low = t == s->t && !fresh ? s->t_low : 0;
    s->t = s->t_start = t;
    s->h = 0;
    s->scale = 1;
    s->form = FORM_POINT;
    s->carries = false;
    s->dense_ready = true;
    s->log_error = -13.3;
    s->looked = false;
    s->stats.restarts++;
}

// explicit.c: coefficients of the cubic through both ends with their slopes, and of the straight line.
void ode_prepare_cubic(Ode* ode);
void ode_prepare_linear(Ode* ode);

// ode.c: the Jacobian at (t, x) unless it is there, into ode->jacobian->values. Status as a trial.
int ode_jacobian(Ode* ode, double t, const double* x, const double* fx, double h, bool time);

// first_step.c: a step that is the first since the start.
int first_step(Ode* ode, double limit);

// implicit.c: solve z = base + gh f(t, z) from the guess in z; f(t, z) into fz. Status as a trial.
int ode_newton(Ode* ode, double t, double gh, const double* base, double* z, double* fz);

// implicit.c: the first step after a breakpoint. *taken tells if it was a step (backward Euler) or only a correction of
// the state (impulse backward Euler).
int ode_breakpoint_step(Ode* ode, double limit, bool* taken);

// implicit.c: a trial step of the right Riemann sum, of any sign.
int ode_riemann_trial(Ode* ode, double h, double t_end, double* error);

#endif
