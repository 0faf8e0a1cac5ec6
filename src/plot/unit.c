// See unit.h.
#include "plot/unit.h"

#include "plot/ticks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t add(char* text, size_t size, size_t length, const char* piece)
{
    snprintf(text + length, size - length, "%s", piece);
    return strlen(text);
}

bool unit_takes_prefix(const char* unit)
{
    static const char* const symbols[] = {"m", "s", "A",  "N", "Pa", "J",  "W",   "C", "V",
                                          "F", "S", "Wb", "T", "H",  "Hz", "Ohm", "Ω", "Nm"};
    size_t length = unit != NULL ? strcspn(unit, "*/^") : 0;
    if (length == 0 || unit[length] == '^')
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strlen(symbols[i]) == length && strncmp(symbols[i], unit, length) == 0)
            return true;
    return false;
}

static const char* prefix_of(int exponent)
{
    static const char* const prefixes[] = {"f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
    int index = exponent / 3 + 5;
    return index >= 0 && index < (int)(sizeof prefixes / sizeof *prefixes) ? prefixes[index] : "";
}

void unit_text(const char* unit, int exponent, char* text, size_t size)
{
    text[0] = 0;
    if (unit == NULL || unit[0] == 0)
        return;
    size_t length = add(text, size, 0, "[");
    length = add(text, size, length, prefix_of(exponent));
    while (*unit != 0 && length + 8 < size)
    {
        if (*unit == '^')
        {
            char raised[32], *end;
            ticks_raised((int)strtol(unit + 1, &end, 10), raised, sizeof raised);
            length = add(text, size, length, raised);
            unit = end > unit + 1 ? end : unit + 1;
        }
        else if (*unit == '*')
        {
            length = add(text, size, length, "·");
            unit++;
        }
        else if (strncmp(unit, "Ohm", 3) == 0)
        {
            length = add(text, size, length, "Ω");
            unit += 3;
        }
        else
        {
            const char one[] = {*unit++, 0};
            length = add(text, size, length, one);
        }
    }
    add(text, size, length, "]");
}
