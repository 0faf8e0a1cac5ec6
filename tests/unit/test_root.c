// Root location (src/num/root.c): brackets, ends, exact hits, flat functions, and the work the five methods take.
// Expected roots are closed forms.
#include "num/root.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TOLERANCE 1e-14

typedef struct Problem
{
    const char* name;
    double (*f)(double x);
    double root;  // in (0, 1)
    bool simple;  // a simple root of a smooth function: interpolation must beat halving
} Problem;

typedef struct Probe
{
    double (*f)(double x);
    int calls;
    double low, high;  // where it was called
} Probe;

static double call(void* ctx, double x)
{
    Probe* probe = ctx;
    probe->calls++;
    probe->low = fmin(probe->low, x);
    probe->high = fmax(probe->high, x);
    return probe->f(x);
}

static double f_line(double x)
{
    return 0.3 - x;
}

static double f_fall(double x)  // the bouncing ball: 1 - g/2 t^2
{
    return 1 - 4.905 * x * x;
}

static double f_exp(double x)
{
    return exp(x) - 2;
}

static double f_cosine(double x)  // root: Dottie's number
{
    return cos(x) - x;
}

static double f_ninth(double x)  // nearly flat, then steep: false position creeps
{
    return pow(x, 9) - 0.5;
}

static double f_triple(double x)
{
    return pow(x - 0.7, 3);
}

static double f_jump(double x)
{
    return x < 1. / 3 ? -1 : 2;
}

static double f_steep(double x)
{
    return atan(1e6 * (x - 0.123));
}

static const Problem problems[] = {
    {"line", f_line, 0.3, true},
    {"fall", f_fall, 0.451523640985731, true},
    {"exp", f_exp, 0.693147180559945309, true},
    {"cosine", f_cosine, 0.739085133215160642, true},
    {"ninth", f_ninth, 0.925874712287290, false},
    {"triple", f_triple, 0.7, false},
    {"jump", f_jump, 1. / 3, false},
    {"steep", f_steep, 0.123, false},
};

enum
{
    PROBLEMS = sizeof problems / sizeof problems[0]
};

static RootResult solve(RootMethod method, double (*f)(double), double lo, double hi, Probe* probe)
{
    *probe = (Probe){.f = f, .low = INFINITY, .high = -INFINITY};
    return root_find(method, call, probe, lo, f(lo), hi, f(hi), TOLERANCE);
}

static void test_names(void** state)
{
    (void)state;
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        assert_int_equal(root_method_find(root_method_name((RootMethod)m)), m);
    }
    assert_int_equal(root_method_find("newtons"), -1);
}

static void test_bracket(void** state)
{
    (void)state;
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        for (int p = 0; p < PROBLEMS; p++)
        {
            Probe probe;
            RootResult r = solve((RootMethod)m, problems[p].f, 0, 1, &probe);
            double f0 = problems[p].f(0);
            assert_true(r.converged);
            assert_true(r.f_after == 0 || r.after - r.before <= TOLERANCE);
            assert_true(r.before < r.after);
            assert_true(r.f_before * f0 > 0);  // the old side, strictly
            assert_true(r.f_after * f0 <= 0);
            assert_true(r.f_before == problems[p].f(r.before) && r.f_after == problems[p].f(r.after));
            // A triple root is lost in rounding within (1e-16)^(1/3).
            double slack = problems[p].f == f_triple ? 1e-5 : 3e-14;
            assert_true(fabs(r.after - problems[p].root) <= slack);
            assert_int_equal(r.evaluations, probe.calls);
            assert_true(probe.low >= 0 && probe.high <= 1);  // never outside the bracket
        }
    }
}

