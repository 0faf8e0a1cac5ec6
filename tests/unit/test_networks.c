// Random circuits of ideal parts, through compiler and run, against backward Euler with Lemke's method
// (circuit_reference.h): 3 to 40 parts between 2 to 14 nodes, loops of capacitors, cut-sets of inductors, diodes
// parallel and antiparallel, sources of every kind, timed switches. The states at 20 times. Networks without a solution
// (two sources in parallel, a current with nowhere to go) and those that the reference cannot settle are left out; one
// that disagrees is asked again with steps a tenth as long. KAIROS_NETWORKS gives another last seed,
// KAIROS_NETWORKS_FROM another first one: 5000 were run once. Of those that the reference settles none may be wrong,
// and fewer than one in 500 refused.
#include "kairos/kairos.h"

#include "unit/circuit_reference.h"
#include "unit/load_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum
{
    TIMES = 20,
    TEXT_SIZE = 200 * 1000,
};

static uint64_t seed;

static uint64_t draw_bits(void)  // splitmix64
{
    uint64_t x = seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double draw_unit(void)
{
    return (double)(draw_bits() >> 11) * 0x1p-53;
}

static int draw(int count)
{
    return (int)(draw_bits() % (uint64_t)count);
}

// ------------------------------------------------------------------------------------------------------------ networks

static PartKind draw_kind(const Network* n)
{
    static const struct
    {
        PartKind kind;
        int below;
    } kinds[] = {{PART_D, 28}, {PART_C, 48}, {PART_L, 63}, {PART_R, 83}, {PART_V, 91}, {PART_I, 93}, {PART_S, 100}};
    int k = draw(100), diodes = 0, i = 0;
    for (int j = 0; j < n->part_count - 1; j++)
        diodes += n->parts[j].kind == PART_D;
    while (k >= kinds[i].below || (kinds[i].kind == PART_D && diodes >= 16))
        i++;
    return kinds[i].kind;
}

static void draw_source(Part* p)
{
    int wave = draw(3);
    p->value = wave == 2 ? 0 : 1 + draw(5);
    if (wave == 0)
        return;
    p->amplitude = 1 + draw(9);
    p->omega = 2 + draw(20);
    p->phase = draw(2) ? 0 : 6 * draw_unit();
}

static void draw_switch(Part* p, bool round)
{
    double t = 0;
    p->closed = draw(2);
    p->time_count = 1 + draw(6);
    for (int i = 0; i < p->time_count; i++)
        p->times[i] = t += round ? 0.25 * (1 + draw(2)) : 0.05 + 0.5 * draw_unit();
}

// Round numbers make ties.
static void draw_values(Part* p, bool round)
{
    static const double values[] = {1, 2, 0.5, 1, 0.2, 3, 0.1};
    p->value = round ? values[draw(7)] : 0.1 + 2 * draw_unit();
    switch (p->kind)
    {
    case PART_D: p->value = draw(4) ? 0 : 0.5; break;
    case PART_L:
    case PART_C:
        p->value *= 0.2;
        p->start = draw(2) ? 0 : round ? draw(5) - 2 : 2 * draw_unit() - 1;
        break;
    case PART_V:
    case PART_I: draw_source(p); break;
    case PART_S: draw_switch(p, round); break;
    default: break;
    }
}

static void draw_network(Network* n, uint64_t number)
{
    memset(n, 0, sizeof *n);
    seed = number * 7919 + 13;
    n->stop = 2;
    int parts = 3 + draw(number % 3 == 0 ? 38 : number % 3 == 1 ? 12 : 20);
    int nodes = 2 + draw(parts / 2 + 1);
    bool round = draw(2);
    n->node_count = nodes > 14 ? 14 : nodes > parts ? parts : nodes;
    for (int i = 0; i < parts; i++)
    {
        Part* p = &n->parts[n->part_count++];
        p->a = i < n->node_count - 1 ? i + 1 : draw(n->node_count);
        do
            p->b = i < n->node_count - 1 ? draw(i + 1) : draw(n->node_count);
        while (p->b == p->a);
        if (draw(2))
        {
            int b = p->b;
            p->b = p->a;
            p->a = b;
        }
        p->kind = draw_kind(n);
        draw_values(p, round);
    }
}

static bool has_open_end(const Network* n)
{
    int ends[CIRCUIT_NODES] = {0};
    for (int i = 0; i < n->part_count; i++)
    {
        ends[n->parts[i].a]++;
        ends[n->parts[i].b]++;
    }
    for (int k = 0; k < n->node_count; k++)
        if (ends[k] < (k == 0 ? 1 : 2))
            return true;
    return false;
}

// --------------------------------------------------------------------------------------------------------- expectation

typedef struct Expected
{
    double times[TIMES], states[TIMES][CIRCUIT_PARTS], within[CIRCUIT_PARTS];
} Expected;

static bool is_state(const Part* p)
{
    return p->kind == PART_L || p->kind == PART_C;
}

// Two step lengths, extrapolated; their difference, with 2e-3 of the largest voltage or current, is what they are
// worth.
static bool expect_states(const Network* n, int steps, Expected* x)
{
    static double coarse[TIMES][CIRCUIT_PARTS];
    double largest[2] = {0.1, 0.1};
    for (int k = 0; k < TIMES; k++)
        x->times[k] = n->stop * (k + 0.613) / 20.2;
    if (!reference_run(n, n->stop / steps, x->times, TIMES, coarse) ||
        !reference_run(n, n->stop / steps / 2, x->times, TIMES, x->states))
        return false;
    for (int i = 0; i < n->part_count; i++)
        for (int k = 0; k < TIMES; k++)
            largest[n->parts[i].kind == PART_L] = fmax(largest[n->parts[i].kind == PART_L], fabs(x->states[k][i]));
    for (int i = 0; i < n->part_count; i++)
    {
        double size = largest[n->parts[i].kind == PART_L], worst = 0;
        for (int k = 0; k < TIMES; k++)
        {
            double difference = x->states[k][i] - coarse[k][i];
            worst = fmax(worst, fabs(difference));
            x->states[k][i] += difference;
        }
        x->within[i] = 2e-3 * size + 0.5 * worst;
        if (worst > 0.1 * size || size > 1e4)
            return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------- text

__attribute__((format(printf, 3, 4))) static size_t say(char* text, size_t length, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + length, TEXT_SIZE - length, format, args);
    va_end(args);
    assert_true(length + (size_t)more < TEXT_SIZE);
    return length + (size_t)more;
}

static size_t say_wave(char* text, size_t c, const Part* p)
{
    return say(text, c, "%.17g + %.17g*sin(%.17g*time + %.17g))\n", p->value, p->amplitude, p->omega, p->phase);
}

static size_t say_part(char* text, size_t c, const Part* p, int i)
{
    c = say(text, c, "  p%d : ", i);
    switch (p->kind)
    {
    case PART_R: return say(text, c, "Resistor(R = %.17g)\n", p->value);
    case PART_L: return say(text, c, "Inductor(L = %.17g, i0 = %.17g)\n", p->value, p->start);
    case PART_C: return say(text, c, "Capacitor(C = %.17g, v0 = %.17g)\n", p->value, p->start);
    case PART_V: return say_wave(text, say(text, c, "VoltageSource(u = "), p);
    case PART_I: return say_wave(text, say(text, c, "CurrentSource(j = "), p);
    case PART_D: return say(text, c, "Diode(drop = %.17g)\n", p->value);
    case PART_T: return say(text, c, "Transformer(n = %.17g)\n", p->value);
    default:
        c = say(text, c, "Switch(closed = mod(%d", p->closed);
        for (int k = 0; k < p->time_count; k++)
            c = say(text, c, " + (if time >= %.17g then 1 else 0)", p->times[k]);
        return say(text, c, ", 2) > 0.5)\n");
    }
}

static size_t say_node(char* text, size_t c, const Network* n, int node)
{
    char first[32] = "";
    if (node == 0)
        snprintf(first, sizeof first, "gnd.a");
    for (int i = 0; i < 4 * n->part_count; i++)
    {
        const Part* p = &n->parts[i / 4];
        const int ends[] = {p->a, p->b, p->c, p->d};
        static const char* const two[] = {"a", "b"};
        static const char* const four[] = {"a1", "b1", "a2", "b2"};
        char name[32];
        if (ends[i % 4] != node || (p->kind != PART_T && i % 4 > 1))
            continue;
        snprintf(name, sizeof name, "p%d.%s", i / 4, p->kind == PART_T ? four[i % 4] : two[i % 4]);
        if (*first)
            c = say(text, c, "  connect %s, %s\n", first, name);
        else
            memcpy(first, name, sizeof first);
    }
    return c;
}

static void write_text(const Network* n, const Expected* x, char* text)
{
    size_t c = say(text, 0, "import \"electrical.kai\"\nmodel Net {\n  gnd : Ground()\n");
    for (int i = 0; i < n->part_count; i++)
        c = say_part(text, c, &n->parts[i], i);
    for (int node = 0; node < n->node_count; node++)
        c = say_node(text, c, n, node);
    c = say(text, c, "}\nexperiment e of Net {\n  stop = %.17g\n", n->stop);
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < n->part_count; i++)
            if (is_state(&n->parts[i]))
                c = say(text, c, "  expect at(%.17g, p%d.%s) ~ %.9g within %.3g\n", x->times[k], i,
                        n->parts[i].kind == PART_L ? "i" : "v", x->states[k][i], x->within[i]);
    say(text, c, "}\n");
}

// ----------------------------------------------------------------------------------------------------------------- run

typedef enum Outcome
{
    AGREES,
    DIFFERS,
    REFUSED,
} Outcome;

static Outcome run(const char* text, char* why, size_t size)
{
    LoadOptions options = load_default();
    options.path = "network.kai";
    options.text = text;
    options.experiment = "e";
    kaiModel* model = NULL;
    kaiProgram* program = NULL;
    if (load_model(&options, &model, &program) != KAI_OK)
        fail_msg("%s\n%s", kaiProgram_MessageText(program, 0, false), text);
    kaiProgram_Free(program);
    kaiSimOptions run_options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &run_options, NULL);
    kaiStatus status = KAI_OK;
    for (int steps = 0; status >= KAI_OK && status != KAI_END && steps < 200000; steps++)
        status = kaiSim_Step(sim);
    Outcome outcome = status == KAI_END ? AGREES : REFUSED;
    snprintf(why, size, "%s", status < KAI_OK ? kaiSim_Failure(sim)->message : "it does not end");
    kaiExpectResult result;
    for (int i = 0; outcome == AGREES && kaiSim_Expect(sim, i, &result) == KAI_OK; i++)
        if (!result.passed)
        {
            outcome = DIFFERS;
            snprintf(why, size, "%s, but is %.9g", result.source, result.value);
        }
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return outcome;
}

