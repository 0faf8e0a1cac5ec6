// kaiModel: everything about a compiled model that does not change in a run, in one block. The compiler side fills it
// (src/emit), the run side reads it (src/vm, src/kernel, src/flow); neither knows the other.
//
// A run works on one array of doubles, the registers. A Boolean is 0 or 1. The register classes lie one after the other
// in the order of REG_CLASSES; all but DERIV and TEMP are part of a snapshot.
#ifndef KAIROS_MODEL_MODEL_H
#define KAIROS_MODEL_MODEL_H

#include "kairos/base.h"
#include "kairos/diag.h"
#include "kairos/result.h"

#include <stdbool.h>

enum
{
    NO_REG = 0xffffffffu
};

#define REG_CLASSES(X)                                                                                                 \
    X(CONST)  /* literals */                                                                                           \
    X(PARAM)  /* parameters and what follows from them alone */                                                        \
    X(STATE)  /* continuous states, as the solver orders them */                                                       \
    X(MEMORY) /* what a commit changes: discretes, modes, latches, values at the tag before, events to come */         \
    X(VALUE)  /* signals and events as the last evaluation left them */                                                \
    X(DERIV)  /* derivatives of the states, same order */                                                              \
    X(TEMP)   /* intermediate results */

typedef enum RegClass
{
#define X(name) REG_##name,
    REG_CLASSES(X)
#undef X
        REG_CLASS_COUNT
} RegClass;

// Operators of the virtual machine: name, number of source operands, text. Code is a list of runs: a word
// (op | count << 8) and then, for each of `count` instructions, dst and the sources. Grouping by operator keeps the
// dispatch off the inner loop.
// clang-format off
#define VM_OPS(X)                                                                                                      \
    X(MOVE, 1)                                                                                                         \
    X(ADD, 2) X(SUB, 2) X(MUL, 2) X(DIV, 2) X(NEG, 1) X(POW, 2) X(SIN, 1) X(COS, 1) X(TAN, 1) X(ASIN, 1) X(ACOS, 1)    \
        X(ATAN, 1) X(ATAN2, 2) X(SINH, 1) X(COSH, 1) X(TANH, 1) X(EXP, 1) X(LOG, 1) X(LOG10, 1) X(SQRT, 1) X(HYPOT, 2) \
            X(ABS, 1) X(SIGN, 1) X(MIN, 2) X(MAX, 2) X(FLOOR, 1) X(LT, 2) X(LE, 2) X(EQ, 2) X(NE, 2) X(AND, 2)         \
                X(OR, 2) X(NOT, 1) X(SELECT, 3) X(TABLE, 2) /* argument, register with the index of the table */       \
    X(TABLE_SLOPE, 2) /* the same: the slope there */ \
        X(DELAYED, 1) /* register with the index of the delay: its value at the time of the evaluation */                            \
    X(DELAYED_SLOPE, 1) /* and its derivative */                                                                       \
    X(RANDOM, 3) /* key of the draw, number of the draw, seed: uniform in [0, 1), the same for the same three */       \
    X(TABLE_ROWS, 2) /* argument, register with the index of the table: how many rows have an x below it */            \
    X(ARGUMENT, 2) /* never code: an argument of an external function, the arguments after it (a constant: none) */    \
    X(EXTERNAL, 2) /* never code: the arguments, register with the index of the function; written as CALL */           \
    X(ROW, 3) /* Σ coefficient · value: first of the values, first of the coefficients, register with their number.        \
                 Before it is code the values are a chain of ARGUMENTs; code fills a block of registers with them, once   \
                 for all rows. */                                                                                      \
    X(ROW_SIZE, 3) /* the same of absolute values: the size of the terms of a ROW */                                   \
    X(CALL, 0) /* one call a run, `count` registers: result, index of the function, arguments */
// clang-format on

// Control words. SWITCH reg n off₀ … offₙ₋₁ end: goes on at the block of mode R[reg] (offsets from the word after the
// table; an offset of 0xffffffff means no block), and each block closes with JUMP to end. FIX length first count:
// repeats the next `length` words until all `count` flags from the register `first` on are set or none is added.
// NEWTON length n component, then n unknowns, n residuals, n × n derivatives of the residuals (registers): repeats the
// next `length` words, which compute the residuals and derivatives, until the unknowns settle.
typedef enum VmOp
{
#define X(name, arity) VM_##name,
    VM_OPS(X)
#undef X
        VM_OP_COUNT,
    VM_SWITCH = VM_OP_COUNT,
    VM_JUMP,
    VM_FIX,
    VM_NEWTON,
} VmOp;

