// Roots of polynomials (src/num/polynomial): all of them, in order, with their sides, against products of known roots.
#include "num/polynomial.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum
{
    MOST = 64
};

// Coefficients of scale · prod (t - roots[i]), made with more digits than they keep.
static void product(const double* roots, int count, double scale, double* c)
{
    long double p[POLYNOMIAL_DEGREE + 2] = {scale};
    for (int i = 0; i < count; i++)
    {
        for (int k = i + 1; k >= 0; k--)
        {
            p[k] = (k > 0 ? p[k - 1] : 0) - roots[i] * p[k];
        }
    }
    for (int k = 0; k <= count; k++)
    {
        c[k] = (double)p[k];
    }
}

// What holds for every list of roots: ascending, signs at the sides as polynomial_value has them and in a chain.
static void check_sides(const double* c, int degree, double h, const PolynomialRoot* roots, int count)
{
    for (int i = 0; i < count; i++)
    {
        const PolynomialRoot* r = &roots[i];
        assert_true(r->before >= 0 && r->before <= r->after && r->after <= h);
        assert_true(i == 0 || roots[i - 1].after <= r->before);
        double value = polynomial_value(c, degree, r->after);
        if (!r->touch && r->from != 0)
        {
            double before = polynomial_value(c, degree, r->before);
            assert_true(r->from > 0 ? before > 0 : before < 0);
            assert_true(value == 0 || (value > 0) != (r->from > 0));
            assert_true(r->to == -r->from || (r->to == 0 && r->after == h));
            assert_true(r->after - r->before <= 2 * DBL_EPSILON * r->after || r->after < 1e-20 * h);
        }
        assert_true(i == 0 || roots[i - 1].to == r->from);
    }
}

static int find(const double* c, int degree, double h, PolynomialRoot* roots)
{
    int count = polynomial_roots(c, degree, h, 0, roots, MOST);
    if (count > 0)
    {
        check_sides(c, degree, h, roots, count);
    }
    return count;
}

static void test_values(void** state)
{
    (void)state;
    double c[] = {1, -3, 0, 2}, d[3], s[4];
    assert_true(polynomial_value(c, 3, 2) == 11 && polynomial_plain(c, 3, 2) == 11);
    assert_true(polynomial_slope(c, 3, 2) == 21);
    polynomial_derivative(c, 3, d);
    assert_true(d[0] == -3 && d[1] == 0 && d[2] == 6);
    polynomial_shift(c, 3, 2, s);
    assert_true(s[0] == 11 && s[1] == 21 && s[2] == 12 && s[3] == 2);
    polynomial_shift(s, 3, -2, s);
    assert_true(memcmp(s, c, sizeof c) == 0);
    assert_true(polynomial_bound(c, 3, 2, 0) == 23 && polynomial_bound(c, 3, 2, 1) == 22);
    assert_true(!polynomial_clear(c, 3, 2, 0) && polynomial_clear(c, 3, 0.25, 0) && !polynomial_clear(c, 3, 0.25, 1));
    // (t - 1)^5 near 1: plain Horner has no right digit there, and all its coefficients are exact.
    double five[] = {-1, 5, -10, 10, -5, 1}, at = 1 + 0x1p-12;
    assert_true(fabs(polynomial_value(five, 5, at) / 0x1p-60 - 1) < 1e-12);
}

static void test_cubic(void** state)
{
    (void)state;
    const double known[] = {1, 2, 3};
    for (int power = -250; power <= 250; power += 10)
    {
        for (double h = 3.5; h < 1e9; h *= 3.7)
        {
            double c[4];
            PolynomialRoot roots[MOST];
            product(known, 3, ldexp(1, power), c);
            assert_int_equal(find(c, 3, h, roots), 3);
            for (int i = 0; i < 3; i++)
            {
                assert_true(fabs(roots[i].after - known[i]) <= 4 * DBL_EPSILON * known[i] && !roots[i].touch);
            }
            assert_true(roots[0].from == -1 && roots[1].from == 1 && roots[2].to == 1);
        }
        // Time in other units: roots at u, 2u, 3u.
        double u = ldexp(1.1, power / 4), c[4], scaled[3] = {u, 2 * u, 3 * u};
        PolynomialRoot roots[MOST];
        product(scaled, 3, 1, c);
        assert_int_equal(find(c, 3, 4 * u, roots), 3);
        for (int i = 0; i < 3; i++)
        {
            assert_true(fabs(roots[i].after / scaled[i] - 1) < 1e-14);
        }
    }
}

