// Every example, stopped at a random instant: model and snapshot go into a file, a new process reads them and runs on,
// and its rows are those of the run that was never stopped, bit for bit. One moment of a sample of the examples in a
// test; KAIROS_RESTORES=n takes n moments of every experiment.
#include "base/hash.h"
#include "load_fixture.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    TAGS = 4000,  // of a run
    ROWS = 20000
};

typedef struct Trace
{
    uint64_t hash;
    int64_t rows;
    int columns;
} Trace;

static uint64_t chance = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % below;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Trace* trace = user;
    trace->hash = hash_bytes(trace->hash, row->values, sizeof(double) * (size_t)trace->columns);
    trace->hash = hash_bytes(trace->hash, row->present, sizeof(bool) * (size_t)trace->columns);
    trace->hash = hash_bytes(trace->hash, &row->t, sizeof row->t);
    trace->hash = hash_bytes(trace->hash, &row->p, sizeof row->p);
    trace->hash = hash_bytes(trace->hash, &row->m, sizeof row->m);
    trace->rows++;
    return KAI_OK;
}

static kaiSim* start(const kaiModel* model, Trace* trace)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = on_row;
    options.row_user = trace;
    *trace = (Trace){.hash = HASH_START};
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    if (sim != NULL)
        kaiSim_Columns(sim, &trace->columns);
    return sim;
}

// Until it has made that many rows, or has ended.
static void run_on(kaiSim* sim, Trace* trace, int64_t rows)
{
    while (trace->rows < rows && kaiSim_Step(sim) == KAI_INSTANT)
        ;
}

static kaiStatus put(void* user, const char* bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? KAI_OK : KAI_ERR_IO;
}

// ---- the new process: FILE SIZE-OF-THE-MODEL ROWS → the hash

static int go_on(const char* path, size_t model_size, int64_t rows)
{
    enum
    {
        LARGEST = 1 << 26
    };
    char* bytes = malloc(LARGEST);
    FILE* file = fopen(path, "rb");
    size_t size = file != NULL && bytes != NULL ? fread(bytes, 1, LARGEST, file) : 0;
    kaiModel* model = NULL;
    kaiError error = {0};
    Trace trace;
    if (size <= model_size || kaiModel_LoadSaved(bytes, model_size, false, &model, &error) != KAI_OK)
        return printf("%s\n", error.message != NULL ? error.message : "cut off"), 1;
    kaiSnapshot* snapshot = kaiSnapshot_Read(model, bytes + model_size, size - model_size, &error);
    kaiSim* sim = start(model, &trace);
    if (snapshot == NULL || sim == NULL || kaiSim_Restore(sim, snapshot) != KAI_OK)
        return printf("%s\n", error.message != NULL ? error.message : "not restored"), 1;
    run_on(sim, &trace, rows);
    printf("%016llx %lld\n", (unsigned long long)trace.hash, (long long)trace.rows);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    fclose(file);
    free(bytes);
    return 0;
}

// ---- the old one

static void ask_new_process(const char* path, long model_size, const Trace* rest, const char* what)
{
    char command[300], size[50], said[300] = "", wanted[100];
    char self[200] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(size, sizeof size, "%ld %lld", model_size, (long long)rest->rows);
    snprintf(command, sizeof command, "%s %s %s", self, path, size);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(fgets(said, sizeof said, pipe) != NULL || rest->rows == 0);
    pclose(pipe);
    snprintf(wanted, sizeof wanted, "%016llx %lld\n", (unsigned long long)rest->hash, (long long)rest->rows);
    if (strcmp(said, wanted) != 0)
        fail_msg("%s: %s instead of %s", what, said, wanted);
}

// To a random instant, into a file, and on here; the rest must be the same there. False: it cannot be saved.
static bool stop_once(const kaiModel* model, int64_t instants, const char* what)
{
    Trace trace;
    char path[] = "/tmp/kairos-restored-XXXXXX";
    kaiSim* sim = start(model, &trace);
    int64_t moment = (int64_t)draw((uint64_t)instants);
    for (int64_t i = 0; i < moment; i++)
        if (kaiSim_Step(sim) != KAI_INSTANT)
            break;
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    int descriptor = mkstemp(path);
    FILE* file = fdopen(descriptor, "wb");
    assert_true(snapshot != NULL && file != NULL);
    assert_int_equal(kaiModel_Save(model, &(kaiSink){put, file}), KAI_OK);
    long size = ftell(file);
    assert_int_equal(kaiSnapshot_Write(snapshot, &(kaiSink){put, file}), KAI_OK);
    assert_int_equal(fclose(file), 0);
    trace.hash = HASH_START;
    trace.rows = 0;
    run_on(sim, &trace, ROWS);
    ask_new_process(path, size, &trace, what);
    remove(path);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    return true;
}

static int64_t count_instants(const kaiModel* model)
{
    Trace trace;
    kaiSim* sim = start(model, &trace);
    int64_t instants = 0;
    while (sim != NULL && instants < TAGS && trace.rows < ROWS && kaiSim_Step(sim) == KAI_INSTANT)
        instants++;
    kaiSim_Free(sim);
    return instants;
}

static int try_experiment(kaiProgram* program, const char* path, const char* experiment, int moments)
{
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    char what[300];
    int done = 0;
    options.experiment = experiment;
    snprintf(what, sizeof what, "%s, %s", path, experiment);
    if (kaiProgram_Compile(program, &options, &model) != KAI_OK)
        return 0;
    int64_t instants = count_instants(model);
    for (int i = 0; i < moments && instants > 0; i++)
        done += stop_once(model, instants, what);
    kaiModel_Free(model);
    return done;
}

static void test_examples(void** state)
{
    (void)state;
    const char* wanted = getenv("KAIROS_RESTORES");
    int moments = wanted != NULL ? atoi(wanted) : 1, done = 0;
    size_t step = wanted != NULL ? 1 : 9;
    const char* which = getenv("KAIROS_RESTORES_OF");
    glob_t found;
    assert_int_equal(glob(which != NULL ? which : "examples/*/model.kai", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += step)
    {
        LoadOptions load = load_default();
        kaiProgram* program = NULL;
        kaiExperiment experiment;
        load.path = found.gl_pathv[i];
        if (load_program(&load, &program) == KAI_OK)  // an external function must be allowed
            for (int n = 0; kaiProgram_Experiment(program, n, &experiment) && (wanted != NULL || n == 0); n++)
                done += try_experiment(program, load.path, experiment.name, moments);
        kaiProgram_Free(program);
    }
    globfree(&found);
    print_message("%d runs stopped and gone on with in new processes\n", done);
    assert_true(done > 4);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    if (argc == 4)
        return go_on(argv[1], (size_t)atol(argv[2]), atoll(argv[3]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