// Halving needs 47 evaluations for 1e-14. ITP never needs more than one above that; interpolation far fewer on simple
// roots; false position more than Illinois where the function is convex.
static void test_work(void** state)
{
    (void)state;
    int work[ROOT_METHOD_COUNT][PROBLEMS];
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        printf("%-13s", root_method_name((RootMethod)m));
        for (int p = 0; p < PROBLEMS; p++)
        {
            Probe probe;
            work[m][p] = solve((RootMethod)m, problems[p].f, 0, 1, &probe).evaluations;
            printf(" %s %d", problems[p].name, work[m][p]);
        }
        printf("\n");
    }
    for (int p = 0; p < PROBLEMS; p++)
    {
        assert_in_range(work[ROOT_BISECTION][p], 1, 47);
        assert_in_range(work[ROOT_ITP][p], 1, 48);
        if (problems[p].simple)
        {
            assert_in_range(work[ROOT_ITP][p], 1, 14);
            assert_in_range(work[ROOT_ILLINOIS][p], 1, 14);
            assert_in_range(work[ROOT_SECANT][p], 1, 14);
        }
    }
    assert_true(work[ROOT_REGULA_FALSI][4] > 2 * work[ROOT_ILLINOIS][4]);
    assert_true(work[ROOT_REGULA_FALSI][2] > work[ROOT_ILLINOIS][2]);
}

static double f_parabola(double x)  // zero at 0 and 2: lo may lie just right of a root
{
    return x * (2 - x);
}

static double f_quarter(double x)  // 0.25 is met exactly by halving and by the line
{
    return 0.25 - x;
}

static void test_ends(void** state)
{
    (void)state;
    Probe probe;
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        // The far end is the root: nothing is left to do.
        RootResult r = solve((RootMethod)m, f_quarter, 0, 0.25, &probe);
        assert_true(r.converged && r.after == 0.25 && r.f_after == 0 && r.evaluations == 0);
        // A root a hair after the near end: the ball that has just left the floor.
        r = solve((RootMethod)m, f_parabola, -0.5, 1e-12, &probe);
        assert_true(r.converged && r.after > -1e-13 && r.before < 0 && r.after - r.before <= TOLERANCE);
        r = solve((RootMethod)m, f_parabola, 1e-9, 3, &probe);
        assert_true(r.converged && fabs(r.after - 2) < 1e-13);
        // An exact hit ends the search with the after-side on the root.
        r = solve((RootMethod)m, f_quarter, 0, 1, &probe);
        assert_true(r.converged && fabs(r.after - 0.25) <= TOLERANCE);
    }
    RootResult r = solve(ROOT_BISECTION, f_quarter, 0, 1, &probe);
    assert_true(r.evaluations == 2 && r.after == 0.25 && r.f_after == 0);
    r = solve(ROOT_REGULA_FALSI, f_quarter, 0, 1, &probe);
    assert_true(r.evaluations == 1 && r.after == 0.25 && r.f_after == 0);
}

static double f_plateau(double x)  // flat on both sides, no slope to follow
{
    return x < 0.625 ? 1e-300 : -1e-300;
}

static double f_floor(double x)  // meets 0 and stays there
{
    return x < 0.4 ? 0.4 - x : 0;
}

static double f_nan(double x)
{
    return x < 0.7 ? 1 : (double)NAN;
}

static void test_flat(void** state)
{
    (void)state;
    Probe probe;
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        RootResult r = solve((RootMethod)m, f_plateau, 0, 1, &probe);
        assert_true(r.converged && fabs(r.after - 0.625) <= 2 * TOLERANCE && r.evaluations <= 150);
        r = solve((RootMethod)m, f_floor, 0, 0.9, &probe);
        assert_true(r.converged && r.f_after == 0 && r.after >= 0.4);
        r = solve((RootMethod)m, f_nan, 0, 1, &probe);
        assert_true(fabs(r.after - 0.7) <= 2 * TOLERANCE && r.f_before == 1);
    }
}

// A tolerance below the spacing of doubles: the search ends with two neighbours.
static void test_neighbours(void** state)
{
    (void)state;
    for (int m = 0; m < ROOT_METHOD_COUNT; m++)
    {
        Probe probe = {.f = f_cosine, .low = INFINITY, .high = -INFINITY};
        RootResult r = root_find((RootMethod)m, call, &probe, 0, 1, 1, f_cosine(1), 0);
        assert_true(r.converged && r.evaluations < 200);
        assert_true(r.f_after == 0 || nextafter(r.before, 2) == r.after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_bracket), cmocka_unit_test(test_work),
        cmocka_unit_test(test_ends),  cmocka_unit_test(test_flat),    cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
