// modelDescription.xml of FMI 3.0 (section 2.4 of the standard). Unlike 2.0 everything refers to value references,
// event indicators are variables, and events are triggered clocks.
#include "fmi/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_kinds(const Description* d, Writer* w)
{
    if (d->refused == NULL)
    {
        writer_put(w, "  <ModelExchange");
        xml_attribute(w, "modelIdentifier", d->identifier);
        writer_put(w,
                   " needsCompletedIntegratorStep=\"true\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                   "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\" "
                   "providesPerElementDependencies=\"true\"/>\n");
    }
    writer_put(w, "  <CoSimulation");
    xml_attribute(w, "modelIdentifier", d->identifier);
    writer_put(w, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                  "canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\" "
                  "mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\" "
                  "providesIntermediateUpdate=\"true\" providesPerElementDependencies=\"true\"/>\n");
}

static void put_one_start(Writer* w, const FmiVariable* v)
{
    if (v->type == FMI_BOOLEAN)
        writer_put(w, v->start != 0 ? "true" : "false");
    else if (isinf(v->start))
        writer_put(w, v->start > 0 ? "INF" : "-INF");
    else
        writer_say(w, "%.17g", v->start);
}

// Of an array one value if all have the same.
static void put_start(const Description* d, Writer* w, const Shape* s)
{
    const uint32_t* elements = &d->shapes->elements[s->at];
    bool same = true;
    if (isnan(s->like.start))
        return;
    for (uint32_t k = 1; k < s->count && same; k++)
        same = d->catalogue->list.at[elements[k]].start == d->catalogue->list.at[elements[0]].start;
    writer_put(w, " start=\"");
    for (uint32_t k = 0; k < (same ? 1 : s->count); k++)
    {
        writer_put(w, k > 0 ? " " : "");
        put_one_start(w, &d->catalogue->list.at[elements[k]]);
    }
    writer_put(w, "\"");
}

static void put_unit(const Description* d, Writer* w, const Shape* s)
{
    const FmiVariable* v = &s->like;
    const char* si = v->unit != NULL ? describe_si(d->arena, v->unit) : NULL;
    xml_attribute(w, "unit", si);
    if (si != NULL && v->aspect != FMI_RATE && strcmp(si, v->unit) != 0)
        xml_attribute(w, "displayUnit", v->unit);
    if (v->aspect == FMI_RATE)
        writer_say(w, " derivative=\"%d\"", s->derivative);
}

static void put_dimensions(Writer* w, const Shape* s, const char* element)
{
    if (s->rank == 0)
    {
        writer_put(w, "/>\n");
        return;
    }
    writer_put(w, ">\n");
    for (int k = 0; k < s->rank; k++)
        if (s->dimensions[k].by >= 0)
            writer_say(w, "      <Dimension valueReference=\"%d\"/>\n", s->dimensions[k].by);
        else
            writer_say(w, "      <Dimension start=\"%u\"/>\n", shape_size(&s->dimensions[k]));
    writer_say(w, "    </%s>\n", element);
}

// Descriptions name the element that they are of: an array has that of the whole.
static const char* description_of(const Description* d, const Shape* s)
{
    const char* text = s->like.description;
    if (s->rank == 0 || text == NULL)
        return text;
    if (s->like.aspect == FMI_WATCH)
        return "event indicators";
    return strstr(text, s->like.name) != NULL || strchr(text, '[') != NULL ? shape_skeleton(d->arena, text) : text;
}

static void put_variable(const Description* d, Writer* w, uint32_t index)
{
    static const char* const words[] = {"Float64", "Int64", "Boolean", "Enumeration", "Clock", "UInt64"};
    const Shape* s = &d->shapes->list.at[index];
    const FmiVariable* v = &s->like;
    bool constant = d->hidden && v->causality == FMI_STRUCTURAL;
    writer_say(w, "    <%s", words[v->type]);
    xml_attribute(w, "name", s->name);
    writer_say(w, " valueReference=\"%u\"", index);
    xml_attribute(w, "description", description_of(d, s));
    xml_attribute(w, "causality", constant ? "local" : describe_causality(v->causality));
    xml_attribute(w, "variability",
                  constant        ? "constant"
                  : v->fixed      ? "fixed"
                  : v->continuous ? "continuous"
                                  : "discrete");
    if (v->type == FMI_CLOCK)
    {
        writer_put(w, " intervalVariability=\"triggered\"/>\n");
        return;
    }
    if (v->causality != FMI_INPUT)
        xml_attribute(w, "initial", describe_initial(v->initial));
    if (v->type == FMI_ENUMERATION)
        xml_attribute(w, "declaredType", arena_printf(d->arena, "modes of %s", s->name));
    put_start(d, w, s);
    if (v->type == FMI_REAL)
        put_unit(d, w, s);
    put_dimensions(w, s, words[v->type]);
}

