// What steps of taylor are made of, for those who take them otherwise (leap.c).
#ifndef KAIROS_NUM_TAYLOR_H
#define KAIROS_NUM_TAYLOR_H

#include "num/few.h"
#include "num/method.h"

enum
{
    TAYLOR_CARRY = ODE_ORDER + 1  // of `dense`: what the last sum has lost
};

typedef struct TaylorAttempt
{
    double h, t_end;
    int order;
    bool exact;
    bool sure;  // no check is needed: the slope at its end is that of the polynomial
    bool far;   // no term limits the step: what is hidden behind zeros may vanish at the end as well as at the start
} TaylorAttempt;

// As far as a step may go that its own terms do not limit. False: that is shorter than t resolves.
bool taylor_farthest(Ode* ode, double limit, TaylorAttempt* a);
// The coefficients of a polynomial by structure: nothing has to be weighed, for none is left out.
int taylor_expand_exact(Ode* ode, int degree);
// The step is taken; `natural`: the length that its terms allow.
void taylor_accept(Ode* ode, const TaylorAttempt* a, double natural, bool rejected);

#endif
