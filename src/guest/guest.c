// Opening an FMU as a block, holding it, letting it go (kairos/fmi.h: kaiFmu_Blocks).
#include "guest/guest.h"

#include "base/error.h"
#include "base/file.h"
#include "kairos/fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static kaiStatus read_file(Guest* g, char** bytes, size_t* size, kaiError* error)
{
    const char* why;
    *bytes = file_read_whole(&g->arena, g->path, 0xfffffffe, size, &why);
    return *bytes != NULL ? KAI_OK : error_set(error, KAI_ERR_IO, "%s cannot be read: %s", g->path, why);
}

static kaiStatus tell_first(const Described* d, const char* path, kaiError* error)
{
    for (uint32_t i = 0; i < d->messages.count; i++)
    {
        const kaiError* m = d->messages.at[i];
        if (m->severity == KAI_ERROR && m->place.file != NULL)
            return error_set(error, KAI_ERR_MODEL, "%s/%s:%d: %s", path, m->place.file, m->place.line, m->message);
        if (m->severity == KAI_ERROR)
            return error_set(error, KAI_ERR_MODEL, "%s: %s", path, m->message);
    }
    return error_set(error, KAI_ERR_MODEL, "%s is no FMU", path);
}

static kaiStatus choose_kind(Guest* g, const char* variant, kaiError* error)
{
    const Described* d = &g->described;
    bool any = variant[0] == 0;
    if (!any && strcmp(variant, "me") != 0 && strcmp(variant, "cs") != 0)
        return error_set(error, KAI_ERR_USAGE, "\":%.20s\" is neither \":me\" nor \":cs\"", variant);
    g->exchange = d->exchange != NULL && (any || variant[0] == 'm');
    if (!g->exchange && variant[0] == 'm')
        return error_set(error, KAI_ERR_MODEL, "%s has no Model Exchange", g->path);
    if (!g->exchange && d->cosimulation == NULL)
        return error_set(error, KAI_ERR_MODEL, "%s has neither Model Exchange nor Co-Simulation", g->path);
    const char* name = arena_printf(&g->arena, "binaries/%s/%s.so", d->platform, guest_identifier(g));
    if (archive_find(&d->archive, name) == NULL)
        return error_set(error, KAI_ERR_MODEL, "%s has no binary for Linux on x86_64", g->path);
    return KAI_OK;
}

static kaiStatus take_all(Guest* g, const char* path, const char* variant, kaiError* error)
{
    char* bytes = NULL;
    size_t size = 0;
    g->path = arena_copy_string(&g->arena, path, strlen(path));
    kaiStatus status = read_file(g, &bytes, &size, error);
    if (status == KAI_OK && !described_read(&g->described, &g->arena, bytes, size))
        status = tell_first(&g->described, path, error);
    if (status == KAI_OK)
        status = choose_kind(g, variant, error);
    if (status == KAI_OK)
        guest_tables(g);
    return status;
}

static kaiStatus open_all(Guest* g, const char* path, const char* variant, kaiError* error)
{
    if (setjmp(g->fail) != 0)
        return error_memory(error);
    arena_init(&g->arena, g->allocator, &g->fail);
    return take_all(g, path, variant, error);
}

static void release(Guest* g)
{
    kaiAllocator a = g->allocator;
    guest_unload(g);
    pthread_mutex_destroy(&g->lock);
    arena_free(&g->arena);
    a.alloc(a.user, g, sizeof *g, 0);
}

static void hold(const kaiBlock* block, int by)
{
    Guest* g = (Guest*)(uintptr_t)block;
    if (atomic_fetch_add(&g->held, by) + by == 0)
        release(g);
}

kaiStatus guest_open(const char* path, const char* variant, bool isolated, kaiAllocator allocator,
                     const kaiBlock** block, kaiError* error)
{
    *block = NULL;
    Guest* g = allocator.alloc(allocator.user, NULL, 0, sizeof *g);
    if (g == NULL)
        return error_memory(error);
    memset(g, 0, sizeof *g);
    g->allocator = allocator;
    atomic_init(&g->held, 1);
    pthread_mutex_init(&g->lock, NULL);
    kaiStatus status = open_all(g, path, variant, error);
    if (status != KAI_OK)
    {
        release(g);
        return status;
    }
    g->block.hold = hold;
    guest_functions(g);
    if (isolated)
        guest_isolate(g);
    *block = &g->block;
    return KAI_OK;
}

static kaiStatus open_here(void* user, const char* path, const char* variant, kaiAllocator allocator,
                           const kaiBlock** block, kaiError* error)
{
    (void)user;
    return guest_open(path, variant, false, allocator, block, error);
}

static kaiStatus open_apart(void* user, const char* path, const char* variant, kaiAllocator allocator,
                            const kaiBlock** block, kaiError* error)
{
    (void)user;
    return guest_open(path, variant, true, allocator, block, error);
}

kaiBlockProvider kaiFmu_Blocks(bool isolate)
{
    return (kaiBlockProvider){.open = isolate ? open_apart : open_here};
}
