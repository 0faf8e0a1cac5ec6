// See frame.h. Nothing is read behind `count`, and nothing of a body before its headers are whole: a number that is
// missing is not looked for in the text that follows.
#include "cli/frame.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char name[] = "content-length:";

// Digits between blanks, to the end of the line. A number too large for any message is one that is.
static bool read_length(const char* at, const char* end, size_t* size)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char* first = at;
    for (*size = 0; at < end && isdigit((unsigned char)*at); at++)
        *size = *size > FRAME_LARGEST ? *size : 10 * *size + (size_t)(*at - '0');
    bool any = at > first;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return any && at == end;
}

// The length that headers announce; false: they announce none, or it is no number.
static bool content_length(const char* header, size_t length, size_t* size)
{
    for (const char *at = header, *end = header + length; at < end;)
    {
        const char* line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end != NULL ? line_end : end;
        if ((size_t)(line_end - at) >= sizeof name - 1 && strncasecmp(at, name, sizeof name - 1) == 0)
            return read_length(at + sizeof name - 1, line_end, size);
        at = line_end + 1;
    }
    return false;
}

FrameStatus frame_find(const char* bytes, size_t count, size_t* from, size_t* size)
{
    static const char blank[] = "\r\n\r\n";
    const char* end = count > 0 ? memmem(bytes, count < FRAME_HEADER ? count : FRAME_HEADER, blank, 4) : NULL;
    if (end == NULL)
        return count >= FRAME_HEADER ? FRAME_BROKEN : FRAME_WAITS;
    *from = (size_t)(end - bytes) + 4;
    if (!content_length(bytes, *from, size) || *size > FRAME_LARGEST)
        return FRAME_BROKEN;
    return count - *from >= *size ? FRAME_FOUND : FRAME_WAITS;
}
