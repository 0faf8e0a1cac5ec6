// What a one-way junction (a diode, a check valve, an end stop) sees just after an instant: the sign of its effort or
// flow, by area of the impulse first, then by value, then by the first derivative that moves. Together the one-way
// junctions are a linear complementarity problem over numbers of that kind: what conducts has a flow that is not
// negative and no effort, what blocks an effort that is not positive and no flow. The map of the switched junctions is
// monotone (the structure conserves power, resistances dissipate it), so switching the first junction whose sign is
// wrong, again and again, ends at the solution (principal pivoting with the least index: Murty 1974; for the tree of
// orders of magnitude as for numbers), provided that signs are signs: zero must be zero in every set that is tried.
//
// Zero is what is small beside the same quantity at its largest *in the run*, not beside the terms of the moment, which
// may all be noise: what an inductor has left when its diode stops conducting is 1e-17 A beside the 5 A that it
// carried. So every input of the graph (source, effort of a C, flow of an I) is remembered at its largest, and what the
// equations of the set make of these is the size of each quantity. It knows no models.
#ifndef KAIROS_BOND_SELECTION_H
#define KAIROS_BOND_SELECTION_H

#include "bond/sign_row.h"

typedef struct BondSelection BondSelection;

// `most` has 2 input_count zeros and is the caller's to copy: all that the selection remembers of the run. `asked`: how
// many sums there are whose signs are asked for.
BondSelection* bond_selection_create(BondNet* net, const BondGraph* graph, double* most, uint32_t asked, Arena* arena);

// Inputs as they are committed: sources, efforts and flows of storages (b1), slopes of sources (b2).
void bond_selection_learn(BondSelection* selection, const double* b1, const double* b2);

// The set of modes that the net is in, after its jump, to be asked about. Pointers must stay as they are until the last
// question.
typedef struct BondJudged
{
    const double* storage;        // S
    const double *area, *z, *b2;  // areas and values after, per unknown; slopes of the sources; NULL: as asked for
    const double* b1;             // inputs, if nothing has moved; NULL: something has
    bool derivatives;             // false: inputs hang on more than sources and storages, derivatives are not known
    // Second and third derivatives of the sources, asked for when a tie needs them. NULL: they are 0.
    void (*curve)(void* user, double* b3, double* b4);
    void* user;
} BondJudged;

void bond_selection_judge(BondSelection* selection, BondJudged judged);

// The jump of these inputs as bond_after_jump has it: areas and values are computed as signs ask for them.
bool bond_selection_jump(BondSelection* selection, const BondJump* jump);

// Areas and values up to `factor` times as large as rounding count as 0 from now on: states that the solver has let
// drift apart may lie where one junction takes for rounding what another one does not.
void bond_selection_slack(BondSelection* selection, double factor);

// A sum whose sign is asked for: terms, and its number among them.
typedef struct BondAsked
{
    const BondTerm* terms;
    int count;
    uint32_t number;
} BondAsked;

// -1, 0 or 1: the sign of the sum. *tolerance: up to where its value counts as 0. *tie: 0, or what a value may
// be off by, `loose` of its size, that no derivative moves: it counts as 0 as long as it is no more.
int bond_selection_sign(BondSelection* selection, BondAsked asked, double loose, double* tolerance, double* tie);

// What decided a sign: a sum over the inputs of the graph, clear of what counts as 0.
typedef struct BondReason
{
    BondSignRow row;
    double bound;     // that its sum exceeds
    double per_time;  // and what that grows by with the time to which an instant is known
    int8_t sign;      // of the sum; 0: either
    bool below;       // it is the other way round: the sum does not exceed it
} BondReason;

enum
{
    BOND_REASONS = 2  // at most
};

// After bond_selection_sign said `sign`, of inputs that move the storages by dx: how many reasons, all of which make
// the same sign of other inputs. 0: something was not clear, or is no sum of a few inputs.
int bond_selection_reasons(BondSelection* selection, BondAsked asked, double loose, int sign, const double* dx,
                           BondReason* reasons);
// Reasons hold as long as this is the same: it grows when an input is larger than ever.
unsigned long bond_selection_grown(const BondSelection* selection);
void bond_selection_forget(BondSelection* selection);  // `most` is that of another time

// Whether a change of an extensity is no jump: up to what the sign of a one-way junction takes as 0, which it must
// exceed to switch, and what sources move by in the `time` to which an instant is known.
bool bond_selection_is_rounding(BondSelection* selection, const double* storage, int port, double dx, double time);

// Whether changes dx of the extensities are rounding beside the largest intensities.
bool bond_selection_is_drift(const BondSelection* selection, const double* storage, const double* dx, double tolerance);

#endif
