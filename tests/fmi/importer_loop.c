// The loops of the importer: a fixed-step Runge-Kutta method of order four with bisection of event indicators for Model
// Exchange, fixed communication steps for Co-Simulation.
#include "importer_loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- styles
// ----------------------------------------------------------------------------------------------------------

static unsigned draw(Loop* m)
{
    m->random = m->random * 1664525u + 1013904223u;
    return m->random >> 8;
}

static bool is_flow(const Variable* v)
{
    return strncmp(v->name, "der(", 4) == 0 || strncmp(v->name, "_indicator", 10) == 0;
}

static void ask_anything(Loop* m, bool continuous)
{
    for (int k = 0; k < 5 && m->call->style == STYLE_ANY; k++)
    {
        const Variable* v = &m->d->variables[draw(m) % (unsigned)m->d->count];
        if (continuous ? v->type != TYPE_CLOCK : !is_flow(v))
            m->p->get(m->p->self, v);
    }
}

void loop_save_and_restore(Loop* m)
{
    if (m->call->style != STYLE_SAVES)
        return;
    size_t size;
    char* bytes = m->p->save(m->p->self, &size);
    m->p->restore(m->p->self, bytes, size);
    free(bytes);
}

// Where the loop is, and then the FMU.
static void save_all(Loop* m)
{
    if (m->call->save_to == NULL || m->t < m->call->save_at)
        return;
    size_t size;
    char* bytes = m->p->save(m->p->self, &size);
    FILE* to = fopen(m->call->save_to, "wb");
    if (to == NULL)
        exit(4);
    fwrite(&m->t, sizeof m->t, 1, to);
    fwrite(&m->events, sizeof m->events, 1, to);
    fwrite(&m->instants, sizeof m->instants, 1, to);
    fwrite(&m->rounds, sizeof m->rounds, 1, to);
    fwrite(m->x, sizeof *m->x, (size_t)(m->states + m->indicators), to);
    fwrite(bytes, 1, size, to);
    fclose(to);
    free(bytes);
    m->saved = true;
}

static void resume(Loop* m)
{
    static char bytes[1 << 22];
    FILE* from = fopen(m->call->resume, "rb");
    size_t n = (size_t)(m->states + m->indicators);
    bool ok = from != NULL && fread(&m->t, sizeof m->t, 1, from) == 1 &&
              fread(&m->events, sizeof m->events, 1, from) == 1 &&
              fread(&m->instants, sizeof m->instants, 1, from) == 1 &&
              fread(&m->rounds, sizeof m->rounds, 1, from) == 1 && fread(m->x, sizeof *m->x, n, from) == n;
    if (!ok)
        exit(4);
    size_t size = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    m->p->restore(m->p->self, bytes, size);
}

// ---- Model Exchange
// --------------------------------------------------------------------------------------------------

static const Variable* split(const Loop* m, const char* text, double* value)
{
    char name[200];
    const char* equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    *value = atof(equals + 1);
    return description_find(m->d, name);
}

static void move_inputs(const Loop* m, double t)
{
    double slope;
    for (int i = 0; i < m->call->ramp_count; i++)
    {
        const Variable* v = split(m, m->call->ramps[i], &slope);
        if (v != NULL)
            m->p->set(m->p->self, v, slope * t);
    }
}

static void go_to(Loop* m, double t, const double* x)
{
    m->p->set_time(m->p->self, t);
    move_inputs(m, t);
    if (m->states > 0)
        m->p->set_states(m->p->self, x, m->states);
    ask_anything(m, true);
}

void loop_rates(Loop* m, double t, const double* x, double* dx)
{
    go_to(m, t, x);
    m->p->rates(m->p->self, dx, m->states);
}

void loop_watch(Loop* m, double t, const double* x, double* z)
{
    go_to(m, t, x);
    m->p->watch(m->p->self, z, m->indicators);
    ask_anything(m, true);
}

