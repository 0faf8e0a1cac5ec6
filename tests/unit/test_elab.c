// Elaboration: source text → fragments of the flat listing, and mistakes → code, place and words of the message.
#include "elab/constant.h"
#include "elab/elaborate.h"
#include "elab/units.h"
#include "snippets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Run
{
    Arena arena;
    jmp_buf fail;
    Interner names;
    Sources sources;
    Diags diags;
    Program program;
    Flat* flat;
    char* listing;
    const kaiError* list;
    int count;
} Run;

static void run_begin(Run* run)
{
    memset(run, 0, sizeof *run);
    arena_init(&run->arena, kaiDefaultAllocator(), &run->fail);
    interner_init(&run->names, &run->arena);
    run->sources.arena = run->diags.arena = &run->arena;
    run->program =
        (Program){.arena = &run->arena, .names = &run->names, .sources = &run->sources, .diags = &run->diags};
}

static void run_end(Run* run)
{
    run->list = diags_publish(&run->diags, &run->sources, &run->count);
    run->listing = run->flat ? flat_print(run->flat, &run->arena) : NULL;
}

static void run_text(Run* run, const char* text, const ElabOptions* options)
{
    run_begin(run);
    program_load_text(&run->program, "test.kai", text, strlen(text));
    run->flat = elaborate(&run->program, options);
    run_end(run);
}

static void show(const Run* run)
{
    for (int i = 0; i < run->count; i++)
        printf("  %d:%d [%s] %s | %s\n", run->list[i].place.line, run->list[i].place.column, run->list[i].code,
               run->list[i].message, run->list[i].help ? run->list[i].help : "");
    if (run->listing)
        printf("%s\n", run->listing);
}

// ---- what correct models become

typedef struct Good
{
    const char* name;
    const char* source;
    const char* experiment;
    const char* fragments[8];
} Good;

static void check_good(const Good* good)
{
    Run run;
    run_text(&run, good->source, &(ElabOptions){.experiment = good->experiment});
    bool fine = run.flat != NULL;
    for (int i = 0; fine && i < 8 && good->fragments[i]; i++)
    {
        fine = strstr(run.listing, good->fragments[i]) != NULL;
        if (!fine)
            printf("%s: missing `%s`\n", good->name, good->fragments[i]);
    }
    if (!fine)
    {
        printf("%s\n", good->name);
        show(&run);
        fail();
    }
    arena_free(&run.arena);
}

