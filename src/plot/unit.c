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

void unit_text(const char* unit, char* text, size_t size)
{
    text[0] = 0;
    if (unit == NULL || unit[0] == 0)
        return;
    size_t length = add(text, size, 0, "[");
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
