// See bundle.h. A file src/base/arena.c becomes base_arena.c and finds "base/arena.h" as "base_arena.h" beside it, so
// that `cc -c *.c` is enough; what the build of Kairos defines stands in a header that every file begins with.
#include "fmi/bundle.h"

#include "base/text.h"
#include "fmi/describe.h"

#include <stdlib.h>
#include <string.h>

#define BUILD_HEADER "kairos_build.h"

typedef struct Bundled
{
    const char* path;  // from src or include
    const char* bytes;
    size_t size;
    bool wanted;
} Bundled;

typedef VEC(Bundled) BundledList;

static const char* without(const char* path, const char* lead)
{
    return strncmp(path, lead, strlen(lead)) == 0 ? path + strlen(lead) : path;
}

// "NAME SIZE\n" and the bytes, again and again.
static bool open_bundle(BundledList* list, Arena* arena, const char* bundle, size_t size)
{
    for (const char *at = bundle, *end = bundle + size; at < end;)
    {
        const char* line = memchr(at, '\n', (size_t)(end - at));
        const char* space = line != NULL ? memchr(at, ' ', (size_t)(line - at)) : NULL;
        if (space == NULL)
            return false;
        size_t length = strtoul(space + 1, NULL, 10);
        if (length > (size_t)(end - line - 1))
            return false;
        const char* path = arena_copy_string(arena, at, (size_t)(space - at));
        Bundled file = {.path = without(without(path, "src/"), "include/"), .bytes = line + 1, .size = length};
        vec_push(arena, *list, file);
        at = line + 1 + length;
    }
    return list->count > 0;
}

static bool is_compiled(const char* path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

// The files of the other version stay out.
static bool is_of(const char* path, int version)
{
    const char* file = without(path, "fmu/");
    return file == path || strncmp(file, version == 2 ? "fmi3" : "fmi2", 4) != 0;
}

static const char* flat_name(Arena* arena, const char* path, size_t length)
{
    char* name = arena_copy_string(arena, path, length);
    for (char* at = name; *at != 0; at++)
        if (*at == '/')
            *at = '_';
    return name;
}

// The name in `#include "name"` at `at`; NULL: no such line.
static const char* included(const char* at, const char* end, size_t* length)
{
    static const char words[] = "#include \"";
    size_t lead = sizeof words - 1;
    if ((size_t)(end - at) <= lead || memcmp(at, words, lead) != 0)
        return NULL;
    const char* close = memchr(at + lead, '"', (size_t)(end - at) - lead);
    *length = close != NULL ? (size_t)(close - at) - lead : 0;
    return close != NULL ? at + lead : NULL;
}

static void want(BundledList* list, const char* name, size_t length, bool* more)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!list->at[i].wanted && strlen(list->at[i].path) == length && memcmp(list->at[i].path, name, length) == 0)
            *more = list->at[i].wanted = true;
}

static void want_included(BundledList* list, const Bundled* file, bool* more)
{
    size_t length;
    for (const char *at = file->bytes, *end = at + file->size; at != NULL && at < end;)
    {
        const char* name = included(at, end, &length);
        if (name != NULL)
            want(list, name, length, more);
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
}

static SourceFile flatten(Arena* arena, const Bundled* file)
{
    Writer w = {.arena = arena};
    bool compiled = is_compiled(file->path);
    size_t length;
    if (compiled)
        writer_put(&w, "#include \"" BUILD_HEADER "\"\n");
    for (const char *at = file->bytes, *end = at + file->size; at < end;)
    {
        const char* line = memchr(at, '\n', (size_t)(end - at));
        const char* next = line != NULL ? line + 1 : end;
        const char* name = included(at, end, &length);
        if (name != NULL)
            writer_say(&w, "#include \"%s\"\n", flat_name(arena, name, length));
        else
            writer_put(&w, arena_copy_string(arena, at, (size_t)(next - at)));
        at = next;
    }
    const char* text = writer_text(&w);
    return (SourceFile){flat_name(arena, file->path, strlen(file->path)), text, strlen(text), compiled};
}

static SourceFile build_header(Arena* arena)
{
    const char* text = arena_printf(arena,
                                    "// What the build of Kairos defines.\n"
                                    "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
                                    "#define KAIROS_VERSION \"%s\"\n#define KAIROS_PREFIX \"\"\n"
                                    "#define KAIROS_LIBRARY_DEPTH 0\n#define KAIROS_PARTS_TAIL \"lib/kairos\"\n"
                                    "#define KAIROS_MODELS_TAIL \"share/kairos/lib\"\n",
                                    kaiVersion());
    return (SourceFile){BUILD_HEADER, text, strlen(text), false};
}

bool bundle_read(SourceList* sources, Arena* arena, const char* bundle, size_t size, int version)
{
    BundledList list = {0};
    bool more = true;
    if (!open_bundle(&list, arena, bundle, size))
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        list.at[i].wanted = is_compiled(list.at[i].path) && is_of(list.at[i].path, version);
    while (more)
    {
        more = false;
        for (uint32_t i = 0; i < list.count; i++)
            if (list.at[i].wanted)
                want_included(&list, &list.at[i], &more);
    }
    vec_push(arena, sources->list, build_header(arena));
    for (uint32_t i = 0; i < list.count; i++)
        if (list.at[i].wanted)
            vec_push(arena, sources->list, flatten(arena, &list.at[i]));
    return true;
}

char* bundle_describe(const SourceList* sources, Arena* arena, const char* identifier)
{
    Writer w = {.arena = arena};
    writer_put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                   "  <BuildConfiguration");
    xml_attribute(&w, "modelIdentifier", identifier);
    writer_put(&w, ">\n    <SourceFileSet language=\"C17\" compilerOptions=\"-O2 -fvisibility=hidden "
                   "-ffp-contract=off\">\n");
    for (uint32_t i = 0; i < sources->list.count; i++)
        if (sources->list.at[i].compiled)
        {
            writer_put(&w, "      <SourceFile");
            xml_attribute(&w, "name", sources->list.at[i].name);
            writer_put(&w, "/>\n");
        }
    writer_put(&w, "    </SourceFileSet>\n    <Library name=\"m\"/>\n  </BuildConfiguration>\n"
                   "</fmiBuildDescription>\n");
    return writer_text(&w);
}

void bundle_add(const SourceList* sources, Arena* arena, ZipWriter* zip)
{
    for (uint32_t i = 0; i < sources->list.count; i++)
        zip_add(zip, arena_printf(arena, "sources/%s", sources->list.at[i].name), sources->list.at[i].text,
                sources->list.at[i].size);
}
