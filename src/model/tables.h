// The records of kaiModel's arrays. Each is declared once, as a list of its fields with what they mean; the structure,
// relocation, validation, listing, saving and loading are made from the list (fields.h), so that none of them can
// forget a field.
//
// What a field means, third column:
//   NUMBER, FLAG, KIND(n)    a number that nothing is looked up by, a Boolean, one of n
//   SIGN                     -1, 0 or 1
//   SIZE                     a count that another field of the record names
//   LOCAL                    a number that counts within a machine, a graph or an island: joints.c knows which
//   REG, REG_MAYBE           a register; or NO_REG
//   REG_FOR(field, kinds)    a register where `field` is one of the kinds, else NO_REG is possible
//   REG_WITH(field)          a register exactly where that field is one
//   REGS(count)              the first of `count` registers, or NO_REG; REGS_SQUARE(n): of n × n
//   …_OF(set, …)             the same, all in one class of a set: PARAM, STATE, MEMORY, TEMP; KEPT: STATE or MEMORY;
//                            GIVEN: those or PARAM; WRITTEN: all but constants
//   STRING, PLACE, CODE      an offset in `strings`, an index in `places`, a range of `code`
//   INDEX(array)             an index; INDEX_MAYBE: or NO_REG; INDEX_PLUS: + 1, 0 = none; INDEX_ZERO: 0 where it says
//                            nothing, even if the array is empty
//   RANGE(array), FIRST(array, count)   a run of indices: an IndexRange, or two fields
//   BELOW(field)             less than that field
//   STATE                    the number of a state
//   POINTER                  of this process: neither saved nor loaded
#ifndef KAIROS_MODEL_TABLES_H
#define KAIROS_MODEL_TABLES_H

#include "base/scale.h"
#include "base/spread.h"
#include "bond/graph.h"
#include "kairos/block.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CodeRange
{
    uint32_t start, end;  // words of `code`
} CodeRange;

// A run of indices in one of the lists of the model.
typedef struct IndexRange
{
    uint32_t first, count;
} IndexRange;

#define MODEL_FIELD(type, name, ...) type name;

#define PLACE_FIELDS(X)                                                                                                \
    X(uint32_t, file, STRING)                                                                                          \
    X(int32_t, line, KIND(INT32_MAX))                                                                                  \
    X(int32_t, column, KIND(INT32_MAX))

typedef struct ModelPlace
{
    PLACE_FIELDS(MODEL_FIELD)
} ModelPlace;

// ---- variables ------------------------------------------------------------------------------------------------------

typedef enum ModelVarKind
{
    MODEL_PARAM,
    MODEL_STATE,
    MODEL_DISCRETE,
    MODEL_SIGNAL,
    MODEL_EVENT,
    MODEL_INPUT,
    MODEL_MODE,
    MODEL_VAR_KINDS
} ModelVarKind;

#define VAR_FIELDS(X)                                                                                                  \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, unit, STRING)                                                                                          \
    X(uint32_t, unit_said, STRING) /* "[km]" */                                                                        \
    X(double, scale, NUMBER)       /* SI = scale * value in its unit + offset */                                       \
    X(double, offset, NUMBER)                                                                                          \
    X(uint32_t, description, STRING)                                                                                   \
    X(uint32_t, title, STRING)              /* its column: the name, or Model.name where that is taken (t, p, …) */  \
    X(uint8_t, kind, KIND(MODEL_VAR_KINDS)) /* ModelVarKind */                                                         \
    X(uint8_t, column, KIND(KAI_COLUMN_MODE + 1)) /* kaiColumnKind */                                                  \
    X(bool, hidden, FLAG)                                                                                              \
    X(bool, inner, FLAG) /* recorded on demand */                                                                      \
    X(bool, structural, FLAG)                                                                                          \
    X(bool, settable, FLAG)                                                                                            \
    X(bool, is_input, FLAG)                                                                                            \
    X(bool, is_output, FLAG)                                                                                           \
    X(uint32_t, reg, REG)           /* its value */                                                                    \
    X(uint32_t, present, REG_MAYBE) /* its presence; NO_REG: always present */                                         \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, impulse, REGS(impulse_count)) /* the weights of δ, δ′, … after `react` */                        \
    X(uint32_t, impulse_count, SIZE)                                                                                   \
    X(uint32_t, first_title, FIRST(impulse_titles, impulse_count))                                                     \
    X(uint32_t, machine, INDEX_ZERO(machines)) /* MODE */                                                              \
    X(uint32_t, place, PLACE)

