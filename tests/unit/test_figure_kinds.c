// Figures of every kind into memory, from rows that are written here: logarithmic axes, phase planes with equal scales,
// bands of modes, events, impulses, measured points, curves that lie on each other, characters, instants as a table;
// and names that are not there.
#include "unit/figure_fixture.h"

static const char* const mode_names[] = {"falling", "resting"};
static const kaiColumn columns[] = {
    {.name = "ball.y", .unit = "m"},
    {.name = "ball.v", .unit = "m/s"},
    {.name = "hit", .kind = KAI_COLUMN_EVENT},
    {.name = "on", .kind = KAI_COLUMN_BOOL},
    {.name = "mode", .kind = KAI_COLUMN_MODE, .mode_names = mode_names, .mode_count = 2},
    {.name = "F", .unit = "N"},
    {.name = "F.impulse", .unit = "N*s", .impulse = 1},
    {.name = "x", .unit = "m"},
    {.name = "twin", .unit = "m"},
};
enum
{
    COLUMNS = sizeof columns / sizeof *columns
};

// t from 0 to 1: a circle (x, ball.y), a decay over many decades (ball.v), an impact at 0.5, modes that flicker.
static kaiStatus put_rows(kaiStatus (*row)(void*, const kaiRow*), void* to)
{
    kaiStatus status = KAI_OK;
    for (int i = 0; i <= 200 && status == KAI_OK; i++)
        for (int p = i == 100 ? -1 : 0; p <= (i == 100 ? 1 : 0) && status == KAI_OK; p++)
        {
            double t = i / 200.0, jump = i > 100 || (i == 100 && p == 1);
            double values[COLUMNS] = {sin(7 * t), exp(-20 * t), 1, i % 2, jump, 3 - jump, 2, cos(7 * t), sin(7 * t)};
            uint8_t present[COLUMNS] = {1, 1, i == 100 && p == 0, 1, 1, 1, i == 100 && p == 0, 1, 1};
            if (i > 150)
                values[4] = i % 2;  // faster than a figure shows
            status = row(to, &(kaiRow){t, p, 0, values, present});
        }
    return status;
}

static void draw(const kaiFigureOptions* o, const kaiPanel* panels, int count, bool points)
{
    kaiError error;
    kaiFigure* f = kaiFigure_Create(o, columns, COLUMNS, panels, count, &error);
    if (f == NULL)
        print_message("%s\n", error.message);
    assert_non_null(f);
    assert_int_equal(put_rows(kaiFigure_Row, f), KAI_OK);
    if (points)
    {
        assert_int_equal(kaiFigure_BeginPoints(f, "measured"), KAI_OK);
        put_rows(kaiFigure_Row, f);
    }
    kaiStatus status = kaiFigure_Draw(f, &error);
    if (status != KAI_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, KAI_OK);
    kaiFigure_Free(f);
}

static void test_svg(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("x.svg");
    const kaiPanel panels[] = {PANEL("ball.y", "x", "twin"), PANEL("hit"), PANEL("on"), PANEL("F", "F.impulse"),
                               PANEL("mode")};
    o.title = "a title that is far too long for the width of this small figure, and is cut therefore";
    o.width = 260;
    o.remark = "every second run is left out";
    draw(&o, panels, 5, false);
    has("<svg");
    has("…");  // the title
    has(">ball.y<");
    has(">twin<");
    has(">true<");
    has(">falling<");
    has("every second run is left out");
    has("stroke-dasharray");  // twin lies on ball.y: both are to be seen
}

// exp(-20) = 2e-9 at the end: decades are marked.
static void test_logarithms(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("x.svg");
    const kaiPanel panels[] = {PANEL("ball.v")};
    o.log_y = true;
    draw(&o, panels, 1, true);
    has(">10⁻⁹<");
    has(">10⁻⁵<");
    has(">0.1<");
    has("<ellipse");
    o = options_for("x.svg");
    o.log_x = true;
    o.y_from = -2;
    o.y_to = 2;
    draw(&o, panels, 1, false);
    has(">−2<");
}

