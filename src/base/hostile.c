// Part of the hostile build only (hostile.h, cmake/Core.cmake).
#include "base/hostile.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// In front of every block; the guard behind it is at an odd address if the size is odd.
typedef struct Head
{
    size_t size;
    uint64_t mark;
} Head;

static const uint64_t mark = 0x6b616972686f7374u;
static const unsigned char fresh = 0xcb, gone = 0xdb;

static Head* head_of(void* block)
{
    return (Head*)block - 1;
}

static void* take(size_t size)
{
    Head* head = malloc(sizeof *head + size + sizeof mark);
    if (head == NULL)
        return NULL;
    *head = (Head){size, mark};
    memset(head + 1, fresh, size);
    memcpy((char*)(head + 1) + size, &mark, sizeof mark);
    return head + 1;
}

static void give_back(void* block)
{
    Head* head = head_of(block);
    memset(head, gone, sizeof *head + head->size + sizeof mark);
    free(head);
}

void* hostile_resize(void* block, size_t old_size, size_t size)
{
    assert(block != NULL || old_size == 0);
    if (block != NULL)
    {
        const Head* head = head_of(block);
        assert(head->mark == mark && "not a block, or given back already");
        assert(head->size == old_size && "the size it was made with is another");
        assert(memcmp((char*)block + old_size, &mark, sizeof mark) == 0 && "written behind the end");
    }
    void* made = size > 0 ? take(size) : NULL;
    if (size > 0 && made == NULL)
        return NULL;
    if (made != NULL && block != NULL)
        memcpy(made, block, old_size < size ? old_size : size);
    if (block != NULL)
        give_back(block);
    return made;
}

uint64_t hostile_seed(void)
{
    const char* text = getenv("KAIROS_HOSTILE_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

bool hostile_chance(uint64_t* state, uint32_t odds)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_mix(*state) % odds == 0;
}

bool hostile_coin(const char* name)
{
    const char* islands = getenv("KAIROS_HOSTILE_ISLANDS");
    if (islands != NULL && strcmp(islands, "0") == 0)
        return false;
    return hash_bytes(hostile_seed(), name, strlen(name)) >> 17 & 1;
}
