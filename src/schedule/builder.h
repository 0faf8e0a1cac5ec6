// The model while it is being built: growable tables, strings, places, and the values that programs must leave behind.
// src/emit fills in what expressions are, src/schedule who belongs together and who reads whom; code is written by
// src/emit alone, on request.
#ifndef KAIROS_SCHEDULE_BUILDER_H
#define KAIROS_SCHEDULE_BUILDER_H

#include "model/model.h"
#include "schedule/order.h"

// Code that is wanted, and who gets its range.
typedef enum CodeForm
{
    FORM_COMPONENTS,  // one range for each component of the order: units from `index` on
    FORM_VALUES,      // the sinks alone: what they read is in its registers
    FORM_PROGRAM,     // the sinks and tasks with all that they need
} CodeForm;

typedef enum CodeOwner
{
    OWNER_UNIT,
    OWNER_ISLAND,         // its derivatives
    OWNER_ISLAND_EVENTS,  // its guards
    OWNER_GUARD,
    OWNER_DELAY,
} CodeOwner;

typedef struct CodeRequest
{
    CodeForm form;
    CodeOwner owner;
    uint32_t index;    // of the owner
    ProgramSpec spec;  // its lists live in the arena
} CodeRequest;

// A STATE or MEMORY register and who reads it.
typedef struct RegLink
{
    SymReg reg;
    uint32_t reader;
} RegLink;

typedef struct Builder
{
    Arena* arena;
    Compiler c;
    struct Programs* programs;  // of src/emit: the code; nobody else looks into it
    kaiModel draft;
    Map string_index, place_index;
    Map draw_uses;    // random draw (node) → scalar: it is used in this reaction
    Map event_names;  // node → event that it defines + 1
#define X(type, name, ...) VEC(type) name;
    MODEL_ARRAYS(X)
#undef X
    Sinks react_sinks, event_sinks, start_sinks;
    VEC(uint32_t) react_tasks;
    Map event_index, react_index;   // register → sink that fills it + 1
    VEC(RegLink) unit_reads;        // a reaction unit reads a register
    VEC(RegLink) island_reads;      // a right-hand side does
    VEC(uint32_t) unit_hearers;     // how many of `next` change with the unit; the rest hold what it reads
    VEC(uint32_t) searched_delays;  // continuous ones that a guard reads
    VEC(CodeRequest) requests;      // code that units and islands want, in order
} Builder;

void builder_init(Builder* b, Arena* arena, const Flat* flat, Diags* diags, const Sources* sources);

uint32_t build_string(Builder* b, const char* text);
uint32_t build_place(Builder* b, Span span);

// A TEMP register that holds `value` after the `react` program.
SymReg react_result(Builder* b, uint32_t ctx, ScalarId value);
void index_sinks(Builder* b);  // when all are there: sink_value and sink_ctx can be asked
// The value of the sink that fills `reg`; 0: none does.
ScalarId sink_value(Builder* b, Map* index, SymReg reg);
uint32_t sink_ctx(Builder* b, Map* index, SymReg reg);

// islands.c: which states go together (rule D2). One island for everything is `fused`.
void build_islands(Builder* b);
// units.c: the parts of the flow and of reactions, and who reads what.
void build_units(Builder* b);
void finish_units(Builder* b);  // after the layout of the registers

#endif
