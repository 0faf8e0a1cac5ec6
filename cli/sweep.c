// Points, their values and their models.
#include "cli/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t points_max = 10000000;

// --set of a swept name fixes it, at the value that the model was compiled with.
static bool find_override(const Sweep* s, int variable, const char* name, double* value)
{
    for (int i = 0; i < s->load->value_count; i++)
        if (strcmp(s->load->values[i].name, name) == 0)
            return kaiModel_Start(s->model, variable, value);
    return false;
}

static void plan_dimension(Sweep* s, int index)
{
    SweepDimension* d = &s->dimensions[index];
    int variable = kaiModel_SweepVariable(s->model, index, &d->values, &d->count, &d->structural);
    d->name = kaiModel_VariableName(s->model, variable);
    if (find_override(s, variable, d->name, &d->pinned))
    {
        d->values = &d->pinned;
        d->count = 1;
        d->structural = false;  // the model was compiled with it
    }
    s->structural |= d->structural;
    s->points = s->points > points_max ? s->points : s->points * d->count;
    if (d->structural)
        s->variants *= d->count;
}

const char* sweep_plan(Sweep* s, const kaiModel* model, const kaiLoadOptions* load)
{
    *s = (Sweep){.load = load, .model = model, .points = 1, .variants = 1};
    int count = kaiModel_SweepCount(model);
    if (count > SWEEP_MAX)
        return "more than 32 sweeps in one experiment";
    s->dimension_count = count;
    for (int i = 0; i < count; i++)
    {
        plan_dimension(s, i);
        if (s->points > points_max)
            return "the sweep has more than 10 million points";
    }
    return NULL;
}

// Which value of each dimension a point has.
static void split_point(const Sweep* s, int64_t point, int index[SWEEP_MAX])
{
    for (int i = s->dimension_count; i-- > 0;)
    {
        index[i] = (int)(point % s->dimensions[i].count);
        point /= s->dimensions[i].count;
    }
}

void sweep_values(const Sweep* s, int64_t point, double values[SWEEP_MAX])
{
    int index[SWEEP_MAX];
    split_point(s, point, index);
    for (int i = 0; i < s->dimension_count; i++)
        values[i] = s->dimensions[i].values[index[i]];
}

void sweep_describe(const Sweep* s, int64_t point, char* text, size_t size)
{
    double values[SWEEP_MAX];
    char number[33];
    size_t length = 0;
    sweep_values(s, point, values);
    text[0] = 0;
    for (int i = 0; i < s->dimension_count && length < size; i++)
    {
        kaiNumber_Write(number, values[i]);
        length += (size_t)snprintf(text + length, size - length, "%s%s = %s", i > 0 ? ", " : "", s->dimensions[i].name,
                                   number);
    }
}

// ---- models
// ----------------------------------------------------------------------------------------------------------

int64_t sweep_variant_of(const Sweep* s, int64_t point)
{
    int index[SWEEP_MAX];
    int64_t variant = 0;
    split_point(s, point, index);
    for (int i = 0; i < s->dimension_count; i++)
        if (s->dimensions[i].structural)
            variant = variant * s->dimensions[i].count + index[i];
    return variant;
}

int64_t sweep_point_of(const Sweep* s, int64_t variant)
{
    int64_t point = 0, scale = 1;
    for (int i = s->dimension_count; i-- > 0; scale *= s->dimensions[i].count)
        if (s->dimensions[i].structural)
        {
            point += scale * (variant % s->dimensions[i].count);
            variant /= s->dimensions[i].count;
        }
    return point;
}

static kaiStatus compile(const Sweep* s, int64_t point, kaiModel** model, kaiMessages** messages)
{
    double values[SWEEP_MAX];
    int count = s->load->override_count;
    kaiOverride* overrides = malloc(sizeof *overrides * (size_t)(count + s->dimension_count + 1));
    if (overrides == NULL)
        return KAI_ERR_MEMORY;
    if (count > 0)
        memcpy(overrides, s->load->overrides, sizeof *overrides * (size_t)count);
    sweep_values(s, point, values);
    for (int i = 0; i < s->dimension_count; i++)
        if (s->dimensions[i].structural)
            overrides[count++] = (kaiOverride){s->dimensions[i].name, values[i]};
    kaiLoadOptions load = *s->load;
    load.overrides = overrides;
    load.override_count = count;
    kaiStatus status = kaiModel_Load(&load, model, messages);
    free(overrides);
    return status;
}

kaiStatus sweep_model(const Sweep* s, int64_t point, SweepVariant* variant, kaiMessages** messages)
{
    int64_t index = sweep_variant_of(s, point);
    *messages = NULL;
    if (variant->model != NULL && variant->index == index)
        return KAI_OK;
    sweep_variant_free(variant);
    variant->index = index;
    if (s->structural)
    {
        kaiStatus status = compile(s, point, &variant->own, messages);
        variant->model = variant->own;
        return status;
    }
    variant->model = s->model;
    return KAI_OK;
}

void sweep_variant_free(SweepVariant* variant)
{
    kaiModel_Free(variant->own);
    *variant = (SweepVariant){0};
}

kaiStatus sweep_set(const Sweep* s, int64_t point, const SweepVariant* variant, kaiSim* sim)
{
    double values[SWEEP_MAX];
    sweep_values(s, point, values);
    for (int i = 0; i < s->dimension_count; i++)
    {
        const SweepDimension* d = &s->dimensions[i];
        if (d->structural || d->values == &d->pinned)
            continue;
        kaiStatus status = kaiSim_Set(sim, kaiModel_FindVariable(variant->model, d->name), values[i]);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}
