// Runs of a model. Everything that changes lives in a kaiSim; the model is shared and never changes.
//
//     kaiSimOptions options = kaiModel_SimOptions(model);  // what the experiment says
//     options.stop = 10;
//     kaiError error;
//     kaiSim* sim = kaiSim_Create(model, &options, &error);
//     kaiSim_Set(sim, kaiModel_FindVariable(model, "g"), 1.62);
//     kaiStatus status;
//     while ((status = kaiSim_Step(sim)) == KAI_INSTANT)
//         printf("instant at %g\n", kaiSim_Now(sim).t);
//     if (status < 0)
//         fprintf(stderr, "%s\n", kaiSim_Failure(sim)->message);
//     kaiSim_Free(sim);
//
// Units. Times in seconds, values of variables in the unit that the model declares for them (kaiVariable.unit); without
// one a number is a number. Energies of bond graphs in joules.
// Lifetime. A sim must not outlive its model. Texts and columns that it hands out live as long as it does, unless said
// otherwise; those given to a callback live during the call. A snapshot needs its model, not its sim.
// Threads. A sim belongs to one thread at a time. Any number of sims of one model run at the same time. `interrupt` may
// be set from any thread or signal handler.
#ifndef KAIROS_SIM_H
#define KAIROS_SIM_H