static void test_chebyshev(void** state)
{
    (void)state;
    // T12(t - 1) by the recurrence, in integers.
    double a[13] = {1}, b[13] = {-1, 1};
    for (int n = 2; n <= 12; n++)
    {
        double next[13];
        for (int k = 0; k <= 12; k++)
        {
            next[k] = 2 * ((k > 0 ? b[k - 1] : 0) - b[k]) - a[k];
        }
        memcpy(a, b, sizeof a);
        memcpy(b, next, sizeof b);
    }
    PolynomialRoot roots[MOST];
    assert_int_equal(find(b, 12, 2, roots), 12);
    for (int i = 0; i < 12; i++)
    {
        double exact = 1 + cos((23 - 2 * i) * 3.14159265358979323846 / 24);
        assert_true(fabs(roots[i].after - exact) < 4e-16 + 1e-15 * exact);
        assert_true(roots[i].from == (i % 2 == 0 ? 1 : -1) && !roots[i].touch);
    }
    // Up to where the 12 extrema at 1 and -1 become touches of T12 - 1: 7 places, the ends among them.
    b[0] -= 1;
    int count = find(b, 12, 2, roots);
    assert_int_equal(count, 7);
    for (int i = 0; i < 7; i++)
    {
        double exact = 1 - cos(i * 3.14159265358979323846 / 6);
        assert_true(fabs(roots[i].after - exact) < 1e-7);
        assert_true(i == 0 || i == 6 || roots[i].touch);
    }
}

static void test_wilkinson(void** state)
{
    (void)state;
    for (int n = 2; n <= 12; n++)
    {
        double known[12], c[13];
        PolynomialRoot roots[MOST];
        for (int i = 0; i < n; i++)
        {
            known[i] = i + 1;
        }
        product(known, n, 1, c);
        assert_int_equal(find(c, n, n + 2, roots), n);
        for (int i = 0; i < n; i++)
        {
            assert_true(fabs(roots[i].after - known[i]) <= 4 * DBL_EPSILON * known[i]);  // integers: exact
        }
    }
}

static void test_clusters(void** state)
{
    (void)state;
    for (double gap = 1e-2; gap >= 1e-6; gap *= 0.1)
    {
        const double known[] = {0.3, 0.3 + gap, 1.7, 1.7 + gap, 1.9};
        double c[6];
        PolynomialRoot roots[MOST];
        product(known, 5, 3, c);
        assert_int_equal(find(c, 5, 2.5, roots), 5);
        for (int i = 0; i < 5; i++)
        {
            assert_true(fabs(roots[i].after - known[i]) < 1e-13 / gap && !roots[i].touch);
        }
    }
}

