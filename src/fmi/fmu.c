// FMUs that are read: opening one, and what is wrong with it (kairos/fmi.h).
#include "fmi/fmu.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

// All of a regular file, at most 4 GB.
static kaiStatus read_file(kaiFmu* fmu, kaiError* error)
{
    const char* why;
    fmu->bytes = file_read_whole(&fmu->arena, fmu->path, 0xfffffffe, &fmu->size, &why);
    return fmu->bytes != NULL ? KAI_OK : error_set(error, KAI_ERR_IO, "%s cannot be read: %s", fmu->path, why);
}

static kaiStatus open_all(kaiFmu* fmu, const char* path, kaiError* error)
{
    if (setjmp(fmu->fail) != 0)
        return error_memory(error);
    arena_init(&fmu->arena, fmu->allocator, &fmu->fail);
    fmu->path = arena_copy_string(&fmu->arena, path, strlen(path));
    kaiStatus status = read_file(fmu, error);
    if (status != KAI_OK || described_read(&fmu->described, &fmu->arena, fmu->bytes, fmu->size))
        return status;
    for (int i = 0; i < kaiFmu_MessageCount(fmu); i++)
        if (kaiFmu_Message(fmu, i)->severity == KAI_ERROR)
            return error_copy(error, kaiFmu_Message(fmu, i)), KAI_ERR_MODEL;
    return KAI_ERR_MODEL;
}

kaiStatus kaiFmu_Open(const char* path, kaiAllocator allocator, kaiFmu** fmu, kaiError* error)
{
    error_clear(error);
    if (fmu != NULL)
        *fmu = NULL;
    if (path == NULL || fmu == NULL || allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no path, no allocator or no place for the answer");
    kaiFmu* made = allocator.alloc(allocator.user, NULL, 0, sizeof *made);
    if (made == NULL)
        return error_memory(error);
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    kaiStatus status = open_all(made, path, error);
    if (status == KAI_OK || status == KAI_ERR_MODEL)
        *fmu = made;
    else
        kaiFmu_Free(made);
    return status;
}

void kaiFmu_Free(kaiFmu* fmu)
{
    if (fmu == NULL)
        return;
    kaiAllocator a = fmu->allocator;
    arena_free(&fmu->arena);
    a.alloc(a.user, fmu, sizeof *fmu, 0);
}

int kaiFmu_MessageCount(const kaiFmu* fmu)
{
    return fmu != NULL ? (int)fmu->described.messages.count : 0;
}

const kaiError* kaiFmu_Message(const kaiFmu* fmu, int index)
{
    return index >= 0 && index < kaiFmu_MessageCount(fmu) ? fmu->described.messages.at[index] : NULL;
}
