// A set of modes after an instant in which nothing jumps: storages that depend on each other agree, sources do not
// contradict each other. Then there are no areas, and the efforts and flows after it are those of the flow, each by
// itself: computed when it is asked for, with the arithmetic and so the bits of bond_net_jump. Signs ask for two of
// hundreds. What is below 1e-12 of its terms is exactly zero (rule B5); the flow, which serves for derivatives, is not
// settled. It knows no models.
#ifndef KAIROS_BOND_AFTER_H
#define KAIROS_BOND_AFTER_H

#include "bond/net.h"

typedef struct BondAfter BondAfter;

BondAfter* bond_after_create(BondNet* net, const BondGraph* graph, Arena* arena);

// Whether the jump of these inputs (without impulses of sources) moves nothing in the set that the net is in; *status
// is then what bond_net_jump says. Values may be asked for until the next call, as long as b1 and b2 stay as they are.
bool bond_after_stands(BondAfter* after, const BondJump* jump, BondStatus* status);

// Or the flow of other inputs in that set, as bond_net_flow has it, one by one.
void bond_after_flow(BondAfter* after, const double* b1, const double* b2);

// Of a class of the graph.
double bond_after_value(BondAfter* after, int class);

#endif
