// See reading.h: values that are bound to parameters, inputs and start values. Sets are in the description or in files
// beside it (SSV), and may be mapped to other names (SSM).
#include "ssp/reading.h"

#include <stdlib.h>
#include <string.h>

typedef struct Binding
{
    int element;
    const char* prefix;
    const XmlElement* mapping;               // NULL: names are what they are
    const char* mapping_file;                // NULL: in the description
    const XmlElement *units, *enumerations;  // of the set
} Binding;

// Of names an entry can say nothing here: what a value of a set is called stands with the value.
static bool map_number(SspRead* r, const XmlElement* map, double* value)
{
    NamesEntry entry;
    for (const XmlElement* k = map->child; k != NULL; k = k->next)
    {
        if (!names_entry(r, map, k, NULL, NULL, &entry))
            return false;
        if (entry.source == *value)
            return *value = entry.target, true;
    }
    return true;
}

bool values_transform(SspRead* r, const XmlElement* e, double* value)
{
    double factor, offset;
    for (const XmlElement* t = e->child; t != NULL; t = t->next)
    {
        if (reading_is(t, "LinearTransformation"))
        {
            if (!reading_number(r, t, "factor", 1, &factor) || !reading_number(r, t, "offset", 0, &offset))
                return false;
            *value = factor * *value + offset;
        }
        else if (reading_is(t, "BooleanMappingTransformation") || reading_is(t, "IntegerMappingTransformation"))
            return map_number(r, t, value);
        else if (strstr(t->name, "Transformation") != NULL)
            return reading_wrong(r, t, "a %.60s is not understood here", t->name);
    }
    return true;
}

static bool read_value(SspRead* r, const XmlElement* e, const char* name, const XmlElement** type, double* value)
{
    const char* text;
    *type = e->child;
    while (*type != NULL && xml_value(*type, "value") == NULL)
        *type = (*type)->next;
    if (*type == NULL)
        return reading_wrong(r, e, "the parameter %.100s has no value", name);
    if (reading_is(*type, "Boolean"))
    {
        text = xml_value(*type, "value");
        *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return *value != 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ||
               reading_wrong(r, *type, "%.60s is no Boolean", text);
    }
    if (reading_is(*type, "Enumeration"))
        return true;  // whose name that is, the connector says
    if (!reading_is(*type, "Real") && !reading_is(*type, "Integer"))
        return reading_wrong(r, *type,
                             "the parameter %.100s is of type %.60s: numbers, Booleans and enumerations are understood",
                             name, (*type)->name);
    char* end = NULL;
    text = xml_value(*type, "value");
    *value = strtod(text, &end);
    return (end != text && *end == 0) || reading_wrong(r, *type, "%.60s is no number", text);
}

