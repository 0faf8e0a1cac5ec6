// Diagrams: which boxes and arrows a model has (worked out by hand), how it folds, which transitions are dashed, and
// that a layout keeps boxes apart, inside their groups and on the sheet, with arrows that end at their boxes.
#include "diagram/makers.h"
#include "elab/elaborate.h"
#include "kairos/kairos.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Fixture
{
    Arena arena;
    jmp_buf fail;
    Interner names;
    Sources sources;
    Diags diags;
    Program program;
    Labels labels;
    Diagram diagram;
} Fixture;

static void load(Fixture* f, const char* text)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->arena, kaiDefaultAllocator(), &f->fail);
    if (setjmp(f->fail) != 0)
        fail_msg("out of memory");
    interner_init(&f->names, &f->arena);
    f->sources.arena = &f->arena;
    f->diags.arena = &f->arena;
    f->program =
        (Program){.arena = &f->arena, .names = &f->names, .sources = &f->sources, .diags = &f->diags, .library = "lib"};
    program_load_text(&f->program, "test.kai", text, strlen(text));
    const Flat* flat = elaborate(&f->program, &(ElabOptions){0});
    assert_non_null(flat);
    f->labels = (Labels){.arena = &f->arena, .flat = flat, .sources = &f->sources};
    diagram_init(&f->diagram, &f->arena);
    f->diagram.title = flat->model_name;
}

static uint32_t find(const Diagram* d, const char* name)
{
    for (uint32_t i = 0; i < d->nodes.count; i++)
        if (strcmp(d->nodes.at[i].name, name) == 0)
            return i;
    fail_msg("there is no box %s", name);
    return 0;
}

static const DiagramEdge* find_edge(const Diagram* d, const char* from, const char* to)
{
    uint32_t a = find(d, from), b = find(d, to);
    for (uint32_t i = 0; i < d->edges.count; i++)
        if (d->edges.at[i].from == a && d->edges.at[i].to == b)
            return &d->edges.at[i];
    fail_msg("there is no arrow from %s to %s", from, to);
    return NULL;
}

static void expect_edge(const Diagram* d, const char* from, const char* to, bool dashed, const char* label)
{
    const DiagramEdge* edge = find_edge(d, from, to);
    assert_int_equal(edge->dashed, dashed);
    if (label[0] == 0)
        assert_int_equal(edge->label.count, 0);
    else
        assert_string_equal(edge->label.at[0], label);
}

// ---- layout

static bool overlap(double x0, double y0, double w0, double h0, double x1, double y1, double w1, double h1)
{
    return fabs(x0 - x1) < (w0 + w1) / 2 && fabs(y0 - y1) < (h0 + h1) / 2;
}

// How far a point is from the outline of a box.
static double distance(const DiagramNode* n, CanvasPoint p)
{
    double dx = fabs(p.x - n->x) - n->width / 2, dy = fabs(p.y - n->y) - n->height / 2;
    return dx > 0 || dy > 0 ? hypot(fmax(dx, 0), fmax(dy, 0)) : fmin(-dx, -dy);
}

static void check_layout(const Diagram* d)
{
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        const DiagramNode* n = &d->nodes.at[i];
        assert_true(n->x - n->width / 2 >= 0 && n->x + n->width / 2 <= d->width);
        assert_true(n->y - n->height / 2 >= 0 && n->y + n->height / 2 <= d->height);
        for (uint32_t k = i + 1; k < d->nodes.count; k++)
        {
            const DiagramNode* m = &d->nodes.at[k];
            assert_false(overlap(n->x, n->y, n->width, n->height, m->x, m->y, m->width, m->height));
        }
        for (uint32_t g = n->group; g != 0; g = d->groups.at[g].parent)
        {
            const DiagramGroup* group = &d->groups.at[g];
            assert_true(n->x - n->width / 2 > group->corner.x && n->x + n->width / 2 < group->corner.x + group->size.x);
            assert_true(n->y - n->height / 2 > group->corner.y &&
                        n->y + n->height / 2 < group->corner.y + group->size.y);
        }
    }
    for (uint32_t i = 0; i < d->edges.count; i++)
    {
        const DiagramEdge* e = &d->edges.at[i];
        assert_true(e->point_count >= 4 && e->point_count % 3 == 1);
        if (e->from_group == 0)
            assert_true(distance(&d->nodes.at[e->from], e->points[0]) < 2);
        if (e->to_group == 0)
            assert_true(distance(&d->nodes.at[e->to], e->points[e->point_count - 1]) < 2);
        for (uint32_t k = 0; e->label.count > 0 && k < d->nodes.count; k++)
        {
            const DiagramNode* n = &d->nodes.at[k];
            assert_false(overlap(e->label_at.x, e->label_at.y, e->label_width - 2, e->label_height - 2, n->x, n->y,
                                 n->width, n->height));
        }
    }
}

