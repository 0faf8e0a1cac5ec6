// Where the orders of choice = all have been: what decides the rest of a run, to be found again within a tolerance.
#ifndef KAIROS_RUN_EXPLORE_TABLE_H
#define KAIROS_RUN_EXPLORE_TABLE_H

#include "run/sim.h"

enum
{
    NO_ENTRY = 0xffffffffu,
    TABLE_HEADS = 1 << 12
};

typedef enum PlaceKind
{
    PLACE_CHOICE,   // before a choice, inside an instant
    PLACE_END,      // the end of an instant
    PLACE_OUTCOME,  // the end of a run: only what an outcome shows
} PlaceKind;

typedef struct TableEntry
{
    double t;
    size_t first;  // in values
    uint32_t count, next;
} TableEntry;

typedef struct PlaceTable
{
    kaiAllocator allocator;
    uint32_t state_count;  // the first values of every key
    double relative, absolute;
    double* values;  // keys, one after the other; the key last looked for stands behind them
    size_t value_count, value_capacity;
    uint32_t key_count;
    double key_t;
    bool failed;  // out of memory
    TableEntry* entries;
    uint32_t entry_count, entry_capacity;
    uint32_t heads[TABLE_HEADS];  // by time: the newest entry + 1
} PlaceTable;

void table_open(PlaceTable* table, const kaiSim* sim);
void table_free(PlaceTable* table);
// The entry that coincides with where the run is, or NO_ENTRY.
uint32_t table_find(PlaceTable* table, const kaiSim* sim, PlaceKind kind);
// Adds what was last looked for. NO_ENTRY: out of memory.
uint32_t table_add(PlaceTable* table);

// The variables that show an outcome: states, then discretes and modes. *position begins at 0. False past the last.
bool table_outcome_var(const kaiSim* sim, uint32_t* position, uint32_t* var);

#endif
