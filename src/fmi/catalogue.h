// What an FMU shows of a model: one list, made from the compiled model alone, so that whoever writes
// modelDescription.xml and the binary that answers by value references have the same numbers without a table between
// them. A value reference is an index of this list.
//
// A variable of the model is one entry, or several: an event is a Boolean with a count and its last payload beside it,
// a value that can be absent holds its last one beside `x.present`, an impulse adds `F.area`, the running sum of its
// weights, and a state has its derivative.
#ifndef KAIROS_FMI_CATALOGUE_H
#define KAIROS_FMI_CATALOGUE_H

#include "base/arena.h"
#include "kairos/model.h"

typedef enum FmiAspect
{
    FMI_TIME,
    FMI_VALUE,
    FMI_RATE,     // der(x)
    FMI_PRESENT,  // of an event: at this tag; of another value: now
    FMI_COUNT,    // how often an event was present
    FMI_PAYLOAD,  // the last one of an event
    FMI_AREA,     // of δ: the sum of its weights so far
    FMI_WATCH,    // an event indicator, which 3.0 wants to be a variable
    FMI_SIZE,     // 3.0: the number of elements of an array (shape.h)
} FmiAspect;

typedef enum FmiType
{
    FMI_REAL,
    FMI_INTEGER,
    FMI_BOOLEAN,
    FMI_ENUMERATION,
    FMI_CLOCK,     // 3.0: an event
    FMI_COUNTING,  // 3.0: a parameter that is the size of arrays
} FmiType;

typedef enum FmiCausality
{
    FMI_INDEPENDENT,
    FMI_STRUCTURAL,  // 2.0 has none: there it is a constant
    FMI_PARAMETER,
    FMI_CALCULATED,
    FMI_INPUT,
    FMI_OUTPUT,
    FMI_LOCAL,
} FmiCausality;

typedef enum FmiInitial
{
    FMI_NONE,  // inputs and time have none
    FMI_EXACT,
    FMI_APPROX,
    FMI_CALCULATED_INITIAL,
} FmiInitial;

typedef struct FmiVariable
{
    const char* name;
    const char *description, *unit;  // NULL: none
    FmiAspect aspect;
    FmiType type;
    FmiCausality causality;
    FmiInitial initial;
    bool continuous, fixed;  // neither: discrete
    int variable;            // of the model; -1: time
    int state;               // RATE, and the VALUE of a state; WATCH: the guard; -1: none
    int machine;             // ENUMERATION: whose modes
    int other;               // RATE: the entry of its state. VALUE of a state: that of its rate. -1: none
    double start;            // NaN: it has none
    kaiPlace place;
} FmiVariable;

typedef struct Catalogue
{
    VEC(FmiVariable) list;
    VEC(uint32_t) states;  // entries of the continuous states, in the solver's order
    VEC(uint32_t) rates;
    bool counts;  // some entry depends on what happened at tags before
} Catalogue;

// For a version of the standard, 2 or 3. Texts are in the arena or the model's.
void catalogue_make(Catalogue* catalogue, Arena* arena, const kaiModel* model, int version);
// Makes outputs of what is local and has one of these names.
void catalogue_show(Catalogue* catalogue, const char* const* names, int count);
// The modes of a machine. NULL past the last.
const char* catalogue_mode(const kaiModel* model, int machine, int mode);
// A variable whose value may be missing.
bool catalogue_may_be_absent(const kaiModel* model, int variable);

#endif
