// modelDescription.xml: what an importer knows of an FMU before it loads the binary.
#ifndef KAIROS_FMI_DESCRIBE_H
#define KAIROS_FMI_DESCRIBE_H

#include "base/text.h"
#include "elab/units.h"
#include "fmi/bundle.h"
#include "fmi/depend.h"
#include "fmi/shape.h"
#include "kairos/sim.h"

typedef struct Description
{
    Arena* arena;
    const kaiModel* model;
    const Catalogue* catalogue;
    const Shapes* shapes;  // 3.0
    bool hidden;           // there is no text: its structure stays
    Dependence dependence;
    const SourceList* sources;  // NULL: none
    const char* identifier;     // of the binary
    const char* guid;
    const char* refused;  // why there is no Model Exchange; NULL: there is
    const char* about;    // of the model; NULL: nothing
    double start, stop, tolerance;
    int indicators;
} Description;

char* describe_2(const Description* d);
char* describe_3(const Description* d);

// ---- what both share

// The text with what XML reserves replaced.
void xml_put(Writer* w, const char* text);
void xml_attribute(Writer* w, const char* name, const char* value);  // nothing for NULL
// A number that reads back as the same double.
void xml_number(Writer* w, const char* name, double value);
// The unit as declared: its dimension and how many SI units it is. False: it is no unit.
bool describe_unit(Arena* arena, const char* text, FlatUnit* unit);
// The SI unit of that dimension, "m/s"; NULL: the variable has none.
const char* describe_si(Arena* arena, const char* text);
// The document up to the attributes that differ between versions; `token`: what the GUID is called.
void describe_head(const Description* d, Writer* w, const char* version, const char* token);
void describe_experiment(const Description* d, Writer* w);  // LogCategories and DefaultExperiment
void describe_units(const Description* d, Writer* w);       // UnitDefinitions
// TypeDefinitions: one for each machine, its modes counted from 1. `element` holds them, within <Enumeration> if
// `inner`.
void describe_types(const Description* d, Writer* w, const char* element, bool inner);
// dependencies and dependenciesKind of an unknown, the knowns counted from `first`; nothing where they are not known.
void describe_dependencies(const Description* d, Writer* w, uint32_t entry, uint32_t first);
bool describe_is_initial_unknown(const FmiVariable* v);
const char* describe_causality(FmiCausality causality);
const char* describe_initial(FmiInitial initial);

#endif
