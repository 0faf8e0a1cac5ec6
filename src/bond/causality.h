// Sequential causality assignment (SCAP) per set of modes: where each bond has its causal stroke, which storages are in
// derivative causality and what they depend on, which bonds lie in algebraic loops, which clash. Paper 002, rule B2.
//
// It is what a reader of a bond graph expects to see; the numbers come from mode.h, which needs no causality. The two
// agree on what is dependent wherever causality decides it without values (not where ratios of transformers in a loop
// do).
#ifndef KAIROS_BOND_CAUSALITY_H
#define KAIROS_BOND_CAUSALITY_H

#include "bond/graph.h"

typedef enum BondStroke
{
    BOND_STROKE_NONE,
    BOND_STROKE_FROM,  // at the end that the bond comes from: effort is imposed on that end, which answers with a flow
    BOND_STROKE_TO,
} BondStroke;

typedef struct BondCausality
{
    const BondGraph* graph;
    bool* on;
    BondStroke* stroke;  // per bond
    int* clash;          // per bond: -1, or the bond that wants the same place (itself: its two ends disagree)
    int* loop;  // per bond: -1, or the bond whose free choice closed the algebraic loop that this bond is part of
    bool* derivative;  // per port of x
    int work;          // bonds that the last assignment touched
    int clash_count, derivative_count, loop_count;
    int* scratch;
    kaiAllocator allocator;
    size_t size;
} BondCausality;

BondCausality* bond_causality_create(const BondGraph* graph, kaiAllocator allocator);  // NULL if memory ran out
void bond_causality_destroy(BondCausality* causality);

// Assign from scratch, and anew from the assignment before: only what the changed junctions reach is touched; the
// result is the same.
void bond_causality_assign(BondCausality* causality, const bool* on);
void bond_causality_switch(BondCausality* causality, const bool* on);

// The storages in integral causality and the sources that the effort (C) or flow (I) of a storage's port in derivative
// causality is made of. Writes node indices, at most node_count; returns how many.
int bond_causality_depends(const BondCausality* causality, int port, int* nodes);

#endif
