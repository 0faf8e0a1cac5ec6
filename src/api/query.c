// Questions about a compiled model, and the public face of the CSV writer.
#include "kairos/kairos.h"
#include "lang/diagnostics.h"
#include "model/model.h"
#include "result/csv.h"

#include <stdlib.h>
#include <string.h>

int kaiModel_VariableCount(const kaiModel* model)
{
    return (int)model->vars_count;
}

const char* kaiModel_VariableName(const kaiModel* model, int variable)
{
    return model_string(model, model->vars[variable].name);
}

int kaiModel_FindVariable(const kaiModel* model, const char* name)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
        if (strcmp(model_string(model, model->vars[i].name), name) == 0)
            return (int)i;
    return -1;
}

bool kaiModel_IsSettable(const kaiModel* model, int variable)
{
    return model->vars[variable].settable;
}

const char* kaiModel_NearestVariable(const kaiModel* model, const char* name)
{
    const char** names = malloc(sizeof *names * (model->vars_count + 1));
    if (names == NULL)
        return NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->vars_count; i++)
        if (!model->vars[i].hidden)
            names[count++] = model_string(model, model->vars[i].name);
    const char* nearest = diag_nearest(name, names, count);
    free(names);
    return nearest;
}

const char* kaiModel_Name(const kaiModel* model)
{
    return model_string(model, model->name);
}

bool kaiModel_VariableColumn(const kaiModel* model, int variable, kaiColumn* column)
{
    const ModelVar* var = &model->vars[variable];
    *column = (kaiColumn){.name = model_string(model, var->title),
                          .kind = (kaiColumnKind)var->column,
                          .unit = var->unit != 0 ? model_string(model, var->unit) : NULL};
    return !var->hidden && var->kind != MODEL_PARAM;
}

int kaiModel_PlotCount(const kaiModel* model)
{
    return (int)model->plots_count;
}

int kaiModel_PlotVariables(const kaiModel* model, int plot, const uint32_t** variables, int* against)
{
    const PlotSet* set = &model->plots[plot];
    *variables = model->plot_vars + set->first;
    *against = (int)set->against - 1;
    return (int)set->count;
}

int kaiModel_StateCount(const kaiModel* model)
{
    return (int)model->state_count;
}

int kaiModel_StateVariable(const kaiModel* model, int state)
{
    return state >= 0 && (uint32_t)state < model->state_count ? (int)model->state_vars[state] : -1;
}

int kaiModel_SweepCount(const kaiModel* model)
{
    return (int)model->sweeps_count;
}

int kaiModel_SweepVariable(const kaiModel* model, int sweep, const double** values, int* count, bool* structural)
{
    const Sweep* s = &model->sweeps[sweep];
    *values = model->numbers + s->first;
    *count = (int)s->count;
    *structural = s->structural || !model->vars[s->var].settable;
    return (int)s->var;
}

int kaiModel_ExpectCount(const kaiModel* model)
{
    return (int)model->expectations_count;
}

kaiCsv* kaiCsv_Open(const char* path, const kaiColumn* columns, int column_count, kaiView view,
                    const char* const* lead_names, int lead_count, kaiAllocator allocator, const char** error)
{
    CsvOptions options = {columns, column_count, view, lead_names, lead_count};
    return (kaiCsv*)csv_open(path, &options, allocator, error);
}

kaiStatus kaiCsv_Row(kaiCsv* csv, const kaiRow* row)
{
    return csv_row((Csv*)csv, row);
}

void kaiCsv_SetLead(kaiCsv* csv, const double* values)
{
    csv_set_lead((Csv*)csv, values);
}

kaiStatus kaiCsv_Close(kaiCsv* csv, const char* remark)
{
    return csv_close((Csv*)csv, remark);
}
