// kaiModel: everything about a compiled model that does not change in a run, in one block. The compiler side fills it
// (src/emit), the run side reads it (src/vm, src/kernel, src/flow); neither knows the other.
//
// A run works on one array of doubles, the registers. A Boolean is 0 or 1. The register classes lie one after the other
// in the order of REG_CLASSES; all but DERIV and TEMP are part of a snapshot.
#ifndef KAIROS_MODEL_MODEL_H
#define KAIROS_MODEL_MODEL_H

#include "kairos/base.h"
#include "kairos/error.h"
#include "kairos/result.h"
#include "model/tables.h"

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
    X(DELAYED, 3) /* register with the index of the delay, time that is read, register with the order of derivative */ \
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
    NEWTON_MAX = 64,    // unknowns of one loop
    DELAYED_ORDERS = 8  // of derivatives of a delayed signal
};

// Registers of a NEWTON word: unknowns, residuals, derivatives row by row.
static inline uint32_t newton_registers(uint32_t count)
{
    return count * (count + 2);
}

// Arrays of the block: element type, name, and what an element is: RECORDS of a list of fields (tables.h), EACH a
// number of the kind that a field can be, code WORDS, or NUMBERS that mean themselves. OFFSET: into another array,
// never falling. model_pack copies them all.
#define MODEL_ARRAYS(X)                                                                                                \
    X(uint32_t, code, WORDS)                                                                                           \
    X(double, constants, NUMBERS(double)) /* values of the CONST registers */                                          \
    X(ModelVar, vars, RECORDS(VAR))                                                                                    \
    X(uint32_t, state_vars, EACH(INDEX(vars))) /* variable of state i */                                               \
    X(Guard, guards, RECORDS(GUARD))                                                                                   \
    X(int32_t, guard_states, EACH(STATE))                                                                              \
    X(int32_t, guard_slots, EACH(LOCAL)) /* and their numbers in their islands */                                      \
    X(Memory, memories, RECORDS(MEMORY))                                                                               \
    X(Clock, clocks, RECORDS(CLOCK))                                                                                   \
    X(Delay, delays, RECORDS(DELAY))                                                                                   \
    X(Reaction, reactions, RECORDS(REACTION))                                                                          \
    X(Act, acts, RECORDS(ACT))                                                                                         \
    X(Transition, transitions, RECORDS(TRANSITION))                                                                    \
    X(ModeInfo, modes, RECORDS(MODE))                                                                                  \
    X(uint32_t, mode_machines, EACH(INDEX(machines)))                                                                  \
    X(Machine, machines, RECORDS(MACHINE))                                                                             \
    X(Reset, resets, RECORDS(RESET))                                                                                   \
    X(Reset, starts, RECORDS(START)) /* start values: target, register after `start` */                                \
    X(Context, contexts, RECORDS(CONTEXT))                                                                             \
    X(uint32_t, ctx_guards, EACH(INDEX(guards)))                                                                       \
    X(uint32_t, ctx_whens, EACH(INDEX(reactions)))                                                                     \
    X(uint32_t, ctx_memories, EACH(INDEX(memories)))                                                                   \
    X(uint32_t, ctx_assertions, EACH(INDEX(assertions)))                                                               \
    X(uint32_t, ctx_machines, EACH(INDEX(machines)))                                                                   \
    X(Assertion, assertions, RECORDS(ASSERTION))                                                                       \
    X(NowState, now_states, RECORDS(NOW)) /* states that integrate impulses */                                         \
    X(ModelFault, faults, RECORDS(FAULT))                                                                              \
    X(uint32_t, impulse_titles, EACH(STRING)) /* column names x.impulse, x.impulse1, … */                            \
    X(uint32_t, impulse_units, EACH(STRING))  /* and their units */                                                    \
    X(BondSystem, bond_systems, RECORDS(BOND_SYSTEM))                                                                  \
    X(BondPart, bond_parts, RECORDS(BOND_PART))                                                                        \
    X(BondLink, bond_links, RECORDS(BOND_LINK))                                                                        \
    X(BondInput, bond_inputs, RECORDS(BOND_INPUT))                                                                     \
    X(BondOutput, bond_outputs, RECORDS(BOND_OUTPUT))                                                                  \
    X(BondColumn, bond_columns, RECORDS(BOND_COLUMN))                                                                  \
    X(BondTerm, bond_terms, RECORDS(BOND_TERM))                                                                        \
    X(Carried, carried, RECORDS(CARRIED))                                                                              \
    X(Reset, nominals, RECORDS(RESET))  /* register of a state, register with its nominal size */                      \
    X(Reset, committed, RECORDS(RESET)) /* MEMORY register that keeps, register that it keeps (rule B3) */             \
    X(Component, components, RECORDS(COMPONENT))                                                                       \
    X(uint32_t, component_vars, EACH(INDEX(vars)))                                                                     \
    X(uint32_t, component_names, EACH(STRING))                                                                         \
    X(Probe, probes, RECORDS(PROBE))                                                                                   \
    X(Expectation, expectations, RECORDS(EXPECTATION))                                                                 \
    X(External, externals, RECORDS(EXTERNAL))                                                                          \
    X(ModelBlock, blocks, RECORDS(BLOCK))                                                                              \
    X(Table, tables, RECORDS(TABLE))                                                                                   \
    X(RecordSet, records, RECORDS(RECORD))                                                                             \
    X(uint32_t, record_vars, EACH(INDEX(vars)))                                                                        \
    X(PlotSet, plots, RECORDS(PLOT))                                                                                   \
    X(uint32_t, plot_vars, EACH(INDEX(vars)))                                                                          \
    X(Sweep, sweeps, RECORDS(SWEEP))                                                                                   \
    X(ModelSpread, spreads, RECORDS(SPREAD))                                                                           \
    X(double, numbers, NUMBERS(double))                                                                                \
    X(uint32_t, event_flags, EACH(REG_OF(MEMORY))) /* MEMORY registers that are 1 for one tag only */                  \
    X(uint32_t, residuals, EACH(REG))         /* initial equations: registers after `initial` that must become 0 */    \
    X(uint32_t, unknowns, EACH(REG_OF(KEPT))) /* STATE or MEMORY registers they are solved for */                      \
    X(int32_t, jacobian_columns, EACH(OFFSET(jacobian_rows))) /* compressed columns of df/dx */                        \
    X(int32_t, jacobian_rows, EACH(STATE))                                                                             \
    X(uint32_t, jacobian_values, EACH(REG))      /* registers after `jacobian` */                                      \
    X(uint32_t, jacobian_times, EACH(REG_MAYBE)) /* registers of df/dt */                                              \
    X(uint32_t, reg_places, EACH(PLACE))         /* per register: where its value is computed, or 0 */                 \
    X(Island, islands, RECORDS(ISLAND))                                                                                \
    X(uint32_t, island_states, EACH(STATE))                                                                            \
    X(uint32_t, island_guards, EACH(INDEX(guards)))                                                                    \
    X(uint32_t, island_delays, EACH(INDEX(delays)))                                                                    \
    X(uint32_t, island_clocks, EACH(INDEX(clocks)))                                                                    \
    X(uint32_t, island_timers, EACH(INDEX(guards)))                                                                    \
    X(uint32_t, island_outs, EACH(INDEX(delays)))                                                                      \
    X(uint32_t, state_islands, EACH(INDEX(islands))) /* per state: its island */                                       \
    X(uint32_t, state_slots, EACH(LOCAL))            /* and its number there */                                        \
    X(uint32_t, guard_islands, EACH(INDEX(islands)))                                                                   \
    X(ModelUnit, units,                                                                                                \
      RECORDS(UNIT)) /* flow units in the order of the flow, then reaction units in the order of a reaction */         \
    X(uint32_t, unit_links, EACH(INDEX(units)))                                                                        \
    X(uint32_t, unit_islands, EACH(INDEX(islands)))                                                                    \
    X(uint32_t, unit_vars, EACH(INDEX(vars)))                                                                          \
    X(uint32_t, always_units, EACH(INDEX(units)))        /* reaction units that every instant touches */               \
    X(uint32_t, reaction_units, EACH(INDEX(units)))      /* per reaction: its unit */                                  \
    X(uint32_t, var_units, EACH(INDEX_MAYBE(units)))     /* per variable: its flow unit, or NO_REG */                  \
    X(uint32_t, var_nows, EACH(INDEX_PLUS(now_states)))  /* per variable: its entry in now_states + 1, or 0 */         \
    X(uint32_t, reg_vars, EACH(INDEX_PLUS(vars)))        /* per STATE and MEMORY register: variable + 1, or 0 */       \
    X(uint32_t, reg_unit_first, EACH(OFFSET(reg_units))) /* per STATE and MEMORY register: its readers in reg_units */ \
    X(uint32_t, reg_units, EACH(INDEX(units)))           /* reaction units */                                          \
    X(uint32_t, reg_island_first, EACH(OFFSET(reg_islands))) /* and those in reg_islands */                            \
    X(uint32_t, reg_islands, EACH(INDEX(islands)))           /* islands whose right-hand sides read it */              \
    X(ModelPlace, places, RECORDS(PLACE))                                                                              \
    X(char, strings, NUMBERS(char))

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

