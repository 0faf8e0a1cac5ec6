// Doubles → fractions. The numbers that round to a double form an interval; the simplest fraction in it is found by
// continued fractions (Stern-Brocot): both ends share their leading coefficients, and where they part the smaller one
// plus 1 ends the fraction.
#include "prove/rational.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum
{
    TERMS_MOST = 40,
    DIGITS_MOST = 1200
};

// The simplest fraction p/q with low <= p/q <= high, 0 < low. False: it needs more than 53 bits.
static bool simplest(long double low, long double high, double* p, double* q)
{
    double p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    for (int i = 0; i < TERMS_MOST; i++)
    {
        long double whole = floorl(low);
        bool last = whole == low || whole < floorl(high);
        long double a = whole == low ? whole : last ? whole + 1 : whole;
        double p2 = (double)a * p1 + p0, q2 = (double)a * q1 + q0;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        if (!(fabs(p1) < 0x1p53 && q1 < 0x1p53))
            return false;
        if (last)
            break;
        long double next_low = 1 / (high - whole), next_high = 1 / (low - whole);
        low = next_low, high = next_high;
    }
    *p = p1;
    *q = q1;
    return true;
}

// mantissa * 2^exponent in full: decimal digits by repeated doubling.
static const char* power_text(Arena* arena, double mantissa, int exponent)
{
    char digits[DIGITS_MOST] = {0};  // lowest first, as numbers
    int count = 0;
    for (double m = mantissa; m >= 1; m = floor(m / 10))
        digits[count++] = (char)fmod(m, 10);
    for (int i = 0; i < exponent; i++)
    {
        int carry = 0;
        for (int k = 0; k < count; k++)
        {
            int d = 2 * digits[k] + carry;
            digits[k] = (char)(d % 10);
            carry = d / 10;
        }
        if (carry > 0)
            digits[count++] = (char)carry;
    }
    char* text = arena_alloc(arena, (size_t)count + 1);
    for (int k = 0; k < count; k++)
        text[k] = (char)('0' + digits[count - 1 - k]);
    return text;
}

static const char* exact_text(Arena* arena, double size)
{
    int exponent;
    double mantissa = ldexp(frexp(size, &exponent), 53);
    exponent -= 53;
    for (; exponent < 0 && fmod(mantissa, 2) == 0; exponent++)
        mantissa /= 2;
    if (exponent >= 0)
        return power_text(arena, mantissa, exponent);
    return arena_printf(arena, "%.0f/%s", mantissa, power_text(arena, 1, -exponent));
}

const char* rational_text(Arena* arena, double value)
{
    double size = fabs(value), p, q;
    const char* sign = value < 0 ? "-" : "";
    if (size == floor(size) && size < 0x1p53)
        return arena_printf(arena, "%s%.0f", size == 0 ? "" : sign, size);
    long double below = ((long double)size + nextafter(size, 0)) / 2;
    long double above = ((long double)size + nextafter(size, INFINITY)) / 2;
    if (simplest(below, above, &p, &q) && p / q == size)
        return arena_printf(arena, "%s%.0f/%.0f", sign, p, q);
    return arena_printf(arena, "%s%s", sign, exact_text(arena, size));
}
