// The texts of a compilation and the way from a byte offset to line and column.
// A line ends at "\n", "\r\n" or a lone "\r"; a byte order mark at the start of a file is dropped.
#include "lang/sources.h"
#include "base/utf8.h"
#include "lang/diagnostics.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

// The whole stream into `buffer`; pipes have no size to ask for, so it is read until it ends. `capacity` is a guess.
static bool source_read_stream(FILE* stream, size_t capacity, Arena* arena, char** text, size_t* length)
{
    *text = arena_alloc(arena, capacity);
    *length = 0;
    size_t got;
    while ((got = fread(*text + *length, 1, capacity - *length, stream)) > 0)
    {
        *length += got;
        if (*length > SOURCE_LIMIT)
            return errno = EFBIG, false;
        if (*length < capacity)
            continue;
        char* larger = arena_alloc(arena, capacity * 2);
        memcpy(larger, *text, *length);
        *text = larger;
        capacity *= 2;
    }
    return !ferror(stream);
}

// The stream must be closed even when the arena gives up in the middle of reading it.
static bool source_read_guarded(FILE* stream, size_t guess, Sources* sources, const char* path, uint32_t* index)
{
    jmp_buf here, *outer = sources->arena->fail;
    Arena scratch;
    arena_init(&scratch, sources->arena->allocator, &here);
    bool read = false;
    volatile bool failed = false;
    if (setjmp(here) == 0)
    {
        char* text;
        size_t length;
        sources->arena->fail = &here;
        read = source_read_stream(stream, guess, &scratch, &text, &length);
        if (read)
            *index = sources_add(sources, path, text, length);
    }
    else
        failed = true;
    sources->arena->fail = outer;
    int error = errno;
    arena_free(&scratch);
    fclose(stream);
    if (failed)
        arena_alloc(sources->arena, SIZE_MAX);  // fails again, now to the outer place
    errno = error;
    return read;
}

bool sources_read(Sources* sources, const char* path, uint32_t* index)
{
    FILE* stream = fopen(path, "rb");
    if (!stream)
        return false;
    struct stat status;
    bool known = fstat(fileno(stream), &status) == 0;
    if (known && S_ISDIR(status.st_mode))
    {
        fclose(stream);
        return errno = EISDIR, false;
    }
    bool sized = known && S_ISREG(status.st_mode) && status.st_size < SOURCE_LIMIT;
    return source_read_guarded(stream, sized ? (size_t)status.st_size + 1 : 64 * 1024, sources, path, index);
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
