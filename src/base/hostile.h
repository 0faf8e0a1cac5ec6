// KAIROS_HOSTILE (cmake -DKAIROS_HOSTILE=ON, `make hostile`): a build that is unkind wherever the rules allow it, so
// that whoever leans on luck falls. Memory comes filled with rubbish, moves whenever it is resized and is overwritten
// when it goes; arenas give every request a block of its own and arrays grow by one element, so that each buffer is
// exact and a pointer kept across a push is dead at once; models are solved as islands or as a whole at random; runs
// are saved, taken apart and restored between instants (run/hostile.c). Everything random follows from the seed in the
// environment (KAIROS_HOSTILE_SEED, 1 if there is none). Results must be those of the plain build. Islands agree with
// the whole to the tolerance of the run, not to the last bit; KAIROS_HOSTILE_ISLANDS=0 leaves them as they are written.
#ifndef KAIROS_BASE_HOSTILE_H
#define KAIROS_BASE_HOSTILE_H

#ifdef KAIROS_HOSTILE

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What realloc and free do, unkindly. `old_size` must be what the block was made with; it and the bytes behind the
// block are checked.
void* hostile_resize(void* block, size_t old_size, size_t size);

uint64_t hostile_seed(void);
// One in `odds`, from a state that it advances.
bool hostile_chance(uint64_t* state, uint32_t odds);
// Whether the model of this name is divided otherwise than its text says.
bool hostile_coin(const char* name);

#endif
#endif
