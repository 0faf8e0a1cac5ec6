// A program that uses the library for a long time: a few programs and models stay, others come and go; runs, runs that
// are interrupted and go on, snapshots through bytes, studies in two threads, texts cut off anywhere. Whatever is done
// twice must give the same bits twice. tools/soak watches its memory. What a process holds depends on the models that
// happen to be open, and on what malloc keeps; so all are closed now and then, and the bytes in use are noted: this
// floor must not rise. usage: soak SECONDS SEED FILE.kai …   (KAIROS_SOAK_SHARE: part of a core that it takes, 0.05)
#include "kairos/kairos.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    KEPT = 4,       // models that stay
    FLOOR = 100,    // jobs after which all are closed
    ROWS = 2000,    // of a run
    TEXT = 1 << 16  // of a model
};

typedef struct Kept
{
    const char* path;
    kaiProgram* program;
    kaiModel* model;
} Kept;

typedef struct Bytes
{
    char* at;
    size_t size;
} Bytes;

// What a run came to, so that two can be compared.
typedef struct Trace
{
    uint64_t hash;
    int64_t rows, stop_after;  // raise `interrupt` at that row; 0: never
    int interrupt, columns;
} Trace;

static uint64_t state;
static long done, failures;
static char place[200];  // what is being done, for a failure

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void demand(bool fine, const char* what)
{
    if (fine)
        return;
    failures++;
    fprintf(stderr, "%s: %s\n", place, what);
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Trace* trace = user;
    const unsigned char* bytes = (const unsigned char*)row->values;
    for (size_t i = 0; i < (size_t)trace->columns * sizeof(double); i++)
        trace->hash = (trace->hash ^ bytes[i]) * 1099511628211u;
    trace->rows++;
    trace->interrupt = trace->stop_after > 0 && trace->rows == trace->stop_after;
    return KAI_OK;
}

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Bytes* to = user;
    char* grown = realloc(to->at, to->size + size + 1);
    if (grown == NULL)
        return KAI_ERR_MEMORY;
    memcpy(grown + to->size, bytes, size);
    to->at = grown;
    to->size += size;
    return KAI_OK;
}

static kaiSim* make_sim(const kaiModel* model, Trace* trace)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    *trace = (Trace){.hash = 14695981039346656037u};
    options.row = on_row;
    options.row_user = trace;
    options.interrupt = &trace->interrupt;
    options.limits = (kaiLimits){.seconds = 5, .memory = 256u << 20, .rows = ROWS, .tags = 20000};
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    if (sim != NULL)
        kaiSim_Columns(sim, &trace->columns);
    return sim;
}

// A limit of time depends on the machine: such a run compares with nothing.
static bool is_comparable(const kaiSim* sim, kaiStatus status)
{
    return status == KAI_END || (status < 0 && strstr(kaiSim_Failure(sim)->message, "second") == NULL);
}

static bool run_whole(const kaiModel* model, Trace* trace)
{
    kaiSim* sim = make_sim(model, trace);
    if (sim == NULL)
        return false;
    bool comparable = is_comparable(sim, kaiSim_Run(sim));
    kaiSim_Free(sim);
    return comparable;
}

static void do_run(const kaiModel* model)
{
    Trace once, twice;
    if (run_whole(model, &once) && run_whole(model, &twice))
        demand(once.hash == twice.hash, "two runs differ");
}

// Interrupted at a row, and on from there.
static void do_cancel(const kaiModel* model)
{
    Trace whole, parted;
    if (!run_whole(model, &whole) || whole.rows < 2)
        return;
    kaiSim* sim = make_sim(model, &parted);
    if (sim == NULL)
        return;
    parted.stop_after = 1 + (int64_t)draw((uint64_t)whole.rows);
    kaiStatus status = kaiSim_Run(sim);
    parted.interrupt = 0;
    if (status == KAI_INTERRUPTED && draw(2) == 0)
        status = kaiSim_Run(sim);
    if (status != KAI_INTERRUPTED && is_comparable(sim, status))
        demand(parted.hash == whole.hash, "a run that was interrupted differs");
    kaiSim_Free(sim);
}

// To a time, into bytes, out of them into another sim, and both on to the end.
static void do_snapshot(const kaiModel* model)
{
    Trace first, second;
    Bytes bytes = {0};
    kaiError error;
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim *sim = make_sim(model, &first), *other = make_sim(model, &second);
    double end = options.stop < 1e6 ? options.stop : options.start + 10;
    if (sim != NULL && other != NULL &&
        kaiSim_StepTo(sim, options.start + (end - options.start) * (double)draw(1000) / 1000) == KAI_OK)
    {
        kaiSnapshot* saved = kaiSim_Save(sim);
        demand(saved != NULL && kaiSnapshot_Write(saved, &(kaiSink){keep, &bytes}) == KAI_OK, "no snapshot");
        kaiSnapshot* read = kaiSnapshot_Read(model, bytes.at, bytes.size, &error);
        demand(read != NULL && kaiSim_Restore(other, read) == KAI_OK, "no way back");
        first.hash = second.hash = 1;
        kaiStatus a = kaiSim_Run(sim), b = kaiSim_Run(other);
        if (is_comparable(sim, a) && is_comparable(other, b))
            demand(a == b && first.hash == second.hash, "a run from a snapshot differs");
        kaiSnapshot_Free(read);
        kaiSnapshot_Free(saved);
    }
    free(bytes.at);
    kaiSim_Free(sim);
    kaiSim_Free(other);
}

static void adjust(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)user, (void)model;
    options->limits = (kaiLimits){.seconds = 5, .memory = 256u << 20, .rows = ROWS, .tags = 20000};
}

