// Eigenvalues of a real matrix: balanced, reduced to Hessenberg form by reflections, then QR steps with Wilkinson's
// shift and deflation (Golub and Van Loan, 7.4 and 7.5), in complex arithmetic.
#ifndef KAIROS_NUM_EIGEN_H
#define KAIROS_NUM_EIGEN_H

#include "kairos/base.h"

#include <stdbool.h>

// `a`: n × n by rows, not changed. Eigenvalues by falling real part, of a pair the one above the real axis first.
// KAI_ERR_RUN: the iteration did not end, or the matrix is not finite; KAI_ERR_MEMORY.
kaiStatus eigen_values(const double* a, int n, double* real, double* imaginary, kaiAllocator allocator);

#endif
