// The run loop's own view of a run. See include/kairos/sim.h for what users see.
#ifndef KAIROS_KERNEL_SIM_H
#define KAIROS_KERNEL_SIM_H

#include "base/text.h"
#include "kairos/sim.h"
#include "kernel/agenda.h"
#include "kernel/queue.h"
#include "model/model.h"
#include "num/ode.h"
#include "num/root.h"
#include "vm/vm.h"

// The past of a signal under `delay`: points with slopes, cubic between them; two points at one t are a jump.
typedef struct HistoryPoint
{
    double t, value, slope;
} HistoryPoint;

typedef struct History
{
    HistoryPoint* points;
    uint32_t first, count, capacity;  // a ring
} History;

typedef struct GuardState
{
    double g, slope;  // at the start of the step
    double due;       // when it reaches 0; inf = never, as far as is known
    // The window in which it has been looked at, where the crossing lies in it, and g at its end.
    double from, until, theta, g_end, slope_end;
    bool looking;    // wants a look
    uint64_t armed;  // sim->arming when it was last armed
    double touched;  // last time it touched 0 without crossing
    bool active;     // watched in this step
    int8_t toward;   // direction in which g must go to cross
    int64_t located, touches;
    // zeno.c
    double last_time, last_interval, last_ratio;  // of its events
    double first_ratio;                           // of the row
    uint32_t pattern;                             // equal ratios in a row
    uint64_t fired;                               // sim->instant_runs when it did last
    int8_t crossed;                               // the direction in which it fired last
    int8_t rebound;                      // a reaction turned g back: the sign of the side it has to reach; 0 = none
    double rebound_time, rebound_slope;  // when, and how fast
    bool turned;                         // its last event was turned back
    double first_flip, last_flip;        // events that turned it back within the resolution of t
    uint32_t flips, jumps;               // how many followed the first, how many of all with jumps of states
    int8_t barrier;                      // the direction in which its events were turned back; 0 = the last was not
    uint32_t reversals;                  // in a row, each sooner than the one before
    double barrier_time, barrier_interval, longest;
    int64_t last_instants;  // counters.instants at the last of them
    bool holding;           // zeno = continue holds states at it
    double hold_due;        // when they get their limit; 0 = they have it
} GuardState;

typedef struct Staged
{
    uint32_t target;
    uint32_t flag;  // an event: its presence; NO_REG: an assignment
    double value;
    uint32_t place;
    bool reset;  // a start value on entering a mode: an action may replace it
} Staged;

typedef struct ProbeState
{
    double value;
    bool present;
    double left;  // `left`: the newest left limit
    bool left_present;
    int64_t count;
} ProbeState;

typedef struct Candidate
{
    uint32_t guard;
    double lo, hi, g_lo, g_hi;  // bracket in the step, values there
    double after;               // the located root, on the far side
} Candidate;

typedef enum ChoicePolicy
{
    CHOICE_FIRST,
    CHOICE_RANDOM,
    CHOICE_ALL,
} ChoicePolicy;

// One choice between several enabled alternatives.
typedef struct Decision
{
    kaiTag tag;
    uint32_t reaction;        // the one that fires
    uint32_t taken, enabled;  // its rank among the enabled ones, in the order of the text
} Decision;

typedef struct Explorer Explorer;
typedef struct Bonds Bonds;  // bonds.h

// An island in a run: its solver is sim->island_odes[i], whose last step holds the present.
typedef struct IslandState
{
    uint32_t base;          // its states are consecutive from this one on; NO_REG: they are not
    double loaded;          // the time whose states are in the registers; NaN = none
    double pin, pin_time;   // where in its step a located guard put this time
    uint64_t sloped;        // sim->moment for which the registers of its derivatives are exact
    uint64_t looked;        // and those of the guards that read it alone
    bool disturbed;         // something it reads has changed: it starts again from the present
    double pushed;          // its delays know what goes in up to here
    uint64_t disturbed_at;  // sim->touch when it started again last
    bool begun;             // its solver has started
    uint64_t own;           // sim->touch of the instant at which a guard that reads it was located
    bool due;               // it stands at the present and must take a step
    bool recorded;          // rows show it: its steps make rows
    bool steps;             // it has something to do between instants
    int64_t rollbacks, thrown;
    double ahead;  // the longest way it was ahead of the rest
} IslandState;

