// The flow of a set of modes as explicit sparse rows, for a run loop that does one small product per evaluation. See
// mode.h.
#include "bond/mode.h"

#include "bond/mode_parts.h"

#include <string.h>

typedef struct MapRow
{
    double *by_b1, *by_b2;  // per input of the graph
    double *a, *ports;
} MapRow;

// The row of class c: P + K a(P): with y = Kᵀ row through G⁻¹, the adjoint of resolve_dependents.
static void map_dependents(const BondMode* mode, int c, MapRow* row)
{
    int n = mode->dependent_count, inputs = mode->graph->input_count;
    const BondRows *rows = &mode->solution, *left = &mode->left;
    memset(row->a, 0, (size_t)n * sizeof(double));
    memset(row->ports, 0, (size_t)mode->graph->port_count * sizeof(double));
    for (int k = mode->solution_middle[c]; k < rows->start[c + 1]; k++)
        for (int i = 0; i < n; i++)
            row->a[i] -= rows->value[k] * mode->inverse[(rows->column[k] - mode->input_count) * n + i];
    for (int i = 0; i < n; i++)
    {
        for (int k = left->start[i]; k < left->start[i + 1] && row->a[i] != 0; k++)
        {
            int port = left->column[k] < inputs ? mode->port_of[left->column[k]] : -1;
            if (port >= 0)
                row->ports[port] += row->a[i] * left->value[k];
            if (left->column[k] < inputs)
                row->by_b2[left->column[k]] += row->a[i] * left->value[k];
        }
    }
}

// Adds what the rates of the storages depend on: S is symmetric, so its rows serve as columns.
static void map_rates(const BondMode* mode, MapRow* row)
{
    const BondGraph* graph = mode->graph;
    const BondRows* rows = &mode->solution;
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        double weight = 0;
        for (int j = 0; j < ports; j++)
            weight += mode->storage[graph->block_first[node] + j * ports + p - first] * row->ports[first + j];
        weight *= mode->ports[p].sign;
        int c = mode->ports[p].unknown_class;
        for (int k = rows->start[c]; k < mode->solution_middle[c] && weight != 0; k++)
            if (rows->column[k] < graph->input_count)
                row->by_b1[rows->column[k]] += weight * rows->value[k];
    }
}

static void map_row_of_class(const BondMode* mode, int c, MapRow* row)
{
    int inputs = mode->graph->input_count;
    const BondRows* rows = &mode->solution;
    memset(row->by_b1, 0, (size_t)inputs * sizeof(double));
    memset(row->by_b2, 0, (size_t)inputs * sizeof(double));
    for (int k = rows->start[c]; k < mode->solution_middle[c]; k++)
        if (rows->column[k] < inputs)
            row->by_b1[rows->column[k]] = rows->value[k];
    if (mode->solution_middle[c] < rows->start[c + 1])
    {
        map_dependents(mode, c, row);
        map_rates(mode, row);
    }
}

static MapRow map_scratch(const BondMode* mode, double* work)
{
    int inputs = mode->graph->input_count;
    return (MapRow){.by_b1 = work,
                    .by_b2 = work + inputs,
                    .a = work + 2 * inputs,
                    .ports = work + 2 * inputs + mode->graph->port_count};
}

void bond_mode_maps_update(const BondMode* mode, const int* wanted, BondMaps* maps, double* work)
{
    MapRow row = map_scratch(mode, work);
    for (int i = 0; i < maps->row_count; i++)
    {
        map_row_of_class(mode, mode->class_of[wanted[i]], &row);
        for (int k = maps->start[i]; k < maps->start[i + 1]; k++)
        {
            maps->by_b1[k] = row.by_b1[maps->input[k]];
            maps->by_b2[k] = row.by_b2[maps->input[k]];
        }
    }
}

bool bond_mode_rate_row(const BondMode* mode, int unknown, double* by_b1, double* by_b2, double* work)
{
    const BondGraph* graph = mode->graph;
    const BondRows* rows = &mode->solution;
    int c = mode->class_of[unknown], inputs = graph->input_count;
    MapRow own = map_scratch(mode, work);
    double* ports = own.ports + graph->port_count;
    memset(by_b1, 0, (size_t)inputs * sizeof(double));
    memset(by_b2, 0, (size_t)inputs * sizeof(double));
    memset(ports, 0, (size_t)graph->port_count * sizeof(double));
    for (int k = rows->start[c]; k < mode->solution_middle[c]; k++)
    {
        if (rows->column[k] >= inputs)
            continue;
        by_b2[rows->column[k]] = rows->value[k];
        if (mode->port_of[rows->column[k]] >= 0)
            ports[mode->port_of[rows->column[k]]] = rows->value[k];
    }
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], count = graph->port_first[node + 1] - first;
        double weight = 0;
        for (int j = 0; j < count; j++)
            weight += mode->storage[graph->block_first[node] + j * count + p - first] * ports[first + j];
        if (weight == 0)
            continue;
        map_row_of_class(mode, mode->ports[p].unknown_class, &own);
        for (int i = 0; i < inputs; i++)
        {
            by_b1[i] += weight * mode->ports[p].sign * own.by_b1[i];
            by_b2[i] += weight * mode->ports[p].sign * own.by_b2[i];
        }
    }
    return mode->solution_middle[c] == rows->start[c + 1];
}

