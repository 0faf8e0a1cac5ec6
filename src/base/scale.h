// Between SI units, in which everything is computed, and the unit that a declaration names: SI = scale * shown +
// offset. Here, because the compiler turns what is written into SI and the run turns it back for rows and callers.
#ifndef KAIROS_BASE_SCALE_H
#define KAIROS_BASE_SCALE_H

#include "base/tolerance.h"

#include <math.h>
#include <stdbool.h>

typedef struct Scale
{
    double scale, offset;
} Scale;

static inline bool scale_is_si(Scale unit)
{
    return unit.scale == 1 && unit.offset == 0;
}

// 1000 for a scale of 0.001: 5[mm] is 5/1000, not 5*0.001, the nearest double to what was written. 0: there is none.
static inline double scale_divisor(double scale)
{
    double inverse = round(1 / scale);
    return scale < 1 && inverse < 1e15 && fabs(inverse * scale - 1) < SCALE_WHOLE ? inverse : 0;
}

static inline double scale_to_si(Scale unit, double shown)
{
    double divisor = scale_divisor(unit.scale);
    return (divisor > 0 ? shown / divisor : shown * unit.scale) + unit.offset;
}

// A difference (a tolerance, a weight, a step of a sweep) has no offset.
static inline double scale_difference(Scale unit, double si)
{
    double divisor = scale_divisor(unit.scale);
    return divisor > 0 ? si * divisor : si / unit.scale;
}

static inline double scale_from_si(Scale unit, double si)
{
    return scale_difference(unit, si - unit.offset);
}

#endif
