// The flat model: what a compilation means once instances, arrays, functions, `for` and `if` items are gone. Variables,
// definitions, reactions, modes, and one hash-consed graph of expression nodes. No schedule, no code yet.
//
// Everything lives in the arena of the compilation. Index 0 of `nodes`, `ctxs` is special: node 0 is "none",
// context 0 is the root, which is always active.
#ifndef KAIROS_ELAB_FLAT_H
#define KAIROS_ELAB_FLAT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/scale.h"
#include "base/span.h"
#include "base/spread.h"
#include "bond/graph.h"
#include "kairos/block.h"

#include <stdbool.h>

typedef uint32_t NodeId;  // 0 = none

// name, number of node arguments, text in listings
// clang-format off
#define NODE_OPS(X)                                                                                                    \
    X(NONE, 0, "none")                                                                                                 \
    X(CONST, 0, "const") /* value */                                                                                   \
    X(VAR, 0, "var")     /* aux = variable; its value at this tag */                                                   \
    X(TIME, 0, "time")                                                                                                 \
    X(ADD, 2, "+")                                                                                                     \
    X(SUB, 2, "-") X(MUL, 2, "*") X(DIV, 2, "/") X(POW, 2, "^") X(NEG, 1, "-") X(SIN, 1, "sin") X(COS, 1, "cos")       \
        X(TAN, 1, "tan") X(ASIN, 1, "asin") X(ACOS, 1, "acos") X(ATAN, 1, "atan") X(ATAN2, 2, "atan2")                 \
            X(SINH, 1, "sinh") X(COSH, 1, "cosh") X(TANH, 1, "tanh") X(EXP, 1, "exp") X(LOG, 1, "log")                 \
                X(LOG10, 1, "log10") X(SQRT, 1, "sqrt") X(HYPOT, 2, "hypot") X(ABS, 1, "abs") X(SIGN, 1, "sign")       \
                    X(MIN, 2, "min") X(MAX, 2, "max") X(FLOOR, 1, "floor") X(CEIL, 1, "ceil") X(ROUND, 1, "round")     \
                        X(MOD, 2, "mod") X(LT, 2, "<") X(LE, 2, "<=") X(GT, 2, ">") X(GE, 2, ">=") X(EQ, 2, "==")      \
                            X(NE, 2, "!=") X(AND, 2, "and") X(OR, 2, "or") X(NOT, 1, "not")                            \
                                X(IF, 3, "if") /* condition, then, else */                                             \
        X(SMOOTH, 1, "smooth")                 /* relations and kinks inside are not events */                         \
        X(UP, 1, "up") X(DOWN, 1, "down") X(CROSS, 1, "cross")                                                         \
            X(EDGE, 1, "becomes") /* event: the Boolean is true now and was false at the tag before (rule R7) */       \
        X(WHILE, 1, "while")      /* event: at every tag at which the Boolean is true (rule E2) */                     \
        X(FILTER, 2, "and")       /* event, Boolean: the event at the tags at which the Boolean is true (rule E1) */   \
        X(CLOCK, 2, "clock")      /* period, first */                                                                  \
        X(SAMPLE, 2, "sample")    /* value, event */                                                                   \
        X(HOLD, 2, "hold")        /* event, value before the first */                                                  \
        X(DELAY, 3, "delay")      /* signal or event, time, past before the start or 0 */                              \
        X(PRESENT, 1, "present") X(VALUE, 1, "value") X(DEFAULT, 2, "default")                                         \
            X(ENTRY, 0, "entry")              /* aux = context: the mode was entered at the tag before */              \
        X(PRE, 2, "pre")                      /* a VAR node, first value or 0 */                                       \
        X(POST, 1, "post")                    /* a VAR node; gone once the guard is complete */                        \
        X(COMMITTED, 1, "committed")          /* a VAR node: its value before the switching of this tag (rule B3) */   \
        X(SLOPE, 1, "slope")                  /* the regular part of der; aux: of what hangs on it at once */         \
        X(REGULAR, 1, "regular")              /* the regular part of a value: impulses stay behind */                  \
        X(AREA, 1, "area")                    /* a VAR node; aux = order of the impulse */                             \
        X(DELTA, 2, "delta")                  /* event, weight */                                                      \
        X(DER, 1, "der") X(TABLE, 1, "table") /* argument; aux = index in Flat.tables */                               \
        X(ROWS, 1, "rows")                    /* the same: how many rows lie before the argument */                    \
        X(PLACE, 1, "rows")                   /* the same: the segment of a table and how far in it (lower/rows.c) */  \
        X(SEGMENT, 1, "floor")                /* the same, of a PLACE: floor */                                        \
        X(QUEUE, 2, "queue")                  /* event that puts, event that takes */                                  \
        X(UNIFORM, 2, "uniform") X(NORMAL, 2, "normal")                                                                \
            X(EXPONENTIAL, 1, "exponential")          /* aux = index in Flat.streams */                                \
        X(EXTERNAL, 1, "external")                    /* a LIST of arguments; aux = index in Flat.externals */         \
        X(MAP, 1, "map")                              /* a LIST of inputs; aux = the first of its coefficients */      \
        X(LIST, 2, "list") /* head, tail (0 = end) */ /* only in `expect`; x is a VAR node */                          \
        X(AT, 2, "at")                                /* t, x: right limit */                                          \
        X(LEFT, 2, "left")                            /* t, x: left limit */                                           \
        X(AT_INDEX, 3, "at")                          /* t, n, x: by superdense index */                               \
        X(FINAL, 1, "final") X(COUNT, 1, "count") X(TIME_OF, 2, "time_of") /* event, k: the k-th, from 1 */            \
        X(LEAST, 1, "min") X(GREATEST, 1, "max")
