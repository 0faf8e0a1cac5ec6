// fmi_system FOLDER STEP: a small importer of SSP 1.0. FOLDER is an unpacked archive in which each FMU of resources is
// unpacked to a folder of its name without .fmu. All components are integrated together, as Model Exchange with a fixed
// step; connections are followed in every stage, and between rounds of event iteration. Prints values at the end, with
// the component before names.
#include "importer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PARTS = 16,
    WIRES = 64,
    STATES = 64,
};

typedef struct Part
{
    char name[100], folder[600];
    Call call;
    Description d;
    Port p;
    double x[STATES], z[STATES], k[4][STATES], next_x[STATES], next_z[STATES];
    Events events;
} Part;

typedef struct Wire
{
    Part *from, *to;
    const Variable *source, *target;
    double value;
} Wire;

typedef struct System
{
    Part parts[PARTS];
    Wire wires[WIRES];
    int part_count, wire_count;
    double start, stop;
} System;

// ---- the description
// ------------------------------------------------------------------------------------------------

static Part* find_part(System* s, const char* name)
{
    for (int i = 0; i < s->part_count; i++)
        if (strcmp(s->parts[i].name, name) == 0)
            return &s->parts[i];
    return NULL;
}

static void set_values(Part* part, const char* at, const char* end)
{
    char name[200], value[100];
    while ((at = strstr(at, "<ssv:Parameter ")) != NULL && at < end)
    {
        description_attribute(at, "name", name, sizeof name);
        at = strstr(at + 1, "<ssv:");
        description_attribute(at, "value", value, sizeof value);
        const Variable* v = description_find(&part->d, name);
        if (v == NULL)
            exit(2);
        part->p.set(part->p.self, v, strcmp(value, "true") == 0 ? 1 : atof(value));
    }
}

static void read_parts(System* s, const char* folder, const char* text)
{
    char source[300];
    for (const char* at = text; (at = strstr(at + 1, "<ssd:Component ")) != NULL; s->part_count++)
    {
        Part* part = &s->parts[s->part_count];
        const char* end = strstr(at, "</ssd:Component>");
        description_attribute(at, "name", part->name, sizeof part->name);
        description_attribute(at, "source", source, sizeof source);
        source[strlen(source) - 4] = 0;  // .fmu
        snprintf(part->folder, sizeof part->folder, "%s/%s", folder, source);
        part->call = (Call){.folder = part->folder, .kind = "me"};
        if (!description_read(part->folder, &part->d))
            exit(2);
        open_2(&part->call, &part->d, &part->p);
        set_values(part, at, end);
    }
}

static void read_wires(System* s, const char* text)
{
    char element[100], connector[200];
    for (const char* at = text; (at = strstr(at + 1, "<ssd:Connection ")) != NULL;)
    {
        Wire* w = &s->wires[s->wire_count];
        if (!description_attribute(at, "startElement", element, sizeof element))
            continue;
        w->from = find_part(s, element);
        description_attribute(at, "startConnector", connector, sizeof connector);
        w->source = description_find(&w->from->d, connector);
        if (!description_attribute(at, "endElement", element, sizeof element))
            continue;
        w->to = find_part(s, element);
        description_attribute(at, "endConnector", connector, sizeof connector);
        w->target = description_find(&w->to->d, connector);
        bool fits = w->source != NULL && w->target != NULL && strcmp(w->source->causality, "output") == 0 &&
                    strcmp(w->target->causality, "input") == 0 && w->source->type == w->target->type;
        if (!fits)
            exit(2);
        w->value = NAN;
        s->wire_count++;
    }
}

static void read_system(System* s, const char* folder)
{
    char path[600], number[60];
    snprintf(path, sizeof path, "%s/SystemStructure.ssd", folder);
    FILE* in = fopen(path, "rb");
    static char text[1 << 20];
    if (in == NULL)
        exit(2);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    read_parts(s, folder, text);
    read_wires(s, text);
    const char* experiment = strstr(text, "<ssd:DefaultExperiment");
    s->start = description_attribute(experiment, "startTime", number, sizeof number) ? atof(number) : 0;
    s->stop = description_attribute(experiment, "stopTime", number, sizeof number) ? atof(number) : 1;
}

// ---- the run
// ---------------------------------------------------------------------------------------------------------

