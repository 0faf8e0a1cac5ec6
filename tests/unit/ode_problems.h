// What the files of tests of ODE methods share: the table of methods, problems with closed forms, and how they are run.
#ifndef KAIROS_TESTS_ODE_PROBLEMS_H
#define KAIROS_TESTS_ODE_PROBLEMS_H

#include "num/linear.h"
#include "num/ode.h"
#include "num/polynomial.h"
#include "unit/heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Row
{
    OdeMethod method;
    bool fixed;       // fixed step
    int order;        // of the solution; 0: variable order
    int dense_order;  // the interpolant's error over one step is O(h^dense_order); 0: variable
    double factor;    // global error on the oscillator over 20 s is below factor * rtol
} Row;

static const Row rows[] = {
    {ODE_RK45, false, 5, 5, 20},       {ODE_RK23, false, 3, 4, 20},         {ODE_EULER, true, 1, 2, 0},
    {ODE_RIEMANN, true, 1, 2, 0},      {ODE_BACKWARD_EULER, true, 1, 2, 0}, {ODE_TRAPEZOID, false, 2, 3, 4000},
    {ODE_ROSENBROCK, false, 4, 4, 20}, {ODE_CVODE_ADAMS, false, 0, 0, 400}, {ODE_CVODE_BDF, false, 0, 0, 800},
    {ODE_TAYLOR, false, 0, 0, 2},      {ODE_AUTO, false, 0, 0, 2},
};

enum
{
    ROWS = sizeof rows / sizeof rows[0]
};

static Heap heap = {.fail_at = -1};

static inline kaiAllocator allocator(void)
{
    return (kaiAllocator){heap_alloc, &heap};
}

static inline int f_oscillator(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return 0;
}

static inline int f_decay(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = -x[0];
    return 0;
}

// Power series of the same problems, for taylor: x[k + 1] (k + 1) = coefficient k of f.
static inline int s_oscillator(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = x[k][1] / (k + 1);
        x[k + 1][1] = -x[k][0] / (k + 1);
    }
    return 0;
}

static inline int s_decay(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = -x[k][0] / (k + 1);
    }
    return 0;
}

static inline Ode* make(const OdeSystem* system, OdeMethod method, double rtol, double atol, double step)
{
    OdeOptions options = ode_default_options();
    options.method = method;
    options.rtol = rtol;
    options.atol = atol;
    options.step = step;
    Ode* ode = ode_create(system, &options, allocator());
    assert_non_null(ode);
    return ode;
}

// Steps to `end`; every step must succeed and stay within it.
static inline void run_to(Ode* ode, double end)
{
    while (ode_time(ode) < end)
    {
        double before = ode_time(ode);
        assert_int_equal(ode_step(ode, end), ODE_OK);
        assert_true(ode_time(ode) > before && ode_time(ode) <= end);
        assert_true(ode_step_start(ode) == before);
    }
    assert_true(ode_time(ode) == end);
}

static inline double error_of_oscillator(Ode* ode)
{
    double t = ode_time(ode);
    const double* x = ode_state(ode);
    return fmax(fabs(x[0] - cos(t)), fabs(x[1] + sin(t)));
}

static inline int f_pendulum(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx;
    dx[0] = x[1];
    dx[1] = -sin(x[0]) - 0.1 * x[1] + 0.3 * cos(2 * t);
    return 0;
}

typedef struct Pendulum  // rows of sin x, cos x, sin 2t, cos 2t
{
    double s[32], c[32], s2[32], c2[32];
} Pendulum;

static inline int s_pendulum(void* ctx, double t, int from, int to, double* const* x)
{
    Pendulum* p = ctx;
    for (int k = from; k < to; k++)
    {
        p->s[k] = k == 0 ? sin(x[0][0]) : 0;
        p->c[k] = k == 0 ? cos(x[0][0]) : 0;
        for (int j = 1; j <= k; j++)
        {
            p->s[k] += j * x[j][0] * p->c[k - j] / k;
            p->c[k] -= j * x[j][0] * p->s[k - j] / k;
        }
        p->s2[k] = k == 0 ? sin(2 * t) : 2 * p->c2[k - 1] / k;
        p->c2[k] = k == 0 ? cos(2 * t) : -2 * p->s2[k - 1] / k;
        x[k + 1][0] = x[k][1] / (k + 1);
        x[k + 1][1] = (-p->s[k] - 0.1 * x[k][1] + 0.3 * p->c2[k]) / (k + 1);
    }
    return 0;
}

// 40 steps from the snapshot, by the run that took it, by another solver, and by the first again: the same bits.
static inline void compare_resumed(Ode* ode, Ode* other, const void* block)
{
    static double at[300];
    double record[40][4], times[40];
    for (int k = 0; k < 40; k++)
    {
        assert_int_equal(ode_step(ode, 100), ODE_OK);
        times[k] = ode_time(ode);
        memcpy(record[k], ode_state(ode), 2 * sizeof(double));
        ode_dense(ode, 0.3, at, NULL);
        memcpy(record[k] + 2, at, 2 * sizeof(double));
    }
    Ode* resumed[2] = {other, ode};
    for (int r = 0; r < 2; r++)
    {
        assert_int_equal(ode_load(resumed[r], block), ODE_OK);
        for (int k = 0; k < 40; k++)
        {
            assert_int_equal(ode_step(resumed[r], 100), ODE_OK);
            assert_true(ode_time(resumed[r]) == times[k]);
            ode_dense(resumed[r], 0.3, at, NULL);
            assert_memory_equal(record[k], ode_state(resumed[r]), 2 * sizeof(double));
            assert_memory_equal(record[k] + 2, at, 2 * sizeof(double));
        }
    }
}

enum
{
    LADDER = 2000,
    STAR = 300,
};

// A hub with many arms: no band, few entries. x_hub is stiff through the sum of all arms.
static inline int f_star(void* ctx, double t, const double* y, double* d)
{
    double sum = 0;
    (void)ctx, (void)t;
    for (int i = 1; i < STAR; i++)
    {
        double flow = 10 * (y[0] - y[i]) + pow(y[0] - y[i], 3);
        d[i] = flow;
        sum += flow;
    }
    d[0] = -sum;
    return 0;
}

static inline void star_pattern(int* start, int* row)
{
    int count = 0;
    start[0] = 0;
    for (int i = 0; i < STAR; i++)
    {
        row[count++] = i;
    }
    for (int j = 1; j < STAR; j++)
    {
        start[j] = count;
        row[count++] = 0;
        row[count++] = j;
    }
    start[STAR] = count;
}

static inline int s_none(void* ctx, double t, int from, int to, double* const* x)
{
    if (from == 0)
    {
        return f_decay(ctx, t, x[0], x[1]);
    }
    (void)to;
    return ODE_NO_SERIES;
}

#endif
