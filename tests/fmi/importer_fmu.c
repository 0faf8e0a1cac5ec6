// What the importer reads of an unpacked FMU: modelDescription.xml, as attributes of elements, and the binary.
#include "importer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char* description_text(const char* folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE* in = fopen(path, "rb");
    if (in == NULL)
        return NULL;
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    rewind(in);
    char* text = malloc(size + 1);
    if (text != NULL)
        text[fread(text, 1, size, in)] = 0;
    fclose(in);
    return text;
}

// The value of an attribute of the element that begins at `at`; false: it has none.
bool description_attribute(const char* at, const char* name, char* value, size_t size)
{
    size_t length = strlen(name);
    for (; *at != '>' && *at != 0; at++)
    {
        if (strncmp(at, name, length) != 0 || at[-1] != ' ' || at[length] != '=')
            continue;
        const char* from = at + length + 2;
        size_t used = 0;
        for (; *from != '"' && used + 1 < size; from++)
            value[used++] = *from;
        value[used] = 0;
        return true;
    }
    return false;
}

static double number(const char* at, const char* name, double otherwise)
{
    char text[60];
    return description_attribute(at, name, text, sizeof text) ? atof(text) : otherwise;
}

static VariableType type_2(const char* at)
{
    const char* inner = strchr(strchr(at, '>'), '<');
    return strncmp(inner, "<Real", 5) == 0      ? TYPE_REAL
           : strncmp(inner, "<Integer", 8) == 0 ? TYPE_INTEGER
           : strncmp(inner, "<Boolean", 8) == 0 ? TYPE_BOOLEAN
                                                : TYPE_ENUMERATION;
}

// <Dimension start="3"/> or <Dimension valueReference="1"/> inside the element.
static void read_dimensions(Variable* v, const char* at)
{
    const char* close = strchr(at, '>');
    if (close == NULL || close[-1] == '/')
        return;
    for (at = strchr(close, '<'); at != NULL && strncmp(at, "<Dimension ", 11) == 0; at = strchr(at + 1, '<'))
    {
        double fixed = number(at, "start", -1);
        v->sizes[v->rank++] = fixed >= 0 ? (long)fixed : -1 - (long)number(at, "valueReference", 0);
    }
}

static void add(Description* d, const char* at, VariableType type)
{
    char text[40];
    d->declared = realloc(d->declared, sizeof *d->declared * (size_t)(d->declared_count + 1));
    Variable* v = &d->declared[d->declared_count++];
    memset(v, 0, sizeof *v);
    description_attribute(at, "name", v->name, sizeof v->name);
    if (!description_attribute(at, "causality", v->causality, sizeof v->causality))
        strcpy(v->causality, "local");
    v->reference = (unsigned)number(at, "valueReference", 0);
    v->start = number(at, "start", 0);
    v->derivative = description_attribute(at, "derivative", text, sizeof text);
    v->type = type;
    v->elements = 1;
    if (d->version == 3)
        read_dimensions(v, at);
}

static void read_variables(Description* d, const char* text)
{
    static const struct
    {
        const char* element;
        VariableType type;
    } kinds[] = {{"<Float64 ", TYPE_REAL},    {"<Int64 ", TYPE_INTEGER},
                 {"<Boolean ", TYPE_BOOLEAN}, {"<Enumeration ", TYPE_ENUMERATION},
                 {"<Clock ", TYPE_CLOCK},     {"<UInt64 ", TYPE_UNSIGNED}};
    const char* end = strstr(text, "</ModelVariables>");
    for (const char* at = strstr(text, "<ModelVariables>"); at != NULL && at < end; at = strchr(at + 1, '<'))
    {
        if (d->version == 2 && strncmp(at, "<ScalarVariable ", 16) == 0)
            add(d, at, type_2(at));
        for (size_t k = 0; d->version == 3 && k < sizeof kinds / sizeof *kinds; k++)
            if (strncmp(at, kinds[k].element, strlen(kinds[k].element)) == 0)
                add(d, at, kinds[k].type);
    }
}

// ---- arrays

static const Variable* declared(const Description* d, unsigned reference)
{
    for (int i = 0; i < d->declared_count; i++)
        if (d->declared[i].reference == reference)
            return &d->declared[i];
    return NULL;
}

