// Studies: many runs as one. Sweeps over parameters in all threads, designs with distributions and statistics, and
// reports on where a run's steps and time went.
// Written on the headers before it only: what it does, a program of yours can do.
//
//     kaiSweep* sweep = kaiSweep_Create(program, model, &compile, &error);
//     kaiSweepOptions options = kaiDefaultSweepOptions();
//     options.row = on_row;  // every row of every run, in the order of the runs
//     kaiSweepResult result;
//     kaiStatus status = kaiSweep_Run(sweep, &options, &result, &error);
//     printf("%lld of %lld runs complete\n", (long long)result.complete, (long long)result.points);
//     kaiSweep_Free(sweep);
//
// Units. Values in the units that the model declares, times in seconds.
// Lifetime. A sweep or report must not outlive its model; the program, the compile options and their overrides must
// live as long as it does. Texts given to a callback live during the call.
// Threads. A sweep makes its own threads and joins them before it returns; a handle belongs to one thread at a time.
#ifndef KAIROS_STUDY_H
#define KAIROS_STUDY_H

#include "kairos/program.h"
#include "kairos/sim.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // ---- sweeps: every combination of the swept values; the first sweep written varies slowest

    typedef struct kaiSweep kaiSweep;
    // The points of an experiment's `sweep` lines; without any there is one. A parameter that the options override is
    // not swept. NULL: *error says why (more than 32 lines, more than ten million points, no memory).
    kaiSweep* kaiSweep_Create(kaiProgram* program, const kaiModel* model, const kaiCompileOptions* options,
                              kaiError* error);
    void kaiSweep_Free(kaiSweep* sweep);
    // How many runs.
    int64_t kaiSweep_PointCount(const kaiSweep* sweep);
    // How many parameters or start values are swept, and their names; NULL past the last.
    int kaiSweep_ParameterCount(const kaiSweep* sweep);
    const char* kaiSweep_ParameterName(const kaiSweep* sweep, int index);
    // Some value needs a model of its own.
    bool kaiSweep_IsStructural(const kaiSweep* sweep);
    // The values of a point, kaiSweep_ParameterCount of them. False: there is no such point.
    bool kaiSweep_Values(const kaiSweep* sweep, int64_t point, double* values);
    // "a = 1, n = 3", cut to `size`.
    void kaiSweep_Describe(const kaiSweep* sweep, int64_t point, char* text, size_t size);
    // The model of a point: the one of the sweep, or one compiled for its structural values. It lives until the next
    // call, and is not yours to free. KAI_ERR_MODEL: the program's messages say why.
    kaiStatus kaiSweep_Model(kaiSweep* sweep, int64_t point, const kaiModel** model);
    // Gives a fresh sim of that model the other values of the point.
    kaiStatus kaiSweep_Set(const kaiSweep* sweep, int64_t point, const kaiModel* model, kaiSim* sim);

    // What one run of a sweep came to.
    typedef struct kaiSweepPoint
    {
        int64_t point;        // from 0
        kaiStatus status;     // KAI_END, KAI_INTERRUPTED, or an error
        double reached;       // model time
        const char* message;  // of a failed run: a sentence with its place; otherwise ""
    } kaiSweepPoint;

    typedef struct kaiSweepOptions
    {
        uint32_t cookie;  // set by kaiDefaultSweepOptions; not for you
        int threads;      // 0: one for each core
        // Changes what the experiment says about its runs (stop, tolerance …). From any thread. NULL: as it says.
        void (*adjust)(void* user, const kaiModel* model, kaiSimOptions* options);
        // The columns of all runs together (a run without a variable has no values for it), and the names of the lead
        // values: "run", the swept names, "branch" with choice = all. Before the first row. Nonzero stops.
        kaiStatus (*begin)(void* user, const kaiColumn* columns, int column_count, const char* const* lead_names,
                           int lead_count);
        // A row with its lead values, in the order of the runs whichever thread finishes first; never two at a time.
        // Nonzero stops all runs. NULL: not wanted.
        kaiStatus (*row)(void* user, const double* lead, const kaiRow* row);
        // A run is over and all its rows are handed out; in the order of the runs, never two at a time.
        void (*point)(void* user, const kaiSweepPoint* point);
        void* user;
        const volatile int* interrupt;  // nonzero stops all runs at their next step; NULL: never
    } kaiSweepOptions;
    kaiSweepOptions kaiDefaultSweepOptions(void);

    typedef struct kaiSweepResult
    {
        int64_t points, complete, failed;
        int64_t handed_out;                       // runs whose rows were handed out: the rest is missing
        int64_t instants, steps, rejected, rows;  // of all runs together
        bool explored;                            // choice = all
        int64_t outcomes, choices, merged;        // then: as kaiExploration, of all runs together
        int threads;
        kaiStatus output;  // the first nonzero status of `begin` or `row`
    } kaiSweepResult;

    // All runs. KAI_OK: all were begun and ended, each as its point says. KAI_INTERRUPTED: some were not.
    // KAI_ERR_USAGE: the runs cannot be made (*error). KAI_ERR_MEMORY. Or what a callback returned.
    kaiStatus kaiSweep_Run(kaiSweep* sweep, const kaiSweepOptions* options, kaiSweepResult* result, kaiError* error);

    // ---- studies: many runs with values from a design, each reduced to a few numbers

    // Where the values of the factors come from.
    typedef enum kaiDesign
    {
        KAI_DESIGN_RANDOM,  // drawn from the distributions of the model
        KAI_DESIGN_LATIN,   // the same as a Latin hypercube: each of N slices of equal probability once
        KAI_DESIGN_SOBOL,   // the same along Sobol's sequence; at most 16 factors
        KAI_DESIGN_GRID,    // every combination of the `sweep` lines of the experiment
        KAI_DESIGN_LIST,    // as given
    } kaiDesign;

    typedef struct kaiStudyOptions
    {
        uint32_t cookie;  // set by kaiDefaultStudyOptions; not for you
        kaiDesign design;
        int64_t runs;   // of RANDOM, LATIN and SOBOL
        uint64_t seed;  // values depend on it, the number of the run and that of the factor alone; what a model draws
                        // in a run on the seed and the number of the run
        const int* variables;  // LIST: the factors, and their values run by run
        int variable_count;
        const double* values;
        int64_t value_runs;
        const int* measures;  // beside the values of `expect` and the measures of the model: final values of variables
        int measure_count;
        // As in kaiSweepOptions; in all runs alike.
        void (*adjust)(void* user, const kaiModel* model, kaiSimOptions* options);
        void* user;
    } kaiStudyOptions;
    kaiStudyOptions kaiDefaultStudyOptions(void);

    // What one run came to.
    typedef struct kaiStudyRow
    {
        int64_t run;             // from 0
        kaiStatus status;        // KAI_END, or an error: then there are no measures
        const double* factors;   // as many as kaiStudy_Factor knows
        const double* measures;  // NaN: the value does not exist (an event that never came)
        int passed, failed;      // of the expectations
        const char* reason;      // of a failed run: a sentence with its place; otherwise ""
    } kaiStudyRow;

    typedef struct kaiStudy kaiStudy;
    // NULL: *error says why: no factors (and a model that does not draw by itself), a factor that decides the
    // structure, no memory. The model must outlive it.
    kaiStudy* kaiStudy_Create(const kaiModel* model, const kaiStudyOptions* options, kaiError* error);
    void kaiStudy_Free(kaiStudy* study);
    int64_t kaiStudy_RunCount(const kaiStudy* study);
    // The variables that vary; -1 past the last.
    int kaiStudy_Factor(const kaiStudy* study, int index);
    // What is measured: the text of an `expect`, the name of a measure of the model, or of a variable. NULL past the
    // last.
    const char* kaiStudy_Measure(const kaiStudy* study, int index);
    // What it is measured in; NULL: it has no unit.
    const char* kaiStudy_Unit(const kaiStudy* study, int index);
    // The values of the factors in a run. False: there is no such run.
    bool kaiStudy_Values(const kaiStudy* study, int64_t run, double* values);

    typedef struct kaiStudyRunOptions
    {
        uint32_t cookie;  // set by kaiDefaultStudyRunOptions; not for you
        int threads;      // 0: one for each core
        // The runs first, first + step, first + 2 step, … below `end` (-1: all).
        int64_t first, step, end;
        // A row for each, in their order whichever thread finishes first; never two at a time. Nonzero stops.
        kaiStatus (*row)(void* user, const kaiStudyRow* row);
        // Trajectories, of the runs for which `wanted` is true (from any thread; NULL: of none). `begin` gets their
        // columns before the first row, and they live until kaiStudy_Run returns. Then the rows of each run follow the
        // `row` of the study, a failed one's as far as it came.
        bool (*wanted)(void* user, int64_t run);
        bool only_wanted;  // the other runs are not made, and have no `row`
        kaiStatus (*begin)(void* user, const kaiColumn* columns, int count);
        kaiStatus (*trajectory)(void* user, const kaiStudyRow* run, const kaiRow* row);
        void* user;
        const volatile int* interrupt;  // nonzero stops all runs; NULL: never
        // The runs are shared among the processes of mpirun or srun: rank 0 hands them out and gets all rows, the
        // others make them and get none. All call with the same study; `first` of rank 0 counts. After kaiRanks_Begin.
        bool ranks;
    } kaiStudyRunOptions;
    kaiStudyRunOptions kaiDefaultStudyRunOptions(void);
    // One model for all runs, one sim for each thread, which is set back and never made anew. KAI_OK: all rows were
    // handed out. KAI_INTERRUPTED: not all. Or what `row` returned.
    kaiStatus kaiStudy_Run(kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error);

    // This process among those that mpirun started: its rank from 0 and their number. Opens the part `mpi`. KAI_ERR_IO:
    // *error says which packages are missing. Once in a process; kaiRanks_End before it exits, if it was KAI_OK.
    kaiStatus kaiRanks_Begin(int* rank, int* count, kaiError* error);
    void kaiRanks_End(void);

    // ---- statistics of a column, one value at a time

    // Memory does not grow with the values: quantiles are those of all values up to a million, then of every second,
    // fourth, … one. The same values in the same order give the same bits.
    typedef struct kaiStatistics kaiStatistics;
    typedef struct kaiSummary
    {
        int64_t count;       // of values that exist
        double mean, half;   // the mean lies within mean ± half with 95 % confidence
        double deviation;    // standard deviation
        double least, most;  // extremes, and the runs they are from
        int64_t least_run, most_run;
        double quantiles[5];  // 5, 25, 50, 75, 95 %
    } kaiSummary;
    kaiStatistics* kaiStatistics_Create(kaiAllocator allocator);  // NULL: no memory
    void kaiStatistics_Free(kaiStatistics* statistics);           // NULL is fine
    // NaN counts as a value that does not exist. KAI_ERR_MEMORY.
    kaiStatus kaiStatistics_Add(kaiStatistics* statistics, int64_t run, double value);
    kaiSummary kaiStatistics_Summary(const kaiStatistics* statistics);
    // The quantile of any probability, interpolated. NaN: there is no value.
    double kaiStatistics_Quantile(const kaiStatistics* statistics, double p);
    // How many of the kept values lie in each of `bins` equal parts of least … most. KAI_ERR_USAGE: there are no
    // values.
    kaiStatus kaiStatistics_Histogram(const kaiStatistics* statistics, int bins, int64_t* counts);
    // The 95 % confidence interval of a probability after `count` trials (Wilson 1927).
    void kaiStatistics_Proportion(int64_t hits, int64_t count, double* low, double* high);

    // ---- checkpoints: a run that outlives its process

    // What goes into one. A later process makes the run again from the words (a command line, say), restores it, and
    // goes on bit for bit; the result goes on at its mark, so that no row is lost or doubled.
    typedef struct kaiCheckpointParts
    {
        const char* const* words;
        int word_count;
        kaiSim* sim;
        kaiCsv* csv;  // NULL: there is no result to go on with
    } kaiCheckpointParts;
    // Replaces the file at `path` by a new one, or leaves it as it is: at any moment it is whole, and on the disk
    // before this returns. KAI_ERR_IO: *error says why.
    kaiStatus kaiCheckpoint_Write(const char* path, const kaiCheckpointParts* parts, kaiError* error);

    typedef struct kaiCheckpoint kaiCheckpoint;
    // NULL: *error says why; a damaged file is refused.
    kaiCheckpoint* kaiCheckpoint_Read(const char* path, kaiError* error);
    void kaiCheckpoint_Free(kaiCheckpoint* checkpoint);
    // The words; NULL past the last. They live as long as the checkpoint.
    int kaiCheckpoint_WordCount(const kaiCheckpoint* checkpoint);
    const char* kaiCheckpoint_Word(const kaiCheckpoint* checkpoint, int index);
    // For kaiCsvOptions.mark. NULL: there was no result.
    const void* kaiCheckpoint_Mark(const kaiCheckpoint* checkpoint, size_t* size);
    // Puts a sim of the same model and options where it was. KAI_ERR_IO: another model, or another build.
    kaiStatus kaiCheckpoint_Restore(const kaiCheckpoint* checkpoint, const kaiModel* model, kaiSim* sim,
                                    kaiError* error);

    // ---- reports: where the steps and the time of a run went, what its guards did, how accurate it is

    typedef enum kaiReportFormat
    {
        KAI_REPORT_TEXT,
        KAI_REPORT_JSON,  // numbers read back as the same doubles
        KAI_REPORT_HTML,  // one page with its figures inside
    } kaiReportFormat;

    typedef struct kaiReportOptions
    {
        uint32_t cookie;         // set by kaiDefaultReportOptions; not for you
        const char* title;       // NULL: the name of the model
        bool estimate_accuracy;  // with a second run whose tolerance is a hundredth (or whose step is a tenth)
        // As in kaiSweepOptions.
        void (*adjust)(void* user, const kaiModel* model, kaiSimOptions* options);
        // After every instant of either run. NULL: not wanted.
        void (*progress)(void* user, const kaiSim* sim);
        void* user;
        const volatile int* interrupt;
    } kaiReportOptions;
    kaiReportOptions kaiDefaultReportOptions(void);

    typedef struct kaiReport kaiReport;
    // Runs the experiment (of a sweep its first point) and watches it. A run that fails is reported as far as it came.
    // NULL: *error says why there is none.
    kaiReport* kaiReport_Create(kaiProgram* program, const kaiModel* model, const kaiCompileOptions* compile,
                                const kaiReportOptions* options, kaiError* error);
    void kaiReport_Free(kaiReport* report);
    // The sim of the (first) run, at its end: failure, warnings, counters. It belongs to the report.
    const kaiSim* kaiReport_Sim(const kaiReport* report);
    // The model that was run: of a sweep over the structure, that of its first point.
    const kaiModel* kaiReport_Model(const kaiReport* report);
    // How the run ended: KAI_END, KAI_INTERRUPTED, or an error.
    kaiStatus kaiReport_Status(const kaiReport* report);
    // The time of the instant with the most tags, and how many it has; 0: there was none.
    int64_t kaiReport_LongestInstant(const kaiReport* report, double* t);
    // How many runs its sweep has; 0: it is no sweep.
    int64_t kaiReport_SweepPoints(const kaiReport* report);
    // An SVG for the page, of which at most four are shown. KAI_ERR_USAGE: it is none, or there are four.
    kaiStatus kaiReport_AddFigure(kaiReport* report, const char* svg);
    // KAI_OK, KAI_ERR_MEMORY, or what the sink returned.
    kaiStatus kaiReport_Write(const kaiReport* report, kaiReportFormat format, const kaiSink* sink);

    // ---- threads

    // One for each core, but not more than jobs.
    int kaiThreads_Wanted(int64_t jobs);
    // Runs `work(user)` in that many threads and waits for all. If no thread can be made, in this one.
    void kaiThreads_Run(int count, void* (*work)(void* user), void* user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
