// The table of slips. Only what the grammar never allows side by side is one: `x =-3` and `a <-b` are fine.
#include "lang/slips.h"
#include "base/utf8.h"

#include <string.h>

static const Slip slips[] = {
    {"&&", TOKEN_AND, "`&&` is not an operator here", "write `and`"},
    {"||", TOKEN_OR, "`||` is not an operator here", "write `or`"},
    {"===", TOKEN_EQ, "`===` is not an operator here", "write `==`"},
    {"!==", TOKEN_NE, "`!==` is not an operator here", "write `!=`"},
    {"=<", TOKEN_LE, "`=<` is not an operator", "write `<=`"},
    {"=>", TOKEN_GE, "`=>` is not an operator", "write `>=` to compare, `->` for a transition"},
    {"<>", TOKEN_NE, "`<>` is not an operator here", "write `!=`"},
    {"~=", TOKEN_NE, "`~=` is not an operator here", "write `!=`"},
    {"**", TOKEN_CARET, "`**` is not an operator here", "write `^` for a power"},
    {".^", TOKEN_CARET, "`.^` is not an operator here", "write `^`; an array is computed element by element in `for`"},
    {".*", TOKEN_STAR, "`.*` is not an operator here", "write `*`; an array is computed element by element in `for`"},
    {"./", TOKEN_SLASH, "`./` is not an operator here", "write `/`; an array is computed element by element in `for`"},
    {"+=", TOKEN_ASSIGN, "`+=` is not an operator here", "write `x := x + …`"},
    {"-=", TOKEN_ASSIGN, "`-=` is not an operator here", "write `x := x - …`"},
    {"*=", TOKEN_ASSIGN, "`*=` is not an operator here", "write `x := x*…`"},
    {"/=", TOKEN_ASSIGN, "`/=` is not an operator here", "write `x := x/…`; `!=` means different"},
};

// One character each, tried when nothing of the language matches.
static const Slip slips_single[] = {
    {"!", TOKEN_NOT, "`!` is not an operator here", "write `not`"},
    {"&", TOKEN_AND, "`&` is not an operator here", "write `and`"},
    {"|", TOKEN_OR, "`|` is not an operator here", "write `or`"},
    {"%", TOKEN_STAR, "`%` is not an operator here",
     "the remainder is `mod(a, b)`, a unit `50[%]`, and comments start with `//`"},
    {"?", TOKEN_THEN, "`?` is not an operator here", "a choice is written `if condition then a else b`"},
    {"\u2212", TOKEN_MINUS, "this minus sign is not the ASCII one", "write `-`"},
    {"\u2013", TOKEN_MINUS, "this is a dash, not a minus sign", "write `-`"},
    {"\u2192", TOKEN_ARROW, "an arrow is written in ASCII", "write `->`"},
    {"\u2264", TOKEN_LE, "comparisons are written in ASCII", "write `<=`"},
    {"\u2265", TOKEN_GE, "comparisons are written in ASCII", "write `>=`"},
    {"\u2260", TOKEN_NE, "comparisons are written in ASCII", "write `!=`"},
    {"\u00D7", TOKEN_STAR, "this times sign is not the ASCII one", "write `*`"},
    {"\u00B7", TOKEN_STAR, "this times sign is not the ASCII one", "write `*`"},
    {"\u22C5", TOKEN_STAR, "this times sign is not the ASCII one", "write `*`"},
    {"\u00F7", TOKEN_SLASH, "this division sign is not the ASCII one", "write `/`"},
    {"\u00B1", TOKEN_WITHIN, "`±` is not an operator here", "a tolerance is written `expect x ~ 2 within 0.1`"},
    {"\u2032", TOKEN_PRIME, "this prime is not the ASCII one", "write `'`"},
    {"\u2019", TOKEN_PRIME, "this apostrophe is not the ASCII one", "write `'`"},
};

enum
{
    SLIPS = sizeof slips / sizeof *slips,
    SINGLES = sizeof slips_single / sizeof *slips_single,
};

static bool slip_matches(const Slip* slip, const char* text, size_t available, size_t* length)
{
    if (slip->text[0] != text[0])
        return false;
    *length = strlen(slip->text);
    return *length <= available && memcmp(slip->text, text, *length) == 0;
}

const Slip* slip_find(const char* text, size_t available, size_t* length)
{
    for (size_t i = 0; i < SLIPS; i++)
        if (slip_matches(&slips[i], text, available, length))
            return &slips[i];
    if (text[0] == '!' && available > 1 && text[1] == '=')
        return NULL;
    for (size_t i = 0; i < SINGLES; i++)
        if (slip_matches(&slips_single[i], text, available, length))
            return &slips_single[i];
    return NULL;
}

bool slip_starts(char c)
{
    return c == '!' || c == '&' || c == '|' || c == '%' || c == '?';
}

bool slip_lookalike(uint32_t code_point)
{
    for (size_t i = 0; i < SINGLES; i++)
    {
        uint32_t own;
        if (utf8_length(slips_single[i].text, strlen(slips_single[i].text), &own) > 1 && own == code_point)
            return true;
    }
    return false;
}
