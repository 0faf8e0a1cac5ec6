// Floor 1: a model without a solver. The kernel holds everything of a run that has a meaning at an instant (registers,
// modes, latches, the agenda, events that wait, histories of delays, junctions) and reacts: one tag after the other
// until nothing changes. It knows no steps. States between instants belong to whoever moves time (floor 2, src/flow, or
// a foreign integrator); what is shown of a run belongs to listeners (floor 3, src/watch). Both are asked through
// hooks.
#ifndef KAIROS_KERNEL_KERNEL_H
#define KAIROS_KERNEL_KERNEL_H

#include "base/budget.h"
#include "base/fields.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "kairos/sim.h"
#include "kernel/agenda.h"
#include "kernel/queue.h"
#include "model/model.h"
#include "vm/native.h"

#include <math.h>

typedef struct Kernel Kernel;
typedef struct Bonds Bonds;      // bonds.h
typedef struct Scene Scene;      // scene.h
typedef struct Routine Routine;  // routine.h
typedef struct Brief Brief;      // brief.h
typedef struct Lean Lean;        // lean.h

// history.c: the past of a signal under `delay`, as polynomials of the time since their starts. A piece ends where the
// next one starts.
typedef struct HistoryPiece
{
    double start;
    uint32_t first;  // its coefficients: history_coefficient
    uint16_t degree;
    // What jumps at its start: 0 nothing, 1 the signal or its slope, n > 1 the n-th derivative, as far as is known.
    uint16_t order;
} HistoryPiece;

typedef struct History
{
    HistoryPiece* pieces;             // a ring
    double* coefficients;             // another one
    uint32_t first, count, capacity;  // of the pieces
    uint32_t next, room;              // of the coefficients: the next place, counted on and on
    double before;                    // the value before the first piece
    double end;                       // of the last piece
    double left, left_slope;          // at the last instant: what went in before it
    double break_from, break_at;      // nothing breaks between (reach.c)
    double paced_from;                // flow/pace.c: where its pieces are counted from
    uint32_t paced;                   // and how many have been
    uint16_t order;                   // of the next piece
} History;

enum
{
    HISTORY_TERMS = 32,  // of a piece at most
    HISTORY_NONE = 0x7fffffff
};

static inline HistoryPiece* history_piece(const History* h, uint32_t i)
{
    return &h->pieces[(h->first + i) & (h->capacity - 1)];
}
static inline double history_coefficient(const History* h, const HistoryPiece* p, uint32_t k)
{
    return h->coefficients[(p->first + k) & (h->room - 1)];
}
static inline void history_drop(History* h)  // the oldest piece
{
    h->first = (h->first + 1) & (h->capacity - 1);
    h->count--;
}
bool history_push(History* h, kaiAllocator allocator, const HistoryPiece* piece, const double* coefficients);
void history_forget(History* h, double before);  // pieces that end before
void history_cut(History* h, double t);          // what lies after t
void history_clear(History* h);
void history_free(History* h, kaiAllocator allocator);
// The piece that holds `at`, within rounding: of two that meet there the second, unless the signal jumps between them
// and the left side is asked for. HISTORY_NONE: it lies before the first.
uint32_t history_find(const History* h, double at, double rounding, bool right);
double history_piece_end(const History* h, uint32_t piece);
double history_value(const History* h, uint32_t piece, double at, uint32_t order);       // or a derivative
void history_expand(const History* h, uint32_t piece, double at, int terms, double* c);  // its coefficients around `at`
// Bounds of the value, or of a derivative, between two times: *low and *high are moved apart to hold them. How many
// pieces lie there.
uint32_t history_range(const History* h, double from, double to, uint32_t order, double* low, double* high);
size_t history_save_size(const History* h);
char* history_save(const History* h, char* block);
const char* history_load(History* h, kaiAllocator allocator, const char* block, bool* ok);

