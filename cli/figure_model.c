// kairos plot MODEL.kai: runs an experiment and draws it, without a file between. Its `plot` lines are the panels.
#include "cli/figure.h"

#include "cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    EXPERIMENTS_MAX = 16
};

typedef struct Run
{
    PlotRequest* request;
    const kaiModel* model;
    kaiSimOptions options;
    int* record;  // variables
    int record_count;
    Panels panels;
    kaiFigure* figure;
    kaiInstants* instants;
    kaiSim* first;
    const char* label;  // of the experiment, if several are drawn
    bool failed;        // some run
    bool shows_units;
    kaiError error;
    char remark[100];  // in the figure
    char text[1000];   // what is wrong, if it is not in `error`
} Run;

// ---- what to record

static void record(Run* r, int variable)
{
    for (int i = 0; i < r->record_count; i++)
        if (r->record[i] == variable)
            return;
    r->record[r->record_count++] = variable;
    kaiVariable v;
    r->shows_units |= kaiModel_Variable(r->model, variable, &v) && v.column != NULL && v.unit != NULL;
}

// The name of its column; records it. NULL: it has none.
static const char* use(Run* r, int variable)
{
    kaiVariable v;
    if (!kaiModel_Variable(r->model, variable, &v) || v.column == NULL)
        return NULL;
    record(r, variable);
    return v.column;
}

// A signal that the command line names. NULL: there is none, *error says it.
static const char* use_name(Run* r, const char* name)
{
    int variable = kaiModel_FindVariable(r->model, name);
    const char* column = variable >= 0 ? use(r, variable) : NULL;
    if (column != NULL)
        return column;
    char known[300];
    say_variables(r->model, false, name, known, sizeof known);
    snprintf(r->text, sizeof r->text, "there is no signal `%.80s`%s", name, known);
    if (variable >= 0)
        snprintf(r->text, sizeof r->text, "`%s` is a parameter: it has no curve", name);
    return NULL;
}

static void record_kind(Run* r, bool modes_only)
{
    kaiVariable v;
    for (int i = 0; kaiModel_Variable(r->model, i, &v); i++)
        if (v.column != NULL && (!modes_only || v.column_kind == KAI_COLUMN_MODE))
            record(r, i);
}

// ---- panels

static bool panels_named(Run* r)
{
    const Panels* wanted = &r->request->wanted;
    for (int p = 0; p < wanted->count; p++)
    {
        const char* against = wanted->at[p].against;
        if ((against != NULL && (against = use_name(r, against)) == NULL) || !panels_begin(&r->panels, against))
            return false;
        for (int i = 0; i < wanted->at[p].count; i++)
        {
            const char* name = use_name(r, wanted->at[p].signals[i]);
            if (name == NULL || !panels_add(&r->panels, name))
                return false;
        }
    }
    return true;
}

static void panels_written(Run* r)
{
    for (int p = 0; p < kaiModel_PlotCount(r->model); p++)
    {
        const uint32_t* variables;
        int against, count = kaiModel_PlotVariables(r->model, p, &variables, &against);
        if (!panels_begin(&r->panels, against >= 0 ? use(r, against) : NULL))
            return;
        for (int i = 0; i < count; i++)
        {
            const char* name = use(r, (int)variables[i]);
            r->panels.left_out += name == NULL || !panels_add(&r->panels, name);
        }
    }
}

// States of parts are what the parts are made of: their signals say more.
static bool has_own_states(const Run* r)
{
    kaiVariable v;
    bool own = false;
    for (int i = 0; i < kaiModel_StateCount(r->model); i++)
        own |= kaiModel_Variable(r->model, kaiModel_StateVariable(r->model, i), &v) && v.column != NULL && !v.inner;
    return own;
}

// What is drawn where no panels are written: what is recorded, otherwise the states; of a circuit the signals of its
// parts.
typedef struct Candidates
{
    const uint32_t* recorded;
    int count;
    bool own;
} Candidates;

static Candidates find_candidates(const Run* r)
{
    Candidates c = {0};
    c.count = kaiModel_RecordedVariables(r->model, &c.recorded);
    c.recorded = c.count > 0 ? c.recorded : NULL;
    c.own = has_own_states(r);
    if (c.recorded == NULL && kaiModel_StateCount(r->model) > 0)
        c.count = c.own ? kaiModel_StateCount(r->model) : kaiModel_VariableCount(r->model);
    return c;
}

static bool get_candidate(const Run* r, const Candidates* c, int i, int* variable, kaiVariable* v)
{
    *variable = c->recorded != NULL ? (int)c->recorded[i] : c->own ? kaiModel_StateVariable(r->model, i) : i;
    return kaiModel_Variable(r->model, *variable, v) && v->column != NULL && v->column_kind == KAI_COLUMN_REAL &&
           (c->recorded != NULL || (!v->inner && v->causality != KAI_CAUSALITY_INPUT));
}

