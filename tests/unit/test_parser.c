// Lexer, parser, diagnostics and reports: the trees of right texts, the place and code of every mistake.
#include "ast_text.h"
#include "lang_fixture.h"
#include "snippets.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

// ---- trees

static void expect_tree(const char* source, const char* tree)
{
    Text text;
    text_parse(&text, source, strlen(source));
    text_print(&text);
    assert_int_equal(text.count, 0);
    assert_string_equal(ast_text(&text.arena, text.ast), tree);
    text_close(&text);
}

static void test_snippets_parse(void** state)
{
    (void)state;
    for (int i = 0; i < SNIPPETS; i++)
    {
        Text text;
        text_parse(&text, snippets[i], strlen(snippets[i]));
        text_print(&text);
        assert_int_equal(text.count, 0);
        text_close(&text);
    }
}

static void test_tree_of_the_ball(void** state)
{
    (void)state;
    expect_tree(snippet_ball,
                "(model Ball \"bounces, then rests\" (param (g[m^1 s^-2] = 9.8100000000000005) (e = "
                "0.69999999999999996 \"restitution\")) (param (v_rest[m^1 s^-1] = 0.01 \"impacts slower than this end "
                "the bouncing\")) (state (y[m^1] = 1) (v[m^1 s^-1] = 0)) (event (hit = (call down y))) (modes "
                "(initial-mode falling (def y' v) (def v' (+ (- g) (call delta hit (* (- <(+ 1 e)>) (call pre v))))) "
                "(on hit if (< (call abs (call pre v)) v_rest) ->sitting (set y 0) (set v 0))) (mode sitting (def y' "
                "0) (def v' 0))))(experiment bounce of Ball e=0.80000000000000004 (set stop 5[s^1]) (set rtol 1e-08) "
                "(plot y) (expect (call final y) ~ 0 within 1.0000000000000001e-09))");
}

static void test_tree_of_every_production(void** state)
{
    (void)state;
    expect_tree(
        snippet_every,
        "(import \"library.kai\")(function f x y \"libm:hypot\")(function now \"libc:clock\")(function g a = (^ a 2))"
        "(function h = (if true 1 0))(model Every \"all of it \\ \"quoted\" \n\t é\" (param (N = 3 \"how many\") "
        "(g[m^1 s^-2] = 9.8100000000000005) (k[1^1 s^-1] = 0.0015) (t[10^3 kg^1 m^-1] = 0.5)) "
        "(state (x{i 1..N}[m^1] = 0) (z = 0)) (discrete (n = 0)) (signal (p = (+ (- (* (+ x[1]) (^ 2 (- (^ 3 2)))) "
        "(/ (- z) 4[s^1])) (sum {i 1..N} x[i])) \"sum\")) (event (hit = (call down z)) (other)) (input (F = 0) (u)) "
        "(input-event (open)) (output (y) (q{j 1..(- (* 2 N) 1)})) (output-event (closed = hit)) "
        "(port a:electrical b: c:thermal) (def w (array 1 2.5[m^1] (array x[1] true))) (def z'' (- g)) "
        "(def x[1]' 3) (def x[2] 3) (def sub[1].v.mode 4) (def sub[1].v' 4) (def b.c.d 1) (def b.e' 2) "
        "(instance-island sub:Ball{i 1..N} x=(* 1.5 i) v=<(if (> i 1) 2 3)>) (instance plain:Ball) "
        "(instance s:J0 switched (initial-mode off_:OFF (on hit ->on_)) (mode on_:ON (on-preempt-resume (< z 0) if "
        "(not open) ->off_ (set z 1)))) (for{i 1..N} (def x[i]' (forall {j 1..N} (> x[j] 0)))) "
        "(if (or (and (> N 2) (< N 4)) false) (def extra 1)) (when hit if (< z 0) (set z (- z)) (emit closed z) "
        "(emit other) (halt \"done\") (halt)) (when (>= z 1) (set sub[1].x (call pre z 0))) "
        "(choose (when weight:(* 2 N) (== a b) (set n (+ n 1))) (on weight:1 (!= c d) ->m) "
        "(for{i 1..N} (when (> x[i] 1) (set n 0))) (on e ->r)) (modes (initial-mode m (def z' 1)) (mode r)) "
        "(bond flow a s b.c) (connect a.p b.n c[1].q) (initial (== z 3)) "
        "(assert (and (not (< z (- 1))) (not (not open)))) (assert (> (- (+ (product {i 1..2} i) "
        "(least {i 1..2} i)) (greatest {i 1..2} i)) 0) \"text\") (assert (exists {i 1..N} (> x[i] 0))) "
        "(def long (- (+ 1 2) 3)))(experiment e of Every (set stop 10[s^1]) (record x y.z every 0.10000000000000001) "
        "(plot x[1] y @z) (sweep @g 1 2 3) (sweep @a.b from 0 to 1 by 0.10000000000000001) "
        "(expect (call final x) ~ 2 within 9.9999999999999995e-07 \"near\") (expect (== (call count hit) 3)))"
        "(experiment f of Every N=2 g=1)");
}