// clang-format on

typedef enum NodeOp
{
#define X(name, arity, text) NODE_##name,
    NODE_OPS(X)
#undef X
        NODE_OP_COUNT
} NodeOp;

typedef enum ValueType
{
    TYPE_REAL,
    TYPE_BOOL,
    TYPE_EVENT,  // present or absent, with a real payload (1 if none was given)
    TYPE_MODE,   // the index of a mode in its machine
} ValueType;

typedef struct Node
{
    uint8_t op;      // NodeOp
    uint8_t type;    // ValueType
    uint16_t depth;  // longest way down to a leaf; elaboration keeps it below a few thousand, so recursion is safe
    NodeId arg[3];
    uint32_t aux;
    uint32_t
        ctx;  // operators with memory (UP … CLOCK, HOLD, DELAY, PRE, EDGE, ENTRY, random): where they stand; else 0
    double value;  // CONST
    Span span;     // where it was first written
} Node;

typedef enum VarKind
{
    VAR_PARAM,     // constant during a run
    VAR_STATE,     // continuous state
    VAR_DISCRETE,  // changed by := only
    VAR_SIGNAL,    // defined (outputs and connected inputs are signals)
    VAR_EVENT,     // defined, or emitted if it has no definition
    VAR_INPUT,     // an input of the root model: set from outside, `init` is its default
    VAR_MODE,      // the active mode of a machine, type TYPE_MODE
} VarKind;

typedef struct FlatUnit
{
    bool known;        // false: bare
    int8_t dim[7];     // m kg s A K mol cd
    const char* text;  // as declared, "m/s^2", or NULL
    Scale si;          // SI = si.scale * declared + si.offset
} FlatUnit;

typedef struct FlatVar
{
    const char* name;  // path from the root, "cart.wheel[2].w"; those made by the compiler begin with $
    VarKind kind;
    ValueType type;
    uint32_t ctx;       // the mode it is declared in (0: none)
    uint32_t instance;  // index in Flat.instances
    uint32_t machine;   // VAR_MODE: its machine
    NodeId init;        // PARAM: value. STATE, DISCRETE: start value. INPUT: default. 0 = not given
    bool input, output, hidden;
    bool inner;       // of an element of a bond graph inside a part: recorded on demand
    bool structural;  // PARAM: decided array sizes or `if` items; a change needs a new compilation
    bool emitted;     // EVENT: some action emits it
    bool unknown;     // SIGNAL: equations determine it (Flat.implicits); init is a first guess
    bool guessed;     // STATE: init is a first guess for `initial` equations
    NodeId nominal;   // STATE: its size, or 0
    FlatUnit unit;
    const char* description;
    Span span;
} FlatVar;

// var = value (order 0) or var' = value (order 1) while ctx is active.
typedef struct FlatDef
{
    uint32_t var;
    uint32_t ctx;
    int order;
    NodeId value;
    Span span;
} FlatDef;

typedef enum FlatActionKind
{
    FLAT_ASSIGN,  // var := value
    FLAT_EMIT,    // event var present at the next tag, with `value` as payload (0: 1)
    FLAT_HALT,
} FlatActionKind;

typedef struct FlatAction
{
    FlatActionKind kind;
    uint32_t var;
    NodeId value;
    const char* text;
    Span span;
} FlatAction;
typedef VEC(FlatAction) FlatActions;

