// Steps of linear fields of few states, with integrals of products beside them, in one place (src/num/few.c): against
// closed solutions, against the way that asks the system for every order, cut, looked into and resumed.
#include "unit/ode_problems.h"

typedef struct Few
{
    int n, asked;  // states; orders beyond 0 that were asked for
    FewField field;
    bool hidden;  // the solver is not shown the field
} Few;

// The field itself, order by order, as it is written.
static double order_of(const Few* f, double* const* x, int i, int k, double t)
{
    double sum = k == 0 ? f->field.rises[i] * t : k == 1 ? f->field.rises[i] : 0;
    for (int j = 0; j < f->n; j++)
    {
        sum += f->field.columns[j][i] * x[k][j];
    }
    for (uint32_t p = 0; p < f->field.product_count; p++)
    {
        const FewProduct* product = &f->field.products[p];
        for (int j = 0; j <= k && product->target == i; j++)
        {
            sum += product->factor * x[j][product->x] * x[k - j][product->y];
        }
    }
    return sum;
}

static int s_few(void* ctx, double t, int from, int to, double* const* x)
{
    Few* f = ctx;
    f->asked += to > 1;
    for (int k = from; k < to; k++)
    {
        for (int i = 0; i < f->n; i++)
        {
            x[k + 1][i] = order_of(f, x, i, k, t) / (k + 1);
        }
    }
    return 0;
}

static int f_few(void* ctx, double t, const double* x, double* dx)
{
    double start[FEW_STATES];
    double* orders[2] = {start, dx};
    memcpy(start, x, sizeof(double) * (size_t)((Few*)ctx)->n);
    return s_few(ctx, t, 0, 1, orders);
}

static int few_degree(void* ctx)
{
    (void)ctx;
    return ODE_WHOLE;
}

static const FewField* few_field(void* ctx)
{
    const Few* f = ctx;
    return f->hidden ? NULL : &f->field;
}

static OdeSystem system_of(Few* f)
{
    return (OdeSystem){.n = f->n, .ctx = f, .rhs = f_few, .series = s_few, .degree = few_degree, .few = few_field};
}

static bool is_used(const FewField* f, int column)
{
    bool used = false;
    for (int i = 0; i < FEW_STATES; i++)
    {
        used |= f->columns[column][i] != 0;
    }
    return used;
}

// Which columns have factors, which states products feed.
static void finish(Few* f)
{
    FewField* field = &f->field;
    uint32_t next = 0;
    for (int used = 1; used >= 0; used--)
    {
        for (int j = 0; j < FEW_STATES; j++)
        {
            if (is_used(field, j) == used)
            {
                field->used[next++] = (uint32_t)j;
                field->used_count += (uint32_t)used;
            }
        }
    }
    for (int i = 0; i < f->n; i++)
    {
        field->plain[i] = 1;
        field->rising |= field->rises[i] != 0;
    }
    for (uint32_t p = 0; p < field->product_count; p++)
    {
        field->plain[field->products[p].target] = 0;
    }
}

// x' = v, v' = -x, and the integrals of 3 x² and x v, in places of the caller's choice.
static Few accounts(int x, int v, int square, int mixed)
{
    Few f = {.n = 4};
    f.field.columns[v][x] = 1;
    f.field.columns[x][v] = -1;
    f.field.product_count = 2;
    f.field.products[0] = (FewProduct){3, x, x, square};
    f.field.products[1] = (FewProduct){1, x, v, mixed};
    finish(&f);
    return f;
}

static double square_until(double t)  // of cos t
{
    return 3 * (t / 2 + sin(2 * t) / 4);
}

static double mixed_until(double t)
{
    return -sin(t) * sin(t) / 2;
}

static Ode* start(const OdeSystem* system, const double* x, double tolerance)
{
    Ode* ode = make(system, ODE_TAYLOR, tolerance, tolerance, 0);
    assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);
    return ode;
}

