// Exact for 1 and 2 degrees of freedom, otherwise by the expansion of Cornish and Fisher (Abramowitz and
// Stegun 26.7.5): three digits from 3 on, more with more.
#include "base/student.h"

double student_975(double n)
{
    const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
    if (n <= 2)
        return n < 2 ? 12.706204736432095 : 4.302652729911275;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
           (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}
