// Doubles as text: every number reads back, no shorter text does, and of the shortest it is the closest.
#include "result/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
enum
{
    RANDOM_COUNT = 300000
};
#else
enum
{
    RANDOM_COUNT = 5000000
};
#endif

static uint64_t random_bits(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The text of a finite number, checked to read back as the same bits.
static const char* text_of(char text[NUMBER_MAX + 1], double value)
{
    memset(text, '?', NUMBER_MAX + 1);
    int length = number_write(text, value);
    assert_in_range(length, 1, NUMBER_MAX);
    assert_int_equal(text[NUMBER_MAX], '?');
    text[length] = 0;
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0)
        fail_msg("%a is written as %s", value, text);
    return text;
}

// Only the significant digits, without zeros at either end.
static int digits_of(char* digits, const char* text)
{
    int length = 0;
    for (; *text != 0 && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (length > 0 || *text != '0'))
            digits[length++] = *text;
    while (length > 0 && digits[length - 1] == '0')
        length--;
    digits[length] = 0;
    return length;
}

// Independent of our method: the C library's correctly rounded conversions with 1, 2, … digits until one reads back. At
// a power of two a decimal on the wide side may be shorter than the nearest one.
static void check_shortest(double value)
{
    char ours[NUMBER_MAX + 1], digits[64], other[64], expected[64];
    int length = digits_of(digits, text_of(ours, value));
    int precision = 0;
    do
        snprintf(other, sizeof other, "%.*e", precision++, value);
    while (strtod(other, NULL) != value);
    int expected_length = digits_of(expected, other);
    int exponent;
    if (length == expected_length)
        assert_string_equal(digits, expected);
    else if (length > expected_length || fabs(frexp(value, &exponent)) != 0.5)
        fail_msg("%s instead of %s", ours, other);
}

static void check_with_neighbours(double value)
{
    check_shortest(value);
    if (value < DBL_MAX)
        check_shortest(nextafter(value, INFINITY));
    if (nextafter(value, 0) > 0)
        check_shortest(nextafter(value, 0));
}

static void check_text(double value, const char* expected)
{
    char text[NUMBER_MAX + 1];
    int length = number_write(text, value);
    text[length] = 0;
    assert_string_equal(text, expected);
}

static void test_forms(void** state)
{
    (void)state;
    check_text(0, "0");
    check_text(-0.0, "-0");
    check_text(3, "3");
    check_text(-12.5, "-12.5");
    check_text(0.1, "0.1");
    check_text(0.001, "0.001");
    check_text(0.00001, "0.00001");
    check_text(1e-7, "1e-7");
    check_text(-1.5e-7, "-1.5e-7");
    check_text(100, "100");
    check_text(1e15, "1000000000000000");
    check_text(1e16, "1e16");
    check_text(123456.75, "123456.75");
    check_text(INFINITY, "inf");
    check_text(-INFINITY, "-inf");
    check_text(NAN, "nan");
    check_text(-NAN, "nan");
}

// Cases that are known to be hard, with their published shortest forms.
static void test_hard_cases(void** state)
{
    (void)state;
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(9007199254740991.0, "9007199254740991");
    check_text(9007199254740992.0, "9007199254740992");
    check_text(9007199254740994.0, "9007199254740994");
    check_text(1e21, "1e21");
    check_text(1e22, "1e22");
    check_text(1e23, "1e23");
    check_text(9.5367431640625e-7, "9.5367431640625e-7");
    check_text(5.684341886080802e-14, "5.684341886080802e-14");
    check_text(2e-323, "2e-323");
    check_text(5e-324, "5e-324");
    check_text(DBL_MIN, "2.2250738585072014e-308");
    check_text(DBL_MAX, "1.7976931348623157e308");
    check_text(2.2250738585072011e-308, "2.225073858507201e-308");
    check_text(0.00001234567890123457, "0.00001234567890123457");
}

static void test_powers_of_two(void** state)
{
    (void)state;
    uint64_t seed = 1;
    for (int e = -1074; e <= 1023; e++)
    {
        check_with_neighbours(ldexp(1, e));
        check_shortest(ldexp(1 + (double)(random_bits(&seed) >> 12) * 0x1p-52, e));
    }
}

static void test_powers_of_ten(void** state)
{
    (void)state;
    for (int k = -323; k <= 308; k++)
        for (int digit = 1; digit <= 9; digit++)
        {
            char text[32];
            snprintf(text, sizeof text, "%de%d", digit, k);
            double value = strtod(text, NULL);
            if (isfinite(value))
                check_with_neighbours(value);
        }
}

static void test_subnormals(void** state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint64_t bits = 1; bits < 2000; bits++)
        check_shortest(double_of(bits));
    for (int i = 0; i < 5000; i++)
        check_shortest(double_of(random_bits(&seed) >> (12 + i % 52)) + 5e-324);
}

static void test_short_decimals(void** state)
{
    (void)state;
    for (int i = 1; i < 20000; i++)
    {
        check_shortest(i);
        check_shortest(i / 10.0);
        check_shortest(i / 1000.0);
        check_shortest(i * 1e-3);
        check_shortest(i * 1e9);
    }
}

static void test_random_read_back(void** state)
{
    (void)state;
    uint64_t seed = 3;
    char text[NUMBER_MAX + 1];
    for (int i = 0; i < RANDOM_COUNT; i++)
    {
        double value = double_of(random_bits(&seed));
        if (isfinite(value))
            text_of(text, value);
    }
}

static void test_random_shortest(void** state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < RANDOM_COUNT / 50; i++)
    {
        double value = double_of(random_bits(&seed));
        if (isfinite(value))
            check_shortest(value);
        check_shortest((double)(int64_t)random_bits(&seed) * 0x1p-60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_powers_of_ten),
        cmocka_unit_test(test_subnormals),
        cmocka_unit_test(test_short_decimals),
        cmocka_unit_test(test_random_read_back),
        cmocka_unit_test(test_random_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
