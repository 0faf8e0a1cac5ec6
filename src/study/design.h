// The points of a study: which values the factors have in run r. A value depends on the seed, the number of the run and
// the number of the factor alone, so that any split of the runs over threads, processes and machines gives the same.
//
// Random: each factor independently. Latin hypercube: the N runs take one value each from N slices of equal probability
// (McKay, Beckman and Conover 1979). Sobol: a sequence of low discrepancy with the direction numbers of Joe and Kuo
// 2008, shifted digit by digit by the seed. Grid: every combination of lists, the first varies slowest. List: as given.
#ifndef KAIROS_STUDY_DESIGN_H
#define KAIROS_STUDY_DESIGN_H

#include "kairos/study.h"

enum
{
    SOBOL_MOST = 16  // dimensions
};

// A number in (0, 1) for (seed, run, factor).
double design_draw(uint64_t seed, uint64_t run, uint64_t factor);
// The seed of a run, for what its model draws: below 2⁵².
uint64_t design_seed(uint64_t seed, uint64_t run);
// The number of the slice, below `count`, of a run in a Latin hypercube: a permutation of the runs for each factor.
uint64_t design_slice(uint64_t seed, uint64_t run, uint64_t count, uint64_t factor);
// Coordinate `factor` < SOBOL_MOST of point `run`, in (0, 1).
double design_sobol(uint64_t seed, uint64_t run, uint64_t factor);
// The value below which a variable of this distribution lies with probability p.
double design_quantile(kaiSpread kind, const double* values, double p);

#endif
