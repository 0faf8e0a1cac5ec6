// The texts of an error in its own buffer, one after the other.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

kaiStatus error_set(kaiError* error, kaiStatus status, const char* format, ...)
{
    if (error == NULL)
        return status;
    *error = (kaiError){.status = status};
    va_list args;
    va_start(args, format);
    vsnprintf(error->buffer, sizeof error->buffer, format, args);
    va_end(args);
    error->message = error->buffer;
    return status;
}

kaiStatus error_memory(kaiError* error)
{
    return error_set(error, KAI_ERR_MEMORY, "out of memory");
}

void error_clear(kaiError* error)
{
    if (error != NULL)
        *error = (kaiError){.status = KAI_OK};
}

// The text in what is left of the buffer. NULL stays NULL; one that does not fit at all becomes "".
static const char* keep(kaiError* error, size_t* used, const char* text)
{
    if (text == NULL)
        return NULL;
    size_t room = sizeof error->buffer - *used, length = strlen(text);
    if (room < 2)
        return "";
    char* at = error->buffer + *used;
    length = length < room ? length : room - 1;
    memcpy(at, text, length);
    at[length] = 0;
    *used += length + 1;
    return at;
}

kaiStatus error_copy(kaiError* error, const kaiError* from)
{
    if (error == NULL)
        return from->status;
    kaiError made = *from;
    size_t used = 0;
    *error = made;
    error->place.file = keep(error, &used, made.place.file);
    error->message = keep(error, &used, made.message);
    error->help = keep(error, &used, made.help);
    error->notes = NULL;
    error->note_count = 0;
    return made.status;
}

bool error_check_cookie(const uint32_t* cookie, const char* maker, kaiError* error)
{
    if (cookie != NULL && *cookie == KAI_COOKIE)
        return true;
    error_set(error, KAI_ERR_USAGE, "%s: make them with %s()",
              cookie == NULL ? "the options are missing" : "the options were not initialised", maker);
    return false;
}
