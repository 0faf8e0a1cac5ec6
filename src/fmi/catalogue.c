// See catalogue.h.
#include "fmi/catalogue.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

bool catalogue_may_be_absent(const kaiModel* model, int variable)
{
    const ModelVar* var = &model->vars[variable];
    bool optional = var->present != NO_REG || var->ctx != 0;
    return optional && var->kind != MODEL_PARAM && var->column != KAI_COLUMN_EVENT && var->column != KAI_COLUMN_MODE;
}

const char* catalogue_mode(const kaiModel* model, int machine, int mode)
{
    const Machine* m = &model->machines[machine];
    return mode >= 0 && (uint32_t)mode < m->mode_count
               ? model_string(model, model->modes[m->first_mode + (uint32_t)mode].name)
               : NULL;
}

// What the kinds of Kairos are in the words of the standard. The ports of an FMU are those of the root model: what an
// instance takes in or gives out is connected already.
static void classify(FmiVariable* f, const kaiVariable* v)
{
    bool root = strchr(v->name, '.') == NULL;
    f->continuous = v->variability == KAI_VARIABILITY_CONTINUOUS;
    f->fixed = v->kind == KAI_PARAM;
    switch (v->causality)
    {
    case KAI_CAUSALITY_PARAMETER:
        f->causality = v->variability == KAI_VARIABILITY_CONSTANT ? FMI_STRUCTURAL : FMI_PARAMETER;
        f->initial = FMI_EXACT;
        break;
    case KAI_CAUSALITY_CALCULATED_PARAMETER:
        f->causality = FMI_CALCULATED;
        f->initial = FMI_CALCULATED_INITIAL;
        break;
    case KAI_CAUSALITY_INPUT:
        f->causality = v->kind == KAI_INPUT ? FMI_INPUT : FMI_LOCAL;
        f->initial = v->kind == KAI_INPUT ? FMI_NONE : FMI_CALCULATED_INITIAL;
        break;
    default:
        f->causality = v->causality == KAI_CAUSALITY_OUTPUT && root ? FMI_OUTPUT : FMI_LOCAL;
        f->initial = v->settable && !isnan(v->start) ? FMI_EXACT : FMI_CALCULATED_INITIAL;
    }
    bool starts = f->initial == FMI_EXACT || f->causality == FMI_INPUT;
    f->start = !starts ? NAN : isnan(v->start) ? 0 : v->scale * v->start + v->offset;
}

static FmiVariable entry_of(const kaiVariable* v, int variable, FmiAspect aspect)
{
    FmiVariable f = {.name = v->name,
                     .description = v->description,
                     .unit = v->unit,
                     .aspect = aspect,
                     .variable = variable,
                     .state = -1,
                     .machine = -1,
                     .other = -1,
                     .place = v->place};
    classify(&f, v);
    return f;
}

// An entry beside that of the variable: what the run adds up about it.
static void add_beside(Catalogue* c, Arena* arena, const FmiVariable* of, FmiAspect aspect, FmiType type,
                       const char* tail, const char* what)
{
    FmiVariable f = *of;
    f.name = arena_printf(arena, "%s.%s", of->name, tail);
    f.description = arena_printf(arena, "%s %s", what, of->name);
    f.aspect = aspect;
    f.type = type;
    f.unit = aspect == FMI_PAYLOAD ? of->unit : NULL;
    f.continuous = false;
    f.state = f.machine = f.other = -1;
    if (f.causality != FMI_INPUT || aspect != FMI_PAYLOAD)
    {
        f.causality = FMI_LOCAL;
        f.initial = FMI_CALCULATED_INITIAL;
        f.start = NAN;
    }
    else
        f.start = 1;
    vec_push(arena, c->list, f);
    c->counts = true;
}

static void add_event(Catalogue* c, Arena* arena, FmiVariable f, int version)
{
    f.type = version == 3 ? FMI_CLOCK : FMI_BOOLEAN;
    f.aspect = FMI_PRESENT;
    f.continuous = false;
    if (f.causality == FMI_INPUT)
        f.start = 0;
    else
    {
        f.initial = FMI_CALCULATED_INITIAL;
        f.start = NAN;
    }
    const char* unit = f.unit;
    f.unit = NULL;
    vec_push(arena, c->list, f);
    f.unit = unit;
    add_beside(c, arena, &f, FMI_COUNT, FMI_INTEGER, "count", "how often there was");
    add_beside(c, arena, &f, FMI_PAYLOAD, FMI_REAL, "value",
               f.causality == FMI_INPUT ? "the payload of" : "the last payload of");
    c->counts = true;
}

