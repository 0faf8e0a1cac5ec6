// The fields of a struct as a list: what a run holds is declared once (an X-macro in the struct's header), and making,
// freeing, copying and comparing it are loops over that list.
#ifndef KAIROS_BASE_FIELDS_H
#define KAIROS_BASE_FIELDS_H

#include "kairos/base.h"

#include <stdbool.h>

typedef struct Field
{
    const char* name;
    void* array;   // of an array: where its pointer stands
    void* plain;   // of a plain field: where it stands
    size_t size;   // of an element
    size_t count;  // elements
    size_t saved;  // how many of them a snapshot holds, from the first on; 0: scratch
} Field;

#define FIELD_ARRAY(owner, field, elements, kept)                                                                      \
    (Field)                                                                                                            \
    {                                                                                                                  \
        .name = #field, .array = &(owner)->field, .size = sizeof *(owner)->field, .count = (elements), .saved = (kept) \
    }
#define FIELD_PLAIN(owner, field)                                                                                      \
    (Field)                                                                                                            \
    {                                                                                                                  \
        .name = #field, .plain = &(owner)->field, .size = sizeof(owner)->field, .count = 1, .saved = 1                 \
    }

// For lists of fields (X-macros) in a function that has the struct as `owner` and the next place as `f`; FIELD_ONE
// counts them.
#define FIELD_ONE(...) +1
#define FIELD_PUT_PLAIN(type, name) *f++ = FIELD_PLAIN(owner, name);
#define FIELD_PUT_ARRAY(type, name, elements, kept) *f++ = FIELD_ARRAY(owner, name, (elements), (kept));
#define FIELD_PUT_LIST(name, elements) *f++ = FIELD_ARRAY(owner, name.at, (elements), 0);

// Zeroed arrays. False: no memory; fields_free takes what was made.
bool fields_make(const Field* fields, size_t count, kaiAllocator allocator);
void fields_free(const Field* fields, size_t count, kaiAllocator allocator);

// A copy of what is saved, in a block of fields_size bytes; both give the place behind it.
size_t fields_size(const Field* fields, size_t count);
char* fields_save(const Field* fields, size_t count, char* block);
const char* fields_load(const Field* fields, size_t count, const char* block);

#endif
