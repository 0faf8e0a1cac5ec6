// The default allocator and the version: the two facts about the library that need no other part of it.
#include "base/hostile.h"
#include "kairos/base.h"

#include <stdlib.h>

static void* alloc_default(void* user, void* block, size_t old_size, size_t size)
{
    (void)user;
#ifdef KAIROS_HOSTILE
    return hostile_resize(block, old_size, size);
#else
    (void)old_size;
    if (size == 0)
    {
        free(block);
        return NULL;
    }
    return realloc(block, size);
#endif
}

kaiAllocator kaiDefaultAllocator(void)
{
    return (kaiAllocator){alloc_default, NULL};
}

const char* kaiVersion(void)
{
    return "0.1.0";
}
