// See reading.h: units of connectors, and what happens to a number on its way along a connection. The model has all
// values in SI units, those of FMUs that know their units too, so that connections convert by themselves; a number
// without a unit in its FMU has the one that its connector says. A transformation works on numbers in the target's unit
// (SSP 1.0, section 5.3.4).
#include "ssp/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd"};

// "kg*m^2/s^3"; NULL: of a plain number.
static const char* si_of(Arena* arena, const XmlElement* base)
{
    const char* text = "";
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 7; i++)
        {
            const char* written = xml_value(base, bases[i]);
            int power = written != NULL ? atoi(written) : 0;
            if (pass == 0 ? power <= 0 : power >= 0)
                continue;
            const char* sign = pass == 1 ? (text[0] != 0 ? "/" : "1/") : text[0] != 0 ? "*" : "";
            text = abs(power) == 1 ? arena_printf(arena, "%s%s%s", text, sign, bases[i])
                                   : arena_printf(arena, "%s%s%s^%d", text, sign, bases[i], abs(power));
        }
    return text[0] != 0 ? text : NULL;
}

static double number_of(const XmlElement* e, const char* name, double otherwise)
{
    const char* text = xml_value(e, name);
    return text != NULL ? strtod(text, NULL) : otherwise;
}

static const XmlElement* base_of(const XmlElement* list, const char* name)
{
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
        if (xml_value(e, "name") != NULL && strcmp(xml_value(e, "name"), name) == 0)
            return reading_child(e, "BaseUnit");
    return NULL;
}

static bool take_base(SspRead* r, const XmlElement* base, PortUnit* unit)
{
    *unit = (PortUnit){true, number_of(base, "factor", 1), number_of(base, "offset", 0), si_of(&r->arena, base)};
    return isfinite(unit->scale) && unit->scale != 0 && isfinite(unit->offset);
}

bool unit_named(SspRead* r, const XmlElement* e, const XmlElement* list, const char* name, PortUnit* unit)
{
    const XmlElement* base = base_of(list, name);
    if (base == NULL)
        return reading_wrong(r, e, "the unit %.60s is not defined", name);
    return take_base(r, base, unit) || reading_wrong(r, e, "the unit %.60s has no factor that can be used", name);
}

PortUnit unit_of_variable(SspRead* r, const Element* element, const DescribedVariable* v)
{
    PortUnit unit = {.scale = 1};
    const char* name = v->type != NULL ? xml_value(v->type, "unit") : NULL;
    const XmlElement* base =
        name != NULL ? base_of(xml_child(r->sources.at[element->fmu].fmu.root, "UnitDefinitions"), name) : NULL;
    if (base != NULL && !take_base(r, base, &unit))
        unit = (PortUnit){.scale = 1};
    return unit;
}

// ---- expressions
// -----------------------------------------------------------------------------------------------------

static const char* quantity(SspRead* r, double value, const char* si)
{
    const char* text = arena_printf(&r->arena, si != NULL ? "%.17g[%s]" : "%.17g", value, si);
    return value < 0 ? arena_printf(&r->arena, "(%s)", text) : text;
}

static const char* to_number(SspRead* r, const char* e, const PortUnit* u)
{
    if (!u->known || (u->scale == 1 && u->offset == 0 && u->si == NULL))
        return e;
    const char* less = u->offset != 0 ? arena_printf(&r->arena, "(%s - %s)", e, quantity(r, u->offset, u->si)) : e;
    return arena_printf(&r->arena, "%s/%s", less, quantity(r, u->scale, u->si));
}

static const char* from_number(SspRead* r, const char* e, const PortUnit* u)
{
    if (!u->known || (u->scale == 1 && u->offset == 0 && u->si == NULL))
        return e;
    const char* made = arena_printf(&r->arena, "%s*%s", e, quantity(r, u->scale, u->si));
    return u->offset != 0 ? arena_printf(&r->arena, "(%s + %s)", made, quantity(r, u->offset, u->si)) : made;
}

static bool is_mapping(const XmlElement* t)
{
    return reading_is(t, "BooleanMappingTransformation") || reading_is(t, "IntegerMappingTransformation") ||
           reading_is(t, "EnumerationMappingTransformation");
}

// A choice between the numbers of a mapping; what is not listed stays.
static const char* mapped(SspRead* r, const XmlElement* map, const Port* from, const Port* to, const char* e, bool* ok)
{
    Writer w = {.arena = &r->arena};
    NamesEntry entry;
    writer_put(&w, "(");
    for (const XmlElement* k = map->child; k != NULL && *ok; k = k->next)
        if ((*ok = names_entry(r, map, k, from->names, to->names, &entry)))
            writer_say(&w, "if %s == %.17g then %.17g else ", e, entry.source, entry.target);
    writer_say(&w, "%s)", e);
    return writer_text(&w);
}

static const char* transformed(SspRead* r, const XmlElement* t, const Port* from, const Port* to, const char* e,
                               bool* ok)
{
    double factor = 1, offset = 0;
    if (is_mapping(t))
        return mapped(r, t, from, to, e, ok);
    if (!reading_is(t, "LinearTransformation"))
        return *ok = reading_wrong(r, t, "a %.60s is not understood", t->name), e;
    *ok = reading_number(r, t, "factor", 1, &factor) && reading_number(r, t, "offset", 0, &offset);
    return arena_printf(&r->arena, "(%.17g*%s + (%.17g))", factor, e, offset);
}

static const XmlElement* transformation_of(const XmlElement* e)
{
    for (const XmlElement* k = e->child; k != NULL; k = k->next)
        if (strstr(k->name, "Transformation") != NULL)
            return k;
    return NULL;
}

static bool is_same_unit(const PortUnit* a, const PortUnit* b)
{
    return (a->si == NULL) == (b->si == NULL) && (a->si == NULL || strcmp(a->si, b->si) == 0);
}

bool unit_connect(SspRead* r, const XmlElement* e, const Port* from, Port* to)
{
    const char* word = xml_value(e, "suppressUnitConversion");
    bool suppressed = word != NULL && (strcmp(word, "true") == 0 || strcmp(word, "1") == 0), ok = true;
    bool both = from->unit.known && to->unit.known && !suppressed;
    const XmlElement* t = transformation_of(e);
    if (both && !is_same_unit(&from->unit, &to->unit))
        return reading_wrong(r, e, "%.100s is in %.60s, and %.100s in %.60s", from->name,
                             from->unit.si != NULL ? from->unit.si : "a plain number", to->name,
                             to->unit.si != NULL ? to->unit.si : "a plain number");
    if (t == NULL && (both || (!from->unit.known && !to->unit.known)) && !from->raw && !to->raw)
    {
        to->source = from->id;
        return true;
    }
    // as a number in the source's unit, then in the target's, and from there to what the model has
    const char* number = from->raw || !from->unit.known ? from->id : to_number(r, from->id, &from->unit);
    if (both && (from->unit.scale != to->unit.scale || from->unit.offset != to->unit.offset))
        number = to_number(r, from->raw ? from_number(r, number, &from->unit) : from->id, &to->unit);
    if (t != NULL)
        number = transformed(r, t, from, to, number, &ok);
    to->source = to->raw ? number : from_number(r, number, &to->unit);
    return ok;
}
