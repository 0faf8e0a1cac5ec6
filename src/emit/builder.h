// The passes that fill the tables of a Builder and write its code.
#ifndef KAIROS_EMIT_BUILDER_H
#define KAIROS_EMIT_BUILDER_H

#include "emit/compile.h"
#include "emit/program.h"
#include "schedule/builder.h"

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
void build_sums(Builder* b);
// experiment.c: settings, records, plots, sweeps, expectations.
void build_experiment(Builder* b);
void build_expectations(Builder* b);
// externals.c: the libraries and symbols of external functions.
void find_externals(Builder* b);
// jacobian.c
void build_jacobian(Builder* b, const uint32_t* slopes, uint32_t count);

#endif
