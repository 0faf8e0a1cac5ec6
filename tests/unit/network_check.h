// A network of circuit_reference.h through compiler and run, held against what the reference says of its states at 20
// times: the text of the model with its `expect` lines, and what became of it.
#ifndef KAIROS_TESTS_NETWORK_CHECK_H
#define KAIROS_TESTS_NETWORK_CHECK_H

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

// --------------------------------------------------------------------------------------------------------- expectation

typedef struct Expected
{
    double times[TIMES], states[TIMES][CIRCUIT_PARTS], within[CIRCUIT_PARTS];
    int count;      // of the times, before the end
    double end;     // of the run, or of what has a solution
    double around;  // and how exactly that is known
} Expected;

static inline bool is_state(const Part* p)
{
    return p->kind == PART_L || p->kind == PART_C;
}

// Two step lengths, extrapolated; their difference, with 2e-3 of the largest voltage or current, is what they are
// worth. False: not enough to tell.
static inline bool expect_states(const Network* n, int steps, Expected* x)
{
    static double coarse[TIMES][CIRCUIT_PARTS];
    double largest[2] = {0.1, 0.1};
    for (int k = 0; k < TIMES; k++)
        x->times[k] = n->stop * (k + 0.613) / 20.2;
    double first = reference_run(n, n->stop / steps, x->times, TIMES, coarse);
    x->end = reference_run(n, n->stop / steps / 2, x->times, TIMES, x->states);
    x->around = x->end < n->stop ? 3 * n->stop / steps : 0;
    if (fabs(x->end - first) > x->around)
        return false;
    for (x->count = 0; x->count < TIMES && x->times[x->count] < x->end - x->around;)
        x->count++;
    for (int i = 0; i < n->part_count; i++)
        for (int k = 0; k < x->count; k++)
            largest[n->parts[i].kind == PART_L] = fmax(largest[n->parts[i].kind == PART_L], fabs(x->states[k][i]));
    for (int i = 0; i < n->part_count; i++)
    {
        double size = largest[n->parts[i].kind == PART_L], worst = 0;
        for (int k = 0; k < x->count; k++)
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

__attribute__((format(printf, 3, 4))) static inline size_t say(char* text, size_t length, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + length, TEXT_SIZE - length, format, args);
    va_end(args);
    assert_true(length + (size_t)more < TEXT_SIZE);
    return length + (size_t)more;
}

static inline size_t say_wave(char* text, size_t c, const Part* p)
{
    return say(text, c, "%.17g + %.17g*sin(%.17g*time + %.17g))\n", p->value, p->amplitude, p->omega, p->phase);
}

static inline size_t say_part(char* text, size_t c, const Part* p, int i)
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

static inline size_t say_node(char* text, size_t c, const Network* n, int node)
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

// Up to the end of what has a solution; beyond it, with nothing to expect.
static inline void write_text(const Network* n, const Expected* x, char* text)
{
    size_t c = say(text, 0, "import \"electrical.kai\"\nmodel Net {\n  gnd : Ground()\n");
    for (int i = 0; i < n->part_count; i++)
        c = say_part(text, c, &n->parts[i], i);
    for (int node = 0; node < n->node_count; node++)
        c = say_node(text, c, n, node);
    double stop = x == NULL || x->end >= n->stop ? n->stop : x->count > 0 ? x->times[x->count - 1] + 1e-6 : 0;
    c = say(text, c, "}\nexperiment e of Net {\n  stop = %.17g\n", stop);
    for (int k = 0; x != NULL && k < x->count; k++)
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
    ENDS,  // agrees up to where there is no solution, and stops there
    DIFFERS,
    REFUSED,
    HUNG,      // it does not end
    LEFT_OUT,  // nothing to compare with
    OUTCOMES,
} Outcome;

static inline Outcome run_to(const char* text, char* why, size_t size, double* reached)
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
    Outcome outcome = status == KAI_END ? AGREES : status < KAI_OK ? REFUSED : HUNG;
    snprintf(why, size, "%s", status < KAI_OK ? kaiSim_Failure(sim)->message : "it does not end");
    kaiExpectResult result;
    for (int i = 0; outcome == AGREES && kaiSim_Expect(sim, i, &result) == KAI_OK; i++)
        if (!result.passed)
        {
            outcome = DIFFERS;
            snprintf(why, size, "%s, but is %.9g", result.source, result.value);
        }
    *reached = status < KAI_OK ? kaiSim_Failure(sim)->tag.t : kaiSim_Now(sim).t;
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return outcome;
}

static inline Outcome run(const char* text, char* why, size_t size)
{
    double reached;
    return run_to(text, why, size, &reached);
}

#endif
