// Blocks: `{`, things one after the other, `}`. Layout, recovery and missing braces are the same for all of them.
#include "lang/idioms.h"
#include "lang/parse.h"

#include <string.h>

bool token_starts_file_part(TokenKind kind)
{
    return kind >= TOKEN_IMPORT && kind <= TOKEN_EXPERIMENT;
}

bool token_starts_item(TokenKind kind)
{
    switch (kind)
    {
    case TOKEN_NAME:
    case TOKEN_PARAM:
    case TOKEN_STATE:
    case TOKEN_DISCRETE:
    case TOKEN_SIGNAL:
    case TOKEN_EVENT:
    case TOKEN_INPUT:
    case TOKEN_OUTPUT:
    case TOKEN_UNKNOWN:
    case TOKEN_PORT:
    case TOKEN_FOR:
    case TOKEN_IF:
    case TOKEN_WHEN:
    case TOKEN_CHOOSE:
    case TOKEN_WEIGHT:
    case TOKEN_MODES:
    case TOKEN_INITIAL:
    case TOKEN_EQUATION:
    case TOKEN_MODE:
    case TOKEN_PREEMPT:
    case TOKEN_ON:
    case TOKEN_BOND:
    case TOKEN_CONNECT:
    case TOKEN_ASSERT:
    case TOKEN_EMIT:
    case TOKEN_HALT:
    case TOKEN_RECORD:
    case TOKEN_PLOT:
    case TOKEN_SWEEP:
    case TOKEN_EXPECT: return true;
    default: return false;
    }
}

// ---- layout

// What was probably meant by something behind a complete item.
static const char* block_advice(const Parser* parser)
{
    Token last = parser->last, token = parser->token;
    const char *before = parser_text(parser, last), *here = parser_text(parser, token);
    if (idiom_lists(" end endif fi ", here))
        return "`if … then … else …` ends by itself, blocks end with `}`";
    if (idiom_lists(" mod rem div ", here))
        return "the remainder is `mod(a, b)`, the whole quotient `floor(a/b)`";
    if (idiom_lists(" init initial start ", here) && last.kind == TOKEN_NAME)
        return arena_printf(parser->arena, "a start value stands behind `=`: `%s = 0`", before);
    if (token.kind == TOKEN_COMMA)
        return "one ends with `;` or the line";
    if ((token.kind == TOKEN_MINUS || token.kind == TOKEN_DOT) && last.kind == TOKEN_NAME)
        return arena_printf(parser->arena, "a name is made of letters, digits and `_`, as `%s_1`", before);
    if (token.kind == TOKEN_COLON && last.kind == TOKEN_NAME)
        return "a declaration has no type; a unit stands in brackets, a start value behind `=`";
    if ((token.kind == TOKEN_LEFT_BRACE || token.kind == TOKEN_LT) && last.kind == TOKEN_NAME)
        return arena_printf(parser->arena,
                            "a unit stands in brackets, `%s [m/s^2]`; a block belongs to `when`, `mode` "
                            "and the like",
                            before);
    bool value = token.kind == TOKEN_NAME || token.kind == TOKEN_NUMBER;
    if (last.kind == TOKEN_NUMBER && token.kind == TOKEN_NAME)
        return arena_printf(parser->arena, "a unit stands in brackets, `%s[%s]`; a product is `%s*%s`", before, here,
                            before, here);
    if (last.kind == TOKEN_NUMBER && (strcmp(here, "%") == 0 || token.kind == TOKEN_LEFT_PAREN))
        return arena_printf(parser->arena, "a unit stands in brackets, `%s[%s]`", before,
                            token.kind == TOKEN_LEFT_PAREN ? "m/s" : "%");
    if (last.kind == TOKEN_NAME && value && idiom_is_function(before))
        return arena_printf(parser->arena, "a function has parentheses: `%s(%s)`", before, here);
    if (last.kind == TOKEN_NAME && token.kind == TOKEN_LEFT_PAREN)
        return arena_printf(parser->arena, "a unit stands in brackets, `%s [m/s^2]`, a start value behind `=`", before);
    if (token.kind == TOKEN_IF)
        return "a choice is written `if condition then a else b`";
    if (strcmp(here, "vs") == 0 || strcmp(here, "over") == 0)
        return "one signal over another is `plot y against x`";
    return "is an operator, a comma or a line break missing before it?";
}

