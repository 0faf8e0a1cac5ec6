// See reading.h: enumerations, whose values SSP writes by name. The names of a connector are those that its description
// lists, otherwise those of the type that its FMU declares; a model has the numbers.
#include "ssp/reading.h"

#include <stdlib.h>
#include <string.h>

const XmlElement* names_listed(const XmlElement* list, const char* name)
{
    for (const XmlElement* e = list != NULL && name != NULL ? list->child : NULL; e != NULL; e = e->next)
        if (xml_value(e, "name") != NULL && strcmp(xml_value(e, "name"), name) == 0)
            return e;
    return NULL;
}

// 2.0: <SimpleType name="T"><Enumeration>, 3.0: <EnumerationType name="T">.
static const XmlElement* declared_by(const Described* fmu, const DescribedVariable* v)
{
    const char* type = v->type != NULL ? xml_value(v->type, "declaredType") : NULL;
    const XmlElement* found = names_listed(xml_child(fmu->root, "TypeDefinitions"), type);
    const XmlElement* inner = found != NULL ? xml_child(found, "Enumeration") : NULL;
    return inner != NULL ? inner : found;
}

const XmlElement* names_of(const SspRead* r, const XmlElement* connector, const Element* of, const DescribedVariable* v)
{
    const XmlElement* type = reading_child(connector, "Enumeration");
    const XmlElement* listed = type != NULL ? names_listed(r->enumerations, xml_value(type, "name")) : NULL;
    return listed != NULL || v == NULL ? listed : declared_by(&r->sources.at[of->fmu].fmu, v);
}

bool names_number(SspRead* r, const XmlElement* e, const XmlElement* names, const char* name, double* value)
{
    const XmlElement* item = names_listed(names, name);
    if (names == NULL)
        return reading_wrong(r, e, "\"%.60s\" is a name of an enumeration that is nowhere defined", name);
    if (item == NULL)
        return reading_wrong(r, e, "the enumeration %.60s has no \"%.60s\"",
                             xml_value(names, "name") != NULL ? xml_value(names, "name") : "of it", name);
    return reading_number(r, item, "value", 0, value);
}

static bool whole_number(SspRead* r, const XmlElement* e, const char* text, double* value)
{
    char* end = NULL;
    *value = (double)strtol(text, &end, 10);
    return (end != text && *end == 0) || reading_wrong(r, e, "%.60s is no whole number", text);
}

static bool truth(SspRead* r, const XmlElement* e, const char* text, double* value)
{
    *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *value != 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ||
           reading_wrong(r, e, "%.60s is no Boolean", text);
}

bool names_entry(SspRead* r, const XmlElement* map, const XmlElement* entry, const XmlElement* from,
                 const XmlElement* to, NamesEntry* numbers)
{
    const char *source = xml_value(entry, "source"), *target = xml_value(entry, "target");
    if (source == NULL || target == NULL)
        return reading_wrong(r, entry, "an entry of a mapping without source or target");
    if (reading_is(map, "BooleanMappingTransformation"))
        return truth(r, entry, source, &numbers->source) && truth(r, entry, target, &numbers->target);
    if (reading_is(map, "IntegerMappingTransformation"))
        return whole_number(r, entry, source, &numbers->source) && whole_number(r, entry, target, &numbers->target);
    return names_number(r, entry, from, source, &numbers->source) &&
           names_number(r, entry, to, target, &numbers->target);
}
