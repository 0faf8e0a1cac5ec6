// Studies where the C library itself has nothing left: what belongs to no model (spools, columns, reports, checkpoints)
// asks it directly. Every call that asks for memory, a file or a stream fails once. No crash, and a status that says
// so. The linker sends the calls here (tests/unit/CMakeLists.txt).
#include "unit/load_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
char* __real_strdup(const char* text);
FILE* __real_tmpfile(void);
FILE* __real_open_memstream(char** text, size_t* size);

static long calls, fail_at = -1;  // that of the calls that gets nothing

static bool fails(void)
{
    return calls++ == fail_at;
}

void* __wrap_malloc(size_t size);
void* __wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}
void* __wrap_realloc(void* block, size_t size);
void* __wrap_realloc(void* block, size_t size)
{
    return size > 0 && fails() ? NULL : __real_realloc(block, size);
}
char* __wrap_strdup(const char* text);
char* __wrap_strdup(const char* text)
{
    return fails() ? NULL : __real_strdup(text);
}
FILE* __wrap_tmpfile(void);
FILE* __wrap_tmpfile(void)
{
    return fails() ? NULL : __real_tmpfile();
}
FILE* __wrap_open_memstream(char** text, size_t* size);
FILE* __wrap_open_memstream(char** text, size_t* size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}

// ---- what is asked for

typedef struct Work
{
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions which;
    kaiError error;
    char path[60];
} Work;

static kaiStatus take_bytes(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_OK;
}

static kaiStatus take_row(void* user, const double* lead, const kaiRow* row)
{
    (void)user, (void)lead, (void)row;
    return KAI_OK;
}

static char said[300];

static void take_point(void* user, const kaiSweepPoint* point)
{
    if (point->status >= 0)
        return;
    *(kaiStatus*)user = point->status;
    snprintf(said, sizeof said, "%s", point->message);
}

static kaiStatus sweep(Work* w)
{
    kaiSweepOptions options = kaiDefaultSweepOptions();
    kaiSweepResult result;
    kaiStatus worst = KAI_OK;
    options.threads = 1;
    options.row = take_row;
    options.point = take_point;
    options.user = &worst;
    kaiSweep* s = kaiSweep_Create(w->program, w->model, &w->which, &w->error);
    kaiStatus status = s == NULL ? w->error.status : kaiSweep_Run(s, &options, &result, &w->error);
    kaiSweep_Free(s);
    return status == KAI_OK ? worst : status;
}

static bool every_run(void* user, int64_t run)
{
    return (void)user, run >= 0;
}

static kaiStatus take_trajectory(void* user, const kaiStudyRow* run, const kaiRow* row)
{
    (void)row;
    if (run->status < 0)
        *(kaiStatus*)user = run->status;
    return KAI_OK;
}

static kaiStatus study(Work* w)
{
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions();
    kaiStatus worst = KAI_OK;
    int k = kaiModel_FindVariable(w->model, "k");
    double values[] = {1, 2};
    options.design = KAI_DESIGN_LIST;
    options.variables = &k;
    options.variable_count = 1;
    options.values = values;
    options.value_runs = 2;
    run.threads = 1;
    run.wanted = every_run;
    run.trajectory = take_trajectory;
    run.user = &worst;
    kaiStudy* s = kaiStudy_Create(w->model, &options, &w->error);
    kaiStatus status = s == NULL ? w->error.status : kaiStudy_Run(s, &run, &w->error);
    kaiStudy_Free(s);
    return status == KAI_OK ? worst : status;
}

static kaiStatus report(Work* w)
{
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiSink sink = {take_bytes, NULL};
    kaiReport* r = kaiReport_Create(w->program, w->model, &w->which, &options, &w->error);
    kaiStatus status = r == NULL ? w->error.status : kaiReport_AddFigure(r, "<svg id=\"a\"/>");
    for (int f = KAI_REPORT_TEXT; f <= KAI_REPORT_HTML && status == KAI_OK; f++)
        status = kaiReport_Write(r, (kaiReportFormat)f, &sink);
    if (status == KAI_OK && kaiReport_Status(r) < 0)
        status = kaiReport_Status(r);
    kaiReport_Free(r);
    return status;
}

