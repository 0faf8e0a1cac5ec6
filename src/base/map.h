// A hash map from 64-bit keys (often an interned pointer) to 32-bit values, in an arena. Insertion and look-up O(1).
#ifndef KAIROS_BASE_MAP_H
#define KAIROS_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct Map
{
    Arena* arena;
    struct MapSlot* slots;
    uint32_t slot_count, count;
} Map;

void map_init(Map* map, Arena* arena);
void map_set(Map* map, uint64_t key, uint32_t value);
void map_clear(Map* map);    // it is empty, and keeps its memory
void map_release(Map* map);  // gives back its memory; it is empty then
bool map_get(const Map* map, uint64_t key, uint32_t* value);

#endif
