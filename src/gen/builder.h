// The model while it is being built: growable tables, strings, places.
#ifndef KAIROS_GEN_BUILDER_H
#define KAIROS_GEN_BUILDER_H

#include "gen/compile.h"
#include "gen/program.h"

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
// jacobian.c
void build_jacobian(Builder* b, const uint32_t* slopes, uint32_t count);

#endif
