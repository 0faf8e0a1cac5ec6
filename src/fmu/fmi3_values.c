// The functions of FMI 3.0 about values: reading and setting them, clocks, states of the FMU, derivatives. What the
// model has no variables for answers as the standard says.
#include "fmu/fmi3_inside.h"

#include <stdlib.h>
#include <string.h>

static const char* const type_words[] = {"Float64", "Int64", "Boolean", "Enumeration", "Clock"};

// Enumerations are read and written as Int64.
static bool has_type(Instance* c, fmi3ValueReference reference, FmiType type)
{
    const Catalogue* list = &c->unit->catalogue;
    if (reference >= list->list.count)
        return unit_refuse(c->unit, "there is no variable with value reference %u", reference);
    FmiType found = list->list.at[reference].type == FMI_ENUMERATION ? FMI_INTEGER : list->list.at[reference].type;
    return found == type || unit_refuse(c->unit, "%s is no %s", list->list.at[reference].name, type_words[type]);
}

static bool is_count(Instance* c, size_t count, size_t value_count)
{
    return count == value_count ||
           unit_refuse(c->unit, "%zu values for %zu variables, which are all scalar", value_count, count);
}

static bool get_one(Instance* c, fmi3ValueReference reference, FmiType type, double* value)
{
    return has_type(c, reference, type) && unit_get(c->unit, reference, value);
}

#define VALUES(Name, Type, TYPE)                                                                                       \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count, Type values[],       \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        double value = 0;                                                                                              \
        bool ok = fmi3_may(c, IN_FINE, "Get" #Name) && is_count(c, count, value_count);                                \
        for (size_t i = 0; i < count && ok; i++)                                                                       \
        {                                                                                                              \
            ok = get_one(c, references[i], TYPE, &value);                                                              \
            values[i] = (Type)value;                                                                                   \
        }                                                                                                              \
        return fmi3_status(ok);                                                                                        \
    }                                                                                                                  \
    fmi3Status fmi3Set##Name(fmi3Instance instance, const fmi3ValueReference references[], size_t count,               \
                             const Type values[], size_t value_count)                                                  \
    {                                                                                                                  \
        Instance* c = instance;                                                                                        \
        bool ok = fmi3_may(c, IN_INSTANTIATED | IN_CONFIGURING | IN_INITIALIZING | IN_RUN, "Set" #Name) &&             \
                  is_count(c, count, value_count);                                                                     \
        for (size_t i = 0; i < count && ok; i++)                                                                       \
            ok = has_type(c, references[i], TYPE) && unit_set(c->unit, references[i], (double)values[i]);              \
        return fmi3_status(ok);                                                                                        \
    }
VALUES(Float64, fmi3Float64, FMI_REAL)
VALUES(Int64, fmi3Int64, FMI_INTEGER)
VALUES(Boolean, fmi3Boolean, FMI_BOOLEAN)

static fmi3Status no_such(Instance* c, const char* function, size_t count, const char* type)
{
    if (!fmi3_may(c, IN_ANY, function))
        return fmi3Error;
    return count == 0 ? fmi3OK : fmi3_status(unit_refuse(c->unit, "the model has no %s variables", type));
}

#define NO_VALUES(Name, Type)                                                                                          \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count, Type values[],       \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        (void)references, (void)values, (void)value_count;                                                             \
        return no_such(c, "Get" #Name, count, #Name);                                                                  \
    }                                                                                                                  \
    fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count, const Type values[], \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        (void)references, (void)values, (void)value_count;                                                             \
        return no_such(c, "Set" #Name, count, #Name);                                                                  \
    }
NO_VALUES(Float32, fmi3Float32)
NO_VALUES(Int8, fmi3Int8)
NO_VALUES(UInt8, fmi3UInt8)
NO_VALUES(Int16, fmi3Int16)
NO_VALUES(UInt16, fmi3UInt16)
NO_VALUES(Int32, fmi3Int32)
NO_VALUES(UInt32, fmi3UInt32)
NO_VALUES(UInt64, fmi3UInt64)
NO_VALUES(String, fmi3String)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t count, size_t sizes[],
                         fmi3Binary values[], size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_such(c, "GetBinary", count, "Binary");
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t count, const size_t sizes[],
                         const fmi3Binary values[], size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_such(c, "SetBinary", count, "Binary");
}

// ---- clocks
// ----------------------------------------------------------------------------------------------------------

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Clock values[])
{
    double value = 0;
    bool ok = fmi3_may(c, IN_INITIALIZING | IN_EVENT | IN_STEPPING, "GetClock");
    for (size_t i = 0; i < count && ok; i++)
    {
        ok = get_one(c, references[i], FMI_CLOCK, &value);
        values[i] = value != 0;
    }
    return fmi3_status(ok);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                        const fmi3Clock values[])
{
    Instance* c = instance;
    bool ok = fmi3_may(c, IN_EVENT, "SetClock");
    for (size_t i = 0; i < count && ok; i++)
    {
        ok = has_type(c, references[i], FMI_CLOCK) && unit_set(c->unit, references[i], values[i] ? 1 : 0);
        if (ok && values[i])
            unit_rearm_event(c->unit, references[i]);  // a clock is set anew for each of its ticks
    }
    return fmi3_status(ok);
}

