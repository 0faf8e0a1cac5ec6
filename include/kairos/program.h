// Programs: a file or a text, read and parsed once, and the questions that can be asked of it.
//
// kaiProgram → kaiModel → kaiSim. A program is a text with what it imports; a model is one experiment of it, compiled,
// with values filled in; a sim is a run of that model. Everything that needs the text is a question to the program:
// what is wrong with it, what is declared where, its canonical layout, diagrams (diagram.h), proofs (prove.h).
//
//     kaiProgramOptions options = kaiDefaultProgramOptions();
//     options.path = "ball.kai";
//     kaiProgram* program;
//     kaiError error;
//     kaiStatus status = kaiProgram_Open(&options, &program, &error);
//     kaiModel* model = NULL;
//     if (status == KAI_OK)
//     {
//         kaiCompileOptions compile = kaiDefaultCompileOptions();
//         compile.experiment = "bounce";
//         status = kaiProgram_Compile(program, &compile, &model);
//     }
//     for (int i = 0; i < kaiProgram_MessageCount(program); i++)
//         fputs(kaiProgram_MessageText(program, i, false), stderr);
//     kaiProgram_Free(program);  // the model stays
//
// Units. Values of overrides are in the units that the text declares.
// Lifetime. A program owns everything it hands out (names, messages, texts) but models and proofs, which outlive it.
// Texts and messages of one question live until the next.
// Threads. A program belongs to one thread at a time; different programs are independent. Nothing is global.
// Memory comes from the allocator of the options; when it gives nothing the status is KAI_ERR_MEMORY, the program stays
// usable and nothing is left behind.
#ifndef KAIROS_PROGRAM_H
#define KAIROS_PROGRAM_H