typedef struct ModelVar
{
    VAR_FIELDS(MODEL_FIELD)
} ModelVar;

static inline Scale var_scale(const ModelVar* var)
{
    return (Scale){var->scale, var->offset};
}

// ---- what remembers -------------------------------------------------------------------------------------------------

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
    GUARD_KINDS
} GuardKind;

enum
{
    GUARD_CROSSINGS = 1 << GUARD_UP | 1 << GUARD_DOWN | 1 << GUARD_CROSS,
    GUARD_RELATIONS = ((1 << GUARD_KINDS) - 1) & ~GUARD_CROSSINGS,  // floors too
    FLAG_UNSET = 1 << false,
    FLAG_SET = 1 << true
};

#define GUARD_FIELDS(X)                                                                                                \
    X(uint8_t, kind, KIND(GUARD_KINDS))                                                                                \
    X(bool, searched, FLAG)  /* g changes between instants and its sign is looked for on the dense output */           \
    X(bool, time_only, FLAG) /* g is affine in time: scheduled, never searched */                                      \
    X(bool, curved, FLAG)    /* not affine in the states: it may swing faster than they do */                          \
    X(bool, rates, FLAG)     /* g reads derivatives of states, and its programs compute them */                        \
    X(bool, one_way, FLAG)   /* watches for a transition that fires by a sign (Transition.one_way) */                  \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, g, REG)             /* after the `events` program */                                                   \
    X(uint32_t, slope, REG)         /* and its derivative along the flow */                                            \
    X(uint32_t, argument, REG)      /* after `events`: what last_g remembers (g itself; of a floor, x) */              \
    X(uint32_t, present, REG_MAYBE) /* after `events`: whether g has a value; NO_REG: always */                        \
    X(uint32_t, react_g, REG)       /* after the `react` program: g of this tag */                                     \
    X(uint32_t, react_present, REG_MAYBE)                                                                              \
    X(uint32_t, truth,                                                                                                 \
      REG_FOR(kind, GUARD_RELATIONS))   /* relation or floor, after `react`: its value of this tag (VALUE or TEMP) */  \
    X(uint32_t, latch, REG_OF(MEMORY))  /* MEMORY: truth (relation), n (floor), present now (crossing) */              \
    X(uint32_t, last_g, REG_OF(MEMORY)) /* MEMORY: g at the tag before; NaN while the context is not active */         \
    X(uint32_t, side,                                                                                                  \
      REG_FOR_OF(MEMORY, kind, GUARD_CROSSINGS)) /* MEMORY: sign memory of a crossing, -1 0 +1; 2 = unknown */         \
    X(CodeRange, code, CODE)                     /* computes `g` alone from states and time (empty: use `events`) */   \
    X(CodeRange, slope_code, CODE) /* `g` and `slope` from states, their derivatives and time (the same) */            \
    X(uint32_t, first_state, FIRST(guard_states, state_count)) /* the states it reads */                               \
    X(uint32_t, state_count, SIZE)                                                                                     \
    X(CodeRange, look, CODE)                     /* g, slope, argument, presence from states and slopes */             \
    X(IndexRange, islands, RANGE(guard_islands)) /* whose states it reads */                                           \
    X(uint32_t, text, STRING)                    /* as written */                                                      \
    X(uint32_t, name, STRING)                    /* of the event that it is: `event hit = down(y)` */                  \
    X(uint32_t, place, PLACE)

typedef struct Guard
{
    GUARD_FIELDS(MODEL_FIELD)
} Guard;

// dst := src at every commit (`pre`, `hold`, edges). At the left limit of an instant dst := left.
#define MEMORY_FIELDS(X)                                                                                               \
    X(uint32_t, dst, REG_OF(MEMORY))                                                                                   \
    X(uint32_t, src, REG)                                                                                              \
    X(uint32_t, left, REG_MAYBE)      /* register after the `flow` program with the left limit; NO_REG: keep dst */    \
    X(bool, forces, FLAG)             /* a change asks for another reaction */                                         \
    X(bool, pulse, FLAG)              /* the weight of an impulse: asks for another reaction whenever it is not 0 */   \
    X(bool, has_first, FLAG)          /* the first value was written: keep it at the start */                          \
    X(bool, steps, FLAG)              /* numeric impulses: taken from `left` at the end of every step too */           \
    X(bool, shares, FLAG)             /* and it holds what pulses have given in an instant */                          \
    X(uint32_t, ctx, INDEX(contexts)) /* while it is not active, dst becomes `idle` */                                 \
    X(bool, has_idle, FLAG)                                                                                            \
    X(double, idle, NUMBER)