// Those of one unit together.
static void panels_chosen(Run* r)
{
    enum
    {
        PANELS_SHOWN = 4,
        TOGETHER = 6
    };
    const char* units[PANELS_SHOWN];
    Candidates candidates = find_candidates(r);
    int lists[PANELS_SHOWN][TOGETHER], counts[PANELS_SHOWN] = {0}, groups = 0;
    for (int i = 0; i < candidates.count; i++)
    {
        kaiVariable v;
        int variable, g = 0;
        if (!get_candidate(r, &candidates, i, &variable, &v))
            continue;
        const char* unit = v.unit != NULL ? v.unit : "";
        while (g < groups && strcmp(units[g], unit) != 0)
            g++;
        if (g == groups && groups < PANELS_SHOWN)
            units[groups++] = unit;
        if (g == PANELS_SHOWN || counts[g] == TOGETHER)
            r->panels.left_out++;
        else
            lists[g][counts[g]++] = variable;
    }
    for (int g = 0; g < groups; g++)
    {
        panels_begin(&r->panels, NULL);
        for (int i = 0; i < counts[g]; i++)
            panels_add(&r->panels, use(r, lists[g][i]));
    }
}

// A model without states: the first signals.
static void panels_of_signals(Run* r)
{
    kaiVariable v;
    for (int i = 0; kaiModel_Variable(r->model, i, &v); i++)
    {
        if (v.column == NULL || v.column_kind == KAI_COLUMN_MODE)
            continue;
        if (r->panels.count == 4)
            r->panels.left_out++;
        else if (panels_begin(&r->panels, NULL))
            panels_add(&r->panels, use(r, i));
    }
}

static bool choose_panels(Run* r)
{
    if (r->request->wanted.count > 0)
        return panels_named(r);
    panels_written(r);
    if (r->panels.count == 0)
        panels_chosen(r);
    if (r->panels.count == 0)
        panels_of_signals(r);
    return true;
}

// ---- drawing

static bool wants_instants(const PlotRequest* q)
{
    return q->instants || !isnan(q->instant);
}

static kaiStatus make_instants(Run* r, const kaiColumn* columns, int count)
{
    PlotRequest* q = r->request;
    r->instants = kaiInstants_Create(&q->figure, q->instants ? NAN : q->instant, columns, count, &r->error);
    if (r->instants == NULL)
        return r->error.status;
    return kaiInstants_Show(r->instants, r->panels.names, r->panels.name_count, &r->error);
}

// The figure knows its columns from the first sim.
static kaiStatus make_figure(Run* r, const kaiSim* sim)
{
    PlotRequest* q = r->request;
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    if (r->figure != NULL || r->instants != NULL)
        return KAI_OK;
    q->figure.time_unit = r->shows_units ? "s" : NULL;
    if (wants_instants(q))
        return make_instants(r, columns, count);
    if (r->panels.left_out > 0)
    {
        snprintf(r->remark, sizeof r->remark, "%d more signal%s not shown: --signals a,b", r->panels.left_out,
                 r->panels.left_out == 1 ? " is" : "s are");
        q->figure.remark = r->remark;
    }
    r->figure = kaiFigure_Create(&q->figure, columns, count, r->panels.at, r->panels.count, &r->error);
    return r->figure != NULL ? KAI_OK : r->error.status;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Run* r = user;
    return r->figure != NULL ? kaiFigure_Row(r->figure, row) : kaiInstants_Row(r->instants, row);
}

static void on_fired(void* user, const kaiFired* fired)
{
    Run* r = user;
    if (r->instants != NULL)
        kaiInstants_Fired(r->instants, fired);
    else
        kaiFigure_Fired(r->figure, fired);
}

// ---- running

static kaiSim* create(Run* r, const kaiModel* model)
{
    return kaiSim_Create(model, &r->options, &r->error);
}

static kaiStatus on_branch(void* user, int branch)
{
    Run* r = user;
    char label[40];
    snprintf(label, sizeof label, "outcome %d", branch);
    kaiStatus status = r->figure != NULL ? kaiFigure_BeginRun(r->figure, label) : KAI_OK;
    if (status == KAI_ERR_USAGE)
        snprintf(r->text, sizeof r->text, "more outcomes than one figure can show");
    return status;
}

static kaiStatus run_sim(Run* r, kaiSim* sim)
{
    if (!explores_choices(&r->options) || r->figure == NULL)
        return kaiSim_Run(sim);
    kaiExploreEvents events = {.begin = on_branch, .user = r};
    kaiExploration result;
    return kaiSim_Explore(r->model, sim, &events, &result);
}