enum
{
    NEWTON_MAX = 64  // unknowns of one loop
};

// Registers of a NEWTON word: unknowns, residuals, derivatives row by row.
static inline uint32_t newton_registers(uint32_t count)
{
    return count * (count + 2);
}

typedef struct CodeRange
{
    uint32_t start, end;  // words of `code`
} CodeRange;

typedef struct ModelPlace
{
    uint32_t file;  // in strings
    int32_t line, column;
} ModelPlace;

typedef enum ModelVarKind
{
    MODEL_PARAM,
    MODEL_STATE,
    MODEL_DISCRETE,
    MODEL_SIGNAL,
    MODEL_EVENT,
    MODEL_INPUT,
    MODEL_MODE,
} ModelVarKind;

typedef struct ModelVar
{
    uint32_t name, unit, description;  // in strings; 0 = ""
    uint32_t title;                    // its column: the name, or Model.name where that is taken (t, p, m, run)
    uint8_t kind;                      // ModelVarKind
    uint8_t column;                    // kaiColumnKind
    bool hidden, structural, settable, is_input, is_output;
    uint32_t reg;      // its value
    uint32_t present;  // its presence, NO_REG: always present
    uint32_t ctx;
    uint32_t impulse, impulse_count;  // registers of the weights of δ, δ′, … after `react`
    uint32_t first_title;             // in impulse_titles
    uint32_t machine;                 // MODE
    uint32_t place;
} ModelVar;

// What the solver watches. A relation or crossing is a function g of the continuous state.
typedef enum GuardKind
{
    GUARD_LESS,        // g < 0
    GUARD_LESS_EQUAL,  // g <= 0
    GUARD_UP,
    GUARD_DOWN,
    GUARD_CROSS,
    GUARD_FLOOR_UP,    // g = x - (n + 1): reaches 0
    GUARD_FLOOR_DOWN,  // g = x - n: falls below 0
} GuardKind;

// A run of indices in one of the lists of the model.
typedef struct IndexRange
{
    uint32_t first, count;
} IndexRange;

typedef struct Guard
{
    uint8_t kind;
    bool searched;   // g changes between instants and its sign is looked for on the dense output
    bool time_only;  // g is affine in time: scheduled, never searched
    bool curved;     // not affine in the states: it may swing faster than they do
    uint32_t ctx;
    uint32_t g, slope;  // after the `events` program: g and its derivative along the flow
    uint32_t argument;  // after `events`: what last_g remembers (g itself; of a floor, x)
    uint32_t present;   // after `events`: whether g has a value; NO_REG: always
    uint32_t react_g;   // after the `react` program: g of this tag
    uint32_t react_present;
    uint32_t truth;                     // relation or floor, after `react`: its value of this tag (VALUE or TEMP)
    uint32_t latch;                     // MEMORY: truth (relation), n (floor), present now (crossing)
    uint32_t last_g;                    // MEMORY: g at the tag before; NaN while the context is not active
    uint32_t side;                      // MEMORY: sign memory of a crossing, -1 0 +1; 2 = unknown
    CodeRange code;                     // computes `g` alone from states and time (empty: use `events`)
    CodeRange slope_code;               // computes `g` and `slope` from states, their derivatives and time (the same)
    uint32_t first_state, state_count;  // in guard_states: the states it reads
    CodeRange look;                     // g, slope, argument, presence from states and slopes
    IndexRange islands;                 // in guard_islands: whose states it reads
    uint32_t text;                      // as written
    uint32_t place;
} Guard;

// dst := src at every commit (`pre`, `hold`, edges). At the left limit of an instant dst := left.
typedef struct Memory
{
    uint32_t dst, src;
    uint32_t left;   // register after the `flow` program that holds the left limit; NO_REG: keep dst
    bool forces;     // a change asks for another reaction
    bool pulse;      // the weight of an impulse: asks for another reaction whenever it is not 0
    bool has_first;  // the first value was written: keep it at the start
    bool steps;      // numeric impulses: taken from `left` at the end of every step too
    bool shares;     // and it holds what pulses have given in an instant
    uint32_t ctx;    // while it is not active, dst becomes `idle`
    bool has_idle;
    double idle;
} Memory;

