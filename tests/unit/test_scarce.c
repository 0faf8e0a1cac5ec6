// Everything that is done with ten examples (load, check, compile, run, result, figure, proof, diagram, export), with
// an allocator that gives nothing once: at the first call, the second, and so on, every one of them. No crash, nothing
// left behind, and a status that says so.
#include "kairos/kairos.h"
#include "unit/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kaiStatus ignore(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_OK;
}

typedef struct Work
{
    const char* path;
    kaiAllocator allocator;
    kaiProgram* program;
    kaiCompileOptions compile;
    kaiModel* model;
} Work;

// ---- doors: each gives a status

static kaiStatus compile(Work* w)
{
    return kaiProgram_Compile(w->program, &w->compile, &w->model);
}

static kaiStatus check(Work* w)
{
    return kaiProgram_Check(w->program);
}

// A short run; `row` gets its rows.
static kaiStatus run(Work* w, kaiRowFn* row, void* user, kaiSim** sim)
{
    kaiSimOptions options = kaiModel_SimOptions(w->model);
    kaiError error;
    options.allocator = w->allocator;
    options.row = row;
    options.row_user = user;
    options.limits = (kaiLimits){.rows = 300, .tags = 300};
    if (*sim == NULL && (*sim = kaiSim_Create(w->model, &options, &error)) == NULL)
        return error.status;
    kaiStatus status;
    kaiExploration found;
    if (strcmp(options.choice, "all") == 0)
        status = kaiSim_Explore(w->model, *sim, &(kaiExploreEvents){NULL, NULL, NULL}, &found);
    else
        status = kaiSim_Run(*sim);
    return status == KAI_ERR_MEMORY ? status : KAI_OK;  // how it ends otherwise is told by other tests
}

static kaiStatus result(Work* w)
{
    kaiStatus status = compile(w);
    kaiSim* sim = NULL;
    if (status == KAI_OK)
        status = run(w, NULL, NULL, &sim);
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiCsvOptions options = kaiDefaultCsvOptions();
    kaiError error = {0};
    options.sink.write = ignore;
    options.allocator = w->allocator;
    kaiCsv* csv = status == KAI_OK ? kaiCsv_Open(&options, columns, count, &error) : NULL;
    if (status == KAI_OK && csv == NULL)
        status = error.status;
    if (csv != NULL)
        kaiCsv_Close(csv, NULL);
    kaiSim_Free(sim);
    return status;
}

typedef struct Picture
{
    kaiFigure* figure;
} Picture;

static kaiStatus draw_row(void* user, const kaiRow* row)
{
    Picture* p = user;
    return p->figure != NULL ? kaiFigure_Row(p->figure, row) : KAI_OK;
}

static kaiStatus figure(Work* w)
{
    kaiStatus status = compile(w);
    if (status != KAI_OK)
        return status;
    Picture picture = {NULL};
    kaiError error = {0};
    kaiSimOptions options = kaiModel_SimOptions(w->model);
    options.allocator = w->allocator;
    options.limits = (kaiLimits){.rows = 300, .tags = 300};
    options.row = draw_row;
    options.row_user = &picture;
    options.choice = "first";
    kaiSim* sim = kaiSim_Create(w->model, &options, &error);
    int count = 0;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiFigureOptions figure_options = kaiDefaultFigureOptions();
    figure_options.path = "x.svg";
    figure_options.sink.write = ignore;
    figure_options.allocator = w->allocator;
    const char* const names[] = {count > 0 ? columns[0].name : ""};
    kaiPanel panel = {names, 1, NULL};
    if (sim != NULL && count > 0)
        picture.figure = kaiFigure_Create(&figure_options, columns, count, &panel, 1, &error);
    status = sim == NULL || picture.figure == NULL ? error.status : kaiSim_Run(sim);
    if (status != KAI_ERR_MEMORY && picture.figure != NULL)
        status = kaiFigure_Draw(picture.figure, &error);
    kaiFigure_Free(picture.figure);
    kaiSim_Free(sim);
    return status == KAI_ERR_MEMORY ? status : KAI_OK;
}

static kaiStatus proof(Work* w)
{
    kaiProveOptions options = kaiDefaultProveOptions();
    kaiProof* made = NULL;
    options.timeout = 0.05;
    kaiStatus status = kaiProgram_Prove(w->program, &w->compile, &options, &made);
    kaiProof_Free(made);
    return status == KAI_ERR_MEMORY ? status : KAI_OK;
}

static kaiStatus diagram(Work* w)
{
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    kaiError error;
    options.path = "x.svg";
    options.sink.write = ignore;
    kaiStatus status = kaiProgram_Diagram(w->program, &w->compile, &options, &error);
    return status == KAI_ERR_MEMORY ? status : KAI_OK;
}

static kaiStatus export(Work* w)
{
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiError error;
    options.sink.write = ignore;
    source.path = w->path;
    source.allocator = w->allocator;
    kaiStatus status = kaiFmu_Export(&source, &w->compile, &options, &error);
    return status == KAI_ERR_MEMORY ? status : KAI_OK;
}

typedef kaiStatus Door(Work* work);
typedef struct NamedDoor
{
    const char* name;
    Door* open;
} NamedDoor;
static const NamedDoor doors[] = {{"check", check},   {"compile", compile}, {"run and result", result},
                                  {"figure", figure}, {"proof", proof},     {"diagram", diagram},
                                  {"export", export}};

// ---- the sweep

static kaiStatus go_through(const char* path, Door* door, Heap* heap)
{
    Work w = {.path = path, .allocator = {heap_alloc, heap}, .compile = kaiDefaultCompileOptions()};
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiExperiment first;
    options.path = path;
    options.allocator = w.allocator;
    kaiStatus status = kaiProgram_Open(&options, &w.program, NULL);
    if (status == KAI_OK && kaiProgram_Experiment(w.program, 0, &first))
        w.compile.experiment = first.name;
    if (status == KAI_OK)
        status = door(&w);
    kaiModel_Free(w.model);
    kaiProgram_Free(w.program);
    return status;
}

static void sweep(const char* path, const NamedDoor* door)
{
    Heap heap = {.fail_at = -1};
    assert_int_equal(go_through(path, door->open, &heap), KAI_OK);
    assert_int_equal(heap.live, 0);
    long calls = heap.calls;
    for (long n = 0; n < calls; n++)
    {
        heap = (Heap){.fail_at = n};
        kaiStatus status = go_through(path, door->open, &heap);
        if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_OK))
            print_message("%s, %s: call %ld of %ld: status %d, %ld bytes left\n", path, door->name, n, calls, status,
                          heap.live);
        assert_int_equal(heap.live, 0);
        // Who can do without (a cache, a replay that confirms) may; nobody reports anything else.
        assert_true(status == KAI_ERR_MEMORY || status == KAI_OK);
    }
}

static void ten_examples(void** state)
{
    (void)state;
    static const char* const names[] = {"ball",       "billiard", "boost",          "cradle",         "clutch",
                                        "sampled-pi", "queue",    "impulsive-ball", "two-capacitors", "mixed-signals"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof doors / sizeof *doors; k++)
        {
            char path[200];
            snprintf(path, sizeof path, "examples/%s/model.kai", names[i]);
            sweep(path, &doors[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
