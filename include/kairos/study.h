// Studies: many runs as one. Sweeps over parameters in all threads, and reports on where a run's steps and time went.
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
