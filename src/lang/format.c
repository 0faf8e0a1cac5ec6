// `kairos fmt`. Works on the tokens, with the parser's marks for what tokens alone do not tell (where items start,
// which minus is a sign, which bracket belongs to a name), so that nothing is guessed and nothing is lost.
//
// Layout: two blanks per block, four more for a continued line; a block that was written on one line stays on one if
// it holds no comment and fits FORMAT_WIDTH, else its items get a line each; items joined by `;` stay joined while
// they fit. Blank lines: at most one, none at the edges of a block. A run of blanks before a string, a comment, `{`
// or `:` is an alignment and kept; other runs become one blank (two after `,` and `;` if so written).
#include "lang/format.h"
#include "base/utf8.h"
#include "lang/parse.h"

#include <string.h>

enum
{
    FORMAT_WIDTH = 100,
    FORMAT_INDENT = 2,
    FORMAT_CONTINUE = 4,
    FORMAT_ALIGN = 60,  // a longer run of blanks is an accident
    FORMAT_DEEP = 40,   // blocks deeper than this are not indented further
};

typedef struct Formatter
{
    Arena* arena;
    const char* source;
    VEC(Token) tokens;
    MarkList marks;
    uint32_t* close;  // of each `{`: its `}`
    uint32_t* line;   // of each token
    unsigned* roles;
    VEC(char) text;
    size_t column;       // characters on the current line
    int level;           // of blocks
    bool after_comment;  // nothing may follow on this line
} Formatter;

// ---- reading

static bool format_read(Formatter* formatter, Arena* arena, const Sources* sources, uint32_t file, Diags* diags)
{
    Interner names;
    interner_init(&names, arena);
    uint32_t errors = diags->error_count;
    parse_file_marked(arena, &names, sources, file, diags, &formatter->marks);
    if (diags->error_count > errors)
        return false;
    Lexer lexer;
    lexer_init(&lexer, sources, file, NULL);
    lexer.keep_comments = true;
    Token token;
    do
    {
        token = lexer_next(&lexer);
        vec_push(arena, formatter->tokens, token);
    } while (token.kind != TOKEN_END);
    formatter->source = lexer.text;
    return true;
}

