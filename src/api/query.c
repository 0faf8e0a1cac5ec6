// Questions about a compiled model.
#include "base/error.h"
#include "kairos/kairos.h"
#include "lang/diagnostics.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- variables

int kaiModel_VariableCount(const kaiModel* model)
{
    return model != NULL ? (int)model->vars_count : 0;
}

static const ModelVar* variable_at(const kaiModel* model, int index)
{
    return index >= 0 && index < kaiModel_VariableCount(model) ? &model->vars[index] : NULL;
}

const char* kaiModel_VariableName(const kaiModel* model, int index)
{
    const ModelVar* var = variable_at(model, index);
    return var != NULL ? model_string(model, var->name) : NULL;
}

// What the compiler made inside a block may have the name of one of its variables: that which people see is meant.
int kaiModel_FindVariable(const kaiModel* model, const char* name)
{
    int found = -1;
    for (int i = 0; name != NULL && i < kaiModel_VariableCount(model); i++)
    {
        const ModelVar* var = &model->vars[i];
        if ((found >= 0 && var->hidden) || strcmp(model_string(model, var->name), name) != 0)
            continue;
        if (!var->hidden)
            return i;
        found = i;
    }
    return found;
}

const char* kaiVariableKind_Word(kaiVariableKind kind)
{
    static const char* const words[] = {"param", "state", "discrete", "signal", "event", "input", "mode"};
    return (unsigned)kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

static kaiCausality causality_of(const ModelVar* var)
{
    if (var->kind == MODEL_PARAM)
        return var->settable || var->structural ? KAI_CAUSALITY_PARAMETER : KAI_CAUSALITY_CALCULATED_PARAMETER;
    if (var->kind == MODEL_INPUT || var->is_input)
        return KAI_CAUSALITY_INPUT;
    return var->is_output ? KAI_CAUSALITY_OUTPUT : KAI_CAUSALITY_LOCAL;
}

static kaiVariability variability_of(const ModelVar* var)
{
    switch (var->kind)
    {
    case MODEL_PARAM: return var->structural ? KAI_VARIABILITY_CONSTANT : KAI_VARIABILITY_FIXED;
    case MODEL_DISCRETE:
    case MODEL_EVENT:
    case MODEL_MODE: return KAI_VARIABILITY_DISCRETE;
    default: return var->column == KAI_COLUMN_REAL ? KAI_VARIABILITY_CONTINUOUS : KAI_VARIABILITY_DISCRETE;
    }
}

static const char* text_or_null(const kaiModel* model, uint32_t text)
{
    const char* found = model_string(model, text);
    return found[0] != 0 ? found : NULL;
}

bool kaiModel_Variable(const kaiModel* model, int index, kaiVariable* variable)
{
    const ModelVar* var = variable_at(model, index);
    if (var == NULL || variable == NULL)
        return false;
    bool recorded = !var->hidden && var->kind != MODEL_PARAM;
    *variable = (kaiVariable){
        .name = model_string(model, var->name),
        .kind = (kaiVariableKind)var->kind,
        .causality = causality_of(var),
        .variability = variability_of(var),
        .unit = text_or_null(model, var->unit),
        .description = text_or_null(model, var->description),
        .scale = var->scale,
        .offset = var->offset,
        .start = model->start_values != NULL ? scale_from_si(var_scale(var), model->start_values[index]) : NAN,
        .settable = var->settable,
        .hidden = var->hidden,
        .inner = var->inner,
        .size = 1,
        .place = model_place(model, var->place),
        .column = recorded ? model_string(model, var->title) : NULL,
        .column_kind = (kaiColumnKind)var->column,
    };
    return true;
}

const char* kaiModel_NearestVariable(const kaiModel* model, const char* name)
{
    const char** names = name != NULL ? malloc(sizeof *names * (size_t)(kaiModel_VariableCount(model) + 1)) : NULL;
    if (names == NULL)
        return NULL;
    uint32_t count = 0;
    for (int i = 0; i < kaiModel_VariableCount(model); i++)
        if (!model->vars[i].hidden)
            names[count++] = model_string(model, model->vars[i].name);
    const char* nearest = diag_nearest(name, names, count);
    free(names);
    return nearest;
}

int kaiModel_StateCount(const kaiModel* model)
{
    return model != NULL ? (int)model->state_count : 0;
}

int kaiModel_StateVariable(const kaiModel* model, int state)
{
    return state >= 0 && state < kaiModel_StateCount(model) ? (int)model->state_vars[state] : -1;
}

// ---- the experiment

const char* kaiModel_Name(const kaiModel* model)
{
    return model != NULL ? model_string(model, model->name) : "";
}

const char* kaiModel_Experiment(const kaiModel* model)
{
    return model != NULL ? text_or_null(model, model->experiment) : NULL;
}

int kaiModel_PlotCount(const kaiModel* model)
{
    return model != NULL ? (int)model->plots_count : 0;
}

int kaiModel_PlotVariables(const kaiModel* model, int plot, const uint32_t** variables, int* against)
{
    if (plot < 0 || plot >= kaiModel_PlotCount(model) || variables == NULL || against == NULL)
        return 0;
    const PlotSet* set = &model->plots[plot];
    *variables = model->plot_vars + set->first;
    *against = (int)set->against - 1;
    return (int)set->count;
}

int kaiModel_RecordedVariables(const kaiModel* model, const uint32_t** variables)
{
    if (model == NULL || variables == NULL)
        return 0;
    *variables = model->record_vars;
    return (int)model->record_vars_count;
}

int kaiModel_SweepCount(const kaiModel* model)
{
    return model != NULL ? (int)model->sweeps_count : 0;
}

int kaiModel_SweepVariable(const kaiModel* model, int sweep, const double** values, int* count, bool* structural)
{
    if (sweep < 0 || sweep >= kaiModel_SweepCount(model) || values == NULL || count == NULL || structural == NULL)
        return -1;
    const Sweep* s = &model->sweeps[sweep];
    *values = model->numbers + s->first;
    *count = (int)s->count;
    *structural = s->structural || !model->vars[s->var].settable;
    return (int)s->var;
}

int kaiModel_SpreadCount(const kaiModel* model)
{
    return model != NULL ? (int)model->spreads_count : 0;
}

int kaiModel_SpreadVariable(const kaiModel* model, int spread, kaiSpread* kind, const double** values, int* count)
{
    if (spread < 0 || spread >= kaiModel_SpreadCount(model) || kind == NULL || values == NULL || count == NULL)
        return -1;
    const ModelSpread* s = &model->spreads[spread];
    *kind = (kaiSpread)s->kind;
    *values = model->numbers + s->first;
    *count = (int)s->count;
    return (int)s->var;
}

int kaiModel_ExpectCount(const kaiModel* model)
{
    int count = model != NULL ? (int)model->expectations_count : 0;
    while (count > 0 && model->expectations[count - 1].measured)
        count--;
    return count;
}

int kaiModel_MeasureCount(const kaiModel* model)
{
    return model != NULL ? (int)model->expectations_count - kaiModel_ExpectCount(model) : 0;
}

const char* kaiModel_MeasureName(const kaiModel* model, int index, const char** unit)
{
    if (index < 0 || index >= kaiModel_MeasureCount(model))
        return NULL;
    const Expectation* x = &model->expectations[kaiModel_ExpectCount(model) + index];
    if (unit != NULL)
        *unit = x->unit != 0 ? model_string(model, x->unit) : NULL;
    return model_string(model, x->source);
}

bool kaiModel_Draws(const kaiModel* model)
{
    if (model == NULL)
        return false;
    bool random = model->choice_count > 0 && strcmp(kaiModel_SimOptions(model).choice, "random") == 0;
    return random || model->reg_seed != NO_REG;
}
