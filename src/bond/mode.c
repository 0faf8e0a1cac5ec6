// Uses the equations of a set of modes between instants: slopes of storages, what depends on what, the flow. See
// mode.h.
#include "bond/mode.h"
#include "base/tolerance.h"

#include "bond/mode_parts.h"

#include <math.h>
#include <string.h>

BondStatus bond_mode_status(const BondMode* mode)
{
    if (mode->resistances_cancel || mode->slopes_cancel)
        return BOND_SINGULAR;
    return mode->idle_count > 0 ? BOND_NOT_UNIQUE : BOND_OK;
}

bool bond_mode_on(const BondMode* mode, int switch_index)
{
    return mode->on[switch_index];
}

bool bond_mode_is(const BondMode* mode, const bool* on)
{
    return mode->graph->switch_count == 0 ||
           memcmp(mode->on, on, (size_t)mode->graph->switch_count * sizeof(bool)) == 0;
}

bool bond_mode_unique(const BondMode* mode, int unknown)
{
    return mode->unique[mode->class_of[unknown]];
}

size_t bond_mode_size(const BondMode* mode)
{
    return mode->size;
}

// ------------------------------------------------------------------------------------------------------------- storage

void mode_rates(const BondMode* mode, const double* z, double* rates)
{
    const BondGraph* graph = mode->graph;
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = mode->storage + graph->block_first[node] + (p - first) * ports;
        rates[p] = 0;
        for (int j = 0; j < ports; j++)
            rates[p] += block[j] * mode->ports[first + j].sign * z[mode->ports[first + j].unknown_class];
    }
}

// What dependent vector `i` moves of an extensity is its weight in W.
static double moved(const BondMode* mode, int i, int port)
{
    const BondRows* left = &mode->left;
    for (int k = left->start[i]; k < left->start[i + 1]; k++)
        if (left->column[k] == mode->ports[port].input)
            return left->value[k];
    return 0;
}

static Quad coupling(const BondMode* mode, int i, int j)
{
    const BondGraph* graph = mode->graph;
    const BondRows* left = &mode->left;
    Quad sum = 0;
    for (int k = left->start[i]; k < left->start[i + 1]; k++)
    {
        int port = left->column[k] < graph->input_count ? mode->port_of[left->column[k]] : -1;
        if (port < 0)
            continue;
        int node = mode->ports[port].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = mode->storage + graph->block_first[node] + (port - first) * ports;
        for (int other = 0; other < ports; other++)
            sum += (Quad)left->value[k] * block[other] * moved(mode, j, first + other);
    }
    return sum;
}

// In place, Gauss-Jordan with the largest remaining diagonal element as pivot: G is symmetric, and definite if slopes
// are positive. In quadruple precision: the few dependents cost nothing, and slopes span 12 decades and more. False if
// singular.
static bool invert(Quad* g, int n, bool* done)
{
    for (int i = 0; i < n; i++)
        done[i] = false;
    for (int step = 0; step < n; step++)
    {
        int k = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (k < 0 || quad_abs(g[i * n + i]) > quad_abs(g[k * n + k])))
                k = i;
        Quad pivot = g[k * n + k];
        if (!(quad_abs(pivot) > (Quad)BOND_GRAM_PIVOT))
            return false;
        done[k] = true;
        for (int j = 0; j < n; j++)
            g[k * n + j] = j == k ? 1 / pivot : g[k * n + j] / pivot;
        for (int i = 0; i < n; i++)
        {
            Quad factor = i == k ? 0 : g[i * n + k];
            for (int j = 0; j < n && factor != 0; j++)
                g[i * n + j] = j == k ? -factor / pivot : g[i * n + j] - factor * g[k * n + j];
        }
    }
    return true;
}

