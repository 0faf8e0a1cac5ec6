// Doubles as text, shortest form: printf("%.17g") takes 300 ns a number, as much as half an event of a simulation, and
// prints digits that say nothing.
//
// Method: R. Giulietti, "The Schubfach way to render doubles" (2020). The decimals that read back as v = c 2^q lie
// between the midpoints to its neighbours, (4c - 2) 2^(q-2) and (4c + 2) 2^(q-2). With k = floor(log10(width of that
// interval)) it contains at least one multiple of 10^k and at most one of 10^(k+1). So v and both bounds are scaled by
// 10^-k, four times over, with 128-bit powers of ten, and rounded *to odd*, which keeps all comparisons with integers
// exact; then the multiple of 10^(k+1) is taken if there is one, otherwise the multiple of 10^k next to v. The result
// is exact for all doubles: the shortest decimal, and of the shortest the one closest to v.
#include "result/number.h"

#include "kairos/result.h"

#include "result/powers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum
{
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1075,  // of the significand as an integer
    // Decimal exponents that are written without "e".
    POSITIONAL_MIN = -5,
    POSITIONAL_MAX = 15
};

// digits × 10^exponent
typedef struct Decimal
{
    uint64_t digits;
    int exponent;
} Decimal;

// Logarithms by fixed-point constants that are exact for all exponents of doubles (the tests visit every one).
static int floor_log2_power10(int e)
{
    return (e * 1741647) >> 19;
}

static int floor_log10_power2(int e)
{
    return (e * 1262611) >> 22;
}

static int floor_log10_three_quarters_power2(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

// The upper 64 bits of g × factor / 2^128, the last bit set if anything was cut off.
static inline uint64_t round_to_odd(const uint64_t g[2], uint64_t factor)
{
    unsigned __int128 low = (unsigned __int128)g[1] * factor;
    unsigned __int128 high = (unsigned __int128)g[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

// The multiple of 10^k in [lower, upper] / 4 (units of 10^k) that is shortest, then closest to scaled / 4.
static inline Decimal choose_decimal(uint64_t lower, uint64_t scaled, uint64_t upper, int k)
{
    uint64_t s = scaled / 4;
    if (s >= 10)
    {
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens;
        bool above = 40 * tens + 40 <= upper;
        if (below != above)
            return (Decimal){tens + above, k + 1};
    }
    bool below = lower <= 4 * s;
    bool above = 4 * s + 4 <= upper;
    if (below != above)
        return (Decimal){s + above, k};
    uint64_t middle = 4 * s + 2;
    bool up = scaled > middle || (scaled == middle && (s & 1) != 0);
    return (Decimal){s + up, k};
}

// c 2^q → shortest decimal. `closer`: c is the least significand of its binade, so the neighbour below is half as far.
static inline Decimal shortest_decimal(uint64_t c, int q, bool closer)
{
    int k = closer ? floor_log10_three_quarters_power2(q) : floor_log10_power2(q);
    int shift = q + floor_log2_power10(-k) + 1;
    const uint64_t* g = power_of_ten[-k - POWER_MIN];
    uint64_t odd = c & 1;  // the bounds themselves read back as v if c is even (ties to even)
    uint64_t lower = round_to_odd(g, (4 * c - 2 + closer) << shift) + odd;
    uint64_t upper = round_to_odd(g, (4 * c + 2) << shift) - odd;
    return choose_decimal(lower, round_to_odd(g, (4 * c) << shift), upper, k);
}

// Eight decimal digits of a number below 10^8, one in each byte, the first in the lowest: the quotients by 10000, 100
// and 10 are taken in all lanes of a word at once, by multiplication.
static inline uint64_t eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
    return tens | (twos - 10 * tens) << 8;
}

static inline void store_eight(char* out, uint64_t digits)
{
    digits |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    memcpy(out, &digits, 8);
}

// The digits stay in registers until their place is known: reading back what was just stored in other pieces stalls.
typedef struct Digits
{
    unsigned first;           // not 0
    unsigned __int128 after;  // 16 more, one in each byte, the next in the lowest
    int count;                // without zeros at the end
    int length;               // with them
} Digits;

static inline void store_after(char* out, unsigned __int128 after)
{
    store_eight(out, (uint64_t)after);
    store_eight(out + 8, (uint64_t)(after >> 64));
}

static inline int zero_bytes_below(unsigned __int128 x)
{
    uint64_t low = (uint64_t)x, high = (uint64_t)(x >> 64);
    return (low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high)) / 8;
}

static inline int zero_bytes_above(unsigned __int128 x)
{
    uint64_t low = (uint64_t)x, high = (uint64_t)(x >> 64);
    return (high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(low)) / 8;
}

// The digits of 0 < value < 10^17.
static inline Digits split_digits(uint64_t value)
{
    const uint64_t e16 = 10000000000000000;
    unsigned first = (unsigned)(value / e16);
    uint64_t rest = value - first * e16;
    unsigned __int128 bytes = eight_digits((uint32_t)(rest / 100000000)) |
                              (unsigned __int128)eight_digits((uint32_t)(rest % 100000000)) << 64;
    if (first != 0)
        return (Digits){first, bytes, bytes != 0 ? 17 - zero_bytes_above(bytes) : 1, 17};
    int leading = zero_bytes_below(bytes);
    int trailing = zero_bytes_above(bytes);
    bytes >>= 8 * leading;
    return (Digits){(unsigned)bytes & 15, bytes >> 8, 16 - leading - trailing, 16 - leading};
}

static int write_exponent(char* out, int exponent)
{
    char* start = out;
    *out++ = 'e';
    if (exponent < 0)
        *out++ = '-';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size >= 100)
        *out++ = (char)('0' + size / 100);
    if (size >= 10)
        *out++ = (char)('0' + size / 10 % 10);
    *out++ = (char)('0' + size % 10);
    return (int)(out - start);
}

