// Inputs from a file: every value is posted for its time, so that it is there from the first tag of that instant on,
// with what else is due then.
#include "kairos/drive.h"

#include "base/error.h"
#include "kairos/model.h"
#include "kairos/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct InputColumn
{
    int variable;
    bool event;
    bool known;          // it has had a value
    double last;         // the same value again is no change
    kaiConversion unit;  // from that of the file
} InputColumn;

typedef struct Posting
{
    const kaiModel* model;
    kaiSim* sim;
    kaiAllocator allocator;
    InputColumn* columns;
    int count;
    double start, stop, t;
    bool any;
    long long row;
    kaiError error;
} Posting;

// A name may be followed by its unit: "u [m]".
static int find_input(const kaiModel* model, const char* name)
{
    char plain[400];
    int index = kaiModel_FindVariable(model, name);
    const char* bracket = strstr(name, " [");
    if (index >= 0 || bracket == NULL)
        return index;
    snprintf(plain, sizeof plain, "%.*s", (int)(bracket - name), name);
    return kaiModel_FindVariable(model, plain);
}

static kaiStatus on_header(void* user, const kaiColumn* columns, int count, bool* wanted)
{
    (void)wanted;
    Posting* p = user;
    kaiVariable v;
    p->columns = p->allocator.alloc(p->allocator.user, NULL, 0, sizeof *p->columns * (size_t)(count + 1));
    if (p->columns == NULL)
        return error_memory(&p->error);
    p->count = count;
    for (int i = 0; i < count; i++)
    {
        int index = find_input(p->model, columns[i].name);
        bool input = index >= 0 && kaiModel_Variable(p->model, index, &v) && v.kind == KAI_INPUT;
        if (!input || columns[i].kind == KAI_COLUMN_MODE)
            return error_set(&p->error, KAI_ERR_USAGE, "`%s` is no input of model %s", columns[i].name,
                             kaiModel_Name(p->model));
        for (int k = 0; k < i; k++)
            if (p->columns[k].variable == index)
                return error_set(&p->error, KAI_ERR_USAGE, "there are two columns for the input `%s`", v.name);
        p->columns[i] = (InputColumn){.variable = index, .event = v.column_kind == KAI_COLUMN_EVENT, .unit = {1, 1, 0}};
        if (columns[i].unit != NULL && v.unit != NULL && !kaiUnit_Convert(columns[i].unit, v.unit, &p->columns[i].unit))
            return error_set(&p->error, KAI_ERR_USAGE, "the input `%s` is in %s, the column in %s", v.name, v.unit,
                             columns[i].unit);
    }
    return KAI_OK;
}

static kaiStatus post(Posting* p, InputColumn* c, double t, double value)
{
    if (c->event ? t < p->start : c->known && c->last == value)
        return KAI_OK;
    c->known = true;
    c->last = value;
    if (!c->event && t <= p->start)
        return kaiSim_Set(p->sim, c->variable, value);
    return kaiSim_Post(p->sim, c->variable, value, t, NULL);
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Posting* p = user;
    p->row++;
    if (!isfinite(row->t) || (p->any && row->t < p->t))
        return error_set(&p->error, KAI_ERR_USAGE, "row %lld: its time %g comes behind %g", p->row, row->t, p->t);
    p->any = true;
    p->t = row->t;
    if (row->t > p->stop)
        return KAI_END;
    for (int i = 0; i < p->count; i++)
    {
        if (!row->present[i])
            continue;
        kaiConversion unit = p->columns[i].unit;
        double value = row->values[i] * unit.factor / unit.divisor + unit.offset;
        kaiStatus status = post(p, &p->columns[i], row->t, value);
        if (status == KAI_ERR_MEMORY)
            return error_memory(&p->error);
        if (status != KAI_OK)
            return error_set(&p->error, status, "row %lld: %s cannot be set to %g at t = %g", p->row,
                             kaiModel_VariableName(p->model, p->columns[i].variable), row->values[i], row->t);
    }
    return KAI_OK;
}

kaiStatus kaiInputs_Post(const char* path, const kaiModel* model, kaiSim* sim, kaiError* error)
{
    if (path == NULL || model == NULL || sim == NULL)
        return error_set(error, KAI_ERR_USAGE, "inputs need a file, a model and a run of it");
    kaiSimOptions times = kaiModel_SimOptions(model);
    Posting p = {.model = model, .sim = sim, .allocator = times.allocator, .start = times.start, .stop = times.stop};
    kaiCsvVisitor visitor = {on_header, on_row, NULL, &p};
    kaiError why = {0};
    kaiReader* reader = kaiReader_Open(path, p.allocator, &why);
    kaiReader_SetInterrupt(reader, kaiSim_Interrupt(sim));
    kaiStatus status = reader != NULL ? kaiReader_Read(reader, &visitor, &why) : why.status;
    if (status == KAI_END)  // the rest lies behind the stop
        status = KAI_OK;
    if (status != KAI_OK && p.error.message != NULL)
        error_set(error, status, "%s: %s", path, p.error.message);
    else if (status != KAI_OK)
        error_copy(error, &why);
    kaiReader_Free(reader);
    if (p.columns != NULL)
        p.allocator.alloc(p.allocator.user, p.columns, sizeof *p.columns * (size_t)(p.count + 1), 0);
    return status;
}
