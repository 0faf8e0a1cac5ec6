// `kairos fmt`: the text of a file in canonical layout, comments kept. Idempotent.
#ifndef KAIROS_LANG_FORMAT_H
#define KAIROS_LANG_FORMAT_H

#include "lang/diagnostics.h"

// The formatted text (in the arena), or NULL if the file has syntax errors (in diags).
char* format_source(Arena* arena, const Sources* sources, uint32_t file, Diags* diags);

#endif
