// Map: open addressing with linear probing, at most half full. Keys are mixed because pointers share their low bits.
#include "base/map.h"

#include "base/hash.h"

#include <string.h>

typedef struct MapSlot
{
    uint64_t key;
    uint32_t value;
    bool used;
} MapSlot;

void map_init(Map* map, Arena* arena)
{
    *map = (Map){.arena = arena};
}

static MapSlot* map_slot(MapSlot* slots, uint32_t slot_count, uint64_t key)
{
    uint32_t mask = slot_count - 1;
    uint32_t i = (uint32_t)hash_mix(key) & mask;
    while (slots[i].used && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static void map_grow(Map* map)
{
    uint32_t slot_count = map->slot_count == 0 ? 16 : map->slot_count * 2;
    MapSlot* slots = arena_array(map->arena, MapSlot, slot_count);
    for (uint32_t i = 0; i < map->slot_count; i++)
        if (map->slots[i].used)
            *map_slot(slots, slot_count, map->slots[i].key) = map->slots[i];
    arena_release(map->arena, map->slots, sizeof(MapSlot) * map->slot_count);
    map->slots = slots;
    map->slot_count = slot_count;
}

void map_set(Map* map, uint64_t key, uint32_t value)
{
    if (map->count * 2 >= map->slot_count)
        map_grow(map);
    MapSlot* slot = map_slot(map->slots, map->slot_count, key);
    if (!slot->used)
        map->count++;
    *slot = (MapSlot){key, value, true};
}

bool map_get(const Map* map, uint64_t key, uint32_t* value)
{
    if (map->slot_count == 0)
        return false;
    const MapSlot* slot = map_slot(map->slots, map->slot_count, key);
    if (slot->used && value)
        *value = slot->value;
    return slot->used;
}

// Memory for much more than it held would cost its size each time.
void map_clear(Map* map)
{
    if (map->slot_count > 64 && map->slot_count / 32 > map->count)
        map_release(map);
    else if (map->count > 0)
        memset(map->slots, 0, sizeof(MapSlot) * map->slot_count);
    map->count = 0;
}

void map_release(Map* map)
{
    arena_release(map->arena, map->slots, sizeof(MapSlot) * map->slot_count);
    *map = (Map){.arena = map->arena};
}