static void test_random(void** state)
{
    (void)state;
    static Network n;
    static Expected x;
    static char text[TEXT_SIZE];
    const char* number = getenv("KAIROS_NETWORKS");
    const char* begin = getenv("KAIROS_NETWORKS_FROM");
    int count = number ? atoi(number) : 150, good = 0, refused = 0, wrong = 0;
    for (int k = begin ? atoi(begin) : 1; k <= count; k++)
    {
        char why[400];
        Outcome outcome = DIFFERS;
        draw_network(&n, (uint64_t)k);
        if (has_open_end(&n))
            continue;
        for (int steps = 1000; outcome == DIFFERS && steps <= 20000; steps *= 5)
        {
            if (!expect_states(&n, steps, &x))
                break;
            write_text(&n, &x, text);
            outcome = run(text, why, sizeof why);
            if (outcome == REFUSED || (outcome == DIFFERS && steps > 20000 / 5))
            {
                fprintf(stderr, "network %d: %s\n%s", k, why, text);
                refused += outcome == REFUSED;
                wrong += outcome == DIFFERS;
            }
        }
        good += outcome == AGREES;
    }
    print_message("%d networks of %d agree, %d are refused, %d are wrong\n", good, count, refused, wrong);
    assert_int_equal(wrong, 0);
    assert_true(refused <= 0.002 * good);
    assert_true(begin || 4 * good >= count);
}

