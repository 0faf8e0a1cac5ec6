// The unit of an axis as people write it.
#ifndef KAIROS_PLOT_UNIT_H
#define KAIROS_PLOT_UNIT_H

#include <stdbool.h>
#include <stddef.h>

// "[m/s²]" for "m/s^2"; "" for NULL. `exponent`: with the prefix of that power of ten, "[mV]" for "V" and -3.
void unit_text(const char* unit, int exponent, char* text, size_t size);
// Whether a prefix can stand before it: "V", "m/s", not "kg", "m^2", "min".
bool unit_takes_prefix(const char* unit);

#endif
