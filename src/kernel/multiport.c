// Storages with a matrix: its inverse, once the parameters are known. Gauss-Jordan with pivoting on the matrix scaled
// to a diagonal of ones, because the ports may be of different domains: nothing but the coupling decides whether it is
// singular. Pivots below 1e-13 are 0.
#include "base/tolerance.h"
#include "kernel/bonds.h"

#include <math.h>

static double* scaled_at(double* a, uint32_t n, uint32_t row, uint32_t column)
{
    return &a[(size_t)row * 2 * n + column];
}

static kaiStatus check_matrix(Kernel* kernel, const BondPart* part)
{
    const double* c = kernel->R + part->matrix;
    const char* name = model_string(kernel->model, part->name);
    uint32_t n = part->ports;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
        {
            double one = c[i * n + j], two = c[j * n + i];
            if (!isfinite(one))
                return kernel_fail(kernel, part->place, "give it finite values",
                                   "row %u, column %u of the matrix of %s is %g at the start", i + 1, j + 1, name, one);
            if (fabs(one - two) > BOND_NOTHING * fmax(fabs(one), fabs(two)))
                return kernel_fail(
                    kernel, part->place, "write the same value at both places: otherwise it would store no energy",
                    "the matrix of %s is not symmetric: row %u, column %u is %.9g, row %u, column %u is %.9g", name,
                    i + 1, j + 1, one, j + 1, i + 1, two);
        }
    return KAI_OK;
}

// Roots of the diagonal, or of the largest of a row whose diagonal is 0.
static double scale_of(const double* c, uint32_t n, uint32_t row)
{
    double largest = fabs(c[row * n + row]);
    for (uint32_t j = 0; j < n && c[row * n + row] == 0; j++)
        largest = fmax(largest, fabs(c[row * n + j]));
    return largest > 0 ? sqrt(largest) : 1;
}

static bool eliminate_column(double* a, uint32_t n, uint32_t k)
{
    uint32_t pivot = k;
    for (uint32_t i = k + 1; i < n; i++)
        if (fabs(*scaled_at(a, n, i, k)) > fabs(*scaled_at(a, n, pivot, k)))
            pivot = i;
    double divisor = *scaled_at(a, n, pivot, k);
    if (fabs(divisor) < BOND_RANK_TOLERANCE)
        return false;
    for (uint32_t j = 0; j < 2 * n; j++)
    {
        double here = *scaled_at(a, n, pivot, j);
        *scaled_at(a, n, pivot, j) = *scaled_at(a, n, k, j);
        *scaled_at(a, n, k, j) = here / divisor;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        double factor = *scaled_at(a, n, i, k);
        for (uint32_t j = 0; i != k && j < 2 * n; j++)
            *scaled_at(a, n, i, j) -= factor * *scaled_at(a, n, k, j);
    }
    return true;
}

kaiStatus multiport_invert(Kernel* kernel, const BondPart* part, double* a)
{
    const double* c = kernel->R + part->matrix;
    double* slopes = kernel->R + part->slopes;
    uint32_t n = part->ports;
    kaiStatus status = check_matrix(kernel, part);
    if (status != KAI_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
        {
            *scaled_at(a, n, i, j) = c[i * n + j] / scale_of(c, n, i) / scale_of(c, n, j);
            *scaled_at(a, n, i, n + j) = i == j;
        }
    for (uint32_t k = 0; k < n; k++)
        if (!eliminate_column(a, n, k))
            return kernel_fail(kernel, part->place, "couple the ports less; for a coupling without leakage use TF",
                               "the matrix of %s is singular: it has no inverse",
                               model_string(kernel->model, part->name));
    for (uint32_t i = 0; i < n; i++)  // the mean of both sides of the diagonal: symmetric to the bit
        for (uint32_t j = 0; j < n; j++)
            slopes[i * n + j] =
                0.5 * (*scaled_at(a, n, i, n + j) + *scaled_at(a, n, j, n + i)) / scale_of(c, n, i) / scale_of(c, n, j);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            slopes[i * n + j] = slopes[j * n + i];
    return KAI_OK;
}
