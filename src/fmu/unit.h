// One instance of an FMU, as both versions of the standard see it: values by reference, initialization, events, time.
// Model Exchange stands on kaiEval, whose states belong to the importer; Co-Simulation on kaiSim.
//
// Getters have no side effects that an importer could notice: what is computed for (t, x) depends on t, x and the
// inputs alone. What happened at tags (counts, payloads, areas, presence) is kept in tallies, which tags add to.
#ifndef KAIROS_FMU_UNIT_H
#define KAIROS_FMU_UNIT_H

#include "fmi/depend.h"
#include "fmu/store.h"

typedef enum UnitMode
{
    UNIT_INSTANTIATED,
    UNIT_INITIALIZING,
    UNIT_EVENT,       // Model Exchange, and Co-Simulation with events (3.0)
    UNIT_CONTINUOUS,  // Model Exchange
    UNIT_STEPPING,    // Co-Simulation
    UNIT_TERMINATED,
    UNIT_FAILED,
    UNIT_CONFIGURING,  // structural parameters may be set (3.0)
} UnitMode;

enum  // in which modes of the unit a function may be called
{
    IN_INSTANTIATED = 1 << UNIT_INSTANTIATED,
    IN_INITIALIZING = 1 << UNIT_INITIALIZING,
    IN_EVENT = 1 << UNIT_EVENT,
    IN_CONTINUOUS = 1 << UNIT_CONTINUOUS,
    IN_STEPPING = 1 << UNIT_STEPPING,
    IN_TERMINATED = 1 << UNIT_TERMINATED,
    IN_FAILED = 1 << UNIT_FAILED,
    IN_CONFIGURING = 1 << UNIT_CONFIGURING,
    IN_RUN = IN_EVENT | IN_CONTINUOUS | IN_STEPPING,
    IN_ANY = 255,
    IN_FINE = IN_ANY & ~IN_FAILED,
};

typedef enum UnitLevel
{
    UNIT_INFO,
    UNIT_WARNING,
    UNIT_ERROR,
} UnitLevel;

typedef void UnitLog(void* user, UnitLevel level, const char* text);

// Who hears of what happens: errors always, the rest as the levels say, 1 << UnitLevel.
typedef struct UnitListener
{
    UnitLog* log;
    void* user;
    unsigned levels;
} UnitListener;

// What tags have left behind of a variable.
typedef struct Tally
{
    double count, payload, area;
    double held;   // the last value that was there
    bool present;  // at the last tag; in Co-Simulation, in the last step
    bool posted;   // an input event that was set and not taken back
    bool fresh;    // it was set and nothing has seen it yet: no tag, in Co-Simulation no step
} Tally;

typedef struct Column
{
    int variable, order;
    bool event;
} Column;

// Something that an importer did between the tags of an instant: a tag (-1), or a value that it set.
typedef struct UnitDone
{
    int reference;
    double value;
} UnitDone;

// Inside an instant (unit_save.c): the copy from before it, and what was done since.
typedef struct UnitInstant
{
    char* before;
    size_t size, room;
    UnitDone* done;
    size_t done_count, done_room;
} UnitInstant;

// A model that the instance has had, and the structural parameters that it was compiled with: states that an importer
// holds may be of it.
typedef struct UnitModel
{
    kaiModel* model;
    kaiOverride* structure;
    int count;
} UnitModel;

// What value references are about, and what decides it.
typedef struct UnitStructure
{
    Shapes shapes;           // 3.0: what value references are about
    double* sizes;           // of shapes: what an importer wants sizes that follow to be; NaN: nothing
    Dependence* dependence;  // of the present model, once somebody has asked
    bool configured;         // it is another model than the FMU began with
    VEC(UnitModel) models;
} UnitStructure;

// Events that run together: when the last one was, how many there are.
typedef struct UnitZeno
{
    double time;
    int count;
} UnitZeno;

// The experiment as the importer says it, and how far its steps have come.
typedef struct UnitExperiment
{
    double start, tolerance;  // NaN: as the model says
    double stop;              // beyond which there is no step; inf: not said
    double last;              // where the last step of Co-Simulation ended
} UnitExperiment;

