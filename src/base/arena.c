// Arena: a list of blocks, newest first, with a bump pointer into the newest. Requests that would waste much of a
// block get one of their own, placed behind the newest so that its free part stays in use.
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ARENA_BLOCK = 64 * 1024,
    ARENA_ALIGN = alignof(max_align_t),
};

struct ArenaBlock
{
    ArenaBlock* older;
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

static _Noreturn void arena_fail(Arena* arena)
{
    if (arena->fail)
        longjmp(*arena->fail, 1);
    abort();  // an arena without a place to unwind to: our bug
}

static ArenaBlock* arena_block(Arena* arena, size_t payload)
{
    size_t size = sizeof(ArenaBlock) + payload;
    ArenaBlock* block = arena->allocator.alloc(arena->allocator.user, NULL, 0, size);
    if (!block)
        arena_fail(arena);
    block->size = size;
    block->older = NULL;
    return block;
}

// A block of its own for a large request, linked second so that the newest block keeps serving small ones.
static void* arena_alloc_large(Arena* arena, size_t size)
{
    ArenaBlock* block = arena_block(arena, size);
    if (arena->blocks)
    {
        block->older = arena->blocks->older;
        arena->blocks->older = block;
    }
    else
        arena->blocks = block;
    return block->data;
}

static void* arena_alloc_new_block(Arena* arena, size_t size)
{
    ArenaBlock* block = arena_block(arena, ARENA_BLOCK);
    block->older = arena->blocks;
    arena->blocks = block;
    arena->next = block->data + size;
    arena->end = block->data + ARENA_BLOCK;
    return block->data;
}

void* arena_alloc(Arena* arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        arena_fail(arena);
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    void* memory = arena->next;
    if (memory && size <= (size_t)(arena->end - arena->next))
        arena->next += size;
    else if (size > ARENA_BLOCK / 4)
        memory = arena_alloc_large(arena, size);
    else
        memory = arena_alloc_new_block(arena, size);
    arena->used += size;
    return memset(memory, 0, size);
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

void* arena_grow(Arena* arena, void* at, uint32_t count, uint32_t* capacity, size_t element_size)
{
    if (*capacity > UINT32_MAX / 2)
        arena_fail(arena);
    uint32_t wanted = *capacity == 0 ? 4 : *capacity * 2;
    void* grown = arena_alloc(arena, element_size * wanted);
    if (count > 0)
        memcpy(grown, at, element_size * count);
    *capacity = wanted;
    return grown;
}
