// The functions of FMI 3.0 about values: reading and setting them, clocks, states of the FMU, derivatives. What the
// model has no variables for answers as the standard says.
#include "fmu/fmi3_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const type_words[] = {"Float64", "Int64", "Boolean", "Enumeration", "Clock", "UInt64"};

// The variable, or an element of an array, that is meant. NULL: there is none, or it has another type. Enumerations are
// read and written as Int64.
static const Shape* shape_of(Instance* c, fmi3ValueReference reference, FmiType type)
{
    const Shapes* s = &c->unit->structure.shapes;
    if (reference >= s->list.count)
        return unit_refuse(c->unit, "there is no variable with value reference %u", reference), NULL;
    const Shape* shape = &s->list.at[reference];
    FmiType found = shape->like.type == FMI_ENUMERATION ? FMI_INTEGER : shape->like.type;
    if (found != type)
        return unit_refuse(c->unit, "%s is no %s", shape->name, type_words[type]), NULL;
    return shape;
}

// As many values as the variables have elements; zero of both need no arrays.
static bool is_count(Instance* c, const fmi3ValueReference references[], size_t count, size_t value_count)
{
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += references[i] < c->unit->structure.shapes.list.count
                      ? c->unit->structure.shapes.list.at[references[i]].count
                      : 1;
    return wanted == value_count || unit_refuse(c->unit, "%zu values instead of the %zu of the %zu variables asked for",
                                                value_count, wanted, count);
}

static bool get_element(Instance* c, const Shape* shape, uint32_t k, double* value)
{
    if (shape->like.aspect != FMI_SIZE)
        return unit_get(c->unit, c->unit->structure.shapes.elements[shape->at + k], value);
    double wanted = c->unit->structure.sizes[shape - c->unit->structure.shapes.list.at];
    *value = isnan(wanted) ? shape->like.start : wanted;
    return true;
}

// A size that follows from others: what it is wanted to be is held against what it is when configuration mode ends.
static bool set_size(Instance* c, const Shape* shape, double value)
{
    if (c->unit->mode != UNIT_CONFIGURING)
        return unit_refuse(c->unit, "%s decides the structure of the model: it is set in configuration mode",
                           shape->name);
    c->unit->structure.sizes[shape - c->unit->structure.shapes.list.at] = value;
    return true;
}

static bool set_element(Instance* c, const Shape* shape, uint32_t k, double value)
{
    if (shape->like.aspect == FMI_SIZE)
        return set_size(c, shape, value);
    return unit_set(c->unit, c->unit->structure.shapes.elements[shape->at + k], value);
}

#define VALUES(Name, Type, TYPE)                                                                                       \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count, Type values[],       \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        double value = 0;                                                                                              \
        bool ok = fmi3_may(c, IN_FINE, "Get" #Name) && is_count(c, references, count, value_count);                    \
        for (size_t i = 0, at = 0; i < count && ok; i++)                                                               \
        {                                                                                                              \
            const Shape* shape = shape_of(c, references[i], TYPE);                                                     \
            ok = shape != NULL;                                                                                        \
            for (uint32_t k = 0; ok && k < shape->count; k++)                                                          \
            {                                                                                                          \
                ok = get_element(c, shape, k, &value);                                                                 \
                values[at++] = (Type)value;                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        return fmi3_status(ok);                                                                                        \
    }                                                                                                                  \
    fmi3Status fmi3Set##Name(fmi3Instance instance, const fmi3ValueReference references[], size_t count,               \
                             const Type values[], size_t value_count)                                                  \
    {                                                                                                                  \
        Instance* c = instance;                                                                                        \
        bool ok = fmi3_may(c, IN_INSTANTIATED | IN_CONFIGURING | IN_INITIALIZING | IN_RUN, "Set" #Name) &&             \
                  is_count(c, references, count, value_count);                                                         \
        for (size_t i = 0, at = 0; i < count && ok; i++)                                                               \
        {                                                                                                              \
            const Shape* shape = shape_of(c, references[i], TYPE);                                                     \
            ok = shape != NULL;                                                                                        \
            for (uint32_t k = 0; ok && k < shape->count; k++)                                                          \
                ok = set_element(c, shape, k, (double)values[at++]);                                                   \
        }                                                                                                              \
        return fmi3_status(ok);                                                                                        \
    }
VALUES(Float64, fmi3Float64, FMI_REAL)
VALUES(Int64, fmi3Int64, FMI_INTEGER)
VALUES(Boolean, fmi3Boolean, FMI_BOOLEAN)
VALUES(UInt64, fmi3UInt64, FMI_COUNTING)

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
        const Shape* clock = shape_of(c, references[i], FMI_CLOCK);
        ok = clock != NULL && get_element(c, clock, 0, &value);
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
        const Shape* clock = shape_of(c, references[i], FMI_CLOCK);
        ok = clock != NULL && set_element(c, clock, 0, values[i] ? 1 : 0);
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

// ---- states
// ----------------------------------------------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_FINE, "GetFMUState") && state != NULL && unit_state_save(c->unit, state));
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_ANY, "SetFMUState") && state != NULL && unit_state_restore(c->unit, state));
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
    return fmi3_status(fmi3_may(instance, IN_ANY, "SerializedFMUStateSize") && state != NULL && size != NULL &&
                       unit_state_size(state, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte to[], size_t size)
{
    return fmi3_status(fmi3_may(instance, IN_ANY, "SerializeFMUState") && state != NULL &&
                       unit_state_write(state, (char*)to, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState* state)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_ANY, "DeserializeFMUState") && bytes != NULL && state != NULL &&
                       unit_state_read(c->unit, (const char*)bytes, size, state));
}
