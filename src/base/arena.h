// Memory that is freed all at once. The compiler side lives in arenas: no ownership to track, and a failed allocation
// unwinds to the one place that set `fail`, so that no function in between needs an error path for it.
#ifndef KAIROS_BASE_ARENA_H
#define KAIROS_BASE_ARENA_H

#include "kairos/base.h"

#include <setjmp.h>
#include <stdint.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena
{
    kaiAllocator allocator;
    jmp_buf* fail;  // longjmp(…, 1) when the allocator gives nothing
    ArenaBlock* blocks;
    char *next, *end;  // free part of the newest block
    size_t used;       // bytes handed out
} Arena;

void arena_init(Arena* arena, kaiAllocator allocator, jmp_buf* fail);
void arena_free(Arena* arena);
// Unwinds as a failed allocation does: for whoever caught the failure of an arena inside another.
_Noreturn void arena_fail(Arena* arena);

// An allocator whose memory goes with the arena: for what would be lost when an arena unwinds.
kaiAllocator arena_allocator(Arena* arena);
// For loops that are long and allocate little: unwinds if the time is over or somebody interrupts.
void arena_look(Arena* arena);

// Zeroed memory, aligned for any type. Never NULL.
void* arena_alloc(Arena* arena, size_t size);
// Gives back what arena_alloc gave for `size`, if it is large; small pieces stay until the arena goes.
void arena_release(Arena* arena, void* memory, size_t size);
char* arena_copy_string(Arena* arena, const char* text, size_t length);  // adds the terminating 0
char* arena_printf(Arena* arena, const char* format, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(arena, type) ((type*)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type*)arena_alloc((arena), sizeof(type) * (size_t)(count)))

// A growable array in an arena: `VEC(int) list = {0}; vec_push(arena, list, 3); list.at[0]; list.count`.
// Growth moves it: whoever keeps `at`, or a copy of the array, must not look at it after a push.
#define VEC(type)                                                                                                      \
    struct                                                                                                             \
    {                                                                                                                  \
        type* at;                                                                                                      \
        uint32_t count, capacity;                                                                                      \
    }

void* arena_grow(Arena* arena, void* at, uint32_t count, uint32_t* capacity, size_t element_size);

#define vec_reserve_one(arena, vec)                                                                                    \
    ((vec).count < (vec).capacity                                                                                      \
         ? (void)0                                                                                                     \
         : (void)((vec).at = arena_grow((arena), (vec).at, (vec).count, &(vec).capacity, sizeof *(vec).at)))

#define vec_push(arena, vec, ...) (vec_reserve_one((arena), (vec)), (void)((vec).at[(vec).count++] = (__VA_ARGS__)))

// Gives back the storage of an array that nobody needs any more.
#define vec_release(arena, vec)                                                                                        \
    (arena_release((arena), (vec).at, sizeof *(vec).at * (size_t)(vec).capacity), (void)((vec).at = NULL),             \
     (void)((vec).count = (vec).capacity = 0))

// Append a zeroed element and yield a pointer to it (valid until the next push).
#define vec_add(arena, vec) (vec_reserve_one((arena), (vec)), &(vec).at[(vec).count++])

#endif