static const char BALL[] = "model Ball {\n"
                           "  param g = 9.81, e = 0.8\n"
                           "  state y = 1, v = 0\n"
                           "  event hit = down(y)\n"
                           "  modes {\n"
                           "    initial mode falling { y' = v; v' = -g; when hit { v := -e*v }\n"
                           "      on hit if abs(v) < 0.01 -> sitting { y := 0 } }\n"
                           "    mode sitting { y' = 0; v' = 0 }\n"
                           "  }\n"
                           "}\n";

// ---- blocks

static void blocks_of_a_ball(void** state)
{
    (void)state;
    Fixture f;
    load(&f, BALL);
    blocks_make(&f.diagram, &f.labels, DEPTH_DEFAULT);
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 5);  // y, v, hit, the modes, the reaction; parameters are no blocks
    expect_edge(d, "v", "y", false, "");
    expect_edge(d, "y", "hit", false, "");
    expect_edge(d, "hit", "when", true, "");
    expect_edge(d, "v", "when", false, "");
    expect_edge(d, "when", "v", true, "");
    expect_edge(d, "hit", "mode", true, "");
    expect_edge(d, "v", "mode", false, "");
    expect_edge(d, "mode", "y", true, "");  // its equations depend on the mode, and the transition assigns it
    expect_edge(d, "mode", "v", true, "");
    assert_int_equal(d->edges.count, 9);
    assert_int_equal(d->nodes.at[find(d, "hit")].shape, SHAPE_EVENT);
    assert_string_equal(d->nodes.at[find(d, "y")].title, "∫ y");
    assert_string_equal(d->nodes.at[find(d, "y")].lines.at[0], "falling: y' = v");
    assert_string_equal(d->nodes.at[find(d, "hit")].lines.at[0], "= down(y)");
    arena_free(&f.arena);
}

static const char CASCADE[] =
    "model Tank { param A = 2; input inflow = 0, outflow = 0; output level; state V = 1; V' = inflow - outflow; "
    "level = V/A }\n"
    "model Cascade { upper : Tank; lower : Tank; state u = 0; u' = lower.level\n"
    "  upper.outflow = upper.level; lower.inflow = upper.outflow; lower.outflow = 2*u }\n";

static void instances_fold(void** state)
{
    (void)state;
    Fixture f;
    load(&f, CASCADE);
    blocks_make(&f.diagram, &f.labels, 1);
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 4);  // upper, lower, u, and the function 2*u
    assert_int_equal(d->groups.count, 1);
    expect_edge(d, "upper", "lower", false, "level → inflow");   // through the wire upper.outflow
    expect_edge(d, "upper", "upper", false, "level → outflow");  // a loop that the container closes
    expect_edge(d, "lower", "u", false, "level");
    expect_edge(d, "u", "lower.outflow", false, "");
    expect_edge(d, "lower.outflow", "lower", false, "outflow");
    assert_int_equal(d->edges.count, 5);
    assert_string_equal(d->nodes.at[find(d, "lower.outflow")].lines.at[0], "2*u");
    arena_free(&f.arena);

    load(&f, CASCADE);
    blocks_make(&f.diagram, &f.labels, 0);
    assert_int_equal(f.diagram.nodes.count, 1);
    assert_string_equal(f.diagram.nodes.at[0].title, "Cascade");
    assert_int_equal(f.diagram.edges.count, 0);
    arena_free(&f.arena);

    load(&f, CASCADE);
    blocks_make(&f.diagram, &f.labels, 2);
    d = &f.diagram;
    assert_int_equal(d->groups.count, 3);
    assert_string_equal(d->groups.at[1].title, "upper : Tank");
    assert_int_equal(d->nodes.at[find(d, "upper.V")].group, 1);
    assert_int_equal(d->nodes.at[find(d, "lower.level")].group, 2);
    assert_string_equal(d->nodes.at[find(d, "lower.V")].title, "∫ V");
    expect_edge(d, "upper.outflow", "lower.inflow", false, "");
    expect_edge(d, "upper.V", "upper.level", false, "");
    arena_free(&f.arena);
}

