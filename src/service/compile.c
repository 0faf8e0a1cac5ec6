// From a question to a compiled model: which experiment, which values and settings; and what there is in it to choose
// from.
#include "service/running.h"

#include <math.h>
#include <string.h>

enum
{
    GIVEN_MOST = 200,  // values or settings of one question
    VARIABLES_MOST = 2000,
    PANELS_MOST = 12,
};

// ---- the question

static int take_overrides(const Json* values, kaiOverride* overrides)
{
    int count = 0;
    for (const Json* v = values != NULL ? values->first : NULL; v != NULL && count < GIVEN_MOST; v = v->next)
        if (v->key != NULL && v->kind == JSON_NUMBER)
            overrides[count++] = (kaiOverride){v->key, v->number};
    return count;
}

static int take_given(const Json* values, kaiGiven* given)
{
    int count = 0;
    for (const Json* v = values != NULL ? values->first : NULL; v != NULL && count < GIVEN_MOST; v = v->next)
        if (v->key != NULL && v->kind == JSON_STRING)
            given[count++] = (kaiGiven){v->key, v->text};
    return count;
}

kaiCompileOptions running_which(Document* d, const Json* question)
{
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiExperiment first;
    kaiOverride* overrides = arena_array(d->arena, kaiOverride, GIVEN_MOST);
    kaiGiven* settings = arena_array(d->arena, kaiGiven, GIVEN_MOST);
    options.experiment = json_text(question, "experiment", NULL);
    options.model = json_text(question, "model", NULL);
    if (options.experiment == NULL && options.model == NULL && kaiProgram_Experiment(d->program, 0, &first))
        options.experiment = first.name;
    options.overrides = overrides;
    options.override_count = take_overrides(json_get(question, "set"), overrides);
    options.settings = settings;
    options.setting_count = take_given(json_get(question, "settings"), settings);
    return options;
}

// A chosen experiment may be gone: then it is the first, because the text is what counts.
static bool drop_experiment(const Document* d, kaiCompileOptions* options)
{
    const kaiError* m;
    kaiExperiment first;
    for (int i = 0; options->experiment != NULL && (m = kaiProgram_Message(d->program, i)) != NULL; i++)
        if (m->code != NULL && strcmp(m->code, "K029") == 0 && m->place.file == NULL)
        {
            options->experiment = kaiProgram_Experiment(d->program, 0, &first) ? first.name : NULL;
            return true;
        }
    return false;
}

// And so may the parameter of a slider. Which are there the model says that is compiled without any.
static kaiStatus compile_known(Document* d, kaiCompileOptions* options)
{
    kaiOverride* overrides = arena_array(d->arena, kaiOverride, GIVEN_MOST);
    kaiCompileOptions plain = *options;
    int count = 0;
    plain.override_count = 0;
    kaiStatus status = kaiProgram_Compile(d->program, &plain, &d->model);
    for (int i = 0; status == KAI_OK && i < options->override_count; i++)
        if (kaiModel_FindVariable(d->model, options->overrides[i].name) >= 0)
            overrides[count++] = options->overrides[i];
    options->overrides = overrides;
    options->override_count = count;
    if (status != KAI_OK || count == 0)
        return status;
    kaiModel_Free(d->model);
    d->model = NULL;
    return kaiProgram_Compile(d->program, options, &d->model);
}

bool running_compile(Document* d, const Json* question, JsonWriter* w, kaiCompileOptions* options)
{
    const kaiError* m;
    if (d->program == NULL)
    {
        json_begin(w, "diagnostics", '[');
        answer_diagnostic(d, w, NULL, &d->error);
        json_end(w, ']');
        return false;
    }
    *options = running_which(d, question);
    kaiStatus status = kaiProgram_Compile(d->program, options, &d->model);
    if (status == KAI_ERR_MODEL && drop_experiment(d, options))
        status = kaiProgram_Compile(d->program, options, &d->model);
    if (status == KAI_ERR_MODEL && options->override_count > 0)
        status = compile_known(d, options);
    json_begin(w, "diagnostics", '[');
    for (int i = 0; (m = kaiProgram_Message(d->program, i)) != NULL; i++)
        answer_diagnostic(d, w, NULL, m);
    json_end(w, ']');
    if (status != KAI_OK && kaiProgram_MessageCount(d->program) == 0)
        answer_error(w, "the model could not be compiled in the memory that it may use");
    return status == KAI_OK;
}

// ---- what there is

