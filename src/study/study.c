// Studies: factors and measures, and the values of a run.
#include "study/study.h"

#include "base/error.h"
#include "study/design.h"

#include <string.h>

kaiStudyOptions kaiDefaultStudyOptions(void)
{
    return (kaiStudyOptions){.cookie = KAI_COOKIE, .runs = 100, .seed = 1};
}

static void* get(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void kaiStudy_Free(kaiStudy* s)
{
    if (s == NULL)
        return;
    kaiAllocator a = s->allocator;
    if (s->factors != NULL)
        a.alloc(a.user, s->factors, s->factor_room, 0);
    if (s->names != NULL)
        a.alloc(a.user, s->names, s->name_room, 0);
    if (s->list != NULL)
        a.alloc(a.user, s->list, s->list_room, 0);
    a.alloc(a.user, s, sizeof *s, 0);
}

// ---- factors

static bool is_listed(const kaiStudy* s)
{
    return s->options.design == KAI_DESIGN_LIST;
}

static int count_factors(const kaiModel* model, const kaiStudyOptions* o)
{
    switch (o->design)
    {
    case KAI_DESIGN_GRID: return kaiModel_SweepCount(model);
    case KAI_DESIGN_LIST: return o->variable_count;
    default: return kaiModel_SpreadCount(model);
    }
}

static bool check_factor(const kaiStudy* s, int variable, bool structural, kaiError* error)
{
    kaiVariable v;
    if (!kaiModel_Variable(s->model, variable, &v))
        return error_set(error, KAI_ERR_USAGE, "a factor of the study is no variable of the model"), false;
    if (v.settable && !structural)
        return true;
    error_set(error, KAI_ERR_USAGE,
              structural
                  ? "%s decides the structure of the model, which a study compiles once; `kairos run` runs sweeps "
                    "over it"
                  : "%s cannot be set, and cannot be a factor of a study",
              v.name);
    return false;
}

static bool fill_factors(kaiStudy* s, kaiError* error)
{
    s->runs = s->options.design == KAI_DESIGN_GRID ? 1 : s->options.runs;
    if (is_listed(s))
        s->runs = s->options.value_runs;
    for (int i = 0; i < s->factor_count; i++)
    {
        StudyFactor* f = &s->factors[i];
        bool structural = false;
        if (s->options.design == KAI_DESIGN_GRID)
            f->variable = kaiModel_SweepVariable(s->model, i, &f->values, &f->count, &structural);
        else if (is_listed(s))
            f->variable = s->options.variables[i];
        else
            f->variable = kaiModel_SpreadVariable(s->model, i, &f->spread, &f->values, &f->count);
        if (!check_factor(s, f->variable, structural, error))
            return false;
        if (s->options.design == KAI_DESIGN_GRID)
            s->runs *= f->count;
        if (s->runs > (int64_t)1 << 40)
            return error_set(error, KAI_ERR_USAGE, "the grid has more than 2^40 runs"), false;
    }
    return true;
}

// ---- measures

static bool fill_measures(kaiStudy* s, kaiError* error)
{
    kaiSimOptions options = kaiModel_SimOptions(s->model);
    kaiSim* sim = kaiSim_Create(s->model, &options, error);
    if (sim == NULL)
        return false;
    kaiExpectResult expect;
    kaiVariable v;
    for (int i = 0; i < s->expect_count; i++)
    {
        bool there = kaiSim_Expect(sim, i, &expect) == KAI_OK;
        s->names[i] = there ? expect.source : "";
        s->units[i] = there && expect.has_target ? expect.unit : NULL;
    }
    kaiSim_Free(sim);
    int first = s->expect_count + s->asked_count;
    for (int i = s->expect_count; i < first; i++)
        s->names[i] = kaiModel_MeasureName(s->model, i - s->expect_count, &s->units[i]);
    for (int i = first; i < s->measure_count; i++)
    {
        s->measures[i - first] = s->options.measures[i - first];
        if (!kaiModel_Variable(s->model, s->measures[i - first], &v))
            return error_set(error, KAI_ERR_USAGE, "a measure of the study is no variable of the model"), false;
        s->names[i] = v.name;
        s->units[i] = v.unit;
    }
    return true;
}

// ---- making

static const char* why_not(const kaiModel* model, const kaiStudyOptions* o)
{
    if (o->design == KAI_DESIGN_LIST && (o->variables == NULL || o->values == NULL || o->variable_count < 1))
        return "a list of points has names and values";
    if (count_factors(model, o) == 0 && (o->design != KAI_DESIGN_RANDOM || !kaiModel_Draws(model)))
        return o->design == KAI_DESIGN_GRID
                   ? "the experiment has no `sweep` lines: nothing varies in the grid"
                   : "nothing varies: give a parameter a distribution, `param m ~ normal(1, 0.1)`, or take a grid or a "
                     "list of points";
    if (o->design == KAI_DESIGN_SOBOL && count_factors(model, o) > SOBOL_MOST)
        return "Sobol's sequence is there for at most 16 factors";
    if (o->design < KAI_DESIGN_GRID && o->runs < 1)
        return "a study has at least one run";
    return o->measure_count > 0 && o->measures == NULL ? "there are no measures" : NULL;
}

static bool make(kaiStudy* s, kaiError* error)
{
    kaiAllocator a = s->allocator;
    size_t factors = (size_t)s->factor_count, measures = (size_t)s->measure_count;
    s->factor_room = factors * sizeof *s->factors + 1;
    s->name_room = (measures + 1) * (2 * sizeof *s->names + sizeof *s->measures);
    s->factors = get(a, s->factor_room);
    s->names = get(a, s->name_room);
    if (is_listed(s))
    {
        s->list_room = factors * (size_t)s->options.value_runs * sizeof(double) + 1;
        s->list = get(a, s->list_room);
    }
    if (s->factors == NULL || s->names == NULL || (is_listed(s) && s->list == NULL))
        return error_memory(error), false;
    s->units = s->names + measures + 1;
    s->measures = (int*)(void*)(s->units + measures + 1);
    if (is_listed(s))
        memcpy(s->list, s->options.values, s->list_room - 1);
    return fill_factors(s, error) && fill_measures(s, error);
}

kaiStudy* kaiStudy_Create(const kaiModel* model, const kaiStudyOptions* options, kaiError* error)
{
    if (model == NULL || options == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options"), NULL;
    if (!error_check_cookie(&options->cookie, "kaiDefaultStudyOptions", error))
        return NULL;
    const char* refused = why_not(model, options);
    if (refused != NULL)
        return error_set(error, KAI_ERR_USAGE, "%s", refused), NULL;
    kaiAllocator a = kaiModel_SimOptions(model).allocator;
    kaiStudy* s = get(a, sizeof *s);
    if (s == NULL)
        return error_memory(error), NULL;
    s->model = model;
    s->options = *options;
    s->allocator = a;
    s->factor_count = count_factors(model, options);
    s->expect_count = kaiModel_ExpectCount(model);
    s->asked_count = kaiModel_MeasureCount(model);
    s->measure_count = s->expect_count + s->asked_count + options->measure_count;
    if (make(s, error))
        return s;
    kaiStudy_Free(s);
    return NULL;
}

// ---- questions

int64_t kaiStudy_RunCount(const kaiStudy* s)
{
    return s != NULL ? s->runs : 0;
}

int kaiStudy_Factor(const kaiStudy* s, int index)
{
    return s != NULL && index >= 0 && index < s->factor_count ? s->factors[index].variable : -1;
}

const char* kaiStudy_Measure(const kaiStudy* s, int index)
{
    return s != NULL && index >= 0 && index < s->measure_count ? s->names[index] : NULL;
}

const char* kaiStudy_Unit(const kaiStudy* s, int index)
{
    return s != NULL && index >= 0 && index < s->measure_count ? s->units[index] : NULL;
}

static double coordinate(const kaiStudy* s, uint64_t run, uint64_t factor)
{
    const kaiStudyOptions* o = &s->options;
    if (o->design == KAI_DESIGN_SOBOL)
        return design_sobol(o->seed, run, factor);
    double u = design_draw(o->seed, run, factor);
    if (o->design == KAI_DESIGN_LATIN)
        u = ((double)design_slice(o->seed, run, (uint64_t)s->runs, factor) + u) / (double)s->runs;
    return u;
}

bool kaiStudy_Values(const kaiStudy* s, int64_t run, double* values)
{
    if (s == NULL || values == NULL || run < 0 || run >= s->runs)
        return false;
    int64_t rest = run;
    for (int i = s->factor_count - 1; i >= 0; i--)
    {
        const StudyFactor* f = &s->factors[i];
        if (s->options.design == KAI_DESIGN_GRID)
        {
            values[i] = f->values[rest % f->count];
            rest /= f->count;
        }
        else if (is_listed(s))
            values[i] = s->list[run * s->factor_count + i];
        else
            values[i] = design_quantile(f->spread, f->values, coordinate(s, (uint64_t)run, (uint64_t)i));
    }
    return true;
}
