// Schematics: which symbols and nets a circuit has (worked out by hand), and what must hold of every sheet: wires run
// along and across, wires of two nets never lie on each other, symbols keep apart, every terminal meets its net.
#include "diagram/schematic.h"
#include "elab/elaborate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    Circuit circuit;
    Schematic schematic;
} Fixture;

static bool load(Fixture* f, const char* text, int depth)
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
    if (!circuit_of_model(&f->circuit, &f->labels, depth))
        return false;
    schematic_place(&f->schematic, &f->arena, &f->circuit, flat->model_name);
    return true;
}

static const CircuitPart* find(const Fixture* f, const char* name)
{
    for (uint32_t i = 0; i < f->circuit.parts.count; i++)
        if (strcmp(f->circuit.parts.at[i].name, name) == 0)
            return &f->circuit.parts.at[i];
    fail_msg("there is no part %s", name);
    return NULL;
}

static uint32_t net(const Fixture* f, const char* part, const char* port)
{
    const CircuitPart* p = find(f, part);
    for (uint32_t k = 0; k < p->count; k++)
        if (strcmp(f->circuit.terminals.at[p->first + k].port, port) == 0)
            return f->circuit.terminals.at[p->first + k].net;
    fail_msg("%s has no port %s", part, port);
    return 0;
}

// ---- what must hold of every sheet

static bool covers(const SchematicWire* w, CanvasPoint p)
{
    return p.x >= fmin(w->from.x, w->to.x) - 0.5 && p.x <= fmax(w->from.x, w->to.x) + 0.5 &&
           p.y >= fmin(w->from.y, w->to.y) - 0.5 && p.y <= fmax(w->from.y, w->to.y) + 0.5;
}

// How much of their length two wires share.
static double shared(const SchematicWire* a, const SchematicWire* b)
{
    bool along = a->from.y == a->to.y, other = b->from.y == b->to.y;
    if (along != other || fabs(along ? a->from.y - b->from.y : a->from.x - b->from.x) > 0.5)
        return 0;
    double a0 = along ? a->from.x : a->from.y, a1 = along ? a->to.x : a->to.y;
    double b0 = along ? b->from.x : b->from.y, b1 = along ? b->to.x : b->to.y;
    return fmin(fmax(a0, a1), fmax(b0, b1)) - fmax(fmin(a0, a1), fmin(b0, b1));
}

static void check_wires(const Schematic* s)
{
    for (uint32_t i = 0; i < s->wires.count; i++)
    {
        const SchematicWire* w = &s->wires.at[i];
        assert_true(w->from.x == w->to.x || fabs(w->from.y - w->to.y) < 1e-9);
        assert_true(fmin(w->from.x, w->to.x) >= 0 && fmax(w->from.x, w->to.x) <= s->width);
        assert_true(fmin(w->from.y, w->to.y) >= 0 && fmax(w->from.y, w->to.y) <= s->height);
        for (uint32_t k = 0; k < i; k++)
            if (s->wires.at[k].net != w->net)
                assert_true(shared(w, &s->wires.at[k]) <= 0.5);
    }
}

static void box_of(const SchematicPart* p, double box[4])
{
    bool stands = fabs(p->a.x - p->b.x) < fabs(p->a.y - p->b.y);
    double across = SYMBOL_WIDTH / 2.0;
    box[0] = p->block ? p->corner.x : fmin(p->a.x, p->b.x) - (stands ? across : 0);
    box[1] = p->block ? p->corner.x + p->size.x : fmax(p->a.x, p->b.x) + (stands ? across : 0);
    box[2] = p->block ? p->corner.y : fmin(p->a.y, p->b.y) - (stands ? 0 : across);
    box[3] = p->block ? p->corner.y + p->size.y : fmax(p->a.y, p->b.y) + (stands ? 0 : across);
}

static void check_parts(const Schematic* s)
{
    double a[4], b[4];
    for (uint32_t i = 0; i < s->circuit->parts.count; i++)
        for (uint32_t k = 0; k < i; k++)
        {
            if (!s->parts[i].shown || !s->parts[k].shown)
                continue;
            box_of(&s->parts[i], a);
            box_of(&s->parts[k], b);
            if (a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3])
                fail_msg("%s and %s overlap", s->parts[i].part->name, s->parts[k].part->name);
        }
}

static void check_end(const Schematic* s, uint32_t terminal, CanvasPoint at)
{
    uint32_t own = s->circuit->terminals.at[terminal].net;
    for (uint32_t i = 0; i < s->wires.count; i++)
        if (s->wires.at[i].net == own && covers(&s->wires.at[i], at))
            return;
    fail_msg("terminal %s of %s meets no wire", s->circuit->terminals.at[terminal].port,
             s->circuit->parts.at[s->circuit->terminals.at[terminal].part].name);
}

