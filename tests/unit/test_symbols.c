// Drawn diagrams: every symbol stays within its place however it is turned, blocks have their letters; marks of
// transitions, names of bonds, ports that only pass on, words of guards of junctions; the same bytes each time.
#include "diagram/schematic.h"
#include "kairos/kairos.h"
#include "plot/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Text
{
    char at[400000];
    size_t size;
} Text;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Text* t = user;
    assert_true(t->size + size < sizeof t->at);
    memcpy(t->at + t->size, bytes, size);
    t->at[t->size += size] = 0;
    return KAI_OK;
}

static int count(const char* text, const char* word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        n++;
    return n;
}

// ---- symbols

static Canvas* open_canvas(Text* to)
{
    const char* error = NULL;
    CanvasOptions options = {"x.svg", CANVAS_SVG, 200, 200, "symbol", false, {keep, to}, kaiDefaultAllocator()};
    to->size = 0;
    Canvas* c = canvas_open(&options, &error);
    assert_null(error);
    return c;
}

// Every corner of every line lies in the box.
static void within(const char* text, double x0, double y0, double x1, double y1)
{
    for (const char* at = text; (at = strstr(at, " points=\"")) != NULL;)
        for (at += 9; *at != '"';)
        {
            char* end;
            double x = strtod(at, &end), y = strtod(end + 1, &end);
            if (!(x >= x0 && x <= x1 && y >= y0 && y <= y1))
                fail_msg("%g, %g is not within %g … %g, %g … %g:\n%s", x, y, x0, x1, y0, y1, text);
            at = end + strspn(end, " ");
        }
}

// From left to right and from top to bottom: as long as its leads, and not much wider than symbols are.
static void symbols_keep_their_place(void** state)
{
    (void)state;
    static Text drawn;
    for (SymbolKind kind = SYMBOL_BOX; kind <= SYMBOL_WALL; kind++)
        for (int turned = 0; turned < 2; turned++)
        {
            double half = SYMBOL_LENGTH / 2.0;
            CanvasPoint a = turned ? (CanvasPoint){100, 100 - half} : (CanvasPoint){100 - half, 100};
            CanvasPoint b = turned ? (CanvasPoint){100, 100 + half} : (CanvasPoint){100 + half, 100};
            Canvas* c = open_canvas(&drawn);
            symbol_draw(c, kind, a, b);
            assert_int_equal(canvas_close(c), KAI_OK);
            const char* body = strstr(drawn.at, "</title>");
            assert_true(count(body, "<poly") + count(body, "<path") + count(body, "<ellipse") > 1);
            double along = half + 1, across = 30;
            within(body, 100 - (turned ? across : along), 100 - (turned ? along : across),
                   100 + (turned ? across : along), 100 + (turned ? along : across));
            assert_int_equal(count(body, ">V</text>"), kind == SYMBOL_METER);
        }
}

static void blocks_have_their_letters(void** state)
{
    (void)state;
    static Text drawn;
    static const struct
    {
        SymbolKind kind;
        double height;
        const char* mark;
        int times;
    } cases[] = {{SYMBOL_TRANSFORMER, 100, "<polyline", 6},
                 {SYMBOL_TRANSFORMER, 40, "<polygon", 1},
                 {SYMBOL_AMPLIFIER, 100, ">+</text>", 1},
                 {SYMBOL_MOTOR, 100, ">M</text>", 1},
                 {SYMBOL_BOX, 100, "</text>", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        Canvas* c = open_canvas(&drawn);
        symbol_draw_block(c, cases[i].kind, (CanvasPoint){20, 20}, (CanvasPoint){80, cases[i].height});
        assert_int_equal(canvas_close(c), KAI_OK);
        const char* body = strstr(drawn.at, "</title>");
        int times = count(body, cases[i].mark);
        if (times != cases[i].times)
            fail_msg("%s is there %d times:\n%s", cases[i].mark, times, body);
    }
}

// ---- diagrams

static void draw(const char* text, kaiDiagramKind kind, int depth, Text* to)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    kaiProgram* program = NULL;
    kaiError error = {0};
    source.path = "d.kai";
    source.text = text;
    options.path = "d.svg";
    options.kind = kind;
    options.depth = depth;
    options.sink = (kaiSink){keep, to};
    to->size = 0;
    kaiProgram_Open(&source, &program, &error);
    kaiStatus status = kaiProgram_Diagram(program, &which, &options, &error);
    if (status != KAI_OK)
        fail_msg("%s", error.message);
    kaiProgram_Free(program);
}

static void says(const Text* t, const char* words)
{
    if (strstr(t->at, words) == NULL)
        fail_msg("there is no \"%s\" in\n%s", words, t->at);
}

