// Runs for a picture: `run` gives the rows of what is drawn, `instant` everything at one time.
//
// Rows are those that draw the curve (decision 0113), all of them: a page that zooms and pans must not ask again, and
// what it cannot show apart it reduces itself. Numbers go as base64 of their doubles. An instant is found by running
// again: runs repeat to the last bit, and nobody needs to keep what only a click asks for.
#include "service/family.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum
{
    RECORD_MOST = 1000,  // columns of one run
    INSTANT_COLUMNS = 400,
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

kaiSimOptions running_options(const Document* d, const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = d->options->limits;
    options.interrupt = d->interrupt;
    options.allocator = d->options->allocator;
    return options;
}

// ---- what is recorded

typedef VEC(int) IndexList;

static void add_index(const Document* d, IndexList* list, int variable)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == variable)
            return;
    if (variable >= 0 && list->count < RECORD_MOST)
        vec_push(d->arena, *list, variable);
}

// What is drawn, and the modes and events that explain it.
static IndexList record_panels(const Document* d, const PanelList* panels)
{
    IndexList list = {0};
    kaiVariable v;
    for (uint32_t p = 0; p < panels->count; p++)
    {
        for (uint32_t i = 0; i < panels->at[p].variables.count; i++)
            add_index(d, &list, panels->at[p].variables.at[i]);
        add_index(d, &list, panels->at[p].against);
    }
    uint32_t most = list.count + 60;
    for (int i = 0; kaiModel_Variable(d->model, i, &v) && list.count < most; i++)
        if ((v.kind == KAI_MODE || v.kind == KAI_EVENT) && !v.hidden && v.column != NULL)
            add_index(d, &list, i);
    return list;
}

// ---- columns

static const char* column_kind(kaiColumnKind kind)
{
    static const char* const words[] = {"real", "bool", "event", "mode"};
    return words[kind];
}

static void put_column(JsonWriter* w, const kaiColumn* c)
{
    json_begin(w, NULL, '{');
    json_put_text(w, "name", c->name);
    json_put_text(w, "kind", column_kind(c->kind));
    if (c->unit != NULL)
        json_put_text(w, "unit", c->unit);
    json_put_count(w, "impulse", c->impulse);
    if (c->kind == KAI_COLUMN_MODE)
    {
        json_begin(w, "modes", '[');
        for (int i = 0; i < c->mode_count; i++)
            json_put_text(w, NULL, c->mode_names[i]);
        json_end(w, ']');
    }
    json_end(w, '}');
}

static void put_columns(JsonWriter* w, const kaiSim* sim)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    json_begin(w, "columns", '[');
    for (int i = 0; i < count; i++)
        put_column(w, &columns[i]);
    json_end(w, ']');
}

static void put_panels(const Document* d, JsonWriter* w, const PanelList* panels)
{
    kaiVariable v;
    json_begin(w, "panels", '[');
    for (uint32_t p = 0; p < panels->count; p++)
    {
        json_begin(w, NULL, '{');
        json_begin(w, "signals", '[');
        for (uint32_t i = 0; i < panels->at[p].variables.count; i++)
            if (kaiModel_Variable(d->model, panels->at[p].variables.at[i], &v))
                json_put_text(w, NULL, v.column);
        json_end(w, ']');
        if (kaiModel_Variable(d->model, panels->at[p].against, &v) && v.column != NULL)
            json_put_text(w, "against", v.column);
        json_end(w, '}');
    }
    json_end(w, ']');
}

// ---- one run

static const char* status_word(kaiStatus status)
{
    switch (status)
    {
    case KAI_END:
    case KAI_OK: return "end";
    case KAI_INTERRUPTED: return "stopped";
    case KAI_ERR_LIMIT:
    case KAI_ERR_MEMORY: return "limit";
    default: return "failed";
    }
}

static void put_fired(const Document* d, JsonWriter* w, const TraceFired* f)
{
    static const char* const kinds[] = {"crossing", "clock", "when", "transition"};
    json_begin(w, NULL, '{');
    json_put_number(w, "t", f->tag.t);
    json_put_count(w, "p", f->tag.p);
    json_put_count(w, "m", f->tag.m);
    json_put_text(w, "kind", kinds[f->kind]);
    json_put_text(w, "text", f->text);
    if (document_has(d, &f->place))
        document_put_position(d, w, "position", f->place.line, f->place.column);
    else if (f->place.file != NULL)
        json_put_text(w, "file", f->place.file);
    json_end(w, '}');
}

