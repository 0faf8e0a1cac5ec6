// Linear systems (a I - J) x = b as the implicit methods need them.
//
// Three storages, chosen once by the pattern of J from the operations a factorisation takes:
//   dense   LU with partial pivoting, for small systems or full patterns;
//   band    LU with partial pivoting inside the band, for chains and ladders: allocates nothing;
//   sparse  KLU of SuiteSparse (Davis and Palamadai Natarajan 2010) for the rest, from the part `sundials`; without it
//           dense or band, up to LINEAR_MOST_WITHOUT_SPARSE unknowns (8 MB).
// KLU keeps the order of the pivots from one factorisation to the next; linear_forget makes it choose anew, so that
// what follows does not depend on what went before.
#ifndef KAIROS_NUM_LINEAR_H
#define KAIROS_NUM_LINEAR_H

#include "kairos/base.h"

#include <stdbool.h>

typedef enum LinearKind
{
    LINEAR_DENSE,
    LINEAR_BAND,
    LINEAR_SPARSE,
} LinearKind;

typedef struct Linear Linear;

enum
{
    LINEAR_MOST_WITHOUT_SPARSE = 1000
};

// column_start NULL: a full matrix. NULL if memory ran out, or as linear_trouble says.
Linear* linear_create(int n, const int* column_start, const int* row_index, kaiAllocator allocator);
void linear_destroy(Linear* linear);

// Why linear_create cannot serve this pattern, as a sentence in static memory: it needs a part that is not there. NULL:
// it can.
const char* linear_trouble(int n, const int* column_start, const int* row_index);

// The kind that linear_create chooses if all parts are there.
LinearKind linear_choose(int n, const int* column_start, const int* row_index);
LinearKind linear_kind(const Linear* linear);

// Factorise a I - J; `values` of J in compressed-column order. 0, or 1 if the matrix is singular or not finite.
int linear_factor(Linear* linear, double a, const double* values);

// b becomes the solution; only after a linear_factor that returned 0.
void linear_solve(Linear* linear, double* b);

void linear_forget(Linear* linear);

#endif