typedef struct Memory
{
    MEMORY_FIELDS(MODEL_FIELD)
} Memory;

#define CLOCK_FIELDS(X)                                                                                                \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, flag, REG_OF(MEMORY)) /* MEMORY: present now */                                                        \
    X(uint32_t, period, REG)                                                                                           \
    X(uint32_t, first, REG)                                                                                            \
    X(uint32_t, count, REG_OF(MEMORY)) /* MEMORY: number of the next tick */                                           \
    X(uint32_t, place, PLACE)

typedef struct Clock
{
    CLOCK_FIELDS(MODEL_FIELD)
} Clock;

// delay(u, T): `events` go through the queue, continuous signals through a history. queue(put, take) keeps what waits
// in a history too.
#define DELAY_FIELDS(X)                                                                                                \
    X(bool, event, FLAG)                                                                                               \
    X(bool, queue, FLAG)                                                                                               \
    X(bool, varies, FLAG) /* of a continuous signal: the delay is no constant */                                       \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, value, REG) /* after `react`: what goes in */                                                          \
    X(uint32_t, present, REG_FOR(queue, FLAG_SET))                                                                     \
    X(uint32_t, flow_value, REG_FOR(event, FLAG_UNSET)) /* after `events`: the same between instants */                \
    X(uint32_t, flow_slope, REG_FOR(event, FLAG_UNSET)) /* and its derivative */                                       \
    X(uint32_t, time, REG)                              /* T; of a queue, after `react`: one is taken */               \
    X(uint32_t, out, REG_OF(MEMORY)) /* MEMORY: event that comes out; of a queue: the value in front */                \
    X(uint32_t, out_present, REG_FOR_OF(MEMORY, event, FLAG_SET)) /* of a queue: how many wait */                      \
    X(CodeRange, look, CODE) /* flow_value and flow_slope from states and slopes */                                    \
    X(CodeRange, code, CODE) /* flow_value alone, from the states that it reads, or empty */                           \
    X(uint32_t, first_state, FIRST(guard_states, state_count))                                                         \
    X(uint32_t, state_count, SIZE)                                                                                     \
    X(uint32_t, island, INDEX_ZERO(islands)) /* the one that computes what goes in */                                  \
    X(uint32_t, edge,                                                                                                  \
      REG_FOR_OF(MEMORY, varies, FLAG_SET)) /* MEMORY, where T varies: time of the next jump that will come out */     \
    X(uint32_t, guard, INDEX_ZERO(guards))  /* and what finds out when */                                              \
    X(uint32_t, past, REG_MAYBE)            /* after `past_code`, from time: what went in before the start */          \
    X(CodeRange, past_code, CODE)                                                                                      \
    X(uint32_t, place, PLACE)

typedef struct Delay
{
    DELAY_FIELDS(MODEL_FIELD)
} Delay;

// ---- reactions ------------------------------------------------------------------------------------------------------

typedef enum ActKind
{
    ACT_ASSIGN,
    ACT_EMIT,
    ACT_HALT,
    ACT_KINDS
} ActKind;

enum
{
    ACT_TARGETED = 1 << ACT_ASSIGN | 1 << ACT_EMIT
};

#define ACT_FIELDS(X)                                                                                                  \
    X(uint8_t, kind, KIND(ACT_KINDS))                                                                                  \
    X(uint32_t, var, INDEX_ZERO(vars))                         /* ASSIGN, EMIT */                                      \
    X(uint32_t, target, REG_FOR_OF(KEPT, kind, ACT_TARGETED))  /* MEMORY or STATE register (EMIT: payload) */          \
    X(uint32_t, flag, REG_FOR_OF(MEMORY, kind, 1 << ACT_EMIT)) /* EMIT: presence to set for the next tag */            \
    X(uint32_t, value, REG_FOR(kind, ACT_TARGETED))            /* after the code of its reaction */                    \
    X(uint32_t, present, REG_MAYBE)                            /* NO_REG: always */                                    \
    X(uint32_t, text, STRING)                                                                                          \
    X(uint32_t, place, PLACE)

