// Stiff and large systems, the linear algebra below them, and the method that chooses by itself. Expected values are
// closed forms or published (IVP test set; Hairer and Wanner).
#include "unit/ode_problems.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff), cmocka_unit_test(test_linear), cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_star),  cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
