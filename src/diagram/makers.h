// Flat model → diagram: one maker a kind.
#ifndef KAIROS_DIAGRAM_MAKERS_H
#define KAIROS_DIAGRAM_MAKERS_H

#include "diagram/diagram.h"
#include "diagram/label.h"

enum
{
    DEPTH_DEFAULT = -1,
    ARRAY_SHOWN = 8,  // longer arrays are one box
};

// Instances, integrators, signals and events; instances `depth` levels down are one box each (default 1). More than
// DIAGRAM_MOST boxes: it stops there.
void blocks_make(Diagram* diagram, const Labels* labels, int depth);
// State machines; machines nested deeper than `depth` are left out (default: none). False: the model has no modes.
bool machines_make(Diagram* diagram, const Labels* labels, int depth);
// Elements, junctions and bonds, with the causality of the modes that the machines are in (one number per machine);
// instances `depth` levels down are one box each (default: none). False: the model has no bonds.
bool bonds_make(Diagram* diagram, const Labels* labels, int depth, const uint32_t* modes);

#endif
