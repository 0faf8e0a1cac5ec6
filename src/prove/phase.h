// Phase spaces (paper 002, Figs. 9-11, 14): for each set of junction modes the states from which it is departed at
// once, and the states from which every set is.
#ifndef KAIROS_PROVE_PHASE_H
#define KAIROS_PROVE_PHASE_H

#include "prove/search.h"

typedef struct PhaseCell
{
    double x0, y0, x1, y1;
} PhaseCell;

typedef struct PhasePanel
{
    const char* title;
    bool some_rest;        // not all of it is departed
    VEC(PhaseCell) cells;  // departed
} PhasePanel;

typedef struct PhaseFigure
{
    const char *x_name, *y_name;
    double x[2], y[2];  // ranges
    bool has_witness;
    double witness_x, witness_y;
    VEC(PhasePanel) panels;  // one per set of modes; the last one is their conjunction
} PhaseFigure;

// For the states `x` and `y` (variables), the others as in the witness or at their start. Returns a sentence if it
// cannot be drawn, else NULL.
const char* phase_draw(Search* s, uint32_t x, uint32_t y, PhaseFigure* figure);

#endif
