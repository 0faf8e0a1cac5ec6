// What the passes from the flat model to code share: facts about variables, lowered expressions, and the cells, which
// are the operators that remember something from one tag to the next.
#ifndef KAIROS_LOWER_COMPILER_H
#define KAIROS_LOWER_COMPILER_H

#include "base/graph.h"
#include "elab/flat.h"
#include "lang/diagnostics.h"
#include "lower/scalar.h"

// An expression means two things: in a reaction (events may be present, relations are evaluated) and between instants
// (events are absent, relations keep their latched value: rule C1).
typedef enum Phase
{
    PHASE_REACT,
    PHASE_FLOW,
    PHASE_COUNT
} Phase;

typedef enum Variability
{
    VARIES_NEVER,
    VARIES_AT_INSTANTS,
    VARIES_OUTSIDE,  // with an input of the root model: at instants here, always where a foreign integrator moves it
    VARIES_ALWAYS,
} Variability;

typedef struct VarInfo
{
    SymReg reg, present;                 // value; presence, NO_REG if always present
    SymReg deriv;                        // STATE: its derivative
    uint32_t first_def[2], last_def[2];  // by order: index in flat->defs + 1, chained by Compiler.next_def; 0 = none
    uint8_t variability;
    bool maybe_absent;
    bool modal;            // SIGNAL: absent only where no active mode defines it
    bool event_dependent;  // its value can hang on the presence of an event at the tag
    bool looped;           // reaches itself, `pre` counted
    uint32_t implicit;     // index in flat->implicits + 1: what makes a residual 0
    bool tested;           // a `preempt` guard reads it: it is there whether the guard holds or not
    int8_t order;          // highest impulse it can carry, -1 = none
    int8_t rhs_order;      // STATE: of its right-hand side
    bool jumps;            // its regular part can jump
    SymReg area;           // STATE with an impulsive right-hand side: the jump of this tag
    SymReg now;            // STATE with an impulsive right-hand side: its value in a reaction, jump included
    SymReg bond_area;      // a bond graph's effort or flow: the area of its impulse; NO_REG
    SymReg sum_area;       // the same of a signal that is made of them
    SymReg first_impulse;  // order + 1 VALUE registers: the weights of δ, δ′, …
} VarInfo;

// One condition more on the way to a node: it is asked for where that holds, or where it does not.
typedef struct Need
{
    uint32_t before;      // the rest of the way; 0 = always
    uint32_t last, next;  // those that go on from here; the next of those that go on from the same place
    uint32_t depth;
    NodeId condition;
    bool holds;
} Need;

typedef struct Asked
{
    VEC(Need) needs;
    VEC(uint32_t) of;      // [node]: index in needs
    VEC(uint8_t) watched;  // [node]: a relation in it matters between events, so its change must be located
} Asked;

typedef struct Lowered
{
    ScalarId value, present;  // value 0: not lowered yet
} Lowered;

typedef enum CellKind
{
    CELL_RELATION,
    CELL_FLOOR,
    CELL_CROSSING,
    CELL_EDGE,
    CELL_CLOCK,
    CELL_HOLD,
    CELL_PRE,
    CELL_DELAY,
    CELL_QUEUE,  // latch is the value in front, count how many wait
    CELL_PRE_IMPULSE,
    CELL_PRE_DERIVATIVE,
    CELL_DELAY_IMPULSE,  // weights under `pre` and `delay`
    CELL_LAST,           // any expression at the tag before: its jump
    CELL_PULSE,          // numeric impulses: the shares of an operator in this instant
    CELL_STEP,           // numeric impulses: a difference as the last step left it
    CELL_DRAW,           // a random draw: latch is its number
    CELL_COMMITTED,      // in a junction guard: the value before the switching of this tag
    CELL_PROBE,          // an operator of `expect`: filled in by the run
} CellKind;

// An operator with memory. Registers are MEMORY unless said otherwise.
typedef struct Cell
{
    CellKind kind;
    NodeId node;
    uint32_t ctx;
    NodeId g;                  // RELATION, CROSSING, FLOOR: what is watched
    SymReg latch, last, side;  // see Guard; EDGE, HOLD, PRE: latch is the remembered value
    SymReg latch_present;      // PRE of something that may be absent
    SymReg count;              // CLOCK, QUEUE
    uint32_t index;            // DELAY: number; PRE_IMPULSE, PRE_DERIVATIVE: order
} Cell;

// A task computes one register (and its presence): the definition of a variable, the right-hand side of a state, or the
// derivative of another task. It has one item for each mode that defines it.
typedef enum TaskKind
{
    TASK_DEFINITION,
    TASK_RIGHT_HAND_SIDE,
    TASK_DERIVATIVE,
    TASK_START,
    TASK_IMPULSE,   // the weight of one order of a variable's impulse
    TASK_IMPLICIT,  // its item is the residual
    TASK_NOW,       // a state in a reaction: what it was plus the area of its derivative
} TaskKind;

