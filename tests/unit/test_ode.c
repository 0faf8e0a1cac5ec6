// Conformance of the ODE methods (src/num): one table, every method passes every test that applies to it.
// Expected values are closed forms, or published (IVP test set; Hairer and Wanner), never our own earlier output.
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

// ------------------------------------------------------------------------------------------------------------- memory

static Heap heap = {.fail_at = -1};

static kaiAllocator allocator(void)
{
    return (kaiAllocator){heap_alloc, &heap};
}

// ----------------------------------------------------------------------------------------------------------- problems

static int f_rational(void* ctx, double t, const double* x, double* dx)  // x = 1 / (1 + t^2)
{
    (void)ctx;
    dx[0] = -2 * t * x[0] * x[0];
    return 0;
}

static int f_oscillator(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return 0;
}

static int f_decay(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = -x[0];
    return 0;
}

// Power series of the same problems, for taylor: x[k + 1] (k + 1) = coefficient k of f.
static int s_oscillator(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = x[k][1] / (k + 1);
        x[k + 1][1] = -x[k][0] / (k + 1);
    }
    return 0;
}

static int s_decay(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = -x[k][0] / (k + 1);
    }
    return 0;
}

static Ode* make(const OdeSystem* system, OdeMethod method, double rtol, double atol, double step)
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
static void run_to(Ode* ode, double end)
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

static double error_of_oscillator(Ode* ode)
{
    double t = ode_time(ode);
    const double* x = ode_state(ode);
    return fmax(fabs(x[0] - cos(t)), fabs(x[1] + sin(t)));
}

// -------------------------------------------------------------------------------------------------------------- tests

static void test_names(void** state)
{
    (void)state;
    assert_int_equal(ROWS, ODE_METHOD_COUNT);
    for (int m = 0; m < ODE_METHOD_COUNT; m++)
    {
        assert_int_equal(ode_method_find(ode_method_name((OdeMethod)m)), m);
        assert_true(strlen(ode_method_about((OdeMethod)m)) > 0);
    }
    assert_int_equal(ode_method_find("rk4"), -1);
}

// Constant steps: error control is held off by a step that is both the first and the longest, and by a loose tolerance
// (but not so loose that Newton's iteration stops early).
static double error_at_step(const Row* row, double h)
{
    OdeSystem system = {.n = 1, .rhs = f_rational};
    OdeOptions options = {.method = row->method, .rtol = 1e-2, .atol = 1e-2, .step = h, .max_step = h};
    Ode* ode = ode_create(&system, &options, allocator());
    double x = 1;
    assert_non_null(ode);
    assert_int_equal(ode_restart(ode, 0, &x, true), ODE_OK);
    run_to(ode, 1);
    double error = fabs(ode_state(ode)[0] - 0.5);
    assert_true(ode_stats(ode).steps == lround(1 / h));
    ode_destroy(ode);
    return error;
}

static void test_order(void** state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
    {
        if (rows[i].order > 0)
        {
            double h = rows[i].order < 3 ? 1. / 128 : 1. / 32;
            double order = log2(error_at_step(&rows[i], h) / error_at_step(&rows[i], h / 2));
            printf("%-15s order %.3f\n", ode_method_name(rows[i].method), order);
            assert_true(fabs(order - rows[i].order) < 0.3);
        }
    }
}

static double error_at_tolerance(OdeMethod method, double rtol)
{
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    Ode* ode = make(&system, method, rtol, rtol * 1e-2, 0);
    double x[2] = {1, 0}, worst = 0;
    assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);
    while (ode_time(ode) < 20)
    {
        assert_int_equal(ode_step(ode, 20), ODE_OK);
        worst = fmax(worst, error_of_oscillator(ode));
    }
    ode_destroy(ode);
    return worst;
}

static void test_tolerance(void** state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
    {
        if (rows[i].fixed)
        {
            continue;
        }
        double loose = error_at_tolerance(rows[i].method, 1e-4), tight = error_at_tolerance(rows[i].method, 1e-7);
        printf("%-15s error / rtol %.1f at 1e-4, %.1f at 1e-7\n", ode_method_name(rows[i].method), loose * 1e4,
               tight * 1e7);
        assert_true(loose < rows[i].factor * 1e-4 && tight < rows[i].factor * 1e-7);
        assert_true(tight < loose / 50);
    }
}

// One step of length h from (t = 0.3) exact data: the largest error of the interpolant and of its slope.
static double dense_error(const Row* row, double h)
{
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    OdeOptions options = {.method = row->method, .rtol = 1e-2, .atol = 1e-2, .step = h};
    Ode* ode = ode_create(&system, &options, allocator());
    double x[2] = {cos(0.3), -sin(0.3)}, at[2], some[2], slope[2], after[2], worst = 0;
    assert_non_null(ode);
    ode_restart(ode, 0.3, x, true);
    assert_int_equal(ode_step(ode, 0.3 + h), ODE_OK);
    for (int k = 0; k <= 16; k++)
    {
        double theta = k / 16., t = 0.3 + theta * h;
        int index[1] = {1};
        ode_dense(ode, theta, at, slope);
        ode_dense_some(ode, theta, index, 1, some);
        assert_true(fabs(some[1] - at[1]) <= 1e-15);
        worst = fmax(worst, fmax(fabs(at[0] - cos(t)), fabs(at[1] + sin(t))));
        ode_dense(ode, theta + 1e-6, after, NULL);
        assert_true(fabs((after[0] - at[0]) / (1e-6 * h) - slope[0]) < 1e-5 + 1e-8 / h);
    }
    ode_destroy(ode);
    return worst;
}

static void test_dense_order(void** state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
    {
        if (rows[i].dense_order > 0)
        {
            double order = log2(dense_error(&rows[i], 0.2) / dense_error(&rows[i], 0.1));
            printf("%-15s dense output, local order %.3f\n", ode_method_name(rows[i].method), order);
            assert_true(fabs(order - rows[i].dense_order) < 0.3);
        }
    }
}

// Over a whole run the interpolant joins the ends of the steps and is as accurate as they are.
static void test_dense_run(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    for (int i = 0; i < ROWS; i++)
    {
        Ode* ode = make(&system, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 1e-3 : 0);
        double x[2] = {1, 0}, at[2], slope[2], worst = 0;
        double bound = rows[i].fixed ? 2e-3 : rows[i].factor * 1e-6;
        ode_restart(ode, 0, x, true);
        while (ode_time(ode) < 3)
        {
            assert_int_equal(ode_step(ode, 3), ODE_OK);
            ode_dense(ode, 0, at, NULL);
            assert_true(fabs(at[0] - ode_start_state(ode)[0]) < (rows[i].order ? 1e-15 : bound));
            ode_dense(ode, 1, at, NULL);
            assert_true(fabs(at[0] - ode_state(ode)[0]) < 1e-14);
            ode_dense(ode, 0.4, at, slope);
            double t = ode_step_start(ode) + 0.4 * (ode_time(ode) - ode_step_start(ode));
            worst = fmax(worst, fabs(at[0] - cos(t)));
            assert_true(fabs(slope[0] + sin(t)) < (rows[i].fixed ? 4e-3 : 2e-3));
            assert_true(fabs(ode_slope(ode)[1] + ode_state(ode)[0]) < (rows[i].order ? 1e-15 : 1e-3));
        }
        assert_true(worst < bound);
        ode_destroy(ode);
    }
}

