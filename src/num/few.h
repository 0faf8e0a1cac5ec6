// Steps of linear fields of few states. See few.c.
#ifndef KAIROS_NUM_FEW_H
#define KAIROS_NUM_FEW_H

#include "num/method.h"

typedef enum FewOutcome
{
    FEW_WHOLE,   // two terms in a row do not matter at h: the end is made
    FEW_LONG,    // they do at the highest order: all coefficients are there
    FEW_BROKEN,  // one of the results is not a number
} FewOutcome;

// A step of length h from where the series of the system begins. The coefficients into `dense` up to *order, the end
// into x_start and slope_start, what the sum has lost into stage[2].
FewOutcome few_take(Ode* ode, const FewField* field, double h, int* order);

// The end of a step of few states whose coefficients up to `degree` are in `dense`, as above, where nothing is checked.
// False: it is not a number.
bool few_evaluate(Ode* ode, int degree, double h);

#endif