// `when`: fires in a reaction in which `trigger` (TYPE_EVENT, or TYPE_BOOL as a level inside `choose`) holds and
// `guard` (TYPE_BOOL, or 0) is true. Order of the list is order of the text.
typedef struct FlatWhen
{
    uint32_t ctx;
    uint32_t instance;  // in which it is written
    NodeId trigger, guard;
    uint32_t choice;  // index in Flat.choices + 1; 0 = none
    NodeId weight;    // or 0
    FlatActions actions;
    Span span;
} FlatWhen;

// `on`: trigger is TYPE_BOOL (an event was wrapped in PRESENT).
typedef struct FlatTransition
{
    uint32_t machine, from, to;  // modes as indices within the machine
    uint32_t ctx;                // context of `from`
    NodeId trigger, guard;
    bool preempt, resume;
    uint32_t choice;
    NodeId weight;
    FlatActions actions;
    bool posterior;  // of a switched junction: the guard reads post() or area() (rule B3)
    // A guard that is the sign of the junction's own effort or flow, area before value: the sign, whose, and the
    // relation that is watched between instants. 0: any other guard.
    int8_t one_way;
    uint32_t one_way_var;
    NodeId one_way_watch;
    Span span;
} FlatTransition;

typedef struct FlatMode
{
    const char* name;
    uint32_t ctx;               // the context in which it is active
    bool on;                    // of a switched junction
    VEC(uint32_t) transitions;  // indices in Flat.transitions, in order of priority
    VEC(uint32_t) states;       // STATE and DISCRETE variables it declares: reset on entry
    VEC(uint32_t) machines;     // machines nested in it: go to their initial mode on entry
    Span span;
} FlatMode;

typedef struct FlatMachine
{
    uint32_t ctx;       // context in which it runs
    uint32_t mode_var;  // its VAR_MODE variable: "a.mode", "a.lit.mode" inside mode lit, "a.mode2" for a second one
    uint32_t initial;
    uint32_t junction;  // node of a bond graph + 1 whose switching it is; 0 = an ordinary machine
    uint32_t start;     // the mode in which a run starts: `initial` unless an experiment or --set says otherwise
    VEC(FlatMode) modes;
    Map mode_index;  // by name, if there are many
    Span span;
} FlatMachine;

// A context: machine `machine` is in mode `mode`, and `parent` is active.
typedef struct FlatCtx
{
    uint32_t parent, machine, mode;
} FlatCtx;

typedef struct FlatInstance
{
    const char* name;  // path, "" for the root
    const char* model;
    uint32_t parent;
    bool island;
    Span span;
} FlatInstance;

typedef struct FlatChoice
{
    uint32_t ctx;
    Span span;
} FlatChoice;

typedef struct FlatAssert
{
    uint32_t ctx;
    NodeId condition;
    const char* text;
    Span span;
} FlatAssert;

typedef struct FlatExternal
{
    const char *name, *library, *symbol;
    int arity;
    uint32_t block;  // the one it asks, + 1; 0: it is a C function
    uint32_t slope;  // the number of its derivative, a function of the arguments and of how they move; 0: not known
    Span span;
} FlatExternal;

// An instance of a model whose inside is foreign (kairos/block.h).
typedef struct FlatBlock
{
    const char* name;  // the path of the instance
    const kaiBlock* block;
    const char *path, *variant;
    bool library;  // `path` is one, to be opened as long as the model lives
    Span span;     // where the block is declared
} FlatBlock;

typedef struct FlatTable
{
    const char* path;  // resolved relative to the file it is written in
    int column;        // of y
    bool by_row;       // x is the number of the row, from 1
    int rows;
    const double *x, *y;  // read at compile time, x ascending
    Span span;
    uint32_t segments;  // the first of the tables that lower/rows.c has made of it, 0: it has made none
} FlatTable;

typedef VEC(FlatTable) FlatTables;

typedef struct FlatStream
{
    const char* name;  // path of the instance: one stream per instance path and seed
    Span span;
} FlatStream;

// Bond graphs (rules B1-B5). Elements and junctions are nodes; a port is a junction of what it joins. The variables .e
// and .f of everything are outputs; what sources and storages impose are inputs. In a mode every output is a linear
// function of the inputs (bond_map.c): a sum of inputs or other outputs, or Σ coefficient · input over the inputs of a
// block (MAP), where the run writes the coefficients when it enters a mode.
enum
{
    NO_VAR = 0xffffffffu
};

