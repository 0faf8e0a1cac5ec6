// A layout of diagrams without Graphviz.
#ifndef KAIROS_ENGINE_LAYERED_H
#define KAIROS_ENGINE_LAYERED_H

#include "diagram/diagram.h"

// As the layout of the part `diagrams` (diagram/placement.h).
bool layered_layout(Diagram* diagram);

#endif