// The element and the variable of a name with a path: "motor.k" of a system is k of motor. Names of variables have dots
// too, so that the longest path that is one of elements comes first.
static Port* find_port(SspRead* r, int element, const char* name)
{
    if (r->elements.at[element].fmu >= 0)
        return element_port(r, element, name, true);
    for (const char* dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
    {
        int inner = element_find(r, element, arena_copy_string(&r->arena, name, (size_t)(dot - name)));
        Port* found = inner >= 0 ? find_port(r, inner, dot + 1) : NULL;
        if (found != NULL)
            return found;
    }
    return element_port(r, element, name, false);
}

// In the unit that it is written in, or in that of the connector.
static bool give(SspRead* r, const XmlElement* e, const Binding* b, const XmlElement* type, const char* name,
                 double value)
{
    Port* port = find_port(r, b->element, name);
    const Element* of = &r->elements.at[b->element];
    const char* word = reading_is(type, "Real") ? xml_value(type, "unit") : NULL;
    PortUnit unit;
    if (port == NULL && of->fmu >= 0)
        return reading_wrong(r, e, "the FMU of %.100s has no variable %.100s", of->name, name);
    if (port == NULL)
        return reading_wrong(r, e, "%.100s is no parameter of a component", name);
    if (port->kind == PORT_CALCULATED)
        return reading_wrong(r, e, "%.100s is calculated and cannot be given", name);
    if (reading_is(type, "Enumeration"))
    {
        const XmlElement* names = names_listed(b->enumerations, xml_value(type, "name"));
        if (!names_number(r, type, names != NULL ? names : port->names, xml_value(type, "value"), &value))
            return false;
    }
    unit = port->unit;
    if (word != NULL && !unit_named(r, e, b->units, word, &unit))
        return false;
    if (word != NULL && port->unit.known && (unit.si == NULL) != (port->unit.si == NULL))
        return reading_wrong(r, e, "the value of %.100s is in %.60s, which is no unit of it", name, word);
    double si = unit.known ? unit.scale * value + unit.offset : value;
    port->given = true;
    port->value = port->raw && port->unit.known ? (si - port->unit.offset) / port->unit.scale : si;
    return true;
}

// With a mapping only what it names is meant.
static bool give_mapped(SspRead* r, const XmlElement* e, const Binding* b, const XmlElement* type, const char* name,
                        double value)
{
    for (const XmlElement* m = b->mapping->child; m != NULL; m = m->next)
    {
        const char *source, *target;
        double changed = value;
        if (!reading_is(m, "MappingEntry"))
            continue;
        if (!reading_needs(r, m, "source", &source) || !reading_needs(r, m, "target", &target))
            return false;
        if (strcmp(source, name) != 0)
            continue;
        if (!values_transform(r, m, &changed) ||
            !give(r, e, b, type, arena_printf(&r->arena, "%s%s", b->prefix, target), changed))
            return false;
    }
    return true;
}

static bool read_set(SspRead* r, const XmlElement* set, Binding* b)
{
    const XmlElement* list = reading_child(set, "Parameters");
    b->units = reading_child(set, "Units");
    b->enumerations = reading_child(set, "Enumerations");
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
    {
        const XmlElement* type;
        const char* name;
        double value = 0;
        if (!reading_is(e, "Parameter"))
            continue;
        if (!reading_needs(r, e, "name", &name) || !read_value(r, e, name, &type, &value))
            return false;
        bool ok = b->mapping != NULL ? give_mapped(r, e, b, type, name, value)
                                     : give(r, e, b, type, arena_printf(&r->arena, "%s%s", b->prefix, name), value);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_mapping(SspRead* r, const XmlElement* e, Binding* b)
{
    const XmlElement* m = reading_child(e, "ParameterMapping");
    const char* source = m != NULL ? xml_value(m, "source") : NULL;
    if (m == NULL)
        return true;
    b->mapping = source != NULL ? reading_bound(r, m, b->element, source, &b->mapping_file)
                                : reading_child(m, "ParameterMapping");
    if (source == NULL && b->mapping == NULL)
        return reading_wrong(r, m, "a mapping of parameters that is neither here nor in a file");
    return b->mapping != NULL && (reading_is(b->mapping, "ParameterMapping") ||
                                  reading_wrong(r, m, "%.200s is no mapping of parameters", source));
}

static bool read_binding(SspRead* r, const XmlElement* e, int element)
{
    const char *prefix = xml_value(e, "prefix"), *source = xml_value(e, "source"), *before = r->file, *file;
    const XmlElement* inner = reading_child(e, "ParameterValues");
    const char* type = xml_value(e, "type");
    Binding b = {.element = element, .prefix = prefix != NULL ? prefix : ""};
    if (type != NULL && strcmp(type, "application/x-ssp-parameter-set") != 0)
        return reading_wrong(r, e, "values of type %.100s: sets of parameters (SSV) are understood", type);
    if (!read_mapping(r, e, &b))
        return false;
    if (source == NULL)
        return inner == NULL || reading_child(inner, "ParameterSet") == NULL ||
               read_set(r, reading_child(inner, "ParameterSet"), &b);
    const XmlElement* set = reading_bound(r, e, element, source, &file);
    if (set == NULL)
        return false;
    if (!reading_is(set, "ParameterSet"))
        return reading_wrong(r, e, "%.200s is no set of parameters", source);
    r->file = file;
    if (!read_set(r, set, &b))
        return false;
    r->file = before;
    return true;
}

bool values_read(SspRead* r, const XmlElement* xml, int element)
{
    const XmlElement* list = reading_child(xml, "ParameterBindings");
    bool ok = true;
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL && ok; e = e->next)
        ok = !reading_is(e, "ParameterBinding") || read_binding(r, e, element);
    return ok;
}
