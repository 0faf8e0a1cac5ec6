// kairos run of an experiment with sweeps: all its runs to one result, in their order.
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/runner.h"

#include <string.h>

typedef struct SweepOutput
{
    const RunRequest* request;
    const kaiSweep* sweep;
    const char* path;
    kaiWriter* writer;
    int lead_count;
    double run, branch;  // that the rows now begin with
    int unopened;        // the exit code if the file could not be opened, which was said
    char remark[500];    // the runs that are not whole
    Progress progress;
} SweepOutput;

// ---- what the sweep says

static void adjust(void* user, const kaiModel* model, kaiSimOptions* options)
{
    const SweepOutput* o = user;
    *options = request_options(o->request, model);
}

static kaiStatus begin(void* user, const kaiColumn* columns, int column_count, const char* const* lead_names,
                       int lead_count)
{
    SweepOutput* o = user;
    kaiError error;
    kaiWriterOptions options = kaiDefaultWriterOptions();
    options.path = o->path;
    options.view = o->request->view;
    options.lead_names = lead_names;
    options.lead_count = o->lead_count = lead_count;
    o->writer = kaiWriter_Open(&options, columns, column_count, &error);
    if (o->writer == NULL)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        o->unopened = exit_code(error.status);
        return error.status;
    }
    progress_begin(&o->progress, !o->request->quiet, strcmp(o->path, "-") == 0, 0,
                   (double)kaiSweep_PointCount(o->sweep));
    return KAI_OK;
}

static kaiStatus write_row(void* user, const double* lead, const kaiRow* row)
{
    SweepOutput* o = user;
    double branch = lead[kaiSweep_ParameterCount(o->sweep) + 1];
    if (lead[0] != o->run || branch != o->branch)
        kaiWriter_SetLead(o->writer, lead);
    o->run = lead[0];
    o->branch = branch;
    kaiStatus status = kaiWriter_Row(o->writer, row);
    if (status != KAI_OK)
        interrupt_all();
    return status;
}

static void remark_run(SweepOutput* o, const kaiSweepPoint* point)
{
    size_t length = strlen(o->remark);
    if (length > sizeof o->remark - 80)
        return;
    snprintf(o->remark + length, sizeof o->remark - length, "%srun %lld stopped at t = %.17g",
             length == 0 ? "not whole: " : ", ", (long long)point->point + 1, point->reached);
    if (strlen(o->remark) > sizeof o->remark - 80)
        strcat(o->remark, ", …");
}

static void end_point(void* user, const kaiSweepPoint* point)
{
    SweepOutput* o = user;
    char values[600];
    if (point->status != KAI_END)
        remark_run(o, point);
    if (point->status < 0)
    {
        progress_end(&o->progress);
        kaiSweep_Describe(o->sweep, point->point, values, sizeof values);
        fprintf(stderr, "kairos: run %lld (%s) failed: %s\n", (long long)point->point + 1, values, point->message);
    }
    progress_show(&o->progress, "run", (double)point->point + 1, point->point + 1, "runs");
}

// ---- result

static void print_summary(const SweepOutput* o, const kaiModel* model, const kaiSweepResult* r)
{
    char title[2 * NAME_MAX_LENGTH];
    request_title(o->request, model, title, sizeof title);
    fprintf(stderr, "%s: %lld of %lld runs complete, %lld failed; %lld instants, %lld steps (%lld rejected), ", title,
            (long long)r->complete, (long long)r->points, (long long)r->failed, (long long)r->instants,
            (long long)r->steps, (long long)r->rejected);
    if (r->explored)
        fprintf(stderr, "%lld outcomes, %lld choice points, %lld orders merged, ", (long long)r->outcomes,
                (long long)r->choices, (long long)r->merged);
    print_rows(r->rows, o->request->view);
    fprintf(stderr, "; %d thread%s, %.3g s\n", r->threads, r->threads > 1 ? "s" : "", wall_time() - o->progress.begun);
}

static int conclude(SweepOutput* o, const kaiModel* model, const kaiSweepResult* r)
{
    bool missing = r->handed_out < r->points;
    if (missing && o->remark[0] == 0)
        snprintf(o->remark, sizeof o->remark, "not whole: ");
    if (missing)
        snprintf(o->remark + strlen(o->remark), sizeof o->remark - strlen(o->remark), "%sruns from %lld on are missing",
                 o->remark[strlen(o->remark) - 2] == ':' ? "" : "; ", (long long)r->handed_out + 1);
    kaiStatus closed = kaiWriter_Close(o->writer, o->remark[0] != 0 ? o->remark : NULL);
    bool unwritten = closed < 0 || r->output < 0;
    progress_end(&o->progress);
    if (unwritten)
        fprintf(stderr, "kairos: %s cannot be written\n", o->path);
    if (interrupt_came())
        fprintf(stderr, "kairos: interrupted after %lld of %lld runs\n", (long long)r->complete, (long long)r->points);
    if (!o->request->quiet)
        print_summary(o, model, r);
    return unwritten ? EXIT_FILE : interrupt_came() || r->failed > 0 ? EXIT_RUN : EXIT_DONE;
}

int run_sweep(const RunRequest* r, const kaiModel* model)
{
    kaiError error;
    kaiSweepResult result;
    SweepOutput o = {.request = r, .path = r->output != NULL ? r->output : "-"};
    kaiSweep* sweep = kaiSweep_Create(r->program, model, &r->load, &error);
    if (sweep == NULL)
        return usage_error("%s", error.message);
    o.sweep = sweep;
    kaiSweepOptions options = kaiDefaultSweepOptions();
    options.adjust = adjust;
    options.begin = begin;
    options.row = write_row;
    options.point = end_point;
    options.user = &o;
    options.interrupt = interrupt_flag();
    kaiSweep_Run(sweep, &options, &result, &error);
    int code = o.writer != NULL ? conclude(&o, model, &result)
               : o.unopened     ? o.unopened
                                : usage_error("%s", error.message);
    kaiSweep_Free(sweep);
    return code;
}
