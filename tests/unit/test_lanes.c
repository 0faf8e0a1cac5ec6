// Tapes that make four operators at once, and operators once that are written twice (src/vm/tape_lanes, tape_same):
// what comes out is what one operator alone makes, to the last bit.
#include "kairos/kairos.h"
#include "model/model.h"
#include "run/sim.h"
#include "unit/load.h"
#include "vm/tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum
{
    COPIES = 7,  // four, and three that have to be filled up
    ORDER = 20
};

typedef struct Fixture
{
    kaiModel* model;
    SeriesSpace* space;
    Series* series;
    double* R;
    int count;
    uint32_t in[2 * COPIES], out[COPIES];
} Fixture;

static uint32_t reg_of(const kaiModel* model, const char* name, int i)
{
    char text[32];
    snprintf(text, sizeof text, "%s[%d]", name, i + 1);
    int v = kaiModel_FindVariable(model, text);
    assert_true(v >= 0);
    return model->vars[v].reg;
}

// As the first instant leaves them.
static void take_registers(Fixture* f)
{
    kaiError failure;
    kaiSimOptions run = kaiModel_SimOptions(f->model);
    kaiSim* sim = kaiSim_Create(f->model, &run, &failure);
    assert_non_null(sim);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    f->R = calloc(f->model->reg_count, sizeof(double));
    memcpy(f->R, sim->kernel.R, sizeof(double) * f->model->reg_count);
    kaiSim_Free(sim);
}

// `count` copies of r' = what is given, of the inputs x and y.
static void open_rates(Fixture* f, const char* rates, int count)
{
    char text[1000];
    LoadOptions options = load_default();
    kaiProgram* messages = NULL;
    snprintf(text, sizeof text,
             "model M { param N = %d, p = 3; state x[i in 1..N] = 0.6 + i/10, y[i in 1..N] = 1.3, r[i in 1..N] = 0\n"
             "for i in 1..N { x[i]' = 1; y[i]' = 1; %s } }",
             count, rates);
    options.path = "tests.kai";
    options.text = text;
    if (load_model(&options, &f->model, &messages) != KAI_OK)
    {
        fail_msg("%s", text);
    }
    kaiProgram_Free(messages);
    const kaiModel* m = f->model;
    f->count = count;
    for (int i = 0; i < count; i++)
    {
        f->in[i] = reg_of(m, "x", i);
        f->in[count + i] = reg_of(m, "y", i);
        f->out[i] = m->reg_first[REG_DERIV] + reg_of(m, "r", i) - m->reg_first[REG_STATE];
    }
    SeriesSpec spec = {.range = m->deriv,
                       .inputs = f->in,
                       .outputs = f->out,
                       .input_count = 2 * (uint32_t)count,
                       .output_count = (uint32_t)count};
    f->space = series_space_create(m, kaiDefaultAllocator());
    f->series = series_create(f->space, &spec);
    take_registers(f);
}

static void close_rates(Fixture* f)
{
    free(f->R);
    series_free(f->series);
    series_space_free(f->space);
    kaiModel_Free(f->model);
}

// Coefficient k of input x or y of a copy.
static double input(int copy, bool second, int k)
{
    static const double x[] = {0.6, 0.8, -0.3, 0.2, 0.05}, y[] = {1.3, -0.5, 0.4, 0.1, -0.2};
    double c = k < 5 ? (second ? y : x)[k] : 0;
    return c * (1 + (second ? -0.03 : 0.04) * copy);
}

static void begin(Fixture* f, int first)
{
    uint32_t failed;
    for (int i = 0; i < f->count; i++)
    {
        f->R[f->in[i]] = input(first + i, false, 0);
        f->R[f->in[f->count + i]] = input(first + i, true, 0);
    }
    assert_int_equal(series_begin(f->series, f->R, NULL, &failed), SERIES_OK);
}

// Orders 1 to ORDER of the copies from `first` on.
static void expand(Fixture* f, int first, double c[ORDER + 1][COPIES])
{
    begin(f, first);
    for (int k = 1; k <= ORDER; k++)
    {
        double in[2 * COPIES];
        for (int i = 0; i < f->count; i++)
        {
            in[i] = input(first + i, false, k);
            in[f->count + i] = input(first + i, true, k);
        }
        series_order(f->series, k, in, c[k]);
    }
}

// How many instructions of an operator are on the tape.
static int count_op(const Tape* t, TapeOp wanted)
{
    static const uint8_t words[] = {
#define X(name, words) words,
        TAPE_OPS(X)
#undef X
    };
    int count = 0;
    for (uint32_t p = 0; p < t->part_count; p++)
    {
        for (const uint32_t *pc = t->words + t->parts[p].start, *end = t->words + t->parts[p].end; pc < end;)
        {
            uint32_t op = *pc & 0xff, number = *pc >> 8;
            count += op == wanted ? (int)number : 0;
            for (uint32_t i = 0; op == TAPE_GROUP && i < number; i++)
            {
                count += t->groups[pc[1 + i]].op == wanted ? TAPE_LANES : 0;
            }
            pc += 1 + number * words[op];
        }
    }
    return count;
}

