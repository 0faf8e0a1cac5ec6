// The Jacobian, from the system's callback or by forward differences. See jacobian.h.
//
// Increment of component j: sqrt(eps) times the largest of |x_j|, |h f_j| (how far x_j goes in a step) and the typical
// size; rounded so that x_j + increment is exact. Relative error of the entries about 1e-8. Fails only if f fails.
#include "num/jacobian.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int rows_of(const OdeSystem* system, int column, const int** rows)
{
    *rows = system->row_index + system->column_start[column];
    return system->column_start[column + 1] - system->column_start[column];
}

// The smallest colour that no column sharing a row with this one has. `taken[c] == column` marks a colour as taken, and
// columns of a row are found through the transposed pattern.
static int choose_colour(const OdeSystem* system, int column, const int* colour, const int* row_start,
                         const int* row_column, int* taken)
{
    const int* rows;
    int count = rows_of(system, column, &rows);
    for (int k = 0; k < count; k++)
    {
        for (int p = row_start[rows[k]]; p < row_start[rows[k] + 1] && row_column[p] < column; p++)
        {
            taken[colour[row_column[p]]] = column;
        }
    }
    int chosen = 0;
    while (taken[chosen] == column)
    {
        chosen++;
    }
    return chosen;
}

// Rows of the pattern: row_start has n + 2 entries while it is filled; the last is dropped.
static void transpose(const OdeSystem* system, int* row_start, int* row_column)
{
    int n = system->n, entries = system->column_start[n];
    memset(row_start, 0, sizeof(int) * ((size_t)n + 2));
    for (int p = 0; p < entries; p++)
    {
        row_start[system->row_index[p] + 2]++;
    }
    for (int i = 2; i <= n; i++)
    {
        row_start[i] += row_start[i - 1];
    }
    for (int j = 0; j < n; j++)
    {
        for (int p = system->column_start[j]; p < system->column_start[j + 1]; p++)
        {
            row_column[row_start[system->row_index[p] + 1]++] = j;
        }
    }
}

static int colour_columns(Jacobian* jacobian)
{
    const OdeSystem* system = jacobian->system;
    size_t n = (size_t)jacobian->n;
    size_t size = sizeof(int) * (n + 2 + (size_t)jacobian->entries + n + 1);
    int* work = jacobian->allocator.alloc(jacobian->allocator.user, NULL, 0, size);
    if (!work)
    {
        return -1;
    }
    int *row_start = work, *row_column = work + n + 2, *taken = row_column + jacobian->entries;
    transpose(system, row_start, row_column);
    for (size_t i = 0; i <= n; i++)
    {
        taken[i] = -1;
    }
    for (int j = 0; j < jacobian->n; j++)
    {
        int colour = choose_colour(system, j, jacobian->colour, row_start, row_column, taken);
        jacobian->colour[j] = colour;
        jacobian->colours = colour >= jacobian->colours ? colour + 1 : jacobian->colours;
    }
    jacobian->allocator.alloc(jacobian->allocator.user, work, size, 0);
    return 0;
}

Jacobian* jacobian_create(const OdeSystem* system, kaiAllocator allocator)
{
    size_t n = (size_t)system->n;
    bool sparse = system->column_start != NULL;
    size_t entries = sparse ? (size_t)system->column_start[n] : n * n;
    size_t size = sizeof(Jacobian) + sizeof(double) * (entries + 4 * n) + sizeof(int) * n;
    Jacobian* jacobian = allocator.alloc(allocator.user, NULL, 0, size);
    if (!jacobian)
    {
        return NULL;
    }
    memset(jacobian, 0, size);
    *jacobian = (Jacobian){.system = system,
                           .n = system->n,
                           .entries = (int)entries,
                           .colours = system->n,
                           .allocator = allocator,
                           .size = size};
    jacobian->values = (double*)(jacobian + 1);
    jacobian->dfdt = jacobian->values + entries;
    jacobian->x = jacobian->dfdt + n;
    jacobian->fx = jacobian->x + n;
    jacobian->delta = jacobian->fx + n;
    if (sparse && !system->jacobian)
    {
        jacobian->colour = (int*)(jacobian->delta + n);
        jacobian->colours = 0;
        if (colour_columns(jacobian) != 0)
        {
            jacobian_destroy(jacobian);
            return NULL;
        }
    }
    return jacobian;
}

void jacobian_destroy(Jacobian* jacobian)
{
    if (jacobian)
    {
        jacobian->allocator.alloc(jacobian->allocator.user, jacobian, jacobian->size, 0);
    }
}

// Entries of one column from the difference of f.
static void take_column(Jacobian* jacobian, int column, const double* fx)
{
    const OdeSystem* system = jacobian->system;
    double per = 1 / jacobian->delta[column];
    if (!system->column_start)
    {
        double* values = jacobian->values + (size_t)column * (size_t)jacobian->n;
        for (int i = 0; i < jacobian->n; i++)
        {
            values[i] = (jacobian->fx[i] - fx[i]) * per;
        }
        return;
    }
    for (int p = system->column_start[column]; p < system->column_start[column + 1]; p++)
    {
        int i = system->row_index[p];
        jacobian->values[p] = (jacobian->fx[i] - fx[i]) * per;
    }
}

static bool has_colour(const Jacobian* jacobian, int column, int colour)
{
    return (jacobian->colour ? jacobian->colour[column] : column) == colour;
}

