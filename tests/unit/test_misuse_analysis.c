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

static void wrong_orbits_are_refused(void** state)
{
    (void)state;
    kaiModel* model = load(pendulum);
    kaiSimOptions sim = kaiModel_SimOptions(model), none = {0};
    kaiOrbitOptions options = kaiDefaultOrbitOptions(), zero = {0};
    kaiError error;
    assert_null(kaiOrbitSearch_Create(NULL, &sim, &options, &error));
    assert_null(kaiOrbitSearch_Create(model, NULL, &options, &error));
    assert_null(kaiOrbitSearch_Create(model, &none, &options, &error));
    assert_null(kaiOrbitSearch_Create(model, &sim, NULL, NULL));
    assert_null(kaiOrbitSearch_Create(model, &sim, &zero, &error));
    options.period = -1;
    assert_null(kaiOrbitSearch_Create(model, &sim, &options, &error));
    options.period = NAN;
    assert_null(kaiOrbitSearch_Create(model, &sim, &options, &error));
    kaiOrbitSearch_Free(NULL);
    assert_int_equal(kaiOrbitSearch_Orbit(NULL).state_count, 0);
    kaiModel_Free(model);
}

static void wrong_fits_are_refused(void** state)
{
    (void)state;
    kaiModel* model = load(pendulum);
    kaiSimOptions sim = kaiModel_SimOptions(model), none = {0};
    kaiFitOptions options = kaiDefaultFitOptions(), zero = {0};
    kaiOptimizeOptions search = kaiDefaultOptimizeOptions(), blank = {0};
    kaiOptimum optimum;
    kaiError error;
    int l = kaiModel_FindVariable(model, "l");
    kaiMeasured data[2] = {{9999, 0, 1, 1}, {9999, 0, 2, 1}};
    assert_null(kaiFit_Create(NULL, &sim, &options, &error));
    assert_null(kaiFit_Create(model, &none, &options, &error));
    assert_null(kaiFit_Create(model, &sim, &zero, &error));
    assert_null(kaiFit_Create(model, &sim, &options, &error));
    options.variables = &l;
    options.variable_count = 1;
    options.data = data;
    options.data_count = 2;
    assert_null(kaiFit_Create(model, &sim, &options, &error));
    data[0].variable = data[1].variable = kaiModel_FindVariable(model, "x");
    data[0].occurrence = 1;
    assert_null(kaiFit_Create(model, &sim, &options, &error));
    kaiFit_Free(NULL);
    assert_int_equal(kaiFit_Result(NULL).variable_count, 0);
    assert_true(isnan(kaiFit_Deviation(NULL, 0)));
    assert_int_equal(kaiOptimize(NULL, &sim, &search, &optimum, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiOptimize(model, &sim, &blank, &optimum, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiOptimize(model, &sim, &search, &optimum, &error), KAI_ERR_USAGE);
    search.variable = l;
    assert_int_equal(kaiOptimize(model, &sim, &search, &optimum, &error), KAI_ERR_USAGE);
    search.high = 1;
    assert_int_equal(kaiOptimize(model, &sim, &search, &optimum, &error), KAI_ERR_USAGE);  // nothing is measured
    search.measure = l;
    assert_int_equal(kaiOptimize(model, &none, &search, &optimum, &error), KAI_ERR_USAGE);
    kaiModel_Free(model);
}

static void wrong_studies_are_refused(void** state)
{
    (void)state;
    kaiModel* model = load(pendulum);
    kaiStudyOptions options = kaiDefaultStudyOptions(), zero = {0};
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions(), none = {0};
    kaiError error;
    kaiSpread kind;
    const double* values;
    double low, high, one = 1;
    int count, wrong = 9999, l = kaiModel_FindVariable(model, "l");
    assert_null(kaiStudy_Create(NULL, &options, &error));
    assert_null(kaiStudy_Create(model, NULL, &error));
    assert_null(kaiStudy_Create(model, &zero, &error));
    assert_null(kaiStudy_Create(model, &options, &error));  // nothing varies
    options.design = KAI_DESIGN_GRID;
    assert_null(kaiStudy_Create(model, &options, NULL));
    options.design = KAI_DESIGN_LIST;
    assert_null(kaiStudy_Create(model, &options, &error));
    options.variables = &wrong;
    options.variable_count = 1;
    options.values = &one;
    options.value_runs = 1;
    assert_null(kaiStudy_Create(model, &options, &error));
    options.variables = &l;
    options.measures = &wrong;
    options.measure_count = 1;
    assert_null(kaiStudy_Create(model, &options, &error));
    options.measure_count = 0;
    kaiStudy* study = kaiStudy_Create(model, &options, &error);
    assert_non_null(study);
    assert_false(kaiStudy_Values(study, 1, &low));
    assert_false(kaiStudy_Values(study, 0, NULL));
    assert_int_equal(kaiStudy_Factor(study, 1), -1);
    assert_null(kaiStudy_Measure(study, -1));
    assert_int_equal(kaiStudy_Run(study, &none, &error), KAI_ERR_USAGE);
    run.step = 0;
    assert_int_equal(kaiStudy_Run(study, &run, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiStudy_Run(NULL, &run, &error), KAI_ERR_USAGE);
    kaiStudy_Free(study);
    kaiStudy_Free(NULL);
    assert_int_equal(kaiStudy_RunCount(NULL), 0);
    assert_int_equal(kaiModel_SpreadCount(NULL), 0);
    assert_int_equal(kaiModel_SpreadVariable(model, 0, &kind, &values, &count), -1);
    assert_null(kaiStatistics_Create((kaiAllocator){0}));
    kaiStatistics_Free(NULL);
    assert_int_equal(kaiStatistics_Add(NULL, 0, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiStatistics_Summary(NULL).count, 0);
    assert_true(isnan(kaiStatistics_Quantile(NULL, 0.5)));
    kaiStatistics_Proportion(3, 2, &low, &high);
    assert_true(low == 0 && high == 1);
    kaiStatistics_Proportion(3, 2, NULL, NULL);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(wrong_studies_are_refused),
        cmocka_unit_test(wrong_orbits_are_refused),
        cmocka_unit_test(wrong_fits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