typedef struct FlatBondNode
{
    BondKind kind;
    const char* name;
    bool port;           // a port, or several that are connected
    uint32_t machine;    // + 1: switched
    uint32_t e, f;       // variables; of TF and GY those of side 1
    uint32_t e2, f2;     // TF, GY: side 2; else NO_VAR
    uint32_t extensity;  // C: q, I: p; else NO_VAR
    uint32_t energy;     // C, I: ½ e q, ½ f p, summed over the ports; NO_VAR if there is a law
    uint32_t parameter;  // r, c, i, n; NO_VAR: a source, a law or a matrix
    uint32_t ports;      // 1; of a storage with a matrix its size: e, f and extensity are the first of as many then
    uint32_t matrix;     // the first of ports × ports parameters, row by row, or NO_VAR
    uint32_t slopes;     // the first of as many hidden variables: its inverse, written by the run
    NodeId law;          // R: e of f or f of e; C: e of q; I: f of p; 0 = linear
    bool law_gives_flow;
    bool free;         // R, TF, GY: the law changes in a run, so inputs decide (Flat.implicits)
    bool steps;        // TF, GY of a block with storages: the ratio changes at instants only, and is read anew then
    bool zero;         // R: its resistance is 0
    BondKind acts;     // R: what it is in the equations, SE or SF if its law gives that from what is known in any mode
    uint32_t given;    // and the variable of its value then
    uint32_t nominal;  // + 1: the coefficient that has the ratio or slope its equations are made with; 0: nobody asks
    int local;         // its number in its connected part
    Span span;
    const char* owner;  // who messages name: the node itself, or the instance in the user's text that brought it in
    Span owner_span;
} FlatBondNode;

typedef struct FlatBond
{
    uint32_t from, to;  // nodes; the half arrow points to `to`
    const char* name;   // "a -> b"
    uint32_t e, f;      // variables of a named bond; else NO_VAR
    Span span;
} FlatBond;

// What an element imposes in its row of the equations of a mode.
typedef struct FlatBondInput
{
    uint32_t node, port;  // port 1: side 2 of TF, GY
    uint32_t var;         // its value
    uint32_t slope;       // its derivative: a storage may depend on the source; NO_VAR: it is 0
    uint32_t by;          // what the ratio or slope multiplies in that derivative, if it varies; else NO_VAR
} FlatBondInput;

typedef struct FlatBondOutput
{
    uint32_t var, area;   // the variable, and that of its impulse's area
    bool mapped;          // defined by the graph; else by its element
    bool zero;            // the sum of a plain junction
    bool rate;            // it is the derivative of its term
    uint32_t block, row;  // block + 1 of its row of coefficients, and the first of them; 0: it has none
    VEC(BondTerm) terms;
} FlatBondOutput;

typedef struct FlatBondBlock
{
    VEC(BondColumn) columns;  // of its rows, the last first
} FlatBondBlock;

// A connected part: the component of bond_graph with the same number.
typedef struct FlatBondGraph
{
    VEC(uint32_t) nodes, bonds;
    VEC(FlatBondInput) inputs;
    VEC(FlatBondOutput) outputs;
    VEC(FlatBondBlock) blocks;
    bool depends;  // a storage may depend on others or on a source, and jump with them
} FlatBondGraph;

// A state outside the graphs that integrates an effort or flow: an impulse of it moves the state by `area`.
typedef struct FlatCarried
{
    uint32_t var, ctx;
    NodeId area;
} FlatCarried;

// A signal that is made of efforts and flows, and the hidden one that is the area of its impulse.
typedef struct FlatSum
{
    uint32_t var, area;
} FlatSum;

// var is whatever makes residual 0. `text` is the equation as written, or NULL (bond graphs).
typedef struct FlatImplicit
{
    uint32_t var;
    NodeId residual;
    const char* text;
    Span span;
} FlatImplicit;

// `equation a == b` while ctx is active: residual is a - b.
typedef struct FlatEquation
{
    uint32_t ctx;
    NodeId residual;
    Span span;
} FlatEquation;

typedef struct FlatRecord
{
    VEC(uint32_t) vars;
    double every;  // 0: not given
    Span span;
} FlatRecord;

typedef struct FlatPlot
{
    VEC(uint32_t) vars;
    uint32_t against;  // variable + 1; 0 = time
    Span span;
} FlatPlot;

typedef struct FlatSweep
{
    uint32_t var;  // a PARAM, or a STATE, DISCRETE or MODE (its start value)
    VEC(double) values;
    Span span;
} FlatSweep;

