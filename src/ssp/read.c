// Reading a system of SSP 1.0: the description, held against its rules and against the FMUs that it names, and the
// model that it is in the words of Kairos: an `fmu` for each source, an instance for each component, a definition for
// each connection. See kairos/fmi.h.
#include "base/error.h"
#include "base/text.h"
#include "fmi/described.h"
#include "lang/lexer.h"
#include "ssp/system.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTION "SystemStructure.ssd"

typedef struct PartFile
{
    const char* name;  // in the archive
    const ArchiveEntry* entry;
    char* bytes;
    Described fmu;
} PartFile;

typedef struct SspRead
{
    jmp_buf fail;
    Arena arena;
    const char* path;
    kaiError* error;
    Archive archive;
    VEC(PartFile) sources;
    SspSystem system;
} SspRead;

__attribute__((format(printf, 3, 4))) static bool wrong(SspRead* r, const XmlElement* at, const char* format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at != NULL)
        error_set(r->error, KAI_ERR_MODEL, "%s/" DESCRIPTION ":%d: %s", r->path, at->line, text);
    else
        error_set(r->error, KAI_ERR_MODEL, "%s: %s", r->path, text);
    return false;
}

// ---- XML
// ------------------------------------------------------------------------------------------------------------

// Prefixes of name spaces are the writer's choice.
static bool is_element(const XmlElement* e, const char* name)
{
    const char* colon = strchr(e->name, ':');
    return strcmp(colon != NULL ? colon + 1 : e->name, name) == 0;
}

static const XmlElement* child(const XmlElement* parent, const char* name)
{
    for (const XmlElement* e = parent != NULL ? parent->child : NULL; e != NULL; e = e->next)
        if (is_element(e, name))
            return e;
    return NULL;
}

static bool needs(SspRead* r, const XmlElement* e, const char* attribute, const char** value)
{
    *value = xml_value(e, attribute);
    return *value != NULL || wrong(r, e, "%s without %s", e->name, attribute);
}

// ---- components
// -----------------------------------------------------------------------------------------------------

static const DescribedVariable* variable_of(const SspRead* r, const SspComponent* c, const char* name)
{
    const Described* fmu = &r->sources.at[c->fmu].fmu;
    for (uint32_t i = 0; i < fmu->variables.count; i++)
        if (fmu->variables.at[i].name != NULL && strcmp(fmu->variables.at[i].name, name) == 0)
            return &fmu->variables.at[i];
    return NULL;
}

static bool read_connector(SspRead* r, const XmlElement* e, const SspComponent* of, SspConnector* made)
{
    const char* kind;
    if (!needs(r, e, "name", &made->name) || !needs(r, e, "kind", &kind))
        return false;
    made->output = strcmp(kind, "output") == 0;
    if (!made->output && strcmp(kind, "input") != 0 && strcmp(kind, "parameter") != 0 &&
        strcmp(kind, "calculatedParameter") != 0 && strcmp(kind, "inout") != 0)
        return wrong(r, e, "a connector of kind %s", kind);
    if (of == NULL)
        return true;
    const DescribedVariable* v = variable_of(r, of, made->name);
    if (v == NULL)
        return wrong(r, e, "the FMU of %s has no variable %s", of->name, made->name);
    bool fits = (strcmp(kind, "output") != 0 && strcmp(kind, "input") != 0) ||
                (v->causality != NULL && strcmp(v->causality, kind) == 0);
    return fits || wrong(r, e, "%s of %s is no %s of its FMU", made->name, of->name, kind);
}

static bool add_source(SspRead* r, const XmlElement* e, const char* name, uint32_t* index)
{
    for (*index = 0; *index < r->sources.count; ++*index)
        if (strcmp(r->sources.at[*index].name, name) == 0)
            return true;
    PartFile made = {.name = name, .entry = archive_find(&r->archive, name)};
    if (made.entry == NULL)
        return wrong(r, e, "there is no %s in the archive", name);
    made.bytes = archive_read(&r->archive, made.entry);
    if (made.bytes == NULL)
        return wrong(r, e, "%s: %s", name, r->archive.why);
    if (!described_read(&made.fmu, &r->arena, made.bytes, made.entry->size))
    {
        for (uint32_t i = 0; i < made.fmu.messages.count; i++)
            if (made.fmu.messages.at[i]->severity == KAI_ERROR)
                return wrong(r, e, "%s: %s", name, made.fmu.messages.at[i]->message);
        return wrong(r, e, "%s is no FMU", name);
    }
    vec_push(&r->arena, r->sources, made);
    return true;
}

