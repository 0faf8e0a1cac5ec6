// Prints src/result/powers.h: 10^k for k = -292 … 324 as 128-bit numbers, rounded up, by exact integer arithmetic.
// usage: cc tools/make-powers.c -o make-powers && ./make-powers > src/result/powers.h
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum
{
    POWER_MIN = -292,
    POWER_MAX = 324,
    LIMBS = 32  // 1024 bits: 5^324 has 753, and a remainder one more
};

// A natural number, least significant limb first.
typedef struct Big
{
    uint32_t limb[LIMBS];
} Big;

static void big_multiply_small(Big* a, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++)
    {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int big_compare(const Big* a, const Big* b)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_subtract(Big* a, const Big* b)
{
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++)
    {
        borrow += (int64_t)a->limb[i] - (int64_t)b->limb[i];
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

static int big_bit(const Big* a, int bit)
{
    return bit < 0 ? 0 : (int)(a->limb[bit / 32] >> (bit % 32)) & 1;
}

static int big_bit_length(const Big* a)
{
    int bit = LIMBS * 32;
    while (bit > 0 && !big_bit(a, bit - 1))
        bit--;
    return bit;
}

// The leading 128 bits of a, rounded up. 5^k is never so close below a power of two that this carries out.
static void leading_bits(const Big* a, uint64_t out[2])
{
    int length = big_bit_length(a);
    unsigned __int128 bits = 0;
    for (int i = 1; i <= 128; i++)
        bits = bits << 1 | (unsigned)big_bit(a, length - i);
    int rest = 0;
    for (int bit = length - 129; bit >= 0; bit--)
        rest |= big_bit(a, bit);
    bits += (unsigned)rest;
    out[0] = (uint64_t)(bits >> 64);
    out[1] = (uint64_t)bits;
}

// The leading 128 bits of 1/a, rounded up, by long division of a power of two; a is not a power of two.
static void leading_bits_of_inverse(const Big* a, uint64_t out[2])
{
    int length = big_bit_length(a);
    Big rest = {{0}};
    rest.limb[(length - 1) / 32] = 1u << ((length - 1) % 32);
    unsigned __int128 bits = 0;
    for (int i = 0; i < 128; i++)
    {
        big_multiply_small(&rest, 2);
        int one = big_compare(&rest, a) >= 0;
        if (one)
            big_subtract(&rest, a);
        bits = bits << 1 | (unsigned)one;
    }
    bits += 1;
    out[0] = (uint64_t)(bits >> 64);
    out[1] = (uint64_t)bits;
}

int main(void)
{
    static uint64_t table[POWER_MAX - POWER_MIN + 1][2];
    Big power = {{1}};
    for (int k = 0; k <= POWER_MAX; k++)
    {
        leading_bits(&power, table[k - POWER_MIN]);
        if (k > 0 && -k >= POWER_MIN)
            leading_bits_of_inverse(&power, table[-k - POWER_MIN]);
        big_multiply_small(&power, 5);
    }
    printf("// Made by tools/make-powers.c. 10^k = g 2^(floor(log2(10^k)) - 127), g of 128 bits, rounded up; {high, "
           "low} half.\n"
           "#ifndef KAIROS_RESULT_POWERS_H\n#define KAIROS_RESULT_POWERS_H\n\n#include <stdint.h>\n\n"
           "enum\n{\n    POWER_MIN = %d,\n    POWER_MAX = %d\n};\n\n"
           "// clang-format off\nstatic const uint64_t power_of_ten[POWER_MAX - POWER_MIN + 1][2] = {\n",
           POWER_MIN, POWER_MAX);
    for (int k = POWER_MIN; k <= POWER_MAX; k++)
        printf("    {0x%016" PRIx64 ", 0x%016" PRIx64 "}, // %d\n", table[k - POWER_MIN][0], table[k - POWER_MIN][1],
               k);
    printf("};\n// clang-format on\n\n#endif\n");
    return 0;
}
