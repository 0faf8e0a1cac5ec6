// Where the labels of an axis stand and what they say.
#ifndef KAIROS_PLOT_TICKS_H
#define KAIROS_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum TicksKind
{
    TICKS_PLAIN,
    TICKS_LOG,   // at powers of ten: first and step are exponents
    TICKS_BOOL,  // false and true, at 0 and 1
    TICKS_NONE,  // events that carry nothing: a stem has no height to read
} TicksKind;

// Labels at first + i step, i < count. What they show is (value - offset) / 10^exponent with `decimals` decimals; where
// offset or exponent is not 0 the axis says so once.
typedef struct Ticks
{
    double first, step;
    int count;
    double offset;
    int exponent, decimals;
    TicksKind kind;
    bool prefixed;  // the unit of the axis says the exponent: mV
} Ticks;

// At least one and at most `most` (2 or more) ticks at multiples of 1, 2 or 5 times a power of ten inside
// [low, high], low < high.
Ticks ticks_make(double low, double high, int most);
// Powers of ten inside [low, high], 0 < low < high.
Ticks ticks_make_log(double low, double high, int most);
Ticks ticks_make_bool(void);
// The power of ten goes into the prefix of the unit, where numbers read better so: 2 mV for 0.002 V.
void ticks_use_prefix(Ticks* ticks, double low, double high);
double ticks_at(const Ticks* ticks, int index);
void ticks_label(const Ticks* ticks, int index, char* text, size_t size);
// "×10⁻⁶", " + 3", both, or "".
void ticks_note(const Ticks* ticks, char* text, size_t size);

// A range that shows [low, high] with some room; never empty.
void ticks_range(double* low, double* high);
// Digits as small raised ones: -6 → "⁻⁶".
void ticks_raised(int number, char* text, size_t size);
// A number as people write it in a figure: 6 digits, a true minus, "1.5·10⁻⁶".
void ticks_number(double value, int digits, char* text, size_t size);

#endif
