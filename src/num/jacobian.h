// The Jacobian df/dx of a system, from the callback of the system or by differences of f.
//
// Values are in compressed-column order: by the pattern of the system, or column by column if it has none (dense).
// Differences with a pattern perturb at once all columns that share no row (Curtis, Powell and Reid 1974): a
// tridiagonal system costs 3 evaluations of f whatever its size. Colours are chosen greedily, in the order of the
// columns.
#ifndef KAIROS_NUM_JACOBIAN_H
#define KAIROS_NUM_JACOBIAN_H

#include "num/ode.h"

typedef struct Jacobian
{
    const OdeSystem* system;
    int n, entries, colours;
    double* values;  // entries
    double* dfdt;    // n
    double *x, *fx;  // n each: the perturbed state and f there
    double* delta;   // n: the perturbations
    int* colour;     // n, or NULL: each column alone
    kaiAllocator allocator;
    size_t size;
} Jacobian;

// NULL if the allocator gave nothing.
Jacobian* jacobian_create(const OdeSystem* system, kaiAllocator allocator);
void jacobian_destroy(Jacobian* jacobian);

// Fills values at (t, x), and dfdt if `time`. fx = f(t, x) is used by the differences. `typical` is the size below
// which a component counts as zero, h the length of the step it is for (an increment should be small against both).
// Returns 0 or what f or the callback returned. *rhs_calls grows by the number of evaluations of f.
int jacobian_evaluate(Jacobian* jacobian, double t, const double* x, const double* fx, double typical, double h,
                      bool time, int64_t* rhs_calls);

#endif
