// Storages of bond graphs that depend on others, or on sources, in the present modes: what ties each to the rest, and
// how that moves.
#ifndef KAIROS_ANALYSIS_TIES_H
#define KAIROS_ANALYSIS_TIES_H

#include "analysis/point.h"

// After point_slopes and point_move: of each tied storage its state, and what point->D does to its tie, which is 0
// where all move as the equations let them. Returns how many there are, at most the number of states.
int ties_move(const Point* point, int* states, double* motions);

#endif
