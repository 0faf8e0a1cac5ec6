// For tests of the binaries of FMUs: an export unpacked into a folder that goes with the test, its functions, and what
// the instance said last.
#ifndef KAIROS_TESTS_FMU_FIXTURE_H
#define KAIROS_TESTS_FMU_FIXTURE_H

#include "fmi_fixture.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Unpacked
{
    char folder[40], resources[60], guid[60];
    void* library;
} Unpacked;

static inline void unpack_file(const char* folder, const char* name, const char* bytes, size_t size)
{
    char path[300];
    const char* tail = strrchr(name, '/');
    snprintf(path, sizeof path, "%s/%s", folder, tail != NULL ? tail + 1 : name);
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static inline void unpack_text(const char* folder, const char* name, const char* text)
{
    unpack_file(folder, name, text, strlen(text));
}

// All files of the archive, without their folders.
static inline Unpacked unpack(Bytes fmu)
{
    Unpacked u = {.folder = "/tmp/kairos-unit-XXXXXX"};
    jmp_buf no_memory;
    Arena arena;
    Archive archive;
    char path[300] = "";
    assert_non_null(mkdtemp(u.folder));
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    assert_true(archive_open(&archive, &arena, fmu.at, fmu.size));
    for (uint32_t i = 0; i < archive.entries.count; i++)
    {
        const ArchiveEntry* e = &archive.entries.at[i];
        unpack_file(u.folder, e->name, archive_read(&archive, e), e->size);
        if (strncmp(e->name, "binaries/", 9) == 0)
            snprintf(path, sizeof path, "%s%s", u.folder, strrchr(e->name, '/'));
    }
    const char* guid = strstr(archive_read(&archive, archive_find(&archive, "resources/kairos.txt")), "guid\t");
    snprintf(u.guid, sizeof u.guid, "%.*s", (int)strcspn(guid + 5, "\n"), guid + 5);
    snprintf(u.resources, sizeof u.resources, "file://%s/", u.folder);
    u.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (u.library == NULL)
        print_message("%s\n", dlerror());
    assert_non_null(u.library);
    free(fmu.at);
    arena_free(&arena);
    return u;
}

// Experiment e of a text as an FMU of this version, unpacked.
static inline Unpacked unpack_export(const char* text, int version, bool hide)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    Bytes made = {NULL, 0, 0};
    kaiError error;
    source.path = "typed.kai";
    source.text = text;
    which.experiment = "e";
    options.version = version;
    options.hide = hide;
    options.sink = (kaiSink){bytes_write, &made};
    if (kaiFmu_Export(&source, &which, &options, &error) != KAI_OK)
        fail_msg("%s: %s", text, error.message);
    return unpack(made);
}

// The reference of a variable, as the description of the export has it.
static inline unsigned reference(const Unpacked* u, const char* name)
{
    char path[100], quoted[100];
    static char all[40000];
    snprintf(path, sizeof path, "%s/modelDescription.xml", u->folder);
    snprintf(quoted, sizeof quoted, " name=\"%s\" valueReference=\"", name);
    FILE* in = fopen(path, "rb");
    assert_non_null(in);
    all[fread(all, 1, sizeof all - 1, in)] = 0;
    fclose(in);
    const char* at = strstr(all, quoted);
    if (at == NULL)
        fail_msg("there is no %s", name);
    return (unsigned)strtoul(at + strlen(quoted), NULL, 10);
}

static inline void unpack_remove(Unpacked* u)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", u->folder);
    dlclose(u->library);
    assert_int_equal(system(command), 0);
}

static char said[2000];
static inline void listen(const char* text)
{
    snprintf(said, sizeof said, "%s", text);
}

// The call is refused with these words.
#define REFUSED(call, error, words)                                                                                    \
    do                                                                                                                 \
    {                                                                                                                  \
        said[0] = 0;                                                                                                   \
        assert_int_equal((call), (error));                                                                             \
        if (strstr(said, (words)) == NULL)                                                                             \
            print_message("%s: \"%s\" instead of \"%s\"\n", #call, said, (words));                                     \
        assert_non_null(strstr(said, (words)));                                                                        \
    } while (0)

#endif
