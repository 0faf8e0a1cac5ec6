// Netlists card by card: expressions are worth what arithmetic says, as text and as the value the operating point is
// made of; coils, lines, switches and shared nodes by their closed forms; and what is wrong or left out in its
// sentence.
#include "kairos/kairos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- files that netlists include

static kaiStatus provide(void* user, const kaiFileRequest* request, const char** text, size_t* length, const char** why)
{
    (void)user;
    static const struct
    {
        const char *path, *text;
    } files[] = {
        {"part.inc", "R2 b 0 3k\n.end\nR3 b 0 1m\n"},
        {"sub/outer.inc", ".include inner.inc\n"},
        {"sub/inner.inc", "R2 b 0 3k\n"},
        {"/abs.inc", "R2 b 0 3k"},
        {"loop.inc", ".inc loop.inc\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].path, request->path) == 0)
        {
            *text = files[i].text;
            *length = strlen(files[i].text);
            return KAI_OK;
        }
    *why = "the shelf is empty";
    return KAI_ERR_IO;
}

static kaiSpice* import(const char* netlist, kaiStatus* status)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiSpice* spice = NULL;
    kaiError error = {0};
    options.path = "top.cir";
    options.text = netlist;
    options.files = (kaiFileProvider){.read = provide};
    *status = kaiSpice_Import(&options, &spice, &error);
    assert_non_null(spice);
    return spice;
}

static kaiModel* compile(const kaiSpice* spice)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error = {0};
    options.path = "circuit.kai";
    options.text = kaiSpice_Text(spice);
    which.experiment = "tran";
    if (kaiProgram_Open(&options, &program, &error) != KAI_OK)
        fail_msg("%s: %s", options.text, error.message);
    if (kaiProgram_Compile(program, &which, &model) != KAI_OK)
        fail_msg("%s: %s", options.text, kaiProgram_MessageText(program, 0, false));
    kaiProgram_Free(program);
    return model;
}

// The value of `name` at t.
static double value_at(const char* netlist, const char* name, double t)
{
    kaiStatus status;
    kaiSpice* spice = import(netlist, &status);
    double value = NAN;
    if (status != KAI_OK)
        fail_msg("%s: %s", netlist, kaiSpice_MessageText(spice, 0, false));
    kaiModel* model = compile(spice);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError error = {0};
    options.stop = fmax(options.stop, t);
    kaiSim* sim = kaiSim_Create(model, &options, &error);
    assert_non_null(sim);
    while ((status = kaiSim_StepTo(sim, t)) == KAI_INSTANT)
        ;
    if (status < 0)
        fail_msg("%s: %s", kaiSpice_Text(spice), kaiSim_Failure(sim)->message);
    int index = kaiModel_FindVariable(model, name);
    if (index < 0)
        fail_msg("%s\nhas no %s", kaiSpice_Text(spice), name);
    assert_true(kaiSim_Get(sim, index, &value));
    kaiSim_Free(sim);
    kaiModel_Free(model);
    kaiSpice_Free(spice);
    return value;
}

static void holds(const char* netlist, const char* name, double t, double wanted)
{
    double value = value_at(netlist, name, t);
    if (!(fabs(value - wanted) <= 1e-6 * (1 + fabs(wanted))))
        fail_msg("%s: %s(%g) = %.12g instead of %.12g", netlist, name, t, value, wanted);
}

// ---- expressions

