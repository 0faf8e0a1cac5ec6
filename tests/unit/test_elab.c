// Elaboration: source text → fragments of the flat listing, and mistakes → code, place and words of the message.
#include "unit/elab_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_several_experiments_of_one_program),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_machine_structure),
        cmocka_unit_test(test_nodes_are_shared),
        cmocka_unit_test(test_expect_source),
        cmocka_unit_test(test_imports_and_tables),
        cmocka_unit_test(test_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