// d.ddde-xx; `exponent` is that of the first digit.
static int write_scientific(char* out, Digits digits, int exponent)
{
    out[0] = (char)('0' + digits.first);
    out[1] = '.';
    store_after(out + 2, digits.after);
    int end = digits.count > 1 ? digits.count + 1 : 1;
    return end + write_exponent(out + end, exponent);
}

// 0.00ddd
static int write_fraction(char* out, Digits digits, int exponent)
{
    memcpy(out, "0.000000", 8);
    out[1 - exponent] = (char)('0' + digits.first);
    store_after(out + 2 - exponent, digits.after);
    return 1 - exponent + digits.count;
}

// ddd, ddd00 or dd.ddd
static int write_positional(char* out, Digits digits, int exponent)
{
    int whole = exponent + 1;
    out[0] = (char)('0' + digits.first);
    store_after(out + 1, digits.after);
    if (digits.count <= whole)
        return whole;
    out[whole] = '.';
    unsigned __int128 fraction = digits.after >> (8 * exponent);
    store_eight(out + whole + 1, (uint64_t)fraction);
    if (whole < 9)
        store_eight(out + whole + 9, (uint64_t)(fraction >> 64));
    return digits.count + 1;
}

static inline int write_decimal(char* out, Decimal decimal)
{
    Digits digits = split_digits(decimal.digits);
    int exponent = decimal.exponent + digits.length - 1;
    if (exponent < POSITIONAL_MIN || exponent > POSITIONAL_MAX)
        return write_scientific(out, digits, exponent);
    return exponent < 0 ? write_fraction(out, digits, exponent) : write_positional(out, digits, exponent);
}

// A whole number from 1 to 2^53: its own shortest form.
static inline int write_whole(char* out, uint64_t value)
{
    if (value >= 100000000)
        return write_decimal(out, (Decimal){value, 0});
    uint64_t digits = eight_digits((uint32_t)value);
    int leading = __builtin_ctzll(digits) / 8;
    store_eight(out, digits >> 8 * leading);
    return 8 - leading;
}

static int write_special(char* out, bool negative, bool infinite)
{
    const char* text = !infinite ? "nan" : negative ? "-inf" : "inf";
    int length = (int)strlen(text);
    memcpy(out, text, (size_t)length);
    return length;
}

int number_write(char* out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
    uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    if (biased == 0x7ff)
        return write_special(out, negative, fraction == 0);

    out[0] = '-';
    out += negative;
    if (biased == 0 && fraction == 0)
    {
        out[0] = '0';
        return 1 + negative;
    }
    uint64_t c = biased ? fraction | (uint64_t)1 << FRACTION_BITS : fraction;
    int q = (biased ? biased : 1) - EXPONENT_BIAS;
    if (q <= 0 && q >= -FRACTION_BITS && (c & (((uint64_t)1 << -q) - 1)) == 0)
        return negative + write_whole(out, c >> -q);
    return negative + write_decimal(out, shortest_decimal(c, q, fraction == 0 && biased > 1));
}

int kaiNumber_Write(char out[33], double value)
{
    if (out == NULL)
        return 0;
    int length = number_write(out, value);
    out[length] = 0;
    return length;
}