static const struct
{
    const char *source, *tree;
} expression_trees[] = {
    {"a or b and not c == d", "(or a (and b (not (== c d))))"},
    {"a + b - c + d", "(+ (- (+ a b) c) d)"},
    {"a/b*c/d", "(/ (* (/ a b) c) d)"},
    {"-a^2", "(- (^ a 2))"},
    {"2^-3^2", "(^ 2 (- (^ 3 2)))"},
    {"-a*b", "(* (- a) b)"},
    {"a*-b", "(* a (- b))"},
    {"a - -b", "(- a (- b))"},
    {"x'' + x.y[2]'", "(+ x'' x.y[2]')"},
    {"if a then b else if c then d else e", "(if a b (if c d e))"},
    {"1.5E6 + 1e-3 + .5", "(+ (+ 1500000 0.001) 0.5)"},
    {"sum(i in 1..N, i)", "(sum {i 1..N} i)"},
    {"sum(i in 1 .. N+1, i)", "(sum {i 1..(+ N 1)} i)"},
    {"f()", "(call f)"},
    {"a.b.f(x)", "(call a.b.f x)"},
    {"5[1/s] + 2 [m]", "(+ 5[1^1 s^-1] 2[m^1])"},
    {"s.mode == fwd", "(== s.mode fwd)"},
    {"time", "time"},
    {"f(\n  a\n  (b)\n)", "(call f (call a b))"},
    {"a\n  + b", "(+ a b)"},
    {"a and\n  b", "(and a b)"},
    {"a // comment\n  * b", "(* a b)"},
    {"a\n  .b", "a.b"},
    {"((a))", "<a>"},
    {"a<-b", "(< a (- b))"},
};

static void test_expression_trees(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expression_trees / sizeof *expression_trees; i++)
    {
        char source[256], tree[256];
        snprintf(source, sizeof source, "model M {\n x = %s\n y = 1\n}", expression_trees[i].source);
        snprintf(tree, sizeof tree, "(model M (def x %s) (def y 1))", expression_trees[i].tree);
        expect_tree(source, tree);
    }
}

// A number is the nearest double, whichever way it was read: held against strtod, around the lengths and powers at
// which the short way ends, and where a decimal lies half way between two doubles.
static void test_numbers_are_the_nearest(void** state)
{
    (void)state;
    static const char* const corners[] = {"0",
                                          "0.0",
                                          "000.1",
                                          "1e22",
                                          "1e23",
                                          "9007199254740993",
                                          "900719925474099.3e1",
                                          "999999999999999e22",
                                          "999999999999999e-22",
                                          "0.000000000000000000000123456789012345",
                                          "123456789012345678",
                                          "8.5e-0023",
                                          "1E+5",
                                          "0e999",
                                          "4.9e-324",
                                          "1.7976931348623157e308"};
    enum
    {
        CORNERS = sizeof corners / sizeof *corners,
        RANDOM = 5000
    };
    uint64_t seed = 1;
    for (int i = 0; i < CORNERS + RANDOM; i++)
    {
        char number[100], source[200], tree[200];
        uint64_t a = seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t b = seed = seed * 6364136223846793005u + 1442695040888963407u;
        int digits = 1 + (int)(a >> 32) % 18;
        uint64_t whole = b;
        for (int k = digits; k < 19; k++)
            whole /= 10;
        int power = (int)(a >> 8 & 63) - 32;
        if (i < CORNERS)
            snprintf(number, sizeof number, "%s", corners[i]);
        else
            snprintf(number, sizeof number, "%llu.%llu%s%d", (unsigned long long)(whole / 1000),
                     (unsigned long long)(whole % 1000), a >> 40 & 1 ? "e" : "E", power);
        snprintf(source, sizeof source, "model M { param a = %s }", number);
        snprintf(tree, sizeof tree, "(model M (param (a = %.17g)))", strtod(number, NULL));
        expect_tree(source, tree);
    }
}

