// Steps of a linear field that come twice are taken by a matrix (src/num/map.c): a forced oscillator in steps of a
// clock, against its closed solution.
#include "unit/ode_problems.h"

// x' = v, v' = -4 x + sin t + 0.5 t, with x = a cos 2t + b sin 2t + sin(t)/3 + t/8.
typedef struct Forced
{
    double turns[2];  // order k of sin t and cos t
    double rise;      // of 0.5 t, in order 1
    double stiff;     // 4
    int expansions;   // beyond order 0
} Forced;

static int f_forced(void* ctx, double t, const double* x, double* dx)
{
    const Forced* f = ctx;
    dx[0] = x[1];
    dx[1] = -f->stiff * x[0] + sin(t) + 0.5 * t;
    return 0;
}

static void run_forced(Forced* f, int from, int to, double* const* x)
{
    for (int k = from; k < to; k++)
    {
        double sine = f->turns[0], cosine = f->turns[1];
        f->turns[0] = cosine / k;
        f->turns[1] = -sine / k;
        x[k + 1][0] = x[k][1] / (k + 1);
        x[k + 1][1] = (-f->stiff * x[k][0] + f->turns[0] + (k == 1 ? f->rise : 0)) / (k + 1);
    }
}

static int s_forced(void* ctx, double t, int from, int to, double* const* x)
{
    Forced* f = ctx;
    if (from == 0)
    {
        f->turns[0] = sin(t);
        f->turns[1] = cos(t);
        f->rise = 0.5;
        f_forced(ctx, t, x[0], x[1]);
    }
    f->expansions += to > 1;
    run_forced(f, from > 0 ? from : 1, to, x);
    return 0;
}

static int forced_degree(void* ctx)
{
    (void)ctx;
    return ODE_WHOLE;
}

static int forced_inputs(void* ctx, int room, double* inputs, uint64_t* key)
{
    const Forced* f = ctx;
    assert_true(room >= 3);
    inputs[0] = f->turns[0];
    inputs[1] = f->turns[1];
    inputs[2] = f->rise;
    memcpy(key, &f->stiff, sizeof *key);
    return 3;
}

static void forced_try(void* ctx, const double* inputs, int to, double* const* x)
{
    Forced* f = ctx;
    f->turns[0] = inputs[0];
    f->turns[1] = inputs[1];
    f->rise = inputs[2];
    run_forced(f, 1, to, x);
}

static double forced_at(double t)  // x(0) = 1, v(0) = 0
{
    return cos(2 * t) - (1. / 3 + 1. / 8) / 2 * sin(2 * t) + sin(t) / 3 + t / 8;
}

static OdeSystem forced_system(Forced* f)
{
    return (OdeSystem){.n = 2,
                       .ctx = f,
                       .rhs = f_forced,
                       .series = s_forced,
                       .degree = forced_degree,
                       .inputs = forced_inputs,
                       .try_inputs = forced_try};
}

static Ode* start(const OdeSystem* system, double rtol)
{
    double x[2] = {1, 0};
    Ode* ode = make(system, ODE_TAYLOR, rtol, rtol, 0);
    assert_non_null(ode);
    assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);
    return ode;
}

static void tick(Ode* ode, int from, int to)  // the times of a clock, which rounding puts at uneven distances
{
    for (int n = from; n < to; n++)
    {
        assert_int_equal(ode_step(ode, (n + 1) * 0.1), ODE_OK);
        assert_true(ode_time(ode) == (n + 1) * 0.1);
    }
}

// Whatever the tolerance, steps by a map are exact but for rounding; and the series is hardly asked for.
static void test_exact(void** state)
{
    (void)state;
    Forced f = {.stiff = 4};
    OdeSystem system = forced_system(&f);
    Ode* ode = start(&system, 1e-10);
    tick(ode, 0, 20);
    f.expansions = 0;
    tick(ode, 20, 1000);
    assert_true(f.expansions <= 6);
    assert_true(fabs(ode_state(ode)[0] - forced_at(100)) < 1e-9);
    ode_destroy(ode);
    ode = start(&system, 1e-14);
    f.expansions = 0;
    tick(ode, 0, 1000);
    assert_true(f.expansions >= 1000);  // so tight that rounding must not add up
    assert_true(fabs(ode_state(ode)[0] - forced_at(100)) < 1e-12);
    ode_destroy(ode);
}

// Somebody looks into the step, takes its coefficients, or cuts it.
static void test_inside(void** state)
{
    (void)state;
    Forced f = {.stiff = 4};
    OdeSystem system = forced_system(&f);
    Ode* ode = start(&system, 1e-11);
    double x[2], slope[2], c[ODE_ORDER + 1] = {0};
    tick(ode, 0, 50);
    ode_dense(ode, 0.3, x, slope);
    assert_true(fabs(x[0] - forced_at(4.93)) < 1e-10 && fabs(slope[0] - x[1]) < 1e-12);
    tick(ode, 50, 51);
    int degree = ode_piece_add(ode, 0, 2, 0, c);
    double sum = 0;
    for (int k = degree; k >= 1; k--)
    {
        sum = (sum + c[k]) * 0.05;
    }
    assert_true(fabs(sum - 2 * (forced_at(5.05) - forced_at(5))) < 1e-11);
    tick(ode, 51, 52);
    ode_cut(ode, 0.5);
    assert_true(fabs(ode_state(ode)[0] - forced_at(5.15)) < 1e-10);
    tick(ode, 51, 60);
    assert_true(fabs(ode_state(ode)[0] - forced_at(6)) < 1e-10);
    ode_destroy(ode);
}

// Factors that change belong to another field.
static void test_other_field(void** state)
{
    (void)state;
    Forced f = {.stiff = 4};
    OdeSystem system = forced_system(&f);
    Ode* ode = start(&system, 1e-10);
    tick(ode, 0, 30);
    double x[2] = {1, 0};
    f.stiff = 9;
    assert_int_equal(ode_restart(ode, 3, x, false), ODE_OK);
    tick(ode, 30, 60);
    f.stiff = 4;
    assert_int_equal(ode_restart(ode, 0, x, false), ODE_OK);
    tick(ode, 0, 30);
    assert_true(fabs(ode_state(ode)[0] - forced_at(3)) < 1e-9);
    ode_destroy(ode);
}

// Maps are in no snapshot: one that goes on elsewhere makes them again, with the same bits.
static void test_snapshot(void** state)
{
    (void)state;
    Forced f = {.stiff = 4}, g = {.stiff = 4};
    OdeSystem system = forced_system(&f), other = forced_system(&g);
    Ode *ode = start(&system, 1e-9), *copy = start(&other, 1e-9);
    tick(ode, 0, 17);
    void* block = malloc(ode_save_size(ode));
    ode_save(ode, block);
    assert_int_equal(ode_load(copy, block), ODE_OK);
    free(block);
    tick(ode, 17, 57);
    tick(copy, 17, 57);
    assert_memory_equal(ode_state(ode), ode_state(copy), 2 * sizeof(double));
    ode_destroy(ode);
    ode_destroy(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_other_field),
        cmocka_unit_test(test_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
