// See reading.h: systems in systems, their components, connectors and connections. A system within is no model of its
// own: its connectors are signals of the one model that all components are instances in.
#include "ssp/reading.h"

#include <string.h>

enum
{
    DEPTH_MOST = 50
};

int element_find(const SspRead* r, int parent, const char* name)
{
    for (uint32_t i = 0; i < r->elements.count; i++)
        if (r->elements.at[i].parent == parent && strcmp(r->elements.at[i].name, name) == 0)
            return (int)i;
    return -1;
}

const DescribedVariable* element_variable(const SspRead* r, const Element* element, const char* name)
{
    if (element->fmu < 0)
        return NULL;
    const Described* fmu = &r->sources.at[element->fmu].fmu;
    for (uint32_t i = 0; i < fmu->variables.count; i++)
        if (strcmp(fmu->variables.at[i].name, name) == 0)
            return &fmu->variables.at[i];
    return NULL;
}

static const char* port_id(SspRead* r, const Element* of, const char* name)
{
    const char* own = reading_mangle(&r->arena, name);
    if (of->fmu >= 0)
        return arena_printf(&r->arena, "%s.%s", of->id, own);
    return reading_id(r, of->parent < 0 ? own : arena_printf(&r->arena, "%s_%s", of->id, own));
}

static PortKind kind_of(const DescribedVariable* v)
{
    return strcmp(v->causality, "input") == 0                 ? PORT_INPUT
           : strcmp(v->causality, "calculatedParameter") == 0 ? PORT_CALCULATED
           : strstr(v->causality, "arameter") != NULL         ? PORT_PARAMETER
                                                              : PORT_OUTPUT;
}

Port* element_port(SspRead* r, int element, const char* name, bool make)
{
    Element* e = &r->elements.at[element];
    for (uint32_t i = 0; i < e->ports.count; i++)
        if (strcmp(e->ports.at[i].name, name) == 0)
            return &e->ports.at[i];
    const DescribedVariable* v = make ? element_variable(r, e, name) : NULL;
    if (v == NULL)
        return NULL;
    Port made = {.name = name, .kind = kind_of(v), .unit = unit_of_variable(r, e, v)};
    made.names = names_of(r, e->xml, e, v);
    made.id = port_id(r, e, name);
    e = &r->elements.at[element];
    vec_push(&r->arena, e->ports, made);
    return &e->ports.at[e->ports.count - 1];
}

// ---- connectors
// -----------------------------------------------------------------------------------------------------

static bool read_kind(SspRead* r, const XmlElement* e, const char* word, PortKind* kind)
{
    static const char* const words[] = {"input", "output", "parameter", "calculatedParameter", "inout"};
    for (int i = 0; i < 5; i++)
        if (strcmp(word, words[i]) == 0)
        {
            *kind = (PortKind)i;
            return true;
        }
    return reading_wrong(r, e, "a connector of kind %.40s", word);
}

// The unit that the connector says, which must be that of the variable in another measure; otherwise that of the
// variable.
static bool read_unit(SspRead* r, const XmlElement* e, const Element* of, const DescribedVariable* v, Port* port)
{
    const XmlElement* real = reading_child(e, "Real");
    const char* name = real != NULL ? xml_value(real, "unit") : NULL;
    PortUnit own = v != NULL ? unit_of_variable(r, of, v) : (PortUnit){.scale = 1};
    port->unit = own;
    if (name == NULL)
        return true;
    if (!unit_named(r, e, r->units, name, &port->unit))
        return false;
    port->raw = v != NULL && !own.known;
    bool same = (own.si == NULL) == (port->unit.si == NULL) && (own.si == NULL || strcmp(own.si, port->unit.si) == 0);
    return v == NULL || !own.known || same ||
           reading_wrong(r, e, "the connector %.100s is in %.60s, its FMU has it in another dimension", port->name,
                         name);
}

// Texts and bytes of FMUs are no variables of a model.
static bool is_text(const XmlElement* connector, const DescribedVariable* v)
{
    const char* type = v != NULL && v->type != NULL ? v->type->name : "";
    return strcmp(type, "String") == 0 || strcmp(type, "Binary") == 0 ||
           (v == NULL && (reading_child(connector, "String") != NULL || reading_child(connector, "Binary") != NULL));
}

