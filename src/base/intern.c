// Interner: open addressing with linear probing; entries hold their hash and text, so growing never looks at text.
#include "base/intern.h"

#include "base/hash.h"

#include <string.h>

struct InternEntry
{
    uint64_t hash;
    size_t length;
    char text[];
};

void interner_init(Interner* interner, Arena* arena)
{
    *interner = (Interner){.arena = arena};
}

static uint64_t intern_hash(const char* text, size_t length)
{
    uint64_t hash = hash_bytes(HASH_START, text, length);
    return hash ^ hash >> 29;  // slots use the low bits only
}

static InternEntry** intern_slot(InternEntry** slots, uint32_t slot_count, uint64_t hash, const char* text,
                                 size_t length)
{
    uint32_t mask = slot_count - 1;
    uint32_t i = (uint32_t)hash & mask;
    while (slots[i] && !(slots[i]->hash == hash && slots[i]->length == length &&
                         (length == 0 || memcmp(slots[i]->text, text, length) == 0)))
        i = (i + 1) & mask;
    return &slots[i];
}

static void intern_grow(Interner* interner)
{
    uint32_t slot_count = interner->slot_count == 0 ? 64 : interner->slot_count * 2;
    InternEntry** slots = arena_array(interner->arena, InternEntry*, slot_count);
    for (uint32_t i = 0; i < interner->slot_count; i++)
    {
        InternEntry* entry = interner->slots[i];
        if (entry)
            *intern_slot(slots, slot_count, entry->hash, entry->text, entry->length) = entry;
    }
    interner->slots = slots;
    interner->slot_count = slot_count;
}

const char* intern(Interner* interner, const char* text, size_t length)
{
    if (interner->count * 2 >= interner->slot_count)
        intern_grow(interner);
    uint64_t hash = intern_hash(text, length);
    InternEntry** slot = intern_slot(interner->slots, interner->slot_count, hash, text, length);
    if (!*slot)
    {
        InternEntry* entry = arena_alloc(interner->arena, sizeof(InternEntry) + length + 1);
        entry->hash = hash;
        entry->length = length;
        if (length > 0)
            memcpy(entry->text, text, length);
        *slot = entry;
        interner->count++;
    }
    return (*slot)->text;
}

const char* intern_string(Interner* interner, const char* text)
{
    return intern(interner, text, strlen(text));
}