static void long_arrays_are_one_box(void** state)
{
    (void)state;
    const char* text = "model Cell { input l, r; state u = 0; u' = l - 2*u + r }\n"
                       "model Rod { param N = %d; c : Cell[i in 1..N](u = i); state x[i in 1..N] = 0\n"
                       "  for i in 1..N { x[i]' = c[i].u; if i > 1 { c[i].l = c[i - 1].u }; if i == 1 { c[i].l = 0 }; "
                       "c[i].r = 0 } }\n";
    char filled[1000];
    Fixture f;
    snprintf(filled, sizeof filled, text, 100);
    load(&f, filled);
    blocks_make(&f.diagram, &f.labels, 1);
    assert_string_equal(f.diagram.nodes.at[find(&f.diagram, "c[1]")].title, "c[…100]");
    assert_string_equal(f.diagram.nodes.at[find(&f.diagram, "x[1]")].title, "∫ x[…100]");
    arena_free(&f.arena);
    snprintf(filled, sizeof filled, text, ARRAY_SHOWN);
    load(&f, filled);
    blocks_make(&f.diagram, &f.labels, 1);
    find(&f.diagram, "c[8]");
    find(&f.diagram, "x[8]");
    arena_free(&f.arena);
}

// ---- modes

static void machines_of_a_ball(void** state)
{
    (void)state;
    Fixture f;
    load(&f, BALL);
    assert_true(machines_make(&f.diagram, &f.labels, DEPTH_DEFAULT));
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 3);  // two modes and the start
    assert_int_equal(d->edges.count, 2);
    expect_edge(d, "", "falling", false, "");
    expect_edge(d, "falling", "sitting", false, "hit if abs(v) < 0.01");
    assert_string_equal(find_edge(d, "falling", "sitting")->label.at[1], "/ y := 0");
    assert_string_equal(d->nodes.at[find(d, "sitting")].lines.at[1], "v' = 0");
    arena_free(&f.arena);
    load(&f, "model M { state x = 0; x' = 1 }");
    assert_false(machines_make(&f.diagram, &f.labels, DEPTH_DEFAULT));
    arena_free(&f.arena);
}

// Paper 000, Fig. 29: the breakaway by a force is considered only if there is no impulse; guards that exclude each
// other need no order.
static void default_transitions_are_dashed(void** state)
{
    (void)state;
    Fixture f;
    load(&f, "model M { signal F = sin(time), q = 1; event kick = clock(1); discrete n = 0; modes {\n"
             "  initial mode stuck { on kick -> sliding; on abs(F) > 2 -> away }\n"
             "  mode sliding { on F < q -> stuck; on q < F -> away; on F == q -> resume sliding }\n"
             "  mode away { preempt on F >= q and n > 0 -> resume stuck; on F < q -> sliding; on not kick if n > 0 -> "
             "away }\n"
             "} }");
    machines_make(&f.diagram, &f.labels, DEPTH_DEFAULT);
    const Diagram* d = &f.diagram;
    expect_edge(d, "stuck", "sliding", false, "1: kick");
    expect_edge(d, "stuck", "away", true, "2: abs(F) > 2");
    expect_edge(d, "sliding", "stuck", false, "1: F < q");
    expect_edge(d, "sliding", "away", false, "2: q < F");  // never together with the first
    expect_edge(d, "away", "stuck", false, "1: F >= q and n > 0");
    expect_edge(d, "away", "sliding", false, "2: F < q");
    assert_true(find_edge(d, "away", "stuck")->history);
    assert_true(find_edge(d, "away", "stuck")->preempt);
    assert_false(find_edge(d, "away", "sliding")->history);
    uint32_t loops = 0, histories = 0;
    for (uint32_t i = 0; i < d->nodes.count; i++)
        loops += d->nodes.at[i].shape == SHAPE_TEXT;
    for (uint32_t i = 0; i < d->edges.count; i++)
        histories += d->edges.at[i].history;
    assert_int_equal(loops, 2);  // sliding and away lead back to themselves, through their texts
    assert_int_equal(histories, 2);
    arena_free(&f.arena);
}