static bool add_value(SspRead* r, const XmlElement* e, SspComponent* c, const char* name)
{
    const XmlElement* type = e->child;
    const char* text;
    char* end;
    if (type == NULL)
        return wrong(r, e, "the parameter %s has no value", name);
    if (!needs(r, type, "value", &text))
        return false;
    if (variable_of(r, c, name) == NULL)
        return wrong(r, e, "the FMU of %s has no variable %s", c->name, name);
    bool truth = is_element(type, "Boolean");
    double value = truth ? strcmp(text, "true") == 0 || strcmp(text, "1") == 0 : strtod(text, &end);
    if (!truth && (end == text || *end != 0))
        return wrong(r, type, "%s is no number", text);
    vec_push(&r->arena, c->values, ((SspValue){.name = name, .type = truth ? SSP_BOOLEAN : SSP_REAL, .value = value}));
    return true;
}

// A set in the description, or in a file beside it. Of the system: names with their components.
static bool read_set(SspRead* r, const XmlElement* set, SspComponent* of)
{
    const XmlElement* list = child(set, "Parameters");
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
    {
        const char* name;
        SspComponent* c = of;
        if (!is_element(e, "Parameter"))
            continue;
        if (!needs(r, e, "name", &name))
            return false;
        const char* dot = strchr(name, '.');
        if (of == NULL)
        {
            int found =
                dot == NULL ? -1 : system_find(&r->system, arena_copy_string(&r->arena, name, (size_t)(dot - name)));
            if (found < 0)
                return wrong(r, e, "%s is no parameter of a component", name);
            c = &r->system.components.at[found];
            name = dot + 1;
        }
        if (!add_value(r, e, c, name))
            return false;
    }
    return true;
}

static bool read_set_file(SspRead* r, const XmlElement* e, const char* name, SspComponent* of)
{
    char why[300];
    int line;
    const ArchiveEntry* entry = archive_find(&r->archive, name);
    const char* text = entry != NULL ? archive_read(&r->archive, entry) : NULL;
    if (text == NULL)
        return wrong(r, e, "there is no %s in the archive", name);
    const XmlElement* set = xml_parse(&r->arena, text, entry->size, why, sizeof why, &line);
    return set != NULL ? read_set(r, set, of) : wrong(r, e, "%s:%d: %s", name, line, why);
}

static bool read_bindings(SspRead* r, const XmlElement* parent, SspComponent* of)
{
    const XmlElement* list = child(parent, "ParameterBindings");
    bool ok = true;
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL && ok; e = e->next)
    {
        const char* source = xml_value(e, "source");
        const XmlElement* set = child(child(e, "ParameterValues"), "ParameterSet");
        if (is_element(e, "ParameterBinding"))
            ok = source != NULL ? read_set_file(r, e, source, of) : set == NULL || read_set(r, set, of);
    }
    return ok;
}

static bool read_component(SspRead* r, const XmlElement* e)
{
    SspComponent c = {.name = NULL};
    const char* source;
    if (is_element(e, "System"))
        return wrong(r, e, "systems within systems are not read");
    if (!needs(r, e, "name", &c.name) || !needs(r, e, "source", &source))
        return false;
    if (system_find(&r->system, c.name) >= 0)
        return wrong(r, e, "there are two components %s", c.name);
    if (!add_source(r, e, source, &c.fmu))
        return false;
    const XmlElement* list = child(e, "Connectors");
    for (const XmlElement* k = list != NULL ? list->child : NULL; k != NULL; k = k->next)
    {
        SspConnector made = {.name = NULL};
        if (!is_element(k, "Connector"))
            continue;
        if (!read_connector(r, k, &c, &made))
            return false;
        vec_push(&r->arena, c.connectors, made);
    }
    if (!read_bindings(r, e, &c))
        return false;
    vec_push(&r->arena, r->system.components, c);
    return true;
}