static const Good goods[] = {
    {"ball",
     snippet_ball,
     "bounce",
     {"param e = 0.8", "state y [m] = 1", "hit = down(y)",
      "definitions in falling\n  y' = v\n  v' = -g + delta(hit, -(1 + e)*pre(v))",
      "on present(hit) if abs(pre(v)) < v_rest -> sitting { y := 0; v := 0 }", "stop = 5",
      "expect final(y) ~ 0 within 1e-09"}},
    {"billiard",
     snippet_billiard,
     "three",
     {"state a.x [m] = -1", "b.v' = 0",
      "choice 1: when a.x >= b.x and a.v > b.v { a.v := (a.m*a.v + b.m*b.v + b.m*e*(b.v - a.v))/(a.m + b.m);",
      "p = a.m*a.v + b.m*b.v + c.m*c.v", "assert abs(p) < 1e-09", "choice = all", "plot a.x, b.x, c.x"}},
    {"constants fold, but not into infinity",
     "model M { signal a = 2*3 + 1, b = 1/0, c = -inf, d = 2^0.5 > 1, e = log(0) }",
     NULL,
     {"a = 7\n", "b = 1/0", "c = -inf", "d = true", "e = log(0)"}},
    {"second derivative",
     "model M { state x = 1; x'' = -x - x'; signal a = x'' }",
     NULL,
     {"state x = 1", "state x' = 0", "x' = x'\n", "x'' = -x - x'", "a = der(x')"}},
    {"second derivative in one mode, first in another",
     "model M { state x = 1; modes { initial mode a { x'' = 1; on time > 1 -> b } mode b { x' = 0 } } signal v = x' }",
     NULL,
     {"v = der(x)", "definitions in b\n  x' = 0"}},
    {"start equation opens a derivative",
     "model M { state x = 1; x'' = -x; initial x' == 2*x }",
     NULL,
     {"state x'\n", "initial x' == 2*x"}},
    {"types of signals are inferred",
     "model M { signal a = b; signal b = c > 0; signal c = time; discrete d = false; when c > 1 { d := a } }",
     NULL,
     {"signal a  // Boolean", "signal b  // Boolean", "signal c\n", "discrete d = false  // Boolean",
      "when becomes(c > 1) { d := a }"}},
    {"events in expressions",
     "model M { state x = 1; x' = -1; event e = down(x), f = x < 0, g; signal v = e + 1, w = if e or f then 1 else 0\n"
     "  when e if f { emit g(x) } signal p = present(g), q = default(g, 0) }",
     NULL,
     {"v = value(e) + 1", "w = if present(e) or present(f) then 1 else 0", "f = becomes(x < 0)",
      "when e if present(f) { emit g(x) }", "p = present(g)", "q = default(value(g), 0)", "event g  // emitted"}},
    {"operators with memory",
     "model M { state x = 1; x' = -1; event c = clock(0.1), d = clock(1, 0.5), dd = delay(c, 2)\n"
     "  signal h = hold(sample(x, c), 3), l = delay(x, 2), p = pre(x), q = pre(x, 4), r = pre(2*x), s = pre(2*x) + 1, "
     "t = area(x') }",
     NULL,
     {"c = clock(0.1, 0)", "d = clock(1, 0.5)", "h = hold(sample(x, c), 3)", "q = pre(x, 4)", "$1 = 2*x", "r = pre($1)",
      "s = pre($1) + 1", "t = area($2)"}},
    {"random draws are never one",
     "model M { discrete u = 0; when time > 1 { u := uniform(0, 1) + uniform(0, 1) - normal(0, 1) } }",
     NULL,
     {"u := uniform(0, 1) + uniform(0, 1) - normal(0, 1)"}},
    {"arrays of instances, states and signals",
     "model Ball { param k = 1; state x = 0; x' = k }\n"
     "model M { param N = 3; b : Ball[i in 1..N](x = 1.5*i, k = i); signal s[i in 1..N] = b[i].x^2, t = s[2]; state "
     "z[j in 0..1] = j\n"
     "  for j in 0..1 { z[j]' = -z[j] } }\n"
     "experiment e of M { plot b; record s, b[2].x; stop = 1 }",
     "e",
     {"state b[3].x = 4.5", "b[2].x' = b[2].k", "s[3] = b[3].x^2", "t = s[2]", "z[0]' = -z[0]",
      "plot b[1].x, b[2].x, b[3].x\n", "record s[1], s[2], s[3], b[2].x", "param N = 3  // structural"}},
    {"array parameters",
     "model S { param k = [1, 2]; signal y = k[2] }\n"
     "model M { param c = [4, 5, 6], n[i in 1..2] = 10*i, m[i in 1..2] = [7, 8]; s : S(k = [9, 10, 11]); signal y = "
     "c[3] + n[2] + m[1] }",
     NULL,
     {"param c[3] = 6", "param n[2] = 20", "param m[1] = 7", "param s.k[3] = 11", "y = c[3] + n[2] + m[1]",
      "s.y = s.k[2]"}},
    {"folds",
     "model M { param c = [1, 2, 3, 4]; signal a = sum(i in 1..4, c[i]), b = product(i in 1..3, i), n = sum(i in 1..0, "
     "c[i]),"
     " o = product(i in 2..1, c[i]), l = least(i in 1..0, c[i]), g = greatest(i in 1..2, c[i]), f = forall(i in 1..2, "
     "c[i] > 0), x = exists(i in 1..0, c[i] > 0) }",
     NULL,
     {"a = c[1] + c[2] + (c[3] + c[4])", "b = 6\n", "n = 0\n", "o = 1\n", "l = inf", "g = max(c[1], c[2])",
      "f = c[1] > 0 and c[2] > 0", "x = false"}},
    {"arrays as arguments",
     "model S { param k = [1, 2]; signal y = sum(i in 1..2, k[i]) }\nmodel M { param c = [4, 5]; s : S(k = c) }",
     NULL,
     {"param s.k[2] = c[2]", "s.y = s.k[1] + s.k[2]"}},
    {"if items",
     "model M { param on_ = true, n = 2; if on_ and n > 1 { signal a = 1 } if not on_ { signal b = 1 } }\n"
     "model Root { m : M; k : M(on_ = false) }",
     NULL,
     {"signal m.a", "m.a = 1", "signal k.b", "param m.on_ = true  // Boolean  // structural"}},
    {"inputs and outputs",
     "model G { input u, k = 2; input event go; output y = k*u; output x; state x = 0; x' = u; when go { x := 0 } }\n"
     "model M { input F = 3, H; g : G; g.u = F + H; event e = up(g.y); g.go = e }",
     NULL,
     {"input F = 3", "input H\n", "g.u = F + H", "g.k = 2", "g.y = g.k*g.u", "output state g.x = 0", "g.go = e"}},
    {"nested and parallel machines",
     "model S { discrete n = 0\n modes { initial mode fwd { on n > 1 -> back } mode back { } }\n modes { initial mode "
     "one { } } }\n"
     "model M { s : S\n modes { initial mode A { state t = 0; t' = 1; on t > 1 -> B\n"
     "  modes { initial mode A1 { on entry -> A2 } mode A2 { on t > 2 and s.mode == fwd -> A1 } } }\n"
     "  mode B { preempt on s.mode != back -> resume A } } }",
     NULL,
     {"machine s.mode\n  initial mode fwd\n    on s.n > 1 -> back", "machine s.mode2",
      "initial mode A resets t\n    on t > 1 -> B", "machine A.mode in A", "on present(entry(A1)) -> A2",
      "on t > 2 and s.mode == fwd -> A1", "preempt on s.mode != back -> resume A"}},
    {"an instance in a mode",
     "model C { state x = 1; x' = -1 } model M { modes { initial mode a { c : C; on c.x < 0 -> b } mode b { } } }",
     NULL,
     {"initial mode a resets c.x", "definitions in a\n  c.x' = -1", "on c.x < 0 -> b"}},
    {"one definition per mode",
     "model M { signal y; modes { initial mode a { y = 1; on time > 1 -> b } mode b { y = 2 } } }",
     NULL,
     {"definitions in a\n  y = 1", "definitions in b\n  y = 2"}},
    {"choose with weights",
     "model M { discrete n = 0; choose { weight 2 : when n < 3 { n := n + 1 } for i in 1..2 { when n > i { n := 0 } } "
     "} }",
     NULL,
     {"choice 1: weight 2: when n < 3 { n := n + 1 }", "choice 1: when n > 2 { n := 0 }"}},
    {"transition in choose",
     "model M { discrete n = 0; modes { initial mode a { choose { on n > 1 -> b; on n > 0 -> a { halt \"done\" } } } "
     "mode b { } } }",
     NULL,
     {"choice 1: on n > 1 -> b", "choice 1: on n > 0 -> a { halt }"}},
    {"functions",
     "function f(x) = g(x, 2) + 1\nfunction g(a, b) = a^b\nexternal erf(x) = \"libm.so.6:erf\"\nmodel M { signal y = "
     "f(time) + erf(time) }",
     NULL,
     {"y = time^2 + 1 + erf(time)"}},
    {"builtins",
     "model M { signal a = max(time, 1, 2), b = pow(time, 2), c = atan2(time, 1), d = mod(time, 2), p = 2*pi, x = "
     "smooth(abs(time)), k = e_ }",
     NULL,
     {"a = max(max(time, 1), 2)", "b = time^2", "c = atan2(time, 1)", "p = 6.283185307179586", "x = smooth(abs(time))",
      "k = 2.718281828459045"}},
    {"literals with units",
     "model M { param a [m] = 5[mm], b [kg*m/s^2] = 3[kN], t [s] = 2[min], w [rad/s] = 60[rpm], q [F] = 47[uF] }",
     NULL,
     {"param a [m] = 0.005", "param b [kg*m/s^2] = 3000", "param t [s] = 120", "w [rad/s] = 6.283185307179586",
      "param q [F] = 4.7e-05"}},
    {"settings",
     "model M { state x = 1; x' = -x; param k = 3 }\nexperiment e of M { start = 1; stop = 2*k; solver = cvode_bdf; "
     "root = itp; islands = auto; zeno = continue;\n"
     " breakpoint_solver = ibe; impulses = numeric; seed = 7; record x every 10[ms]; sweep k from 0 to 1 by 0.25; "
     "sweep x in (1, 2) }",
     "e",
     {"start = 1", "stop = 6", "solver = cvode_bdf", "zeno = continue", "record x every 0.01",
      "sweep k in (0, 0.25, 0.5, 0.75, 1)", "sweep x in (1, 2)"}},
    {"expectations",
     "model M { state x = 1; x' = -x; event h = down(x); modes { initial mode a { } } }\nmodel R { m : M }\n"
     "experiment e of R { expect final(m.x) ~ 0.5 within 1e-3 \"half\"; expect count(m.h) == 0 and min(m.x) < max(m.x) "
     "and max(1, 2) > at(1, 2*m.x)\n"
     " expect at(0, m.mode) == a; expect time_of(m.h, 2) < 1 or left(1, m.x) > at(1, 2, m.x) }",
     "e",
     {"expect final(m.x) ~ 0.5 within 0.001", "count(m.h) == 0 and min(m.x) < max(m.x) and 2 > at(1, $1)",
      "expect at(0, m.mode) == a", "time_of(m.h, 2) < 1 or left(1, m.x) > at(1, 2, m.x)"}},
    {"the container reaches into its instances",
     "model T { state x = 0; discrete n = 0; event e } model M { t : T; t.x' = 1; when t.x > 1 { t.x := 0; t.n := t.n "
     "+ 1; emit t.e } }",
     NULL,
     {"t.x' = 1", "when becomes(t.x > 1) { t.x := 0; t.n := t.n + 1; emit t.e }"}},
    {"islands", "model T { state x = 0; x' = 1 } model M { t : island T }", NULL, {"state t.x = 0"}},
};

