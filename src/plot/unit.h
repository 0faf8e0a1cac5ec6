// Units as a figure shows them: "[m/s²]" for m/s^2, nothing for none.
#ifndef KAIROS_PLOT_UNIT_H
#define KAIROS_PLOT_UNIT_H

#include <stddef.h>

void unit_text(const char* unit, char* text, size_t size);

#endif
