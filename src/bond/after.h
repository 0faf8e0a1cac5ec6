// A set of modes after an instant, as far as somebody asks: areas, efforts and flows are computed one by one, with the
// arithmetic and so the bits of bond_net_jump, for instants without impulses of sources in sets where everything is
// unique. Signs ask for two of hundreds. What is below 1e-12 of its terms is exactly zero (rule B5); the flow, which
// serves for derivatives, is not settled. It knows no models.
#ifndef KAIROS_BOND_AFTER_H
#define KAIROS_BOND_AFTER_H

#include "bond/net.h"

typedef struct BondAfter BondAfter;

BondAfter* bond_after_create(BondNet* net, const BondGraph* graph, Arena* arena);

// The jump of these inputs in the set that the net is in: b1, b2, dx and still count, as bond_net_jump has them. False:
// it is none of those, and nothing may be asked. Values may be asked for until the next call, as long as b1 and b2
// stay.
bool bond_after_jump(BondAfter* after, const BondJump* jump);

// Or the flow of other inputs in that set, as bond_net_flow has it, one by one.
void bond_after_flow(BondAfter* after, const double* b1, const double* b2);

// Of a class of the graph.
double bond_after_value(BondAfter* after, int class);
double bond_after_area(BondAfter* after, int class);

#endif
