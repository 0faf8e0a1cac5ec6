// Links units: keeps what the unit at hand reads while units.c and unit_islands.c go through the model.
#ifndef KAIROS_SCHEDULE_LINKER_H
#define KAIROS_SCHEDULE_LINKER_H

#include "schedule/builder.h"

typedef struct Edge
{
    uint32_t from, to;
    bool read;  // not to hear of `from`, but to hold what it reads
} Edge;

typedef struct Linker
{
    Builder* b;
    VEC(SymReg) regs;  // what the unit at hand reads
    VEC(uint32_t) seen[REG_CLASS_COUNT];
    uint32_t round;
    uint32_t* flow_of;   // [task]: its flow unit + 1
    uint32_t* react_of;  // [task]: its reaction unit + 1
    Map memory_of;       // register → memory that fills it
    Map guard_of;        // last_g → guard
    Map delay_of;        // `out` of a continuous delay → delay
    Map left_of;         // guard or memory | kind << 32 → its flow unit
    VEC(Edge) edges;
    uint32_t first_guard, first_memory;  // their reaction units
    bool time_searched;                  // some guard of time has an island
} Linker;

void linker_request(Builder* b, CodeForm form, CodeOwner owner, uint32_t index, const ProgramSpec* spec);
// For the unit that is added next.
void linker_request_values(Builder* b, const Sinks* sinks);
void linker_begin(Linker* k);
void linker_read_reg(Linker* k, SymReg reg);
void linker_read_ctx(Linker* k, uint32_t ctx);
void linker_read_scalar(Linker* k, ScalarId root);
void linker_read_task(Linker* k, Phase phase, uint32_t task);
void linker_read_sink(Linker* k, Map* index, SymReg reg);
// Everything that a whole program reads, its tasks included.
void linker_read_program(Linker* k, const ProgramSpec* spec);
void linker_add_need(Linker* k, ModelUnit* u, uint32_t unit);
void linker_add_island(Linker* k, ModelUnit* u, uint32_t island);
// What must be up to date before the unit is evaluated.
void linker_inputs(Linker* k, ModelUnit* u, uint32_t own);
// Memories that the unit reads must hold their left limit.
void linker_memories(Linker* k, uint32_t unit);
// Who makes the unit change.
void linker_sources(Linker* k, uint32_t unit);
ModelUnit linker_new_unit(Linker* k, UnitKind kind, uint32_t index);
uint32_t linker_push_unit(Linker* k, ModelUnit u);

// unit_islands.c
void unit_island_derivatives(Linker* k);
void unit_island_looks(Linker* k);
void unit_island_events(Linker* k);
void unit_island_guards(Builder* b);
void unit_island_delays(Builder* b);
void unit_island_fuse(Builder* b);

#endif
