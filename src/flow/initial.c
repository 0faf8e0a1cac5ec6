// `initial` equations: start values that were left open are solved for, by the same Newton's method as `equation`s
// (base/newton.h), from what is written and then from several other starts.
#include "base/newton.h"
#include "base/tolerance.h"
#include "flow/flow.h"

#include <math.h>

static uint32_t evaluate(void* ctx)
{
    Kernel* kernel = ctx;
    return kernel_run(kernel, kernel->model->initial) == KAI_OK ? 0 : 1;
}

// By differences: what is solved for are states, which the expressions are not differentiated by before there is a run.
static uint32_t fill_matrix(void* ctx, double* J)
{
    Kernel* kernel = ctx;
    const kaiModel* model = kernel->model;
    uint32_t n = model->residuals_count;
    double r[NEWTON_UNKNOWNS];
    for (uint32_t i = 0; i < n; i++)
        r[i] = kernel->R[model->residuals[i]];
    for (uint32_t j = 0; j < n; j++)
    {
        double* x = &kernel->R[model->unknowns[j]];
        double held = *x, d = INITIAL_STEP * fmax(1, fabs(held));
        *x = held + d;
        uint32_t failed = evaluate(kernel);
        *x = held;
        if (failed != 0)
            return failed;
        for (uint32_t i = 0; i < n; i++)
            J[i * n + j] = (kernel->R[model->residuals[i]] - r[i]) / d;
    }
    return 0;
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
    double written[NEWTON_UNKNOWNS];
    if (n == 0)
        return KAI_OK;
    if (n != model->unknowns_count || n > NEWTON_UNKNOWNS)
        return kernel_fail(kernel, 0,
                           "leave the start value of exactly as many states open as there are `initial` equations",
                           "%u initial equations for %u states without a start value", n, model->unknowns_count);
    for (uint32_t j = 0; j < n; j++)
        written[j] = kernel->R[model->unknowns[j]];
    const NewtonSystem system = {.n = n,
                                 .rounds = (int)kernel->options->max_iterations,
                                 .R = kernel->R,
                                 .unknowns = model->unknowns,
                                 .residuals = model->residuals,
                                 .ctx = kernel,
                                 .evaluate = evaluate,
                                 .matrix = fill_matrix};
    double least = INFINITY;
    for (int k = 0; k < ATTEMPTS; k++)
    {
        for (uint32_t j = 0; j < n; j++)
            kernel->R[model->unknowns[j]] = start_value(written[j], k, j);
        uint32_t failed = newton_solve(&system);
        if (failed != 0 && failed != NEWTON_LOST)
            return KAI_ERR_RUN;
        double worst = newton_residual(&system);
        if (failed == 0 || worst < INITIAL_SOLVED)  // at a double root the steps only halve
            return guard_start(kernel);
        least = fmin(least, worst);
    }
    return kernel_fail(kernel, 0, "check the `initial` equations; give guesses near the solution, `state x ~ 3`",
                       "the initial equations could not be solved; the least residual reached is %g", least);
}