typedef struct Watch
{
    double latest;  // the latest time f was asked for
    int64_t calls;
} Watch;

static int f_watched(void* ctx, double t, const double* x, double* dx)
{
    Watch* watch = ctx;
    watch->calls++;
    watch->latest = t > watch->latest ? t : watch->latest;
    return f_oscillator(NULL, t, x, dx);
}

static int s_watched(void* ctx, double t, int from, int to, double* const* x)
{
    Watch* watch = ctx;
    watch->calls += from == 0;
    watch->latest = from == 0 && t > watch->latest ? t : watch->latest;
    return s_oscillator(NULL, t, from, to, x);
}

// Neither the step nor f goes beyond the limit; the limit is met exactly; a limit does not spoil the natural step.
static void test_limit(void** state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
    {
        Watch watch = {0};
        OdeSystem system = {.n = 2, .rhs = f_watched, .ctx = &watch, .series = s_watched};
        Ode* ode = make(&system, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 1e-2 : 0);
        double x[2] = {1, 0}, limit = 0;
        ode_restart(ode, 0, x, true);
        for (int k = 1; k <= 60; k++)
        {
            limit += 0.3 / (1 + k % 7);
            run_to(ode, limit);
            assert_true(watch.latest <= limit);
        }
        assert_int_equal(ode_step(ode, limit), ODE_ERR_STEP);  // no room
        run_to(ode, nextafter(limit, 100));                    // a step of one ulp
        run_to(ode, nextafter(limit, 100) + 1e-13);
        assert_true(error_of_oscillator(ode) < (rows[i].fixed ? 0.2 : rows[i].factor * 1e-6));
        assert_true(ode_next_step(ode) > 0);
        assert_int_equal(ode_stats(ode).rhs_calls, watch.calls);
        ode_destroy(ode);
    }
}

static void test_natural_step(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    Ode* ode = make(&system, ODE_RK45, 1e-8, 1e-10, 0);
    double x[2] = {1, 0};
    ode_restart(ode, 0, x, true);
    for (int k = 0; k < 20; k++)
    {
        assert_int_equal(ode_step(ode, 1e3), ODE_OK);
    }
    double natural = ode_next_step(ode), t = ode_time(ode);
    assert_int_equal(ode_step(ode, t + 1e-6 * natural), ODE_OK);
    assert_true(ode_next_step(ode) >= natural);  // the clipped step says nothing against it
    ode_restart(ode, ode_time(ode), ode_state(ode), false);
    assert_true(ode_next_step(ode) >= natural);
    ode_set_max_step(ode, 0.5 * natural);
    t = ode_time(ode);
    assert_int_equal(ode_step(ode, 1e3), ODE_OK);
    assert_true(fabs(ode_time(ode) - t - 0.5 * natural) < 1e-12);
    ode_set_max_step(ode, 0);
    t = ode_time(ode);
    assert_int_equal(ode_step(ode, 1e3), ODE_OK);
    assert_true(ode_time(ode) - t > 0.9 * natural);
    ode_destroy(ode);
}

// The longest step holds for every method.
static void test_max_step(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    for (int i = 0; i < ROWS; i++)
    {
        OdeOptions options = {.method = rows[i].method, .rtol = 1e-3, .atol = 1e-3, .step = 0.05, .max_step = 0.02};
        Ode* ode = ode_create(&system, &options, allocator());
        double x[2] = {1, 0};
        ode_restart(ode, 0, x, true);
        while (ode_time(ode) < 1)
        {
            assert_int_equal(ode_step(ode, 1), ODE_OK);
            assert_true(ode_time(ode) - ode_step_start(ode) <= 0.02 * (1 + 1e-6));
        }
        ode_destroy(ode);
    }
}

static void test_cut(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    for (int i = 0; i < ROWS; i++)
    {
        Ode* ode = make(&system, rows[i].method, 1e-7, 1e-9, rows[i].fixed ? 1e-3 : 0);
        double x[2] = {1, 0}, at[2], earlier[2];
        ode_restart(ode, 0, x, true);
        for (int k = 0; k < (rows[i].method == ODE_TAYLOR || rows[i].method == ODE_AUTO ? 2 : 12); k++)
        {
            assert_int_equal(ode_step(ode, 10), ODE_OK);
        }
        double start = ode_step_start(ode), h = ode_time(ode) - start;
        ode_dense(ode, 0.37, at, NULL);
        ode_dense(ode, 0.37 * 0.5, earlier, NULL);
        ode_cut(ode, 0.37);
        assert_true(fabs(ode_time(ode) - (start + 0.37 * h)) <= 1e-15 * (1 + start));
        assert_memory_equal(ode_state(ode), at, sizeof at);
        ode_dense(ode, 0.5, at, NULL);  // what is left of the step is still there, on its new scale
        assert_true(fabs(at[0] - earlier[0]) < 1e-14);
        run_to(ode, 3);
        assert_true(error_of_oscillator(ode) < (rows[i].fixed ? 3e-3 : rows[i].factor * 1e-7));
        ode_destroy(ode);
    }
}

// Cuts that come regularly bound the next step: a longer one would be thrown away.
static void test_cut_rhythm(void** state)
{
    (void)state;
    OdeSystem system = {.n = 1, .rhs = f_decay, .series = s_decay};
    Ode* ode = make(&system, ODE_RK45, 1e-3, 1e-3, 0);
    double x = 1, t = 0;
    ode_restart(ode, 0, &x, true);
    for (int k = 1; k <= 50; k++)
    {
        while (ode_time(ode) < 0.01 * k)
        {
            assert_int_equal(ode_step(ode, 100), ODE_OK);
        }
        t = ode_step_start(ode);
        ode_cut(ode, (0.01 * k - t) / (ode_time(ode) - t));
        ode_restart(ode, ode_time(ode), &x, false);
    }
    assert_true(ode_next_step(ode) <= 0.0301 && ode_next_step(ode) >= 0.01);
    assert_true(ode_stats(ode).steps < 65);
    ode_destroy(ode);
}

static void test_restart(void** state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
    {
        Watch watch = {0};
        OdeSystem system = {.n = 2, .rhs = f_watched, .ctx = &watch, .series = s_watched};
        Ode* ode = make(&system, rows[i].method, 1e-7, 1e-9, rows[i].fixed ? 1e-3 : 0);
        double x[2] = {1, 0}, y[2] = {cos(5), -sin(5)};
        ode_restart(ode, 0, x, true);
        run_to(ode, 2);
        int64_t calls = watch.calls;
        ode_restart(ode, 5, y, false);
        assert_int_equal(watch.calls, calls + 1);  // free but for f at the new start
        assert_true(ode_time(ode) == 5 && ode_state(ode)[0] == y[0] && ode_slope(ode)[0] == y[1]);
        assert_true(ode_start_state(ode)[1] == y[1] && ode_step_start(ode) == 5);
        ode_dense(ode, 0.5, x, NULL);
        assert_memory_equal(x, y, sizeof y);
        run_to(ode, 7);
        assert_true(error_of_oscillator(ode) < (rows[i].fixed ? 3e-3 : rows[i].factor * 1e-7));
        assert_int_equal(ode_stats(ode).restarts, 2);
        ode_destroy(ode);
    }
}

static int f_none(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t, (void)x, (void)dx;
    return 0;
}