typedef struct FlatSpread
{
    uint32_t var;  // a PARAM
    SpreadKind kind;
    VEC(double) values;
} FlatSpread;

typedef struct FlatExpect
{
    NodeId value;           // TYPE_BOOL if there is no target
    NodeId target, within;  // or 0
    const char* text;
    const char* source;  // the expression as written
    FlatUnit unit;       // what people read the value in
    bool measured;       // asked for by the call: it wants nothing, and `source` is its name; behind the others
    Span span;
} FlatExpect;

// What an experiment says. Numbers are evaluated; a setting that was not given has has_<name> == false or NULL.
typedef struct FlatExperiment
{
    const char* name;  // NULL: none, defaults
    Span span;
#define NUMBER(name, ...)                                                                                              \
    bool has_##name;                                                                                                   \
    double name;                                                                                                       \
    Span name##_span;
#define COUNT(name, ...) NUMBER(name, )
#define WORD(name, ...)                                                                                                \
    const char* name;                                                                                                  \
    Span name##_span;
#define MODEL_WORD(name, ...) WORD(name, )
#include "settings/settings.def"
    VEC(FlatRecord) records;
    VEC(FlatPlot) plots;
    VEC(FlatSweep) sweeps;
    VEC(FlatSpread) spreads;  // of the model: distributions of its parameters
    VEC(FlatExpect) expects;
    NodeId region;  // `region = condition`: the states that `kairos prove` is asked about; 0: all
    Span region_span;
} FlatExperiment;

typedef struct Flat Flat;

struct Flat
{
    Arena* arena;
    const char* model_name;
    VEC(Node) nodes;
    VEC(FlatVar) vars;
    VEC(FlatDef) defs;
    VEC(FlatWhen) whens;
    VEC(FlatTransition) transitions;
    VEC(FlatMachine) machines;
    VEC(FlatCtx) ctxs;
    VEC(FlatInstance) instances;
    VEC(FlatChoice) choices;
    VEC(FlatAssert) asserts;
    VEC(FlatEquation) equations;
    VEC(NodeId) initials;  // equations for the start: EQ nodes
    VEC(FlatExternal) externals;
    VEC(FlatBlock) blocks;
    FlatTables tables;
    VEC(FlatStream) streams;
    VEC(FlatBondNode) bond_nodes;
    VEC(FlatBond) bonds;
    const BondGraph* bond_graph;  // all of them, with the numbers of the two lists; NULL: no bonds
    VEC(FlatBondGraph) graphs;
    uint32_t coefficient_count;  // of the maps of all graphs
    VEC(FlatImplicit) implicits;
    bool solves_slopes;   // derivatives of storages are among what they find (elab/bond_varying.c)
    bool endless_slopes;  // some source hangs on its graph, and its slope matters (NODE_SLOPE)
    VEC(FlatCarried) carried;
    VEC(FlatSum) sums;
    FlatExperiment experiment;
    Map node_index;    // hash-consing
    const Flat* base;  // of a copy: where most nodes are found
};

// Builds nodes. Equal nodes are one node; operators on constants are folded (but never into a NaN).
void flat_init(Flat* flat, Arena* arena);
NodeId flat_const(Flat* flat, double value, ValueType type);
NodeId flat_var(Flat* flat, uint32_t var, Span span);
NodeId flat_node(Flat* flat, NodeOp op, ValueType type, NodeId a, NodeId b, NodeId c, uint32_t aux, uint32_t ctx,
                 Span span);
// Finds equal nodes among those that are there, after they were changed.
void flat_index(Flat* flat);
// A copy whose nodes and tables can grow: a flat model is finished when elaboration ends, and lowering adds to its own.
// The rest is shared.
Flat* flat_extend(Arena* arena, const Flat* flat);
// flat_order.c: an argument of a node has a smaller number than the node. flat_order makes it so.
bool flat_is_ordered(const Flat* flat);
void flat_order(Flat* flat);
const char* node_op_text(NodeOp op);
int node_op_arity(NodeOp op);

// An expression as text, with variables by name: for listings and messages (in the arena).
const char* flat_text(const Flat* flat, Arena* arena, NodeId node);

// `kairos check --print flat`: the whole flat model, readably (in the arena).
char* flat_print(const Flat* flat, Arena* arena);
// `kairos check --print causality`: strokes, dependent storages, loops and clashes of bond graphs per set of modes.
char* causality_print(const Flat* flat, Arena* arena);

#endif
