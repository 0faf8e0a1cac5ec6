// See document.h.
#include "service/document.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void document_find_lines(Document* d)
{
    d->length = strlen(d->text);
    vec_push(d->arena, d->lines, 0);
    for (size_t i = 0; i < d->length && i < UINT32_MAX; i++)
        if (d->text[i] == '\n')
            vec_push(d->arena, d->lines, (uint32_t)i + 1);
}

static kaiStatus read_file(void* user, const kaiFileRequest* request, const char** text, size_t* length,
                           const char** why)
{
    const DocumentFiles* files = user;
    char real[PATH_MAX];
    const char* wanted = realpath(request->path, real) != NULL ? real : request->path;
    (void)why;
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(files->at[i].identity, wanted) == 0)
        {
            *text = files->at[i].text;
            *length = strlen(*text);
            return KAI_OK;
        }
    return KAI_END;
}

const char* document_identity(const Document* d, const char* path)
{
    char real[PATH_MAX];
    return realpath(path, real) != NULL ? arena_copy_string(d->arena, real, strlen(real)) : path;
}

void document_add_file(const Document* d, DocumentFiles* files, const char* path, const char* text)
{
    vec_push(d->arena, *files, ((DocumentFile){path, text, document_identity(d, path)}));
}

static kaiProgram* open_text(const Document* d, const DocumentFiles* files, const char* path, const char* text,
                             kaiError* error)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    options.path = path;
    options.text = text;
    options.library = d->options->library;
    options.policy = d->options->policy;
    options.files = d->options->files;
    if (options.files.read == NULL && files->count > 0)
        options.files = (kaiFileProvider){.read = read_file, .user = (void*)files};
    options.blocks = d->options->blocks;
    options.limits = d->options->limits;
    options.interrupt = d->interrupt;
    options.allocator = d->options->allocator;
    kaiProgram_Open(&options, &program, error);
    return program;
}

kaiProgram* document_program(const Document* d, const char* text)
{
    return open_text(d, &d->files, d->path, text, NULL);
}

kaiProgram* document_other(const Document* d, const DocumentFiles* files, const char* path, const char* text)
{
    return open_text(d, files, path, text, NULL);
}

void document_open(Document* d)
{
    document_find_lines(d);
    d->program = open_text(d, &d->files, d->path, d->text, &d->error);
}

// ---- bytes

enum
{
    BYTES_MOST = 64 << 20
};

static kaiStatus take_bytes(void* user, const char* bytes, size_t size)
{
    Bytes* b = user;
    if (b->size + size > BYTES_MOST)
        return KAI_ERR_LIMIT;
    if (b->size + size + 1 > b->capacity)
    {
        size_t capacity = 2 * (b->size + size) + 4096;
        char* more = b->allocator.alloc(b->allocator.user, b->at, b->capacity, capacity);
        if (more == NULL)
            return KAI_ERR_MEMORY;
        b->at = more;
        b->capacity = capacity;
    }
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    b->at[b->size] = 0;
    return KAI_OK;
}

static void free_bytes(Bytes* b)
{
    if (b->at != NULL)
        b->allocator.alloc(b->allocator.user, b->at, b->capacity, 0);
    *b = (Bytes){0};
}

kaiSink document_bytes(Document* d, int which)
{
    free_bytes(&d->bytes[which]);
    d->bytes[which].allocator = d->options->allocator;
    return (kaiSink){take_bytes, &d->bytes[which]};
}

void document_close(Document* d)
{
    free_bytes(&d->bytes[0]);
    free_bytes(&d->bytes[1]);
    trace_free(&d->trace);
    kaiReport_Free(d->report);
    kaiSim_Free(d->sim);
    kaiSweep_Free(d->sweep);
    kaiModel_Free(d->model);
    kaiProgram_Free(d->program);
    kaiProgram_Free(d->others[0]);
    kaiProgram_Free(d->others[1]);
    d->others[0] = d->others[1] = NULL;
    d->report = NULL;
    d->sim = NULL;
    d->sweep = NULL;
    d->model = NULL;
    d->program = NULL;
}

// ---- places

// A line without its end.
static const char* line_at(const Document* d, int line, size_t* length)
{
    *length = 0;
    if (line < 1 || (uint32_t)line > d->lines.count)
        return d->text + d->length;
    size_t from = d->lines.at[line - 1], to = (uint32_t)line < d->lines.count ? d->lines.at[line] - 1 : d->length;
    *length = to - from;
    return d->text + from;
}

