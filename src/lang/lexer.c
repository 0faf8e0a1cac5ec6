// The lexer. Longest match; every byte of the text is either part of a token, blank, comment, or reported.
#include "lang/lexer.h"
#include "base/utf8.h"
#include "lang/slips.h"
#include "lang/spelling.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const token_texts[] = {
#define CLASS(name, text) text,
#define SIGN(name, text) text,
#define WORD(name, text) text,
#include "lang/tokens.def"
#undef CLASS
#undef SIGN
#undef WORD
};

const char* token_text(TokenKind kind)
{
    return token_texts[kind];
}

const char* const* token_words(uint32_t* count)
{
    *count = TOKEN_COUNT - TOKEN_FIRST_WORD;
    return token_texts + TOKEN_FIRST_WORD;
}

void lexer_init(Lexer* lexer, const Sources* sources, uint32_t file, Diags* diags)
{
    const Source* source = &sources->list.at[file - 1];
    *lexer = (Lexer){.text = source->text, .length = source->length, .file = file, .diags = diags, .first = true};
    lexer->made = source->made;
    lexer->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static char lexer_peek(const Lexer* lexer, uint32_t ahead)
{
    return ahead < lexer->length - lexer->at ? lexer->text[lexer->at + ahead] : '\0';
}

static Span lexer_span(const Lexer* lexer, uint32_t start)
{
    return (Span){lexer->file, start, lexer->at};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_foreign(char c)  // part of a character outside ASCII
{
    return (unsigned char)c >= 0x80;
}

// ---- what stands between tokens

static bool lexer_break(Lexer* lexer, Token* token)
{
    char c = lexer_peek(lexer, 0);
    if (lexer->at >= lexer->length || (c != '\n' && c != '\r'))
        return false;
    lexer->at += c == '\r' && lexer_peek(lexer, 1) == '\n' ? 2 : 1;
    lexer->in_bracket = false;
    token->breaks++;
    return true;
}

static void lexer_skip_line(Lexer* lexer)
{
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n' && lexer->text[lexer->at] != '\r')
        lexer->at++;
}

static void lexer_report(Lexer* lexer, Token* token, DiagCode code, uint32_t start, const char* message,
                         const char* help)
{
    token->suspect = true;
    if (!lexer->diags)
        return;
    Diag* diag = diag_error(lexer->diags, code, lexer_span(lexer, start), "%s", message);
    if (help)
        diag_help(lexer->diags, diag, "%s", help);
}

static void lexer_skip_block_comment(Lexer* lexer, Token* token)
{
    uint32_t start = lexer->at;
    const char* close = NULL;
    if (!lexer->block_open)  // searched once in vain, never again: the time stays linear
        close = memmem(lexer->text + start + 2, lexer->length - start - 2, "*/", 2);
    lexer->block_open = !close;
    lexer->at += 2;
    lexer_report(lexer, token, K_FOREIGN_OPERATOR, start, "comments start with `//` and end with the line",
                 "put `//` before every line of the comment");
    if (!close)
        return lexer_skip_line(lexer);
    while (lexer->text + lexer->at < close + 2)
        if (!lexer_break(lexer, token))
            lexer->at++;
}

// A comment may hold any bytes but 0, which would end the text for everything that prints it.
static void lexer_skip_comment(Lexer* lexer, Token* token)
{
    uint32_t start = lexer->at;
    lexer_skip_line(lexer);
    const char* zero = memchr(lexer->text + start, '\0', lexer->at - start);
    if (!zero)
        return;
    uint32_t end = lexer->at;
    lexer->at = (uint32_t)(zero - lexer->text) + 1;
    lexer_report(lexer, token, K_BAD_CHARACTER, lexer->at - 1, "this byte is not text", "save the file as UTF-8 text");
    lexer->at = end;
}

static void lexer_skip_hash_comment(Lexer* lexer, Token* token)
{
    uint32_t start = lexer->at++;
    lexer_report(lexer, token, K_FOREIGN_OPERATOR, start, "comments start with `//`", "write `//` instead of `#`");
    lexer_skip_line(lexer);
}

// Skips blanks, and comments unless they are wanted. True if it stopped at a comment.
static bool lexer_skip_blank(Lexer* lexer, Token* token)
{
    while (lexer->at < lexer->length)
    {
        char c = lexer->text[lexer->at], next = lexer_peek(lexer, 1);
        if (c == ' ' || c == '\t')
            lexer->at++;
        else if (c == '/' && next == '/')
        {
            if (lexer->keep_comments)
                return true;
            lexer_skip_comment(lexer, token);
        }
        else if (c == '/' && next == '*')
            lexer_skip_block_comment(lexer, token);
        else if (c == '#')
            lexer_skip_hash_comment(lexer, token);
        else if (!lexer_break(lexer, token))
            return false;
    }
    return false;
}

// ---- words

// “ ” „ « »: what a word processor makes of quotes.
static bool is_curly_quote(uint32_t code_point)
{
    return code_point == 0x201C || code_point == 0x201D || code_point == 0x201E || code_point == 0xAB ||
           code_point == 0xBB;
}

// The digit that ⁰ … ⁹ is, -1 for ⁻, -2 for anything else.
static int raised_digit(uint32_t code_point)
{
    switch (code_point)
    {
    case 0x207B: return -1;
    case 0xB9: return 1;
    case 0xB2: return 2;
    case 0xB3: return 3;
    default:
        return code_point == 0x2070 || (code_point >= 0x2074 && code_point <= 0x2079) ? (int)(code_point - 0x2070) : -2;
    }
}

// Letters that only units have: µ (two of them), Ω (two of them) and the degree.
static bool is_unit_letter(uint32_t code_point)
{
    return code_point == 0xB5 || code_point == 0x3BC || code_point == 0x3A9 || code_point == 0x2126 ||
           code_point == 0xB0;
}

// Letters, digits and foreign characters that are not the look-alike of a sign.
static bool lexer_extend_word(Lexer* lexer, bool* foreign)
{
    char c = lexer_peek(lexer, 0);
    if (is_letter(c) || is_digit(c) || (c == '$' && lexer->made))
        return lexer->at++, true;
    uint32_t code_point;
    size_t length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
    if (!is_foreign(c) || length == 0)
        return false;
    bool unit = lexer->in_bracket && is_unit_letter(code_point);
    if (!unit && (slip_lookalike(code_point) || is_curly_quote(code_point) ||
                  (lexer->in_bracket && raised_digit(code_point) >= -1)))
        return false;
    lexer->at += (uint32_t)length;
    *foreign |= !unit;
    return true;
}

static TokenKind lexer_word_kind(const char* text, size_t length)
{
    for (int kind = TOKEN_FIRST_WORD; kind < TOKEN_COUNT; kind++)
        if (token_texts[kind][0] == text[0] && strlen(token_texts[kind]) == length &&
            memcmp(token_texts[kind], text, length) == 0)
            return (TokenKind)kind;
    return TOKEN_NAME;
}

static void lexer_word(Lexer* lexer, Token* token)
{
    bool foreign = false;
    while (lexer_extend_word(lexer, &foreign))
        ;
    token->kind = lexer_word_kind(lexer->text + token->start, lexer->at - token->start);
    if (!foreign)
        return;
    char spelt[SPELLING_SIZE], help[SPELLING_SIZE + 80];
    bool known = spelling_ascii(lexer->text + token->start, lexer->at - token->start, spelt);
    if (known)
        snprintf(help, sizeof help, "in ASCII it is `%s`; strings and comments may hold any character", spelt);
    else
        snprintf(help, sizeof help,
                 "spell it in ASCII, for example `omega`; strings and comments may hold any character");
    lexer_report(lexer, token, K_BAD_CHARACTER, token->start,
                 "a name is made of the letters a-z and A-Z, digits and `_`", help);
}

// ---- numbers

static bool lexer_exponent(Lexer* lexer)
{
    if (lexer_peek(lexer, 0) != 'e' && lexer_peek(lexer, 0) != 'E')
        return true;
    uint32_t sign = lexer_peek(lexer, 1) == '-' || lexer_peek(lexer, 1) == '+';
    if (!is_digit(lexer_peek(lexer, 1 + sign)))
        return lexer->at++, false;
    lexer->at += 1 + sign;
    while (is_digit(lexer_peek(lexer, 0)))
        lexer->at++;
    return true;
}

// What runs on after a number: letters, digits and points, but not the `..` of a range.
static bool lexer_number_tail(Lexer* lexer)
{
    uint32_t start = lexer->at;
    bool foreign = false;
    while (lexer_extend_word(lexer, &foreign) || (lexer_peek(lexer, 0) == '.' && lexer_peek(lexer, 1) != '.'))
        if (lexer_peek(lexer, 0) == '.' && lexer_peek(lexer, 1) != '.')
            lexer->at++;
    return lexer->at > start;
}

// Numbers as other languages write them: 1e-3f, 0x1F, 1_000, 1e0.5, 3j, 2π.
static const char* foreign_number(const char* number, int before, int letters, char* text, size_t size)
{
    const char* tail = number + before;
    bool exponent = memchr(number, 'e', (size_t)before) || memchr(number, 'E', (size_t)before);
    if (before > 20 || letters > 20)
        return NULL;
    if (before == 1 && number[0] == '0' && (tail[0] == 'x' || tail[0] == 'X' || tail[0] == 'b'))
        return "numbers are written in decimal";
    if (tail[0] == '_')
        return "digits stand together: `1000000`, or `1e6`";
    if (exponent && tail[0] == '.')
        return "an exponent is a whole number; a power is `10^2.5`";
    if (letters == 1 && (tail[0] == 'i' || tail[0] == 'j'))
        return "there are no complex numbers: write the real and the imaginary part";
    if (letters == 1 && ((exponent && strchr("fFdDlL", tail[0])) || strchr("FL", tail[0])))
        return snprintf(text, size, "write `%.*s`", before, number), text;
    char spelt[SPELLING_SIZE];
    if (is_foreign(tail[0]) && spelling_ascii(tail, (size_t)letters, spelt))
        return snprintf(text, size, "a product is `%.*s*%s`, in ASCII", before, number, spelt), text;
    return NULL;
}

// What letters behind a number mean elsewhere: the factors of SPICE, or a unit without its brackets.
static const char* number_advice(const Lexer* lexer, uint32_t start, uint32_t digits, char* text, size_t size)
{
    static const char* const factors[][2] = {{"T", "e12"},  {"G", "e9"},  {"meg", "e6"}, {"Meg", "e6"},
                                             {"MEG", "e6"}, {"k", "e3"},  {"K", "e3"},   {"m", "e-3"},
                                             {"u", "e-6"},  {"n", "e-9"}, {"p", "e-12"}, {"f", "e-15"}};
    int before = (int)(digits - start), letters = (int)(lexer->at - digits);
    const char *number = lexer->text + start, *tail = lexer->text + digits;
    const char* foreign = foreign_number(number, before, letters, text, size);
    if (foreign)
        return foreign;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if ((int)strlen(factors[i][0]) == letters && strncmp(factors[i][0], tail, (size_t)letters) == 0)
        {
            snprintf(text, size, "write `%.*s%s`, or with its unit, as `%.*s[%sOhm]` or `%.*s[mm]`",
                     before > 20 ? 20 : before, number, factors[i][1], before > 20 ? 20 : before, number,
                     letters == 1 && tail[0] != 'f' && tail[0] != 'K' ? (char[]){tail[0], 0} : "k",
                     before > 20 ? 20 : before, number);
            return text;
        }
    if (letters > 20 || before > 20)
        return "a unit is written `5[s]`, a product `5*s`";
    if (is_foreign(tail[0]))
        return snprintf(text, size, "a unit is written `%.*s[%.*s]`", before, number, letters, tail), text;
    snprintf(text, size, "a unit is written `%.*s[%.*s]`, a product `%.*s*%.*s`", before, number, letters, tail, before,
             number, letters, tail);
    return text;
}

static const char* point_advice(const Lexer* lexer, uint32_t start, char* text, size_t size)
{
    int before = (int)(lexer->at - start);
    if (before > 20)
        return "a digit follows the point: `2.0`";
    snprintf(text, size, "a digit follows the point: `%.*s0`", before, lexer->text + start);
    return text;
}

// Digits that a double holds exactly, times or by a power of ten that it holds too: one rounding, to the nearest
// double, as strtod finds it. False: strtod has to.
static bool short_number(const char* at, const char* end, double* value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum
    {
        DIGITS_MOST = 15,
        POWER_MOST = 22
    };
    int64_t digits = 0;
    int count = 0, power = 0, exponent = 0;
    bool behind = false;
    for (; at < end && (is_digit(*at) || *at == '.') && count <= DIGITS_MOST; at++)
    {
        behind |= *at == '.';
        if (*at == '.')
            continue;
        digits = 10 * digits + (*at - '0');
        count += digits > 0;
        power -= behind;
    }
    bool small = at < end && at[1] == '-', has = at < end && (*at == 'e' || *at == 'E');
    if (count > DIGITS_MOST || (at < end && !has) || FLT_EVAL_METHOD != 0)
        return false;
    for (at += has ? 1 + (small || at[1] == '+') : 0; at < end && exponent <= POWER_MOST; at++)
        exponent = 10 * exponent + (*at - '0');
    power += small ? -exponent : exponent;
    if (at < end || power < -POWER_MOST || power > POWER_MOST)
        return false;
    *value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

static void lexer_number(Lexer* lexer, Token* token)
{
    const char* help = NULL;
    char advice[160];
    token->kind = TOKEN_NUMBER;
    while (is_digit(lexer_peek(lexer, 0)))
        lexer->at++;
    if (lexer_peek(lexer, 0) == '.' && lexer_peek(lexer, 1) != '.')
    {
        lexer->at++;
        if (!is_digit(lexer_peek(lexer, 0)))
            help = point_advice(lexer, token->start, advice, sizeof advice);
        while (is_digit(lexer_peek(lexer, 0)))
            lexer->at++;
    }
    uint32_t mantissa = lexer->at;
    if (!lexer_exponent(lexer))
        help = "an exponent has digits, for example `1e-3`";
    uint32_t digits = lexer->at;
    bool tail = lexer_number_tail(lexer);
    if (tail && !help && lexer->text[mantissa] == '.')
        help = "a number has one point; a range is written `1..9`";
    else if (tail && !help)
        help = number_advice(lexer, token->start, digits, advice, sizeof advice);
    const char* text = lexer->text + token->start;
    if (help || !short_number(text, lexer->text + digits, &token->number))
        token->number = strtod_l(text, NULL, lexer->locale);
    if (help)
        lexer_report(lexer, token, K_BAD_NUMBER, token->start, "this is not a number", help);
    else if (isinf(token->number))
        lexer_report(lexer, token, K_BAD_NUMBER, token->start, "this number is too large",
                     "the largest is about 1.8e308; `inf` is infinity");
}

// ---- strings

static bool lexer_escape_known(char c)
{
    return c == '"' || c == '\\' || c == 'n' || c == 't';
}

static void lexer_escape(Lexer* lexer, Token* token)
{
    uint32_t start = lexer->at++;
    char c = lexer_peek(lexer, 0);
    if (lexer->at >= lexer->length || c == '\n' || c == '\r')
        return;
    bool known = lexer_escape_known(c);
    lexer->at += known || !is_foreign(c) ? 1 : 0;
    if (!known)
        lexer_report(lexer, token, K_BAD_STRING, start, "a string has the escapes \\\" \\\\ \\n and \\t only",
                     "write `\\\\` for a backslash");
}

// A run of bytes in a string that is not text: malformed UTF-8 or 0.
static void lexer_bad_text(Lexer* lexer, Token* token, bool* reported)
{
    uint32_t start = lexer->at, code_point;
    while (lexer->at < lexer->length && (lexer->text[lexer->at] == '\0' || is_foreign(lexer->text[lexer->at])) &&
           (lexer->text[lexer->at] == '\0' ||
            utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point) == 0))
        lexer->at++;
    if (!*reported)
        lexer_report(lexer, token, K_BAD_CHARACTER, start, "these bytes are not text in UTF-8",
                     "save the file as UTF-8");
    *reported = true;
}

static void lexer_string_token(Lexer* lexer, Token* token)
{
    bool reported = false;
    token->kind = TOKEN_STRING;
    lexer->at++;
    while (lexer->at < lexer->length)
    {
        char c = lexer->text[lexer->at];
        uint32_t code_point;
        size_t length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
        if (c == '"')
        {
            lexer->at++;
            return;
        }
        if (c == '\n' || c == '\r')
            break;
        if (c == '\\')
            lexer_escape(lexer, token);
        else if (length == 0 || c == '\0')
            lexer_bad_text(lexer, token, &reported);
        else
            lexer->at += (uint32_t)length;
    }
    uint32_t end = lexer->at;
    lexer->at = token->start + 1;
    lexer_report(lexer, token, K_BAD_STRING, token->start, "this string is not closed on its line",
                 "end it with `\"`; write `\\n` for a line break inside it");
    lexer->at = end;
}

const char* lexer_string(const Lexer* lexer, Token token, Arena* arena)
{
    const char* from = lexer->text + token.start + 1;
    const char* end = lexer->text + token.end;
    if (end > from && end[-1] == '"')
        end--;
    char *text = arena_alloc(arena, (size_t)(end - from) + 1), *to = text;
    for (; from < end; from++)
    {
        if (*from == '\\' && from + 1 < end && lexer_escape_known(from[1]))
        {
            from++;
            *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
        }
        else if (*from != '\0')
            *to++ = *from;
    }
    return text;
}

// ---- signs

static TokenKind lexer_sign_kind(const Lexer* lexer, uint32_t* length)
{
    const char first = lexer_peek(lexer, 0), second = lexer_peek(lexer, 1);
    int single = TOKEN_END;
    for (int kind = TOKEN_LEFT_PAREN; kind < TOKEN_FIRST_WORD; kind++)
    {
        if (token_texts[kind][0] != first)
            continue;
        if (token_texts[kind][1] == 0)
            single = kind;
        else if (token_texts[kind][1] == second)  // two characters go before one
            return *length = 2, (TokenKind)kind;
    }
    *length = 1;
    return (TokenKind)single;
}

// Behind a `%`: words up to the end of the line, as in a comment of MATLAB.
static bool lexer_looks_like_comment(const Lexer* lexer)
{
    uint32_t at = lexer->at + 1;
    int words = 0;
    for (bool inside = false; at < lexer->length && lexer->text[at] != '\n' && lexer->text[at] != '\r'; at++)
    {
        char c = lexer->text[at];
        if (strchr("{}=;<>*/^()", c))
            return false;
        words += !inside && is_letter(c);
        inside = is_letter(c) || is_digit(c);
    }
    return words > 1 || (words == 1 && lexer_peek(lexer, 1) == '%');
}

static bool lexer_slip(Lexer* lexer, Token* token)
{
    size_t length;
    const Slip* slip = slip_find(lexer->text + lexer->at, lexer->length - lexer->at, &length);
    if (!slip)
        return false;
    bool comment = lexer_peek(lexer, 0) == '%' && lexer_looks_like_comment(lexer);
    lexer->at += (uint32_t)length;
    if (comment)
    {
        lexer_report(lexer, token, K_FOREIGN_OPERATOR, token->start, "comments start with `//`",
                     "write `//` instead of `%`");
        lexer_skip_line(lexer);
        *token = lexer_next(lexer);
        token->suspect = true;
        return true;
    }
    token->kind = slip->meant;
    lexer_report(lexer, token, is_foreign(lexer->text[token->start]) ? K_BAD_CHARACTER : K_FOREIGN_OPERATOR,
                 token->start, slip->message, slip->help);
    return true;
}

static bool lexer_sign(Lexer* lexer, Token* token)
{
    if (lexer_slip(lexer, token))
        return true;
    uint32_t length;
    TokenKind kind = lexer_sign_kind(lexer, &length);
    if (kind == TOKEN_END)
        return false;
    token->kind = kind;
    lexer->at += length;
    return true;
}

// Can anything start here? Bytes for which this is false are reported together.
static bool lexer_can_start(const Lexer* lexer)
{
    char c = lexer->text[lexer->at];
    uint32_t code_point, length;
    if (is_foreign(c))
        return utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point) > 0;
    return is_letter(c) || is_digit(c) || c == '"' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#' ||
           lexer_sign_kind(lexer, &length) != TOKEN_END || slip_starts(c);
}

// What editors of Windows call Unicode.
static bool lexer_is_utf16(const Lexer* lexer)
{
    return lexer->at == 0 && lexer->length >= 2 &&
           (memcmp(lexer->text, "\xFF\xFE", 2) == 0 || memcmp(lexer->text, "\xFE\xFF", 2) == 0);
}

static void lexer_skip_noise(Lexer* lexer, Token* token)
{
    uint32_t start = lexer->at;
    if (lexer_is_utf16(lexer))
    {
        lexer->at = 2;
        lexer_report(lexer, token, K_BAD_CHARACTER, start, "this text is in UTF-16", "save the file as UTF-8 text");
        lexer->at = lexer->length;
        return;
    }
    bool printable = lexer->text[start] > ' ' && lexer->text[start] < 0x7F;
    do
        lexer->at++;
    while (lexer->at < lexer->length && !lexer_can_start(lexer));
    if (printable)
        lexer_report(lexer, token, K_BAD_CHARACTER, start, "this character has no meaning in a model",
                     "remove it; comments start with `//`");
    else
        lexer_report(lexer, token, K_BAD_CHARACTER, start, "these bytes are not text", "save the file as UTF-8 text");
}

static bool lexer_raised(Lexer* lexer, Token* token)
{
    uint32_t code_point;
    int number = 0, sign = 1;
    for (;;)
    {
        size_t length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
        int digit = length > 0 ? raised_digit(code_point) : -2;
        if (digit == -2 || number > 99)
            break;
        sign = digit == -1 ? -1 : sign;
        number = digit == -1 ? number : 10 * number + digit;
        lexer->at += (uint32_t)length;
    }
    token->kind = TOKEN_RAISED;
    token->number = sign * number;
    return lexer->at > token->start;
}

// What has a meaning inside the brackets of a unit only: exponents as people write them, the times sign, percent.
static bool lexer_unit_token(Lexer* lexer, Token* token)
{
    char next = lexer_peek(lexer, 1);
    uint32_t code_point = 0;
    size_t length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
    if (lexer->text[lexer->at] == '%' && (next == ']' || next == '/' || next == '*'))
        return lexer->at++, token->kind = TOKEN_NAME, true;
    if (length > 1 && (code_point == 0xB7 || code_point == 0x22C5))
        return lexer->at += (uint32_t)length, token->kind = TOKEN_STAR, true;
    if (length > 1 && is_unit_letter(code_point))
        return lexer_word(lexer, token), true;
    return length > 1 && lexer_raised(lexer, token);
}

static bool lexer_curly_string(Lexer* lexer, Token* token)
{
    uint32_t code_point;
    size_t length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
    if (length < 2 || !is_curly_quote(code_point))
        return false;
    bool closed = false;
    for (lexer->at += (uint32_t)length; lexer->at < lexer->length && !closed; lexer->at += (uint32_t)length)
    {
        char c = lexer->text[lexer->at];
        if (c == '\n' || c == '\r')
            break;
        length = utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point);
        closed = c == '"' || (length > 1 && is_curly_quote(code_point));
        length = length > 0 ? length : 1;
    }
    token->kind = TOKEN_STRING;
    lexer_report(lexer, token, K_BAD_STRING, token->start, "a text stands in straight quotes", "write `\"…\"`");
    return true;
}

