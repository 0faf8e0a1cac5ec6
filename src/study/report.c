// A run that is explained: watched once, compared with a finer one, written in three ways.
#include "study/report.h"

#include "base/budget.h"
#include "base/error.h"
#include "study/profile.h"

#include <stdlib.h>
#include <string.h>

kaiReportOptions kaiDefaultReportOptions(void)
{
    return (kaiReportOptions){.cookie = KAI_COOKIE, .estimate_accuracy = true};
}

// ---- what happened

static int compare_limits(const void* a, const void* b)
{
    const Limit *x = a, *y = b;
    if (x->steps != y->steps)
        return x->steps < y->steps ? 1 : -1;
    return x->rejected != y->rejected ? (x->rejected < y->rejected ? 1 : -1) : strcmp(x->name, y->name);
}

static bool find_limits(kaiReport* r)
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

static void describe(kaiReport* r, const kaiProgram* program, const kaiReportOptions* options)
{
    char point[600];
    r->file = kaiProgram_FileName(program, 0);
    r->experiment = kaiModel_Experiment(r->model);
    snprintf(r->title, sizeof r->title, "%s", options->title != NULL ? options->title : kaiModel_Name(r->model));
    if (kaiSweep_ParameterCount(r->plan) == 0)
        return;
    kaiSweep_Describe(r->plan, 0, point, sizeof point);
    r->sweep_points = kaiSweep_PointCount(r->plan);
    snprintf(r->sweep, sizeof r->sweep, "the first of %lld runs of its sweep: %s", (long long)r->sweep_points, point);
}

// ---- the two runs

static kaiStatus compare(kaiReport* r, const Subject* s, kaiError* error)
{
    kaiSimOptions options = profile_finer(r->options);
    kaiStatus status = profile_run(&r->fine, s, options, error);
    if (status != KAI_OK)
        return status;
    r->compared = !budget_flag(s->options->interrupt);
    r->accuracy = (Accuracy){.rtol = options.rtol, .step = options.step};
    if (r->compared && r->fine.status == KAI_END)
        profile_compare(&r->accuracy, s->model, &r->profile, &r->fine);
    else if (r->compared)
        r->accuracy.problem = kaiSim_Failure(r->fine.sim)->message;
    return KAI_OK;
}

static kaiStatus make(kaiReport* r, const kaiProgram* program, const kaiReportOptions* options, kaiError* error)
{
    kaiStatus status = kaiSweep_Model(r->plan, 0, &r->model);
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    if (status != KAI_OK)
        return error_set(error, status, "the model of the first point is wrong");
    r->options = kaiModel_SimOptions(r->model);
    if (options->adjust != NULL)
        options->adjust(options->user, r->model, &r->options);
    if (options->interrupt != NULL)
        r->options.interrupt = options->interrupt;
    Subject s = {r->model, r->plan, options};
    status = profile_run(&r->profile, &s, r->options, error);
    if (status != KAI_OK)
        return status;
    describe(r, program, options);
    r->counters = kaiSim_Counters(r->profile.sim);
    if (!find_limits(r))
        return error_memory(error);
    return options->estimate_accuracy && r->profile.status == KAI_END ? compare(r, &s, error) : KAI_OK;
}

kaiReport* kaiReport_Create(kaiProgram* program, const kaiModel* model, const kaiCompileOptions* compile,
                            const kaiReportOptions* options, kaiError* error)
{
    kaiError own;
    error = error != NULL ? error : &own;
    error_clear(error);
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultReportOptions", error))
        return NULL;
    kaiReport* r = calloc(1, sizeof *r);
    if (r == NULL)
        return error_memory(error), NULL;
    r->plan = kaiSweep_Create(program, model, compile, error);
    if (r->plan != NULL && make(r, program, options, error) == KAI_OK)
        return r;
    kaiReport_Free(r);
    return NULL;
}

void kaiReport_Free(kaiReport* r)
{
    if (r == NULL)
        return;
    for (int i = 0; i < r->figure_count; i++)
        free(r->figures[i]);
    profile_free(&r->fine);
    profile_free(&r->profile);
    free(r->limits);
    kaiSweep_Free(r->plan);
    free(r);
}

// ---- questions

const kaiSim* kaiReport_Sim(const kaiReport* r)
{
    return r != NULL ? r->profile.sim : NULL;
}

const kaiModel* kaiReport_Model(const kaiReport* r)
{
    return r != NULL ? r->model : NULL;
}

kaiStatus kaiReport_Status(const kaiReport* r)
{
    return r != NULL ? r->profile.status : KAI_ERR_USAGE;
}

int64_t kaiReport_LongestInstant(const kaiReport* r, double* t)
{
    if (r != NULL && t != NULL)
        *t = r->profile.most_at;
    return r != NULL ? r->profile.most_tags : 0;
}

int64_t kaiReport_SweepPoints(const kaiReport* r)
{
    return r != NULL ? r->sweep_points : 0;
}

// ---- figures

// `id="clip1"` and `url(#clip1)` become those of this figure only: ids are shared by a whole page.
static char* make_ids_own(const char* text, int figure)
{
    static const char* const marks[] = {"id=\"", "url(#"};
    size_t size = strlen(text), count = 0;
    for (int m = 0; m < 2; m++)
        for (const char* at = text; (at = strstr(at, marks[m])) != NULL; at++)
            count++;
    char *made = malloc(size + 4 * count + 1), *out = made;
    for (const char* at = text; made != NULL && *at != 0;)
    {
        size_t length = 0;
        for (int m = 0; m < 2; m++)
            if (strncmp(at, marks[m], strlen(marks[m])) == 0)
                length = strlen(marks[m]);
        if (length == 0)
        {
            *out++ = *at++;
            continue;
        }
        memcpy(out, at, length);
        out += length;
        at += length;
        out += sprintf(out, "f%d-", figure);
    }
    if (made != NULL)
        *out = 0;
    return made;
}

kaiStatus kaiReport_AddFigure(kaiReport* r, const char* svg)
{
    const char* picture = r != NULL && svg != NULL ? strstr(svg, "<svg") : NULL;  // before it: for a file of its own
    if (picture == NULL || r->figure_count == FIGURES_MOST)
        return KAI_ERR_USAGE;
    r->figures[r->figure_count] = make_ids_own(picture, r->figure_count + 1);
    if (r->figures[r->figure_count] == NULL)
        return KAI_ERR_MEMORY;
    r->figure_count++;
    return KAI_OK;
}

// ---- writing

kaiStatus kaiReport_Write(const kaiReport* r, kaiReportFormat format, const kaiSink* sink)
{
    static void (*const writers[])(const kaiReport*, FILE*) = {report_text, report_json, report_html};
    if (r == NULL || sink == NULL || sink->write == NULL || (unsigned)format > KAI_REPORT_HTML)
        return KAI_ERR_USAGE;
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    if (out == NULL)
        return KAI_ERR_MEMORY;
    writers[format](r, out);
    bool good = !ferror(out);
    good &= fclose(out) == 0;
    kaiStatus status = good ? sink->write(sink->user, text, size) : KAI_ERR_MEMORY;
    free(text);
    return status;
}
