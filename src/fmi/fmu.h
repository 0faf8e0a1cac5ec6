// A kaiFmu, inside.
#ifndef KAIROS_FMI_FMU_H
#define KAIROS_FMI_FMU_H

#include "fmi/described.h"
#include "kairos/fmi.h"

#include <setjmp.h>

struct kaiFmu
{
    kaiAllocator allocator;
    jmp_buf fail;
    Arena arena;
    char* bytes;
    size_t size;
    const char* path;
    Described described;
};

#endif