typedef struct GuardState  // two lines of the cache (decision 0227)
{
    double g, slope;       // at the start of the step
    double bias;           // of a one-way guard that stood past its level and was not taken: added to g
    double due;            // when it reaches 0; inf = never, as far as is known
    double from, until;    // the window in which it has been looked at
    uint64_t armed;        // kernel->arming when it was last armed
    bool active;           // watched in this step
    bool looking;          // wants a look
    bool left;             // has fired, and its mode was left at the same instant: it is kept if that is entered again
    int8_t toward;         // direction in which g must go to cross
    int8_t crossed;        // the direction in which it fired last
    int8_t crossed_first;  // and first at that instant
    int8_t reached;        // the side on which it counts as arrived at this instant (guard_reaches); 0 = none
    uint8_t sliding;       // zeno = continue keeps the solution on its surface: number + 1 of that; 0 = not
    double slack;          // how exactly `due` is known: within it other times are the same
    double theta, g_end, slope_end;  // where in the window the crossing lies, and g at its end
    double fired_g;                  // g when it fired last
    uint64_t fired;                  // kernel->instant_runs when it did last
    int64_t located, touches;        // how often; kernel->touch_times has when it touched 0 last without crossing
} GuardState;

typedef struct Staged
{
    uint32_t target;
    uint32_t flag;  // an event: its presence; NO_REG: an assignment
    double value;
    uint32_t place;
    bool reset;  // a start value on entering a mode: an action may replace it
} Staged;

typedef struct Jump  // of a state, at the first commit of an ordinary instant
{
    uint32_t state;
    double before;
} Jump;

typedef enum ChoicePolicy
{
    CHOICE_FIRST,
    CHOICE_RANDOM,
    CHOICE_ALL,
} ChoicePolicy;

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

// What the kernel asks of the floors above. `owner` is theirs; a hook that nobody needs does nothing.
typedef enum KernelSign  // what fires
{
    SIGN_GUARD,
    SIGN_CLOCK,
    SIGN_REACTIONS,  // those of this commit
    SIGN_SWITCH,     // a junction, which has its new mode already; `place` is that of the transition
} KernelSign;

typedef struct KernelHooks
{
    // ---- time
    void (*load)(void* owner, uint32_t island, double t);  // its states at t into the registers
    kaiStatus (*slopes)(void* owner, uint32_t island);     // their derivatives, from what is loaded
    kaiStatus (*restart)(void* owner);                     // disturbed islands start again, from the registers
    int (*reaches)(void* owner, uint32_t guard);           // the side a crossing arrives on at the left limit; 0: none
    bool (*stands)(void* owner, uint32_t guard);           // its slope is what rounding makes of 0
    void (*look)(void* owner, uint32_t guard);  // a guard of one of several islands was armed; tells the agenda
    void (*unit)(void* owner, uint32_t state, double unit);  // what counts as 1 in a state
    kaiStatus (*before)(void* owner, double t);              // an instant is about to change what it reads
    void (*left)(void* owner);                               // left limits are known
    kaiStatus (*settle)(void* owner, bool* moved);           // nothing changes any more
    kaiStatus (*after)(void* owner);                         // the instant is over
    // ---- listeners
    void (*begin)(void* owner, double t, bool again);        // after the left limit; `again`: tags go on
    void (*keep)(void* owner, uint32_t var);                 // a variable is touched: its left limit
    kaiStatus (*tag)(void* owner, bool left);                // the values of a tag are there
    kaiStatus (*round)(void* owner, kaiTag at, bool state);  // another tag follows; `state`: a state changed
    kaiStatus (*end)(void* owner);                           // guards are armed again
    void (*armed)(void* owner, uint32_t guard);
    int (*leads)(void* owner, uint32_t guard);  // on its level and at rest: the sign of its first derivative not 0
    void (*fires)(void* owner, KernelSign sign, uint32_t index, uint32_t place);
    void (*held)(void* owner);  // may states that are held move again?
    // An ordinary instant (ordinary.c): may this one go unseen; events that are present at a tag; it is over; or it is
    // not ordinary after its first commit, and what a listener would have been told comes now.
    bool (*calm)(void* owner, double t);
    void (*count)(void* owner);
    // Asked where there are short programs: does anybody look at this left limit; tags that nobody looks at
    // (`unseen.tags`).
    bool (*sees)(void* owner);
    kaiStatus (*tags)(void* owner, uint32_t tags);
    kaiStatus (*past)(void* owner);
    // All of that of a lean instant (lean.c), after it. False: a listener has a suspicion, and has noted nothing.
    bool (*steady)(void* owner, const Lean* lean);
    // And after that, where states were assigned and lean_tell has told: whether one of them is pushed onto a level.
    kaiStatus (*settles)(void* owner);
    void (*late)(void* owner);
    // choice = all: which of the enabled alternatives. `fresh`: the first choice of this commit. Positive: stop here.
    kaiStatus (*decide)(void* owner, bool fresh, uint32_t enabled, uint32_t* rank);
    void (*decided)(void* owner, uint32_t reaction);
    // bond graphs: before junctions switch, and after a commit moved states
    void (*before_jump)(void* owner);
    kaiStatus (*jumped)(void* owner);
    void (*begin_jumps)(void* owner);
    void (*settled)(void* owner);  // the last set of modes of those that were tried is to be committed
} KernelHooks;

