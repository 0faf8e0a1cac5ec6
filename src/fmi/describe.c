// What modelDescription.xml has in both versions of the standard: texts, numbers, units.
#include "fmi/describe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void xml_put(Writer* w, const char* text)
{
    char one[2] = {0, 0};
    for (; *text != 0; text++)
    {
        unsigned char c = (unsigned char)*text;
        one[0] = *text;
        if (c == '<')
            writer_put(w, "&lt;");
        else if (c == '>')
            writer_put(w, "&gt;");
        else if (c == '&')
            writer_put(w, "&amp;");
        else if (c == '"')
            writer_put(w, "&quot;");
        else if (c == '\n' || c == '\t')
            writer_say(w, "&#%d;", c);
        else if (c >= ' ')
            writer_put(w, one);
    }
}

void xml_attribute(Writer* w, const char* name, const char* value)
{
    if (value == NULL)
        return;
    writer_say(w, " %s=\"", name);
    xml_put(w, value);
    writer_put(w, "\"");
}

// XML Schema spells the numbers that are none in its own way.
void xml_number(Writer* w, const char* name, double value)
{
    if (isinf(value))
        writer_say(w, " %s=\"%s\"", name, value > 0 ? "INF" : "-INF");
    else
        writer_say(w, " %s=\"%.17g\"", name, value);
}

// Units are kept as the compiler writes them: names and numbers with whole exponents between * and /.
static bool read_term(Arena* arena, const char** at, int sign, Unit* unit)
{
    const char* from = *at;
    UnitTerm term = {.exponent = sign};
    char* end = NULL;
    if (isdigit((unsigned char)*from) || *from == '.')
    {
        term.number = strtod(from, &end);
        *at = end;
    }
    else
    {
        while (**at != 0 && strchr("*/^", **at) == NULL)
            ++*at;
        term.name = arena_copy_string(arena, from, (size_t)(*at - from));
    }
    if (*at == from)
        return false;
    if (**at == '^')
    {
        term.exponent = sign * (int)strtol(*at + 1, &end, 10);
        *at = end;
    }
    vec_push(arena, unit->terms, term);
    return true;
}

bool describe_unit(Arena* arena, const char* text, FlatUnit* result)
{
    Unit unit = {.terms = {0}};
    const UnitTerm* unknown;
    int sign = 1;
    for (const char* at = text; at != NULL; at++)
    {
        if (!read_term(arena, &at, sign, &unit))
            return false;
        if (*at == 0)
            return unit_resolve(arena, &unit, result, &unknown);
        sign = *at == '/' ? -1 : 1;
    }
    return false;
}

const char* describe_si(Arena* arena, const char* text)
{
    FlatUnit unit;
    if (!describe_unit(arena, text, &unit))
        return NULL;
    Dim dim = dim_of_unit(&unit);
    return dim_text(arena, &dim);
}

typedef struct UsedUnit
{
    const char *declared, *si;
    FlatUnit unit;
} UsedUnit;

typedef VEC(UsedUnit) UnitList;

// Every declared unit once, and before it the SI unit of its dimension.
static void use_unit(Arena* arena, UnitList* list, const char* declared)
{
    UsedUnit used = {.declared = declared};
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i].declared, declared) == 0)
            return;
    if (!describe_unit(arena, declared, &used.unit))
        return;
    Dim dim = dim_of_unit(&used.unit);
    used.si = dim_text(arena, &dim);
    vec_push(arena, *list, used);
}

static void put_base(Writer* w, const FlatUnit* unit)
{
    static const char* const names[DIM_COUNT] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    writer_put(w, "      <BaseUnit");
    for (int k = 0; k < DIM_COUNT; k++)
        if (unit->dim[k] != 0)
            writer_say(w, " %s=\"%d\"", names[k], unit->dim[k]);
    writer_put(w, "/>\n");
}

static void put_unit(Writer* w, const UnitList* list, uint32_t first)
{
    const char* si = list->at[first].si;
    writer_put(w, "    <Unit");
    xml_attribute(w, "name", si);
    writer_put(w, ">\n");
    put_base(w, &list->at[first].unit);
    for (uint32_t i = first; i < list->count; i++)
    {
        const UsedUnit* used = &list->at[i];
        if (strcmp(used->si, si) != 0 || strcmp(used->declared, si) == 0)
            continue;
        writer_put(w, "      <DisplayUnit");
        xml_attribute(w, "name", used->declared);
        if (used->unit.si.scale != 1)
            xml_number(w, "factor", 1 / used->unit.si.scale);
        if (used->unit.si.offset != 0)
            xml_number(w, "offset", -used->unit.si.offset / used->unit.si.scale);
        writer_put(w, "/>\n");
    }
    writer_put(w, "    </Unit>\n");
}