// What has changed goes over the wires, one after the other until nothing does.
static bool copy(System* s, bool events)
{
    bool any = false, again = true;
    for (int round = 0; again && round <= s->part_count; round++)
    {
        again = false;
        for (int i = 0; i < s->wire_count; i++)
        {
            Wire* w = &s->wires[i];
            if (!events && w->source->type != TYPE_REAL)
                continue;
            double value = w->from->p.get(w->from->p.self, w->source);
            if (value == w->value)
                continue;
            w->value = value;
            w->to->p.set(w->to->p.self, w->target, value);
            again = any = true;
        }
    }
    return any;
}

static void place(System* s, double t, double* (*of)(Part*))
{
    for (int i = 0; i < s->part_count; i++)
    {
        Part* part = &s->parts[i];
        part->p.set_time(part->p.self, t);
        part->p.set_states(part->p.self, of(part), part->d.states);
    }
    copy(s, false);
}

static double* trial(Part* part)
{
    return part->next_x;
}

static bool crosses(System* s, double t, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    bool found = false;
    for (int stage = 0; stage <= 4; stage++)
    {
        for (int k = 0; k < s->part_count; k++)
            for (int i = 0; i < s->parts[k].d.states; i++)
            {
                Part* p = &s->parts[k];
                p->next_x[i] = p->x[i] + (stage > 0 && stage < 4 ? at[stage] * h * p->k[stage - 1][i] : 0);
                for (int j = 0; j < 4 && stage == 4; j++)
                    p->next_x[i] += h / 6 * weight[j] * p->k[j][i];
            }
        place(s, t + (stage < 4 ? at[stage] : 1) * h, trial);
        for (int k = 0; k < s->part_count && stage < 4; k++)
            s->parts[k].p.rates(s->parts[k].p.self, s->parts[k].k[stage], s->parts[k].d.states);
    }
    for (int k = 0; k < s->part_count; k++)
    {
        Part* p = &s->parts[k];
        p->p.watch(p->p.self, p->next_z, p->d.indicators);
        for (int i = 0; i < p->d.indicators; i++)
            found |= (p->z[i] > 0) != (p->next_z[i] > 0);
    }
    return found;
}

static void iterate(System* s)
{
    bool again = true;
    for (int round = 0; again && round < 1000; round++)
    {
        again = false;
        for (int k = 0; k < s->part_count; k++)
        {
            s->parts[k].p.update(s->parts[k].p.self, &s->parts[k].events);
            again |= s->parts[k].events.more;
        }
        again |= copy(s, true);
    }
    for (int k = 0; k < s->part_count; k++)
    {
        Part* p = &s->parts[k];
        p->p.enter_continuous(p->p.self);
        p->p.get_states(p->p.self, p->x, p->d.states);
    }
    copy(s, true);
    for (int k = 0; k < s->part_count; k++)
        s->parts[k].p.watch(s->parts[k].p.self, s->parts[k].z, s->parts[k].d.indicators);
}

static void run(System* s, double length)
{
    double t = s->start;
    iterate(s);
    while (t < s->stop)
    {
        double end = fmin(t + length, s->stop);
        bool due = false;
        for (int k = 0; k < s->part_count; k++)
            if (s->parts[k].events.has_next && s->parts[k].events.next <= end)
            {
                end = s->parts[k].events.next;
                due = true;
            }
        double h = end - t, low = 0, high = h;
        bool crossed = crosses(s, t, h);
        while (crossed && high - low > 2e-16 * (fabs(t) + high))
        {
            double middle = (low + high) / 2;
            *(crosses(s, t, middle) ? &high : &low) = middle;
        }
        crosses(s, t, high);
        due = due && high == h;
        t = due ? end : t + high;
        for (int k = 0; k < s->part_count; k++)
        {
            memcpy(s->parts[k].x, s->parts[k].next_x, sizeof s->parts[k].x);
            memcpy(s->parts[k].z, s->parts[k].next_z, sizeof s->parts[k].z);
            if (crossed || due)
                s->parts[k].p.enter_event(s->parts[k].p.self);
        }
        if (crossed || due)
            iterate(s);
    }
}

int main(int argc, char** argv)
{
    static System s;
    if (argc != 3)
        return 2;
    read_system(&s, argv[1]);
    for (int k = 0; k < s.part_count; k++)
        s.parts[k].p.initialize(s.parts[k].p.self, s.start);
    run(&s, atof(argv[2]));
    for (int k = 0; k < s.part_count; k++)
    {
        Part* p = &s.parts[k];
        for (int i = 0; i < p->d.count; i++)
            printf("%s.%s %.17g\n", p->name, p->d.variables[i].name, p->p.get(p->p.self, &p->d.variables[i]));
        p->p.end(p->p.self);
        description_free(&p->d);
    }
    return 0;
}
