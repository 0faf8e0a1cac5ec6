// Steps of linear fields of few states. See few.c.
#ifndef KAIROS_NUM_FEW_H
#define KAIROS_NUM_FEW_H

#include "num/method.h"
#include "num/pair.h"

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

// Few states at h in polynomials whose coefficients up to `degree` are in `dense`, in pairs, for which all vectors have
// room: the operations of each are those of one alone.
static inline __attribute__((always_inline)) void few_fill_some(const Ode* ode, int degree, double h, bool more,
                                                                double* x)
{
    Pair a = {0, 0}, b = {0, 0}, by = pair_both(h);
    for (int k = degree; k >= 0; k--)
    {
        const double* c = ode->dense[k];
        a = a * by + pair_at(c);
        if (more)
        {
            b = b * by + pair_at(c + 2);
        }
    }
    pair_put(x, a);
    if (more)
    {
        pair_put(x + 2, b);
    }
}
static inline void few_fill(const Ode* ode, int degree, double h, double x[FEW_STATES])
{
    if (ode->n > 2)
    {
        few_fill_some(ode, degree, h, true, x);
    }
    else
    {
        few_fill_some(ode, degree, h, false, x);
    }
}

#endif
