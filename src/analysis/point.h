// A point of a run at which derivatives are asked for: states, modes and memories as the run left them there, time and
// modes standing still.
#ifndef KAIROS_ANALYSIS_POINT_H
#define KAIROS_ANALYSIS_POINT_H

#include "run/variation.h"

typedef struct Point
{
    const kaiModel* model;
    kaiAllocator allocator;
    Variation* variation;
    int n, regs;
    double t;
    double *x, *f;     // states and slopes
    double *J, *work;  // n × n by rows, and room for solving
    uint32_t* pivots;
    double* D;     // tangents of all registers
    int* tied;     // states of storages that depend on others (ties.h), tie_count of them after point_jacobian
    double* ties;  // their motions, for one column
    int tie_count;
    double* block;  // of all these
    size_t size;
} Point;

// Runs to `at` (NaN: the start). `variables`: parameters whose motion can be asked for. False: *error says why.
bool point_open(Point* point, const kaiModel* model, const kaiSimOptions* sim, double at, const int* variables,
                int count, kaiError* error);
void point_close(Point* point);
// f at (t, x) into point->f. False: the model has no value there.
bool point_slopes(Point* point);
// After point_slopes: what all registers do when those do that point->D says; it is 0 to begin with (point_still).
void point_still(Point* point);
bool point_move(Point* point);
// df/dx at (t, x), by rows, into point->J; the row of a tied storage, whose slope follows from those of the others, is
// what ties it.
bool point_jacobian(Point* point);
// f = 0 by Newton's method from x on. KAI_ERR_RUN: *error says why there is none.
kaiStatus point_settle(Point* point, kaiError* error);

#endif
