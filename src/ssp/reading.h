// A system of anybody while it is read: systems and components as one list of elements, each with its ports, what is
// connected to them and what values they are given. Connections become expressions of the model that the system is.
#ifndef KAIROS_SSP_READING_H
#define KAIROS_SSP_READING_H

#include "base/text.h"
#include "fmi/described.h"
#include "kairos/kairos.h"

#include <setjmp.h>

#define SSP_DESCRIPTION "SystemStructure.ssd"

typedef struct PartFile
{
    const char* name;  // in the archive
    const ArchiveEntry* entry;
    char* bytes;
    Described fmu;
} PartFile;

// How many SI units a number is: scale * number + offset of `si`.
typedef struct PortUnit
{
    bool known;
    double scale, offset;
    const char* si;  // NULL: a plain number
} PortUnit;

typedef enum PortKind
{
    PORT_INPUT,
    PORT_OUTPUT,
    PORT_PARAMETER,
    PORT_CALCULATED,
    PORT_BOTH,  // of a system: what is connected to it decides
} PortKind;

typedef struct Port
{
    const char* name;
    const char* id;  // in the model
    PortKind kind;
    PortUnit unit;
    const XmlElement* names;  // of its numbers: an enumeration; NULL: they have none
    bool both;                // an inout: connections say which way, whatever end they call the start
    bool text;                // no number
    bool raw;                 // of an FMU that knows no unit: the model has the number in that of the connector
    const char* source;       // what is connected, as an expression; NULL: nothing
    bool part;                // of an event, which it comes with
    bool given;
    double value;  // as the model has it: in SI units, or raw
} Port;

typedef struct Element
{
    const char *name, *id;
    int parent;  // -1: this is the whole
    int fmu;     // among the sources; -1: a system
    const char* kind;
    const XmlElement* xml;
    VEC(Port) ports;  // of a component: what it has connectors for, and what it has values for
} Element;

typedef struct SspRead
{
    jmp_buf fail;
    Arena arena;
    const char* path;
    const char* file;  // the description that is read
    kaiError* error;
    Archive archive;
    VEC(PartFile) sources;
    VEC(Element) elements;
    VEC(const char*) open;    // descriptions that are being read, one in the other
    VEC(const char*) ids;     // names of the model that are taken
    const XmlElement* units;  // of the description that is read
    const XmlElement* enumerations;
    const char* name;
    double start, stop;  // stop inf: not said
    int depth;
} SspRead;

// A sentence, with the line of an element; always false.
bool reading_wrong(SspRead* r, const XmlElement* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
// read.c: elements without the prefixes of name spaces, which are the writer's choice.
bool reading_is(const XmlElement* e, const char* name);
const XmlElement* reading_child(const XmlElement* parent, const char* name);
bool reading_needs(SspRead* r, const XmlElement* e, const char* attribute, const char** value);
bool reading_number(SspRead* r, const XmlElement* e, const char* attribute, double otherwise, double* value);
// A file of the archive as XML; NULL: the error says why not. `from`: the reference, as a URI. With the attribute
// sourceBase of e it may be one inside the FMU of an element.
const XmlElement* reading_file(SspRead* r, const XmlElement* e, const char* from, const char** name);
const XmlElement* reading_bound(SspRead* r, const XmlElement* e, int element, const char* from, const char** name);
const char* reading_path(SspRead* r, const char* from);

// elements.c: a system with all that is in it. The index of its element, -1: wrong.
int elements_read(SspRead* r, const XmlElement* system, int parent, const char* name);
const DescribedVariable* element_variable(const SspRead* r, const Element* element, const char* name);
// A port of an element, made for a variable of its FMU that has no connector. NULL: it has no such variable.
Port* element_port(SspRead* r, int element, const char* name, bool make);
int element_find(const SspRead* r, int parent, const char* name);

// units.c
bool unit_named(SspRead* r, const XmlElement* e, const XmlElement* list, const char* name, PortUnit* unit);
PortUnit unit_of_variable(SspRead* r, const Element* element, const DescribedVariable* v);
// What a connection carries, as an expression of its target.
bool unit_connect(SspRead* r, const XmlElement* e, const Port* from, Port* to);

// names.c: enumerations. That of a connector, as the description or the FMU has it; the number of one of its names.
const XmlElement* names_of(const SspRead* r, const XmlElement* connector, const Element* of,
                           const DescribedVariable* v);
const XmlElement* names_listed(const XmlElement* list, const char* name);
bool names_number(SspRead* r, const XmlElement* e, const XmlElement* names, const char* name, double* value);
// An entry of a mapping: two numbers, of Booleans, of whole numbers, or of names.
typedef struct NamesEntry
{
    double source, target;
} NamesEntry;
bool names_entry(SspRead* r, const XmlElement* map, const XmlElement* entry, const XmlElement* from,
                 const XmlElement* to, NamesEntry* numbers);

// values.c: what is bound to the parameters of an element.
bool values_read(SspRead* r, const XmlElement* xml, int element);
// A LinearTransformation or a mapping of numbers at `e`, applied to a number.
bool values_transform(SspRead* r, const XmlElement* e, double* value);

// text.c: the model.
char* reading_text(SspRead* r);
const char* reading_mangle(Arena* arena, const char* name);
const char* reading_id(SspRead* r, const char* name);  // one that is not taken yet

#endif