// One ampere through a resistor of {expression} ohms beside a capacitor. At t = 0 the voltage is the value that the
// importer worked out, much later the value that the text has.
static void test_expressions(void** state)
{
    (void)state;
    const double pi = acos(-1);
    const struct
    {
        const char* text;
        double value;
        bool later;  // the importer does not work it out: no operating point
    } list[] = {
        {"min(3, 2) + max(3, 7)", 9, false},
        {"pow(2, 3) - 2**2 + 3^2", 13, false},
        {"hypot(3, 4)", 5, true},
        {"atan2(1, 1)*4", pi, true},
        {"limit(7, 1, 5) + limit(-2, 1, 5)", 6, true},
        {"sgn(-3) + 4", 3, true},
        {"u(2) + u(-2) + 1", 2, true},
        {"uramp(3) + uramp(-3)", 3, true},
        {"int(-2.7) + int(2.7) + 1", 1, false},
        {"nint(2.6) + floor(2.6) + ceil(2.6)", 8, false},
        {"abs(-2) + sqrt(16) + log10(100)", 8, false},
        {"ln(exp(2)) + log(exp(1))", 3, false},
        {"sin(pi/2) + cos(0) + tan(pi/4)", 3, false},
        {"asin(1) + acos(0) + atan(1)*2", 1.5 * pi, false},
        {"arctan(1)*4 + sinh(0) + cosh(0) + tanh(0)", pi + 1, false},
        {"!(1 > 2) + 1", 2, false},
        {"!3 + 1", 1, false},
        {"(1 > 2 || 3 > 2) + 1", 2, false},
        {"(1 < 2 && 3 < 2) + 1", 1, false},
        {"(2 & 3) + (0 | 4)", 2, false},
        {"1 <= 1 ? 5 : 6", 5, false},
        {"2 >= 3 ? 5 : 6", 6, false},
        {"2 == 2 ? (3 != 3 ? 1 : 2) : 3", 2, false},
        {"if(2 > 1, 4, 5)", 4, false},
        {"if(0, 4, 5)", 5, false},
        {"x*2 + +y", 11, false},
        {"-(-x) + --y", 7, false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    {
        char netlist[300];
        snprintf(netlist, sizeof netlist,
                 "t\n.param x=1 y=3\n.param x={y+1}\nI1 0 a 1\nR1 a 0 {%s}\nC1 a 0 1m\n.tran 1m 1\n.end\n",
                 list[i].text);
        if (!list[i].later)
            holds(netlist, "v_a", 0, list[i].value);
        holds(netlist, "v_a", 1, list[i].value);
    }
}

// ---- closed forms

static const struct
{
    const char *netlist, *name;
    double t, value;
} circuits[] = {
    // The current of a resistor controls as well: no operating point, so it charges from 0.
    {"f\nV1 a 0 3\nR1 a 0 1k\nF1 0 f R1 5\nRf f 0 1k\nCf f 0 1u\n.tran 1u 1m\n", "v_f", 1e-3,
     15 * (1 - 0.36787944117144233)},
    {"h\nV1 a 0 3\nR1 a 0 1k\nH1 h 0 R1 4k\nRh h g 1k\nCg g 0 1u\n.tran 1u 1m\n", "v_g", 1e-3,
     12 * (1 - 0.36787944117144233)},
    // A switch by a current: 5 mA are above 1 mA, below 9 mA.
    {"w\nV1 a 0 5\nR1 a b 1k\nVs b 0 0\nW1 a c Vs WX\nR2 c 0 1k\nC2 c 0 1u\n.model WX CSW(It=1m)\n.tran 1u 1m\n", "v_c",
     0, 5},
    {"w\nV1 a 0 5\nR1 a b 1k\nVs b 0 0\nW1 a c Vs WX off\nR2 c 0 1k\nC2 c 0 1u\n.model WX CSW(It=9m)\n.tran 1u 1m\n",
     "v_c", 0, 0},
    // A node that is shared through .global, in a subcircuit that does not name it; its parameter is the caller's.
    {"g\n.global rail\n.param r=1k\nV1 rail 0 10\nX1 out cell\nC1 out 0 1n\n.subckt cell o\nR1 rail o {r}\nR2 o 0 "
     "3k\n.ends\n.tran 1u 1m\n",
     "v_out", 1e-3, 7.5},
    {"g\n.global rail\nV1 rail 0 10\nX1 out cell\nR2 out 0 1k\nC1 out 0 1n\n.subckt cell o\nE1 o 0 VALUE={V(rail)/2}\n"
     ".ends\n.tran 1u 1m\n",
     "v_out", 1e-3, 5},
    // A line of 50 ohms between 50 ohms: half the voltage, one delay later.
    {"line\nV1 a 0 PULSE(0 2 0 0 0)\nR1 a b 50\nT1 b 0 c 0 Z0=50 TD=1u\nR2 c 0 50\n.tran 10n 3u\n", "v_c", 0.5e-6, 0},
    {"line\nV1 a 0 PULSE(0 2 0 0 0)\nR1 a b 50\nT1 b 0 c 0 Z0=50 TD=1u\nR2 c 0 50\n.tran 10n 3u\n", "v_c", 2.5e-6, 1},
    // .ic at either end of a capacitor, and at both: from there with RC = 1 ms.
    {"ic\nR1 0 a 1k\nC1 0 a 1u\n.ic V(a)=2\n.tran 1u 1m\n", "v_a", 1e-3, 2 * 0.36787944117144233},
    {"ic\nR1 a b 1k\nC1 a b 1u\nR2 b 0 1k\nC2 b 0 1u\n.ic V(a)=5 V(b)=2\n.tran 1u 1m\n", "v_a", 0, 5},
    // Three coils on one core, each half coupled to both others: in the first, open others, 1 V raises 1 A/s per henry.
    {"coils\nV1 a 0 1\nL1 a 0 1 ic=0\nL2 b 0 4 ic=0\nL3 c 0 9 ic=0\nK1 L1 L2 0.5\nK2 L1 L3 0.5\nK3 L2 L3 0.5\nR2 b 0 "
     "1g\nR3 c 0 1g\n.tran 1m 1\n",
     "K1.i1", 1, 1},
    {"coils\nV1 a 0 1\nL1 a 0 1 ic=0\nL2 b 0 4 ic=0\nL3 c 0 9 ic=0\nK1 L1 L2 L3 0.5\nR2 b 0 1g\nR3 c 0 1g\n.tran 1m "
     "1\n",
     "v_b", 0.5, 1},
    // A resistor of 0 ohms is a wire whose current can be read.
    {"wire\nV1 a 0 2\nR0 a b 0\nR1 b 0 1\nB1 c 0 V={I(R0)*3}\nR2 c 0 1\n.tran 1m 1\n", "v_c", 0.5, 6},
    // Rser of a coil and of a source.
    {"rser\nV1 a 0 3 rser=1\nL1 a 0 1 rser=2\n.tran 1m 1\n", "v_a", 0, 2},
    {"included\nV1 a 0 10\nR1 a b 1k\n.include part.inc\nC1 b 0 1u\n.tran 1u 1m\n", "v_b", 0, 7.5},
    {"included\nV1 a 0 10\nR1 a b 1k\n.inc sub/outer.inc\nC1 b 0 1u\n.tran 1u 1m\n", "v_b", 0, 7.5},
    {"included\nV1 a 0 10\nR1 a b 1k\n.include \"/abs.inc\"\nC1 b 0 1u\n.tran 1u 1m\n", "v_b", 0, 7.5},
};

static void test_circuits(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof *circuits; i++)
        holds(circuits[i].netlist, circuits[i].name, circuits[i].t, circuits[i].value);
}

// Where there is no operating point, storages start without a value of their own.
static void test_no_operating_point(void** state)
{
    (void)state;
    static const char* const netlists[] = {
        "a switch against itself\nV1 a 0 5\nR1 a b 1k\nS1 b 0 b 0 SX\nC1 b 0 1u\n.model SX SW(Vt=2)\n.tran 1u 1m\n",
        "two sources\nV1 a 0 1\nV2 a 0 2\nR1 a b 1k\nC1 b 0 1u\n.tran 1u 1m\n",
    };
    for (size_t i = 0; i < sizeof netlists / sizeof *netlists; i++)
    {
        kaiStatus status;
        kaiSpice* spice = import(netlists[i], &status);
        assert_int_equal(status, KAI_OK);
        assert_non_null(strstr(kaiSpice_Text(spice), "C1 : Capacitor(C = 1e-6)"));
        kaiSpice_Free(spice);
    }
}

// ---- sentences

static bool has_message(kaiSpice* spice, const char* words)
{
    for (int i = 0; i < kaiSpice_MessageCount(spice); i++)
        if (strstr(kaiSpice_MessageText(spice, i, false), words) != NULL)
            return true;
    return false;
}

static void says(const char* cards, kaiStatus wanted, const char* words)
{
    char* netlist = malloc(strlen(cards) + 20);
    kaiStatus status;
    sprintf(netlist, "title\n%s\n", cards);
    kaiSpice* spice = import(netlist, &status);
    if (!has_message(spice, words) || status != wanted)
        fail_msg("%s: %s instead of %s", cards,
                 kaiSpice_MessageCount(spice) > 0 ? kaiSpice_MessageText(spice, 0, false) : "nothing", words);
    kaiSpice_Free(spice);
    free(netlist);
}

static void test_mistakes(void** state)
{
    (void)state;
    static const struct
    {
        const char *cards, *words;
    } wrong[] = {
        {".include", "`.include` needs a file"},
        {".include loop.inc", "loop.inc includes itself"},
        {".include gone.inc", "gone.inc cannot be read: the shelf is empty"},
        {"R1 a 0 {min(1)}", "`min` has 2 arguments"},
        {"R1 a 0 {abs(1, 2)}", "`abs` has 1 arguments"},
        {"R1 a 0 {gamma(1)}", "there is no function `gamma`"},
        {"R1 a 0 {1 ? 2}", "`:` is missing behind `?`"},
        {"R1 a 0 {(1}", "`)` is missing"},
        {"R1 a 0 {1 2}", "`2` does not belong here"},
        {"R1 a 0 {1 +}", "something is missing at the end"},
        {".param x={x+1}\nR1 a 0 {x}", "`x` is defined through itself"},
        {"B1 a 0 V={V(a}\nR1 a 0 1", "V(node) or V(node, node) is expected"},
        {"B1 a 0 V={I(R1}\nR1 a 0 1", "I(part) is expected"},
        {"B1 a 0 W={1}\nR1 a 0 1", "`B1` needs `V = …` or `I = …`"},
        {"E1 a 0 POLY(1) b 0 0 1\nR1 a 0 1", "`POLY` of a controlled source is not understood"},
        {"H1 a 0 TABLE 1\nR1 a 0 1", "`TABLE` of a controlled source is not understood"},
        {"T1 a 0 b 0 Z0=50 F=1k\nR1 a 0 1", "`F` of a line is not understood: Z0 and TD are"},
        {"T1 a 0 b 0 Z0=50\nR1 a 0 1", "`T1` needs Z0 and TD"},
        {"L1 a 0 1\nL2 b 0 1\nL3 c 0 1\nL4 d 0 1\nK1 L1 L2 0.5\nK2 L2 L3 0.5\nK3 L3 L4 0.5",
         "more than 3 coils on one core"},
        {"L1 a 0 1\nL2 b 0 1\nL3 c 0 1\nL4 d 0 1\nK1 L1 L2 L3 L4 0.5",
         "`L4` is one coil too many: three can be coupled"},
        {"L1 a 0 1\nL2 b 0 1\nL3 c 0 1\nK1 L1 L2 0.9\nK2 L1 L3 0.9\nK3 L2 L3 0.1",
         "three coils cannot be coupled by 0.9, 0.9 and 0.1"},
        {"L1 a 0 1\nK1 L1 0.5", "`K1` needs two inductors and a factor"},
        {"R1 a 0 1\n.subckt s a\nR1 a 0 1\n.ends\n.subckt s a\nR1 a 0 2\n.ends", "there are two subcircuits `s`"},
        {"R1 a 0 1\n.subckt\n.ends", "`.subckt` needs a name"},
        {"R1 a 0 1\n.tran", "`.tran` needs a step and a stop time"},
        {"R1 a 0 1\n.tran 1u 1m 0 1u 5", "`.tran` takes a step, a stop time, a start time and a longest step"},
        {"C1 a 0 1\n.ic V(X1.z)=1", "there is no node `X1.z` in the circuit"},
        {"C1 a 0 1\n.ic a=1", "`.ic` takes V(node) = value"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        says(wrong[i].cards, KAI_ERR_MODEL, wrong[i].words);
}

static void test_left_out(void** state)
{
    (void)state;
    static const struct
    {
        const char *cards, *words;
    } odd[] = {
        {"V1 a 0 1\nR1 a 0 1\n.op", "`.op` is left out"},
        {"V1 a 0 1\nR1 a 0 1\n.control\nrun\nR2 a 0 1\n.endc", "the script up to `.endc` is left out"},
        {"V1 a 0 PULSE(1 2 0 0 0)\nR1 a 0 1", "an edge without duration at t = 0: the run starts behind it"},
        {"V1 a 0 1\nR1 a 0 1\n.tran 1u 1m\n.tran 1u 2m", "a second `.tran`: the last one counts"},
        {"V1 a 0 1\nR1 a 0 2f", "`2f` has the factor femto, 1e-15, as in SPICE"},
        {"I1 0 a 3A\nR1 a 0 2", "`3A` is read in amperes"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        says(odd[i].cards, KAI_OK, odd[i].words);
    kaiStatus status;
    kaiSpice* spice = import("R9 x 0 1k\nR1 a 0 1k\nV1 a 0\n+ 1\n", &status);
    assert_int_equal(status, KAI_OK);
    assert_true(has_message(spice, "the first line of a netlist is its title: `R9` is no part of the circuit"));
    kaiSpice_Free(spice);
}

// What would go deep as calls is bounded: values of a list, parameters before those they read, nested subcircuits.
static void test_bounds(void** state)
{
    (void)state;
    size_t room = 60000;
    char* text = malloc(room);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "R1 a 0 1\nV1 a 0 PWL(");
    for (int i = 0; i <= 4096; i++)
        used += (size_t)snprintf(text + used, room - used, "%d ", i);
    snprintf(text + used, room - used, ")");
    says(text, KAI_ERR_MODEL, "more than 4096 values");
    used = (size_t)snprintf(text, room, "R1 a 0 {p0}\n");
    for (int i = 0; i < 600; i++)
        used += (size_t)snprintf(text + used, room - used, ".param p%d={p%d}\n", i, i + 1);
    snprintf(text + used, room - used, ".param p600=1");
    says(text, KAI_ERR_MODEL, "more than 500 parameters stand before those that they read");
    used = (size_t)snprintf(text, room, "X1 a 0 s0\n");
    for (int i = 0; i < 600; i++)
        used += (size_t)snprintf(text + used, room - used, ".subckt s%d a b\nX1 a b s%d\n.ends\n", i, i + 1);
    snprintf(text + used, room - used, ".subckt s600 a b\nR1 a b 1\n.ends");
    says(text, KAI_ERR_MODEL, "subcircuits use each other more than 500 deep");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_circuits), cmocka_unit_test(test_no_operating_point),
        cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_left_out), cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
