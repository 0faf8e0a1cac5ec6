// What happens after an error: what may still be reported, where the parser goes on, how deep it may go.
#include "lang/parse.h"

#include <string.h>

// Enters panic. False if the error follows from one already reported.
bool parser_may_report(Parser* parser)
{
    bool follows = parser->panic || parser->muted || parser->token.suspect || parser->stopped;
    if (!parser->panic)
        parser->panic_open = parser->open;
    parser->panic = true;
    return !follows;
}

const char* parser_found(Parser* parser)
{
    Token token = parser->token;
    size_t length = token.end - token.start, room = sizeof parser->found - 8;
    if (token.kind == TOKEN_END || token.kind == TOKEN_STRING)
        return token_text(token.kind);
    bool cut = length > room;
    if (cut)
        length = room;
    while (cut && length > 0 && ((unsigned char)parser->lexer.text[token.start + length] & 0xC0) == 0x80)
        length--;
    snprintf(parser->found, sizeof parser->found, "`%.*s%s`", (int)length, parser->lexer.text + token.start,
             cut ? "…" : "");
    return parser->found;
}

// Where something is missing: at the end of the line if the token is on the next one.
static bool parser_at_gap(const Parser* parser)
{
    return parser->last.end > 0 && (parser->token.breaks > 0 || parser_at(parser, TOKEN_END));
}

Span parser_gap(const Parser* parser)
{
    return parser_at_gap(parser) ? (Span){parser->file, parser->last.start, parser->last.end} : parser_span(parser);
}

void parser_expected(Parser* parser, const char* what, const char* help)
{
    Diag* diag;
    if (parser_at_gap(parser))
        diag = parser_error(parser, K_UNEXPECTED, parser_gap(parser), "expected %s after this", what);
    else
        diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "expected %s, found %s", what,
                            parser_found(parser));
    if (help)
        diag_help(parser->diags, diag, "%s", help);
}

void parser_unclosed(Parser* parser, Span open, const char* sign)
{
    Diag* diag = parser_error(parser, K_UNCLOSED, parser_gap(parser), "`%s` is missing %s this", sign,
                              parser_at_gap(parser) ? "after" : "before");
    diag_note(parser->diags, diag, open, "it closes the `%c` here", parser->lexer.text[open.start]);
    if (sign[0] == ']' && parser_at(parser, TOKEN_SEMICOLON))
        diag_help(parser->diags, diag, "rows are lists: `[[1, 2], [3, 4]]`");
    parser->panic_open = 0;
}

// Does the rest of the line look like a definition, an assignment or an instance? Looks only until the first sign
// that decides, so that it never reads far on a line that is then parsed item by item.
bool parser_line_defines(const Parser* parser)
{
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    if (!parser_at(parser, TOKEN_NAME))
        return token_starts_item(parser->token.kind);
    for (int brackets = 0;;)
    {
        Token token = lexer_next(&lexer);
        if (token.breaks > 0 || token.kind == TOKEN_END || token.kind == TOKEN_SEMICOLON ||
            token.kind == TOKEN_LEFT_BRACE || token.kind == TOKEN_RIGHT_BRACE)
            return false;
        if (brackets == 0 && (token.kind == TOKEN_EQUALS || token.kind == TOKEN_ASSIGN || token.kind == TOKEN_COLON))
            return true;
        brackets += token.kind == TOKEN_LEFT_BRACKET || token.kind == TOKEN_LEFT_PAREN;
        brackets -= token.kind == TOKEN_RIGHT_BRACKET || token.kind == TOKEN_RIGHT_PAREN;
    }
}

// ---- going on

static bool sync_stops(const Parser* parser, int brackets, uint32_t item_start)
{
    TokenKind kind = parser->token.kind;
    if (kind == TOKEN_RIGHT_BRACE || kind == TOKEN_SEMICOLON)
        return true;
    if (parser->token.start == item_start || !token_starts_item(kind))
        return false;
    if (brackets > 0)  // a name may be an argument on its own line, a word cannot
        return parser->token.breaks > 0 && kind != TOKEN_NAME && kind != TOKEN_IF;
    return parser->token.breaks > 0 || parser->last.kind == TOKEN_RIGHT_BRACE;
}

// Skips to the next item of the block: past whole inner blocks, not past the end of this one.
void parser_sync(Parser* parser, uint32_t item_start)
{
    int brackets = parser->panic_open, braces = 0;
    while (!parser_at(parser, TOKEN_END) &&
           !(token_starts_file_part(parser->token.kind) && (brackets == 0 || parser->token.breaks > 0)))
    {
        if (braces == 0 && sync_stops(parser, brackets, item_start))
            break;
        TokenKind kind = parser->token.kind;
        braces += (kind == TOKEN_LEFT_BRACE) - (kind == TOKEN_RIGHT_BRACE);
        brackets += kind == TOKEN_LEFT_PAREN || kind == TOKEN_LEFT_BRACKET;
        brackets -= brackets > 0 && (kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET);
        parser_next(parser);
    }
    parser->panic = false;
    parser->open = 0;
}

// The head of a block is wrong: goes on at its `{` if that is on the line, so that the block is still checked.
bool parser_recover_brace(Parser* parser)
{
    while (!parser_at(parser, TOKEN_LEFT_BRACE))
    {
        TokenKind kind = parser->token.kind;
        if (kind == TOKEN_END || kind == TOKEN_RIGHT_BRACE || kind == TOKEN_SEMICOLON || parser->token.breaks > 0 ||
            token_starts_file_part(kind))
            return false;
        parser_next(parser);
    }
    parser->panic = false;
    parser->open = 0;
    return true;
}

// ---- depth

bool parser_enter(Parser* parser)
{
    if (parser->panic)
        return false;
    if (parser->depth >= PARSE_DEPTH)
    {
        Diag* diag =
            parser_error(parser, K_TOO_DEEP, parser_span(parser), "this is nested more than %d deep", PARSE_DEPTH);
        diag_help(parser->diags, diag, "name parts of it with `signal` or `function`, or split the model");
        return false;
    }
    parser->depth++;
    return true;
}

void parser_leave(Parser* parser)
{
    parser->depth--;
}
