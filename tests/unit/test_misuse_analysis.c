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
    assert_int_equal(kaiRanks_Begin(NULL, NULL, &error), KAI_ERR_USAGE);
    kaiRanks_End();  // nothing has begun
    assert_int_equal(kaiModel_SpreadCount(NULL), 0);
    assert_int_equal(kaiModel_SpreadVariable(model, 0, &kind, &values, &count), -1);
    assert_null(kaiStatistics_Create((kaiAllocator){0}));
    kaiStatistics_Free(NULL);
    assert_int_equal(kaiStatistics_Add(NULL, 0, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiStatistics_Summary(NULL).count, 0);
    assert_true(isnan(kaiStatistics_Quantile(NULL, 0.5)));
    assert_int_equal(kaiStatistics_Histogram(NULL, 3, NULL), KAI_ERR_USAGE);
    kaiStatistics_Proportion(3, 2, &low, &high);
    assert_true(low == 0 && high == 1);
    kaiStatistics_Proportion(3, 2, NULL, NULL);
    kaiModel_Free(model);
}

static void wrong_pictures_of_studies_are_refused(void** state)
{
    (void)state;
    double values[] = {1, 2, 3};
    kaiChartColumn factor = {"a", NULL, true, values}, bare = {"a", NULL, true, NULL};
    kaiColumn column = {.name = "x", .kind = KAI_COLUMN_REAL}, mode = {.name = "x", .kind = KAI_COLUMN_MODE};
    const char *name = "x", *other = "y";
    kaiFigureOptions options = kaiDefaultFigureOptions(), none = {0};
    kaiError error;
    options.path = "/tmp/refused.svg";
    assert_int_equal(kaiChart_Draw(NULL, KAI_CHART_HEAT, &factor, 1, 3, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&none, KAI_CHART_HEAT, &factor, 1, 3, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_HEAT, NULL, 1, 3, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, (kaiChartKind)99, &factor, 1, 3, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_HISTOGRAM, &bare, 1, 3, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_HISTOGRAM, &factor, 1, 0, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_TORNADO, &factor, 1, 3, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Check(NULL, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Check(&none, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Check(&options, NULL), KAI_OK);
    options.path = "/tmp/refused.html";
    assert_int_equal(kaiChart_Check(&options, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_HISTOGRAM, &factor, 1, 3, &error), KAI_ERR_USAGE);
    assert_null(kaiChart_Word(-1));
    assert_null(kaiChart_Word(4));
    assert_null(kaiFan_Create(NULL, &column, 1, &name, 1, &error));
    assert_null(kaiFan_Create(&none, &column, 1, &name, 1, &error));
    assert_null(kaiFan_Create(&options, &column, 1, &name, 0, &error));
    assert_null(kaiFan_Create(&options, &column, 1, &name, 99, &error));
    assert_null(kaiFan_Create(&options, &column, 1, &other, 1, &error));
    assert_null(kaiFan_Create(&options, &mode, 1, &name, 1, &error));
    kaiFan* fan = kaiFan_Create(&options, &column, 1, &name, 1, &error);
    assert_non_null(fan);
    assert_int_equal(kaiFan_Row(fan, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiFan_Row(NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiFan_Draw(fan, &error), KAI_ERR_USAGE);
    assert_true(isnan(kaiFan_Quantile(fan, 1, 0, 0.5, NULL)));
    assert_true(isnan(kaiFan_Quantile(fan, 0, -1, 0.5, NULL)));
    assert_true(isnan(kaiFan_Quantile(fan, 0, 0, 2, NULL)));
    assert_true(isnan(kaiFan_Quantile(NULL, 0, 0, 0.5, NULL)));
    kaiFan_Free(fan);
    kaiFan_Free(NULL);
    kaiFan_BeginRun(NULL);
    assert_int_equal(kaiFan_Draw(NULL, &error), KAI_ERR_USAGE);
}

static void wrong_measures_are_refused(void** state)
{
    (void)state;
    kaiModel* model = load(pendulum);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    double value;
    assert_int_equal(kaiModel_MeasureCount(NULL), 0);
    assert_int_equal(kaiModel_MeasureCount(model), 0);
    assert_null(kaiModel_MeasureName(model, 0, NULL));
    assert_null(kaiModel_MeasureName(NULL, 0, NULL));
    assert_false(kaiModel_Draws(NULL));
    assert_false(kaiModel_Draws(model));
    assert_null(kaiStudy_Unit(NULL, 0));
    assert_false(kaiSim_Measure(sim, 0, &value));
    assert_false(kaiSim_Measure(sim, -1, &value));
    assert_false(kaiSim_Measure(NULL, 0, &value));
    assert_int_equal(kaiSim_SetSeed(NULL, 3), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_SetSeed(sim, 3), KAI_OK);
    kaiSim_Step(sim);
    assert_int_equal(kaiSim_SetSeed(sim, 3), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(wrong_studies_are_refused),
        cmocka_unit_test(wrong_pictures_of_studies_are_refused),
        cmocka_unit_test(wrong_measures_are_refused),
        cmocka_unit_test(wrong_orbits_are_refused),
        cmocka_unit_test(wrong_fits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