typedef struct Act
{
    ACT_FIELDS(MODEL_FIELD)
} Act;

// A `when`, or the actions of a transition.
#define REACTION_FIELDS(X)                                                                                             \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, fire, REG)     /* after `react` */                                                                     \
    X(uint32_t, choice, LOCAL) /* index + 1, 0 = none */                                                               \
    X(uint32_t, weight, REG_MAYBE)                                                                                     \
    X(CodeRange, code, CODE) /* values of the actions */                                                               \
    X(uint32_t, first_act, FIRST(acts, act_count))                                                                     \
    X(uint32_t, act_count, SIZE)                                                                                       \
    X(uint32_t, place, PLACE)

typedef struct Reaction
{
    REACTION_FIELDS(MODEL_FIELD)
} Reaction;

#define TRANSITION_FIELDS(X)                                                                                           \
    X(uint32_t, reaction, INDEX(reactions)) /* guard and actions */                                                    \
    X(uint32_t, to, LOCAL)                  /* a mode of its machine */                                                \
    X(bool, preempt, FLAG)                                                                                             \
    X(bool, resume, FLAG)                                                                                              \
    X(bool, posterior, FLAG) /* of a junction: tested on tentative values (rule B3) */                                 \
    X(int8_t, one_way,                                                                                                 \
      SIGN) /* of a junction: fires at this sign of `output`, area before value; 0: as the guard says */               \
    X(uint32_t, output, INDEX_MAYBE(bond_outputs)) /* NO_REG: none */

typedef struct Transition
{
    TRANSITION_FIELDS(MODEL_FIELD)
} Transition;

#define MODE_FIELDS(X)                                                                                                 \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, first_transition, FIRST(transitions, transition_count))                                                \
    X(uint32_t, transition_count, SIZE)                                                                                \
    X(CodeRange, reset, CODE) /* start values of what it declares */                                                   \
    X(uint32_t, first_reset, FIRST(resets, reset_count))                                                               \
    X(uint32_t, reset_count, SIZE)                                                                                     \
    X(uint32_t, first_machine, FIRST(mode_machines, machine_count))                                                    \
    X(uint32_t, machine_count, SIZE)                                                                                   \
    X(uint32_t, entry, REG_OF_MAYBE(MEMORY)) /* MEMORY: entered at the tag before; NO_REG: nobody asks */              \
    X(bool, on, FLAG)                        /* of a junction */

typedef struct ModeInfo
{
    MODE_FIELDS(MODEL_FIELD)
} ModeInfo;

#define MACHINE_FIELDS(X)                                                                                              \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, reg, REG_OF(MEMORY))                                                                                   \
    X(uint32_t, initial, BELOW(mode_count))                                                                            \
    X(uint32_t, start, BELOW(mode_count)) /* the mode in which a run begins */                                         \
    X(uint32_t, first_mode, FIRST(modes, mode_count))                                                                  \
    X(uint32_t, mode_count, SIZE)                                                                                      \
    X(uint32_t, place, PLACE)                                                                                          \
    X(bool, junction, FLAG) /* of a bond graph: switches by rule B3 */

typedef struct Machine
{
    MACHINE_FIELDS(MODEL_FIELD)
} Machine;

#define RESET_FIELDS(X)                                                                                                \
    X(uint32_t, target, REG_OF(KEPT))                                                                                  \
    X(uint32_t, value, REG)

typedef struct Reset
{
    RESET_FIELDS(MODEL_FIELD)
} Reset;

// The same record for the parameters that were written as numbers.
#define START_FIELDS(X)                                                                                                \
    X(uint32_t, target, REG_OF(GIVEN))                                                                                 \
    X(uint32_t, value, INDEX(numbers))

#define ASSERTION_FIELDS(X)                                                                                            \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, broken, REG) /* after `react`: 1 = violated */                                                         \
    X(uint32_t, text, STRING)                                                                                          \
    X(uint32_t, source, STRING)                                                                                        \
    X(uint32_t, place, PLACE)

typedef struct Assertion
{
    ASSERTION_FIELDS(MODEL_FIELD)
} Assertion;

