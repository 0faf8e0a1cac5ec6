// Ranges of the code of a kaiModel: when states and time move over ranges, over what ranges does that move which the
// code computes? Interval arithmetic on the operators themselves, through the modes that are active; not outward
// rounded, since nothing is proved by it.
//
// What it is for: operators that are flat to rounding over most of their arguments and wake up in between (exp, tanh,
// quotients, powers). No series and no sample of a flat stretch tells of what lies behind it; the range of the argument
// does. Each such operator has a unit in which its argument moves: over a few units its value is a matter of a few
// samples, over many it may hide anything. Where an argument moves by more than `limit` units, all that the operator
// may do on its range is `hidden`, and goes on through what reads it as a bound of what nobody has seen.
#ifndef KAIROS_VM_RANGE_H
#define KAIROS_VM_RANGE_H

#include "vm/vm.h"

typedef struct VmRange
{
    double low, high;
    double hidden;  // what of its motion an operator may hide, at most; 0: nothing
    double slope;   // beside low to high it goes from -slope to slope, evenly: two that move alike keep their distance
} VmRange;

typedef struct VmRanges VmRanges;

// Marks the registers in which an operator that can hide something leaves its result, of an argument that moves with
// time or states. `marks`: two bytes per register, all 0. False: there is none, and no walk is ever needed.
bool ranges_mark_sharp(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks);
// Takes away what that, or slice_make, has marked: it costs what the program has, not all registers of the model.
void ranges_clear_marks(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks);

// Room for a range per register. NULL: no memory.
VmRanges* ranges_create(const kaiModel* model, kaiAllocator allocator);
void ranges_free(VmRanges* ranges);

// A new question: all registers stand still, at the values that they have.
void ranges_begin(VmRanges* ranges, const double* registers, const VmHost* host, double limit);
// From middle - slope to middle + slope, evenly over the stretch that is asked about, and by `rest` on both sides.
void ranges_set(VmRanges* ranges, uint32_t reg, double middle, double slope, double rest);
// Walks the words; the result is the most units that an argument moves by.
double ranges_walk(VmRanges* ranges, const uint32_t* words, uint32_t count);
// The same where nobody asks for the registers that are marked in `unread` (NULL: none).
double ranges_measure(VmRanges* ranges, const uint32_t* words, uint32_t count, const uint8_t* unread);
// Marks those of the registers that operators leave in `marks` (1) and no instruction of the program reads.
void ranges_mark_unread(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks);
VmRange ranges_get(const VmRanges* ranges, uint32_t reg);

#endif
