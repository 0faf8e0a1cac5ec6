// The part `diagrams`: Graphviz places what a diagram consists of. layout.c is in it, the rest of this room is not.
#ifndef KAIROS_DIAGRAM_PLACEMENT_H
#define KAIROS_DIAGRAM_PLACEMENT_H

#include "diagram/diagram.h"
#include "part/part.h"

typedef struct DiagramsPart
{
    PartHead head;
    bool (*layout)(Diagram* diagram);  // false: it cannot be placed
} DiagramsPart;

#endif
