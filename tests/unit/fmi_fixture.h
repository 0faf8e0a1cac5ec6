// For tests of FMUs: exports to memory, the parts of an archive by name, and archives made of others.
#ifndef KAIROS_TESTS_FMI_FIXTURE_H
#define KAIROS_TESTS_FMI_FIXTURE_H

#include "fmi/described.h"
#include "fmi/zip.h"
#include "kairos/kairos.h"
#include "unit/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bytes
{
    char* at;
    size_t size, room;
} Bytes;

static inline kaiStatus bytes_write(void* user, const char* from, size_t size)
{
    Bytes* b = user;
    if (b->size + size > b->room)
    {
        b->room = 2 * (b->size + size);
        b->at = realloc(b->at, b->room);
    }
    memcpy(b->at + b->size, from, size);
    b->size += size;
    return KAI_OK;
}

static inline kaiStatus fmi_export_with(const char* path, int version, kaiFmuOptions options, kaiAllocator allocator,
                                        Bytes* to, kaiError* error)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    source.path = path;
    source.allocator = allocator;
    which.experiment = strstr(path, "examples/ball/") != NULL ? "bounce" : NULL;
    options.version = version;
    options.sink = (kaiSink){bytes_write, to};
    return kaiFmu_Export(&source, &which, &options, error);
}

static inline Bytes fmi_export(const char* path, int version)
{
    Bytes made = {NULL, 0, 0};
    kaiError error;
    kaiStatus status = fmi_export_with(path, version, kaiDefaultFmuOptions(), kaiDefaultAllocator(), &made, &error);
    if (status != KAI_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, KAI_OK);
    return made;
}

// A file of an archive, in the arena.
static inline char* fmi_part(Arena* arena, const Bytes* fmu, const char* name, size_t* size)
{
    Archive archive;
    assert_true(archive_open(&archive, arena, fmu->at, fmu->size));
    const ArchiveEntry* entry = archive_find(&archive, name);
    assert_non_null(entry);
    if (size != NULL)
        *size = entry->size;
    return archive_read(&archive, entry);
}

// A description as an FMU: its binary is replaced by a folder of sources, which nobody looks into.
static inline Bytes fmi_archive(Arena* arena, const char* description)
{
    Bytes made = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    ZipWriter zip = {.arena = arena, .sink = &sink};
    zip_add(&zip, "modelDescription.xml", description, strlen(description));
    zip_add(&zip, "sources/all.c", "", 0);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    return made;
}

// The text with the first `times` of `old` replaced.
static inline char* fmi_replaced(const char* text, const char* old, const char* new, int times)
{
    size_t size = strlen(text) + (size_t)times * strlen(new) + 1, used = 0;
    char* made = malloc(size);
    assert_non_null(strstr(text, old));
    for (const char* at; times > 0 && (at = strstr(text, old)) != NULL; times--)
    {
        used += (size_t)sprintf(made + used, "%.*s%s", (int)(at - text), text, new);
        text = at + strlen(old);
    }
    strcpy(made + used, text);
    return made;
}

#endif