BondStatus bond_mode_storage(BondMode* mode, const double* storage)
{
    int n = mode->dependent_count;
    Quad* g = mode->scratch;
    if (mode->graph->block_size > 0)
        memcpy(mode->storage, storage, (size_t)mode->graph->block_size * sizeof *storage);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[i * n + j] = mode->dependent_block[i] == mode->dependent_block[j] ? coupling(mode, i, j) : 0;
    double* scale = mode->scale;
    for (int i = 0; i < n; i++)
        scale[i] = 1 / sqrt(fabs((double)g[i * n + i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[i * n + j] *= (Quad)scale[i] * scale[j];
    mode->slopes_cancel = !invert(g, n, mode->done);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mode->inverse[i * n + j] = (double)(g[i * n + j] * (Quad)scale[i] * scale[j]);
    return bond_mode_status(mode) == BOND_SINGULAR ? BOND_SINGULAR : BOND_OK;
}

// ---------------------------------------------------------------------------------------------------------- dependents

int bond_mode_dependents(const BondMode* mode)
{
    return mode->dependent_count;
}

BondDependent bond_mode_dependent(const BondMode* mode, int index)
{
    const BondRows* rows = &mode->dependent_rows;
    int port = mode->dependent_port[index], first = rows->start[index];
    return (BondDependent){.node = mode->ports[port].node,
                           .port = port,
                           .port_input = mode->ports[port].input,
                           .count = rows->start[index + 1] - first,
                           .input = rows->column + first,
                           .coefficient = rows->value + first};
}

// ---------------------------------------------------------------------------------------------------------------- flow

size_t bond_work_size(const BondGraph* graph)
{
    size_t classes = 2 * (size_t)graph->bond_count;
    size_t inputs = (size_t)graph->input_count + (size_t)graph->switch_count;
    size_t ports = (size_t)graph->port_count;
    return 6 * classes + 6 * inputs + 8 * ports + 16;
}

double mode_left_product(const BondMode* mode, int vector, const double* b, double* size)
{
    const BondRows* left = &mode->left;
    double sum = 0;
    *size = 0;
    for (int k = left->start[vector]; k < left->start[vector + 1]; k++)
    {
        double term = left->column[k] < mode->graph->input_count ? left->value[k] * b[left->column[k]] : 0;
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static bool contradicts(const BondMode* mode, const double* b1)
{
    for (int i = mode->dependent_count; i < mode->dependent_count + mode->idle_count; i++)
    {
        double size, sum = mode_left_product(mode, i, b1, &size);
        if (fabs(sum) > BOND_CONTRADICTION * size)
            return true;
    }
    return false;
}

// a = -G⁻¹ Wᵀ(S z + b2) with z the particular solution.
static void resolve_dependents(const BondMode* mode, const double* z, const double* b2, double* a, double* rates)
{
    int n = mode->dependent_count;
    const BondRows* left = &mode->left;
    mode_rates(mode, z, rates);
    memset(a, 0, (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
    {
        double sum = 0;
        for (int k = left->start[i]; k < left->start[i + 1]; k++)
        {
            int input = left->column[k], port = input < mode->graph->input_count ? mode->port_of[input] : -1;
            if (port >= 0)
                sum += left->value[k] * rates[port];
            if (b2 && input < mode->graph->input_count)
                sum += left->value[k] * b2[input];
        }
        for (int j = 0; j < n; j++)
            a[j] -= mode->inverse[j * n + i] * sum;
    }
}

BondStatus bond_mode_flow(const BondMode* mode, const double* b1, const double* b2, double* z, double* work)
{
    const BondRows* rows = &mode->solution;
    double *classes = work, *rates = classes + mode->class_count, *a = rates + mode->graph->port_count;
    for (int c = 0; c < mode->class_count; c++)
    {
        classes[c] = 0;
        for (int k = rows->start[c]; k < mode->solution_middle[c]; k++)
            if (rows->column[k] < mode->graph->input_count)
                classes[c] += rows->value[k] * b1[rows->column[k]];
    }
    if (mode->dependent_count > 0)
        resolve_dependents(mode, classes, b2, a, rates);
    for (int c = 0; c < mode->class_count; c++)
        for (int k = mode->solution_middle[c]; k < rows->start[c + 1]; k++)
            classes[c] += rows->value[k] * a[rows->column[k] - mode->input_count];
    for (int u = 0; u < 2 * mode->graph->bond_count; u++)
        z[u] = classes[mode->class_of[u]];
    BondStatus status = bond_mode_status(mode);
    return status != BOND_SINGULAR && contradicts(mode, b1) ? BOND_INCONSISTENT : status;
}
