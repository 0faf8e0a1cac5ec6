// Blocks in a run: the instances that a model's questions to foreign code go to (src/block).
#ifndef KAIROS_KERNEL_BLOCKS_H
#define KAIROS_KERNEL_BLOCKS_H

#include "kernel/kernel.h"

typedef struct Blocks Blocks;
// NULL: nothing of the model is foreign.
static inline Blocks* kernel_blocks(const Kernel* kernel)
{
    return kernel->host.blocks;
}

// False: no memory.
bool blocks_create(Kernel* kernel);
void blocks_destroy(Kernel* kernel);
void blocks_reset(Kernel* kernel);  // before another start
// KAI_ERR_RUN: a block has failed, and the run with it.
kaiStatus blocks_check(Kernel* kernel);
bool blocks_want_steps(const Kernel* kernel);
// A step of the solver has ended. *event: a block wants an instant here.
kaiStatus blocks_step(Kernel* kernel, bool* event);
// Why the run cannot be saved, with the instance; false: it can. `ahead`: also not once it has started.
bool blocks_fixed(const Kernel* kernel, bool ahead, Text* why);
size_t blocks_save_size(const Kernel* kernel);
char* blocks_save(const Kernel* kernel, char* at);
const char* blocks_load(Kernel* kernel, const char* at, bool* ok);

#endif