typedef struct Unit
{
    jmp_buf fail;
    Arena arena;
    Store store;
    Catalogue catalogue;
    UnitStructure structure;
    kaiModel* model;  // the present one
    int version;      // of the standard
    bool exchange;
    UnitMode mode;
    UnitListener listener;
    kaiSimOptions options;
    UnitExperiment experiment;
    kaiEval* eval;
    kaiSim* sim;
    bool ready;           // the run stands at its start or later, with all values that were given
    bool looked;          // the eval stands at (t, x); nothing has moved since
    bool rated, watched;  // dx and watch are those of there, if it does
    bool inside;          // between the tags of an instant
    bool halted;
    bool unsettled;  // something was set that is to be seen at the present time
    double t;
    int states, indicators;
    double *x, *dx, *watch, *scratch;
    bool* given;  // of variables of the model: before the start
    double* given_values;
    double* inputs;  // as last set
    Tally* tallies;
    Column* columns;
    int column_count;
    int* record;
    int record_count;
    UnitZeno zeno;
    UnitInstant instant;
    char message[1300];
} Unit;

// NULL: no memory, or the log has a sentence why not.
Unit* unit_create(const char* resources, int version, bool exchange, UnitLog* log, void* user);
void unit_free(Unit* unit);
bool unit_reset(Unit* unit);
// A sentence to the log, and the unit has failed. Always false.
bool unit_fail(Unit* unit, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The same without a failure: the call was wrong. Always false.
bool unit_refuse(Unit* unit, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Whether the modes in which a function of the standard may be called have the present one; otherwise the log says so.
bool unit_may(Unit* unit, unsigned modes, const char* function);
// Whether an array has as many values as it must.
bool unit_has_count(Unit* unit, size_t count, int wanted);

// What happens, for whoever wants to hear it.
void unit_note(Unit* unit, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The levels of categories of the log, all of them for none; false: there is no such category.
bool unit_listen(Unit* unit, bool on, size_t count, const char* const categories[]);

// All return false where the log has the reason.
// The experiment as the importer says it; NaN: no tolerance.
bool unit_set_up(Unit* unit, double tolerance, double start, bool has_stop, double stop);
bool unit_begin_initialization(Unit* unit);
bool unit_end_initialization(Unit* unit);
bool unit_ready(Unit* unit);  // starts the run if it is not there yet
bool unit_get(Unit* unit, uint32_t reference, double* value);
bool unit_set(Unit* unit, uint32_t reference, double value);

// Model Exchange.
bool unit_rates(Unit* unit, double* dx);
bool unit_indicators(Unit* unit, double* z);
bool unit_set_time(Unit* unit, double t);
void unit_set_states(Unit* unit, const double* x);
bool unit_step_done(Unit* unit);
void unit_clear_events(Unit* unit);  // no event is present

typedef struct UnitEvents
{
    bool more, states_changed, terminate;
    double next;  // inf: none
} UnitEvents;
bool unit_tag(Unit* unit, UnitEvents* events);  // one round of event iteration

// Co-Simulation: to time t, or to the next instant on the way there.
bool unit_advance(Unit* unit, double t, bool* instant);
bool unit_step(Unit* unit, double t);                       // all instants on the way
bool unit_is_step(Unit* unit, double from, double length);  // from where the last one ended, and not beyond the stop
bool unit_settle(Unit* unit, UnitEvents* events);           // what was set and posted at the present time
// The model with other structural parameters, those that were set. Its variables must stay the same.
bool unit_configure(Unit* unit);
const Dependence* unit_dependence(Unit* unit);  // NULL: no memory

// derivatives of unknowns along a change of knowns
bool unit_along(Unit* unit, const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns, size_t known_count,
                const double* seed, double* result);

// The state as an importer holds it: for any instance of this FMU, in this process or (as bytes) in another.
typedef struct UnitState
{
    char* bytes;
    size_t size;
    kaiSnapshot* snapshot;  // Co-Simulation
    char* later;            // its bytes, where it is that of a model with other structural parameters
    size_t later_size;
} UnitState;
// As an importer holds it, without a type; in the place of an old one, or of NULL.
bool unit_state_save(Unit* unit, void** state);
bool unit_state_restore(Unit* unit, const UnitState* state);
void unit_state_free(UnitState* state);  // NULL is fine
// The state as bytes: how many; and where there is room for all of them, they.
bool unit_state_size(const UnitState* state, size_t* size);
bool unit_state_write(const UnitState* state, char* to, size_t room);
bool unit_state_read(Unit* unit, const char* bytes, size_t size, void** state);  // the old one is not freed

#endif
