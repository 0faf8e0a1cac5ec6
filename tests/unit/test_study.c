// Sweeps and reports through the library alone: rows in the order of the runs with any number of threads, values of
// closed forms, failed points that are told, pictures and results into memory.
#include "kairos/kairos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char decay_text[] = "model Decay {\n"
                                 "  param k = 1, n = 1\n"
                                 "  state x[i in 1..n] = i\n"
                                 "  for i in 1..n { x[i]' = -k*x[i] }\n"
                                 "  assert k < 3.5\n"
                                 "}\n"
                                 "experiment e of Decay { stop = 1; sweep n in (1, 2); sweep k in (1, 2, 3, 4) }\n";

static void open_text(const char* text, kaiProgram** program, kaiModel** model, kaiCompileOptions* compile)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = "decay.kai";
    options.text = text;
    *compile = kaiDefaultCompileOptions();
    compile->experiment = "e";
    assert_int_equal(kaiProgram_Open(&options, program, NULL), KAI_OK);
    assert_int_equal(kaiProgram_Compile(*program, compile, model), KAI_OK);
}

typedef struct Seen
{
    int begun, points, failed, columns, leads;
    double last_run;
    double final[9][2];  // last values of each run
    uint64_t hash;
} Seen;

static kaiStatus on_begin(void* user, const kaiColumn* columns, int column_count, const char* const* lead_names,
                          int lead_count)
{
    Seen* s = user;
    s->begun++;
    s->columns = column_count;
    s->leads = lead_count;
    assert_string_equal(columns[0].name, "x[1]");
    assert_string_equal(columns[1].name, "x[2]");
    assert_string_equal(lead_names[0], "run");
    assert_string_equal(lead_names[1], "n");
    assert_string_equal(lead_names[2], "k");
    return KAI_OK;
}

static kaiStatus on_row(void* user, const double* lead, const kaiRow* row)
{
    Seen* s = user;
    int run = (int)lead[0];
    assert_true(lead[0] >= s->last_run && run <= 8);
    assert_true(lead[1] == 1 + (run - 1) / 4 && lead[2] == 1 + (run - 1) % 4);
    assert_int_equal(row->present[1], lead[1] == 2);
    s->last_run = lead[0];
    for (int i = 0; i < 2; i++)
        s->final[run][i] = row->present[i] ? row->values[i] : NAN;
    for (size_t i = 0; i < sizeof row->t; i++)
        s->hash = (s->hash ^ ((const unsigned char*)&row->t)[i]) * 1099511628211u;
    return KAI_OK;
}

static void on_point(void* user, const kaiSweepPoint* point)
{
    Seen* s = user;
    assert_int_equal(point->point, s->points++);
    s->failed += point->status < 0;
    if (point->status < 0)
        assert_non_null(strstr(point->message, "decay.kai:5"));
    else
        assert_string_equal(point->message, "");
}

static void test_sweep(void** state)
{
    (void)state;
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions compile;
    kaiError error;
    open_text(decay_text, &program, &model, &compile);
    kaiSweep* sweep = kaiSweep_Create(program, model, &compile, &error);
    assert_int_equal(kaiSweep_PointCount(sweep), 8);
    assert_int_equal(kaiSweep_ParameterCount(sweep), 2);
    assert_true(kaiSweep_IsStructural(sweep));
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads += 3)
    {
        Seen seen = {0};
        kaiSweepResult result;
        kaiSweepOptions options = kaiDefaultSweepOptions();
        options.threads = threads;
        options.begin = on_begin;
        options.row = on_row;
        options.point = on_point;
        options.user = &seen;
        assert_int_equal(kaiSweep_Run(sweep, &options, &result, &error), KAI_OK);
        assert_int_equal(seen.begun, 1);
        assert_int_equal(seen.leads, 3);
        assert_int_equal(seen.columns, 2);
        assert_int_equal(result.complete, 6);
        assert_int_equal(result.failed, 2);  // k = 4
        assert_int_equal(seen.failed, 2);
        assert_int_equal(result.handed_out, 8);
        for (int run = 1; run <= 8; run++)
            for (int i = 0; i < 1 + (run - 1) / 4 && run % 4 != 0; i++)
                assert_true(fabs(seen.final[run][i] - (i + 1) * exp(-(1 + (run - 1) % 4))) < 1e-7);
        assert_true(hash == 0 || hash == seen.hash);
        hash = seen.hash;
    }
    const kaiModel* two;
    assert_int_equal(kaiSweep_Model(sweep, 5, &two), KAI_OK);
    assert_int_equal(kaiModel_StateCount(two), 2);
    char text[40];
    kaiSweep_Describe(sweep, 5, text, sizeof text);
    assert_string_equal(text, "n = 2, k = 2");
    kaiSweep_Free(sweep);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

static kaiStatus stop_at_once(void* user, const double* lead, const kaiRow* row)
{
    (void)lead, (void)row;
    ++*(int*)user;
    return KAI_ERR_IO;
}

