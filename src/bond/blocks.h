// A graph taken apart where no set of modes can join it (decision 0095): what is eliminated once, whatever switches.
//
// A storage that no set of modes makes dependent imposes its effort (C) or flow (I) as a source does. From what these
// and the sources impose, the sums of plain junctions give further classes as ±1 combinations of inputs: they are
// *known*. At a plain junction whose common quantity is known, a quantity that nobody else needs is the *sum* of the
// others. What is left falls apart into *blocks* that share no unknown: each is a bond graph of its own, with sources
// in place of what is known around it. A ladder of resistors and capacitors has one block per resistor.
//
// Which storages are never dependent and which sources never meet others is decided by propagation of zeros through the
// structure with every junction in any mode: what is certain follows, what is not stays in a block. So a block may be
// larger than it need be, never smaller.
#ifndef KAIROS_BOND_BLOCKS_H
#define KAIROS_BOND_BLOCKS_H

#include "bond/graph.h"

enum
{
    BOND_KNOWN = -1,
    BOND_SUM = -2,
};

// Index (an input of a known class or border, a class of a sum) and its weight, ±1 as a rule.
typedef struct BondPiece
{
    int index, weight;
} BondPiece;

typedef struct BondBlock
{
    BondGraph* graph;
    int* node_of;      // per node: that of the whole graph; -1: a source in place of what is known
    int* input_of;     // per input: that of the whole graph, or -1 with
    int* border;       // input_count + 1: pieces, over inputs of the whole graph
    BondPiece* known;  //
    int* port_of;      // per extensity
    int* switch_of;    // per switch
    int class_count;
    int *classes, *unknowns;  // classes of the whole graph that are found here, and the unknowns that they are here
    int input_count;
    int* inputs;  // of the whole graph that anything here can hang on, ascending
} BondBlock;

typedef struct BondBlocks
{
    const BondGraph* graph;
    int* place;         // per class: its block, BOND_KNOWN or BOND_SUM
    int* first;         // per class, with
    int* count;         // pieces: of a known class over inputs, of a sum over classes
    BondPiece* pieces;  //
    int sum_count;
    int* sums;  // classes in an order in which they can be added up
    int block_count;
    BondBlock* blocks;
    int* block_of_switch;  // and the place of the switch there
    int* switch_place;
} BondBlocks;

// A resistance of exactly 0 counts as a source of no effort. Depends on the graph alone: whoever makes it again gets
// the same.
BondBlocks* bond_blocks_create(const BondGraph* graph, Arena* arena);

// Whether two graphs of the same bonds are taken apart in the same way.
bool bond_blocks_equal(const BondBlocks* a, const BondBlocks* b);

#endif