typedef struct Task
{
    TaskKind kind;
    uint32_t var;
    uint32_t base;        // DERIVATIVE: the task it differentiates; IMPULSE: the order
    SymReg reg, present;  // present NO_REG: always
    VEC(uint32_t) defs;   // indices in flat->defs
} Task;

typedef struct TaskItem
{
    uint32_t ctx;
    Lowered value;
    Span span;
} TaskItem;

// A condition under which the run must stop, with the sentence to say.
typedef struct FaultInfo
{
    uint32_t ctx;
    ScalarId condition;
    const char* text;
    Span span;
    DiagCode code;
} FaultInfo;

// Numeric impulses: the steps of the solver, as memory that a run fills in.
typedef struct StepRegs
{
    SymReg length;  // of a pulse: the setting `step`
    SymReg from;    // where the step in work began
    SymReg end;     // where it ends
    SymReg taken;   // its length, as the integrator takes it
} StepRegs;

// A node that is to be lowered; inside `smooth`, where relations and kinks are no events.
typedef struct Todo
{
    NodeId node;
    bool smooth;
} Todo;

// What differentiate works on.
typedef struct Derive
{
    VEC(ScalarId) chain;
    bool along_flow;     // what it makes are derivatives in time
    const Walk* moving;  // what it has seen is all that moves; NULL: that is not known
} Derive;

typedef struct Compiler Compiler;

struct Compiler
{
    Arena* arena;
    Flat* flat;  // our own copy: nodes that are made by rewriting go after those of the text
    Diags* diags;
    const Sources* sources;
    Scalars scalars;
    VEC(VarInfo) vars;
    VEC(uint32_t) next_def;  // per definition: the next of the same variable and order + 1
    uint32_t reg_counts[REG_CLASS_COUNT];
    VEC(Lowered) lowered[PHASE_COUNT][2];  // [phase][inside smooth][node]
    VEC(NodeId) rewrites;                  // [node]: kinks spelled out
    VEC(uint32_t) node_ctxs;               // [node]: smallest context that holds all uses; CTX_UNUSED
    Asked asked;                           // what matters between events, and when
    VEC(Todo) todo;                        // what lower has still to do, the innermost call last
    Derive derive;                         // and differentiate
    Walk nodes;                            // the walk over expressions that every pass uses
    VEC(uint8_t) node_varies;              // [node]: Variability + 1; 0 = not known
    Map cell_index;                        // node → cell
    Map event_flags;                       // registers that say that an event is present
    Map pre_latches;                       // register that holds a `pre`, or a derivative of one → cell
    VEC(Cell) cells;
    VEC(FaultInfo) faults;
    bool decide;              // loops that nothing can break are errors, not left to the run
    bool has_impulses;        // the model can have impulses at all
    bool numeric;             // and they are numbers: 1/h for one step
    StepRegs step;            // numeric only
    NodeId highest;           // the node of the text with the highest order; 0 = no impulse
    NodeId source_nodes;      // nodes of the text; those after it were made by rewriting
    VEC(int8_t) node_orders;  // [node] + 2; 0 = not known
    Map impulse_index;        // node * 16 + order → scalar
    uint32_t delay_count;
    NodeId refused;  // the last `der` of an external function that was reported
    SymReg time;
    SymReg coefficients;  // the first of Flat.coefficient_count, MEMORY
    SymReg seed;          // NO_REG: nothing is drawn
    SymReg* entries;      // [ctx]: present when the mode has just been entered; NO_REG: nobody asks
    VEC(Task) tasks;
    Map task_of;   // register → task that computes it
    Map start_of;  // register → task that computes its start value
    Map derived;   // register → register of its derivative along the flow
    Map slopes;    // value of a task → its derivative along the flow
};

enum
{
    CTX_UNUSED = 0xffffffffu
};

SymReg compiler_reg(Compiler* c, RegClass cls);

// needed.c: when a relation is asked for. All that is read in `root` is, as its conditions say.
void mark_needed(Compiler* c, NodeId root);
// Whether a relation between what may have no value is asked for.
ScalarId relation_needed(Compiler* c, Phase phase, NodeId relation);

// analysis.c: facts about variables (variability, absence, loops), contexts of nodes.
void analyse(Compiler* c);
Variability node_varies(Compiler* c, NodeId node);
// The walk over expressions, as scalar_walk: begin with walk_begin(&c->nodes), walk_push roots. 0: none is left.
NodeId node_walk_next(Compiler* c);
void node_walk_push_arguments(Compiler* c, NodeId node);  // after walk_pop, by a pass that chooses
uint32_t ctx_common(const Flat* flat, uint32_t a, uint32_t b);
// The smallest context in which everything exists that a delayed signal is made of, its T included. *var: where that is
// a mode, what is declared there.
uint32_t delay_home(Compiler* c, NodeId delay, uint32_t* var);
bool ctx_inside(const Flat* flat, uint32_t inner, uint32_t outer);
bool ctx_exclusive(const Flat* flat, uint32_t a, uint32_t b);  // never active together

