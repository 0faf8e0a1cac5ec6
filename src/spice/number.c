// Numbers of SPICE: 4.7k, 10uF, 1meg, 5V. Digits are kept as written, the factor becomes an exponent.
#include "spice/netlist.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Factor
{
    const char* name;
    int exponent;
    double times;
} Factor;

static const Factor factors[] = {
    {"meg", 6, 1}, {"mil", -6, 25.4},   {"t", 12, 1},    {"g", 9, 1},  {"k", 3, 1},   {"m", -3, 1},
    {"u", -6, 1},  {"\xC2\xB5", -6, 1}, {"\xB5", -6, 1}, {"n", -9, 1}, {"p", -12, 1}, {"f", -15, 1},
};

static size_t digits_of(const char* text, size_t length)
{
    size_t i = 0, digits = 0;
    while (i < length && (isdigit((unsigned char)text[i]) || text[i] == '.'))
        digits += isdigit((unsigned char)text[i++]) != 0;
    return digits > 0 ? i : 0;
}

static size_t exponent_of(const char* text, size_t length, int* exponent)
{
    size_t i = 1;
    if (length < 2 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    i += text[i] == '+' || text[i] == '-';
    size_t first = i;
    while (i < length && isdigit((unsigned char)text[i]))
        i++;
    if (i == first || i - first > 4)
        return 0;
    *exponent = atoi(text + 1);
    return i;
}

static const Factor* factor_of(const char* text, size_t length)
{
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    {
        size_t own = strlen(factors[i].name);
        if (own <= length && strncasecmp(text, factors[i].name, own) == 0)
            return &factors[i];
    }
    return NULL;
}

// "5." and "1.2.3" are written differently in Kairos, or not at all.
static bool is_plain(const char* text, size_t length)
{
    size_t points = 0;
    for (size_t i = 0; i < length; i++)
        points += text[i] == '.';
    return points <= 1;
}

bool number_read(Arena* arena, const char* text, size_t length, size_t* used, Formula* formula)
{
    size_t at = digits_of(text, length), digits = at;
    int exponent = 0;
    if (at == 0 || !is_plain(text, at))
        return false;
    at += exponent_of(text + at, length - at, &exponent);
    const Factor* factor = factor_of(text + at, length - at);
    at += factor != NULL ? strlen(factor->name) : 0;
    while (at < length && (isalpha((unsigned char)text[at]) || (unsigned char)text[at] >= 0x80))
        at++;  // the unit
    if (at < length && (isdigit((unsigned char)text[at]) || text[at] == '.' || text[at] == '_'))
        return false;  // 4k7
    while (digits > 1 && text[digits - 1] == '.')
        digits--;
    exponent += factor != NULL ? factor->exponent : 0;
    const char* mantissa = arena_copy_string(arena, text, digits);
    if (factor != NULL && factor->times != 1)
        mantissa = arena_printf(arena, "%.15g", factor->times * strtod(mantissa, NULL));
    formula->text = exponent != 0 ? arena_printf(arena, "%se%d", mantissa, exponent) : mantissa;
    formula->value = strtod(formula->text, NULL);
    *used = at;
    return isfinite(formula->value);
}