// ---- connections
// ----------------------------------------------------------------------------------------------------

// Outputs of components and inputs of the system give, inputs of components and outputs of the system take.
static bool has_connector(SspRead* r, const XmlElement* e, const char* element, const char* name, bool gives)
{
    int found = element != NULL ? system_find(&r->system, element) : -1;
    if (element != NULL && found < 0)
        return wrong(r, e, "there is no component %s", element);
    const SspConnector* list = found >= 0 ? r->system.components.at[found].connectors.at : r->system.connectors.at;
    uint32_t count = found >= 0 ? r->system.components.at[found].connectors.count : r->system.connectors.count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].output == (gives == (element != NULL)) ||
                   wrong(r, e, "%s of %s is on the wrong end", name, element != NULL ? element : "the system");
    return wrong(r, e, "%s has no connector %s", element != NULL ? element : "the system", name);
}

static bool is_fed(const SspSystem* s, const SspConnection* c)
{
    for (uint32_t i = 0; i < s->connections.count; i++)
    {
        const SspConnection* other = &s->connections.at[i];
        bool same = (other->to == NULL) == (c->to == NULL) && (c->to == NULL || strcmp(other->to, c->to) == 0);
        if (same && strcmp(other->to_connector, c->to_connector) == 0)
            return true;
    }
    return false;
}

static bool read_connection(SspRead* r, const XmlElement* e)
{
    SspConnection c = {.from = xml_value(e, "startElement"), .to = xml_value(e, "endElement")};
    if (!needs(r, e, "startConnector", &c.from_connector) || !needs(r, e, "endConnector", &c.to_connector) ||
        !has_connector(r, e, c.from, c.from_connector, true) || !has_connector(r, e, c.to, c.to_connector, false))
        return false;
    if (e->child != NULL && !is_element(e->child, "ConnectionGeometry"))
        return wrong(r, e, "%s at a connection is not read", e->child->name);
    if (is_fed(&r->system, &c))
        return wrong(r, e, "%s has two connections", c.to_connector);
    vec_push(&r->arena, r->system.connections, c);
    return true;
}

static bool read_system(SspRead* r, const XmlElement* e)
{
    const XmlElement *elements = child(e, "Elements"), *wires = child(e, "Connections"), *own = child(e, "Connectors");
    bool ok = elements != NULL || wrong(r, e, "the system has no elements");
    for (const XmlElement* k = own != NULL ? own->child : NULL; k != NULL && ok; k = k->next)
    {
        SspConnector made = {.name = NULL};
        ok = !is_element(k, "Connector") || read_connector(r, k, NULL, &made);
        if (ok && made.name != NULL)
            vec_push(&r->arena, r->system.connectors, made);
    }
    for (const XmlElement* k = ok ? elements->child : NULL; k != NULL && ok; k = k->next)
        ok = read_component(r, k);
    ok = ok && read_bindings(r, e, NULL);
    for (const XmlElement* k = ok && wires != NULL ? wires->child : NULL; k != NULL && ok; k = k->next)
        ok = !is_element(k, "Connection") || read_connection(r, k);
    return ok;
}

static bool read_description(SspRead* r)
{
    char why[300];
    int line;
    const ArchiveEntry* entry = archive_find(&r->archive, DESCRIPTION);
    const char* text = entry != NULL ? archive_read(&r->archive, entry) : NULL;
    if (text == NULL)
        return wrong(r, NULL, "%s", entry != NULL ? r->archive.why : "there is no " DESCRIPTION " in the archive");
    const XmlElement* root = xml_parse(&r->arena, text, entry->size, why, sizeof why, &line);
    if (root == NULL)
        return wrong(r, NULL, DESCRIPTION ":%d: %s", line, why);
    const XmlElement *system = child(root, "System"), *experiment = child(root, "DefaultExperiment");
    if (!is_element(root, "SystemStructureDescription") || system == NULL)
        return wrong(r, root, "this describes no system");
    const char *start = experiment != NULL ? xml_value(experiment, "startTime") : NULL,
               *stop = experiment != NULL ? xml_value(experiment, "stopTime") : NULL;
    r->system.start = start != NULL ? strtod(start, NULL) : 0;
    r->system.stop = stop != NULL ? strtod(stop, NULL) : INFINITY;
    return needs(r, root, "name", &r->system.name) && read_system(r, system);
}