// The rest of a model, in the same form.
#define MODEL_SCALARS(X)                                                                                               \
    X(RegLayout, reg_first, LOCAL)                                                                                     \
    X(uint32_t, reg_count, LOCAL)                                                                                      \
    X(uint32_t, saved_count, LOCAL)             /* those in a snapshot */                                              \
    X(uint32_t, reg_seed, REG_OF_MAYBE(MEMORY)) /* MEMORY; NO_REG: nothing is drawn */                                 \
    X(uint32_t, reg_time, REG_OF(MEMORY))       /* MEMORY */                                                           \
    /* Numeric impulses, MEMORY: length of a pulse; the step in work from, to, and its length. NO_REG: symbolic. */    \
    X(uint32_t, reg_pulse, REG_OF_MAYBE(MEMORY))                                                                       \
    X(uint32_t, reg_step_from, REG_WITH_OF(MEMORY, reg_pulse))                                                         \
    X(uint32_t, reg_step_end, REG_WITH_OF(MEMORY, reg_pulse))                                                          \
    X(uint32_t, reg_step_taken, REG_WITH_OF(MEMORY, reg_pulse))                                                        \
    X(int32_t, impulse_order, LOCAL)  /* the highest in the model, -1 = none */                                        \
    X(uint32_t, impulse_place, PLACE) /* where */                                                                      \
    X(uint32_t, state_count, LOCAL)                                                                                    \
    X(uint32_t, when_count, LOCAL) /* the first reactions are the whens, the others belong to transitions */           \
    X(uint32_t, choice_count, LOCAL)                                                                                   \
    X(uint32_t, flow_unit_count, LOCAL)  /* the first units */                                                         \
    X(uint32_t, first_guard_unit, LOCAL) /* reaction units of the guards, in their order */                            \
    X(bool, fused, FLAG)                 /* one island, whose units are fused: an instant touches everything */        \
    X(bool, instant_signals, FLAG)       /* some signal that is no event depends on the presence of an event */        \
    X(bool, has_jacobian, FLAG)                                                                                        \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, experiment, STRING)

