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

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// Every kind with the word that models write for it.
#define BOND_KINDS(X)                                                                                                  \
    X(SE, "Se")                                                                                                        \
    X(SF, "Sf")                                                                                                        \
    X(R, "R")                                                                                                          \
    X(C, "C")                                                                                                          \
    X(I, "I")                                                                                                          \
    X(TF, "TF")                                                                                                        \
    X(GY, "GY")                                                                                                        \
    X(J0, "J0")                                                                                                        \
    X(J1, "J1")

typedef enum BondKind
{
#define X(name, word) BOND_##name,
    BOND_KINDS(X)
#undef X
} BondKind;

enum
{
#define X(name, word) +1
    BOND_KIND_COUNT = 0 BOND_KINDS(X)
#undef X
};

const char* bond_kind_word(BondKind kind);
bool bond_kind_find(const char* word, BondKind* kind);

typedef struct BondNode
{
    BondKind kind;
    int switch_index;  // of a switched junction: place in `on`; otherwise -1
    double parameter;  // r of R and GY, n of TF
    bool varies;       // TF, GY: the ratio changes in a run, and may pass zero
    bool wire;         // R: its resistance may be 0, in this run or another of the same model
} BondNode;

typedef struct BondEdge
{
    int from, to;  // nodes; the half arrow points from -> to
} BondEdge;

#define BOND_E(bond) (2 * (bond))
#define BOND_F(bond) (2 * (bond) + 1)

// An effort or flow of a bond, with the sign with which somebody counts it.
typedef struct BondTerm
{
    uint32_t bond;
    bool flow;
    int8_t sign;
} BondTerm;

// A column of the map of a block: an input of the graph, or its slope.
typedef struct BondColumn
{
    uint32_t input;
    bool slope;
} BondColumn;

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
    int class_count, component_count;
    int* class_of;      // per unknown: those that junctions make equal whatever their modes have one number
    int* component_of;  // per node: connected parts, in the order of their first nodes
    kaiAllocator allocator;
    size_t size;
} BondGraph;

// A graph that passed bond_graph_check, copied. NULL if memory ran out.
BondGraph* bond_graph_create(const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count,
                             kaiAllocator allocator);
void bond_graph_destroy(BondGraph* graph);
// The same in an arena; it goes with that.
BondGraph* bond_graph_in(Arena* arena, const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count);
// One connected part: its nodes and bonds keep their order.
BondGraph* bond_graph_component(const BondGraph* graph, int component, Arena* arena);

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

static inline bool bond_is_two_port(BondKind kind)
{
    return kind == BOND_TF || kind == BOND_GY;
}

// Sources and storages: whether what they impose is a flow.
static inline bool bond_imposes_flow(BondKind kind)
{
    return kind == BOND_SF || kind == BOND_I;
}

// The bonds of a node: how many, and one of them. Of a TF or GY side 1 comes first.
static inline int bond_degree(const BondGraph* graph, int node)
{
    return graph->bond_first[node + 1] - graph->bond_first[node];
}

static inline int bond_at(const BondGraph* graph, int node, int index)
{
    return graph->bond_list[graph->bond_first[node] + index];
}

static inline int bond_other_end(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].from == node ? graph->bonds[bond].to : graph->bonds[bond].from;
}

// +1 if the bond points into the node, -1 if it points away.
static inline int bond_sign(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].to == node ? 1 : -1;
}

// s1 or s2 of a TF or GY, for side 0 or 1: -1 if the bond of that side points the wrong way round.
static inline int bond_side_sign(const BondGraph* graph, int node, int side)
{
    int sign = bond_sign(graph, bond_at(graph, node, side), node);
    return side == 0 ? sign : -sign;
}

// What `.e` or `.f` of a node's port (side of a TF or GY; 0 of a junction) is the signed sum of, at most bond_degree
// terms; returns how many. Of a junction: the common one, or the sum in minus the sum out of the other.
int bond_terms(const BondGraph* graph, int node, int port, bool flow, BondTerm* terms);

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