typedef struct Clock
{
    uint32_t ctx, flag;  // MEMORY: present now
    uint32_t period, first;
    uint32_t count;  // MEMORY: number of the next tick
    uint32_t place;
} Clock;

// delay(u, T): `events` go through the queue, continuous signals through a history. queue(put, take) keeps what waits
// in a history too.
typedef struct Delay
{
    bool event, queue;
    uint32_t ctx;
    uint32_t value, present;          // after `react`: what goes in
    uint32_t flow_value, flow_slope;  // after `events`: the same between instants, and its derivative
    uint32_t time;                    // register of T; of a queue, after `react`: one is taken
    uint32_t out, out_present;        // MEMORY: event that comes out; of a queue: the value in front, how many wait
    CodeRange look;                   // flow_value and flow_slope from states and slopes
    uint32_t island;                  // the one that computes what goes in
    uint32_t place;
} Delay;

typedef enum ActKind
{
    ACT_ASSIGN,
    ACT_EMIT,
    ACT_HALT,
} ActKind;

typedef struct Act
{
    uint8_t kind;
    uint32_t var;             // ASSIGN, EMIT
    uint32_t target;          // MEMORY or STATE register (EMIT: payload)
    uint32_t flag;            // EMIT: presence to set for the next tag
    uint32_t value, present;  // after the code of its reaction; present NO_REG: always
    uint32_t text, place;
} Act;

typedef struct Reaction  // a `when`, or the actions of a transition
{
    uint32_t ctx;
    uint32_t fire;    // register after `react`
    uint32_t choice;  // index + 1, 0 = none
    uint32_t weight;  // register or NO_REG
    CodeRange code;   // values of the actions
    uint32_t first_act, act_count;
    uint32_t place;
} Reaction;

typedef struct Transition
{
    uint32_t reaction;  // guard and actions
    uint32_t to;
    bool preempt, resume;
    bool posterior;  // of a junction: tested on tentative values (rule B3)
} Transition;

typedef struct ModeInfo
{
    uint32_t name, ctx;
    uint32_t first_transition, transition_count;
    CodeRange reset;                        // start values of what it declares
    uint32_t first_reset, reset_count;      // in resets: pairs (target, value)
    uint32_t first_machine, machine_count;  // in mode_machines
    uint32_t entry;                         // MEMORY: entered at the tag before; NO_REG: nobody asks
    bool on;                                // of a junction
} ModeInfo;

typedef struct Machine
{
    uint32_t name, ctx, reg, initial, start, first_mode, mode_count, place;  // start: the mode in which a run begins
    bool junction;                                                           // of a bond graph: switches by rule B3
} Machine;

typedef struct Reset
{
    uint32_t target, value;
} Reset;

typedef struct Assertion
{
    uint32_t ctx, broken;  // register after `react`: 1 = violated
    uint32_t text, source, place;
} Assertion;

// A state that integrates impulses: after `react`, `now` is its value with the jump of the tag.
typedef struct NowState
{
    uint32_t state, now;
} NowState;

// What must not happen at a tag, and what to say when it does.
typedef struct ModelFault
{
    uint32_t ctx, condition, text, place;
    uint32_t code, help;  // as a diagnostic has them
} ModelFault;

typedef struct Component  // a strongly connected component of the dependency graph
{
    uint32_t first_known, count;        // TEMP registers, one per member
    uint32_t first_member;              // in component_vars
    uint32_t first_name;                // in component_names: the part of the member that is in the loop
    uint32_t first_input, input_count;  // in component_vars: what it reads from outside
    uint32_t text;                      // the loop as a path with source lines
    bool newton;                        // solved by Newton's method, not constructively
} Component;

// ---- bond graphs (rules B1-B5); indices of nodes and bonds count within the graph

typedef struct BondPart  // an element or junction
{
    uint8_t kind;        // BondKind of src/bond
    bool free;           // its law is in the inputs; the parameter is only a guess
    uint32_t machine;    // + 1: switched
    uint32_t ports;      // of a storage with a matrix its size; otherwise 1
    uint32_t state;      // STATE register of its extensity, the first if it has several ports, or NO_REG
    uint32_t parameter;  // after `bonds`: r, n; C and I: the slope of the law, 1/c, 1/i
    uint32_t matrix;     // PARAM registers, ports × ports, or NO_REG: `parameter` serves then
    uint32_t slopes;     // MEMORY registers for its inverse
    uint32_t name, place;
} BondPart;

typedef struct BondLink
{
    uint32_t from, to, name, place;
} BondLink;