static const char* const rates[] = {
    "r[i]' = x[i]*y[i]",
    "r[i]' = x[i]^2",
    "r[i]' = x[i]/y[i]",
    "r[i]' = 2/y[i]",
    "r[i]' = sqrt(y[i])",
    "r[i]' = y[i]^(-1.5)",
    "r[i]' = y[i]^(i/2)",
    "r[i]' = exp(x[i])",
    "r[i]' = log(y[i])",
    "r[i]' = sin(x[i])*cos(x[i])",
    "r[i]' = cosh(x[i]) - 2*sinh(x[i])",
    "r[i]' = tan(x[i])",
    "r[i]' = tanh(x[i])",
    "r[i]' = asin(x[i]/2)",
    "r[i]' = acos(x[i]/2)",
    "r[i]' = atan(x[i])",
    "r[i]' = hypot(x[i], y[i])",
    "r[i]' = y[i]^x[i]",
    "r[i]' = (x[i] - 0.6)*sqrt(0*x[i] + 0*y[i])",
    "r[i]' = (x[i] - 0.6)^p*y[i]",
    "r[i]' = sin(exp(x[i])/y[i])*log(1 + x[i]*x[i]) - x[i]*x[i]",
};

// Seven copies at once and each alone: the same bits.
static void test_copies(void** state)
{
    (void)state;
    for (size_t what = 0; what < sizeof rates / sizeof *rates; what++)
    {
        Fixture all, one;
        double c[ORDER + 1][COPIES], own[ORDER + 1][COPIES];
        open_rates(&all, rates[what], COPIES);
        expand(&all, 0, c);
        assert_true(count_op(all.series->tape, TAPE_GROUP) > 0);
        for (int i = 0; i < COPIES; i++)
        {
            if (strstr(rates[what], "i/2") != NULL)
            {
                continue;  // a copy alone is another
            }
            open_rates(&one, rates[what], 1);
            expand(&one, i, own);
            assert_int_equal(count_op(one.series->tape, TAPE_GROUP), 0);
            for (int k = 1; k <= ORDER; k++)
            {
                if (memcmp(&c[k][i], &own[k][0], sizeof(double)) != 0)
                {
                    fail_msg("%s, copy %d, order %d: %.17g, alone %.17g", rates[what], i, k, c[k][i], own[k][0]);
                }
            }
            close_rates(&one);
        }
        close_rates(&all);
    }
}

// A whole power where x starts at 0, which the recurrence cannot begin from, beside others: (0.8 t - 0.3 t² …)³.
static void test_zeros(void** state)
{
    (void)state;
    Fixture f;
    double c[ORDER + 1][COPIES];
    open_rates(&f, "r[i]' = (x[i] - 0.6)^p", COPIES);
    expand(&f, 0, c);
    assert_true(count_op(f.series->tape, TAPE_POWER) > 0);
    assert_true(c[1][0] == 0 && c[2][0] == 0 && fabs(c[3][0] - 0.512) < 1e-15);
    assert_true(fabs(c[4][0] + 3 * 0.64 * 0.3) < 1e-15);
    for (int i = 1; i < COPIES; i++)  // (a + b t + …)³: 3 a² b
    {
        double a = 0.6 * 0.04 * i, b = 0.8 * (1 + 0.04 * i);
        assert_true(fabs(c[1][i] - 3 * a * a * b) < 1e-15);
    }
    close_rates(&f);
}

// Powers with exponents of their own: y[k] by the binomial series of the first two orders.
static void test_exponents(void** state)
{
    (void)state;
    Fixture f;
    double c[ORDER + 1][COPIES];
    open_rates(&f, "r[i]' = y[i]^(i/2)", COPIES);
    expand(&f, 0, c);
    for (int i = 0; i < COPIES; i++)
    {
        double e = (i + 1) / 2., y = input(i, true, 0), a = input(i, true, 1), b = input(i, true, 2);
        double first = e * pow(y, e - 1) * a, second = e * pow(y, e - 1) * b + e * (e - 1) / 2 * pow(y, e - 2) * a * a;
        assert_true(fabs(c[1][i] - first) <= 1e-14 * (1 + fabs(first)));
        assert_true(fabs(c[2][i] - second) <= 1e-14 * (1 + fabs(second)));
    }
    close_rates(&f);
}

// Two bodies that attract each other, as written for both: one power, one product.
static void test_same(void** state)
{
    (void)state;
    Fixture f;
    double c[ORDER + 1][COPIES];
    open_rates(&f,
               "r[i]' = if i == 1 then 2*(x[1] - x[2])*((x[1] - x[2])^2 + (y[1] - y[2])^2)^(-1.5) else "
               "3*(x[2] - x[1])*((x[2] - x[1])^2 + (y[2] - y[1])^2)^(-1.5)",
               2);
    expand(&f, 0, c);
    assert_int_equal(count_op(f.series->tape, TAPE_POWER), 1);
    assert_int_equal(count_op(f.series->tape, TAPE_MULTIPLY), 1);
    assert_int_equal(count_op(f.series->tape, TAPE_SQUARE), 2);
    assert_int_equal(count_op(f.series->tape, TAPE_CHOOSE), 0);
    for (int k = 1; k <= ORDER; k++)
    {
        assert_true(c[k][0] != 0 && c[k][1] == -3 * (c[k][0] / 2));
    }
    close_rates(&f);
}

// What parameters decide is part of the tape, and another tape's when they change.
static void test_settled(void** state)
{
    (void)state;
    Fixture f;
    double c[ORDER + 1][COPIES];
    open_rates(&f, "r[i]' = if N > 0.5 then x[i]*y[i] else 4*x[i]", 1);
    expand(&f, 0, c);
    assert_int_equal(count_op(f.series->tape, TAPE_MULTIPLY), 1);
    for (uint32_t i = 0; i < f.series->tape->mode_count; i++)
    {
        f.R[f.series->tape->modes[2 * i]] = 0;
    }
    expand(&f, 0, c);
    assert_true(c[1][0] == 4 * 0.8 && c[2][0] == 4 * -0.3);
    close_rates(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_exponents), cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_settled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