#include "kairos/block.h"
#include "kairos/error.h"
#include "kairos/model.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiProgram kaiProgram;

    // ---- what a text may read

    // Why a file is wanted.
    typedef enum kaiFileUse
    {
        KAI_FILE_MAIN,    // the program itself
        KAI_FILE_IMPORT,  // `import "path"`
        KAI_FILE_TABLE,   // `table("path", …)`, `row`, `rows`
        KAI_FILE_BLOCK,   // `fmu Name = "path"`: its place only, a kaiBlockProvider opens it
    } kaiFileUse;

    // One request for a file. `path` is what to read: the path as written, placed beside the file that names it, or in
    // the folder of the library.
    typedef struct kaiFileRequest
    {
        const char* path;
        const char* importer;  // the file that names it; NULL: the caller does (KAI_FILE_MAIN)
        kaiFileUse use;
    } kaiFileRequest;

    // Where files come from, if not from the file system: an editor's buffers, an archive, a browser. What a provider
    // hands out is allowed; the policy below is for the file system, and for what a provider leaves to it.
    typedef struct kaiFileProvider
    {
        // KAI_OK and all of the file, which must stay until `release`; or KAI_ERR_IO, and *why may be set to a static
        // text ("no such file"); or KAI_END: the file system has this one. NULL: the file system has all.
        kaiStatus (*read)(void* user, const kaiFileRequest* request, const char** text, size_t* length,
                          const char** why);
        // The text is no longer needed. NULL: nothing to do.
        void (*release)(void* user, const char* text, size_t length);
        void* user;
    } kaiFileProvider;

    // A model text names files and C functions, so opening a stranger's model is running a stranger's program. By
    // default it may read below its own folder, below the library's and below `folders`, where no symbolic link leads
    // out of them, and only regular files; and it may call no C function. A refusal is an error with place and remedy.
    typedef struct kaiPolicy
    {
        bool allow_files;            // imports and tables from anywhere
        bool allow_external;         // `external`: code of shared libraries, with all rights of this process
        const char* const* folders;  // more folders to read below; they need not exist
        int folder_count;
    } kaiPolicy;

    // ---- opening

    typedef struct kaiProgramOptions
    {
        uint32_t cookie;      // set by kaiDefaultProgramOptions; not for you
        const char* path;     // the file; with `text`, the name in messages and the place that imports are relative to
        const char* text;     // the program itself, UTF-8, need not outlive the call; NULL: read `path`
        const char* library;  // folder of the standard library; NULL: the installed one
        kaiFileProvider files;
        kaiPolicy policy;
        kaiBlockProvider blocks;        // for `fmu` (kaiFmu_Blocks of kairos/fmi.h); `open` NULL: they are refused
        kaiLimits limits;               // of every question, opening included
        const volatile int* interrupt;  // nonzero ends a question with KAI_INTERRUPTED; NULL: never
        kaiAllocator allocator;
    } kaiProgramOptions;
    kaiProgramOptions kaiDefaultProgramOptions(void);

    // Reads and parses the file and everything it imports. KAI_OK, or KAI_ERR_MODEL: there are syntax errors or imports
    // that cannot be read, the messages have them all, *error the first; in both cases *program is set, and can be
    // asked what can be said of it. KAI_ERR_IO: the file itself cannot be read. KAI_ERR_USAGE, KAI_ERR_MEMORY. Then
    // *program is NULL.
    kaiStatus kaiProgram_Open(const kaiProgramOptions* options, kaiProgram** program, kaiError* error);
    void kaiProgram_Free(kaiProgram* program);  // NULL is fine
    // The same text again, for another thread; imports are read anew. As kaiProgram_Open.
    kaiStatus kaiProgram_Clone(const kaiProgram* program, kaiProgram** clone);

    // ---- messages: what the last question had to say, after what reading the program had to say

    // In order of their places. 0 for NULL.
    int kaiProgram_MessageCount(const kaiProgram* program);
    // How many of them are errors, not warnings. 0 for NULL.
    int kaiProgram_ErrorCount(const kaiProgram* program);
    // NULL past the last.
    const kaiError* kaiProgram_Message(const kaiProgram* program, int index);
    // The message as people read it, "file:line:col: error[K012]: …" with the source line, a caret and the remedy, with
    // colour codes for a terminal if wanted. "" past the last.
    const char* kaiProgram_MessageText(kaiProgram* program, int index, bool colour);

    // Any error or warning, kaiSim_Failure for one, as kaiProgram_MessageText has it: with the source line where the
    // program has read its file. It lives until the next question. "" for NULL.
    const char* kaiProgram_ErrorText(kaiProgram* program, const kaiError* error, bool colour);

    // ---- questions

    // Which model, and with which values.
    typedef struct kaiCompileOptions
    {
        uint32_t cookie;               // set by kaiDefaultCompileOptions; not for you
        const char* experiment;        // NULL: none
        const char* model;             // the root if there is no experiment; NULL: the last model of the file
        const kaiOverride* overrides;  // values instead of those of the text; the last of a name counts
        int override_count;
        // As `overrides`, with a constant expression: "50[cm]", "1/2", "true"; of a mode the name of the one to start
        // in. Errors are placed in a file called "--set name".
        const kaiGiven* values;
        int value_count;
        // Settings of the experiment: "rtol" and "1e-6", "stop" and "50[ms]". Errors are placed in a file "--rtol".
        const kaiGiven* settings;
        int setting_count;
        // Signals that the call adds to the root model: a name of your choice, and an expression of its variables,
        // which errors place in a file "--signals". They are variables as others.
        const kaiGiven* signals;
        int signal_count;
        // What runs are asked for beside the `expect` lines: a name of your choice, and an expression as in `expect`:
        // "max(y)", "time_of(hit, 5)", "final(x) - 3*min(v)", also a Boolean one. kaiSim_Measure has the values. Errors
        // are placed in a file "--measure".
        const kaiGiven* measures;
        int measure_count;
        const char* solver;  // instead of the experiment's; NULL: as it says. Implicit ones get a Jacobian here
    } kaiCompileOptions;
    kaiCompileOptions kaiDefaultCompileOptions(void);

    // All errors and warnings of every model and every experiment of the file. KAI_OK: there are at most warnings;
    // KAI_ERR_MODEL.
    kaiStatus kaiProgram_Check(kaiProgram* program);
    // KAI_OK and a model, to be freed with kaiModel_Free; or KAI_ERR_MODEL: the messages say why. Parameters that
    // decide the structure (sizes, `if`) can be overridden here, and only here.
    kaiStatus kaiProgram_Compile(kaiProgram* program, const kaiCompileOptions* options, kaiModel** model);
    // A readable listing of the compiled model, one of kaiProgram_ListingWord. KAI_ERR_USAGE: there is no such listing.
    kaiStatus kaiProgram_List(kaiProgram* program, const kaiCompileOptions* options, const char* what,
                              const char** text);
    // "flat", "schedule", "impulses", "causality", and "names": experiments and variables. NULL past the last.
    const char* kaiProgram_ListingWord(int index);
    // The text of the file in canonical layout. KAI_ERR_MODEL: it cannot be parsed.
    kaiStatus kaiProgram_Format(kaiProgram* program, const char** text);

    // ---- what is in it

    // Models of the file itself, then those of what it imports, in order. NULL past the last.
    int kaiProgram_ModelCount(const kaiProgram* program);
    const char* kaiProgram_ModelName(const kaiProgram* program, int index);

    typedef struct kaiExperiment
    {
        const char *name, *model;
        bool has_expect;  // `kairos test` runs it
        bool has_sweep;
        kaiPlace place;
    } kaiExperiment;
    // Experiments of the file, in order. False past the last.
    int kaiProgram_ExperimentCount(const kaiProgram* program);
    bool kaiProgram_Experiment(const kaiProgram* program, int index, kaiExperiment* experiment);

    // Files that were read, the program's own first. NULL past the last.
    int kaiProgram_FileCount(const kaiProgram* program);
    const char* kaiProgram_FileName(const kaiProgram* program, int index);
    // Whether `path` is one of the files that the program, or the last question to it, has read: imports and tables
    // too. A result must not be written there.
    bool kaiProgram_HasRead(const kaiProgram* program, const char* path);
    // One line of a file that was read, without its end and the blanks around it, cut to `size`. False: there is none.
    // Fits kaiFigureOptions.source_line, with the program as `user`.
    bool kaiProgram_SourceLine(void* program, const char* file, int line, char* text, size_t size);

    // ---- symbols: what is declared where and used where, also in a text with errors

    typedef enum kaiSymbolKind
    {
        KAI_SYMBOL_MODEL,
        KAI_SYMBOL_FUNCTION,
        KAI_SYMBOL_EXTERNAL,
        KAI_SYMBOL_EXPERIMENT,
        KAI_SYMBOL_PARAM,
        KAI_SYMBOL_STATE,
        KAI_SYMBOL_DISCRETE,
        KAI_SYMBOL_SIGNAL,  // and `unknown`
        KAI_SYMBOL_EVENT,
        KAI_SYMBOL_INPUT,
        KAI_SYMBOL_OUTPUT,
        KAI_SYMBOL_PORT,
        KAI_SYMBOL_INSTANCE,
        KAI_SYMBOL_BOND,
        KAI_SYMBOL_MODE,
        KAI_SYMBOL_ARGUMENT,  // of a function
        KAI_SYMBOL_INDEX,     // of `for`, of an array, of a sum
    } kaiSymbolKind;
    // "param", "state", …; NULL for another number.
    const char* kaiSymbolKind_Word(kaiSymbolKind kind);

    typedef struct kaiSymbol
    {
        kaiSymbolKind kind;
        const char* name;
        int parent;               // symbol whose name makes it reachable (the model of a state); -1: none
        const char* type;         // INSTANCE: model or element; EXPERIMENT: its model; PORT: domain or NULL; else NULL
        const char* unit;         // as written, without brackets; NULL: none
        const char* description;  // NULL: none
        bool is_event, is_array;
        kaiPlace place;  // of the name
    } kaiSymbol;
    // How many there are. 0 for NULL.
    int kaiProgram_SymbolCount(kaiProgram* program);
    // False past the last.
    bool kaiProgram_Symbol(kaiProgram* program, int index, kaiSymbol* symbol);

    // One place where a name stands, declarations among them: what an editor follows, marks and renames.
    typedef struct kaiOccurrence
    {
        int symbol;
        bool declares;
        kaiPlace place;
    } kaiOccurrence;
    // In order of their places. False past the last.
    int kaiProgram_OccurrenceCount(kaiProgram* program);
    bool kaiProgram_Occurrence(kaiProgram* program, int index, kaiOccurrence* occurrence);
    // The symbol that stands at a place, line and column from 1; -1: none.
    int kaiProgram_SymbolAt(kaiProgram* program, const char* file, int line, int column);

    // ---- the language itself

    // What a word of the language is.
    typedef enum kaiWordKind
    {
        KAI_WORD_RESERVED,  // `model`, `when` …: no name may be one
        KAI_WORD_VALUE,     // `time`, `pi` …
        KAI_WORD_FUNCTION,  // `sin`, `pre` …
    } kaiWordKind;

    // One of its words, for whoever highlights or completes texts.
    typedef struct kaiLanguageWord
    {
        kaiWordKind kind;
        const char* word;
        const char* usage;  // of a function: how it is called, "atan2(y, x)"; otherwise NULL
    } kaiLanguageWord;
    // In static memory. False past the last.
    bool kaiLanguage_Word(int index, kaiLanguageWord* word);

    // What a number in one unit is in another: number*factor/divisor + offset.
    typedef struct kaiConversion
    {
        double factor, divisor, offset;
    } kaiConversion;
    // Units as a model writes them, "mV", "km/h". False: one of them is no unit, or their dimensions differ.
    bool kaiUnit_Convert(const char* from, const char* to, kaiConversion* conversion);

    // ---- conveniences, written on the above

    // One experiment (NULL: the first of the file, or its last model if it has none) of one file.
    kaiStatus kaiModel_Load(const char* path, const char* experiment, kaiModel** model, kaiError* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
