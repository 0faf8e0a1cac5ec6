// Bytes that grow, from malloc: for what is handed to a kaiSink and kept outside of any allocator of the caller (files,
// states that an importer holds).
#ifndef KAIROS_BASE_BYTES_H
#define KAIROS_BASE_BYTES_H

#include "kairos/base.h"

typedef struct Bytes
{
    char* at;  // to be freed
    size_t size, capacity;
} Bytes;

// The function of a kaiSink whose user is a Bytes. KAI_ERR_MEMORY: nothing was added.
kaiStatus bytes_add(void* bytes, const char* more, size_t size);

#endif
