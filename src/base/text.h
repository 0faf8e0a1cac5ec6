// Text that is put together piece by piece. A sentence is bounded: what does not fit is left out, never written past
// the end.
#ifndef KAIROS_BASE_TEXT_H
#define KAIROS_BASE_TEXT_H

#include "base/arena.h"

#include <stddef.h>

typedef struct Text
{
    char at[600];
    size_t length;
} Text;

void text_say(Text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));

// The same without a bound, in an arena: listings and reports.
typedef struct Writer
{
    Arena* arena;
    VEC(char) text;
    uint32_t limit;  // nothing is added to more than this, 0 = no limit: a shared expression can be endless as text
} Writer;

void writer_put(Writer* writer, const char* piece);
void writer_say(Writer* writer, const char* format, ...) __attribute__((format(printf, 2, 3)));
char* writer_text(Writer* writer);  // what has been written, ended; more may follow

#endif
