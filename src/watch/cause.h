// What made reactions fire: registers that the conditions of the reactions of an instant were computed from.
#ifndef KAIROS_WATCH_CAUSE_H
#define KAIROS_WATCH_CAUSE_H

#include "kernel/kernel.h"

// Marks in `needed`, one byte for every register, what the reactions in `list` depend on: through the code of a
// reaction, memories, and what others in `all` assigned or emitted before them.
void cause_mark(const kaiModel* model, const uint32_t* list, uint32_t count, const uint32_t* all, uint32_t all_count,
                uint8_t* needed);

#endif
