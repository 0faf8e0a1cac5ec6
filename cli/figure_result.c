// kairos plot RESULT: reads a result once, from start to end.
#include "cli/charts.h"
#include "cli/figure.h"

#include <math.h>
#include <string.h>

typedef struct Reading
{
    PlotRequest* request;
    kaiFigure* figure;
    kaiInstants* instants;
    kaiFan* fan;
    kaiError error;
    const char* problem;  // if it is not in `error`
    const kaiColumn* columns;
    int column_count;
    char remark[100];
} Reading;

// ---- choosing

// Without --signals: each signal its own panel, as far as they fit on a page.
static void choose(const kaiColumn* columns, int count, Panels* panels)
{
    enum
    {
        SHOWN = 6
    };
    for (int i = 0; i < count; i++)
    {
        if (columns[i].kind == KAI_COLUMN_MODE || columns[i].impulse > 0)
            continue;
        if (panels->count == SHOWN || !panels_begin(panels, NULL) || !panels_add(panels, columns[i].name))
            panels->left_out++;
    }
}

// The impulses of a signal belong to it.
static bool is_named(const Panels* panels, const char* against, const kaiColumn* column)
{
    const char *name = column->name, *end = column->impulse > 0 ? strrchr(name, '.') : NULL;
    size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
    if (against != NULL && strcmp(against, name) == 0)
        return true;
    for (int i = 0; i < panels->name_count; i++)
        if (strlen(panels->names[i]) == length && strncmp(panels->names[i], name, length) == 0)
            return true;
    return false;
}

// ---- the visitor

static kaiStatus begin_figure(Reading* r, const kaiColumn* columns, int count, bool* wanted)
{
    PlotRequest* q = r->request;
    if (q->wanted.count == 0)
        choose(columns, count, &q->wanted);
    for (int i = 0; i < count; i++)
        wanted[i] = columns[i].kind == KAI_COLUMN_MODE || (draws_page(q) && count <= PAGE_SIGNALS) ||
                    is_named(&q->wanted, q->against, &columns[i]);
    r->columns = columns;
    r->column_count = count;
    if (q->wanted.left_out > 0)
    {
        snprintf(r->remark, sizeof r->remark, "%d more signal%s not shown: --signals a,b", q->wanted.left_out,
                 q->wanted.left_out == 1 ? " is" : "s are");
        q->figure.remark = r->remark;
    }
    bool units = false;
    for (int i = 0; i < count; i++)
        units |= columns[i].unit != NULL;
    q->figure.time_unit = units ? "s" : NULL;
    r->figure = kaiFigure_Create(&q->figure, columns, count, q->wanted.at, q->wanted.count, &r->error);
    return r->figure != NULL ? KAI_OK : r->error.status;
}

static kaiStatus begin_fan(Reading* r, const kaiColumn* columns, int count)
{
    PlotRequest* q = r->request;
    r->fan = fan_make(&q->figure, q->wanted.names, q->wanted.name_count, columns, count, &r->error);
    return r->fan != NULL ? KAI_OK : r->error.status;
}

static kaiStatus begin_instants(Reading* r, const kaiColumn* columns, int count)
{
    PlotRequest* q = r->request;
    r->instants = kaiInstants_Create(&q->figure, q->instants ? NAN : q->instant, columns, count, &r->error);
    if (r->instants == NULL)
        return r->error.status;
    return kaiInstants_Show(r->instants, q->wanted.names, q->wanted.name_count, &r->error);
}

static kaiStatus on_header(void* user, const kaiColumn* columns, int count, bool* wanted)
{
    Reading* r = user;
    bool instants = r->request->instants || !isnan(r->request->instant);
    if (r->request->chart != NULL)
        return begin_fan(r, columns, count);
    return instants ? begin_instants(r, columns, count) : begin_figure(r, columns, count, wanted);
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Reading* r = user;
    if (r->fan != NULL)
        return kaiFan_Row(r->fan, row);
    return r->figure != NULL ? kaiFigure_Row(r->figure, row) : kaiInstants_Row(r->instants, row);
}

static kaiStatus on_lead(void* user, const char* text)
{
    Reading* r = user;
    if (r->fan != NULL)
        kaiFan_BeginRun(r->fan);
    if (r->figure == NULL)
        return KAI_OK;
    // The number of the run says nothing that the swept values do not.
    const char* values = strncmp(text, "run = ", 6) == 0 ? strstr(text, ", ") : NULL;
    kaiStatus status = kaiFigure_BeginRun(r->figure, values != NULL ? values + 2 : text);
    if (status == KAI_ERR_USAGE)
        r->problem = "more runs than one figure can show";
    return status;
}

// ---- the command

static kaiStatus draw(Reading* r)
{
    if (r->fan != NULL)
        return kaiFan_Draw(r->fan, &r->error);
    if (!overlay_draw(r->figure, r->request->overlay, r->columns, r->column_count, &r->request->wanted))
        return r->problem = "the measured table cannot be drawn", KAI_ERR_USAGE;
    return r->figure != NULL ? kaiFigure_Draw(r->figure, &r->error) : kaiInstants_Draw(r->instants, &r->error);
}

int plot_result(PlotRequest* q)
{
    if (q->chart != NULL && strcmp(q->chart, "fan") != 0)
        return usage_error("--chart %s: %s is no table of a study; of trajectories there is a fan", q->chart,
                           q->run->source.path);
    if (q->run->load.signal_count > 0)
        return usage_error("--signals: `%s` is an expression, which needs the model: kairos plot MODEL.kai",
                           q->expressions[0].text);
    Reading r = {.request = q};
    bool said = false;
    kaiReader* reader = kaiReader_Open(q->run->source.path, kaiDefaultAllocator(), &r.error);
    kaiStatus status = reader != NULL ? KAI_OK : r.error.status;
    if (status == KAI_OK)
    {
        kaiError error;
        kaiCsvVisitor visitor = {on_header, on_row, on_lead, &r};
        status = kaiReader_Read(reader, &visitor, &error);
        if (status != KAI_OK && r.error.message == NULL && r.problem == NULL)
            fprintf(stderr, "kairos: %s\n", error.message), said = true;
    }
    if (status == KAI_OK)
        status = draw(&r);
    if (status != KAI_OK && !said)
        fprintf(stderr, "kairos: %s\n", r.problem != NULL ? r.problem : r.error.message);
    else if (status == KAI_OK && kaiReader_Remark(reader) != NULL && !q->quiet)
        fprintf(stderr, "kairos: %s: %s\n", q->run->source.path, kaiReader_Remark(reader));
    if (status == KAI_OK && q->wanted.left_out > 0 && !q->quiet)
        fprintf(stderr, "kairos: %d more signal%s; choose with --signals a,b\n", q->wanted.left_out,
                q->wanted.left_out == 1 ? "" : "s");
    kaiFigure_Free(r.figure);
    kaiFan_Free(r.fan);
    kaiInstants_Free(r.instants);
    kaiReader_Free(reader);
    return exit_code(status);
}
