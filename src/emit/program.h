// Programs: the code of tasks and values, in the order that they need.
#ifndef KAIROS_EMIT_PROGRAM_H
#define KAIROS_EMIT_PROGRAM_H

#include "base/text.h"
#include "emit/emitter.h"
#include "schedule/order.h"

typedef struct LoopInfo
{
    SymReg first_known;
    uint32_t count;
    uint32_t* vars;        // members
    const char** names;    // of the parts of them that are in the loop
    VEC(uint32_t) inputs;  // variables outside that it reads
    const char* text;      // the loop as a path
    bool newton;           // solved by Newton's method
    bool derivative;       // and its unknowns are derivatives
} LoopInfo;

typedef struct Programs
{
    Emitter emitter;
    VEC(LoopInfo) loops;
    Writer listing;
} Programs;

CodeRange build_program(Programs* p, const ProgramSpec* spec, Order* order);

// The components of the program one by one, each with code of its own that expects what it needs in its registers.
CodeRange* build_components(Programs* p, const ProgramSpec* spec, Order* order);
CodeRange build_values(Programs* p, const Sink* sinks, uint32_t count);

// Several values by context: emits `value` into `dst` for each, grouped into switches.
void emit_sinks(Programs* p, const Sink* sinks, uint32_t count);

#endif
