// ModelStructure against numbers: each state, each input and time is moved a little, one after the other, and every
// unknown is read. One that moves and does not list what was moved is a wrong FMU; one that lists a factor that is
// constant between events must move twice as far when that is moved twice as far. An equation that is solved again
// moves by rounding.
#include "importer_loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Unknown
{
    const Variable* variable;
    char dependencies[4000], kinds[12000];
    bool listed;
} Unknown;

typedef struct Check
{
    Loop* m;
    Unknown* unknowns;
    int count;
    double* values;  // at 0, at one move, at two
} Check;

static const Variable* by_number(const Description* d, unsigned number)
{
    if (d->version == 2)
        return number >= 1 && number <= (unsigned)d->count ? &d->variables[number - 1] : NULL;
    for (int i = 0; i < d->count; i++)
        if (d->variables[i].reference == number)
            return &d->variables[i];
    return NULL;
}

static void add_unknowns(Check* c, const char* text, const char* from, const char* to, const char* element)
{
    const char* at = strstr(text, from);
    const char* end = at != NULL ? strstr(at, to) : NULL;
    char number[20];
    const Variable* v = NULL;
    for (int k = 0; at != NULL; k++)
    {
        if (v != NULL && k < v->elements)
            ;  // the next element of an array
        else if ((at = strstr(at + 1, element)) == NULL || at >= end)
            break;
        else
        {
            description_attribute(at, c->m->d->version == 2 ? "index" : "valueReference", number, sizeof number);
            v = by_number(c->m->d, (unsigned)atoi(number));
            k = 0;
        }
        if (v == NULL)
            continue;
        c->unknowns = realloc(c->unknowns, sizeof *c->unknowns * (size_t)(c->count + 1));
        Unknown* u = &c->unknowns[c->count++];
        memset(u, 0, sizeof *u);
        u->variable = v + k;
        u->listed = description_attribute(at, "dependencies", u->dependencies, sizeof u->dependencies);
        description_attribute(at, "dependenciesKind", u->kinds, sizeof u->kinds);
    }
}

static void read_unknowns(Check* c)
{
    char* text = description_text(c->m->call->folder);
    if (c->m->d->version == 2)
    {
        add_unknowns(c, text, "<Outputs>", "</Outputs>", "<Unknown ");
        add_unknowns(c, text, "<Derivatives>", "</Derivatives>", "<Unknown ");
    }
    else
    {
        add_unknowns(c, text, "<ModelStructure>", "</ModelStructure>", "<Output ");
        add_unknowns(c, text, "<ModelStructure>", "</ModelStructure>", "<ContinuousStateDerivative ");
        add_unknowns(c, text, "<ModelStructure>", "</ModelStructure>", "<EventIndicator ");
    }
    free(text);
}

// The kind of a known, NULL: it is not listed.
static const char* kind_of(const Check* c, const Unknown* u, const Variable* known, char word[20])
{
    const char *list = u->dependencies, *kinds = u->kinds;
    int used;
    unsigned number;
    for (; sscanf(list, "%u%n", &number, &used) == 1; list += used)
    {
        int taken = 0;
        strcpy(word, "dependent");
        sscanf(kinds, "%19s%n", word, &taken);
        kinds += taken;
        const Variable* listed = by_number(c->m->d, number);
        if (listed != NULL && listed->reference == known->reference)
            return word;
    }
    return NULL;
}

static void read_values(const Check* c, double* values)
{
    for (int i = 0; i < c->count; i++)
        values[i] = c->m->p->get(c->m->p->self, c->unknowns[i].variable);
}

static void judge(const Check* c, const Variable* known)
{
    char word[20];
    const double *v0 = c->values, *v1 = v0 + c->count, *v2 = v1 + c->count;
    for (int i = 0; i < c->count; i++)
    {
        const Unknown* u = &c->unknowns[i];
        if (!u->listed || u->variable == known)
            continue;
        const char* kind = kind_of(c, u, known, word);
        double first = v1[i] - v0[i], second = v2[i] - v1[i], size = fabs(v0[i]) + fabs(v2[i]) + 1;
        if (kind == NULL && fabs(first) + fabs(second) > 1e-13 * size)
            printf("depends %s on %s, at t = %g, and does not say so\n", u->variable->name, known->name, c->m->t);
        else if (kind != NULL && strcmp(kind, "dependent") != 0 && fabs(first - second) > 1e-12 * size)
            printf("depends %s on %s, at t = %g, and not as %s\n", u->variable->name, known->name, c->m->t, kind);
    }
}

static void at_point(const Check* c, double t, const double* x)
{
    c->m->p->set_time(c->m->p->self, t);
    if (c->m->states > 0)
        c->m->p->set_states(c->m->p->self, x, c->m->states);
}

static void move_states(const Check* c, double* x)
{
    char name[204];
    int state = 0;
    for (int i = 0; i < c->m->d->count; i++)
    {
        const Variable* rate = &c->m->d->variables[i];
        if (strncmp(rate->name, "der(", 4) != 0)
            continue;
        const char* close = strchr(rate->name, ')');  // der(m.x)[2]
        snprintf(name, sizeof name, "%.*s%s", (int)(close - rate->name) - 4, rate->name + 4, close + 1);
        double held = x[state];
        for (int k = 1; k <= 2; k++)
        {
            x[state] = held + k * 1e-3 * (1 + fabs(held));
            at_point(c, c->m->t, x);
            read_values(c, c->values + k * c->count);
        }
        x[state++] = held;
        at_point(c, c->m->t, x);
        judge(c, description_find(c->m->d, name));
    }
}

static void move_rest(const Check* c, const double* x)
{
    const Port* p = c->m->p;
    for (int i = 0; i < c->m->d->count; i++)
    {
        const Variable* v = &c->m->d->variables[i];
        bool time = strcmp(v->causality, "independent") == 0;
        if (!time && (strcmp(v->causality, "input") != 0 || v->type != TYPE_REAL))
            continue;
        double held = time ? c->m->t : p->get(p->self, v);
        for (int k = 1; k <= 2; k++)
        {
            if (time)
                at_point(c, c->m->t + k * 1e-5, x);
            else
                p->set(p->self, v, held + k * 1e-3);
            read_values(c, c->values + k * c->count);
        }
        if (!time)
            p->set(p->self, v, held);
        at_point(c, c->m->t, x);
        judge(c, v);
    }
}

void check_dependencies(Loop* m)
{
    Check c = {.m = m};
    double* x = calloc((size_t)m->states + 1, sizeof *x);
    read_unknowns(&c);
    c.values = calloc((size_t)(3 * c.count + 1), sizeof *c.values);
    if (m->states > 0)
        memcpy(x, m->x, sizeof *x * (size_t)m->states);
    at_point(&c, m->t, x);
    read_values(&c, c.values);
    move_states(&c, x);
    move_rest(&c, x);
    printf("checked %d\n", c.count);
    free(c.values);
    free(c.unknowns);
    free(x);
}
