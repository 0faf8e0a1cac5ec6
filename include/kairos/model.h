// Compiled models: text in, an immutable kaiModel out. Many sims of one model may run at the same time.
#ifndef KAIROS_MODEL_H
#define KAIROS_MODEL_H

#include "kairos/base.h"
#include "kairos/diag.h"
#include "kairos/result.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiModel kaiModel;

    // What a compilation had to say. Owns its texts; free it with kaiMessages_Free.
    typedef struct kaiMessages kaiMessages;
    int kaiMessages_Count(const kaiMessages* messages);
    int kaiMessages_ErrorCount(const kaiMessages* messages);
    const kaiDiagnostic* kaiMessages_Get(const kaiMessages* messages, int index);
    // The message as people read it, with the source line and a caret.
    const char* kaiMessages_Text(kaiMessages* messages, int index, bool colour);
    void kaiMessages_Free(kaiMessages* messages);

    typedef struct kaiOverride
    {
        const char* name;  // path of a parameter, or of a state or discrete (its start value)
        double value;      // in SI units
    } kaiOverride;

    // Something of the text that the call replaces: its name, and the value as it would be written.
    typedef struct kaiGiven
    {
        const char *name, *text;
    } kaiGiven;

    typedef struct kaiLoadOptions
    {
        const char* path;        // file; with `text` given, the name used in messages and for imports
        const char* text;        // NULL: read the file
        const char* experiment;  // NULL: none
        const char* model;       // root model if there is no experiment; NULL: the last model of the file
        const kaiOverride* overrides;
        int override_count;
        // As `overrides`, with a constant expression: "50[cm]", "1/2", "true"; of a mode the name of the one to start
        // in. Errors are placed in a file called "--set name".
        const kaiGiven* values;
        int value_count;
        // Settings of the experiment: "rtol" and "1e-6", "stop" and "50[ms]". Errors are placed in a file "--rtol".
        const kaiGiven* settings;
        int setting_count;
        const char* solver;   // overrides the experiment's solver (decides whether a Jacobian is made)
        const char* library;  // folder of the standard library; NULL: the installed one
        kaiAllocator allocator;
    } kaiLoadOptions;
    kaiLoadOptions kaiDefaultLoadOptions(void);

    // KAI_OK and a model, or KAI_ERR_MODEL, KAI_ERR_IO, KAI_ERR_MEMORY. `messages` (always set unless memory ran out)
    // has errors and warnings.
    kaiStatus kaiModel_Load(const kaiLoadOptions* options, kaiModel** model, kaiMessages** messages);
    void kaiModel_Free(kaiModel* model);

    // Diagnostics only: every model and every experiment of the file.
    kaiStatus kaiModel_Check(const kaiLoadOptions* options, kaiMessages** messages);

    // Readable listings, as `kairos check --print`: "flat", "schedule" …, and "names" for --list. Free with
    // kaiText_Free.
    kaiStatus kaiModel_Print(const kaiLoadOptions* options, const char* what, char** text, kaiMessages** messages);
    // The text of a file in canonical layout.
    kaiStatus kaiFormat(const kaiLoadOptions* options, char** text, kaiMessages** messages);
    void kaiText_Free(char* text, kaiAllocator allocator);

    // The experiments of a file, in order. Names live as long as the list.
    typedef struct kaiExperiments kaiExperiments;
    kaiStatus kaiExperiments_Load(const kaiLoadOptions* options, kaiExperiments** list, kaiMessages** messages);
    int kaiExperiments_Count(const kaiExperiments* list);
    const char* kaiExperiments_Name(const kaiExperiments* list, int index);
    bool kaiExperiments_HasExpect(const kaiExperiments* list, int index);
    void kaiExperiments_Free(kaiExperiments* list);

    // Variables of a model.
    int kaiModel_VariableCount(const kaiModel* model);
    const char* kaiModel_VariableName(const kaiModel* model, int variable);
    int kaiModel_FindVariable(const kaiModel* model, const char* name);  // -1: none
    bool kaiModel_IsSettable(const kaiModel* model, int variable);
    // A name close to `name`, for messages; NULL: none.
    const char* kaiModel_NearestVariable(const kaiModel* model, const char* name);
    const char* kaiModel_Name(const kaiModel* model);
    // The column of a variable in a result: its name there, kind and unit (mode names are known to a sim only). False:
    // it has none (parameters, hidden ones).
    bool kaiModel_VariableColumn(const kaiModel* model, int variable, kaiColumn* column);
    int kaiModel_StateCount(const kaiModel* model);
    int kaiModel_StateVariable(const kaiModel* model, int state);  // the variable that state `state` is

    // The `plot` lines of the experiment, in order.
    int kaiModel_PlotCount(const kaiModel* model);
    // The variables of one line, and the one it is drawn against (-1: time).
    int kaiModel_PlotVariables(const kaiModel* model, int plot, const uint32_t** variables, int* against);

    // Sweeps of the experiment: number of dimensions, and for each its variable and values.
    int kaiModel_SweepCount(const kaiModel* model);
    int kaiModel_SweepVariable(const kaiModel* model, int sweep, const double** values, int* count, bool* structural);

    // The value with which the run begins of something that was overridden; false: only the run will know it.
    bool kaiModel_Start(const kaiModel* model, int variable, double* value);

    int kaiModel_ExpectCount(const kaiModel* model);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
