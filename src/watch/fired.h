// What fires at the tags of an instant, told as it happens to whoever asked (kaiSimOptions.fired).
#ifndef KAIROS_WATCH_FIRED_H
#define KAIROS_WATCH_FIRED_H

#include "kernel/kernel.h"

void fired_tell(Kernel* kernel, KernelSign sign, uint32_t index, uint32_t place);
// What a reaction sets: "a.v, b.v", "-> closed".
void fired_describe(const kaiModel* model, uint32_t reaction, char* text, size_t size);

#endif