static void test_empty(void** state)
{
    (void)state;
    OdeSystem system = {.n = 0, .rhs = f_none};
    for (int i = 0; i < ROWS; i++)
    {
        OdeOptions options = {.method = rows[i].method, .rtol = 1e-6, .atol = 1e-6, .step = 0.25};
        options.breakpoint = ODE_BREAK_IBE;
        Ode* ode = ode_create(&system, &options, allocator());
        assert_non_null(ode);
        assert_int_equal(ode_restart(ode, 1, NULL, true), ODE_OK);
        assert_int_equal(ode_step(ode, 3), ODE_OK);
        assert_true(ode_time(ode) == (rows[i].fixed ? 1.25 : 3));
        ode_dense(ode, 0.5, NULL, NULL);
        ode_cut(ode, 0.5);
        assert_true(ode_time(ode) == (rows[i].fixed ? 1.125 : 2));
        void* block = malloc(ode_save_size(ode));
        ode_save(ode, block);
        ode_set_max_step(ode, 0.125);
        assert_int_equal(ode_step(ode, 3), ODE_OK);
        assert_true(fabs(ode_time(ode) - ode_step_start(ode) - 0.125) < 1e-15);
        assert_int_equal(ode_load(ode, block), ODE_OK);
        assert_true(ode_time(ode) == (rows[i].fixed ? 1.125 : 2));
        free(block);
        ode_destroy(ode);
    }
}

// ----------------------------------------------------------------------------------------------------------- failures

static int f_wall(void* ctx, double t, const double* x, double* dx)  // not a number after t = 0.5
{
    (void)ctx;
    dx[0] = t > 0.5 ? (double)NAN : -x[0];
    dx[1] = -x[1];
    return 0;
}

static int s_wall(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = t > 0.5 ? (double)NAN : -x[k][0] / (k + 1);
        x[k + 1][1] = -x[k][1] / (k + 1);
    }
    return 0;
}

static void test_nan(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_wall, .series = s_wall};
    for (int i = 0; i < ROWS; i++)
    {
        Ode* ode = make(&system, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 0.01 : 0);
        double x[2] = {1, 1};
        assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);
        int status = ODE_OK;
        while (status == ODE_OK && ode_time(ode) < 1)
        {
            status = ode_step(ode, 1);
        }
        assert_int_equal(status, ODE_ERR_STEP);
        assert_true(ode_time(ode) <= 0.5 && ode_time(ode) > 0.499);
        assert_true(fabs(ode_state(ode)[0] - exp(-ode_time(ode))) < 1e-2);
        assert_int_equal(ode_restart(ode, 0.75, x, false), ODE_ERR_NAN);
        assert_int_equal(ode_step(ode, 1), ODE_ERR_NAN);
        assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);  // and it can be used again
        run_to(ode, 0.4);
        ode_destroy(ode);
    }
}

static int f_guarded(void* ctx, double t, const double* x, double* dx)  // no values below -0.01: a smaller step, please
{
    (void)t;
    dx[0] = -100 * x[0];
    return x[0] < -0.01 ? *(int*)ctx : 0;
}

static int s_guarded(void* ctx, double t, int from, int to, double* const* x)
{
    (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = -100 * x[k][0] / (k + 1);
    }
    return from == 0 && x[0][0] < -0.01 ? *(int*)ctx : 0;
}

static void test_rhs_status(void** state)
{
    (void)state;
    int code = 7;
    OdeSystem system = {.n = 1, .rhs = f_guarded, .ctx = &code, .series = s_guarded};
    for (int i = 0; i < ROWS; i++)
    {
        bool explicit_method = rows[i].method == ODE_RK45 || rows[i].method == ODE_RK23 || rows[i].method == ODE_EULER;
        double x = 1;
        code = 7;
        Ode* ode = make(&system, rows[i].method, 1e-4, 1e-6, 0.5);
        ode_restart(ode, 0, &x, true);
        run_to(ode, 1);
        assert_true(fabs(ode_state(ode)[0]) < 0.02);
        if (explicit_method)  // the first trial of 0.5 s goes far below zero
        {
            assert_true(ode_stats(ode).rejected > 0);
            assert_int_equal(ode_stats(ode).rhs_status, 7);
            code = -7;
            ode_restart(ode, 0, &x, true);
            assert_int_equal(ode_step(ode, 1), ODE_ERR_RHS);
            assert_int_equal(ode_stats(ode).rhs_status, -7);
            assert_true(ode_time(ode) == 0 && ode_state(ode)[0] == 1);  // a step that failed leaves no trace
        }
        code = -3;
        x = -1;
        assert_int_equal(ode_restart(ode, 0, &x, true), ODE_ERR_RHS);
        assert_int_equal(ode_step(ode, 1), ODE_ERR_RHS);
        assert_int_equal(ode_stats(ode).rhs_status, -3);
        ode_destroy(ode);
    }
}

static int f_switch(void* ctx, double t, const double* x, double* dx)  // Newton overshoots far from 0
{
    (void)ctx, (void)t;
    dx[0] = -1e3 * atan(1e2 * x[0]);
    return 0;
}

// Paper 004, section 3.2.1: where the iteration does not converge the step is halved. From 10 the state falls at a rate
// of nearly 1e3 pi/2 and rests at 0 after 10 / (500 pi) s.
static void test_halving(void** state)
{
    (void)state;
    OdeSystem system = {.n = 1, .rhs = f_switch};
    const OdeMethod methods[] = {ODE_BACKWARD_EULER, ODE_RIEMANN, ODE_TRAPEZOID};
    for (int i = 0; i < 3; i++)
    {
        Ode* ode = make(&system, methods[i], 1e-6, 1e-9, 0.05);
        double x = 10;
        ode_restart(ode, 0, &x, true);
        assert_int_equal(ode_step(ode, 1), ODE_OK);
        assert_true(ode_stats(ode).halvings > 0);
        assert_true(ode_time(ode) < 0.05);
        run_to(ode, 0.2);
        assert_true(fabs(ode_state(ode)[0]) < 1e-6);
        ode_destroy(ode);
    }
}

static int f_worst(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = -x[0];
    dx[1] = -x[1];
    dx[2] = -400 * (x[2] - cos(t));  // the fast one
    return 0;
}

static void test_worst(void** state)
{
    (void)state;
    OdeSystem system = {.n = 3, .rhs = f_worst};
    const OdeMethod methods[] = {ODE_RK45, ODE_RK23, ODE_TRAPEZOID, ODE_ROSENBROCK};
    for (int i = 0; i < 4; i++)
    {
        Ode* ode = make(&system, methods[i], 1e-8, 1e-8, 0.1);
        double x[3] = {1, 1, 0};
        ode_restart(ode, 0, x, true);
        assert_int_equal(ode_stats(ode).worst, -1);
        assert_int_equal(ode_step(ode, 1), ODE_OK);
        assert_true(ode_stats(ode).rejected > 0);
        assert_int_equal(ode_stats(ode).worst, 2);
        ode_destroy(ode);
    }
}

// -------------------------------------------------------------------------------------------------------- breakpoints

