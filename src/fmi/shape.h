// What FMI 3.0 sees of a catalogue: its variables, of which an array is one. `m[1].x`, `m[2].x`, … of the model are the
// elements of `m.x`; a value reference is a place in the list of shapes. Names are all that this needs, so that whoever
// describes an FMU and its binary, which compiles the model again with other sizes, make the same list.
//
// A dimension is a number, or follows a parameter that decides the structure: then it refers to that parameter, or,
// where it is another number (the n - 1 springs between n masses), to a parameter `_size_…` made for it.
#ifndef KAIROS_FMI_SHAPE_H
#define KAIROS_FMI_SHAPE_H

#include "fmi/catalogue.h"

enum
{
    SHAPE_RANK_MOST = 8
};

// Which dimensions follow which parameter, found by whoever exports (sizes.c).
typedef struct SizeRule
{
    const char* array;      // the path of the array without indices, "m" or "a.b"; "*": any
    const char* parameter;  // "*": a parameter of its own
} SizeRule;

typedef VEC(SizeRule) SizeRules;

typedef struct ShapeDimension
{
    const char* array;
    int64_t low, high;
    int by;  // the shape of the parameter that is its size; -1: it is what it is
} ShapeDimension;

typedef struct Shape
{
    const char* name;
    FmiVariable like;    // what its elements have in common
    uint32_t at, count;  // its elements among all; a scalar has one
    int rank;            // 0: a scalar
    ShapeDimension dimensions[SHAPE_RANK_MOST];
    int derivative;  // RATE: the shape of its states
} Shape;

typedef struct Shapes
{
    VEC(Shape) list;
    uint32_t* elements;  // entries of the catalogue, shape after shape, the last index fastest
    uint32_t* shape;     // of an entry
    uint32_t* place;     // of an entry within its shape, from 0
    int* states;         // continuous states in the order of the shapes: their places in the solver's
    bool ordered;        // which is the same
} Shapes;

// What elements have in common becomes theirs; parameters that are sizes are whole numbers, and events in arrays whose
// size follows one are Booleans, since clocks are scalars.
void shapes_make(Shapes* shapes, Arena* arena, Catalogue* catalogue, const kaiModel* model, const SizeRules* rules);
// The shapes of `made` in the order of `described`, which other sizes must not change; false: a variable is missing, is
// new, or has a size that does not follow. `*why` is its name.
bool shapes_follow(Shapes* made, Arena* arena, const Catalogue* catalogue, const Shapes* described, const char** why);
uint32_t shape_size(const ShapeDimension* dimension);
// The name of an entry without its indices, "m.x" of "m[2].x".
char* shape_skeleton(Arena* arena, const char* name);

#endif
