// Steps of linear fields as one matrix. See map.c.
#ifndef KAIROS_NUM_MAP_H
#define KAIROS_NUM_MAP_H

#include "num/method.h"

typedef struct OdeMap OdeMap;

bool map_serves(const Ode* ode);  // steps of this solver, if they come twice
// The map of a step of length h from where the series of the system begins; NULL: there is none, or it is not worth
// making.
const OdeMap* map_find(Ode* ode, double h);
// The end of the step into x_start and slope_start, what the sum has lost into stage[2]; false: not a number.
bool map_take(Ode* ode, const OdeMap* map, double h);
int map_terms(const OdeMap* map);  // coefficients that its piece has
void map_expand(Ode* ode);         // makes them for the last step, which map_take has taken
void map_free(Ode* ode);

#endif
