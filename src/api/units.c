// Units as texts: what a number in one of them is in the other.
#include "elab/units.h"
#include "base/intern.h"
#include "kairos/program.h"
#include "lang/parser.h"

#include <string.h>

static bool read_unit(Arena* arena, const char* text, FlatUnit* unit)
{
    Interner names;
    Diags diags = {.arena = arena};
    Sources sources = {.arena = arena};
    const UnitTerm* unknown;
    const char* written = arena_printf(arena, "1[%s]", text);
    interner_init(&names, arena);
    uint32_t file = sources_add(&sources, "unit", written, strlen(written)) + 1;
    const Expr* expr = parse_expression(arena, &names, &sources, file, &diags);
    return diags.error_count == 0 && expr->kind == EXPR_NUMBER && expr->unit != NULL &&
           unit_resolve(arena, expr->unit, unit, &unknown);
}

static bool convert(Arena* arena, const char* from, const char* to, kaiConversion* conversion)
{
    FlatUnit a, b;
    if (!read_unit(arena, from, &a) || !read_unit(arena, to, &b) || memcmp(a.dim, b.dim, sizeof a.dim) != 0)
        return false;
    double ratio = a.si.scale / b.si.scale, divisor = scale_divisor(ratio);
    *conversion = (kaiConversion){.factor = divisor > 0 ? 1 : ratio, .divisor = divisor > 0 ? divisor : 1};
    conversion->offset = (a.si.offset - b.si.offset) / b.si.scale;
    return true;
}

bool kaiUnit_Convert(const char* from, const char* to, kaiConversion* conversion)
{
    if (from == NULL || to == NULL || conversion == NULL)
        return false;
    jmp_buf fail;
    Arena arena;
    volatile bool good = false;
    *conversion = (kaiConversion){.factor = 1, .divisor = 1};
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    if (strcmp(from, to) == 0)
        good = true;
    else if (setjmp(fail) == 0)
        good = convert(&arena, from, to, conversion);
    arena_free(&arena);
    return good;
}
