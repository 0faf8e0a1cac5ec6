// kairos explain: where the steps and the time of a run went, what its guards did, and how far its numbers can be
// trusted. The estimate of the accuracy is a second run with a tolerance (or step) that is much smaller.
#include "cli/interrupt.h"
#include "cli/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- what happened

static int compare_limits(const void* a, const void* b)
{
    const Limit *x = a, *y = b;
    if (x->steps != y->steps)
        return x->steps < y->steps ? 1 : -1;
    return x->rejected != y->rejected ? (x->rejected < y->rejected ? 1 : -1) : strcmp(x->name, y->name);
}

static bool find_limits(Report* r)
{
    const Profile* p = &r->profile;
    r->limits = calloc((size_t)p->state_count + 1, sizeof *r->limits);
    if (r->limits == NULL)
        return false;
    for (int i = 0; i < p->state_count; i++)
    {
        Limit limit = {.name = kaiModel_VariableName(r->model, kaiModel_StateVariable(r->model, i))};
        if (kaiSim_StateLimits(p->sim, i, &limit.steps, &limit.rejected) && limit.steps + limit.rejected > 0)
            r->limits[r->limit_count++] = limit;
    }
    qsort(r->limits, (size_t)r->limit_count, sizeof *r->limits, compare_limits);
    return true;
}

static void describe(Report* r, const Subject* s)
{
    char point[600];
    r->model = s->model;
    r->file = s->request->load.path;
    r->experiment = s->request->load.experiment;
    request_title(s->request, s->model, r->title, sizeof r->title);
    if (s->sweep == NULL)
        return;
    sweep_describe(s->sweep, 0, point, sizeof point);
    r->sweep_points = s->sweep->points;
    snprintf(r->sweep, sizeof r->sweep, "the first of %lld runs of its sweep: %s", (long long)s->sweep->points, point);
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

static void write_report(const Report* r, const RunRequest* request, FILE* out)
{
    if (request->json)
        report_json(r, out);
    else if (is_page(request))
        report_html(r, out);
    else
        report_text(r, out);
}

// A file under its name is whole.
static int write_file(const Report* r, const RunRequest* request)
{
    char part[4096];
    snprintf(part, sizeof part, "%s.part", request->output);
    FILE* out = fopen(part, "wb");
    bool ok = out != NULL;
    if (ok)
    {
        write_report(r, request, out);
        ok = !ferror(out) && fflush(out) == 0;
        ok &= fclose(out) == 0;
        ok = ok && rename(part, request->output) == 0;
    }
    if (ok)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s cannot be written: %s\n", request->output, strerror(errno));
    if (out != NULL)
        remove(part);
    return EXIT_FILE;
}

static int write_out(const Report* r, const RunRequest* request)
{
    if (request->output != NULL && strcmp(request->output, "-") != 0)
        return write_file(r, request);
    write_report(r, request, stdout);
    return EXIT_DONE;
}

// ---- command

// The request is shared by all runs of the command; those of the figures have a copy of their own.
static void add_figures(Report* r, const RunRequest* request)
{
    RunRequest* copy = malloc(sizeof *copy);
    if (copy == NULL)
        return;
    memcpy(copy, request, sizeof *copy);
    report_figures(r, copy);
    free(copy);
}

// The second run, and the report while both are there.
static int compare_and_write(Report* r, const Subject* s)
{
    Profile fine = {0};
    int code = EXIT_DONE;
    if (r->profile.status == KAI_END)
    {
        kaiSimOptions options = profile_finer(r->options);
        code = profile_run(&fine, s, options);
        r->compared = code == EXIT_DONE && !interrupt_came();
        r->accuracy = (Accuracy){.rtol = options.rtol, .step = options.step};
        if (r->compared && fine.status == KAI_END)
            profile_compare(&r->accuracy, s->model, &r->profile, &fine);
        else if (r->compared)
            r->accuracy.problem = kaiSim_Failure(fine.sim)->text;
    }
    if (code == EXIT_DONE && is_page(s->request) && !interrupt_came())
        add_figures(r, s->request);
    if (code == EXIT_DONE)
        code = write_out(r, s->request);
    for (int i = 0; i < r->figure_count; i++)
        free(r->figures[i]);
    profile_free(&fine);
    return code;
}

static int explain(const Subject* s)
{
    Report r = {.options = request_options(s->request, s->model)};
    int code = profile_run(&r.profile, s, r.options);
    if (code == EXIT_DONE)
    {
        describe(&r, s);
        r.counters = kaiSim_Counters(r.profile.sim);
        code = find_limits(&r) ? compare_and_write(&r, s) : usage_error("out of memory");
        if (r.profile.status < 0)
        {
            print_failure(kaiSim_Failure(r.profile.sim));
            code = exit_code(r.profile.status);
        }
        print_warnings(r.profile.sim);
    }
    if (interrupt_came())
    {
        fprintf(stderr, "kairos: interrupted\n");
        code = EXIT_RUN;
    }
    free(r.limits);
    profile_free(&r.profile);
    return code;
}

static int check_output(const RunRequest* request)
{
    const char* path = request->output;
    if (path == NULL || strcmp(path, "-") == 0 || request->json || ends_in(path, ".html"))
        return EXIT_DONE;
    return usage_error("-o %s: the report is a page, FILE.html, or with --json a file of any name", path);
}

// A sweep is explained at its first point.
static int explain_model(const RunRequest* request, const kaiModel* model)
{
    Sweep sweep;
    SweepVariant variant = {0};
    kaiMessages* messages = NULL;
    Subject s = {.request = request, .model = model};
    int code = check_output(request);
    if (code == EXIT_DONE && kaiModel_SweepCount(model) > 0)
    {
        const char* why = sweep_plan(&sweep, model, &request->load);
        if (why != NULL)
            return usage_error("%s", why);
        code = report_load(&request->load, sweep_model(&sweep, 0, &variant, &messages), messages);
        kaiMessages_Free(messages);
        s.sweep = &sweep;
        s.variant = &variant;
        s.model = variant.model;
    }
    if (code == EXIT_DONE)
        code = explain(&s);
    sweep_variant_free(&variant);
    return code;
}

int command_explain(int argc, char** argv)
{
    return request_run(FOR_EXPLAIN, argc, argv, explain_model);
}
