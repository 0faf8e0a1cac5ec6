// Short programs for instants that nobody looks at (brief.c).
#ifndef KAIROS_KERNEL_BRIEF_H
#define KAIROS_KERNEL_BRIEF_H

#include "kernel/kernel.h"
#include "vm/slice.h"

struct Brief
{
    Slice *react, *flow, *attempt, *events;
    bool used;  // the registers have what the short reaction computes, no more
    // Where what is tried is steady (bonds.h): registers that it writes, and their committed values.
    uint32_t *written, written_count;
    double* kept;
    bool kept_some, kept_all;  // those have been kept; all registers have, because a whole reaction has run
    bool left_seen;            // somebody looks at the left limit
    bool follows;              // who looks at tags at all counts events, or wants the last value: ways are followed
};

// Makes them for a run whose rows and probes read the registers `shown`, where that is possible. False: no memory.
bool brief_make(Kernel* kernel, const uint32_t* shown, uint32_t count);
void brief_free(Kernel* kernel);

// A program in the modes that are active, where nobody but the kernel reads its values (scene_modes.c); it must be one
// that can be sliced. NULL: no memory.
Slice* brief_of_modes(Kernel* kernel, CodeRange program);

// The reaction in the registers: short, if there is such a program.
kaiStatus brief_react(Kernel* kernel);
// The same where a set of modes is tried: what is committed has its values already.
kaiStatus brief_try(Kernel* kernel);
// The values of a tag are there: whoever looks at it finds all of them.
kaiStatus brief_tag(Kernel* kernel);
// The flow of a left limit; `seen`: all of it.
kaiStatus brief_flow(Kernel* kernel, bool seen);
// And what guards compare there, after that.
kaiStatus brief_events(Kernel* kernel);
// All values of the reaction in the registers.
kaiStatus brief_whole(Kernel* kernel);
// Committed values, while steady sets are tried, and back.
void brief_begin(Kernel* kernel);
void brief_restore(Kernel* kernel);

#endif
