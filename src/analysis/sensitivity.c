// Sensitivities behind their public functions: rows of a variation as rows with more columns.
#include "kairos/analysis.h"

#include "base/error.h"
#include "run/variation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct kaiSensitivity
{
    const kaiModel* model;
    kaiAllocator allocator;
    Variation* variation;
    double start, stop;
    int count;         // of directions
    int plain, total;  // columns of the run, and all
    kaiColumn* columns;
    int* variables;  // per column of the run: its variable; -1: no real one
    double* values;
    uint8_t* present;
    char* names;
    void* block;
    size_t size;
    kaiRowFn* row;
    void* user;
};

kaiSensitivityOptions kaiDefaultSensitivityOptions(void)
{
    return (kaiSensitivityOptions){.cookie = KAI_COOKIE};
}

// ---- columns

static int variable_of(const kaiModel* model, const char* column)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
        if (strcmp(model_string(model, model->vars[i].title), column) == 0)
            return model->vars[i].column == KAI_COLUMN_REAL ? (int)i : -1;
    return -1;
}

static int count_real(const kaiModel* model, const kaiColumn* columns, int count)
{
    int real = 0;
    for (int i = 0; i < count; i++)
        real += variable_of(model, columns[i].name) >= 0;
    return real;
}

static char* write_name(char* at, const char* of, const char* by)
{
    return at + sprintf(at, "d(%s)/d(%s)", of, by) + 1;
}

static size_t name_room(const kaiColumn* columns, int plain, const char* by)
{
    size_t room = strlen(by) + 10;
    for (int i = 0; i < plain; i++)
        room += strlen(columns[i].name) + strlen(by) + 10;
    return room;
}

static bool make_columns(kaiSensitivity* s, const int* variables)
{
    size_t room = 0;
    const kaiColumn* from = kaiSim_Columns(variation_sim(s->variation), &s->plain);
    for (int k = 0; k < s->count; k++)
        room += name_room(from, s->plain, kaiModel_VariableName(s->model, variables[k]));
    size_t total = (size_t)s->plain + (size_t)s->count * (size_t)(count_real(s->model, from, s->plain) + 1);
    s->total = (int)total;
    s->size = total * (sizeof(kaiColumn) + sizeof(double) + 1) + sizeof(int) * ((size_t)s->plain + 2) + room;
    s->block = s->allocator.alloc(s->allocator.user, NULL, 0, s->size);
    if (s->block == NULL)
        return false;
    memset(s->block, 0, s->size);
    s->columns = s->block;
    s->values = (double*)(void*)(s->columns + total);
    s->variables = (int*)(void*)(s->values + total);
    s->present = (uint8_t*)(s->variables + s->plain);
    char* name = s->names = (char*)(s->present + total);
    int at = s->plain;
    for (int i = 0; i < s->plain; i++)
    {
        s->columns[i] = from[i];
        s->variables[i] = variable_of(s->model, from[i].name);
    }
    for (int k = 0; k < s->count; k++)
        for (int i = 0; i <= s->plain; i++)
        {
            if (i < s->plain && s->variables[i] < 0)
                continue;
            s->columns[at++] = (kaiColumn){.name = name, .kind = KAI_COLUMN_REAL};
            name = write_name(name, i < s->plain ? from[i].name : "t", kaiModel_VariableName(s->model, variables[k]));
        }
    return true;
}

// ---- rows

static kaiStatus on_row(void* user, Variation* v, const kaiRow* row, bool known, bool instant)
{
    kaiSensitivity* s = user;
    int at = s->plain;
    if (s->plain > 0)
    {
        memcpy(s->values, row->values, sizeof(double) * (size_t)s->plain);
        memcpy(s->present, row->present, (size_t)s->plain);
    }
    for (int k = 0; k < s->count; k++)
    {
        for (int i = 0; i < s->plain; i++)
        {
            if (s->variables[i] < 0)
                continue;
            s->values[at] = known && row->present[i] ? variation_of(v, s->variables[i], k) : NAN;
            s->present[at] = isfinite(s->values[at]) != 0;
            at++;
        }
        s->values[at] = variation_time(v, k);
        s->present[at++] = instant && row->p >= 0;
    }
    return s->row(s->user,
                  &(kaiRow){.t = row->t, .p = row->p, .m = row->m, .values = s->values, .present = s->present});
}

// ---- making and running

kaiSensitivity* kaiSensitivity_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiSensitivityOptions* o,
                                      kaiError* error)
{
    if (model == NULL || sim == NULL || o == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options"), NULL;
    if (!error_check_cookie(&o->cookie, "kaiDefaultSensitivityOptions", error))
        return NULL;
    if (o->variable_count < 0 || (o->variable_count > 0 && o->variables == NULL) || sim->allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there are no variables, or the options of the run were not made"), NULL;
    kaiAllocator a = sim->allocator;
    kaiSensitivity* s = a.alloc(a.user, NULL, 0, sizeof *s);
    if (s == NULL)
        return error_memory(error), NULL;
    *s = (kaiSensitivity){.model = model,
                          .allocator = a,
                          .start = sim->start,
                          .stop = sim->stop,
                          .count = o->variable_count,
                          .row = o->row,
                          .user = o->user};
    VariationOptions options = {.sim = sim,
                                .variables = o->variables,
                                .count = o->variable_count,
                                .row = o->row != NULL ? on_row : NULL,
                                .user = s};
    s->variation = variation_create(model, &options, error);
    if (s->variation != NULL && make_columns(s, o->variables))
        return s;
    if (s->variation != NULL)
        error_memory(error);
    kaiSensitivity_Free(s);
    return NULL;
}

void kaiSensitivity_Free(kaiSensitivity* s)
{
    if (s == NULL)
        return;
    variation_free(s->variation);
    if (s->block != NULL)
        s->allocator.alloc(s->allocator.user, s->block, s->size, 0);
    s->allocator.alloc(s->allocator.user, s, sizeof *s, 0);
}

const kaiColumn* kaiSensitivity_Columns(const kaiSensitivity* s, int* count)
{
    if (count != NULL)
        *count = s != NULL ? s->total : 0;
    return s != NULL ? s->columns : NULL;
}

kaiStatus kaiSensitivity_Set(kaiSensitivity* s, int variable, double value)
{
    return s != NULL ? variation_set(s->variation, variable, value) : KAI_ERR_USAGE;
}

kaiStatus kaiSensitivity_Run(kaiSensitivity* s, kaiError* error)
{
    enum
    {
        PIECES = 64  // rows wait for one piece of the run at most
    };
    if (s == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is nothing to run");
    kaiStatus status = KAI_OK;
    while (status == KAI_OK || status == KAI_INSTANT)
    {
        double piece = (s->stop - s->start) / PIECES;
        status = variation_step(s->variation, variation_now(s->variation) + (isfinite(piece) ? piece : 1), error);
    }
    return status;
}

double kaiSensitivity_Get(kaiSensitivity* s, int variable, int index)
{
    return s != NULL ? variation_of(s->variation, variable, index) : NAN;
}

kaiSim* kaiSensitivity_Sim(kaiSensitivity* s)
{
    return s != NULL ? variation_sim(s->variation) : NULL;
}