static kaiStatus on_study_row(void* user, const kaiStudyRow* row)
{
    Trace* trace = user;
    trace->rows++;
    trace->hash = (trace->hash ^ (uint64_t)row->run ^ (uint64_t)(unsigned)row->status) * 1099511628211u;
    return KAI_OK;
}

// Five values of a parameter, in two threads.
static void do_study(const kaiModel* model)
{
    int chosen = -1, seen = 0;
    kaiVariable variable;
    double values[5];
    for (int i = 0; kaiModel_Variable(model, i, &variable); i++)
        if (variable.kind == KAI_PARAM && variable.settable && draw((uint64_t)++seen) == 0)
            chosen = i;
    if (chosen < 0)
        return;
    kaiSimOptions run = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &run, NULL);
    double value = 1;
    bool present = sim != NULL && kaiSim_Get(sim, chosen, &value) && value == value;
    kaiSim_Free(sim);
    for (int i = 0; i < 5; i++)
        values[i] = (present ? value : 1) * (0.9 + 0.0002 * (double)draw(1000));
    kaiStudyOptions options = kaiDefaultStudyOptions();
    options.design = KAI_DESIGN_LIST;
    options.variables = &chosen;
    options.variable_count = 1;
    options.values = values;
    options.value_runs = 5;
    options.adjust = adjust;
    Trace trace = {0};
    kaiStudy* study = kaiStudy_Create(model, &options, NULL);
    kaiStudyRunOptions runs = kaiDefaultStudyRunOptions();
    runs.threads = 2;
    runs.row = on_study_row;
    runs.user = &trace;
    if (study != NULL && kaiStudy_Run(study, &runs, NULL) == KAI_OK)
        demand(trace.rows == 5, "rows of a study are missing");
    kaiStudy_Free(study);
}

// A text that ends anywhere: refused, or taken, and said so.
static void do_cut(const char* path)
{
    char* text = calloc(1, TEXT);
    FILE* file = text != NULL ? fopen(path, "rb") : NULL;
    if (file != NULL)
    {
        size_t size = fread(text, 1, TEXT - 1, file);
        text[size > 0 ? draw(size) : 0] = 0;
        kaiProgramOptions options = kaiDefaultProgramOptions();
        options.path = path;
        options.text = text;
        kaiProgram* program = NULL;
        if (kaiProgram_Open(&options, &program, NULL) == KAI_OK)
            kaiProgram_Check(program);
        kaiProgram_Free(program);
        fclose(file);
    }
    free(text);
}

static void close_kept(Kept* kept)
{
    kaiModel_Free(kept->model);
    kaiProgram_Free(kept->program);
    *kept = (Kept){0};
}

static void open_kept(Kept* kept, const char* path)
{
    close_kept(kept);
    kept->path = path;
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = path;
    kaiExperiment experiment;
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    if (kaiProgram_Open(&options, &kept->program, NULL) != KAI_OK)
        return;
    int count = kaiProgram_ExperimentCount(kept->program);
    if (count > 0 && kaiProgram_Experiment(kept->program, (int)draw((uint64_t)count), &experiment))
        compile.experiment = experiment.name;
    kaiProgram_Compile(kept->program, &compile, &kept->model);
}

static void do_something(Kept* kept)
{
    static const char* const words[] = {"run", "cancel", "snapshot", "study", "cut"};
    uint64_t what = draw(5);
    snprintf(place, sizeof place, "%s, %s", kept->path, words[what]);
    if (what == 4)
        do_cut(kept->path);
    if (kept->model == NULL)
        return;
    switch (what)
    {
    case 0: do_run(kept->model); break;
    case 1: do_cancel(kept->model); break;
    case 2: do_snapshot(kept->model); break;
    case 3: do_study(kept->model); break;
    default: break;
    }
}

// Bytes in use: while nothing is open (after the first round of jobs, after the last, the most of all), and with what
// stays open after a job.
typedef struct Floor
{
    long first, last, most, open, looks;
} Floor;

static long bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

static void look_at_floor(Floor* floor, Kept* kept)
{
    for (int i = 0; i < KEPT; i++)
        close_kept(&kept[i]);
    floor->last = bytes_in_use();
    floor->first = floor->looks++ == 0 ? floor->last : floor->first;
    floor->most = floor->last > floor->most ? floor->last : floor->most;
}

static void rest(double used, double share)
{
    double wait = used * (1 / share - 1);
    struct timespec pause = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)};
    nanosleep(&pause, NULL);
}

int main(int argc, char** argv)
{
    const char* share = getenv("KAIROS_SOAK_SHARE");
    Kept kept[KEPT] = {0};
    Floor floor = {0};
    if (argc < 4)
        return 2;
    double end = seconds(CLOCK_MONOTONIC) + strtod(argv[1], NULL);
    state = strtoull(argv[2], NULL, 10) * 2654435769u + 1;
    while (seconds(CLOCK_MONOTONIC) < end)
    {
        double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
        Kept* one = &kept[draw(KEPT)];
        if (one->path == NULL || draw(4) == 0)
            open_kept(one, argv[3 + draw((uint64_t)argc - 3)]);
        do_something(one);
        malloc_trim(0);  // so that what is left is what is held
        long open = bytes_in_use();
        floor.open = open > floor.open ? open : floor.open;
        if (++done % FLOOR == 0)
            look_at_floor(&floor, kept);
        rest(seconds(CLOCK_PROCESS_CPUTIME_ID) - before, share != NULL ? strtod(share, NULL) : 0.05);
    }
    look_at_floor(&floor, kept);
    printf("%ld %ld %ld %ld %ld %ld %ld\n", done, failures, floor.looks, floor.first, floor.last, floor.most,
           floor.open);
    return failures > 0;
}