typedef struct BondInput
{
    uint32_t node, port;
    uint32_t value, impulse;  // registers after `react`; NO_REG: never an impulse
    uint32_t slope;           // register of its derivative, or NO_REG
    uint32_t slope_column;
} BondInput;

typedef struct BondTerm
{
    uint32_t bond;
    bool flow;
    int8_t sign;
} BondTerm;

typedef struct BondOutput
{
    uint32_t var;   // variable
    uint32_t area;  // MEMORY register
    bool mapped;
    bool read;                        // something that is written in the model reads it
    uint32_t first_term, term_count;  // in bond_terms
} BondOutput;

typedef struct Carried  // a state outside the graph: moved by the area that is in `area` after `react`
{
    uint32_t ctx, state, area;
} Carried;

typedef struct BondSystem  // a connected bond graph
{
    uint32_t first_part, part_count, first_link, link_count;
    uint32_t first_input, input_count, first_output, output_count;
    uint32_t columns;
    uint32_t map;  // MEMORY registers: mapped outputs × columns
} BondSystem;

// Machine `machine` is in mode `mode`, and `parent` is active. What belongs to it, so that a reaction visits what is
// active and nothing else.
typedef struct Context
{
    uint32_t parent, machine, mode;
    IndexRange guards, whens, memories, assertions, machines;
} Context;

// States whose right-hand sides read each other, with a solver, a step and a time of their own (rule D2). Every model
// has at least one; a model that is solved as a whole has just one.
typedef struct Island
{
    uint32_t name;
    IndexRange states;          // in island_states: indices of states
    IndexRange guards;          // in island_guards: those that read it
    IndexRange delays;          // in island_delays: continuous ones that it feeds
    IndexRange clocks, timers;  // in island_clocks, island_timers (guards affine in time): may disturb it
    bool queued;                // a delayed event may disturb it
    CodeRange deriv;
    CodeRange events;  // the guards that read no other island: what `events` computes of them
    uint32_t place;
} Island;

// The smallest part of the flow or of a reaction that is evaluated by itself, so that an instant works on what it
// touches and on nothing else (decision 0018). A model with one island has three: the whole flow, all guards, the whole
// reaction (decision 0035).
typedef enum UnitKind
{
    UNIT_ALL,
    UNIT_TASK,  // definitions: unit_vars
    UNIT_GUARD,
    UNIT_MEMORY,
    UNIT_REACTION,
    UNIT_ASSERTION,
    UNIT_FAULT,
    UNIT_DELAY,
} UnitKind;

typedef struct ModelUnit
{
    uint8_t kind;
    uint32_t index;      // of the guard, memory, …
    CodeRange code;      // a flow unit: between instants; a reaction unit: at a tag
    IndexRange next;     // in unit_links: reaction units that change with it
    IndexRange needs;    // in unit_links: flow units whose values it reads, its own left limit among them
    IndexRange islands;  // in unit_islands: whose states it reads
    IndexRange vars;     // in unit_vars: variables that it defines
} ModelUnit;

typedef enum ProbeKind
{
    PROBE_AT,
    PROBE_LEFT,
    PROBE_INDEX,
    PROBE_FINAL,
    PROBE_COUNT,
    PROBE_TIME_OF,
    PROBE_MIN,
    PROBE_MAX,
} ProbeKind;

typedef struct Probe
{
    uint8_t kind;
    uint32_t var;
    uint32_t time, index;       // PARAM registers (AT LEFT INDEX TIME_OF)
    uint32_t out, out_present;  // VALUE registers that the `expect` program reads
} Probe;

typedef struct Expectation
{
    uint32_t value, target, within;  // registers after `expect`; target NO_REG: value is Boolean
    uint32_t value_present;
    uint32_t text, source, place;
} Expectation;

typedef struct Table
{
    uint32_t first_x, first_y, rows;  // in numbers
} Table;

enum
{
    EXTERNAL_ARITY_MAX = 8
};

typedef void (*ExternalFunction)(void);  // a function of `arity` doubles that returns a double

typedef struct External
{
    uint32_t path, symbol;  // in strings
    uint32_t arity;
    void* library;  // of dlopen: model_bind opens it, model_free closes it
    ExternalFunction function;
} External;

typedef struct RecordSet
{
    uint32_t first, count;  // in record_vars
    double every;
} RecordSet;

typedef struct PlotSet
{
    uint32_t first, count;  // in plot_vars
    uint32_t against;       // variable + 1, 0 = time
} PlotSet;