static void add_value(Catalogue* c, Arena* arena, const kaiModel* model, FmiVariable f)
{
    const ModelVar* var = &model->vars[f.variable];
    if (var->column == KAI_COLUMN_BOOL)
        f.type = FMI_BOOLEAN;
    else if (var->column == KAI_COLUMN_MODE)
    {
        f.type = FMI_ENUMERATION;
        f.machine = (int)var->machine;
        f.initial = FMI_CALCULATED_INITIAL;
        f.start = NAN;
    }
    if (f.type != FMI_REAL)
    {
        f.continuous = false;
        f.unit = NULL;
    }
    vec_push(arena, c->list, f);
    if (catalogue_may_be_absent(model, f.variable) && f.causality != FMI_INPUT)
        add_beside(c, arena, &f, FMI_PRESENT, FMI_BOOLEAN, "present", "whether there is a value of");
    if (var->impulse_count > 0)
        add_beside(c, arena, &f, FMI_AREA, FMI_REAL, "area", "the sum of the impulses in");
}

static void add_rate(Catalogue* c, Arena* arena, const kaiModel* model, int s, uint32_t of)
{
    FmiVariable* state = &c->list.at[of];
    kaiVariable v;
    kaiModel_Variable(model, state->variable, &v);
    state->state = s;
    state->continuous = true;
    state->other = (int)c->list.count;
    FmiVariable rate = entry_of(&v, state->variable, FMI_RATE);
    rate.name = arena_printf(arena, "der(%s)", state->name);
    rate.description = NULL;
    rate.unit = v.unit != NULL ? arena_printf(arena, "%s/s", v.unit) : NULL;
    rate.causality = FMI_LOCAL;
    rate.initial = FMI_CALCULATED_INITIAL;
    rate.continuous = true;
    rate.start = NAN;
    rate.state = s;
    rate.other = (int)of;
    vec_push(arena, c->states, of);
    vec_push(arena, c->rates, c->list.count);
    vec_push(arena, c->list, rate);
}

static void add_rates(Catalogue* c, Arena* arena, const kaiModel* model)
{
    uint32_t* entries = arena_array(arena, uint32_t, kaiModel_VariableCount(model) + 1);
    for (uint32_t i = 1; i < c->list.count; i++)
        if (c->list.at[i].aspect == FMI_VALUE)
            entries[c->list.at[i].variable] = i;
    for (int s = 0; s < kaiModel_StateCount(model); s++)
        add_rate(c, arena, model, s, entries[kaiModel_StateVariable(model, s)]);
}

static void add_watch(Catalogue* c, Arena* arena, const kaiModel* model, uint32_t guard)
{
    FmiVariable f = {.name = arena_printf(arena, "_indicator_%u", guard + 1),
                     .description = model_string(model, model->guards[guard].text),
                     .aspect = FMI_WATCH,
                     .causality = FMI_LOCAL,
                     .initial = FMI_CALCULATED_INITIAL,
                     .continuous = true,
                     .variable = -1,
                     .state = (int)guard,
                     .machine = -1,
                     .other = -1,
                     .start = NAN};
    vec_push(arena, c->list, f);
}

void catalogue_make(Catalogue* c, Arena* arena, const kaiModel* model, int version)
{
    kaiVariable v;
    *c = (Catalogue){.counts = false};
    FmiVariable time = {
        .name = "time", .unit = "s", .aspect = FMI_TIME, .causality = FMI_INDEPENDENT, .continuous = true};
    time.variable = time.state = time.machine = time.other = -1;
    time.start = NAN;
    vec_push(arena, c->list, time);
    bool* is_state = arena_array(arena, bool, kaiModel_VariableCount(model) + 1);
    for (int s = 0; s < kaiModel_StateCount(model); s++)
        is_state[kaiModel_StateVariable(model, s)] = true;
    for (int i = 0; kaiModel_Variable(model, i, &v); i++)
    {
        FmiVariable f = entry_of(&v, i, FMI_VALUE);
        if (v.hidden && !is_state[i])
            continue;
        if (v.name[0] == '$')  // made by the compiler; the standard knows no such names
            f.name = arena_printf(arena, "_%s", v.name + 1);
        if (model->vars[i].column == KAI_COLUMN_EVENT)
            add_event(c, arena, f, version);
        else
            add_value(c, arena, model, f);
    }
    add_rates(c, arena, model);
    for (uint32_t i = 0; i < model->guards_count && version == 3; i++)
        add_watch(c, arena, model, i);
}

void catalogue_show(Catalogue* c, const char* const* names, int count)
{
    for (int k = 0; k < count; k++)
        for (uint32_t i = 0; i < c->list.count; i++)
            if (c->list.at[i].causality == FMI_LOCAL && strcmp(c->list.at[i].name, names[k]) == 0)
                c->list.at[i].causality = FMI_OUTPUT;
}
