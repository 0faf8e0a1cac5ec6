// A guard along the flow from where the run stands: the coefficients of its power series in time, by exact
// differentiation of the field and of the guard.
#ifndef KAIROS_WATCH_MOTION_H
#define KAIROS_WATCH_MOTION_H

#include "flow/flow.h"

enum
{
    MOTION_ORDERS = 8  // what is still at rest in its first eight derivatives is taken to stay there
};

typedef struct Motion
{
    Flow* flow;
    Series** fields;  // of islands; NULL: the model has no guard that is searched
    double* x;        // coefficients of the states, order by order, and two rows of inputs
} Motion;

bool motion_make(Motion* motion, Flow* flow);
void motion_free(Motion* motion);

// c[k] is the k-th derivative divided by k!, from states, modes and latches in the registers. False: something on the
// way has no power series. Registers of derivatives and signals are left as the evaluation made them.
bool motion_expand(Motion* motion, uint32_t guard, int orders, double* c);

// After an expansion: what of c[k] can be rounding of the terms that it is made of.
void motion_noise(Motion* motion, uint32_t guard, int orders, double* noise);

// The derivative of a guard if the states move with `field`, or with the derivatives in the registers (NULL). Its mode
// need not be active.
double motion_rate(const Motion* motion, uint32_t guard, const double* field);

// By how much a guard moves with one of the states that it reads.
double motion_sensitivity(const Motion* motion, uint32_t guard, uint32_t state);

#endif