static void test_good(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++)
        check_good(&goods[i]);
}

// ---- mistakes

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
    {"K082", 0, 0, "function f(x) = x", "no model", NULL, NULL},
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

// ---- several mistakes, and none that follow

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

static void test_several_experiments_of_one_program(void** state)
{
    (void)state;
    Run run;
    const char* text =
        "model M { state x = 1; x' = y }\nmodel N { param p = 1 }\n"
        "experiment a of M { stop = 1 }\nexperiment b of M { stop = 2 }\nexperiment c of N(p = 3) { stop = 3 }";
    run_begin(&run);
    program_load_text(&run.program, "test.kai", text, strlen(text));
    assert_null(elaborate(&run.program, &(ElabOptions){.experiment = "a"}));
    assert_null(elaborate(&run.program, &(ElabOptions){.experiment = "b"}));
    run.flat = elaborate(&run.program, &(ElabOptions){.experiment = "c"});
    run_end(&run);
    assert_non_null(run.flat);
    assert_int_equal(run.count, 1);
    arena_free(&run.arena);
}

// ---- overrides

static void test_overrides(void** state)
{
    (void)state;
    Run run;
    Override overrides[] = {{"N", 3, NULL}, {"a[3].x", 7, NULL}, {"e", 0.5, NULL}, {"on_", 0, NULL}};
    const char* text = "model A { state x = 1; x' = 1 }\nmodel M { param N = 2, e = 1, on_ = true; a : A[i in 1..N] }\n"
                       "experiment t of M(e = 2) { stop = 1 }";
    run_text(&run, text, &(ElabOptions){.experiment = "t", .overrides = overrides, .override_count = 4});
    assert_non_null(run.flat);
    assert_non_null(strstr(run.listing, "param e = 0.5"));
    assert_non_null(strstr(run.listing, "param on_ = false"));
    assert_non_null(strstr(run.listing, "state a[3].x = 7"));
    arena_free(&run.arena);

    run_text(&run, "model M { state x = 1; x'' = -x; initial x' == 3 }",
             &(ElabOptions){.overrides = &(Override){"x'", 2, NULL}, .override_count = 1});
    assert_non_null(run.flat);
    assert_non_null(strstr(run.listing, "state x' = 2"));
    arena_free(&run.arena);

    overrides[1].name = "a[3].y";
    run_text(&run, text, &(ElabOptions){.experiment = "t", .overrides = overrides, .override_count = 4});
    assert_null(run.flat);
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K028");
    assert_null(run.list[0].place.file);
    assert_non_null(strstr(run.list[0].help, "a[3].x"));
    arena_free(&run.arena);
}