static void put_all_fired(const Document* d, JsonWriter* w)
{
    json_begin(w, "fired", '[');
    for (size_t i = 0; i < d->trace.fired_count; i++)
        put_fired(d, w, &d->trace.fired[i]);
    json_end(w, ']');
}

static void put_rows(const Trace* t, JsonWriter* w)
{
    json_put_count(w, "rows", (int64_t)t->rows);
    json_put_bytes(w, "t", t->t, sizeof *t->t * t->rows);
    json_put_bytes(w, "p", t->p, sizeof *t->p * t->rows);
    json_put_bytes(w, "m", t->m, sizeof *t->m * t->rows);
    json_begin(w, "values", '[');
    for (int i = 0; i < t->columns; i++)
        json_put_bytes(w, NULL, t->values[i], sizeof(double) * t->rows);
    json_end(w, ']');
}

static void put_expects(Document* d, JsonWriter* w)
{
    kaiExpectResult r;
    json_begin(w, "expects", '[');
    for (int i = 0; i < kaiModel_ExpectCount(d->model); i++)
    {
        if (kaiSim_Expect(d->sim, i, &r) < 0)
            continue;
        json_begin(w, NULL, '{');
        json_put_bool(w, "passed", r.passed);
        json_put_text(w, "source", r.source);
        json_put_text(w, "text", r.text);
        if (r.present)
            json_put_number(w, "value", r.value);
        if (r.has_target)
        {
            json_put_number(w, "target", r.target);
            json_put_number(w, "within", r.within);
        }
        if (r.unit != NULL)
            json_put_text(w, "unit", r.unit);
        if (document_has(d, &r.place))
            json_put_count(w, "line", r.place.line - 1);
        json_end(w, '}');
    }
    json_end(w, ']');
}

static void put_end(Document* d, JsonWriter* w, kaiStatus status, double seconds)
{
    kaiCounters c = kaiSim_Counters(d->sim);
    const kaiError* warning;
    json_put_text(w, "status", status_word(status));
    json_put_number(w, "reached", kaiSim_Now(d->sim).t);
    if (status < 0 && kaiSim_Failure(d->sim)->message != NULL)
        answer_diagnostic(d, w, "failure", kaiSim_Failure(d->sim));
    else if (status == KAI_ERR_MEMORY)
        answer_diagnostic(d, w, "failure", &(kaiError){.message = "the run has more rows than may be kept"});
    json_begin(w, "warnings", '[');
    for (int i = 0; (warning = kaiSim_Warning(d->sim, i)) != NULL; i++)
        answer_diagnostic(d, w, NULL, warning);
    json_end(w, ']');
    json_put_text(w, "halt", kaiSim_HaltText(d->sim));
    json_put_count(w, "instants", c.instants);
    json_put_count(w, "steps", c.steps);
    json_put_count(w, "rejected", c.rejected);
    json_put_number(w, "seconds", seconds);
}

typedef struct RunCall
{
    IndexList record;
    bool begun;        // columns have been put
    bool one_instant;  // only the last is kept
} RunCall;

// False: no run could be made.
static bool create_sim(Document* d, JsonWriter* w, const kaiModel* model, const RunCall* call)
{
    kaiSimOptions options = running_options(d, model);
    kaiError error;
    options.row = trace_row;
    options.fired = trace_fired;
    options.row_user = options.fired_user = &d->trace;
    options.record = call->record.at;
    options.record_count = (int)call->record.count;
    kaiSim_Free(d->sim);
    d->sim = kaiSim_Create(model, &options, &error);
    if (d->sim == NULL)
    {
        answer_diagnostic(d, w, "failure", &error);
        return false;
    }
    int count;
    kaiSim_Columns(d->sim, &count);
    trace_free(&d->trace);
    d->trace.memory = d->options->limits.memory / 8;  // as text they take four times as much, for a moment
    d->trace.last_only = call->one_instant;
    d->trace.reached = d->options->reached;
    if (!trace_init(&d->trace, d->options->allocator, count))
        arena_fail(d->arena);
    return true;
}

static bool run_member(Document* d, JsonWriter* w, const Family* family, int64_t member, RunCall* call)
{
    char label[FAMILY_LABEL];
    double begun = now();
    const kaiModel* model = family_model(d, family, member);
    if (model == NULL || !create_sim(d, w, model, call))
        return false;
    family_set(d, family, member, model);
    kaiStatus status = kaiSim_Run(d->sim);
    family_describe(d, family, member, label, sizeof label);
    if (!call->begun)
    {
        put_columns(w, d->sim);
        json_begin(w, "runs", '[');
    }
    call->begun = true;
    json_begin(w, NULL, '{');
    json_put_text(w, "label", label);
    put_end(d, w, status, now() - begun);
    put_rows(&d->trace, w);
    put_all_fired(d, w);
    put_expects(d, w);
    json_end(w, '}');
    return status == KAI_END || status == KAI_ERR_RUN;  // the others of a family may fare better
}

