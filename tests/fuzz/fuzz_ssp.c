// Bytes → a system of connected FMUs of anybody: the archive itself ("PK…"), or the three texts inside a sound one,
// each up to a 0: SystemStructure.ssd, the description of resources/a.fmu, and parameters.ssv. It is refused with a
// sentence, or becomes a model in words that the language has.
#include "fmi/zip.h"
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

typedef struct Store
{
    uint8_t bytes[4 * FUZZ_TEXT];
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

static const uint8_t* next_text(const uint8_t** at, const uint8_t* end, size_t* length)
{
    const uint8_t *text = *at, *stop = memchr(text, 0, (size_t)(end - text));
    *length = (size_t)((stop != NULL ? stop : end) - text);
    *at = stop != NULL ? stop + 1 : end;
    return text;
}

// False: no memory, or no room.
static bool pack(Store* archive, const uint8_t* bytes, size_t size)
{
    static Store fmu;
    Arena arena;
    jmp_buf fail;
    volatile bool packed = false;
    archive->size = fmu.size = 0;
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    if (setjmp(fail) == 0)
    {
        const uint8_t *at = bytes, *end = bytes + size;
        size_t length;
        kaiSink outer = {store, archive}, inner = {store, &fmu};
        ZipWriter zip = {.arena = &arena, .sink = &outer}, part = {.arena = &arena, .sink = &inner};
        const uint8_t* text = next_text(&at, end, &length);
        zip_add(&zip, "SystemStructure.ssd", text, length);
        text = next_text(&at, end, &length);
        zip_add(&part, "modelDescription.xml", text, length);
        zip_add(&part, "binaries/linux64/M.so", "", 0);
        text = next_text(&at, end, &length);
        zip_add(&zip, "parameters.ssv", text, length);
        packed = zip_finish(&part) == KAI_OK;
        zip_add(&zip, "resources/a.fmu", fmu.bytes, fmu.size);
        packed = packed && zip_finish(&zip) == KAI_OK;
    }
    arena_free(&arena);
    return packed;
}

static char folder[] = "/dev/shm/kairos-fuzz-ssp-XXXXXX";

// The text that was written is one of the language.
static void read_model(void)
{
    char path[200], text[8192];
    const char* laid_out;
    snprintf(path, sizeof path, "%s/system.kai", folder);
    FILE* file = fopen(path, "rb");
    fuzz_demand(file != NULL);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    if (size == sizeof text - 1)
        return;
    kaiProgram* program = fuzz_open(text);
    fuzz_demand(program != NULL);
    if (kaiProgram_Format(program, &laid_out) != KAI_OK)
        fputs(text, stderr);
    fuzz_demand(kaiProgram_Format(program, &laid_out) == KAI_OK);
    kaiProgram_Free(program);
}

static void clean_up(void)
{
    static const char* const names[] = {"system.kai", "part1.fmu", "part2.fmu", "part3.fmu"};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void read_system(const uint8_t* bytes, size_t size)
{
    static bool made;
    char path[60];
    kaiError error = {0};
    if (!made && mkdtemp(folder) != NULL)
        made = atexit(clean_up) == 0;
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(made && file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kaiStatus status = kaiSsp_Read(path, folder, kaiDefaultAllocator(), &error);
    fuzz_demand(status <= 0 && (status == KAI_OK || (error.message != NULL && error.message[0] != 0)));
    if (status == KAI_OK)
        read_model();
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static Store archive;
    if (size < 2 || size > FUZZ_TEXT / 2)
        return -1;
    if (bytes[0] == 'P')
        read_system(bytes, size);
    else if (pack(&archive, bytes, size))
        read_system(archive.bytes, archive.size);
    return 0;
}