// Everything that changes, declared once. Plain fields: type, name.
#define KERNEL_STATE(X)                                                                                                \
    X(kaiTag, now)          /* last tag */                                                                             \
    X(double, time_scale)   /* of time_slack: the start, the first ticks of clocks that began before it */             \
    X(double, clock_origin) /* what the first ticks of clocks are counted from */                                      \
    X(double, flow_start)   /* delayed signals jump to their right limit at this t */                                  \
    X(double, instant_time) /* t of the last instant; NaN before the first */                                          \
    X(double, rounding)     /* what operators may lie beyond their domain by at this t (DOMAIN_ROUNDING) */            \
    X(double, load_time)    /* where states are read for it (a few ulp later if instants share t) */                   \
    X(bool, halted)                                                                                                    \
    X(uint32_t, halt_text)  /* what `halt` says, in strings */                                                         \
    X(bool, reaction_moved) /* an impulse of this reaction moved a state */                                            \
    X(kaiCounters, counters)                                                                                           \
    X(uint64_t, random)                                                                                                \
    X(uint64_t, instant_runs)  /* number of the instant in work */                                                     \
    X(uint32_t, holds)         /* guards at which zeno = continue holds states */                                      \
    X(uint32_t, slides)        /* those among them at which it moves on their surface */                               \
    X(double, hold_next)       /* when the next held states get their limit; inf = none */                             \
    X(uint32_t, outside_count) /* registers that were set and not seen yet */                                          \
    X(uint32_t, warning_count)