static void step(Loop* m, double t, const double* x, double h, double* to)
{
    int n = m->states;
    double *k1 = m->work, *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n, *y = k4 + n;
    loop_rates(m, t, x, k1);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h / 2 * k1[i];
    loop_rates(m, t + h / 2, y, k2);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h / 2 * k2[i];
    loop_rates(m, t + h / 2, y, k3);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h * k3[i];
    loop_rates(m, t + h, y, k4);
    for (int i = 0; i < n; i++)
        to[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

static bool changed(const Loop* m, const double* z)
{
    for (int i = 0; i < m->indicators; i++)
        if ((m->z[i] > 0) != (z[i] > 0))
            return true;
    return false;
}

static bool has_zero(const Loop* m, const double* z)
{
    for (int i = 0; i < m->indicators; i++)
        if (z[i] == 0)
            return true;
    return false;
}

// The length of the step up to the first change of sign.
static double locate(Loop* m, double h, double* x1, double* z1)
{
    double low = 0, high = h;
    for (int k = 0; k < 200 && high - low > 2e-16 * (fabs(m->t) + high); k++)
    {
        double middle = (low + high) / 2;
        step(m, m->t, m->x, middle, x1);
        loop_watch(m, m->t + middle, x1, z1);
        if (m->call->style == STYLE_EXACT && has_zero(m, z1))
            return middle;
        if (changed(m, z1))
            high = middle;
        else
            low = middle;
    }
    return m->call->style == STYLE_BEFORE ? low : high;
}

void loop_iterate(Loop* m)
{
    m->instants++;
    do
    {
        m->p->update(m->p->self, &m->events);
        m->rounds++;
        ask_anything(m, false);
        loop_save_and_restore(m);
    } while (m->events.more && !m->events.terminate);
    if (m->call->verbose)
        printf("instant %.17g\n", m->t);
    m->p->enter_continuous(m->p->self);
    if (m->states > 0)
        m->p->get_states(m->p->self, m->x, m->states);
    m->p->watch(m->p->self, m->z, m->indicators);
}

static void look_back(Loop* m, double h, double* x1, double* z1)
{
    for (int k = 0; k < 3 && m->call->style == STYLE_BACK; k++)
    {
        double part = h * (double)(draw(m) % 1000) / 1000;
        step(m, m->t, m->x, part, x1);
        loop_watch(m, m->t + part, x1, z1);
    }
}

static void one_step(Loop* m, double* x1, double* z1)
{
    double end = fmin(m->t + m->call->step, m->call->stop);
    bool due = m->events.has_next && m->events.next <= end;
    if (due)
        end = fmax(m->t, m->events.next);
    double h = end - m->t;
    step(m, m->t, m->x, h, x1);
    loop_watch(m, end, x1, z1);
    bool crossed = changed(m, z1);
    if (crossed && m->call->style != STYLE_OVER)
    {
        double part = locate(m, h, x1, z1);
        due = due && part == h;
        end = part == h ? end : m->t + part;
        h = part;
    }
    look_back(m, h, x1, z1);
    step(m, m->t, m->x, h, x1);
    loop_watch(m, end, x1, z1);
    m->t = end;
    if (m->states > 0)
        memcpy(m->x, x1, sizeof *x1 * (size_t)m->states);
    if (m->indicators > 0)
        memcpy(m->z, z1, sizeof *z1 * (size_t)m->indicators);
    bool wanted = m->call->style != STYLE_SILENT && m->p->step_done(m->p->self);
    if (!crossed && !due && !wanted)
        return;
    m->p->enter_event(m->p->self);
    loop_iterate(m);
}

static void exchange(Loop* m)
{
    double* x1 = calloc((size_t)(m->states + m->indicators + 2), sizeof *x1);
    if (m->call->resume == NULL)
        loop_iterate(m);
    while (m->t < m->call->stop && !m->events.terminate && !m->saved)
    {
        one_step(m, x1, x1 + m->states);
        if (m->call->depends && draw(m) % 50 == 0)
            check_dependencies(m);
        loop_save_and_restore(m);
        save_all(m);
    }
    free(x1);
}

// ---- both
// ------------------------------------------------------------------------------------------------------------

static void cosimulate(Loop* m)
{
    bool over = false;
    int k = 1;
    while (m->d->start + k * m->call->step <= m->t + 1e-9 * m->call->step)
        k++;
    while (m->t < m->call->stop && !over && !m->saved)
    {
        double next = fmin(m->d->start + k * m->call->step, m->call->stop);
        m->t = m->p->do_step(m->p->self, m->t, next - m->t, &over);
        k += m->t >= next - 1e-12 * fabs(next);
        ask_anything(m, false);
        loop_save_and_restore(m);
        save_all(m);
    }
}

static void set_values(const Loop* m)
{
    double value;
    for (int i = 0; i < m->call->set_count; i++)
    {
        const Variable* v = split(m, m->call->sets[i], &value);
        if (v != NULL && (m->d->version == 2 || strcmp(v->causality, "structuralParameter") != 0))
            m->p->set(m->p->self, v, value);
    }
}

static void print_derivatives(const Loop* m)
{
    for (int i = 0; i < m->call->along_count; i++)
    {
        char unknown[200] = "", known[200] = "";
        sscanf(m->call->along[i], "%199[^/]/%199s", unknown, known);
        const Variable *u = description_find(m->d, unknown), *k = description_find(m->d, known);
        if (u != NULL && k != NULL)
            printf("%s %.17g\n", m->call->along[i], m->p->along(m->p->self, u, k));
    }
}

void drive(const Call* call, const Description* d, const Port* port)
{
    Loop loop = {.call = call, .d = d, .p = port, .t = d->start, .states = d->states, .indicators = d->indicators};
    Loop* m = &loop;
    bool me = strcmp(call->kind, "me") == 0;
    m->random = 7;
    m->x = calloc((size_t)(7 * d->states + d->indicators + 2), sizeof *m->x);
    m->z = m->x + d->states;
    m->work = m->z + d->indicators;
    if (call->resume != NULL)
        resume(m);
    else
    {
        set_values(m);
        port->initialize(port->self, d->start);
    }
    if (me && call->cvode)
        exchange_cvode(m);
    else if (me)
        exchange(m);
    else
        cosimulate(m);
    printf("end %.17g\ninstants %d\nrounds %d\n", m->t, m->instants, m->rounds);
    for (int i = 0; i < d->count; i++)
        if ((me || !is_flow(&d->variables[i])) && d->variables[i].type != TYPE_CLOCK)
            printf("%s %.17g\n", d->variables[i].name, port->get(port->self, &d->variables[i]));
    print_derivatives(m);
    port->end(port->self);
    free(m->x);
}