static const char NESTED[] = "model Lamp { state t = 0; t' = 1; modes {\n"
                             "  initial mode off { on t >= 1 -> lit { t := 0 } }\n"
                             "  mode lit { on t >= 9 -> off; modes { initial mode dim { on t >= 1 -> bright }\n"
                             "    mode bright { on t >= 2 -> dim { t := 0 } } } }\n"
                             "} }\n"
                             "model Room { a : Lamp; b : Lamp; c : Lamp }\n";

static void machines_nest(void** state)
{
    (void)state;
    Fixture f;
    load(&f, NESTED);
    machines_make(&f.diagram, &f.labels, DEPTH_DEFAULT);
    const Diagram* d = &f.diagram;
    assert_int_equal(d->groups.count, 3);  // the sheet, the first lamp, its mode `lit`
    assert_string_equal(d->groups.at[1].title, "a : Lamp (and 2 more)");
    assert_string_equal(d->groups.at[2].title, "lit");
    assert_int_equal(d->nodes.at[find(d, "dim")].group, 2);
    assert_int_equal(find_edge(d, "off", "dim")->to_group, 2);  // the arrow ends at the outline of `lit`
    arena_free(&f.arena);
    load(&f, NESTED);
    machines_make(&f.diagram, &f.labels, 1);
    assert_int_equal(f.diagram.groups.count, 2);
    assert_true(f.diagram.nodes.at[find(&f.diagram, "lit")].thick);
    arena_free(&f.arena);
}

// ---- bond graphs

static const char CRADLE[] =
    "model Cradle {\n"
    "  m1 : I(i = 1, p0 = 0.95);  m2 : I(i = 1, p0 = 0.95);  m3 : I(i = 1)\n"
    "  v1 : J1;  v2 : J1;  v3 : J1\n"
    "  bond v1 -> m1;  bond v2 -> m2;  bond v3 -> m3\n"
    "  F13 : J0 switched { initial mode apart : OFF { on x1 >= x3 and v1.f > v3.f -> contact }\n"
    "    mode contact : ON { on v1.f < v3.f -> apart } }\n"
    "  F12 : J0 switched { initial mode stuck : ON { on area(F12.e) < -0.5 -> slip }\n"
    "    mode slip : OFF { on abs(v1.f - v2.f) < 0.8 -> stuck } }\n"
    "  bounce : Sf(f = -0.8*pre(v1.f - v3.f))\n"
    "  bond v1 -> F13 -> v3;  bond F13 -> bounce;  bond v1 -> F12 -> v2\n"
    "  state x1 = -1, x3 = 0;  x1' = v1.f;  x3' = v3.f\n"
    "}\n";

static void expect_stroke(const Diagram* d, const char* from, const char* to, int stroke)
{
    const DiagramEdge* edge = find_edge(d, from, to);
    assert_int_equal(edge->arrow, ARROW_HALF);
    assert_int_equal(edge->stroke, stroke);
}

// Sequential causality by hand. A mass in integral causality takes the effort (the stroke is at its end), one in
// derivative causality gives it; a 0-junction that is OFF imposes its zero effort on all its bonds.
static void strokes_of_the_cradle(void** state)
{
    (void)state;
    Fixture f;
    load(&f, CRADLE);
    assert_true(bonds_make(&f.diagram, &f.labels, DEPTH_DEFAULT, (uint32_t[]){0, 0}));  // apart, stuck
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 9);
    assert_int_equal(d->edges.count, 8);
    expect_stroke(d, "v1", "m1", 1);
    expect_stroke(d, "v1", "F13", -1);
    expect_stroke(d, "F13", "v3", 1);
    expect_stroke(d, "F13", "bounce", 1);
    expect_stroke(d, "v3", "m3", 1);
    expect_stroke(d, "v1", "F12", -1);
    expect_stroke(d, "F12", "v2", -1);
    expect_stroke(d, "v2", "m2", -1);
    assert_string_equal(d->nodes.at[find(d, "m2")].lines.at[0], "derivative");
    assert_int_equal(d->nodes.at[find(d, "m1")].lines.count, 0);
    assert_string_equal(d->nodes.at[find(d, "F12")].lines.at[0], "stuck ON");
    assert_string_equal(d->nodes.at[find(d, "F13")].lines.at[0], "apart OFF");
    assert_memory_not_equal(&d->nodes.at[find(d, "F12")].accent, &d->nodes.at[find(d, "F13")].accent, sizeof(Colour));
    assert_true(diagram_layout(&f.diagram, &(const char*){NULL}));
    check_layout(&f.diagram);
    arena_free(&f.arena);

    load(&f, CRADLE);
    assert_true(bonds_make(&f.diagram, &f.labels, DEPTH_DEFAULT, (uint32_t[]){1, 1}));  // contact, slip
    d = &f.diagram;
    expect_stroke(d, "F13", "v3", -1);
    expect_stroke(d, "v3", "m3", -1);
    expect_stroke(d, "F13", "bounce", 1);  // a source of flow takes the effort
    expect_stroke(d, "F12", "v2", 1);
    expect_stroke(d, "v2", "m2", 1);
    assert_string_equal(d->nodes.at[find(d, "m3")].lines.at[0], "derivative");
    assert_int_equal(d->nodes.at[find(d, "m2")].lines.count, 0);
    arena_free(&f.arena);
    load(&f, BALL);
    assert_false(bonds_make(&f.diagram, &f.labels, DEPTH_DEFAULT, (uint32_t[]){0}));
    arena_free(&f.arena);
}