typedef struct Sweep
{
    uint32_t var, first, count;  // in numbers
    bool structural;
} Sweep;

// Arrays of the block: element type, name. model_pack copies them all.
#define MODEL_ARRAYS(X)                                                                                                \
    X(uint32_t, code)                                                                                                  \
    X(double, constants) /* values of the CONST registers */                                                           \
    X(ModelVar, vars)                                                                                                  \
    X(uint32_t, state_vars) /* variable of state i */                                                                  \
    X(Guard, guards)                                                                                                   \
    X(int32_t, guard_states)                                                                                           \
    X(int32_t, guard_slots) /* and their numbers in their islands */                                                   \
    X(Memory, memories)                                                                                                \
    X(Clock, clocks)                                                                                                   \
    X(Delay, delays)                                                                                                   \
    X(Reaction, reactions)                                                                                             \
    X(Act, acts)                                                                                                       \
    X(Transition, transitions)                                                                                         \
    X(ModeInfo, modes)                                                                                                 \
    X(uint32_t, mode_machines)                                                                                         \
    X(Machine, machines)                                                                                               \
    X(Reset, resets)                                                                                                   \
    X(Reset, starts) /* start values: target, register after `start` */                                                \
    X(Context, contexts)                                                                                               \
    X(uint32_t, ctx_guards)                                                                                            \
    X(uint32_t, ctx_whens)                                                                                             \
    X(uint32_t, ctx_memories)                                                                                          \
    X(uint32_t, ctx_assertions)                                                                                        \
    X(uint32_t, ctx_machines)                                                                                          \
    X(Assertion, assertions)                                                                                           \
    X(NowState, now_states) /* states that integrate impulses */                                                       \
    X(ModelFault, faults)                                                                                              \
    X(uint32_t, impulse_titles) /* column names x#0, x#1, … */                                                       \
    X(BondSystem, bond_systems)                                                                                        \
    X(BondPart, bond_parts)                                                                                            \
    X(BondLink, bond_links)                                                                                            \
    X(BondInput, bond_inputs)                                                                                          \
    X(BondOutput, bond_outputs)                                                                                        \
    X(BondTerm, bond_terms)                                                                                            \
    X(Carried, carried)                                                                                                \
    X(Reset, nominals)  /* register of a state, register with its nominal size */                                      \
    X(Reset, committed) /* MEMORY register that keeps, register that it keeps (rule B3) */                             \
    X(Component, components)                                                                                           \
    X(uint32_t, component_vars)                                                                                        \
    X(uint32_t, component_names)                                                                                       \
    X(Probe, probes)                                                                                                   \
    X(Expectation, expectations)                                                                                       \
    X(External, externals)                                                                                             \
    X(Table, tables)                                                                                                   \
    X(RecordSet, records)                                                                                              \
    X(uint32_t, record_vars)                                                                                           \
    X(PlotSet, plots)                                                                                                  \
    X(uint32_t, plot_vars)                                                                                             \
    X(Sweep, sweeps)                                                                                                   \
    X(double, numbers)                                                                                                 \
    X(uint32_t, event_flags)     /* MEMORY registers that are 1 for one tag only */                                    \
    X(uint32_t, residuals)       /* initial equations: registers after `initial` that must become 0 */                 \
    X(uint32_t, unknowns)        /* STATE or MEMORY registers they are solved for */                                   \
    X(int32_t, jacobian_columns) /* compressed columns of df/dx */                                                     \
    X(int32_t, jacobian_rows)                                                                                          \
    X(uint32_t, jacobian_values) /* registers after `jacobian` */                                                      \
    X(uint32_t, jacobian_times)  /* registers of df/dt */                                                              \
    X(uint32_t, reg_places)      /* per register: where its value is computed, or 0 */                                 \
    X(Island, islands)                                                                                                 \
    X(uint32_t, island_states)                                                                                         \
    X(uint32_t, island_guards)                                                                                         \
    X(uint32_t, island_delays)                                                                                         \
    X(uint32_t, island_clocks)                                                                                         \
    X(uint32_t, island_timers)                                                                                         \
    X(uint32_t, state_islands) /* per state: its island */                                                             \
    X(uint32_t, state_slots)   /* and its number there */                                                              \
    X(uint32_t, guard_islands)                                                                                         \
    X(ModelUnit, units) /* flow units in the order of the flow, then reaction units in the order of a reaction */      \
    X(uint32_t, unit_links)                                                                                            \
    X(uint32_t, unit_islands)                                                                                          \
    X(uint32_t, unit_vars)                                                                                             \
    X(uint32_t, always_units)     /* reaction units that every instant touches */                                      \
    X(uint32_t, reaction_units)   /* per reaction: its unit */                                                         \
    X(uint32_t, var_units)        /* per variable: its flow unit, or NO_REG */                                         \
    X(uint32_t, var_nows)         /* per variable: its entry in now_states + 1, or 0 */                                \
    X(uint32_t, reg_vars)         /* per STATE and MEMORY register: variable + 1, or 0 */                              \
    X(uint32_t, reg_unit_first)   /* per STATE and MEMORY register: its readers in reg_units */                        \
    X(uint32_t, reg_units)        /* reaction units */                                                                 \
    X(uint32_t, reg_island_first) /* and those in reg_islands */                                                       \
    X(uint32_t, reg_islands)      /* islands whose right-hand sides read it */                                         \
    X(ModelPlace, places)                                                                                              \
    X(char, strings)