typedef struct IslandSystem  // what the solver of an island calls back with
{
    struct kaiSim* sim;
    uint32_t island;
    OdeSystem system;
    const uint32_t* entries;  // of its Jacobian: numbers in model->jacobian_values
} IslandSystem;

typedef struct IndexList
{
    uint32_t* at;
    uint32_t count;
} IndexList;

// What an instant works on (touch.c): field, number of elements it can have.
#define TOUCH_LISTS(X)                                                                                                 \
    X(flows, model->flow_unit_count)                                                                                   \
    X(reacts, model->units_count)                                                                                      \
    X(guards, model->guards_count)                                                                                     \
    X(whens, model->when_count)                                                                                        \
    X(memories, model->memories_count)                                                                                 \
    X(assertions, model->assertions_count)                                                                             \
    X(machines, model->machines_count)                                                                                 \
    X(faults, model->faults_count)                                                                                     \
    X(delays, model->delays_count)                                                                                     \
    X(nows, model->now_states_count)                                                                                   \
    X(vars, model->vars_count)

typedef struct TouchSet
{
#define X(name, size) IndexList name;
    TOUCH_LISTS(X)
#undef X
} TouchSet;

struct kaiSim
{
    const kaiModel* model;
    kaiSimOptions options;
    ChoicePolicy policy;
    RootMethod root;
    VmHost host;

    // --- what a snapshot copies -----------------------------------------------------------------------------
    kaiTag now;           // last tag
    double flow_start;    // delayed signals jump to their right limit at this t (rule of delay.c)
    double instant_time;  // t of the last instant; NaN before the first
    double load_time;     // where the states of islands are read for it (a few ulp later if instants share t)
    bool started, ended, halted;
    uint32_t halt_text;                   // what `halt` says, in strings
    bool tag_last_flow, tag_before_flow;  // they were left limits: events absent
    bool reaction_moved;                  // an impulse of this reaction moved a state
    uint32_t rank;                        // of the next recorded tag at this t (superdense index)
    double next_grid;                     // next row of `record … every`
    uint64_t grid_index;
    double last_row_t;
    kaiCounters counters;
    kaiJump jump;         // of the last instant
    double energy_scale;  // the most that a bond graph had stored at an instant
    uint64_t random;
    double last_instant;  // t of the last instant: Zeno
    uint32_t short_instants;
    uint64_t instant_runs;            // number of the instant in work
    uint32_t tracked, tracked_count;  // guard + 1 whose events seem to accumulate; its events in `zeno_past`
    uint32_t holds;                   // guards at which zeno = continue holds states
    double hold_next;                 // when the next held states get their limit; inf = none
    uint32_t warning_count;
    uint32_t decision_count;  // choice = all: made since the start
    bool merged;              // and the run has come to where another one was: nothing new follows
    // ---------------------------------------------------------------------------------------------------------

    double* R;  // registers
    GuardState* guards;
    ProbeState* probes;
    uint8_t* set;  // parameters and start values given by the user: 1
    double* set_values;
    uint32_t* kept;  // registers that variables show
    uint32_t kept_count;
    double* tag_last;    // registers as the last tag of an instant left them
    double* tag_before;  // and the tag before it
    double* zeno_past;   // states after the last three events of the tracked guard
    double* hold_limit;  // per state: what it is held at
    uint32_t* hold_by;   // per state: guard + 1 that holds it, 0 = free
    Queue queue;
    Queue held;  // while events are handed out: those that wait for the next tag
    History* histories;
    Bonds* bonds;  // NULL: the model has no bond graph

    // choice = all. Decisions below script_count are to be taken as they stand, new ones are added behind.
    Decision* decisions;
    uint32_t decision_capacity, script_count;
    Explorer* explorer;  // NULL: nobody asks for the other alternatives

