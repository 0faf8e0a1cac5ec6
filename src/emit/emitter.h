// Writes code: instructions into segments, segments into runs of one operator, mode switches and fixed points around
// them.
#ifndef KAIROS_EMIT_EMITTER_H
#define KAIROS_EMIT_EMITTER_H

#include "lower/compiler.h"

typedef struct Instruction
{
    uint32_t level, order;  // of the data flow within the segment; order of arrival
    uint32_t op;
    SymReg dst, src[3];
    const SymReg* call;  // CALL: its sources, index of the function first; NULL otherwise
    uint32_t call_count;
} Instruction;

typedef struct ScalarPlace
{
    SymReg reg;       // where the value lies
    uint32_t region;  // the region that computed it; 0 = nowhere
} ScalarPlace;

// Code of the whole model grows in `code`; one program is open at a time, besides the parameter program, which collects
// what depends on parameters alone, whoever asks for it.
typedef struct Emitter
{
    Compiler* c;
    VEC(uint32_t) code;  // registers still symbolic
    VEC(Instruction) segment;
    VEC(ScalarPlace) places;  // [scalar]
    VEC(ScalarPlace) blocks;  // [scalar]: of a list that rows of maps read, the first register of its values
    VEC(ScalarId) stack;      // values that wait for their arguments
    VEC(uint32_t) regions;    // open regions, innermost last
    uint32_t next_region;
    uint32_t segment_id;
    VEC(uint64_t) levels[REG_CLASS_COUNT];  // [register]: segment << 32 | level of its last write
    VEC(uint64_t) reads[REG_CLASS_COUNT];   // the same for the deepest read
    VEC(SymReg) fixed;                      // [scalar]: PARAM register, or 0 (class CONST index 0 never is one)
    VEC(Instruction) fixed_code;
    VEC(Span) reg_spans[REG_CLASS_COUNT];
} Emitter;

void emitter_init(Emitter* e, Compiler* c);

uint32_t emit_begin(Emitter* e);  // start of a program: offset in code
CodeRange emit_end(Emitter* e, uint32_t start);
CodeRange emit_parameters(Emitter* e);  // last of all: the parameter program

SymReg emit_value(Emitter* e, ScalarId value);         // a register that holds it
void emit_to(Emitter* e, ScalarId value, SymReg dst);  // computes it into dst
void emit_constant(Emitter* e, double value, SymReg dst);

// A switch over the modes of a machine: begin, a case for some modes, end.
typedef struct SwitchPatch
{
    uint32_t head, count;
    VEC(uint32_t) jumps;
} SwitchPatch;
SwitchPatch emit_switch(Emitter* e, SymReg mode, uint32_t count);
void emit_case(Emitter* e, SwitchPatch* patch, uint32_t mode);
void emit_case_end(Emitter* e, SwitchPatch* patch);
void emit_switch_end(Emitter* e, SwitchPatch* patch);

uint32_t emit_fix(Emitter* e, SymReg first_known, uint32_t count, uint32_t component);
// Newton's method around what follows: `count` unknowns, as many residuals, count² derivatives.
uint32_t emit_newton(Emitter* e, uint32_t count, const SymReg* registers, uint32_t component);
void emit_newton_end(Emitter* e, uint32_t head);
void emit_fix_end(Emitter* e, uint32_t head);

// Replaces symbolic registers by numbers.
void emit_relocate(Emitter* e, const uint32_t* reg_first);

#endif
