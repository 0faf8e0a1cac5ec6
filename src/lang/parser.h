// Text → syntax tree. Recovers at the next item and reports every error of a file.
#ifndef KAIROS_LANG_PARSER_H
#define KAIROS_LANG_PARSER_H

#include "base/intern.h"
#include "lang/ast.h"
#include "lang/diagnostics.h"

// The tree of source `file` (Span.file of a text in `sources`). Always a tree; look at diags->error_count.
// Bounded in time and stack for any input: nesting deeper than PARSE_DEPTH is an error, and no expression tree
// that is handed on is deeper than that (long sums and products included).
enum
{
    PARSE_DEPTH = 1000
};
FileAst* parse_file(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags);
// The source as one expression, for values that are given outside a file.
Expr* parse_expression(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags);

#endif
