// Signs of one-way junctions in a run (rule B3): the inputs that src/bond remembers at their largest, the sets of modes
// it is asked about, and which transitions of the model are such a sign.
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

static bool has_one_way(const kaiSim* sim, const BondSystem* system)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->transitions_count; i++)
        if (model->transitions[i].one_way != 0 && model->transitions[i].output >= system->first_output &&
            model->transitions[i].output < system->first_output + system->output_count)
            return true;
    return false;
}

void select_start(kaiSim* sim, BondRun* run)
{
    run->linear = true;
    for (uint32_t i = 0; i < run->system->part_count; i++)
        run->linear &= !sim->model->bond_parts[run->system->first_part + i].free;
    if (!has_one_way(sim, run->system))
        return;
    run->selection = bond_selection_create(run->graph, run->most, &sim->bonds->arena);
    // Nothing has been seen yet: where atol takes over from rtol, efforts and flows are small.
    double rtol = sim->options.rtol, small = sim->options.atol > 0 ? sim->options.atol / rtol : 0.01;
    for (int i = 0; i < run->graph->input_count; i++)
        run->most[i] = fmax(run->most[i], small);
}

void select_learn(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        BondRun* run = &sim->bonds->runs[i];
        if (run->selection == NULL)
            continue;
        bonds_read_inputs(sim, run, false);
        bond_selection_learn(run->selection, run->b1, run->b2);
    }
}

// The time in which the sources of a graph change by as much as they have been large.
static double pace_of(const BondRun* run)
{
    const double *b1 = run->most, *b2 = run->most + run->graph->input_count;
    double pace = 0;
    for (int i = 0; i < run->graph->input_count; i++)
        if (b1[i] > 0 && b2[i] > 0)
            pace = pace > 0 ? fmin(pace, b1[i] / b2[i]) : b1[i] / b2[i];
    return pace;
}

// Slopes of the sources at another time, everything else held, as between instants.
static void slopes_at(kaiSim* sim, const BondRun* run, double t, double* slopes)
{
    sim->R[sim->model->reg_time] = t;
    vm_run(sim->model, sim->R, sim->model->flow, &sim->host);
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = &sim->model->bond_inputs[run->system->first_input + i];
        slopes[run->input_of[i]] = input->slope != NO_REG ? sim->R[input->slope] : 0;
    }
}

// Second and third derivatives of the sources by differences of their slopes, a thousandth of their pace apart: right
// to 1e-6, which is enough for a sign.
static void find_curve(void* user, double* b3, double* b4)
{
    BondRun* run = user;
    kaiSim* sim = run->sim;
    uint32_t first = sim->model->reg_first[REG_VALUE], count = sim->model->reg_count - first;
    double t = sim->R[sim->model->reg_time], step = 1e-3 * pace_of(run);
    memcpy(sim->bonds->kept, sim->R + first, sizeof(double) * count);
    slopes_at(sim, run, t, run->b0);
    slopes_at(sim, run, t - step, b3);
    slopes_at(sim, run, t + step, b4);
    for (int i = 0; i < run->graph->input_count; i++)
    {
        double before = b3[i], after = b4[i];
        b3[i] = step > 0 ? (after - before) / (2 * step) : 0;
        b4[i] = step > 0 ? (after - 2 * run->b0[i] + before) / (step * step) : 0;
    }
    sim->R[sim->model->reg_time] = t;
    memcpy(sim->R + first, sim->bonds->kept, sizeof(double) * count);
}

void select_judge(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        BondRun* run = &sim->bonds->runs[i];
        if (run->selection == NULL)
            continue;
        bool moves = false;
        for (int k = 0; k < run->graph->input_count && !moves; k++)
            moves = run->most[run->graph->input_count + k] > 0;
        bool derivatives = run->linear && run->status != BOND_INCONSISTENT;
        bond_selection_judge(run->selection, (BondJudged){.mode = run->mode,
                                                          .area = run->area,
                                                          .z = run->z1,
                                                          .b2 = run->b2,
                                                          .derivatives = derivatives,
                                                          .curve = moves ? find_curve : NULL,
                                                          .user = run});
    }
}

bool select_slack(kaiSim* sim, double factor)
{
    bool any = false;
    sim->bonds->slack = factor;
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        if (sim->bonds->runs[i].selection != NULL)
            bond_selection_slack(sim->bonds->runs[i].selection, factor);
        any |= sim->bonds->runs[i].selection != NULL;
    }
    return any;
}

static BondRun* run_of_output(kaiSim* sim, uint32_t output)
{
    uint32_t low = 0, high = sim->bonds->count;
    while (high - low > 1)
    {
        uint32_t middle = (low + high) / 2;
        if (sim->model->bond_systems[middle].first_output <= output)
            low = middle;
        else
            high = middle;
    }
    return &sim->bonds->runs[low];
}

bool select_fires(kaiSim* sim, uint32_t machine, const Transition* t)
{
    const BondOutput* output = &sim->model->bond_outputs[t->output];
    BondRun* run = run_of_output(sim, t->output);
    int sign = bond_selection_sign(run->selection, sim->model->bond_terms + output->first_term, (int)output->term_count,
                                   &sim->bonds->tolerances[machine]);
    return sign == t->one_way;
}

// What a storage of a graph with one-way junctions changes by is nothing beside the largest that it has held.
bool select_is_rounding(const kaiSim* sim, uint32_t state, double change)
{
    uint32_t reg = sim->model->reg_first[REG_STATE] + state;
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        const BondRun* run = &sim->bonds->runs[i];
        for (uint32_t n = 0; run->selection != NULL && n < run->system->part_count; n++)
        {
            const BondPart* part = &sim->model->bond_parts[run->system->first_part + n];
            if (part->state == NO_REG || reg < part->state || reg >= part->state + part->ports)
                continue;
            uint32_t port = reg - part->state;
            double slope = run->storage[run->graph->block_first[n] + (int)(port * (part->ports + 1))];
            return fabs(slope * change) <= 1e-12 * run->most[run->graph->input_first[n] + (int)port];
        }
    }
    return false;
}

double select_tolerance(const kaiSim* sim, uint32_t ctx)
{
    return sim->bonds->tolerances[sim->model->contexts[ctx].machine];
}