// A run that failed is drawn as far as it came, and said so.
static kaiStatus conclude(Run* r, kaiSim* sim, kaiStatus status)
{
    if (r->request->silent)
        return status;
    if (!r->request->quiet)
        print_warnings(r->request->run->program, sim);
    if (status == KAI_ERR_RUN || status == KAI_ERR_LIMIT)
        print_failure(r->request->run->program, kaiSim_Failure(sim));
    if (status == KAI_INTERRUPTED)
        fprintf(stderr, "kairos: stopped at t = %.9g before the end: interrupted\n", kaiSim_Now(sim).t);
    return status;
}

// The name of a run, if there are several: its experiment, its values, or both.
static kaiStatus begin_run(Run* r, const kaiSweep* sweep, int64_t point)
{
    char values[200] = "", label[300];
    if ((kaiSweep_PointCount(sweep) == 1 && r->label == NULL) || r->figure == NULL)
        return KAI_OK;
    if (kaiSweep_PointCount(sweep) > 1)
        kaiSweep_Describe(sweep, point, values, sizeof values);
    snprintf(label, sizeof label, "%s%s%s", r->label != NULL ? r->label : "",
             r->label != NULL && values[0] != 0 ? ", " : "", values);
    kaiStatus status = kaiFigure_BeginRun(r->figure, label);
    if (status != KAI_OK)
        snprintf(r->text, sizeof r->text, "more runs than one figure can show; give values with --set");
    return status;
}

// One point of the sweep, or the one run that there is. The columns of the first sim are those of the figure: it is
// kept.
static kaiStatus run_point(Run* r, const kaiSweep* sweep, int64_t point)
{
    kaiSim* sim = create(r, r->model);
    kaiStatus status = sim != NULL ? make_figure(r, sim) : r->error.status;
    if (status == KAI_OK)
        status = begin_run(r, sweep, point);
    if (status == KAI_OK)
        status = kaiSweep_Set(sweep, point, r->model, sim);
    if (status == KAI_OK)
        status = conclude(r, sim, run_sim(r, sim));
    if (r->first == NULL)
        r->first = sim;
    else
        kaiSim_Free(sim);
    return status;
}

// The runs of the experiment. NULL: they cannot be drawn, and it is said why.
static kaiSweep* plan(Run* r)
{
    const char* why = NULL;
    kaiSweep* sweep = kaiSweep_Create(r->request->run->program, r->model, &r->request->run->load, &r->error);
    bool several = kaiSweep_PointCount(sweep) > 1;
    if (several && kaiSweep_IsStructural(sweep))
        why = "the sweep changes the structure of the model; choose one point with --set";
    else if (several && wants_instants(r->request))
        why = "the experiment is a sweep; choose one point with --set";
    if (why == NULL)
        return sweep;
    snprintf(r->text, sizeof r->text, "%s", why);
    r->error.status = KAI_ERR_USAGE;
    kaiSweep_Free(sweep);
    return NULL;
}

// All runs of one experiment. A run that fails is kept in mind and drawn as far as it came.
static kaiStatus run_all(Run* r)
{
    kaiSweep* sweep = plan(r);
    kaiStatus status = sweep != NULL ? KAI_OK : r->error.status;
    int64_t points = kaiSweep_PointCount(sweep);
    for (int64_t point = 0; status >= 0 && status != KAI_INTERRUPTED && point < points; point++)
    {
        status = run_point(r, sweep, point);
        r->failed |= status == KAI_ERR_RUN || status == KAI_ERR_LIMIT || status == KAI_INTERRUPTED;
        if (status == KAI_ERR_RUN)
            status = KAI_OK;
    }
    kaiSweep_Free(sweep);
    return status == KAI_ERR_LIMIT ? KAI_OK : status;  // no further run is begun
}

static kaiStatus draw(Run* r)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(r->first, &count);
    if (!overlay_draw(r->figure, r->request->overlay, columns, count, &r->panels))
        return KAI_ERR_USAGE;
    kaiStatus status =
        r->figure != NULL ? kaiFigure_Draw(r->figure, &r->error) : kaiInstants_Draw(r->instants, &r->error);
    return status == KAI_OK && r->failed ? KAI_ERR_RUN : status;
}

// ---- the command

static void set_options(Run* r)
{
    PlotRequest* q = r->request;
    r->options = request_options(q->run, r->model);
    r->options.row = on_row;
    r->options.row_user = r;
    r->options.fired = on_fired;
    r->options.fired_user = r;
    r->options.record = r->record;
    r->options.record_count = r->record_count;
    double from = fmax(q->figure.from, r->options.start), to = fmin(q->figure.to, r->options.stop);
    r->options.row_gap = wants_instants(q) ? 0 : (to - from) / (draws_page(q) ? 4000 : 1000);
}

