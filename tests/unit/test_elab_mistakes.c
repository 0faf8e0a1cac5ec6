// What wrong models are told: code, place and words of every mistake, all of them, and none that only follows.
#include "unit/elab_fixture.h"

typedef struct Bad
{
    const char* code;
    int line, column;
    const char* source;
    const char* words;  // of the message
    const char* help;   // part of it, or NULL
    const char* experiment;
} Bad;

#define HEAD "model M {\n"

static const Bad bads[] = {
    {"K020", 3, 8, HEAD "  state y = 1, v = 0\n  y' = vv; v' = 0 }", "no `vv` in model M", "`v`", NULL},
    {"K020", 1, 21, "function f(a) = a + bb\nmodel M { param bb = 1; signal x = f(1) }", "no `bb` in function f",
     "arguments", NULL},
    {"K020", 2, 56, HEAD "  modes { initial mode a { signal z = 1 } } signal y = z }", "declared in mode a",
     "outside the modes", NULL},
    {"K020", 2, 14, HEAD "  signal y = tiem }", "`tiem`", "`time`", NULL},
    {"K038", 2, 9, HEAD "  event e = up(time)\n  when time > 1 { emit e } }", "both defined and emitted", NULL, NULL},
    {"K021", 2, 7, HEAD "  b : Bal }\nmodel Ball { }", "no model `Bal`", "`Ball`", NULL},
    {"K021", 2, 17, "model Ball { }\nexperiment e of Bll { }", "no model `Bll`", "`Ball`", "e"},
    {"K022", 2, 14, HEAD "  signal y = sine(1) }", "no function `sine`", "sin", NULL},
    {"K023", 2, 9, HEAD "  a : A(mas = 1) }\nmodel A { param mass = 1 }", "no parameter or state `mas`", "`mass`",
     NULL},
    {"K023", 2, 9, HEAD "  a : A(y = 1) }\nmodel A { signal y = 1 }", "cannot be set", "parameters", NULL},
    {"K024", 2, 44, HEAD "  modes { initial mode go { on time > 1 -> stoop } mode stopp { } } }", "`stoop`", "`stopp`",
     NULL},
    {"K024", 2, 35,
     HEAD "  s : S;  signal y = if s.mode == fwdd then 1 else 0 }\nmodel S { modes { initial mode fwd { } } }",
     "no mode `fwdd`", "`fwd`", NULL},
    {"K025", 2, 21, "model M { }\nexperiment e of M { stopp = 1 }", "`stopp`", "`stop`", "e"},
    {"K026", 2, 30, "model M { }\nexperiment e of M { solver = rk54 }", "rk45, rk23", "`rk45`", "e"},
    {"K027", 2, 12, HEAD "  param a [kq] = 1 }", "no unit `kq`", "`kg`", NULL},
    {"K027", 2, 15, HEAD "  param a = 3[mn] }", "no unit `mn`", NULL, NULL},
    {"K029", 0, 0, "model M { }\nexperiment bounce of M { }", "no experiment `bunce`", "`bounce`", "bunce"},
    {"K030", 3, 10, HEAD "  state x = 1; x' = 1\n  signal x = 2 }", "declared twice", "rename", NULL},
    {"K030", 2, 26, HEAD "  for i in 1..2 { signal x = i } }", "every pass", "array", NULL},
    {"K030", 2, 9, HEAD "  param pi = 3 }", "name of the language", NULL, NULL},
    {"K030", 2, 35, HEAD "  modes { initial mode a { } mode a { } } }", "mode `a`", NULL, NULL},
    {"K030", 2, 16, HEAD "  a : A(m = 1, m = 2) }\nmodel A { param m = 1 }", "given twice", NULL, NULL},
    {"K031", 4, 3, HEAD "  signal x\n  x = 1\n  x = 2 }", "`x` is defined twice", "keep one", NULL},
    {"K031", 3, 29, HEAD "  signal x = 1\n  modes { initial mode go { x = 2 } } }", "outside all modes and in mode go",
     NULL, NULL},
    {"K031", 4, 28,
     HEAD "  state x = 1\n  modes { initial mode a { x' = 2 } }\n  modes { initial mode b { x' = 3 } } }",
     "`x'` has two definitions", NULL, NULL},
    {"K032", 2, 10, HEAD "  signal y }", "signal `y` of model M has no definition", "`y = …`", NULL},
    {"K032", 2, 9, HEAD "  param p }", "no value", "argument", NULL},
    {"K033", 2, 9, HEAD "  state x = 1 }", "state `x` of model M has no derivative", "`x' = …`", NULL},
    {"K034", 2, 3, HEAD "  a : A }\nmodel A { input F; signal y = F }", "input `a.F`", "`a.F = …`", NULL},
    {"K035", 2, 9, HEAD "  event e }", "neither defined nor emitted", "emit", NULL},
    {"K036", 3, 3, HEAD "  param p = 1\n  p = 2 }", "parameter", "signal", NULL},
    {"K036", 3, 3, HEAD "  state x = 1\n  x = 2 }", "state", "x'", NULL},
    {"K036", 3, 3, HEAD "  signal x\n  x' = 2 }", "not a state", "state", NULL},
    {"K036", 3, 3, HEAD "  a : A\n  a.y = 2 }\nmodel A { signal y }", "no input", "input", NULL},
    {"K036", 3, 2, HEAD "  a : A } model A { input y\n y = 2 }", "an input of this model", "signal", NULL},
    {"K037", 3, 19, HEAD "  signal y = 1\n  when time > 1 { y := 2 } }", "`y` is a signal", "discrete", NULL},
    {"K038", 3, 24, HEAD "  signal y = 1\n  when time > 1 { emit y } }", "not an event", "event y", NULL},
    {"K040", 2, 14, HEAD "  signal y = (time > 1) + 1 }", "a real number is expected here, this is a Boolean", "if",
     NULL},
    {"K040", 2, 17, HEAD "  signal y = if time then 1 else 2 }", "a Boolean is expected here, this is a real number",
     "compare", NULL},
    {"K040", 2, 13, HEAD "  event e = time }", "an event is expected here, this is a real number", "up", NULL},
    {"K040", 2, 14, HEAD "  signal y = if time > 1 then true else 2 }",
     "`then` gives a Boolean, `else` gives a real number", NULL, NULL},
    {"K041", 3, 16, HEAD "  param a [m] = 1, b [s] = 1\n  signal y = a + b }", "cannot add m and s", NULL, NULL},
    {"K041", 2, 36, HEAD "  state x [m] = 1, v [m] = 1; x' = v; v' = 0 }", "`x'` is in m/s, this is in m", NULL, NULL},
    {"K041", 3, 18, HEAD "  param a [m] = 1\n  signal y = sin(a) }", "argument of sin", NULL, NULL},
    {"K041", 2, 13, HEAD "  a : A(m = 1[s]) }\nmodel A { param m [kg] = 1 }", "`m` is in kg, this is in s", NULL, NULL},
    {"K041", 2, 28, "model M { }\nexperiment e of M { stop = 1[m] }", "`stop` is in s", NULL, "e"},
    {"K043", 2, 14, HEAD "  signal y = sin(1, 2) }", "sin takes 1 argument", "sin(x)", NULL},
    {"K043", 3, 14, "function f(a, b) = a\n" HEAD "  signal y = f(1) }", "f takes 2 arguments, here are 1", NULL, NULL},
    {"K044", 2, 27, HEAD "  state x = 1; x' = 1; if x > 0 { } }", "`x` changes during a run", "parameters", NULL},
    {"K044", 2, 34, HEAD "  state x = 1; x' = 1; param p = x }", "`x` changes", NULL, NULL},
    {"K045", 2, 44, HEAD "  param k = [1, 2, 3]; signal y = k[1] + k[4] }", "index 4 is outside `k[1..3]`", NULL, NULL},
    {"K045", 2, 55, HEAD "  param k = [1, 2], n = 1; signal y = if n > 0 then k[3] else 0 }", "index 3 is outside",
     NULL, NULL},
    {"K045", 2, 58, HEAD "  param k = [1, 2]; signal y = if time > 0 then 1 else k[3] }", "index 3 is outside", NULL,
     NULL},
    {"K045", 2, 37, HEAD "  param k = [1, 2, 3]; signal y = k[1.5] }", "whole number", NULL, NULL},
    {"K046", 2, 27, HEAD "  param k = 1; signal y = k[1] }", "not an array", NULL, NULL},
    {"K046", 2, 32, HEAD "  param k = [1, 2]; signal y = k }", "array", "k[1]", NULL},
    {"K047", 2, 15, HEAD "  for i in 1..2.5 { } }", "whole number", NULL, NULL},
    {"K048", 2, 21, HEAD "  a : A; signal y = a }\nmodel A { }", "instance", NULL, NULL},
    {"K050", 2, 17, "function f(x) = g(x)\nfunction g(x) = f(x)\nmodel M { signal y = f(1) }", "f → g → f", NULL, NULL},
    {"K051", 1, 15, "model A { b : B }\nmodel B { a : A }\nmodel M { b : B }", "B → A → B", "array", NULL},
    {"K052", 2, 20, HEAD "  param a = b + 1, b = 2*a }", "b → a → b", NULL, NULL},
    {"K052", 2, 9, HEAD "  param a = b + 1, b = 2*a; if a > 1 { } }", "depends on itself", NULL, NULL},
    {"K053", 2, 12, HEAD "  for i in 1..1000000000 { } }", "larger than", "smaller range", NULL},
    {"K053", 2, 23, HEAD "  signal y = sum(i in 1..1000000000, i) }", "larger than", NULL, NULL},
    {"K060", 2, 3, HEAD "  modes { mode a { } mode b { } } }", "none of these modes is initial", "initial mode a",
     NULL},
    {"K060", 2, 43, HEAD "  modes { initial mode a { } initial mode b { } } }", "`a` and `b` are both initial", NULL,
     NULL},
    {"K061", 2, 3, HEAD "  on time > 1 -> a }", "inside a mode", "when", NULL},
    {"K061", 2, 50, HEAD "  modes { initial mode a { c : C } } } model C { on time > 1 -> a }", "inside a mode", NULL,
     NULL},
    {"K062", 2, 8, HEAD "  when entry { halt } }", "inside a mode", NULL, NULL},
    {"K063", 2, 14, HEAD "  signal y = post(time) }", "junction", "pre", NULL},
    {"K064", 2, 14, HEAD "  signal y = uniform(0, 1) }", "drawn at events", "sample", NULL},
    {"K065", 2, 14, HEAD "  signal y = final(time) }", "expect", NULL, NULL},
    {"K065", 2, 28, "model M { signal y = 1 }\nexperiment e of M { expect y > 0 }", "say when", "final(y)", "e"},
    {"K066", 3, 11, HEAD "  state x; x' = 1\n  initial x + 1 }", "needs an equation", "a == b", NULL},
    {"K066", 2, 36, HEAD "  modes { initial mode a { initial time == 1 } } }", "inside a mode", NULL, NULL},
    {"K070", 2, 28, "model M { }\nexperiment e of M { atol = 0 }", "positive", NULL, "e"},
    {"K070", 2, 31, "model M { }\nexperiment e of M { stop = 1; stop = 2 }", "set twice", NULL, "e"},
    {"K071", 2, 44, "model M { param p = 1 }\nexperiment e of M { sweep p from 0 to 1 by 0 }", "never", "step", "e"},
    {"K072", 2, 20, HEAD "  signal y = table(\"no-such.csv\", time) }", "no-such.csv", NULL, NULL},
    {"K073", 1, 10, "external f(x) = \"erf\"\nmodel M { signal y = f(1) }", "does not say where", "library:symbol",
     NULL},
    {"K080", 1, 8, "import \"no/such.kai\"\nmodel M { }", "no/such.kai", "beside", NULL},
    {"K081", 2, 7, "model M { }\nmodel M { }", "model `M` is declared twice", NULL, NULL},
    {"K081", 1, 10, "function sin(x) = x\nmodel M { }", "of the language", NULL, NULL},
    {"K082", 1, 1, "function f(x) = x", "no model", NULL, NULL},
    {"K090", 2, 28, HEAD "  modes { initial mode a { j : J1 } } }", "in a mode", NULL, NULL},
    {"K091", 3, 13, HEAD "  state x; x' = 1; j : J0\n  bond j -> x }", "no", NULL, NULL},
    {"K092", 2, 19, HEAD "  j : J0; k : J0; r : R(r = 1)\n  bond j -> r; bond k -> r }", "more than one", NULL, NULL},
    {"K095", 2, 9, HEAD "  r : R(x = 1); j : J0; bond j -> r }", "no argument `x`", "R(r)", NULL},
};