static void check_ends(const Schematic* s)
{
    for (uint32_t i = 0; i < s->circuit->parts.count; i++)
    {
        const SchematicPart* p = &s->parts[i];
        if (!p->shown || p->block)
            continue;
        check_end(s, p->part->first, p->a);
        if (p->part->count == 2)
            check_end(s, p->part->first + 1, p->b);
    }
    for (uint32_t i = 0; i < s->ends.count; i++)
        check_end(s, s->ends.at[i].net, s->ends.at[i].at);
}

static void check_sheet(const Schematic* s)
{
    check_wires(s);
    check_parts(s);
    check_ends(s);
}

// ---- circuits

static const char boost[] =
    "import \"electrical.kai\"\n"
    "model Coil \"a part of the user's own\" { port a : electrical, b : electrical; s : J1; l : I(i = 1e-3)\n"
    "  bond a -> s -> b; bond s -> l }\n"
    "model Valve { port a : electrical, b : electrical\n"
    "  d : J1 switched { initial mode shut : OFF { on post(d.e) > 0 -> open } mode open : ON { on post(d.f) < 0 -> "
    "shut } }\n"
    "  bond a -> d -> b }\n"
    "model Boost { v : VoltageSource; l : Coil; k : Switch; d : Valve; c : Capacitor(C = 1e-4); r : Resistor(R = 20); "
    "g : "
    "Ground\n"
    "  v.u = 12[V]; k.closed = time > 1\n"
    "  connect v.a, l.a; connect l.b, k.a, d.a; connect d.b, c.a, r.a; connect v.b, k.b, c.b, r.b, g.a }\n"
    "experiment e of Boost { stop = 1 }\n";

static void symbols_and_nets(void** state)
{
    (void)state;
    static Fixture f;
    assert_true(load(&f, boost, -1));
    assert_int_equal(f.circuit.parts.count, 7);
    assert_int_equal(f.circuit.nets.count, 4);
    assert_int_equal(find(&f, "v")->symbol, SYMBOL_VOLTAGE);
    assert_string_equal(find(&f, "v")->value, "12 V");
    assert_int_equal(find(&f, "l")->symbol, SYMBOL_INDUCTOR);
    assert_string_equal(find(&f, "l")->value, "1 mH");
    assert_int_equal(find(&f, "k")->symbol, SYMBOL_SWITCH);
    assert_int_equal(find(&f, "d")->symbol, SYMBOL_DIODE);
    assert_string_equal(find(&f, "c")->value, "100 µF");
    assert_string_equal(find(&f, "r")->value, "20 Ω");
    assert_int_equal(net(&f, "l", "b"), net(&f, "k", "a"));
    assert_int_equal(net(&f, "l", "b"), net(&f, "d", "a"));
    assert_int_not_equal(net(&f, "l", "a"), net(&f, "l", "b"));
    assert_int_equal(f.circuit.nets.at[net(&f, "r", "b")].degree, 5);
    assert_int_not_equal(f.circuit.nets.at[net(&f, "r", "b")].anchor, 0);
    check_sheet(&f.schematic);
    // The textbook: source, coil, switch, diode, capacitor and load from left to right, no wire above the row of rails.
    const Schematic* s = &f.schematic;
    double x[6];
    const char* const names[] = {"v", "l", "k", "d", "c", "r"};
    for (int i = 0; i < 6; i++)
        x[i] = s->parts[find(&f, names[i]) - f.circuit.parts.at].a.x;
    for (int i = 1; i < 6; i++)
        assert_true(x[i] > x[i - 1]);
    // Nodes are dots between parts: two at the rails (switch, capacitor), three at the ground line.
    assert_int_equal(s->dots.count, 5);
    arena_free(&f.arena);
}