// A state that integrates impulses: after `react`, `now` is its value with the jump of the tag.
#define NOW_FIELDS(X)                                                                                                  \
    X(uint32_t, state, REG_OF(STATE))                                                                                  \
    X(uint32_t, now, REG)

typedef struct NowState
{
    NOW_FIELDS(MODEL_FIELD)
} NowState;

// What must not happen at a tag, and what to say when it does.
#define FAULT_FIELDS(X)                                                                                                \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, condition, REG)                                                                                        \
    X(uint32_t, text, STRING)                                                                                          \
    X(uint32_t, place, PLACE)                                                                                          \
    X(uint32_t, code, STRING) /* as a diagnostic has them */                                                           \
    X(uint32_t, help, STRING)

typedef struct ModelFault
{
    FAULT_FIELDS(MODEL_FIELD)
} ModelFault;

// A strongly connected component of the dependency graph.
#define COMPONENT_FIELDS(X)                                                                                            \
    X(uint32_t, first_known, REGS_OF(TEMP, count)) /* TEMP registers, one per member */                                \
    X(uint32_t, count, SIZE)                                                                                           \
    X(uint32_t, first_member, FIRST(component_vars, count))                                                            \
    X(uint32_t, first_name, FIRST(component_names, count))       /* the part of the member that is in the loop */      \
    X(uint32_t, first_input, FIRST(component_vars, input_count)) /* what it reads from outside */                      \
    X(uint32_t, input_count, SIZE)                                                                                     \
    X(uint32_t, text, STRING) /* the loop as a path with source lines */                                               \
    X(bool, newton, FLAG)     /* solved by Newton's method, not constructively */                                      \
    X(bool, derivative, FLAG) /* and what it finds are derivatives: they may be infinite where values are not */

typedef struct Component
{
    COMPONENT_FIELDS(MODEL_FIELD)
} Component;

// ---- bond graphs (rules B1-B5); numbers of nodes and bonds count within the graph -----------------------------------

// An element or junction.
#define BOND_PART_FIELDS(X)                                                                                            \
    X(uint8_t, kind, KIND(BOND_KIND_COUNT))    /* BondKind of src/bond */                                              \
    X(uint8_t, acts, KIND(BOND_KIND_COUNT))    /* and what it is in the equations: R may be a source there */          \
    X(bool, free, FLAG)                        /* its law is in the inputs; the parameter is only a guess */           \
    X(bool, steps, FLAG)                       /* TF, GY: the ratio changes at instants, and `bonds` reads it anew */  \
    X(bool, zero, FLAG)                        /* R: its resistance may be 0; of others it may not */                  \
    X(uint32_t, machine, INDEX_PLUS(machines)) /* switched */                                                          \
    X(uint32_t, ports, SIZE)                   /* of a storage with a matrix its size; otherwise 1 */                  \
    X(uint32_t, state, REGS_OF(STATE, ports)) /* STATE register of its extensity, the first if it has several ports */ \
    X(uint32_t, parameter, REG_MAYBE)         /* after `bonds`: r, n; C and I: the slope of the law, 1/c, 1/i */       \
    X(uint32_t, ratio, REG_MAYBE)             /* TF, GY whose ratio varies: the signal that it is */                   \
    X(uint32_t, law, REG_MAYBE)               /* after `bonds`: what a C or I gives whose slope varies */              \
    X(uint32_t, nominal, REG_OF_MAYBE(MEMORY)) /* MEMORY: what the equations of a set are made with, if they ask */    \
    X(uint32_t, matrix, REGS_SQUARE(ports))    /* PARAM registers, or NO_REG: `parameter` serves then */               \
    X(uint32_t, slopes, REGS_SQUARE_OF(MEMORY, ports)) /* MEMORY registers for its inverse */                          \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, place, PLACE)

typedef struct BondPart
{
    BOND_PART_FIELDS(MODEL_FIELD)
} BondPart;

#define BOND_LINK_FIELDS(X)                                                                                            \
    X(uint32_t, from, LOCAL)                                                                                           \
    X(uint32_t, to, LOCAL)                                                                                             \
    X(uint32_t, name, STRING)                                                                                          \
    X(uint32_t, place, PLACE)

typedef struct BondLink
{
    BOND_LINK_FIELDS(MODEL_FIELD)
} BondLink;

