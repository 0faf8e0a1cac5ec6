// Disjoint sets over 0 … n - 1 (union-find): parent[i] leads towards the root of i's set, which is its smallest member
// where sets_join joins. Paths are halved as they are walked.
#ifndef KAIROS_BASE_SETS_H
#define KAIROS_BASE_SETS_H

#include <stdint.h>

static inline void sets_init(uint32_t* parent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        parent[i] = i;
}

static inline uint32_t sets_root(uint32_t* parent, uint32_t i)
{
    for (; parent[i] != i; i = parent[i])
        parent[i] = parent[parent[i]];
    return i;
}

// The root of the joined set.
static inline uint32_t sets_join(uint32_t* parent, uint32_t a, uint32_t b)
{
    uint32_t one = sets_root(parent, a), two = sets_root(parent, b);
    uint32_t low = one < two ? one : two;
    return parent[one < two ? two : one] = low;
}

#endif
