// Syntax trees → flat model: scopes, types, units, instances, arrays, functions, modes. All errors in one go.
#ifndef KAIROS_ELAB_ELABORATE_H
#define KAIROS_ELAB_ELABORATE_H

#include "base/intern.h"
#include "elab/flat.h"
#include "lang/ast.h"
#include "lang/diagnostics.h"

// A block that a text names: `fmu`, `external Name`.
typedef struct ProgramBlock
{
    const char* name;
    const kaiBlock* block;  // held; NULL: it was reported
    const char* path;       // of its file
    const char* variant;    // what stands behind it: the kind of an FMU, the function of a library
    void* library;          // of dlopen; NULL: it keeps itself
    Span span;
} ProgramBlock;

// A file with everything it imports.
typedef struct Program
{
    Arena* arena;
    Interner* names;
    Sources* sources;
    Diags* diags;
    const char* library;  // folder searched for imports after the importing file's own; or NULL
    VEC(FileAst*) files;  // the first is the one that was asked for
    VEC(Model*) models;   // of all files
    VEC(Function*) functions;
    VEC(Experiment*) experiments;  // of the first file only
    uint32_t load_error_count;     // errors of reading and parsing: only what they do not reach is elaborated then
    bool import_missing;           // names may be missing that nobody knows of
    kaiBlockProvider provider;     // of FMUs
    kaiAllocator outer;            // for what outlives the program
    VEC(ProgramBlock) blocks;
} Program;

// Reads and parses `path` and its imports (each once; a cycle is legal). False if `path` itself cannot be read:
// sources->why tells.
bool program_load(Program* program, const char* path);
// The same with the text given; imports are resolved relative to `path`.
void program_load_text(Program* program, const char* path, const char* text, size_t length);

// Which files a file sees, itself among them: what it imports, and what that imports.
bool* program_visible(const Program* program, uint32_t file);

// Reports that the file that the text names there may not be read.
void program_refuse(Program* program, Span span, const char* path);

// foreign.c: the blocks are not needed any more.
void foreign_release(Program* program);

// sound.c: after errors of reading, marks as broken what reads what is broken.
void program_judge(Program* program);

typedef struct Override
{
    const char* name;  // path of a parameter, state or discrete of the root model, "e" or "a.m" or "b[3].x"
    double value;      // replaces its value or start value
    const char* text;  // or NULL: a constant expression instead, as 50[cm], 1/2, true, or the name of a mode
} Override;

typedef struct GivenSetting
{
    const char* name;
    const char* text;  // as it would stand in an experiment
} GivenSetting;

typedef struct ElabOptions
{
    const char* experiment;  // name, or NULL
    const char* model;       // name of the root model if there is no experiment; NULL: the last model of the first file
    const Override* overrides;
    int override_count;
    const GivenSetting* settings;  // replace those of the experiment
    int setting_count;
    const GivenSetting* signals;  // added to the root model
    int signal_count;
    const GivenSetting* measures;  // beside the expectations: values that a run is asked for
    int measure_count;
} ElabOptions;

// `--list`: the experiments of the program and the variables of the model, readably (in the arena).
char* names_print(const Program* program, const Flat* flat, Arena* arena);

// NULL if there were errors (in program->diags) in what it reads; others of the file do not matter.
Flat* elaborate(Program* program, const ElabOptions* options);

#endif
