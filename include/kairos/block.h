// Blocks: parts of a model whose inside is foreign code, a C library of yours or an FMU. To a model a block is a model
// like any other, with parameters, inputs, outputs and states:
//
//     external Motor = "motor.so:motor_block"     // const kaiBlock* motor_block(void) in C
//     fmu Pump = "pump.fmu"                        // needs kaiProgramOptions.blocks (kairos/fmi.h has them)
//     model Rig { m : Motor(R = 2); p : Pump; p.speed = m.w }
//
// Inside it is a vector operator. Between instants Kairos moves its states, with its rates as right-hand sides, and
// looks for changes of sign of its indicators. At an instant it is asked to commit: each commit is one round of its
// reaction and one tag of the instant. Several instances of one block live at the same time, in different threads; each
// is called by one thread at a time.
//
// Values are in SI units.
#ifndef KAIROS_BLOCK_H
#define KAIROS_BLOCK_H

#include "kairos/base.h"
#include "kairos/error.h"
#include "kairos/model.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif

    // Of this header: a block says which one it was built with.
    enum
    {
        KAI_BLOCK_VERSION = 2  // with events and slopes
    };

    typedef struct kaiBlockVariable
    {
        const char* name;         // what is no identifier of Kairos becomes one: docs/language.md
        const char* unit;         // as in a model text, "rad/s"; its SI unit is that of the values. NULL: none
        const char* description;  // or NULL
        double start;             // of a parameter and an input: its default; of a state: its nominal size (0: 1)
        bool discrete;            // changes at commits only; of an input: at instants only
        // Of an output: the numbers of the states (0 …) and inputs (state_count …) that it hangs on at once. NULL: all.
        const uint32_t* reads;
        uint32_t read_count;
        bool local;  // of an output: one for looking at only
        // Of an output: present at the tags at which `get_reaction` says 1, and at no others; it reads the inputs in
        // `reads` (NULL: none). Of an input: 1 at the tags at which it is present, for `get_reaction` and `commit`.
        bool event;
        uint32_t payload;  // of an event: 1 + the number of the output (the input) that has its payload; 0: none
        uint32_t count;    // of an event that is an output: 1 + the number of the output that counts it; 0: none
        // Of a discrete output: it has the value that `get_reaction` says at the tag of a commit already; otherwise it
        // changes at the tag after. It reads the inputs in `reads`.
        bool prompt;
    } kaiBlockVariable;

    // What a commit says of what comes.
    typedef struct kaiBlockEvents
    {
        double next;  // the time of the next commit, if nothing else comes first; infinite: none
        bool more;    // another round is needed at this instant
        bool end;     // the run is to end
    } kaiBlockEvents;

    // What an instance may ask of its surroundings.
    typedef struct kaiBlockHost
    {
        void* user;
        const char* instance;  // its path in the model, "rig.m"
        double start, stop;    // of the run; stop may be infinite
        double tolerance;      // relative, of its solver
        kaiAllocator allocator;
        // A sentence for the reader of the results; before a function fails, why.
        void (*log)(void* user, bool error, const char* text);
        bool (*interrupted)(void* user);  // the run is to end as soon as it can; for what waits
    } kaiBlockHost;

    // `open`, `close`, `begin` and `commit` must be there, `set` and the getters where there is something to get; the
    // others may be NULL. What is not KAI_OK ends the run with what was logged last as an error; `set` and the getters
    // may answer KAI_ERR_LIMIT: not there, try a smaller step.
    typedef struct kaiBlock kaiBlock;
    struct kaiBlock
    {
        uint32_t version;  // KAI_BLOCK_VERSION
        const char* name;
        const char* description;  // or NULL
        const kaiBlockVariable *parameters, *inputs, *outputs, *states;
        uint32_t parameter_count, input_count, output_count, state_count, indicator_count;
        const char* fixed;  // why it cannot be saved and restored; NULL: it can
        struct
        {
            double start, stop, tolerance, step;
        } usual;  // its usual experiment; NaN: not said
        void* user;
        // Somebody more (1) or less (-1) needs it. NULL: it lives as long as its library.
        void (*hold)(const kaiBlock* block, int by);

        kaiStatus (*open)(const kaiBlock* block, const kaiBlockHost* host, void** instance);
        void (*close)(void* instance);
        // Once, before all others. `states` holds the start values that the model gives, NaN where it gives none, and
        // takes those that it starts with.
        kaiStatus (*begin)(void* instance, double t, const double* parameters, const double* inputs, double* states);
        // Where it is asked about next, forward or back in time, never before its last commit. At the t and with the
        // states of its last commit it is still in that instant.
        kaiStatus (*set)(void* instance, double t, const double* states, const double* inputs);
        kaiStatus (*get_rates)(void* instance, double* rates);
        // How its rates change with one of its states (0 …) or inputs (state_count …) where it was set: a column of
        // the Jacobian. NULL: it is found by differences.
        kaiStatus (*get_slopes)(void* instance, uint32_t known, double* slopes);
        kaiStatus (*get_outputs)(void* instance, double* outputs);
        // An event where one that was positive no longer is, or the other way round.
        kaiStatus (*get_indicators)(void* instance, double* indicators);
        // Before a commit at t, where it was set: all outputs as they are at this tag, 1 for events that the commit
        // raises. Asked before all inputs of the tag are known, with those that the output in question reads; what is
        // asked here changes nothing. NULL: there are no events and no prompt outputs.
        kaiStatus (*get_reaction)(void* instance, double t, const double* inputs, double* outputs);
        // One round of its reaction at t. `states` holds those at which it is, and takes those after it.
        kaiStatus (*commit)(void* instance, double t, const double* inputs, kaiBlockEvents* events, double* states);
        // The solver has taken a step to where it was set last. *event: it wants to commit there.
        kaiStatus (*step_done)(void* instance, bool* event);
        // Its whole state as bytes. `bytes` NULL: only how many.
        kaiStatus (*save)(void* instance, void* bytes, size_t* size);
        kaiStatus (*restore)(void* instance, const void* bytes, size_t size);
    };

    // Who finds blocks for `fmu Name = "path"`; `variant` is what follows the last colon of the path, or "".
    // KAI_OK: *block is held once for the caller. Otherwise *error has a sentence.
    typedef struct kaiBlockProvider
    {
        kaiStatus (*open)(void* user, const char* path, const char* variant, kaiAllocator allocator,
                          const kaiBlock** block, kaiError* error);
        void* user;
    } kaiBlockProvider;

#pragma GCC visibility push(default)
    // kaiModel_LoadSaved of a model with blocks inside. They are opened again from the paths that they had: libraries
    // of C by themselves, FMUs by `blocks` (kaiFmu_Blocks; NULL: a model with FMUs is refused, KAI_ERR_USAGE). One that
    // is gone or has other variables than the model was compiled with is refused (KAI_ERR_IO).
    kaiStatus kaiModel_LoadSavedBlocks(const void* bytes, size_t size, bool allow_external,
                                       const kaiBlockProvider* blocks, kaiModel** model, kaiError* error);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
