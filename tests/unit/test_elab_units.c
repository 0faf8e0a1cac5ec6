// Units of expressions: what fits together, how it is called, and what is silent.
#include "kairos/program.h"
#include "unit/elab_fixture.h"

#include <math.h>

static const struct
{
    const char* unit;
    double scale;
    const char* dimension;
} unit_table[] = {
    {"m", 1, "m"},
    {"mm", 1e-3, "m"},
    {"km", 1e3, "m"},
    {"kg", 1, "kg"},
    {"g", 1e-3, "kg"},
    {"mg", 1e-6, "kg"},
    {"s", 1, "s"},
    {"ms", 1e-3, "s"},
    {"us", 1e-6, "s"},
    {"min", 60, "s"},
    {"h", 3600, "s"},
    {"d", 86400, "s"},
    {"N", 1, "m*kg/s^2"},
    {"kN", 1e3, "m*kg/s^2"},
    {"Pa", 1, "kg/m/s^2"},
    {"bar", 1e5, "kg/m/s^2"},
    {"J", 1, "m^2*kg/s^2"},
    {"W", 1, "m^2*kg/s^3"},
    {"C", 1, "s*A"},
    {"V", 1, "m^2*kg/s^3/A"},
    {"F", 1, "s^4*A^2/m^2/kg"},
    {"uF", 1e-6, "s^4*A^2/m^2/kg"},
    {"Ohm", 1, "m^2*kg/s^3/A^2"},
    {"kOhm", 1e3, "m^2*kg/s^3/A^2"},
    {"S", 1, "s^3*A^2/m^2/kg"},
    {"Wb", 1, "m^2*kg/s^2/A"},
    {"T", 1, "kg/s^2/A"},
    {"H", 1, "m^2*kg/s^2/A^2"},
    {"mH", 1e-3, "m^2*kg/s^2/A^2"},
    {"Hz", 1, "1/s"},
    {"kHz", 1e3, "1/s"},
    {"rad", 1, "1"},
    {"deg", 0.017453292519943295, "1"},
    {"L", 1e-3, "m^3"},
    {"mL", 1e-6, "m^3"},
    {"cd", 1, "cd"},
    {"mol", 1, "mol"},
    {"K", 1, "K"},
    {"lx", 1, "cd/m^2"},
    {"Ym", 1e24, "m"},
    {"dam", 10, "m"},
    {"percent", 0.01, "1"},
};

static void test_units(void** state)
{
    (void)state;
    Arena arena;
    jmp_buf unused;
    arena_init(&arena, kaiDefaultAllocator(), &unused);
    for (size_t i = 0; i < sizeof unit_table / sizeof unit_table[0]; i++)
    {
        Unit unit = {0};
        vec_push(&arena, unit.terms, (UnitTerm){.name = unit_table[i].unit, .exponent = 1});
        FlatUnit flat;
        const UnitTerm* unknown = NULL;
        assert_true(unit_resolve(&arena, &unit, &flat, &unknown));
        Dim dim = dim_of_unit(&flat);
        assert_string_equal(dim_bases(&arena, &dim), unit_table[i].dimension);
        assert_true(fabs(flat.si.scale - unit_table[i].scale) <= 1e-15 * unit_table[i].scale);
    }
    arena_free(&arena);
}