    uint32_t* active;  // contexts that are active, outer ones first
    uint32_t active_count;
    uint32_t* leaving;  // contexts that the transitions of this commit leave
    uint32_t leaving_count;

    // Between instants: what is due when, and who waits.
    Agenda agenda;  // clocks, guards, islands, in this order, and what zeno = continue waits for
    Ode** island_odes;
    IslandSystem* island_systems;
    IslandState* islands;
    double *island_x, *island_dx, *island_start;  // scratch
    int *island_columns, *island_rows;            // patterns of their Jacobians, one after the other
    uint32_t* island_entries;
    IndexList waiting, looks;  // islands that must step, guards that want a look
    IndexList searched;        // the guards that a step is searched for
    // At an instant: what it has touched, and what this commit is about to touch.
    TouchSet touched, settled, fresh;
    const TouchSet* walked;  // the set that walks go over; in a fused model all that is active
    uint64_t moment;         // number of the time at which flow units were last asked for
    uint64_t touch;          // number of the instant
    uint64_t reaction;       // number of the last one
    uint64_t arming;         // and of the last time guards were armed
    uint64_t *flow_moments, *react_touches, *react_runs, *var_touches, *machine_touches;
    uint32_t* flow_stack;
    IndexList due_clocks, disturbed, restarted, delaying, outside, row_flows, row_islands;

    // scratch
    uint32_t* raised;  // event flags that are up
    uint32_t raised_count;
    Staged* staged;
    uint32_t staged_count, staged_capacity;
    uint32_t* stamps;  // per register: number of the staged entry + 1
    Candidate* candidates;
    uint32_t candidate_count;
    uint32_t* located;  // guards located at this instant
    uint32_t located_count;
    uint32_t* fired;  // guards that fired in this instant
    uint32_t fired_count;
    uint32_t* reacted;  // reactions that fired in this commit
    uint32_t reacted_count;
    double* rounds;        // of variables: values at the last tags of a long instant (endless.c)
    uint32_t round_slots;  // how many tags
    double* zeno_left;     // states before the reactions of this instant
    double* left_slope;    // and the field there
    double *free_slope, *free_state;
    int64_t *limited, *refused;  // per state, if options.profile: steps and rejections that it is the reason of
    double* x;                   // states, for dense output
    double* slopes;

    // recording
    kaiColumn* columns;
    uint32_t* column_vars;
    uint8_t* column_orders;  // 0: the value; k + 1: the weight of δ⁽ᵏ⁾
    int column_count;
    double every;
    double* row_values;
    uint8_t* row_present;
    const char** mode_names;
    bool row_pending;   // the left limit of the start, not recorded yet
    bool zero_pending;  // and the first tag, equal to it
    double* pending_values;
    uint8_t* pending_present;
    uint32_t* small;     // states that have never reached their absolute tolerance
    double* small_size;  // and the largest they were
    uint32_t small_count;
    bool watches_extremes;  // some probe wants a minimum or maximum

    kaiFailure failure;
    char message[1200];
    char help[300];
    kaiFailure warnings[4];  // the first ones
    char warning_texts[4][600];
};

// size.c: nominal sizes; states that stay below their tolerance
kaiStatus size_nominals(kaiSim* sim);
void size_start(kaiSim* sim);
void size_look(kaiSim* sim);  // after a step
void size_end(kaiSim* sim);

// contexts.c
void contexts_refresh(kaiSim* sim);              // after a change of modes
void contexts_leave(kaiSim* sim, uint32_t ctx);  // and what is nested in it; before its machines change

bool sim_ctx_active(const kaiSim* sim, uint32_t ctx);

