// A program and the question it is being asked. What reading made (sources, syntax trees, names) stays as long as the
// program; what a question makes lives in an arena of its own until the next, so that any number of questions, the
// thousand models of a sweep say, cost the memory of one.
#ifndef KAIROS_API_COMPILATION_H
#define KAIROS_API_COMPILATION_H

#include "base/budget.h"
#include "base/error.h"
#include "elab/elaborate.h"
#include "kairos/kairos.h"

#include <setjmp.h>

typedef struct SymbolTable SymbolTable;

// What one question works with. `program` is the program's own but for arena, sources and diagnostics.
typedef struct Compilation
{
    Arena arena;
    Sources sources;
    Diags diags;
    Program program;
    kaiAllocator allocator;  // for what outlives the question
} Compilation;

struct kaiProgram
{
    kaiAllocator allocator;  // the caller's: for the program itself and what outlives a question
    Budget budget;           // before it: for everything else
    jmp_buf fail;
    Arena arena;
    Interner names;
    Files files;
    Sources sources;
    Diags diags;  // of reading
    Program text;
    const char* path;
    kaiProgramOptions options;  // texts in the arena, without the text itself
    Compilation question;
    const kaiError* list;  // published messages
    int count, error_count;
    SymbolTable* symbols;  // NULL: not asked for yet
};

// Runs `work` as a question, with allocation failures turned into KAI_ERR_MEMORY, and publishes its diagnostics.
typedef kaiStatus ProgramWork(kaiProgram* program, Compilation* c, void* user);
kaiStatus program_ask(kaiProgram* program, ProgramWork* work, void* user);
// The same about one model: refuses a missing program or options that were not made.
kaiStatus program_ask_about(kaiProgram* program, const kaiCompileOptions* options, ProgramWork* work, void* user);
// The first error of the last question; NULL: there was none.
const kaiError* program_first_error(const kaiProgram* program);

// Says that a part of Kairos is missing (part_load); KAI_ERR_IO.
kaiStatus compilation_lacks(Compilation* c, const char* trouble);
// Elaborates an experiment, or a model, with the overrides and the solver of `options`. NULL: the diagnostics say why.
Flat* compilation_elaborate(Compilation* c, const kaiCompileOptions* options);

#endif
