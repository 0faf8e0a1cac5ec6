// What a report says (kairos/study.h): runs that fail, slide along a surface, have islands, choices or fixed steps; the
// same in all three forms; figures whose names stay their own. And sweeps whose points are fixed, wrong or adjusted.
#include "unit/load_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Subject
{
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions which;
    char said[3][60000];
} Subject;

static void open_subject(Subject* s, const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = "a\t\"b\" & c.kai";
    options.text = text;
    s->which = kaiDefaultCompileOptions();
    s->which.experiment = "e";
    kaiProgram_Open(&options, &s->program, NULL);
    kaiStatus status = kaiProgram_Compile(s->program, &s->which, &s->model);
    for (int i = 0; status != KAI_OK && i < kaiProgram_MessageCount(s->program); i++)
        print_message("%s\n", kaiProgram_MessageText(s->program, i, false));
    assert_int_equal(status, KAI_OK);
}

static void close_subject(Subject* s)
{
    kaiModel_Free(s->model);
    kaiProgram_Free(s->program);
}

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    char* to = user;
    assert_true(size < 60000);
    memcpy(to, bytes, size);
    to[size] = 0;
    return KAI_OK;
}

static kaiReport* report_on(Subject* s, const kaiReportOptions* options)
{
    kaiError error = {0};
    kaiReport* report = kaiReport_Create(s->program, s->model, &s->which, options, &error);
    if (report == NULL)
        fail_msg("%s", error.message);
    for (int f = KAI_REPORT_TEXT; f <= KAI_REPORT_HTML; f++)
        assert_int_equal(kaiReport_Write(report, (kaiReportFormat)f, &(kaiSink){keep, s->said[f]}), KAI_OK);
    return report;
}

static void says(const Subject* s, kaiReportFormat format, const char* words)
{
    if (strstr(s->said[format], words) == NULL)
        fail_msg("there is no \"%s\" in\n%s", words, s->said[format]);
}

// x falls from 1 with rate 1; the assertion breaks at 1/2.
static void a_run_that_fails(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s, "model M { state x = 1; x' = -1; assert x > 0.5 \"x < \\\"half\\\"\" }\n"
                     "experiment e of M { stop = 1; max_step = 0.25 }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    assert_int_equal(kaiReport_Status(report), KAI_ERR_RUN);
    says(&s, KAI_REPORT_TEXT, ", max_step 0.25");
    says(&s, KAI_REPORT_HTML, "<p class=\"bad\">The run failed: ");
    says(&s, KAI_REPORT_HTML, "&quot;b&quot; &amp; c.kai");
    says(&s, KAI_REPORT_JSON, "a\\u0009\\\"b\\\" & c.kai");
    kaiReport_Free(report);
    close_subject(&s);
}

// x' = -sign(x) from 1/2 is on the surface x = 0 from t = 1/2 on.
static void a_run_along_a_surface(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s,
                 "model M { state x = 0.5\n"
                 "  modes { initial mode up { x' = -1; on x < 0 -> down_ } mode down_ { x' = 1; on x > 0 -> up } } }\n"
                 "experiment e of M { stop = 1; zeno = continue }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    double from = NAN, to = NAN;
    const char* text = NULL;
    kaiPlace place;
    assert_true(kaiSim_Slide(kaiReport_Sim(report), 0, &from, &to, &text, &place));
    assert_true(fabs(from - 0.5) < 1e-6);
    says(&s, KAI_REPORT_TEXT, "along surfaces: two fields, or a contact");
    says(&s, KAI_REPORT_TEXT, "to the end: ");
    says(&s, KAI_REPORT_JSON, "\"from\":0.5");
    kaiReport_Free(report);
    close_subject(&s);
}

static void stop_at(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)model;
    options->stop = *(const double*)user;
}

static void count(void* user, const kaiSim* sim)
{
    (void)user, (void)sim;
}

