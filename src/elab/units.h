// Dimensions of values, and the SI units they are written in.
#ifndef KAIROS_ELAB_UNITS_H
#define KAIROS_ELAB_UNITS_H

#include "base/arena.h"
#include "elab/flat.h"
#include "lang/ast.h"

#include <stdbool.h>

enum
{
    DIM_COUNT = 7
};  // m kg s A K mol cd

typedef enum DimKind
{
    DIM_BARE,    // a variable without a unit, or something computed from one: any dimension will do
    DIM_NUMBER,  // a plain number: any dimension in a sum, none in a product
    DIM_KNOWN,
} DimKind;

typedef struct Dim
{
    uint8_t kind;
    int8_t exponent[DIM_COUNT];
} Dim;

// The unit as written. False if a name in it is no unit; *unknown is that term.
bool unit_resolve(Arena* arena, const Unit* unit, FlatUnit* result, const UnitTerm** unknown);
// Every unit name without prefixes, for suggestions.
const char* const* unit_names(uint32_t* count);
// What to write instead of a unit of other systems, as a sentence; NULL: not known.
const char* unit_foreign(const char* name);

Dim dim_of_unit(const FlatUnit* unit);
Dim dim_none(void);  // known to be dimensionless
Dim dim_number(void);
Dim dim_second(void);

bool dim_equal(const Dim* a, const Dim* b);
bool dim_is_none(const Dim* a);
// False if both are known and differ. *result is the dimension of a sum.
bool dim_join(const Dim* a, const Dim* b, Dim* result);
Dim dim_multiply(const Dim* a, const Dim* b, int sign);  // sign -1 divides
Dim dim_power(const Dim* a, double exponent);            // bare if the exponents do not stay whole

// "m/s^2", "V", "V/s", "1" if dimensionless: as one would say it; in bases alone: "m^2*kg/s^3/A".
const char* dim_text(Arena* arena, const Dim* dim);
const char* dim_bases(Arena* arena, const Dim* dim);

#endif