static bool matches(const Bad* bad, const kaiError* diagnostic)
{
    bool place = diagnostic->place.line == bad->line && diagnostic->place.column == bad->column;
    bool words = !bad->words || strstr(diagnostic->message, bad->words);
    bool help = !bad->help || (diagnostic->help && strstr(diagnostic->help, bad->help));
    return strcmp(diagnostic->code, bad->code) == 0 && place && words && help;
}

static void test_bad(void** state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++)
    {
        Run run;
        const char* root = bads[i].experiment || !strstr(bads[i].source, "model M ") ? NULL : "M";
        run_text(&run, bads[i].source, &(ElabOptions){.experiment = bads[i].experiment, .model = root});
        // The one mistake, and nothing that follows from it.
        if (run.flat || run.count != 1 || !matches(&bads[i], &run.list[0]))
        {
            printf("%s at %d:%d in\n%s\n", bads[i].code, bads[i].line, bads[i].column, bads[i].source);
            show(&run);
            wrong++;
        }
        arena_free(&run.arena);
    }
    assert_int_equal(wrong, 0);
}

static void test_all_mistakes_at_once(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model M {\n  signal a = bb\n  signal c = a + sinn(1)\n  b : Nothing\n  signal d = b.x + b.y\n  e = 3\n  "
             "signal f }",
             &(ElabOptions){0});
    const char* codes[] = {"K020", "K022", "K021", "K020"};
    if (run.count != 4)
        show(&run);
    assert_int_equal(run.count, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(run.list[i].code, codes[i]);
    arena_free(&run.arena);
}

static void test_one_report_for_many_instances(void** state)
{
    (void)state;
    Run run;
    run_text(&run, "model A { state x = 1; x' = -y; param k [m] = 1[s] }\nmodel M { a : A[i in 1..1000] }",
             &(ElabOptions){0});
    assert_int_equal(run.count, 2);
    assert_string_equal(run.list[0].code, "K020");
    assert_string_equal(run.list[1].code, "K041");
    arena_free(&run.arena);
}

// A plain number given to a variable is in its unit; what has no unit but is no number is in SI units, with a warning.
static void test_bare_numbers(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model M { param k = 3, a [mm] = 1, b [mm] = 2*0.5, c [mm] = 1[m], d [degC] = 20, e [deg] = atan2(1, 1), "
             "f [mm] = k }",
             &(ElabOptions){0});
    assert_non_null(run.flat);
    static const double expected[] = {3, 0.001, 0.001, 1, 293.15, 0.78539816339744828, 3};
    for (uint32_t i = 0; i < run.flat->vars.count; i++)
    {
        double value;
        assert_true(flat_eval_const(run.flat, run.flat->vars.at[i].init, &value));
        assert_true(value == expected[i]);
    }
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K042");
    assert_int_equal(run.list[0].severity, KAI_WARNING);
    assert_int_equal(run.list[0].place.column, 114);
    arena_free(&run.arena);
}

// A name that is missing is reported once, with its other places; what would have followed from it is not.
static void test_missing_name_once(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model S { input u; signal y = if u then 1 else 0 }\n"
             "model M { s : S; ss.u = time > 1; signal a = ss.y, b = ss.y + a }",
             &(ElabOptions){0});
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K020");
    assert_int_equal(run.list[0].place.column, 18);
    assert_int_equal(run.list[0].note_count, 2);
    arena_free(&run.arena);
}