static const char RECTIFIER[] =
    "model Diode { port a, b\n"
    "  d : J1 switched { initial mode blocking : OFF { on area(d.e) > 0 or area(d.e) == 0 and post(d.e) > 0 -> "
    "conducting }\n"
    "    mode conducting : ON { on area(d.f) < 0 or area(d.f) == 0 and post(d.f) < 0 -> blocking } }\n"
    "  bond a -> d -> b }\n"
    "model Rectifier { src : Se(e = 10*sin(time)); s : J1; d : Diode; n : J0; c : C(c = 0.1); r : R(r = 10)\n"
    "  state w = 0; w' = c.e - w; bond src -> s -> d.a; bond d.b -> n -> c; bond n -> r }\n";

static void bond_graphs_fold(void** state)
{
    (void)state;
    Fixture f;
    load(&f, RECTIFIER);
    bonds_make(&f.diagram, &f.labels, 1, (uint32_t[]){0});
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 6);  // the diode is a box
    assert_true(d->nodes.at[find(d, "d")].thick);
    expect_stroke(d, "src", "s", 1);  // a source of effort imposes it on the other end
    find_edge(d, "s", "d");
    find_edge(d, "d", "n");
    arena_free(&f.arena);
    load(&f, RECTIFIER);
    blocks_make(&f.diagram, &f.labels, 1);
    d = &f.diagram;
    assert_int_equal(d->nodes.count, 3);  // the diode, the rest of the bond graph, w
    expect_edge(d, "bond graph", "w", false, "c.e");
    assert_int_equal(d->edges.count, 3);  // two bonds of the diode, which are half arrows
    assert_int_equal(find_edge(d, "bond graph", "d")->arrow, ARROW_HALF);
    arena_free(&f.arena);
    load(&f, RECTIFIER);
    machines_make(&f.diagram, &f.labels, DEPTH_DEFAULT);
    expect_edge(&f.diagram, "blocking : OFF", "conducting : ON", false,
                "area(d.e) > 0 or area(d.e) == 0 and post(d.e)");
    arena_free(&f.arena);
}

// A node of a circuit is one junction between the parts that it joins, not a dot in each of them; between two it is a
// dot.
static void connected_ports_are_one_junction(void** state)
{
    (void)state;
    Fixture f;
    load(&f, "import \"electrical.kai\"\n"
             "model M { v : VoltageSource; r : Resistor; c : Capacitor; d : Resistor; g : Ground\n"
             "  connect v.a, r.a; connect r.b, c.a, d.a; connect v.b, c.b, d.b, g.a }\n");
    bonds_make(&f.diagram, &f.labels, DEPTH_DEFAULT, NULL);
    const Diagram* d = &f.diagram;
    assert_int_equal(d->nodes.count, 12);  // source, r, c, d: two each; ground: one; three nodes
    uint32_t dot = find(d, "v.a"), middle = find(d, "r.b"), below = find(d, "v.b");
    assert_int_equal(d->nodes.at[dot].shape, SHAPE_DOT);
    assert_string_equal(d->nodes.at[middle].title, "0");
    assert_string_equal(d->nodes.at[below].title, "0");
    assert_int_equal(d->nodes.at[dot].group | d->nodes.at[middle].group | d->nodes.at[below].group, 0);
    find_edge(d, "r.s", "r.b");
    find_edge(d, "r.b", "c.s");
    find_edge(d, "d.s", "v.b");
    assert_int_equal(d->edges.count, 4 + 8 + 1);  // inside the parts, from them to the nodes, the ground
    arena_free(&f.arena);
}

