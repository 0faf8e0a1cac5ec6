// A small importer of FMUs for the tests, written against the standard alone: it knows an unpacked folder, the
// description in it and the functions of the binary.
#ifndef KAIROS_TESTS_FMI_IMPORTER_H
#define KAIROS_TESTS_FMI_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum VariableType
{
    TYPE_REAL,
    TYPE_INTEGER,
    TYPE_BOOLEAN,
    TYPE_ENUMERATION,
    TYPE_CLOCK,
    TYPE_UNSIGNED,
} VariableType;

typedef struct Variable
{
    char name[200];
    unsigned reference;
    VariableType type;
    char causality[24];
    double start;
    bool derivative;
    int element, elements;  // of an array, from 0; a scalar is one of one
    int rank;
    long sizes[8];  // of dimensions: numbers, or -1 - reference of what is the number
} Variable;

typedef struct Description
{
    char identifier[200], guid[100];
    int version;
    double start, stop;
    bool exchange, cosimulation;
    Variable* variables;  // elements of arrays one by one, m.x[2]
    int count;
    Variable* declared;  // as they are in the file
    int declared_count;
    unsigned* watches;  // 3.0: event indicators
    int watch_count;
    int indicators, states;
} Description;

// How the importer behaves.
typedef enum Style
{
    STYLE_PLAIN,   // stops just behind a change of sign, found by bisection
    STYLE_EXACT,   // stops where z is 0 exactly if it can
    STYLE_BEFORE,  // stops just before the change of sign
    STYLE_OVER,    // takes the whole step
    STYLE_BACK,    // asks at earlier times in between
    STYLE_ANY,     // asks for everything at every opportunity, in any order
    STYLE_SILENT,  // never says that a step is over
    STYLE_SAVES,   // saves, serialises and restores the state all the time
} Style;

typedef struct Call
{
    const char *folder, *kind;
    Style style;
    double step, stop;
    bool verbose, cvode, depends;
    const char* sets[20];  // name=value, before initialization
    int set_count;
    const char* ramps[20];  // name=slope: an input that moves with time (Model Exchange)
    int ramp_count;
    double save_at;  // the first step that ends there or later is the last
    const char *save_to, *resume;
    const char* along[20];  // unknown/known: a derivative at the end
    int along_count;
} Call;

// Reads FOLDER/modelDescription.xml. False: it cannot be.
bool description_read(const char* folder, Description* description);
char* description_text(const char* folder);  // all of it; to be freed
// The variables of arrays as large as the parameters are that say how large they are: `start` of those declared.
void description_expand(Description* description);
void description_free(Description* description);
// The value of an attribute of the element that begins at `at`; false: it has none.
bool description_attribute(const char* at, const char* name, char* value, size_t size);
const Variable* description_find(const Description* description, const char* name);

typedef struct Events
{
    bool more, terminate, has_next;
    double next;
} Events;

// An instance as the loops see it, whatever the version of the standard. What an FMU refuses ends the program.
typedef struct Port
{
    void* self;
    void (*set_time)(void* self, double t);
    void (*set_states)(void* self, const double* x, int count);
    void (*get_states)(void* self, double* x, int count);
    void (*rates)(void* self, double* dx, int count);
    void (*watch)(void* self, double* z, int count);
    void (*enter_event)(void* self);
    void (*update)(void* self, Events* events);
    void (*enter_continuous)(void* self);
    bool (*step_done)(void* self);            // whether event mode is wanted
    char* (*save)(void* self, size_t* size);  // the state as bytes, to be freed
    void (*restore)(void* self, const char* bytes, size_t size);
    double (*get)(void* self, const Variable* variable);
    void (*set)(void* self, const Variable* variable, double value);
    // One step of Co-Simulation: where it ended. *over: the model wants no more.
    double (*do_step)(void* self, double from, double length, bool* over);
    double (*along)(void* self, const Variable* unknown, const Variable* known);
    void (*sizes)(void* self, size_t* states, size_t* indicators);  // 3.0
    void (*initialize)(void* self, double start);
    void (*end)(void* self);      // terminated and freed
    void (*release)(void* self);  // freed, whatever its mode
} Port;

// The port of an unpacked FMU, not initialized yet.
void open_2(const Call* call, const Description* description, Port* port);
void open_3(const Call* call, const Description* description, Port* port);
void* load_library(const char* folder, const char* platform, const char* identifier);
void* load_symbol(void* library, const char* name);

// importer_loop.c
void drive(const Call* call, const Description* description, const Port* port);

#endif
