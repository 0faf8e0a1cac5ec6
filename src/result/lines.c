// A text line by line, from a file that may be anything: a table, a pipe that never ends, a device without a single
// line. A line is held whole, so its length is bounded; nothing else grows with the file. Everything of the house that
// reads lines of a stranger's file reads them here.
#include "base/error.h"
#include "kairos/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    BUFFER_SIZE = 1 << 20,
    LINE_LARGEST = 1 << 26  // 65,536 columns of a kilobyte each
};

struct kaiLines
{
    kaiAllocator allocator;
    char path[1024];
    int descriptor;
    const volatile int* interrupt;
    char* buffer;
    size_t capacity, begin, end;  // unread text lies in [begin, end); one byte behind it is always there
    size_t looked;                // of the unread text: so much of it has no end of a line
    bool at_end;
    long long number;  // of the line in work
};

// ---- opening

static const char* refuse(const kaiLines* lines)
{
    struct stat status;
    if (lines->descriptor < 0)
        return strerror(errno);
    if (fstat(lines->descriptor, &status) != 0)
        return strerror(errno);
    return S_ISDIR(status.st_mode) ? "it is a folder" : NULL;
}

kaiLines* kaiLines_Open(const char* path, const volatile int* interrupt, kaiAllocator a, kaiError* error)
{
    if (path == NULL || a.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "lines need a path and an allocator"), NULL;
    kaiLines* lines = a.alloc(a.user, NULL, 0, sizeof *lines);
    if (lines == NULL)
        return error_memory(error), NULL;
    *lines = (kaiLines){.allocator = a, .interrupt = interrupt, .capacity = BUFFER_SIZE};
    bool standard = strcmp(path, "-") == 0;
    snprintf(lines->path, sizeof lines->path, "%s", standard ? "standard input" : path);
    lines->descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const char* why = refuse(lines);
    lines->buffer = why == NULL ? a.alloc(a.user, NULL, 0, lines->capacity) : NULL;
    if (why != NULL)
        error_set(error, KAI_ERR_IO, "%s cannot be read: %s", lines->path, why);
    else if (lines->buffer == NULL)
        error_memory(error);
    if (lines->buffer != NULL)
        return error_clear(error), lines;
    kaiLines_Free(lines);
    return NULL;
}

void kaiLines_Free(kaiLines* lines)
{
    if (lines == NULL)
        return;
    kaiAllocator a = lines->allocator;
    if (lines->buffer != NULL)
        a.alloc(a.user, lines->buffer, lines->capacity, 0);
    if (lines->descriptor > STDIN_FILENO)
        close(lines->descriptor);
    a.alloc(a.user, lines, sizeof *lines, 0);
}

void kaiLines_SetInterrupt(kaiLines* lines, const volatile int* interrupt)
{
    if (lines != NULL)
        lines->interrupt = interrupt;
}

// ---- reading

static bool is_interrupted(const kaiLines* lines)
{
    return lines->interrupt != NULL && __atomic_load_n(lines->interrupt, __ATOMIC_RELAXED) != 0;
}

// Room for more behind the unread text.
static kaiStatus make_room(kaiLines* lines, kaiError* error)
{
    kaiAllocator a = lines->allocator;
    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
    if (lines->end + 1 < lines->capacity)
        return KAI_OK;
    if (lines->capacity >= LINE_LARGEST)
        return error_set(error, KAI_ERR_IO,
                         "%s:%lld: this line goes on for more than %d MB, which no table has; name a file that is one",
                         lines->path, lines->number + 1, LINE_LARGEST >> 20);
    char* more = a.alloc(a.user, lines->buffer, lines->capacity, 2 * lines->capacity);
    if (more == NULL)
        return error_memory(error);
    lines->buffer = more;
    lines->capacity *= 2;
    return KAI_OK;
}

// A read that a signal ends is taken up again, unless the signal was meant for us.
static kaiStatus refill(kaiLines* lines, kaiError* error)
{
    kaiStatus status = make_room(lines, error);
    if (status != KAI_OK)
        return status;
    ssize_t count;
    do
    {
        if (is_interrupted(lines))
            return error_set(error, KAI_INTERRUPTED, "%s: interrupted behind line %lld", lines->path, lines->number);
        count = read(lines->descriptor, lines->buffer + lines->end, lines->capacity - 1 - lines->end);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return error_set(error, KAI_ERR_IO, "%s cannot be read: %s", lines->path, strerror(errno));
    lines->at_end = count == 0;
    lines->end += (size_t)count;
    return KAI_OK;
}

kaiStatus kaiLines_Next(kaiLines* lines, char** line, size_t* length, kaiError* error)
{
    if (lines == NULL || line == NULL || length == NULL)
        return error_set(error, KAI_ERR_USAGE, "the next line needs lines, and where to put it");
    for (;;)
    {
        char* from = lines->buffer + lines->begin;
        size_t unread = lines->end - lines->begin;
        char* found = memchr(from + lines->looked, '\n', unread - lines->looked);
        if (found != NULL || lines->at_end)
        {
            *line = from;
            *length = found != NULL ? (size_t)(found - from) + 1 : unread;
            lines->begin += *length;
            lines->looked = 0;
            lines->number += *length > 0;
            return *length > 0 ? KAI_OK : KAI_END;
        }
        lines->looked = unread;
        kaiStatus status = refill(lines, error);
        if (status != KAI_OK)
            return status;
    }
}

long long kaiLines_Number(const kaiLines* lines)
{
    return lines != NULL ? lines->number : 0;
}
