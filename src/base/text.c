// See text.h.
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_say(Text* text, const char* format, ...)
{
    enum
    {
        RESERVE = 80  // a piece begins only if it has a chance to fit
    };
    if (text->length + RESERVE >= sizeof text->at)
        return;
    va_list args;
    va_start(args, format);
    text->length += (size_t)vsnprintf(text->at + text->length, sizeof text->at - text->length, format, args);
    va_end(args);
    if (text->length >= sizeof text->at)
        text->length = sizeof text->at - 1;
}