static void test_layouts_that_are_fine(void** state)
{
    (void)state;
    const char* tree = "(model M (param (a = 1) (b = 2 \"d\")) (def x a))";
    expect_tree("model M{param a=1,b=2\"d\";x=a}", tree);
    expect_tree("model M\n{\n  param a = 1,\n    b = 2\n    \"d\"\n  x = a;;\n};", tree);
    expect_tree("\xEF\xBB\xBFmodel M {\r\n  param a = 1, b = 2 \"d\"\r\n  x = a }\r\n", tree);
    expect_tree("model M {\r  param a = 1, b = 2 \"d\" // c\r  x = a }\r", tree);
    expect_tree("model M { choose { when a { x := 1 } when b { x := 2 } } y = 1 }",
                "(model M (choose (when a (set x 1)) (when b (set x 2))) (def y 1))");
    expect_tree("", "");
    expect_tree("// only a comment", "");
}

// ---- mistakes

typedef struct Mistake
{
    const char* source;
    const char* code;
    int line, column;
    const char* says;  // part of the message or the help
} Mistake;

#define IN(text) "model M {\n" text "\n y = 1\n}\n"

static const Mistake mistakes[] = {
    {IN(" x = 3 @ + 4"), "K001", 2, 8, "no meaning"},
    {IN(" x = \x01\x02\xFF + 4"), "K001", 2, 6, "not text"},
    {IN(" x = gr\xC3\xB6\xC3\x9F"
        "e + 3"),
     "K001", 2, 6, "ASCII"},
    {IN(" \xCF\x89 = 3"), "K001", 2, 2, "omega"},
    {IN(" x = 3 \xE2\x88\x92 4"), "K001", 2, 8, "write `-`"},
    {IN(" x = a $$ b"), "K001", 2, 8, "no meaning"},
    {IN(" x = \"a\xFF\xFE"
        "b\""),
     "K001", 2, 8, "UTF-8"},
    {IN(" x = 1.2.3"), "K002", 2, 6, "one point"},
    {IN(" x = 1e"), "K002", 2, 6, "exponent"},
    {IN(" x = 1e+ 3"), "K002", 2, 6, "exponent"},
    {IN(" x = 5s"), "K002", 2, 6, "5[s]"},
    {IN(" x = 2. + 3"), "K002", 2, 6, "2.0"},
    {IN(" x = 0x10"), "K002", 2, 6, "not a number"},
    {IN(" x = 1e999"), "K002", 2, 6, "too large"},
    {IN(" assert a \"text"), "K003", 2, 11, "not closed"},
    {IN(" assert a \"te\\xt\""), "K003", 2, 14, "escapes"},
    {IN(" x = a b"), "K004", 2, 8, "operator"},
    {IN(" paramter k = 3"), "K004", 2, 11, "did you mean `param`?"},
    {IN(" stat k = 3"), "K004", 2, 7, "did you mean `state`?"},
    {IN(" end"), "K004", 2, 2, "ends with `}`"},
    {IN(" der(x) = 3"), "K004", 2, 5, "x' = "},
    {IN(" x = a == not b"), "K004", 2, 11, "parentheses"},
    {IN(" a : Mass(3, x = 4)"), "K004", 2, 11, "named"},
    {IN(" a : Mass(x 4)"), "K004", 2, 13, "named"},
    {IN(" bond a"), "K004", 2, 7, "bond a -> b"},
    {IN(" connect a"), "K004", 2, 10, "connect a.p, b.n"},
    {IN(" for i = 1..3 { }"), "K004", 2, 8, "for i in 1..N"},
    {IN(" for i in 1 { }"), "K004", 2, 13, "1..N"},
    {IN(" if a then b { }"), "K004", 2, 7, "expression"},
    {IN(" when a -> b { }"), "K004", 2, 9, "on event"},
    {IN(" when a { x' := 3 }"), "K004", 2, 12, "derivative"},
    {IN(" x ' = 3"), "K004", 2, 4, "directly"},
    {IN(" modes { mode a : on { } }"), "K004", 2, 19, "ON or OFF"},
    {IN(" param\n state x = 1"), "K004", 2, 2, "name"},
    {IN(" param a \"text\" = 3"), "K004", 2, 17, "comes last"},
    {"import lib\nmodel M { }", "K004", 1, 8, "import \"file.kai\""},
    {"x = 3\nmodel M { }", "K004", 1, 1, "inside `model"},
    {"model M\n  x = 3\n}", "K004", 1, 7, "{"},
    {"experiment e for M { stop = 1 }", "K004", 1, 14, "of"},
    {"experiment e of M { sweep a to 3 }", "K004", 1, 29, "from"},
    {"experiment e of M { expect a ~ 3 }", "K004", 1, 34, "within"},
    {"external f(x) = y", "K004", 1, 17, "library:symbol"},
    {"function f x = 3", "K004", 1, 12, "function f(x)"},
    {IN(" param on = 5"), "K005", 2, 8, "`on_`"},
    {IN(" on = 5"), "K005", 2, 2, "word of the language"},
    {IN(" output' = 5"), "K005", 2, 2, "word of the language"},
    {IN(" x = of + 3"), "K005", 2, 6, "word of the language"},
    {IN(" when a { state := 3 }"), "K005", 2, 11, "word of the language"},
    {"model model { }", "K005", 1, 7, "word of the language"},
    {"experiment e of M { to = 3 }", "K005", 1, 21, "word of the language"},
    {IN(" x' = v v' = 0"), "K006", 2, 9, "`;`"},
    {IN(" param g = 9.81 e = 3"), "K006", 2, 17, "`;`"},
    {IN(" param g = 9.81 param e = 3"), "K006", 2, 17, "`;`"},
    {IN(" z = f\n (3)"), "K006", 3, 2, "at its end"},
    {IN(" z = f\n [3]"), "K006", 3, 2, "at its end"},
    {IN(" state x\n [m] = 3"), "K006", 3, 2, "at its end"},
    {IN(" x =\n  3 + 4"), "K007", 2, 4, "same line"},
    {IN(" when a { x :=\n  3 + 4 }"), "K007", 2, 13, "same line"},
    {IN(" x = (3 + 4"), "K008", 2, 11, "missing"},
    {IN(" x = f(3,\n z = 2"), "K008", 2, 7, "not closed"},
    {IN(" x = a[3\n z = 2"), "K008", 2, 8, "missing"},
    {"model M {\n  x = 3\n", "K008", 2, 7, "missing"},
    {"model M {\n  x = 3\nmodel N { }", "K008", 3, 1, "missing before"},
    {IN(" x = a && b"), "K009", 2, 8, "`and`"},
    {IN(" x = a || b"), "K009", 2, 8, "`or`"},
    {IN(" x = !b"), "K009", 2, 6, "`not`"},
    {IN(" x = a =< b"), "K009", 2, 8, "`<=`"},
    {IN(" x = a ** b"), "K009", 2, 8, "`^`"},
    {IN(" x = a % b"), "K009", 2, 8, "mod"},
    {IN(" on a => b"), "K009", 2, 7, "`->`"},
    {IN(" /* text\n text */"), "K009", 2, 2, "//"},
    {IN(" # text"), "K009", 2, 2, "//"},
    {IN(" when a { x += 3 }"), "K009", 2, 13, "x := x + "},
    {IN(" state x [3] = 1"), "K011", 2, 10, "[i in 1..3]"},
    {IN(" x = 5[1]"), "K011", 2, 7, "5[s]"},
    {IN(" x = 5[m^0.5]"), "K011", 2, 10, "whole number"},
    {IN(" x := 4"), "K012", 2, 4, "actions"},
    {IN(" x == 4"), "K012", 2, 4, "compares"},
    {IN(" param x := 4"), "K012", 2, 10, "actions"},
    {IN(" when a { x = 4 }"), "K012", 2, 13, "`:=`"},
    {IN(" when x = 3 { z := 1 }"), "K012", 2, 9, "`==`"},
    {IN(" x = if a = b then 1 else 2"), "K012", 2, 11, "`==`"},
    {IN(" x = (a = b)"), "K012", 2, 9, "`==`"},
    {IN(" x = z = 3"), "K012", 2, 8, "compares"},
    {IN(" mode a { x' = 1 }"), "K013", 2, 2, "modes {"},
    {IN(" initial mode a { x' = 1 }"), "K013", 2, 2, "modes {"},
    {IN(" modes { x' = 1 }"), "K013", 2, 10, "only modes"},
    {IN(" plot x"), "K013", 2, 2, "experiment"},
    {IN(" emit a"), "K013", 2, 2, "when event"},
    {IN(" weight 3 : when a { }"), "K013", 2, 2, "choose"},
    {IN(" when a { if b { x := 1 } }"), "K013", 2, 11, "head"},
    {IN(" choose { x = 3 }"), "K013", 2, 11, "alternatives"},
    {"experiment e of M { param x = 1 }", "K013", 1, 21, "settings"},
    {IN(" x = a < b < c < d"), "K014", 2, 12, "and"},
    {IN(" x = 3)"), "K015", 2, 7, "closes nothing"},
    {"model M { }\n}\nmodel N { }", "K015", 2, 1, "closes nothing"},
    {IN(" x ="), "K016", 2, 4, "behind `=`"},
    {IN(" x = , 3"), "K016", 2, 6, "missing before"},
    {IN(" x = 3 + "), "K016", 2, 8, "missing after"},
    {IN(" x = 3 + if a then b else c"), "K016", 2, 10, "parentheses"},
    {IN(" when { z := 1 }"), "K016", 2, 7, "missing before"},
    {IN(" x = f(3, )"), "K016", 2, 11, "missing before"},
    {IN(" x[1]'' = 3"), "K017", 2, 2, "plain name"},
    {IN(" a.b'' = 3"), "K017", 2, 2, "plain name"},
};