static bool read_connector(SspRead* r, const XmlElement* e, int element)
{
    Element* of = &r->elements.at[element];
    Port made = {.name = NULL};
    const char* kind;
    if (!reading_needs(r, e, "name", &made.name) || !reading_needs(r, e, "kind", &kind) ||
        !read_kind(r, e, kind, &made.kind))
        return false;
    for (uint32_t i = 0; i < of->ports.count; i++)
        if (strcmp(of->ports.at[i].name, made.name) == 0)
            return reading_wrong(r, e, "%.100s has two connectors %.100s", of->name, made.name);
    const DescribedVariable* v = element_variable(r, of, made.name);
    if (of->fmu >= 0 && v == NULL)
        return reading_wrong(r, e, "the FMU of %.100s has no variable %.100s", of->name, made.name);
    bool wants = made.kind == PORT_INPUT || made.kind == PORT_OUTPUT;
    made.both = made.kind == PORT_BOTH;
    if (made.both && v != NULL)
        made.kind = kind_of(v);  // an FMU knows what it is
    else if (v != NULL && wants && strcmp(v->causality, kind) != 0)
        return reading_wrong(r, e, "%.100s of %.100s is no %s of its FMU", made.name, of->name, kind);
    if (v != NULL && !wants && !made.both && strstr(v->causality, "arameter") == NULL)
        return reading_wrong(r, e, "%.100s of %.100s is no parameter of its FMU", made.name, of->name);
    if (!read_unit(r, e, of, v, &made))
        return false;
    made.names = names_of(r, e, of, v);
    made.text = is_text(e, v);
    made.id = port_id(r, of, made.name);
    const Described* fmu = of->fmu >= 0 ? &r->sources.at[of->fmu].fmu : NULL;
    made.part = fmu != NULL && described_is_event_part(fmu, (uint32_t)(v - fmu->variables.at));
    vec_push(&r->arena, r->elements.at[element].ports, made);
    return true;
}

static bool read_connectors(SspRead* r, const XmlElement* xml, int element)
{
    const XmlElement* list = reading_child(xml, "Connectors");
    bool ok = true;
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL && ok; e = e->next)
        ok = !reading_is(e, "Connector") || read_connector(r, e, element);
    return ok;
}

// ---- components
// -----------------------------------------------------------------------------------------------------

static bool add_source(SspRead* r, const XmlElement* e, const char* from, int* index)
{
    const char* name = reading_path(r, from);
    for (*index = 0; *index < (int)r->sources.count; ++*index)
        if (strcmp(r->sources.at[*index].name, name) == 0)
            return true;
    PartFile made = {.name = name, .entry = archive_find(&r->archive, name)};
    if (made.entry == NULL)
        return reading_wrong(r, e, "there is no %.200s in the archive", name);
    made.bytes = archive_read(&r->archive, made.entry);
    if (made.bytes == NULL)
        return reading_wrong(r, e, "%.200s: %s", name, r->archive.why);
    if (!described_read(&made.fmu, &r->arena, made.bytes, made.entry->size))
    {
        for (uint32_t i = 0; i < made.fmu.messages.count; i++)
            if (made.fmu.messages.at[i]->severity == KAI_ERROR)
                return reading_wrong(r, e, "%.200s: %s", name, made.fmu.messages.at[i]->message);
        return reading_wrong(r, e, "%.200s is no FMU", name);
    }
    vec_push(&r->arena, r->sources, made);
    return true;
}

static bool read_implementation(SspRead* r, const XmlElement* e, int fmu, const char** kind)
{
    const char* word = xml_value(e, "implementation");
    const Described* d = &r->sources.at[fmu].fmu;
    *kind = "";
    if (word == NULL || strcmp(word, "any") == 0)
        return true;
    bool steps = strcmp(word, "CoSimulation") == 0;
    if (!steps && strcmp(word, "ModelExchange") != 0)
        return reading_wrong(r, e, "there is no implementation \"%.40s\"", word);
    *kind = steps ? ":cs" : ":me";
    return (steps ? d->cosimulation : d->exchange) != NULL ||
           reading_wrong(r, e, "%.200s has no %s", r->sources.at[fmu].name, word);
}

