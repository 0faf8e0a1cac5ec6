// A mode under construction, shared by the files that build it: structure (classes, rows), nullspace, idle, build.
//
// Method. 1. Classes from the graph. 2. Null space K of M: for positive resistances K is the null space of the
// structure in which every R has e = f = 0 (no power can come from anywhere), which holds only ±1 and ratios: ranks do
// not depend on resistances and are exact unless ratios are involved. Columns are eliminated in the order internal,
// sources, storages, so that a free column tells what its null vector moves. Among storages each row gives up the one
// of largest capacity, so that the small ones are dependent: then G is well scaled and small charges are not
// differences of large ones. 3. W follows from K without computation: the structure conserves power, so Σ (e k_f + f
// k_e) over the ends of all bonds is zero for every solution z and null vector k; collecting terms by input gives the
// weights. G = Wᵀ S K is then symmetric and, for positive slopes, definite on the dependent vectors. 4. M is eliminated
// without the free columns and without the rows of the dependent storages. 5. Idle vectors are made orthonormal in what
// the switched junctions leak along them (closed: s = ρ c, open: c = ρ s with one small ρ for all; c the common, s the
// summed quantity), and projected out.
#ifndef KAIROS_BOND_BUILDER_H
#define KAIROS_BOND_BUILDER_H

#include "base/tolerance.h"
#include "bond/mode_parts.h"

typedef enum Level
{
    LEVEL_INTERNAL,
    LEVEL_SOURCE,
    LEVEL_STORAGE,
} Level;

typedef struct Builder
{
    Arena* arena;
    const BondGraph* graph;
    BondMode mode;   // pointers into the arena
    Level* level;    // per class
    double* slope;   // per class: Σ S of the storages that move with it
    int* last_row;   // per class of sources and storages: the input whose row is given up if the class is free
    double* worst;   // per class: slope of that storage
    bool* dropped;   // per input
    Quad vanishing;  // what ratios that vary are multiplied by
    Elimination null;
    VEC(SparseEntry) row;
    VEC(int) dependent, idle;  // free classes
    int* vector_of;            // per class: index in `dependent` or `idle`, -1
    Quad** idle_vector;        // per idle vector: by class
    Quad** idle_form;          // and the linear form, by class, that reads its amount from a solution
    Elimination leaks;         // per switched junction: what it leaks, by class
    Elimination solution;
} Builder;

// structure.c: what each class moves, and the rows of nodes. A row is collected in b->row.
void structure_classify(Builder* b, const double* storage);
bool structure_imposes_effort(BondNode node);  // Se, and a resistance of zero
void structure_junction(Builder* b, int node, bool leaks);
void structure_element(Builder* b, int node, int which);
void structure_end_row(Builder* b, Elimination* e);
void structure_push(Builder* b, int column, Quad value);

static inline int class_e(const Builder* b, int bond)
{
    return b->mode.class_of[BOND_E(bond)];
}

static inline int class_f(const Builder* b, int bond)
{
    return b->mode.class_of[BOND_F(bond)];
}

// nullspace.c: K, W and which dependent vectors S couples. Null vector of a free class, by class.
int nullspace_next_column(const Builder* b, const Elimination* e, int level, const bool* tried);
void nullspace_find(Builder* b);
void nullspace_vector(const Builder* b, int free_class, Quad* k);
void nullspace_left_vector(Builder* b, const Quad* k, Elimination* left);  // its weights, as a row
void nullspace_left(Builder* b, Elimination* left);
void nullspace_blocks(Builder* b, const Elimination* left);

// idle.c: what every switched junction leaks along a vector; orthonormal idle vectors; the solution without them.
void idle_leaks(Builder* b, const Quad* vector, Quad* leak);
void idle_prepare(Builder* b);
void idle_project(Builder* b);

#endif