// Programs: what each computes.
#define MODEL_PROGRAMS(X)                                                                                              \
    X(guesses)  /* slopes of the free elements of bond graphs: guesses for the equations */                            \
    X(params)   /* parameters, and everything that depends on nothing else */                                          \
    X(start)    /* start values of states and discretes */                                                             \
    X(initial)  /* residuals of the initial equations */                                                               \
    X(flow)     /* between instants: all signals, events absent, relations latched */                                  \
    X(deriv)    /* derivatives only (state transition cluster) */                                                      \
    X(events)   /* guards and their slopes from states and derivatives (event generation cluster) */                   \
    X(bonds)    /* parameters of bond graphs and the slopes of their storages */                                       \
    X(react)    /* one reaction: everything */                                                                         \
    X(jacobian) /* df/dx and df/dt */                                                                                  \
    X(expect)   /* expectations, from the probes */

typedef struct ModelSettings
{
    double start, stop, rtol, atol, step, max_step, balance;
    uint64_t seed, max_branches, max_choices;
    uint32_t max_microsteps;
    bool has_stop;
    // words as given, in strings; 0 = not given
    uint32_t solver, breakpoint_solver, root, impulses, choice, islands, zeno;
} ModelSettings;

typedef struct kaiModel
{
    kaiAllocator allocator;
    size_t size;                          // of the block
    uint32_t reg_first[REG_CLASS_COUNT];  // first register of each class
    uint32_t reg_count, saved_count;      // all; those in a snapshot
    uint32_t reg_seed;                    // a MEMORY register; NO_REG: nothing is drawn
    uint32_t reg_time;                    // a MEMORY register
    // Numeric impulses, MEMORY registers: length of a pulse; the step in work from, to, and its length. NO_REG:
    // symbolic.
    uint32_t reg_pulse, reg_step_from, reg_step_end, reg_step_taken;
    int32_t impulse_order;   // the highest in the model, -1 = none
    uint32_t impulse_place;  // where
    uint32_t state_count;
    uint32_t when_count;  // the first reactions are the whens, the others belong to transitions
    uint32_t choice_count;
    uint32_t flow_unit_count;   // the first units
    uint32_t first_guard_unit;  // reaction units of the guards, in their order
    bool fused;                 // one island, whose units are fused: an instant touches everything
    bool instant_signals;       // some signal that is no event depends on the presence of an event
    bool has_jacobian;
    uint32_t name, experiment;  // in strings
    ModelSettings settings;
#define X(name) CodeRange name;
    MODEL_PROGRAMS(X)
#undef X
#define X(type, name)                                                                                                  \
    const type* name;                                                                                                  \
    uint32_t name##_count;
    MODEL_ARRAYS(X)
#undef X
} kaiModel;

// Copies `draft` (whose arrays may lie anywhere) into one block. NULL if the allocator gives nothing.
kaiModel* model_pack(const kaiModel* draft, kaiAllocator allocator);
// Opens the libraries of its external functions. False if one has gone since the model was compiled.
bool model_bind(kaiModel* model);
void model_free(kaiModel* model);

static inline const char* model_string(const kaiModel* model, uint32_t offset)
{
    return model->strings + offset;
}

kaiPlace model_place(const kaiModel* model, uint32_t place);

int vm_op_arity(VmOp op);
const char* vm_op_name(VmOp op);

#endif
