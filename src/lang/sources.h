// Inside src/lang: places of many spans in order without counting a long line again for each.
#ifndef KAIROS_LANG_SOURCES_H
#define KAIROS_LANG_SOURCES_H

#include "lang/diagnostics.h"

typedef struct PlaceCursor
{
    uint32_t file, line, offset;
    size_t column;  // characters between the start of the line and `offset`
} PlaceCursor;

kaiPlace sources_place_from(const Sources* sources, Span span, PlaceCursor* cursor);
uint32_t source_line_of(const Source* source, uint32_t offset);  // from 0

#endif