static bool mistake_found(const Text* text, const Mistake* mistake)
{
    if (text->count != 1)
        return false;
    const kaiError* diagnostic = &text->published[0];
    bool says =
        strstr(diagnostic->message, mistake->says) || (diagnostic->help && strstr(diagnostic->help, mistake->says));
    return strcmp(diagnostic->code, mistake->code) == 0 && diagnostic->place.line == mistake->line &&
           diagnostic->place.column == mistake->column && says;
}

static void test_each_mistake_gives_one_diagnostic(void** state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    {
        Text text;
        text_parse(&text, mistakes[i].source, strlen(mistakes[i].source));
        if (!mistake_found(&text, &mistakes[i]))
        {
            fprintf(stderr, "expected %s at %d:%d (%s) in:\n%s\n", mistakes[i].code, mistakes[i].line,
                    mistakes[i].column, mistakes[i].says, mistakes[i].source);
            text_print(&text);
            wrong++;
        }
        text_close(&text);
    }
    assert_int_equal(wrong, 0);
}

static void test_every_code_has_a_test(void** state)
{
    (void)state;
    for (int code = 0; code < K_COUNT; code++)
    {
        const char* text = diag_code_text((DiagCode)code);
        bool found = strcmp(text, "K010") == 0 || strcmp(text, "K018") == 0 || strcmp(text, "K019") > 0;
        for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes && !found; i++)
            found = strcmp(mistakes[i].code, text) == 0;
        if (!found)
            fprintf(stderr, "no test for %s\n", text);
        assert_true(found);
        assert_true(strlen(diag_code_meaning((DiagCode)code)) > 5);
    }
}

