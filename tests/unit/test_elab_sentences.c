// Sentences of the compiler, each from the smallest text that brings it about, with the help that goes with it; signals
// and measures that come from outside; and machines of many modes.
#include "unit/load_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sentence
{
    const char *text, *says, *help;
} Sentence;

#define E "\nexperiment e of M { "

static const Sentence sentences[] = {
    // ---- definitions
    {"model M { discrete n = 0; n = 1 }", "discrete: only `:=` in an action changes it", NULL},
    {"model M { discrete n = 0; n' = 1 }", "discrete: it has no derivative, it changes in steps", NULL},
    {"model M { signal x[i in 1..2] = 1; x = 3 }", "`x` cannot be defined: it is an array", NULL},
    {"model M { a : A; a = 3 }\nmodel A { param k = 1 }", "`a` cannot be defined: it is an instance",
     "define a variable"},
    {"model M { for i in 1..2 { i = 3 } }", "`i` cannot be defined: it is the index of a `for`", "define a variable"},
    {"model M { state x = 0 nominal -1; x' = 1 }", "a nominal size must be positive, this is -1", NULL},
    {"model M { param k[i in 1..3] = [1, 2] }", "`k` has 3 elements, this list has 2", NULL},
    {"model M { state x = 0; x' = 1; a : A; when time > 1 { a := 1 } }\nmodel A { param k = 1 }",
     "this is not one variable", "name a variable of the instance, or one element of the array"},
    // ---- names and values
    {"model M { signal x = \"text\" }", "a text is no value", NULL},
    {"model M { signal x = 2*[1, 2] }", "a list is no single value", "give it to a parameter"},
    {"model M { signal y = 2*sin }", "there is no `sin` in model M", "`sin` is a function: write `sin(…)`"},
    {"function twice(a) = 2*a\nmodel M { signal y = twice }", "there is no `twice` in model M",
     "`twice` is a function: write `twice(…)`"},
    {"model M { a : A[i in 1..2]; signal y = a.q }\nmodel A { signal q = 1 }", "`a` is an array: say which element",
     "write `a[1]`"},
    {"model M { signal x = 1, y = x.z }", "`x` is a variable: it has no parts", "only instances have names inside"},
    {"model M { for i in 1..2 { signal y = i' } }", "`i` has no derivative here", "write `der(i)`"},
    {"model M { signal y = table(\"t.csv\", time, 0) }", "there is no column 0", "columns are counted from 1"},
    {"model M { signal y = table(\"t.csv\", time, 1.5) }", "a whole number is expected here, this is 1.5", NULL},
    {"model M { for i in 1..100000000 { param p = 1 } }", "larger than the compiler takes", "use a smaller range"},
    // ---- experiments
    {"model M { }" E "start = 5; stop = 1 }", "the run stops at 1 before it starts at 5",
     "`stop` is a time, not a duration"},
    {"model M { }" E "stop = 1; rtol = 0 }", "with rtol = 0 the absolute error alone is controlled",
     "give it too: `atol = 1e-9`"},
    {"model M { }" E "stop = 1; min_step = 2; max_step = 1 }", "`min_step` 2 is longer than `max_step` 1",
     "make it shorter, or leave one of them out"},
    {"model M { signal y = 1 }" E "stop = 1; record y every 0 }", "`every` must be positive, this is 0", NULL},
    {"model M { a : A }\nmodel A { param k = 1 }" E "stop = 1; sweep a in (1, 2) }", "this is not one variable",
     "name a variable of the instance"},
    {"model M { signal y = 1 }" E "stop = 1; sweep y in (1, 2) }", "`y` cannot be swept", "sweep a parameter"},
    {"model M { modes { initial mode low { } mode high { } } }" E "stop = 1; sweep mode in (low, hihg) }",
     "this is not a mode of `mode`", "`high`"},
    // ---- bond graphs
    {"model M { port p : electricl; r : R(r = 1); g : Ground; connect p, r }", "there is no domain `electricl`",
     "`electrical`"},
    {"model M { u : Se(e = 1); a : J1; r : R(r = 1); bond as n u -> a -> r }",
     "a name is for one bond, this is a chain of 2", NULL},
    {"model M { a : J1; r : R(r = 1); bond a -> a; bond a -> r }", "a bond from `a` to itself", NULL},
    {"model M { r : R(r = 1) switched { initial mode on1 : ON { } } }", "R cannot be switched: only J0 and J1 are",
     NULL},
    {"model M { l : I(i = [[2, 0], [0, 1]], f = p); a : J1; b : J1; bond a -> l; bond b -> l }",
     "give either a matrix or a law: a law has one port", NULL},
    {"model M { u : Se(e = 1); c : C(e = q^3, e0 = 1); a : J1; bond u -> a; bond a -> c }", "`e0` needs a linear",
     "q0"},
};