#define BOND_INPUT_FIELDS(X)                                                                                           \
    X(uint32_t, node, LOCAL)                                                                                           \
    X(uint32_t, port, LOCAL)                                                                                           \
    X(uint32_t, value, REG)         /* after `react` */                                                                \
    X(uint32_t, impulse, REG_MAYBE) /* NO_REG: never an impulse */                                                     \
    X(uint32_t, slope, REG_MAYBE)   /* of its derivative */                                                            \
    X(uint32_t, by, REG_MAYBE)      /* what a ratio or slope that varies multiplies in that */

typedef struct BondInput
{
    BOND_INPUT_FIELDS(MODEL_FIELD)
} BondInput;

#define BOND_TERM_FIELDS(X)                                                                                            \
    X(uint32_t, bond, LOCAL)                                                                                           \
    X(bool, flow, FLAG)                                                                                                \
    X(int8_t, sign, SIGN)

// BondTerm itself is declared in bond/graph.h.

#define BOND_COLUMN_FIELDS(X)                                                                                          \
    X(uint32_t, input, LOCAL) /* of its graph */                                                                       \
    X(bool, slope, FLAG)

// BondColumn too.

#define BOND_OUTPUT_FIELDS(X)                                                                                          \
    X(uint32_t, var, INDEX(vars))                                                                                      \
    X(uint32_t, area, REG_OF_MAYBE(MEMORY))         /* MEMORY; NO_REG: nobody asks */                                  \
    X(uint32_t, block, LOCAL)                       /* + 1: of bond/blocks.h; 0: it has no row */                      \
    X(uint32_t, row, REGS_OF(MEMORY, column_count)) /* MEMORY registers: coefficients of its row */                    \
    X(uint32_t, first_column, FIRST(bond_columns, column_count))                                                       \
    X(uint32_t, column_count, SIZE)                                                                                    \
    X(bool, rate, FLAG) /* the derivative of its term */                                                               \
    X(bool, read, FLAG) /* something that is written in the model reads it */                                          \
    X(uint32_t, first_term, FIRST(bond_terms, term_count))                                                             \
    X(uint32_t, term_count, SIZE)

typedef struct BondOutput
{
    BOND_OUTPUT_FIELDS(MODEL_FIELD)
} BondOutput;

// A state outside the graph: moved by the area that is in `area` after `react`.
#define CARRIED_FIELDS(X)                                                                                              \
    X(uint32_t, ctx, INDEX(contexts))                                                                                  \
    X(uint32_t, state, REG_OF(STATE))                                                                                  \
    X(uint32_t, area, REG)

typedef struct Carried
{
    CARRIED_FIELDS(MODEL_FIELD)
} Carried;

// A connected bond graph.
#define BOND_SYSTEM_FIELDS(X)                                                                                          \
    X(uint32_t, first_part, FIRST(bond_parts, part_count))                                                             \
    X(uint32_t, part_count, SIZE)                                                                                      \
    X(uint32_t, first_link, FIRST(bond_links, link_count))                                                             \
    X(uint32_t, link_count, SIZE)                                                                                      \
    X(uint32_t, first_input, FIRST(bond_inputs, input_count))                                                          \
    X(uint32_t, input_count, SIZE)                                                                                     \
    X(uint32_t, first_output, FIRST(bond_outputs, output_count))                                                       \
    X(uint32_t, output_count, SIZE)

typedef struct BondSystem
{
    BOND_SYSTEM_FIELDS(MODEL_FIELD)
} BondSystem;

// ---- who is active, who reads whom ----------------------------------------------------------------------------------

// Machine `machine` is in mode `mode`, and `parent` is active. What belongs to it, so that a reaction visits what is
// active and nothing else.
#define CONTEXT_FIELDS(X)                                                                                              \
    X(uint32_t, parent, INDEX(contexts))                                                                               \
    X(uint32_t, machine, INDEX_ZERO(machines))                                                                         \
    X(uint32_t, mode, LOCAL)                                                                                           \
    X(IndexRange, guards, RANGE(ctx_guards))                                                                           \
    X(IndexRange, whens, RANGE(ctx_whens))                                                                             \
    X(IndexRange, memories, RANGE(ctx_memories))                                                                       \
    X(IndexRange, assertions, RANGE(ctx_assertions))                                                                   \
    X(IndexRange, machines, RANGE(ctx_machines))

