// Figures of a part of the time, of several runs, of large and small numbers; instants with what fired in them; and
// what a figure leaves out, which it says.
#include "unit/figure_fixture.h"

static void lacks(const char* words)
{
    if (strstr(page, words) != NULL)
        fail_msg("there is %s", words);
}

static const kaiColumn columns[] = {
    {.name = "x", .unit = "m"}, {.name = "r", .unit = "Ohm"}, {.name = "far", .unit = "m"}};

// x = t, r = 2 - t, far = 1e5 t, for t from 0 to 1.
static void put_lines(kaiFigure* f, double slope)
{
    static const uint8_t present[] = {1, 1, 1};
    for (int i = 0; i <= 100; i++)
    {
        double t = i / 100., values[] = {slope * t, 2 - t, 1e5 * t};
        assert_int_equal(kaiFigure_Row(f, &(kaiRow){t, 0, 0, values, present}), KAI_OK);
    }
}

static kaiFigure* begin(const kaiFigureOptions* o, const kaiPanel* panels, int count)
{
    kaiError error = {0};
    kaiFigure* f = kaiFigure_Create(o, columns, 3, panels, count, &error);
    if (f == NULL)
        fail_msg("%s", error.message);
    return f;
}

// ---- windows and runs

static void test_window(void** state)
{
    (void)state;
    const kaiPanel panel = PANEL("x");
    kaiFigureOptions o = options_for("x.svg");
    kaiError error = {0};
    o.from = 0.25;
    o.to = 0.5;
    kaiFigure* f = begin(&o, &panel, 1);
    put_lines(f, 1);
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_OK);
    has(">0.30<");  // a tick inside
    lacks(">0.8");  // and none of what is outside
    kaiFigure_Free(f);
    o = options_for("x.svg");
    o.from = 5;
    o.to = 6;
    f = begin(&o, &panel, 1);
    put_lines(f, 1);
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "nothing to draw from t = 5 to t = 6: the rows go from t = 0 to t = 1");
    kaiFigure_Free(f);
}

// Runs over one signal have the colours of a ramp: from viridis' dark violet to its yellow.
static void test_runs(void** state)
{
    (void)state;
    const kaiPanel panel = PANEL("x");
    kaiFigureOptions o = options_for("x.svg");
    kaiError error = {0};
    kaiFigure* f = begin(&o, &panel, 1);
    for (int run = 0; run < 9; run++)
    {
        char label[20];
        snprintf(label, sizeof label, "k = %d", run + 1);
        assert_int_equal(kaiFigure_BeginRun(f, label), KAI_OK);
        put_lines(f, run + 1);
    }
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_OK);
    has("#440154");
    has("#e3c814");
    kaiFigure_Free(f);
}

// 100000 m are 100 km on an axis; ohms are written Ω.
static void test_prefixes(void** state)
{
    (void)state;
    const kaiPanel panels[] = {PANEL("far"), PANEL("r")};
    kaiFigureOptions o = options_for("x.svg");
    kaiError error = {0};
    kaiFigure* f = begin(&o, panels, 2);
    put_lines(f, 1);
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_OK);
    has("km");
    has("Ω");
    kaiFigure_Free(f);
}

