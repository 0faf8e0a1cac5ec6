// `initial` equations: start values that were left open are solved for, by Newton's method with differences on the
// residuals. A model that starts on a kink may need a better guess; then the message names the equation that is worst.
#include "flow/flow.h"

#include <math.h>
#include <string.h>

enum
{
    INITIAL_MAX = 64
};  // unknowns; start values are few

static kaiStatus residuals(Kernel* kernel, double* out)
{
    kaiStatus status = kernel_run(kernel, kernel->model->initial);
    for (uint32_t i = 0; i < kernel->model->residuals_count; i++)
        out[i] = kernel->R[kernel->model->residuals[i]];
    return status;
}

static double norm(const double* r, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, isfinite(r[i]) ? fabs(r[i]) : INFINITY);
    return most;
}

// Gaussian elimination with partial pivoting, in place. False: singular.
static bool solve_dense(double a[INITIAL_MAX][INITIAL_MAX], double* b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
    {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        if (a[pivot][k] == 0 || !isfinite(a[pivot][k]))
            return false;
        for (uint32_t j = 0; j < n; j++)
        {
            double held = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = held;
        }
        double held = b[k];
        b[k] = b[pivot];
        b[pivot] = held;
        for (uint32_t i = k + 1; i < n; i++)
        {
            double factor = a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;)
    {
        for (uint32_t j = k + 1; j < n; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

static kaiStatus fill_matrix(Kernel* kernel, double a[INITIAL_MAX][INITIAL_MAX], const double* r, uint32_t n)
{
    double shifted[INITIAL_MAX];
    for (uint32_t j = 0; j < n; j++)
    {
        double* x = &kernel->R[kernel->model->unknowns[j]];
        double held = *x, d = 1e-7 * fmax(1, fabs(held));
        *x = held + d;
        kaiStatus status = residuals(kernel, shifted);
        *x = held;
        if (status != KAI_OK)
            return status;
        for (uint32_t i = 0; i < n; i++)
            a[i][j] = (shifted[i] - r[i]) / d;
    }
    return KAI_OK;
}

// Newton from the present values. *worst: the largest residual where it ended.
static kaiStatus iterate(Kernel* kernel, uint32_t n, double* worst)
{
    double a[INITIAL_MAX][INITIAL_MAX];
    double r[INITIAL_MAX];
    *worst = INFINITY;
    for (int round = 0; round < 50; round++)
    {
        kaiStatus status = residuals(kernel, r);
        if (status != KAI_OK)
            return status;
        double size = norm(r, n), before = *worst;
        *worst = size;
        if (size == 0 || (size < 1e-11 && size >= before) || size == INFINITY)
            return KAI_OK;
        status = fill_matrix(kernel, a, r, n);
        if (status != KAI_OK || !solve_dense(a, r, n))
            return status;
        for (uint32_t j = 0; j < n; j++)
            kernel->R[kernel->model->unknowns[j]] -= r[j];
    }
    return KAI_OK;
}

// The start values are 0 first; where that is a singular point, a few others are tried.
kaiStatus initial_solve(Kernel* kernel)
{
    static const double guesses[] = {0, 1, -1, 10, -10, 0.1, -0.1, 100, -100};
    const kaiModel* model = kernel->model;
    uint32_t n = model->residuals_count;
    if (n == 0)
        return KAI_OK;
    if (n != model->unknowns_count || n > INITIAL_MAX)
        return kernel_fail(kernel, 0,
                           "leave the start value of exactly as many states open as there are `initial` equations",
                           "%u initial equations for %u states without a start value", n, model->unknowns_count);
    double worst = INFINITY, least = INFINITY;
    for (size_t g = 0; g < sizeof guesses / sizeof *guesses; g++)
    {
        for (uint32_t j = 0; j < n; j++)
            kernel->R[model->unknowns[j]] = guesses[g];
        kaiStatus status = iterate(kernel, n, &worst);
        if (status != KAI_OK)
            return status;
        if (worst < 1e-9)
            return guard_start(kernel);
        least = fmin(least, worst);
    }
    return kernel_fail(kernel, 0, "check the `initial` equations; give a start value near the solution instead",
                       "the initial equations could not be solved; the least residual reached is %g", least);
}
