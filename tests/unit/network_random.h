// Random circuits of ideal parts: 3 to 40 of them between 2 to 14 nodes, loops of capacitors, cut-sets of inductors,
// diodes parallel and antiparallel, sources of every kind, timed switches. A number makes one network, always the same.
#ifndef KAIROS_TESTS_NETWORK_RANDOM_H
#define KAIROS_TESTS_NETWORK_RANDOM_H

#include "unit/circuit_reference.h"

static uint64_t seed;

static inline uint64_t draw_bits(void)  // splitmix64
{
    uint64_t x = seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline double draw_unit(void)
{
    return (double)(draw_bits() >> 11) * 0x1p-53;
}

static inline int draw(int count)
{
    return (int)(draw_bits() % (uint64_t)count);
}

static inline PartKind draw_kind(const Network* n)
{
    static const struct
    {
        PartKind kind;
        int below;
    } kinds[] = {{PART_D, 28}, {PART_C, 48}, {PART_L, 63}, {PART_R, 83}, {PART_V, 91}, {PART_I, 93}, {PART_S, 100}};
    int k = draw(100), diodes = 0, i = 0;
    for (int j = 0; j < n->part_count - 1; j++)
        diodes += n->parts[j].kind == PART_D;
    while (k >= kinds[i].below || (kinds[i].kind == PART_D && diodes >= 16))
        i++;
    return kinds[i].kind;
}

static inline void draw_source(Part* p)
{
    int wave = draw(3);
    p->value = wave == 2 ? 0 : 1 + draw(5);
    if (wave == 0)
        return;
    p->amplitude = 1 + draw(9);
    p->omega = 2 + draw(20);
    p->phase = draw(2) ? 0 : 6 * draw_unit();
}

static inline void draw_switch(Part* p, bool round)
{
    double t = 0;
    p->closed = draw(2);
    p->time_count = 1 + draw(6);
    for (int i = 0; i < p->time_count; i++)
        p->times[i] = t += round ? 0.25 * (1 + draw(2)) : 0.05 + 0.5 * draw_unit();
}

// Round numbers make ties.
static inline void draw_values(Part* p, bool round)
{
    static const double values[] = {1, 2, 0.5, 1, 0.2, 3, 0.1};
    p->value = round ? values[draw(7)] : 0.1 + 2 * draw_unit();
    switch (p->kind)
    {
    case PART_D: p->value = draw(4) ? 0 : 0.5; break;
    case PART_L:
    case PART_C:
        p->value *= 0.2;
        p->start = draw(2) ? 0 : round ? draw(5) - 2 : 2 * draw_unit() - 1;
        break;
    case PART_V:
    case PART_I: draw_source(p); break;
    case PART_S: draw_switch(p, round); break;
    default: break;
    }
}

static inline void draw_network(Network* n, uint64_t number)
{
    memset(n, 0, sizeof *n);
    seed = number * 7919 + 13;
    n->stop = 2;
    int parts = 3 + draw(number % 3 == 0 ? 38 : number % 3 == 1 ? 12 : 20);
    int nodes = 2 + draw(parts / 2 + 1);
    bool round = draw(2);
    n->node_count = nodes > 14 ? 14 : nodes > parts ? parts : nodes;
    for (int i = 0; i < parts; i++)
    {
        Part* p = &n->parts[n->part_count++];
        p->a = i < n->node_count - 1 ? i + 1 : draw(n->node_count);
        do
            p->b = i < n->node_count - 1 ? draw(i + 1) : draw(n->node_count);
        while (p->b == p->a);
        if (draw(2))
        {
            int b = p->b;
            p->b = p->a;
            p->a = b;
        }
        p->kind = draw_kind(n);
        draw_values(p, round);
    }
}

static inline bool has_open_end(const Network* n)
{
    int ends[CIRCUIT_NODES] = {0};
    for (int i = 0; i < n->part_count; i++)
    {
        ends[n->parts[i].a]++;
        ends[n->parts[i].b]++;
    }
    for (int k = 0; k < n->node_count; k++)
        if (ends[k] < (k == 0 ? 1 : 2))
            return true;
    return false;
}

#endif