static void tick(Ode* ode, int from, int to)
{
    for (int n = from; n < to; n++)
    {
        assert_int_equal(ode_step(ode, (n + 1) * 0.1), ODE_OK);
        assert_true(ode_time(ode) == (n + 1) * 0.1);
    }
}

// Wherever integrals and states lie; and nobody is asked for an order.
static void test_products(void** state)
{
    (void)state;
    static const int places[][4] = {{0, 1, 2, 3}, {2, 3, 0, 1}, {1, 3, 2, 0}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    {
        const int *p = places[k], x = p[0], v = p[1], square = p[2], mixed = p[3];
        Few f = accounts(x, v, square, mixed);
        OdeSystem system = system_of(&f);
        double first[4] = {0};
        first[x] = 1;
        Ode* ode = start(&system, first, 1e-12);
        tick(ode, 0, 100);
        const double *end = ode_state(ode), *slope = ode_slope(ode);
        assert_int_equal(f.asked, 0);
        assert_true(fabs(end[x] - cos(10)) < 1e-12 && fabs(end[v] + sin(10)) < 1e-12);
        assert_true(fabs(end[square] - square_until(10)) < 2e-12 && fabs(end[mixed] - mixed_until(10)) < 2e-12);
        assert_true(fabs(slope[square] - 3 * cos(10) * cos(10)) < 1e-11);
        assert_true(fabs(slope[mixed] + cos(10) * sin(10)) < 1e-11 && fabs(slope[v] + cos(10)) < 1e-11);
        ode_destroy(ode);
    }
}

// Two, one and three states; four that all are read, with derivatives that grow with time.
static void test_shapes(void** state)
{
    (void)state;
    const double one = 1, two[2] = {1, 0}, three[3] = {0, 1, 2}, four[4] = {1, 0, 0.25, 0};
    Few decay = {.n = 1}, account = {.n = 2}, chain = {.n = 3}, pair = {.n = 4};
    decay.field.columns[0][0] = account.field.columns[0][0] = -1;
    account.field.product_count = 1;
    account.field.products[0] = (FewProduct){1, 0, 0, 1};
    chain.field.columns[1][0] = 1;  // x' = v, v' = -x + t/2, z' = -2 z
    chain.field.columns[0][1] = -1;
    chain.field.columns[2][2] = -2;
    chain.field.rises[1] = 0.5;
    pair.field.columns[1][0] = pair.field.columns[3][2] = 1;
    pair.field.columns[0][1] = -1;
    pair.field.columns[2][3] = -4;
    pair.field.rises[3] = 0.5;
    Few* all[] = {&decay, &account, &chain, &pair};
    const double* firsts[] = {&one, two, three, four};
    const double t = 3, s = sin(3), c = cos(3);
    const double ends[][4] = {{exp(-t)},
                              {exp(-t), (1 - exp(-2 * t)) / 2},
                              {0.5 * t + 0.5 * s, 0.5 + 0.5 * c, 2 * exp(-2 * t)},
                              {c, -s, t / 8 + 0.25 * cos(6) - sin(6) / 16, 0.125 - 0.5 * sin(6) - cos(6) / 8}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    {
        finish(all[k]);
        OdeSystem system = system_of(all[k]);
        Ode* ode = start(&system, firsts[k], 1e-12);
        tick(ode, 0, 30);
        assert_int_equal(all[k]->asked, 0);
        for (int i = 0; i < all[k]->n; i++)
        {
            assert_true(fabs(ode_state(ode)[i] - ends[k][i]) < 1e-12);
        }
        ode_destroy(ode);
    }
}

// An integral that is wanted better than the states it is of has as many orders as it needs.
static void test_integral_decides(void** state)
{
    (void)state;
    Few f = accounts(0, 1, 2, 3);
    OdeSystem system = system_of(&f);
    double first[4] = {1, 0, 0, 0};
    Ode* ode = make(&system, ODE_TAYLOR, 0, 1e-13, 0);
    ode_set_unit(ode, 0, 1e9);
    ode_set_unit(ode, 1, 1e9);
    assert_int_equal(ode_restart(ode, 0, first, true), ODE_OK);
    assert_int_equal(ode_step(ode, 0.5), ODE_OK);
    assert_true(ode_time(ode) == 0.5);
    assert_int_equal(f.asked, 0);
    assert_true(fabs(ode_state(ode)[2] - square_until(0.5)) < 1e-13);
    assert_true(fabs(ode_state(ode)[3] - mixed_until(0.5)) < 1e-13);
    ode_destroy(ode);
}

// The same steps with the same orders as without a field, also where its own terms limit them.
static void test_same_steps(void** state)
{
    (void)state;
    for (double limit = 0.25; limit < 300; limit *= 8)
    {
        Few f = accounts(0, 1, 2, 3), g = accounts(0, 1, 2, 3);
        OdeSystem system = system_of(&f), other = system_of(&g);
        double first[4] = {1, 0, 0, 0};
        g.hidden = true;
        Ode *ode = start(&system, first, 1e-9), *slow = start(&other, first, 1e-9);
        while (ode_time(ode) < limit)
        {
            assert_int_equal(ode_step(ode, limit), ODE_OK);
            assert_int_equal(ode_step(slow, limit), ODE_OK);
            assert_int_equal(ode_piece_degree(ode), ode_piece_degree(slow));
            assert_true(fabs(ode_time(ode) - ode_time(slow)) <= 1e-12 * ode_time(ode));
            for (int i = 0; i < 4; i++)
            {
                assert_true(fabs(ode_state(ode)[i] - ode_state(slow)[i]) < 1e-10);
            }
        }
        assert_true(fabs(ode_state(ode)[2] - square_until(limit)) < 1e-7);
        assert_true(g.asked > 0);
        ode_destroy(ode);
        ode_destroy(slow);
    }
}

// Somebody looks into the step, or cuts it; and one that is resumed goes on with the same bits.
static void test_inside(void** state)
{
    (void)state;
    Few f = accounts(0, 1, 2, 3), g = f;
    OdeSystem system = system_of(&f), other = system_of(&g);
    double first[4] = {1, 0, 0, 0}, x[4], slope[4];
    Ode *ode = start(&system, first, 1e-12), *copy = start(&other, first, 1e-12);
    tick(ode, 0, 5);
    ode_dense(ode, 0.3, x, slope);
    assert_true(fabs(x[2] - square_until(0.43)) < 1e-12 && fabs(slope[3] + cos(0.43) * sin(0.43)) < 1e-11);
    assert_true(ode_dense_value(ode, 0.3, 2) == x[2] && ode_dense_value(ode, 0.3, 1) == x[1]);
    ode_cut(ode, 0.7);
    assert_true(fabs(ode_state(ode)[3] - mixed_until(0.47)) < 1e-12 && fabs(ode_state(ode)[0] - cos(0.47)) < 1e-12);
    void* block = malloc(ode_save_size(ode));
    ode_save(ode, block);
    assert_int_equal(ode_load(copy, block), ODE_OK);
    free(block);
    tick(ode, 4, 60);
    tick(copy, 4, 60);
    assert_memory_equal(ode_state(ode), ode_state(copy), 4 * sizeof(double));
    assert_true(fabs(ode_state(ode)[2] - square_until(6)) < 1e-11);
    ode_destroy(ode);
    ode_destroy(copy);
}

static double* leap_end(const Ode* ode, const OdeLeap* leap, double theta, double t, double* x)
{
    double to = leap->end;
    memcpy(x, leap->x, 4 * sizeof *x);
    if (theta < 1)
    {
        to = ode_leap_to(ode, leap, theta, x);
    }
    assert_true(to == t);
    return x;
}

// A step that is looked at before it is taken, and the start from its end, or from a place in it, are what step, cut
// and start come to: to the last bit, whatever the solver remembers.
static void test_leaps(void** state)
{
    (void)state;
    static const OdeMethod methods[] = {ODE_TAYLOR, ODE_AUTO};
    static const double parts[] = {1, 0.7, 0.31, 1, 0.999};
    for (size_t m = 0; m < 2; m++)
    {
        Few f = accounts(0, 1, 2, 3), g = f;
        OdeSystem system = system_of(&f), other = system_of(&g);
        double x[4] = {1, 0, 0, 0}, slope[4];
        Ode *ode = make(&system, methods[m], 1e-10, 1e-10, 0), *leaping = make(&other, methods[m], 1e-10, 1e-10, 0);
        assert_int_equal(ode_restart(ode, 0, x, true), ODE_OK);
        assert_int_equal(ode_restart(leaping, 0, x, true), ODE_OK);
        for (int k = 0; k < 200; k++)
        {
            OdeLeap leap;
            double theta = parts[k % 5], limit = ode_time(ode) + 0.01 + 0.003 * (k % 7);
            assert_int_equal(ode_step(ode, limit), ODE_OK);
            assert_true(ode_leap(leaping, limit, &leap) && leap.start == ode_time(leaping));
            assert_true(leap.end == ode_time(ode) && leap.degree == ode_piece_degree(ode));
            assert_memory_equal(leap.x, ode_state(ode), sizeof x);
            if (theta < 1)
            {
                ode_cut(ode, theta);
            }
            assert_memory_equal(leap_end(leaping, &leap, theta, ode_time(ode), x), ode_state(ode), sizeof x);
            f_few(&f, ode_time(ode), x, slope);
            assert_true(ode_relaunch(ode, ode_time(ode), x, slope));
            ode_leapt(leaping, &leap, theta, x, slope);
            assert_true(ode_time(leaping) == ode_time(ode) && ode_time_low(leaping) == ode_time_low(ode));
            assert_true(ode_next_step(leaping) == ode_next_step(ode));
            assert_true(ode_step_length(leaping) == ode_step_length(ode));
            const OdeStats a = ode_stats(ode), b = ode_stats(leaping);
            assert_true(a.steps == b.steps && a.restarts == b.restarts && a.rhs_calls == b.rhs_calls);
            assert_true(ode_steps_of(ode, ODE_TAYLOR) == ode_steps_of(leaping, ODE_TAYLOR));
        }
        double t = ode_time(ode) + ode_time_low(ode);
        assert_true(fabs(ode_state(leaping)[0] - cos(t)) < 1e-9);
        assert_true(fabs(ode_state(leaping)[2] - square_until(t)) < 1e-8);
        ode_destroy(ode);
        ode_destroy(leaping);
    }
}

// There is none where the solver has not just started, nor beyond what one step may take.
static void test_no_leaps(void** state)
{
    (void)state;
    OdeLeap leap;
    Few f = accounts(0, 1, 2, 3);
    OdeSystem system = system_of(&f);
    double first[4] = {1, 0, 0, 0};
    Ode* ode = start(&system, first, 1e-10);
    assert_false(ode_leap(ode, 1000, &leap));
    assert_true(ode_leap(ode, 0.1, &leap));
    assert_true(ode_time(ode) == 0 && ode_state(ode)[0] == 1 && ode_stats(ode).steps == 0);
    assert_int_equal(ode_step(ode, 0.1), ODE_OK);
    assert_false(ode_leap(ode, 0.2, &leap));
    f.hidden = true;
    assert_int_equal(ode_restart(ode, 0.1, first, false), ODE_OK);
    assert_false(ode_leap(ode, 0.2, &leap));
    ode_destroy(ode);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),   cmocka_unit_test(test_shapes), cmocka_unit_test(test_integral_decides),
        cmocka_unit_test(test_same_steps), cmocka_unit_test(test_inside), cmocka_unit_test(test_leaps),
        cmocka_unit_test(test_no_leaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