static void test_plane(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("x.svg");
    kaiPanel plane[] = {PANEL("ball.y")};
    plane[0].against = "x";
    draw(&o, plane, 1, false);
    has(">x [m]<");
    has(">ball.y [m]<");
    has(">resting<");  // the curve has the colours of its modes
    o = options_for("x.pdf");
    draw(&o, plane, 1, true);
    assert_memory_equal(page, "%PDF", 4);
    o = options_for("x.png");
    draw(&o, plane, 1, false);
    assert_memory_equal(page, "\x89PNG", 4);
    o = options_for("x.html");
    draw(&o, plane, 1, false);
    has("<html");
}

static void test_characters(void** state)
{
    (void)state;
    const kaiPanel panels[] = {PANEL("ball.y", "x"), PANEL("F", "F.impulse"), PANEL("hit")};
    for (int colour = 0; colour < 2; colour++)
    {
        kaiFigureOptions o = options_for("-");
        o.colour = colour != 0;
        o.width = 70;
        o.height = 40;
        o.title = "characters";
        draw(&o, panels, 3, colour != 0);
        has("characters");
        has("ball.y [m]");
        has("falling");
        assert_true((strstr(page, "\033[") != NULL) == (colour != 0));
        int widest = 0, width = 0;
        for (const char* c = page; *c != 0; c++)
        {
            width = *c == '\n' ? 0 : width + ((*c & 0xc0) != 0x80);
            widest = width > widest ? width : widest;
        }
        assert_true(colour || widest <= 70);
    }
    kaiPanel plane[] = {PANEL("ball.y")};
    plane[0].against = "x";
    kaiFigureOptions o = options_for("-");
    draw(&o, plane, 1, false);
}

// More curves than fit beside a small panel.
static void test_legend(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("x.svg");
    const kaiPanel panels[] = {PANEL("ball.y", "ball.v", "F", "x", "twin"), PANEL("ball.v", "F")};
    o.height = 170;
    o.width = 330;
    kaiError error;
    kaiFigure* f = kaiFigure_Create(&o, columns, COLUMNS, panels, 2, &error);
    char label[40];
    for (int run = 0; run < 9; run++)
    {
        snprintf(label, sizeof label, "k = %d of a long name", run);
        assert_int_equal(kaiFigure_BeginRun(f, label), KAI_OK);
        put_rows(kaiFigure_Row, f);
    }
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_OK);
    kaiFigure_Free(f);
    has("<svg");
}

static void test_names(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("x.svg");
    kaiError error;
    const kaiPanel near[] = {PANEL("ball.z")}, tail[] = {PANEL("v")}, far[] = {PANEL("something.else.altogether")};
    kaiPanel against[] = {PANEL("x")};
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, near, 1, &error));
    assert_string_equal(error.message, "there is no signal `ball.z`; did you mean `ball.y`?");
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, tail, 1, &error));
    assert_string_equal(error.message, "there is no signal `v`; did you mean `ball.v`?");
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, far, 1, &error));
    assert_non_null(strstr(error.message, "; there are `ball.y`, `ball.v`, `hit`"));
    assert_non_null(strstr(error.message, " and 1 more"));
    against[0].against = "why";
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, against, 1, &error));
    o.path = "x.gif";
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, near, 1, &error));
    assert_non_null(strstr(error.message, "x.gif: a figure is a file that ends in .svg, .png, .pdf or .html"));
    o.path = NULL;
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, near, 1, &error));
    const kaiPanel none = {.signals = NULL, .count = 2};
    o = options_for("x.svg");
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, &none, 1, &error));
    assert_string_equal(error.message, "a panel has no signals");
    const kaiPanel many = PANEL("x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x");
    assert_null(kaiFigure_Create(&o, columns, COLUMNS, &many, 1, &error));
    assert_non_null(strstr(error.message, "put the others into a second one"));
}

// ---- instants

