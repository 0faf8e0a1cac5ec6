// See bytes.h.
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

kaiStatus bytes_add(void* bytes, const char* more, size_t size)
{
    Bytes* b = bytes;
    if (b->size + size > b->capacity)
    {
        size_t capacity = 2 * b->capacity + size + 4096;
        char* larger = realloc(b->at, capacity);
        if (larger == NULL)
            return KAI_ERR_MEMORY;
        b->at = larger;
        b->capacity = capacity;
    }
    if (size > 0)
        memcpy(b->at + b->size, more, size);
    b->size += size;
    return KAI_OK;
}
