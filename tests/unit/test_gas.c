// A one-dimensional gas with an island for every ball, collision by collision, against free flights. Equal balls
// exchange their velocities, so the balls are what straight lines reflected at the walls look like when they are
// sorted: where two lines cross, the pair at that rank collides; where a line meets a wall, the first or the last ball
// does.
#include "kairos/kairos.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum
{
#ifdef __SANITIZE_ADDRESS__
    SHORTER = 20
#else
    SHORTER = 1
#endif
};

typedef struct Hit
{
    double t;
    int pair;  // k: balls k and k + 1; 0 bottom, N top
} Hit;

typedef struct Hits
{
    Hit* at;
    size_t count, capacity;
} Hits;

typedef struct Gas
{
    int n;
    double stop;
    double *x, *v;
} Gas;

static void add(Hits* hits, double t, int pair)
{
    if (hits->count == hits->capacity)
    {
        hits->capacity = 2 * hits->capacity + 1000;
        hits->at = realloc(hits->at, hits->capacity * sizeof *hits->at);
        assert_non_null(hits->at);
    }
    hits->at[hits->count++] = (Hit){t, pair};
}

static int by_time(const void* a, const void* b)
{
    const Hit *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

// ---- free flights

static double frac(double u)
{
    return u - floor(u);
}

static double position(const Gas* gas, int k, double t)
{
    double u = gas->x[k] + gas->v[k] * t;
    u -= 2 * floor(u / 2);
    return u > 1 ? 2 - u : u;
}

static int rank_at(const Gas* gas, int i, int j, double t)
{
    double here = position(gas, i, t);
    int rank = 1;
    for (int k = 0; k < gas->n; k++)
        rank += k != i && k != j && position(gas, k, t) < here;
    return rank;
}

static void lines_meet(const Gas* gas, Hits* hits, int i, int j, double apart, double speed)
{
    int64_t most = (int64_t)(fabs(speed) * gas->stop / 2) + 2;
    for (int64_t m = -most; m <= most; m++)
    {
        double t = (2 * (double)m + apart) / speed;
        if (t > 0 && t < gas->stop)
            add(hits, t, rank_at(gas, i, j, t));
    }
}

static void walls(const Gas* gas, Hits* hits, int i)
{
    int64_t most = (int64_t)(fabs(gas->v[i]) * gas->stop) + 2;
    for (int64_t m = -most; m <= most; m++)
    {
        double t = ((double)m - gas->x[i]) / gas->v[i];
        if (t > 0 && t < gas->stop)
            add(hits, t, m % 2 == 0 ? 0 : gas->n);
    }
}

static Hits free_flights(const Gas* gas)
{
    Hits hits = {0};
    for (int i = 0; i < gas->n; i++)
    {
        walls(gas, &hits, i);
        for (int j = i + 1; j < gas->n; j++)
        {
            lines_meet(gas, &hits, i, j, gas->x[j] - gas->x[i], gas->v[i] - gas->v[j]);
            lines_meet(gas, &hits, i, j, -gas->x[i] - gas->x[j], gas->v[i] + gas->v[j]);
        }
    }
    qsort(hits.at, hits.count, sizeof *hits.at, by_time);
    return hits;
}

// ---- the run

typedef struct Listener
{
    Hits hits;
    int n;
} Listener;

static void hear(void* user, const kaiFired* fired)
{
    Listener* listener = user;
    int upper, lower;
    if (fired->kind != KAI_FIRED_CROSSING)
        return;
    if (sscanf(fired->text, "down(b[%d].x - b[%d].x)", &upper, &lower) == 2)
        add(&listener->hits, fired->tag.t, lower);
    else
        add(&listener->hits, fired->tag.t, strstr(fired->text, "1 - ") != NULL ? listener->n : 0);
}

static char* read_model(const Gas* gas)
{
    static const char* const path = "bench/gas10.kai";
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    char* text = calloc(1, 20000);
    size_t length = fread(text, 1, 15000, file);
    fclose(file);
    char* end = strstr(text, "experiment");
    assert_true(length > 0 && end != NULL);
    snprintf(end, 4000,
             "experiment gas of Gas(N = %d) { stop = %.17g; rtol = 1e-8; atol = 1e-10; islands = auto; record b[1].x "
             "every 1e9 }\n",
             gas->n, gas->stop);
    return text;
}

static Hits run_gas(const Gas* gas)
{
    LoadOptions load = load_default();
    char* text = read_model(gas);
    load.path = "gas.kai";
    load.text = text;
    load.experiment = "gas";
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    assert_int_equal(load_model(&load, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    free(text);
    Listener listener = {.n = gas->n};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.fired = hear;
    options.fired_user = &listener;
    kaiError failure;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    assert_non_null(sim);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiIslandCounters counters;
    assert_true(kaiSim_IslandCount(sim, gas->n - 1, &counters));  // an island a ball
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return listener.hits;
}

// ---- both

static int by_pair(const void* a, const void* b)
{
    const Hit *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

// Hits of different pairs a rounding apart may come in any order: such a group is compared as a set.
static bool agree(Hits* a, Hits* b, size_t* at)
{
    for (size_t i = 0, next; i < a->count; i = next)
    {
        double near = 1e-9 * (1 + a->at[i].t);
        for (next = i + 1; next < a->count && a->at[next].t - a->at[next - 1].t < near;)
            next++;
        qsort(a->at + i, next - i, sizeof *a->at, by_pair);
        qsort(b->at + i, next - i, sizeof *b->at, by_pair);
        for (*at = i; *at < next; ++*at)
            if (a->at[*at].pair != b->at[*at].pair || fabs(a->at[*at].t - b->at[*at].t) > near)
                return false;
    }
    return true;
}

static void compare(int n, double stop, size_t least)
{
    Gas gas = {.n = n, .stop = stop / SHORTER};
    gas.x = calloc((size_t)n, sizeof *gas.x);
    gas.v = calloc((size_t)n, sizeof *gas.v);
    for (int i = 1; i <= n; i++)
    {
        double square = (double)i * i;
        gas.x[i - 1] = (i - 0.9 + 0.8 * frac(0.754877666 * square)) / n;
        gas.v[i - 1] = 2 * frac(0.569840291 * square + 0.31 * i) - 1;
    }
    Hits expected = free_flights(&gas), got = run_gas(&gas);
    size_t at = 0;
    assert_int_equal(got.count, expected.count);
    assert_true(expected.count >= least / SHORTER);
    if (!agree(&expected, &got, &at))
        fail_msg("%d balls, collision %zu: pair %d at %.17g expected, pair %d at %.17g found", n, at,
                 expected.at[at].pair, expected.at[at].t, got.at[at].pair, got.at[at].t);
    print_message("%d balls: %zu collisions\n", n, expected.count);
    free(expected.at);
    free(got.at);
    free(gas.x);
    free(gas.v);
}

static void gas_of_10(void** state)
{
    (void)state;
    compare(10, 2260, 100000);
}

static void gas_of_100(void** state)
{
    (void)state;
    compare(100, 33, 100000);
}

static void gas_of_1000(void** state)
{
    (void)state;
    compare(1000, 0.34, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas_of_10),
        cmocka_unit_test(gas_of_100),
        cmocka_unit_test(gas_of_1000),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