// ---------------------------------------------------------------------------------------------------------- converters

static Part* add(Network* n, PartKind kind, int a, int b, double value)
{
    Part* p = &n->parts[n->part_count++];
    *p = (Part){.kind = kind, .a = a, .b = b, .value = value};
    n->node_count = a >= n->node_count ? a + 1 : b >= n->node_count ? b + 1 : n->node_count;
    if (b >= n->node_count)
        n->node_count = b + 1;
    return p;
}

static void add_sine(Network* n, int a, int b, double amplitude, double omega, double phase)
{
    Part* p = add(n, PART_V, a, b, 0);
    p->amplitude = amplitude;
    p->omega = omega;
    p->phase = phase;
}

// Closed from `from` to `to` of every period.
static void add_chopper(Network* n, int a, int b, double period, double from, double to)
{
    Part* p = add(n, PART_S, a, b, 0);
    p->closed = from == 0;
    for (int k = 0; k * period < n->stop; k++)
    {
        if (k > 0 || from > 0)
            p->times[p->time_count++] = (k + from) * period;
        if (to < 1 || from > 0)
            p->times[p->time_count++] = (k + to) * period;
        assert_true(p->time_count < 62);
    }
}

// A switch with an antiparallel diode.
static void add_leg(Network* n, int a, int b, double period, double from, double to)
{
    add_chopper(n, a, b, period, from, to);
    add(n, PART_D, b, a, 0);
}

