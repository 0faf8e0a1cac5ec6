// An FMU of anybody as a block (kairos/block.h): its description as tables, its binary unpacked and opened when the
// first instance is made, and instances of both versions of the standard behind one set of calls.
#ifndef KAIROS_GUEST_GUEST_H
#define KAIROS_GUEST_GUEST_H

#include "fmi/described.h"
#include "kairos/block.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

typedef enum GuestType
{
    GUEST_FLOAT32,
    GUEST_FLOAT64,
    GUEST_INT8,
    GUEST_UINT8,
    GUEST_INT16,
    GUEST_UINT16,
    GUEST_INT32,
    GUEST_UINT32,
    GUEST_INT64,
    GUEST_UINT64,
    GUEST_BOOLEAN,
    GUEST_CLOCK,
    GUEST_NONE,  // strings and bytes: no numbers
} GuestType;

typedef struct GuestVariable
{
    uint32_t reference;
    uint32_t element, size;  // of an array (3.0): which of how many; a scalar: 0 of 1
    GuestType type;
    double scale, offset;  // SI value = scale · value + offset
    bool discrete;
    bool settable;  // a state: its start value can be given
    bool event;
    bool part;   // the payload of an event
    bool after;  // its value at a tag shows after the round of the tag (FMUs of Kairos), not before
} GuestVariable;

typedef struct Guest
{
    kaiBlock block;  // first: its address is that of the guest
    kaiAllocator allocator;
    jmp_buf fail;
    Arena arena;
    Described described;
    const char* path;
    bool exchange;    // Model Exchange; otherwise Co-Simulation
    bool varies;      // Co-Simulation: a step may have any length
    bool event_mode;  // Co-Simulation 3.0
    bool told;        // it wants to know of the steps of a solver
    bool slopes;      // it has directional derivatives
    bool own;         // made by Kairos: events of a tag show after its round
    bool reacts;      // there are events or prompt outputs
    GuestVariable *parameters, *inputs, *outputs, *states;
    uint32_t* rates;  // value references of the derivatives of the states, one for each array
    uint32_t rate_count;
    atomic_int held;
    pthread_mutex_t lock;  // for what the first instance makes
    char folder[256];      // where it is unpacked; "": it is not
    void* library;
    bool scarce;      // memory ran out when it was last unpacked
    kaiBlock inside;  // isolated: the functions that the other process calls
} Guest;

// What both versions have in common. An instance is one of them, with this first.
typedef enum GuestMode
{
    MODE_NEW,
    MODE_EVENT,
    MODE_CONTINUOUS,
    MODE_STEP,  // Co-Simulation
} GuestMode;

typedef struct GuestInstance GuestInstance;
typedef struct GuestCalls
{
    kaiStatus (*instantiate)(GuestInstance* i);
    void (*free)(GuestInstance* i);
    kaiStatus (*initialize)(GuestInstance* i, double t, const double* parameters, const double* inputs);
    kaiStatus (*get)(GuestInstance* i, const GuestVariable* list, uint32_t count, double* values);
    kaiStatus (*set)(GuestInstance* i, const GuestVariable* list, uint32_t count, const double* values);
    kaiStatus (*set_time)(GuestInstance* i, double t);
    kaiStatus (*set_states)(GuestInstance* i, const double* x, size_t count);
    kaiStatus (*get_states)(GuestInstance* i, double* x, size_t count);
    kaiStatus (*get_rates)(GuestInstance* i, double* dx, size_t count);
    kaiStatus (*get_indicators)(GuestInstance* i, double* z, size_t count);
    // Of the derivatives of the states along a unit change of a variable.
    kaiStatus (*get_slopes)(GuestInstance* i, const GuestVariable* known, double* slopes, size_t count);
    kaiStatus (*enter_event)(GuestInstance* i);
    kaiStatus (*enter_continuous)(GuestInstance* i);
    kaiStatus (*enter_step)(GuestInstance* i);
    kaiStatus (*update)(GuestInstance* i, kaiBlockEvents* events, bool* states_changed);
    kaiStatus (*step_done)(GuestInstance* i, bool* event, bool* end);
    // From t over h: *reached, *event (event mode is wanted there), *end.
    kaiStatus (*do_step)(GuestInstance* i, double t, double h, double* reached, bool* event, bool* end);
    kaiStatus (*save)(GuestInstance* i, void* bytes, size_t* size);
    kaiStatus (*restore)(GuestInstance* i, const void* bytes, size_t size);
    // A copy that stays inside: kept in the instance; taken back, which ends it.
    kaiStatus (*keep)(GuestInstance* i);
    kaiStatus (*take_back)(GuestInstance* i);
} GuestCalls;

struct GuestInstance
{
    Guest* guest;
    kaiBlockHost host;
    const GuestCalls* calls;
    GuestMode mode;
    double time;  // of the FMU; Co-Simulation: that it has come to
    double from;  // Co-Simulation: the start of its communication steps
    double step, ticks;
    bool end;
    bool said;                  // it has given a reason
    bool ahead, ahead_changed;  // the round of the next commit is done already; the states have changed in it
    kaiBlockEvents ahead_events;
    double *states, *inputs, *scratch;  // as they are set, in SI units; of an event input: it waits to be given
    double* kept;                       // event inputs that wait for a communication point; their payloads
    double* seen;                       // of outputs that are events: their count when it was last looked at
    double* ticked;                     // of outputs: clocks that were seen to tick since the last commit
    size_t room;
};

// guest.c: the FMU at `path` as a block, held once. `variant`: "", "me" or "cs".
kaiStatus guest_open(const char* path, const char* variant, bool isolated, kaiAllocator allocator,
                     const kaiBlock** block, kaiError* error);

// tables.c: the variables of the block, from the description. Longjumps where there is no memory.
void guest_tables(Guest* g);

// unpack.c: the binary, unpacked and opened. Otherwise *why is a sentence in `text`.
bool guest_load(Guest* g, char* text, size_t size);
bool guest_unpack(Guest* g, char* text, size_t size);  // not opened
void guest_unload(Guest* g);
void* guest_symbol(const Guest* g, const char* name);  // NULL: there is none
const char* guest_identifier(const Guest* g);

// instance.c: the functions of the block.
void guest_functions(Guest* g);
void guest_log(GuestInstance* i, bool error, const char* text);
kaiStatus guest_answer(GuestInstance* i, int status, const char* call);  // of FMI, 0 OK … 4 fatal

// fmi2.c, fmi3.c
GuestInstance* guest_make_2(kaiAllocator allocator, size_t* size);
GuestInstance* guest_make_3(kaiAllocator allocator, size_t* size);

// isolate.c: the same block in a process of its own.
void guest_isolate(Guest* g);

#endif