// ---- all together

static void layouts_keep_things_apart(void** state)
{
    (void)state;
    static const char* const texts[] = {BALL, CASCADE, NESTED};
    for (size_t i = 0; i < 3; i++)
        for (int depth = 0; depth < 3; depth++)
        {
            Fixture f;
            load(&f, texts[i]);
            blocks_make(&f.diagram, &f.labels, depth);
            assert_true(diagram_layout(&f.diagram, &(const char*){NULL}));
            check_layout(&f.diagram);
            arena_free(&f.arena);
            if (i == 1)
                continue;
            load(&f, texts[i]);
            assert_true(machines_make(&f.diagram, &f.labels, depth + 1));
            assert_true(diagram_layout(&f.diagram, &(const char*){NULL}));
            check_layout(&f.diagram);
            arena_free(&f.arena);
        }
}

static void long_lines_are_broken(void** state)
{
    (void)state;
    Fixture f;
    DiagramLines lines = {0};
    load(&f, BALL);
    diagram_line(&f.diagram, &lines, "when ball[1].x + d >= ball[2].x and ball[1].v > ball[2].v and more");
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.at[0], "when ball[1].x + d >= ball[2].x and ball[1].v");
    assert_string_equal(lines.at[1], "  > ball[2].v and more");
    lines.count = 0;
    diagram_line(&f.diagram, &lines, "äääääääääääääääääääääääääääääääääääääääääääääääääääääää");
    assert_int_equal(lines.count, 2);  // between characters, never inside one
    assert_int_equal(strlen(lines.at[0]), 92);
    for (int i = 0; i < 50; i++)
        diagram_line(&f.diagram, &lines, "x");
    assert_int_equal(lines.count, 8);
    assert_string_equal(lines.at[7], "…");
    arena_free(&f.arena);
}

// ---- memory

typedef struct Scarce
{
    int left;  // allocations until there is nothing more
    int64_t held;
} Scarce;

static void* scarce(void* user, void* block, size_t old_size, size_t size)
{
    Scarce* s = user;
    if (size > old_size && s->left-- <= 0)
        return NULL;
    s->held += (int64_t)size - (int64_t)old_size;
    kaiAllocator plain = kaiDefaultAllocator();
    return plain.alloc(plain.user, block, old_size, size);
}

// Wherever memory runs out: an error, nothing left behind, no figure.
static void memory_runs_out(void** state)
{
    (void)state;
    char path[] = "/tmp/kairos-diagram-XXXXXX.svg";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    kaiStatus status = KAI_ERR_MEMORY;
    for (int count = 0; status != KAI_OK && count < 3000; count++)
    {
        Scarce memory = {.left = count};
        LoadOptions load_options = load_default();
        kaiDiagramOptions options = kaiDefaultDiagramOptions();
        kaiProgram* messages = NULL;
        kaiCompileOptions compile = kaiDefaultCompileOptions();
        remove(path);
        load_options.text = CRADLE;
        load_options.allocator = (kaiAllocator){scarce, &memory};
        options.path = path;
        load_options.path = "text.kai";
        status = load_program(&load_options, &messages);
        if (status == KAI_OK)
            status = kaiProgram_Diagram(messages, &compile, &options, NULL);
        kaiProgram_Free(messages);
        assert_int_equal(memory.held, 0);
        assert_int_equal(access(path, F_OK) == 0, status == KAI_OK);
    }
    assert_int_equal(status, KAI_OK);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_ball),
        cmocka_unit_test(instances_fold),
        cmocka_unit_test(long_arrays_are_one_box),
        cmocka_unit_test(machines_of_a_ball),
        cmocka_unit_test(default_transitions_are_dashed),
        cmocka_unit_test(machines_nest),
        cmocka_unit_test(strokes_of_the_cradle),
        cmocka_unit_test(bond_graphs_fold),
        cmocka_unit_test(connected_ports_are_one_junction),
        cmocka_unit_test(layouts_keep_things_apart),
        cmocka_unit_test(long_lines_are_broken),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
