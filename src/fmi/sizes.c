// See sizes.h. The text says `1..n - 1` or `1..size(w)`, through models, functions and conditions: what a size follows
// is tried, not read.
#include "fmi/sizes.h"

#include <math.h>
#include <string.h>

enum
{
    PARAMETERS_MOST = 32,  // each costs a compilation
};

typedef struct Trying
{
    Arena* arena;
    kaiProgram* program;
    const kaiCompileOptions* which;
    SizeRules* rules;
    SizeRules all;  // every array may have another size
    Shapes base;
} Trying;

static void make(const Trying* t, const kaiModel* model, Catalogue* catalogue, Shapes* shapes)
{
    catalogue_make(catalogue, t->arena, model, 3);
    shapes_make(shapes, t->arena, catalogue, model, &t->all);
}

// The model with another value of a parameter, as FMI would see it; false: it is no model, or one of other variables.
static bool try_value(const Trying* t, const char* name, double value, Shapes* shapes)
{
    kaiCompileOptions with = *t->which;
    VEC(kaiOverride) overrides = {0};
    VEC(kaiGiven) values = {0};
    kaiModel* model = NULL;
    Catalogue catalogue;
    const char* why;
    for (int i = 0; i < with.override_count; i++)
        vec_push(t->arena, overrides, with.overrides[i]);
    for (int i = 0; i < with.value_count; i++)
        if (strcmp(with.values[i].name, name) != 0)
            vec_push(t->arena, values, with.values[i]);
    vec_push(t->arena, overrides, (kaiOverride){name, value});
    with.overrides = overrides.at;
    with.override_count = (int)overrides.count;
    with.values = values.at;
    with.value_count = (int)values.count;
    if (kaiProgram_Compile(t->program, &with, &model) != KAI_OK)
        return kaiModel_Free(model), false;
    make(t, model, &catalogue, shapes);
    bool same = shapes_follow(shapes, t->arena, &catalogue, &t->base, &why);
    kaiModel_Free(model);
    return same;
}

static SizeRule* rule_of(SizeRules* rules, const char* array)
{
    for (uint32_t i = 0; i < rules->count; i++)
        if (strcmp(rules->at[i].array, array) == 0)
            return &rules->at[i];
    return NULL;
}

// An array that follows two parameters, or one of them in another way, has a size of its own.
static void add_rule(const Trying* t, const ShapeDimension* d, const char* parameter)
{
    SizeRule* rule = rule_of(t->rules, d->array);
    if (rule == NULL)
        vec_push(t->arena, *t->rules, (SizeRule){d->array, parameter});
    else if (strcmp(rule->parameter, parameter) != 0)
        rule->parameter = "*";
}

static void compare(const Trying* t, const Shapes* other, const char* name, double from, double to)
{
    for (uint32_t i = 0; i < t->base.list.count; i++)
        for (int k = 0; k < t->base.list.at[i].rank; k++)
        {
            const ShapeDimension* d = &t->base.list.at[i].dimensions[k];
            double before = shape_size(d), after = other->list.at[d->by].like.start;
            if (before != after)
                add_rule(t, d, before == from && after == to ? name : "*");
        }
}

static bool may_be_size(const FmiVariable* v)
{
    return v->causality == FMI_STRUCTURAL && v->type == FMI_REAL && v->aspect == FMI_VALUE && v->start >= 0 &&
           v->start == floor(v->start) && strchr(v->name, '[') == NULL;
}

static void try_parameter(const Trying* t, const FmiVariable* v, double declared)
{
    const double tries[] = {declared + 1, declared - 1, 2 * declared};
    Shapes other;
    for (int k = 0; k < 3; k++)
        if (tries[k] >= 1 && try_value(t, v->name, tries[k], &other))
        {
            compare(t, &other, v->name, declared, tries[k]);
            return;
        }
}

void sizes_find(SizeRules* rules, Arena* arena, kaiProgram* program, const kaiCompileOptions* which,
                const kaiModel* model)
{
    Trying t = {.arena = arena, .program = program, .which = which, .rules = rules};
    Catalogue catalogue;
    kaiVariable v;
    int tried = 0;
    vec_push(arena, t.all, (SizeRule){"*", "*"});
    make(&t, model, &catalogue, &t.base);
    bool arrays = false;
    for (uint32_t i = 0; i < t.base.list.count; i++)
        arrays |= t.base.list.at[i].rank > 0 && t.base.list.at[i].like.aspect != FMI_WATCH;
    for (uint32_t i = 0; i < catalogue.list.count && arrays && tried < PARAMETERS_MOST; i++)
    {
        const FmiVariable* f = &catalogue.list.at[i];
        if (!may_be_size(f) || !kaiModel_Variable(model, f->variable, &v))
            continue;
        try_parameter(&t, f, v.start);
        tried++;
    }
}
