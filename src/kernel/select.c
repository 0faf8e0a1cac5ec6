// Signs of one-way junctions in a run (rule B3): the inputs that src/bond remembers at their largest, the sets of modes
// it is asked about, and which transitions of the model are such a sign.
#include "base/tolerance.h"
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

static bool has_one_way(const Kernel* kernel, const BondSystem* system)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->transitions_count; i++)
        if (model->transitions[i].one_way != 0 && model->transitions[i].output >= system->first_output &&
            model->transitions[i].output < system->first_output + system->output_count)
            return true;
    return false;
}

void select_start(Kernel* kernel, BondRun* run)
{
    run->linear = true;
    for (uint32_t i = 0; i < run->system->part_count; i++)
        run->linear &= !kernel->model->bond_parts[run->system->first_part + i].free;
    if (!has_one_way(kernel, run->system))
        return;
    run->selection = bond_selection_create(run->net, run->graph, run->most, kernel->model->transitions_count,
                                           bonds_arena(kernel, run));
    // Nothing has been seen yet: where atol takes over from rtol, efforts and flows are small.
    double rtol = kernel->options->rtol, small = kernel->options->atol > 0 ? kernel->options->atol / rtol : 0.01;
    for (int i = 0; i < run->graph->input_count; i++)
        run->most[i] = fmax(run->most[i], small);
}

void select_learn(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        bonds_read_inputs(kernel, run, false);
        if (run->selection != NULL)
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
static void slopes_at(Kernel* kernel, const BondRun* run, double t, double* slopes)
{
    kernel->R[kernel->model->reg_time] = t;
    vm_run(kernel->model, kernel->R, kernel->model->flow, &kernel->host);
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = &kernel->model->bond_inputs[run->system->first_input + i];
        slopes[run->input_of[i]] = input->slope != NO_REG ? kernel->R[input->slope] : 0;
    }
}

// Second and third derivatives of the sources by differences of their slopes, a thousandth of their pace apart: right
// to 1e-6, which is enough for a sign.
static void find_curve(void* user, double* b3, double* b4)
{
    BondRun* run = user;
    Kernel* kernel = run->kernel;
    uint32_t first = kernel->model->reg_first[REG_VALUE], count = kernel->model->reg_count - first;
    double t = kernel->R[kernel->model->reg_time], step = BOND_CURVE_STEP * pace_of(run);
    memcpy(kernel->bonds->kept, kernel->R + first, sizeof(double) * count);
    slopes_at(kernel, run, t, run->b0);
    slopes_at(kernel, run, t - step, b3);
    slopes_at(kernel, run, t + step, b4);
    for (int i = 0; i < run->graph->input_count; i++)
    {
        double before = b3[i], after = b4[i];
        b3[i] = step > 0 ? (after - before) / (2 * step) : 0;
        b4[i] = step > 0 ? (after - 2 * run->b0[i] + before) / (step * step) : 0;
        run->b0[i] = 0;
    }
    kernel->R[kernel->model->reg_time] = t;
    memcpy(kernel->R + first, kernel->bonds->kept, sizeof(double) * count);
}

void select_judge(Kernel* kernel)
{
    kernel->bonds->signs.number++;
    kernel->bonds->signs.unjudged = false;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (run->selection == NULL)
            continue;
        bool moves = false;
        for (int k = 0; k < run->graph->input_count && !moves; k++)
            moves = run->most[run->graph->input_count + k] > 0;
        bool derivatives = run->linear && run->last.status != BOND_INCONSISTENT;
        bond_selection_judge(run->selection, (BondJudged){.storage = run->storage,
                                                          .area = run->last.lazy && run->last.struck ? NULL : run->area,
                                                          .z = run->last.lazy ? NULL : run->z1,
                                                          .b2 = run->b2,
                                                          .b1 = run->last.still ? run->b1 : NULL,
                                                          .derivatives = derivatives,
                                                          .curve = moves ? find_curve : NULL,
                                                          .user = run});
    }
}

bool select_slack(Kernel* kernel, double factor)
{
    bool any = false;
    kernel->bonds->slack = factor;
    kernel->bonds->signs.number++;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        if (kernel->bonds->runs[i].selection != NULL)
            bond_selection_slack(kernel->bonds->runs[i].selection, factor);
        any |= kernel->bonds->runs[i].selection != NULL;
    }
    return any;
}

static BondRun* run_of_output(Kernel* kernel, uint32_t output)
{
    uint32_t low = 0, high = kernel->bonds->count;
    while (high - low > 1)
    {
        uint32_t middle = (low + high) / 2;
        if (kernel->model->bond_systems[middle].first_output <= output)
            low = middle;
        else
            high = middle;
    }
    return &kernel->bonds->runs[low];
}

BondAsked select_asked(const Kernel* kernel, const Transition* t)
{
    const kaiModel* model = kernel->model;
    const BondOutput* output = &model->bond_outputs[t->output];
    return (BondAsked){.terms = model->bond_terms + output->first_term,
                       .count = (int)output->term_count,
                       .number = (uint32_t)(t - model->transitions)};
}

static bool has_sign(Kernel* kernel, uint32_t machine, const Transition* t)
{
    BondSigns* signs = &kernel->bonds->signs;
    int sign = bond_selection_sign(run_of_output(kernel, t->output)->selection, select_asked(kernel, t),
                                   kernel->options->rtol, &signs->tolerances[machine], &signs->ties[machine]);
    if (kernel->bonds->passages.draft.open)
        passage_note_sign(kernel, machine, t, sign);
    return t->one_way == sign;
}

bool select_fires(Kernel* kernel, uint32_t machine, const Transition* t)
{
    BondSigns* signs = &kernel->bonds->signs;
    size_t index = (size_t)(t - kernel->model->transitions);
    if (signs->asked[index] != signs->number)
        signs->fires[index] = has_sign(kernel, machine, t);
    signs->asked[index] = signs->number;
    return signs->fires[index];
}

bool select_is_rounding(const Kernel* kernel, uint32_t state, double change)
{
    uint32_t reg = kernel->model->reg_first[REG_STATE] + state;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        const BondRun* run = &kernel->bonds->runs[i];
        for (uint32_t k = 0; run->selection != NULL && k < run->stores.part_count; k++)
        {
            uint32_t n = run->stores.parts[k];
            const BondPart* part = bonds_part(kernel, run, n);
            if (reg < part->state || reg >= part->state + part->ports)
                continue;
            int port = run->port_of[n] + (int)(reg - part->state);
            return bond_selection_is_rounding(run->selection, run->storage, port, change,
                                              kernel_slack(kernel, kernel->now.t));
        }
    }
    return false;
}

bool select_moves_rounding(const Kernel* kernel, const BondRun* run)
{
    bool rounding = run->selection != NULL && run->present.varying == NULL;
    for (int p = 0; p < run->graph->port_count && rounding; p++)
        rounding = bond_selection_is_rounding(run->selection, run->storage, p, run->dx[p],
                                              kernel_slack(kernel, kernel->now.t));
    return rounding;
}

double select_tie(const Kernel* kernel, uint32_t ctx)
{
    return kernel->bonds->signs.ties[kernel->model->contexts[ctx].machine];
}

double select_tolerance(const Kernel* kernel, uint32_t ctx)
{
    return kernel->bonds->signs.tolerances[kernel->model->contexts[ctx].machine];
}
