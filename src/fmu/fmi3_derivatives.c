// The functions of FMI 3.0 about what depends on what, and how: dependencies of elements, directional and adjoint
// derivatives.
#include "fmu/fmi3_inside.h"

#include <stdlib.h>

// ---- dependencies
// ----------------------------------------------------------------------------------------------------

static const Shape* unknown_of(Instance* c, fmi3ValueReference reference)
{
    if (reference < c->unit->structure.shapes.list.count)
        return &c->unit->structure.shapes.list.at[reference];
    return unit_refuse(c->unit, "there is no variable with value reference %u", reference), NULL;
}

// Pairs of an element and a known, in arrays that are there or are only counted.
typedef struct Pairs
{
    size_t* elements;  // NULL: count
    fmi3ValueReference* knowns;
    size_t* known_elements;
    fmi3DependencyKind* kinds;
    size_t count;
} Pairs;

static void add_pair(Pairs* p, size_t element, fmi3ValueReference known, size_t known_element, fmi3DependencyKind kind)
{
    if (p->elements != NULL)
    {
        p->elements[p->count] = element;
        p->knowns[p->count] = known;
        p->known_elements[p->count] = known_element;
        p->kinds[p->count] = kind;
    }
    p->count++;
}

// Where nothing is known of an element it may depend on everything; 0 stands for all elements of a known.
static void add_everything(const Shapes* s, Pairs* p, size_t element)
{
    for (uint32_t i = 0; i < s->list.count; i++)
    {
        const FmiVariable* v = &s->list.at[i].like;
        if (v->aspect == FMI_VALUE && (v->state >= 0 || v->causality == FMI_INPUT))
            add_pair(p, element, i, 0, fmi3Dependent);
    }
}

static bool list_dependencies(Instance* c, const Shape* shape, Pairs* p)
{
    static const fmi3DependencyKind words[] = {fmi3Constant, fmi3Fixed, fmi3Discrete, fmi3Dependent};
    const Shapes* s = &c->unit->structure.shapes;
    const Dependence* d = unit_dependence(c->unit);
    p->count = 0;
    for (uint32_t k = 0; d != NULL && k < shape->count && shape->like.aspect != FMI_SIZE; k++)
    {
        uint32_t entry = s->elements[shape->at + k];
        if (!d->has[entry])
            add_everything(s, p, k + 1);
        for (uint32_t i = 0; d->has[entry] && i < d->lists[entry].count; i++)
        {
            const Depends* on = &d->lists[entry].at[i];
            add_pair(p, k + 1, s->shape[on->known], s->place[on->known] + 1, words[on->kind]);
        }
    }
    return d != NULL;
}

enum
{
    IN_DEPENDENCIES = IN_INSTANTIATED | IN_INITIALIZING | IN_RUN | IN_TERMINATED
};

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference reference, size_t* count)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_DEPENDENCIES, "GetNumberOfVariableDependencies") || count == NULL)
        return fmi3Error;
    const Shape* shape = unknown_of(c, reference);
    Pairs pairs = {.count = 0};
    bool ok = shape != NULL && list_dependencies(c, shape, &pairs);
    *count = pairs.count;
    return fmi3_status(ok);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference reference, size_t elements[],
                                       fmi3ValueReference independents[], size_t independent_elements[],
                                       fmi3DependencyKind kinds[], size_t count)
{
    Instance* c = instance;
    Pairs pairs = {.count = 0};
    if (!fmi3_may(c, IN_DEPENDENCIES, "GetVariableDependencies"))
        return fmi3Error;
    const Shape* shape = unknown_of(c, reference);
    if (shape == NULL || !list_dependencies(c, shape, &pairs))
        return fmi3Error;
    if (pairs.count != count)
        return fmi3_status(unit_refuse(c->unit, "%s has %zu dependencies, not %zu", shape->name, pairs.count, count));
    if (count > 0 && (elements == NULL || independents == NULL || independent_elements == NULL || kinds == NULL))
        return fmi3_status(unit_refuse(c->unit, "there is no room for the dependencies of %s", shape->name));
    pairs = (Pairs){elements, independents, independent_elements, kinds, 0};
    return fmi3_status(list_dependencies(c, shape, &pairs));
}

// ---- derivatives
// -----------------------------------------------------------------------------------------------------

enum
{
    IN_DERIVATIVES = IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS
};

// The elements of variables, one after the other; to be freed. NULL: they are not as many as there are numbers for.
static uint32_t* elements_of(Instance* c, const fmi3ValueReference references[], size_t count, size_t value_count)
{
    const Shapes* s = &c->unit->structure.shapes;
    uint32_t* list = malloc(sizeof *list * (value_count + 1));
    size_t used = 0;
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++)
    {
        const Shape* shape = unknown_of(c, references[i]);
        ok = shape != NULL && shape->count <= value_count - used;
        for (uint32_t k = 0; ok && k < shape->count; k++)
            list[used++] = s->elements[shape->at + k];
    }
    if (ok && used == value_count)
        return list;
    unit_refuse(c->unit, "%zu numbers do not fit the %zu variables that derivatives are asked for", value_count, count);
    free(list);
    return NULL;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[], size_t known_count,
                                        const fmi3Float64 seed[], size_t seed_count, fmi3Float64 result[],
                                        size_t result_count)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_DERIVATIVES, "GetDirectionalDerivative"))
        return fmi3Error;
    uint32_t* to = elements_of(c, unknowns, unknown_count, result_count);
    uint32_t* from = to != NULL ? elements_of(c, knowns, known_count, seed_count) : NULL;
    bool ok = from != NULL && unit_along(c->unit, to, result_count, from, seed_count, seed, result);
    free(to);
    free(from);
    return fmi3_status(ok);
}

// Row by row of the transposed Jacobian: the derivative along each known, weighed by the seed.
static bool weigh(Instance* c, const uint32_t* to, size_t to_count, uint32_t known, const double* seed, double* column,
                  double* result)
{
    const double one = 1;
    if (!unit_along(c->unit, to, to_count, &known, 1, &one, column))
        return false;
    *result = 0;
    for (size_t i = 0; i < to_count; i++)
        *result += seed[i] * column[i];
    return true;
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                    size_t seed_count, fmi3Float64 result[], size_t result_count)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_DERIVATIVES, "GetAdjointDerivative"))
        return fmi3Error;
    uint32_t* to = elements_of(c, unknowns, unknown_count, seed_count);
    uint32_t* from = to != NULL ? elements_of(c, knowns, known_count, result_count) : NULL;
    double* column = from != NULL ? malloc(sizeof *column * (seed_count + 1)) : NULL;
    bool ok = column != NULL;
    for (size_t k = 0; k < result_count && ok; k++)
        ok = weigh(c, to, seed_count, from[k], seed, column, &result[k]);
    free(column);
    free(to);
    free(from);
    return fmi3_status(ok);
}
