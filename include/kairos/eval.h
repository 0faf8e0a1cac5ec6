// A model without a solver, for programs that integrate themselves. Kairos keeps what a model means at an instant
// (modes, events, clocks, resets, switching); the caller owns the states between instants and moves them with a method
// of its own.
//
//     kaiEval_Start(eval, x);                                    // start values, the first instant
//     while (t < stop)
//     {
//         double limit = fmin(kaiEval_Next(eval), stop);         // something is due there
//         t1 = my_step(t, limit, x, x1);                         // calls kaiEval_Rates(eval, t, x, dx)
//         if (kaiEval_Crossed(eval, t1, x1))                     // a level was crossed in the step:
//             t1 = my_bisection(t, x, t1, x1);                   // the first time at which it has been
//         if (kaiEval_Crossed(eval, t1, x1) || t1 >= kaiEval_Next(eval))
//             kaiEval_Instant(eval, t1, x1);                     // all tags of t1; x1 becomes what the instant leaves
//         else
//             kaiEval_StepDone(eval, t1, x1);
//     }
//
// examples/integrator is a whole program. What `delay` of a signal reads is known where steps were said to be over and
// at instants, and kaiEval_Next tells a time after which more must be known: say kaiEval_StepDone there, or
// kaiEval_Rearm. Models with a `delay` that varies or with numeric impulses need the steps themselves; zeno = continue,
// choice = all and `balance` work on the states between instants. kaiEval_Create refuses all of them.
//
// Units. Times in seconds; states (in the order of kaiModel_StateVariable), rates and the values of kaiEval_Get and
// kaiEval_Set in SI units, whatever the model declares: a solver mixes them. Rows are in the declared units.
// Lifetime. An eval needs its model as long as it lives; arrays of states and rates belong to the caller.
// Threads. An eval belongs to one thread at a time; many evals of one model may be used in parallel.
#ifndef KAIROS_EVAL_H
#define KAIROS_EVAL_H

