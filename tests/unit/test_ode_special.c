// What single ODE methods promise: breakpoints of backward Euler, steps of numeric impulses, pieces, the order and the
// refusals of Taylor series. Expected values are closed forms.
#include "unit/ode_problems.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_break_backward_euler),
        cmocka_unit_test(test_break_impulse),
        cmocka_unit_test(test_riemann),
        cmocka_unit_test(test_impulse_steps),
        cmocka_unit_test(test_piece),
        cmocka_unit_test(test_taylor_exact),
        cmocka_unit_test(test_taylor_time),
        cmocka_unit_test(test_taylor_kepler),
        cmocka_unit_test(test_taylor_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