// A fixed step of the author, a longest instant, a time that the caller gives. The tick at 0 has its delay of no time
// as a second tag.
static void a_run_with_fixed_steps(void** state)
{
    (void)state;
    static Subject s;
    double stop = 0.75, t = NAN;
    static const volatile int go_on = 0;
    open_subject(&s, "model M { state x = 1; x' = -x; event tick = clock(0.5); event late = delay(tick, 0)\n"
                     "  discrete n = 0; when late { n := n + 1 } }\n"
                     "experiment e of M { stop = 2; solver = euler; step = 0.125 }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    options.adjust = stop_at;
    options.user = &stop;
    options.progress = count;
    options.interrupt = &go_on;
    kaiReport* report = report_on(&s, &options);
    says(&s, KAI_REPORT_TEXT, ", step 0.125");
    says(&s, KAI_REPORT_TEXT, "time       0 to 0.75");
    says(&s, KAI_REPORT_TEXT, " and step 0.0125");
    assert_true(kaiReport_LongestInstant(report, &t) >= 2);
    assert_true(t == 0 || t == 0.5);
    kaiReport_Free(report);
    close_subject(&s);
}

static void a_run_with_choices(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s, "model M { discrete n = 0; event tick = clock(1)\n"
                     "  choose { when tick { n := n + 1 } when tick { n := n + 2 } } }\n"
                     "experiment e of M { stop = 0.5; choice = all }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    says(&s, KAI_REPORT_TEXT, "choice     all: this is the branch that always takes the first alternative");
    kaiReport_Free(report);
    close_subject(&s);
}

// Euler's x is 0.25 at t = 1 with steps of 1/2, and 0.95^20 = 0.36 with a tenth of them: there the second run breaks.
static void a_second_run_that_fails(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s, "model M { state x = 1; x' = -x; assert time < 1 or x < 0.3 }\n"
                     "experiment e of M { stop = 1; solver = euler; step = 0.5 }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    assert_int_equal(kaiReport_Status(report), KAI_END);
    says(&s, KAI_REPORT_TEXT, "the second run did not reach the end: ");
    says(&s, KAI_REPORT_HTML, "it did not reach the end");
    kaiReport_Free(report);
    close_subject(&s);
}

// More islands than a page should have.
static void a_run_with_many_islands(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s, "model P { param w = 1; state x = 1, v = 0; x' = v; v' = -w*x }\n"
                     "model M { p : P[i in 1..40](w = i) }\n"
                     "experiment e of M { stop = 0.1; islands = auto }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    says(&s, KAI_REPORT_TEXT, "islands: parts with a solver of their own");
    says(&s, KAI_REPORT_TEXT, " more\n");
    kaiReport_Free(report);
    close_subject(&s);
}

// Two figures with the same names inside get names of their own; what is no figure is refused, and the fifth.
static void figures_keep_their_names(void** state)
{
    (void)state;
    static Subject s;
    open_subject(&s, "model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1 }\n");
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiReport* report = report_on(&s, &options);
    static const char figure[] = "<?xml?><svg><clipPath id=\"c\"/><g clip-path=\"url(#c)\"/></svg>";
    for (int i = 0; i < 4; i++)
        assert_int_equal(kaiReport_AddFigure(report, figure), KAI_OK);
    assert_int_equal(kaiReport_AddFigure(report, figure), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_AddFigure(report, "no figure"), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_HTML, &(kaiSink){keep, s.said[2]}), KAI_OK);
    says(&s, KAI_REPORT_HTML, "<svg><clipPath id=\"f1-c\"/><g clip-path=\"url(#f1-c)\"/></svg>");
    says(&s, KAI_REPORT_HTML, "<svg><clipPath id=\"f4-c\"/><g clip-path=\"url(#f4-c)\"/></svg>");
    kaiReport_Free(report);
    close_subject(&s);
}

// ---- points of sweeps

typedef struct Points
{
    int count, failed;
    char message[400];
    double reached;
} Points;

static void on_point(void* user, const kaiSweepPoint* point)
{
    Points* p = user;
    p->count++;
    p->failed += point->status < 0;
    p->reached = point->reached;
    if (point->status < 0)
        snprintf(p->message, sizeof p->message, "%s", point->message);
}

static kaiStatus take_row(void* user, const double* lead, const kaiRow* row)
{
    (void)user, (void)lead, (void)row;
    return KAI_OK;
}

static kaiStatus run_sweep(Subject* s, kaiSweepOptions options, Points* points, kaiSweepResult* result)
{
    kaiError error = {0};
    kaiSweep* sweep = kaiSweep_Create(s->program, s->model, &s->which, &error);
    if (sweep == NULL)
        fail_msg("%s", error.message);
    *points = (Points){0};
    options.row = take_row;
    options.point = on_point;
    options.user = points;
    kaiStatus status = kaiSweep_Run(sweep, &options, result, &error);
    kaiSweep_Free(sweep);
    return status;
}

static void stop_at_half(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)user, (void)model;
    options->stop = 0.5;
}

static void break_solver(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)user, (void)model;
    options->solver = "none";
}

static void points_may_be_fixed_or_adjusted(void** state)
{
    (void)state;
    static Subject s;
    Points points;
    kaiSweepResult result;
    kaiSweepOptions options = kaiDefaultSweepOptions();
    open_subject(&s, "model M { param a = 1, b = 1; state x = a; x' = -b }\n"
                     "experiment e of M { stop = 1; sweep a in (1, 2, 3); sweep b in (1, 2) }\n");
    options.adjust = stop_at_half;
    assert_int_equal(run_sweep(&s, options, &points, &result), KAI_OK);
    assert_int_equal(result.complete, 6);
    assert_true(points.reached == 0.5);
    const kaiOverride fixed = {"a", 2};
    s.which.overrides = &fixed;  // what the caller gives is not swept
    s.which.override_count = 1;
    kaiModel_Free(s.model);
    assert_int_equal(kaiProgram_Compile(s.program, &s.which, &s.model), KAI_OK);
    assert_int_equal(run_sweep(&s, options, &points, &result), KAI_OK);
    assert_int_equal(result.points, 2);
    options.adjust = break_solver;
    assert_int_equal(run_sweep(&s, options, &points, &result), KAI_ERR_USAGE);
    s.which.override_count = 0;
    close_subject(&s);
}