static void test_every_mistake_of_a_file(void** state)
{
    (void)state;
    const char* source =
        "model A {\n  x = \n  y' := 3\n  modes {\n    mode a { z = 1 + }\n    mode b { z = (1 }\n  }\n}\n"
        "model B {\n  when { q := }\n}\nexperiment e of B { stop = ; plot }\n";
    static const int lines[] = {2, 3, 5, 6, 10, 10, 12, 12};
    Text text;
    text_parse(&text, source, strlen(source));
    if (text.count != 8)
        text_print(&text);
    assert_int_equal(text.count, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(text.published[i].place.line, lines[i]);
    assert_int_equal(text.ast->models.count, 2);
    assert_int_equal(text.ast->experiments.count, 1);
    text_close(&text);
}

static void test_missing_brace_names_the_guilty_one(void** state)
{
    (void)state;
    const char* source = "model A {\n  modes {\n    mode a {\n      x' = 1\n    mode b { x' = 2 }\n  }\n}\n"
                         "model B { }\n";
    Text text;
    text_parse(&text, source, strlen(source));
    bool found = false;
    for (int i = 0; i < text.count; i++)
        for (int j = 0; j < text.published[i].note_count; j++)
            found |= text.published[i].notes[j].place.line == 3 && strcmp(text.published[i].code, "K008") == 0;
    if (!found)
        text_print(&text);
    assert_true(found);
    assert_int_equal(text.ast->models.count, 2);
    text_close(&text);
}

// ---- reports

static void expect_report(const char* source, int width, const char* report)
{
    Text text;
    text_parse(&text, source, strlen(source));
    assert_int_equal(text.count, 1);
    assert_string_equal(report_diagnostic(&text.arena, &text.sources, text.published, false, width), report);
    text_close(&text);
}

static void test_report(void** state)
{
    (void)state;
    expect_report("model M {\n  x := 3\n}", 0,
                  "t.kai:2:5: error[K012]: `:=` where `=` is needed\n"
                  "    2 |   x := 3\n"
                  "      |     ^^\n"
                  "help: `=` defines; `:=` is for the actions of `when`, `==` compares\n");
    expect_report("model M {\n\tx\t:= 3 // t\n}", 0,
                  "t.kai:2:4: error[K012]: `:=` where `=` is needed\n"
                  "    2 |     x   := 3 // t\n"
                  "      |         ^^\n"
                  "help: `=` defines; `:=` is for the actions of `when`, `==` compares\n");
    expect_report("model M {\n assert \"\xC3\xA9\xC3\xA9\" == a && b\n}", 0,
                  "t.kai:2:19: error[K009]: `&&` is not an operator here\n"
                  "    2 |  assert \"\xC3\xA9\xC3\xA9\" == a && b\n"
                  "      |                   ^^\n"
                  "help: write `and`\n");
    expect_report("model M {\n  x = (1\n}", 0,
                  "t.kai:2:8: error[K008]: `)` is missing after this\n"
                  "    2 |   x = (1\n"
                  "      |        ^\n"
                  "t.kai:2:7: note: it closes the `(` here\n"
                  "    2 |   x = (1\n"
                  "      |       ^\n"
                  "help: close it\n");
    expect_report("model M { x = 1 + 2 + 3 + 4 + 5 + 6 && 7 + 8 + 9 + 10 }", 30,
                  "t.kai:1:37: error[K009]: `&&` is not an operator here\n"
                  "    1 | … 4 + 5 + 6 && 7 + 8 + 9 + 10 }\n"
                  "      |             ^^\n"
                  "help: write `and`\n");
}

static void test_report_in_colour_and_without_place(void** state)
{
    (void)state;
    Text text;
    text_open(&text, "", 0);
    kaiError diagnostic = {.severity = KAI_WARNING, .code = "K099", .message = "text"};
    assert_string_equal(report_diagnostic(&text.arena, &text.sources, &diagnostic, true, 0),
                        "\033[1;35mwarning[K099]\033[0m: text\n");
    text_close(&text);
}

static void test_diagnostics_beyond_the_limit_are_counted(void** state)
{
    (void)state;
    Text text;
    text_open(&text, "abc", 3);
    text.diags.limit = 10;
    for (uint32_t i = 0; i < 5000; i++)
    {
        Diag* diag = diag_error(&text.diags, K_UNEXPECTED, (Span){1, 2 - i % 3, 3}, "%u", i);
        diag_help(&text.diags, diag, "help %u", i);
        diag_note(&text.diags, diag, (Span){0}, "note %u", i);
    }
    int count;
    const kaiError* published = diags_publish(&text.diags, &text.sources, &count);
    assert_int_equal(count, 10);
    assert_int_equal(text.diags.error_count, 5000);
    static const char* const order[] = {"2", "5", "8", "1", "4", "7", "0", "3", "6", "9"};
    for (int i = 0; i < 10; i++)
        assert_string_equal(published[i].message, order[i]);
    assert_null(published[0].notes[0].place.file);
    text_close(&text);
}

static void test_nearest(void** state)
{
    (void)state;
    const char* names[] = {"v", "velocity", "position", "Force", "mass", "e"};
    assert_string_equal(diag_nearest("vv", names, 6), "v");
    assert_string_equal(diag_nearest("velocty", names, 6), "velocity");
    assert_string_equal(diag_nearest("psoition", names, 6), "position");
    assert_string_equal(diag_nearest("force", names, 6), "Force");
    assert_string_equal(diag_nearest("MASS", names, 6), "mass");
    assert_string_equal(diag_nearest("V", names, 6), "v");
    assert_null(diag_nearest("x", names, 6));
    assert_null(diag_nearest("temperature", names, 6));
    assert_null(diag_nearest("v", NULL, 0));
}

static bool read_source(Sources* sources, const char* path, uint32_t* index)
{
    return sources_read(sources, &(kaiFileRequest){.path = path, .use = KAI_FILE_IMPORT}, index) == FILE_DONE;
}

static void test_sources_read(void** state)
{
    (void)state;
    Text text;
    uint32_t index;
    text_open(&text, "", 0);
    assert_false(read_source(&text.sources, "/nonexistent/x.kai", &index));
    assert_false(read_source(&text.sources, "/tmp", &index));
    char path[] = "/tmp/kairos-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "model M { }", 11), 11);
    close(file);
    assert_true(read_source(&text.sources, path, &index));
    unlink(path);
    assert_int_equal(index, 1);
    assert_string_equal(text.sources.list.at[1].text, "model M { }");
    text_close(&text);
}

static void test_numbers_do_not_follow_the_locale(void** state)
{
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8");  // if it is installed
    expect_tree("function f() = 1.5", "(function f = 1.5)");
    setlocale(LC_ALL, "C");
}

// ---- large and deep

static char* repeat(const char* head, const char* part, size_t count, const char* tail)
{
    size_t a = strlen(head), b = strlen(part), c = strlen(tail);
    char* text = malloc(a + b * count + c + 1);
    memcpy(text, head, a);
    for (size_t i = 0; i < count; i++)
        memcpy(text + a + b * i, part, b);
    memcpy(text + a + b * count, tail, c + 1);
    return text;
}

static void expect_large(const char* head, const char* part, size_t count, const char* tail, const char* code)
{
    char* source = repeat(head, part, count, tail);
    Text text;
    clock_t start = clock();
    text_parse(&text, source, strlen(source));
    int most = strchr(part, '{') ? 2 : 1;  // opened braces are also missed at the end
    if (code ? text.count < 1 || text.count > most || strcmp(text.published[0].code, code) != 0 : text.count != 0)
    {
        fprintf(stderr, "%s%s… × %zu: %d diagnostics\n", head, part, count, text.count);
        text_print(&text);
        fail();
    }
    if (text.count > 0)
        report_diagnostic(&text.arena, &text.sources, text.published, true, 80);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    text_close(&text);
    free(source);
}

static void test_large_and_deep_texts(void** state)
{
    (void)state;
    expect_large("model M { x = ", "(", 100000, "\n y = 1 }", "K010");
    expect_large("model M { x = ", "(", 990, "a\n}", "K008");
    expect_large("model M { x = ", "a or b and c < d + e*f^(", 100000, "1 }", "K010");
    expect_large("model M { x = ", "-", 100000, "1 }", "K010");
    expect_large("model M { x = ", "not ", 100000, "a }", "K010");
    expect_large("model M { x = ", "2^", 100000, "a }", "K010");
    expect_large("model M { x = ", "a[", 100000, "1 }", "K010");
    expect_large("model M { x = ", "f(", 100000, "1 }", "K010");
    expect_large("model M { x = ", "[", 100000, "1 }", "K010");
    expect_large("model M { x = ", "if a then b else ", 100000, "c }", "K010");
    expect_large("model M { x = ", "if ", 100000, "c }", "K010");
    expect_large("model M { x = ", "sum(i in 1..2, ", 100000, "c }", "K010");
    expect_large("model M { x = 0", " + 1", 1000000, " }", "K010");
    expect_large("model M { x = 0", "*1", 1000000, "\n}", "K010");
    expect_large("model M { x = 0", " + 1", 998, " }", NULL);
    expect_large("model M { ", "for i in 1..2 { ", 100000, "x = 1 ", "K010");
    expect_large("model M { x = [1", ", 1", 1000000, "] }", NULL);
    expect_large("model M { x = [1", ",1", 5000000, "] }", "K018");
    expect_large("model M { x = ", "a", 10000000, " }", NULL);
    expect_large("model M { x = ", "1", 10000000, ".0 }", "K002");
    expect_large("model M { assert a \"", "a", 10000000, "\" }", NULL);
    expect_large("model M { // ", "x", 10000000, "\n}", NULL);
    expect_large("model M { x = a", ".a", 1000000, " }", NULL);
    expect_large("model M { ", "x = 1;", 500000, " }", NULL);
    expect_large("model M { ", "\n", 10000000, " }", NULL);
}

static void test_floods_of_errors_stay_bounded(void** state)
{
    (void)state;
    static const char* const parts[] = {"x = 1 ",
                                        "@ ",
                                        "\xFF",
                                        "{",
                                        "}",
                                        "/* ",
                                        "/*\n",
                                        "a.b a.b ",
                                        "x = (\n",
                                        "\" \n",
                                        "x = a < b < c\n",
                                        "state x [3]\n",
                                        "x = y = z\n",
                                        "model\n",
                                        "mode a {",
                                        "on a => b\n",
                                        "&&"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    {
        char* source = repeat("model M { ", parts[i], 2000000 / strlen(parts[i]), "");
        Text text;
        clock_t start = clock();
        text_parse(&text, source, strlen(source));
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds > 5 || text.arena.used > 600000000)
            fprintf(stderr, "%s: %g s, %zu bytes\n", parts[i], seconds, text.arena.used);
        assert_true(seconds < 10);
        assert_true(text.diags.error_count > 0);
        assert_true(text.count <= 1000);
        text_close(&text);
        free(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snippets_parse),
        cmocka_unit_test(test_tree_of_the_ball),
        cmocka_unit_test(test_tree_of_every_production),
        cmocka_unit_test(test_expression_trees),
        cmocka_unit_test(test_numbers_are_the_nearest),
        cmocka_unit_test(test_layouts_that_are_fine),
        cmocka_unit_test(test_each_mistake_gives_one_diagnostic),
        cmocka_unit_test(test_every_code_has_a_test),
        cmocka_unit_test(test_every_mistake_of_a_file),
        cmocka_unit_test(test_missing_brace_names_the_guilty_one),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_in_colour_and_without_place),
        cmocka_unit_test(test_diagnostics_beyond_the_limit_are_counted),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_sources_read),
        cmocka_unit_test(test_numbers_do_not_follow_the_locale),
        cmocka_unit_test(test_large_and_deep_texts),
        cmocka_unit_test(test_floods_of_errors_stay_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
