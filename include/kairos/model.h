// Compiled models: what a kaiProgram makes of one experiment, ready to run and never changed again.
//
//     kaiVariable v;
//     for (int i = 0; kaiModel_Variable(model, i, &v); i++)
//         printf("%s [%s] = %g  %s\n", v.name, v.unit ? v.unit : "1", v.start, v.description ? v.description : "");
//
// Units. Everything is computed in SI units and shown in the unit that the text declares: values of a variable are in
// its `unit`; `scale` and `offset` lead back to SI units.
// Lifetime. A model needs neither its program nor its text. Names and texts that it hands out live as long as it does.
// It must outlive its sims.
// Threads. A model never changes: any number of threads may read it, and each may run sims of it.
#ifndef KAIROS_MODEL_H
#define KAIROS_MODEL_H

#include "kairos/error.h"
#include "kairos/result.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiModel kaiModel;

    // A value that replaces one of the text: of a parameter, or the start value of a state or discrete.
    typedef struct kaiOverride
    {
        const char* name;  // path from the root model: "e", "a.m", "b[3].x"
        double value;      // in the unit that the text declares
    } kaiOverride;

    // Something of the text that the call replaces: its name, and the value as it would be written.
    typedef struct kaiGiven
    {
        const char *name, *text;
    } kaiGiven;

    void kaiModel_Free(kaiModel* model);  // NULL is fine

    // The compiled model as bytes, for a file or another process: version, content, checksum.
    kaiStatus kaiModel_Save(const kaiModel* model, const kaiSink* sink);
    // The model that kaiModel_Save wrote. Damaged bytes, those of another version and those whose content makes no
    // sense are refused (KAI_ERR_IO) with a sentence in `error` (or NULL). `allow_external`: its C functions may be
    // loaded; otherwise a model that has some is refused.
    kaiStatus kaiModel_LoadSaved(const void* bytes, size_t size, bool allow_external, kaiModel** model,
                                 kaiError* error);

    // The name of its root model; "" for NULL.
    const char* kaiModel_Name(const kaiModel* model);
    // The experiment it was compiled for; NULL: none.
    const char* kaiModel_Experiment(const kaiModel* model);

    // ---- variables

    // What it is in the text.
    typedef enum kaiVariableKind
    {
        KAI_PARAM,
        KAI_STATE,     // continuous: integrated, may jump
        KAI_DISCRETE,  // changes in reactions only
        KAI_SIGNAL,    // defined by an expression
        KAI_EVENT,     // present at single tags only
        KAI_INPUT,
        KAI_MODE,  // which mode a machine is in
    } kaiVariableKind;
    // "param", "state", …; NULL for another number.
    const char* kaiVariableKind_Word(kaiVariableKind kind);

    // Where its value comes from, in the sense of FMI.
    typedef enum kaiCausality
    {
        KAI_CAUSALITY_PARAMETER,             // set before the start
        KAI_CAUSALITY_CALCULATED_PARAMETER,  // follows from parameters
        KAI_CAUSALITY_INPUT,                 // set from outside while it runs
        KAI_CAUSALITY_OUTPUT,
        KAI_CAUSALITY_LOCAL,
    } kaiCausality;

    // When its value may change, in the sense of FMI.
    typedef enum kaiVariability
    {
        KAI_VARIABILITY_CONSTANT,  // decides the structure: fixed when the model is compiled
        KAI_VARIABILITY_FIXED,     // fixed when the run starts
        KAI_VARIABILITY_DISCRETE,  // at instants only
        KAI_VARIABILITY_CONTINUOUS,
    } kaiVariability;

    typedef struct kaiVariable
    {
        const char* name;  // path from the root model, "b[3].x"; elements of arrays are variables of their own
        kaiVariableKind kind;
        kaiCausality causality;
        kaiVariability variability;
        const char *unit, *description;  // NULL: none
        double scale, offset;            // SI = scale * value in its unit + offset; 1 and 0 if that is an SI unit
        double start;                    // value before the run, in its unit; NaN: it has none, or it cannot be known
        bool settable;                   // kaiSim_Set takes it: always before the start, inputs afterwards too
        bool hidden;                     // made by the compiler: not for people
        bool inner;                      // of a bond graph inside a part: recorded on demand
        int size;                        // number of values: 1
        kaiPlace place;                  // where it is declared
        const char* column;              // its name in a result; NULL: it is not recorded (parameters, hidden ones)
        kaiColumnKind column_kind;
    } kaiVariable;

    // How many there are, hidden ones included.
    int kaiModel_VariableCount(const kaiModel* model);
    // All about variable `index`, from 0. False: there is none.
    bool kaiModel_Variable(const kaiModel* model, int index, kaiVariable* variable);
    // The index of a name, of a hidden variable only if nothing else has it; -1: there is none.
    int kaiModel_FindVariable(const kaiModel* model, const char* name);
    // The name of an index; NULL: there is none.
    const char* kaiModel_VariableName(const kaiModel* model, int index);
    // A name that may have been meant, for messages; NULL: none is near.
    const char* kaiModel_NearestVariable(const kaiModel* model, const char* name);

    // Continuous states, in the solver's order, and the variable that each is; -1: there is none.
    int kaiModel_StateCount(const kaiModel* model);
    int kaiModel_StateVariable(const kaiModel* model, int state);

    // ---- what the experiment wants

    // The `plot` lines, in order.
    int kaiModel_PlotCount(const kaiModel* model);
    // The variables of one line, and the one it is drawn against (-1: time). Returns their number, 0 past the last
    // line.
    int kaiModel_PlotVariables(const kaiModel* model, int plot, const uint32_t** variables, int* against);

    // The variables of the `record` lines, in order. Returns their number, 0 if there is no such line.
    int kaiModel_RecordedVariables(const kaiModel* model, const uint32_t** variables);

    // The `sweep` lines, in order: the runs of the experiment are their combinations (study.h runs them).
    int kaiModel_SweepCount(const kaiModel* model);
    // The variable of one line and its values; `structural`: each value needs a model of its own. -1 past the last.
    int kaiModel_SweepVariable(const kaiModel* model, int sweep, const double** values, int* count, bool* structural);

    // How a parameter is spread: `param m ~ normal(1, 0.1)`. Its value without a draw is its start (kaiVariable).
    typedef enum kaiSpread
    {
        KAI_SPREAD_NORMAL,       // mean, standard deviation
        KAI_SPREAD_UNIFORM,      // lowest, highest
        KAI_SPREAD_LOGNORMAL,    // median, standard deviation of the logarithm
        KAI_SPREAD_TRIANGULAR,   // lowest, most likely, highest
        KAI_SPREAD_EXPONENTIAL,  // mean: 1/rate of the text
    } kaiSpread;
    // The parameters that have a distribution, and what it is. Returns the variable, -1 past the last.
    int kaiModel_SpreadCount(const kaiModel* model);
    int kaiModel_SpreadVariable(const kaiModel* model, int spread, kaiSpread* kind, const double** values, int* count);

    // The `expect` lines; kaiSim_Expect judges them after a run.
    int kaiModel_ExpectCount(const kaiModel* model);
    // The measures of kaiCompileOptions, and the name and the unit (NULL: none; or not wanted) of one. NULL past the
    // last.
    int kaiModel_MeasureCount(const kaiModel* model);
    const char* kaiModel_MeasureName(const kaiModel* model, int index, const char** unit);
    // Whether a run draws at random by itself: runs with other seeds differ.
    bool kaiModel_Draws(const kaiModel* model);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