// What people call a dimension, and bases where two of them say it.
static void test_unit_names(void** state)
{
    (void)state;
    static const struct
    {
        UnitTerm terms[2];
        const char* said;
    } cases[] = {
        {{{.name = "mV", .exponent = 1}, {.name = "rad", .exponent = 1}}, "V"},
        {{{.name = "V", .exponent = 1}, {.name = "s", .exponent = -1}}, "V/s"},
        {{{.name = "N", .exponent = 1}, {.name = "s", .exponent = 1}}, "N*s"},
        {{{.name = "J", .exponent = 1}, {.name = "K", .exponent = -1}}, "J/K"},
        {{{.name = "V", .exponent = 1}, {.name = "A", .exponent = 1}}, "W"},
        {{{.name = "km", .exponent = 1}, {.name = "h", .exponent = -2}}, "m/s^2"},
        {{{.name = "N", .exponent = 1}, {.name = "m", .exponent = -1}}, "kg/s^2"},
        {{{.name = "Hz", .exponent = 1}, {.name = "deg", .exponent = 1}}, "1/s"},
        {{{.name = "W", .exponent = 1}, {.name = "mol", .exponent = 2}}, "W*mol^2"},
    };
    Arena arena;
    jmp_buf unused;
    arena_init(&arena, kaiDefaultAllocator(), &unused);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        Unit unit = {0};
        FlatUnit flat;
        const UnitTerm* unknown = NULL;
        vec_push(&arena, unit.terms, cases[i].terms[0]);
        vec_push(&arena, unit.terms, cases[i].terms[1]);
        assert_true(unit_resolve(&arena, &unit, &flat, &unknown));
        Dim dim = dim_of_unit(&flat);
        assert_string_equal(dim_text(&arena, &dim), cases[i].said);
    }
    arena_free(&arena);
}

static void test_silent_units(void** state)
{
    (void)state;
    // One side is bare, or the dimensions agree: nothing to say.
    static const char* const sources[] = {
        "model M { param k [N/m] = 1, m [kg] = 1, c = 2; state x [m] = 1, v [m/s] = 0; x' = v; v' = -k/m*x - c*v }",
        "model M { state x [m] = 1, v [m/s] = 0; x' = v; event h = down(x); v' = delta(h, -2*pre(v)) - 9.81 }",
        "model M { param F [N] = 1; signal f [N] = F*sin(2*pi*time) + 3*cos(time) }",
        "model M { param L [m] = 1, g [m/s^2] = 9.81; signal T [s] = 2*pi*sqrt(L/g) }",
        "model M { param a [m] = 1; signal y = a^2 + 1[m^2], z = (a/1[m])^1.5 + 1 }",
        "model M { param a [m] = 1; signal y = if a > 0 then a else 0, z = min(a, 3), w = hypot(a, 1[mm]) }",
        "model M { param f [Hz] = 1, w [rad/s] = 2; signal y = sin(w*time) + f*1[s] }",
        "model M { state q [m] = 1; q'' = -q/1[s^2] - q'/1[s] }",
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
    {
        Run run;
        run_text(&run, sources[i], &(ElabOptions){0});
        if (!run.flat || run.count)
            show(&run);
        assert_int_equal(run.count, 0);
        arena_free(&run.arena);
    }
}

// What a number in one unit is in another: from the definitions of the units.
static void test_convert(void** state)
{
    (void)state;
    static const struct
    {
        const char *from, *to;
        double number, expected;
    } cases[] = {
        {"mV", "V", 3, 3.0 / 1000},
        {"V", "mV", 3, 3000},
        {"km/h", "m/s", 36, 10},
        {"degC", "K", 20, 293.15},
        {"K", "degC", 293.15, 20},
        {"bar", "Pa", 2, 2e5},
        {"kPa", "bar", 250, 2.5},
        {"J/(kg*K)", "m^2/s^2/K", 7, 7},
        {"degF", "degC", 212, 100},
        {"m/s²", "m/s^2", 4, 4},
        {"rpm", "rad/s", 60, 2 * 3.14159265358979323846},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        kaiConversion c;
        assert_true(kaiUnit_Convert(cases[i].from, cases[i].to, &c));
        double value = cases[i].number * c.factor / c.divisor + c.offset;
        assert_true(fabs(value - cases[i].expected) <= 1e-12 * fabs(cases[i].expected));
    }
    kaiConversion c;
    assert_false(kaiUnit_Convert("V", "A", &c));
    assert_false(kaiUnit_Convert("furlong", "m", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_unit_names),
        cmocka_unit_test(test_silent_units),
        cmocka_unit_test(test_convert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
