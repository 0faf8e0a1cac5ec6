// Derivatives of a run with respect to a parameter, operator by operator: x' = f(p) from 0 to 1 ends at f(p), so its
// sensitivity is f'(p), which calculus tells; and so it is where p stands in a state that does not move, which the
// rates read at every step. The same of foreign integrators: rates along a direction.
#include "kairos/analysis.h"
#include "unit/load_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct
{
    const char* f;
    double p, slope;
} cases[] = {
    {"3*p", 2, 3},
    {"-p", 2, -1},
    {"p + p", 2, 2},
    {"1/p", 2, -0.25},
    {"p/(1 + p)", 1, 0.25},
    {"p^3", 2, 12},
    {"2^p", 3, 5.5451774444795625},      // 8 log 2
    {"p^p", 2, 6.772588722239781},       // 4 (log 2 + 1)
    {"sin(p)", 1, 0.54030230586813972},  // cos 1
    {"cos(p)", 1, -0.8414709848078965},  // -sin 1
    {"tan(p)", 1, 3.4255188208147597},   // 1/cos² 1
    {"asin(p)", 0.6, 1.25},
    {"acos(p)", 0.6, -1.25},
    {"atan(p)", 2, 0.2},
    {"sinh(p)", 1, 1.5430806348152437},  // cosh 1
    {"cosh(p)", 1, 1.1752011936438014},  // sinh 1
    {"tanh(p)", 0, 1},
    {"exp(p)", 1, 2.718281828459045},
    {"log(p)", 4, 0.25},
    {"log10(p)", 2, 0.21714724095162590},  // 1/(2 log 10)
    {"sqrt(p)", 4, 0.25},
    {"abs(p)", -3, -1},
    {"min(p, 5)", 3, 1},
    {"min(p, 5)", 7, 0},
    {"max(p*p, 5)", 3, 6},
    {"max(p, 5)", 3, 0},
    {"hypot(p, 4)", 3, 0.6},
    {"hypot(4, p)", 3, 0.6},
    {"atan2(p, 4)", 3, 0.16},  // 4/25
    {"atan2(4, p)", 3, -0.16},
    {"if p > 2 then p*p else 0", 3, 6},
    {"sign(p)*7 + floor(p)", 2.5, 0},
    {"mod(p, 2)", 3.5, 1},
};

static void near(double value, double wanted, double within)
{
    if (!(fabs(value - wanted) <= within))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

static kaiModel* load_trusted(const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error = {0};
    options.path = "text.kai";
    options.text = text;
    options.policy.allow_external = true;
    which.experiment = "e";
    if (kaiProgram_Open(&options, &program, &error) != KAI_OK)
        fail_msg("%s: %s", text, error.message);
    if (kaiProgram_Compile(program, &which, &model) != KAI_OK)
        fail_msg("%s: %s", text, kaiProgram_MessageText(program, 0, false));
    kaiProgram_Free(program);
    return model;
}

static double sensitivity(const char* text, double* end)
{
    kaiModel* model = load_trusted(text);
    kaiSimOptions sim = kaiModel_SimOptions(model);
    kaiSensitivityOptions options = kaiDefaultSensitivityOptions();
    kaiError error;
    int p = kaiModel_FindVariable(model, "p"), x = kaiModel_FindVariable(model, "x");
    options.variables = &p;
    options.variable_count = 1;
    kaiSensitivity* s = kaiSensitivity_Create(model, &sim, &options, &error);
    if (s == NULL)
        fail_msg("%s", error.message);
    if (kaiSensitivity_Run(s, &error) != KAI_END)
        fail_msg("%s: %s", text, error.message);
    double slope = kaiSensitivity_Get(s, x, 0);
    kaiSim_Get(kaiSensitivity_Sim(s), x, end);
    kaiSensitivity_Free(s);
    kaiModel_Free(model);
    return slope;
}

static void check_cases(const char* format)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[300];
        double end;
        snprintf(text, sizeof text, format, cases[i].p, cases[i].f);
        double slope = sensitivity(text, &end);
        if (!(fabs(slope - cases[i].slope) <= 1e-11 * fmax(1, fabs(cases[i].slope))))
            fail_msg("%s: %.17g instead of %.17g", text, slope, cases[i].slope);
    }
}

static void test_operators(void** state)
{
    (void)state;
    check_cases("model M { param p = %.17g; state x = 0; x' = %s }\nexperiment e of M { stop = 1 }\n");
}

static void test_operators_of_states(void** state)
{
    (void)state;
    check_cases("model M { param p = %.17g; state q = p, x = 0; q' = 0; x' = f(q) }\n"
                "function f(p) = %s\nexperiment e of M { stop = 1 }\n");
}

// Functions of C are differentiated by differences of order six.
static void test_foreign(void** state)
{
    (void)state;
    double end, pi = acos(-1);
    static const char format[] = "external erf(x) = \"libm.so.6:erf\"\nexternal fma(x, y, z) = \"libm.so.6:fma\"\n"
                                 "model M { param p = 0.5; state q = p, x = 0; q' = 0; x' = %s }\n"
                                 "experiment e of M { stop = 1 }\n";
    char text[300];
    snprintf(text, sizeof text, format, "erf(q)");
    near(sensitivity(text, &end), 2 / sqrt(pi) * exp(-0.25), 1e-10);
    near(end, erf(0.5), 1e-12);
    snprintf(text, sizeof text, format, "fma(q, q, 3*q)");
    near(sensitivity(text, &end), 2 * 0.5 + 3, 1e-10);
    snprintf(text, sizeof text, format, "erf(2)*q");
    near(sensitivity(text, &end), erf(2), 1e-12);
}

// y with y + y³ = p: dy/dp = 1/(1 + 3 y²), a quarter at y = 1; and a loop that is settled by one side.
static void test_loops(void** state)
{
    (void)state;
    double end;
    double slope = sensitivity("model M { param p = 2; unknown y = 0.5; equation y + y^3 == p; state x = 0; x' = y "
                               "}\nexperiment e of M { stop = 1 }\n",
                               &end);
    assert_true(fabs(end - 1) < 1e-9 && fabs(slope - 0.25) < 1e-9);
    slope =
        sensitivity("model M { param p = 2; state q = p, x = 0; q' = 0; signal a = if q > 0 then q*q else b, b = if "
                    "q > 0 then 3*a else q; x' = b }\nexperiment e of M { stop = 1 }\n",
                    &end);
    near(end, 12, 1e-12);
    near(slope, 12, 1e-9);
}

// Along v the rates of a linear system are A v, whatever x is.
static void test_along(void** state)
{
    (void)state;
    kaiModel* model = load_text(
        "model M { state a = 1, b = 2; a' = 3*a + 4*b; b' = 5*a - 6*b }\nexperiment e of M { stop = 1 }\n", "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiEval* eval = kaiEval_Create(model, &options, NULL);
    double x[2], v[2] = {1, -1}, out[2];
    assert_int_equal(kaiEval_Start(eval, x), KAI_OK);
    assert_int_equal(kaiEval_RatesAlong(eval, 0, x, v, out), KAI_OK);
    assert_true(fabs(out[0] + 1) < 1e-6 && fabs(out[1] - 11) < 1e-6);
    assert_int_equal(kaiEval_RatesAlong(eval, 0, x, NULL, out), KAI_ERR_USAGE);
    kaiEval_Free(eval);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_operators_of_states),
                                       cmocka_unit_test(test_foreign), cmocka_unit_test(test_loops),
                                       cmocka_unit_test(test_along)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
