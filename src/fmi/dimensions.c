// What FMI 3.0 demands of arrays (section 2.4.7.4): each dimension is a number or refers to one, start values are one
// for all or one for each element, and the derivative of an array is an array of the same size.
#include "fmi/described.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ELEMENTS_MOST = 1 << 30
};

static bool is(const char* a, const char* b)
{
    return a != NULL && strcmp(a, b) == 0;
}

// The number that a parameter gives a dimension; -1: it gives none, which is said.
static int64_t size_by(Described* d, const DescribedVariable* v, const XmlElement* e, const char* text)
{
    uint32_t number = 0;
    int64_t index = described_number(text, &number) ? described_find(d, number) : -1;
    if (index < 0)
        return described_say(d, e->line, KAI_ERROR, "%.100s: the dimension \"%.20s\" refers to no variable", v->name,
                             text),
               -1;
    const DescribedVariable* by = &d->variables.at[index];
    bool constant = is(by->causality, "structuralParameter") || is(by->variability, "constant");
    if (by->type == NULL || !is(by->type->name, "UInt64") || !constant)
        return described_say(d, e->line, KAI_ERROR,
                             "%.100s: the size of a dimension is a UInt64 that is a structuralParameter or constant, "
                             "which %.100s is not",
                             v->name, by->name),
               -1;
    if (xml_child(by->type, "Dimension") != NULL)
        return described_say(d, e->line, KAI_ERROR, "%.100s: the size of a dimension, %.100s, is an array itself",
                             v->name, by->name),
               -1;
    return described_number(by->start, &number) ? (int64_t)number : -1;
}

static int64_t size_of(Described* d, const DescribedVariable* v, const XmlElement* e)
{
    const char *fixed = xml_value(e, "start"), *by = xml_value(e, "valueReference");
    uint32_t number = 0;
    if ((fixed == NULL) == (by == NULL))
        described_say(d, e->line, KAI_ERROR, "%.100s: a dimension has a start or a valueReference, one of them",
                      v->name);
    else if (by != NULL)
        return size_by(d, v, e, by);
    else if (!described_number(fixed, &number))
        described_say(d, e->line, KAI_ERROR, "%.100s: the dimension \"%.20s\" is no number", v->name, fixed);
    else
        return number;
    return -1;
}

static int64_t count_words(const char* text)
{
    int64_t count = 0;
    for (bool inside = false; *text != 0; text++)
    {
        count += !isspace((unsigned char)*text) && !inside;
        inside = !isspace((unsigned char)*text);
    }
    return count;
}

static bool is_word(const DescribedVariable* v, const char* at, const char* end)
{
    char* stop = NULL;
    size_t length = (size_t)(end - at);
    if (is(v->type->name, "Boolean"))
        return (length == 4 && strncmp(at, "true", 4) == 0) || (length == 5 && strncmp(at, "false", 5) == 0) ||
               (length == 1 && (*at == '0' || *at == '1'));
    strtod(at, &stop);
    return stop == end;
}

static void check_starts(Described* d, const DescribedVariable* v)
{
    if (v->start == NULL || is(v->type->name, "String") || is(v->type->name, "Binary"))
        return;
    int64_t given = count_words(v->start);
    if (v->elements >= 0 && given != 1 && given != v->elements)
        described_say(d, v->element->line, KAI_ERROR, "%.100s has %lld start values for %lld elements", v->name,
                      (long long)given, (long long)v->elements);
    for (const char* at = v->start; *at != 0;)
    {
        while (isspace((unsigned char)*at))
            at++;
        const char* end = at;
        while (*end != 0 && !isspace((unsigned char)*end))
            end++;
        if (end > at && !is_word(v, at, end))
        {
            described_say(d, v->element->line, KAI_ERROR, "%.100s: the start value \"%.*s\" is none of its type",
                          v->name, (int)(end - at < 40 ? end - at : 40), at);
            return;
        }
        at = end;
    }
}

static void count_elements(Described* d, DescribedVariable* v)
{
    v->elements = 1;
    for (const XmlElement* e = v->element->child; e != NULL; e = e->next)
    {
        if (!is(e->name, "Dimension"))
            continue;
        int64_t size = size_of(d, v, e);
        v->rank++;
        v->elements = size < 0 || v->elements < 0 ? -1 : v->elements * size;
        if (v->elements > ELEMENTS_MOST)
        {
            described_say(d, e->line, KAI_ERROR, "%.100s has more than %d elements", v->name, (int)ELEMENTS_MOST);
            v->elements = -1;
        }
    }
}

void validate_dimensions(Described* d)
{
    for (uint32_t i = 0; i < d->variables.count; i++)
        count_elements(d, &d->variables.at[i]);
    for (uint32_t i = 0; i < d->variables.count; i++)
    {
        const DescribedVariable* v = &d->variables.at[i];
        if (v->rank > 0)
            check_starts(d, v);
        const DescribedVariable* of = v->derivative >= 0 ? &d->variables.at[v->derivative] : NULL;
        if (of != NULL && v->elements >= 0 && of->elements >= 0 && of->elements != v->elements)
            described_say(d, v->element->line, KAI_ERROR,
                          "%.100s has %lld elements, and %.100s, of which it is the derivative, %lld", v->name,
                          (long long)v->elements, of->name, (long long)of->elements);
    }
}
