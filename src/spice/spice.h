// Netlists of SPICE as Kairos text: ideal parts of lib/electrical.kai with the names of the netlist.
#ifndef KAIROS_SPICE_SPICE_H
#define KAIROS_SPICE_SPICE_H

#include "lang/diagnostics.h"

// The text of a .kai file for the netlist `file` (an index in `sources`), in the arena. What it includes is read
// through the sources. NULL: the diagnostics have errors.
const char* spice_import(Arena* arena, Sources* sources, Diags* diags, uint32_t file);

#endif