#include "kairos/model.h"
#include "kairos/result.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiSim kaiSim;
    typedef struct kaiSnapshot kaiSnapshot;

    // Something that happened at a tag of an instant: a level was crossed or a clock ticked, or a reaction fired, whose
    // effects show at the next tag (of a switched junction whose guard is a priori, at this one).
    typedef enum kaiFiredKind
    {
        KAI_FIRED_CROSSING,
        KAI_FIRED_CLOCK,
        KAI_FIRED_WHEN,
        KAI_FIRED_TRANSITION,
    } kaiFiredKind;

    typedef struct kaiFired
    {
        kaiTag tag;
        kaiFiredKind kind;
        kaiPlace place;
        const char* text;  // the guard as written; what a reaction sets: "a.v, b.v", "-> closed". Only during the call.
    } kaiFired;
    typedef void kaiFiredFn(void* user, const kaiFired* fired);

    // Made by kaiModel_SimOptions and then changed; kaiSim_Create refuses one that was not, and values out of range.
    typedef struct kaiSimOptions
    {
        uint32_t cookie;  // set by kaiModel_SimOptions; not for you
        // <settings> written by tools/make-reference from src/settings/settings.def
        // When the run begins: a finite time. Default: 0.
        double start;
        // When the run ends (not how long it takes): a time or inf. Default: start + 10.
        double stop;
        // The method that integrates the states: "auto", "rk45", "rk23", "euler", "riemann",
        // "backward_euler", "trapezoid", "rosenbrock", "cvode_adams", "cvode_bdf", "taylor". Default: auto,
        // or riemann with impulses = numeric.
        const char* solver;
        // Error that a step may make, relative to the size of a state; 0: atol alone counts, and must be
        // given: a number from 0 and up to 1. Default: 1e-8.
        double rtol;
        // Error that a step may make where a state is near 0: a positive finite number, or 0 for the default.
        // Default: rtol/100.
        double atol;
        // The first step, or every step of euler, riemann and backward_euler: a positive finite time, or 0
        // for the default. Default: chosen, or 1e-3 if it is fixed.
        double step;
        // The longest step: a positive time or inf, or 0 for the default. Default: no limit.
        double max_step;
        // The shortest step that may be tried: where its error is still too large the run fails: a positive
        // finite time, or 0 for the default. Default: what time resolves.
        double min_step;
        // Rounds of one iteration: then an implicit step is made shorter, and an equation has no solution: a
        // whole number from 1 to 1000000. Default: 12 in implicit steps, 60 in fixed points, 5000 in
        // equations.
        uint64_t max_iterations;
        // What the first ticks of clocks are counted from: "time", "start". Default: time.
        const char* clocks;
        // The method of the first step after an instant: "same", "backward_euler", "ibe". Default: same.
        const char* breakpoint_solver;
        // How the time of a crossing is located: "itp", "illinois", "bisection", "secant", "regula_falsi",
        // "newton". Default: itp.
        const char* root;
        // Which enabled alternative of a choose is taken: "first", "random", "all". Default: first.
        const char* choice;
        // What random draws and choice = random begin with: a whole number from 0 to 4503599627370495.
        // Default: 1.
        uint64_t seed;
        // Outcomes of choice = all that are followed at most: a whole number from 1 to 9007199254740992.
        // Default: 1000.
        uint64_t max_branches;
        // Choice points of choice = all that are met at most: a whole number from 1 to 9007199254740992.
        // Default: 100000.
        uint64_t max_choices;
        // What happens where event times run together: "stop", "continue", "slide", "off". Default: stop.
        const char* zeno;
        // How well the power of bond graphs, and their energy in jumps, must balance for the run to go on: a
        // positive number up to 1, or 0 for the default. Default: not checked.
        double balance;
        // What rows there are between instants, unless record has every; fixed steps are always rows:
        // "curve", "steps". Default: curve.
        const char* rows;
        // Which rows instants have: "tags", "off". Default: tags.
        const char* events;
        // Tags that one instant may have: a whole number from 1 to 4294967295. Default: 10000.
        uint64_t max_microsteps;
        // </settings>
        kaiRowFn* row;  // receives the recorded tags; NULL: none
        void* row_user;
        const int* record;  // variables to record instead of what the experiment says, all tags; NULL: as it says
        int record_count;
        double row_gap;     // rows inside the steps too, so that none are further apart in t; 0: none. Events stay.
        kaiFiredFn* fired;  // hears what fires: crossings and clocks before the row of their tag, reactions after it
        void* fired_user;
        bool profile;  // count which states limit the steps (kaiSim_StateLimits)
        kaiLimits limits;
        // Nonzero stops the run at the next step or tag, from where it can go on, or within 0.1 s in a step that takes
        // longer, and then it cannot. NULL: never.
        const volatile int* interrupt;
        kaiAllocator allocator;
    } kaiSimOptions;

    // What the experiment says, and defaults for the rest.
    kaiSimOptions kaiModel_SimOptions(const kaiModel* model);

    typedef struct kaiCounters
    {
        int64_t instants, tags, steps, rejected, rhs_calls, jacobian_calls, guard_calls, located, touches, rows,
            restarts, switches;  // switches: of junctions, mythical ones included
        // Of the rejected steps: those whose implicit equation was not solved, and those at which f was not a number.
        // The rest were too inaccurate.
        int64_t rejected_newton, rejected_broken;
        // Steps that the error control chose (not those that end at an event): 0 if there was none.
        double shortest_step, shortest_at, longest_step;
        // Jumps of bond graphs: how many, the sum of the changes of what is stored, and what sources gave in them.
        int64_t jumps;
        double energy_jumped, energy_given;
        int64_t rollbacks, thrown;  // of islands: see kaiIslandCounters
    } kaiCounters;

    // What the jumps of bond graphs at one instant did: before + given = after + lost + met. `lost` is what went into
    // junctions that switched; NaN: an impulse went through a resistor, which has no finite energy. `met` is what it
    // cost that sources and storages did not agree before: an inconsistent start, a source that stepped. Jumps below
    // rounding, beside the largest energy of the run, are none.
    typedef struct kaiJump
    {
        int64_t jumps;
        double before, after;  // energy of the storages
        double given;          // work of the sources
        double lost, met;
    } kaiJump;

    // A part of the model with a solver of its own.
    typedef struct kaiIslandCounters
    {
        const char* name;
        kaiPlace place;  // file == NULL: no place
        int states;
        int64_t steps, rejected;
        int64_t rollbacks;  // how often something outside reached it before the time it had run to
        int64_t thrown;     // steps that were thrown away for it
        double ahead;       // the longest way it was ahead of the rest
    } kaiIslandCounters;

    // With solver = auto: a method that took over the steps of an island.
    typedef struct kaiMethodChange
    {
        double t;
        const char *method, *reason;  // in static memory
        int64_t number;               // of the change, from 1 on
    } kaiMethodChange;

    // A run, ready to start. NULL: *failure says why (an unknown solver, no memory).
    kaiSim* kaiSim_Create(const kaiModel* model, const kaiSimOptions* options, kaiError* failure);
    void kaiSim_Free(kaiSim* sim);  // NULL is fine

    // Before the start: parameters and start values. Afterwards: inputs, at the present time: an instant at whose left
    // limit they still have the value from before. KAI_ERR_USAGE if not settable.
    kaiStatus kaiSim_Set(kaiSim* sim, int variable, double value);
    // Before the start: what is drawn at random, instead of what kaiSimOptions.seed says. KAI_ERR_USAGE: it has begun.
    kaiStatus kaiSim_SetSeed(kaiSim* sim, uint64_t seed);
    // The value after the last instant or step. False: absent.
    bool kaiSim_Get(kaiSim* sim, int variable, double* value);
    // The derivatives of all continuous states there, in SI units, in the order of kaiModel_StateVariable. Changes
    // nothing. KAI_ERR_USAGE: the run has not begun; KAI_ERR_MEMORY; what an evaluation can fail with.
    kaiStatus kaiSim_Rates(kaiSim* sim, double* rates);

    // Something for an input of the root model at time t. For an `input event`, an event with this payload: it is
    // present at the first tag of that instant, after the events that were posted for the same t before it. For another
    // input, its value from the first tag of that instant on. `handle` (or NULL) finds it for kaiSim_Cancel as long as
    // it waits. KAI_ERR_USAGE: no such input, or t has passed (kaiSim_Failure names the input); the run can go on
    // without the event.
    kaiStatus kaiSim_Post(kaiSim* sim, int variable, double value, double t, uint64_t* handle);
    bool kaiSim_Cancel(kaiSim* sim, uint64_t handle);

    // To the end of the next instant (KAI_INSTANT) or the stop time (KAI_END). The first call runs the start.
    kaiStatus kaiSim_Step(kaiSim* sim);
    // The same, but not beyond time t: KAI_OK says that t was reached first. The run stands there then: values can be
    // read, inputs set and events posted at t, and it goes on as if it had not stopped. What was set or posted for t is
    // done when it is asked to go to t again. A time that has passed does nothing.
    kaiStatus kaiSim_StepTo(kaiSim* sim, double t);
    // To the end: KAI_END, KAI_INTERRUPTED, or an error.
    kaiStatus kaiSim_Run(kaiSim* sim);
    // As kaiSim_StepTo, where nobody wants to hear of each instant: KAI_INSTANT after one of them, or after up to
    // `instants` (1 at least) that nothing is recorded of.
    kaiStatus kaiSim_RunTo(kaiSim* sim, double t, int instants);

    // Where the run stands: at its last tag, or at the time that it was asked to come to.
    kaiTag kaiSim_Now(const kaiSim* sim);
    // The flag of its options, for whoever works for the run outside of it; NULL: there is none.
    const volatile int* kaiSim_Interrupt(const kaiSim* sim);
    // What the model's `halt` said ("" if it said nothing); NULL: it did not halt.
    const char* kaiSim_HaltText(const kaiSim* sim);
    // Why the last call that failed did so, with time, signal and line; `message` NULL: none has. It lives until the
    // sim goes on or is freed. NULL for NULL.
    const kaiError* kaiSim_Failure(const kaiSim* sim);
    // What the run went on in spite of (zeno = continue). NULL past the last; at most four are kept.
    const kaiError* kaiSim_Warning(const kaiSim* sim, int index);
    // What the run has done so far.
    kaiCounters kaiSim_Counters(const kaiSim* sim);
    // Events by guard: how often guard `index` was located; its text and place. False past the last.
    bool kaiSim_GuardCount(const kaiSim* sim, int index, int64_t* count, int64_t* touches, const char** text,
                           kaiPlace* place);
    // The name of the event that guard `index` is (`event hit = down(y)`). NULL: it has none.
    const char* kaiSim_GuardName(const kaiSim* sim, int index);
    // When guard `index` last reached its level without crossing it. False: never.
    bool kaiSim_GuardTouched(const kaiSim* sim, int index, double* t);
    // Along which surfaces the run went on (zeno = continue): from when to when, and the guard whose level it stayed
    // on. `to` is not a number where it has not ended. False past the last; the first 32 are kept.
    bool kaiSim_Slide(const kaiSim* sim, int index, double* from, double* to, const char** text, kaiPlace* place);
    // What island `index` did. False past the last; a model that is solved as a whole has none.
    bool kaiSim_IslandCount(const kaiSim* sim, int index, kaiIslandCounters* counters);
    // With solver = auto: change `index` of the method of an island (of a model that is solved as a whole: 0), and the
    // steps of its `index`-th method. False past the last. The first seven changes are kept, and the latest.
    bool kaiSim_MethodChange(const kaiSim* sim, int island, int index, kaiMethodChange* change);
    bool kaiSim_MethodSteps(const kaiSim* sim, int island, int index, const char** method, int64_t* steps);
    // The variable with the largest share of the error in the last rejected step; -1: no step was rejected.
    int kaiSim_WorstState(const kaiSim* sim);

    // Energies of the last instant. False: no bond graph jumped there.
    bool kaiSim_Jump(const kaiSim* sim, kaiJump* jump);

    // With `profile`: how many steps had their largest error in state `state`, so that their length was chosen for it
    // (steps that end at an event are not counted), and how many were rejected for it. False: not asked for, or past
    // the last.
    bool kaiSim_StateLimits(const kaiSim* sim, int state, int64_t* steps, int64_t* rejected);

    // Columns of the rows, in order.
    const kaiColumn* kaiSim_Columns(const kaiSim* sim, int* count);
    // The variable that a column shows, and *order 0 for its value, k + 1 for the weight of δ⁽ᵏ⁾. -1 past the last.
    int kaiSim_ColumnVariable(const kaiSim* sim, int column, int* order);

    // A copy of everything that changes, values of kaiSim_Set included. Restoring and going on gives the same bits as
    // going on, also in another sim of the model with the same options. KAI_ERR_USAGE: a snapshot of another model, or
    // of a sim with another solver or other records (kaiSim_Failure says which); the run can go on without it. Saving
    // is NULL without memory, and where foreign code in the model cannot save its state (kaiSim_Failure says why).
    kaiSnapshot* kaiSim_Save(kaiSim* sim);
    kaiStatus kaiSim_Restore(kaiSim* sim, const kaiSnapshot* snapshot);
    void kaiSnapshot_Free(kaiSnapshot* snapshot);  // NULL is fine
    // A snapshot as bytes, for a file: version, content, checksum; and back, in this process or another one of the same
    // build, for a model with the same content (kaiModel_LoadSaved, or compiled from the same text). A sim with the
    // same options restores it and goes on bit for bit. NULL: `error` (or NULL) says why: damaged, of another build or
    // model.
    kaiStatus kaiSnapshot_Write(const kaiSnapshot* snapshot, const kaiSink* sink);
    kaiSnapshot* kaiSnapshot_Read(const kaiModel* model, const void* bytes, size_t size, kaiError* error);

    // choice = all: every order in which `choose` can take its alternatives, depth first in the order of the text.
    // Orders that come to the same state at the same time are merged; what is left are the outcomes, each a branch with
    // a trajectory of its own from the start to the end. (kaiSim_Run follows the first alternatives only.)
    typedef struct kaiExploreEvents
    {
        // Before the rows of branch 1, 2, …; NULL: not wanted. Nonzero stops the exploration.
        kaiStatus (*begin)(void* user, int branch);
        // The branch has come to its end: KAI_END, or KAI_ERR_RUN if this order fails. `sim` stands there; it may be
        // read (kaiSim_Get, kaiSim_Expect, kaiSim_Failure, kaiSim_Decision …). NULL: not wanted.
        kaiStatus (*end)(void* user, kaiSim* sim, int branch, kaiStatus status);
        void* user;
    } kaiExploreEvents;

    typedef struct kaiExploration
    {
        int64_t outcomes;  // branches that were begun and ended
        int64_t failed;    // of them those that end with an error
        int64_t merged;    // orders that came to where another order had been
        int64_t choices;   // choice points: states in which more than one alternative was enabled
    } kaiExploration;

    // For a sim that has not started. KAI_END: these are all outcomes. KAI_ERR_RUN: a bound was met, kaiSim_Failure
    // says which and where. Otherwise as kaiSim_Run. Afterwards the sim can only be freed.
    kaiStatus kaiSim_Explore(const kaiModel* model, kaiSim* sim, const kaiExploreEvents* events,
                             kaiExploration* result);

    // One choice of the order that led here.
    typedef struct kaiDecision
    {
        kaiTag tag;
        int taken, enabled;  // which of the enabled alternatives, from 0 in the order of the text; how many there were
        kaiPlace place;      // of the alternative taken
        char text[100];      // what it sets: "a.v, b.v", "-> closed"
    } kaiDecision;
    // False past the last.
    bool kaiSim_Decision(const kaiSim* sim, int index, kaiDecision* decision);
    // For a sim with choice = all that has not started: the alternatives to take, beyond them the first ones.
    kaiStatus kaiSim_Follow(kaiSim* sim, const int* taken, int count);
    // The order as people read it, "at t = 1: line 12 (a.v, b.v), then line 16 (c.v)", and the values that show an
    // outcome (at most `limit`), "a.x = 1, a.v = -2.7". Both cut to `size`.
    void kaiSim_OrderText(const kaiSim* sim, char* text, size_t size);
    void kaiSim_OutcomeText(const kaiSim* sim, int limit, char* text, size_t size);

    // Expectations of the experiment, after the run.
    typedef struct kaiExpectResult
    {
        bool passed;
        bool has_target;
        double value, target, within;
        bool present;  // false: the value does not exist (an event that never came, a time outside the run)
        const char *source, *text;  // as written; the message or ""
        const char* unit;           // of value, target and within: that of the variable, else an SI unit; NULL: none
        kaiPlace place;
    } kaiExpectResult;
    // Of expectation `index`, from 0. KAI_ERR_USAGE: there is none.
    kaiStatus kaiSim_Expect(kaiSim* sim, int index, kaiExpectResult* result);
    // A measure of the model (kaiModel_MeasureName), after the run, in its unit; a Boolean one is 0 or 1. False: the
    // value does not exist.
    bool kaiSim_Measure(kaiSim* sim, int index, double* value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
