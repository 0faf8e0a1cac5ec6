// fmi_pair FOLDER FOLDER STEP STOP FROM=TO…
// Two FMUs as Model Exchange, connected: `a.hit=b.e` copies the variable hit of the first to e of the second between
// rounds of event iteration, until nothing changes. Prints values at the end as the importer does, with a. and b.
// before names.
#include "importer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST = 200
};

typedef struct Side
{
    Call call;
    Description d;
    Port p;
    double x[MOST], z[MOST], next_x[MOST], next_z[MOST];
    Events events;
} Side;

typedef struct Wire
{
    Side *from, *to;
    const Variable *source, *target;
    double value;
} Wire;

static void step(Side* s, double t, double h, double* to)  // Runge-Kutta of order four
{
    double k[4][MOST], y[MOST];
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    int n = s->d.states;
    memcpy(y, s->x, sizeof y);
    for (int stage = 0; stage < 4; stage++)
    {
        for (int i = 0; i < n && stage > 0; i++)
            y[i] = s->x[i] + at[stage] * h * k[stage - 1][i];
        s->p.set_time(s->p.self, t + at[stage] * h);
        s->p.set_states(s->p.self, y, n);
        s->p.rates(s->p.self, k[stage], n);
    }
    for (int i = 0; i < n; i++)
    {
        to[i] = s->x[i];
        for (int stage = 0; stage < 4; stage++)
            to[i] += h / 6 * weight[stage] * k[stage][i];
    }
    s->p.set_time(s->p.self, t + h);
    s->p.set_states(s->p.self, to, n);
    s->p.watch(s->p.self, s->next_z, s->d.indicators);
}

static bool crosses(Side* sides, double t, double h)
{
    bool found = false;
    for (int k = 0; k < 2; k++)
    {
        step(&sides[k], t, h, sides[k].next_x);
        for (int i = 0; i < sides[k].d.indicators; i++)
            found |= (sides[k].z[i] > 0) != (sides[k].next_z[i] > 0);
    }
    return found;
}

// What has changed goes over the wires. An event is there for one round.
static bool copy(Wire* wires, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
    {
        double value = wires[i].from->p.get(wires[i].from->p.self, wires[i].source);
        if (value == wires[i].value)
            continue;
        wires[i].value = value;
        wires[i].to->p.set(wires[i].to->p.self, wires[i].target, value);
        any = true;
    }
    return any;
}

static void iterate(Side* sides, Wire* wires, int count)
{
    bool again = true;
    for (int round = 0; again && round < 1000; round++)
    {
        again = false;
        for (int k = 0; k < 2; k++)
        {
            sides[k].p.update(sides[k].p.self, &sides[k].events);
            again |= sides[k].events.more;
        }
        again |= copy(wires, count);
    }
    for (int k = 0; k < 2; k++)
    {
        Side* s = &sides[k];
        s->p.enter_continuous(s->p.self);
        s->p.get_states(s->p.self, s->x, s->d.states);
        s->p.watch(s->p.self, s->z, s->d.indicators);
    }
}

static void run(Side* sides, Wire* wires, int count, double step, double stop)
{
    double t = 0;
    iterate(sides, wires, count);
    while (t < stop)
    {
        double h = fmin(step, stop - t), low = 0, high = h;
        bool due = false;
        for (int k = 0; k < 2; k++)
            if (sides[k].events.has_next && sides[k].events.next <= t + h)
            {
                h = high = sides[k].events.next - t;
                due = true;
            }
        bool crossed = crosses(sides, t, h);
        while (crossed && high - low > 2e-16 * (fabs(t) + high))
        {
            double middle = (low + high) / 2;
            *(crosses(sides, t, middle) ? &high : &low) = middle;
        }
        due = due && high == h;
        crosses(sides, t, high);
        t += high;
        for (int k = 0; k < 2; k++)
        {
            memcpy(sides[k].x, sides[k].next_x, sizeof sides[k].x);
            memcpy(sides[k].z, sides[k].next_z, sizeof sides[k].z);
            if (crossed || due)
                sides[k].p.enter_event(sides[k].p.self);
        }
        if (crossed || due)
            iterate(sides, wires, count);
    }
}

static void connect(Wire* wire, Side* sides, const char* text)
{
    char from[200], to[200];
    if (sscanf(text, "%199[^=]=%199s", from, to) != 2)
        exit(2);
    wire->from = &sides[from[0] - 'a'];
    wire->to = &sides[to[0] - 'a'];
    wire->source = description_find(&wire->from->d, from + 2);
    wire->target = description_find(&wire->to->d, to + 2);
    wire->value = 0;
    if (wire->source == NULL || wire->target == NULL)
        exit(2);
}

int main(int argc, char** argv)
{
    static Side sides[2];
    Wire wires[20];
    int count = argc - 5;
    for (int k = 0; k < 2; k++)
    {
        sides[k].call = (Call){.folder = argv[1 + k], .kind = "me"};
        if (!description_read(argv[1 + k], &sides[k].d))
            return 2;
        (sides[k].d.version == 2 ? open_2 : open_3)(&sides[k].call, &sides[k].d, &sides[k].p);
        sides[k].p.initialize(sides[k].p.self, 0);
    }
    for (int i = 0; i < count; i++)
        connect(&wires[i], sides, argv[5 + i]);
    run(sides, wires, count, atof(argv[3]), atof(argv[4]));
    for (int k = 0; k < 2; k++)
    {
        for (int i = 0; i < sides[k].d.count; i++)
            if (sides[k].d.variables[i].type != TYPE_CLOCK)
                printf("%c.%s %.17g\n", 'a' + k, sides[k].d.variables[i].name,
                       sides[k].p.get(sides[k].p.self, &sides[k].d.variables[i]));
        sides[k].p.end(sides[k].p.self);
        description_free(&sides[k].d);
    }
    return 0;
}