// ------------------------------------------------------------------------------------------------------------- pattern

// Inputs that a row can depend on, whatever the slopes: bit 1 through b1, bit 2 through b2.
typedef struct Pattern
{
    unsigned char* of_input;
    unsigned char* of_vector;  // dependent vectors that are reached
} Pattern;

static void mark_class(const BondMode* mode, int c, Pattern* pattern)
{
    for (int k = mode->solution.start[c]; k < mode->solution_middle[c]; k++)
        if (mode->solution.column[k] < mode->graph->input_count)
            pattern->of_input[mode->solution.column[k]] |= 1;
}

static void mark_vector(const BondMode* mode, int i, Pattern* pattern)
{
    const BondGraph* graph = mode->graph;
    for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
    {
        int input = mode->left.column[k];
        if (input >= graph->input_count)
            continue;
        pattern->of_input[input] |= 2;
        if (mode->port_of[input] < 0)
            continue;
        int node = mode->ports[mode->port_of[input]].node;
        for (int p = graph->port_first[node]; p < graph->port_first[node + 1]; p++)
            mark_class(mode, mode->ports[p].unknown_class, pattern);
    }
}

static void mark_row(const BondMode* mode, int unknown, Pattern* pattern)
{
    int c = mode->class_of[unknown];
    memset(pattern->of_input, 0, (size_t)mode->graph->input_count);
    memset(pattern->of_vector, 0, (size_t)mode->dependent_count);
    mark_class(mode, c, pattern);
    for (int k = mode->solution_middle[c]; k < mode->solution.start[c + 1]; k++)
    {
        int block = mode->dependent_block[mode->solution.column[k] - mode->input_count];
        for (int i = 0; i < mode->dependent_count; i++)
            pattern->of_vector[i] |= mode->dependent_block[i] == block;
    }
    for (int i = 0; i < mode->dependent_count; i++)
        if (pattern->of_vector[i])
            mark_vector(mode, i, pattern);
}

// Counts the entries; with maps, writes them.
static int make_pattern(const BondMode* mode, const int* wanted, int wanted_count, Pattern* pattern, BondMaps* maps)
{
    int count = 0;
    for (int i = 0; i < wanted_count; i++)
    {
        mark_row(mode, wanted[i], pattern);
        for (int input = 0; input < mode->graph->input_count; input++)
        {
            if (pattern->of_input[input] == 0)
                continue;
            if (maps)
            {
                maps->input[count] = input;
                maps->needs_b2 = maps->needs_b2 || pattern->of_input[input] & 2;
            }
            count++;
        }
        if (maps)
            maps->start[i + 1] = count;
    }
    return count;
}

static BondMaps* maps_alloc(int rows, int entries, kaiAllocator allocator)
{
    size_t values = (size_t)entries * sizeof(double), ints = (size_t)(rows + 1 + entries) * sizeof(int);
    size_t size = sizeof(BondMaps) + 2 * values + ints;
    BondMaps* maps = allocator.alloc(allocator.user, NULL, 0, size);
    if (!maps)
        return NULL;
    memset(maps, 0, size);
    maps->row_count = rows;
    maps->by_b1 = (double*)(maps + 1);
    maps->by_b2 = maps->by_b1 + entries;
    maps->start = (int*)(maps->by_b2 + entries);
    maps->input = maps->start + rows + 1;
    maps->allocator = allocator;
    maps->size = size;
    return maps;
}

BondMaps* bond_mode_maps(const BondMode* mode, const int* wanted, int wanted_count, kaiAllocator allocator)
{
    size_t doubles = bond_work_size(mode->graph) * sizeof(double);
    size_t size = doubles + (size_t)mode->graph->input_count + (size_t)mode->dependent_count;
    double* work = allocator.alloc(allocator.user, NULL, 0, size);
    if (!work)
        return NULL;
    Pattern pattern = {.of_input = (unsigned char*)work + doubles};
    pattern.of_vector = pattern.of_input + mode->graph->input_count;
    BondMaps* maps = maps_alloc(wanted_count, make_pattern(mode, wanted, wanted_count, &pattern, NULL), allocator);
    if (maps)
    {
        make_pattern(mode, wanted, wanted_count, &pattern, maps);
        bond_mode_maps_update(mode, wanted, maps, work);
    }
    allocator.alloc(allocator.user, work, size, 0);
    return maps;
}

void bond_maps_destroy(BondMaps* maps)
{
    if (maps)
        maps->allocator.alloc(maps->allocator.user, maps, maps->size, 0);
}
