// Draws phase spaces.
#ifndef KAIROS_API_PROVE_FIGURE_H
#define KAIROS_API_PROVE_FIGURE_H

#include "prove/phase.h"

#include "kairos/base.h"

// NULL: done; else why not.
const char* prove_figure_draw(const PhaseFigure* figure, const char* title, const char* path, kaiAllocator allocator);

#endif