// Texts that would take exponential time or unbounded stack if nobody counted.
static void test_hostile(void** state)
{
    (void)state;
    Run run;
    char* text = malloc(1 << 20);
    size_t at = 0;
    for (int i = 1; i <= 60; i++)
        at += (size_t)sprintf(text + at, "function f%d(x) = f%d(x) + f%d(x)\n", i, i - 1, i - 1);
    at += (size_t)sprintf(text + at, "function f0(x) = x + 1\nmodel M { param p0 = 1");
    for (int i = 1; i <= 60; i++)
        at += (size_t)sprintf(text + at, ", p%d = p%d + p%d", i, i - 1, i - 1);
    sprintf(text + at, "; if p60 > 1 { signal y = 1 } param q = 1, r = q^p60, a = b + b, b = a + a; signal z = q^a }");
    run_text(&run, text, &(ElabOptions){0});
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K052");
    arena_free(&run.arena);

    at = (size_t)sprintf(text, "function g(x) = x");
    for (int i = 0; i < 900; i++)
        at += (size_t)sprintf(text + at, " + 1");
    at += (size_t)sprintf(text + at, "\nmodel M { signal y = ");
    for (int i = 0; i < 300; i++)
        at += (size_t)sprintf(text + at, "g(");
    at += (size_t)sprintf(text + at, "time");
    for (int i = 0; i < 300; i++)
        text[at++] = ')';
    strcpy(text + at, " }");
    run_text(&run, text, &(ElabOptions){0});
    assert_null(run.flat);
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K054");
    arena_free(&run.arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_all_mistakes_at_once),
        cmocka_unit_test(test_one_report_for_many_instances),
        cmocka_unit_test(test_bare_numbers),
        cmocka_unit_test(test_missing_name_once),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
