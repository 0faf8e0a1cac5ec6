// kairos explain: where the steps and the time of a run went, what its guards did, and how far its numbers can be
// trusted. On standard output, or as a page with figures.
#include "cli/figure.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum
{
    SWEEP_MOST = 12  // runs that are drawn over each other
};

// ---- figures

typedef struct Text
{
    char* at;
    size_t size;
} Text;

static kaiStatus add_bytes(void* user, const char* bytes, size_t size)
{
    Text* text = user;
    char* more = realloc(text->at, text->size + size + 1);
    if (more == NULL)
        return KAI_ERR_MEMORY;
    memcpy(more + text->size, bytes, size);
    text->at = more;
    text->size += size;
    text->at[text->size] = 0;
    return KAI_OK;
}

// A figure that cannot be drawn is left out.
static void take(kaiReport* report, Text* text, bool drawn)
{
    if (drawn && text->at != NULL)
        kaiReport_AddFigure(report, text->at);
    free(text->at);
}

static void draw_run(kaiReport* report, RunRequest* request, const kaiModel* model, const char* title, double instant)
{
    Text text = {0};
    PlotRequest* plot = calloc(1, sizeof *plot);
    if (plot == NULL)
        return;
    plot->run = request;
    plot->figure = kaiDefaultFigureOptions();
    plot->figure.path = "figure.svg";
    plot->figure.sink = (kaiSink){add_bytes, &text};
    plot->figure.title = title;
    plot->instant = instant;
    plot->quiet = plot->silent = true;
    take(report, &text, plot_figure(plot, model) == EXIT_DONE);
    free(plot);
}

static void draw_model(kaiReport* report, const RunRequest* request, kaiDiagramKind kind)
{
    Text text = {0};
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    options.path = "figure.svg";
    options.sink = (kaiSink){add_bytes, &text};
    options.kind = kind;
    take(report, &text, kaiProgram_Diagram(request->program, &request->load, &options, NULL) == KAI_OK);
}

// The run, its longest instant and the model. The request is shared by all runs of the command; those of the figures
// have a copy of their own.
static void add_figures(kaiReport* report, const RunRequest* request, const char* title)
{
    const kaiModel* model = kaiReport_Model(report);
    double longest;
    RunRequest* copy = malloc(sizeof *copy);
    if (copy == NULL)
        return;
    memcpy(copy, request, sizeof *copy);
    if (kaiReport_SweepPoints(report) <= SWEEP_MOST)
        draw_run(report, copy, model, title, NAN);
    if (kaiReport_LongestInstant(report, &longest) > 2 && kaiReport_SweepPoints(report) <= 1)
        draw_run(report, copy, model, title, longest);
    draw_model(report, request, KAI_DIAGRAM_ANY);
    draw_model(report, request, KAI_DIAGRAM_MODES);
    free(copy);
}

// ---- writing

static bool ends_in(const char* text, const char* ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_page(const RunRequest* request)
{
    return !request->json && request->output != NULL && ends_in(request->output, ".html");
}

static kaiStatus write_bytes(void* user, const char* bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? KAI_OK : KAI_ERR_IO;
}

static kaiStatus write_report(const kaiReport* report, const RunRequest* request, FILE* out)
{
    kaiReportFormat format = request->json ? KAI_REPORT_JSON : is_page(request) ? KAI_REPORT_HTML : KAI_REPORT_TEXT;
    return kaiReport_Write(report, format, &(kaiSink){write_bytes, out});
}

static int write_file(const kaiReport* report, const RunRequest* request)
{
    WholeFile file;
    struct stat found;
    if (stat(request->output, &found) == 0 && !S_ISREG(found.st_mode))  // a page in a pipe is a mistake
    {
        fprintf(stderr, "kairos: %s cannot be written: it is no file\n", request->output);
        return EXIT_FILE;
    }
    int code = whole_open(&file, request->output);
    if (code == EXIT_DONE && write_report(report, request, file.out) != KAI_OK)
        code = EXIT_FILE, fprintf(stderr, "kairos: %s cannot be written\n", request->output);
    return whole_close(&file, code);
}

static int write_out(const kaiReport* report, const RunRequest* request)
{
    if (request->output != NULL && strcmp(request->output, "-") != 0)
        return write_file(report, request);
    write_report(report, request, stdout);
    return EXIT_DONE;
}

// ---- command

typedef struct Explaining
{
    const RunRequest* request;
    Progress progress;
} Explaining;

// The bar begins with each of the two runs.
static void adjust(void* user, const kaiModel* model, kaiSimOptions* options)
{
    Explaining* e = user;
    *options = request_options(e->request, model);
    progress_begin(&e->progress, true, false, options->start, options->stop);
}

static void show(void* user, const kaiSim* sim)
{
    Explaining* e = user;
    progress_show(&e->progress, "t", kaiSim_Now(sim).t, kaiSim_Counters(sim).instants, "instants");
}

static int conclude(kaiReport* report, const RunRequest* request, const char* title)
{
    if (is_page(request) && !interrupt_came())
        add_figures(report, request, title);
    int code = write_out(report, request);
    if (kaiReport_Status(report) < 0)
    {
        print_failure(request->program, kaiSim_Failure(kaiReport_Sim(report)));
        code = exit_code(kaiReport_Status(report));
    }
    print_warnings(request->program, kaiReport_Sim(report));
    return code;
}

static int check_output(const RunRequest* request)
{
    const char* path = request->output;
    if (path == NULL || strcmp(path, "-") == 0 || request->json || ends_in(path, ".html"))
        return EXIT_DONE;
    return usage_error("-o %s: the report is a page, FILE.html, or with --json a file of any name", path);
}

static int explain_model(const RunRequest* request, const kaiModel* model)
{
    char title[2 * NAME_MAX_LENGTH];
    Explaining e = {.request = request};
    kaiError error;
    int code = check_output(request);
    if (code != EXIT_DONE)
        return code;
    request_title(request, model, title, sizeof title);
    kaiReportOptions options = kaiDefaultReportOptions();
    options.title = title;
    options.adjust = adjust;
    options.progress = show;
    options.user = &e;
    options.interrupt = interrupt_flag();
    kaiReport* report = kaiReport_Create(request->program, model, &request->load, &options, &error);
    progress_end(&e.progress);
    if (report != NULL)
        code = conclude(report, request, title);
    else
        code = error.status == KAI_ERR_MODEL ? report_answer(request->program, error.status)
                                             : (usage_error("%s", error.message), exit_code(error.status));
    kaiReport_Free(report);
    if (interrupt_came())
    {
        fprintf(stderr, "kairos: interrupted\n");
        code = EXIT_RUN;
    }
    return code;
}

int command_explain(int argc, char** argv)
{
    return request_run(FOR_EXPLAIN, argc, argv, explain_model);
}
