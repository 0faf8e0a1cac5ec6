// Reading a system of SSP 1.0: the description, held against its rules and against the FMUs that it names, and the
// model that it is in the words of Kairos: an `fmu` for each source, an instance for each component, a definition for
// each connection. See kairos/fmi.h.
#include "base/error.h"
#include "ssp/reading.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool reading_wrong(SspRead* r, const XmlElement* at, const char* format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at != NULL)
        error_set(r->error, KAI_ERR_MODEL, "%s/%s:%d: %s", r->path, r->file, at->line, text);
    else
        error_set(r->error, KAI_ERR_MODEL, "%s: %s", r->path, text);
    return false;
}

// ---- XML
// ------------------------------------------------------------------------------------------------------------

bool reading_is(const XmlElement* e, const char* name)
{
    const char* colon = strchr(e->name, ':');
    return strcmp(colon != NULL ? colon + 1 : e->name, name) == 0;
}

const XmlElement* reading_child(const XmlElement* parent, const char* name)
{
    for (const XmlElement* e = parent != NULL ? parent->child : NULL; e != NULL; e = e->next)
        if (reading_is(e, name))
            return e;
    return NULL;
}

bool reading_needs(SspRead* r, const XmlElement* e, const char* attribute, const char** value)
{
    *value = xml_value(e, attribute);
    return *value != NULL || reading_wrong(r, e, "%s without %s", e->name, attribute);
}

bool reading_number(SspRead* r, const XmlElement* e, const char* attribute, double otherwise, double* value)
{
    const char* text = xml_value(e, attribute);
    char* end = NULL;
    *value = text != NULL ? strtod(text, &end) : otherwise;
    return text == NULL || (end != text && *end == 0 && isfinite(*value)) ||
           reading_wrong(r, e, "%s = \"%.60s\" is no number", attribute, text);
}

// ---- files of the archive
// -----------------------------------------------------------------------------------------------

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

// References are URIs relative to the description.
const char* reading_path(SspRead* r, const char* from)
{
    while (strncmp(from, "./", 2) == 0)
        from += 2;
    char *path = arena_copy_string(&r->arena, from, strlen(from)), *to = path;
    for (; *from != 0; from++)
    {
        bool escaped = *from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0;
        *to++ = escaped ? (char)(hex(from[1]) * 16 + hex(from[2])) : *from;
        from += escaped ? 2 : 0;
    }
    *to = 0;
    return path;
}

static const XmlElement* read_entry(SspRead* r, Archive* archive, const XmlElement* e, const char* name)
{
    char why[300];
    int line;
    const ArchiveEntry* entry = archive_find(archive, name);
    const char* text = entry != NULL ? archive_read(archive, entry) : NULL;
    if (text == NULL)
        return reading_wrong(r, e, "there is no %.200s in the archive", name), NULL;
    const XmlElement* root = xml_parse(&r->arena, text, entry->size, why, sizeof why, &line);
    if (root == NULL)
        reading_wrong(r, e, "%.200s:%d: %s", name, line, why);
    return root;
}

const XmlElement* reading_file(SspRead* r, const XmlElement* e, const char* from, const char** name)
{
    *name = reading_path(r, from);
    return read_entry(r, &r->archive, e, *name);
}

const XmlElement* reading_bound(SspRead* r, const XmlElement* e, int element, const char* from, const char** name)
{
    const char* base = xml_value(e, "sourceBase");
    int fmu = r->elements.at[element].fmu;
    *name = reading_path(r, from);
    if (base == NULL || strcmp(base, "SSD") == 0)
        return read_entry(r, &r->archive, e, *name);
    if (strcmp(base, "component") != 0 || fmu < 0)
        return reading_wrong(r, e, "there is no sourceBase \"%.40s\" of %.100s", base, r->elements.at[element].name),
               NULL;
    return read_entry(r, &r->sources.at[fmu].fmu.archive, e, *name);
}

// ---- the description
// --------------------------------------------------------------------------------------------------------

static bool read_experiment(SspRead* r, const XmlElement* e)
{
    r->start = 0;
    r->stop = INFINITY;
    if (e == NULL)
        return true;
    if (!reading_number(r, e, "startTime", 0, &r->start) || !reading_number(r, e, "stopTime", INFINITY, &r->stop))
        return false;
    return r->stop > r->start || reading_wrong(r, e, "stopTime %g is not behind startTime %g", r->stop, r->start);
}