static bool lexer_token(Lexer* lexer, Token* token)
{
    char c = lexer->text[lexer->at];
    token->start = lexer->at;
    if (lexer->in_bracket && (c == '%' || is_foreign(c)) && lexer_unit_token(lexer, token))
        return true;
    if (is_letter(c) || (c == '$' && lexer->made))
        return lexer_word(lexer, token), true;
    if (is_digit(c) || (c == '.' && is_digit(lexer_peek(lexer, 1))))
        return lexer_number(lexer, token), true;
    if (c == '"')
        return lexer_string_token(lexer, token), true;
    if (lexer_sign(lexer, token))
        return true;
    uint32_t code_point;
    if (is_foreign(c) && lexer_curly_string(lexer, token))
        return true;
    if (is_foreign(c) && utf8_length(lexer->text + lexer->at, lexer->length - lexer->at, &code_point) > 0)
        return lexer_word(lexer, token), true;
    return false;
}

Token lexer_next(Lexer* lexer)
{
    Token token = {.kind = TOKEN_END};
    for (;;)
    {
        bool comment = lexer_skip_blank(lexer, &token);
        token.start = lexer->at;
        if (comment)
        {
            lexer_skip_line(lexer);
            token.kind = TOKEN_COMMENT;
            break;
        }
        if (lexer->at >= lexer->length || lexer_token(lexer, &token))
            break;
        lexer_skip_noise(lexer, &token);
    }
    token.end = lexer->at;
    lexer->in_bracket = token.kind == TOKEN_LEFT_BRACKET || (lexer->in_bracket && token.kind != TOKEN_RIGHT_BRACKET);
    if (lexer->first && token.breaks == 0)
        token.breaks = 1;
    lexer->first = false;
    return token;
}
