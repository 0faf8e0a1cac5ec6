// Linear systems of circuits by their closed forms, and derivatives that do not exist or are not computed: refused with
// the reason.
#include "unit/load_fixture.h"

#include <math.h>
#include <string.h>

static void near(double value, double wanted, double within)
{
    if (!(fabs(value - wanted) <= within * fmax(1, fabs(wanted))))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

static kaiModel* load(const char* text)
{
    LoadOptions options = load_default();
    options.path = "derivatives.kai";
    options.text = text;
    options.experiment = "e";
    options.library = "lib";
    return load_with(&options);
}

// ---- a series circuit

static const char rlc[] = "import \"electrical.kai\"\n"
                          "model RLC {\n"
                          "  input u [V] = 0\n"
                          "  src : VoltageSource(u = u);  r : Resistor(R = 2[Ohm])\n"
                          "  l : Inductor(L = 10[mH]);  c : Capacitor(C = 50[uF]);  g : Ground\n"
                          "  connect src.a, r.a;  connect r.b, l.a;  connect l.b, c.a\n"
                          "  connect c.b, src.b;  connect src.b, g.a\n"
                          "  output v [V] = c.v\n"
                          "}\n"
                          "experiment e of RLC { stop = 1[ms] }\n";

// From u to the voltage of the capacitor 1/(1 + s R C + s² L C): poles -R/2L ± i sqrt(1/LC - (R/2L)²).
static void a_series_circuit_has_its_transfer_function(void** state)
{
    (void)state;
    const double R = 2, L = 10e-3, C = 50e-6;
    kaiModel* model = load(rlc);
    kaiSimOptions sim = kaiModel_SimOptions(model);
    kaiLinearOptions options = kaiDefaultLinearOptions();
    kaiError error;
    kaiLinear* linear = kaiLinear_Create(model, &sim, &options, &error);
    if (linear == NULL)
        fail_msg("%s", error.message);
    kaiLinearSystem s = kaiLinear_System(linear);
    assert_int_equal(s.state_count, 2);
    assert_int_equal(s.input_count, 1);
    assert_int_equal(s.output_count, 1);
    for (int i = 0; i < 2; i++)
    {
        near(s.poles[i], -R / (2 * L), 1e-12);
        near(fabs(s.frequencies[i]), sqrt(1 / (L * C) - pow(R / (2 * L), 2)), 1e-12);
    }
    near(s.D[0], 0, 0);
    const double w0 = 1 / sqrt(L * C), at[] = {1, 0.1 * w0, 0.5 * w0, w0, 1.1 * w0, 3 * w0, 30 * w0};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
    {
        double re, im, a = 1 - at[i] * at[i] * L * C, b = at[i] * R * C;
        assert_int_equal(kaiLinear_Response(linear, 0, 0, at[i], &re, &im), KAI_OK);
        near(re, a / (a * a + b * b), 1e-12);
        near(im, -b / (a * a + b * b), 1e-12);
        if (at[i] == w0)  // at resonance: the quality, a quarter turn behind
            near(hypot(re, im), sqrt(L / C) / R, 1e-12);
    }
    kaiLinear_Free(linear);
    kaiModel_Free(model);
}

// ---- what is refused

static void expect_reason(const char* text, const char* says)
{
    kaiModel* model = load(text);
    kaiSimOptions sim = kaiModel_SimOptions(model);
    kaiSensitivityOptions options = kaiDefaultSensitivityOptions();
    int variable = kaiModel_FindVariable(model, "a");
    kaiError error = {0};
    options.variables = &variable;
    options.variable_count = 1;
    kaiSensitivity* s = kaiSensitivity_Create(model, &sim, &options, &error);
    kaiStatus status = s != NULL ? kaiSensitivity_Run(s, &error) : error.status;
    if (status >= 0)
        fail_msg("no reason to refuse: %s", text);
    if (strstr(error.message, says) == NULL)
        fail_msg("%s instead of %s", error.message, says);
    kaiSensitivity_Free(s);
    kaiModel_Free(model);
}

// At a = 2 the level is the top of the path: a little lower there are two crossings, a little higher none, and the time
// of the first one goes as a square root.
static void grazing_has_no_derivative(void** state)
{
    (void)state;
    expect_reason("model M { param a = 2; state y = 0, v = 2; discrete n = 0; y' = v; v' = -1\n"
                  "  when up(y - a) { n := n + 1 } }\nexperiment e of M { stop = 4 }\n",
                  "touches the level");
    // An impact of a ball that just reaches the wall, from the other side
    expect_reason("model M { param a = 0; state y = 2, v = -2; discrete n = 0; y' = v; v' = 1\n"
                  "  when down(y - a) { v := -v; n := n + 1 } }\nexperiment e of M { stop = 4 }\n",
                  "touches the level");
    // A level that is crossed as a tangent: y = (t - 1)³ + a.
    expect_reason("model M { param a = 0; state y = -1, v = 3, w = -6; discrete n = 0; y' = v; v' = w; w' = 6\n"
                  "  when up(y + a) { n := n + 1 } }\nexperiment e of M { stop = 2 }\n",
                  "there is no derivative");
}

// Beside the border there are derivatives, and they grow as the border comes nearer: dt/da = 1/sqrt(4 - 2 a).
static void beside_grazing_there_is_one(void** state)
{
    (void)state;
    kaiModel* model = load("model M { param a = 1.99; state y = 0, v = 2; discrete n = 0; y' = v; v' = -1\n"
                           "  when up(y - a) { n := time } }\nexperiment e of M { stop = 4 }\n");
    kaiSimOptions sim = kaiModel_SimOptions(model);
    kaiSim* run = kaiSim_Create(model, &sim, NULL);
    double n;
    assert_int_equal(kaiSim_Run(run), KAI_END);
    assert_true(kaiSim_Get(run, kaiModel_FindVariable(model, "n"), &n));
    near(n, 2 - sqrt(4 - 2 * 1.99), 1e-9);
    kaiSim_Free(run);
    kaiModel_Free(model);
}

static void delays_are_refused_by_every_analysis(void** state)
{
    (void)state;
    static const char text[] = "model D { param a = 0.8; state x = 1; x' = -a*delay(x, 1) }\n"
                               "experiment e of D { stop = 2.5 }\n";
    expect_reason(text, "delays a signal");
    kaiModel* model = load(text);
    kaiSimOptions sim = kaiModel_SimOptions(model);
    kaiLinearOptions linear = kaiDefaultLinearOptions();
    kaiError error;
    assert_null(kaiLinear_Create(model, &sim, &linear, &error));
    assert_non_null(strstr(error.message, "delays a signal"));
    kaiModel_Free(model);
    // The run itself is right: by the method of steps x(2) = 1 - 2a + a²/2.
    model = load("model D { param a = 0.8; state x = 1; x' = -a*delay(x, 1) }\nexperiment e of D { stop = 2 }\n");
    sim = kaiModel_SimOptions(model);
    kaiSim* run = kaiSim_Create(model, &sim, NULL);
    double x;
    assert_int_equal(kaiSim_Run(run), KAI_END);
    assert_true(kaiSim_Get(run, kaiModel_FindVariable(model, "x"), &x));
    near(x, 1 - 2 * 0.8 + 0.8 * 0.8 / 2, 1e-7);
    kaiSim_Free(run);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_circuit_has_its_transfer_function),
        cmocka_unit_test(grazing_has_no_derivative),
        cmocka_unit_test(beside_grazing_there_is_one),
        cmocka_unit_test(delays_are_refused_by_every_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
