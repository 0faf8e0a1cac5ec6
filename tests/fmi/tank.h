// The tank of tank.c: what can go wrong, and the value references that it shares with its descriptions. With
// TANK_INSIDE, what the functions of both versions stand on.
#ifndef KAIROS_TESTS_TANK_H
#define KAIROS_TESTS_TANK_H

enum
{
    TANK_SILENT = 1,    // derivatives and outputs answer an error without a word
    TANK_STRANGE,       // … a number that is no status
    TANK_DISCARDS,      // … that the place is not for it, from 0.3 on
    TANK_CRASHES,       // …
    TANK_LEAVES,        // … and end the process
    TANK_HANGS,         // …
    TANK_REMEMBERS,     // derivatives hang on how often it was asked
    TANK_ENDLESS,       // every round wants another one
    TANK_STANDS,        // its next event is now
    TANK_ENDS,          // it ends the run from 0.7 on, in a round
    TANK_STEP_ENDS,     // … after a step of the solver, or inside of one
    TANK_TICKS_FIRST,   // its clock ticks where its initialization ends
    TANK_STEP_EVENT,    // it wants an event after each step of the solver
    TANK_NO_START,      // its initialization fails, with a reason
    TANK_NO_COPY,       // its state cannot be got,
    TANK_NO_SIZE,       // … has no size,
    TANK_GROWS,         // … has another one each time,
    TANK_NO_WAY_BACK,   // … cannot be set,
    TANK_FORGETS,       // … and is not what it was
    TANK_STANDS_STILL,  // Co-Simulation: a step is no step
    TANK_FATAL,         // … is fatal
    TANK_PENDING,       // … is asynchronous (2.0)
    TANK_HALF,          // … is done by half, and says so (2.0)
    TANK_HALF_SILENT,   // … and does not say so (2.0)
    TANK_WARNS,         // it warns once
};

enum
{
    TANK_X,
    TANK_RATE,
    TANK_K,
    TANK_U,
    TANK_RINGS,
    TANK_TROUBLE,
    TANK_TRUTH_IN,
    TANK_TRUTH_OUT,
    TANK_TICK_IN,
    TANK_TICK_OUT,
    TANK_IN = 20,   // of types: Float32 Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64
    TANK_OUT = 30,  // …
    TANK_TYPES = 9,
    TANK_LEVEL = 98,
};

#ifdef TANK_INSIDE
#include "../../src/fmu/fmi2.h"
#include "../../src/fmu/fmi3.h"

typedef struct Tank
{
    double t, x, k, u, next, fill_at;
    int trouble, rings, round, asked;
    double numbers[TANK_TYPES];  // as they came in
    bool truth, tick, event_mode, ahead;
    fmi2CallbackFunctions callbacks;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Tank;

#pragma GCC visibility push(hidden)
Tank* tank_make(double t);
int tank_say(Tank* tank, int status, const char* text);  // through its log; returns the status
int tank_look(Tank* tank);                               // what derivatives and outputs answer
double tank_rate(const Tank* tank);
bool tank_react(Tank* tank, bool* moved, bool* ends);  // one round at t; true: another one is wanted
double tank_next_time(const Tank* tank);
double tank_flow(Tank* tank, double h);  // by the closed form, at most to where it is filled; how far
void tank_flow_through(Tank* tank, double h);
int tank_copy(const Tank* tank, void** state);
int tank_go_back(Tank* tank, const void* state);
int tank_copy_size(Tank* tank, size_t* size);
int tank_from_bytes(const void* bytes, size_t size, void** state);
#pragma GCC visibility pop
#endif

#endif