// Walks over what is touched and belongs to the active contexts: for (ActiveWalk w = {0}; active_guard(sim, &w);)
// … w.index …
typedef struct ActiveWalk
{
    uint32_t ctx, at, index;
} ActiveWalk;
#define ACTIVE_WALK(name, list, table)                                                                                 \
    static inline bool active_##name(const kaiSim* sim, ActiveWalk* w)                                                 \
    {                                                                                                                  \
        while (!sim->model->fused)                                                                                     \
        {                                                                                                              \
            if (w->at == sim->walked->list.count)                                                                      \
                return false;                                                                                          \
            w->index = sim->walked->list.at[w->at++];                                                                  \
            if (sim_ctx_active(sim, sim->model->table[w->index].ctx))                                                  \
                return true;                                                                                           \
        }                                                                                                              \
        for (; w->ctx < sim->active_count; w->ctx++, w->at = 0)                                                        \
        {                                                                                                              \
            IndexRange range = sim->model->contexts[sim->active[w->ctx]].list;                                         \
            if (w->at < range.count)                                                                                   \
            {                                                                                                          \
                w->index = sim->model->ctx_##list[range.first + w->at++];                                              \
                return true;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return false;                                                                                                  \
    }
ACTIVE_WALK(guard, guards, guards)
ACTIVE_WALK(when, whens, reactions)
ACTIVE_WALK(memory, memories, memories)
ACTIVE_WALK(assertion, assertions, assertions)
ACTIVE_WALK(machine, machines, machines)

// sim.c
kaiStatus sim_fail(kaiSim* sim, uint32_t place, const char* help, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void sim_warn(kaiSim* sim, uint32_t place, const char* format, ...) __attribute__((format(printf, 3, 4)));
kaiStatus sim_run_code(kaiSim* sim, CodeRange range);
static inline double* sim_states(kaiSim* sim)
{
    return sim->R + sim->model->reg_first[REG_STATE];
}
static inline double* sim_slopes(kaiSim* sim)
{
    return sim->R + sim->model->reg_first[REG_DERIV];
}
kaiStatus sim_ode_failed(kaiSim* sim, uint32_t island, int status);
static inline bool sim_numeric(const kaiSim* sim)
{
    return sim->model->reg_pulse != NO_REG;
}
// An event is present at the next reaction.
static inline void sim_raise(kaiSim* sim, uint32_t flag)
{
    if (sim->R[flag] == 0)
        sim->raised[sim->raised_count++] = flag;
    sim->R[flag] = 1;
}
// `reg` has changed: the islands that read it must start again.
void islands_disturb(kaiSim* sim, uint32_t reg);

void* sim_alloc(kaiSim* sim, size_t count, size_t size);  // zeros; NULL: no memory
void sim_release(kaiSim* sim, void* block, size_t count, size_t size);

// touch.c: what an instant works on. A register is touched before it changes.
void touch_begin(kaiSim* sim);  // a new instant
void touch_all(kaiSim* sim);    // the start: everything
void touch_unit(kaiSim* sim, uint32_t unit);
void touch_register(kaiSim* sim, uint32_t reg);
void touch_guard(kaiSim* sim, uint32_t guard);
bool touch_has_guard(const kaiSim* sim, uint32_t guard);
bool touch_has_var(const kaiSim* sim, uint32_t var);
kaiStatus touch_settle(kaiSim* sim, bool start);          // left limits of what is fresh
void touch_merge(kaiSim* sim);                            // the fresh join the touched
kaiStatus touch_react(kaiSim* sim);                       // one reaction
bool touch_reacts(const kaiSim* sim, uint32_t reaction);  // whether it took part in the last one
void touch_moment(kaiSim* sim, double t);                 // values are asked for at another time
kaiStatus touch_rows(kaiSim* sim);                        // what rows and probes show, up to date
kaiStatus touch_var(kaiSim* sim, uint32_t var);           // one variable
void touch_rows_create(kaiSim* sim);

// A walk over one of the lists of what is touched; in a fused model that is everything there is.
typedef struct TouchWalk
{
    uint32_t at, index;
} TouchWalk;
static inline bool touch_next(const kaiSim* sim, const IndexList* list, uint32_t all, TouchWalk* w)
{
    if (w->at == (sim->model->fused ? all : list->count))
        return false;
    w->index = sim->model->fused ? w->at : list->at[w->at];
    w->at++;
    return true;
}

// island.c
kaiStatus islands_create(kaiSim* sim, const OdeOptions* options);
void islands_free(kaiSim* sim);
void island_load(kaiSim* sim, uint32_t island, double t);  // its states at t into the registers
kaiStatus island_slopes(kaiSim* sim, uint32_t island);     // their derivatives, from what is loaded
void island_look(kaiSim* sim, uint32_t island, double from, double length, double theta, bool slopes);
kaiStatus islands_restart(kaiSim* sim);                  // those that were disturbed, from the registers
kaiStatus islands_advance(kaiSim* sim);                  // those that wait take a step; guards look ahead
kaiStatus islands_arrive(kaiSim* sim, uint32_t island);  // its step has become the past; it waits for the next
void island_ends(kaiSim* sim, uint32_t island);          // states and slopes at the end of its step into the registers
uint32_t island_state(const kaiSim* sim, uint32_t island, uint32_t slot);
double island_theta(const kaiSim* sim, uint32_t island, double t);  // where t lies in its last step
void island_disturb(kaiSim* sim, uint32_t island);
void islands_disturb_all(kaiSim* sim);        // the start
void islands_set(kaiSim* sim, uint32_t reg);  // a register is about to be set from outside
void islands_refresh(kaiSim* sim);            // after a snapshot was restored
void islands_wait(kaiSim* sim, uint32_t island);
void islands_look(kaiSim* sim, uint32_t guard);
static inline uint32_t agenda_guard(const kaiSim* sim, uint32_t guard)
{
    return sim->model->clocks_count + guard;
}
static inline uint32_t agenda_island(const kaiSim* sim, uint32_t island)
{
    return sim->model->clocks_count + sim->model->guards_count + island;
}
static inline uint32_t agenda_hold(const kaiSim* sim)
{
    return agenda_island(sim, sim->model->islands_count);
}

// instant.c: all tags of one t. `located` guards have been found by the solver; the rest is due at sim->now.t.
kaiStatus instant_run(kaiSim* sim, double t, bool start);
void instant_left_limits(kaiSim* sim, bool start);  // of memories

// endless.c: instants that do not end (rule R5)
typedef struct Endless
{
    uint32_t tags, mark, next_mark, changed_states;
    uint64_t marked;
    uint64_t reactions[64];      // hashes of what fired at the last tags
    uint32_t period, confirmed;  // of a round that repeats; tags in a row at which it shrinks steadily
    bool limited, shrinks;
    uint32_t show, cycle;  // the verdict is known: tags still to be shown, tags of a round
    uint32_t place;
    double ratio;
    Text text;
    char limit[240];
} Endless;
void endless_begin(Endless* e);
kaiStatus endless_watch(kaiSim* sim, Endless* e, kaiTag at, bool state_changed);

// pulse.c: numeric impulses; for runs with them (sim_numeric).
void pulse_start(kaiSim* sim);                          // registers; a warning if the numbers can overflow
void pulse_trial(kaiSim* sim, double t);                // the solver tries a step that ends at t
void pulse_step_taken(kaiSim* sim);                     // the solver ended a step, or its end was cut off
void pulse_left_limit(kaiSim* sim);                     // the left limit of an instant is known
kaiStatus pulse_step_done(kaiSim* sim);                 // a step without an instant has been recorded
kaiStatus pulse_overflow(kaiSim* sim, uint32_t state);  // an impulse took this state out of the numbers
kaiStatus pulse_settle(kaiSim* sim, bool* moved);       // breakpoint_solver = ibe, at the end of an instant

// zeno.c: events that accumulate, sliding, tunnelling (rule C4); zeno = continue
void zeno_before(kaiSim* sim, double t);                       // an instant: after the left limit
kaiStatus zeno_after(kaiSim* sim);                             // and at its end, the guards armed again
kaiStatus zeno_turned(kaiSim* sim, uint32_t guard, double t);  // a step ended while a guard waits for its rebound
void zeno_hold(const kaiSim* sim, double* slopes);             // derivatives of the held states are 0
void zeno_check_held(kaiSim* sim);                             // before the solver goes on: who is free again
bool zeno_search(kaiSim* sim, double* theta);                  // the first place in the step where a held state leaves

// commit.c
typedef struct CommitResult
{
    bool state, other;  // a continuous state changed; anything else that asks for another reaction
} CommitResult;
kaiStatus commit_stage(kaiSim* sim, CommitResult* result);  // what fires, from the values of the reaction
kaiStatus commit_apply(kaiSim* sim, CommitResult* result);
int choice_policy_find(const char* name);  // a ChoicePolicy, or -1

// fired.c: what fires, for whoever listens
void fired_guard(kaiSim* sim, uint32_t guard);
void fired_clock(kaiSim* sim, uint32_t clock);
void fired_reactions(kaiSim* sim);                                 // those of this commit
void fired_switch(kaiSim* sim, uint32_t machine, uint32_t place);  // a junction, which has its new mode already
// What a reaction sets: "a.v, b.v", "-> closed".
void fired_describe(const kaiModel* model, uint32_t reaction, char* text, size_t size);

// explore.c: which of the enabled alternatives choice = all takes now. `fresh`: the first choice of this commit. A
// positive status ends the step: the run is merged.
kaiStatus explore_decide(kaiSim* sim, bool fresh, uint32_t enabled, uint32_t* rank);

// guard.c
bool guard_is_active(const kaiSim* sim, const Guard* guard, bool react);
void guard_left_limit(kaiSim* sim);                    // last values for the first reaction
kaiStatus guard_apply_located(kaiSim* sim);            // latches of the located ones
void guard_commit(kaiSim* sim, CommitResult* result);  // latches and jumps across levels
kaiStatus guard_arm(kaiSim* sim, bool* leaving);       // after an instant: start of the watch
kaiStatus guard_start(kaiSim* sim);                    // first latches, from the start values
// Looks for crossings of the guards that read this island alone in its last step, and says when they are due. True: the
// step must be cut at *theta.
bool guard_search(kaiSim* sim, uint32_t island, double* theta);
// Looks from where the guard stands to `until`, and says when it is due; passes the end of its window.
void guard_look(kaiSim* sim, uint32_t index, double until);
kaiStatus guard_pass(kaiSim* sim, uint32_t index);
void guard_touch(kaiSim* sim);  // before a commit: the latches that it will change

// schedule.c: expected breakpoints: clocks, guards affine in time, the queue of delayed events, jumps under `delay`.
kaiStatus schedule_mark_due(kaiSim* sim, double t);
double schedule_clock_time(const kaiSim* sim, uint32_t clock);
kaiStatus schedule_start(kaiSim* sim);
void schedule_enter_modes(kaiSim* sim);  // `entry` of the initial modes

// record.c
kaiStatus record_tag(kaiSim* sim, bool instant, bool left);    // a tag of an instant, or a solver point
kaiStatus record_step(kaiSim* sim, double start, double end);  // probes and grid rows inside
bool record_var_changed(const kaiSim* sim, uint32_t var);      // by the last tag: tag_before against tag_last
kaiStatus record_instant_end(kaiSim* sim);
void record_keep(const kaiSim* sim, uint32_t var, double* to);  // what shows a variable, into a copy of registers
kaiStatus record_create(kaiSim* sim);

// initial.c
kaiStatus initial_solve(kaiSim* sim);

// delay.c
double delay_value(void* sim, uint32_t delay, double time, bool slope);
kaiStatus delay_start(kaiSim* sim);
kaiStatus delay_island_step(kaiSim* sim, uint32_t island, double until);  // what goes in during an island's last step
kaiStatus delay_before(kaiSim* sim, double t);                            // before an instant changes anything
kaiStatus delay_instant(kaiSim* sim);                                     // after an instant
double delay_next_time(const kaiSim* sim);
void delay_touch_due(kaiSim* sim, double t, uint32_t place);
kaiStatus delay_mark_due(kaiSim* sim, double t);
kaiStatus delay_send(kaiSim* sim, CommitResult* result);  // event delays, at a commit

#endif
