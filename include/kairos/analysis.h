// Analysis of a model: linear systems, steady states and periodic orbits, derivatives with respect to parameters, fits.
//
//     kaiLinearOptions options = kaiDefaultLinearOptions();
//     options.at = 2;                                      // where the run stands then
//     kaiSimOptions sim = kaiModel_SimOptions(model);
//     kaiLinear* linear = kaiLinear_Create(model, &sim, &options, &error);
//     kaiLinearSystem system = kaiLinear_System(linear);
//     printf("%g\n", system.A[0]);
//     kaiLinear_Free(linear);
//
// Derivatives are those of the model's own expressions, exact but for rounding; only what an instant does is
// differentiated by differences (of order six). Where a derivative does not exist, that is an error with its reason.
//
// Units. Values are in the units of their declarations, as everywhere; times in seconds.
// Lifetime. What is made here must not outlive its model. Arrays that are handed out live as long as what gave them.
// Threads. A handle belongs to one thread at a time; different handles of one model are independent.
#ifndef KAIROS_ANALYSIS_H
#define KAIROS_ANALYSIS_H

#include "kairos/sim.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // ---- linear systems: x' = A x + B u, y = C x + D u around a point, in the modes that are active there

    typedef struct kaiLinearOptions
    {
        uint32_t cookie;    // set by kaiDefaultLinearOptions; not for you
        double at;          // where the run stands then; NaN: at its start
        bool steady;        // from there to the steady state of these modes
        const int* inputs;  // variables: inputs, or parameters that are moved as if they were; NULL: all inputs
        int input_count;
        const int* outputs;  // NULL: all outputs
        int output_count;
    } kaiLinearOptions;
    kaiLinearOptions kaiDefaultLinearOptions(void);

    typedef struct kaiLinear kaiLinear;

    // Matrices by rows. Variables by their numbers in the model.
    typedef struct kaiLinearSystem
    {
        double t;
        int state_count, input_count, output_count;
        const int *states, *inputs, *outputs;
        const double* x;                    // the point
        const double* slopes;               // f there: 0 at a steady state
        const double *A, *B, *C, *D;        // states × states, states × inputs, outputs × states, outputs × inputs
        const double *poles, *frequencies;  // eigenvalues of A: real parts, imaginary parts, by falling real part
    } kaiLinearSystem;

    // NULL: *error says why: the run fails before, there is no steady state, a variable is no number.
    kaiLinear* kaiLinear_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiLinearOptions* options,
                                kaiError* error);
    void kaiLinear_Free(kaiLinear* linear);
    // All zero for NULL.
    kaiLinearSystem kaiLinear_System(const kaiLinear* linear);
    // C (iω - A)⁻¹ B + D of one output and one input, ω in rad/s. KAI_ERR_USAGE: there is no such pair. KAI_ERR_RUN: iω
    // is a pole.
    kaiStatus kaiLinear_Response(const kaiLinear* linear, int output, int input, double omega, double* real,
                                 double* imaginary);

    // ---- steady states and periodic orbits

    typedef struct kaiOrbitOptions
    {
        uint32_t cookie;  // set by kaiDefaultOrbitOptions; not for you
        // The period. Of a model that depends on time it is what it is; of another a guess, and 0: it is found, too.
        double period;
        double at;  // the run up to there gives the first guess of the start values; NaN: the model does
    } kaiOrbitOptions;
    kaiOrbitOptions kaiDefaultOrbitOptions(void);

    // Start values from which the run is periodic, by Newton's method on the map of one period, jumps included.
    typedef struct kaiOrbit
    {
        int state_count;
        const int* states;               // variables
        const double* x;                 // start values
        double period, start;            // start: of the run
        bool driven;                     // the model depends on time: the period is given by that
        const double* monodromy;         // d x(start + period) / d x, by rows
        const double *real, *imaginary;  // its eigenvalues, the multipliers: inside the unit circle the orbit attracts
        int rounds;                      // of Newton's method
        int64_t instants;                // in one period
    } kaiOrbit;

    typedef struct kaiOrbitSearch kaiOrbitSearch;
    // NULL: *error says why: none was found, the modes or discretes do not come back, there is no derivative.
    kaiOrbitSearch* kaiOrbitSearch_Create(const kaiModel* model, const kaiSimOptions* sim,
                                          const kaiOrbitOptions* options, kaiError* error);
    void kaiOrbitSearch_Free(kaiOrbitSearch* search);
    // What was found. All zero for NULL.
    kaiOrbit kaiOrbitSearch_Orbit(const kaiOrbitSearch* search);

    // ---- sensitivities: a run with the derivatives of its signals and of the times of its instants

    // Through events too: a state that is reset at a crossing whose time moves jumps by what the time moves
    // (saltation).
    typedef struct kaiSensitivityOptions
    {
        uint32_t cookie;       // set by kaiDefaultSensitivityOptions; not for you
        const int* variables;  // with respect to these: parameters, start values
        int variable_count;
        // Rows as a run has them, with more columns behind: d(y)/d(a) of every real signal y at fixed time, and
        // d(t)/d(a) in the rows of instants. At an instant with several tags the first and the last have derivatives.
        kaiRowFn* row;  // NULL: none
        void* user;
    } kaiSensitivityOptions;
    kaiSensitivityOptions kaiDefaultSensitivityOptions(void);

    typedef struct kaiSensitivity kaiSensitivity;
    // NULL: *error says why. `row` of `sim` is not used.
    kaiSensitivity* kaiSensitivity_Create(const kaiModel* model, const kaiSimOptions* sim,
                                          const kaiSensitivityOptions* options, kaiError* error);
    void kaiSensitivity_Free(kaiSensitivity* sensitivity);
    // Of the rows.
    const kaiColumn* kaiSensitivity_Columns(const kaiSensitivity* sensitivity, int* count);
    // Before the run: as kaiSim_Set.
    kaiStatus kaiSensitivity_Set(kaiSensitivity* sensitivity, int variable, double value);
    // To the end: KAI_END, KAI_INTERRUPTED, or an error. KAI_ERR_RUN: the run failed, or a derivative does not exist
    // from there on (grazing, events that coincide and move apart, sliding); *error says which and when.
    kaiStatus kaiSensitivity_Run(kaiSensitivity* sensitivity, kaiError* error);
    // Where it stands: the derivative of a real variable with respect to the `index`-th of the variables. NaN: none.
    double kaiSensitivity_Get(kaiSensitivity* sensitivity, int variable, int index);
    // The run itself, to be read: it belongs to the sensitivity.
    kaiSim* kaiSensitivity_Sim(kaiSensitivity* sensitivity);

    // ---- fits: parameters from measurements, by the method of Levenberg and Marquardt

    // One measured number: the value of a variable at time t, or the time of the `occurrence`-th (from 1) presence of
    // an event.
    typedef struct kaiMeasured
    {
        int variable;
        int occurrence;  // 0: a value
        double t;
        double value;  // of a signal; not used of an event
    } kaiMeasured;

    typedef struct kaiFitOptions
    {
        uint32_t cookie;       // set by kaiDefaultFitOptions; not for you
        const int* variables;  // what is fitted: parameters, start values
        int variable_count;
        const kaiMeasured* data;
        int data_count;
    } kaiFitOptions;
    kaiFitOptions kaiDefaultFitOptions(void);

    // Measurements of one variable have one deviation, which is estimated too; they are independent and normal.
    typedef struct kaiFitResult
    {
        int variable_count;
        const double* values;
        const double* halves;      // value ± half with 95 % confidence; infinite: the data do not determine it
        const double* covariance;  // by rows
        int rounds;
        int freedom;  // data less parameters
    } kaiFitResult;

    typedef struct kaiFit kaiFit;
    // NULL: *error says why: too few data, a run that fails, data that do not determine a parameter.
    kaiFit* kaiFit_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiFitOptions* options,
                          kaiError* error);
    void kaiFit_Free(kaiFit* fit);
    // All zero for NULL.
    kaiFitResult kaiFit_Result(const kaiFit* fit);
    // The deviation of the measurements of a variable from the fitted run. NaN: it was not measured.
    double kaiFit_Deviation(const kaiFit* fit, int variable);

    // ---- the best value of one parameter, by Brent's method: no derivative is needed

    typedef struct kaiOptimizeOptions
    {
        uint32_t cookie;  // set by kaiDefaultOptimizeOptions; not for you
        int variable;     // a parameter or start value
        double low, high;
        int measure;  // the variable whose final value counts; -1: the first measure of the model, or the first
                      // `expect`
        bool maximise;
        double within;  // how exactly the parameter is wanted, relative to high - low; 0: 1e-8
    } kaiOptimizeOptions;
    kaiOptimizeOptions kaiDefaultOptimizeOptions(void);

    typedef struct kaiOptimum
    {
        double value, measure;  // of the parameter; of what counts
        int runs;
        bool at_end;  // it lies at low or high
    } kaiOptimum;
    // A run that fails, or has no measure, counts as worse than any other. KAI_ERR_RUN: all did.
    kaiStatus kaiOptimize(const kaiModel* model, const kaiSimOptions* sim, const kaiOptimizeOptions* options,
                          kaiOptimum* optimum, kaiError* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
