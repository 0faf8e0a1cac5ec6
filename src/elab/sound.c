// After errors of reading: which models can still be checked. One that names, anywhere in its text, a model or function
// that is broken (or a word of text that belongs to nothing) is broken too, since what it would be told might follow
// from that. Names decide, not what they mean: a variable that has the name of a broken model costs a check, no more.
#include "base/map.h"
#include "elab/elaborate.h"
#include "lang/lexer.h"

typedef struct Judge
{
    Program* program;
    Map broken;  // names
} Judge;

static void add_name(Judge* judge, const char* name)
{
    map_set(&judge->broken, (uint64_t)(uintptr_t)name, 1);
}

static bool is_broken(const Judge* judge, const char* name)
{
    uint32_t found;
    return map_get(&judge->broken, (uint64_t)(uintptr_t)name, &found);
}

// The next name in the text of the span; NULL: no more.
static const char* next_name(Judge* judge, Lexer* lexer, Span span)
{
    for (Token token = lexer_next(lexer); token.kind != TOKEN_END && token.start < span.end; token = lexer_next(lexer))
        if (token.kind == TOKEN_NAME)
            return intern(judge->program->names, lexer->text + token.start, token.end - token.start);
    return NULL;
}

static Lexer lexer_at(const Judge* judge, Span span)
{
    Lexer lexer;
    lexer_init(&lexer, judge->program->sources, span.file, NULL);
    lexer.at = span.start;
    return lexer;
}

static void add_lost(Judge* judge, Span span)
{
    Lexer lexer = lexer_at(judge, span);
    for (const char* name; (name = next_name(judge, &lexer, span)) != NULL;)
        add_name(judge, name);
}

// True: it was sound until now.
static bool spreads(Judge* judge, Extent* extent)
{
    if (extent->broken)
        return false;
    Lexer lexer = lexer_at(judge, extent->span);
    for (const char* name; (name = next_name(judge, &lexer, extent->span)) != NULL;)
        if (is_broken(judge, name))
            return extent->broken = true;
    return false;
}

static bool spread_once(Judge* judge)
{
    Program* program = judge->program;
    bool more = false;
    for (uint32_t i = 0; i < program->models.count; i++)
        if (spreads(judge, &program->models.at[i]->extent))
            more = true, add_name(judge, program->models.at[i]->name);
    for (uint32_t i = 0; i < program->functions.count; i++)
        if (spreads(judge, &program->functions.at[i]->extent))
            more = true, add_name(judge, program->functions.at[i]->name);
    return more;
}

void program_judge(Program* program)
{
    Judge judge = {.program = program};
    map_init(&judge.broken, program->arena);
    for (uint32_t i = 0; i < program->files.count; i++)
        for (uint32_t k = 0; k < program->files.at[i]->lost.count; k++)
            add_lost(&judge, program->files.at[i]->lost.at[k]);
    for (uint32_t i = 0; i < program->models.count; i++)
        if (program->models.at[i]->extent.broken)
            add_name(&judge, program->models.at[i]->name);
    for (uint32_t i = 0; i < program->functions.count; i++)
        if (program->functions.at[i]->extent.broken)
            add_name(&judge, program->functions.at[i]->name);
    while (spread_once(&judge))
        ;
    for (uint32_t i = 0; i < program->experiments.count; i++)
        spreads(&judge, &program->experiments.at[i]->extent);
}