static bool add_element(SspRead* r, const XmlElement* e, int parent, const char* name, int* made)
{
    if (parent >= 0 && element_find(r, parent, name) >= 0)
        return reading_wrong(r, e, "there are two components %.100s", name);
    const char* base = reading_mangle(&r->arena, name);
    bool inner = parent >= 0 && r->elements.at[parent].parent >= 0;
    Element element = {.name = name, .parent = parent, .fmu = -1, .xml = e};
    element.id = parent < 0
                     ? base
                     : reading_id(r, inner ? arena_printf(&r->arena, "%s_%s", r->elements.at[parent].id, base) : base);
    *made = (int)r->elements.count;
    vec_push(&r->arena, r->elements, element);
    return true;
}

// What the component of a system in another file repeats of its connectors, it must have.
static bool has_connectors(SspRead* r, const XmlElement* xml, int element)
{
    const XmlElement* list = reading_child(xml, "Connectors");
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
    {
        const char* name;
        if (!reading_is(e, "Connector"))
            continue;
        if (!reading_needs(r, e, "name", &name))
            return false;
        if (element_port(r, element, name, false) == NULL)
            return reading_wrong(r, e, "%.100s has no connector %.100s", r->elements.at[element].name, name);
    }
    return true;
}

// A system in another file of the archive.
static bool read_part_file(SspRead* r, const XmlElement* e, int parent, const char* name, const char* source)
{
    const char *file, *before = r->file;
    const XmlElement *root = reading_file(r, e, source, &file), *units = r->units, *enumerations = r->enumerations;
    if (root == NULL)
        return false;
    for (uint32_t i = 0; i < r->open.count; i++)
        if (strcmp(r->open.at[i], file) == 0)
            return reading_wrong(r, e, "%.200s contains itself", file);
    const XmlElement* system = reading_child(root, "System");
    if (!reading_is(root, "SystemStructureDescription") || system == NULL)
        return reading_wrong(r, e, "%.200s describes no system", file);
    vec_push(&r->arena, r->open, file);
    r->file = file;
    r->units = reading_child(root, "Units");
    r->enumerations = reading_child(root, "Enumerations");
    int made = elements_read(r, system, parent, name);
    r->open.count--;
    r->units = units;
    r->enumerations = enumerations;
    r->file = made >= 0 ? before : file;
    return made >= 0 && has_connectors(r, e, made) && values_read(r, e, made);
}

static bool read_component(SspRead* r, const XmlElement* e, int parent)
{
    const char *name, *source, *type = xml_value(e, "type");
    int made, fmu;
    if (!reading_needs(r, e, "name", &name) || !reading_needs(r, e, "source", &source))
        return false;
    if (type != NULL && strcmp(type, "application/x-ssp-definition") == 0)
        return read_part_file(r, e, parent, name, source);
    if (type != NULL && strcmp(type, "application/x-fmu-sharedlibrary") != 0)
        return reading_wrong(r, e, "%.100s is of type %.100s: FMUs and descriptions of systems are understood", name,
                             type);
    if (!add_source(r, e, source, &fmu) || !add_element(r, e, parent, name, &made))
        return false;
    r->elements.at[made].fmu = fmu;
    return read_implementation(r, e, fmu, &r->elements.at[made].kind) && read_connectors(r, e, made) &&
           values_read(r, e, made);
}

// ---- connections
// ----------------------------------------------------------------------------------------------------

// An end of a connection in a system: one of its own connectors, or one of an element in it.
typedef struct End
{
    Port* port;
    int element;
    bool own;
} End;

static bool find_end(SspRead* r, const XmlElement* e, int system, bool start, End* end)
{
    const char* name = NULL;
    const char* element = xml_value(e, start ? "startElement" : "endElement");
    if (!reading_needs(r, e, start ? "startConnector" : "endConnector", &name))
        return false;
    end->own = element == NULL;
    end->element = element != NULL ? element_find(r, system, element) : system;
    if (end->element < 0)
        return reading_wrong(r, e, "there is no component %.100s", element);
    end->port = element_port(r, end->element, name, false);
    return end->port != NULL ||
           reading_wrong(r, e, "%.100s has no connector %.100s", element != NULL ? element : "the system", name);
}

// From within a system its inputs and parameters give; of an element its outputs do. A connector without a direction
// gives what it was given.
static bool may(const End* end, bool give)
{
    PortKind kind = end->port->kind;
    bool out = kind == PORT_OUTPUT || kind == PORT_CALCULATED;
    return kind == PORT_BOTH || out == (give != end->own) || (give && end->port->both && end->port->source != NULL);
}

