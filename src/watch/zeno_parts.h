// What the files of Zeno share: zeno.c (events that accumulate, instants), hold.c, tunnel.c.
#ifndef KAIROS_WATCH_ZENO_PARTS_H
#define KAIROS_WATCH_ZENO_PARTS_H

#include "watch/zeno.h"

// zeno.c
const char* zeno_guard_text(const Zeno* zeno, uint32_t guard);

// hold.c
double hold_free_slope(Zeno* zeno, uint32_t guard);  // of a guard, from the states in the registers, nothing held
void hold_wait(Zeno* zeno, double t);                // held states get their limits then
void hold_set_limits(Zeno* zeno, double t);          // those that are due

// tunnel.c
kaiStatus tunnel_watch(Zeno* zeno, uint32_t index, double t, bool turned);  // a guard has fired
bool tunnel_has_jumped(const Zeno* zeno);
bool tunnel_is_taken_beyond(const Zeno* zeno, uint32_t index);  // by a reaction, far beyond its level
bool tunnel_asks_block(const Zeno* zeno, uint32_t index);
static inline bool tunnel_is_foreign(const Zeno* zeno, uint32_t index)  // it belongs to a block
{
    return zeno->model->blocks_count > 0 && tunnel_asks_block(zeno, index);
}

#endif
