// ODE methods where something fails or is interrupted: values that are not numbers, refusals of the right-hand side, no
// memory, snapshots that are resumed. Every method passes every test that applies to it.
#include "unit/ode_problems.h"

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
            assert_int_equal(ode_step(ode, 100), ODE_OK);
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
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_nan),   cmocka_unit_test(test_rhs_status),
        cmocka_unit_test(test_halving), cmocka_unit_test(test_worst), cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
