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

void writer_put(Writer* writer, const char* piece)
{
    if (writer->limit != 0 && writer->text.count > writer->limit)
        return;
    for (; *piece != 0; piece++)
        vec_push(writer->arena, writer->text, *piece);
}

void writer_say(Writer* writer, const char* format, ...)
{
    char buffer[1000];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    char* piece = buffer;
    if (length >= (int)sizeof buffer)
    {
        piece = arena_alloc(writer->arena, (size_t)length + 1);
        vsnprintf(piece, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length > 0)
        writer_put(writer, piece);
}

char* writer_text(Writer* writer)
{
    return arena_copy_string(writer->arena, writer->text.count > 0 ? writer->text.at : "", writer->text.count);
}
