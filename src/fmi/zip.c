// See zip.h. PKWARE's APPNOTE 6.3: a local header before each file, then the central directory and its end.
#include "fmi/zip.h"

#include <string.h>

enum
{
    ZIP_LOCAL = 0x04034b50,
    ZIP_CENTRAL = 0x02014b50,
    ZIP_END = 0x06054b50,
    ZIP_VERSION = 20,
    ZIP_UTF8 = 1 << 11,
    ZIP_DATE = (46 << 9) | (1 << 5) | 1,  // 2026-01-01
};

// The polynomial of ISO 3309, bits reversed, four bits at a time: the table is short and nothing here is in a hurry.
uint32_t zip_crc(const void* bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t* at = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++)
    {
        crc ^= at[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

typedef struct Fields
{
    uint8_t bytes[64];
    size_t length;
} Fields;

static void put(Fields* f, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        f->bytes[f->length++] = (uint8_t)(value >> 8 * i);
}

static void send(ZipWriter* zip, const void* bytes, size_t size)
{
    if (zip->status == KAI_OK && size > 0)
        zip->status = zip->sink->write(zip->sink->user, bytes, size);
    zip->written += size;
}

// What both kinds of header say about a file, from the version to the length of the name.
static void put_file(Fields* f, const ZipEntry* entry)
{
    put(f, ZIP_VERSION, 2);
    put(f, ZIP_UTF8, 2);
    put(f, 0, 2);  // stored
    put(f, 0, 2);  // midnight
    put(f, ZIP_DATE, 2);
    put(f, entry->crc, 4);
    put(f, entry->size, 4);
    put(f, entry->size, 4);
    put(f, (uint32_t)strlen(entry->name), 2);
    put(f, 0, 2);  // nothing extra
}

void zip_add(ZipWriter* zip, const char* name, const void* bytes, size_t size)
{
    if (size > 0xfffffff0u || zip->written + size > 0xfff00000u || zip->entries.count == 0xfff0)
    {
        zip->status = zip->status == KAI_OK ? KAI_ERR_LIMIT : zip->status;
        return;
    }
    ZipEntry entry = {name, zip_crc(bytes, size), (uint32_t)size, (uint32_t)zip->written};
    Fields f = {.length = 0};
    put(&f, ZIP_LOCAL, 4);
    put_file(&f, &entry);
    send(zip, f.bytes, f.length);
    send(zip, name, strlen(name));
    send(zip, bytes, size);
    vec_push(zip->arena, zip->entries, entry);
}

kaiStatus zip_finish(ZipWriter* zip)
{
    uint64_t start = zip->written;
    for (uint32_t i = 0; i < zip->entries.count; i++)
    {
        const ZipEntry* entry = &zip->entries.at[i];
        Fields f = {.length = 0};
        put(&f, ZIP_CENTRAL, 4);
        put(&f, ZIP_VERSION | 3 << 8, 2);  // made on a Unix
        put_file(&f, entry);
        put(&f, 0, 2);  // no comment
        put(&f, 0, 2);  // on the first disk
        put(&f, 0, 2);
        put(&f, 0100644u << 16, 4);  // a plain file
        put(&f, entry->offset, 4);
        send(zip, f.bytes, f.length);
        send(zip, entry->name, strlen(entry->name));
    }
    Fields f = {.length = 0};
    put(&f, ZIP_END, 4);
    put(&f, 0, 4);
    put(&f, zip->entries.count, 2);
    put(&f, zip->entries.count, 2);
    put(&f, (uint32_t)(zip->written - start), 4);
    put(&f, (uint32_t)start, 4);
    put(&f, 0, 2);
    send(zip, f.bytes, f.length);
    return zip->status;
}

// Whoever writes has memory of its own to free: no jump past it.
kaiStatus zip_keep(void* member, const char* bytes, size_t size)
{
    ZipMember* m = member;
    jmp_buf here, *outer = m->arena->fail;
    volatile kaiStatus status = KAI_ERR_MEMORY;
    m->arena->fail = &here;
    if (setjmp(here) == 0)
    {
        for (size_t i = 0; i < size; i++)
            vec_push(m->arena, m->text, bytes[i]);
        status = KAI_OK;
    }
    m->arena->fail = outer;
    return status;
}