typedef struct Context
{
    CONTEXT_FIELDS(MODEL_FIELD)
} Context;

// States whose right-hand sides read each other, with a solver, a step and a time of their own (rule D2). Every model
// has at least one; a model that is solved as a whole has just one.
#define ISLAND_FIELDS(X)                                                                                               \
    X(uint32_t, name, STRING)                                                                                          \
    X(IndexRange, states, RANGE(island_states))                                                                        \
    X(IndexRange, guards, RANGE(island_guards)) /* those that read it */                                               \
    X(IndexRange, delays, RANGE(island_delays)) /* continuous ones that it feeds */                                    \
    X(IndexRange, clocks, RANGE(island_clocks)) /* may disturb it */                                                   \
    X(IndexRange, timers, RANGE(island_timers)) /* guards affine in time: may disturb it */                            \
    X(IndexRange, outs, RANGE(island_outs))     /* delays: what comes out of them may disturb it */                    \
    X(CodeRange, deriv, CODE)                                                                                          \
    X(CodeRange, events, CODE) /* the guards that read no other island: what `events` computes of them */              \
    X(uint32_t, place, PLACE)

typedef struct Island
{
    ISLAND_FIELDS(MODEL_FIELD)
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
    UNIT_KINDS
} UnitKind;

#define UNIT_FIELDS(X)                                                                                                 \
    X(uint8_t, kind, KIND(UNIT_KINDS))                                                                                 \
    X(uint32_t, index, LOCAL)                   /* of the guard, memory, … */                                        \
    X(CodeRange, code, CODE)                    /* a flow unit: between instants; a reaction unit: at a tag */         \
    X(IndexRange, next, RANGE(unit_links))      /* reaction units that change with it */                               \
    X(IndexRange, needs, RANGE(unit_links))     /* flow units whose values it reads, its own left limit among them */  \
    X(IndexRange, islands, RANGE(unit_islands)) /* whose states it reads */                                            \
    X(IndexRange, vars, RANGE(unit_vars))       /* variables that it defines */

typedef struct ModelUnit
{
    UNIT_FIELDS(MODEL_FIELD)
} ModelUnit;

// ---- experiments ----------------------------------------------------------------------------------------------------

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
    PROBE_KINDS
} ProbeKind;

enum
{
    PROBE_TIMED = 1 << PROBE_AT | 1 << PROBE_LEFT | 1 << PROBE_INDEX,
    PROBE_COUNTED = 1 << PROBE_INDEX | 1 << PROBE_TIME_OF
};

#define PROBE_FIELDS(X)                                                                                                \
    X(uint8_t, kind, KIND(PROBE_KINDS))                                                                                \
    X(uint32_t, var, INDEX(vars))                                                                                      \
    X(uint32_t, time, REG_FOR(kind, PROBE_TIMED)) /* PARAM registers (AT LEFT INDEX TIME_OF) */                        \
    X(uint32_t, index, REG_FOR(kind, PROBE_COUNTED))                                                                   \
    X(uint32_t, out, REG_OF(WRITTEN)) /* VALUE registers that the `expect` program reads */                            \
    X(uint32_t, out_present, REG_OF(WRITTEN))

typedef struct Probe
{
    PROBE_FIELDS(MODEL_FIELD)
} Probe;

#define EXPECTATION_FIELDS(X)                                                                                          \
    X(uint32_t, value, REG)        /* after `expect` */                                                                \
    X(uint32_t, target, REG_MAYBE) /* NO_REG: value is Boolean */                                                      \
    X(uint32_t, within, REG_WITH(target))                                                                              \
    X(uint32_t, value_present, REG)                                                                                    \
    X(uint32_t, text, STRING)                                                                                          \
    X(uint32_t, source, STRING)                                                                                        \
    X(uint32_t, unit, STRING) /* what value, target and within are shown in */                                         \
    X(double, scale, NUMBER)                                                                                           \
    X(double, offset, NUMBER)                                                                                          \
    X(uint32_t, place, PLACE)                                                                                          \
    X(bool, measured, FLAG) /* asked for by the call, `source` is its name; these are the last */

typedef struct Expectation
{
    EXPECTATION_FIELDS(MODEL_FIELD)
} Expectation;