static kaiStatus checkpoint(Work* w)
{
    static const char* const words[] = {"run", "it"};
    kaiSimOptions options = kaiModel_SimOptions(w->model);
    kaiSim* sim = kaiSim_Create(w->model, &options, &w->error);
    if (sim == NULL)
        return w->error.status;
    kaiCheckpointParts parts = {words, 2, sim, NULL};
    kaiStatus status = kaiCheckpoint_Write(w->path, &parts, &w->error);
    kaiCheckpoint* read = status == KAI_OK ? kaiCheckpoint_Read(w->path, &w->error) : NULL;
    if (status == KAI_OK && read == NULL)
        status = w->error.status;
    if (status == KAI_OK)
        status = kaiCheckpoint_Restore(read, w->model, sim, &w->error);
    kaiCheckpoint_Free(read);
    kaiSim_Free(sim);
    return status;
}

static kaiStatus statistics(Work* w)
{
    (void)w;
    kaiStatus status = KAI_OK;
    kaiStatistics* s = kaiStatistics_Create(kaiDefaultAllocator());
    if (s == NULL)
        return KAI_ERR_MEMORY;
    for (int i = 0; i < 5000 && status == KAI_OK; i++)
        status = kaiStatistics_Add(s, i, i);
    kaiStatistics_Free(s);
    return status;
}

static const struct
{
    const char *name, *text;
    kaiStatus (*open)(Work* work);
} doors[] = {
    {"sweep",
     "model M { param n = 1, k = 1; state x[i in 1..n] [m] = 1; for i in 1..n { x[i]' = -k*x[i] }\n"
     "  event tick = clock(0.2); modes { initial mode a { on time > 0.5 -> b } mode b { } } }\n"
     "experiment e of M { stop = 1; sweep n in (1, 2); sweep k in (1, 2) }\n",
     sweep},
    {"study", "model M { param k = 1; state x = 1; x' = -k*x }\nexperiment e of M { stop = 1 }\n", study},
    {"report",
     "model M { state x = 1, v = 0; discrete n = 0; x' = v; v' = -9.81; event tick = clock(0.01)\n"
     "  when down(x) { v := -0.8*v }; when tick { n := n + 1 } }\nexperiment e of M { stop = 1 }\n",
     report},
    {"checkpoint", "model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1 }\n", checkpoint},
    {"statistics", "model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1 }\n", statistics},
};

static void open_work(Work* w, const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = "m.kai";
    options.text = text;
    w->which = kaiDefaultCompileOptions();
    w->which.experiment = "e";
    assert_int_equal(kaiProgram_Open(&options, &w->program, NULL), KAI_OK);
    assert_int_equal(kaiProgram_Compile(w->program, &w->which, &w->model), KAI_OK);
}

static void every_call_fails_once(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-unit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t d = 0; d < sizeof doors / sizeof *doors; d++)
    {
        Work w = {.program = NULL};
        snprintf(w.path, sizeof w.path, "%s/c", folder);
        open_work(&w, doors[d].text);
        calls = 0;
        assert_int_equal(doors[d].open(&w), KAI_OK);
        long all = calls;
        assert_true(all > 0);
        for (long n = 0; n < all; n += n < 200 ? 1 : 1 + all / 200)
        {
            calls = 0;
            fail_at = n;
            kaiStatus status = doors[d].open(&w);
            fail_at = -1;
            if (status != KAI_ERR_MEMORY && status != KAI_ERR_IO && status != KAI_OK)
                fail_msg("%s: call %ld of %ld: status %d, %s", doors[d].name, n, all, status, said);
        }
        assert_int_equal(doors[d].open(&w), KAI_OK);  // and nothing of it is left
        unlink(w.path);
        kaiModel_Free(w.model);
        kaiProgram_Free(w.program);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
