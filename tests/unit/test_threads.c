// Many threads, one model: sims that run, are saved, restored and interrupted at the same time give the rows of one
// alone; programs are opened and compiled beside them. Written for ThreadSanitizer (make threads), and true without it.
#include "kairos/kairos.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum
{
    THREADS = 8
};

static const char text[] = "model M { param k = 1; state x = 1, v = 0; x' = v; v' = -k*x; discrete n = 0\n"
                           "  event e = clock(0.3), d = delay(e, 0.1); signal h = delay(x, 0.2)\n"
                           "  when down(x) { n := n + 1; v := v*0.9 } when d { n := n + uniform(0, 1) }\n"
                           "  modes { initial mode a { on n > 2 -> b } mode b { on n > 9 -> a { n := 0 } } } }\n"
                           "experiment e of M { stop = 30; expect final(n) >= 0 }\n"
                           "experiment s of M { stop = 10; sweep k in (1, 2, 3, 4, 5, 6) }\n";

static kaiModel* compile(const char* experiment)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions compile_options = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    options.path = "m.kai";
    options.text = text;
    compile_options.experiment = experiment;
    if (kaiProgram_Open(&options, &program, NULL) == KAI_OK)
        kaiProgram_Compile(program, &compile_options, &model);
    kaiProgram_Free(program);
    return model;
}

static kaiStatus add_row(void* user, const kaiRow* row)
{
    uint64_t* hash = user;
    uint64_t bits;
    memcpy(&bits, &row->t, sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
    memcpy(&bits, &row->values[0], sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
    return KAI_OK;
}

// A run that goes through a snapshot in the middle, to its end: the hash of its rows.
static uint64_t run_whole(const kaiModel* model)
{
    uint64_t hash = 14695981039346656037u;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = add_row;
    options.row_user = &hash;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    kaiStatus status = KAI_INSTANT;
    while (status == KAI_INSTANT && kaiSim_Now(sim).t < 10)
        status = kaiSim_Step(sim);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    kaiSim* other = kaiSim_Create(model, &options, NULL);
    if (kaiSim_Restore(other, snapshot) != KAI_OK || kaiSim_Run(other) != KAI_END)
        hash = 0;
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    kaiSim_Free(other);
    return hash;
}

typedef struct Worker
{
    const kaiModel* model;
    volatile int* flag;
    uint64_t hash;
    kaiStatus status;
} Worker;

static void* work(void* user)
{
    Worker* w = user;
    w->hash = run_whole(w->model);
    kaiModel_Free(compile("e"));
    return NULL;
}

static void many_sims_of_one_model(void** state)
{
    (void)state;
    kaiModel* model = compile("e");
    pthread_t threads[THREADS];
    Worker workers[THREADS];
    uint64_t alone = run_whole(model);
    assert_true(alone != 0);
    for (int i = 0; i < THREADS; i++)
    {
        workers[i] = (Worker){.model = model};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
    {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].hash == alone);
    }
    kaiModel_Free(model);
}

// Until somebody else says so.
static void* work_on(void* user)
{
    Worker* w = user;
    kaiSimOptions options = kaiModel_SimOptions(w->model);
    options.stop = 1e9;
    options.interrupt = w->flag;
    kaiSim* sim = kaiSim_Create(w->model, &options, NULL);
    w->status = kaiSim_Run(sim);
    kaiSim_Free(sim);
    return NULL;
}

static void interrupts_from_another_thread(void** state)
{
    (void)state;
    kaiModel* model = compile("e");
    pthread_t threads[THREADS];
    Worker workers[THREADS];
    volatile int flag = 0;
    for (int i = 0; i < THREADS; i++)
    {
        workers[i] = (Worker){.model = model, .flag = &flag};
        assert_int_equal(pthread_create(&threads[i], NULL, work_on, &workers[i]), 0);
    }
    run_whole(model);
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
    {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].status, KAI_INTERRUPTED);
    }
    kaiModel_Free(model);
}

static kaiStatus sum_row(void* user, const double* lead, const kaiRow* row)
{
    (void)lead;
    return add_row(user, row);
}

// The rows of a sweep do not depend on who made them.
static void sweeps_in_any_number_of_threads(void** state)
{
    (void)state;
    kaiModel* model = compile("s");
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiProgram* program;
    kaiError error;
    source.path = "m.kai";
    source.text = text;
    options.experiment = "s";
    assert_int_equal(kaiProgram_Open(&source, &program, &error), KAI_OK);
    uint64_t hashes[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++)
    {
        kaiSweep* sweep = kaiSweep_Create(program, model, &options, &error);
        kaiSweepOptions run = kaiDefaultSweepOptions();
        kaiSweepResult result;
        run.threads = 1 + 3 * i;
        run.row = sum_row;
        run.user = &hashes[i];
        assert_int_equal(kaiSweep_Run(sweep, &run, &result, &error), KAI_OK);
        assert_int_equal(result.complete, 6);
        kaiSweep_Free(sweep);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    kaiProgram_Free(program);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sims_of_one_model),
        cmocka_unit_test(interrupts_from_another_thread),
        cmocka_unit_test(sweeps_in_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
