// See unit.h: making an instance, initialization, values.
#include "fmu/unit_inside.h"

#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(Unit* unit, UnitLevel level, const char* format, va_list args)
{
    vsnprintf(unit->message, sizeof unit->message, format, args);
    if (unit->listener.log != NULL && (level == UNIT_ERROR || (unit->listener.levels >> level & 1) != 0))
        unit->listener.log(unit->listener.user, level, unit->message);
}

void unit_note(Unit* unit, const char* format, ...)
{
    if ((unit->listener.levels >> UNIT_INFO & 1) == 0)
        return;
    va_list args;
    va_start(args, format);
    say(unit, UNIT_INFO, format, args);
    va_end(args);
}

bool unit_listen(Unit* unit, bool on, size_t count, const char* const categories[])
{
    static const char* const words[] = {"logEvents", "logStatusWarning", "logStatusError"};
    unsigned levels = on && count == 0 ? 7 : 0;
    for (size_t i = 0; i < count; i++)
    {
        int k = 0;
        while (k < 3 && (categories == NULL || categories[i] == NULL || strcmp(words[k], categories[i]) != 0))
            k++;
        if (k == 3)
            return unit_refuse(unit, "there is no category %s of the log",
                               categories != NULL && categories[i] != NULL ? categories[i] : "NULL");
        levels |= 1u << k;
    }
    unit->listener.levels = on ? levels : count > 0 ? unit->listener.levels & ~levels : 0;
    return true;
}

bool unit_fail(Unit* unit, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    say(unit, UNIT_ERROR, format, args);
    va_end(args);
    unit->mode = UNIT_FAILED;
    return false;
}

bool unit_refuse(Unit* unit, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    say(unit, UNIT_ERROR, format, args);
    va_end(args);
    return false;
}

bool unit_may(Unit* unit, unsigned modes, const char* function)
{
    static const char* const words[] = {"before initialization",   "during initialization", "in event mode",
                                        "in continuous-time mode", "in step mode",          "after its end",
                                        "after an error",          "in configuration mode"};
    bool between = unit->version == 2 && unit->mode == UNIT_STEPPING;  // which has no step mode
    return (modes & 1u << unit->mode) != 0 || unit_refuse(unit, "fmi%d%s must not be called %s", unit->version,
                                                          function, between ? "between steps" : words[unit->mode]);
}

