// modelDescription.xml of FMI 2.0 (section 2.2 of the standard). Indices count ScalarVariables from 1 in the order in
// which they stand, value references from 0: both are places in the catalogue.
#include "fmi/describe.h"

#include <math.h>
#include <string.h>

// What an element of a kind of FMU holds; it closes here.
static void put_sources(const Description* d, Writer* w, const char* element)
{
    if (d->sources == NULL)
    {
        writer_put(w, "/>\n");
        return;
    }
    writer_put(w, ">\n    <SourceFiles>\n");
    for (uint32_t i = 0; i < d->sources->list.count; i++)
        if (d->sources->list.at[i].compiled)
        {
            writer_put(w, "      <File");
            xml_attribute(w, "name", d->sources->list.at[i].name);
            writer_put(w, "/>\n");
        }
    writer_say(w, "    </SourceFiles>\n  </%s>\n", element);
}

static void put_exchange(const Description* d, Writer* w)
{
    if (d->refused == NULL)
    {
        writer_put(w, "  <ModelExchange");
        xml_attribute(w, "modelIdentifier", d->identifier);
        writer_put(w, " completedIntegratorStepNotNeeded=\"false\" canGetAndSetFMUstate=\"true\" "
                      "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"");
        put_sources(d, w, "ModelExchange");
    }
    writer_put(w, "  <CoSimulation");
    xml_attribute(w, "modelIdentifier", d->identifier);
    writer_put(w, " canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\" "
                  "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"false\"");
    put_sources(d, w, "CoSimulation");
}

static const char* variability_of(const FmiVariable* v)
{
    if (v->causality == FMI_STRUCTURAL)
        return "constant";
    return v->fixed ? "fixed" : v->continuous ? "continuous" : "discrete";
}

static void put_real(const Description* d, Writer* w, const FmiVariable* v)
{
    const char* si = v->unit != NULL ? describe_si(d->arena, v->unit) : NULL;
    writer_put(w, "      <Real");
    xml_attribute(w, "unit", si);
    if (si != NULL && v->aspect != FMI_RATE && strcmp(si, v->unit) != 0)
        xml_attribute(w, "displayUnit", v->unit);
    if (!isnan(v->start))
        xml_number(w, "start", v->start);
    if (v->aspect == FMI_RATE)
        writer_say(w, " derivative=\"%d\"", v->other + 1);
    writer_put(w, "/>\n");
}

static void put_type(const Description* d, Writer* w, const FmiVariable* v)
{
    switch (v->type)
    {
    case FMI_REAL: put_real(d, w, v); break;
    case FMI_INTEGER: writer_put(w, "      <Integer/>\n"); break;
    case FMI_BOOLEAN:
        writer_put(w, "      <Boolean");
        if (!isnan(v->start))
            xml_attribute(w, "start", v->start != 0 ? "true" : "false");
        writer_put(w, "/>\n");
        break;
    case FMI_ENUMERATION:
        writer_put(w, "      <Enumeration");
        xml_attribute(w, "declaredType", arena_printf(d->arena, "modes of %s", v->name));
        writer_put(w, "/>\n");
        break;
    case FMI_CLOCK:
    case FMI_COUNTING: break;
    }
}

static void put_variable(const Description* d, Writer* w, uint32_t index)
{
    const FmiVariable* v = &d->catalogue->list.at[index];
    bool constant = v->causality == FMI_STRUCTURAL;
    writer_put(w, "    <ScalarVariable");
    xml_attribute(w, "name", v->name);
    writer_say(w, " valueReference=\"%u\"", index);
    xml_attribute(w, "description", v->description);
    xml_attribute(w, "causality", constant ? "local" : describe_causality(v->causality));
    xml_attribute(w, "variability", variability_of(v));
    xml_attribute(w, "initial", describe_initial(v->initial));
    writer_put(w, ">\n");
    put_type(d, w, v);
    writer_put(w, "    </ScalarVariable>\n");
}

// During initialization only calculated parameters are known to depend on less than everything: what is left out means
// that.
static void put_unknowns(const Description* d, Writer* w, const char* list, bool (*is)(const FmiVariable*))
{
    bool any = false, initial = is == describe_is_initial_unknown;
    for (uint32_t i = 0; i < d->catalogue->list.count; i++)
    {
        if (!is(&d->catalogue->list.at[i]))
            continue;
        if (!any)
            writer_say(w, "    <%s>\n", list);
        any = true;
        writer_say(w, "      <Unknown index=\"%u\"", i + 1);
        if (!initial || d->catalogue->list.at[i].causality == FMI_CALCULATED)
            describe_dependencies(d, w, i, 1);
        writer_put(w, "/>\n");
    }
    if (any)
        writer_say(w, "    </%s>\n", list);
}

static bool is_output(const FmiVariable* v)
{
    return v->causality == FMI_OUTPUT;
}

static bool is_rate(const FmiVariable* v)
{
    return v->aspect == FMI_RATE;
}

char* describe_2(const Description* d)
{
    Writer w = {.arena = d->arena};
    describe_head(d, &w, "2.0", "guid");
    writer_say(&w, " numberOfEventIndicators=\"%d\">\n", d->refused == NULL ? d->indicators : 0);
    put_exchange(d, &w);
    describe_units(d, &w);
    describe_types(d, &w, "SimpleType", true);
    describe_experiment(d, &w);
    writer_put(&w, "  <ModelVariables>\n");
    for (uint32_t i = 0; i < d->catalogue->list.count; i++)
        put_variable(d, &w, i);
    writer_put(&w, "  </ModelVariables>\n  <ModelStructure>\n");
    put_unknowns(d, &w, "Outputs", is_output);
    put_unknowns(d, &w, "Derivatives", is_rate);
    put_unknowns(d, &w, "InitialUnknowns", describe_is_initial_unknown);
    writer_put(&w, "  </ModelStructure>\n</fmiModelDescription>\n");
    return writer_text(&w);
}
