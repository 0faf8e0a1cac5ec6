// The model while it is being built: growable tables, strings, places.
#ifndef KAIROS_EMIT_BUILDER_H
#define KAIROS_EMIT_BUILDER_H

#include "emit/compile.h"
#include "emit/program.h"

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
    Programs programs;
    kaiModel draft;
    Map string_index, place_index;
    Map draw_uses;  // random draw (node) → scalar: it is used in this reaction
    VEC(char) listing;
#define X(type, name) VEC(type) name;
    MODEL_ARRAYS(X)
#undef X
    Sinks react_sinks, event_sinks, start_sinks;
    VEC(uint32_t) react_tasks;
    Map event_index, react_index;  // register → sink that fills it + 1
    VEC(RegLink) unit_reads;       // a reaction unit reads a register
    VEC(RegLink) island_reads;     // a right-hand side does
} Builder;

uint32_t build_string(Builder* b, const char* text);
uint32_t build_place(Builder* b, Span span);

// A TEMP register that holds `value` after the `react` program.
SymReg react_result(Builder* b, uint32_t ctx, ScalarId value);

// cells.c: guards, memories, clocks, delays, probes from the cells.
void build_cells(Builder* b);
// reactions.c: whens, transitions, modes, machines, assertions.
void build_reactions(Builder* b);
void build_reaction_values(Builder* b);
void find_draws(Builder* b);
void build_reaction_code(Builder* b);
// bonds.c: bond graphs.
void build_bonds(Builder* b);
void build_carried(Builder* b);
// experiment.c: settings, records, plots, sweeps, expectations.
void build_experiment(Builder* b);
void build_expectations(Builder* b);
// externals.c: the libraries and symbols of external functions.
void find_externals(Builder* b);
// islands.c: which states go together (rule D2). One island for everything is `fused`.
void build_islands(Builder* b);
// units.c: the parts of the flow and of reactions, and who reads what.
void build_units(Builder* b);
void finish_units(Builder* b);  // after the layout of the registers
// The value of the sink that fills `reg`; 0: none does.
ScalarId sink_value(Builder* b, Map* index, SymReg reg);
// cells.c: whether a value changes between instants.
bool reads_continuous(Builder* b, ScalarId value);
// reactions.c: when a reaction fires.
ScalarId reaction_fires(Builder* b, Phase phase, NodeId trigger, NodeId guard);
// jacobian.c
void build_jacobian(Builder* b, const uint32_t* slopes, uint32_t count);

#endif