static void half_bridge(Network* n)  // discontinuous
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.3);
    add_leg(n, 3, 2, 1e-4, 0.5, 0.8);
    add(n, PART_L, 3, 4, 1e-3);
    add(n, PART_R, 4, 0, 1);
}

static void h_bridge(Network* n)  // discontinuous
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add_leg(n, 1, 2, 1e-4, 0, 0.2);
    add_leg(n, 2, 0, 1e-4, 0.5, 0.7);
    add_leg(n, 1, 3, 1e-4, 0.5, 0.7);
    add_leg(n, 3, 0, 1e-4, 0, 0.2);
    add(n, PART_L, 2, 4, 1e-3);
    add(n, PART_R, 4, 3, 1);
}

static void synchronous_buck(Network* n)  // light load, dead times, current in both directions
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_leg(n, 1, 2, 1e-5, 0, 0.3);
    add_leg(n, 2, 0, 1e-5, 0.35, 0.6);
    add(n, PART_L, 2, 3, 1e-5);
    add(n, PART_C, 3, 0, 1e-5);
    add(n, PART_R, 3, 0, 50);
}

static void totem_pole(Network* n)  // power factor correction: a leg that switches, a leg of diodes
{
    n->stop = 0.01;
    add_sine(n, 1, 2, 100, 314.159265358979, 0);
    add(n, PART_L, 1, 3, 1e-3);
    add(n, PART_D, 3, 4, 0);
    add_leg(n, 3, 0, 5e-4, 0, 0.3);
    add(n, PART_D, 2, 4, 0);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_C, 4, 0, 1e-4)->start = 150;
    add(n, PART_R, 4, 0, 200);
}

static void vienna(Network* n)
{
    n->stop = 0.01;
    for (int k = 0; k < 3; k++)
    {
        add_sine(n, 1 + k, 7, 100, 314.159265358979, 2.0943951023932 * k);
        add(n, PART_L, 1 + k, 4 + k, 2e-3);
        add_chopper(n, 4 + k, 0, 5e-4, 0, 0.4);
        add(n, PART_D, 4 + k, 8, 0);
        add(n, PART_D, 9, 4 + k, 0);
    }
    add(n, PART_C, 8, 0, 1e-4)->start = 120;
    add(n, PART_C, 0, 9, 1e-4)->start = 120;
    add(n, PART_R, 8, 9, 100);
}

static void current_fed(Network* n)
{
    n->stop = 0.99e-3;
    add(n, PART_I, 1, 0, 2);
    for (int k = 0; k < 2; k++)
    {
        add_chopper(n, 1, 2 + k, 1e-4, 0.5 * k, 0.5 + 0.5 * k);
        add(n, PART_D, 2 + k, 4 + k, 0);
        add_chopper(n, 4 + k, 6 + k, 1e-4, 0.5 - 0.5 * k, 1 - 0.5 * k);
        add(n, PART_D, 6 + k, 0, 0);
    }
    add(n, PART_L, 4, 5, 1e-4);
    add(n, PART_C, 4, 5, 2e-6);
    add(n, PART_R, 4, 5, 20);
}

