// A small bench for bond graphs: add nodes and bonds, set values, let it flow or jump. Shared by the tests of src/bond.
#ifndef KAIROS_TESTS_BOND_FIXTURE_H
#define KAIROS_TESTS_BOND_FIXTURE_H

#include "bond/cache.h"
#include "bond/causality.h"
#include "bond/mode.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum
{
    BENCH_NODES = 160,
    BENCH_BONDS = 200,
    BENCH_SWITCHES = 40,
};

typedef struct Bench
{
    BondNode nodes[BENCH_NODES];
    BondEdge bonds[BENCH_BONDS];
    int node_count, bond_count, switch_count;
    BondGraph* graph;
    BondMode* mode;
    bool on[BENCH_SWITCHES];
    double b0[2 * BENCH_NODES], b1[2 * BENCH_NODES], b2[2 * BENCH_NODES];
    double storage[4 * BENCH_NODES], x[2 * BENCH_NODES], dx[2 * BENCH_NODES];
    double z0[2 * BENCH_BONDS], z1[2 * BENCH_BONDS], z0_size[2 * BENCH_BONDS], z1_size[2 * BENCH_BONDS];
    double* work;
} Bench;

static inline int bench_node(Bench* bench, BondKind kind, double parameter)
{
    bench->nodes[bench->node_count] = (BondNode){.kind = kind, .switch_index = -1, .parameter = parameter};
    return bench->node_count++;
}

static inline int bench_switch(Bench* bench, BondKind kind, bool on)
{
    int node = bench_node(bench, kind, 0);
    bench->on[bench->switch_count] = on;
    bench->nodes[node].switch_index = bench->switch_count++;
    return node;
}

static inline int bench_bond(Bench* bench, int from, int to)
{
    bench->bonds[bench->bond_count] = (BondEdge){from, to};
    return bench->bond_count++;
}

static inline void bench_graph(Bench* bench)
{
    assert_int_equal(bond_graph_check(bench->nodes, bench->node_count, bench->bonds, bench->bond_count, NULL, 0), 0);
    bench->graph =
        bond_graph_create(bench->nodes, bench->node_count, bench->bonds, bench->bond_count, kaiDefaultAllocator());
    assert_non_null(bench->graph);
    bench->work = calloc(bond_work_size(bench->graph), sizeof(double));
}

// Storage of one port: slope 1/size, extensity x.
static inline void bench_store(Bench* bench, int node, double size, double x)
{
    bench->storage[bench->graph->block_first[node]] = 1 / size;
    bench->x[bench->graph->port_first[node]] = x;
}

// Inputs of the storages from the extensities: S x.
static inline void bench_intensities(Bench* bench)
{
    const BondGraph* graph = bench->graph;
    for (int n = 0; n < graph->node_count; n++)
    {
        int first = graph->port_first[n], ports = graph->port_first[n + 1] - first;
        for (int i = 0; i < ports; i++)
        {
            double sum = 0;
            for (int j = 0; j < ports; j++)
                sum += bench->storage[graph->block_first[n] + i * ports + j] * bench->x[first + j];
            bench->b1[graph->input_first[n] + i] = sum;
        }
    }
}

static inline double* bench_input(Bench* bench, double* b, int node)
{
    return &b[bench->graph->input_first[node]];
}

static inline void bench_mode(Bench* bench)
{
    bond_mode_destroy(bench->mode);
    bench->mode = bond_mode_create(bench->graph, bench->on, bench->storage, NULL, kaiDefaultAllocator());
    assert_non_null(bench->mode);
}

// Builds the mode of `on` and jumps from x; x stays, dx is the change.
static inline BondStatus bench_jump(Bench* bench)
{
    bench_mode(bench);
    bench_intensities(bench);
    BondJump jump = {bench->b0, bench->b1,      bench->b2,      bench->z0, bench->z1,
                     bench->dx, bench->z0_size, bench->z1_size, NULL,      NULL};
    return bond_mode_jump(bench->mode, &jump, bench->work);
}

static inline BondStatus bench_flow(Bench* bench)
{
    bench_mode(bench);
    bench_intensities(bench);
    return bond_mode_flow(bench->mode, bench->b1, bench->b2, bench->z1, bench->work);
}

static inline double bench_x(const Bench* bench, int node)
{
    int port = bench->graph->port_first[node];
    return bench->x[port] + bench->dx[port];
}

static inline void bench_commit(Bench* bench)
{
    for (int p = 0; p < bench->graph->port_count; p++)
        bench->x[p] += bench->dx[p];
}

static inline void bench_free(Bench* bench)
{
    bond_mode_destroy(bench->mode);
    bond_graph_destroy(bench->graph);
    free(bench->work);
}

static inline void near_to(double is, double should, double tolerance, int line)
{
    if (!(fabs(is - should) <= tolerance * fmax(1e-30, fabs(should))))
        fail_msg("line %d: %.17g instead of %.17g", line, is, should);
}

#define assert_near(is, should, tolerance) near_to((is), (should), (tolerance), __LINE__)

#endif
