// A text in an arena with its diagnostics: what the tests of src/lang start from.
#ifndef KAIROS_TESTS_LANG_FIXTURE_H
#define KAIROS_TESTS_LANG_FIXTURE_H

#include "lang/format.h"
#include "lang/parser.h"
#include "lang/report.h"

#include <stdlib.h>

typedef struct Text
{
    Arena arena;
    jmp_buf fail;
    Sources sources;
    Diags diags;
    Interner names;
    FileAst* ast;
    const kaiError* published;
    int count;
} Text;

static inline void text_open(Text* text, const char* bytes, size_t length)
{
    *text = (Text){0};
    arena_init(&text->arena, kaiDefaultAllocator(), NULL);
    text->sources.arena = text->diags.arena = &text->arena;
    interner_init(&text->names, &text->arena);
    sources_add(&text->sources, "t.kai", bytes, length);
}

static inline void text_parse(Text* text, const char* bytes, size_t length)
{
    text_open(text, bytes, length);
    text->ast = parse_file(&text->arena, &text->names, &text->sources, 1, &text->diags);
    text->published = diags_publish(&text->diags, &text->sources, &text->count);
}

static inline void text_print(Text* text)
{
    for (int i = 0; i < text->count; i++)
        fputs(report_diagnostic(&text->arena, &text->sources, &text->published[i], false, 0), stderr);
}

static inline void text_close(Text* text)
{
    arena_free(&text->arena);
}

#endif