void answer_run(Document* d, const Json* question, JsonWriter* w)
{
    kaiCompileOptions compile;
    Family family;
    if (!running_compile(d, question, w, &compile))
        return;
    running_put_model(d, w);
    PanelList panels = running_panels(d, question);
    RunCall call = {.record = record_panels(d, &panels)};
    put_panels(d, w, &panels);
    kaiSimOptions options = kaiModel_SimOptions(d->model);
    json_put_number(w, "start", options.start);
    json_put_number(w, "stop", options.stop);
    if (!family_open(d, w, &compile, &family))
        return;
    json_put_count(w, "points", family.points);
    if (family.explored)
        json_put_bool(w, "more", family.cut);
    for (int64_t i = 0; i < family_count(d, &family); i++)
        if (!run_member(d, w, &family, i, &call))
            break;
    if (call.begun)
        json_end(w, ']');
}

// ---- one instant

static IndexList record_all(const Document* d)
{
    IndexList list = {0};
    kaiVariable v;
    for (int i = 0; kaiModel_Variable(d->model, i, &v) && list.count < INSTANT_COLUMNS; i++)
        if (!v.hidden && v.column != NULL)
            vec_push(d->arena, list, i);
    return list;
}

static bool changes(const double* values, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (memcmp(&values[i], &values[0], sizeof *values) != 0 && !(isnan(values[i]) && isnan(values[0])))
            return true;
    return false;
}

static void put_cell(JsonWriter* w, const kaiColumn* c, double value)
{
    if (isnan(value))
        json_put_null(w, NULL);
    else if (c->kind == KAI_COLUMN_MODE && value >= 0 && value < c->mode_count)
        json_put_text(w, NULL, c->mode_names[(int)value]);
    else
        json_put_number(w, NULL, value);
}

// Rows of the table are the values, in the order of the tags; those that change come with `changes`.
static void put_tags(const Document* d, JsonWriter* w)
{
    int count;
    const Trace* t = &d->trace;
    const kaiColumn* columns = kaiSim_Columns(d->sim, &count);
    json_begin(w, "tags", '[');
    for (size_t i = 0; i < t->rows; i++)
    {
        json_begin(w, NULL, '[');
        json_put_count(w, NULL, t->p[i]);
        json_put_count(w, NULL, t->m[i]);
        json_end(w, ']');
    }
    json_end(w, ']');
    json_begin(w, "values", '[');
    for (int c = 0; c < count; c++)
    {
        json_begin(w, NULL, '{');
        json_put_text(w, "name", columns[c].name);
        json_put_text(w, "kind", column_kind(columns[c].kind));
        if (columns[c].unit != NULL)
            json_put_text(w, "unit", columns[c].unit);
        json_put_bool(w, "changes", changes(t->values[c], t->rows));
        json_begin(w, "at", '[');
        for (size_t i = 0; i < t->rows; i++)
            put_cell(w, &columns[c], t->values[c][i]);
        json_end(w, ']');
        json_end(w, '}');
    }
    json_end(w, ']');
}

void answer_instant(Document* d, const Json* question, JsonWriter* w)
{
    kaiCompileOptions compile;
    double wanted = json_number(question, "t", 0);
    if (!running_compile(d, question, w, &compile))
        return;
    RunCall call = {.record = record_all(d), .one_instant = true};
    Family family;
    if (!family_open(d, w, &compile, &family))
        return;
    int64_t member = json_count(question, "member", 0);
    const kaiModel* model = family_model(d, &family, member);
    if (model == NULL || !create_sim(d, w, model, &call))
    {
        if (model == NULL)
            answer_error(w, "there is no such run");
        return;
    }
    family_set(d, &family, member, model);
    kaiStatus status;
    do
        status = kaiSim_Step(d->sim);
    while (status == KAI_INSTANT && kaiSim_Now(d->sim).t < wanted);
    if (status != KAI_INSTANT && status != KAI_END && kaiSim_Now(d->sim).t < wanted)
    {
        answer_error(w, "the run does not come to that instant");
        return;
    }
    json_put_number(w, "t", kaiSim_Now(d->sim).t);
    put_tags(d, w);
    put_all_fired(d, w);
}