static int difference(Jacobian* jacobian, double t, const double* x, const double* fx, int colour)
{
    const OdeSystem* system = jacobian->system;
    int first = jacobian->colour ? 0 : colour, end = jacobian->colour ? jacobian->n : colour + 1;
    for (int j = first; j < end; j++)
    {
        jacobian->x[j] = has_colour(jacobian, j, colour) ? x[j] + jacobian->delta[j] : x[j];
    }
    int status = system->rhs(system->ctx, t, jacobian->x, jacobian->fx);
    for (int j = first; j < end; j++)
    {
        jacobian->x[j] = x[j];
        if (status == 0 && has_colour(jacobian, j, colour))
        {
            take_column(jacobian, j, fx);
        }
    }
    return status;
}

static void choose_increments(Jacobian* jacobian, const double* x, const double* fx, double typical, double h)
{
    for (int j = 0; j < jacobian->n; j++)
    {
        double size = fmax(fmax(fabs(x[j]), fabs(h * fx[j])), typical);
        volatile double moved = x[j] + DIFFERENCE_PART * (size > 0 && isfinite(size) ? size : 1);
        jacobian->delta[j] = moved - x[j];
    }
}

// df/dt by a difference inside the step it is for, so that no breakpoint at its end is crossed.
static int difference_time(Jacobian* jacobian, double t, const double* x, const double* fx, double h)
{
    const OdeSystem* system = jacobian->system;
    volatile double moved = t + fmax(DIFFERENCE_PART * fabs(h), DIFFERENCE_TIME * fabs(t));
    int status = system->rhs(system->ctx, moved, x, jacobian->dfdt);
    double per = 1 / (moved - t);
    for (int i = 0; i < jacobian->n; i++)
    {
        jacobian->dfdt[i] = (jacobian->dfdt[i] - fx[i]) * per;
    }
    return status;
}

static bool is_finite_column(const Jacobian* jacobian, int column)
{
    const int* start = jacobian->system->column_start;
    int first = start ? start[column] : column * jacobian->n;
    int end = start ? start[column + 1] : first + jacobian->n;
    for (int p = first; p < end; p++)
    {
        if (!isfinite(jacobian->values[p]))
        {
            return false;
        }
    }
    return true;
}

// Where f has no derivative (sqrt at 0), the secant over the step takes its place: what the step needs to know is how f
// changes within it.
static int mend_columns(Jacobian* jacobian, double t, const double* x, const double* fx, double h, int64_t* rhs_calls)
{
    int status = 0;
    memcpy(jacobian->x, x, sizeof(double) * (size_t)jacobian->n);
    for (int j = 0; j < jacobian->n && status == 0; j++)
    {
        if (is_finite_column(jacobian, j))
        {
            continue;
        }
        volatile double moved = x[j] + h * fx[j];
        if (moved != x[j])
        {
            jacobian->delta[j] = moved - x[j];
        }
        status = difference(jacobian, t, x, fx, j);
        ++*rhs_calls;
    }
    return status;
}

static int mend_time(Jacobian* jacobian, double t, const double* x, const double* fx, double h, int64_t* rhs_calls)
{
    int i = 0, n = jacobian->n;
    while (i < n && isfinite(jacobian->dfdt[i]))
    {
        i++;
    }
    if (i == n)
    {
        return 0;
    }
    volatile double moved = t + h;
    int status = jacobian->system->rhs(jacobian->system->ctx, moved, x, jacobian->fx);
    ++*rhs_calls;
    for (; i < n && status == 0; i++)
    {
        if (!isfinite(jacobian->dfdt[i]))
        {
            jacobian->dfdt[i] = (jacobian->fx[i] - fx[i]) / (moved - t);
        }
    }
    return status;
}

static int evaluate_given(Jacobian* jacobian, double t, const double* x, const double* fx, double typical, double h,
                          bool time, int64_t* rhs_calls)
{
    const OdeSystem* system = jacobian->system;
    int status = system->jacobian(system->ctx, t, x, jacobian->values, time ? jacobian->dfdt : NULL);
    double sum = 0;
    for (int p = 0; p < jacobian->entries; p++)
    {
        sum += 0 * jacobian->values[p];
    }
    if (status == 0 && sum != 0)
    {
        choose_increments(jacobian, x, fx, typical, h);
        status = mend_columns(jacobian, t, x, fx, h, rhs_calls);
    }
    return status == 0 && time ? mend_time(jacobian, t, x, fx, h, rhs_calls) : status;
}

int jacobian_evaluate(Jacobian* jacobian, double t, const double* x, const double* fx, double typical, double h,
                      bool time, int64_t* rhs_calls)
{
    if (jacobian->system->jacobian)
    {
        return evaluate_given(jacobian, t, x, fx, typical, h, time, rhs_calls);
    }
    choose_increments(jacobian, x, fx, typical, h);
    memcpy(jacobian->x, x, sizeof(double) * (size_t)jacobian->n);
    int status = 0;
    for (int c = 0; c < jacobian->colours && status == 0; c++)
    {
        status = difference(jacobian, t, x, fx, c);
        ++*rhs_calls;
    }
    if (status == 0 && time)
    {
        status = difference_time(jacobian, t, x, fx, h);
        ++*rhs_calls;
    }
    return status;
}