// What is listed of an unknown: room for every known, used again and again.
typedef struct Marks
{
    DependKind* kinds;
    bool* listed;
    uint32_t* list;
    uint32_t count;
} Marks;

static int by_number(const void* a, const void* b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// What any of its elements depends on, each known once and with the weakest kind. False: nobody knows.
static bool mark_knowns(const Description* d, const Shape* s, Marks* m)
{
    m->count = 0;
    for (uint32_t k = 0; k < s->count; k++)
        if (!d->dependence.has[d->shapes->elements[s->at + k]])
            return false;
    for (uint32_t k = 0; k < s->count; k++)
    {
        const DependList* list = &d->dependence.lists[d->shapes->elements[s->at + k]];
        for (uint32_t i = 0; i < list->count; i++)
        {
            uint32_t known = d->shapes->shape[list->at[i].known];
            if (!m->listed[known])
                m->list[m->count++] = known;
            m->kinds[known] =
                m->listed[known] && m->kinds[known] > list->at[i].kind ? m->kinds[known] : list->at[i].kind;
            m->listed[known] = true;
        }
    }
    if (m->count > 0)
        qsort(m->list, m->count, sizeof *m->list, by_number);
    return true;
}

static void put_dependencies(const Description* d, Writer* w, const Shape* s, Marks* m)
{
    if (!mark_knowns(d, s, m))
        return;
    writer_put(w, " dependencies=\"");
    for (uint32_t i = 0; i < m->count; i++)
        writer_say(w, "%s%u", i > 0 ? " " : "", m->list[i]);
    writer_put(w, "\"");
    for (uint32_t i = 0; i < m->count; i++)
    {
        writer_say(w, "%s%s", i > 0 ? " " : " dependenciesKind=\"", depend_word(m->kinds[m->list[i]]));
        m->listed[m->list[i]] = false;
    }
    writer_put(w, m->count > 0 ? "\"" : "");
}

static void put_unknown(const Description* d, Writer* w, const char* element, uint32_t shape, Marks* known)
{
    writer_say(w, "    <%s valueReference=\"%u\"", element, shape);
    if (known != NULL)
        put_dependencies(d, w, &d->shapes->list.at[shape], known);
    writer_put(w, "/>\n");
}

// During initialization only calculated parameters are known to depend on less than everything: what is left out means
// that.
static void put_structure(const Description* d, Writer* w)
{
    const Shapes* s = d->shapes;
    Marks marks = {arena_array(d->arena, DependKind, s->list.count + 1), arena_array(d->arena, bool, s->list.count + 1),
                   arena_array(d->arena, uint32_t, s->list.count + 1), 0};
    for (uint32_t i = 0; i < s->list.count; i++)
        if (s->list.at[i].like.causality == FMI_OUTPUT)
            put_unknown(d, w, "Output", i, &marks);
    for (uint32_t i = 0; i < s->list.count; i++)
        if (s->list.at[i].like.aspect == FMI_RATE)
            put_unknown(d, w, "ContinuousStateDerivative", i, &marks);
    for (uint32_t i = 0; i < s->list.count; i++)
        if (describe_is_initial_unknown(&s->list.at[i].like))
            put_unknown(d, w, "InitialUnknown", i, s->list.at[i].like.causality == FMI_CALCULATED ? &marks : NULL);
    for (uint32_t i = 0; i < s->list.count; i++)
        if (s->list.at[i].like.aspect == FMI_WATCH)
            put_unknown(d, w, "EventIndicator", i, &marks);
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
    for (uint32_t i = 0; i < d->shapes->list.count; i++)
        put_variable(d, &w, i);
    writer_put(&w, "  </ModelVariables>\n  <ModelStructure>\n");
    put_structure(d, &w);
    writer_put(&w, "  </ModelStructure>\n</fmiModelDescription>\n");
    return writer_text(&w);
}
