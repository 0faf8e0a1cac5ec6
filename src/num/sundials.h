// The part `sundials`: CVODE, and KLU for linear systems. cvode.c and klu.c are in it, the rest of this room is not.
#ifndef KAIROS_NUM_SUNDIALS_H
#define KAIROS_NUM_SUNDIALS_H

#include "num/method.h"
#include "part/part.h"

// LU of a sparse matrix in compressed columns, every diagonal element in the pattern.
typedef struct Sparse Sparse;

typedef struct SparseTable
{
    // The order of the unknowns, from the pattern, which must outlive it. NULL: memory ran out.
    Sparse* (*create)(int n, int* start, int* row, kaiAllocator allocator);
    // 0, or 1 if the matrix is singular. `anew`: chooses pivots, else those of the last time if they still serve.
    int (*factor)(Sparse* sparse, double* values, bool anew);
    void (*solve)(Sparse* sparse, double* b);
    void (*destroy)(Sparse* sparse);
} SparseTable;

typedef struct SundialsPart
{
    PartHead head;
    const OdeMethodTable *adams, *bdf;
    const SparseTable* sparse;
} SundialsPart;

// NULL: *trouble is a sentence. Any number of threads.
const SundialsPart* sundials_load(const char** trouble);

#endif