static void parallel_resonant(Network* n)
{
    n->stop = 1e-4;
    add(n, PART_V, 1, 0, 50);
    add(n, PART_V, 0, 2, 50);
    add_leg(n, 1, 3, 1e-5, 0, 0.45);
    add_leg(n, 3, 2, 1e-5, 0.5, 0.95);
    add(n, PART_L, 3, 4, 1e-5);
    add(n, PART_C, 4, 0, 1e-7);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_D, 6, 4, 0);
    add(n, PART_D, 6, 0, 0);
    add(n, PART_L, 5, 7, 1e-4);
    add(n, PART_C, 7, 6, 1e-5);
    add(n, PART_R, 7, 6, 20);
}

static void cuk(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 1e-4);
    add_chopper(n, 2, 0, 1e-5, 0, 0.4);
    add(n, PART_C, 2, 3, 1e-5)->start = 20;
    add(n, PART_D, 3, 0, 0);
    add(n, PART_L, 3, 4, 1e-4);
    add(n, PART_C, 4, 0, 1e-5)->start = -8;
    add(n, PART_R, 4, 0, 100);
}

static void sepic(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 2e-5);
    add_chopper(n, 2, 0, 1e-5, 0, 0.4);
    add(n, PART_C, 2, 3, 1e-5)->start = 12;
    add(n, PART_L, 3, 0, 2e-5);
    add(n, PART_D, 3, 4, 0);
    add(n, PART_C, 4, 0, 1e-5)->start = 8;
    add(n, PART_R, 4, 0, 100);
}

static void zeta(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_chopper(n, 1, 2, 1e-5, 0, 0.4);
    add(n, PART_L, 2, 0, 2e-5);
    add(n, PART_C, 2, 3, 1e-5)->start = -8;
    add(n, PART_D, 0, 3, 0);
    add(n, PART_L, 3, 4, 2e-5);
    add(n, PART_C, 4, 0, 1e-5)->start = 8;
    add(n, PART_R, 4, 0, 100);
}

static void class_e(Network* n)
{
    n->stop = 2e-5;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 1e-4);
    add_leg(n, 2, 0, 1e-6, 0, 0.5);
    add(n, PART_C, 2, 0, 3e-9);
    add(n, PART_C, 2, 3, 4e-9);
    add(n, PART_L, 3, 4, 1e-5);
    add(n, PART_R, 4, 0, 8);
}

// An ideal transformer; what magnetizes it lies beside.
static void add_transformer(Network* n, int a, int b, int c, int d, double ratio)
{
    int most = c > d ? c : d;
    Part* p = add(n, PART_T, a, b, ratio);
    p->c = c;
    p->d = d;
    n->node_count = most >= n->node_count ? most + 1 : n->node_count;
}

static void buck(Network* n)  // light load: the current rests between the periods
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_chopper(n, 1, 2, 1e-5, 0, 0.2);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_L, 2, 3, 1e-5);
    add(n, PART_C, 3, 0, 1e-5)->start = 6;
    add(n, PART_R, 3, 0, 100);
}

static void boost(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 5e-5);
    add_chopper(n, 2, 0, 1e-5, 0, 0.5);
    add(n, PART_D, 2, 3, 0);
    add(n, PART_C, 3, 0, 1e-5)->start = 20;
    add(n, PART_R, 3, 0, 50);
}

static void flyback(Network* n)  // discontinuous
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 24);
    add(n, PART_L, 1, 2, 2e-5);
    add_transformer(n, 1, 2, 0, 3, 2);
    add_chopper(n, 2, 0, 1e-5, 0, 0.3);
    add(n, PART_D, 3, 4, 0);
    add(n, PART_C, 4, 0, 1e-5)->start = 10;
    add(n, PART_R, 4, 0, 20);
}

static void forward(Network* n)  // two switches, two diodes that reset the core
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 48);
    add_chopper(n, 1, 2, 1e-5, 0, 0.4);
    add_chopper(n, 3, 0, 1e-5, 0, 0.4);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_D, 3, 1, 0);
    add(n, PART_L, 2, 3, 2e-4);
    add_transformer(n, 2, 3, 4, 0, 3);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_L, 5, 6, 2e-5);
    add(n, PART_C, 6, 0, 2e-5)->start = 6;
    add(n, PART_R, 6, 0, 5);
}

