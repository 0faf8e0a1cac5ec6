// Ranges of programs (vm/range.h, vm/interval.h): what an operator makes of intervals holds what the C library makes of
// the numbers in them, wherever that is a number at all. Intervals are drawn from those that go wrong: points, zeros,
// both sides of 0, magnitudes from the smallest to the largest, infinite ends.
#include "load_fixture.h"
#include "vm/interval.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    INTERVALS = 3000,
    SAMPLES = 12,
};

static uint64_t draw = UINT64_C(0x2545F4914F6CDD1D);

static double uniform(void)
{
    draw ^= draw << 13;
    draw ^= draw >> 7;
    draw ^= draw << 17;
    return (double)(draw >> 11) * 0x1p-53;
}

static double any_number(void)
{
    static const double special[] = {0, 0, 1, -1, 0.5, -0.5, 2, -3, M_PI / 2, -M_PI, 750, DBL_MIN, -1e-300, 1e300};
    double pick = uniform();
    if (pick < 0.3)
        return special[(size_t)(uniform() * (sizeof special / sizeof *special))];
    if (pick < 0.75)
        return 20 * uniform() - 10;
    return (uniform() < 0.5 ? -1 : 1) * pow(10, 40 * uniform() - 20);
}

static VmRange any_interval(void)
{
    double a = any_number(), kind = uniform(), b = kind < 0.2 ? a : kind < 0.5 ? a + uniform() : any_number();
    if (kind > 0.97)
        return interval(-INFINITY, INFINITY);
    if (kind > 0.94)
        return kind > 0.955 ? interval(a, INFINITY) : interval(-INFINITY, a);
    return interval_of(a, b);
}

static double inside(VmRange a, int sample)
{
    if (sample < 2)
        return sample == 0 ? a.low : a.high;
    if (sample == 2 && interval_has(a, 0))
        return 0;
    double low = larger(a.low, -1e300), high = smaller(a.high, 1e300);
    double value = low + (high - low) * (sample % 2 == 0 ? uniform() : pow(10, -16 * uniform()));
    return larger(a.low, smaller(a.high, value));
}

// Nothing is rounded outward: a few last digits, and what sin makes of them in its argument.
static bool holds(VmRange z, double value, double off)
{
    double room = isfinite(value) ? 8 * DBL_EPSILON * fabs(value) + off : 0;
    return isnan(value) || (z.low <= value + room && value - room <= z.high);
}

static double at_unary(uint32_t op, double a)
{
    switch (op)
    {
    case VM_MOVE: return a;
    case VM_NEG: return -a;
    case VM_SIN: return sin(a);
    case VM_COS: return cos(a);
    case VM_TAN: return tan(a);
    case VM_ASIN: return asin(a);
    case VM_ACOS: return acos(a);
    case VM_ATAN: return atan(a);
    case VM_SINH: return sinh(a);
    case VM_COSH: return cosh(a);
    case VM_TANH: return tanh(a);
    case VM_EXP: return exp(a);
    case VM_LOG: return log(a);
    case VM_LOG10: return log10(a);
    case VM_SQRT: return sqrt(a);
    case VM_ABS: return fabs(a);
    case VM_SIGN: return (a > 0) - (a < 0);
    case VM_FLOOR: return floor(a);
    default: return a == 0;  // NOT
    }
}

static void test_functions_of_one_argument(void** state)
{
    (void)state;
    static const uint32_t ops[] = {VM_MOVE, VM_NEG,  VM_SIN,  VM_COS,   VM_TAN, VM_ASIN, VM_ACOS,
                                   VM_ATAN, VM_SINH, VM_COSH, VM_TANH,  VM_EXP, VM_LOG,  VM_LOG10,
                                   VM_SQRT, VM_ABS,  VM_SIGN, VM_FLOOR, VM_NOT};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int i = 0; i < INTERVALS; i++)
        {
            double units = 0;
            VmRange a = any_interval(), z = interval_unary(ops[k], a, &units);
            assert_true(units >= 0);
            for (int s = 0; s < SAMPLES; s++)
            {
                double at = inside(a, s), value = at_unary(ops[k], at);
                bool wave = ops[k] == VM_SIN || ops[k] == VM_COS;
                if (!holds(z, value, wave ? 4 * DBL_EPSILON * (1 + fabs(at)) : 0))
                    fail_msg("operator %u of [%.17g, %.17g] is [%.17g, %.17g], but %.17g at %.17g", ops[k], a.low,
                             a.high, z.low, z.high, value, at);
            }
        }
}

