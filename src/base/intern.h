// Every name of a model once, so that names compare by pointer.
#ifndef KAIROS_BASE_INTERN_H
#define KAIROS_BASE_INTERN_H

#include "base/arena.h"

typedef struct InternEntry InternEntry;

typedef struct Interner
{
    Arena* arena;
    InternEntry** slots;
    uint32_t slot_count, count;
} Interner;

void interner_init(Interner* interner, Arena* arena);
const char* intern(Interner* interner, const char* text, size_t length);
const char* intern_string(Interner* interner, const char* text);

#endif