static int columns_of(const kaiModel* model)
{
    kaiVariable v;
    int count = 0;
    for (int i = 0; kaiModel_Variable(model, i, &v); i++)
        count += v.column != NULL;
    return count;
}

static kaiStatus set_up(Run* r)
{
    PlotRequest* q = r->request;
    r->record = malloc(sizeof *r->record * (size_t)(kaiModel_VariableCount(r->model) + 1));
    if (r->record == NULL)
        return KAI_ERR_MEMORY;
    if (!wants_instants(q) || q->wanted.count > 0)
        if (!choose_panels(r))
            return KAI_ERR_USAGE;
    record_kind(r, !wants_instants(q) && !(draws_page(q) && columns_of(r->model) <= PAGE_SIGNALS));
    set_options(r);
    return KAI_OK;
}

// Another experiment, which has the signals of the first.
static kaiStatus go_on_with(Run* r, const kaiModel* model)
{
    for (int i = 0; i < r->record_count; i++)
    {
        const char* name = kaiModel_VariableName(r->model, r->record[i]);
        r->record[i] = kaiModel_FindVariable(model, name);
        if (r->record[i] < 0)
        {
            snprintf(r->text, sizeof r->text, "experiment %s has no signal `%s`: draw it in a figure of its own",
                     r->label, name);
            return KAI_ERR_USAGE;
        }
    }
    r->model = model;
    set_options(r);
    return KAI_OK;
}

static kaiStatus run_experiments(Run* r, const kaiModel* const* models, char* const* names, int count)
{
    kaiStatus status = set_up(r);
    if (status == KAI_OK && count > 1 && wants_instants(r->request))
    {
        snprintf(r->text, sizeof r->text, "instants are shown of one experiment");
        return KAI_ERR_USAGE;
    }
    for (int i = 0; i < count && status >= 0 && status != KAI_INTERRUPTED; i++)
    {
        r->label = count > 1 ? names[i] : NULL;
        status = i > 0 ? go_on_with(r, models[i]) : status;
        if (status == KAI_OK)
            status = run_all(r);
        status = status == KAI_END ? KAI_OK : status;
    }
    return status >= 0 ? draw(r) : status;
}

static int draw_models(PlotRequest* q, const kaiModel* const* models, char* const* names, int count)
{
    Run r = {.request = q, .model = models[0]};
    q->figure.source_line = kaiProgram_SourceLine;
    q->figure.source_user = q->run->program;
    kaiStatus status = run_experiments(&r, models, names, count);
    if (q->silent)
        status = status == KAI_ERR_RUN ? KAI_OK : status;  // drawn as far as it came
    else if (status < 0 && (r.text[0] != 0 || r.error.message != NULL))
        fprintf(stderr, "kairos: %s\n", r.text[0] != 0 ? r.text : r.error.message);
    else if (r.panels.left_out > 0 && !q->quiet)
        fprintf(stderr, "kairos: %d more signal%s; choose with --signals a,b\n", r.panels.left_out,
                r.panels.left_out == 1 ? "" : "s");
    kaiFigure_Free(r.figure);
    kaiInstants_Free(r.instants);
    kaiSim_Free(r.first);
    free(r.record);
    return exit_code(status);
}

int plot_figure(PlotRequest* q, const kaiModel* model)
{
    return draw_models(q, &model, NULL, 1);
}

// "a,b,c": experiments to draw over each other. Cuts the text, which is an argument of the program.
static int split_experiments(PlotRequest* q, char* names[EXPERIMENTS_MAX])
{
    int count = 0;
    char* text = (char*)q->run->load.experiment;
    for (char* name = text != NULL ? strtok(text, ",") : NULL; name != NULL && count < EXPERIMENTS_MAX;
         name = strtok(NULL, ","))
        names[count++] = name;
    return count;
}

int plot_model(PlotRequest* q)
{
    kaiModel* models[EXPERIMENTS_MAX] = {0};
    char *names[EXPERIMENTS_MAX] = {0}, title[2 * NAME_MAX_LENGTH];
    interrupt_catch();
    int count = split_experiments(q, names), code = EXIT_DONE;
    count += count == 0;  // the first of the file
    for (int i = 0; i < count && code == EXIT_DONE; i++)
    {
        if (names[i] != NULL)
            q->run->load.experiment = names[i];
        code = request_load(q->run, &models[i]);
        if (code == EXIT_DONE)
            code = spare_inputs(q->run->program, q->run->output);
    }
    if (code == EXIT_DONE)
    {
        q->run->chosen_of = 0;
        if (count > 1)
            q->run->load.experiment = NULL;
        request_title(q->run, models[0], title, sizeof title);
        if (!q->has_title)
            q->figure.title = title;
        code = draw_models(q, (const kaiModel* const*)models, names, count);
    }
    for (int i = 0; i < count; i++)
        kaiModel_Free(models[i]);
    return code;
}
