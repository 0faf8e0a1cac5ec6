// Packed columns and base64 (src/plot/pack.h): every kind of column comes back bit for bit, in as few bytes as it
// should.
#include "plot/pack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t number_at(const uint8_t* bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static double double_at(const uint8_t* bytes)
{
    uint64_t bits = number_at(bytes) | (uint64_t)number_at(bytes + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_at(const uint8_t* bytes)
{
    uint32_t bits = number_at(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void unpack(const uint8_t* bytes, double* values, int count)
{
    PackKind kind = bytes[0];
    const uint8_t* at = bytes + 1;
    for (int i = 0; i < count; i++)
        values[i] = kind == PACK_CONSTANT  ? double_at(at)
                    : kind == PACK_DOUBLES ? double_at(at + 8 * i)
                    : kind == PACK_FLOATS  ? (double)float_at(at + 4 * i)
                    : kind == PACK_BYTES   ? (at[i] == 255 ? NAN : at[i])
                                           : NAN;
    for (uint32_t i = 0; kind == PACK_SPARSE && i < number_at(at); i++)
        values[at[4 + 10 * i] | at[5 + 10 * i] << 8] = double_at(at + 6 + 10 * i);
}

static void comes_back(const double* values, int count, PackKind kind, size_t size)
{
    static uint8_t bytes[PACK_MOST];
    static double back[PACK_ROWS];
    assert_int_equal(pack_column(bytes, values, count), size);
    assert_int_equal(bytes[0], kind);
    unpack(bytes, back, count);
    for (int i = 0; i < count; i++)
        if (isnan(values[i]))
            assert_true(isnan(back[i]));
        else
            assert_memory_equal(&values[i], &back[i], sizeof *values);
}

static void columns(void** state)
{
    (void)state;
    static double values[PACK_ROWS];
    for (int i = 0; i < PACK_ROWS; i++)
        values[i] = sin(i);
    comes_back(values, PACK_ROWS, PACK_DOUBLES, PACK_MOST);
    values[7] = INFINITY;
    values[8] = -0.0;
    values[9] = NAN;
    comes_back(values, 100, PACK_DOUBLES, 801);
    for (int i = 0; i < PACK_ROWS; i++)
        values[i] = -i / 1024.0;  // exact as floats
    comes_back(values, PACK_ROWS, PACK_FLOATS, 1 + 4 * PACK_ROWS);
    for (int i = 0; i < PACK_ROWS; i++)
        values[i] = i % 255;
    values[3] = NAN;
    comes_back(values, PACK_ROWS, PACK_BYTES, 1 + PACK_ROWS);
    values[4] = -0.0;  // a byte has no sign
    comes_back(values, PACK_ROWS, PACK_FLOATS, 1 + 4 * PACK_ROWS);
    for (int i = 0; i < PACK_ROWS; i++)
        values[i] = 1e-300;
    comes_back(values, PACK_ROWS, PACK_CONSTANT, 9);
    values[PACK_ROWS - 1] = 1e300;
    comes_back(values, PACK_ROWS, PACK_DOUBLES, PACK_MOST);
    for (int i = 0; i < PACK_ROWS; i++)
        values[i] = NAN;
    comes_back(values, PACK_ROWS, PACK_ABSENT, 1);
    values[0] = 0.1;
    values[PACK_ROWS - 1] = 1;
    comes_back(values, PACK_ROWS, PACK_SPARSE, 25);
}

// RFC 4648, section 10.
static void base64(void** state)
{
    (void)state;
    static const char* const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
        char text[20];
        size_t length = pack_base64(text, (const uint8_t*)pairs[i][0], strlen(pairs[i][0]));
        assert_int_equal(length, strlen(pairs[i][1]));
        assert_memory_equal(text, pairs[i][1], length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns), cmocka_unit_test(base64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