typedef uint32_t RegLayout[REG_CLASS_COUNT];  // the first register of each class

typedef struct kaiModel
{
    kaiAllocator allocator;
    size_t size;  // of the block
    MODEL_SCALARS(MODEL_FIELD)
    ModelSettings settings;
    double* start_values;  // per variable, for questions (src/api/starts.c); NULL: not computed
#define X(name) CodeRange name;
    MODEL_PROGRAMS(X)
#undef X
#define X(type, name, ...)                                                                                             \
    const type* name;                                                                                                  \
    uint32_t name##_count;
    MODEL_ARRAYS(X)
#undef X
} kaiModel;

// Arrays of the block begin at multiples of 16.
static inline size_t model_align(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

// Copies `draft` (whose arrays may lie anywhere) into one block. NULL if the allocator gives nothing.
kaiModel* model_pack(const kaiModel* draft, kaiAllocator allocator);
// Opens the libraries of its external functions. False if one has gone since the model was compiled.
bool model_bind(kaiModel* model);
// Its functions alone.
bool model_bind_functions(kaiModel* model);
// A number that blocks with the same variables have in common.
double model_block_shape(const kaiBlock* block);
void model_free(kaiModel* model);

static inline const char* model_string(const kaiModel* model, uint32_t offset)
{
    return model->strings + offset;
}

kaiPlace model_place(const kaiModel* model, uint32_t place);

// A value of a variable as people read it, in its unit.
static inline double var_shown(const ModelVar* var, double si)
{
    return scale_from_si(var_scale(var), si);
}

// What sentences say directly behind such a value, as the text would: "[km]"; "" if it is an SI unit.
static inline const char* var_unit_said(const kaiModel* model, const ModelVar* var)
{
    return scale_is_si(var_scale(var)) ? "" : model_string(model, var->unit_said);
}

int vm_op_arity(VmOp op);
const char* vm_op_name(VmOp op);

#endif