static void test_touches(void** state)
{
    (void)state;
    PolynomialRoot roots[MOST];
    for (int i = 1; i < 100; i++)
    {
        double at = i * 0.01 * 1.2345;
        const double twice[] = {at, at, at + 0.5, -1};
        double c[5];
        product(twice, 2, 1, c);
        assert_int_equal(find(c, 2, 2, roots), 1);
        assert_true(roots[0].touch && roots[0].from == 1 && fabs(roots[0].after - at) < 3e-8);
        product(twice, 4, -2, c);
        assert_int_equal(find(c, 4, 2, roots), 2);
        assert_true(roots[0].touch && roots[0].from == 1 && fabs(roots[0].after - at) < 3e-8);
        assert_true(!roots[1].touch && fabs(roots[1].after - at - 0.5) < 1e-14);
    }
    const double thrice[] = {1, 1, 1, 2}, four[] = {1, 1, 1, 1};
    double c[5];
    product(thrice, 4, 1, c);
    assert_int_equal(find(c, 4, 3, roots), 2);
    assert_true(!roots[0].touch && fabs(roots[0].after - 1) < 1e-5 && fabs(roots[1].after - 2) < 1e-15);
    product(four, 4, 1, c);
    assert_int_equal(find(c, 4, 3, roots), 1);
    assert_true(roots[0].touch && fabs(roots[0].after - 1) < 1e-3);
    // What almost touches does not: 1e-12 above, and 1e-12 below.
    double above[] = {1 + 1e-12, -2, 1}, below[] = {1 - 1e-12, -2, 1};
    assert_int_equal(find(above, 2, 3, roots), 0);
    assert_int_equal(find(below, 2, 3, roots), 2);
    assert_true(fabs(roots[0].after - (1 - 1e-6)) < 1e-10 && fabs(roots[1].after - (1 + 1e-6)) < 1e-10);
    // It touches for a caller who knows no better than 1e-11.
    assert_int_equal(polynomial_roots(above, 2, 3, 1e-11, roots, MOST), 1);
    assert_true(roots[0].touch);
    assert_int_equal(polynomial_roots(below, 2, 3, 1e-11, roots, MOST), 1);
    assert_true(roots[0].touch && roots[0].from == 1);
}

static void test_ends(void** state)
{
    (void)state;
    PolynomialRoot roots[MOST];
    double up[] = {0, 1}, ball[] = {0, 3, -1}, twice[] = {0, 0, 1, -1}, end[] = {-2, 1}, touch_end[] = {4, -4, 1};
    assert_int_equal(find(up, 1, 5, roots), 1);
    assert_true(roots[0].after == 0 && roots[0].from == 0 && roots[0].to == 1 && !roots[0].touch);
    assert_int_equal(find(ball, 2, 5, roots), 2);
    assert_true(roots[0].after == 0 && roots[0].to == 1 && roots[1].from == 1 && roots[1].after == 3);
    assert_int_equal(find(twice, 3, 5, roots), 2);
    assert_true(roots[0].touch && roots[0].to == 1 && roots[1].after == 1);
    assert_int_equal(find(end, 1, 2, roots), 1);
    assert_true(roots[0].after == 2 && roots[0].from == -1 && roots[0].to == 0);
    assert_int_equal(find(end, 1, nextafter(2, 0), roots), 0);
    assert_int_equal(find(end, 1, nextafter(2, 3), roots), 1);
    assert_int_equal(find(touch_end, 2, 2, roots), 1);
    assert_true(roots[0].after == 2 && roots[0].from == 1);
    assert_int_equal(find(ball, 2, 3, roots), 2);
    assert_true(roots[1].after == 3 && roots[1].to == 0);
    double small[] = {-1e-30, 1, 1};  // just left of its level at the start
    assert_int_equal(find(small, 2, 1, roots), 1);
    assert_true(fabs(roots[0].after / 1e-30 - 1) < 1e-5);
}

static void test_zero(void** state)
{
    (void)state;
    PolynomialRoot roots[MOST];
    double zero[] = {0, 0, 0}, tiny[] = {1e-17, -3e-17, 2e-17, 1e-18}, one[] = {1};
    assert_int_equal(polynomial_roots(zero, 2, 1, 0, roots, MOST), POLYNOMIAL_ZERO);
    assert_int_equal(polynomial_roots(tiny, 3, 1, 1e-15, roots, MOST), POLYNOMIAL_ZERO);
    assert_int_equal(polynomial_roots(tiny, 3, 1, 5e-17, roots, MOST), POLYNOMIAL_ZERO);
    assert_int_equal(polynomial_roots(tiny, 3, 1, 0, roots, MOST), 2);
    assert_int_equal(polynomial_roots(one, 0, 1, 0, roots, MOST), 0);
    // The list may be shorter than the roots: the first ones are in it.
    const double known[] = {1, 2, 3, 4};
    double c[5];
    product(known, 4, 1, c);
    assert_int_equal(polynomial_roots(c, 4, 5, 0, roots, 2), 4);
    assert_true(fabs(roots[0].after - 1) < 1e-15 && fabs(roots[1].after - 2) < 1e-15);
}