// ---- the model
// ------------------------------------------------------------------------------------------------------

static bool is_word(const char* name)
{
    uint32_t count;
    const char* const* words = token_words(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

// As names of FMUs are in models: what is no letter, digit or _ becomes one _.
static const char* mangle(Arena* arena, const char* name)
{
    char* made = arena_alloc(arena, strlen(name) + 3);
    size_t used = 0;
    bool gap = false;
    for (; *name != 0; name++)
    {
        unsigned char c = (unsigned char)*name;
        if (isalnum(c) || c == '_')
        {
            if (gap && used > 0)
                made[used++] = '_';
            made[used++] = *name;
        }
        gap = !(isalnum(c) || c == '_');
    }
    if (used == 0 || isdigit((unsigned char)made[0]))
    {
        memmove(made + 1, made, used++);
        made[0] = '_';
    }
    made[used] = 0;
    if (is_word(made))
    {
        made[used] = '_';
        made[used + 1] = 0;
    }
    return made;
}

static bool is_input(const SspRead* r, const SspComponent* c, const char* name)
{
    const DescribedVariable* v = variable_of(r, c, name);
    return v != NULL && v->causality != NULL && strcmp(v->causality, "input") == 0;
}

// An input starts with what is connected to it.
static void say_component(SspRead* r, Writer* w, const SspComponent* c)
{
    bool any = false;
    writer_say(w, "  %s : Part%u", mangle(&r->arena, c->name), c->fmu + 1);
    for (uint32_t i = 0; i < c->values.count; i++)
    {
        if (is_input(r, c, c->values.at[i].name))
            continue;
        writer_say(w, "%s%s = %.17g", any ? ", " : "(", mangle(&r->arena, c->values.at[i].name), c->values.at[i].value);
        any = true;
    }
    writer_put(w, any ? ")\n" : "\n");
}

static const char* end_of(SspRead* r, const char* element, const char* connector)
{
    const char* name = mangle(&r->arena, connector);
    return element != NULL ? arena_printf(&r->arena, "%s.%s", mangle(&r->arena, element), name) : name;
}

// The payload of an event goes with the event that is connected.
static bool is_payload(const SspRead* r, const char* element, const char* connector)
{
    for (uint32_t k = 0; element != NULL && k < r->system.components.count; k++)
    {
        const SspComponent* c = &r->system.components.at[k];
        if (strcmp(c->name, element) != 0)
            continue;
        const Described* d = &r->sources.at[c->fmu].fmu;
        const DescribedVariable* v = variable_of(r, c, connector);
        for (uint32_t i = 0; v != NULL && i < d->variables.count; i++)
            if (described_is_event(d, i) && described_event_part(d, i, "value") == v - d->variables.at)
                return true;
    }
    return false;
}

static void say_connections(SspRead* r, Writer* w)
{
    for (uint32_t i = 0; i < r->system.connectors.count; i++)
        if (!r->system.connectors.at[i].output)
            writer_say(w, "  input %s = 0\n", mangle(&r->arena, r->system.connectors.at[i].name));
    for (uint32_t i = 0; i < r->system.connections.count; i++)
    {
        const SspConnection* c = &r->system.connections.at[i];
        if (is_payload(r, c->to, c->to_connector))
            continue;
        writer_say(w, "  %s%s = %s\n", c->to == NULL ? "output " : "", end_of(r, c->to, c->to_connector),
                   end_of(r, c->from, c->from_connector));
    }
    // What nobody is connected to keeps the value that it was given.
    for (uint32_t k = 0; k < r->system.components.count; k++)
    {
        const SspComponent* c = &r->system.components.at[k];
        for (uint32_t i = 0; i < c->values.count; i++)
        {
            SspConnection to = {.to = c->name, .to_connector = c->values.at[i].name};
            bool input = is_input(r, c, c->values.at[i].name) && !is_payload(r, c->name, to.to_connector);
            if (input && !is_fed(&r->system, &to))
                writer_say(w, "  %s = %.17g\n", end_of(r, c->name, to.to_connector), c->values.at[i].value);
        }
    }
}

static char* say_model(SspRead* r)
{
    Writer w = {.arena = &r->arena};
    const char* name = mangle(&r->arena, r->system.name);
    for (uint32_t i = 0; i < r->sources.count; i++)
        writer_say(&w, "fmu Part%u = \"part%u.fmu\"\n", i + 1, i + 1);
    writer_say(&w, "model %s {\n", name);
    for (uint32_t i = 0; i < r->system.components.count; i++)
        say_component(r, &w, &r->system.components.at[i]);
    say_connections(r, &w);
    writer_say(&w, "}\nexperiment e of %s { start = %.17g", name, r->system.start);
    if (isfinite(r->system.stop))
        writer_say(&w, "; stop = %.17g", r->system.stop);
    writer_put(&w, " }\n");
    return writer_text(&w);
}

// ---- files
// ----------------------------------------------------------------------------------------------------------

static kaiStatus write_one(SspRead* r, const char* folder, const char* name, const char* bytes, size_t size)
{
    FILE* out = fopen(arena_printf(&r->arena, "%s/%s", folder, name), "wb");
    bool ok = out != NULL && fwrite(bytes, 1, size, out) == size;
    if (out != NULL && fclose(out) != 0)
        ok = false;
    return ok ? KAI_OK : error_set(r->error, KAI_ERR_IO, "%s/%s cannot be written: %s", folder, name, strerror(errno));
}

static kaiStatus unpack(SspRead* r, const char* folder)
{
    const char* text = say_model(r);
    kaiStatus status = write_one(r, folder, "system.kai", text, strlen(text));
    for (uint32_t i = 0; i < r->sources.count && status == KAI_OK; i++)
        status = write_one(r, folder, arena_printf(&r->arena, "part%u.fmu", i + 1), r->sources.at[i].bytes,
                           r->sources.at[i].entry->size);
    return status;
}

static char* read_all(SspRead* r, size_t* size)
{
    FILE* in = fopen(r->path, "rb");
    VEC(char) bytes = {0};
    char piece[65536];
    size_t got;
    while (in != NULL && (got = fread(piece, 1, sizeof piece, in)) > 0)
        for (size_t i = 0; i < got; i++)
            vec_push(&r->arena, bytes, piece[i]);
    bool ok = in != NULL && !ferror(in);
    if (in != NULL)
        fclose(in);
    *size = bytes.count;
    vec_push(&r->arena, bytes, 0);
    return ok ? bytes.at : NULL;
}

static kaiStatus read_path(SspRead* r, const char* path, const char* folder, kaiAllocator allocator)
{
    size_t size;
    if (setjmp(r->fail) != 0)
        return error_memory(r->error);
    arena_init(&r->arena, allocator, &r->fail);
    r->path = path;
    char* bytes = read_all(r, &size);
    if (bytes == NULL)
        return error_set(r->error, KAI_ERR_IO, "%s cannot be read: %s", path, strerror(errno));
    if (!archive_open(&r->archive, &r->arena, bytes, size))
        return wrong(r, NULL, "%s", r->archive.why), KAI_ERR_MODEL;
    if (!read_description(r))
        return KAI_ERR_MODEL;
    return folder != NULL ? unpack(r, folder) : KAI_OK;
}

kaiStatus kaiSsp_Read(const char* path, const char* folder, kaiAllocator allocator, kaiError* error)
{
    error_clear(error);
    if (path == NULL || allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no path or no allocator");
    SspRead* r = allocator.alloc(allocator.user, NULL, 0, sizeof *r);
    if (r == NULL)
        return error_memory(error);
    memset(r, 0, sizeof *r);
    r->error = error;
    kaiStatus status = read_path(r, path, folder, allocator);
    arena_free(&r->arena);
    allocator.alloc(allocator.user, r, sizeof *r, 0);
    return status;
}
