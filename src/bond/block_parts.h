// A graph while it is taken apart; shared by blocks.c (which class is what) and block_graphs.c (a graph per block).
#ifndef KAIROS_BOND_BLOCK_PARTS_H
#define KAIROS_BOND_BLOCK_PARTS_H

#include "bond/blocks.h"

typedef struct BlockRow
{
    int node, first, count;  // a plain junction, and the classes of its sum
} BlockRow;

typedef struct Blocks
{
    Arena* arena;
    const BondGraph* graph;
    BondBlocks* made;
    VEC(BlockRow) rows;
    VEC(BondPiece) entries;    // of the rows
    int *users_first, *users;  // per class: the rows it is in
    int* row_of;               // per node: its row, -1
    int* open;                 // per row: classes that are not settled yet
    bool *zero_k, *zero_idle;  // per class: 0 in every null vector; in every one that moves no storage
    bool* held;                // per node: a source or storage that may be dependent, so it belongs to a block
    bool *no_row, *no_impose;  // given up after a conflict: per row, per node
    int* definer;              // per known class: row, or -1 - node
    bool* used;                // per row: it defines a known class or a sum
    int* degree;               // per class: who still needs it
    VEC(BondPiece) pieces;
    VEC(int) sums, queue;
    int* scratch;  // per input: 0
    VEC(int) touched;
} Blocks;

static inline int common_class(const BondGraph* graph, int node)
{
    return graph->class_of[2 * bond_at(graph, node, 0) + (graph->nodes[node].kind == BOND_J1)];
}

static inline bool is_plain_junction(const BondGraph* graph, int node)
{
    return bond_is_junction(graph->nodes[node].kind) && graph->nodes[node].switch_index < 0;
}

// Whether a node has rows of its own in some block: plain junctions whose sum is in use have not, nor have sources and
// storages that impose what they impose in any mode.
static inline bool block_node_lives(const Blocks* b, int node)
{
    BondKind kind = b->graph->nodes[node].kind;
    if (b->row_of[node] >= 0)
        return !b->used[b->row_of[node]];
    return b->held[node] || !(bond_is_source(kind) || bond_is_storage(kind));
}

// Sums of known classes over inputs, terms that cancel left out.
void pieces_add(Blocks* b, int class, int weight);
int pieces_take(Blocks* b);  // how many were pushed to b->pieces

// block_graphs.c: false if the classes do not fit together.
bool block_graphs_make(Blocks* b);

#endif