// Arrays: type, name, elements, how many of them a snapshot holds.
#define KERNEL_ARRAYS(X)                                                                                               \
    X(double, R, model->reg_count, model->saved_count) /* registers */                                                 \
    X(GuardState, guards, model->guards_count, model->guards_count)                                                    \
    X(double, errors, model->components_count > 0 ? model->reg_count : 0, 0) /* what equations round by */             \
    X(double, touch_times, model->guards_count, model->guards_count)                                                   \
    X(double, hold_limit, model->state_count, model->state_count) /* per state: what it is held at */                  \
    X(uint32_t, hold_by, model->state_count, model->state_count)  /* per state: guard + 1 that holds it, 0 = free */   \
    X(double, due_times, agenda_size(model), agenda_size(model))  /* the agenda's */                                   \
    X(AgendaEntry, due_heap, AGENDA_BEFORE + agenda_size(model), 0)                                                    \
    X(uint32_t, due_where, agenda_size(model), 0)                                                                      \
    X(History, histories, model->delays_count, 0)                       /* saved one by one: they grow */              \
    X(History, pasts, model->delays_count, 0)                           /* before the start, where that was given */   \
    X(uint32_t, queue_firsts, queue_groups(model), queue_groups(model)) /* per delay: what of it comes out first */    \
    X(uint8_t, set, model->vars_count, model->vars_count) /* parameters and start values given by the user: 1 */       \
    X(double, set_values, model->vars_count, model->vars_count)                                                        \
    X(uint8_t, started_set, model->vars_count, 0) /* those that the last start was made with */                        \
    X(double, started_values, model->vars_count, 0)                                                                    \
    X(uint32_t, active, model->contexts_count, 0)  /* contexts that are active, outer ones first */                    \
    X(uint32_t, leaving, model->machines_count, 0) /* contexts that the transitions of this commit leave */            \
    X(uint32_t, raised, raised_size(model), 0)     /* event flags that are up */                                       \
    X(Staged, staged, model->acts_count + model->resets_count + 2 * model->machines_count, 0)                          \
    X(Jump, jumps, model->acts_count + model->resets_count, 0)                                                         \
    X(uint32_t, stamps, model->reg_count, 0)                        /* per register: number of the staged entry + 1 */ \
    X(uint32_t, located, model->guards_count, 0)                    /* guards located at this instant */               \
    X(uint32_t, fired, model->guards_count, 0)                      /* guards that fired in this instant */            \
    X(uint32_t, reacted, model->reactions_count, 0)                 /* reactions that fired in this commit */          \
    X(uint32_t, outside, model->vars_count, model->vars_count)      /* registers that were set from outside */         \
    X(double, outside_before, model->vars_count, model->vars_count) /* and their values before that */                 \
    X(double, outside_after, model->vars_count, 0) /* and what they were set to, while the left limit is made */       \
    X(uint64_t, flow_moments, model->flow_unit_count, 0)                                                               \
    X(uint64_t, react_touches, model->units_count, 0)                                                                  \
    X(uint64_t, react_runs, model->units_count, 0)                                                                     \
    X(uint64_t, var_touches, model->vars_count, 0)                                                                     \
    X(uint64_t, machine_touches, model->machines_count, 0)                                                             \
    X(const Scene*, scenes, scene_count(model), 0) /* per guard, then per clock, or per set of modes: what ordinary */ \
    /* instants touch; NULL: not known */                                                                              \
    X(uint32_t, flow_stack, model->flow_unit_count, 0)                                                                 \
    X(uint8_t, island_disturbed, model->islands_count, 0) /* something it reads has changed */                         \
    X(uint8_t, island_shown, model->islands_count, 0)     /* rows show it: its steps make rows */                      \
    X(uint64_t, island_looked, model->islands_count, 0)   /* moment at which its own guards were evaluated */

// Lists of numbers that are filled and emptied: name, room.
#define KERNEL_LISTS(X)                                                                                                \
    X(due_clocks, model->clocks_count)    /* ticks of this instant */                                                  \
    X(disturbed, model->islands_count)    /* islands that must start again */                                          \
    X(restarted, model->islands_count)    /* and those that did, at this instant */                                    \
    X(active_guards, model->guards_count) /* of a fused model: those of the active contexts */                         \
    X(varying, model->delays_count)       /* delays of a length that varies */                                         \
    X(row_islands, model->islands_count)  /* what rows show: islands of states, flow units */                          \
    X(row_flows, row_size(model))

typedef struct ShortDelay  // one that was 0 or less where a solver tried
{
    uint32_t number;  // of the delay, + 1; 0: none was
    double time, value;
} ShortDelay;

typedef struct OrdinaryLeft  // an ordinary instant at its left limit
{
    uint32_t guard;  // that fired; NO_REG: clocks have ticked
    double g;
} OrdinaryLeft;

typedef struct SceneMarks
{
    uint32_t open;        // the place of its scene + 1, of an ordinary instant whose lists nobody has asked for
    uint32_t sets, last;  // of a fused model: sets of modes that have scenes, and the one asked for last
    const Scene* now;     // of the modes that are active; NULL: it has to be looked for
} SceneMarks;

typedef struct Unseen  // by listeners, as they say
{
    uint32_t tags;  // so many more of this instant have nobody who looks at them
    double until;   // before it nothing is wanted but the count of events: no row, no value at a time
} Unseen;

typedef struct Warnings  // the first ones
{
    kaiError list[4];
    char texts[4][600];
    uint32_t places[4];
} Warnings;