// A row that cannot be taken ends the sweep.
static void test_stopped_sweep(void** state)
{
    (void)state;
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions compile;
    kaiError error;
    int rows = 0;
    open_text(decay_text, &program, &model, &compile);
    kaiSweep* sweep = kaiSweep_Create(program, model, &compile, &error);
    kaiSweepOptions options = kaiDefaultSweepOptions();
    kaiSweepResult result;
    options.threads = 1;
    options.row = stop_at_once;
    options.user = &rows;
    assert_int_equal(kaiSweep_Run(sweep, &options, &result, &error), KAI_ERR_IO);
    assert_int_equal(rows, 1);
    assert_int_equal(result.output, KAI_ERR_IO);
    assert_true(result.handed_out < 8);
    kaiSweep_Free(sweep);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

typedef struct Text
{
    char at[200000];
    size_t size;
} Text;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Text* text = user;
    assert_true(text->size + size < sizeof text->at);
    memcpy(text->at + text->size, bytes, size);
    text->size += size;
    text->at[text->size] = 0;
    return KAI_OK;
}

// A pinned sweep is one run; the page has the figure, whose ids are its own.
static void test_report(void** state)
{
    (void)state;
    static Text picture, page, json;
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions compile;
    kaiError error;
    open_text(decay_text, &program, &model, &compile);
    kaiReportOptions options = kaiDefaultReportOptions();
    options.title = "how it <decays>";
    kaiReport* report = kaiReport_Create(program, model, &compile, &options, &error);
    assert_non_null(report);
    assert_int_equal(kaiReport_Status(report), KAI_END);
    assert_int_equal(kaiReport_SweepPoints(report), 8);
    kaiDiagramOptions diagram = kaiDefaultDiagramOptions();
    diagram.path = "memory.svg";
    diagram.sink = (kaiSink){keep, &picture};
    assert_int_equal(kaiProgram_Diagram(program, &compile, &diagram, &error), KAI_OK);
    assert_non_null(strstr(picture.at, "</svg>"));
    assert_int_equal(kaiReport_AddFigure(report, picture.at), KAI_OK);
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_HTML, &(kaiSink){keep, &page}), KAI_OK);
    assert_non_null(strstr(page.at, "<h1>how it &lt;decays&gt;</h1>"));
    assert_non_null(strstr(page.at, "the first of 8 runs of its sweep: n = 1, k = 1"));
    assert_non_null(strstr(page.at, "<figure><svg"));
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_JSON, &(kaiSink){keep, &json}), KAI_OK);
    assert_int_equal(json.at[0], '{');
    kaiReport_Free(report);
    kaiModel_Free(model);
    kaiProgram_Free(program);
    FILE* file = fopen("memory.svg", "r");
    assert_null(file);
}

// A result into memory is the bytes that a file would have.
static void test_result_in_memory(void** state)
{
    (void)state;
    static Text result;
    kaiColumn column = {.name = "x"};
    double value = 0.1;
    uint8_t present = 1;
    kaiRow row = {1.5, 0, 0, &value, &present};
    kaiCsvOptions options = kaiDefaultCsvOptions();
    options.sink = (kaiSink){keep, &result};
    kaiCsv* csv = kaiCsv_Open(&options, &column, 1, NULL);
    assert_int_equal(kaiCsv_Row(csv, &row), KAI_OK);
    assert_int_equal(kaiCsv_Close(csv, "stopped"), KAI_OK);
    assert_string_equal(result.at, "t,p,m,x\n1.5,0,0,0.1\n");
}

// x falls from 1/2 with the acceleration 1 and comes back with half of its speed: at the floor at t = 1, 2 and 2.5.
static const char ball_text[] = "model Ball {\n"
                                "  state x = 0.5, v = 0; discrete n = 0; event tick = clock(1)\n"
                                "  x' = v; v' = -1\n"
                                "  when down(x) { v := -0.5*v }\n"
                                "  when tick { n := n + 1 }\n"
                                "}\n"
                                "experiment e of Ball { stop = 2.6 }\n";

static void test_report_text(void** state)
{
    (void)state;
    static Text plain, json;
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions compile;
    kaiError error;
    open_text(ball_text, &program, &model, &compile);
    kaiReportOptions options = kaiDefaultReportOptions();
    options.estimate_accuracy = true;
    kaiReport* report = kaiReport_Create(program, model, &compile, &options, &error);
    assert_non_null(report);
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_TEXT, &(kaiSink){keep, &plain}), KAI_OK);
    assert_non_null(strstr(plain.at, "to locate 3 crossings"));
    assert_non_null(strstr(plain.at, "3  decay.kai:4  down(x)"));
    assert_non_null(strstr(plain.at, "3  decay.kai:2  clock"));  // at 0, 1 and 2
    assert_non_null(strstr(plain.at, "the times of all 3 crossings are the same"));
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_JSON, &(kaiSink){keep, &json}), KAI_OK);
    assert_non_null(strstr(json.at, "down(x)"));
    kaiReport_Free(report);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),       cmocka_unit_test(test_stopped_sweep),    cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_text), cmocka_unit_test(test_result_in_memory),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