// The first step after a restart is backward Euler: for x' = -x exactly x0 / (1 + h). The second is not.
static void test_break_backward_euler(void** state)
{
    (void)state;
    OdeSystem system = {.n = 1, .rhs = f_decay, .series = s_decay};
    for (int i = 0; i < ROWS; i++)
    {
        OdeOptions options = {.method = rows[i].method, .rtol = 1e-4, .atol = 1e-6, .step = 0.01};
        options.breakpoint = ODE_BREAK_BACKWARD_EULER;
        Ode* ode = ode_create(&system, &options, allocator());
        double x = 1, middle;
        ode_restart(ode, 0, &x, true);
        for (int k = 0; k < 2; k++)
        {
            double from = ode_time(ode), x0 = ode_state(ode)[0];
            assert_int_equal(ode_step(ode, from + 1), ODE_OK);
            double h = ode_time(ode) - from;
            assert_true(fabs(ode_state(ode)[0] * (1 + h) - x0) < 1e-9);
            ode_dense(ode, 0.5, &middle, NULL);
            assert_true(fabs(middle - 0.5 * (x0 + ode_state(ode)[0])) < 1e-15);
            run_to(ode, from + 1);
            ode_restart(ode, ode_time(ode), ode_state(ode), false);
        }
        assert_true(fabs(ode_state(ode)[0] - exp(-2)) < (rows[i].fixed ? 3e-3 : 1e-3));
        ode_destroy(ode);
    }
}

static int f_impulse(void* ctx, double t, const double* x, double* dx)  // paper 004, figure 6, of width 1e-6
{
    (void)ctx, (void)x;
    dx[0] = t > 0 && t < 1.5e-6 ? 1e6 : 0;
    return 0;
}

static int s_impulse(void* ctx, double t, int from, int to, double* const* x)
{
    for (int k = from; k < to; k++)
    {
        f_impulse(ctx, t, x[0], x[k + 1]);
        x[k + 1][0] = k == 0 ? x[1][0] : 0;
    }
    return 0;
}

// Paper 004, equation 24: x(0+) = x(0-) + 1, at the same time; ordinary methods step over the impulse.
static void test_break_impulse(void** state)
{
    (void)state;
    OdeSystem impulse = {.n = 1, .rhs = f_impulse, .series = s_impulse},
              decay = {.n = 1, .rhs = f_decay, .series = s_decay};
    for (int i = 0; i < ROWS; i++)
    {
        OdeOptions options = {.method = rows[i].method, .rtol = 1e-6, .atol = 1e-6, .step = 1};
        options.breakpoint = ODE_BREAK_IBE;
        Ode* ode = ode_create(&impulse, &options, allocator());
        double x = 2;
        ode_restart(ode, 0, &x, true);
        assert_int_equal(ode_step(ode, 1), ODE_OK);
        assert_true(fabs(ode_start_state(ode)[0] - 3) < 1e-9);
        assert_true(ode_step_start(ode) == 0);
        ode_destroy(ode);
        ode = ode_create(&decay, &options, allocator());
        ode_restart(ode, 0, &x, true);  // without an impulse: x0 / (1 - h^2)
        assert_int_equal(ode_step(ode, 1), ODE_OK);
        assert_true(fabs(ode_start_state(ode)[0] - 2) < 1e-9);
        ode_destroy(ode);
    }
}

// ----------------------------------------------------------------------------------------------------------- snapshots

static int f_pendulum(void* ctx, double t, const double* x, double* dx)
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

static int s_pendulum(void* ctx, double t, int from, int to, double* const* x)
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
static void compare_resumed(Ode* ode, Ode* other, const void* block)
{
    static double at[300];
    double record[40][4], times[40];
    for (int k = 0; k < 40; k++)
    {
        assert_int_equal(ode_step(ode, 50), ODE_OK);
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
            assert_int_equal(ode_step(resumed[r], 50), ODE_OK);
            assert_true(ode_time(resumed[r]) == times[k]);
            ode_dense(resumed[r], 0.3, at, NULL);
            assert_memory_equal(record[k], ode_state(resumed[r]), 2 * sizeof(double));
            assert_memory_equal(record[k] + 2, at, 2 * sizeof(double));
        }
    }
}

static void test_snapshot(void** state)
{
    (void)state;
    static Pendulum first, second;
    OdeSystem system = {.n = 2, .rhs = f_pendulum, .series = s_pendulum, .ctx = &first}, again = system;
    again.ctx = &second;
    for (int i = 0; i < ROWS; i++)
    {
        Ode* ode = make(&system, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 0.05 : 0);
        Ode* other = make(&again, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 0.05 : 0);
        double x[2] = {1, 0}, before[2], after[2];
        ode_restart(ode, 0, x, true);
        for (int k = 0; k < 30; k++)
        {
            assert_int_equal(ode_step(ode, 50), ODE_OK);
        }
        void* block = malloc(ode_save_size(ode));
        ode_save(ode, block);
        ode_dense(ode, 0.6, before, NULL);
        assert_int_equal(ode_load(other, block), ODE_OK);
        ode_dense(other, 0.6, after, NULL);  // the last step comes along
        assert_memory_equal(before, after, sizeof before);
        assert_true(ode_time(other) == ode_time(ode) && ode_step_start(other) == ode_step_start(ode));
        compare_resumed(ode, other, block);
        free(block);
        ode_destroy(ode);
        ode_destroy(other);
    }
}

// --------------------------------------------------------------------------------------------------------------- stiff

