// Power series of the code of a kaiModel: when the registers that a range of code reads move along given polynomials of
// theta, time since the point of expansion, what it computes moves along power series, and this room finds their
// coefficients, order by order, exactly as the model is written (automatic differentiation of Taylor coefficients).
//
// Inputs are the registers whose coefficients the caller gives (states), and time; outputs those that are asked for
// (derivatives, a guard). Order 0 is the ordinary evaluation by vm_run, same bits. Then
//     x[k + 1] = x'[k] / (k + 1)
// is the caller's part where the outputs are the derivatives of the inputs.
//
// A kink (abs, min, max, select, a table's segment) goes on as order 0 has it; where both sides agree there, as the
// first coefficient in which they differ says: that is the side on which the signal leaves. Relations, sign and floor
// are constant. What has no series: external functions and random numbers whose arguments move, sqrt and powers at 0.
//
// A Series holds `tapes`: the code along the path of the present modes, without what does not move. They are made when
// a mode vector is met first, and the last few are kept.
#ifndef KAIROS_VM_SERIES_H
#define KAIROS_VM_SERIES_H

#include "base/few.h"
#include "vm/slice.h"

enum
{
    SERIES_TERMS = 32,      // coefficients of a register at most: orders 0 to 31
    SERIES_ENDLESS = 1000,  // series_degree: does not end by structure
    SERIES_WHOLE =
        999,  // the same, but it converges everywhere; the defect of its polynomial: its next term and series_rest
};

typedef enum SeriesStatus
{
    SERIES_OK,
    SERIES_LOOP,  // vm_run failed: 1 + the component is in *failed
    SERIES_NONE,  // an operator has no series: its register is in *failed
    SERIES_MEMORY,
} SeriesStatus;

// What all series of a run share: room to make tapes in.
typedef struct SeriesSpace SeriesSpace;
typedef struct Series Series;

SeriesSpace* series_space_create(const kaiModel* model, kaiAllocator allocator);
void series_space_free(SeriesSpace* space);

typedef struct SeriesSpec
{
    CodeRange range;
    const Slice* slice;                // or this, which must outlive the series; NULL: the range
    const uint32_t *inputs, *outputs;  // registers; copied
    uint32_t input_count, output_count;
    bool closed;  // output i is the derivative of input i
} SeriesSpec;

// NULL: no memory. The space must outlive it.
Series* series_create(SeriesSpace* space, const SeriesSpec* spec);
void series_free(Series* series);
void series_fetch(const Series* series);  // its memory is going to be needed; NULL: nothing

// Order 0: runs the code on registers in which inputs, time and all others have their values.
SeriesStatus series_begin(Series* series, double* registers, const VmHost* host, uint32_t* failed);

// Order k >= 1, after order k - 1: coefficient k of the inputs in `in`, of the outputs into `out`. Not of a closed
// system.
void series_order(Series* series, int k, const double* in, double* out);
// Of a closed system: orders from + 1 to `to` of the inputs, x[k][i] is order k of input i. Orders follow one another.
void series_run(Series* series, int from, int to, double* const* x);

// After series_begin. Of a closed system: the degree of its solution if that is a polynomial by structure (no state
// depends on itself), or SERIES_WHOLE for a linear field with constant factors and integrals of products of its states.
// Otherwise: of the outputs, for inputs of degree 1. SERIES_ENDLESS: no such end.
int series_degree(const Series* series);
// After order k of such a field: a bound of the terms from order k on that its derivatives get from what is no state
// (what turns, products), within h; the largest, by the weights of the states.
double series_rest(const Series* series, int k, double h, const double* weights);
// After series_begin: order 0 is nothing but its code, now and at all times.
bool series_is_settled(const Series* series);
// After series_begin: a number that is kept for each vector of modes, 0 at first. The caller notes how many orders it
// needed.
int* series_orders(Series* series);

// After series_begin: a linear field of few states as a small matrix. NULL: the system is no such field.
const FewField* series_few(const Series* series);

// After series_begin. Of a closed system: a bit for each of its first states whose slope the second orders hang on, of
// one that will say so at all times to come; otherwise all bits.
uint32_t series_reads(const Series* series);

// After series_begin, before any order. Of a closed system that is linear with constant factors and without products:
// all orders are sums of what order 0 brings, the first orders of its states (which the caller has) and `count` other
// numbers, which go to `inputs`. -1: it is none of these, or has more than `room` of them. *key is that of its factors:
// the same key, the same sums.
int series_inputs(const Series* series, int room, double* inputs, uint64_t* key);
// Orders 2 to `to` from a first order of the states x[1] and inputs that the caller gives.
void series_try(Series* series, const double* inputs, int to, double* const* x);

#endif
