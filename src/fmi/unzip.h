// Archives, read: every entry is looked at before any is used. A stranger's archive is a stranger's text: names that
// lead out of it, entries that unpack to more than they say or than can be meant, and whatever is damaged are refused
// with a sentence.
#ifndef KAIROS_FMI_UNZIP_H
#define KAIROS_FMI_UNZIP_H

#include "base/map.h"

#include <stdbool.h>

typedef struct ArchiveEntry
{
    const char* name;
    size_t size;          // unpacked
    size_t packed, from;  // bytes in the archive
    uint32_t crc;
    uint16_t method;
    bool folder;
} ArchiveEntry;

typedef struct Archive
{
    Arena* arena;
    const uint8_t* bytes;
    size_t size;
    VEC(ArchiveEntry) entries;
    Map names;  // hashes of names to entries
    char why[300];
} Archive;

// False: `why` is a sentence. The bytes must live as long as the archive.
bool archive_open(Archive* archive, Arena* arena, const void* bytes, size_t size);
const ArchiveEntry* archive_find(const Archive* archive, const char* name);
// The content of an entry, in the arena, ended by 0. NULL: `why` is a sentence.
char* archive_read(Archive* archive, const ArchiveEntry* entry);

#endif