static bool source_line(void* user, const char* file, int line, char* text, size_t size)
{
    (void)user, (void)file;
    return snprintf(text, size, "when hit { v := -e*v }  // line %d", line) > 0;
}

static void show_instant(const char* path, bool lines)
{
    kaiFigureOptions o = options_for(path);
    kaiError error;
    o.source_line = lines ? source_line : NULL;
    kaiInstants* v = kaiInstants_Create(&o, 0.5, columns, COLUMNS, &error);
    if (v == NULL)
        print_message("%s\n", error.message);
    assert_non_null(v);
    const char* const shown[] = {"ball.y", "F", "F.impulse", "mode", "hit", "on"};
    assert_int_equal(kaiInstants_Show(v, shown, 6, &error), KAI_OK);
    kaiFired fired = {.tag = {0.5, 0, 0}, .text = "down(ball.y)", .place = {"models/ball.kai", 7, 3, 7, 9}};
    assert_int_equal(put_rows(kaiInstants_Row, v), KAI_OK);
    kaiInstants_Fired(v, &fired);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_OK);
    kaiInstants_Free(v);
}

static void test_instant(void** state)
{
    (void)state;
    show_instant("-", true);
    has("⟨-1, 0⟩");
    has("⟨0, 0⟩");
    has("⟨1, 0⟩");
    has("ball.y");
    has("resting");
    has("t = 0.5");
    show_instant("x.svg", true);
    has("<svg");
    show_instant("x.svg", false);
}

static void test_no_instant(void** state)
{
    (void)state;
    kaiFigureOptions o = options_for("-");
    kaiError error;
    const char* const wrong[] = {"ball.w"};
    o.to = 0.3;
    kaiInstants* v = kaiInstants_Create(&o, NAN, columns, COLUMNS, &error);
    if (v == NULL)
        v = kaiInstants_Create(&o, 0.2, columns, COLUMNS, &error);
    assert_int_equal(kaiInstants_Show(v, wrong, 1, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "there are no rows to look at");
    put_rows(kaiInstants_Row, v);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "the signals flow and nothing jumps"));
    kaiInstants_Free(v);
}

// ---- memory

static kaiStatus draw_scarce(kaiAllocator allocator, const char* path)
{
    kaiFigureOptions o = options_for(path);
    kaiError error = {0};
    kaiPanel panels[] = {PANEL("ball.y", "F.impulse"), PANEL("x")};
    panels[1].against = "ball.y";
    o.allocator = allocator;
    kaiFigure* f = kaiFigure_Create(&o, columns, COLUMNS, panels, 2, &error);
    kaiStatus status = f == NULL ? error.status : put_rows(kaiFigure_Row, f);
    if (status == KAI_OK)
        status = kaiFigure_Draw(f, &error);
    kaiFigure_Free(f);
    if (strcmp(path, "x.html") == 0)
        return status;  // a page shows its instants itself
    kaiInstants* v = status == KAI_OK ? kaiInstants_Create(&o, 0.5, columns, COLUMNS, &error) : NULL;
    if (status == KAI_OK)
        status = v == NULL ? error.status : put_rows(kaiInstants_Row, v);
    if (status == KAI_OK)
        status = kaiInstants_Draw(v, &error);
    kaiInstants_Free(v);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    static const char* const paths[] = {"x.svg", "-", "x.html"};
    for (int i = 0; i < 3; i++)
        for (long n = -1, calls = 0; n < calls; n++)
        {
            Heap heap = {.fail_at = n};
            kaiStatus status = draw_scarce((kaiAllocator){heap_alloc, &heap}, paths[i]);
            assert_int_equal(heap.live, 0);
            assert_true(status == KAI_ERR_MEMORY || (n < 0 && status == KAI_OK));
            calls = n < 0 ? heap.calls : calls;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svg),        cmocka_unit_test(test_logarithms), cmocka_unit_test(test_plane),
        cmocka_unit_test(test_characters), cmocka_unit_test(test_legend),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_instant),    cmocka_unit_test(test_no_instant), cmocka_unit_test(test_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(page);
    return failed;
}
