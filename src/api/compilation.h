// One compilation: everything from the text to the diagnostics lives in its arena. The public kaiMessages is it.
#ifndef KAIROS_API_COMPILATION_H
#define KAIROS_API_COMPILATION_H

#include "elab/elaborate.h"
#include "kairos/kairos.h"

#include <setjmp.h>

struct kaiMessages
{
    kaiAllocator allocator;
    Arena arena;
    jmp_buf fail;
    Interner names;
    Sources sources;
    Diags diags;
    Program program;
    const kaiDiagnostic* list;
    int count;
};

typedef struct kaiMessages Compilation;

// A new compilation with the file of `options` read and parsed. KAI_ERR_MEMORY: *out is NULL.
kaiStatus compilation_open(const kaiLoadOptions* options, Compilation** out);
// Runs `work` with allocation failures turned into KAI_ERR_MEMORY, and publishes the diagnostics.
typedef kaiStatus CompilationWork(Compilation* c, const kaiLoadOptions* options, void* user);
kaiStatus compilation_run(const kaiLoadOptions* options, Compilation** out, CompilationWork* work, void* user);
// Says that a part of Kairos is missing (part_load); KAI_ERR_IO.
kaiStatus compilation_lacks(Compilation* c, const char* trouble);
// The overrides and settings of `options`, for an experiment or a model.
ElabOptions compilation_options(Compilation* c, const kaiLoadOptions* options, const char* experiment,
                                const char* model);
// Elaborates an experiment, or a model, with the overrides of `options`. NULL: the diagnostics say why.
Flat* compilation_elaborate(Compilation* c, const kaiLoadOptions* options, const char* experiment, const char* model);

#endif