static int f_hires(void* ctx, double t, const double* y, double* d)
{
    (void)ctx, (void)t;
    d[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    d[1] = 1.71 * y[0] - 8.75 * y[1];
    d[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    d[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    d[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    d[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    d[6] = 280 * y[5] * y[7] - 1.81 * y[6];
    d[7] = -d[6];
    return 0;
}

static int f_robertson(void* ctx, double t, const double* y, double* d)
{
    (void)ctx, (void)t;
    d[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    d[2] = 3e7 * y[1] * y[1];
    d[1] = -d[0] - d[2];
    return 0;
}

static int j_robertson(void* ctx, double t, const double* y, double* v, double* dfdt)
{
    (void)ctx, (void)t;
    const double columns[9] = {-0.04,      0.04,       0,           1e4 * y[2], -1e4 * y[2] - 6e7 * y[1],
                               6e7 * y[1], 1e4 * y[1], -1e4 * y[1], 0};
    memcpy(v, columns, sizeof columns);
    if (dfdt)
    {
        memset(dfdt, 0, 3 * sizeof(double));
    }
    return 0;
}

static int f_van_der_pol(void* ctx, double t, const double* y, double* d)
{
    (void)ctx, (void)t;
    d[0] = y[1];
    d[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    return 0;
}

static int f_oregonator(void* ctx, double t, const double* y, double* d)
{
    (void)ctx, (void)t;
    d[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
    d[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
    d[2] = 0.161 * (y[0] - y[2]);
    return 0;
}

static int j_oregonator(void* ctx, double t, const double* y, double* v, double* dfdt)
{
    (void)ctx, (void)t;
    const double columns[9] = {77.27 * (1 - 2 * 8.375e-6 * y[0] - y[1]),
                               -y[1] / 77.27,
                               0.161,
                               77.27 * (1 - y[0]),
                               -(1 + y[0]) / 77.27,
                               0,
                               0,
                               1 / 77.27,
                               -0.161};
    memcpy(v, columns, sizeof columns);
    if (dfdt)
    {
        memset(dfdt, 0, 3 * sizeof(double));
    }
    return 0;
}

typedef struct Stiff
{
    const char* name;
    OdeSystem system;
    double end, atol;  // atol for rtol = 1
    double start[8], expected[8];
} Stiff;

// Reference values: IVP test set. atol follows the smallest component: Robertson's y2 ends at 8e-14
// and must still have relative accuracy, and differences would blur it: there the Jacobian is given.
static const Stiff stiff[] = {
    {"HIRES",
     {.n = 8, .rhs = f_hires},
     321.8122,
     1e-4,
     {1, 0, 0, 0, 0, 0, 0, 0.0057},
     {.7371312573325668e-3, .1442485726316185e-3, .5888729740967575e-4, .1175651343283149e-2, .2386356198831331e-2,
      .6238968252742796e-2, .2849998395185769e-2, .2850001604814231e-2}},
    {"Robertson",
     {.n = 3, .rhs = f_robertson, .jacobian = j_robertson},
     1e11,
     1e-14,
     {1, 0, 0},
     {.2083340149701255e-7, .8333360770334713e-13, .9999999791665050}},
    {"Van der Pol", {.n = 2, .rhs = f_van_der_pol}, 2, 1e-2, {2, 0}, {1.706167732170483, -0.8928097010247975}},
    {"Oregonator",
     {.n = 3, .rhs = f_oregonator, .jacobian = j_oregonator},
     360,
     1e-4,
     {1, 2, 3},
     {1.000814870318523, 1228.178521549917, 132.0554942846706}},
};

static double stiff_digits(const Stiff* problem, OdeMethod method, double rtol)
{
    Ode* ode = make(&problem->system, method, rtol, rtol * problem->atol, 0);
    double worst = 0;
    ode_restart(ode, 0, problem->start, true);
    run_to(ode, problem->end);
    for (int i = 0; i < problem->system.n; i++)
    {
        worst = fmax(worst, fabs(ode_state(ode)[i] / problem->expected[i] - 1));
    }
    OdeStats s = ode_stats(ode);
    printf("%-12s %-11s rtol %.0e: %5.2f digits, %5ld steps, %4ld rejected, %6ld f, %4ld J, %5ld LU\n", problem->name,
           ode_method_name(method), rtol, -log10(worst), (long)s.steps, (long)s.rejected, (long)s.rhs_calls,
           (long)s.jacobian_calls, (long)s.factorisations);
    ode_destroy(ode);
    return -log10(worst);
}

static void test_stiff(void** state)
{
    (void)state;
    const OdeMethod methods[] = {ODE_ROSENBROCK, ODE_CVODE_BDF};
    for (size_t p = 0; p < sizeof stiff / sizeof stiff[0]; p++)
    {
        for (int m = 0; m < 2; m++)
        {
            assert_true(stiff_digits(&stiff[p], methods[m], 1e-6) >= 4);
            assert_true(stiff_digits(&stiff[p], methods[m], 1e-9) >= 7);
        }
    }
    assert_true(stiff_digits(&stiff[0], ODE_TRAPEZOID, 1e-6) >= 3);
}

// -------------------------------------------------------------------------------------------------------------- sparse

enum
{
    LADDER = 2000,
    STAR = 300,
};

static int f_ladder(void* ctx, double t, const double* y, double* d)  // RC ladder driven by 1 V
{
    (void)ctx, (void)t;
    d[0] = 1 - 2 * y[0] + y[1];
    for (int i = 1; i < LADDER - 1; i++)
    {
        d[i] = y[i - 1] - 2 * y[i] + y[i + 1];
    }
    d[LADDER - 1] = y[LADDER - 2] - y[LADDER - 1];
    return 0;
}

// Node i at time t, by the modes of the ladder.
static double ladder_exact(int i, double t)
{
    double sum = 0;
    for (int j = 1; j <= LADDER; j++)
    {
        double angle = M_PI * (2 * j - 1) / (2.0 * LADDER + 1), lambda = 4 * pow(sin(angle / 2), 2);
        sum += 4.0 / (2 * LADDER + 1) * sin(angle) / lambda * (1 - exp(-lambda * t)) * sin(angle * (i + 1));
    }
    return sum;
}

static void ladder_pattern(int* start, int* row)
{
    int count = 0;
    for (int j = 0; j < LADDER; j++)
    {
        start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < LADDER; i++)
        {
            row[count++] = i;
        }
    }
    start[LADDER] = count;
}

// Without the band a factorisation of 2,000 unknowns takes seconds; coloured differences take 3 evaluations of f.
static void test_ladder(void** state)
{
    (void)state;
    static int start[LADDER + 1], row[3 * LADDER];
    static double x[LADDER];
    ladder_pattern(start, row);
    assert_int_equal(linear_choose(LADDER, start, row), LINEAR_BAND);
    OdeSystem system = {.n = LADDER, .rhs = f_ladder, .column_start = start, .row_index = row};
    const OdeMethod methods[] = {ODE_ROSENBROCK, ODE_CVODE_BDF, ODE_TRAPEZOID, ODE_BACKWARD_EULER};
    const double bounds[] = {1e-4, 1e-3, 1e-2, 5e-2};
    for (int m = 0; m < 4; m++)
    {
        Ode* ode = make(&system, methods[m], 1e-5, 1e-7, methods[m] == ODE_BACKWARD_EULER ? 1 : 0);
        double worst = 0;
        ode_restart(ode, 0, x, true);
        run_to(ode, 200);
        for (int i = 0; i < LADDER; i += 37)
        {
            worst = fmax(worst, fabs(ode_state(ode)[i] - ladder_exact(i, 200)));
        }
        OdeStats s = ode_stats(ode);
        printf("ladder %-14s error %.1e, %ld steps, %ld f\n", ode_method_name(methods[m]), worst, (long)s.steps,
               (long)s.rhs_calls);
        assert_true(worst < bounds[m]);
        assert_true(s.rhs_calls < (s.steps + s.rejected) * 12 + 40);
        ode_destroy(ode);
    }
}

// All storages with pivots off the diagonal: a I - J with small a and random J; the residual tells. Widths 1+1 and 2+3
// are bands, a stray corner makes the pattern sparse, no pattern makes it dense.
static void check_linear(int lower, int upper, bool corner, LinearKind kind)
{
    enum
    {
        N = 90
    };
    static int start[N + 1], row[N * N];
    static double values[N * N];
    int count = 0;
    uint32_t seed = 12345;
    for (int j = 0; j < N; j++)
    {
        start[j] = count;
        for (int i = 0; i < N; i++)
        {
            if ((i - j <= lower && j - i <= upper) || (corner && i + j == N - 1))
            {
                seed = seed * 1664525u + 1013904223u;
                row[count] = i;
                values[count++] = seed / 4294967296.0 - 0.5;
            }
        }
    }
    start[N] = count;
    Linear* linear = linear_create(N, kind == LINEAR_DENSE ? NULL : start, row, allocator());
    assert_non_null(linear);
    assert_int_equal(linear_kind(linear), kind);
    for (int round = 0; round < 3; round++)  // the second and third reuse KLU's pivots
    {
        double a = 0.01 + 0.02 * round, b[N], residual[N];
        assert_int_equal(linear_factor(linear, a, values), 0);
        for (int i = 0; i < N; i++)
        {
            b[i] = residual[i] = i % 5 - 2;
        }
        linear_solve(linear, b);
        for (int j = 0; j < N; j++)
        {
            residual[j] -= a * b[j];
            for (int p = start[j]; p < start[j + 1]; p++)
            {
                residual[row[p]] += values[p] * b[j];
            }
        }
        for (int i = 0; i < N; i++)
        {
            assert_true(fabs(residual[i]) < 1e-9);
        }
    }
    memset(values, 0, sizeof values);
    assert_int_equal(linear_factor(linear, 0, values), 1);  // singular
    values[0] = (double)NAN;
    assert_int_equal(linear_factor(linear, 1, values), 1);  // not a number
    linear_destroy(linear);
}

static void test_linear(void** state)
{
    (void)state;
    check_linear(1, 1, false, LINEAR_BAND);
    check_linear(2, 3, false, LINEAR_BAND);
    check_linear(1, 1, true, LINEAR_SPARSE);
    check_linear(89, 89, false, LINEAR_DENSE);
}

// A hub with many arms: no band, few entries. x_hub is stiff through the sum of all arms.
static int f_star(void* ctx, double t, const double* y, double* d)
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

// Flow 10 u + u³ with u = y0 - yi: the rows of u and u².
static int s_star(void* ctx, double t, int from, int to, double* const* y)
{
    static double u[STAR][32], square[STAR][32];
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        double sum = 0;
        for (int i = 1; i < STAR; i++)
        {
            double flow = 0;
            u[i][k] = y[k][0] - y[k][i];
            square[i][k] = 0;
            for (int j = 0; j <= k; j++)
            {
                square[i][k] += u[i][j] * u[i][k - j];
            }
            for (int j = 0; j <= k; j++)
            {
                flow += u[i][j] * square[i][k - j];
            }
            flow += 10 * u[i][k];
            y[k + 1][i] = flow / (k + 1);
            sum += flow;
        }
        y[k + 1][0] = -sum / (k + 1);
    }
    return 0;
}

static void star_pattern(int* start, int* row)
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

// KLU and the dense path agree; the resumed run agrees bit for bit, pivots and all; energy is conserved: the sum is
// 300.
static void test_star(void** state)
{
    (void)state;
    static int start[STAR + 1], row[3 * STAR];
    static double x[STAR];
    star_pattern(start, row);
    assert_int_equal(linear_choose(STAR, start, row), LINEAR_SPARSE);
    OdeSystem sparse = {.n = STAR, .rhs = f_star, .column_start = start, .row_index = row};
    OdeSystem dense = {.n = STAR, .rhs = f_star};
    x[0] = STAR;
    const OdeMethod methods[] = {ODE_ROSENBROCK, ODE_CVODE_BDF, ODE_TRAPEZOID};
    for (int m = 0; m < 3; m++)
    {
        Ode* a = make(&sparse, methods[m], 1e-5, 1e-7, 0);
        Ode* b = make(&sparse, methods[m], 1e-5, 1e-7, 0);
        ode_restart(a, 0, x, true);
        for (int k = 0; k < 10; k++)
        {
            assert_int_equal(ode_step(a, 50), ODE_OK);
        }
        void* block = malloc(ode_save_size(a));
        ode_save(a, block);
        compare_resumed(a, b, block);
        run_to(a, 60);
        double sum = 0;
        for (int i = 0; i < STAR; i++)
        {
            sum += ode_state(a)[i];
            assert_true(fabs(ode_state(a)[i] - 1) < 1e-3);  // all equal in the end
        }
        assert_true(fabs(sum - STAR) < 1e-3);
        free(block);
        ode_destroy(a);
        ode_destroy(b);
    }
    Ode* a = make(&sparse, ODE_ROSENBROCK, 1e-5, 1e-7, 0);
    Ode* b = make(&dense, ODE_ROSENBROCK, 1e-5, 1e-7, 0);
    ode_restart(a, 0, x, true);
    ode_restart(b, 0, x, true);
    run_to(a, 0.01);
    run_to(b, 0.01);
    assert_true(fabs(ode_state(a)[7] - ode_state(b)[7]) < 1e-4);
    ode_destroy(a);
    ode_destroy(b);
}

// ---------------------------------------------------------------------------------------------------------------- rest

static int f_ball(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    dx[0] = x[1];
    dx[1] = -9.81;
    return 0;
}

// Paper 003, equation 35 on the chain of Fig. 1: v_n = -g n h, y_n = 10 - g h^2 n (n + 1) / 2. Forward Euler has
// n (n - 1).
static void test_riemann(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_ball};
    Ode* ode = make(&system, ODE_RIEMANN, 1e-6, 1e-6, 0.125);
    double x[2] = {10, 0};
    ode_restart(ode, 0, x, true);
    for (int n = 1; n <= 16; n++)
    {
        assert_int_equal(ode_step(ode, 100), ODE_OK);
        assert_true(fabs(ode_state(ode)[1] + 9.81 * n * 0.125) < 1e-13);
        assert_true(fabs(ode_state(ode)[0] - (10 - 9.81 * 0.015625 * n * (n + 1) / 2)) < 1e-13);
    }
    assert_int_equal(ode_stats(ode).newton_iterations, 0);  // the chain needs no Newton
    ode_destroy(ode);
}

// Impulse backward Euler in single steps: x' = y, y' = -x forward and backward. x (1 + h^2) x_1 = x_0 + h y_0 and the
// same with -h: back at (x, y)/(1 + h^2), at the same t, with the length of the step as f is told it.
static void test_impulse_steps(void** state)
{
    (void)state;
    const double h = 1. / 64;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    Ode* ode = make(&system, ODE_RIEMANN, 1e-6, 1e-6, 0.125);
    double x[2] = {0.6, -0.8};
    ode_restart(ode, 3, x, true);
    assert_int_equal(ode_impulse_step(ode, h, 3 + h), ODE_OK);
    assert_true(ode_time(ode) == 3 + h && ode_step_length(ode) == h);
    assert_true(fabs(ode_state(ode)[0] - (0.6 - 0.8 * h) / (1 + h * h)) < 1e-14);
    assert_int_equal(ode_impulse_step(ode, -h, 3), ODE_OK);
    assert_true(ode_time(ode) == 3 && ode_step_length(ode) == -h);
    assert_true(fabs(ode_state(ode)[0] - 0.6 / (1 + h * h)) < 1e-14);
    assert_true(fabs(ode_state(ode)[1] + 0.8 / (1 + h * h)) < 1e-14);
    ode_destroy(ode);
}

// Every method hands over its step as polynomials: what ode_dense evaluates, whole and cut.
static void test_piece(void** state)
{
    (void)state;
    Pendulum pendulum;
    OdeSystem system = {.n = 2, .rhs = f_pendulum, .series = s_pendulum, .ctx = &pendulum};
    for (int i = 0; i < ROWS; i++)
    {
        Ode* ode = make(&system, rows[i].method, 1e-6, 1e-8, rows[i].fixed ? 0.05 : 0);
        double x[2] = {1, 0}, at[2], c[2][ODE_ORDER + 2], orders[ODE_ORDER + 2][2];
        ode_restart(ode, 0, x, true);
        assert_int_equal(ode_piece_degree(ode), 0);
        for (int step = 0; step < 30; step++)
        {
            assert_int_equal(ode_step(ode, 50), ODE_OK);
            if (step % 3 == 2)
            {
                ode_cut(ode, 0.6);
            }
            int degree = ode_piece_degree(ode);
            assert_true(degree >= 1 && degree <= ODE_ORDER);
            for (int k = 0; k <= degree; k++)
            {
                ode_piece_order(ode, k, orders[k]);
            }
            for (int j = 0; j < 2; j++)
            {
                ode_piece(ode, j, c[j]);
                for (int k = 0; k <= degree; k++)
                {
                    assert_true(c[j][k] == orders[k][j]);
                }
            }
            for (int part = 0; part <= 8; part++)
            {
                double tau = part / 8. * ode_dense_length(ode);
                ode_dense(ode, part / 8., at, NULL);
                for (int j = 0; j < 2; j++)
                {
                    assert_true(fabs(polynomial_value(c[j], degree, tau) - at[j]) < 1e-14);
                }
            }
        }
        ode_destroy(ode);
    }
}

static int degree_of_ball(void* ctx)
{
    (void)ctx;
    return 2;
}

static int s_ball(void* ctx, double t, int from, int to, double* const* x)
{
    (void)ctx, (void)t;
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = x[k][1] / (k + 1);
        x[k + 1][1] = k == 0 ? -9.81 : 0;
    }
    return 0;
}

// Free flight is a polynomial: one step, however far, and exact.
static void test_taylor_exact(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_ball, .series = s_ball, .degree = degree_of_ball};
    Ode* ode = make(&system, ODE_TAYLOR, 1e-3, 1e-3, 0);
    double x[2] = {10, 3};
    ode_restart(ode, 0, x, true);
    assert_int_equal(ode_step(ode, 1000), ODE_OK);
    assert_true(ode_time(ode) == 1000 && ode_piece_degree(ode) == 2);
    assert_true(fabs(ode_state(ode)[0] / (10 + 3000 - 0.5 * 9.81 * 1e6) - 1) < 1e-15);
    ode_destroy(ode);
}

// A step that is cut ends between the times that t can tell; the next one makes up for it. After 10⁵ cuts at odd places
// the state at a round time is right; without that it would be wrong by 300 roundings of t.
static void test_taylor_time(void** state)
{
    (void)state;
    OdeSystem system = {.n = 2, .rhs = f_oscillator, .series = s_oscillator};
    Ode* ode = make(&system, ODE_TAYLOR, 1e-15, 1e-17, 0);
    double x[2] = {1, 0};
    ode_restart(ode, 0, x, true);
    for (int k = 0; k < 100000; k++)
    {
        assert_int_equal(ode_step(ode, ode_time(ode) + 0.3), ODE_OK);
        ode_cut(ode, (0.0371234567 + 1e-6 * (k % 1000)) / ode_dense_length(ode));
        ode_restart(ode, ode_time(ode), ode_state(ode), false);
    }
    assert_true(ode_time_low(ode) != 0);
    run_to(ode, ceil(ode_time(ode)));
    assert_true(ode_time_low(ode) == 0);
    print_message("oscillator, %.0f s with 1e5 cuts: error %.1e\n", ode_time(ode), error_of_oscillator(ode));
    assert_true(error_of_oscillator(ode) < 1e-12);
    ode_destroy(ode);
}

typedef struct Kepler  // rows of x², y², their sum, and its power -3/2
{
    double q[32], w[32];
} Kepler;

static int s_kepler(void* ctx, double t, int from, int to, double* const* x)
{
    Kepler* p = ctx;
    (void)t;
    for (int k = from; k < to; k++)
    {
        double ax = 0, ay = 0, sum = 0;
        p->q[k] = 0;
        for (int j = 0; j <= k; j++)
        {
            p->q[k] += x[j][0] * x[k - j][0] + x[j][1] * x[k - j][1];
        }
        for (int j = 0; j < k; j++)
        {
            sum += (-1.5 * (k - j) - j) * p->q[k - j] * p->w[j];
        }
        p->w[k] = k == 0 ? 1 / (p->q[0] * sqrt(p->q[0])) : sum / (k * p->q[0]);
        for (int j = 0; j <= k; j++)
        {
            ax -= x[j][0] * p->w[k - j];
            ay -= x[j][1] * p->w[k - j];
        }
        x[k + 1][0] = x[k][2] / (k + 1);
        x[k + 1][1] = x[k][3] / (k + 1);
        x[k + 1][2] = ax / (k + 1);
        x[k + 1][3] = ay / (k + 1);
    }
    return 0;
}

static int f_kepler(void* ctx, double t, const double* x, double* dx)
{
    (void)ctx, (void)t;
    double q = x[0] * x[0] + x[1] * x[1], w = 1 / (q * sqrt(q));
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -x[0] * w;
    dx[3] = -x[1] * w;
    return 0;
}

// Kepler's orbit, e = 0.5, a thousand times round at the finest tolerance: energy -1/2 and the start again.
static void test_taylor_kepler(void** state)
{
    (void)state;
    Kepler kepler;
    OdeSystem system = {.n = 4, .rhs = f_kepler, .series = s_kepler, .ctx = &kepler};
    Ode* ode = make(&system, ODE_TAYLOR, 1e-16, 1e-16, 0);
    double x[4] = {0.5, 0, 0, sqrt(3)}, worst = 0;
    ode_restart(ode, 0, x, true);
    for (int orbit = 1; orbit <= 1000; orbit++)
    {
        run_to(ode, orbit * 2 * M_PI);
        const double* y = ode_state(ode);
        double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
        worst = fmax(worst, fabs(energy / -0.5 - 1));
    }
    print_message("Kepler, 1000 orbits: energy %.1e, place %.1e, %ld steps\n", worst, fabs(ode_state(ode)[1]),
                  (long)ode_stats(ode).steps);
    assert_true(worst < 5e-14);
    assert_true(fabs(ode_state(ode)[1]) < 1e-9);
    ode_destroy(ode);
}

static int s_none(void* ctx, double t, int from, int to, double* const* x)
{
    if (from == 0)
    {
        return f_decay(ctx, t, x[0], x[1]);
    }
    (void)to;
    return ODE_NO_SERIES;
}

static int s_hidden(void* ctx, double t, int from, int to, double* const* x)  // x' = (1 + t)^20 - 1 - 20 t
{
    (void)ctx;
    double choose = 1;
    for (int j = 0; j < from; j++)
    {
        choose *= (20. - j) / (j + 1);
    }
    for (int k = from; k < to; k++)
    {
        x[k + 1][0] = (k < 2 ? 0 : choose) / (k + 1);
        choose *= (20. - k) / (k + 1);
    }
    if (t > 0)
    {
        x[1][0] = pow(1 + t, 20) - 1 - 20 * t;  // only f is asked for there
    }
    return 0;
}

// A field without series is refused; terms behind zeros are found by the check.
static void test_taylor_refuses(void** state)
{
    (void)state;
    OdeSystem none = {.n = 1, .rhs = f_decay, .series = s_none}, without = {.n = 1, .rhs = f_decay};
    OdeOptions options = {.method = ODE_TAYLOR, .rtol = 1e-9, .atol = 1e-9};
    double x = 1;
    assert_null(ode_create(&without, &options, allocator()));
    Ode* ode = make(&none, ODE_TAYLOR, 1e-9, 1e-9, 0);
    assert_int_equal(ode_restart(ode, 0, &x, true), ODE_OK);
    assert_int_equal(ode_step(ode, 1), ODE_ERR_SERIES);
    assert_true(ode_time(ode) == 0 && ode_state(ode)[0] == 1);
    ode_destroy(ode);
    OdeSystem hidden = {.n = 1, .rhs = f_decay, .series = s_hidden};
    ode = make(&hidden, ODE_TAYLOR, 1e-9, 1e-9, 0);
    x = 0;
    ode_restart(ode, 0, &x, true);
    assert_int_equal(ode_step(ode, 1), ODE_OK);
    double t = ode_time(ode), exact = (pow(1 + t, 21) - 1) / 21 - t - 10 * t * t;
    assert_true(t > 0.01 && fabs(ode_state(ode)[0] - exact) < 1e-8 * (1 + exact));
    ode_destroy(ode);
}

// ---------------------------------------------------------------------------------------------------------------- auto

// x' = -L (x - cos t), on its slow manifold (L^2 cos t + L sin t)/(1 + L^2) after a moment, for any number of states.
static const double stiff_rate = 1e5;

static int f_towards(void* ctx, double t, const double* x, double* dx)
{
    for (int i = 0; i < *(int*)ctx; i++)
    {
        dx[i] = -stiff_rate * (x[i] - cos(t));
    }
    return 0;
}

static int s_towards(void* ctx, double t, int from, int to, double* const* x)
{
    double term = 1;
    for (int k = 0; k < to; k++)
    {
        double derivative = k % 4 == 0 ? cos(t) : k % 4 == 1 ? -sin(t) : k % 4 == 2 ? -cos(t) : sin(t);
        for (int i = 0; i < *(int*)ctx && k >= from; i++)
        {
            x[k + 1][i] = -stiff_rate * (x[k][i] - derivative * term) / (k + 1);
        }
        term /= k + 1;
    }
    return 0;
}

// Explicit methods need 20,000 steps of at most 5/L for one second. A snapshot from the middle goes on with the same
// bits in a block that had another method.
static void auto_stiff(int n, bool band, OdeMethod expected)
{
    static int start[401], row[1200];
    static double x[400];
    for (int i = 0, at = 0; i < n; i++)  // three diagonals, or the main one and the first row
    {
        for (int k = 0; k < n; k++)
        {
            row[at] = k;
            at += k == i || (band ? abs(k - i) == 1 : k == 0);
        }
        start[i + 1] = at;
    }
    OdeSystem system = {
        .n = n, .ctx = &n, .rhs = f_towards, .series = s_towards, .column_start = start, .row_index = row};
    Ode *ode = make(&system, ODE_AUTO, 1e-8, 1e-10, 0), *other = make(&system, ODE_AUTO, 1e-8, 1e-10, 0);
    ode_restart(ode, 0, x, true);
    ode_restart(other, 0, x, true);
    while (ode_time(ode) < 0.5)
    {
        assert_int_equal(ode_step(ode, 1), ODE_OK);
    }
    assert_int_equal(ode_method(ode), expected);
    assert_int_equal(ode_method(other), ODE_TAYLOR);
    void* block = malloc(ode_save_size(ode));
    ode_save(ode, block);
    assert_int_equal(ode_load(other, block), ODE_OK);
    free(block);
    while (ode_time(ode) < 1)
    {
        assert_int_equal(ode_step(ode, 1), ODE_OK);
        assert_int_equal(ode_step(other, 1), ODE_OK);
        assert_true(ode_time(other) == ode_time(ode) && ode_state(other)[0] == ode_state(ode)[0]);
    }
    double exact = (stiff_rate * cos(1) + sin(1)) / (stiff_rate + 1 / stiff_rate);
    assert_true(fabs(ode_state(ode)[n - 1] - exact) < 1e-7);
    assert_true(ode_stats(ode).steps < 2000);
    assert_int_equal(ode_change(ode, 0).method, ODE_TAYLOR);
    assert_int_equal(ode_change(ode, 1).method, expected);
    assert_int_equal(ode_change(ode, 1).reason, ODE_REASON_STIFF);
    ode_destroy(ode);
    ode_destroy(other);
}

static void test_auto(void** state)
{
    (void)state;
    OdeSystem without = {.n = 1, .rhs = f_decay}, none = {.n = 1, .rhs = f_decay, .series = s_none};
    const OdeSystem* systems[] = {&without, &none};
    const OdeReason reasons[] = {ODE_REASON_NO_SERIES, ODE_REASON_BORDER};
    for (int i = 0; i < 2; i++)
    {
        double x = 1;
        Ode* ode = make(systems[i], ODE_AUTO, 1e-9, 1e-11, 0);
        ode_restart(ode, 0, &x, true);
        while (ode_time(ode) < 1)
        {
            assert_int_equal(ode_step(ode, 1), ODE_OK);
            assert_int_equal(ode_method(ode), ODE_RK45);
        }
        assert_true(fabs(ode_state(ode)[0] - exp(-1)) < 1e-7);
        assert_int_equal(ode_change(ode, i).reason, reasons[i]);
        assert_int_equal(ode_change_count(ode), i + 1);
        assert_int_equal(ode_steps_of(ode, ODE_RK45), ode_stats(ode).steps);
        ode_destroy(ode);
    }
    auto_stiff(1, false, ODE_ROSENBROCK);
    auto_stiff(299, false, ODE_ROSENBROCK);
    auto_stiff(400, true, ODE_ROSENBROCK);
    auto_stiff(400, false, ODE_CVODE_BDF);
}

// Nothing is allocated after ode_create, everything is given back, and no allocation may fail unnoticed.
static void test_memory(void** state)
{
    (void)state;
    static int start[STAR + 1], row[3 * STAR];
    static double x[STAR];
    star_pattern(start, row);
    x[0] = 1;
    OdeSystem systems[] = {{.n = STAR, .rhs = f_star, .series = s_star, .column_start = start, .row_index = row},
                           {.n = 2, .rhs = f_oscillator, .series = s_oscillator}};
    for (int i = 0; i < 2 * ROWS; i++)
    {
        OdeOptions options = {.method = rows[i / 2].method, .rtol = 1e-6, .atol = 1e-6, .step = 1e-3};
        options.breakpoint = ODE_BREAK_IBE;
        heap.calls = 0;
        assert_int_equal(heap.live, 0);
        Ode* ode = ode_create(&systems[i % 2], &options, allocator());
        assert_non_null(ode);
        long calls = heap.calls;
        ode_restart(ode, 0, x, true);
        ode_step(ode, 1);
        ode_cut(ode, 0.5);
        ode_step(ode, 1);
        assert_int_equal(heap.calls, calls);
        ode_destroy(ode);
        assert_int_equal(heap.live, 0);
        for (long k = 0; k < calls; k++)
        {
            heap.calls = 0;
            heap.fail_at = k;
            assert_null(ode_create(&systems[i % 2], &options, allocator()));
            assert_int_equal(heap.live, 0);
        }
        heap.fail_at = -1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_dense_order),
        cmocka_unit_test(test_dense_run),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_natural_step),
        cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_rhythm),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_rhs_status),
        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_worst),
        cmocka_unit_test(test_break_backward_euler),
        cmocka_unit_test(test_break_impulse),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_riemann),
        cmocka_unit_test(test_impulse_steps),
        cmocka_unit_test(test_piece),
        cmocka_unit_test(test_taylor_exact),
        cmocka_unit_test(test_taylor_time),
        cmocka_unit_test(test_taylor_kepler),
        cmocka_unit_test(test_taylor_refuses),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