// All clocks are triggered: none has an interval or a shift.
static fmi3Status no_interval(Instance* c, const char* function)
{
    return fmi3_status(fmi3_may(c, IN_ANY, function) &&
                       unit_refuse(c->unit, "fmi3%s: all clocks are triggered, none has an interval", function));
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    (void)references, (void)count, (void)intervals, (void)qualifiers;
    return no_interval(c, "GetIntervalDecimal");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    (void)references, (void)count, (void)counters, (void)resolutions, (void)qualifiers;
    return no_interval(c, "GetIntervalFraction");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                               fmi3Float64 shifts[])
{
    (void)references, (void)count, (void)shifts;
    return no_interval(c, "GetShiftDecimal");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)references, (void)count, (void)counters, (void)resolutions;
    return no_interval(c, "GetShiftFraction");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                  const fmi3Float64 intervals[])
{
    (void)references, (void)count, (void)intervals;
    return no_interval(c, "SetIntervalDecimal");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                   const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)references, (void)count, (void)counters, (void)resolutions;
    return no_interval(c, "SetIntervalFraction");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                               const fmi3Float64 shifts[])
{
    (void)references, (void)count, (void)shifts;
    return no_interval(c, "SetShiftDecimal");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)references, (void)count, (void)counters, (void)resolutions;
    return no_interval(c, "SetShiftFraction");
}

// ---- dependencies and derivatives
// -----------------------------------------------------------------------------------------

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference reference, size_t* count)
{
    Instance* c = instance;
    (void)reference, (void)count;
    return fmi3_status(
        fmi3_may(c, IN_ANY, "GetNumberOfVariableDependencies") &&
        unit_refuse(c->unit, "there are no dependencies of elements: providesPerElementDependencies is false"));
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference reference, size_t elements[],
                                       fmi3ValueReference independents[], size_t independent_elements[],
                                       fmi3DependencyKind kinds[], size_t count)
{
    Instance* c = instance;
    (void)reference, (void)elements, (void)independents, (void)independent_elements, (void)kinds, (void)count;
    return fmi3_status(
        fmi3_may(c, IN_ANY, "GetVariableDependencies") &&
        unit_refuse(c->unit, "there are no dependencies of elements: providesPerElementDependencies is false"));
}

enum
{
    IN_DERIVATIVES = IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS
};

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[], size_t known_count,
                                        const fmi3Float64 seed[], size_t seed_count, fmi3Float64 result[],
                                        size_t result_count)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_DERIVATIVES, "GetDirectionalDerivative") &&
                       is_count(c, known_count, seed_count) && is_count(c, unknown_count, result_count) &&
                       unit_along(c->unit, unknowns, unknown_count, knowns, known_count, seed, result));
}

// Row by row of the transposed Jacobian: the derivative along each known, weighed by the seed.
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                    size_t seed_count, fmi3Float64 result[], size_t result_count)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_DERIVATIVES, "GetAdjointDerivative") || !is_count(c, unknown_count, seed_count) ||
        !is_count(c, known_count, result_count))
        return fmi3Error;
    double* column = malloc(sizeof *column * (unknown_count + 1));
    bool ok = column != NULL;
    const double one = 1;
    for (size_t k = 0; k < known_count && ok; k++)
    {
        ok = unit_along(c->unit, unknowns, unknown_count, &knowns[k], 1, &one, column);
        result[k] = 0;
        for (size_t i = 0; i < unknown_count && ok; i++)
            result[k] += seed[i] * column[i];
    }
    free(column);
    return fmi3_status(ok);
}

// ---- states
// ----------------------------------------------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_FINE, "GetFMUState") || state == NULL)
        return fmi3Error;
    UnitState* saved = unit_state_save(c->unit);
    if (saved == NULL)
        return fmi3_status(unit_refuse(c->unit, "there is no memory for the state"));
    unit_state_free(*state);  // an old one is used again
    *state = saved;
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_ANY, "SetFMUState") || state == NULL || !unit_state_restore(c->unit, state))
        return fmi3Error;
    c->last = c->unit->t;
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state)
{
    if (!fmi3_may(instance, IN_ANY, "FreeFMUState"))
        return fmi3Error;
    if (state != NULL)
    {
        unit_state_free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size)
{
    char* bytes = NULL;
    if (!fmi3_may(instance, IN_ANY, "SerializedFMUStateSize") || state == NULL || size == NULL ||
        !unit_state_write(state, &bytes, size))
        return fmi3Error;
    free(bytes);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte to[], size_t size)
{
    char* bytes = NULL;
    size_t needed = 0;
    if (!fmi3_may(instance, IN_ANY, "SerializeFMUState") || state == NULL || !unit_state_write(state, &bytes, &needed))
        return fmi3Error;
    bool fits = needed <= size;
    if (fits)
        memcpy(to, bytes, needed);
    free(bytes);
    return fmi3_status(fits);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState* state)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_ANY, "DeserializeFMUState") || bytes == NULL || state == NULL)
        return fmi3Error;
    UnitState* read = unit_state_read(c->unit, (const char*)bytes, size);
    if (read != NULL)
        *state = read;
    return fmi3_status(read != NULL);
}