// Values are in SI units; what the text declares is for display.
void describe_units(const Description* d, Writer* w)
{
    UnitList list = {0};
    for (uint32_t i = 0; i < d->catalogue->list.count; i++)
    {
        const FmiVariable* v = &d->catalogue->list.at[i];
        const char* si = v->unit != NULL ? describe_si(d->arena, v->unit) : NULL;
        if (si != NULL)
            use_unit(d->arena, &list, v->aspect == FMI_RATE ? si : v->unit);
    }
    writer_put(w, "  <UnitDefinitions>\n");
    for (uint32_t i = 0; i < list.count; i++)
    {
        bool first = true;
        for (uint32_t k = 0; k < i && first; k++)
            first = strcmp(list.at[k].si, list.at[i].si) != 0;
        if (first)
            put_unit(w, &list, i);
    }
    writer_put(w, "  </UnitDefinitions>\n");
}

const char* describe_causality(FmiCausality causality)
{
    static const char* const words[] = {
        "independent", "structuralParameter", "parameter", "calculatedParameter", "input", "output", "local"};
    return words[causality];
}

const char* describe_initial(FmiInitial initial)
{
    static const char* const words[] = {NULL, "exact", "approx", "calculated"};
    return words[initial];
}

void describe_head(const Description* d, Writer* w, const char* version, const char* token)
{
    writer_put(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    xml_attribute(w, "fmiVersion", version);
    xml_attribute(w, "modelName", kaiModel_Name(d->model));
    xml_attribute(w, token, d->guid);
    xml_attribute(w, "description", d->about);
    xml_attribute(w, "generationTool", arena_printf(d->arena, "Kairos %s", kaiVersion()));
    xml_attribute(w, "variableNamingConvention", "structured");
}

void describe_experiment(const Description* d, Writer* w)
{
    writer_put(w, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category "
                  "name=\"logStatusWarning\"/>\n    <Category name=\"logEvents\"/>\n  </LogCategories>\n");
    writer_put(w, "  <DefaultExperiment");
    xml_number(w, "startTime", d->start);
    if (isfinite(d->stop))
        xml_number(w, "stopTime", d->stop);
    xml_number(w, "tolerance", d->tolerance);
    writer_put(w, "/>\n");
}

static void put_modes(const Description* d, Writer* w, const FmiVariable* v)
{
    const char* mode;
    for (int k = 0; (mode = catalogue_mode(d->model, v->machine, k)) != NULL; k++)
    {
        writer_put(w, "        <Item");
        xml_attribute(w, "name", mode);
        writer_say(w, " value=\"%d\"/>\n", k + 1);
    }
}

void describe_types(const Description* d, Writer* w, const char* element, bool inner)
{
    bool any = false;
    uint32_t count = d->shapes != NULL ? d->shapes->list.count : d->catalogue->list.count;
    for (uint32_t i = 0; i < count; i++)
    {
        const FmiVariable* v = d->shapes != NULL ? &d->shapes->list.at[i].like : &d->catalogue->list.at[i];
        if (v->type != FMI_ENUMERATION)
            continue;
        writer_put(w, any ? "" : "  <TypeDefinitions>\n");
        any = true;
        writer_say(w, "    <%s", element);
        xml_attribute(w, "name",
                      arena_printf(d->arena, "modes of %s", d->shapes != NULL ? d->shapes->list.at[i].name : v->name));
        writer_put(w, inner ? ">\n      <Enumeration>\n" : ">\n");
        put_modes(d, w, v);
        writer_put(w, inner ? "      </Enumeration>\n" : "");
        writer_say(w, "    </%s>\n", element);
    }
    writer_put(w, any ? "  </TypeDefinitions>\n" : "");
}

void describe_dependencies(const Description* d, Writer* w, uint32_t entry, uint32_t first)
{
    const DependList* list = &d->dependence.lists[entry];
    if (!d->dependence.has[entry])
        return;
    writer_put(w, " dependencies=\"");
    for (uint32_t i = 0; i < list->count; i++)
        writer_say(w, "%s%u", i > 0 ? " " : "", list->at[i].known + first);
    writer_put(w, "\"");
    for (uint32_t i = 0; i < list->count; i++)
        writer_say(w, "%s%s", i > 0 ? " " : " dependenciesKind=\"", depend_word(list->at[i].kind));
    writer_put(w, list->count > 0 ? "\"" : "");
}

// The unknowns of initialization: what is computed there among outputs, calculated parameters, states and their
// derivatives.
bool describe_is_initial_unknown(const FmiVariable* v)
{
    bool computed = v->type != FMI_CLOCK && (v->initial == FMI_CALCULATED_INITIAL || v->initial == FMI_APPROX);
    return computed &&
           (v->causality == FMI_OUTPUT || v->causality == FMI_CALCULATED || (v->state >= 0 && v->aspect != FMI_WATCH));
}
