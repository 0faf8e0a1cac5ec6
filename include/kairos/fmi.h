// FMUs: models for other programs, and models of other programs (the Functional Mock-up Interface, fmi-standard.org).
//
//     kaiFmuOptions options = kaiDefaultFmuOptions();
//     options.path = "ball.fmu";
//     kaiCompileOptions which = kaiDefaultCompileOptions();
//     which.experiment = "bounce";
//     if (kaiFmu_Export(&source, &which, &options, &error) != KAI_OK)
//         fprintf(stderr, "%s\n", error.message);
//
// An FMU is an archive with a description, a binary that holds the whole of Kairos, and the text of the model with what
// it imports. Model Exchange: the importer integrates, every guard is an event indicator, every tag of an instant one
// round of its event iteration. Co-Simulation: Kairos integrates, and every event is where `kairos run` has it.
//
// Units. Values inside an FMU are in SI units; what the text declares is the unit for display.
// Lifetime. Nothing of the options is kept.  Threads. Independent of each other.
#ifndef KAIROS_FMI_H
#define KAIROS_FMI_H

#include "kairos/program.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiFmuOptions
    {
        uint32_t cookie;      // set by kaiDefaultFmuOptions; not for you
        const char* path;     // of the archive; it is written beside it first, and replaced whole
        int version;          // of the standard: 2 or 3
        bool hide;            // the compiled model instead of its text
        bool sources;         // the C files too, with a description of how they are built, for importers elsewhere
        bool whole_instants;  // all tags of an instant in one round, for importers that bound their event iterations
        kaiSink sink;         // gets the archive instead of a file
        const char* const* outputs;  // variables of the root model that are outputs though it does not say so
        int output_count;
    } kaiFmuOptions;
    kaiFmuOptions kaiDefaultFmuOptions(void);

    // Reads the model anew from `source` (with its policy) and writes the FMU of one experiment. KAI_ERR_MODEL: the
    // text is wrong (a kaiProgram of it has all messages). KAI_ERR_USAGE: it cannot be an FMU, for the reason in
    // *error. KAI_ERR_IO: a file cannot be read or written. KAI_ERR_MEMORY. KAI_OK with a message in *error, which is a
    // warning: the model cannot be moved by a foreign integrator, so that the FMU has Co-Simulation only.
    kaiStatus kaiFmu_Export(const kaiProgramOptions* source, const kaiCompileOptions* model,
                            const kaiFmuOptions* options, kaiError* error);

    // A model whose parts are instances, as a system of FMUs (SSP 1.0, System Structure and Parameterization): one FMU
    // for each model and structure, components with the parameters that they have in the model, and their connections.
    // As kaiFmu_Export, with version 2. KAI_ERR_USAGE also where the root model is more than parts and connections.
    kaiStatus kaiSsp_Export(const kaiProgramOptions* source, const kaiCompileOptions* model,
                            const kaiFmuOptions* options, kaiError* error);

    // Reads a system of SSP 1.0 and holds it against its rules: FMUs that are there and keep theirs, connectors that
    // are variables of them, connections from what gives to what takes. With a folder, the FMUs are written to it, and
    // system.kai, the model that the system is. KAI_ERR_MODEL: *error says the first thing that is wrong. KAI_ERR_IO,
    // KAI_ERR_USAGE, KAI_ERR_MEMORY.
    kaiStatus kaiSsp_Read(const char* path, const char* folder, kaiAllocator allocator, kaiError* error);

    // ---- FMUs of anybody

    typedef struct kaiFmu kaiFmu;
    // Reads an FMU of version 2.0 or 3.0 and holds it against the rules of the standard; nothing of it is executed.
    // KAI_OK, or KAI_ERR_MODEL: the messages say what is wrong, *error has the first; in both cases *fmu is set.
    // KAI_ERR_IO: the file cannot be read. KAI_ERR_USAGE, KAI_ERR_MEMORY. Then *fmu is NULL.
    kaiStatus kaiFmu_Open(const char* path, kaiAllocator allocator, kaiFmu** fmu, kaiError* error);
    void kaiFmu_Free(kaiFmu* fmu);  // NULL is fine
    // What is wrong or missing, with its line in modelDescription.xml. NULL past the last; they live as long as the
    // FMU.
    int kaiFmu_MessageCount(const kaiFmu* fmu);
    const kaiError* kaiFmu_Message(const kaiFmu* fmu, int index);

    // Calls an FMU in the order of the state machine of its standard, in a process of its own, for `seconds` at most:
    // initialization, event iteration, steps, going back, saving and restoring; as Model Exchange and as Co-Simulation,
    // as far as it has them. KAI_OK, or KAI_ERR_MODEL: *error says what it did wrong. KAI_ERR_IO, KAI_ERR_USAGE,
    // KAI_ERR_MEMORY.
    kaiStatus kaiFmu_Walk(const char* path, double seconds, kaiError* error);

    // ---- FMUs inside models

    // Blocks for `fmu Name = "path"`: kaiProgramOptions.blocks. `isolate`: every instance in a process of its own, so
    // that one that crashes or hangs is a failure of the run and not of the program.
    kaiBlockProvider kaiFmu_Blocks(bool isolate);
    // The text of a model that is the FMU alone, with an experiment as its DefaultExperiment says, to be opened beside
    // it. `variant`: "" (Model Exchange if it has that), "me" or "cs". KAI_ERR_MODEL: *error says what is wrong with
    // the FMU. KAI_ERR_IO, KAI_ERR_USAGE, KAI_ERR_MEMORY.
    kaiStatus kaiFmu_Text(const char* path, const char* variant, const kaiSink* sink, kaiError* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