// A transition that resumes has an H, one that preempts a red dot; what its actions do stands beside it.
static void transitions_have_marks(void** state)
{
    (void)state;
    static Text drawn;
    draw("model M { state x = 0; discrete n = 0; event out, plain; x' = 1\n"
         "  modes {\n"
         "    initial mode a { on x > 1 -> resume b { emit out(2*x) } }\n"
         "    mode b { state y = 0; y' = 1; preempt on y > 1 -> a { emit plain }\n"
         "      modes { initial mode c { on y > 0.5 -> d } mode d { on n > 3 -> c { halt } } } }\n"
         "  } }\n",
         KAI_DIAGRAM_MODES, -1, &drawn);
    says(&drawn, ">H</text>");
    says(&drawn, "emit out(2*x)");
    says(&drawn, "emit plain");
    says(&drawn, "halt");
    says(&drawn, "#d55e00");
}

// Blocks of a model with events, actions and a machine folded into one box.
static void blocks_fold(void** state)
{
    (void)state;
    static Text deep, flat;
    static const char text[] = "model Inner { input u; state x = 0; x' = u; output y = 2*x }\n"
                               "model M { a : Inner; b : Inner; a.u = 1; b.u = a.y; event hit = up(b.x - 1)\n"
                               "  discrete n = 0; when hit { n := n + 1; halt }; signal s = b.y + n }\n";
    draw(text, KAI_DIAGRAM_BLOCKS, 3, &deep);
    draw(text, KAI_DIAGRAM_BLOCKS, 1, &flat);
    assert_true(count(deep.at, "<text") > count(flat.at, "<text"));
    says(&flat, ">a<");
    says(&flat, ">s<");
    draw(text, KAI_DIAGRAM_BLOCKS, 0, &flat);  // the whole is one box
    assert_int_equal(count(flat.at, ">a<"), 0);
}

// A bond with a name, a part inside a part, a switch; and the same bytes each time.
static const char bonds[] =
    "import \"electrical.kai\"\n"
    "model Leg { port a : electrical, b : electrical; q : Mosfet; l : Inductor(L = 1e-3); connect a, q.a\n"
    "  connect q.b, l.a; connect l.b, b; input gate = false; q.gate = gate }\n"
    "model Own { port a : electrical, b : electrical; s : J1; r : R(r = 2); bond a -> s -> b; bond as loss s -> r }\n"
    "model M { s : VoltageSource(u = 1); leg : Leg; o : Own; d : Diode; m : Voltmeter; e : OpenEnd\n"
    "  g : Ground; connect s.a, leg.a, m.a; connect leg.b, o.a, e.a; connect o.b, d.a; connect d.b, s.b, g.a, m.b\n"
    "  leg.gate = time > 1 }\n";

static void bonds_have_names(void** state)
{
    (void)state;
    static Text drawn, again;
    draw(bonds, KAI_DIAGRAM_BONDS, -1, &drawn);
    says(&drawn, "loss");
    draw(bonds, KAI_DIAGRAM_BONDS, -1, &again);
    assert_string_equal(drawn.at, again.at);
    draw(bonds, KAI_DIAGRAM_BONDS, 1, &again);  // folded: fewer words
    assert_true(count(again.at, "<text") < count(drawn.at, "<text"));
}

// Guards of a switched junction in the words of the author.
static void junctions_speak_as_written(void** state)
{
    (void)state;
    static Text drawn;
    draw(bonds, KAI_DIAGRAM_MODES, -1, &drawn);
    says(&drawn, "area(");
    says(&drawn, "post(");
    assert_int_equal(count(drawn.at, "committed("), 0);
    assert_int_equal(count(drawn.at, "$"), 0);
}

static void a_schematic_has_its_parts(void** state)
{
    (void)state;
    static Text drawn;
    draw(bonds, KAI_DIAGRAM_SCHEMATIC, 3, &drawn);
    says(&drawn, ">V</text>");
    says(&drawn, "1 mH");
    draw("import \"converters.kai\"\nimport \"electrical.kai\"\nimport \"rotational.kai\"\n"
         "model M { s : CurrentSource(j = 1); t : Transformer(n = 2); q : Thyristor; m : Motor; o : OpAmp; r : "
         "Resistor(R = 1)\n  g : Ground; g2 : Ground; w : Inertia(J = 1); connect m.shaft, w.a\n"
         "  connect s.a, t.a1; connect s.b, t.b1, g.a; connect t.a2, q.a; connect q.b, m.a, o.plus; connect t.b2, m.b, "
         "g2.a\n  connect o.out, o.minus, r.a; connect r.b, g2.a }\n",
         KAI_DIAGRAM_SCHEMATIC, -1, &drawn);
    says(&drawn, ">M</text>");
    says(&drawn, ">+</text>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_keep_their_place),  cmocka_unit_test(blocks_have_their_letters),
        cmocka_unit_test(transitions_have_marks),    cmocka_unit_test(blocks_fold),
        cmocka_unit_test(bonds_have_names),          cmocka_unit_test(junctions_speak_as_written),
        cmocka_unit_test(a_schematic_has_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
