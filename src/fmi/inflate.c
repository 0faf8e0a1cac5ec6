// See inflate.h. Codes are decoded bit by bit along the counts of their lengths, as in Mark Adler's puff: short, and an
// FMU is read once. Nothing is written past `room`, nothing read past `size`, whatever the bytes say.
#include "fmi/inflate.h"

#include <string.h>

enum
{
    BITS_MOST = 15,
    LITERALS = 288,
    DISTANCES = 30,
    LENGTH_CODES = 19,
};

typedef struct Stream
{
    const uint8_t* from;
    size_t size, at;
    uint8_t* to;
    size_t room, made;
    uint32_t bits, bit_count;
    bool broken;
} Stream;

// How many codes there are of each length, and the symbols in the order of their codes.
typedef struct Codes
{
    uint16_t count[BITS_MOST + 1];
    uint16_t symbols[LITERALS];
} Codes;

static uint32_t take(Stream* s, uint32_t count)
{
    while (s->bit_count < count)
    {
        s->broken |= s->at == s->size;
        uint32_t next = s->broken ? 0 : s->from[s->at++];
        s->bits |= next << s->bit_count;
        s->bit_count += 8;
    }
    uint32_t value = s->bits & ((1u << count) - 1);
    s->bits >>= count;
    s->bit_count -= count;
    return value;
}

static void put(Stream* s, uint8_t byte)
{
    if (s->made == s->room)
        s->broken = true;
    else
        s->to[s->made++] = byte;
}

// False: more codes than their lengths leave room for.
static bool make_codes(Codes* c, const uint8_t* lengths, int count)
{
    uint16_t offsets[BITS_MOST + 1] = {0};
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < count; i++)
        c->count[lengths[i]]++;
    int left = 1;
    for (int length = 1; length <= BITS_MOST; length++)
    {
        left = 2 * left - c->count[length];
        if (left < 0)
            return false;
        if (length < BITS_MOST)
            offsets[length + 1] = (uint16_t)(offsets[length] + c->count[length]);
    }
    for (int i = 0; i < count; i++)
        if (lengths[i] != 0)
            c->symbols[offsets[lengths[i]]++] = (uint16_t)i;
    return true;
}

static int decode(Stream* s, const Codes* c)
{
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= BITS_MOST && !s->broken; length++)
    {
        code |= (int)take(s, 1);
        int count = c->count[length];
        if (code - count < first)
            return c->symbols[index + (code - first)];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    s->broken = true;
    return 0;
}

static void copy_back(Stream* s, size_t distance, size_t length)
{
    if (distance > s->made || length > s->room - s->made)
        s->broken = true;
    for (size_t i = 0; i < length && !s->broken; i++, s->made++)
        s->to[s->made] = s->to[s->made - distance];
}

static void codes_block(Stream* s, const Codes* literals, const Codes* distances)
{
    static const uint16_t lengths[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t ways[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!s->broken)
    {
        int symbol = decode(s, literals);
        if (symbol == 256)
            return;
        if (symbol < 256)
        {
            put(s, (uint8_t)symbol);
            continue;
        }
        symbol -= 257;
        s->broken |= symbol >= 29;
        size_t length = s->broken ? 0 : lengths[symbol] + take(s, length_bits[symbol]);
        int way = s->broken ? 0 : decode(s, distances);
        s->broken |= way >= 30;
        if (!s->broken)
            copy_back(s, ways[way] + take(s, way < 4 ? 0 : (uint32_t)(way / 2 - 1)), length);
    }
}

static void stored_block(Stream* s)
{
    s->bits = s->bit_count = 0;
    if (s->size - s->at < 4)
    {
        s->broken = true;
        return;
    }
    size_t length = s->from[s->at] | (size_t)s->from[s->at + 1] << 8;
    size_t check = s->from[s->at + 2] | (size_t)s->from[s->at + 3] << 8;
    s->at += 4;
    if (length != (~check & 0xffff) || length > s->size - s->at || length > s->room - s->made)
    {
        s->broken = true;
        return;
    }
    if (length > 0)
        memcpy(s->to + s->made, s->from + s->at, length);
    s->at += length;
    s->made += length;
}

static void fixed_block(Stream* s)
{
    uint8_t lengths[LITERALS];
    Codes literals, distances;
    for (int i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_codes(&literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_codes(&distances, lengths, DISTANCES);
    codes_block(s, &literals, &distances);
}

// The lengths of the codes of a block, themselves coded.
static bool read_lengths(Stream* s, const Codes* codes, uint8_t* lengths, int count)
{
    for (int i = 0; i < count && !s->broken;)
    {
        int symbol = decode(s, codes);
        if (symbol < 16)
        {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        uint8_t last = symbol == 16 && i > 0 ? lengths[i - 1] : 0;
        int repeat = symbol == 16 ? 3 + (int)take(s, 2) : symbol == 17 ? 3 + (int)take(s, 3) : 11 + (int)take(s, 7);
        if ((symbol == 16 && i == 0) || i + repeat > count)
            return false;
        while (repeat-- > 0)
            lengths[i++] = last;
    }
    return !s->broken;
}

static void dynamic_block(Stream* s)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + 32] = {0}, small[LENGTH_CODES] = {0};
    Codes codes, distances;
    int literal_count = 257 + (int)take(s, 5), distance_count = 1 + (int)take(s, 5), count = 4 + (int)take(s, 4);
    for (int i = 0; i < count; i++)
        small[order[i]] = (uint8_t)take(s, 3);
    bool fine = literal_count <= 286 && distance_count <= DISTANCES && make_codes(&codes, small, LENGTH_CODES) &&
                read_lengths(s, &codes, lengths, literal_count + distance_count) && lengths[256] != 0;
    fine = fine && make_codes(&codes, lengths, literal_count) &&
           make_codes(&distances, lengths + literal_count, distance_count);
    if (fine)
        codes_block(s, &codes, &distances);
    else
        s->broken = true;
}

bool inflate_bytes(const uint8_t* from, size_t size, uint8_t* to, size_t room)
{
    Stream s = {.from = from, .size = size, .to = to, .room = room};
    bool last = false;
    while (!last && !s.broken)
    {
        last = take(&s, 1) != 0;
        switch (take(&s, 2))
        {
        case 0: stored_block(&s); break;
        case 1: fixed_block(&s); break;
        case 2: dynamic_block(&s); break;
        default: s.broken = true;
        }
    }
    return !s.broken && s.made == room;
}
