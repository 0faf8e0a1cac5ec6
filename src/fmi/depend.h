// What the unknowns of an FMU depend on, and how: ModelStructure of both versions. Found in the compiled code, along
// all of its modes, so that nothing is missing; what is listed may be idle in the present mode.
//
// Knowns are the states, the inputs and time; of calculated parameters the parameters. Unknowns are derivatives,
// outputs, event indicators and calculated parameters.
#ifndef KAIROS_FMI_DEPEND_H
#define KAIROS_FMI_DEPEND_H

#include "fmi/catalogue.h"

// Each weaker than the one before: the factor of a known is a number, follows from parameters, changes at events; or
// the unknown is no such sum.
typedef enum DependKind
{
    DEPEND_CONSTANT,
    DEPEND_FIXED,
    DEPEND_DISCRETE,
    DEPEND_ANYHOW,
} DependKind;

typedef struct Depends
{
    uint32_t known;  // an entry of the catalogue
    DependKind kind;
} Depends;

typedef struct DependList  // by the number of the known
{
    const Depends* at;
    uint32_t count;
} DependList;

typedef struct Dependence
{
    DependList* lists;  // of the entries of the catalogue
    bool* has;          // whether that of an entry is known; otherwise it may depend on everything
} Dependence;

void depend_make(Dependence* d, Arena* arena, const kaiModel* model, const Catalogue* catalogue);
const char* depend_word(DependKind kind);

#endif
