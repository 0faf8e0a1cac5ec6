// Runs of what ten examples do not have (Taylor series and their fields, delays with a past, surfaces that are slid
// along, events that accumulate, islands), each to a snapshot, through bytes, and on from it, and results that are
// compared: with an allocator that gives nothing once, at every call. No crash, nothing left behind, and a status that
// says so. The model is compiled once, so that every allocation of the run is tried.
#include "kairos/compare.h"
#include "kairos/kairos.h"
#include "unit/heap.h"
#include "unit/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct
{
    const char *name, *solver, *text;
} runs[] = {
    {"bounces by Taylor series", "taylor",
     "model M { state y = 1, v = 0; y' = v; v' = -9.81 - 0.1*v; when down(y) { v := -0.9*v } }\n"
     "experiment e of M { stop = 2 }\n"},
    {"a field that is no polynomial", "taylor",
     "model M { state x = 1, y = 0; x' = y*cos(x); y' = -sin(x)/(1 + y^2); event e = up(y) }\n"
     "experiment e of M { stop = 5 }\n"},
    {"delays with a past", "rk45",
     "model M { state x = 1; x' = -delay(x, 0.3 + 0.1*sin(time), cos(3*time)); event e = clock(0.2), d = delay(e, "
     "0.35)\n"
     "  discrete n = 0; when d { n := n + 1 } signal s = delay(n, 0.1) }\nexperiment e of M { stop = 3 }\n"},
    {"two surfaces that are slid along", "rk45",
     "model M { state x = 0.3, y = 0.2; x' = if x > 0 then -1 else 1; y' = if y > 0 then -2 + 0.1*x else 2 }\n"
     "experiment e of M { stop = 2; zeno = slide }\n"},
    {"bounces without end", "rk45",
     "model M { state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.5*v } }\n"
     "experiment e of M { stop = 3; zeno = continue }\n"},
    {"islands of several methods", "auto",
     "model A { state x = 1, v = 0; x' = v; v' = -100*x; event e = up(x) }\n"
     "model B { state x = 1; x' = -1000*(x - cos(time)) }\nmodel M { a : island A; b : island B }\n"
     "experiment e of M { stop = 1 }\n"},
};

enum
{
    COUNT = sizeof runs / sizeof *runs
};

typedef struct Bytes
{
    char at[1 << 20];
    size_t size;
} Bytes;

static Bytes kept;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Bytes* b = user;
    if (b->size + size > sizeof b->at)
        return KAI_ERR_IO;
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    return KAI_OK;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    (void)row;
    ++*(int*)user;
    return KAI_OK;
}

static kaiSim* make(const kaiModel* model, const char* solver, Heap* heap, int* rows)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = solver;
    options.allocator = (kaiAllocator){heap_alloc, heap};
    options.row = on_row;
    options.row_user = rows;
    options.limits = (kaiLimits){.rows = 2000, .tags = 2000};
    return kaiSim_Create(model, &options, NULL);
}

// Half of the run, its state through bytes into another sim, and on from there.
static kaiStatus go_through(const kaiModel* model, const char* solver, Heap* heap)
{
    int rows = 0;
    kaiSim *first = make(model, solver, heap, &rows), *second = NULL;
    kaiStatus status = first != NULL ? kaiSim_StepTo(first, 0.9) : KAI_ERR_MEMORY;
    while (status == KAI_INSTANT)
        status = kaiSim_StepTo(first, 0.9);
    kaiSnapshot* saved = status >= 0 ? kaiSim_Save(first) : NULL;
    kept.size = 0;
    if (status >= 0)
        status = saved != NULL ? kaiSnapshot_Write(saved, &(kaiSink){keep, &kept}) : KAI_ERR_MEMORY;
    kaiSnapshot* read = status == KAI_OK ? kaiSnapshot_Read(model, kept.at, kept.size, NULL) : NULL;
    if (status == KAI_OK)
        second = make(model, solver, heap, &rows);
    if (status == KAI_OK)
        status = second != NULL ? kaiSim_Restore(second, read) : KAI_ERR_MEMORY;
    if (status == KAI_OK)
        status = kaiSim_Run(second);
    kaiSnapshot_Free(read);
    kaiSnapshot_Free(saved);
    kaiSim_Free(first);
    kaiSim_Free(second);
    return status == KAI_END ? KAI_OK : status;
}

static void test_runs(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
    {
        LoadOptions load = load_default();
        kaiProgram* program = NULL;
        kaiModel* model = NULL;
        load.path = "text.kai";
        load.text = runs[i].text;
        load.experiment = "e";
        if (load_model(&load, &model, &program) != KAI_OK)
            fail_msg("%s: %s", runs[i].name, kaiProgram_Message(program, 0)->message);
        Heap heap = {.fail_at = -1};
        kaiStatus status = go_through(model, runs[i].solver, &heap);
        if (status != KAI_OK || heap.live != 0)
            fail_msg("%s: status %d, %ld bytes left", runs[i].name, status, heap.live);
        long calls = heap.calls;
        assert_true(calls > 20);
        for (long n = 0; n < calls; n++)
        {
            heap = (Heap){.fail_at = n};
            status = go_through(model, runs[i].solver, &heap);
            if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_OK))
                fail_msg("%s: call %ld of %ld: status %d, %ld bytes left", runs[i].name, n, calls, status, heap.live);
        }
        kaiModel_Free(model);
        kaiProgram_Free(program);
    }
}

static void write_result(const char* path)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("run,t,p,m,x [m],mode,e\n", file);
    for (int i = 0; i < 400; i++)
        fprintf(file, "%d,%d,0,0,%g,%s,%s\n", 1 + i / 200, i % 200, 0.1 * i, i % 40 < 20 ? "a" : "b",
                i % 7 == 0 ? "1" : "");
    assert_int_equal(fclose(file), 0);
}

static void test_compare(void** state)
{
    (void)state;
    char path[] = "/tmp/kairos-scarce-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && close(descriptor) == 0);
    write_result(path);
    Heap heap = {.fail_at = -1};
    for (long n = -1, calls = 0; n < calls; n++)
    {
        heap = (Heap){.fail_at = n};
        kaiCompareOptions options = kaiDefaultCompareOptions();
        kaiComparison comparison;
        kaiError error = {0};
        options.allocator = (kaiAllocator){heap_alloc, &heap};
        kaiStatus status = kaiResult_Compare(path, path, &options, &comparison, &error);
        assert_int_equal(status, n < 0 ? KAI_OK : KAI_ERR_MEMORY);
        assert_int_equal(heap.live, 0);
        assert_true(n < 0 || strcmp(error.message, "out of memory") == 0);
        calls = n < 0 ? heap.calls : calls;
    }
    kaiCompareOptions options = kaiDefaultCompareOptions();
    kaiComparison comparison;
    kaiError error = {0};
    options.limits.memory = 1 << 18;  // less than one reader holds
    assert_int_equal(kaiResult_Compare(path, path, &options, &comparison, &error), KAI_ERR_LIMIT);
    assert_non_null(strstr(error.message, "the comparison"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