struct Kernel
{
    const kaiModel* model;
    const kaiSimOptions* options;
    const KernelHooks* hooks;
    void* owner;
    Budget* budget;  // NULL: there is no limit, and nobody interrupts
    VmHost host;
    NativeRoom native;
    uint32_t beyond;      // operators beyond their domain at a left limit
    double series_until;  // a series that reads delayed signals is good up to this time
    bool unread;          // a series asked for what is not known yet, where T varies
    ShortDelay short_delay;
    ChoicePolicy policy;
    SceneMarks scene;
    bool plain, simple;  // a model whose instants plain.c runs; and one that may have ordinary ones
    Unseen unseen;
    IndexList counted;  // registers of the events that are counted at tags
    OrdinaryLeft left;
#define X(type, name) type name;
    KERNEL_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    KERNEL_ARRAYS(X)
#undef X
#define X(name, count) IndexList name;
    KERNEL_LISTS(X)
#undef X
    Queue queue;
    Queue held;     // while events are handed out: those that wait for the next tag
    Bonds* bonds;   // NULL: the model has no bond graph
    Brief* brief;   // short programs; NULL: there are none
    Agenda agenda;  // clocks, guards, islands, in this order, and what zeno = continue waits for
    uint32_t held_inputs, active_count, leaving_count, raised_count, staged_count, located_count, fired_count,
        reacted_count, jump_count;
    // What an instant has touched, and what this commit is about to touch (touch.c).
    TouchSet touched, settled, fresh;
    const TouchSet* walked;  // the set that walks go over; in a fused model all that is active
    uint64_t moment;         // number of the time at which flow units were last asked for
    uint64_t touch;          // number of the instant
    uint64_t reaction;       // number of the last one
    uint64_t arming;         // and of the last time guards were armed
    kaiError failure;
    char message[1200];
    char help[300];
    Warnings warnings;
};

static inline uint32_t agenda_size(const kaiModel* model)
{
    return model->clocks_count + model->guards_count + model->islands_count + 1;
}
// Where the model is one island all that comes out of delays is for it.
static inline uint32_t queue_groups(const kaiModel* model)
{
    return model->islands_count > 1 ? model->delays_count : 0;
}
static inline uint32_t raised_size(const kaiModel* model)
{
    return model->event_flags_count + model->clocks_count + model->delays_count + model->guards_count + 1;
}
enum
{
    SCENE_SETS = 32  // of modes, of a fused model: one with more of them is rarely in the same set again
};
static inline uint32_t scene_count(const kaiModel* model)
{
    return model->fused ? SCENE_SETS : model->guards_count + model->clocks_count;
}
static inline uint32_t row_size(const kaiModel* model)
{
    return model->vars_count + model->impulse_titles_count + model->probes_count;
}

// kernel.c: a kernel at the start of a run. False: no memory; kernel_free takes what was made.
void kernel_init_registers(Kernel* kernel);       // as they are before a start
void kernel_seed(Kernel* kernel, uint64_t seed);  // what it draws from then on
bool kernel_make(Kernel* kernel, const kaiModel* model, const kaiSimOptions* options, const KernelHooks* hooks,
                 void* owner);
void kernel_free(Kernel* kernel);
size_t kernel_save_size(const Kernel* kernel);
char* kernel_save(const Kernel* kernel, char* block);
const char* kernel_load(Kernel* kernel, const char* block, bool* ok);
static inline bool kernel_ctx_active(const Kernel* kernel, uint32_t ctx)
{
    const kaiModel* model = kernel->model;
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
    {
        const Context* at = &model->contexts[ctx];
        if (kernel->R[model->machines[at->machine].reg] != at->mode)
            return false;
    }
    return true;
}

// guard.c: what operators may lie beyond their domain by, at an instant; of a Kernel
double guard_rounding(void* kernel);

// contexts.c
void contexts_refresh(Kernel* kernel);                     // after a change of modes
void contexts_leave(Kernel* kernel, uint32_t ctx);         // and what is nested in it; before its machines change
void contexts_drop_guard(Kernel* kernel, uint32_t index);  // it is not watched any more

