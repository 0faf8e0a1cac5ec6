// A graph in a set of modes, as its blocks: known classes first, then every block with the equations of its own set of
// modes, then the sums (blocks.h, decision 0095). A block keeps its sets by itself: 200 diodes that are parted by
// capacitors have two sets each, not 2^200 together, and a switch makes new equations for its block alone.
//
// Everything is indexed as in the whole graph: inputs b, unknowns z, extensities x, switches.
#ifndef KAIROS_BOND_NET_H
#define KAIROS_BOND_NET_H

#include "bond/blocks.h"
#include "bond/cache.h"

typedef struct BondNet BondNet;

BondNet* bond_net_create(const BondGraph* graph, kaiAllocator allocator);  // NULL if memory ran out
void bond_net_destroy(BondNet* net);
const BondBlocks* bond_net_blocks(const BondNet* net);

// The set of modes, with slopes S. False if memory ran out.
bool bond_net_enter(BondNet* net, const bool* on, const double* storage);
BondStatus bond_net_storage(BondNet* net, const double* storage);  // other slopes, for the set it is in
// If they take more than `room` bytes, all are forgotten but those it is in and `also`, per block, if that is not NULL.
void bond_net_trim(BondNet* net, size_t room, BondMode* const* also);
unsigned long bond_net_trimmed(const BondNet* net);      // how often: pointers to modes from before are of no use
BondMode* bond_net_mode(const BondNet* net, int block);  // that it is in
BondCache* bond_net_cache(const BondNet* net, int block);

// The modes of all blocks, to come back to: room for one per block.
void bond_net_save(const BondNet* net, BondMode** modes);
void bond_net_restore(BondNet* net, BondMode* const* modes);

// As those of mode.h.
BondStatus bond_net_status(const BondNet* net);
bool bond_net_unique(const BondNet* net, int unknown);
BondStatus bond_net_flow(BondNet* net, const double* b1, const double* b2, double* z);
BondStatus bond_net_jump(BondNet* net, const BondJump* jump);
int bond_net_loop(BondNet* net, const double* b, int* nodes);

// Ports that depend on others: `visit` is called with each, and with every input its own hangs on.
typedef struct BondDependence
{
    int node, port;  // of the whole graph
    int count;
    const int* input;
    const double* coefficient;
} BondDependence;

typedef bool BondDependenceVisit(void* user, const BondDependence* dependence);  // false: enough
void bond_net_dependents(BondNet* net, BondDependenceVisit* visit, void* user);
bool bond_net_has_dependents(const BondNet* net);

// Inputs of a block from those of the whole graph; with all weights positive, for sizes. NULL counts as zeros.
void bond_net_gather(const BondNet* net, int block, const double* b, bool sizes, double* out);
// Classes that are known, from the inputs, and sums, from the rest.
void bond_net_known(const BondNet* net, const double* b, bool sizes, double* classes);
void bond_net_sums(const BondNet* net, bool sizes, double* classes);

#endif
