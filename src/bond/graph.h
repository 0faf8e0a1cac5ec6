// A bond graph as numbers: nodes, bonds, and which unknown, input and stored quantity belongs to which of them.
// It knows no models, names or units; whoever builds it keeps those by the indices. Papers 001 and 002, rules B1-B5.
//
// Unknowns     z: effort and flow of every bond, at BOND_E(bond) and BOND_F(bond).
// Inputs       b: one per row of an element, at input_first[node] …; with s = +1 for a bond that points into its
//              element, -1 for one that points away:
//                Se  e = b                 R   e - r s f = b             TF  e1 - n e2 = b       s2 f2 - n s1 f1 = b
//                Sf  f = b                 C   e = b       (b = q/c)     GY  e1 - r s2 f2 = b    e2 - r s1 f1 = b
//                                          I   s f = b     (b = p/i)
//              Port 1 of a TF or GY is the bond that points in, port 2 the one that points out (s1 = s2 = 1). If both
//              point in or both out, port 1 is the one declared first, and s1 or s2 is -1 for the one that is the wrong
//              way round. r and n are constants; what varies is put into b by the caller as a correction
//              (b = u(f) - r f, say). Sources impose what is written on their bond, whichever way that points.
// Extensities  x: one per port of a storage, at port_first[node] …: q' = s f for a C, p' = e for an I. Ports are
//              numbered in the order in which their bonds were declared.
// Storage      S: one k by k block, row by row, per storage of k ports, at block_first[node]: de/dq of a C, df/dp of
//              an I (1/c and 1/i if it is linear). Symmetric.
// Junctions    ON: J0 has equal efforts and Σ ±f = 0, J1 equal flows and Σ ±e = 0. OFF: J0 forces every effort to zero,
//              J1 every flow. (That the bonds of a J0 share one effort and those of a J1 one flow is thus always true.)
#ifndef KAIROS_BOND_GRAPH_H
#define KAIROS_BOND_GRAPH_H

#include "kairos/base.h"

#include <stdbool.h>

typedef enum BondKind
{
    BOND_SE,
    BOND_SF,
    BOND_R,
    BOND_C,
    BOND_I,
    BOND_TF,
    BOND_GY,
    BOND_J0,
    BOND_J1,
} BondKind;

typedef struct BondNode
{
    BondKind kind;
    int switch_index;  // of a switched junction: place in `on`; otherwise -1
    double parameter;  // r of R and GY, n of TF
} BondNode;

typedef struct BondEdge
{
    int from, to;  // nodes; the half arrow points from -> to
} BondEdge;

#define BOND_E(bond) (2 * (bond))
#define BOND_F(bond) (2 * (bond) + 1)

// What is wrong with a graph; the caller has the words.
typedef enum BondFaultKind
{
    BOND_FAULT_NONE,
    BOND_FAULT_UNCONNECTED,   // a node without bonds
    BOND_FAULT_TWO_BONDS,     // Se, Sf or R with more than one: `bond` is the second
    BOND_FAULT_NOT_TWO_PORT,  // TF or GY with one bond or more than two: `bond` is the last
    BOND_FAULT_SELF,          // `bond` begins and ends at `node`
    BOND_FAULT_PARAMETER,     // the parameter is not finite
    BOND_FAULT_SWITCH,        // a switch index on an element, negative other than -1, or used twice
} BondFaultKind;

typedef struct BondFault
{
    BondFaultKind kind;
    int node, bond;  // bond -1: none
} BondFault;

// Finds the faults in the order of nodes; returns their number and writes the first `capacity` of them.
int bond_graph_check(const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count, BondFault* faults,
                     int capacity);

typedef struct BondGraph
{
    int node_count, bond_count, switch_count;
    int input_count, port_count, block_size;  // lengths of b, x and S
    BondNode* nodes;
    BondEdge* bonds;
    int* bond_first;   // node_count + 1: the bonds of node n are bond_list[bond_first[n]] … in order of declaration;
    int* bond_list;    // of a TF or GY: port 1, then port 2
    int* input_first;  // node_count + 1
    int* port_first;   // node_count + 1
    int* block_first;  // node_count + 1
    int* junction_of;  // switch_count: the node of each switch
    kaiAllocator allocator;
    size_t size;
} BondGraph;

// A graph that passed bond_graph_check, copied. NULL if memory ran out.
BondGraph* bond_graph_create(const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count,
                             kaiAllocator allocator);
void bond_graph_destroy(BondGraph* graph);

static inline bool bond_is_junction(BondKind kind)
{
    return kind == BOND_J0 || kind == BOND_J1;
}

static inline bool bond_is_storage(BondKind kind)
{
    return kind == BOND_C || kind == BOND_I;
}

static inline bool bond_is_source(BondKind kind)
{
    return kind == BOND_SE || kind == BOND_SF;
}

// +1 if the bond points into the node, -1 if it points away.
static inline int bond_sign(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].to == node ? 1 : -1;
}

// The unknown whose integral is the extensity of a storage's port on this bond (times bond_sign for a C).
static inline int bond_storage_unknown(const BondGraph* graph, int node, int bond)
{
    return graph->nodes[node].kind == BOND_C ? BOND_F(bond) : BOND_E(bond);
}

// `.e` and `.f` of a junction: the common one, and the sum in minus the sum out of the other, exactly zero if the
// junction is ON. With `size` (of z, or NULL), a sum below 1e-12 of the size of its terms is zero (rule B5).
void bond_junction_values(const BondGraph* graph, int node, bool on, const double* z, const double* size, double* e,
                          double* f);

// Energy ½ xᵀ S x of the storage `node` (linear laws).
double bond_energy(const BondGraph* graph, int node, const double* storage, const double* x);

#endif
