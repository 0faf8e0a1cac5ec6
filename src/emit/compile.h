// Flat model → kaiModel: registers, programs, tables.
#ifndef KAIROS_EMIT_COMPILE_H
#define KAIROS_EMIT_COMPILE_H

#include "elab/flat.h"
#include "lang/diagnostics.h"
#include "model/model.h"

typedef struct CompileOptions
{
    bool jacobian;           // make the analytic Jacobian
    bool decide;             // refuse what a run would only find later: loops that nothing can break
    bool list_impulses;      // the listing shows impulse orders instead of the schedule
    kaiAllocator allocator;  // of the model
} CompileOptions;

// NULL if there were errors (in diags) or no memory. `listing` (or NULL) receives the schedule as text, in the arena.
kaiModel* compile_model(Arena* arena, const Flat* flat, Diags* diags, const Sources* sources,
                        const CompileOptions* options, const char** listing);

#endif