#define TABLE_FIELDS(X)                                                                                                \
    X(uint32_t, first_x, FIRST(numbers, rows))                                                                         \
    X(uint32_t, first_y, FIRST(numbers, rows))                                                                         \
    X(uint32_t, rows, SIZE)

typedef struct Table
{
    TABLE_FIELDS(MODEL_FIELD)
} Table;

enum
{
    EXTERNAL_ARITY_MAX = 8,
    EXTERNAL_QUESTIONS = 8,          // those of a block (src/block/text.h)
    EXTERNAL_PARTS_MAX = 0x1000000,  // what a block is asked about, and with
};

typedef void (*ExternalFunction)(void);  // a function of `arity` doubles that returns a double

#define EXTERNAL_FIELDS(X)                                                                                             \
    X(uint32_t, path, STRING)                                                                                          \
    X(uint32_t, symbol, STRING)                                                                                        \
    X(uint32_t, arity, KIND(EXTERNAL_PARTS_MAX))                                                                       \
    X(uint32_t, block, INDEX_PLUS(blocks))          /* the one it asks: `function` is not there. 0: none */            \
    X(uint32_t, question, KIND(EXTERNAL_QUESTIONS)) /* BlockQuestion, and of what */                                   \
    X(uint32_t, index, KIND(EXTERNAL_PARTS_MAX))                                                                       \
    X(void*, library, POINTER) /* of dlopen: model_bind opens it, model_free closes it */                              \
    X(ExternalFunction, function, POINTER)

typedef struct External
{
    EXTERNAL_FIELDS(MODEL_FIELD)
} External;

#define BLOCK_FIELDS(X)                                                                                                \
    X(uint32_t, name, STRING) /* the path of its instance */                                                           \
    X(uint32_t, path, STRING)                                                                                          \
    X(uint32_t, variant, STRING) /* what stands behind the path: the kind of an FMU, the function of a library */      \
    X(double, shape, NUMBER)     /* of model_block_shape */                                                            \
    X(uint32_t, place, PLACE)                                                                                          \
    X(bool, library, FLAG)             /* `path` is opened as long as the model lives */                               \
    X(void*, opened, POINTER)          /* of dlopen */                                                                 \
    X(const kaiBlock*, block, POINTER) /* NULL: of a saved model, until it is bound */

typedef struct ModelBlock
{
    BLOCK_FIELDS(MODEL_FIELD)
} ModelBlock;

#define RECORD_FIELDS(X)                                                                                               \
    X(uint32_t, first, FIRST(record_vars, count))                                                                      \
    X(uint32_t, count, SIZE)                                                                                           \
    X(double, every, NUMBER)

typedef struct RecordSet
{
    RECORD_FIELDS(MODEL_FIELD)
} RecordSet;

#define PLOT_FIELDS(X)                                                                                                 \
    X(uint32_t, first, FIRST(plot_vars, count))                                                                        \
    X(uint32_t, count, SIZE)                                                                                           \
    X(uint32_t, against, INDEX_PLUS(vars)) /* 0 = time */

typedef struct PlotSet
{
    PLOT_FIELDS(MODEL_FIELD)
} PlotSet;

#define SWEEP_FIELDS(X)                                                                                                \
    X(uint32_t, var, INDEX(vars))                                                                                      \
    X(uint32_t, first, FIRST(numbers, count))                                                                          \
    X(uint32_t, count, SIZE)                                                                                           \
    X(bool, structural, FLAG)

typedef struct Sweep
{
    SWEEP_FIELDS(MODEL_FIELD)
} Sweep;

#define SPREAD_FIELDS(X)                                                                                               \
    X(uint32_t, var, INDEX(vars))                                                                                      \
    X(uint8_t, kind, KIND(SPREAD_KINDS))                                                                               \
    X(uint32_t, first, FIRST(numbers, count))                                                                          \
    X(uint32_t, count, SIZE)

typedef struct ModelSpread  // the distribution of a parameter
{
    SPREAD_FIELDS(MODEL_FIELD)
} ModelSpread;

// As given by the experiment: NaN, and 0 for a word (in strings), mean not given. The fields are those of the table of
// settings.
typedef struct ModelSettings
{
#define NUMBER(name, ...) double name;
#define COUNT(name, ...) double name;
#define WORD(name, ...) uint32_t name;
#define MODEL_WORD(name, ...) uint32_t name;
#include "settings/settings.def"
} ModelSettings;

#endif
