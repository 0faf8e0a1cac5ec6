// Who reads what within some expressions: from the registers up to their roots, so that the derivative with respect to
// one of them is made of what hangs on it, and of nothing else.
#ifndef KAIROS_EMIT_READERS_H
#define KAIROS_EMIT_READERS_H

#include "lower/scalar.h"

typedef struct ReaderEdge
{
    ScalarId reader;
    uint32_t next;  // edge of the same scalar + 1
} ReaderEdge;

typedef struct Readers
{
    const Scalars* scalars;
    Walk down, up;
    VEC(uint32_t) first;  // [scalar]: an edge + 1
    VEC(ReaderEdge) edges;
    VEC(ScalarId) leaves;  // the registers that are read
} Readers;

void readers_init(Readers* readers, const Scalars* scalars, Arena* arena);
void readers_begin(Readers* readers);  // of no expression yet
void readers_add(Readers* readers, ScalarId root);

// All that hangs on some leaves: begin, name them, rise; then walk_seen(&readers->up, …) tells.
static inline void readers_ask(Readers* readers)
{
    walk_begin(&readers->up);
}
static inline void readers_name(Readers* readers, ScalarId leaf)
{
    walk_push(&readers->up, leaf);
}
void readers_rise(Readers* readers);

#endif
