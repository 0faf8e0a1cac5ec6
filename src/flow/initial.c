// `initial` equations: start values that were left open are solved for, by Newton's method with differences on the
// residuals. A model that starts on a kink may need a better guess; then the message names the equation that is worst.
#include "base/dense.h"
#include "base/tolerance.h"
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

static kaiStatus fill_matrix(Kernel* kernel, double* a, const double* r, uint32_t n)
{
    double shifted[INITIAL_MAX];
    for (uint32_t j = 0; j < n; j++)
    {
        double* x = &kernel->R[kernel->model->unknowns[j]];
        double held = *x, d = INITIAL_STEP * fmax(1, fabs(held));
        *x = held + d;
        kaiStatus status = residuals(kernel, shifted);
        *x = held;
        if (status != KAI_OK)
            return status;
        for (uint32_t i = 0; i < n; i++)
            a[i * n + j] = (shifted[i] - r[i]) / d;
    }
    return KAI_OK;
}

// A part of the step that makes the residuals smaller. *size: what they are then; not smaller: there is none.
static kaiStatus search(Kernel* kernel, const double* step, uint32_t n, double* size)
{
    enum
    {
        HALVINGS = 30
    };
    double from[INITIAL_MAX], r[INITIAL_MAX], before = *size, part = 1;
    for (uint32_t j = 0; j < n; j++)
        from[j] = kernel->R[kernel->model->unknowns[j]];
    for (int k = 0; k <= HALVINGS; k++, part /= 2)
    {
        for (uint32_t j = 0; j < n; j++)
            kernel->R[kernel->model->unknowns[j]] = from[j] - part * step[j];
        kaiStatus status = residuals(kernel, r);
        if (status != KAI_OK)
            return status;
        *size = norm(r, n);
        if (*size < before)
            return KAI_OK;
    }
    for (uint32_t j = 0; j < n; j++)
        kernel->R[kernel->model->unknowns[j]] = from[j];
    *size = before;
    return residuals(kernel, r);
}

// Newton's method with step halving from the present values. *worst: the largest residual where it ended.
static kaiStatus iterate(Kernel* kernel, uint32_t n, double* worst)
{
    double a[INITIAL_MAX * INITIAL_MAX], r[INITIAL_MAX];
    uint32_t pivots[INITIAL_MAX];
    kaiStatus status = residuals(kernel, r);
    *worst = norm(r, n);
    for (int round = 0; round < 100 && status == KAI_OK && *worst != 0 && *worst != INFINITY; round++)
    {
        double before = *worst;
        status = fill_matrix(kernel, a, r, n);
        if (status != KAI_OK || !dense_factor(a, pivots, n))
            return status;
        dense_solve(a, pivots, r, n);
        status = search(kernel, r, n, worst);
        if (status == KAI_OK && *worst >= before)
            return KAI_OK;  // as good as it gets
        if (status == KAI_OK)
            status = residuals(kernel, r);
    }
    return status;
}

// Where attempt k starts: first with what was written, 0 where nothing was; then elsewhere, equal and unequal values in
// turn, since equations are often singular where their unknowns are equal. A guess is left by a part of itself only.
static double start_value(double written, int k, uint32_t j)
{
    static const double sizes[] = {1, -1, 10, -10, 0.1, -0.1, 100, -100, 1000, 0.01};
    if (k == 0)
        return written;
    double size = sizes[(k - 1) / 3], spread = (k - 1) % 3 == 0 ? 1 : 1 + 0.6180339887498949 * (double)(j + 1);
    if ((k - 1) % 3 == 2 && j % 2 == 1)
        spread = -spread;
    return written != 0 ? written * (1 + 0.1 * size * spread / (1 + fabs(size))) : size * spread;
}

kaiStatus initial_solve(Kernel* kernel)
{
    enum
    {
        ATTEMPTS = 31
    };
    const kaiModel* model = kernel->model;
    uint32_t n = model->residuals_count;
    double written[INITIAL_MAX];
    if (n == 0)
        return KAI_OK;
    if (n != model->unknowns_count || n > INITIAL_MAX)
        return kernel_fail(kernel, 0,
                           "leave the start value of exactly as many states open as there are `initial` equations",
                           "%u initial equations for %u states without a start value", n, model->unknowns_count);
    for (uint32_t j = 0; j < n; j++)
        written[j] = kernel->R[model->unknowns[j]];
    double worst = INFINITY, least = INFINITY;
    for (int k = 0; k < ATTEMPTS; k++)
    {
        for (uint32_t j = 0; j < n; j++)
            kernel->R[model->unknowns[j]] = start_value(written[j], k, j);
        kaiStatus status = iterate(kernel, n, &worst);
        if (status != KAI_OK)
            return status;
        if (worst < INITIAL_SOLVED)
            return guard_start(kernel);
        least = fmin(least, worst);
    }
    return kernel_fail(kernel, 0, "check the `initial` equations; give guesses near the solution, `state x ~ 3`",
                       "the initial equations could not be solved; the least residual reached is %g", least);
}