static bool said(const kaiProgram* program, const Sentence* s)
{
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
    {
        const kaiError* m = kaiProgram_Message(program, i);
        if (strstr(m->message, s->says) != NULL && m->place.line > 0 &&
            (s->help == NULL || (m->help != NULL && strstr(m->help, s->help) != NULL)))
            return true;
    }
    return false;
}

static void test_sentences(void** state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
    {
        LoadOptions options = load_default();
        kaiModel* model = NULL;
        kaiProgram* program = NULL;
        options.path = "text.kai";
        options.text = sentences[i].text;
        options.experiment = strstr(options.text, E) != NULL ? "e" : NULL;
        options.model = options.experiment == NULL ? "M" : NULL;
        kaiStatus status = load_model(&options, &model, &program);
        if (status != KAI_ERR_MODEL || !said(program, &sentences[i]))
        {
            const kaiError* m = kaiProgram_Message(program, 0);
            print_message("%s: %s (%s) instead of %s\n", options.text, m != NULL ? m->message : "nothing",
                          m != NULL && m->help != NULL ? m->help : "-", sentences[i].says);
            wrong++;
        }
        kaiModel_Free(model);
        kaiProgram_Free(program);
    }
    assert_int_equal(wrong, 0);
}

// ---- from outside

static kaiProgram* open_text(const char* text)
{
    LoadOptions options = load_default();
    kaiProgram* program = NULL;
    options.path = "text.kai";
    options.text = text;
    assert_int_equal(load_program(&options, &program), KAI_OK);
    return program;
}

// A signal that the caller adds is a variable as others; measures are asked at the end: x = 3 - t stops at 1 with 2.
static void test_given(void** state)
{
    (void)state;
    kaiProgram* program = open_text("model M { state x [m] = 3[m]; x' = -1[m/s] }" E "stop = 1 }\n");
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiGiven signals[] = {{"double", "2*x"}, {"x*x", "x*x"}};
    kaiGiven measures[] = {{"end", "final(x)*final(x)"}, {"least", "min(x)"}, {"big", "final(x) > 5[m]"}};
    kaiModel* model = NULL;
    const char* unit = NULL;
    which.experiment = "e";
    which.signals = signals;
    which.signal_count = 2;
    which.measures = measures;
    which.measure_count = 3;
    if (kaiProgram_Compile(program, &which, &model) != KAI_OK)
        fail_msg("%s", kaiProgram_MessageText(program, 0, false));
    assert_int_equal(kaiModel_MeasureCount(model), 3);
    assert_string_equal(kaiModel_MeasureName(model, 1, &unit), "least");
    assert_string_equal(unit, "m");
    assert_null(kaiModel_MeasureName(model, 3, NULL));
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    double value[3] = {NAN, NAN, NAN}, none = 7, square = NAN;
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "x*x"), &square));
    assert_true(fabs(square - 4) < 1e-12);
    for (int i = 0; i < 3; i++)
        assert_true(kaiSim_Measure(sim, i, &value[i]));
    assert_true(fabs(value[0] - 4) < 1e-12 && fabs(value[1] - 2) < 1e-12 && value[2] == 0);
    assert_false(kaiSim_Measure(sim, 3, &none));
    assert_false(kaiSim_Measure(sim, -1, &none));
    kaiSim_Free(sim);
    kaiModel_Free(model);
    measures[0].text = "final(";
    signals[0].text = "2*";
    assert_int_equal(kaiProgram_Compile(program, &which, &model), KAI_ERR_MODEL);
    assert_true(kaiProgram_ErrorCount(program) >= 2);
    kaiProgram_Free(program);
}

// ---- many modes

// Forty modes in a ring, a second each: after 57.5 s it is in the eighteenth.
static void test_many_modes(void** state)
{
    (void)state;
    char* text = malloc(8000);
    size_t at = (size_t)sprintf(text, "model M { state x = 0; discrete n = 0; event tick = clock(1, 1); modes {\n");
    for (int i = 0; i < 40; i++)
        at += (size_t)sprintf(text + at, "  %smode m%d { x' = %d; on tick -> m%d }\n", i == 0 ? "initial " : "", i, i,
                              (i + 1) % 40);
    sprintf(text + at, "} }" E "stop = 57.5 }\n");
    kaiModel* model = load_text(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    double mode = NAN, x = NAN;
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "mode"), &mode));
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "x"), &x));
    assert_true(mode == 17);
    assert_true(fabs(x - (39 * 40 / 2 + 16 * 17 / 2 + 17 * 0.5)) < 1e-9);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    char* wrong = strstr(text, "-> m39");
    memcpy(wrong, "-> m77", 6);
    LoadOptions load = load_default();
    kaiProgram* program = NULL;
    load.path = "text.kai";
    load.text = text;
    load.experiment = "e";
    assert_int_equal(load_model(&load, &model, &program), KAI_ERR_MODEL);
    assert_non_null(strstr(kaiProgram_Message(program, 0)->message, "m77"));
    kaiProgram_Free(program);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences), cmocka_unit_test(test_given),
                                       cmocka_unit_test(test_many_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