static int utf16_units(uint32_t code_point, size_t length)
{
    return length == 4 && code_point >= 0x10000 ? 2 : 1;
}

// UTF-16 units in the first `bytes` of a text.
static int count_units(const char* text, size_t bytes)
{
    int units = 0;
    for (size_t at = 0; at < bytes;)
    {
        uint32_t code_point = 0;
        size_t length = utf8_length(text + at, bytes - at, &code_point);
        units += utf16_units(code_point, length);
        at += length > 0 ? length : 1;
    }
    return units;
}

bool document_take_position(const Document* d, const Json* position, int* line, int* column)
{
    size_t length, at = 0;
    int units = json_count(position, "character", -1);
    *line = json_count(position, "line", -1) + 1;
    *column = 1;
    if (units < 0 || *line < 1)
        return false;
    const char* text = line_at(d, *line, &length);
    while (at < length && units > 0)
    {
        uint32_t code_point = 0;
        size_t size = utf8_length(text + at, length - at, &code_point);
        units -= utf16_units(code_point, size);
        at += size > 0 ? size : 1;
        ++*column;
    }
    return true;
}

size_t document_offset(const Document* d, int line, int column)
{
    size_t length;
    const char* text = line_at(d, line, &length);
    return (size_t)(text - d->text) + (column > 1 ? utf8_offset(text, length, (size_t)column - 1) : 0);
}

static void put_position(JsonWriter* w, const char* key, int line, int character)
{
    json_begin(w, key, '{');
    json_put_count(w, "line", line);
    json_put_count(w, "character", character);
    json_end(w, '}');
}

void document_put_position(const Document* d, JsonWriter* w, const char* key, int line, int column)
{
    size_t length;
    const char* text = line_at(d, line, &length);
    put_position(w, key, line > 0 ? line - 1 : 0,
                 count_units(text, utf8_offset(text, length, (size_t)(column > 1 ? column - 1 : 0))));
}

void document_put_offset(const Document* d, JsonWriter* w, const char* key, size_t offset)
{
    uint32_t low = 0, high = d->lines.count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(d->lines.at[middle] <= offset ? &low : &high) = middle;
    }
    put_position(w, key, (int)low, count_units(d->text + d->lines.at[low], offset - d->lines.at[low]));
}

bool document_has(const Document* d, const kaiPlace* place)
{
    return place->file != NULL && strcmp(place->file, d->path) == 0;
}

// The text of an imported file is not here: its characters are counted as code points, which differs only behind
// characters beyond the basic plane.
void document_put_range(const Document* d, JsonWriter* w, const char* key, const kaiPlace* place)
{
    json_begin(w, key, '{');
    if (document_has(d, place))
    {
        document_put_position(d, w, "start", place->line, place->column);
        document_put_position(d, w, "end", place->end_line, place->end_column);
    }
    else
    {
        put_position(w, "start", place->line > 0 ? place->line - 1 : 0, place->column > 0 ? place->column - 1 : 0);
        put_position(w, "end", place->end_line > 0 ? place->end_line - 1 : 0,
                     place->end_column > 0 ? place->end_column - 1 : 0);
    }
    json_end(w, '}');
}

const char* document_name(const Document* d, const char* file)
{
    char real[PATH_MAX];
    const char* folder = d->options->folder;
    size_t length = folder != NULL ? strlen(folder) : 0;
    if (!d->uris)
        return length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
    const char* path = file[0] != '/' && realpath(file, real) != NULL ? real : file;
    char* uri = arena_alloc(d->arena, 3 * strlen(path) + 8);
    length = (size_t)sprintf(uri, "file://");
    for (; *path != 0; path++)
    {
        bool plain = document_is_name_part(*path) || strchr("/-.~", *path) != NULL;
        length += (size_t)sprintf(uri + length, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return uri;
}

void document_put_location(const Document* d, JsonWriter* w, const char* key, const kaiPlace* place)
{
    json_begin(w, key, '{');
    json_put_text(w, "uri", document_name(d, place->file));
    document_put_range(d, w, "range", place);
    json_end(w, '}');
}

// ---- words

bool document_is_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t document_word(const Document* d, size_t offset, size_t* length)
{
    size_t from = offset, to = offset;
    while (from > 0 && document_is_name_part(d->text[from - 1]))
        from--;
    while (to < d->length && document_is_name_part(d->text[to]))
        to++;
    *length = to - from;
    return from;
}
