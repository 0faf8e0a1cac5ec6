// See described.h: reading. Rules that have to do with a single element are here, the others in validate.c.
#include "fmi/described.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void described_say(Described* d, int line, kaiSeverity severity, const char* format, ...)
{
    enum
    {
        MESSAGES_MOST = 200
    };
    d->errors += severity == KAI_ERROR;
    if (d->messages.count == MESSAGES_MOST)
        return;
    kaiError* e = arena_new(d->arena, kaiError);
    va_list args;
    va_start(args, format);
    vsnprintf(e->buffer, sizeof e->buffer, format, args);
    va_end(args);
    e->status = severity == KAI_ERROR ? KAI_ERR_MODEL : KAI_OK;
    e->severity = severity;
    e->message = e->buffer;
    if (line > 0)
        e->place = (kaiPlace){"modelDescription.xml", line, 1, line, 2};
    vec_push(d->arena, d->messages, e);
}

bool described_number(const char* text, uint32_t* number)
{
    char* end = NULL;
    if (text == NULL || !isdigit((unsigned char)text[0]) || strlen(text) > 10)
        return false;
    unsigned long long value = strtoull(text, &end, 10);
    *number = (uint32_t)value;
    return *end == 0 && value <= UINT32_MAX;
}

int64_t described_find(const Described* d, uint32_t reference)
{
    uint32_t index;
    return map_get(&d->references, reference, &index) ? (int64_t)index : -1;
}

static double real_attribute(Described* d, const XmlElement* e, const char* name)
{
    const char* text = xml_value(e, name);
    char* end = NULL;
    double value = text != NULL ? strtod(text, &end) : NAN;
    if (text != NULL && (end == text || *end != 0))
    {
        described_say(d, e->line, KAI_ERROR, "%s = \"%.60s\" is no number", name, text);
        return NAN;
    }
    return value;
}

// ---- the root
// --------------------------------------------------------------------------------------------------------

static bool is_identifier(const char* text)
{
    bool fine = text[0] != 0 && !isdigit((unsigned char)text[0]);
    for (; *text != 0; text++)
        fine = fine && (isalnum((unsigned char)*text) || *text == '_');
    return fine;
}

static const char* identifier_of(Described* d, const char* kind)
{
    const XmlElement* e = xml_child(d->root, kind);
    const char* name = xml_value(e, "modelIdentifier");
    if (e != NULL && (name == NULL || !is_identifier(name)))
        described_say(d, e->line, KAI_ERROR, "%s needs a modelIdentifier that is a name of C, not \"%.60s\"", kind,
                      name != NULL ? name : "");
    return e != NULL ? (name != NULL ? name : "") : NULL;
}

static bool read_root(Described* d)
{
    const char* version = xml_value(d->root, "fmiVersion");
    if (strcmp(d->root->name, "fmiModelDescription") != 0)
        return described_say(d, d->root->line, KAI_ERROR, "the root is <%.60s> instead of <fmiModelDescription>",
                             d->root->name),
               false;
    d->version = version == NULL ? 0 : strcmp(version, "2.0") == 0 ? 2 : strncmp(version, "3.", 2) == 0 ? 3 : 0;
    if (d->version == 0)
        return described_say(d, d->root->line, KAI_ERROR, "fmiVersion is \"%.20s\": 2.0 and 3.0 are understood",
                             version != NULL ? version : ""),
               false;
    d->name = xml_value(d->root, "modelName");
    d->guid = xml_value(d->root, d->version == 2 ? "guid" : "instantiationToken");
    if (d->name == NULL)
        described_say(d, d->root->line, KAI_ERROR, "modelName is missing");
    if (d->guid == NULL)
        described_say(d, d->root->line, KAI_ERROR, "%s is missing", d->version == 2 ? "guid" : "instantiationToken");
    d->exchange = identifier_of(d, "ModelExchange");
    d->cosimulation = identifier_of(d, "CoSimulation");
    if (d->exchange == NULL && d->cosimulation == NULL && xml_child(d->root, "ScheduledExecution") == NULL)
        described_say(d, d->root->line, KAI_ERROR, "there is neither ModelExchange nor CoSimulation");
    return true;
}

static void read_experiment(Described* d)
{
    const XmlElement* e = xml_child(d->root, "DefaultExperiment");
    d->start = real_attribute(d, e, "startTime");
    d->stop = real_attribute(d, e, "stopTime");
    d->step = real_attribute(d, e, "stepSize");
    double tolerance = real_attribute(d, e, "tolerance");
    if (d->stop <= d->start)
        described_say(d, e->line, KAI_ERROR, "stopTime %g is not behind startTime %g", d->stop, d->start);
    if (tolerance <= 0)
        described_say(d, e->line, KAI_ERROR, "the tolerance %g is not positive", tolerance);
}

// ---- variables
// -------------------------------------------------------------------------------------------------------

