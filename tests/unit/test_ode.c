// Conformance of the ODE methods (src/num): one table, every method passes every test that applies to it.
// Expected values are closed forms, or published (IVP test set; Hairer and Wanner), never our own earlier output.
#include "unit/ode_problems.h"

static int f_rational(void* ctx, double t, const double* x, double* dx)  // x = 1 / (1 + t^2)
{
    (void)ctx;
    dx[0] = -2 * t * x[0] * x[0];
    return 0;
}

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
        run_to(ode, 4);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_order),     cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_dense_order),  cmocka_unit_test(test_dense_run), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_natural_step), cmocka_unit_test(test_max_step),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_rhythm),   cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
