// Wrong calls of analysis.h: refused, never a crash.
#include "unit/load_fixture.h"

#include <math.h>
#include <string.h>

static const char pendulum[] = "model Pendulum {\n"
                               "  param g = 9.81, l = 2, c = 0.3\n"
                               "  input M = 0\n"
                               "  state phi = 0.2, w = 0\n"
                               "  output x = l*sin(phi) + 3*M\n"
                               "  phi' = w\n"
                               "  w' = -g/l*sin(phi) - c*w + M\n"
                               "}\n"
                               "experiment e of Pendulum { stop = 10 }\n";

static kaiModel* load(const char* text)
{
    LoadOptions options = load_default();
    options.path = "analysis.kai";
    options.text = text;
    options.experiment = "e";
    options.library = "lib";
    return load_with(&options);
}

static void wrong_calls_are_refused(void** state)
{
    (void)state;
    kaiModel* model = load(pendulum);
    kaiSimOptions sim = kaiModel_SimOptions(model), none = {0};
    kaiLinearOptions linear = kaiDefaultLinearOptions(), zero = {0};
    kaiSensitivityOptions options = kaiDefaultSensitivityOptions(), blank = {0};
    kaiError error;
    int wrong = 9999, phi = kaiModel_FindVariable(model, "x"), count;
    assert_null(kaiLinear_Create(NULL, &sim, &linear, &error));
    assert_null(kaiLinear_Create(model, NULL, &linear, NULL));
    assert_null(kaiLinear_Create(model, &sim, NULL, &error));
    assert_null(kaiLinear_Create(model, &sim, &zero, &error));
    assert_null(kaiLinear_Create(model, &none, &linear, &error));
    linear.inputs = &wrong;
    linear.input_count = 1;
    assert_null(kaiLinear_Create(model, &sim, &linear, &error));
    linear.inputs = &phi;
    assert_null(kaiLinear_Create(model, &sim, &linear, &error));
    linear = kaiDefaultLinearOptions();
    linear.at = -1;
    assert_null(kaiLinear_Create(model, &sim, &linear, &error));
    kaiLinear_Free(NULL);
    assert_int_equal(kaiLinear_System(NULL).state_count, 0);
    assert_int_equal(kaiLinear_Response(NULL, 0, 0, 1, NULL, NULL), KAI_ERR_USAGE);
    assert_null(kaiSensitivity_Create(NULL, &sim, &options, &error));
    assert_null(kaiSensitivity_Create(model, &sim, &blank, &error));
    assert_null(kaiSensitivity_Create(model, &none, &options, &error));
    options.variables = &wrong;
    options.variable_count = 1;
    assert_null(kaiSensitivity_Create(model, &sim, &options, &error));
    options.variables = &phi;
    assert_null(kaiSensitivity_Create(model, &sim, &options, &error));
    assert_null(kaiSensitivity_Columns(NULL, &count));
    assert_int_equal(kaiSensitivity_Set(NULL, 0, 0), KAI_ERR_USAGE);
    assert_int_equal(kaiSensitivity_Run(NULL, &error), KAI_ERR_USAGE);
    assert_true(isnan(kaiSensitivity_Get(NULL, 0, 0)));
    assert_null(kaiSensitivity_Sim(NULL));
    kaiSensitivity_Free(NULL);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
