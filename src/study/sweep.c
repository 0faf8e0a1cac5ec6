// Points, their values and their models.
#include "study/sweep.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t points_max = 10000000;

// A swept name that the call gives a value is fixed, at the value that the model was compiled with.
static bool find_override(const kaiSweep* s, int variable, const char* name, double* value)
{
    bool given = false;
    kaiVariable v;
    for (int i = 0; i < s->load->value_count; i++)
        given |= strcmp(s->load->values[i].name, name) == 0;
    for (int i = 0; i < s->load->override_count; i++)
        given |= strcmp(s->load->overrides[i].name, name) == 0;
    if (!given || !kaiModel_Variable(s->model, variable, &v) || isnan(v.start))
        return false;
    *value = v.start;
    return true;
}

static void plan_dimension(kaiSweep* s, int index)
{
    SweepDimension* d = &s->dimensions[index];
    int variable = kaiModel_SweepVariable(s->model, index, &d->values, &d->count, &d->structural);
    kaiVariable v;
    d->name = kaiModel_VariableName(s->model, variable);
    d->unit = kaiModel_Variable(s->model, variable, &v) ? v.unit : NULL;
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

static const char* plan(kaiSweep* s)
{
    int count = kaiModel_SweepCount(s->model);
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

kaiSweep* kaiSweep_Create(kaiProgram* program, const kaiModel* model, const kaiCompileOptions* options, kaiError* error)
{
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultCompileOptions", error))
        return NULL;
    if (program == NULL || model == NULL)
        return error_set(error, KAI_ERR_USAGE, "a sweep needs a program and a model"), NULL;
    kaiSweep* s = calloc(1, sizeof *s);
    if (s == NULL)
        return error_memory(error), NULL;
    *s = (kaiSweep){.program = program, .load = options, .model = model, .points = 1, .variants = 1};
    const char* why = plan(s);
    if (why == NULL)
        return s;
    error_set(error, KAI_ERR_USAGE, "%s", why);
    free(s);
    return NULL;
}

void kaiSweep_Free(kaiSweep* s)
{
    if (s == NULL)
        return;
    sweep_variant_free(&s->current);
    free(s);
}

bool sweep_explores(const kaiSimOptions* options)
{
    return strcmp(options->choice, "all") == 0;
}

// ---- points

int64_t kaiSweep_PointCount(const kaiSweep* s)
{
    return s != NULL ? s->points : 0;
}

int kaiSweep_ParameterCount(const kaiSweep* s)
{
    return s != NULL ? s->dimension_count : 0;
}

const char* kaiSweep_ParameterName(const kaiSweep* s, int index)
{
    return index >= 0 && index < kaiSweep_ParameterCount(s) ? s->dimensions[index].name : NULL;
}

bool kaiSweep_IsStructural(const kaiSweep* s)
{
    return s != NULL && s->structural;
}

static bool has_point(const kaiSweep* s, int64_t point)
{
    return point >= 0 && point < kaiSweep_PointCount(s);
}

// Which value of each dimension a point has.
static void split_point(const kaiSweep* s, int64_t point, int index[SWEEP_MAX])
{
    for (int i = s->dimension_count; i-- > 0;)
    {
        index[i] = (int)(point % s->dimensions[i].count);
        point /= s->dimensions[i].count;
    }
}

bool kaiSweep_Values(const kaiSweep* s, int64_t point, double* values)
{
    int index[SWEEP_MAX];
    if (!has_point(s, point) || values == NULL)
        return false;
    split_point(s, point, index);
    for (int i = 0; i < s->dimension_count; i++)
        values[i] = s->dimensions[i].values[index[i]];
    return true;
}

void kaiSweep_Describe(const kaiSweep* s, int64_t point, char* text, size_t size)
{
    double values[SWEEP_MAX];
    char number[33];
    size_t length = 0;
    if (text == NULL || size == 0)
        return;
    text[0] = 0;
    if (!kaiSweep_Values(s, point, values))
        return;
    for (int i = 0; i < s->dimension_count && length < size; i++)
    {
        kaiNumber_Write(number, values[i]);
        length += (size_t)snprintf(text + length, size - length, "%s%s = %s%s%s", i > 0 ? ", " : "",
                                   s->dimensions[i].name, number, s->dimensions[i].unit != NULL ? " " : "",
                                   s->dimensions[i].unit != NULL ? s->dimensions[i].unit : "");
    }
}

// ---- models
// ----------------------------------------------------------------------------------------------------------

static int64_t variant_of(const kaiSweep* s, int64_t point)
{
    int index[SWEEP_MAX];
    int64_t variant = 0;
    split_point(s, point, index);
    for (int i = 0; i < s->dimension_count; i++)
        if (s->dimensions[i].structural)
            variant = variant * s->dimensions[i].count + index[i];
    return variant;
}

int64_t sweep_point_of(const kaiSweep* s, int64_t variant)
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

kaiProgram* sweep_program(const kaiSweep* s, const SweepVariant* variant)
{
    return variant->program != NULL ? variant->program : s->program;
}

static kaiStatus compile(const kaiSweep* s, int64_t point, SweepVariant* variant)
{
    double values[SWEEP_MAX];
    int count = s->load->override_count;
    kaiOverride* overrides = malloc(sizeof *overrides * (size_t)(count + s->dimension_count + 1));
    if (overrides == NULL)
        return KAI_ERR_MEMORY;
    if (count > 0)
        memcpy(overrides, s->load->overrides, sizeof *overrides * (size_t)count);
    kaiSweep_Values(s, point, values);
    for (int i = 0; i < s->dimension_count; i++)
        if (s->dimensions[i].structural)
            overrides[count++] = (kaiOverride){s->dimensions[i].name, values[i]};
    kaiCompileOptions load = *s->load;
    load.overrides = overrides;
    load.override_count = count;
    kaiStatus status = kaiProgram_Compile(sweep_program(s, variant), &load, &variant->own);
    free(overrides);
    return status;
}

kaiStatus sweep_model(const kaiSweep* s, int64_t point, SweepVariant* variant)
{
    int64_t index = variant_of(s, point);
    if (variant->model != NULL && variant->index == index)
        return KAI_OK;
    sweep_variant_free(variant);
    variant->index = index;
    if (s->structural)
    {
        kaiStatus status = compile(s, point, variant);
        variant->model = variant->own;
        return status;
    }
    variant->model = s->model;
    return KAI_OK;
}

void sweep_variant_free(SweepVariant* variant)
{
    kaiModel_Free(variant->own);
    *variant = (SweepVariant){.program = variant->program};
}

kaiStatus kaiSweep_Model(kaiSweep* s, int64_t point, const kaiModel** model)
{
    if (model == NULL || !has_point(s, point))
        return KAI_ERR_USAGE;
    kaiStatus status = sweep_model(s, point, &s->current);
    *model = status == KAI_OK ? s->current.model : NULL;
    return status;
}

kaiStatus kaiSweep_Set(const kaiSweep* s, int64_t point, const kaiModel* model, kaiSim* sim)
{
    double values[SWEEP_MAX];
    if (model == NULL || sim == NULL || !kaiSweep_Values(s, point, values))
        return KAI_ERR_USAGE;
    for (int i = 0; i < s->dimension_count; i++)
    {
        const SweepDimension* d = &s->dimensions[i];
        if (d->structural || d->values == &d->pinned)
            continue;
        kaiStatus status = kaiSim_Set(sim, kaiModel_FindVariable(model, d->name), values[i]);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}