static double at_binary(uint32_t op, double a, double b)
{
    switch (op)
    {
    case VM_ADD: return a + b;
    case VM_SUB: return a - b;
    case VM_MUL: return a * b;
    case VM_DIV: return a / b;
    case VM_POW: return pow(a, b);
    case VM_ATAN2: return atan2(a, b);
    case VM_HYPOT: return hypot(a, b);
    case VM_MIN: return smaller(a, b);
    case VM_MAX: return larger(a, b);
    case VM_LT: return a < b;
    case VM_LE: return a <= b;
    case VM_EQ: return a == b;
    case VM_NE: return a != b;
    case VM_AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
    }
}

static void check_binary(uint32_t op, VmRange a, VmRange b)
{
    double units = 0;
    VmRange z = interval_binary(op, a, b, &units);
    assert_true(units >= 0);
    for (int s = 0; s < SAMPLES; s++)
    {
        double x = inside(a, s), y = inside(b, s < 4 ? s / 2 % 2 : s), value = at_binary(op, x, y);
        double off = op == VM_POW ? DBL_EPSILON * 2000 * fabs(value) : 0;  // through its logarithm
        if (!holds(z, value, off))
            fail_msg("operator %u of [%.17g, %.17g], [%.17g, %.17g] is [%.17g, %.17g], but %.17g at %.17g, %.17g", op,
                     a.low, a.high, b.low, b.high, z.low, z.high, value, x, y);
    }
}

static void test_functions_of_two_arguments(void** state)
{
    (void)state;
    static const uint32_t ops[] = {VM_ADD, VM_SUB, VM_MUL, VM_DIV, VM_POW, VM_ATAN2, VM_HYPOT, VM_MIN,
                                   VM_MAX, VM_LT,  VM_LE,  VM_EQ,  VM_NE,  VM_AND,   VM_OR};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int i = 0; i < INTERVALS; i++)
        {
            VmRange a = any_interval(), b = any_interval();
            check_binary(ops[k], a, b);
        }
}

// Exponents that are whole, broken, negative, and stand still.
static void test_powers(void** state)
{
    (void)state;
    static const double exponents[] = {-3, -2, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 3, 8, 9, 1000};
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        for (int i = 0; i < INTERVALS; i++)
            check_binary(VM_POW, any_interval(), interval(exponents[k], exponents[k]));
}

// What a point makes is a point: no unit is gone through, and dividing a step further would tell no more.
static void test_points(void** state)
{
    (void)state;
    static const uint32_t ops[] = {VM_DIV, VM_POW, VM_ATAN2, VM_HYPOT, VM_TAN, VM_EXP, VM_LOG, VM_SQRT, VM_TANH};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int i = 0; i < INTERVALS; i++)
        {
            double units = 0, x = any_number(), y = any_number();
            VmRange a = interval(x, x), b = interval(y, y);
            bool two = k < 4;
            VmRange z = two ? interval_binary(ops[k], a, b, &units) : interval_unary(ops[k], a, &units);
            double value = two ? at_binary(ops[k], x, y) : at_unary(ops[k], x);
            assert_true(units == 0);
            if (!isnan(value) && ops[k] != VM_ATAN2 && interval_width(z) > 0)
                fail_msg("operator %u at %.17g, %.17g is [%.17g, %.17g]", ops[k], x, y, z.low, z.high);
        }
}

static void test_divisor_that_is_zero(void** state)
{
    (void)state;
    double units = 0;
    VmRange z = interval_binary(VM_DIV, interval(2, 3), interval(0, 0), &units);
    assert_true(z.low == INFINITY && z.high == INFINITY && units == 0);
    z = interval_binary(VM_DIV, interval(-3, -2), interval(0, 0), &units);
    assert_true(z.low == -INFINITY && z.high == -INFINITY);
    z = interval_binary(VM_DIV, interval(-1, 1), interval(0, 0), &units);
    assert_true(z.low == -INFINITY && z.high == INFINITY);
    z = interval_binary(VM_DIV, interval(2, 3), interval(0, 1), &units);
    assert_true(z.low <= 2 && z.high == INFINITY && units == INFINITY);
}

// ---- programs

// The derivative of the only state, where time and the state are at one place or move.
typedef struct Program
{
    kaiModel* model;
    VmRanges* ranges;
    double* R;
    uint32_t x, rate;
} Program;

