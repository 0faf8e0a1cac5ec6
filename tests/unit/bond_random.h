// Random linear bond graphs: 5 to 60 elements, 0 to 8 switched junctions, parameters over the ranges of SI units, trees
// or with loops, arrows either way. The same seed gives the same graph.
#ifndef KAIROS_TESTS_BOND_RANDOM_H
#define KAIROS_TESTS_BOND_RANDOM_H

#include "unit/bond_fixture.h"

typedef struct Random
{
    uint64_t state;
} Random;

static inline uint64_t random_bits(Random* random)  // splitmix64
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline double random_unit(Random* random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

static inline int random_below(Random* random, int count)
{
    return (int)(random_bits(random) % (uint64_t)count);
}

static inline double random_decade(Random* random, double low, double high)  // exponents of ten
{
    return pow(10, low + (high - low) * random_unit(random));
}

typedef struct RandomOptions
{
    bool wide;   // R 1e-6 … 1e9, C 1e-12 … 1; otherwise four decades each
    bool loops;  // junctions that join two junctions which are already connected
} RandomOptions;

typedef struct RandomGraph
{
    Random random;
    RandomOptions options;
    int junctions[BENCH_NODES], junction_count, loops;
} RandomGraph;

static inline void random_bond(Bench* t, RandomGraph* g, int one, int two)
{
    bool forward = random_below(&g->random, 2);
    bench_bond(t, forward ? one : two, forward ? two : one);
}

static inline int random_junction(const RandomGraph* g, Random* random)
{
    return g->junctions[random_below(random, g->junction_count)];
}

static inline int random_new_junction(Bench* t, RandomGraph* g, int max_switches)
{
    BondKind kind = random_below(&g->random, 2) ? BOND_J0 : BOND_J1;
    bool switched = t->switch_count < max_switches && random_below(&g->random, 2);
    int node = switched ? bench_switch(t, kind, random_below(&g->random, 2)) : bench_node(t, kind, 0);
    g->junctions[g->junction_count++] = node;
    return node;
}

// Directly, or through a transformer or a gyrator.
static inline void random_link(Bench* t, RandomGraph* g, int one, int two)
{
    int how = random_below(&g->random, 6);
    if (how > 1)
    {
        random_bond(t, g, one, two);
        return;
    }
    double reach = g->options.wide ? 3 : 1;
    double ratio = random_decade(&g->random, -reach, reach) * (random_below(&g->random, 2) ? 1 : -1);
    int node = bench_node(t, how == 0 ? BOND_TF : BOND_GY, ratio);
    random_bond(t, g, one, node);
    random_bond(t, g, node, two);
}

static inline void random_element(Bench* t, RandomGraph* g)
{
    static const BondKind kinds[] = {BOND_R, BOND_R, BOND_R, BOND_C,  BOND_C, BOND_C,
                                     BOND_I, BOND_I, BOND_I, BOND_SE, BOND_SF};
    BondKind kind = kinds[random_below(&g->random, 11)];
    double r = g->options.wide ? random_decade(&g->random, -6, 9) : random_decade(&g->random, -1, 3);
    int node = bench_node(t, kind, kind == BOND_R ? r : 0);
    random_bond(t, g, random_junction(g, &g->random), node);
}

// Every junction gets an element; the rest goes anywhere.
static inline RandomGraph random_graph(Bench* t, uint64_t seed, RandomOptions options)
{
    RandomGraph g = {.random = {seed * 0x9e3779b97f4a7c15u + 1}, .options = options};
    double u = random_unit(&g.random);
    int elements = 5 + (int)(56 * u * u);  // more small ones than large ones
    int junctions = 1 + random_below(&g.random, 1 + elements / 2), max_switches = random_below(&g.random, 9);
    random_new_junction(t, &g, max_switches);
    while (g.junction_count < junctions)
    {
        int other = random_junction(&g, &g.random);
        random_link(t, &g, other, random_new_junction(t, &g, max_switches));
    }
    g.loops = options.loops && junctions > 1 ? 1 + random_below(&g.random, 3) : 0;
    for (int i = 0; i < g.loops; i++)
    {
        int one = random_junction(&g, &g.random), two = random_junction(&g, &g.random);
        int bridge = random_new_junction(t, &g, max_switches);
        random_link(t, &g, one, bridge);
        random_link(t, &g, bridge, two);
    }
    for (int i = 0; i < elements; i++)
        random_element(t, &g);
    bench_graph(t);
    return g;
}

// Slopes and extensities; intensities are of order 0.1 … 100 whatever the capacity.
static inline void random_state(Bench* t, RandomGraph* g)
{
    for (int n = 0; n < t->node_count; n++)
    {
        for (int p = t->graph->port_first[n]; p < t->graph->port_first[n + 1]; p++)
        {
            double low = g->options.wide ? (t->nodes[n].kind == BOND_C ? -12 : -6) : -3;
            double size = random_decade(&g->random, low, g->options.wide ? (t->nodes[n].kind == BOND_C ? 0 : 3) : 1);
            t->storage[t->graph->block_first[n]] = 1 / size;
            t->x[p] = size * random_decade(&g->random, -1, 2) * (random_below(&g->random, 2) ? 1 : -1);
        }
    }
}

#endif
