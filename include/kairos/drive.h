// Driving a run from outside: inputs from a file, the pace of real time, and being told how far it is.
//
//     kaiInputs_Post("measured.csv", model, sim, &error);          // before the start
//     kaiDrive drive = {.pace = 1, .interval = 0.5, .progress = on_progress};
//     kaiStatus status = kaiSim_Drive(sim, &drive);
//
// None of it changes a bit of what the run computes: values come at the times that the file says, and waiting is only
// waiting.
//
// Units. Times in seconds.
// Lifetime. Nothing of the arguments is kept.
// Threads. A drive belongs to one run, in one thread at a time; `interrupt` may be set from any.
#ifndef KAIROS_DRIVE_H
#define KAIROS_DRIVE_H

#include "kairos/sim.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // Values of inputs over time, from a file: a CSV whose first column is `t` (or `time`), or a result of any format.
    // Each other column is an input of the root model. A value holds until the next row; an empty field changes
    // nothing; for an `input event` every field that is not empty is an event. Of rows with one t all count, in order.
    // Rows before the start give start values; rows behind the stop are left out. For a sim that has not started.
    // KAI_ERR_USAGE: a column that is no input, times that go back; KAI_ERR_IO: the file cannot be read;
    // KAI_ERR_MEMORY. *error says why.
    kaiStatus kaiInputs_Post(const char* path, const kaiModel* model, kaiSim* sim, kaiError* error);

    // What goes on beside a run. Make it with zeros for what is not wanted.
    typedef struct kaiDrive
    {
        double pace;      // model time in a second of real time: what happens at t is not told before its time has come
        double interval;  // seconds of real time between two calls of `progress`
        kaiStatus (*progress)(void* user, double t);  // nonzero stops the run; NULL: not wanted
        void* user;
        const volatile int* interrupt;  // ends a wait; NULL: never
        // not for you
        bool begun;
        double start, since, next;
        double late;  // how far real time was ahead at most, in s: more than 0 if the run cannot keep the pace
    } kaiDrive;

    // To be called with every row that others see, in the row function of the sim, say: waits until its time has come,
    // and calls `progress` now and then. KAI_OK, KAI_INTERRUPTED, or what `progress` returned.
    kaiStatus kaiDrive_At(kaiDrive* drive, double t);
    // To the end, with kaiDrive_At at every instant: as kaiSim_Run.
    kaiStatus kaiSim_Drive(kaiSim* sim, kaiDrive* drive);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
