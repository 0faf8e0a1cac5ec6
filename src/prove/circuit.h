// Bond graphs as formulas (rules B1-B5): efforts and flows in a set of modes, as equations that the modes choose among,
// so that the solver visits only the sets it needs.
//
// With the notation of rule B4: areas M z₀ = 0, values after M z₁ = S z₀ + N y + b₁, solvability M z₂ = S z₁ + b₂. What
// ideal switches leave open (circulation through closed ones in parallel, floating nodes, sources closed together) is
// what equal leakages ε N of all switched junctions give as ε → 0: z = y/ε + z + ε v …, so M y = 0 with y moving no
// storage (not zero: sources contradict each other, areas are infinite along y), and M v = S u + N z with M u = 0 must
// have a solution for z₀ and z₁ each.
#ifndef KAIROS_PROVE_CIRCUIT_H
#define KAIROS_PROVE_CIRCUIT_H

#include "prove/encode.h"

// Which graph defines a variable, and how.
typedef struct CircuitOutput
{
    uint32_t graph;                // + 1; 0: none
    const FlatBondOutput* output;  // its terms
    bool area;                     // the area of its impulse
} CircuitOutput;

// Bonds and nodes that see each other at an instant (parts.c).
typedef struct CircuitPart
{
    uint32_t graph;
    VEC(uint32_t) bonds, nodes;
} CircuitPart;

typedef struct Circuits Circuits;
struct Circuits
{
    CircuitOutput* outputs;  // per variable
    uint32_t* storage;       // per variable: node + 1 whose extensity it is
    bool* vague;             // per graph: laws or modulated elements, which formulas cannot say
    bool* slope;             // per graph: a source changes between instants
    VEC(CircuitPart) parts;
    uint32_t* part_of;  // per bond
    uint32_t* keeper;   // per node: source or storage + 1 that keeps its value, for itself and its junction; 0: none
};

// The values of one part at one tag, or in one set of modes that is tried.
struct Circuit
{
    Formula *z0, *z1, *y;  // per class; z0, y NULL: no jump
    Formula agrees;        // y is zero: sources do not contradict each other
};

void circuits_find(Encoder* e);
void parts_find(Encoder* e);
// Bonds whose values an output is made of: its own, or, for a storage that is never dependent, those around it.
typedef VEC(BondTerm) CircuitTerms;
CircuitTerms circuit_terms(Encoder* e, const FlatBondOutput* output);
// The variable is the extensity of a storage in a graph that switches.
bool circuit_moves(const Encoder* e, uint32_t var);
// The value of an output or area at a frame.
Term circuit_value(Encoder* e, Frame* f, uint32_t var);
// A set of modes that is tried from a frame: the frame's state, other modes of the junctions.
Frame* circuit_trial(Encoder* e, Frame* base, uint32_t group);
// The same with the modes given, one per machine (those of other machines are not read).
Frame* circuit_set(Encoder* e, Frame* base, uint32_t group, const uint32_t* modes);
// The same set once more, with room for other reactions to fire in it.
Frame* circuit_copy(Encoder* e, const Frame* trial);
// The extensity after the jump of a trial.
Formula circuit_extensity(Encoder* e, Frame* trial, uint32_t var);
// No sources contradict each other: the set can be committed.
Formula circuit_consistent(Encoder* e, Frame* trial, uint32_t group);

#endif