static int size_of(const Description* d, const Variable* v, int dimension)
{
    long size = v->sizes[dimension];
    const Variable* by = size < 0 ? declared(d, (unsigned)(-1 - size)) : NULL;
    return by != NULL ? (int)by->start : (int)size;
}

// "[2][1]" after the name: the last index is the fastest.
static void name_element(const Description* d, const Variable* v, Variable* to)
{
    int at[8], rest = to->element;
    size_t used = strlen(to->name);
    for (int k = v->rank - 1; k >= 0; k--)
    {
        at[k] = rest % size_of(d, v, k) + 1;
        rest /= size_of(d, v, k);
    }
    for (int k = 0; k < v->rank && used < sizeof to->name; k++)
        used += (size_t)snprintf(to->name + used, sizeof to->name - used, "[%d]", at[k]);
}

static bool is_watch(const Description* d, const Variable* v)
{
    for (int i = 0; i < d->watch_count; i++)
        if (d->watches[i] == v->reference)
            return true;
    return false;
}

void description_expand(Description* d)
{
    d->count = 0;
    if (d->version == 3)
        d->states = d->indicators = 0;
    for (int i = 0; i < d->declared_count; i++)
    {
        const Variable* v = &d->declared[i];
        int all = 1;
        for (int k = 0; k < v->rank; k++)
            all *= size_of(d, v, k);
        d->variables = realloc(d->variables, sizeof *d->variables * (size_t)(d->count + all + 1));
        for (int k = 0; k < all; k++)
        {
            Variable* to = &d->variables[d->count++];
            *to = *v;
            to->element = k;
            to->elements = all;
            name_element(d, v, to);
        }
        if (d->version == 3)
        {
            d->states += v->derivative ? all : 0;
            d->indicators += is_watch(d, v) ? all : 0;
        }
    }
}

void description_free(Description* d)
{
    free(d->variables);
    free(d->declared);
    free(d->watches);
}

static void read_watches(Description* d, const char* text)
{
    for (const char* at = strstr(text, "<EventIndicator "); at != NULL; at = strstr(at + 1, "<EventIndicator "))
    {
        d->watches = realloc(d->watches, sizeof *d->watches * (size_t)(d->watch_count + 1));
        d->watches[d->watch_count++] = (unsigned)number(at, "valueReference", 0);
    }
}

static int count_between(const char* text, const char* from, const char* to, const char* what)
{
    int count = 0;
    const char* at = strstr(text, from);
    const char* end = at != NULL ? strstr(at, to) : NULL;
    while (at != NULL && (at = strstr(at + 1, what)) != NULL && (end == NULL || at < end))
        count++;
    return count;
}

bool description_read(const char* folder, Description* d)
{
    char* text = description_text(folder);
    if (text == NULL)
        return false;
    const char* root = strstr(text, "<fmiModelDescription");
    const char* experiment = strstr(text, "<DefaultExperiment");
    const char* exchange = strstr(text, "<ModelExchange");
    const char* cosimulation = strstr(text, "<CoSimulation");
    d->version = (int)number(root, "fmiVersion", 0);
    description_attribute(root, d->version == 2 ? "guid" : "instantiationToken", d->guid, sizeof d->guid);
    description_attribute(exchange != NULL ? exchange : cosimulation, "modelIdentifier", d->identifier,
                          sizeof d->identifier);
    d->exchange = exchange != NULL;
    d->cosimulation = cosimulation != NULL;
    d->start = number(experiment, "startTime", 0);
    d->stop = number(experiment, "stopTime", d->start + 1);
    d->indicators = (int)number(root, "numberOfEventIndicators", 0);
    if (d->version == 2)
        d->states = count_between(text, "<Derivatives>", "</Derivatives>", "<Unknown ");
    else
        read_watches(d, text);
    read_variables(d, text);
    description_expand(d);
    free(text);
    return true;
}

const Variable* description_find(const Description* d, const char* name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->variables[i].name, name) == 0)
            return &d->variables[i];
    return NULL;
}

void* load_library(const char* folder, const char* platform, const char* identifier)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, platform, identifier);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
    {
        fprintf(stderr, "importer: %s\n", dlerror());
        exit(4);
    }
    return library;
}

void* load_symbol(void* library, const char* name)
{
    void* symbol = dlsym(library, name);
    if (symbol == NULL)
    {
        fprintf(stderr, "importer: %s is missing\n", name);
        exit(4);
    }
    return symbol;
}