// A transition that keeps its mode from reacting. (Inside `choose` that is decided only after the reaction.)
static inline bool is_preempting(const FlatTransition* t)
{
    return t->preempt && t->choice == 0;
}

// The definitions of a variable: for (uint32_t d = first_def(c, v, 0); d != 0; d = c->next_def.at[d - 1])
// flat->defs.at[d - 1]
void index_definitions(Compiler* c);

// differentiate.c: exact derivatives of lowered expressions. `leaf` gives the derivative of a register (0 = constant).
typedef ScalarId DerivativeLeaf(Compiler* c, void* user, SymReg reg);
ScalarId differentiate(Compiler* c, ScalarId root, DerivativeLeaf* leaf, void* user, Map* memo);
// Along the flow: x' for states, 1 for time, a task of its own for the derivative of a signal; of `pre(u)` the
// derivative that u had. What holds only while an event is present is no part of the flow.
ScalarId flow_derivative(Compiler* c, ScalarId root);

// impulse_orders.c infers who can carry impulses and who can jump, and refuses what has no meaning (rule V3);
// impulse_parts.c gives the weight of δ⁽ᵏ⁾ in an expression at a tag (rule V4).
enum
{
    ORDER_MAX = 8
};
void infer_impulses(Compiler* c);
int node_order(Compiler* c, NodeId node);
bool node_jumps(Compiler* c, NodeId node);
bool node_jumps_beside_pre(Compiler* c, NodeId node);
ScalarId impulse_part(Compiler* c, NodeId node, int order);
// The same for an operator that makes impulses (delta, der, delay), wherever it stands.
ScalarId impulse_made(Compiler* c, NodeId node, int order);
char* print_impulses(Compiler* c);
// The value of an expression at the tag before.
ScalarId last_value(Compiler* c, NodeId node);

// impulse_numeric.c: impulses as numbers. What an operator that makes impulses shows in a reaction, a derivative as a
// difference, a state with its pulses, and the part of a jump that is no pulse.
ScalarId numeric_pulse(Compiler* c, NodeId node);
ScalarId numeric_shares(Compiler* c, NodeId node);
Lowered numeric_difference(Compiler* c, Phase phase, NodeId node, Lowered u);
ScalarId numeric_state(Compiler* c, uint32_t var, ScalarId jumped);
ScalarId numeric_regular_jump(Compiler* c, NodeId node, ScalarId by);

// tasks.c: what has to be computed, and its parts.
void make_tasks(Compiler* c);
void make_start_task(Compiler* c, uint32_t var);
uint32_t task_item_count(Compiler* c, uint32_t task);
TaskItem task_item(Compiler* c, Phase phase, uint32_t task, uint32_t index);
// Begins a walk over what a task computes; push_task_items adds it to the walk in work.
void push_task(Compiler* c, Phase phase, uint32_t task);
void push_task_items(Compiler* c, Phase phase, uint32_t task);

// presence.c, conditions.c: what check can decide (rules V1, E3): values that can be absent where they are read,
// equality of what flows, edges of events.
void refuse_absence(Compiler* c);
void refuse_conditions(Compiler* c);
// True where something may be reported: not twice at one place.
bool report_is_new(const Compiler* c, DiagCode code, Span span);
// Whether the definitions of a variable (order 1: of its derivative) cover a context entirely.
bool definitions_cover(const Compiler* c, uint32_t var, int order, uint32_t ctx);

// opaque.c: `der` of something that hangs on an external function is an error.
void refuse_opaque(Compiler* c, NodeId der);

// lower.c
Lowered lower(Compiler* c, Phase phase, NodeId node);
ScalarId lower_ctx_active(Compiler* c, uint32_t ctx);
// Flat form of abs, min, max, sign, mod, ceil, round by `if` and relations; of tables by their segments.
NodeId rewrite_kink(Compiler* c, NodeId node);
bool is_kink(NodeOp op);
bool is_relation(NodeOp op);

// rows.c: `table` by the segment that its argument is in, which is remembered as floor is.
typedef struct RowsEdge
{
    ScalarId beyond, present;  // how far u lies beyond the edge; whether the segment has one there
} RowsEdge;
NodeId rows_spell_out(Compiler* c, NodeId table);
ScalarId rows_place(Compiler* c, uint32_t table, ScalarId u, Span span);
RowsEdge rows_edge(Compiler* c, uint32_t table, ScalarId u, ScalarId segment, bool up, Span span);

// A task whose register is found by Newton's method: an implicit one, or a derivative of such.
bool is_tear(const Compiler* c, uint32_t task);

// preempt.c
ScalarId lower_fires_in(Compiler* c, Phase phase, NodeId trigger, NodeId guard);
ScalarId lower_fires(Compiler* c, NodeId trigger, NodeId guard);  // of a `when` or a transition
bool ctx_preemptible(const Flat* flat, uint32_t ctx);
ScalarId lower_preempted(Compiler* c, uint32_t ctx);

#endif
