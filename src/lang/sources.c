// The texts of a compilation and the way from a byte offset to line and column.
// A line ends at "\n", "\r\n" or a lone "\r"; a byte order mark at the start of a file is dropped.
#include "lang/sources.h"
#include "base/utf8.h"
#include "lang/diagnostics.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    SOURCE_LIMIT = 64 * 1024 * 1024,
};

static void source_find_lines(Arena* arena, Source* source)
{
    vec_push(arena, source->line_starts, 0);
    for (uint32_t i = 0; i < source->length; i++)
    {
        char c = source->text[i];
        if (c == '\n' || (c == '\r' && source->text[i + 1] != '\n'))
            vec_push(arena, source->line_starts, i + 1);
    }
}

uint32_t sources_add(Sources* sources, const char* path, const char* text, size_t length)
{
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3, length -= 3;
    Source source = {.path = arena_copy_string(sources->arena, path, strlen(path))};
    source.text = arena_copy_string(sources->arena, text, length >= UINT32_MAX ? SIZE_MAX / 2 : length);
    source.length = (uint32_t)length;
    source_find_lines(sources->arena, &source);
    vec_push(sources->arena, sources->list, source);
    return sources->list.count - 1;
}

// All of a file; pipes have no size to ask for, so it is read until it ends. `capacity` is a guess.
static bool source_read_file(int descriptor, size_t capacity, Arena* arena, char** text, size_t* length)
{
    *text = arena_alloc(arena, capacity);
    *length = 0;
    ssize_t got;
    while ((got = read(descriptor, *text + *length, capacity - *length)) != 0)
    {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        *length += (size_t)got;
        if (*length > SOURCE_LIMIT)
            return errno = EFBIG, false;
        if (*length < capacity)
            continue;
        char* larger = arena_alloc(arena, capacity * 2);
        memcpy(larger, *text, *length);
        *text = larger;
        capacity *= 2;
    }
    return true;
}

// A guess of how many bytes there are to read, one more than a file has so that its end is seen at once.
static size_t size_of(int descriptor)
{
    struct stat status;
    bool sized = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < SOURCE_LIMIT;
    return sized ? (size_t)status.st_size + 1 : 64 * 1024;
}

// Whatever holds the bytes must be closed even when the arena gives up in the middle of reading them: false without a
// reason in `why`.
static bool source_add_guarded(Sources* sources, const char* path, int descriptor, const char* text, size_t length,
                               uint32_t* index)
{
    jmp_buf here, *outer = sources->arena->fail;
    Arena scratch;
    arena_init(&scratch, sources->arena->allocator, &here);
    volatile bool added = false;
    sources->why = NULL;
    if (setjmp(here) == 0)
    {
        char* all = NULL;
        size_t size = length;
        sources->arena->fail = &here;
        if (text == NULL && !source_read_file(descriptor, size_of(descriptor), &scratch, &all, &size))
            sources->why = strerror(errno);
        else
        {
            *index = sources_add(sources, path, text == NULL ? all : text, size);
            added = true;
        }
    }
    sources->arena->fail = outer;
    arena_free(&scratch);
    if (text == NULL)
        close(descriptor);
    return added;
}

// Fails again, now to the outer place.
static void source_fail(Sources* sources)
{
    arena_alloc(sources->arena, SIZE_MAX);
}

// FILE_FAILED with *elsewhere: the provider leaves this one to the file system.
static FileOutcome source_read_provided(Sources* sources, const kaiFileRequest* request, uint32_t* index,
                                        bool* elsewhere)
{
    const kaiFileProvider* files = &sources->files->provider;
    const char *text = NULL, *why = NULL;
    size_t length = 0;
    kaiStatus status = files->read(files->user, request, &text, &length, &why);
    sources->why = why != NULL ? why : "it is not there";
    *elsewhere = status == KAI_END;
    if (status != KAI_OK || text == NULL)
        return FILE_FAILED;
    bool fits = length <= SOURCE_LIMIT;
    bool added = fits && source_add_guarded(sources, request->path, -1, text, length, index);
    if (files->release != NULL)
        files->release(files->user, text, length);
    if (!fits)
        sources->why = strerror(EFBIG);
    else if (!added)
        source_fail(sources);
    return added ? FILE_DONE : FILE_FAILED;
}

FileOutcome sources_read(Sources* sources, const kaiFileRequest* request, uint32_t* index)
{
    bool elsewhere = sources->files == NULL || sources->files->provider.read == NULL;
    FileOutcome outcome = elsewhere ? FILE_FAILED : source_read_provided(sources, request, index, &elsewhere);
    if (!elsewhere)
        return outcome;
    int descriptor;
    outcome = files_open(sources->files, request, &descriptor, &sources->why);
    if (outcome != FILE_DONE)
        return outcome;
    bool added = source_add_guarded(sources, request->path, descriptor, NULL, 0, index);
    if (!added && sources->why == NULL)
        source_fail(sources);
    return added ? FILE_DONE : FILE_FAILED;
}

const char* sources_line(const Sources* sources, const char* path, int line, size_t* length)
{
    const Source* source = NULL;
    for (uint32_t i = 0; path && !source && i < sources->list.count; i++)
        if (strcmp(sources->list.at[i].path, path) == 0)
            source = &sources->list.at[i];
    if (!source || line < 1 || (uint32_t)line > source->line_starts.count)
        return NULL;
    uint32_t start = source->line_starts.at[line - 1];
    uint32_t end = (uint32_t)line < source->line_starts.count ? source->line_starts.at[line] : source->length;
    while (end > start && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r'))
        end--;
    *length = end - start;
    return source->text + start;
}

uint32_t source_line_of(const Source* source, uint32_t offset)
{
    uint32_t low = 0, high = source->line_starts.count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts.at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void cursor_move(PlaceCursor* cursor, const Source* source, uint32_t file, uint32_t offset)
{
    if (offset > source->length)
        offset = source->length;
    uint32_t line = source_line_of(source, offset);
    if (cursor->file != file || cursor->line != line || cursor->offset > offset)
        *cursor = (PlaceCursor){file, line, source->line_starts.at[line], 0};
    cursor->column += utf8_count(source->text + cursor->offset, offset - cursor->offset);
    cursor->offset = offset;
}

kaiPlace sources_place_from(const Sources* sources, Span span, PlaceCursor* cursor)
{
    if (span.file == 0 || span.file > sources->list.count)
        return (kaiPlace){0};
    const Source* source = &sources->list.at[span.file - 1];
    kaiPlace place = {.file = source->path};
    cursor_move(cursor, source, span.file, span.start);
    place.line = (int)cursor->line + 1;
    place.column = (int)cursor->column + 1;
    PlaceCursor end = *cursor;  // the next diagnostic may start before this one ends
    cursor_move(&end, source, span.file, span.end < span.start ? span.start : span.end);
    place.end_line = (int)end.line + 1;
    place.end_column = (int)end.column + 1;
    return place;
}

kaiPlace sources_place(const Sources* sources, Span span)
{
    PlaceCursor cursor = {0};
    return sources_place_from(sources, span, &cursor);
}
