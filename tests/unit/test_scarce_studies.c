// Studies, sweeps, reports and everything of kairos/analysis.h with an allocator that gives nothing once: at the first
// call, the second, and so on; of doors with many calls about two hundred. No crash, nothing left behind, and a status
// that says so.
#include "kairos/analysis.h"
#include "kairos/kairos.h"
#include "unit/heap.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "model M { param k = 1, g = 9.81; input u = 0; state y = 1, v = 0; output h = y + u\n"
                           "  y' = v; v' = -k*y - 0.5*v + u; event top = down(v) }\n"
                           "experiment e of M { stop = 3; sweep k in (1, 2); expect final(y) ~ 0 within 3 }\n"
                           "model Decay { param p = 1; state x = 2; x' = -p*x }\n"
                           "experiment d of Decay { stop = 1 }\n"
                           "model Round { state a = 1, b = 0; a' = b; b' = -a + 0.1*(1 - a^2)*b }\n"
                           "experiment r of Round { stop = 20 }\n";

typedef struct Work
{
    kaiProgram* program;
    kaiModel* model;
    kaiCompileOptions which;
    kaiSimOptions sim;
    kaiError error;
} Work;

static kaiStatus none(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_OK;
}

static kaiStatus sweep(Work* w)
{
    kaiSweepOptions options = kaiDefaultSweepOptions();
    kaiSweepResult result;
    options.threads = 1;
    kaiSweep* s = kaiSweep_Create(w->program, w->model, &w->which, &w->error);
    kaiStatus status = s == NULL ? w->error.status : kaiSweep_Run(s, &options, &result, &w->error);
    if (status == KAI_OK && result.failed > 0)
        status = KAI_ERR_MEMORY;  // a point told it
    kaiSweep_Free(s);
    return status;
}

static kaiStatus study(Work* w)
{
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions();
    options.design = KAI_DESIGN_GRID;
    run.threads = 1;
    kaiStudy* s = kaiStudy_Create(w->model, &options, &w->error);
    kaiStatus status = s == NULL ? w->error.status : kaiStudy_Run(s, &run, &w->error);
    kaiStudy_Free(s);
    return status;
}

static kaiStatus report(Work* w)
{
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiSink sink = {none, NULL};
    options.estimate_accuracy = true;
    kaiReport* r = kaiReport_Create(w->program, w->model, &w->which, &options, &w->error);
    kaiStatus status = r == NULL ? w->error.status : KAI_OK;
    for (int f = KAI_REPORT_TEXT; f <= KAI_REPORT_HTML && status == KAI_OK; f++)
        status = kaiReport_Write(r, (kaiReportFormat)f, &sink);
    if (status == KAI_OK && kaiReport_Status(r) < 0)
        status = kaiReport_Status(r);
    kaiReport_Free(r);
    return status;
}

static kaiStatus linear(Work* w)
{
    kaiLinearOptions options = kaiDefaultLinearOptions();
    options.steady = true;
    kaiLinear* l = kaiLinear_Create(w->model, &w->sim, &options, &w->error);
    kaiStatus status = l == NULL ? w->error.status : KAI_OK;
    kaiLinear_Free(l);
    return status;
}

static kaiStatus sensitivity(Work* w)
{
    kaiSensitivityOptions options = kaiDefaultSensitivityOptions();
    int k = kaiModel_FindVariable(w->model, "k");
    options.variables = &k;
    options.variable_count = 1;
    kaiSensitivity* s = kaiSensitivity_Create(w->model, &w->sim, &options, &w->error);
    kaiStatus status = s == NULL ? w->error.status : kaiSensitivity_Run(s, &w->error);
    kaiSensitivity_Free(s);
    return status == KAI_END ? KAI_OK : status;
}

static kaiStatus orbit(Work* w)
{
    kaiOrbitOptions options = kaiDefaultOrbitOptions();
    options.period = 6.3;
    options.at = 15;
    kaiOrbitSearch* s = kaiOrbitSearch_Create(w->model, &w->sim, &options, &w->error);
    kaiStatus status = s == NULL ? w->error.status : KAI_OK;
    kaiOrbitSearch_Free(s);
    return status;
}

// x = 2 exp(-p t) with p = 1.
static kaiStatus fit(Work* w)
{
    kaiFitOptions options = kaiDefaultFitOptions();
    int p = kaiModel_FindVariable(w->model, "p"), x = kaiModel_FindVariable(w->model, "x");
    kaiMeasured data[] = {{x, 0, 0.25, 1.5576}, {x, 0, 0.5, 1.2131}, {x, 0, 0.75, 0.9447}, {x, 0, 1, 0.7358}};
    options.variables = &p;
    options.variable_count = 1;
    options.data = data;
    options.data_count = 4;
    kaiFit* f = kaiFit_Create(w->model, &w->sim, &options, &w->error);
    kaiStatus status = f == NULL ? w->error.status : KAI_OK;
    kaiFit_Free(f);
    return status;
}

static kaiStatus optimize(Work* w)
{
    kaiOptimizeOptions options = kaiDefaultOptimizeOptions();
    kaiOptimum best;
    options.variable = kaiModel_FindVariable(w->model, "p");
    options.measure = kaiModel_FindVariable(w->model, "x");
    options.low = 0;
    options.high = 2;
    options.within = 0.1;
    return kaiOptimize(w->model, &w->sim, &options, &best, &w->error);
}

static const struct
{
    const char *name, *experiment;
    kaiStatus (*open)(Work* work);
} doors[] = {
    {"sweep", "e", sweep},
    {"study", "e", study},
    {"report", "e", report},
    {"linear", "e", linear},
    {"sensitivity", "e", sensitivity},
    {"orbit", "r", orbit},
    {"fit", "d", fit},
    {"optimize", "d", optimize},
};

static char said[400];

static kaiStatus go_through(size_t door, Heap* heap)
{
    Work w = {.error = {0}};
    LoadOptions load = load_default();
    load.path = "text.kai";
    load.text = text;
    load.experiment = doors[door].experiment;
    load.allocator = (kaiAllocator){heap_alloc, heap};
    kaiStatus status = load_model(&load, &w.model, &w.program);
    if (status == KAI_OK)
    {
        w.which = load_compile(&load);
        w.sim = kaiModel_SimOptions(w.model);
        w.sim.allocator = load.allocator;
        status = doors[door].open(&w);
        snprintf(said, sizeof said, "%s", w.error.message != NULL ? w.error.message : "");
    }
    kaiModel_Free(w.model);
    kaiProgram_Free(w.program);
    return status;
}

static void test_doors(void** state)
{
    (void)state;
    for (size_t d = 0; d < sizeof doors / sizeof *doors; d++)
    {
        Heap all = {.fail_at = -1};
        kaiStatus status = go_through(d, &all);
        if (status != KAI_OK)
            fail_msg("%s: status %d", doors[d].name, status);
        assert_int_equal(all.live, 0);
        for (long n = 0; n < all.calls; n += n < 60 || n > all.calls - 60 ? 1 : 1 + all.calls / 120)
        {
            Heap heap = {.fail_at = n};
            status = go_through(d, &heap);
            if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_OK))
                fail_msg("%s: call %ld of %ld: status %d, %s, %ld bytes left", doors[d].name, n, all.calls, status,
                         said, heap.live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_doors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
