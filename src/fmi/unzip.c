// See unzip.h.
#include "fmi/unzip.h"

#include "base/hash.h"
#include "fmi/inflate.h"
#include "fmi/zip.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    END_SIZE = 22,
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    ENTRIES_MOST = 65000,
};

// An FMU of this size has tables in it; beyond that somebody wants the memory, not the model.
static const size_t UNPACKED_MOST = (size_t)1 << 30;
// Text packs to a fifth, zeros to a thousandth: so much at once is a bomb, unless it is small anyway.
static const size_t RATIO_MOST = 500, RATIO_FREE = (size_t)1 << 22;

static bool no(Archive* a, const char* format, ...) __attribute__((format(printf, 2, 3)));
static bool no(Archive* a, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->why, sizeof a->why, format, args);
    va_end(args);
    return false;
}

static uint32_t number(const uint8_t* at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

// The end of the archive is found from behind: a comment may follow it.
static const uint8_t* find_end(const Archive* a)
{
    for (size_t back = END_SIZE; back <= a->size && back <= END_SIZE + 0xffff; back++)
        if (number(a->bytes + a->size - back, 4) == 0x06054b50)
            return a->bytes + a->size - back;
    return NULL;
}

// Only names that stay below the folder that they are unpacked to.
static bool is_safe(const char* name)
{
    if (name[0] == 0 || name[0] == '/' || strchr(name, '\\') != NULL || strchr(name, ':') != NULL)
        return false;
    for (const char* part = name; part != NULL; part = strchr(part, '/'))
    {
        part += *part == '/';
        size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return false;
    }
    return true;
}

static uint64_t hash_name(const char* name)
{
    return hash_bytes(HASH_START, name, strlen(name));
}

static bool check_entry(Archive* a, const ArchiveEntry* e, uint32_t flags, uint32_t mode, size_t* total)
{
    if (!is_safe(e->name))
        return no(a, "the archive has a file that would be written outside its folder: `%.100s`", e->name);
    if ((mode >> 16 & 0170000) == 0120000)
        return no(a, "the archive has a symbolic link: `%.100s`", e->name);
    uint32_t other;
    if (map_get(&a->names, hash_name(e->name), &other))  // names that are made to hash alike are no FMU's either
        return no(a, "the archive has `%.100s` twice", e->name);
    if ((flags & 1) != 0)
        return no(a, "`%.100s` is encrypted", e->name);
    if (e->method != 0 && e->method != 8)
        return no(a, "`%.100s` is packed by method %u: stored and deflated are what an FMU may have", e->name,
                  e->method);
    if (e->method == 0 && e->size != e->packed)
        return no(a, "`%.100s` is stored, but its sizes differ", e->name);
    *total += e->size;
    if (*total > UNPACKED_MOST || (e->size > RATIO_FREE && e->size / RATIO_MOST > e->packed))
        return no(a, "`%.100s` would unpack to %zu bytes from %zu: that is no FMU", e->name, e->size, e->packed);
    return true;
}

// Where the bytes of an entry begin: behind its local header, which must be that of the same file.
static bool find_bytes(Archive* a, ArchiveEntry* e, size_t offset)
{
    if (offset > a->size || a->size - offset < LOCAL_SIZE || number(a->bytes + offset, 4) != 0x04034b50)
        return no(a, "the archive is damaged: `%.100s` is not where its directory says", e->name);
    size_t name = number(a->bytes + offset + 26, 2), extra = number(a->bytes + offset + 28, 2);
    size_t from = offset + LOCAL_SIZE + name + extra;
    if (from > a->size || a->size - from < e->packed)
        return no(a, "the archive is cut off in `%.100s`", e->name);
    if (name != strlen(e->name) || memcmp(a->bytes + offset + LOCAL_SIZE, e->name, name) != 0)
        return no(a, "the archive is damaged: `%.100s` has another name where it begins", e->name);
    e->from = from;
    return true;
}

static bool read_directory(Archive* a, const uint8_t* at, const uint8_t* end, uint32_t count)
{
    size_t total = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        if (end - at < CENTRAL_SIZE || number(at, 4) != 0x02014b50)
            return no(a, "the archive is damaged: its directory ends after %u of %u files", i, count);
        size_t name = number(at + 28, 2), rest = number(at + 30, 2) + number(at + 32, 2);
        if ((size_t)(end - at) < CENTRAL_SIZE + name + rest)
            return no(a, "the archive is damaged: its directory is cut off");
        ArchiveEntry e = {.name = arena_copy_string(a->arena, (const char*)at + CENTRAL_SIZE, name),
                          .size = number(at + 24, 4),
                          .packed = number(at + 20, 4),
                          .crc = number(at + 16, 4),
                          .method = (uint16_t)number(at + 10, 2)};
        if (strlen(e.name) != name)
            return no(a, "the archive has a file name with a zero in it");
        e.folder = name > 0 && e.name[name - 1] == '/';
        if (e.size == 0xffffffff || e.packed == 0xffffffff)
            return no(a, "`%.100s` is in the form for archives above 4 GB, which an FMU need not have", e.name);
        if (!check_entry(a, &e, number(at + 8, 2), number(at + 38, 4), &total) ||
            !find_bytes(a, &e, number(at + 42, 4)))
            return false;
        map_set(&a->names, hash_name(e.name), a->entries.count);
        vec_push(a->arena, a->entries, e);
        at += CENTRAL_SIZE + name + rest;
    }
    return true;
}

bool archive_open(Archive* a, Arena* arena, const void* bytes, size_t size)
{
    *a = (Archive){.arena = arena, .bytes = bytes, .size = size};
    map_init(&a->names, arena);
    const uint8_t* end = size >= END_SIZE ? find_end(a) : NULL;
    if (end == NULL)
        return no(a, "this is no zip archive, or it is cut off");
    uint32_t count = number(end + 10, 2), from = number(end + 16, 4);
    if (count >= ENTRIES_MOST || from > (size_t)(end - a->bytes))
        return no(a, "the archive is damaged: its directory is not where its end says");
    if (number(end + 4, 2) != 0 || number(end + 8, 2) != count)
        return no(a, "the archive is one of several parts");
    return read_directory(a, a->bytes + from, end, count);
}

const ArchiveEntry* archive_find(const Archive* a, const char* name)
{
    uint32_t i;
    bool found = map_get(&a->names, hash_name(name), &i) && strcmp(a->entries.at[i].name, name) == 0;
    return found ? &a->entries.at[i] : NULL;
}

char* archive_read(Archive* a, const ArchiveEntry* e)
{
    char* text = arena_alloc(a->arena, e->size + 1);
    bool fine = true;
    if (e->method == 0 && e->size > 0)
        memcpy(text, a->bytes + e->from, e->size);
    else if (e->method != 0)
        fine = inflate_bytes(a->bytes + e->from, e->packed, (uint8_t*)text, e->size);
    if (fine && zip_crc(text, e->size) == e->crc)
        return text;
    no(a, "`%.100s` is damaged: its bytes do not unpack to what its checksum says", e->name);
    return NULL;
}