// The token cannot start an item, and the item before it is complete.
static void block_unexpected(Parser* parser)
{
    TokenKind kind = parser->token.kind;
    Span span = parser_span(parser);
    Diag* diag;
    if (kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET)
    {
        diag = parser_error(parser, K_EXTRA_CLOSE, span, "this `%s` closes nothing", token_text(kind));
        diag_help(parser->diags, diag, "remove it, or open it before");
    }
    else if (kind == TOKEN_EQUALS && parser->last.kind == TOKEN_STRING)
    {
        diag = parser_error(parser, K_UNEXPECTED, span, "unexpected `=` after the description");
        diag_help(parser->diags, diag, "the description comes last: `name = value \"description\"`");
    }
    else if (kind == TOKEN_EQUALS || kind == TOKEN_ASSIGN)
    {
        diag = parser_error(parser, K_WRONG_EQUALS, span, "a second `%s` in one item", token_text(kind));
        diag_help(parser->diags, diag, "`==` compares; a new item starts on a new line or after `;`");
    }
    else
    {
        diag = parser_error(parser, K_UNEXPECTED, span, "unexpected %s after the end of an item", parser_found(parser));
        diag_help(parser->diags, diag, "%s", block_advice(parser));
    }
}

static void block_bad_start(Parser* parser)
{
    TokenKind kind = parser->token.kind;
    Span span = parser_span(parser);
    if ((kind == TOKEN_LEFT_PAREN || kind == TOKEN_LEFT_BRACKET) && parser->last.kind != TOKEN_SEMICOLON &&
        parser->last.kind != TOKEN_LEFT_BRACE)
    {
        Diag* diag = parser_error(parser, K_ITEM_LAYOUT, span, "a line cannot start with `%s`", token_text(kind));
        diag_help(parser->diags, diag, "to continue the line above, put the `%s` at its end", token_text(kind));
        return;
    }
    block_unexpected(parser);
}

// `1 if x > 0 else 0`, as Python has it.
static bool block_is_choice(const Parser* parser)
{
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    for (Token token = parser->token; parser_at(parser, TOKEN_IF); token = lexer_next(&lexer))
    {
        if (token.kind == TOKEN_ELSE)
            return true;
        if ((token.breaks > 0 && token.start != parser->token.start) || token.kind == TOKEN_END ||
            token.kind == TOKEN_LEFT_BRACE || token.kind == TOKEN_SEMICOLON)
            return false;
    }
    return false;
}

// Is the token where an item may start? Reports it otherwise; false if there is no item to parse.
static bool block_layout(Parser* parser)
{
    TokenKind before = parser->last.kind;
    bool separated = parser->token.breaks > 0 || before == TOKEN_SEMICOLON || before == TOKEN_LEFT_BRACE ||
                     before == TOKEN_RIGHT_BRACE;
    if (separated && (token_starts_item(parser->token.kind) || token_is_word(parser->token.kind)))
        return true;
    if (separated)
        return block_bad_start(parser), false;
    if (!parser_line_defines(parser) || block_is_choice(parser))
        return block_unexpected(parser), false;
    if (!parser->token.suspect)
    {
        Diag* diag = parser_slip(parser, K_ITEM_LAYOUT, parser_span(parser),
                                 "%s starts a new item on the line of the one before", parser_found(parser));
        diag_help(parser->diags, diag, "put it on a new line, or write `;` before it");
    }
    parser->muted = parser_at(parser, TOKEN_NAME);  // what follows may be wrong because of this
    return true;
}

