// What a text means that names something of the library without its import.
#ifndef KAIROS_ELAB_LIBRARY_H
#define KAIROS_ELAB_LIBRARY_H

#include "base/arena.h"

// A sentence for `help` with the import that a model or function of this name needs; NULL: the library has none.
const char* library_advice(Arena* arena, const char* name);

#endif
