// One run: from the request to rows, summary and exit code.
#include "cli/runner.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int interrupted;

static void on_interrupt(int signal_number)
{
    if (interrupted)
        _exit(130);  // twice: at once
    interrupted = signal_number;
}

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void choose_experiment(kaiLoadOptions* load, char* name, size_t size)
{
    kaiExperiments* list = NULL;
    kaiMessages* messages = NULL;
    if (load->experiment == NULL && load->model == NULL && kaiExperiments_Load(load, &list, &messages) == KAI_OK &&
        kaiExperiments_Count(list) > 0)
    {
        snprintf(name, size, "%s", kaiExperiments_Name(list, 0));
        load->experiment = name;
    }
    kaiExperiments_Free(list);
    kaiMessages_Free(messages);
}

// ---- progress
// --------------------------------------------------------------------------------------------------------

typedef struct Output
{
    kaiCsv* csv;
    double start, stop, next_report, begun;
    bool progress;
    int64_t rows;
} Output;

static void report_progress(Output* out, double t)
{
    double now = wall_time();
    if (now < out->next_report)
        return;
    out->next_report = now + 0.2;
    double part = out->stop > out->start ? (t - out->start) / (out->stop - out->start) : 1;
    double left = part > 0 ? (now - out->begun) * (1 - part) / part : 0;
    fprintf(stderr, "\r  t = %-12.6g %3.0f %%  about %.0f s left   ", t, 100 * part, left);
}

static kaiStatus write_row(void* user, const kaiRow* row)
{
    Output* out = user;
    if (out->progress && (++out->rows & 1023) == 0)
        report_progress(out, row->t);
    return out->csv != NULL ? kaiCsv_Row(out->csv, row) : KAI_OK;
}

// ---- summary
// ---------------------------------------------------------------------------------------------------------

static const char* view_name(kaiView view)
{
    return view == KAI_VIEW_FULL ? "full" : view == KAI_VIEW_LIMITS ? "limits" : "unique";
}

static void print_guards(const kaiSim* sim)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    int shown = 0;
    for (int i = 0; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place) && shown < 6; i++)
        if (count > 0)
            fprintf(stderr, "%s%s %lld", shown++ > 0 ? ", " : "; events: ", text, (long long)count);
}

static void print_summary(const RunRequest* r, const kaiModel* model, const kaiSim* sim, double seconds)
{
    kaiCounters c = kaiSim_Counters(sim);
    kaiTag now = kaiSim_Now(sim);
    fprintf(stderr, "%s%s%s: t = %.9g, %lld instants, %lld steps (%lld rejected), %lld rows (view %s)",
            kaiModel_Name(model), r->load.experiment != NULL ? ", experiment " : "",
            r->load.experiment != NULL ? r->load.experiment : "", now.t, (long long)c.instants, (long long)c.steps,
            (long long)c.rejected, (long long)c.rows, view_name(r->view));
    print_guards(sim);
    fprintf(stderr, "; %.3g s\n", seconds);
}

// ---- run
// -------------------------------------------------------------------------------------------------------------

static kaiStatus close_output(Output* out, const kaiSim* sim, kaiStatus status)
{
    if (out->csv == NULL)
        return status;
    char remark[200];
    snprintf(remark, sizeof remark, "stopped at t = %.17g before the end: %s", kaiSim_Now(sim).t,
             status == KAI_INTERRUPTED ? "interrupted" : "the run failed");
    kaiStatus closed = kaiCsv_Close(out->csv, status == KAI_END ? NULL : remark);
    return status >= 0 && closed < 0 ? closed : status;
}

static int simulate(RunRequest* r, const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    Output out = {.begun = wall_time(), .progress = isatty(2) && !r->quiet};
    if (r->has_stop)
        options.stop = r->stop;
    if (r->load.solver != NULL)
        options.solver = r->load.solver;
    options.row = write_row;
    options.row_user = &out;
    options.interrupt = &interrupted;
    out.start = options.start;
    out.stop = options.stop;
    out.next_report = out.begun + 0.5;
    kaiFailure failure = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim == NULL)
        return usage_error("%s", failure.text);
    int count;
    const char* error = NULL;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    const char* path = r->output != NULL ? r->output : "-";
    out.csv = kaiCsv_Open(path, columns, count, r->view, NULL, 0, options.allocator, &error);
    if (out.csv == NULL)
    {
        fprintf(stderr, "kairos: %s cannot be written: %s\n", path, error);
        kaiSim_Free(sim);
        return EXIT_FILE;
    }
    kaiStatus status = kaiSim_Run(model, sim);
    if (out.progress && out.rows > 1023)
        fputs("\r\033[K", stderr);
    status = close_output(&out, sim, status);
    if (status < 0)
        print_failure(kaiSim_Failure(sim));
    if (status == KAI_INTERRUPTED && interrupted)
        fprintf(stderr, "kairos: interrupted at t = %.9g; the rows up to there are in the file\n", kaiSim_Now(sim).t);
    if (!r->quiet)
        print_summary(r, model, sim, wall_time() - out.begun);
    kaiSim_Free(sim);
    return exit_code(status);
}

int run_request(RunRequest* r)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    char experiment[200];
    choose_experiment(&r->load, experiment, sizeof experiment);
    kaiModel* model = NULL;
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Load(&r->load, &model, &messages);
    print_messages(messages);
    kaiMessages_Free(messages);
    int code = status == KAI_OK ? simulate(r, model) : exit_code(status);
    kaiModel_Free(model);
    return code;
}