// ---- braces

// A `}` that begins its line further left than the line of its `{` belongs to an outer one: remember the inner.
static void block_judge_indent(Parser* parser, Span open, uint32_t indent)
{
    if (parser->token.breaks > 0 && parser->indent < indent && parser->lost.file == 0)
        parser->lost = open;
}

static void block_unclosed(Parser* parser, Span open, const char* owner)
{
    if (parser->unclosed)
        return;
    bool guessed = parser->lost.file != 0;
    Span span =
        parser_at(parser, TOKEN_END) ? (Span){parser->file, parser->last.start, parser->last.end} : parser_span(parser);
    parser->token.suspect = false;
    Diag* diag = parser_error(parser, K_UNCLOSED, span, "`}` is missing %s this",
                              parser_at(parser, TOKEN_END) ? "after" : "before");
    if (guessed)
        diag_note(parser->diags, diag, parser->lost, "judged by the indentation, this `{` is not closed");
    else
        diag_note(parser->diags, diag, open, "the `{` of this %s is not closed", owner);
    parser->unclosed = true;
    parser->panic = false;
}

static void block_one(Parser* parser, ParseOne* one, void* list)
{
    uint32_t start = parser->token.start;
    bool fits = block_layout(parser);
    if (fits)
    {
        parser_mark(parser, MARK_ITEM);
        one(parser, list);
    }
    parser->muted = false;
    if (parser->panic)
        parser_sync(parser, start);
}

// Whether the token can start something in this block.
static bool block_takes(const Parser* parser, const char* owner)
{
    TokenKind kind = parser->token.kind;
    bool mode = kind == TOKEN_MODE || (kind == TOKEN_INITIAL && parser_peek(parser).kind == TOKEN_MODE);
    if (strcmp(owner, "mode") == 0)
        return !mode;
    if (strcmp(owner, "list of modes") == 0 || strcmp(owner, "switched junction") == 0)
        return mode;
    if (strcmp(owner, "`when`") == 0 || strcmp(owner, "transition") == 0)
        return kind == TOKEN_NAME || kind == TOKEN_EMIT || kind == TOKEN_HALT || !token_starts_item(kind);
    return true;
}

// A line no further right than that of the `{`, with what cannot stand in this block: its `}` is missing before it. The
// rest of the text is then what it looks like, and nothing else is wrong with it.
static bool block_lacks_end(Parser* parser, const char* owner, Span open, uint32_t indent)
{
    if (parser->token.breaks == 0 || parser->indent > indent || block_takes(parser, owner))
        return false;
    Diag* diag = parser_error(parser, K_UNCLOSED, parser_span(parser), "`}` is missing before this");
    diag_note(parser->diags, diag, open, "the `{` of this %s is not closed", owner);
    parser->panic = false;
    return true;
}

// Has the file as many `{` as `}`?
static bool block_balanced(Parser* parser)
{
    int open = 0;
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    lexer.at = 0;
    for (Token token = lexer_next(&lexer); parser->balanced == 0 && token.kind != TOKEN_END; token = lexer_next(&lexer))
        open += (token.kind == TOKEN_LEFT_BRACE) - (token.kind == TOKEN_RIGHT_BRACE);
    if (parser->balanced == 0)
        parser->balanced = open == 0 ? 1 : -1;
    return parser->balanced > 0;
}

// A function in a model, as other languages have it. Where braces are missing, it is rather the block that has no end.
static bool block_nested_part(Parser* parser)
{
    uint32_t start = parser->token.start;
    if (!token_starts_file_part(parser->token.kind) || !parser->ast || parser->panic || !block_balanced(parser))
        return false;
    const char* word = token_text(parser->token.kind);
    Diag* diag = parser_slip(parser, K_MISPLACED, parser_span(parser), "`%s` cannot stand inside a block", word);
    diag_help(parser->diags, diag, "move it out, to the top level of the file");
    parse_part_inside(parser);
    if (parser->panic)
        parser_sync(parser, start);
    return true;
}

