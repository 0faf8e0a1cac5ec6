// What the standard demands of variables and of ModelStructure beyond their form: names that are one, combinations that
// have a meaning, start values where there must be some and nowhere else, references to what is there, lists that are
// complete (FMI 2.0, sections 2.2.7 and 2.2.8; 3.0, sections 2.4.7 and 2.4.8).
#include "base/hash.h"
#include "fmi/described.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char* word, const char* words)
{
    size_t length = strlen(word);
    for (const char* at = words; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static bool is(const char* a, const char* b)
{
    return strcmp(a, b) == 0;
}

static bool is_real(const DescribedVariable* v)
{
    return v->type != NULL && (is(v->type->name, "Real") || strncmp(v->type->name, "Float", 5) == 0);
}

static bool is_clock(const DescribedVariable* v)
{
    return v->type != NULL && is(v->type->name, "Clock");
}

// ---- one variable
// ----------------------------------------------------------------------------------------------------

static void check_words(Described* d, const DescribedVariable* v)
{
    const char* causalities =
        d->version == 2 ? "parameter calculatedParameter input output local independent"
                        : "structuralParameter parameter calculatedParameter input output local independent dependent";
    if (!is_one_of(v->causality, causalities))
        described_say(d, v->element->line, KAI_ERROR, "%.100s: there is no causality \"%.40s\"", v->name, v->causality);
    if (!is_one_of(v->variability, "constant fixed tunable discrete continuous"))
        described_say(d, v->element->line, KAI_ERROR, "%.100s: there is no variability \"%.40s\"", v->name,
                      v->variability);
    if (v->initial != NULL && !is_one_of(v->initial, "exact approx calculated"))
        described_say(d, v->element->line, KAI_ERROR, "%.100s: there is no initial \"%.40s\"", v->name, v->initial);
    if (is(v->variability, "continuous") && !is_real(v) && v->type != NULL)
        described_say(d, v->element->line, KAI_ERROR, "%.100s is continuous, which only real numbers are", v->name);
}

static void check_combination(Described* d, const DescribedVariable* v)
{
    bool parameter = is_one_of(v->causality, "parameter calculatedParameter structuralParameter");
    bool fixed = is_one_of(v->variability, "fixed tunable");
    int line = v->element->line;
    if (parameter && !fixed)
        described_say(d, line, KAI_ERROR, "%.100s: a %s is fixed or tunable, not %s", v->name, v->causality,
                      v->variability);
    if (is_one_of(v->causality, "input independent") && is_one_of(v->variability, "constant fixed tunable"))
        described_say(d, line, KAI_ERROR, "%.100s: an %s variable cannot be %s", v->name, v->causality, v->variability);
    if (is(v->causality, "output") && fixed)
        described_say(d, line, KAI_ERROR, "%.100s: an output cannot be %s", v->name, v->variability);
    if (v->initial != NULL && is_one_of(v->causality, "input independent") && d->version == 2)
        described_say(d, line, KAI_ERROR, "%.100s: an %s variable has no initial", v->name, v->causality);
    if (v->initial != NULL && is(v->variability, "constant") && !is(v->initial, "exact"))
        described_say(d, line, KAI_ERROR, "%.100s: a constant is known exactly, not %s", v->name, v->initial);
    if (v->initial != NULL && is_one_of(v->causality, "parameter structuralParameter") && !is(v->initial, "exact"))
        described_say(d, line, KAI_ERROR, "%.100s: a parameter is known exactly, not %s", v->name, v->initial);
}

// What `initial` is where it is not written.
static const char* initial_of(const DescribedVariable* v)
{
    if (v->initial != NULL)
        return v->initial;
    if (is_one_of(v->causality, "input independent"))
        return "";
    bool exact = is(v->variability, "constant") || is_one_of(v->causality, "parameter structuralParameter");
    return exact ? "exact" : "calculated";
}

static void check_start(Described* d, const DescribedVariable* v)
{
    const char* initial = initial_of(v);
    bool needs = is_one_of(initial, "exact approx") || is(v->causality, "input");
    int line = v->element->line;
    char* end = NULL;
    if (v->type == NULL || is_clock(v) || is_one_of(v->type->name, "Binary String"))
        return;
    if (needs && v->start == NULL)
        described_say(d, line, KAI_ERROR, "%.100s needs a start value", v->name);
    if (!needs && v->start != NULL)
        described_say(d, line, KAI_ERROR, "%.100s is %s and must not have a start value", v->name,
                      is(v->causality, "independent") ? "independent" : "calculated");
    if (v->start == NULL || xml_child(v->type, "Dimension") != NULL)  // those of arrays: dimensions.c
        return;
    double value = strtod(v->start, &end);
    bool truth = is_one_of(v->start, "true false 0 1");
    if (is(v->type->name, "Boolean") ? !truth : end == v->start || *end != 0)
        described_say(d, line, KAI_ERROR, "%.100s: the start value \"%.40s\" is none of its type", v->name, v->start);
    const char *least = xml_value(v->type, "min"), *most = xml_value(v->type, "max");
    if ((least != NULL && value < atof(least)) || (most != NULL && value > atof(most)))
        described_say(d, line, KAI_ERROR, "%.100s: the start value %.40s is outside of %s to %s", v->name, v->start,
                      least != NULL ? least : "-inf", most != NULL ? most : "inf");
}

// ---- what variables refer to
// -----------------------------------------------------------------------------------------

static bool is_defined(const Described* d, const char* list, const char* name)
{
    const XmlElement* definitions = xml_child(d->root, list);
    for (const XmlElement* e = definitions != NULL ? definitions->child : NULL; e != NULL; e = e->next)
        if (xml_value(e, "name") != NULL && is(xml_value(e, "name"), name))
            return true;
    return false;
}

static void check_definitions(Described* d, const DescribedVariable* v)
{
    const char *unit = xml_value(v->type, "unit"), *type = xml_value(v->type, "declaredType");
    if (unit != NULL && !is_defined(d, "UnitDefinitions", unit))
        described_say(d, v->element->line, KAI_ERROR, "%.100s: the unit \"%.60s\" is not defined", v->name, unit);
    if (type != NULL && !is_defined(d, "TypeDefinitions", type))
        described_say(d, v->element->line, KAI_ERROR, "%.100s: the type \"%.60s\" is not defined", v->name, type);
    if (type == NULL && v->type != NULL && is(v->type->name, "Enumeration"))
        described_say(d, v->element->line, KAI_ERROR, "%.100s is an enumeration without a declaredType", v->name);
    if (xml_value(v->type, "displayUnit") != NULL && unit == NULL)
        described_say(d, v->element->line, KAI_ERROR, "%.100s has a displayUnit and no unit", v->name);
}

// `derivative` is an index from 1 in 2.0, a value reference in 3.0.
static void find_derivative(Described* d, DescribedVariable* v)
{
    const char* text = xml_value(v->type, "derivative");
    uint32_t number = 0;
    if (text == NULL)
        return;
    bool fine = described_number(text, &number);
    int64_t of = !fine ? -1 : d->version == 2 ? (int64_t)number - 1 : described_find(d, number);
    if (of < 0 || of >= d->variables.count)
        described_say(d, v->element->line, KAI_ERROR, "%.100s: derivative = \"%.20s\" refers to no variable", v->name,
                      text);
    else if (!is_real(&d->variables.at[of]) || !is(d->variables.at[of].variability, "continuous"))
        described_say(d, v->element->line, KAI_ERROR, "%.100s is the derivative of %.100s, which is not continuous",
                      v->name, d->variables.at[of].name);
    else
        v->derivative = of;
}

// A chain of derivatives ends at a state.
static void check_chain(Described* d, uint32_t index)
{
    int64_t at = index;
    uint32_t steps = 0;
    while (at >= 0 && steps++ <= d->variables.count)
        at = d->variables.at[at].derivative;
    if (at < 0)
        return;
    described_say(d, d->variables.at[index].element->line, KAI_ERROR, "%.100s is a derivative of itself, in a cycle",
                  d->variables.at[index].name);
    d->variables.at[index].derivative = -1;
}

static void check_unique(Described* d)
{
    Map names;
    map_init(&names, d->arena);
    int independent = 0;
    for (uint32_t i = 0; i < d->variables.count; i++)
    {
        const DescribedVariable* v = &d->variables.at[i];
        uint64_t key = hash_bytes(HASH_START, v->name, strlen(v->name));
        uint32_t other = 0;
        if (map_get(&names, key, &other) && is(d->variables.at[other].name, v->name))
            described_say(d, v->element->line, KAI_ERROR, "two variables are called %.100s", v->name);
        map_set(&names, key, i);
        if (described_find(d, v->reference) != i && d->version == 3)
            described_say(d, v->element->line, KAI_ERROR, "%.100s: another variable has the value reference %u",
                          v->name, v->reference);
        independent += is(v->causality, "independent");
    }
    if (independent > 1)
        described_say(d, 0, KAI_ERROR, "%d variables are independent: there is one time", independent);
}

void validate_variables(Described* d)
{
    for (uint32_t i = 0; i < d->variables.count; i++)
    {
        DescribedVariable* v = &d->variables.at[i];
        check_words(d, v);
        check_combination(d, v);
        check_start(d, v);
        check_definitions(d, v);
        find_derivative(d, v);
    }
    for (uint32_t i = 0; i < d->variables.count; i++)
        check_chain(d, i);
    check_unique(d);
}

// ---- the structure
// ---------------------------------------------------------------------------------------------------

// An entry of ModelStructure: the variable it names; -1: none.
static int64_t named_by(Described* d, const XmlElement* e)
{
    const char* attribute = d->version == 2 ? "index" : "valueReference";
    const char* text = xml_value(e, attribute);
    uint32_t number = 0;
    bool fine = described_number(text, &number);
    int64_t index = !fine ? -1 : d->version == 2 ? (int64_t)number - 1 : described_find(d, number);
    if (index >= 0 && index < d->variables.count)
        return index;
    described_say(d, e->line, KAI_ERROR, "%s = \"%.20s\" in ModelStructure refers to no variable", attribute,
                  text != NULL ? text : "");
    return -1;
}

static int count_words(const char* text)
{
    int count = 0;
    for (bool inside = false; *text != 0; text++)
    {
        count += !isspace((unsigned char)*text) && !inside;
        inside = !isspace((unsigned char)*text);
    }
    return count;
}

static void check_dependencies(Described* d, const XmlElement* e)
{
    const char *list = xml_value(e, "dependencies"), *kinds = xml_value(e, "dependenciesKind");
    if (kinds != NULL && (list == NULL || count_words(list) != count_words(kinds)))
        described_say(d, e->line, KAI_ERROR, "there are not as many dependenciesKind as dependencies");
    for (const char* at = list; at != NULL && *at != 0;)
    {
        char* end = NULL;
        unsigned long long number = strtoull(at, &end, 10);
        bool known = end != at && (d->version == 2 ? number >= 1 && number <= d->variables.count
                                                   : number <= UINT32_MAX && described_find(d, (uint32_t)number) >= 0);
        if (!known)
        {
            described_say(d, e->line, KAI_ERROR, "dependencies = \"%.60s\" refers to no variable", list);
            return;
        }
        for (at = end; isspace((unsigned char)*at);)
            at++;
    }
}

typedef bool Wanted(const Described* d, const DescribedVariable* v);

static bool is_output(const Described* d, const DescribedVariable* v)
{
    return (void)d, is(v->causality, "output");
}

static bool is_rate(const Described* d, const DescribedVariable* v)
{
    return (void)d, v->derivative >= 0;
}

static bool is_initial(const Described* d, const DescribedVariable* v)
{
    if (!is_one_of(initial_of(v), "approx calculated") || is_clock(v))
        return false;
    return is_one_of(v->causality, "output calculatedParameter") || d->states[v - d->variables.at] || is_rate(d, v);
}

static bool is_any(const Described* d, const DescribedVariable* v)
{
    return (void)d, is_real(v);
}

// A list of ModelStructure: every entry is one of those that belong there, none twice, and none of them is missing.
static void check_list(Described* d, const XmlElement* first, const char* element, const char* list, Wanted* belongs,
                       bool complete)
{
    bool* seen = arena_array(d->arena, bool, d->variables.count + 1);
    for (const XmlElement* e = first; e != NULL; e = e->next)
    {
        int64_t index = is(e->name, element) ? named_by(d, e) : -1;
        if (index < 0)
            continue;
        const DescribedVariable* v = &d->variables.at[index];
        check_dependencies(d, e);
        if (seen[index])
            described_say(d, e->line, KAI_ERROR, "%.100s is in %s twice", v->name, list);
        if (!belongs(d, v))
            described_say(d, e->line, KAI_ERROR, "%.100s does not belong into %s", v->name, list);
        else if (belongs == is_rate && !seen[index])
        {
            vec_push(d->arena, d->rates, (uint32_t)index);
            d->states[v->derivative] = true;
        }
        seen[index] = true;
    }
    for (uint32_t i = 0; i < d->variables.count && complete; i++)
        if (!seen[i] && belongs(d, &d->variables.at[i]))
            described_say(d, d->variables.at[i].element->line, KAI_ERROR, "%.100s is missing in %s of ModelStructure",
                          d->variables.at[i].name, list);
}

static void count_indicators(Described* d, const XmlElement* structure)
{
    uint32_t number = 0;
    const char* text = xml_value(d->root, "numberOfEventIndicators");
    if (d->version == 2 && text != NULL && !described_number(text, &number))
        described_say(d, d->root->line, KAI_ERROR, "numberOfEventIndicators = \"%.20s\" is no number", text);
    for (const XmlElement* e = d->version == 3 ? structure->child : NULL; e != NULL; e = e->next)
        number += is(e->name, "EventIndicator");
    d->indicators = (int)number;
}

void validate_structure(Described* d)
{
    const XmlElement* s = xml_child(d->root, "ModelStructure");
    if (s == NULL)
    {
        described_say(d, d->root->line, KAI_ERROR, "ModelStructure is missing");
        return;
    }
    count_indicators(d, s);
    if (d->version == 3)
    {
        check_list(d, s->child, "Output", "the outputs", is_output, true);
        check_list(d, s->child, "ContinuousStateDerivative", "the derivatives", is_rate, false);
        check_list(d, s->child, "InitialUnknown", "the initial unknowns", is_initial, true);
        check_list(d, s->child, "EventIndicator", "the event indicators", is_any, false);
        return;
    }
    const XmlElement *outputs = xml_child(s, "Outputs"), *rates = xml_child(s, "Derivatives"),
                     *initial = xml_child(s, "InitialUnknowns");
    check_list(d, outputs != NULL ? outputs->child : NULL, "Unknown", "Outputs", is_output, true);
    check_list(d, rates != NULL ? rates->child : NULL, "Unknown", "Derivatives", is_rate, d->exchange != NULL);
    check_list(d, initial != NULL ? initial->child : NULL, "Unknown", "InitialUnknowns", is_initial, true);
}
