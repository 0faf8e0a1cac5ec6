// Arena, interner, map, allocator, walks, sets, hashes, texts, small linear systems.
#include "base/arena.h"
#include "base/dense.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/sets.h"
#include "base/text.h"
#include "base/walk.h"

#include <math.h>
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
    map_clear(&map);
    assert_int_equal(map.count, 0);
    assert_false(map_get(&map, 4096, NULL));
    map_set(&map, 4096, 5);
    assert_true(map_get(&map, 4096, &value) && value == 5 && map.count == 1);
    arena_free(&arena);
}

// The published values of FNV-1a; and numbers that differ in one bit lead far apart.
static void test_hash(void** state)
{
    (void)state;
    assert_true(hash_bytes(HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(hash_bytes(HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
    assert_true((uint32_t)hash_mix(1 << 20) != (uint32_t)hash_mix(1 << 21));
}

// 0 … 99 joined by remainder: seven sets, each with its smallest member as root.
static void test_sets(void** state)
{
    (void)state;
    uint32_t parent[100];
    sets_init(parent, 100);
    for (uint32_t i = 99; i >= 7; i--)
    {
        uint32_t root = sets_join(parent, i, i - 7);
        assert_int_equal(root, i - 7);
        assert_int_equal(sets_root(parent, i), root);
    }
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(sets_root(parent, i), i % 7);
}

// i leads to 2i and 2i + 1: everybody below 1000 once, in two rounds.
static void test_walk(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    Walk walk = {.arena = &arena};
    for (int round = 0; round < 2; round++)
    {
        uint32_t count = 0;
        walk_begin(&walk);
        walk_push(&walk, 1);
        walk_push(&walk, 0);
        for (uint32_t i; (i = walk_pop(&walk)) != 0; count++)
            for (uint32_t next = 2 * i; next < 1000 && next <= 2 * i + 1; next++)
            {
                walk_push(&walk, next);
                walk_push(&walk, next);
            }
        assert_int_equal(count, 999);
        assert_true(walk_seen(&walk, 999));
        assert_false(walk_seen(&walk, 1000));
    }
    arena_free(&arena);
}

static void test_writer(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), NULL);
    Writer writer = {.arena = &arena};
    assert_string_equal(writer_text(&writer), "");
    writer_put(&writer, "a");
    writer_say(&writer, "%d%s", 12, "b");
    assert_string_equal(writer_text(&writer), "a12b");
    writer_say(&writer, "%5000d|", 7);
    assert_int_equal(strlen(writer_text(&writer)), 5005);
    Writer bounded = {.arena = &arena, .limit = 3};
    for (int i = 0; i < 100; i++)
        writer_put(&bounded, "xy");
    assert_string_equal(writer_text(&bounded), "xyxy");
    arena_free(&arena);
}

// Systems whose solution is 1, 2, 3, …, with a zero on the diagonal that only pivoting survives; and a singular one.
static void test_dense(void** state)
{
    (void)state;
    enum
    {
        MOST = 12
    };
    double a[MOST * MOST], b[MOST];
    uint32_t pivots[MOST];
    for (uint32_t n = 1; n <= MOST; n++)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            b[i] = 0;
            for (uint32_t j = 0; j < n; j++)
            {
                a[i * n + j] = i == 0 && j == 0 && n > 1 ? 0 : sin(3.0 * i + 1) * cos(5.0 * j) + (i == j ? 3 : 0) + 1;
                b[i] += a[i * n + j] * (j + 1);
            }
        }
        assert_true(dense_factor(a, pivots, n));
        dense_solve(a, pivots, b, n);
        for (uint32_t i = 0; i < n; i++)
            assert_true(fabs(b[i] - (i + 1)) < 1e-11);
    }
    double steep[] = {1e-20, 1, 1, 1}, sums[] = {1, 2};  // without exchange the first unknown would be 0
    assert_true(dense_factor(steep, pivots, 2));
    dense_solve(steep, pivots, sums, 2);
    assert_true(fabs(sums[0] - 1) < 1e-15 && fabs(sums[1] - 1) < 1e-15);
    double twice[] = {1, 2, 2, 4}, right[] = {1, 1};
    assert_false(dense_factor(twice, pivots, 2));
    dense_solve(twice, pivots, right, 2);
    bool finite = isfinite(right[0]);
    assert_false(finite);
}

typedef struct Peak
{
    size_t now, most;
} Peak;

static void* peak_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Peak* peak = user;
    peak->now += size - (block != NULL ? old_size : 0);
    peak->most = peak->now > peak->most ? peak->now : peak->most;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

// A large array that grows needs the old and the new storage for a moment, not all that it ever had.
static void test_growth_gives_back(void** state)
{
    (void)state;
    Peak peak = {0};
    Arena arena;
    arena_init(&arena, (kaiAllocator){peak_alloc, &peak}, NULL);
    VEC(uint64_t) list = {0};
    const uint64_t count = 1 << 18;
    for (uint64_t i = 0; i < count; i++)
        vec_push(&arena, list, i);
    for (uint64_t i = 0; i < count; i++)
        assert_true(list.at[i] == i);
    assert_true(peak.most < count * sizeof(uint64_t) * 8 / 5);  // 3/2 and the first small ones; keeping all would be 2
    vec_release(&arena, list);
    assert_true(peak.now < 200000);
    arena_free(&arena);
    assert_int_equal(peak.now, 0);
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
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_growth_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
