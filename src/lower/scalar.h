// The intermediate form between the flat model and code: a hash-consed graph of plain operators on doubles. Absence,
// latched relations, `pre` and modes are already spelled out in it, so everything behind it (scheduling, bytecode,
// native code, Jacobians) deals with one kind of thing.
#ifndef KAIROS_LOWER_SCALAR_H
#define KAIROS_LOWER_SCALAR_H

#include "base/arena.h"
#include "base/map.h"
#include "base/span.h"
#include "base/walk.h"
#include "model/model.h"

typedef uint32_t ScalarId;  // 0 = none

// A register before layout: class in the upper bits, number within the class below.
typedef uint32_t SymReg;

static inline SymReg sym_reg(RegClass cls, uint32_t index)
{
    return (uint32_t)cls << 28 | index;
}
static inline RegClass sym_class(SymReg reg)
{
    return (RegClass)(reg >> 28);
}
static inline uint32_t sym_index(SymReg reg)
{
    return reg & 0x0fffffff;
}

// Its number once the classes are laid out.
static inline uint32_t relocate(SymReg reg, const uint32_t* reg_first)
{
    return reg == NO_REG ? NO_REG : reg_first[sym_class(reg)] + sym_index(reg);
}

enum
{
    SCALAR_REG = 0xff
};  // op of a leaf

typedef struct Scalar
{
    uint8_t op;  // VmOp, or SCALAR_REG
    bool fixed;  // depends on constants and parameters only
    ScalarId arg[3];
    SymReg reg;  // leaf
    Span span;
} Scalar;

typedef struct Scalars
{
    Arena* arena;
    VEC(Scalar) list;
    VEC(double) constants;
    Map constant_index;
    Map seen;         // for one question about them at a time, so that its memory is taken once
    uint32_t* slots;  // hash-consing
    uint32_t slot_count;
    Walk walk;
} Scalars;

void scalars_init(Scalars* scalars, Arena* arena);
ScalarId scalar_const(Scalars* scalars, double value);
ScalarId scalar_reg(Scalars* scalars, SymReg reg);
// Folds constants and the identities of and, or, not, select, + 0, * 1, / 1.
ScalarId scalar_make(Scalars* scalars, VmOp op, ScalarId a, ScalarId b, ScalarId c, Span span);
bool scalar_is_const(const Scalars* scalars, ScalarId id, double* value);

// The walk over the graph that every pass uses: begin, push roots (0 is ignored), then take one after the other; a
// scalar comes once, its arguments are pushed when it is taken. False: none is left.
static inline void scalar_walk(Scalars* s)
{
    walk_begin(&s->walk);
}
static inline void scalar_walk_push(Scalars* s, ScalarId id)
{
    walk_push(&s->walk, id);
}
bool scalar_walk_next(Scalars* s, Scalar* x);

static inline ScalarId scalar_and(Scalars* s, ScalarId a, ScalarId b)
{
    return scalar_make(s, VM_AND, a, b, 0, (Span){0});
}
static inline ScalarId scalar_or(Scalars* s, ScalarId a, ScalarId b)
{
    return scalar_make(s, VM_OR, a, b, 0, (Span){0});
}
static inline ScalarId scalar_not(Scalars* s, ScalarId a)
{
    return scalar_make(s, VM_NOT, a, 0, 0, (Span){0});
}
static inline ScalarId scalar_select(Scalars* s, ScalarId c, ScalarId a, ScalarId b)
{
    return scalar_make(s, VM_SELECT, c, a, b, (Span){0});
}

#endif