// False: its end is missing, and was reported.
static bool block_contents(Parser* parser, const char* owner, ParseOne* one, void* list)
{
    Span open = parser_span(parser);
    uint32_t indent = parser->indent;
    parser_accept(parser, TOKEN_LEFT_BRACE);
    while (!parser_at(parser, TOKEN_RIGHT_BRACE) && !parser_at(parser, TOKEN_END))
    {
        if (block_nested_part(parser))
            continue;
        if (token_starts_file_part(parser->token.kind))
            break;
        if (block_lacks_end(parser, owner, open, indent))
            return false;
        if (!parser_accept(parser, TOKEN_SEMICOLON))
            block_one(parser, one, list);
    }
    return true;
}

static const char* block_form(const char* owner)
{
    static const char* const forms[][2] = {
        {"`when`", "a reaction is written `when event { x := value }`"},
        {"model", "a model is written `model Name \"what it is\" { … }`"},
        {"experiment", "an experiment is written `experiment name of Model { stop = 1 }`"},
        {"mode", "a mode is written `mode name { … }`"},
        {"list of modes", "a machine is written `modes { initial mode a { … } mode b { … } }`"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(owner, forms[i][0]) == 0)
            return forms[i][1];
    return "a block stands in braces: `{ … }`";
}

// `when c then … end when;`, as Modelica has it: one message for all of it.
static void block_then(Parser* parser, const char* owner)
{
    Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "a %s has braces, not `then` and `end`",
                              strcmp(owner, "`when`") == 0 ? "`when`" : "block");
    diag_help(parser->diags, diag, "%s", block_form(owner));
    while (!parser_at(parser, TOKEN_END) && !parser_at(parser, TOKEN_RIGHT_BRACE) &&
           !token_starts_file_part(parser->token.kind))
    {
        bool ends = parser_at(parser, TOKEN_NAME) && strcmp(parser_text(parser, parser->token), "end") == 0;
        parser_next(parser);
        if (!ends)
            continue;
        parser->panic = false;
        parser_accept(parser, TOKEN_WHEN);
        parser_accept(parser, TOKEN_IF);
        break;
    }
    parser->panic = false;
}

// At the `{`, or where its absence was reported. False if there is no block to go on with.
static bool block_open(Parser* parser, const char* owner)
{
    if (parser->panic)
        return parser_recover_brace(parser);
    if (parser_at(parser, TOKEN_LEFT_BRACE))
        return true;
    if (parser_at(parser, TOKEN_THEN))
        return block_then(parser, owner), false;
    char what[64];
    snprintf(what, sizeof what, "the `{` of this %s", owner);
    bool several = strcmp(owner, "`when`") == 0 && parser_at(parser, TOKEN_COMMA);
    parser_expected(parser, what, several ? "either of two is written `when a or b { … }`" : block_form(owner));
    if (parser_recover_brace(parser))
        return true;
    if (parser->depth > 0 || parser->token.breaks == 0 || !token_starts_item(parser->token.kind))
        return false;
    parser->panic = false;  // a model or experiment whose items follow: take the brace as written
    return true;
}

void parse_block(Parser* parser, const char* owner, ParseOne* one, void* list)
{
    if (!block_open(parser, owner) || !parser_enter(parser))
        return;
    Span open = parser_span(parser);
    uint32_t indent = parser->indent;
    if (!block_contents(parser, owner, one, list))
    {
        parser_leave(parser);
        return;
    }
    if (parser_at(parser, TOKEN_RIGHT_BRACE))
    {
        block_judge_indent(parser, open, indent);
        parser_next(parser);
    }
    else
        block_unclosed(parser, open, owner);
    parser_leave(parser);
}