static void put_experiments(Document* d, JsonWriter* w)
{
    kaiExperiment e;
    json_begin(w, "experiments", '[');
    for (int i = 0; kaiProgram_Experiment(d->program, i, &e); i++)
    {
        json_begin(w, NULL, '{');
        json_put_text(w, "name", e.name);
        json_put_text(w, "model", e.model);
        json_put_bool(w, "sweep", e.has_sweep);
        json_put_bool(w, "expect", e.has_expect);
        json_put_count(w, "line", e.place.line - 1);
        json_end(w, '}');
    }
    json_end(w, ']');
}

static void put_variable(const Document* d, JsonWriter* w, const kaiVariable* v)
{
    json_begin(w, NULL, '{');
    json_put_text(w, "name", v->name);
    json_put_text(w, "kind", kaiVariableKind_Word(v->kind));
    if (v->unit != NULL)
        json_put_text(w, "unit", v->unit);
    if (v->description != NULL)
        json_put_text(w, "description", v->description);
    if (!isnan(v->start))
        json_put_number(w, "start", v->start);
    json_put_bool(w, "settable",
                  v->settable && (v->kind == KAI_PARAM || v->kind == KAI_STATE || v->kind == KAI_DISCRETE));
    json_put_bool(w, "recorded", v->column != NULL);
    if (document_has(d, &v->place))
        json_put_count(w, "line", v->place.line - 1);
    json_end(w, '}');
}

static void put_variables(const Document* d, JsonWriter* w)
{
    kaiVariable v;
    int count = 0;
    json_begin(w, "variables", '[');
    for (int i = 0; kaiModel_Variable(d->model, i, &v) && count < VARIABLES_MOST; i++)
        if (!v.hidden)
        {
            put_variable(d, w, &v);
            count++;
        }
    json_end(w, ']');
}

void running_put_model(Document* d, JsonWriter* w)
{
    json_put_text(w, "model", kaiModel_Name(d->model));
    json_put_text(w, "experiment", kaiModel_Experiment(d->model));
    put_experiments(d, w);
    put_variables(d, w);
}

// ---- panels

static bool add_to_panel(Document* d, Panel* panel, int variable)
{
    kaiVariable v;
    if (!kaiModel_Variable(d->model, variable, &v) || v.column == NULL || v.hidden)
        return false;
    vec_push(d->arena, panel->variables, variable);
    return true;
}

static void take_panels(Document* d, const Json* wanted, PanelList* panels)
{
    for (const Json* p = wanted->first; p != NULL && panels->count < PANELS_MOST; p = p->next)
    {
        Panel panel = {.against = kaiModel_FindVariable(d->model, json_text(p, "against", ""))};
        const Json* signals = json_get(p, "signals");
        for (const Json* s = signals != NULL ? signals->first : NULL; s != NULL; s = s->next)
            if (s->kind == JSON_STRING)
                add_to_panel(d, &panel, kaiModel_FindVariable(d->model, s->text));
        if (panel.variables.count > 0)
            vec_push(d->arena, *panels, panel);
    }
}

// Without `plot` lines: the states, or if there are none the signals, four of them.
static void choose_panels(Document* d, PanelList* panels)
{
    static const kaiVariableKind kinds[] = {KAI_STATE, KAI_SIGNAL, KAI_DISCRETE, KAI_EVENT};
    kaiVariable v;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && panels->count == 0; k++)
        for (int i = 0; kaiModel_Variable(d->model, i, &v) && panels->count < 4; i++)
        {
            Panel panel = {.against = -1};
            if (v.kind == kinds[k] && add_to_panel(d, &panel, i))
                vec_push(d->arena, *panels, panel);
        }
}

PanelList running_panels(Document* d, const Json* question)
{
    PanelList panels = {0};
    const Json* wanted = json_get(question, "panels");
    if (wanted != NULL && wanted->kind == JSON_LIST)
        take_panels(d, wanted, &panels);
    int plots = panels.count == 0 ? kaiModel_PlotCount(d->model) : 0;
    for (int i = 0; i < plots && i < PANELS_MOST; i++)
    {
        const uint32_t* variables;
        Panel panel = {0};
        int count = kaiModel_PlotVariables(d->model, i, &variables, &panel.against);
        for (int k = 0; k < count; k++)
            add_to_panel(d, &panel, (int)variables[k]);
        if (panel.variables.count > 0)
            vec_push(d->arena, panels, panel);
    }
    if (panels.count == 0)
        choose_panels(d, &panels);
    return panels;
}