// A structure that cannot be: its point fails with the first error of the compiler, the others are complete.
static void a_point_without_a_model(void** state)
{
    (void)state;
    static Subject s;
    Points points;
    kaiSweepResult result;
    kaiSweepOptions options = kaiDefaultSweepOptions();
    open_subject(&s, "model M { param n = 1; state x[i in 1..n] = 1; for i in 1..n { x[i]' = -x[i] }\n"
                     "  signal first = x[2 - n] }\n"
                     "experiment e of M { stop = 1; sweep n in (1, 2) }\n");
    assert_int_equal(run_sweep(&s, options, &points, &result), KAI_OK);
    assert_int_equal(result.complete, 1);
    assert_int_equal(points.failed, 1);
    assert_non_null(strstr(points.message, "c.kai:2:"));
    close_subject(&s);
}

// Columns of all points together: modes with their names, units, events; a variable that only one of them has.
static kaiStatus on_begin(void* user, const kaiColumn* columns, int count, const char* const* names, int lead_count)
{
    (void)user, (void)names;
    assert_int_equal(lead_count, 2);
    bool mode = false, unit = false, late = false;
    for (int i = 0; i < count; i++)
    {
        mode |= columns[i].kind == KAI_COLUMN_MODE && strcmp(columns[i].mode_names[1], "off") == 0;
        unit |= columns[i].unit != NULL && strcmp(columns[i].unit, "km") == 0;
        late |= strcmp(columns[i].name, "x[2]") == 0;
    }
    assert_true(mode && unit && late);
    return KAI_OK;
}

static void columns_of_all_points(void** state)
{
    (void)state;
    static Subject s;
    Points points;
    kaiSweepResult result;
    kaiSweepOptions options = kaiDefaultSweepOptions();
    options.begin = on_begin;
    open_subject(&s, "model M { param n = 1; state x[i in 1..n] [km] = 1; for i in 1..n { x[i]' = -x[i]/1[s] }\n"
                     "  event tick = clock(0.3)\n"
                     "  modes { initial mode on_ { on time > 0.5 -> off } mode off { } } }\n"
                     "experiment e of M { stop = 1; sweep n in (1, 2) }\n");
    assert_int_equal(run_sweep(&s, options, &points, &result), KAI_OK);
    assert_int_equal(result.complete, 2);
    close_subject(&s);
}

// A checkpoint with the mark of a result: that is where it goes on.
static void a_checkpoint_with_a_result(void** state)
{
    (void)state;
    static Subject s;
    char folder[] = "/tmp/kairos-unit-XXXXXX", path[60], table[60], far[5000];
    kaiError error = {0};
    size_t size = 0;
    open_subject(&s, "model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1 }\n");
    kaiSimOptions options = kaiModel_SimOptions(s.model);
    kaiSim* sim = kaiSim_Create(s.model, &options, NULL);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c", folder);
    snprintf(table, sizeof table, "%s/t.csv", folder);
    kaiCsvOptions csv = kaiDefaultCsvOptions();
    csv.path = table;
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiCsv* result = kaiCsv_Open(&csv, columns, count, &error);
    assert_non_null(result);
    kaiCheckpointParts parts = {NULL, 0, sim, result};
    assert_int_equal(kaiCheckpoint_Write(path, &parts, &error), KAI_OK);
    kaiCheckpoint* read = kaiCheckpoint_Read(path, &error);
    assert_non_null(kaiCheckpoint_Mark(read, &size));
    assert_true(size > 0);
    assert_int_equal(kaiCheckpoint_WordCount(read), 0);
    kaiCheckpoint_Free(read);
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = 0;
    assert_int_equal(kaiCheckpoint_Write(far, &parts, &error), KAI_ERR_IO);
    assert_int_equal(kaiCheckpoint_Write(folder, &parts, &error), KAI_ERR_IO);  // a folder stays what it is
    assert_int_equal(access(folder, X_OK), 0);
    assert_int_equal(kaiCsv_Close(result, NULL), KAI_OK);
    kaiSim_Free(sim);
    unlink(path);
    unlink(table);
    rmdir(folder);
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_fails),           cmocka_unit_test(a_run_along_a_surface),
        cmocka_unit_test(a_run_with_fixed_steps),     cmocka_unit_test(a_run_with_choices),
        cmocka_unit_test(a_second_run_that_fails),    cmocka_unit_test(a_run_with_many_islands),
        cmocka_unit_test(figures_keep_their_names),   cmocka_unit_test(points_may_be_fixed_or_adjusted),
        cmocka_unit_test(a_point_without_a_model),    cmocka_unit_test(columns_of_all_points),
        cmocka_unit_test(a_checkpoint_with_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