// (x - 777.1)² + y² = R² in free flight from 0 with speed v.
static void test_circle(void** state)
{
    (void)state;
    for (double v = 0.01; v < 1e5; v *= 7)
    {
        for (double h = 800 / v; h < 1e5 / v; h *= 3)
        {
            double R = 1e-3, c[] = {777.1 * 777.1 - R * R, -2 * 777.1 * v, v * v};
            PolynomialRoot roots[MOST];
            assert_int_equal(find(c, 2, h, roots), 2);
            assert_true(fabs(roots[0].after * v - 777.099) < 1e-6 && fabs(roots[1].after * v - 777.101) < 1e-6);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- random

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

// How far rounding of the coefficients may have moved the root i: noise of p there by its slope there.
static double sensitivity(const double* c, int degree, const double* known, int i)
{
    double slope = c[degree];
    for (int k = 0; k < degree; k++)
    {
        slope *= k == i ? 1 : known[i] - known[k];
    }
    return DBL_EPSILON * polynomial_bound(c, degree, fabs(known[i]), 0) / fabs(slope);
}

// Products of up to 10 real roots in [-0.5, 1.5]: those in [0, 1] are found, each once, where they are defined by the
// coefficients: farther apart than rounding moves them.
static void test_random(void** state)
{
    (void)state;
    int checked = 0;
    for (int trial = 0; trial < 100000; trial++)
    {
        int n = 1 + (int)(10 * uniform()), inside = 0, at = 0;
        double known[10], c[POLYNOMIAL_DEGREE + 1], scale = exp(20 * uniform() - 10);
        for (int i = 0; i < n; i++)
        {
            double next = 2 * uniform() - 0.5;
            int k = i;
            for (; k > 0 && known[k - 1] > next; k--)
            {
                known[k] = known[k - 1];
            }
            known[k] = next;
        }
        product(known, n, scale, c);
        bool defined = true;
        for (int i = 0; i < n; i++)
        {
            double moves = 100 * sensitivity(c, n, known, i);
            defined &= i == 0 || known[i] - known[i - 1] > moves;
            defined &= i == n - 1 || known[i + 1] - known[i] > moves;
            defined &= fabs(known[i]) > moves && fabs(known[i] - 1) > moves;
            inside += known[i] > 0 && known[i] < 1;
        }
        PolynomialRoot roots[MOST];
        int count = find(c, n, 1, roots);
        if (!defined)
        {
            assert_true(count <= n);
            continue;
        }
        checked++;
        assert_int_equal(count, inside);
        for (int i = 0; i < n; i++)
        {
            if (known[i] > 0 && known[i] < 1)
            {
                assert_true(!roots[at].touch);
                assert_true(fabs(roots[at].after - known[i]) <= 10 * sensitivity(c, n, known, i) + 1e-15);
                at++;
            }
        }
    }
    print_message("%d of 100000 products defined by their coefficients\n", checked);
    assert_true(checked > 80000);
}

// Products of touches (t - a)² and factors without real roots: every touch once, nothing else.
static void test_random_touches(void** state)
{
    (void)state;
    for (int trial = 0; trial < 20000; trial++)
    {
        double at[3], c[POLYNOMIAL_DEGREE + 1] = {1};
        int count = 1 + (int)(3 * uniform()), degree = 0;
        for (int i = 0; i < count; i++)
        {
            at[i] = (i + 0.1 + 0.8 * uniform()) / count;
            long double p[POLYNOMIAL_DEGREE + 3] = {0};
            double middle = 2 * uniform(), lift = 0.1 + uniform();
            double factor[5] = {0}, square[3] = {at[i] * at[i], -2 * at[i], 1},
                   off[3] = {middle * middle + lift, -2 * middle, 1};
            for (int k = 0; k < 9; k++)
            {
                factor[k / 3 + k % 3] += square[k / 3] * off[k % 3];
            }
            for (int k = 0; k <= degree; k++)
            {
                for (int j = 0; j < 5; j++)
                {
                    p[k + j] += (long double)c[k] * factor[j];
                }
            }
            degree += 4;
            for (int k = 0; k <= degree; k++)
            {
                c[k] = (double)p[k];
            }
        }
        PolynomialRoot roots[MOST];
        double noise = 1e-14 * polynomial_bound(c, degree, 1, 0);
        int found = polynomial_roots(c, degree, 1, noise, roots, MOST);
        bool apart = true;
        for (int i = 1; i < count; i++)
        {
            apart &= at[i] - at[i - 1] > 0.1;
        }
        if (apart)
        {
            assert_int_equal(found, count);
            for (int i = 0; i < count; i++)
            {
                assert_true(roots[i].touch && fabs(roots[i].after - at[i]) < 1e-3);
            }
        }
    }
}

// By formula: where it tells, the same roots as by isolation, in the same order and with the same signs; and it tells
// wherever two roots, or a root and an end, are not close together.
static void test_closed(void** state)
{
    (void)state;
    int told = 0;
    for (int round = 0; round < 20000; round++)
    {
        double c[3], h;
        for (int k = 0; k < 3; k++)
        {
            c[k] = round % 7 == k ? 0 : uniform() - 0.5;
        }
        h = 4 * uniform() + 0.01;
        PolynomialRoot closed[3], roots[MOST];
        int count = polynomial_roots_closed(c, 2, h, 0, closed), found = polynomial_roots(c, 2, h, 0, roots, MOST);
        if (count == POLYNOMIAL_DOUBT)
        {
            continue;
        }
        told++;
        assert_int_equal(count, found);
        for (int i = 0; i < count; i++)
        {
            assert_true(fabs(closed[i].after - roots[i].after) <= 1e-12 * (1 + roots[i].after));
            assert_true(closed[i].from == roots[i].from && closed[i].to == roots[i].to && !roots[i].touch);
            assert_true(closed[i].before <= closed[i].after);
        }
    }
    assert_true(told > 17000);
    told = 0;
    for (int round = 0; round < 5000; round++)  // a linear term that outweighs the others
    {
        double c[10] = {0}, h = 4 * uniform() + 0.01, weight = 0, power = 1;
        int degree = 3 + round % 7;
        c[0] = round % 11 == 0 ? 0 : 4 * uniform() - 2;
        for (int k = 2; k <= degree; k++)
        {
            power *= h;
            c[k] = (uniform() - 0.5) / power;
            weight += k * fabs(c[k]) * power;
        }
        c[1] = (round % 2 == 0 ? 1 : -1) * 1.01 * weight;
        PolynomialRoot closed[3], roots[MOST];
        int count = polynomial_roots_closed(c, degree, h, 0, closed);
        int found = polynomial_roots(c, degree, h, 0, roots, MOST);
        told += count == 1;
        assert_true(count == POLYNOMIAL_DOUBT || count == found);
        for (int i = 0; i < count; i++)
        {
            assert_true(fabs(closed[i].after - roots[i].after) <= 1e-12 * (1 + roots[i].after));
            assert_true(closed[i].from == roots[i].from && closed[i].to == roots[i].to && !roots[i].touch);
        }
    }
    assert_true(told > 1000);
    double touch[] = {1, -2, 1}, end[] = {-1, 1}, three[] = {1, -4, 2, 1};
    PolynomialRoot roots[3];
    assert_int_equal(polynomial_roots_closed(touch, 2, 3, 0, roots), POLYNOMIAL_DOUBT);
    assert_int_equal(polynomial_roots_closed(end, 1, 1, 0, roots), POLYNOMIAL_DOUBT);
    assert_int_equal(polynomial_roots_closed(three, 3, 3, 0, roots), POLYNOMIAL_DOUBT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed),    cmocka_unit_test(test_values),    cmocka_unit_test(test_cubic),
        cmocka_unit_test(test_chebyshev), cmocka_unit_test(test_wilkinson), cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_touches),   cmocka_unit_test(test_ends),      cmocka_unit_test(test_zero),
        cmocka_unit_test(test_circle),    cmocka_unit_test(test_random),    cmocka_unit_test(test_random_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
