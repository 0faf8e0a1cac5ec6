// Programs: which tasks one needs, in which order, and their code.
#ifndef KAIROS_EMIT_PROGRAM_H
#define KAIROS_EMIT_PROGRAM_H

#include "emit/emitter.h"

// A value that the program must leave in a register though no task reads it. Not written while ctx is not active.
typedef struct Sink
{
    uint32_t ctx;
    ScalarId value;
    SymReg dst;
} Sink;
typedef VEC(Sink) Sinks;

typedef struct LoopInfo
{
    SymReg first_known;
    uint32_t count;
    uint32_t* vars;        // members
    const char** names;    // of the parts of them that are in the loop
    VEC(uint32_t) inputs;  // variables outside that it reads
    const char* text;      // the loop as a path
    bool newton;           // solved by Newton's method
} LoopInfo;

typedef struct ProgramSpec
{
    Phase phase;
    const uint32_t* tasks;  // wanted for themselves
    uint32_t task_count;
    const Sink* sinks;
    uint32_t sink_count;
    bool slopes_given;  // the derivatives of the states are already in their registers
    bool start;         // registers of states and discretes are computed from start values
} ProgramSpec;

typedef struct Programs
{
    Emitter emitter;
    VEC(LoopInfo) loops;
    VEC(uint32_t) stamp;  // per scalar: the last walk that reached it
    uint32_t root;        // number of the walk
} Programs;

// Tasks in the order in which the program computes them, one component a row: for listings and the Jacobian.
typedef struct Order
{
    uint32_t count;   // components
    uint32_t* first;  // count + 1 entries in `tasks`
    uint32_t* tasks;
    bool* looped;  // per component
} Order;

Order order_tasks(Programs* p, const ProgramSpec* spec);
CodeRange build_program(Programs* p, const ProgramSpec* spec, Order* order);

// The components of the program one by one, each with code of its own that expects what it needs in its registers.
CodeRange* build_components(Programs* p, const ProgramSpec* spec, Order* order);
CodeRange build_values(Programs* p, const Sink* sinks, uint32_t count);

// Several values by context: emits `value` into `dst` for each, grouped into switches.
void emit_sinks(Programs* p, const Sink* sinks, uint32_t count);

#endif
