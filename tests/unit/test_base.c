// Arena, interner, map, allocator.
#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_version(void** state)
{
    (void)state;
    assert_string_equal(kaiVersion(), "0.1.0");
}

static void test_arena_memory_is_zeroed_and_aligned(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    for (size_t size = 0; size < 300000; size = size * 3 + 1)
    {
        unsigned char* bytes = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xAB, size);
    }
    assert_true(arena.used > 300000);
    arena_free(&arena);
    assert_int_equal(arena.used, 0);
}

static void test_arena_large_block_keeps_the_small_one(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    char* a = arena_alloc(&arena, 16);
    char* large = arena_alloc(&arena, 1000000);
    char* b = arena_alloc(&arena, 16);
    large[999999] = 1;
    assert_ptr_equal(b, a + 16);
    arena_free(&arena);
}

static void test_vec_grows_and_keeps(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    VEC(int) list = {0};
    for (int i = 0; i < 10000; i++)
        vec_push(&arena, list, i);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(list.at[i], i);
    assert_int_equal(*vec_add(&arena, list), 0);
    assert_int_equal(list.count, 10001);
    arena_free(&arena);
}

static void test_arena_strings(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    assert_string_equal(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(arena_copy_string(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_copy_string(&arena, NULL, 0), "");
    arena_free(&arena);
}

typedef struct Budget
{
    int left, live;
} Budget;

static void* budget_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Budget* budget = user;
    (void)old_size;
    if (size == 0)
    {
        budget->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (budget->left-- <= 0)
        return NULL;
    budget->live++;
    return malloc(size);
}

static int count_blocks(int allowed)
{
    Budget budget = {allowed, 0};
    jmp_buf fail;
    Arena arena;
    arena_init(&arena, (kaiAllocator){budget_alloc, &budget}, &fail);
    volatile int blocks = 0;
    if (setjmp(fail) == 0)
        for (;; blocks++)
            arena_alloc(&arena, 60000);
    arena_free(&arena);
    assert_int_equal(budget.live, 0);
    return blocks;
}

static void test_arena_failure_unwinds_and_frees(void** state)
{
    (void)state;
    for (int allowed = 0; allowed < 5; allowed++)
        assert_int_equal(count_blocks(allowed), allowed);
}

static void test_arena_absurd_size_fails(void** state)
{
    (void)state;
    jmp_buf fail;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    volatile bool failed = false;
    if (setjmp(fail) == 0)
        arena_alloc(&arena, SIZE_MAX - 3);
    else
        failed = true;
    assert_true(failed);
    arena_free(&arena);
}

static void test_intern_by_pointer(void** state)
{
    (void)state;
    Arena arena;
    Interner names;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    interner_init(&names, &arena);
    const char* x = intern_string(&names, "x");
    char text[16];
    for (int i = 0; i < 5000; i++)
        intern(&names, text, (size_t)snprintf(text, sizeof text, "name%d", i));
    assert_ptr_equal(intern(&names, "xyz", 1), x);
    assert_ptr_not_equal(intern_string(&names, "y"), x);
    assert_int_equal(names.count, 5002);
    assert_string_equal(intern(&names, "name77", 6), "name77");
    assert_int_equal(names.count, 5002);
    assert_string_equal(intern(&names, "", 0), "");
    arena_free(&arena);
}

static void test_map(void** state)
{
    (void)state;
    Arena arena;
    Map map;
    uint32_t value = 9;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    map_init(&map, &arena);
    assert_false(map_get(&map, 0, &value));
    for (uint32_t i = 0; i < 20000; i++)
        map_set(&map, (uint64_t)i * 4096, i);
    map_set(&map, 4096, 77);
    assert_int_equal(map.count, 20000);
    assert_true(map_get(&map, 4096, &value));
    assert_int_equal(value, 77);
    for (uint32_t i = 2; i < 20000; i++)
        assert_true(map_get(&map, (uint64_t)i * 4096, &value) && value == i);
    assert_false(map_get(&map, 1, NULL));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(test_arena_large_block_keeps_the_small_one),
        cmocka_unit_test(test_vec_grows_and_keeps),
        cmocka_unit_test(test_arena_strings),
        cmocka_unit_test(test_arena_failure_unwinds_and_frees),
        cmocka_unit_test(test_arena_absurd_size_fails),
        cmocka_unit_test(test_intern_by_pointer),
        cmocka_unit_test(test_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
