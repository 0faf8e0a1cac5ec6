// Small dense linear systems: LU with partial pivoting, row by row in place. For systems of a few to a few dozen
// unknowns that come up once in a while (loops, initial equations); integrators have src/num/linear.c, which knows
// bands and sparsity and is laid out for speed.
#ifndef KAIROS_BASE_DENSE_H
#define KAIROS_BASE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// a (n × n, by rows) becomes its factors, pivots[k] the row that was exchanged with row k. False: a pivot is 0 or not
// finite; what is left of `a` then divides by it, so that a solution is not finite either.
bool dense_factor(double* a, uint32_t* pivots, uint32_t n);
// b becomes the solution of a x = b.
void dense_solve(const double* a, const uint32_t* pivots, double* b, uint32_t n);

#endif
