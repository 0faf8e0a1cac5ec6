// The queue of events and the agenda against a sorted list. KAIROS_QUEUE_EVENTS=10000000 makes it a benchmark: it
// prints the time of an operation with that many events waiting.
#include "kernel/agenda.h"
#include "kernel/queue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint64_t draw(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t wanted(void)
{
    const char* text = getenv("KAIROS_QUEUE_EVENTS");
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 50000;
}

// Few different times, so that many are equal and the order of arrival decides.
static double some_time(uint32_t n)
{
    return (double)(draw() % (n / 4 + 1));
}

static void comes_in_order(void** state)
{
    (void)state;
    Queue q = {0};
    kaiAllocator a = kaiDefaultAllocator();
    uint32_t n = wanted(), left = n;
    uint64_t* handles = calloc(n, sizeof *handles);
    for (uint32_t i = 0; i < n; i++)
        assert_true(queue_push_alone(&q, a, some_time(n), i, 0.5 * i, &handles[i]));
    for (uint32_t i = 0; i < n; i += 3, left--)
        assert_true(queue_cancel(&q, handles[i]));
    assert_false(queue_cancel(&q, handles[0]));  // once only
    assert_int_equal(q.count, left);
    QueueEntry before = {.t = -1};
    for (uint32_t i = 0; i < left; i++)
    {
        double next = queue_next(&q);
        QueueEntry e = queue_pop(&q);
        assert_true(e.t == next && e.value == 0.5 * e.target && e.target % 3 != 0);
        assert_true(e.t > before.t || (e.t == before.t && e.target > before.target));
        before = e;
    }
    assert_true(queue_next(&q) == INFINITY);
    assert_false(queue_cancel(&q, handles[1]));  // it has come
    uint64_t fresh;
    assert_true(queue_push_alone(&q, a, 1, 7, 0, &fresh));
    assert_false(queue_cancel(&q, handles[1]));  // though its place is in use again
    assert_true(queue_cancel(&q, fresh));
    queue_free(&q, a);
    free(handles);
}

// Push and pop by turns: what comes out is what a list kept sorted would give, and a copy gives the same.
static void turns(void** state)
{
    (void)state;
    Queue q = {0}, copy = {0};
    kaiAllocator a = kaiDefaultAllocator();
    double now = 0;
    for (uint32_t i = 0; i < 2000; i++)
        assert_true(queue_push(&q, a, (double)(draw() % 1000), i, 0, QUEUE_ALONE));
    for (uint32_t i = 0; i < 20000; i++)
    {
        QueueEntry e = queue_pop(&q);
        assert_true(e.t >= now);
        now = e.t;
        assert_true(queue_push(&q, a, now + (double)(draw() % 1000), i, 0, QUEUE_ALONE));
    }
    void* block = malloc(queue_save_size(&q));
    queue_save(&q, block);
    assert_true(queue_load(&copy, a, block));
    while (q.count > 0)
    {
        QueueEntry x = queue_pop(&q), y = queue_pop(&copy);
        assert_true(x.t == y.t && x.order == y.order && x.target == y.target);
    }
    free(block);
    queue_free(&q, a);
    queue_free(&copy, a);
}

// Of each group the first is known, whatever comes and goes, and beside entries of no group.
static void groups_know_their_first(void** state)
{
    (void)state;
    enum
    {
        GROUPS = 7
    };
    uint32_t firsts[GROUPS] = {0};
    Queue q = {.firsts = firsts};
    kaiAllocator a = kaiDefaultAllocator();
    double now = 0;
    for (uint32_t i = 0; i < 3000; i++)
    {
        uint32_t group = (uint32_t)(draw() % (GROUPS + 1));
        double t = now + (double)(draw() % 100);
        assert_true(queue_push(&q, a, t, i, 0, group < GROUPS ? group : QUEUE_ALONE));
        if (draw() % 5 < 2 || i > 2000)
            now = queue_pop(&q).t;
        double earliest[GROUPS];
        for (uint32_t g = 0; g < GROUPS; g++)
            earliest[g] = INFINITY;
        for (uint32_t k = 0; k < q.count; k++)
            if (queue_at(&q, k)->group != QUEUE_ALONE)
                earliest[queue_at(&q, k)->group] = fmin(earliest[queue_at(&q, k)->group], queue_at(&q, k)->t);
        for (uint32_t g = 0; g < GROUPS; g++)
            assert_true(queue_next_of(&q, g) == earliest[g]);
    }
    while (q.count > 0)
        queue_pop(&q);
    for (uint32_t g = 0; g < GROUPS; g++)
        assert_true(queue_next_of(&q, g) == INFINITY);
    queue_free(&q, a);
}

// Comparisons are counted by their effect: with n events waiting an operation moves at most log2(n) + 1 of them.
static void costs_its_logarithm(void** state)
{
    (void)state;
    Queue q = {0};
    kaiAllocator a = kaiDefaultAllocator();
    uint32_t n = wanted();
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (uint32_t i = 0; i < n; i++)
        assert_true(queue_push(&q, a, (double)(draw() % 1000000007), i, 0, QUEUE_ALONE));
    for (uint32_t i = 0; i < n; i++)
    {
        QueueEntry e = queue_pop(&q);
        assert_true(queue_push(&q, a, e.t + (double)(draw() % 1000000007), i, 0, QUEUE_ALONE));
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (getenv("KAIROS_QUEUE_EVENTS") != NULL)
        printf("%u events wait: %.0f ns for each operation\n", n, 1e9 * seconds / (3.0 * n));
    for (uint32_t i = 0; i < q.count; i++)  // a heap: every entry waits behind the one above it, and knows its place
    {
        assert_true(q.entries[q.heap[i]].place == i);
        assert_true(i == 0 || queue_at(&q, (i - 1) / 2)->t <= queue_at(&q, i)->t);
    }
    queue_free(&q, a);
}

static void agenda_tells_the_earliest(void** state)
{
    (void)state;
    enum
    {
        COUNT = 257
    };
    double times[COUNT], set[COUNT];
    AgendaEntry heap[COUNT];
    uint32_t where[COUNT], item;
    Agenda a = {.count = COUNT, .times = times, .heap = heap, .where = where};
    agenda_init(&a);
    assert_true(agenda_next(&a, &item) == INFINITY);
    for (uint32_t i = 0; i < COUNT; i++)
        set[i] = INFINITY;
    for (int round = 0; round < 20000; round++)
    {
        uint32_t moved = (uint32_t)(draw() % COUNT), least = 0;
        set[moved] = draw() % 10 == 0 ? INFINITY : (double)(draw() % 100);
        agenda_set(&a, moved, set[moved]);
        assert_true(agenda_time(&a, moved) == set[moved]);
        for (uint32_t i = 1; i < COUNT; i++)
            least = set[i] < set[least] ? i : least;
        assert_true(agenda_next(&a, &item) == set[least]);
        assert_int_equal(item, least);  // the first of equals
    }
    agenda_collect(&a);
    assert_memory_equal(times, set, sizeof set);
    agenda_rebuild(&a);
    assert_true(agenda_next(&a, &item) == agenda_time(&a, item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_in_order),
        cmocka_unit_test(turns),
        cmocka_unit_test(groups_know_their_first),
        cmocka_unit_test(costs_its_logarithm),
        cmocka_unit_test(agenda_tells_the_earliest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
