// Doubles as text: the shortest decimal that reads back as the same double.
#ifndef KAIROS_RESULT_NUMBER_H
#define KAIROS_RESULT_NUMBER_H

enum
{
    NUMBER_MAX = 32
};

// Writes at most NUMBER_MAX bytes (no terminating 0), returns their number. "inf", "-inf", "nan"; whole numbers without
// point ("3", "-0"), small exponents positional ("0.001"), others scientific ("1e-07" style without zeros: "1e-7").
int number_write(char* out, double value);

#endif
