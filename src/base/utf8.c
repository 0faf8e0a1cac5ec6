// UTF-8 without tables: decoding one character, counting many.
#include "base/utf8.h"

#include <string.h>

static size_t utf8_expected(unsigned char lead, uint32_t* bits)
{
    if (lead < 0x80)
        return *bits = lead, (size_t)1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return *bits = lead & 0x1Fu, (size_t)2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return *bits = lead & 0x0Fu, (size_t)3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return *bits = lead & 0x07u, (size_t)4;
    return 0;
}

size_t utf8_length(const char* text, size_t available, uint32_t* code_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t length = available > 0 ? utf8_expected((unsigned char)text[0], &value) : 0;
    if (length == 0 || length > available)
        return 0;
    for (size_t i = 1; i < length; i++)
    {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3Fu);
    }
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return length;
}

// The bytes of a word that start a character: all but those of the form 10xxxxxx.
static size_t utf8_count_word(const char* text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    uint64_t continuation = word >> 7 & ~word >> 6 & 0x0101010101010101u;
    return 8 - (size_t)(continuation * 0x0101010101010101u >> 56);
}

static size_t utf8_starts(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t utf8_count(const char* text, size_t length)
{
    size_t count = 0, i = 0;
    for (; i + 8 <= length; i += 8)
        count += utf8_count_word(text + i);
    for (; i < length; i++)
        count += utf8_starts(text[i]);
    return count;
}

size_t utf8_offset(const char* text, size_t length, size_t count)
{
    size_t i = 0, seen = 0;
    for (; i + 8 <= length; i += 8)
    {
        size_t more = utf8_count_word(text + i);
        if (seen + more > count)
            break;
        seen += more;
    }
    for (; i < length; i++)
    {
        seen += utf8_starts(text[i]);
        if (seen > count)
            break;
    }
    return i;
}