// Who gives and who takes: as the connection says, or the other way round where it connects what has no direction.
static bool read_ends(SspRead* r, const XmlElement* e, int system, End* from, End* to)
{
    if (!find_end(r, e, system, true, from) || !find_end(r, e, system, false, to))
        return false;
    if (may(from, true) && may(to, false))
        return true;
    if ((from->port->both || to->port->both) && may(to, true) && may(from, false))
    {
        End turned = *from;
        *from = *to;
        *to = turned;
        return e->child == NULL ||
               reading_wrong(r, e, "the connection of %.100s has a transformation the other way", to->port->name);
    }
    const End* wrong = may(from, true) ? to : from;
    return reading_wrong(r, e, "%.100s of %.100s is on the wrong end", wrong->port->name,
                         wrong->own ? "the system" : r->elements.at[wrong->element].name);
}

static bool read_connection(SspRead* r, const XmlElement* e, const End* ends[2])
{
    Port *from = ends[0]->port, *to = ends[1]->port;
    if (from->kind == PORT_BOTH)
        from->kind = ends[0]->own ? PORT_INPUT : PORT_OUTPUT;
    if (to->kind == PORT_BOTH)
        to->kind = ends[1]->own ? PORT_OUTPUT : PORT_INPUT;
    if (to->source != NULL)
        return reading_wrong(r, e, "%.100s has two connections", to->name);
    if (from->text || to->text)
        return reading_wrong(r, e, "%.100s and %.100s are texts or bytes: numbers can be connected", from->name,
                             to->name);
    bool parameter = from->kind == PORT_PARAMETER || from->kind == PORT_CALCULATED;
    if (to->kind == PORT_PARAMETER && !parameter)
        return reading_wrong(r, e, "the parameter %.100s is connected to %.100s, which changes", to->name, from->name);
    const Element* giver = &r->elements.at[ends[0]->element];
    if (!ends[0]->own && giver->fmu < 0 && from->kind == PORT_OUTPUT && from->source == NULL)
        return reading_wrong(r, e, "%.100s of %.100s has nothing to give: nothing is connected to it there", from->name,
                             giver->name);
    return unit_connect(r, e, from, to);
}

// What gives a value to a connector without a direction comes first: then it has one.
static bool read_connections(SspRead* r, const XmlElement* list, int system)
{
    for (int pass = 0; pass < 2; pass++)
        for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
        {
            End from, to;
            if (!reading_is(e, "Connection"))
                continue;
            if (!read_ends(r, e, system, &from, &to))
                return false;
            bool first = to.own && to.port->both && !(from.own && from.port->kind == PORT_BOTH);
            if (first == (pass == 0) && !read_connection(r, e, (const End* [2]){&from, &to}))
                return false;
        }
    return true;
}

int elements_read(SspRead* r, const XmlElement* xml, int parent, const char* name)
{
    const XmlElement *elements = reading_child(xml, "Elements"), *wires = reading_child(xml, "Connections");
    int made = -1;
    if (reading_child(xml, "SignalDictionaries") != NULL)
        return reading_wrong(r, reading_child(xml, "SignalDictionaries"), "signal dictionaries are not understood"), -1;
    bool ok = ++r->depth <= DEPTH_MOST || reading_wrong(r, xml, "systems are nested more than %d deep", DEPTH_MOST);
    ok = ok && (elements != NULL || reading_wrong(r, xml, "the system has no elements")) &&
         add_element(r, xml, parent, name, &made) && read_connectors(r, xml, made);
    for (const XmlElement* e = ok ? elements->child : NULL; e != NULL && ok; e = e->next)
    {
        const char* inner = NULL;
        if (reading_is(e, "Component"))
            ok = read_component(r, e, made);
        else if (reading_is(e, "System"))
            ok = reading_needs(r, e, "name", &inner) && elements_read(r, e, made, inner) >= 0;
        else if (reading_is(e, "SignalDictionaryReference"))
            ok = reading_wrong(r, e, "signal dictionaries are not understood");
    }
    ok = ok && values_read(r, xml, made) && read_connections(r, wires, made);
    r->depth--;
    return ok ? made : -1;
}
