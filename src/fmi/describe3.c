// modelDescription.xml of FMI 3.0 (section 2.4 of the standard). Unlike 2.0 everything refers to value references,
// event indicators are variables, and events are triggered clocks.
#include "fmi/describe.h"

#include <math.h>
#include <string.h>

static void put_kinds(const Description* d, Writer* w)
{
    if (d->refused == NULL)
    {
        writer_put(w, "  <ModelExchange");
        xml_attribute(w, "modelIdentifier", d->identifier);
        writer_put(w,
                   " needsCompletedIntegratorStep=\"true\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                   "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"/>\n");
    }
    writer_put(w, "  <CoSimulation");
    xml_attribute(w, "modelIdentifier", d->identifier);
    writer_put(w, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                  "canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\" "
                  "mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\" "
                  "providesIntermediateUpdate=\"true\"/>\n");
}

static void put_start(Writer* w, const FmiVariable* v)
{
    if (isnan(v->start))
        return;
    if (v->type == FMI_BOOLEAN)
        xml_attribute(w, "start", v->start != 0 ? "true" : "false");
    else
        xml_number(w, "start", v->start);
}

static void put_unit(const Description* d, Writer* w, const FmiVariable* v)
{
    const char* si = v->unit != NULL ? describe_si(d->arena, v->unit) : NULL;
    xml_attribute(w, "unit", si);
    if (si != NULL && v->aspect != FMI_RATE && strcmp(si, v->unit) != 0)
        xml_attribute(w, "displayUnit", v->unit);
    if (v->aspect == FMI_RATE)
        writer_say(w, " derivative=\"%d\"", v->other);
}

static void put_variable(const Description* d, Writer* w, uint32_t index)
{
    static const char* const words[] = {"Float64", "Int64", "Boolean", "Enumeration", "Clock"};
    const FmiVariable* v = &d->catalogue->list.at[index];
    writer_say(w, "    <%s", words[v->type]);
    xml_attribute(w, "name", v->name);
    writer_say(w, " valueReference=\"%u\"", index);
    xml_attribute(w, "description", v->description);
    xml_attribute(w, "causality", describe_causality(v->causality));
    xml_attribute(w, "variability", v->fixed ? "fixed" : v->continuous ? "continuous" : "discrete");
    if (v->type == FMI_CLOCK)
    {
        writer_put(w, " intervalVariability=\"triggered\"/>\n");
        return;
    }
    if (v->causality != FMI_INPUT)
        xml_attribute(w, "initial", describe_initial(v->initial));
    if (v->type == FMI_ENUMERATION)
        xml_attribute(w, "declaredType", arena_printf(d->arena, "modes of %s", v->name));
    put_start(w, v);
    if (v->type == FMI_REAL)
        put_unit(d, w, v);
    writer_put(w, "/>\n");
}

static void put_unknown(const Description* d, Writer* w, const char* element, uint32_t entry, bool known)
{
    writer_say(w, "    <%s valueReference=\"%u\"", element, entry);
    if (known)
        describe_dependencies(d, w, entry, 0);
    writer_put(w, "/>\n");
}

// During initialization only calculated parameters are known to depend on less than everything: what is left out means
// that.
static void put_structure(const Description* d, Writer* w)
{
    const Catalogue* c = d->catalogue;
    for (uint32_t i = 0; i < c->list.count; i++)
        if (c->list.at[i].causality == FMI_OUTPUT)
            put_unknown(d, w, "Output", i, true);
    for (uint32_t i = 0; i < c->rates.count; i++)
        put_unknown(d, w, "ContinuousStateDerivative", c->rates.at[i], true);
    for (uint32_t i = 0; i < c->list.count; i++)
        if (describe_is_initial_unknown(&c->list.at[i]))
            put_unknown(d, w, "InitialUnknown", i, c->list.at[i].causality == FMI_CALCULATED);
    for (uint32_t i = 0; i < c->list.count; i++)
        if (c->list.at[i].aspect == FMI_WATCH)
            put_unknown(d, w, "EventIndicator", i, true);
}

char* describe_3(const Description* d)
{
    Writer w = {.arena = d->arena};
    describe_head(d, &w, "3.0", "instantiationToken");
    writer_put(&w, ">\n");
    put_kinds(d, &w);
    describe_units(d, &w);
    describe_types(d, &w, "EnumerationType", false);
    describe_experiment(d, &w);
    writer_put(&w, "  <ModelVariables>\n");
    for (uint32_t i = 0; i < d->catalogue->list.count; i++)
        put_variable(d, &w, i);
    writer_put(&w, "  </ModelVariables>\n  <ModelStructure>\n");
    put_structure(d, &w);
    writer_put(&w, "  </ModelStructure>\n</fmiModelDescription>\n");
    return writer_text(&w);
}