static void push_pull(Network* n)  // two primary windings on the core of a bridge rectifier
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 24);
    add_transformer(n, 1, 2, 4, 0, 2);
    add_transformer(n, 3, 1, 4, 0, 2);
    add_leg(n, 2, 0, 1e-5, 0, 0.4);
    add_leg(n, 3, 0, 1e-5, 0.5, 0.9);
    add(n, PART_L, 4, 0, 2e-4);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_D, 6, 4, 0);
    add(n, PART_D, 6, 0, 0);
    add(n, PART_L, 5, 7, 2e-5);
    add(n, PART_C, 7, 6, 2e-5)->start = 8;
    add(n, PART_R, 7, 6, 4);
}

static void class_d(Network* n)
{
    n->stop = 1e-4;
    add(n, PART_V, 1, 0, 30);
    add(n, PART_V, 0, 2, 30);
    add_leg(n, 1, 3, 5e-6, 0, 0.6);
    add_leg(n, 3, 2, 5e-6, 0.62, 0.98);
    add(n, PART_L, 3, 4, 2e-5);
    add(n, PART_C, 4, 0, 1e-4);
    add(n, PART_R, 4, 0, 8);
}

static void matrix_converter(Network* n)  // every output is on one of the inputs, in turn
{
    n->stop = 2e-3;
    for (int k = 0; k < 3; k++)
        add_sine(n, 1 + k, 0, 100, 314.159265358979, 2.0943951023932 * k);
    for (int k = 0; k < 9; k++)
        add_chopper(n, 1 + k / 3, 4 + k % 3, 2e-4, (k / 3 + k % 3) % 3 / 3.0, ((k / 3 + k % 3) % 3 + 1) / 3.0);
    for (int k = 0; k < 3; k++)
    {
        add(n, PART_L, 4 + k, 7 + k, 5e-3);
        add(n, PART_R, 7 + k, 10, 10);
    }
}

static void modular(Network* n)  // an arm of ten half bridges, one after the other, with dead times
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_L, 1, 2, 1e-3);
    add(n, PART_R, 2, 3, 1);
    for (int k = 0; k < 10; k++)
    {
        int in = k == 0 ? 3 : 3 + 2 * k, top = 4 + 2 * k, out = k == 9 ? 0 : 5 + 2 * k;
        add_leg(n, top, in, 1e-3, 0.02 + 0.04 * k, 0.5 + 0.04 * k);
        add_leg(n, in, out, 1e-3, 0.52 + 0.04 * k, 0.99);
        add(n, PART_C, top, out, 1e-3)->start = 20;
    }
}

// A source of ±1 V on a ladder of bare capacitors and diodes: every half period is a jump that shares charge.
static void cascade(Network* n, int stages)
{
    n->stop = 20;
    add(n, PART_V, 1, 0, 1);
    add(n, PART_V, 0, 2, 1);
    add_chopper(n, 1, 3, 1, 0, 0.5);
    add_chopper(n, 2, 3, 1, 0.5, 1);
    for (int k = 0, a = 3, b = 0; k < stages; k++)
    {
        int top = 4 + 2 * k, next = 5 + 2 * k;
        add(n, PART_C, a, top, 2e-3);
        add(n, PART_D, b, top, 0);
        add(n, PART_D, top, next, 0);
        add(n, PART_C, b, next, 2e-3);
        a = top;
        b = next;
    }
}

static void cascade_2(Network* n)
{
    cascade(n, 2);
}

static void cascade_5(Network* n)
{
    cascade(n, 5);
}

static void cascade_10(Network* n)
{
    cascade(n, 10);
}

static void dickson(Network* n)
{
    n->stop = 20;
    add(n, PART_V, 1, 0, 1);
    for (int phase = 0; phase < 2; phase++)
    {
        add_chopper(n, 1, 2 + phase, 1, 0.5 * phase, 0.5 + 0.5 * phase);
        add_chopper(n, 0, 2 + phase, 1, 0.5 - 0.5 * phase, 1 - 0.5 * phase);
    }
    for (int k = 0, from = 1; k < 5; k++)
    {
        add(n, PART_D, from, 4 + k, 0);
        add(n, PART_C, 4 + k, k == 4 ? 0 : 2 + k % 2, 2e-3);
        from = 4 + k;
    }
}

