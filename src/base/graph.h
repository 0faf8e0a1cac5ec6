// Strongly connected components.
#ifndef KAIROS_BASE_GRAPH_H
#define KAIROS_BASE_GRAPH_H

#include "base/arena.h"

// Strongly connected components of a graph in compressed rows (edges from a node to what it needs), in an
// order in which everything comes after what it needs. component[v] and the list of nodes ordered by component.
typedef struct Components
{
    uint32_t count;
    uint32_t* first;  // count + 1 entries in `nodes`
    uint32_t* nodes;
    uint32_t* of;  // component of each node
} Components;
Components graph_components(Arena* arena, uint32_t node_count, const uint32_t* first, const uint32_t* edges);

#endif