static bool is_type(int version, const char* name)
{
    static const char* const words_2[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};
    static const char* const words_3[] = {"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                          "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                          "Boolean", "String",  "Binary", "Enumeration", "Clock"};
    const char* const* words = version == 2 ? words_2 : words_3;
    for (size_t i = 0; i < (version == 2 ? 5 : 15); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

// In 2.0 the type is an element inside.
static const XmlElement* type_of(Described* d, const XmlElement* e)
{
    const XmlElement* found = NULL;
    int count = 0;
    if (d->version == 3)
        return e;
    for (const XmlElement* c = e->child; c != NULL; c = c->next)
        if (is_type(2, c->name))
        {
            found = c;
            count++;
        }
    if (count != 1)
        described_say(d, e->line, KAI_ERROR, "variable %.100s has %d types instead of one",
                      xml_value(e, "name") != NULL ? xml_value(e, "name") : "", count);
    return found;
}

static void read_variable(Described* d, const XmlElement* e)
{
    DescribedVariable v = {.element = e, .type = type_of(d, e), .derivative = -1};
    v.name = xml_value(e, "name");
    if (v.name == NULL || v.name[0] == 0)
    {
        described_say(d, e->line, KAI_ERROR, "a variable has no name");
        v.name = "";
    }
    if (!described_number(xml_value(e, "valueReference"), &v.reference))
        described_say(d, e->line, KAI_ERROR, "variable %.100s has no valueReference, or one that is no number", v.name);
    v.causality = xml_value(e, "causality") != NULL ? xml_value(e, "causality") : "local";
    bool real = v.type != NULL && (strcmp(v.type->name, "Real") == 0 || strncmp(v.type->name, "Float", 5) == 0);
    bool parameter = strstr(v.causality, "arameter") != NULL;
    const char* usual = parameter ? "fixed" : real ? "continuous" : "discrete";
    v.variability = xml_value(e, "variability") != NULL ? xml_value(e, "variability")
                    : d->version == 2                   ? "continuous"
                                                        : usual;
    v.initial = xml_value(e, "initial");
    v.start = xml_value(v.type, "start");
    if (described_find(d, v.reference) < 0)
        map_set(&d->references, v.reference, d->variables.count);
    vec_push(d->arena, d->variables, v);
}

static void read_variables(Described* d)
{
    const XmlElement* list = xml_child(d->root, "ModelVariables");
    if (list == NULL)
        described_say(d, d->root->line, KAI_ERROR, "ModelVariables is missing");
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
        if (d->version == 2 ? strcmp(e->name, "ScalarVariable") == 0 : is_type(3, e->name))
            read_variable(d, e);
        else
            described_say(d, e->line, KAI_ERROR, "<%.60s> is no variable", e->name);
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

bool described_is_own(const Described* d)
{
    const char* tool = xml_value(d->root, "generationTool");
    return tool != NULL && strncmp(tool, "Kairos", 6) == 0;
}

// The parts of an event follow it, in the catalogue of its export. Arrays of events are Booleans in 3.0 too.
int64_t described_event_part(const Described* d, uint32_t variable, const char* part)
{
    enum
    {
        NEAR = 4
    };
    const char* name = d->variables.at[variable].name;
    size_t length = strlen(name);
    for (uint32_t i = variable + 1; described_is_own(d) && i < d->variables.count && i < variable + NEAR; i++)
    {
        const char* other = d->variables.at[i].name;
        if (strncmp(other, name, length) == 0 && other[length] == '.' && strcmp(other + length + 1, part) == 0)
            return i;
    }
    return -1;
}

bool described_is_event(const Described* d, uint32_t variable)
{
    const XmlElement* type = d->variables.at[variable].type;
    if (type == NULL)
        return false;
    if (d->version == 3 && strcmp(type->name, "Clock") == 0)
        return true;
    return strcmp(type->name, "Boolean") == 0 && described_event_part(d, variable, "count") >= 0;
}

bool described_is_event_part(const Described* d, uint32_t variable)
{
    for (uint32_t i = variable; i-- > 0 && i + 4 > variable;)
        if (described_is_event(d, i) &&
            (described_event_part(d, i, "value") == variable || described_event_part(d, i, "count") == variable))
            return true;
    return false;
}

// ---- all
// -------------------------------------------------------------------------------------------------------------

static bool read_description(Described* d)
{
    char why[200];
    int line = 0;
    const ArchiveEntry* entry = archive_find(&d->archive, "modelDescription.xml");
    if (entry == NULL)
        return described_say(d, 0, KAI_ERROR, "the archive has no modelDescription.xml: it is no FMU"), false;
    char* text = archive_read(&d->archive, entry);
    if (text == NULL)
        return described_say(d, 0, KAI_ERROR, "%s", d->archive.why), false;
    d->root = xml_parse(d->arena, text, entry->size, why, sizeof why, &line);
    if (d->root == NULL)
        return described_say(d, line, KAI_ERROR, "modelDescription.xml is no XML: %s", why), false;
    return true;
}

bool described_read(Described* d, Arena* arena, const void* bytes, size_t size)
{
    *d = (Described){.arena = arena};
    map_init(&d->references, arena);
    if (!archive_open(&d->archive, arena, bytes, size))
        return described_say(d, 0, KAI_ERROR, "%s", d->archive.why), false;
    if (!read_description(d) || !read_root(d))
        return false;
    read_experiment(d);
    read_variables(d);
    d->states = arena_array(arena, bool, d->variables.count + 1);
    validate_variables(d);
    if (d->version == 3)
        validate_dimensions(d);
    validate_structure(d);
    validate_binary(d);
    return d->errors == 0;
}