bool unit_has_count(Unit* unit, size_t count, int wanted)
{
    return count == (size_t)wanted || unit_refuse(unit, "the array has %zu values instead of %d", count, wanted);
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

// Runs speak in the units that the model declares, importers in SI units: values go through here.
double unit_to_si(const Unit* unit, int variable, double value)
{
    return scale_to_si(var_scale(&unit->model->vars[variable]), value);
}

double unit_from_si(const Unit* unit, int variable, double value)
{
    return scale_from_si(var_scale(&unit->model->vars[variable]), value);
}

// Where sources contradict each other in modes that are left at once, a weight is infinite (B4): it says where to, and
// moves nothing.
static double weight_of(const Unit* unit, int variable, double value)
{
    return isfinite(value) ? unit_to_si(unit, variable, value) - unit_to_si(unit, variable, 0) : 0;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Unit* unit = user;
    for (int i = 0; i < unit->column_count; i++)
    {
        const Column* c = &unit->columns[i];
        Tally* tally = &unit->tallies[c->variable];
        if (!row->present[i])
            continue;
        if (c->order == 1)
            tally->area += weight_of(unit, c->variable, row->values[i]);
        else if (c->order == 0 && c->event)
        {
            tally->count++;
            tally->payload = unit_to_si(unit, c->variable, row->values[i]);
            tally->present = true;
        }
        else if (c->order == 0)
            tally->held = unit_to_si(unit, c->variable, row->values[i]);
    }
    return KAI_OK;
}

static void set_options(Unit* unit)
{
    kaiSimOptions o = kaiModel_SimOptions(unit->model);
    if (!isnan(unit->experiment.tolerance))
        o.rtol = unit->experiment.tolerance;
    if (strncmp(o.solver, "cvode", 5) == 0)
        o.solver = "auto";  // an FMU needs libc and libm only
    // The importer says how far it goes only step by step. A method of high order would go on and on where nothing
    // bends, and a crossing is located to a part of the step.
    if (o.max_step == 0 && isfinite(o.stop))
        o.max_step = o.stop - o.start > 0 ? o.stop - o.start : 1;
    if (!isnan(unit->experiment.start))
        o.start = unit->experiment.start;
    o.stop = INFINITY;
    o.rows = "steps";
    o.events = "tags";
    o.record = unit->record;
    o.record_count = unit->record_count;
    o.row = unit->record_count > 0 ? on_row : NULL;
    o.row_user = unit;
    if (unit->exchange)  // both work on steps, which are the importer's
    {
        o.balance = 0;
        o.zeno = strcmp(o.zeno, "off") == 0 ? "off" : "stop";
    }
    unit->options = o;
}

static bool open_model(Unit* unit, const char* resources)
{
    if (setjmp(unit->fail) != 0)
        return unit_fail(unit, "out of memory");
    arena_init(&unit->arena, kaiDefaultAllocator(), &unit->fail);
    if (resources == NULL)
        return unit_fail(unit, "the importer does not say where the resources of the FMU are");
    char why[1200];
    if (!store_open(&unit->store, &unit->arena, store_folder(&unit->arena, resources), why, sizeof why))
        return unit_fail(unit, "%s", why);
    unit->model = unit_model(unit, NULL, 0, why, sizeof why);
    if (unit->model == NULL)
        return unit_fail(unit, "%s", why);
    unit_take_model(unit);
    return true;
}

Unit* unit_create(const char* resources, int version, bool exchange, UnitLog* log, void* user)
{
    Unit* unit = calloc(1, sizeof *unit);
    if (unit == NULL)
        return NULL;
    unit->version = version;
    unit->exchange = exchange;
    unit->listener = (UnitListener){log, user, 0};
    unit->experiment.start = unit->experiment.tolerance = NAN;
    unit->experiment.stop = INFINITY;
    if (!open_model(unit, resources))
    {
        unit_free(unit);
        return NULL;
    }
    set_options(unit);
    unit->t = unit->options.start;
    return unit;
}

static void stop_run(Unit* unit)
{
    kaiEval_Free(unit->eval);
    kaiSim_Free(unit->sim);
    unit->eval = NULL;
    unit->sim = NULL;
    unit->ready = unit->looked = unit->inside = unit->halted = false;
    for (int i = 0; i < kaiModel_VariableCount(unit->model); i++)  // what is set for the start is still to come
    {
        bool posted = unit->tallies[i].posted, fresh = unit->tallies[i].fresh;
        memset(&unit->tallies[i], 0, sizeof *unit->tallies);
        unit->tallies[i].posted = posted;
        unit->tallies[i].fresh = fresh;
    }
}

void unit_free(Unit* unit)
{
    if (unit == NULL)
        return;
    kaiEval_Free(unit->eval);
    kaiSim_Free(unit->sim);
    for (uint32_t i = 0; i < unit->structure.models.count; i++)
        kaiModel_Free(unit->structure.models.at[i].model);
    free(unit->instant.before);
    free(unit->instant.done);
    arena_free(&unit->arena);
    free(unit);
}

void unit_clear_inputs(Unit* unit)
{
    int vars = kaiModel_VariableCount(unit->model);
    memset(unit->tallies, 0, sizeof *unit->tallies * (size_t)vars);
    for (int i = 0; i < vars; i++)
        unit->inputs[i] = unit->model->vars[i].column == KAI_COLUMN_EVENT ? 1 : 0;  // a payload that nobody has set
    unit->unsettled = false;
}

bool unit_reset(Unit* unit)
{
    if (unit->structure.configured && !unit_restructure(unit, NULL, 0))
        return false;
    size_t vars = (size_t)kaiModel_VariableCount(unit->model);
    stop_run(unit);
    memset(unit->given, 0, sizeof *unit->given * vars);
    unit_clear_inputs(unit);
    unit->zeno.count = 0;
    unit->experiment.start = unit->experiment.tolerance = NAN;
    unit->experiment.stop = INFINITY;
    unit->mode = UNIT_INSTANTIATED;
    set_options(unit);
    unit->t = unit->options.start;
    return true;
}

// ---- the start
// -------------------------------------------------------------------------------------------------------

// The columns of the rows, as the run has them.
static void make_columns(Unit* unit)
{
    int variable, order = 0;
    unit->column_count = 0;
    for (int i = 0;; i++)
    {
        variable = unit->exchange ? kaiEval_ColumnVariable(unit->eval, i, &order)
                                  : kaiSim_ColumnVariable(unit->sim, i, &order);
        if (variable < 0)
            break;
        bool event = unit->model->vars[variable].column == KAI_COLUMN_EVENT;
        unit->columns[unit->column_count++] = (Column){variable, order, event};
    }
}

bool unit_make_run(Unit* unit)
{
    kaiError why;
    stop_run(unit);
    set_options(unit);
    if (unit->exchange)
        unit->eval = kaiEval_Create(unit->model, &unit->options, &why);
    else
        unit->sim = kaiSim_Create(unit->model, &unit->options, &why);
    if (unit->eval == NULL && unit->sim == NULL)
        return unit_fail(unit, "%s", why.message);
    make_columns(unit);
    return true;
}

static kaiStatus give(Unit* unit, int variable, double value)
{
    return unit->exchange ? kaiEval_Set(unit->eval, variable, value)
                          : kaiSim_Set(unit->sim, variable, unit_from_si(unit, variable, value));
}

bool unit_run_failed(Unit* unit)
{
    const kaiError* e = unit->exchange ? kaiEval_Failure(unit->eval) : kaiSim_Failure(unit->sim);
    const char* message = e != NULL && e->message != NULL ? e->message : "the run failed";
    if (e != NULL && e->place.file != NULL)
        return unit_fail(unit, "%s:%d:%d: %s%s%s", e->place.file, e->place.line, e->place.column, message,
                         e->help != NULL ? "; " : "", e->help != NULL ? e->help : "");
    return unit_fail(unit, "%s", message);
}

static bool read_value(Unit* unit, int variable, double* value)
{
    bool present = unit->exchange ? kaiEval_Get(unit->eval, variable, value) : kaiSim_Get(unit->sim, variable, value);
    if (!unit->exchange)
        *value = unit_to_si(unit, variable, *value);
    return present;
}

// What inputs are where the run begins.
static void read_inputs(Unit* unit)
{
    for (uint32_t i = 1; i < unit->catalogue.list.count; i++)
    {
        const FmiVariable* v = &unit->catalogue.list.at[i];
        if (v->causality == FMI_INPUT && v->variable >= 0 && v->aspect == FMI_VALUE)
            read_value(unit, v->variable, &unit->inputs[v->variable]);
    }
}

bool unit_ready(Unit* unit)
{
    if (unit->ready)
        return true;
    if (!unit_make_run(unit))
        return false;
    for (int i = 0; i < kaiModel_VariableCount(unit->model); i++)
        if (unit->given[i])
            give(unit, i, unit->given_values[i]);
    unit->t = unit->options.start;
    kaiStatus status = unit->exchange ? kaiEval_Start(unit->eval, unit->x) : kaiSim_StepTo(unit->sim, unit->t);
    if (status < 0)
        return unit_run_failed(unit);
    unit->ready = true;
    unit->looked = false;
    read_inputs(unit);
    unit->halted = unit->exchange ? kaiEval_Halted(unit->eval) : kaiSim_HaltText(unit->sim) != NULL;
    return true;
}

bool unit_set_up(Unit* unit, double tolerance, double start, bool has_stop, double stop)
{
    if (!isfinite(start) || (has_stop && stop < start))
        return unit_refuse(unit, "the start time %g and the stop time %g do not belong together", start, stop);
    unit->experiment.start = unit->t = start;
    unit->experiment.stop = has_stop ? stop : INFINITY;
    if (tolerance > 0 && tolerance < 1)
        unit->experiment.tolerance = tolerance;
    return true;
}

bool unit_begin_initialization(Unit* unit)
{
    unit->mode = UNIT_INITIALIZING;
    unit->ready = false;
    return true;
}

bool unit_end_initialization(Unit* unit)
{
    if (!unit_ready(unit))
        return false;
    unit->mode = unit->exchange ? UNIT_EVENT : UNIT_STEPPING;
    unit->experiment.last = unit->t;
    return true;
}

// ---- values
// ------------------------------

static bool is_started(const Unit* unit)
{
    return unit->mode != UNIT_INSTANTIATED && unit->mode != UNIT_CONFIGURING;
}

// The eval stands at (t, x).
static bool look(Unit* unit)
{
    if (unit->looked || unit->inside || !unit->exchange)
        return true;
    if (kaiEval_Look(unit->eval, unit->t, unit->x) != KAI_OK)
        return false;
    unit_stands(unit);
    return true;
}

static void get_value(Unit* unit, const FmiVariable* v, double* value)
{
    const Tally* tally = &unit->tallies[v->variable];
    if (v->state >= 0 && unit->exchange)
        *value = unit->x[v->state];
    else if (v->causality == FMI_INPUT)
        *value = unit->inputs[v->variable];
    else if (!read_value(unit, v->variable, value))
        *value = tally->held;
    if (v->type == FMI_ENUMERATION)
        *value += 1;
    else if (v->type == FMI_BOOLEAN)
        *value = *value != 0;
}

static bool get_rate(Unit* unit, const FmiVariable* v, double* value)
{
    *value = 0;
    if (unit->inside)
        return unit_refuse(unit, "%s has no value between the tags of an instant", v->name);
    if (!unit->looked || !unit->rated)  // all at once for those who ask for one after the other
    {
        if (unit->exchange ? !unit_rates(unit, unit->dx) : kaiSim_Rates(unit->sim, unit->dx) != KAI_OK)
            return false;
        unit_stands(unit);
        unit->rated = true;
    }
    *value = unit->dx[v->state];
    return true;
}

static bool get_watch(Unit* unit, const FmiVariable* v, double* value)
{
    if (unit->inside || !unit->exchange)
        return unit_refuse(unit, "%s has no value here", v->name);
    if (!unit->looked || !unit->watched)
    {
        if (!unit_indicators(unit, unit->watch))
            return false;
        unit->watched = true;
    }
    *value = unit->watch[v->state];
    return true;
}

static bool get_started(Unit* unit, const FmiVariable* v, double* value)
{
    double any;
    switch (v->aspect)
    {
    case FMI_TIME: *value = unit->t; return true;
    case FMI_RATE: return get_rate(unit, v, value);
    case FMI_COUNT: *value = unit->tallies[v->variable].count; return true;
    case FMI_PAYLOAD: *value = unit->tallies[v->variable].payload; return true;
    case FMI_AREA: *value = unit->tallies[v->variable].area; return true;
    case FMI_SIZE: *value = v->start; return true;
    case FMI_WATCH: return get_watch(unit, v, value);
    case FMI_PRESENT:
        if (unit->model->vars[v->variable].column == KAI_COLUMN_EVENT)
            *value = unit->tallies[v->variable].present;
        else
            *value = look(unit) && read_value(unit, v->variable, &any);
        return true;
    case FMI_VALUE: break;
    }
    if (!look(unit))
        return false;
    get_value(unit, v, value);
    return true;
}

// An input event is a level and a payload, which read back as they were set; whether a clock ticks is said by the tag.
static bool get_set_event(const Unit* unit, const FmiVariable* v, double* value)
{
    if (v->causality != FMI_INPUT || v->aspect == FMI_VALUE || v->type == FMI_CLOCK)
        return false;
    *value = v->aspect == FMI_PAYLOAD ? unit->inputs[v->variable] : unit->tallies[v->variable].posted;
    return v->aspect == FMI_PAYLOAD || v->aspect == FMI_PRESENT;
}

bool unit_get(Unit* unit, uint32_t reference, double* value)
{
    if (reference >= unit->catalogue.list.count)
        return unit_refuse(unit, "there is no variable with value reference %u", reference);
    const FmiVariable* v = &unit->catalogue.list.at[reference];
    if (get_set_event(unit, v, value))
        return true;
    if (is_started(unit))
        return unit_ready(unit) && get_started(unit, v, value);
    if (v->variable >= 0 && unit->given[v->variable])
        *value = unit->given_values[v->variable];
    else
        *value = v->aspect == FMI_TIME ? unit->t : isnan(v->start) ? 0 : v->start;
    return true;
}

// Co-Simulation sees inputs when it goes on: until then the state of the run is that of the last step.
bool unit_give_inputs(Unit* unit)
{
    bool ok = true;
    for (int i = 0; i < kaiModel_VariableCount(unit->model) && ok && unit->unsettled; i++)
    {
        Tally* tally = &unit->tallies[i];
        if (!tally->fresh)
            continue;
        tally->fresh = false;
        bool event = unit->model->vars[i].column == KAI_COLUMN_EVENT;
        kaiStatus status = event ? kaiSim_Post(unit->sim, i, unit->inputs[i], kaiSim_Now(unit->sim).t, NULL)
                                 : give(unit, i, unit->inputs[i]);
        ok = status == KAI_OK || unit_refuse(unit, "%s cannot be set", kaiModel_VariableName(unit->model, i));
    }
    unit->unsettled = false;
    return ok;
}

bool unit_post_events(Unit* unit)
{
    if (!unit->unsettled)
        return true;
    if (!unit->inside && unit->t < kaiEval_Now(unit->eval).t)
        return unit_refuse(unit, "time t = %.17g lies before the last event", unit->t);
    for (int i = 0; i < kaiModel_VariableCount(unit->model); i++)
    {
        if (!unit->tallies[i].fresh)
            continue;
        unit->tallies[i].fresh = false;
        if (kaiEval_Post(unit->eval, i, unit->inputs[i]) != KAI_OK)
            return unit_refuse(unit, "%s cannot happen now", kaiModel_VariableName(unit->model, i));
    }
    unit->unsettled = false;
    return true;
}

// The level where the importer goes on decides, and the payload there: neither is final before. A clock is set anew for
// each of its ticks, a Boolean has to fall first.
static void post_event(Unit* unit, const FmiVariable* v, double value)
{
    Tally* tally = &unit->tallies[v->variable];
    bool rises = value != 0 && (v->type == FMI_CLOCK || !tally->posted);
    tally->posted = value != 0;
    tally->fresh = rises || (tally->fresh && value != 0);
    unit->unsettled |= tally->fresh;
}

// In continuous-time mode an input moves, in event mode it jumps.
static kaiStatus move_input(Unit* unit, int variable, double value)
{
    if (unit->mode == UNIT_CONTINUOUS && unit->model->vars[variable].column == KAI_COLUMN_REAL)
        return kaiEval_Flow(unit->eval, variable, value);
    return kaiEval_Set(unit->eval, variable, value);
}

static bool set_input(Unit* unit, uint32_t reference, double value)
{
    const FmiVariable* v = &unit->catalogue.list.at[reference];
    if (unit->inside && !unit_keep_done(unit, (int)reference, value))
        return false;
    if (v->aspect == FMI_PRESENT)
        return post_event(unit, v, value), true;
    bool changed = unit->inputs[v->variable] != value;
    unit->inputs[v->variable] = value;
    if (v->aspect == FMI_PAYLOAD || !changed)
        return true;
    if (!unit->exchange)
        return unit->unsettled = unit->tallies[v->variable].fresh = true;
    if (move_input(unit, v->variable, value) != KAI_OK)
        return unit_refuse(unit, "%s cannot be set", v->name);
    unit->looked = false;
    return true;
}

bool unit_set(Unit* unit, uint32_t reference, double value)
{
    if (reference >= unit->catalogue.list.count)
        return unit_refuse(unit, "there is no variable with value reference %u", reference);
    const FmiVariable* v = &unit->catalogue.list.at[reference];
    bool initial = unit->mode <= UNIT_INITIALIZING || unit->mode == UNIT_CONFIGURING;
    if (v->type == FMI_ENUMERATION)
        value -= 1;
    if (v->causality == FMI_INPUT && !initial)
        return set_input(unit, reference, value);
    if (v->aspect == FMI_VALUE && v->state >= 0 && unit->exchange && !initial)
    {
        unit->x[v->state] = value;
        unit->looked = false;
        return true;
    }
    bool settable = v->causality == FMI_INPUT || v->initial == FMI_EXACT;
    if (!initial || !settable || v->variable < 0)
        return unit_refuse(unit, "%s cannot be set %s", v->name, initial ? "at all" : "any more: the run has begun");
    if (v->causality == FMI_STRUCTURAL && unit->store.compiled)
        return unit_refuse(unit, "%s is fixed: the FMU holds the compiled model only, its structure cannot change",
                           v->name);
    if (v->causality == FMI_STRUCTURAL && unit->mode != UNIT_CONFIGURING)
        return unit_refuse(unit, "%s decides the structure of the model: it is set in configuration mode (FMI 3.0)",
                           v->name);
    if (v->causality != FMI_STRUCTURAL && unit->mode == UNIT_CONFIGURING)
        return unit_refuse(unit, "%s is no structural parameter: it is set after configuration mode", v->name);
    if (v->aspect == FMI_PAYLOAD || v->aspect == FMI_PRESENT)
        return set_input(unit, reference, value);
    unit->given[v->variable] = true;
    unit->given_values[v->variable] = unit->inputs[v->variable] = value;
    unit->ready = false;
    return true;
}
