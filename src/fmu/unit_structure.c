// See unit.h: the structure of an instance. Its model is compiled again where the importer changes a parameter that
// decides it; variables keep their value references, arrays get other sizes.
#include "fmu/unit_inside.h"

#include "base/hash.h"
#include "base/map.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// In Model Exchange everything that is shown, since between the tags of an instant nothing else has a value; in
// Co-Simulation what tallies are about.
static bool is_recorded(const Unit* unit, int variable)
{
    const ModelVar* var = &unit->model->vars[variable];
    if (var->hidden || var->kind == MODEL_PARAM)
        return false;
    return unit->exchange || var->column == KAI_COLUMN_EVENT || var->impulse_count > 0 ||
           catalogue_may_be_absent(unit->model, variable);
}

static void make_arrays(Unit* unit)
{
    Arena* a = &unit->arena;
    int vars = kaiModel_VariableCount(unit->model);
    unit->states = kaiModel_StateCount(unit->model);
    unit->indicators = (int)unit->model->guards_count;
    unit->x = arena_array(a, double, unit->states + 1);
    unit->dx = arena_array(a, double, unit->states + 1);
    unit->watch = arena_array(a, double, unit->indicators + 1);
    unit->scratch = arena_array(a, double, 4 * unit->states + 1);
    unit->given = arena_array(a, bool, vars + 1);
    unit->given_values = arena_array(a, double, vars + 1);
    unit->inputs = arena_array(a, double, vars + 1);
    unit->tallies = arena_array(a, Tally, vars + 1);
    unit->record = arena_array(a, int, vars + 1);
    unit->record_count = 0;
    for (int i = 0; i < vars; i++)
        if (is_recorded(unit, i))
            unit->record[unit->record_count++] = i;
    uint32_t most = unit->model->vars_count + unit->model->impulse_titles_count;
    unit->columns = arena_array(a, Column, most + 1);
    unit_clear_inputs(unit);
}

static bool has_structure(const UnitModel* m, const kaiOverride* structure, int count)
{
    bool same = m->count == count;
    for (int i = 0; i < count && same; i++)
        same = strcmp(m->structure[i].name, structure[i].name) == 0 && m->structure[i].value == structure[i].value;
    return same;
}

kaiModel* unit_model(Unit* unit, const kaiOverride* structure, int count, char* why, size_t size)
{
    for (uint32_t i = 0; i < unit->structure.models.count; i++)
        if (has_structure(&unit->structure.models.at[i], structure, count))
            return unit->structure.models.at[i].model;
    UnitModel made = {.structure = arena_array(&unit->arena, kaiOverride, count + 1), .count = count};
    for (int i = 0; i < count; i++)
        made.structure[i] = (kaiOverride){arena_copy_string(&unit->arena, structure[i].name, strlen(structure[i].name)),
                                          structure[i].value};
    vec_push(&unit->arena, unit->structure.models, made);  // there is room before there is something to lose
    made.model = store_compile(&unit->store, structure, count, why, size);
    if (made.model == NULL)
        unit->structure.models.count--;
    else
        unit->structure.models.at[unit->structure.models.count - 1].model = made.model;
    return made.model;
}

static void make_shapes(Unit* unit, kaiModel* model, Catalogue* catalogue, Shapes* shapes)
{
    catalogue_make(catalogue, &unit->arena, model, unit->version);
    if (unit->version == 3)
        shapes_make(shapes, &unit->arena, catalogue, model, &unit->store.sizes);
}

static void forget_sizes(Unit* unit)
{
    unit->structure.sizes = arena_array(&unit->arena, double, unit->structure.shapes.list.count + 1);
    for (uint32_t i = 0; i < unit->structure.shapes.list.count; i++)
        unit->structure.sizes[i] = NAN;
}

void unit_take_model(Unit* unit)
{
    make_shapes(unit, unit->model, &unit->catalogue, &unit->structure.shapes);
    forget_sizes(unit);
    make_arrays(unit);
}

// The values that were set, under the numbers that their variables have in the new model.
static void take_given(Unit* unit, const Catalogue* old, const bool* given, const double* values)
{
    Map names;
    map_init(&names, &unit->arena);
    for (uint32_t i = 0; i < unit->catalogue.list.count; i++)
    {
        const FmiVariable* v = &unit->catalogue.list.at[i];
        if (v->variable >= 0 && v->aspect == FMI_VALUE)
            map_set(&names, hash_bytes(HASH_START, v->name, strlen(v->name)), (uint32_t)v->variable);
    }
    for (uint32_t i = 0; i < old->list.count; i++)
    {
        const FmiVariable* v = &old->list.at[i];
        uint32_t to = 0;
        bool set = v->variable >= 0 && v->aspect == FMI_VALUE && given[v->variable];
        if (!set || !map_get(&names, hash_bytes(HASH_START, v->name, strlen(v->name)), &to))
            continue;
        unit->given[to] = true;
        unit->given_values[to] = unit->inputs[to] = values[v->variable];
    }
}

