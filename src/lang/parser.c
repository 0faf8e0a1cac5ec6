// The parser's hold on the tokens, and the top level of a file. One token of look-ahead decides every production; a
// second one is looked at only to word an error.
#include "lang/idioms.h"
#include "lang/parse.h"

#include <string.h>

static void parser_new_line(Parser* parser)
{
    uint32_t at = parser->token.start;
    while (at > 0 && (parser->lexer.text[at - 1] == ' ' || parser->lexer.text[at - 1] == '\t'))
        at--;
    parser->line_token = parser->token.start;
    parser->indent = parser->token.start - at;
}

void parser_next(Parser* parser)
{
    parser->last = parser->token;
    if (parser->stopped)
        return;
    parser->token = lexer_next(&parser->lexer);
    if (parser->token.breaks > 0)
        parser_new_line(parser);
}

Token parser_peek(const Parser* parser)
{
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    return lexer_next(&lexer);
}

void parser_mark(Parser* parser, unsigned roles)
{
    MarkList* marks = parser->marks;
    if (!marks || parser_at(parser, TOKEN_END))
        return;
    if (marks->count > 0 && marks->at[marks->count - 1].offset == parser->token.start)
        marks->at[marks->count - 1].roles |= roles;
    else
        vec_push(parser->arena, *marks, (Mark){parser->token.start, roles});
}

bool parser_accept(Parser* parser, TokenKind kind)
{
    if (!parser_at(parser, kind) || parser->panic)
        return false;
    parser_next(parser);
    return true;
}

bool parser_expect(Parser* parser, TokenKind kind, const char* where)
{
    if (parser_accept(parser, kind))
        return true;
    char what[64];
    snprintf(what, sizeof what, "`%s` %s", token_text(kind), where);
    parser_expected(parser, what, NULL);
    return false;
}

const char* parser_take_name(Parser* parser, Span* span)
{
    const char* text = parser->lexer.text + parser->token.start;
    const char* name = intern(parser->names, text, parser->token.end - parser->token.start);
    *span = parser_span(parser);
    parser_next(parser);
    return name;
}

// A word of the language where a name should be is taken as the name, unless it starts the next line: then the name
// is missing.
const char* parser_name(Parser* parser, const char* what, Span* span)
{
    *span = parser_span(parser);
    if (parser->panic)
        return parser->no_name;
    if (parser_at(parser, TOKEN_NAME))
        return parser_take_name(parser, span);
    if (token_is_word(parser->token.kind) && parser_same_line(parser))
    {
        const char* word = token_text(parser->token.kind);
        Diag* diag =
            parser_slip(parser, K_KEYWORD_AS_NAME, *span, "`%s` is a word of the language and cannot be a name", word);
        diag_help(parser->diags, diag, "choose another name, for example `%s_`", word);
        return parser_take_name(parser, span);
    }
    parser_expected(parser, what, NULL);
    return parser->no_name;
}

const char* parser_text(const Parser* parser, Token token)
{
    return arena_copy_string(parser->arena, parser->lexer.text + token.start, token.end - token.start);
}

const char* parser_string(Parser* parser)
{
    if (parser->panic || !parser_at(parser, TOKEN_STRING))
        return NULL;
    const char* text = lexer_string(&parser->lexer, parser->token, parser->arena);
    parser_next(parser);
    return text;
}

// ---- the file

static void parse_import(Parser* parser, FileAst* ast)
{
    parser_next(parser);
    Import import = {.span = parser_span(parser)};
    import.path = parser_string(parser);
    if (import.path)
        vec_push(parser->arena, ast->imports, import);
    else
        parser_expected(parser, "the name of a file", "write `import \"file.kai\"`");
}

