// Visiting what can be reached in a graph of numbered things, each once and without recursion: a stack of those still
// to be looked at, and for each thing the last round that pushed it, so that a new round costs nothing. 0 is nobody.
#ifndef KAIROS_BASE_WALK_H
#define KAIROS_BASE_WALK_H

#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>

typedef struct Walk
{
    Arena* arena;
    VEC(uint32_t) stack;
    VEC(uint32_t) rounds;  // per thing
    uint32_t round;
} Walk;

// A new round: nothing has been seen. One walk at a time.
static inline void walk_begin(Walk* walk)
{
    assert(walk->stack.count == 0);
    walk->round++;
}

static inline bool walk_seen(const Walk* walk, uint32_t thing)
{
    return thing < walk->rounds.count && walk->rounds.at[thing] == walk->round;
}

static inline void walk_push(Walk* walk, uint32_t thing)
{
    if (thing == 0 || walk_seen(walk, thing))
        return;
    while (walk->rounds.count <= thing)
        vec_push(walk->arena, walk->rounds, 0);
    walk->rounds.at[thing] = walk->round;
    vec_push(walk->arena, walk->stack, thing);
}

// 0: none is left.
static inline uint32_t walk_pop(Walk* walk)
{
    return walk->stack.count > 0 ? walk->stack.at[--walk->stack.count] : 0;
}

static inline void walk_stop(Walk* walk)
{
    walk->stack.count = 0;
}

#endif
