// Where the values of a study come from: quantiles of distributions, permutations, sequences; statistics of a column.
#include "study/design.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within * fmax(1, fabs(expected))))
        fail_msg("%.17g instead of %.17g", value, expected);
}

// Values of the normal distribution from tables (Abramowitz and Stegun 26.2, and R's qnorm in the tails).
static void quantiles(void** state)
{
    (void)state;
    const double unit[] = {0, 1};
    near(design_quantile(KAI_SPREAD_NORMAL, unit, 0.5), 0, 0);
    near(design_quantile(KAI_SPREAD_NORMAL, unit, 0.975), 1.959963984540054, 1e-15);
    near(design_quantile(KAI_SPREAD_NORMAL, unit, 0.025), -1.959963984540054, 1e-15);
    near(design_quantile(KAI_SPREAD_NORMAL, unit, 0.9), 1.2815515655446004, 1e-15);
    near(design_quantile(KAI_SPREAD_NORMAL, unit, 1e-10), -6.361340902404056, 1e-14);
    // What it should be is known by what it inverts, everywhere.
    for (double p = 1e-300; p < 0.5; p *= 7)
        near(0.5 * erfc(-design_quantile(KAI_SPREAD_NORMAL, unit, p) / sqrt(2)) / p, 1, 1e-11);
    near(design_quantile(KAI_SPREAD_UNIFORM, (double[]){2, 6}, 0.25), 3, 0);
    near(design_quantile(KAI_SPREAD_LOGNORMAL, (double[]){3, 0.5}, 0.975), 3 * exp(0.5 * 1.959963984540054), 1e-14);
    near(design_quantile(KAI_SPREAD_EXPONENTIAL, (double[]){2}, 0.5), 2 * log(2), 1e-15);
    const double triangle[] = {0, 1, 4};  // P(x < 1) = 1/4, P(x < 2) = 1 - 4/12
    near(design_quantile(KAI_SPREAD_TRIANGULAR, triangle, 0.25), 1, 1e-15);
    near(design_quantile(KAI_SPREAD_TRIANGULAR, triangle, 2.0 / 3), 2, 1e-15);
    near(design_quantile(KAI_SPREAD_TRIANGULAR, (double[]){1, 1, 1}, 0.3), 1, 0);
}

static void slices_are_permutations(void** state)
{
    (void)state;
    const uint64_t counts[] = {1, 2, 3, 100, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    {
        bool seen[1000] = {false};
        uint64_t fixed = 0;
        for (uint64_t i = 0; i < counts[k]; i++)
        {
            uint64_t at = design_slice(7, i, counts[k], 3);
            assert_true(at < counts[k] && !seen[at]);
            seen[at] = true;
            fixed += at == i;
        }
        assert_true(counts[k] < 100 || fixed < 10);
    }
}

// The first 2^k points of each coordinate lie one in each of 2^k slices; of the first two coordinates, the first 2^2j
// points one in each of 2^j × 2^j squares. Coordinates are no copies of each other.
static void sobol_fills_evenly(void** state)
{
    (void)state;
    for (uint64_t factor = 0; factor < SOBOL_MOST; factor++)
    {
        bool seen[256] = {false};
        int same = 0;
        for (uint64_t i = 0; i < 256; i++)
        {
            double x = design_sobol(5, i, factor);
            assert_true(x > 0 && x < 1 && !seen[(int)(256 * x)]);
            seen[(int)(256 * x)] = true;
            same += factor > 0 && (int)(256 * x) == (int)(256 * design_sobol(5, i, factor - 1));
        }
        assert_true(same < 64);
    }
    bool squares[16][16] = {{false}};
    for (uint64_t i = 0; i < 256; i++)
    {
        int a = (int)(16 * design_sobol(5, i, 0)), b = (int)(16 * design_sobol(5, i, 1));
        assert_false(squares[a][b]);
        squares[a][b] = true;
    }
}

// Means over 10⁵ draws within four standard errors; different runs, factors and seeds have nothing in common.
static void draws_are_uniform_and_independent(void** state)
{
    (void)state;
    enum
    {
        N = 100000
    };
    double sum = 0, squares = 0, across = 0, along = 0, seeds = 0;
    for (uint64_t i = 0; i < N; i++)
    {
        double x = design_draw(1, i, 0) - 0.5;
        sum += x;
        squares += x * x;
        across += x * (design_draw(1, i, 1) - 0.5);
        along += x * (design_draw(1, i + 1, 0) - 0.5);
        seeds += x * (design_draw(2, i, 0) - 0.5);
    }
    assert_true(fabs(sum / N) < 4 * sqrt(1.0 / 12 / N));
    assert_true(fabs(squares / N - 1.0 / 12) < 4 * sqrt(1.0 / 180 / N));
    assert_true(fabs(across / N) < 4 * sqrt(1.0 / 144 / N));
    assert_true(fabs(along / N) < 4 * sqrt(1.0 / 144 / N));
    assert_true(fabs(seeds / N) < 4 * sqrt(1.0 / 144 / N));
}

static void statistics_of_known_values(void** state)
{
    (void)state;
    kaiStatistics* s = kaiStatistics_Create(kaiDefaultAllocator());
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (int i = 0; i < 8; i++)
        assert_int_equal(kaiStatistics_Add(s, i, values[i]), KAI_OK);
    kaiStatistics_Add(s, 8, NAN);
    kaiSummary m = kaiStatistics_Summary(s);
    assert_int_equal(m.count, 8);
    near(m.mean, 5, 1e-15);
    near(m.deviation, sqrt(32.0 / 7), 1e-15);
    near(m.half, 2.364624 * sqrt(32.0 / 7) / sqrt(8), 1e-4);  // Student, 7 degrees of freedom
    near(m.quantiles[2], 4.5, 0);
    near(m.quantiles[0], 2.7, 1e-15);
    assert_int_equal(m.most_run, 7);
    kaiStatistics_Free(s);
    // Beyond a million values every second one is kept: quantiles of 0 … n - 1 stay what they are.
    s = kaiStatistics_Create(kaiDefaultAllocator());
    for (int i = 0; i < 1500000; i++)
        kaiStatistics_Add(s, i, (double)((i * 7919ll) % 1500000));
    near(kaiStatistics_Quantile(s, 0.5), 750000, 1e-3);
    near(kaiStatistics_Summary(s).mean, 749999.5, 1e-12);
    kaiStatistics_Free(s);
    double low, high;  // Wilson: 8 of 10
    kaiStatistics_Proportion(8, 10, &low, &high);
    near(low, 0.4901625, 1e-6);
    near(high, 0.9433178, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(slices_are_permutations),
        cmocka_unit_test(sobol_fills_evenly),
        cmocka_unit_test(draws_are_uniform_and_independent),
        cmocka_unit_test(statistics_of_known_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
