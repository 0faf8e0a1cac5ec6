// Arena: a list of blocks, newest first, with a bump pointer into the newest. Large requests get a block of their own,
// placed behind the newest so that its free part stays in use; an array that outgrows such a block gives it back.
#include "base/arena.h"

#include "base/budget.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ARENA_BLOCK = 64 * 1024,
#ifdef KAIROS_HOSTILE
    ARENA_LARGE = -1,  // everything is a block of its own
#else
    ARENA_LARGE = ARENA_BLOCK / 4,  // more than this is a block of its own
#endif
    ARENA_ALIGN = alignof(max_align_t),
};

static bool is_large(size_t size)
{
    return (ptrdiff_t)size > ARENA_LARGE;
}

// How much longer an array gets.
static uint32_t grown_capacity(uint32_t capacity)
{
#ifdef KAIROS_HOSTILE
    if (capacity < 1000)  // beyond it a model would take all day
        return capacity + 1;
#endif
    return capacity == 0 ? 4 : capacity * 2;
}

static size_t padded(size_t size)
{
#ifdef KAIROS_HOSTILE
    return size;
#else
    return (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
#endif
}

struct ArenaBlock
{
    ArenaBlock *older, *newer;
    size_t size;  // with this header
    alignas(max_align_t) char data[];
};

void arena_init(Arena* arena, kaiAllocator allocator, jmp_buf* fail)
{
    *arena = (Arena){.allocator = allocator, .fail = fail};
}

void arena_free(Arena* arena)
{
    ArenaBlock* block = arena->blocks;
    while (block)
    {
        ArenaBlock* older = block->older;
        arena->allocator.alloc(arena->allocator.user, block, block->size, 0);
        block = older;
    }
    arena->blocks = NULL;
    arena->next = arena->end = NULL;
    arena->used = 0;
}

_Noreturn void arena_fail(Arena* arena)
{
    if (arena->fail)
        longjmp(*arena->fail, 1);
    abort();  // an arena without a place to unwind to: our bug
}

void arena_look(Arena* arena)
{
    if (!budget_look_at(arena->allocator))
        arena_fail(arena);
}

static ArenaBlock* arena_block(Arena* arena, size_t payload)
{
    size_t size = sizeof(ArenaBlock) + payload;
    ArenaBlock* block = arena->allocator.alloc(arena->allocator.user, NULL, 0, size);
    if (!block)
        arena_fail(arena);
    block->size = size;
    block->older = block->newer = NULL;
    return block;
}

// `block` goes behind `front`; NULL: to the front.
static void arena_link(Arena* arena, ArenaBlock* block, ArenaBlock* front)
{
    block->newer = front;
    block->older = front ? front->older : arena->blocks;
    if (block->older)
        block->older->newer = block;
    if (front)
        front->older = block;
    else
        arena->blocks = block;
}

// A block of its own for a large request, linked second so that the newest block keeps serving small ones.
static void* arena_alloc_large(Arena* arena, size_t size)
{
    ArenaBlock* block = arena_block(arena, size);
    arena_link(arena, block, arena->blocks);
    return block->data;
}

static void* arena_alloc_new_block(Arena* arena, size_t size)
{
    ArenaBlock* block = arena_block(arena, ARENA_BLOCK);
    arena_link(arena, block, NULL);
    arena->next = block->data + size;
    arena->end = block->data + ARENA_BLOCK;
    return block->data;
}

void* arena_alloc(Arena* arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        arena_fail(arena);
    size = padded(size);
    void* memory = arena->next;
    if (is_large(size))
        memory = arena_alloc_large(arena, size);
    else if (memory && size <= (size_t)(arena->end - arena->next))
        arena->next += size;
    else
        memory = arena_alloc_new_block(arena, size);
    arena->used += size;
    return memset(memory, 0, size);
}

static void* alloc_in_arena(void* user, void* block, size_t old_size, size_t size)
{
    Arena* arena = user;
    if (size == 0)
        return arena_release(arena, block, old_size), NULL;
    void* made = arena_alloc(arena, size);
    if (block != NULL)
    {
        memcpy(made, block, old_size < size ? old_size : size);
        arena_release(arena, block, old_size);
    }
    return made;
}

kaiAllocator arena_allocator(Arena* arena)
{
    return (kaiAllocator){alloc_in_arena, arena};
}

char* arena_copy_string(Arena* arena, const char* text, size_t length)
{
    char* copy = arena_alloc(arena, length + 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char* arena_printf(Arena* arena, const char* format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char* text = arena_alloc(arena, size);
    if (length > 0)
        vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

void arena_release(Arena* arena, void* memory, size_t size)
{
    size = padded(size);
    if (memory == NULL || !is_large(size))
        return;
    ArenaBlock* block = (ArenaBlock*)((char*)memory - offsetof(ArenaBlock, data));
    if (block->newer)
        block->newer->older = block->older;
    else
        arena->blocks = block->older;
    if (block->older)
        block->older->newer = block->newer;
    arena->allocator.alloc(arena->allocator.user, block, block->size, 0);
}

void* arena_grow(Arena* arena, void* at, uint32_t count, uint32_t* capacity, size_t element_size)
{
    if (*capacity > UINT32_MAX / 2)
        arena_fail(arena);
    uint32_t wanted = grown_capacity(*capacity);
    void* grown = arena_alloc(arena, element_size * wanted);
    if (count > 0)
        memcpy(grown, at, element_size * count);
    arena_release(arena, at, element_size * *capacity);
    *capacity = wanted;
    return grown;
}