static const char* const circuits[] = {
    "model M { l : Inductor; c : Capacitor; r : Resistor; g : Ground; d1 : Diode; d2 : Diode; d3 : Diode; d4 : Diode\n"
    "  connect l.a, c.a, d1.a, d3.b; connect l.b, c.b, d2.a, d4.b, g.a; connect d1.b, d2.b, r.a; connect r.b, d3.a, "
    "d4.a }",
    "model M { v : VoltageSource; t : Transformer; k : Mosfet; d : Diode; c : Capacitor; r : Resistor; g : Ground; h : "
    "Ground\n"
    "  connect v.a, t.a1; connect t.b1, k.a; connect v.b, k.b, g.a; connect t.b2, d.a; connect d.b, c.a, r.a\n"
    "  connect t.a2, c.b, r.b, h.a }",
    "model M { v : VoltageSource; p : Resistor; q : Resistor; o : OpAmp; g : Ground; r : Resistor\n"
    "  connect v.a, p.a; connect p.b, o.minus, q.a; connect o.out, q.b, r.a; connect v.b, o.plus, r.b, g.a }",
    "model M { v : ThreePhaseSource; a : Resistor; b : Resistor; c : Resistor; g : Ground\n"
    "  connect v.a, a.a; connect v.b, b.a; connect v.c, c.a; connect a.b, b.b, c.b; connect v.n, g.a }",
    "model M { a : Resistor; b : Resistor; c : Resistor; v : VoltageSource; g : Ground\n"
    "  connect v.a, a.a, b.a, c.a; connect a.b, b.b, c.b, v.b; connect g.a, v.b }",
    "model M { v : VoltageSource; r : Resistor[i in 1..6]; c : Capacitor[i in 1..5]; g : Ground\n"
    "  connect v.a, r[1].a; connect r[1].b, r[2].a, c[1].a; connect r[2].b, r[3].a, c[2].a; connect r[3].b, r[4].a, "
    "c[3].a\n"
    "  connect r[4].b, r[5].a, c[4].a; connect r[5].b, r[6].a, c[5].a\n"
    "  connect v.b, g.a, c[1].b, c[2].b, c[3].b, c[4].b, c[5].b, r[6].b; connect r[6].a, r[1].a }",
};

static void sheets_are_clean(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof *circuits; i++)
        for (int depth = -1; depth < 2; depth += 2)
        {
            static Fixture f;
            char text[2000];
            snprintf(text, sizeof text, "import \"electrical.kai\"\n%s\nexperiment e of M { stop = 1 }\n", circuits[i]);
            assert_true(load(&f, text, depth));
            check_sheet(&f.schematic);
            arena_free(&f.arena);
        }
}

// Composed parts unfold to their own parts, or are one box.
static void parts_fold(void** state)
{
    (void)state;
    static Fixture f;
    const char text[] =
        "import \"electrical.kai\"\n"
        "model Cell { port a : electrical, b : electrical, n : electrical; r : Resistor; c : Capacitor\n"
        "  connect a, r.a; connect r.b, c.a, b; connect c.b, n }\n"
        "model M { v : VoltageSource; x : Cell; y : Cell; g : Ground; e : OpenEnd\n"
        "  connect v.a, x.a; connect x.b, y.a; connect v.b, x.n, y.n, g.a; connect y.b, e.a }\n"
        "experiment e of M { stop = 1 }\n";
    assert_true(load(&f, text, -1));
    assert_int_equal(f.circuit.parts.count, 7);
    assert_int_equal(net(&f, "x.c", "a"), net(&f, "y.r", "a"));
    check_sheet(&f.schematic);
    arena_free(&f.arena);
    assert_true(load(&f, text, 1));
    assert_int_equal(f.circuit.parts.count, 5);
    assert_int_equal(find(&f, "x")->symbol, SYMBOL_BOX);
    assert_int_equal(find(&f, "x")->count, 3);
    check_sheet(&f.schematic);
    arena_free(&f.arena);
}

// Ohms and volts are for circuits: a throttle in a hydraulic line is a resistance of another kind.
static void units_of_the_domain(void** state)
{
    (void)state;
    static Fixture f;
    const char text[] =
        "model Throttle { port a : hydraulic, b : hydraulic; s : J1; r : R(r = 10); bond a -> s -> b; bond s -> r }\n"
        "model M { x : Throttle; y : Throttle; connect x.a, y.a; connect x.b, y.b }\n"
        "experiment e of M { stop = 1 }\n";
    assert_true(load(&f, text, -1));
    assert_int_equal(find(&f, "x")->symbol, SYMBOL_RESISTOR);
    assert_null(find(&f, "x")->value);
    check_sheet(&f.schematic);
    arena_free(&f.arena);
}

// Elements of its own make a bond graph; one part makes no circuit.
static void not_of_parts(void** state)
{
    (void)state;
    static Fixture f;
    assert_false(
        load(&f, "model M { s : Se(e = 1); r : R(r = 1); bond s -> r }\nexperiment e of M { stop = 1 }\n", -1));
    arena_free(&f.arena);
    assert_false(load(&f, "model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1 }\n", -1));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbols_and_nets), cmocka_unit_test(sheets_are_clean),
                                       cmocka_unit_test(parts_fold), cmocka_unit_test(units_of_the_domain),
                                       cmocka_unit_test(not_of_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
