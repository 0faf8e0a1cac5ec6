// The list of diagnostics of a compilation, and the sources that their spans point into.
//
// Usage:  Diag* d = diag_error(list, K_UNKNOWN_NAME, span, "there is no `%s` here", name);
//         diag_help(list, d, "did you mean `%s`?", near);
//         diag_note(list, d, other_span, "`%s` is declared here", near);
#ifndef KAIROS_LANG_DIAGNOSTICS_H
#define KAIROS_LANG_DIAGNOSTICS_H

#include "base/arena.h"
#include "base/span.h"
#include "lang/files.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct Source
{
    const char* path;  // as the user wrote it
    const char* text;  // 0-terminated
    uint32_t length;
    bool made;                  // by us, of a block: names may begin with $
    VEC(uint32_t) line_starts;  // byte offset of each line
} Source;

typedef struct Sources
{
    Arena* arena;
    const Files* files;  // what may be read; NULL: anything
    const char* why;     // after a failed sources_read: the reason
    VEC(Source) list;
} Sources;

// Adds a file's text (copied into the arena); the result + 1 is Span.file.
uint32_t sources_add(Sources* sources, const char* path, const char* text, size_t length);
// Reads a file, from the provider or the disk. Otherwise `why` tells: it may not or cannot be read, is a folder, or is
// larger than 64 MiB.
FileOutcome sources_read(Sources* sources, const kaiFileRequest* request, uint32_t* index);
kaiPlace sources_place(const Sources* sources, Span span);
// A line (from 1) of the file of that path, without its end; NULL: there is none.
const char* sources_line(const Sources* sources, const char* path, int line, size_t* length);

// Codes, their one-line meaning and their remedy live in diagnostics.def.
typedef enum DiagCode
{
#define DIAG(name, code, meaning, remedy) K_##name,
#include "lang/diagnostics.def"
#undef DIAG
    K_COUNT
} DiagCode;

const char* diag_code_text(DiagCode code);
const char* diag_code_meaning(DiagCode code);
const char* diag_code_remedy(DiagCode code);

typedef struct DiagNote
{
    Span span;
    const char* text;
} DiagNote;

typedef struct Diag
{
    kaiSeverity severity;
    DiagCode code;
    Span span;
    const char* message;
    const char* help;
    VEC(DiagNote) notes;
} Diag;

typedef struct Diags
{
    Arena* arena;
    VEC(Diag*) list;
    uint32_t error_count;
    uint32_t limit;  // more diagnostics than this are counted, not kept (0 = 1000)
    Diag dropped;    // what diag_error hands out for one that is not kept, or is there already
} Diags;

Diag* diag_error(Diags* diags, DiagCode code, Span span, const char* format, ...) __attribute__((format(printf, 4, 5)));
Diag* diag_warning(Diags* diags, DiagCode code, Span span, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_help(Diags* diags, Diag* diag, const char* format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(Diags* diags, Diag* diag, Span span, const char* format, ...) __attribute__((format(printf, 4, 5)));

// Sorts by file and position (stable), then resolves spans into the public form, in the arena.
const kaiError* diags_publish(Diags* diags, const Sources* sources, int* count);

// The nearest of `count` names to `word` by edit distance, or NULL if none is near enough to be meant.
const char* diag_nearest(const char* word, const char* const* names, uint32_t count);

#endif
