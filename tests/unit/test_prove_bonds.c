// Proofs about hybrid bond graphs. Random small circuits: what is proved survives random states in random modes, what
// is refuted loops. (KAIROS_STATES and KAIROS_GRAPHS make it longer: 10000 and 200 are the numbers that were run once.)
#include "kairos/kairos.h"
#include "unit/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

static int draw(int count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)count);
}

typedef struct Circuit
{
    char text[6000];
    size_t length;
    int storages, switches;
    char states[8][24];
    char machines[8][24];
} Circuit;

__attribute__((format(printf, 2, 3))) static void say(Circuit* c, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    c->length += (size_t)vsnprintf(c->text + c->length, sizeof c->text - c->length, format, args);
    va_end(args);
}

// ---- circuits
// --------------------------------------------------------------------------------------------------------

static void add_element(Circuit* c, int i, int a, int b)
{
    static const char* const values[] = {"1", "2", "0.5", "3"};
    int kind = draw(4);
    say(c, "  j%d : J1;  bond n%d -> j%d -> n%d;  bond j%d -> e%d\n", i, a, i, b, i, i);
    if (kind == 0)
        say(c, "  e%d : R(r = %s)\n", i, values[draw(4)]);
    else if (kind == 3)
    {
        say(c, "  e%d : Se(e = %d)\n", i, draw(5) - 2);
        if (draw(8) > 0)  // mostly with a resistance of its own
            say(c, "  r%d : R(r = %s);  bond j%d -> r%d\n", i, values[draw(4)], i, i);
    }
    else
    {
        say(c, "  e%d : %s = %s, %s = 0)\n", i, kind == 1 ? "C(c" : "I(i", values[draw(4)], kind == 1 ? "q0" : "p0");
        snprintf(c->states[c->storages++], 24, "e%d.%s", i, kind == 1 ? "q" : "p");
    }
}

// A diode, a switch on voltages, or an automaton with guards drawn from those people write.
static void add_switch(Circuit* c, int i, int a, int b)
{
    static const char* const close[] = {"area(s.e) > 0 or area(s.e) == 0 and post(s.e) > 0",
                                        "area(s.e) > 0 or area(s.e) == 0 and post(s.e) >= 0",
                                        "post(s.e) > 0",
                                        "nA.e > nB.e",
                                        "nA.e >= nB.e",
                                        "nA.e > 1"};
    static const char* const open[] = {"area(s.f) < 0 or area(s.f) == 0 and post(s.f) < 0",
                                       "area(s.f) < 0 or area(s.f) == 0 and post(s.f) <= 0",
                                       "post(s.f) < 0",
                                       "nA.e < nB.e",
                                       "nA.e <= nB.e",
                                       "nA.e < 0"};
    bool diode = draw(2) == 0;
    const char* guards[2] = {close[diode ? 0 : draw(6)], open[diode ? 0 : draw(6)]};
    say(c, "  s%d : J1 switched {\n", i);
    for (int k = 0; k < 2; k++)
    {
        say(c, "    %s { on ", k == 0 ? "initial mode off : OFF" : "mode on_ : ON");
        for (const char* p = guards[k]; *p != 0; p++)
            if (p[0] == 's' && p[1] == '.')
                say(c, "s%d", i);
            else if (*p == 'A' || *p == 'B')
                say(c, "%d", *p == 'A' ? a : b);
            else
                say(c, "%c", *p);
        say(c, " -> %s }\n", k == 0 ? "on_" : "off");
    }
    say(c, "  }\n  bond n%d -> s%d -> n%d\n", a, i, b);
    snprintf(c->machines[c->switches++], 24, "s%d.mode", i);
}

static void random_circuit(Circuit* c)
{
    memset(c, 0, sizeof *c);
    int nodes = 2 + draw(2), elements = 2 + draw(3), switches = 1 + draw(3);
    say(c, "model M {\n  ground : Se(e = 0);  bond ground -> n0\n");
    for (int i = 0; i < nodes; i++)
        say(c, "  n%d : J0\n", i);
    for (int i = 0; i < elements + switches; i++)
    {
        int a = i < nodes - 1 ? i + 1 : draw(nodes), b = (a + 1 + draw(nodes - 1)) % nodes;
        if (i < elements)
            add_element(c, i, a, b);
        else
            add_switch(c, i, a, b);
    }
    say(c, "}\nexperiment e of M { stop = 0 }\n");
}

// ---- asking and running
// ----------------------------------------------------------------------------------------------