static Program program_of(const char* derivative)
{
    char text[512];
    snprintf(text, sizeof text, "model M { state x = 0.5; x' = %s }\nexperiment e of M { stop = 1 }\n", derivative);
    Program p = {.model = load_text(text, "e")};
    p.ranges = ranges_create(p.model, p.model->allocator);
    p.R = calloc(p.model->reg_count, sizeof *p.R);
    assert_non_null(p.ranges);
    assert_non_null(p.R);
    memcpy(p.R + p.model->reg_first[REG_CONST], p.model->constants, sizeof(double) * p.model->constants_count);
    p.x = p.model->reg_first[REG_STATE];
    p.rate = p.model->reg_first[REG_DERIV];
    return p;
}

static void program_free(Program* p)
{
    ranges_free(p->ranges);
    free(p->R);
    kaiModel_Free(p->model);
}

static double value_at(Program* p, double t, double x)
{
    p->R[p->model->reg_time] = t;
    p->R[p->x] = x;
    assert_int_equal(vm_run(p->model, p->R, p->model->islands[0].deriv, NULL), 0);
    return p->R[p->rate];
}

// Around (t, x), by `half` in both, evenly; x by as much more in any way.
static VmRange range_around(Program* p, double t, double x, double half, double* units)
{
    CodeRange code = p->model->islands[0].deriv;
    ranges_begin(p->ranges, p->R, NULL, 8);
    ranges_set(p->ranges, p->model->reg_time, t, half, 0);
    ranges_set(p->ranges, p->x, x, -half, half);
    *units = ranges_walk(p->ranges, p->model->code + code.start, code.end - code.start);
    return ranges_get(p->ranges, p->rate);
}

static void check_program(const char* derivative)
{
    Program p = program_of(derivative);
    for (int i = 0; i < INTERVALS / 10; i++)
    {
        double t = 4 * uniform(), x = 4 * uniform() - 2, half = i % 10 == 0 ? 0 : pow(10, -4 * uniform()), units;
        value_at(&p, t, x);
        VmRange z = range_around(&p, t, x, half, &units);
        for (int s = 0; s < SAMPLES; s++)
        {
            double along = 2 * uniform() - 1, across = 2 * uniform() - 1;
            double value = value_at(&p, t + along * half, x - along * half + across * half);
            if (!holds(z, value, 1e-14))
                fail_msg("%s: [%.17g, %.17g], but %.17g near t = %g", derivative, z.low, z.high, value, t);
        }
        if (half == 0 && !isnan(value_at(&p, t, x)) && !(interval_width(z) <= 1e-15))
            fail_msg("%s at t = %g is [%.17g, %.17g]", derivative, t, z.low, z.high);
    }
    program_free(&p);
}

static void test_programs(void** state)
{
    (void)state;
    static const char* const derivatives[] = {
        "exp(-100*(time - 2)^2)",
        "(time + x)*(time - x)/(1 + x^2)",
        "x - x + time - time",
        "mod(3*time, 0.7)",
        "mod(time, 5)*x",
        "min(time, x)*max(time, 2*x)",
        "(if x < 0.3 then -x else x^2)",
        "sign(x)*floor(3*time)",
        "atan2(x, 1 + time)*hypot(x, time)",
        "(1 + time)^x + (1 + time)^(-2.5)",
        "tanh(30*(time - x))*cosh(x) - sinh(time)",
        "sqrt(abs(x))*log(1 + time) + log10(2 + x^2)",
        "sin(30*time)*cos(x) + tan(x/3)",
        "asin(x/9) + acos(time/9)",
        "table(\"tests/unit/range_table.csv\", time + x)",
        "exp(table(\"tests/unit/range_table.csv\", 2*time))",
    };
    for (size_t i = 0; i < sizeof derivatives / sizeof *derivatives; i++)
        check_program(derivatives[i]);
}

// A row of a table is not one place: half of it holds half of its values. Where rows are no kinks, that is.
static void test_rows_of_tables_are_divided(void** state)
{
    (void)state;
    Program p = program_of("exp(-1000*smooth(table(\"tests/unit/range_table.csv\", time))^2)");
    double units;
    range_around(&p, 2, 0, 1e-3, &units);
    assert_true(units < 8);
    range_around(&p, 2, 0, 1, &units);
    assert_true(units > 8);
    program_free(&p);
}

// What moves evenly keeps its distance.
static void test_even_motion(void** state)
{
    (void)state;
    Program p = program_of("(time + 3) - time");
    double units;
    value_at(&p, 1, 0);
    VmRange z = range_around(&p, 1, 0, 0.5, &units);
    assert_true(z.low == 3 && z.high == 3 && units == 0);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_one_argument),
        cmocka_unit_test(test_functions_of_two_arguments),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_divisor_that_is_zero),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_rows_of_tables_are_divided),
        cmocka_unit_test(test_even_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