// Walks over what is touched and belongs to the active contexts: for (ActiveWalk w = {0}; active_guard(kernel, &w);)
// … w.index …
typedef struct ActiveWalk
{
    uint32_t ctx, at, index;
} ActiveWalk;
#define ACTIVE_WALK(name, list, table)                                                                                 \
    static inline bool active_##name(const Kernel* kernel, ActiveWalk* w)                                              \
    {                                                                                                                  \
        while (!kernel->model->fused)                                                                                  \
        {                                                                                                              \
            if (w->at == kernel->walked->list.count)                                                                   \
                return false;                                                                                          \
            w->index = kernel->walked->list.at[w->at++];                                                               \
            if (kernel_ctx_active(kernel, kernel->model->table[w->index].ctx))                                         \
                return true;                                                                                           \
        }                                                                                                              \
        for (; w->ctx < kernel->active_count; w->ctx++, w->at = 0)                                                     \
        {                                                                                                              \
            IndexRange range = kernel->model->contexts[kernel->active[w->ctx]].list;                                   \
            if (w->at < range.count)                                                                                   \
            {                                                                                                          \
                w->index = kernel->model->ctx_##list[range.first + w->at++];                                           \
                return true;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return false;                                                                                                  \
    }
ACTIVE_WALK(when, whens, reactions)
ACTIVE_WALK(memory, memories, memories)
ACTIVE_WALK(assertion, assertions, assertions)
ACTIVE_WALK(machine, machines, machines)
static inline bool active_guard(const Kernel* kernel, ActiveWalk* w)  // the most frequent: from a list
{
    bool fused = kernel->model->fused;
    const IndexList* list = fused ? &kernel->active_guards : &kernel->walked->guards;
    while (w->at < list->count)
    {
        w->index = list->at[w->at++];
        if (fused || kernel_ctx_active(kernel, kernel->model->guards[w->index].ctx))
            return true;
    }
    return false;
}

// A walk over one of the lists of what is touched; in a fused model that is everything there is.
typedef struct TouchWalk
{
    uint32_t at, index;
} TouchWalk;
static inline bool touch_next(const Kernel* kernel, const IndexList* list, uint32_t all, TouchWalk* w)
{
    if (w->at == (kernel->model->fused ? all : list->count))
        return false;
    w->index = kernel->model->fused ? w->at : list->at[w->at];
    w->at++;
    return true;
}

// The mode that a machine is in. Its register holds nothing else, but for a saved model that was damaged.
static inline uint32_t kernel_mode(const Kernel* kernel, const Machine* machine)
{
    double mode = kernel->R[machine->reg];
    return mode >= 0 && mode < machine->mode_count ? (uint32_t)mode : machine->start;
}

kaiStatus kernel_fail(Kernel* kernel, uint32_t place, const char* help, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void kernel_warn(Kernel* kernel, uint32_t place, const char* format, ...) __attribute__((format(printf, 3, 4)));
// A limit was met, or somebody waits: the run ends here. KAI_ERR_LIMIT, or KAI_INTERRUPTED.
kaiStatus kernel_stop(Kernel* kernel);
// The same for a limit on rows or tags.
kaiStatus kernel_exceed(Kernel* kernel, uint64_t limit, const char* what);
static inline kaiStatus kernel_check_tags(Kernel* kernel)
{
    uint64_t most = kernel->options->limits.tags;
    return most > 0 && (uint64_t)kernel->counters.tags > most ? kernel_exceed(kernel, most, "tags") : KAI_OK;
}
// An instant that was asked to stop between two tags is not over, and cannot go on later: the run ends there.
static inline kaiStatus kernel_check_limits(Kernel* kernel)
{
    kaiStatus status = kernel_check_tags(kernel);
    if (status != KAI_OK)
        return status;
    return budget_look(kernel->budget) ? KAI_OK : kernel_stop(kernel);
}
kaiStatus kernel_lost(Kernel* kernel, uint32_t component);  // a loop without a solution
// What helps where a ratio is infinite.
#define KERNEL_TURN_ROUND                                                                                              \
    "turn the element round: exchange its two sides and give it the reciprocal, which is 0 here; a slider follows "    \
    "from "                                                                                                            \
    "its crank at a dead point, a crank not from its slider"
static inline kaiStatus kernel_run(Kernel* kernel, CodeRange range)
{
    uint32_t failed = vm_run(kernel->model, kernel->R, range, &kernel->host);
    return failed == 0 ? KAI_OK : kernel_lost(kernel, failed - 1);
}
kaiStatus kernel_overflow(Kernel* kernel, uint32_t state);  // an impulse took this state out of the numbers
static inline double* kernel_states(Kernel* kernel)
{
    return kernel->R + kernel->model->reg_first[REG_STATE];
}
static inline double* kernel_slopes(Kernel* kernel)
{
    return kernel->R + kernel->model->reg_first[REG_DERIV];
}
// Whether times are one: the only place that decides it for a run (rule T6).
static inline double kernel_slack(const Kernel* kernel, double t)
{
    return time_slack(t, kernel->time_scale);
}
static inline bool kernel_reached(const Kernel* kernel, double due, double t)
{
    return time_reached(due, t, kernel->time_scale);
}
static inline bool kernel_same_time(const Kernel* kernel, double a, double b)
{
    return time_same(a, b, kernel->time_scale);
}
static inline bool kernel_numeric(const Kernel* kernel)
{
    return kernel->model->reg_pulse != NO_REG;
}
// An event is present at the next reaction.
static inline void kernel_raise(Kernel* kernel, uint32_t flag)
{
    if (kernel->R[flag] == 0)
        kernel->raised[kernel->raised_count++] = flag;
    kernel->R[flag] = 1;
}

// `reg` has changed: the islands that read it must start again.
void kernel_disturb(Kernel* kernel, uint32_t reg);
static inline void kernel_disturb_island(Kernel* kernel, uint32_t island)
{
    if (kernel->island_disturbed[island])
        return;
    kernel->island_disturbed[island] = true;
    kernel->disturbed.at[kernel->disturbed.count++] = island;
}
void kernel_disturb_all(Kernel* kernel);
// A register is about to be set from outside: at the left limit of the next instant it still has the value of now.
void kernel_set_input(Kernel* kernel, uint32_t reg);
void kernel_hold_inputs(Kernel* kernel);  // back to the values before; they are `held_inputs` then
void kernel_give_inputs(Kernel* kernel);  // and what was set

// touch.c: what an instant works on. A register is touched before it changes.
void touch_begin(Kernel* kernel);  // a new instant
void touch_all(Kernel* kernel);    // the start: everything
void touch_unit(Kernel* kernel, uint32_t unit);
void touch_register(Kernel* kernel, uint32_t reg);
void touch_guard(Kernel* kernel, uint32_t guard);
bool touch_has_guard(const Kernel* kernel, uint32_t guard);
bool touch_has_var(const Kernel* kernel, uint32_t var);
kaiStatus touch_settle(Kernel* kernel, bool start);          // left limits of what is fresh
void touch_merge(Kernel* kernel);                            // the fresh join the touched
void touch_accept(Kernel* kernel);                           // the fresh have their left limits
void touch_sort(TouchSet* set);                              // in the order in which they are evaluated
kaiStatus touch_react(Kernel* kernel);                       // one reaction
bool touch_reacts(const Kernel* kernel, uint32_t reaction);  // whether it took part in the last one
void touch_moment(Kernel* kernel, double t);                 // values are asked for at another time
kaiStatus touch_rows(Kernel* kernel);                        // what rows and probes show, up to date
kaiStatus touch_var(Kernel* kernel, uint32_t var);           // one variable
void touch_show(Kernel* kernel, uint32_t var);               // rows will show it
void touch_shown(Kernel* kernel);                            // and these are all

static inline uint32_t agenda_guard(const Kernel* kernel, uint32_t guard)
{
    return kernel->model->clocks_count + guard;
}
static inline uint32_t agenda_island(const Kernel* kernel, uint32_t island)
{
    return kernel->model->clocks_count + kernel->model->guards_count + island;
}
static inline uint32_t agenda_hold(const Kernel* kernel)
{
    return agenda_island(kernel, kernel->model->islands_count);
}

// instant.c: all tags of one t. `located` guards have been found by the solver; the rest is due at kernel->now.t.
kaiStatus instant_run(Kernel* kernel, double t, bool start);
// The same in parts: left limits and what is due; one tag, and whether another one follows; the end, after the last.
kaiStatus instant_begin(Kernel* kernel, double t, bool start);
kaiStatus instant_react(Kernel* kernel, bool* more);
kaiStatus instant_end(Kernel* kernel);
void instant_left_limits(Kernel* kernel, bool start);  // of memories

// plain.c: the same for models that have little of what a model can have, with nothing asked that they have not.
bool plain_is(const Kernel* kernel);                // the model is one
bool plain_serves(const Kernel* kernel, double t);  // and so is this instant
kaiStatus plain_run(Kernel* kernel, double t);
// What guard_arm does to guards of such a model
kaiStatus plain_arm(Kernel* kernel, const uint32_t* list, uint32_t count, bool* leaving);

// ordinary.c: one crossing whose reactions assign variables, which nobody watches and nothing follows. The scene of the
// instant in work if that may be one, or NULL.
const Scene* ordinary_scene(Kernel* kernel, double t);
kaiStatus ordinary_run(Kernel* kernel, const Scene* scene, double t);

// commit.c
typedef struct CommitResult
{
    bool state, other;  // a continuous state changed; anything else that asks for another reaction
} CommitResult;
kaiStatus commit_stage(Kernel* kernel, CommitResult* result);  // what fires, from the values of the reaction
kaiStatus commit_apply(Kernel* kernel, CommitResult* result);
void commit_forget(Kernel* kernel);        // what was staged and not applied
int choice_policy_find(const char* name);  // a ChoicePolicy, or -1

// guard.c
static inline bool guard_is_active(const Kernel* kernel, const Guard* guard, bool react)
{
    uint32_t present = react ? guard->react_present : guard->present;
    return kernel_ctx_active(kernel, guard->ctx) && (present == NO_REG || kernel->R[present] != 0);
}
void guard_left_limit(Kernel* kernel);                    // last values for the first reaction
kaiStatus guard_apply_located(Kernel* kernel);            // latches of the located ones
void guard_commit(Kernel* kernel, CommitResult* result);  // latches and jumps across levels
kaiStatus guard_arm(Kernel* kernel, bool* leaving);       // after an instant: start of the watch
// One guard, once at the end of an instant; `touched`: it has had its left limit. And those of islands that started
// again.
kaiStatus guard_watch(Kernel* kernel, uint32_t index, bool touched, bool* leaving);
kaiStatus guard_watch_restarted(Kernel* kernel, bool* leaving);
kaiStatus guard_start(Kernel* kernel);  // first latches, from the start values
void guard_enter(Kernel* kernel);       // after a change of modes
void guard_touch(Kernel* kernel);       // before a commit: the latches that it will change

// schedule.c: expected breakpoints: clocks, guards affine in time, the queue of delayed events, jumps under `delay`.
kaiStatus schedule_mark_due(Kernel* kernel, double t);
double schedule_clock_time(const Kernel* kernel, uint32_t clock);
kaiStatus schedule_start(Kernel* kernel);
void schedule_enter_modes(Kernel* kernel);  // `entry` of the initial modes

// delays.c: events that wait, signals that come out.
double delay_value(void* kernel, uint32_t delay, double at, uint32_t order);
bool delay_series(void* kernel, uint32_t delay, double at, int terms, double* coefficients);
double delay_range(void* kernel, uint32_t delay, double from, double to, uint32_t order, double* low, double* high);
void delay_reset(Kernel* kernel);
kaiStatus delay_check(Kernel* kernel);  // at the start: all are above 0
kaiStatus delay_start(Kernel* kernel);  // with what was given of the past there
kaiStatus delay_fail(Kernel* kernel, uint32_t delay, double T, double t);
bool delay_find_edge(Kernel* kernel, uint32_t delay);  // where T varies: what comes out next is something else now
static inline double delay_next_time(const Kernel* kernel)
{
    return kernel->queue.count > 0 ? queue_next(&kernel->queue) : INFINITY;
}
void delay_touch_due(Kernel* kernel, double t, uint32_t place);
kaiStatus delay_mark_due(Kernel* kernel, double t);
kaiStatus delay_send(Kernel* kernel, CommitResult* result);  // event delays, at a commit
kaiStatus delay_post(Kernel* kernel, uint32_t var, double value, double t, uint64_t* handle);
kaiStatus delay_jump(Kernel* kernel, uint32_t delay);  // a jump went in: it comes out later
kaiStatus delay_remember(Kernel* kernel, History* h, const HistoryPiece* piece, const double* coefficients);

#endif