#include "kairos/sim.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // A model at a point of its time, with its modes and memories, but without states of its own.
    typedef struct kaiEval kaiEval;

    // NULL: *failure says why. `options` as for kaiSim_Create; `start`, `choice`, `seed`, `record` and `row` are used
    // (rows of the tags of instants), solver and stop are not. The model must outlive the eval.
    kaiEval* kaiEval_Create(const kaiModel* model, const kaiSimOptions* options, kaiError* failure);
    void kaiEval_Free(kaiEval* eval);  // NULL is fine

    // The length of the arrays x.
    int kaiEval_StateCount(const kaiEval* eval);
    // Guards that are functions of the states: the length of the array of kaiEval_Indicators.
    int kaiEval_IndicatorCount(const kaiEval* eval);

    // Before kaiEval_Start: parameters and start values; afterwards inputs, which jump at the next instant: at its left
    // limit they still have the value from before. KAI_ERR_USAGE: not settable.
    kaiStatus kaiEval_Set(kaiEval* eval, int variable, double value);
    // After kaiEval_Start: the value of an input that moves with time, for what is asked next. Guards of inputs are
    // indicators as those of states are.
    kaiStatus kaiEval_Flow(kaiEval* eval, int variable, double value);
    // The value of a variable at the last instant, or for the last t and x given. False: absent.
    bool kaiEval_Get(kaiEval* eval, int variable, double* value);

    // Start values and the first instant; writes the states it leaves.
    kaiStatus kaiEval_Start(kaiEval* eval, double* x);
    // x' = f(t, x) in the present modes. KAI_ERR_RUN: no constructive solution (kaiEval_Failure).
    kaiStatus kaiEval_Rates(kaiEval* eval, double t, const double* x, double* dx);
    // (df/dx) v at (t, x), by the model's own derivatives where it has them, by a difference along v otherwise.
    kaiStatus kaiEval_RatesAlong(kaiEval* eval, double t, const double* x, const double* v, double* out);
    // What the guards watch: each value is 0 on the level of its guard. A guard of a mode that is not active gives 1.
    kaiStatus kaiEval_Indicators(kaiEval* eval, double t, const double* x, double* values);
    // Whether some guard has crossed its level by (t, x), given the side on which it was last seen.
    bool kaiEval_Crossed(kaiEval* eval, double t, const double* x);
    // The next time at which a clock ticks, a delayed event arrives or a guard of time alone is due, or until which
    // all is known that a delayed signal can be asked for (nothing happens there); inf: none.
    double kaiEval_Next(const kaiEval* eval);
    // A step ended at (t, x) without an instant: guards remember the side they are on.
    kaiStatus kaiEval_StepDone(kaiEval* eval, double t, const double* x);
    // Everything that happens at t: guards that have crossed, clocks that are due, inputs that were set, tag after tag
    // until nothing changes. x: the left limit in, the right limit out.
    kaiStatus kaiEval_Instant(kaiEval* eval, double t, double* x);

    // The variable that column `column` of the rows shows, and *order 0 for its value, k + 1 for the weight of δ⁽ᵏ⁾. -1
    // past the last.
    int kaiEval_ColumnVariable(const kaiEval* eval, int column, int* order);

    // ---- for importers that know indicators and tags only, as those of FMUs

    // From here on kaiEval_Get gives the values of (t, x), until something else is asked.
    kaiStatus kaiEval_Look(kaiEval* eval, double t, const double* x);
    // Indicators, kaiEval_IndicatorCount of them, of about the size 1: positive after an instant, and until the guard
    // has crossed by more than rounding; 0 or below: an event is due. Nothing depends on the order of the questions. A
    // guard that was on its level when the instant ended stays positive as it leaves. Guards that are not watched
    // give 1.
    kaiStatus kaiEval_Watch(kaiEval* eval, double t, const double* x, double* values);
    // Whether something would happen at (t, x): a guard fires, something is due, an input was set. Where an indicator
    // is not positive and nothing happens, a guard that fires in one direction has come back, and
    bool kaiEval_Pending(kaiEval* eval, double t, const double* x);
    // makes all indicators positive again.
    kaiStatus kaiEval_Rearm(kaiEval* eval, double t, const double* x);
    // An event for an input of the root model (`input event`), present at the next instant. KAI_ERR_USAGE: there is
    // none.
    kaiStatus kaiEval_Post(kaiEval* eval, int variable, double value);
    // kaiEval_Start in parts: the left limit of the first instant; its tags follow.
    kaiStatus kaiEval_Prepare(kaiEval* eval, double* x);
    // kaiEval_Instant in parts, with the guards whose indicators (kaiEval_Watch) are not positive: the left limit at t.
    // At the time of the last instant its tags go on.
    kaiStatus kaiEval_Begin(kaiEval* eval, double t, double* x);
    // The next tag of the instant; x becomes the states it leaves, kaiEval_Get gives the values of the tag (of what is
    // recorded), and *more says whether another one follows. Between tags nothing else may be asked.
    kaiStatus kaiEval_Tag(kaiEval* eval, double* x, bool* more);

    // Everything but the states as bytes, for this build and this model, between instants: the size, a copy, and back.
    // Going on from there gives the same bits. KAI_ERR_USAGE: inside an instant, or bytes of another size.
    size_t kaiEval_SaveSize(const kaiEval* eval);
    kaiStatus kaiEval_Save(const kaiEval* eval, void* bytes, size_t size);
    kaiStatus kaiEval_Restore(kaiEval* eval, const void* bytes, size_t size);

    kaiTag kaiEval_Now(const kaiEval* eval);   // the last tag
    bool kaiEval_Halted(const kaiEval* eval);  // the model said `halt`
    // Why the last call that failed did so; `message` NULL: none has. It lives until the next call.
    const kaiError* kaiEval_Failure(const kaiEval* eval);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
