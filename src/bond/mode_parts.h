// What a BondMode consists of; shared by the files that build it and those that use it.
//
// Unknowns that the junctions make equal are one *class*: the efforts of a J0, the flows of a J1 (rule B5: equal values
// are one variable). Everything below is over classes. The null space of M is split into
//   dependent vectors  move at least one extensity; one per dependent storage port, S makes them definite;
//   idle vectors       move none: circulation through parallel switches, floating nodes, sources against sources.
// The solution of M z = b is, for every class, a sparse row over the inputs and, behind them, the dependent vectors.
// Idle vectors have been projected out of it by equal leakage, so that a mode with them costs no more than another.
#ifndef KAIROS_BOND_MODE_PARTS_H
#define KAIROS_BOND_MODE_PARTS_H

#include "bond/eliminate.h"
#include "bond/mode.h"

typedef struct BondPort
{
    int unknown_class;  // whose integral is the extensity
    int input, node;
    double sign;
} BondPort;

typedef struct BondRows
{
    int* start;
    int* column;
    double* value;
} BondRows;

struct BondMode
{
    const BondGraph* graph;
    bool resistances_cancel, slopes_cancel;
    int class_count;
    int input_count;  // with one more per switch behind those of the graph: what its junction lacks to the ideal one
    int dependent_count, idle_count;
    bool* on;
    const int* class_of;      // per unknown, of the graph
    BondPort* ports;          // per extensity
    int* port_of;             // per input of the graph: -1 or the extensity
    int* dependent_port;      // per dependent vector: the extensity whose own row was given up
    int* dependent_block;     // per dependent vector: vectors that S couples have the same number
    BondRows solution;        // per class: columns input_count + i are dependent vectors
    int* solution_middle;     // per class: where those begin
    double* solution_low;     // what doubles leave of the entries of the solution
    int switched;             // how many switches it is away from a set that was eliminated
    BondRows left;            // W: per vector, dependent ones first, over the inputs
    BondRows idle;            // per idle vector, over the classes
    double* leak;             // idle_count by switch_count: what each switched junction leaks along each idle vector
    BondRows dependent_rows;  // per dependent vector: its own input from the others
    bool* unique;             // per class
    double* storage;          // S
    double* inverse;          // of G, dependent_count squared
    Quad* scratch;            // as large
    double* scale;            // per dependent vector; of the inversion, like the two beside it
    bool* done;
    size_t size;
    kaiAllocator allocator;
};

// Copies a mode, whose parts lie anywhere, into one block. NULL if memory ran out.
BondMode* mode_pack(BondMode* parts, const double* storage, kaiAllocator allocator);

// Wᵀb for one vector, with the size of its terms.
double mode_left_product(const BondMode* mode, int vector, const double* b, double* size);

// No storage is dependent and everything is unique: without impulses of sources nothing jumps.
bool mode_is_plain(const BondMode* mode);

// What an unknown is in such a set, with the size of its terms: exactly zero, and without a size, if it is rounding.
double mode_plain_value(const BondMode* mode, int unknown, const double* b1, double* size);

// (S z)[port] for the extensities, with z by class.
void mode_rates(const BondMode* mode, const double* z, double* rates);

#endif