static void test_refused(void** state)
{
    (void)state;
    static const char* const one[] = {"x"};
    kaiPanel panels[60];
    kaiError error = {0};
    kaiFigureOptions o = options_for("x.svg");
    for (int i = 0; i < 60; i++)
        panels[i] = (kaiPanel){.signals = one, .count = 1};
    assert_null(kaiFigure_Create(&o, columns, 3, panels, 60, &error));
    assert_non_null(strstr(error.message, "a figure has at most "));
    o.sink.write = NULL;
    o.path = "/nowhere/at/all.svg";
    kaiFigure* f = kaiFigure_Create(&o, columns, 3, panels, 1, &error);
    kaiStatus status = f == NULL ? error.status : KAI_OK;
    if (f != NULL)
    {
        put_lines(f, 1);
        status = kaiFigure_Draw(f, &error);
    }
    kaiFigure_Free(f);
    assert_int_equal(status, KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.svg"));
}

// Bands of modes above a figure: some, and how many more there are.
static void test_many_machines(void** state)
{
    (void)state;
    enum
    {
        MACHINES = 30
    };
    static const char* const names[] = {"low", "high"};
    kaiColumn list[MACHINES + 1] = {{.name = "x"}};
    char name[MACHINES][24];
    double values[MACHINES + 1] = {0};
    uint8_t present[MACHINES + 1];
    for (int i = 0; i < MACHINES; i++)
    {
        snprintf(name[i], sizeof name[i], "m%d.mode", i);
        list[i + 1] = (kaiColumn){.name = name[i], .kind = KAI_COLUMN_MODE, .mode_names = names, .mode_count = 2};
    }
    memset(present, 1, sizeof present);
    const kaiPanel panel = PANEL("x");
    kaiFigureOptions o = options_for("x.svg");
    kaiError error = {0};
    kaiFigure* f = kaiFigure_Create(&o, list, MACHINES + 1, &panel, 1, &error);
    assert_non_null(f);
    for (int i = 0; i <= 10; i++)
    {
        values[0] = i;
        for (int k = 1; k <= MACHINES; k++)
            values[k] = i > 5;
        kaiFigure_Row(f, &(kaiRow){i / 10., 0, 0, values, present});
    }
    assert_int_equal(kaiFigure_Draw(f, &error), KAI_OK);
    has("more machines are not shown");
    kaiFigure_Free(f);
}

// ---- instants

static bool source_line(void* user, const char* file, int line, char* text, size_t size)
{
    (void)user, (void)file;
    return snprintf(text, size, "when hit { v := -e*v }  // line %d", line) > 0;
}

enum
{
    SIGNALS = 40
};
static char names[SIGNALS][24];

// One instant at t = 1 with `tags` microsteps, in which every signal changes; signal 1 is always equal to signal 0.
static kaiInstants* one_instant(kaiFigureOptions* o, kaiColumn* list, int tags)
{
    kaiError error = {0};
    double values[SIGNALS];
    uint8_t present[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
    {
        snprintf(names[i], sizeof names[i], "signal%d", i);
        list[i] = (kaiColumn){.name = names[i], .unit = "m"};
    }
    memset(present, 1, sizeof present);
    kaiInstants* v = kaiInstants_Create(o, NAN, list, SIGNALS, &error);
    assert_non_null(v);
    for (int m = -1; m < tags; m++)
    {
        kaiFired when = {
            .tag = {1, 0, m}, .kind = KAI_FIRED_WHEN, .text = "v", .place = {"models/ball.kai", 7, 3, 7, 9}};
        for (int i = 0; i < SIGNALS; i++)
            values[i] = i < 2 ? m : m * (i + 1);
        if (m >= 0)
            kaiInstants_Fired(v, &when);
        assert_int_equal(kaiInstants_Row(v, &(kaiRow){1, m < 0 ? -1 : 0, m < 0 ? 0 : m, values, present}), KAI_OK);
    }
    assert_int_equal(kaiInstants_Row(v, &(kaiRow){2, 0, 0, values, present}), KAI_OK);
    return v;
}

static void test_fired(void** state)
{
    (void)state;
    kaiColumn list[SIGNALS];
    kaiError error = {0};
    kaiFigureOptions o = options_for("-");
    o.title = "the ball";
    o.source_line = source_line;
    kaiInstants* v = one_instant(&o, list, 3);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_OK);
    has("the ball\n\nt = 1: 4 tags\n");
    has("what fired\n");
    has("sets v\n                       ball.kai:7  when hit { v := -e*v }  // line 7\n");
    kaiInstants_Free(v);
    o = options_for("-");
    v = one_instant(&o, list, 5000);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_OK);
    has("t = 1: 5001 tags");
    has("and 905 tags more\n");  // 4096 are kept
    kaiInstants_Free(v);
}

static void test_instant_picture(void** state)
{
    (void)state;
    kaiColumn list[SIGNALS];
    kaiError error = {0};
    kaiFigureOptions o = options_for("x.svg");
    o.title = "the ball";
    o.source_line = source_line;
    kaiInstants* v = one_instant(&o, list, 3);
    assert_int_equal(kaiInstants_Draw(v, &error), KAI_OK);
    has("the ball");
    has("signal0, signal1");  // one line for two that are equal
    has(" more signals change");
    has("line 7");
    kaiInstants_Free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),          cmocka_unit_test(test_runs),          cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_many_machines), cmocka_unit_test(test_fired),
        cmocka_unit_test(test_instant_picture),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(page);
    return failed;
}
