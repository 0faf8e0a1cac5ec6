// fmi_cost FOLDER: what an unpacked FMU costs, measured with the importer of the tests. CPU time, the best of several
// rounds: an instance, derivatives with event indicators at a point that moves, and all of the experiment as
// Co-Simulation in one step. One `name value` a line; bench/fmi.sh puts it beside `kairos run`.
#include "importer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum
{
    ROUNDS = 7,
    CALLS = 200000,
    INSTANCES = 100,
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void open_fmu(const Call* call, const Description* d, Port* port)
{
    if (d->version == 2)
        open_2(call, d, port);
    else
        open_3(call, d, port);
}

static double instances(const Call* call, const Description* d)
{
    Port port;
    double start = now();
    for (int i = 0; i < INSTANCES; i++)
    {
        open_fmu(call, d, &port);
        port.release(port.self);
    }
    return (now() - start) / INSTANCES;
}

static double rates(const Port* p, const Description* d, double* x, double* dx, double* z)
{
    double start = now(), t = d->start;
    for (int i = 0; i < CALLS; i++)
    {
        t += 1e-9;
        if (d->states > 0)
            x[0] += 1e-12;
        p->set_time(p->self, t);
        p->set_states(p->self, x, d->states);
        p->rates(p->self, dx, d->states);
        p->watch(p->self, z, d->indicators);
    }
    return (now() - start) / CALLS;
}

static double exchange(const Call* call, const Description* d)
{
    Port port;
    Events events = {.more = true};
    double *x = calloc((size_t)(2 * d->states + d->indicators + 1), sizeof *x), best = INFINITY;
    open_fmu(call, d, &port);
    port.initialize(port.self, d->start);
    while (events.more)
        port.update(port.self, &events);
    port.enter_continuous(port.self);
    port.get_states(port.self, x, d->states);
    for (int i = 0; i < ROUNDS; i++)
        best = fmin(best, rates(&port, d, x, x + d->states, x + 2 * d->states));
    port.end(port.self);
    free(x);
    return best;
}

static double cosimulate(const Call* call, const Description* d)
{
    Port port;
    bool over = false;
    open_fmu(call, d, &port);
    port.initialize(port.self, d->start);
    double start = now();
    for (double t = d->start; t < d->stop && !over;)
        t = port.do_step(port.self, t, d->stop - t, &over);
    double spent = now() - start;
    port.end(port.self);
    return spent;
}

int main(int argc, char** argv)
{
    Description d = {.count = 0};
    if (argc != 2 || !description_read(argv[1], &d))
    {
        fprintf(stderr, "fmi_cost: no FMU\n");
        return 2;
    }
    Call me = {.folder = argv[1], .kind = "me"}, cs = {.folder = argv[1], .kind = "cs", .style = STYLE_SILENT};
    double made = INFINITY, steps = INFINITY;
    for (int i = 0; i < ROUNDS; i++)
    {
        made = fmin(made, instances(&me, &d));
        steps = fmin(steps, cosimulate(&cs, &d));
    }
    printf("instance_ms %.4f\nrates_us %.4f\ncosimulation_ms %.4f\n", 1e3 * made, 1e6 * exchange(&me, &d), 1e3 * steps);
    description_free(&d);
    return 0;
}
