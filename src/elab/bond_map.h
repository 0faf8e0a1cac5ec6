// How the efforts and flows of a graph are defined (bond_map.c), for bond_graph.c.
#ifndef KAIROS_ELAB_BOND_MAP_H
#define KAIROS_ELAB_BOND_MAP_H

#include "bond/blocks.h"
#include "elab/elab.h"

// Classes of equal efforts or flows of the whole model with the variable that has their value (rule B5).
typedef struct SharedClasses
{
    uint32_t* imposed;  // per class: variable + 1
    int8_t* sign;
} SharedClasses;

typedef struct BondMap
{
    Elab* e;
    FlatBondGraph* graph;
    SharedClasses* shared;
    BondGraph* local;          // the connected part, numbered as its lists of nodes and bonds are
    const BondBlocks* blocks;  // and taken apart
    int* local_bond;           // per bond of the model
    int* whole_class;          // per class: that of the model
    uint32_t* input_var;       // per input: the variable that imposes it; NO_VAR: a constant resistor
    uint32_t* input_at;        // per input: FlatBondInput + 1
    NodeId* lists;             // per block: the inputs of its rows
    bool* listed;
    bool* may_depend;  // per node: it shares a block with storages that depend on each other in some set of modes
} BondMap;

BondMap* bond_map_create(Elab* e, uint32_t graph, SharedClasses* shared, int* local_bond);
bool bond_map_knows(const BondMap* map, const FlatBondOutput* output);  // it follows from sources and storages alone
void bond_map_define_known(BondMap* map);                               // before the inputs are found
void bond_map_define(BondMap* map);                                     // after

// bond_evaluated.c: laws of resistors that give an effort or flow from what sources and storages give in any mode. The
// graph is taken apart again with sources in their place.
void bond_find_evaluated(BondMap* map);
NodeId bond_law_in_loop(Elab* e, const FlatBondNode* node);  // as the loop reads it
bool bond_slope_matters(const BondMap* map, uint32_t node);  // of a source: a storage may depend on it

// bond_varying.c: inputs of a TF or GY whose ratio varies, and of a storage whose slope does, between storages that may
// depend on each other. False: it is none of these.
bool bond_varying_inputs(BondMap* map, uint32_t node);

uint32_t bond_hidden_signal(Elab* e, const char* what, Span span);

#endif
