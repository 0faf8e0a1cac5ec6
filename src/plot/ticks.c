// Nice numbers for axes (Heckbert, Graphics Gems, 1990), with an offset where the range is far from 0 and narrow, and a
// common power of ten where numbers would be long.
#include "plot/ticks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"

static double nice_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double factor = least / power;
    return (factor <= 1 + 1e-9 ? 1 : factor <= 2 + 1e-9 ? 2 : factor <= 5 + 1e-9 ? 5 : 10) * power;
}

static double next_step(double step)
{
    return nice_step(step * 1.5);
}

static int count_between(double low, double high, double step)
{
    double slack = 1e-9 * (high - low) / step;
    return (int)(floor(high / step + slack) - ceil(low / step - slack)) + 1;
}

// The roundest number in the range, or if none is round the one below it with the digits that all have in common.
static double offset_of(double low, double high)
{
    int least = (int)ceil(log10(high - low) - 1e-9);
    for (int power = (int)floor(log10(fmax(fabs(low), fabs(high)))); power >= least; power--)
    {
        double size = pow(10, power), multiple = ceil(low / size) * size;
        if (multiple <= high)
            return multiple;
    }
    return floor(low / pow(10, least)) * pow(10, least);
}

// Decimals so that the steps differ, the common exponent, and the offset.
static void choose_labels(Ticks* t, double low, double high)
{
    double size = fmax(fabs(low), fabs(high));
    int step_power = (int)floor(log10(t->step) + 1e-9), size_power = (int)floor(log10(size) + 1e-9);
    if (size_power - step_power > 5)  // too many equal leading digits: count from the first tick
    {
        t->offset = offset_of(low, high);
        size_power = (int)floor(log10(fmax(fmax(high - t->offset, t->offset - low), t->step)) + 1e-9);
    }
    if (size_power >= 5 || size_power < -3)
        t->exponent = 3 * (int)floor(size_power / 3.0);
    int decimals = t->exponent - step_power;
    t->decimals = decimals > 0 ? decimals : 0;
}

Ticks ticks_make(double low, double high, int most)
{
    Ticks t = {0};
    most = most < 2 ? 2 : most;
    t.step = nice_step((high - low) / (most + 1));
    while (count_between(low, high, t.step) > most)
        t.step = next_step(t.step);
    t.count = count_between(low, high, t.step);
    t.first = ceil(low / t.step - 1e-9 * (high - low) / t.step) * t.step;
    choose_labels(&t, low, high);
    return t;
}

Ticks ticks_make_log(double low, double high, int most)
{
    Ticks t = {.kind = TICKS_LOG, .step = 1};
    double first = ceil(log10(low) - 1e-9), last = floor(log10(high) + 1e-9);
    while ((last - first) / t.step + 1 > (most < 2 ? 2 : most))
        t.step++;
    t.first = first;
    t.count = last >= first ? (int)((last - first) / t.step) + 1 : 0;
    return t;
}

Ticks ticks_make_bool(void)
{
    return (Ticks){.kind = TICKS_BOOL, .step = 1, .count = 2};
}

void ticks_use_prefix(Ticks* t, double low, double high)
{
    double size = fmax(fabs(low), fabs(high));
    int step_power = (int)floor(log10(t->step) + 1e-9), size_power = (int)floor(log10(size) + 1e-9);
    if (t->kind != TICKS_PLAIN || t->offset != 0 || (size_power < 4 && size >= 0.5))
        return;
    int exponent = 3 * (int)floor(size_power / 3.0);
    if (exponent < -15 || exponent > 12 || exponent == 0)
        return;
    t->exponent = exponent;
    t->decimals = exponent > step_power ? exponent - step_power : 0;
    t->prefixed = true;
}

double ticks_at(const Ticks* t, int index)
{
    double at = t->first + index * t->step;
    return t->kind == TICKS_LOG ? pow(10, at) : at;
}

// printf writes a hyphen; a figure has a minus sign.
static void with_minus(const char* plain, char* text, size_t size)
{
    size_t length = 0;
    for (; *plain != 0 && length + 4 < size; plain++)
        if (*plain == '-')
        {
            memcpy(text + length, MINUS, 3);
            length += 3;
        }
        else
            text[length++] = *plain;
    text[length] = 0;
}

void ticks_label(const Ticks* t, int index, char* text, size_t size)
{
    char plain[64];
    if (t->kind == TICKS_BOOL || t->kind == TICKS_NONE)
    {
        snprintf(text, size, "%s", t->kind == TICKS_NONE ? "" : index == 0 ? "false" : "true");
        return;
    }
    if (t->kind == TICKS_LOG)
    {
        int power = (int)(t->first + index * t->step);
        ticks_raised(power, plain, sizeof plain);
        if (t->first >= -2 && t->first + (t->count - 1) * t->step <= 3)  // all or none
            snprintf(text, size, "%g", pow(10, power));
        else
            snprintf(text, size, "10%s", plain);
        return;
    }
    double value = t->offset != 0 ? (round((t->first - t->offset) / t->step) + index) * t->step : ticks_at(t, index);
    value /= pow(10, t->exponent);
    if (fabs(value) < 1e-9 * t->step / pow(10, t->exponent))
        value = 0;
    snprintf(plain, sizeof plain, "%.*f", t->decimals > 15 ? 15 : t->decimals, value);
    with_minus(plain, text, size);
}

void ticks_raised(int number, char* text, size_t size)
{
    static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    text[0] = 0;
    snprintf(plain, sizeof plain, "%d", number);
    for (const char* c = plain; *c != 0; c++)
        strncat(text, *c == '-' ? "⁻" : digits[*c - '0'], size - strlen(text) - 1);
}

void ticks_number(double value, int digits, char* text, size_t size)
{
    char plain[64], raised[32];
    snprintf(plain, sizeof plain, "%.*g", digits, value == 0 ? 0 : value);
    char* e = strchr(plain, 'e');
    if (e != NULL)
        *e = 0;
    with_minus(plain, text, size);
    if (e == NULL)
        return;
    ticks_raised(atoi(e + 1), raised, sizeof raised);
    size_t length = strlen(text);
    snprintf(text + length, size - length, "·10%s", raised);
}

void ticks_note(const Ticks* t, char* text, size_t size)
{
    text[0] = 0;
    if (t->exponent != 0 && !t->prefixed)
    {
        char raised[32];
        ticks_raised(t->exponent, raised, sizeof raised);
        snprintf(text, size, "×10%s", raised);
    }
    if (t->offset != 0)
    {
        char number[64];
        ticks_number(fabs(t->offset), 15, number, sizeof number);
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", t->offset < 0 ? " " MINUS " " : " + ", number);
    }
}

void ticks_range(double* low, double* high)
{
    const double most = DBL_MAX / 8;  // so that what lies between the ends is a number
    *low = fmax(*low, -most);
    *high = fmin(*high, most);
    double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low <= 1e-12 * size)  // constant, or nothing but rounding
    {
        double room = size > 0 ? 0.5 * size : 1;
        *low -= room;
        *high += room;
        return;
    }
    double room = 0.05 * (*high - *low);
    *low -= room;
    *high += room;
}