static void half_bridge_rests(Network* n)
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.2);
    add_leg(n, 3, 2, 1e-4, 0.5, 0.7);
    add(n, PART_L, 3, 4, 1e-3);
    add(n, PART_R, 4, 0, 1);
}

static void neutral_clamped(Network* n)  // a leg of four switches, two clamping diodes
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.3);
    add_leg(n, 3, 4, 1e-4, 0, 0.45);
    add_leg(n, 4, 5, 1e-4, 0.5, 0.95);
    add_leg(n, 5, 2, 1e-4, 0.5, 0.8);
    add(n, PART_D, 0, 3, 0);
    add(n, PART_D, 5, 0, 0);
    add(n, PART_L, 4, 6, 1e-3);
    add(n, PART_R, 6, 0, 10);
}

// A part of what a random network may differ by, 2e-3 of the largest, with steps short enough for it.
static void check_converter(const char* name, void (*make)(Network*), int steps, double rest, double part)
{
    static Network n;
    static Expected x;
    static char text[TEXT_SIZE];
    char why[400];
    memset(&n, 0, sizeof n);
    make(&n);
    if (!expect_states(&n, steps, &x))
        fail_msg("%s: the reference does not settle", name);
    for (int i = 0; i < n.part_count; i++)
        x.within[i] *= part;
    write_text(&n, &x, text);
    for (int i = 0; rest > 0 && i < n.part_count; i++)  // the current that ended is 0, to the last digit
        if (n.parts[i].kind == PART_L)
        {
            snprintf(strrchr(text, '}'), 100, "  expect at(%.17g, p%d.i) ~ 0 within 0\n}\n", rest * n.stop, i);
            break;
        }
    if (run(text, why, sizeof why) != AGREES)
        fail_msg("%s: %s\n%s", name, why, text);
}

static void test_converters(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        void (*make)(Network*);
        int steps;
        double rest;  // at this part of the run the first coil is without current; 0: never
    } all[] = {{"half bridge", half_bridge, 20000, 0},
               {"half bridge that rests", half_bridge_rests, 20000, 0.745},
               {"buck", buck, 20000, 0.745},
               {"boost", boost, 20000, 0},
               {"flyback", flyback, 20000, 0.749},
               {"forward", forward, 20000, 0},
               {"push-pull", push_pull, 20000, 0},
               {"class D", class_d, 20000, 0},
               {"matrix converter", matrix_converter, 6000, 0},
               {"modular", modular, 4000, 0},
               {"H bridge", h_bridge, 20000, 0.745},
               {"synchronous buck", synchronous_buck, 20000, 0},
               {"totem pole", totem_pole, 20000, 0},
               {"Vienna", vienna, 20000, 0},
               {"current fed", current_fed, 20000, 0},
               {"parallel resonant", parallel_resonant, 100000, 0},
               {"Cuk", cuk, 20000, 0},
               {"SEPIC", sepic, 20000, 0},
               {"zeta", zeta, 20000, 0},
               {"class E", class_e, 60000, 0},
               {"neutral clamped", neutral_clamped, 20000, 0}};
    const char* only = getenv("KAIROS_CONVERTER");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!only || strcmp(only, all[i].name) == 0)
            check_converter(all[i].name, all[i].make, all[i].steps, all[i].rest, 0.05);
}

// Charge by charge: backward Euler is exact where nothing but charge moves, but for its leaks.
static void test_charge_pumps(void** state)
{
    (void)state;
    check_converter("Cockcroft-Walton 2", cascade_2, 400, 0, 1e-4);
    check_converter("Cockcroft-Walton 5", cascade_5, 400, 0, 1e-4);
    check_converter("Cockcroft-Walton 10", cascade_10, 200, 0, 1e-4);
    check_converter("Dickson", dickson, 400, 0, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_converters),
                                       cmocka_unit_test(test_charge_pumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