// `fmu Motor = "motor.fmu"`, and a block of C: `external Motor = "library:symbol"`.
static void parse_foreign(Parser* parser, FileAst* ast, bool fmu)
{
    Foreign foreign = {.fmu = fmu};
    parser_next(parser);
    foreign.name = parser_name(parser, "the name of a model", &foreign.span);
    if (!parser_expect(parser, TOKEN_EQUALS, "after the name"))
        return;
    foreign.path_span = parser_span(parser);
    foreign.path = parser_string(parser);
    if (foreign.path)
        vec_push(parser->arena, ast->foreigns, foreign);
    else
        parser_expected(parser, "a string",
                        fmu ? "write `fmu Name = \"file.fmu\"`" : "write `external Name = \"library:symbol\"`");
}

static void parse_external(Parser* parser, FileAst* ast)
{
    Lexer ahead = parser->lexer;
    ahead.diags = NULL;
    bool named = lexer_next(&ahead).kind == TOKEN_NAME;
    if (named && lexer_next(&ahead).kind == TOKEN_EQUALS)
        parse_foreign(parser, ast, false);
    else
        parse_function(parser, ast, true);
}

static void parse_model(Parser* parser, FileAst* ast)
{
    Model* model = arena_new(parser->arena, Model);
    parser_next(parser);
    model->name = parser_name(parser, "the name of a model", &model->span);
    model->description = parser_string(parser);
    parse_block(parser, "model", parse_item, &model->items);
    vec_push(parser->arena, ast->models, model);
}

// `modle M {`: what was meant, if the word is near one of them; it is then read as that.
static void parse_misspelt(Parser* parser)
{
    static const TokenKind kinds[] = {TOKEN_MODEL,    TOKEN_EXPERIMENT, TOKEN_FUNCTION,
                                      TOKEN_EXTERNAL, TOKEN_IMPORT,     TOKEN_FMU};
    enum
    {
        COUNT = sizeof kinds / sizeof *kinds
    };
    const char* words[COUNT];
    for (int i = 0; i < COUNT; i++)
        words[i] = token_text(kinds[i]);
    TokenKind next = parser_at(parser, TOKEN_NAME) ? parser_peek(parser).kind : TOKEN_END;
    if (next != TOKEN_NAME && next != TOKEN_STRING)
        return;
    const char* word = parser_text(parser, parser->token);
    const char *near = diag_nearest(word, words, COUNT), *idiom = near ? NULL : idiom_item(word);
    if (!near && idiom && strstr(idiom, "`model`"))
        near = words[0];
    if (!near)
        return;
    Diag* diag = parser_slip(parser, K_UNEXPECTED, parser_span(parser), "there is no word `%s`", word);
    diag_help(parser->diags, diag, "did you mean `%s`?", near);
    for (int i = 0; i < COUNT; i++)
        if (words[i] == near)
            parser->token.kind = kinds[i];
}

static void parse_stray(Parser* parser)
{
    if (parser_at(parser, TOKEN_RIGHT_BRACE))
    {
        Diag* diag = parser_error(parser, K_EXTRA_CLOSE, parser_span(parser), "this `}` closes nothing");
        diag_help(parser->diags, diag, "remove it, or one of the `}` above it");
        return;
    }
    Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser),
                              "expected `model`, `experiment`, `function`, `external`, `fmu` or `import`, found %s",
                              parser_found(parser));
    if (parser->last.kind == TOKEN_RIGHT_BRACE)
        diag_help(parser->diags, diag, "items stand inside `model Name { … }`; is there a `}` too many above?");
    else
        diag_help(parser->diags, diag, "items stand inside `model Name { … }`");
}

static void parse_file_part(Parser* parser, FileAst* ast)
{
    parser_mark(parser, MARK_ITEM);
    switch (parser->token.kind)
    {
    case TOKEN_IMPORT: return parse_import(parser, ast);
    case TOKEN_MODEL: return parse_model(parser, ast);
    case TOKEN_FUNCTION: return parse_function(parser, ast, false);
    case TOKEN_EXTERNAL: return parse_external(parser, ast);
    case TOKEN_FMU: return parse_foreign(parser, ast, true);
    case TOKEN_EXPERIMENT: return parse_experiment(parser, ast);
    default: return parse_stray(parser);
    }
}

