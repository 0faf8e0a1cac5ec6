// libFuzzer entry for the language: any bytes must parse, report and format without a crash, and what formats must
// format to itself.  clang -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tools/fuzz_lang.c src/base/*.c
// src/lang/*.c
#include "lang/format.h"
#include "lang/parser.h"
#include "lang/report.h"

#include <stdlib.h>
#include <string.h>

static char* fuzz_format(Arena* arena, const char* text, size_t length)
{
    Sources sources = {.arena = arena};
    Diags diags = {.arena = arena};
    uint32_t file = sources_add(&sources, "fuzz.kai", text, length) + 1;
    return format_source(arena, &sources, file, &diags);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    Sources sources = {.arena = &arena};
    Diags diags = {.arena = &arena};
    Interner names;
    int count;
    interner_init(&names, &arena);
    uint32_t file = sources_add(&sources, "fuzz.kai", (const char*)data, size) + 1;
    parse_file(&arena, &names, &sources, file, &diags);
    const kaiError* published = diags_publish(&diags, &sources, &count);
    for (int i = 0; i < count; i++)
        report_diagnostic(&arena, &sources, &published[i], false, 40);
    char* once = fuzz_format(&arena, (const char*)data, size);
    char* twice = once ? fuzz_format(&arena, once, strlen(once)) : NULL;
    if ((once == NULL) != (diags.error_count > 0) || (once && (!twice || strcmp(once, twice) != 0)))
        abort();
    arena_free(&arena);
    return 0;
}