// A dimension is the parameter that the description says.
static bool has_said_sizes(Unit* unit, const Catalogue* catalogue, const Shapes* shapes)
{
    for (uint32_t i = 0; i < shapes->list.count; i++)
    {
        const Shape* s = &shapes->list.at[i];
        for (int k = 0; k < s->rank; k++)
        {
            const Shape* by = s->dimensions[k].by >= 0 ? &shapes->list.at[s->dimensions[k].by] : NULL;
            if (by == NULL || by->like.aspect == FMI_SIZE || by->count == 0)
                continue;
            double said = catalogue->list.at[shapes->elements[by->at]].start;
            if (s->count > 0 && said != shape_size(&s->dimensions[k]))
                return unit_refuse(unit, "with %s = %g the array %s has %u elements", by->name, said,
                                   s->dimensions[k].array, shape_size(&s->dimensions[k]));
        }
        if (s->like.aspect == FMI_SIZE && !isnan(unit->structure.sizes[i]) && unit->structure.sizes[i] != s->like.start)
            return unit_refuse(unit, "%s follows from the other parameters: it is %g, not %g", s->name, s->like.start,
                               unit->structure.sizes[i]);
    }
    return true;
}

static bool use_model(Unit* unit, kaiModel* model)
{
    Catalogue old = unit->catalogue, made;
    Shapes shapes = {.ordered = true};
    const bool* given = unit->given;
    const double* values = unit->given_values;
    const char* why = "";
    make_shapes(unit, model, &made, &shapes);
    if (unit->version == 3 && !shapes_follow(&shapes, &unit->arena, &made, &unit->structure.shapes, &why))
        return unit_refuse(
            unit, "with these structural parameters the model has other variables than its description: %s", why);
    if (!has_said_sizes(unit, &made, &shapes))
        return false;
    unit->model = model;
    unit->catalogue = made;
    unit->structure.shapes = shapes;
    unit->structure.dependence = NULL;
    forget_sizes(unit);
    make_arrays(unit);
    take_given(unit, &old, given, values);
    return true;
}

void unit_structure(Unit* unit, OverrideList* list)
{
    for (uint32_t i = 0; i < unit->catalogue.list.count; i++)
    {
        const FmiVariable* v = &unit->catalogue.list.at[i];
        if (v->causality == FMI_STRUCTURAL && v->variable >= 0 && unit->given[v->variable])
            vec_push(&unit->arena, *list,
                     (kaiOverride){v->name, unit_from_si(unit, v->variable, unit->given_values[v->variable])});
    }
}

bool unit_restructure(Unit* unit, const kaiOverride* list, int count)
{
    char why[1200];
    if (setjmp(unit->fail) != 0)
        return unit_fail(unit, "out of memory");
    kaiModel* model = unit_model(unit, list, count, why, sizeof why);
    if (model == NULL)
        return unit_refuse(unit, "%s", why);
    kaiEval_Free(unit->eval);
    kaiSim_Free(unit->sim);
    unit->eval = NULL;
    unit->sim = NULL;
    unit->ready = unit->looked = unit->inside = false;
    if (!use_model(unit, model))
        return false;
    unit->structure.configured = count > 0;
    return true;
}

bool unit_configure(Unit* unit)
{
    if (setjmp(unit->fail) != 0)
        return unit_fail(unit, "out of memory");
    OverrideList changed = {0};
    unit_structure(unit, &changed);
    if (changed.count == 0 && !unit->structure.configured)
        return has_said_sizes(unit, &unit->catalogue, &unit->structure.shapes);
    if (unit->store.compiled)
        return unit_refuse(unit, "the FMU holds the compiled model only: its structure cannot change");
    return unit_restructure(unit, changed.at, (int)changed.count);
}

const Dependence* unit_dependence(Unit* unit)
{
    if (unit->structure.dependence != NULL)
        return unit->structure.dependence;
    if (setjmp(unit->fail) != 0)
    {
        unit_fail(unit, "out of memory");
        return NULL;
    }
    Dependence* made = arena_new(&unit->arena, Dependence);
    depend_make(made, &unit->arena, unit->model, &unit->catalogue);
    unit->structure.dependence = made;
    return made;
}
