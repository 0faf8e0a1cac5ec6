// See dense.h. Golub and Van Loan, Matrix Computations, algorithm 3.4.1 (right-looking).
#include "base/dense.h"

#include <math.h>
#include <stddef.h>

static void swap_rows(double* a, uint32_t n, uint32_t i, uint32_t k)
{
    for (uint32_t j = 0; j < n && i != k; j++)
    {
        double held = a[(size_t)i * n + j];
        a[(size_t)i * n + j] = a[(size_t)k * n + j];
        a[(size_t)k * n + j] = held;
    }
}

bool dense_factor(double* a, uint32_t* pivots, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        pivots[k] = k;
    for (uint32_t k = 0; k < n; k++)
    {
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)p * n + k]))
                p = i;
        const double* row = a + (size_t)k * n;
        if (!(fabs(a[(size_t)p * n + k]) > 0) || !isfinite(a[(size_t)p * n + k]))
            return false;
        pivots[k] = p;
        swap_rows(a, n, k, p);
        for (uint32_t i = k + 1; i < n; i++)
        {
            double* other = a + (size_t)i * n;
            double factor = other[k] /= row[k];
            for (uint32_t j = k + 1; factor != 0 && j < n; j++)
                other[j] -= factor * row[j];
        }
    }
    return true;
}

void dense_solve(const double* a, const uint32_t* pivots, double* b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
    {
        double held = b[k];
        b[k] = b[pivots[k]];
        b[pivots[k]] = held;
    }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            b[i] -= a[(size_t)i * n + j] * b[j];
    for (uint32_t i = n; i-- > 0;)
    {
        for (uint32_t j = i + 1; j < n; j++)
            b[i] -= a[(size_t)i * n + j] * b[j];
        b[i] /= a[(size_t)i * n + i];
    }
}
