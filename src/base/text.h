// A sentence that is put together piece by piece, bounded: what does not fit is left out, never written past the end.
#ifndef KAIROS_BASE_TEXT_H
#define KAIROS_BASE_TEXT_H

#include <stddef.h>

typedef struct Text
{
    char at[600];
    size_t length;
} Text;

void text_say(Text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
