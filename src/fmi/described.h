// An FMU of anybody, as its archive and modelDescription.xml say: read, and held against the rules of the standard.
// What is wrong is a list of messages, all of them.
#ifndef KAIROS_FMI_DESCRIBED_H
#define KAIROS_FMI_DESCRIBED_H

#include "base/map.h"
#include "fmi/unzip.h"
#include "fmi/xml.h"
#include "kairos/error.h"

typedef struct DescribedVariable
{
    const XmlElement* element;  // with name, causality, … as written
    const XmlElement* type;     // 2.0: <Real …>; 3.0: the element itself
    const char *name, *causality, *variability, *initial, *start;
    uint32_t reference;
    int64_t derivative;  // the index of its state's variable; -1: none
    int rank;            // of an array
    int64_t elements;    // as the start values of sizes say; -1: nobody knows
} DescribedVariable;

typedef struct Described
{
    Arena* arena;
    Archive archive;
    const XmlElement* root;
    int version;                                        // 2 or 3
    const char *name, *guid, *exchange, *cosimulation;  // the last two: their modelIdentifier; NULL: there is none
    const char* platform;                               // the folder of the binary
    double start, stop, step;                           // NaN: not said
    VEC(DescribedVariable) variables;
    Map references;       // to the first variable of each
    VEC(uint32_t) rates;  // variables that are derivatives of the continuous states, in order
    bool* states;         // whether a variable is a continuous state
    int indicators;
    VEC(kaiError*) messages;
    int errors;
} Described;

// Reads and checks. False: there is an error among the messages.
bool described_read(Described* d, Arena* arena, const void* bytes, size_t size);
void described_say(Described* d, int line, kaiSeverity severity, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// validate.c: the rules about variables and the structure; dimensions.c: about arrays; symbols.c: about the binary.
void validate_variables(Described* d);
void validate_dimensions(Described* d);
void validate_structure(Described* d);
void validate_binary(Described* d);

// The index of a variable by its value reference; -1: there is none.
int64_t described_find(const Described* d, uint32_t reference);
// Whether a variable is an event: a clock of 3.0, or a Boolean of an FMU of Kairos that has a count beside it.
bool described_is_event(const Described* d, uint32_t variable);
// Its payload or its count, which come with it.
bool described_is_event_part(const Described* d, uint32_t variable);
// Of such an event the variable with its payload ("value") or how often it was there ("count"); -1: there is none.
int64_t described_event_part(const Described* d, uint32_t variable, const char* part);
// Whether Kairos made it: then events and computed values of a tag show after the round of it, not before.
bool described_is_own(const Described* d);
// A whole number from 0 on; false: the text is none.
bool described_number(const char* text, uint32_t* number);

#endif
