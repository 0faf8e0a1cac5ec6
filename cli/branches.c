// One experiment with choice = all: every outcome is a branch of the result, with its number before t. Each branch is
// a whole trajectory from the start, so that it can be read and plotted without the others. What led to it and where
// it ended is said on stderr as soon as it is complete.
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/runner.h"

#include <string.h>

typedef struct Branches
{
    const RunRequest* request;
    kaiWriter* writer;
    const kaiSim* sim;
    kaiCounters total;
    Progress progress;
    char remark[500];  // the branches that are not whole
} Branches;

static kaiStatus write_row(void* user, const kaiRow* row)
{
    Branches* b = user;
    if (b->progress.on)
        progress_show(&b->progress, "t", row->t, kaiSim_Counters(b->sim).instants, "instants");
    return kaiWriter_Row(b->writer, row);
}

static kaiStatus begin_branch(void* user, int branch)
{
    Branches* b = user;
    double lead = branch;
    kaiWriter_SetLead(b->writer, &lead);
    return KAI_OK;
}

static void remark_branch(Branches* b, int branch, double t)
{
    size_t length = strlen(b->remark);
    if (length > sizeof b->remark - 80)
        return;
    snprintf(b->remark + length, sizeof b->remark - length, "%sbranch %d stopped at t = %.17g",
             length == 0 ? "not whole: " : ", ", branch, t);
    if (strlen(b->remark) > sizeof b->remark - 80)
        strcat(b->remark, ", …");
}

static void print_outcome(const kaiSim* sim, int branch)
{
    enum
    {
        SHOWN = 8
    };
    char values[600], order[900];
    kaiSim_OutcomeText(sim, SHOWN, values, sizeof values);
    kaiSim_OrderText(sim, order, sizeof order);
    fprintf(stderr, "branch %d: %s; order: %s\n", branch, values, order);
}

static kaiStatus end_branch(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    Branches* b = user;
    kaiCounters c = kaiSim_Counters(sim);
    b->total.instants += c.instants;
    b->total.steps += c.steps;
    b->total.rejected += c.rejected;
    b->total.rows += c.rows;
    progress_end(&b->progress);
    if (!b->request->quiet || status < 0)
        print_outcome(sim, branch);
    if (status < 0)
    {
        remark_branch(b, branch, kaiSim_Now(sim).t);
        print_failure(b->request->program, kaiSim_Failure(sim));
    }
    return KAI_OK;
}

static const char* plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(const Branches* b, const kaiModel* model, const kaiExploration* e, bool whole)
{
    char title[2 * NAME_MAX_LENGTH];
    request_title(b->request, model, title, sizeof title);
    fprintf(stderr, "%s: %lld outcome%s%s, %lld failed; %lld choice point%s, %lld order%s merged; ", title,
            (long long)e->outcomes, plural(e->outcomes), whole ? "" : " so far, not all", (long long)e->failed,
            (long long)e->choices, plural(e->choices), (long long)e->merged, plural(e->merged));
    fprintf(stderr, "%lld instants, %lld steps (%lld rejected), ", (long long)b->total.instants,
            (long long)b->total.steps, (long long)b->total.rejected);
    print_rows(b->total.rows, b->request->view);
    fprintf(stderr, "; %.3g s\n", wall_time() - b->progress.begun);
}

// What went wrong, on stderr, and the exit code.
static int conclude(const Branches* b, const kaiSim* sim, kaiStatus status, const kaiExploration* e)
{
    const RunRequest* r = b->request;
    bool named = r->output != NULL && strcmp(r->output, "-") != 0;
    if (status == KAI_ERR_IO)
        fprintf(stderr, "kairos: %s cannot be written\n", named ? r->output : "standard output");
    else if (status < 0)
        print_failure(b->request->program, kaiSim_Failure(sim));
    if (status == KAI_INTERRUPTED && interrupt_came())
    {
        fprintf(stderr, "kairos: interrupted after %lld outcomes\n", (long long)e->outcomes);
        return EXIT_RUN;
    }
    return status < 0 ? exit_code(status) : e->failed > 0 ? EXIT_RUN : EXIT_DONE;
}

static kaiStatus close_output(Branches* b, const kaiExploration* e, kaiStatus status)
{
    size_t length = strlen(b->remark);
    if (status != KAI_END && length < sizeof b->remark - 100)
        snprintf(b->remark + length, sizeof b->remark - length, "%safter branch %lld there are outcomes missing: %s",
                 length > 0 ? "; " : "not whole: ", (long long)e->outcomes,
                 status == KAI_INTERRUPTED ? "interrupted" : "the exploration was stopped");
    kaiStatus closed = kaiWriter_Close(b->writer, b->remark[0] != 0 ? b->remark : NULL);
    return closed < 0 ? closed : status;
}

static int explore(Branches* b, const kaiModel* model, kaiSim* sim)
{
    static const char* const lead[] = {"branch"};
    const char* path = b->request->output != NULL ? b->request->output : "-";
    kaiError error;
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiWriterOptions options = kaiDefaultWriterOptions();
    options.path = path;
    options.view = b->request->view;
    options.lead_names = lead;
    options.lead_count = 1;
    b->writer = kaiWriter_Open(&options, columns, count, &error);
    if (b->writer == NULL)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        return exit_code(error.status);
    }
    kaiExploreEvents events = {begin_branch, end_branch, b};
    kaiExploration result;
    kaiStatus status = kaiSim_Explore(model, sim, &events, &result);
    progress_end(&b->progress);
    status = close_output(b, &result, status);
    int code = conclude(b, sim, status, &result);
    if (!b->request->quiet)
        print_summary(b, model, &result, status == KAI_END);
    return code;
}

int run_branches(const RunRequest* r, const kaiModel* model)
{
    Branches b = {.request = r};
    int code = EXIT_DONE;
    kaiSim* sim = runner_open(r, model, &b.progress, write_row, &b, &code);
    if (sim == NULL)
        return code;
    b.sim = sim;
    code = explore(&b, model, sim);
    kaiSim_Free(sim);
    return code;
}