static uint32_t format_find(const Formatter* formatter, uint32_t offset)
{
    uint32_t low = 0, high = formatter->tokens.count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        if (formatter->tokens.at[middle].start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void format_annotate(Formatter* formatter)
{
    uint32_t count = formatter->tokens.count, depth = 0;
    formatter->roles = arena_array(formatter->arena, unsigned, count);
    formatter->close = arena_array(formatter->arena, uint32_t, count);
    for (uint32_t i = 0; i < formatter->marks.count; i++)
        formatter->roles[format_find(formatter, formatter->marks.at[i].offset)] |= formatter->marks.at[i].roles;
    uint32_t* open = arena_array(formatter->arena, uint32_t, PARSE_DEPTH + 1);
    formatter->line = arena_array(formatter->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
    {
        formatter->line[i] = formatter->tokens.at[i].breaks + (i > 0 ? formatter->line[i - 1] : 0);
        if (formatter->tokens.at[i].kind == TOKEN_LEFT_BRACE && depth <= PARSE_DEPTH)
            open[depth++] = i;
        if (formatter->tokens.at[i].kind == TOKEN_RIGHT_BRACE && depth > 0)
            formatter->close[open[--depth]] = i;
    }
}

// ---- blanks

static TokenKind format_kind(const Formatter* formatter, uint32_t at)
{
    return formatter->tokens.at[at].kind;
}

// Blanks that were written before a token on its line; a tab counts as one.
static size_t format_written(const Formatter* formatter, uint32_t at)
{
    if (at == 0 || formatter->tokens.at[at].breaks > 0)
        return 1;
    return formatter->tokens.at[at].start - formatter->tokens.at[at - 1].end;
}

static size_t format_keep(size_t written, size_t most)
{
    return written < 1 || written > FORMAT_ALIGN ? 1 : written > most ? most : written;
}

static bool format_never_before(const Formatter* formatter, uint32_t at)
{
    switch (format_kind(formatter, at))
    {
    case TOKEN_COMMA:
    case TOKEN_SEMICOLON:
    case TOKEN_RIGHT_PAREN:
    case TOKEN_RIGHT_BRACKET:
    case TOKEN_PRIME:
    case TOKEN_DOT:
    case TOKEN_DOT_DOT:
    case TOKEN_CARET: return true;
    default: return (formatter->roles[at] & MARK_TIGHT) != 0;
    }
}

static bool format_never_after(const Formatter* formatter, uint32_t at)
{
    TokenKind kind = format_kind(formatter, at);
    switch (kind)
    {
    case TOKEN_LEFT_PAREN:
    case TOKEN_LEFT_BRACKET:
    case TOKEN_DOT:
    case TOKEN_DOT_DOT:
    case TOKEN_CARET: return true;
    case TOKEN_STAR:
    case TOKEN_SLASH: return (formatter->roles[at] & MARK_TIGHT) != 0 || format_written(formatter, at) == 0;
    default: return (formatter->roles[at] & MARK_SIGN) != 0;
    }
}

// The blanks between token `at` and the one before it, on one line.
static size_t format_blanks(const Formatter* formatter, uint32_t at)
{
    TokenKind kind = format_kind(formatter, at);
    TokenKind before = format_kind(formatter, at - 1);
    size_t written = format_written(formatter, at);
    if (kind == TOKEN_COMMENT)
        return format_keep(written, FORMAT_ALIGN);
    if (format_never_before(formatter, at) || format_never_after(formatter, at - 1))
        return 0;
    if (kind == TOKEN_STAR || kind == TOKEN_SLASH)
        return written > 0;
    if (kind == TOKEN_STRING && before != TOKEN_EQUALS && before != TOKEN_IMPORT)
        return format_keep(written, FORMAT_ALIGN);
    if (kind == TOKEN_LEFT_BRACE || kind == TOKEN_COLON)
        return format_keep(written, FORMAT_ALIGN);
    if (before == TOKEN_COMMA || before == TOKEN_SEMICOLON)
        return format_keep(written, 2);
    return 1;
}

// ---- writing

static void format_char(Formatter* formatter, char c)
{
    vec_push(formatter->arena, formatter->text, c);
}

static void format_pad(Formatter* formatter, size_t count)
{
    for (size_t i = 0; i < count; i++)
        format_char(formatter, ' ');
    formatter->column += count;
}

static size_t format_token_length(const Formatter* formatter, uint32_t at)
{
    Token token = formatter->tokens.at[at];
    size_t length = token.end - token.start;
    while (token.kind == TOKEN_COMMENT && length > 0 &&
           (formatter->source[token.start + length - 1] == ' ' || formatter->source[token.start + length - 1] == '\t'))
        length--;
    return length;
}

static size_t format_token_width(const Formatter* formatter, uint32_t at)
{
    return utf8_count(formatter->source + formatter->tokens.at[at].start, format_token_length(formatter, at));
}

static void format_token(Formatter* formatter, uint32_t at)
{
    const char* text = formatter->source + formatter->tokens.at[at].start;
    size_t length = format_token_length(formatter, at);
    for (size_t i = 0; i < length; i++)
        format_char(formatter, text[i]);
    formatter->column += utf8_count(text, length);
    formatter->after_comment = format_kind(formatter, at) == TOKEN_COMMENT;
}

static void format_line(Formatter* formatter, int extra)
{
    if (formatter->text.count > 0)
        format_char(formatter, '\n');
    formatter->column = 0;
    format_pad(formatter,
               (size_t)((formatter->level < FORMAT_DEEP ? formatter->level : FORMAT_DEEP) * FORMAT_INDENT + extra));
}

// A blank line was written before token `at`, where one may stay.
static void format_blank_line(Formatter* formatter, uint32_t at, uint32_t block_start)
{
    if (formatter->tokens.at[at].breaks > 1 && at > block_start && formatter->text.count > 0)
        format_char(formatter, '\n');
}

// ---- what fits on a line

static bool format_is_separator(const Formatter* formatter, uint32_t at)
{
    return format_kind(formatter, at) == TOKEN_SEMICOLON;
}

// The first token after the `;`s at `at`.
static uint32_t format_skip_separators(const Formatter* formatter, uint32_t at)
{
    while (format_is_separator(formatter, at))
        at++;
    return at;
}

// Columns of what separates token `at` from the item before it: `; `, or a blank before `}`.
static size_t format_join_width(const Formatter* formatter, uint32_t at)
{
    if (format_kind(formatter, at) == TOKEN_RIGHT_BRACE)
        return 1;
    return 1 + (format_written(formatter, at) >= 2 ? 2 : 1);
}

// Columns that tokens [from, end) take on one line, or more than `room`. The caller has written what precedes them.
static size_t format_width(const Formatter* formatter, uint32_t from, uint32_t end, size_t room)
{
    size_t width = format_token_width(formatter, from);
    for (uint32_t at = from + 1; at < end && width <= room; at++)
    {
        if (format_is_separator(formatter, at))
        {
            at = format_skip_separators(formatter, at);
            if (at >= end)
                break;
            width += format_join_width(formatter, at);
        }
        else
            width += format_blanks(formatter, at);
        width += format_token_width(formatter, at);
    }
    return width;
}

// A comment ends its line, so a block on one line holds none.
static bool format_one_line(const Formatter* formatter, uint32_t open)
{
    return formatter->line[open] == formatter->line[formatter->close[open]];
}

// Was the block written on one line, and does it still fit?
static bool format_block_fits(const Formatter* formatter, uint32_t open)
{
    uint32_t close = formatter->close[open];
    if (!format_one_line(formatter, open) || close - open > FORMAT_WIDTH || formatter->column > FORMAT_WIDTH)
        return false;
    size_t room = FORMAT_WIDTH - formatter->column;
    return format_width(formatter, open, close + 1, room) <= room;
}

// The end of the item that starts at `at`: its `;`, the end of its line or of its block.
static uint32_t format_item_end(const Formatter* formatter, uint32_t at)
{
    uint32_t end = at + 1;
    while (end < formatter->tokens.count - 1 && formatter->tokens.at[end].breaks == 0 &&
           !format_is_separator(formatter, end) && format_kind(formatter, end) != TOKEN_RIGHT_BRACE &&
           format_kind(formatter, end) != TOKEN_COMMENT && end - at <= FORMAT_WIDTH)
    {
        bool brace = format_kind(formatter, end) == TOKEN_LEFT_BRACE;
        if (brace && !format_one_line(formatter, end))
            return end + 1;
        end = brace ? formatter->close[end] + 1 : end + 1;
    }
    return end;
}

static bool format_item_fits(const Formatter* formatter, uint32_t at)
{
    size_t used = formatter->column + format_join_width(formatter, at);
    if (used > FORMAT_WIDTH)
        return false;
    size_t room = FORMAT_WIDTH - used;
    return format_width(formatter, at, format_item_end(formatter, at), room) <= room;
}

// ---- blocks

// A block that fits: `{ a; b }`. Returns the token after it.
static uint32_t format_inline(Formatter* formatter, uint32_t open)
{
    uint32_t close = formatter->close[open];
    format_token(formatter, open);
    for (uint32_t at = open + 1; at <= close; at++)
    {
        if (format_is_separator(formatter, at))
        {
            bool first = format_kind(formatter, at - 1) == TOKEN_LEFT_BRACE;
            at = format_skip_separators(formatter, at);
            if (!first && at < close && format_kind(formatter, at) != TOKEN_RIGHT_BRACE)
            {
                format_char(formatter, ';');
                format_pad(formatter, format_join_width(formatter, at) - 1);
                formatter->column++;
            }
            else
                format_pad(formatter, 1);
        }
        else
            format_pad(formatter, format_blanks(formatter, at));
        format_token(formatter, at);
    }
    return close + 1;
}

typedef struct Run
{
    uint32_t start;    // first token of the block
    bool split;        // it was one line and is no longer: a line for every item
    bool after_block;  // the token before closed an open block
} Run;

// An item of an open block starts at `at`; `joined` if a `;` on the same line precedes it.
static void format_item_start(Formatter* formatter, uint32_t at, Run* run, bool joined)
{
    bool new_line = formatter->tokens.at[at].breaks > 0 || at == run->start || run->split || run->after_block ||
                    formatter->after_comment;
    if (!new_line && joined && format_item_fits(formatter, at))
    {
        format_char(formatter, ';');
        formatter->column++;
        format_pad(formatter, format_join_width(formatter, at) - 1);
        return;
    }
    format_blank_line(formatter, at, run->start);
    format_line(formatter, 0);
}

static void format_comment(Formatter* formatter, uint32_t at, const Run* run, bool inside_item)
{
    if (formatter->tokens.at[at].breaks == 0 && formatter->text.count > 0)
        return format_pad(formatter, format_blanks(formatter, at));
    format_blank_line(formatter, at, run->start);
    format_line(formatter, inside_item ? FORMAT_CONTINUE : 0);
}

// Does the item that was begun go on behind the comment at `at`?
static bool format_item_continues(const Formatter* formatter, uint32_t at)
{
    while (format_kind(formatter, at) == TOKEN_COMMENT)
        at++;
    TokenKind kind = format_kind(formatter, at);
    return !(formatter->roles[at] & MARK_ITEM) && kind != TOKEN_SEMICOLON && kind != TOKEN_RIGHT_BRACE &&
           kind != TOKEN_END;
}

static uint32_t format_open_block(Formatter* formatter, uint32_t open);

static uint32_t format_brace(Formatter* formatter, uint32_t open, Run* run)
{
    if (formatter->after_comment)
        format_line(formatter, 0);
    else
        format_pad(formatter, format_blanks(formatter, open));
    if (format_block_fits(formatter, open))
        return run->after_block = false, format_inline(formatter, open);
    run->after_block = true;
    return format_open_block(formatter, open);
}

static void format_plain(Formatter* formatter, uint32_t at)
{
    if (formatter->tokens.at[at].breaks > 0)
        format_line(formatter, FORMAT_CONTINUE);
    else
        format_pad(formatter, format_blanks(formatter, at));
    format_token(formatter, at);
}

// The contents of an open block, or of the file, up to its end.
static uint32_t format_contents(Formatter* formatter, uint32_t at, uint32_t end, bool split)
{
    at = format_skip_separators(formatter, at);
    Run run = {.start = at, .split = split};
    while (at < end)
    {
        bool joined = format_is_separator(formatter, at);
        if (joined)
        {
            at = format_skip_separators(formatter, at);
            if (at >= end)
                break;
        }
        if (format_kind(formatter, at) == TOKEN_COMMENT)
        {
            format_comment(formatter, at, &run, at > run.start && format_item_continues(formatter, at));
            format_token(formatter, at++);
        }
        else if (format_kind(formatter, at) == TOKEN_LEFT_BRACE)
            at = format_brace(formatter, at, &run);
        else if (formatter->roles[at] & MARK_ITEM)
        {
            format_item_start(formatter, at, &run, joined);
            format_token(formatter, at++);
            run.after_block = false;
        }
        else
            format_plain(formatter, at++);
    }
    return at;
}

static uint32_t format_open_block(Formatter* formatter, uint32_t open)
{
    uint32_t close = formatter->close[open];
    bool split = format_one_line(formatter, open);
    format_token(formatter, open);
    formatter->level++;
    format_contents(formatter, open + 1, close, split);
    formatter->level--;
    format_line(formatter, 0);
    format_token(formatter, close);
    return close + 1;
}

char* format_source(Arena* arena, const Sources* sources, uint32_t file, Diags* diags)
{
    Formatter formatter = {.arena = arena};
    if (!format_read(&formatter, arena, sources, file, diags))
        return NULL;
    format_annotate(&formatter);
    format_contents(&formatter, 0, formatter.tokens.count - 1, false);
    if (formatter.text.count > 0)
        format_char(&formatter, '\n');
    format_char(&formatter, '\0');
    return formatter.text.at;
}