static kaiProof* ask(const Circuit* c, double seconds)
{
    LoadOptions load = load_default();
    char path[] = "/tmp/kairos-bonds-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE* out = fdopen(file, "w");
    fputs(c->text, out);
    fclose(out);
    load.path = path;
    load.experiment = "e";
    kaiProveOptions options = kaiDefaultProveOptions();
    options.timeout = seconds;
    kaiProof* proof = NULL;
    kaiProgram* messages = NULL;
    kaiCompileOptions compile = load_compile(&load);
    if (load_program(&load, &messages) == KAI_OK)
        kaiProgram_Prove(messages, &compile, &options, &proof);  // NULL: the circuit is not well formed
    kaiProgram_Free(messages);
    remove(path);
    return proof;
}

// A guard exactly on its level that the flow moves over it in the same instant (decision 0009) is not what is proved.
static bool leaves_level(const kaiSim* sim)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    for (int i = 0; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
        if (count > 0)
            return true;
    return false;
}

static bool loops(const kaiSim* sim)
{
    const kaiError* f = kaiSim_Failure(sim);
    return !leaves_level(sim) && f != NULL && f->message != NULL &&
           (strstr(f->message, "mythical loop") != NULL || strstr(f->message, "chattering") != NULL);
}

// Random states in every set of modes; the first that loops is described in `where`.
static bool survives(const Circuit* c, int states, char* where, size_t size)
{
    for (int set = 0; set < 1 << c->switches; set++)
    {
        kaiOverride overrides[8];
        for (int i = 0; i < c->switches; i++)
            overrides[i] = (kaiOverride){c->machines[i], set >> i & 1};
        LoadOptions load = load_default();
        load.text = c->text;
        load.experiment = "e";
        load.overrides = overrides;
        load.override_count = c->switches;
        kaiModel* model = NULL;
        kaiProgram* messages = NULL;
        if (load_model(&load, &model, &messages) != KAI_OK)
            fail_msg("%s\n%s", kaiProgram_MessageText(messages, 0, false), c->text);
        kaiProgram_Free(messages);
        kaiSimOptions options = kaiModel_SimOptions(model);
        for (int k = 0; k < states >> c->switches; k++)
        {
            kaiError failure;
            kaiSim* sim = kaiSim_Create(model, &options, &failure);
            int length = snprintf(where, size, "set %d", set);
            for (int i = 0; i < c->storages; i++)
            {
                double value = draw(1000003) / 125000.0 - 4;
                kaiSim_Set(sim, kaiModel_FindVariable(model, c->states[i]), value);
                length += snprintf(where + length, size - (size_t)length, ", %s = %g", c->states[i], value);
            }
            kaiSim_Run(sim);
            bool looped = loops(sim);
            if (looped)
                snprintf(where + length, size - (size_t)length, ": %s", kaiSim_Failure(sim)->message);
            kaiSim_Free(sim);
            if (looped)
            {
                kaiModel_Free(model);
                return false;
            }
        }
        kaiModel_Free(model);
    }
    return true;
}

static int number_of(const char* name, int otherwise)
{
    const char* text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void test_random_circuits(void** state)
{
    (void)state;
    int counts[3] = {0}, rest = 0, wrong = 0, graphs = number_of("KAIROS_GRAPHS", 15),
        only = number_of("KAIROS_ONLY", -1);
    for (int i = 0, made = 0; made < graphs; i++)
    {
        Circuit c;
        char where[1000];
        seed = (uint64_t)i + 1;
        random_circuit(&c);
        if (only >= 0 && i != only)
        {
            if (i > only)
                break;
            continue;
        }
        kaiProof* proof = ask(&c, 10);
        if (only >= 0)
            printf("%s\n%s\n", c.text, proof != NULL ? kaiProof_Text(proof) : "wrong");
        if (proof == NULL)
            continue;
        made++;
        kaiAnswer answer = kaiProof_Answer(proof);
        counts[answer]++;
        bool survived = survives(&c, number_of("KAIROS_STATES", 200), where, sizeof where);
        if (answer == KAI_PROVED && !survived && ++wrong)
            print_message("circuit %d is proved, but loops from %s\n", i, where);
        if (answer == KAI_REFUTED && kaiProof_Replay(proof) == NULL && ++rest)
            print_message("circuit %d is refuted, but its witness rests\n", i);
        if (answer == KAI_UNKNOWN)
            print_message("circuit %d is unknown\n", i);
        kaiProof_Free(proof);
    }
    print_message("%d proved, %d refuted (%d of the witnesses rest), %d unknown\n", counts[0], counts[1], rest,
                  counts[2]);
    assert_int_equal(wrong, 0);
    assert_int_equal(rest, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_circuits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