static bool read_description(SspRead* r)
{
    char why[300];
    int line;
    const ArchiveEntry* entry = archive_find(&r->archive, SSP_DESCRIPTION);
    const char* text = entry != NULL ? archive_read(&r->archive, entry) : NULL;
    if (text == NULL)
        return reading_wrong(r, NULL, "%s",
                             entry != NULL ? r->archive.why : "there is no " SSP_DESCRIPTION " in the archive");
    const XmlElement* root = xml_parse(&r->arena, text, entry->size, why, sizeof why, &line);
    if (root == NULL)
        return reading_wrong(r, NULL, SSP_DESCRIPTION ":%d: %s", line, why);
    r->file = SSP_DESCRIPTION;
    vec_push(&r->arena, r->open, SSP_DESCRIPTION);
    r->units = reading_child(root, "Units");
    r->enumerations = reading_child(root, "Enumerations");
    const XmlElement* system = reading_child(root, "System");
    const char* version = xml_value(root, "version");
    if (!reading_is(root, "SystemStructureDescription") || system == NULL)
        return reading_wrong(r, root, "this describes no system");
    if (version != NULL && strncmp(version, "1.", 2) != 0)
        return reading_wrong(r, root, "version \"%.20s\" of SSP: 1.0 is understood", version);
    return reading_needs(r, root, "name", &r->name) && read_experiment(r, reading_child(root, "DefaultExperiment")) &&
           elements_read(r, system, -1, r->name) >= 0;
}

// ---- files
// ----------------------------------------------------------------------------------------------------------

static kaiStatus write_one(SspRead* r, const char* folder, const char* name, const char* bytes, size_t size)
{
    FILE* out = fopen(arena_printf(&r->arena, "%s/%s", folder, name), "wb");
    bool ok = out != NULL && fwrite(bytes, 1, size, out) == size;
    if (out != NULL && fclose(out) != 0)
        ok = false;
    return ok ? KAI_OK : error_set(r->error, KAI_ERR_IO, "%s/%s cannot be written: %s", folder, name, strerror(errno));
}

static kaiStatus unpack(SspRead* r, const char* folder)
{
    const char* text = reading_text(r);
    kaiStatus status = write_one(r, folder, "system.kai", text, strlen(text));
    for (uint32_t i = 0; i < r->sources.count && status == KAI_OK; i++)
        status = write_one(r, folder, arena_printf(&r->arena, "part%u.fmu", i + 1), r->sources.at[i].bytes,
                           r->sources.at[i].entry->size);
    return status;
}

// All of a regular file. *why: it is none, or cannot be read. The room is there before the file is open: memory that
// runs out leaves nothing behind.
static char* read_all(SspRead* r, size_t* size, const char** why)
{
    struct stat about;
    *why = NULL;
    if (stat(r->path, &about) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(about.st_mode) || about.st_size > 0xfffffffe)
        *why = "it is no file, or larger than a system can be";
    if (*why != NULL)
        return NULL;
    *size = (size_t)about.st_size;
    char* bytes = arena_alloc(&r->arena, *size + 1);
    FILE* in = fopen(r->path, "rb");
    *why = in == NULL ? strerror(errno) : fread(bytes, 1, *size, in) == *size ? NULL : "it has become shorter";
    if (in != NULL)
        fclose(in);
    return *why == NULL ? bytes : NULL;
}

static kaiStatus read_path(SspRead* r, const char* path, const char* folder, kaiAllocator allocator)
{
    size_t size;
    if (setjmp(r->fail) != 0)
        return error_memory(r->error);
    arena_init(&r->arena, allocator, &r->fail);
    r->path = path;
    const char* why;
    char* bytes = read_all(r, &size, &why);
    if (bytes == NULL)
        return error_set(r->error, KAI_ERR_IO, "%s cannot be read: %s", path, why);
    if (!archive_open(&r->archive, &r->arena, bytes, size))
        return reading_wrong(r, NULL, "%s", r->archive.why), KAI_ERR_MODEL;
    if (!read_description(r))
        return KAI_ERR_MODEL;
    return folder != NULL ? unpack(r, folder) : KAI_OK;
}

kaiStatus kaiSsp_Read(const char* path, const char* folder, kaiAllocator allocator, kaiError* error)
{
    error_clear(error);
    if (path == NULL || allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no path or no allocator");
    SspRead* r = allocator.alloc(allocator.user, NULL, 0, sizeof *r);
    if (r == NULL)
        return error_memory(error);
    memset(r, 0, sizeof *r);
    r->error = error;
    kaiStatus status = read_path(r, path, folder, allocator);
    arena_free(&r->arena);
    allocator.alloc(allocator.user, r, sizeof *r, 0);
    return status;
}