// At the top level only these words start something, so everything up to the next of them belongs to the error.
static void parser_sync_file(Parser* parser, uint32_t start)
{
    parser->panic = parser->muted = parser->unclosed = false;
    parser->open = 0;
    parser->lost = (Span){0};
    if (parser->token.start == start)
        parser_next(parser);
    while (!parser_at(parser, TOKEN_END) && !token_starts_file_part(parser->token.kind))
        parser_next(parser);
}

static uint32_t part_count(const FileAst* ast)
{
    return ast->models.count + ast->functions.count + ast->experiments.count;
}

// Of the part that was read last.
static Extent* last_extent(FileAst* ast, TokenKind kind)
{
    switch (kind)
    {
    case TOKEN_MODEL: return &ast->models.at[ast->models.count - 1]->extent;
    case TOKEN_EXPERIMENT: return &ast->experiments.at[ast->experiments.count - 1]->extent;
    default: return &ast->functions.at[ast->functions.count - 1]->extent;
    }
}

void parse_part_inside(Parser* parser)
{
    Token first = parser->token;
    uint32_t parts = part_count(parser->ast);
    parse_file_part(parser, parser->ast);
    if (part_count(parser->ast) > parts)
        *last_extent(parser->ast, first.kind) = (Extent){{parser->file, first.start, parser->last.end}, true};
}

// Errors stay in the part they are in: the others of the file are still worth checking. Text between parts may be what
// is left of the part before it.
static void parse_parts(Parser* parser, FileAst* ast)
{
    Extent* part = NULL;
    while (!parser_at(parser, TOKEN_END))
    {
        parse_misspelt(parser);
        Token first = parser->token;
        uint32_t errors = parser->diags->error_count, parts = part_count(ast);
        if (parser_accept(parser, TOKEN_SEMICOLON))
            continue;
        parse_file_part(parser, ast);
        parser->muted = false;
        if (parser->panic || parser->unclosed)
            parser_sync_file(parser, first.start);
        bool read = part_count(ast) > parts, broken = parser->diags->error_count > errors;
        Span span = {parser->file, first.start, parser->last.end};
        if (read)
            *(part = last_extent(ast, first.kind)) = (Extent){span, broken};
        else if (broken)
        {
            vec_push(parser->arena, ast->lost, span);
            if (part != NULL)
                part->broken = true;
        }
    }
}

static void parser_begin(Parser* parser, Arena* arena, Interner* names, const Sources* sources, uint32_t file,
                         Diags* diags)
{
    *parser = (Parser){.arena = arena, .names = names, .diags = diags, .file = file};
    parser->error_expr = arena_new(arena, Expr);
    parser->error_expr->span.file = file;
    parser->no_name = intern_string(names, "?");
    lexer_init(&parser->lexer, sources, file, diags);
}

FileAst* parse_file_marked(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags,
                           MarkList* marks)
{
    FileAst* ast = arena_new(arena, FileAst);
    ast->file = file;
    Parser parser;
    parser_begin(&parser, arena, names, sources, file, diags);
    parser.marks = marks;
    parser.ast = ast;
    parser_next(&parser);
    parser.last.end = 0;
    parse_parts(&parser, ast);
    return ast;
}

FileAst* parse_file(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags)
{
    return parse_file_marked(arena, names, sources, file, diags, NULL);
}

Expr* parse_expression(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags)
{
    Parser parser;
    parser_begin(&parser, arena, names, sources, file, diags);
    parser_next(&parser);
    parser.last.end = 0;
    Expr* expr = parse_expr(&parser);
    if (!parser.panic && !parser_at(&parser, TOKEN_END))
        parser_expected(&parser, "the end of the value",
                        parser.last.kind == TOKEN_NUMBER && parser_at(&parser, TOKEN_NAME)
                            ? "a unit stands in brackets, `5[s]`"
                            : "put a longer expression into quotes");
    return expr;
}