// ---- structure behind the listing

static void test_machine_structure(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model M { modes { initial mode A { state t = 0; t' = 1; discrete n = 0; on t > 1 -> B\n"
             "  modes { initial mode A1 { } mode A2 { } } } mode B { } } }",
             &(ElabOptions){0});
    assert_non_null(run.flat);
    assert_int_equal(run.flat->machines.count, 2);
    const FlatMachine* outer = &run.flat->machines.at[0];
    const FlatMachine* inner = &run.flat->machines.at[1];
    assert_int_equal(outer->modes.at[0].states.count, 2);
    assert_int_equal(outer->modes.at[0].machines.count, 1);
    assert_int_equal(outer->modes.at[0].machines.at[0], 1);
    assert_int_equal(inner->ctx, outer->modes.at[0].ctx);
    assert_int_equal(run.flat->ctxs.at[inner->modes.at[1].ctx].parent, inner->ctx);
    assert_string_equal(run.flat->vars.at[outer->mode_var].name, "mode");
    assert_string_equal(run.flat->vars.at[inner->mode_var].name, "A.mode");
    assert_int_equal(run.flat->transitions.at[outer->modes.at[0].transitions.at[0]].to, 1);
    arena_free(&run.arena);
}

static void test_nodes_are_shared(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model M { state x = 1; x' = -x; signal a = 2*x + 1, b = 2*x + 1; event e = up(x), f = up(x)\n"
             "  modes { initial mode m { event g = up(x) } } }",
             &(ElabOptions){0});
    assert_non_null(run.flat);
    NodeId value[8] = {0};
    for (uint32_t i = 0; i < run.flat->defs.count; i++)
        value[run.flat->defs.at[i].var] = run.flat->defs.at[i].value;
    assert_int_equal(value[1], value[2]);      // a, b
    assert_int_equal(value[3], value[4]);      // e, f
    assert_int_not_equal(value[3], value[6]);  // g remembers on its own
    for (uint32_t i = 1; i < run.flat->nodes.count; i++)
        for (int k = 0; k < 3; k++)
            assert_true(run.flat->nodes.at[i].arg[k] < i);
    arena_free(&run.arena);
}

static void test_expect_source(void** state)
{
    (void)state;
    Run run;
    run_text(&run,
             "model M { state x = 1; x' = 1 }\nexperiment e of M { expect final( x ) ~ 2 within 1e-3 \"two\"; expect "
             "max(x) > 1 }",
             &(ElabOptions){.experiment = "e"});
    assert_non_null(run.flat);
    assert_string_equal(run.flat->experiment.expects.at[0].source, "final( x ) ~ 2 within 1e-3");
    assert_string_equal(run.flat->experiment.expects.at[0].text, "two");
    assert_string_equal(run.flat->experiment.expects.at[1].source, "max(x) > 1");
    assert_int_equal(run.flat->experiment.expects.at[1].target, 0);
    arena_free(&run.arena);
}

// ---- units

static const struct
{
    const char* unit;
    double scale;
    const char* dimension;
} unit_table[] = {
    {"m", 1, "m"},
    {"mm", 1e-3, "m"},
    {"km", 1e3, "m"},
    {"kg", 1, "kg"},
    {"g", 1e-3, "kg"},
    {"mg", 1e-6, "kg"},
    {"s", 1, "s"},
    {"ms", 1e-3, "s"},
    {"us", 1e-6, "s"},
    {"min", 60, "s"},
    {"h", 3600, "s"},
    {"d", 86400, "s"},
    {"N", 1, "m*kg/s^2"},
    {"kN", 1e3, "m*kg/s^2"},
    {"Pa", 1, "kg/m/s^2"},
    {"bar", 1e5, "kg/m/s^2"},
    {"J", 1, "m^2*kg/s^2"},
    {"W", 1, "m^2*kg/s^3"},
    {"C", 1, "s*A"},
    {"V", 1, "m^2*kg/s^3/A"},
    {"F", 1, "s^4*A^2/m^2/kg"},
    {"uF", 1e-6, "s^4*A^2/m^2/kg"},
    {"Ohm", 1, "m^2*kg/s^3/A^2"},
    {"kOhm", 1e3, "m^2*kg/s^3/A^2"},
    {"S", 1, "s^3*A^2/m^2/kg"},
    {"Wb", 1, "m^2*kg/s^2/A"},
    {"T", 1, "kg/s^2/A"},
    {"H", 1, "m^2*kg/s^2/A^2"},
    {"mH", 1e-3, "m^2*kg/s^2/A^2"},
    {"Hz", 1, "1/s"},
    {"kHz", 1e3, "1/s"},
    {"rad", 1, "1"},
    {"deg", 0.017453292519943295, "1"},
    {"L", 1e-3, "m^3"},
    {"mL", 1e-6, "m^3"},
    {"cd", 1, "cd"},
    {"mol", 1, "mol"},
    {"K", 1, "K"},
    {"lx", 1, "cd/m^2"},
    {"Ym", 1e24, "m"},
    {"dam", 10, "m"},
    {"percent", 0.01, "1"},
};

static void test_units(void** state)
{
    (void)state;
    Arena arena;
    jmp_buf unused;
    arena_init(&arena, kaiDefaultAllocator(), &unused);
    for (size_t i = 0; i < sizeof unit_table / sizeof unit_table[0]; i++)
    {
        Unit unit = {0};
        vec_push(&arena, unit.terms, (UnitTerm){.name = unit_table[i].unit, .exponent = 1});
        FlatUnit flat;
        const UnitTerm* unknown = NULL;
        assert_true(unit_resolve(&arena, &unit, &flat, &unknown));
        Dim dim = dim_of_unit(&flat);
        assert_string_equal(dim_bases(&arena, &dim), unit_table[i].dimension);
        assert_true(fabs(flat.si.scale - unit_table[i].scale) <= 1e-15 * unit_table[i].scale);
    }
    arena_free(&arena);
}

// What people call a dimension, and bases where two of them say it.
static void test_unit_names(void** state)
{
    (void)state;
    static const struct
    {
        UnitTerm terms[2];
        const char* said;
    } cases[] = {
        {{{.name = "mV", .exponent = 1}, {.name = "rad", .exponent = 1}}, "V"},
        {{{.name = "V", .exponent = 1}, {.name = "s", .exponent = -1}}, "V/s"},
        {{{.name = "N", .exponent = 1}, {.name = "s", .exponent = 1}}, "N*s"},
        {{{.name = "J", .exponent = 1}, {.name = "K", .exponent = -1}}, "J/K"},
        {{{.name = "V", .exponent = 1}, {.name = "A", .exponent = 1}}, "W"},
        {{{.name = "km", .exponent = 1}, {.name = "h", .exponent = -2}}, "m/s^2"},
        {{{.name = "N", .exponent = 1}, {.name = "m", .exponent = -1}}, "kg/s^2"},
        {{{.name = "Hz", .exponent = 1}, {.name = "deg", .exponent = 1}}, "1/s"},
        {{{.name = "W", .exponent = 1}, {.name = "mol", .exponent = 2}}, "W*mol^2"},
    };
    Arena arena;
    jmp_buf unused;
    arena_init(&arena, kaiDefaultAllocator(), &unused);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        Unit unit = {0};
        FlatUnit flat;
        const UnitTerm* unknown = NULL;
        vec_push(&arena, unit.terms, cases[i].terms[0]);
        vec_push(&arena, unit.terms, cases[i].terms[1]);
        assert_true(unit_resolve(&arena, &unit, &flat, &unknown));
        Dim dim = dim_of_unit(&flat);
        assert_string_equal(dim_text(&arena, &dim), cases[i].said);
    }
    arena_free(&arena);
}

static void test_silent_units(void** state)
{
    (void)state;
    // One side is bare, or the dimensions agree: nothing to say.
    static const char* const sources[] = {
        "model M { param k [N/m] = 1, m [kg] = 1, c = 2; state x [m] = 1, v [m/s] = 0; x' = v; v' = -k/m*x - c*v }",
        "model M { state x [m] = 1, v [m/s] = 0; x' = v; event h = down(x); v' = delta(h, -2*pre(v)) - 9.81 }",
        "model M { param F [N] = 1; signal f [N] = F*sin(2*pi*time) + 3*cos(time) }",
        "model M { param L [m] = 1, g [m/s^2] = 9.81; signal T [s] = 2*pi*sqrt(L/g) }",
        "model M { param a [m] = 1; signal y = a^2 + 1[m^2], z = (a/1[m])^1.5 + 1 }",
        "model M { param a [m] = 1; signal y = if a > 0 then a else 0, z = min(a, 3), w = hypot(a, 1[mm]) }",
        "model M { param f [Hz] = 1, w [rad/s] = 2; signal y = sin(w*time) + f*1[s] }",
        "model M { state q [m] = 1; q'' = -q/1[s^2] - q'/1[s] }",
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
    {
        Run run;
        run_text(&run, sources[i], &(ElabOptions){0});
        if (!run.flat || run.count)
            show(&run);
        assert_int_equal(run.count, 0);
        arena_free(&run.arena);
    }
}

// ---- files

static void write_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_imports_and_tables(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-elab-XXXXXX", path[4][128];
    assert_non_null(mkdtemp(folder));
    const char* names[] = {"lib", "main.kai", "other.kai", "lib/far.kai"};
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    assert_int_equal(mkdir(path[0], 0700), 0);
    write_file(path[1], "import \"other.kai\"\nimport \"far.kai\"\nmodel M { o : Other; f : Far; signal y = "
                        "table(\"t.csv\", time) }\n");
    write_file(path[2], "import \"main.kai\"\nimport \"./far.kai\"\nmodel Other { signal y = 1 }\n");
    write_file(path[3], "import \"other.kai\"\nmodel Far { signal z = 2 }\n");
    char table[128];
    snprintf(table, sizeof table, "%s/t.csv", folder);
    write_file(table, "x,y\n0,1\n1,3\n# end\n");
    Run run;
    run_begin(&run);
    run.program.library = path[0];
    assert_true(program_load(&run.program, path[1]));
    run.flat = elaborate(&run.program, &(ElabOptions){0});
    run_end(&run);
    // far.kai finds other.kai neither beside itself nor in the library (itself): one error, and the rest is known.
    assert_int_equal(run.count, 1);
    assert_string_equal(run.list[0].code, "K080");
    assert_int_equal(run.program.files.count, 3);
    arena_free(&run.arena);

    write_file(path[3], "model Far { signal z = 2 }\n");
    run_begin(&run);
    run.program.library = path[0];
    assert_true(program_load(&run.program, path[1]));
    run.flat = elaborate(&run.program, &(ElabOptions){0});
    run_end(&run);
    if (!run.flat)
        show(&run);
    assert_non_null(run.flat);
    assert_int_equal(run.flat->tables.at[0].rows, 2);
    assert_true(run.flat->tables.at[0].y[1] == 3);
    arena_free(&run.arena);
    run_begin(&run);
    assert_false(program_load(&run.program, "/no/such/file.kai"));
    arena_free(&run.arena);
    unlink(table);
    for (int i = 3; i > 0; i--)
        unlink(path[i]);
    rmdir(path[0]);
    rmdir(folder);
}

// ---- size

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_chain(int count, uint32_t* defs)
{
    Run run;
    char text[512];
    snprintf(text, sizeof text,
             "model Cell { param k = 1; input u; state x = 0, v = 0; x' = v; v' = -k*x + u; signal y = 2*x }\n"
             "model M { c : Cell[i in 1..%d](k = i); for i in 2..%d { c[i].u = c[i-1].y } c[1].u = 1 }",
             count, count);
    double begin = seconds();
    run_begin(&run);
    program_load_text(&run.program, "chain.kai", text, strlen(text));
    run.flat = elaborate(&run.program, &(ElabOptions){0});
    double taken = seconds() - begin;
    assert_non_null(run.flat);
    *defs = run.flat->defs.count;
    arena_free(&run.arena);
    return taken;
}

static void test_scaling(void** state)
{
    (void)state;
    uint32_t defs;
    double small = time_chain(3000, &defs);
    assert_int_equal(defs, 12000);
    assert_true(small < 1.0);  // far below on any machine; generous for sanitizers
    double large = time_chain(30000, &defs);
    assert_true(large < 40 * small + 0.1);  // ten times the size: linear, not quadratic
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
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_all_mistakes_at_once),
        cmocka_unit_test(test_one_report_for_many_instances),
        cmocka_unit_test(test_bare_numbers),
        cmocka_unit_test(test_missing_name_once),
        cmocka_unit_test(test_several_experiments_of_one_program),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_machine_structure),
        cmocka_unit_test(test_nodes_are_shared),
        cmocka_unit_test(test_expect_source),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_unit_names),
        cmocka_unit_test(test_silent_units),
        cmocka_unit_test(test_imports_and_tables),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
