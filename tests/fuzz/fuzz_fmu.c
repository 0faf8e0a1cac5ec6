// Bytes → an FMU of anybody: the archive itself; or the description inside a sound archive, with the binary that its
// bytes say; or what deflate is given. Read and held against the standard, or refused with sentences.
#include "fmi/described.h"
#include "fmi/inflate.h"
#include "fmi/zip.h"
#include "fuzz/fuzz.h"

typedef struct Store
{
    uint8_t bytes[2 * FUZZ_TEXT];
    size_t size;
} Store;

static kaiStatus store(void* user, const char* bytes, size_t size)
{
    Store* to = user;
    if (size > sizeof to->bytes - to->size)
        return KAI_ERR_IO;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return KAI_OK;
}

static void look(Arena* arena, const void* bytes, size_t size)
{
    Described described;
    bool fine = described_read(&described, arena, bytes, size);
    fuzz_demand(fine == (described.errors == 0));
    for (uint32_t i = 0; i < described.messages.count; i++)
        fuzz_demand(described.messages.at[i]->message != NULL && described.messages.at[i]->message[0] != 0);
    fuzz_demand(fine || described.messages.count > 0);
}

// The text up to the first 0 is the description; what follows is a binary.
static void look_inside(Arena* arena, const uint8_t* bytes, size_t size)
{
    static Store archive;
    kaiSink sink = {store, &archive};
    ZipWriter zip = {.arena = arena, .sink = &sink};
    const uint8_t* end = memchr(bytes, 0, size);
    size_t length = end != NULL ? (size_t)(end - bytes) : size;
    archive.size = 0;
    zip_add(&zip, "modelDescription.xml", bytes, length);
    zip_add(&zip, "binaries/x86_64-linux/M.so", bytes + length, size - length);
    zip_add(&zip, "binaries/linux64/M.so", bytes + length, size - length);
    if (zip_finish(&zip) == KAI_OK)
        look(arena, archive.bytes, archive.size);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size < 1 || size > FUZZ_TEXT / 2)
        return -1;
    Arena arena;
    jmp_buf fail;
    kaiAllocator allocator = kaiDefaultAllocator();
    arena_init(&arena, allocator, &fail);
    if (setjmp(fail) == 0)
    {
        if (bytes[0] == 'P')  // "PK…"
            look(&arena, bytes, size);
        else if (bytes[0] == '<')
            look_inside(&arena, bytes, size);
        else
        {
            uint8_t* to = arena_alloc(&arena, 1 << 16);
            inflate_bytes(bytes + 1, size - 1, to, (size_t)bytes[0] * 257);
        }
    }
    arena_free(&arena);
    return 0;
}
