// Archives: written with stored entries, which every reader knows and which cost nothing to make; dates are all the
// same, so that the same content gives the same bytes.
#ifndef KAIROS_FMI_ZIP_H
#define KAIROS_FMI_ZIP_H

#include "base/arena.h"

typedef struct ZipEntry
{
    const char* name;
    uint32_t crc, size, offset;
} ZipEntry;

typedef struct ZipWriter
{
    Arena* arena;
    const kaiSink* sink;
    VEC(ZipEntry) entries;
    uint64_t written;
    kaiStatus status;  // the first that was not KAI_OK; nothing is written afterwards
} ZipWriter;

// `name` must live as long as the writer. KAI_ERR_LIMIT: the archive would be larger than its format can say (4 GB).
void zip_add(ZipWriter* zip, const char* name, const void* bytes, size_t size);
kaiStatus zip_finish(ZipWriter* zip);

// What is to become an entry, while something else makes it: the user of a sink whose function is zip_keep. Without
// memory it says so: who makes the entry has things to free, and must not be jumped over.
typedef struct ZipMember
{
    Arena* arena;
    VEC(char) text;
} ZipMember;
kaiStatus zip_keep(void* member, const char* bytes, size_t size);

uint32_t zip_crc(const void* bytes, size_t size);

#endif
