// See ties.h.
#include "analysis/ties.h"

#include "kernel/bonds.h"
#include "run/variation_parts.h"

typedef struct Walk
{
    const Point* point;
    const Kernel* kernel;
    const BondRun* run;
    int count;
    int* states;
    double* motions;
} Walk;

// How an input of the equations moves: a source as its register, the effort or flow of a storage with its states.
static double input_motion(const Walk* w, int input)
{
    const BondRun* run = w->run;
    int node = run->node_of[input];
    const BondPart* part = bonds_part(w->kernel, run, (uint32_t)node);
    if (part->state == NO_REG)
    {
        int column = run->column_of[input];
        return column >= 0 ? w->point->D[bonds_input(w->kernel, run, (uint32_t)column)->value] : 0;
    }
    uint32_t port = (uint32_t)(input - run->graph->input_first[node]);
    const double* slopes = run->storage + run->graph->block_first[node] + (size_t)port * part->ports;
    double sum = 0;
    for (uint32_t k = 0; k < part->ports; k++)
        sum += slopes[k] * w->point->D[part->state + k];
    return sum;
}

static bool visit(void* user, const BondDependence* d)
{
    Walk* w = user;
    const BondPart* part = bonds_part(w->kernel, w->run, (uint32_t)d->node);
    int port = d->port - w->run->port_of[d->node];
    double motion = input_motion(w, w->run->graph->input_first[d->node] + port);
    for (int i = 0; i < d->count; i++)
        motion -= d->coefficient[i] != 0 ? d->coefficient[i] * input_motion(w, d->input[i]) : 0;
    w->states[w->count] = (int)(part->state + (uint32_t)port - w->kernel->model->reg_first[REG_STATE]);
    w->motions[w->count++] = motion;
    return true;
}

int ties_move(const Point* p, int* states, double* motions)
{
    const Kernel* kernel = &p->variation->eval->kernel;
    Walk w = {.point = p, .kernel = kernel, .states = states, .motions = motions};
    for (uint32_t i = 0; kernel->bonds != NULL && i < kernel->bonds->count; i++)
    {
        w.run = &kernel->bonds->runs[i];
        if (w.run->entered)
            bond_net_dependents(w.run->net, visit, &w);
    }
    return w.count;
}
