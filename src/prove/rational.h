// Numbers of a model as exact fractions.
#ifndef KAIROS_PROVE_RATIONAL_H
#define KAIROS_PROVE_RATIONAL_H

#include "base/arena.h"

// The fraction with the smallest denominator that rounds to this double, as "p" or "p/q": 0.8 is 4/5 and 1.0/3 is 1/3,
// as whoever wrote them meant. A number too large or small for that is taken bit for bit. The value must be finite.
const char* rational_text(Arena* arena, double value);

#endif
