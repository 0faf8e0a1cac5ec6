// Many instants in one go (src/flow/orbit.c). Whoever asks after each instant gets none of them: both ways lead to the
// same bits, rows, counters and messages, also where the run is parted, saved and restored on its way.
#include "unit/api_fixture.h"

typedef struct Seen
{
    kaiStatus status;
    double x[8], sum;
    kaiCounters counters;
    int64_t located[8], touches[8], calls;  // calls: how often the run has handed over
    kaiTag now;
    char message[400];
} Seen;

static int columns;  // of the model in work

static kaiStatus add_row(void* user, const kaiRow* row)
{
    double* sum = user;
    for (int i = 0; i < columns; i++)
        *sum = 0.75 * *sum + (isnan(row->values[i]) ? 7 : row->values[i]) + row->t;
    return KAI_OK;
}

static void look(kaiSim* sim, const kaiModel* model, Seen* seen)
{
    const char* text;
    kaiPlace place;
    for (int i = 0; i < 8 && i < kaiModel_StateCount(model); i++)
        assert_true(kaiSim_Get(sim, kaiModel_StateVariable(model, i), &seen->x[i]));
    for (int i = 0; i < 8 && kaiSim_GuardCount(sim, i, &seen->located[i], &seen->touches[i], &text, &place); i++)
        assert_true(strlen(text) > 0);
    seen->counters = kaiSim_Counters(sim);
    seen->now = kaiSim_Now(sim);
    const kaiError* failure = kaiSim_Failure(sim);
    snprintf(seen->message, sizeof seen->message, "%s", failure->message != NULL ? failure->message : "");
}

static uint64_t drawn;

static uint32_t below(uint32_t n)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (uint32_t)(drawn * UINT64_C(2685821657736338717) >> 33) % n;
}

static double number(double from, double to)
{
    return from + (to - from) * below(40) / 40;
}

typedef enum Way
{
    EACH,    // the run hands over after each instant
    ALL,     // it does not
    PARTED,  // some instants at a time
    COPIED,  // and now and then a copy goes on
} Way;

static kaiStatus go_parted(kaiSim** sim, const kaiModel* model, const kaiSimOptions* options, bool copies)
{
    kaiStatus status = KAI_INSTANT;
    while (status == KAI_INSTANT)
    {
        status = kaiSim_RunTo(*sim, INFINITY, 1 + (int)below(60));
        if (!copies || status != KAI_INSTANT || below(4) > 0)
            continue;
        kaiSnapshot* saved = kaiSim_Save(*sim);
        assert_non_null(saved);
        kaiSim* other = create(model, options);
        assert_int_equal(kaiSim_Restore(other, saved), KAI_OK);
        kaiSnapshot_Free(saved);
        kaiSim_Free(*sim);
        *sim = other;
    }
    return status;
}

static Seen run(const kaiModel* model, Way way, kaiLimits limits)
{
    Seen seen = {.calls = 0};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.events = "off";
    options.row = add_row;
    options.row_user = &seen.sum;
    options.limits = limits;
    kaiSim* sim = create(model, &options);
    kaiSim_Columns(sim, &columns);
    if (way == PARTED || way == COPIED)
        seen.status = go_parted(&sim, model, &options, way == COPIED);
    else
        do
        {
            seen.calls++;
            seen.status = way == EACH ? kaiSim_Step(sim) : kaiSim_RunTo(sim, INFINITY, 100000);
        } while (seen.status == KAI_INSTANT);
    look(sim, model, &seen);
    kaiSim_Free(sim);
    return seen;
}

static void compare_counters(const char* text, const kaiCounters* a, const kaiCounters* b)
{
    const struct
    {
        const char* name;
        int64_t a, b;
    } list[] = {
        {"instants", a->instants, b->instants},
        {"tags", a->tags, b->tags},
        {"steps", a->steps, b->steps},
        {"rejected", a->rejected, b->rejected},
        {"calls of f", a->rhs_calls, b->rhs_calls},
        {"looks", a->guard_calls, b->guard_calls},
        {"located", a->located, b->located},
        {"touches", a->touches, b->touches},
        {"rows", a->rows, b->rows},
        {"restarts", a->restarts, b->restarts},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].a != list[i].b)
            fail_msg("%s: %lld %s, in one go %lld", text, (long long)list[i].a, list[i].name, (long long)list[i].b);
    assert_true(a->shortest_step == b->shortest_step && a->longest_step == b->longest_step);
}

static void compare(const char* text, const Seen* a, const Seen* b)
{
    if (a->status != b->status || memcmp(a->x, b->x, sizeof a->x) != 0 || strcmp(a->message, b->message) != 0)
        fail_msg("%s: %d, x[0] = %.17g, %s; in one go %d, %.17g, %s", text, a->status, a->x[0], a->message, b->status,
                 b->x[0], b->message);
    if (a->sum != b->sum)
        fail_msg("%s: the rows are others", text);
    compare_counters(text, &a->counters, &b->counters);
    assert_memory_equal(a->located, b->located, sizeof a->located);
    assert_memory_equal(a->touches, b->touches, sizeof a->touches);
    assert_true(a->now.t == b->now.t && a->now.p == b->now.p && a->now.m == b->now.m);
}

static const kaiLimits none = {0};

// Of the run in one go.
static Seen run_all(const char* text, kaiLimits limits, bool copies)
{
    kaiModel* model = load(text, "e");
    Seen each = run(model, EACH, limits), all = run(model, ALL, limits);
    compare(text, &each, &all);
    Seen parted = run(model, PARTED, limits);
    compare(text, &each, &parted);
    if (copies)
    {
        Seen copied = run(model, COPIED, limits);
        copied.sum = each.sum;  // a copy has its own, and makes series anew
        copied.counters.guard_calls = each.counters.guard_calls;
        copied.counters.rhs_calls = each.counters.rhs_calls;
        compare(text, &each, &copied);
    }
    kaiModel_Free(model);
    return all;
}

// Bounce k is at (2k - 1) sqrt(2/g): 1,107 of them in 1,000 s. The rows are 100 s apart: in between nobody is asked.
static void test_ball(void** state)
{
    (void)state;
    Seen s = run_all(
        "model M { state y = 1, v = 0; event hit = down(y); y' = v; v' = -9.81; when hit { v := -v; y := 0 } }\n"
        "experiment e of M { stop = 1000; record y, v every 100; expect count(hit) ~ 1107 within 0 }\n",
        none, true);
    int bounces = (int)floor((1000 / sqrt(2 / 9.81) + 1) / 2);
    assert_int_equal(bounces, 1107);
    assert_int_equal(s.located[0], bounces);
    assert_int_equal(s.status, KAI_END);
    assert_true(s.calls < 100);
    assert_true(fabs(s.x[1] * s.x[1] / 2 + 9.81 * s.x[0] - 9.81) < 1e-6);  // energy
}

// What is more than an ordinary instant comes the general way, in the midst of others.
static const struct
{
    const char *record, *text;
} bodies[] = {
    // accumulation, contact, a value that is none, a chain that repeats itself
    {"record y every 7.3", "state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.9*v; y := 0 }"},
    {"record y every 7.3", "state y = 1, v = 0; discrete n = 0; y' = v; v' = -9.81; when down(y) { n := n + 1; v := if "
                           "n < 20 then -v else 0; y := 0 }"},
    {"record y every 7.3", "state y = 1, v = 0; discrete n = 0; y' = v; v' = -9.81; when down(y) { n := n + 1; v := "
                           "-v*sqrt(30 - n) /sqrt(30 - n) }"},
    {"record x every 7.3", "state x = 0; discrete n = 0; x' = 1; when up(x - 1) { n := n + 1; x := if n > 30 then 2 "
                           "else 0 } when down(x - 1.5) { x := 3 }"},
    // a second tag that finds something, every third time; a jump over a level
    {"record x every 7.3", "state x = 0, w = 0; discrete n = 0, m = 0; x' = 1; w' = 0; when up(x - 1) { x := 0; n := n "
                           "+ 1 } when n >= 3 { n := 0; w := w + 1 }"
                           " when up(w - 4) { m := m + 1; w := 0 }"},
    // two at one time, and one that assigns what is there
    {"record x every 7.3", "state x = 0, y = 0; x' = 1; y' = 0.5; when up(x - 1) { x := 0 } when up(y - 2) { y := 0 }"},
    {"record x every 7.3",
     "state x = 0, k = 3; x' = 1 - 2*k/6; k' = 0; when up(x - 1) { k := 3 } when down(x + 1) { k := k }"},
    // modes, an acceleration that they change, a halt
    {"record z every 7.3", "state z = 0, v = 1; discrete n = 0; z' = v; modes { initial mode a { v' = -1; on up(z - "
                           "0.4) -> b { n := n + 1 } on down(z) -> a { z := 0; v := 1 } }"
                           " mode b { v' = -2; on down(z) -> a { v := 1; z := 0 } } }"},
    {"record z every 7.3", "state z = 0; discrete n = 0; modes { initial mode up_ { z' = 1; on up(z - 1) -> down_ { n "
                           ":= n + 1 } } mode down_ { z' = -1; on down(z + 1) -> up_ } }"},
    {"record x every 7.3",
     "state x = 0; discrete n = 0; x' = 1; when up(x - 1) { x := 0; n := n + 1 } when n == 17 { halt \"enough\" }"},
    // relations that switch the field, and one that stands on it
    {"record y every 7.3",
     "state y = 1, v = 0; y' = v; v' = if y > 0.5 then -9.81 else -5; when down(y) { v := 3; y := 0 }"},
    {"record x every 7.3", "state x = 1; x' = if x > 0 then -1 else 1; when down(x - 0.5) { x := 1 }"},

};

static void test_bodies(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    {
        char text[1000];
        drawn = i + 1;
        snprintf(text, sizeof text, "model M { %s }\nexperiment e of M { islands = one; stop = 95; %s }\n",
                 bodies[i].text, bodies[i].record);
        run_all(text, none, true);
    }
}

static void put(char** at, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void put(char** at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *at += vsprintf(*at, format, arguments);
    va_end(arguments);
}

static void put_jump(char** at)
{
    static const char* const jumps[] = {"v := -v; y := 0",     "v := -0.97*v", "w := -w",       "v := -v; w := 0.5*v",
                                        "n := n + 1; v := -v", "y := y + 0.3", "v := w; w := v"};
    put(at, "%s", jumps[below(7)]);
}

// Linear fields, products of them, flights, with clocks.
static void put_machine(char* at)
{
    static const char* const fields[] = {"x' = %g - x", "x' = y - %g*x", "x' = %g", "x' = %g - x + sin(3*time)"};
    static const char* const events[] = {"tick", "beat", "up(x - %g)", "down(y - %g)", "cross(y + x - %g)"};
    static const char* const levels[] = {"x > %g", "y < %g", "x - y > %g or y > 3"};
    put(&at, "model M {\n  state x = %g, y = %g, e = 0\n  discrete n = 0, k = 1\n", number(-1, 1), number(-1, 1));
    put(&at, "  event tick = clock(%g), beat = clock(%g, 0.1)\n  e' = %s\n  ", number(0.3, 1), number(0.3, 1),
        below(2) ? "x^2 - x*y" : "k - y");
    put(&at, fields[below(4)], number(-1, 1));
    put(&at, "\n");
    if (below(2) == 0)
        put(&at, "  when beat { k := %s }\n", below(2) ? "-k" : "if x > 0.2 then 1 else -1");
    if (below(2) == 0)
        put(&at, "  when tick { n := n + 1; %s }\n", below(2) ? "x := 0.5*x" : "k := 1 - k");
    put(&at, "  modes {\n");
    for (uint32_t mode = 0; mode < 2; mode++)
    {
        put(&at, "  %smode m%u { y' = %g%s\n", mode == 0 ? "initial " : "", mode, number(-2, 2),
            below(2) ? " - y" : "");
        for (uint32_t i = 0, count = 1 + below(2); i < count; i++)
        {
            bool event = i == 0 || below(2);
            put(&at, "  on ");
            put(&at, event ? events[below(5)] : levels[below(3)], number(-1, 2));
            if (event && below(2))
                put(&at, " if x > %g or y < 0.5", number(-1, 1));
            put(&at, " -> m%u { %s }\n", 1 - mode, below(3) == 0 ? "y := 0.3*y" : below(2) ? "n := n + 1" : "");
        }
        put(&at, "  }\n");
    }
    put(&at, "  }\n}\nexperiment e of M { islands = one; stop = 80; record x, y every %g }\n", number(1, 20));
}

// Models that `describe` writes, each for itself: the same in all ways, most of them to their end, many mostly in one
// go.
static void compare_random(void (*describe)(char*), const char* kind)
{
    const char* wanted = getenv("KAIROS_FLIGHTS");
    int ended = 0, fewer = 0, count = wanted != NULL ? atoi(wanted) : 60;
    for (int i = 0; i < count; i++)
    {
        char text[4000];
        drawn = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1);
        describe(text);
        Seen s = run_all(text, none, false);
        ended += s.status == KAI_END;
        fewer += 2 * s.calls < s.counters.instants;
    }
    print_message("%d of %d random %s came to their end, %d of them mostly in one go\n", ended, count, kind, fewer);
    assert_true(4 * ended > count && 4 * fewer > count);
}

static void test_random_machines(void** state)
{
    (void)state;
    compare_random(put_machine, "machines");
}

// Two points under forces that modes change.
static void put_flight(char* at)
{
    static const char* const events[] = {"down(y + %g)", "up(y - %g)", "cross(z - %g)", "up(z + y - 2 - %g)",
                                         "down(v + 4 + %g)"};
    put(&at, "model M {\n  state y = %g, v = %g, z = 0, w = %g\n  discrete n = 0\n  y' = v; z' = w; w' = %g\n",
        number(0.1, 1), number(-1, 1), number(-1, 1), below(2) ? 0.0 : number(-1, 1));
    put(&at, "  event floor_ = down(y), left = down(z + 1), right = up(z - 1)\n");
    put(&at,
        "  when floor_ { v := -%g*v; y := 0 }\n  when left { w := -w; z := -1 }\n  when right { w := -w; z := 1 }\n",
        below(2) ? 1.0 : number(0.8, 1));
    put(&at, "  modes {\n");
    for (uint32_t mode = 0; mode < 2; mode++)
    {
        put(&at, "  %smode m%u { v' = %g\n", mode == 0 ? "initial " : "", mode, number(-9, -1));
        put(&at, "    on ");
        put(&at, events[below(5)], number(0, 1));
        put(&at, " -> m%u { ", 1 - mode);
        put_jump(&at);
        put(&at, " }\n");
        if (below(2) == 0)
        {
            put(&at, "    when ");
            put(&at, events[below(5)], number(0, 1));
            put(&at, " { ");
            put_jump(&at);
            put(&at, " }\n");
        }
        put(&at, "  }\n");
    }
    put(&at, "  }\n}\nexperiment e of M { islands = one; stop = 60; record y, z every %g }\n", number(1, 20));
}

static void test_random_flights(void** state)
{
    (void)state;
    compare_random(put_flight, "flights");
}

// A converter: two ticks and an end of the current in each of 4000 periods. What the source has given is what is stored
// and what the load has used. A copy goes on as the run that it was taken of.
static void test_converter(void** state)
{
    (void)state;
    Seen s = run_all("model M {\n  state i = 0, v = 0, given = 0, used = 0\n"
                     "  event open = clock(10, 5), close = clock(10, 10)\n  given' = 12*i\n  used' = v^2/50\n"
                     "  modes {\n  initial mode on_ { i' = 12/20; v' = -v/(50*47)\n"
                     "    on open if i > 0 or v < 12 -> diode\n    on open -> rest }\n"
                     "  mode diode { i' = (12 - v)/20; v' = (i - v/50)/47\n"
                     "    on close -> on_\n    on down(i) -> rest { i := 0 } }\n"
                     "  mode rest { i' = 0; v' = -v/(50*47)\n    on close -> on_\n    on v < 12 -> diode }\n  }\n}\n"
                     "experiment e of M { stop = 40003; rtol = 1e-8; atol = 1e-10; record v every 7300 }\n",
                     none, true);
    assert_int_equal(s.status, KAI_END);
    assert_true(s.counters.instants > 11000 && 10 * s.calls < s.counters.instants);
    assert_true(fabs(s.x[2] - s.x[3] - 20 * s.x[0] * s.x[0] / 2 - 47 * s.x[1] * s.x[1] / 2) < 1e-5 * s.x[2]);
    assert_true(s.x[3] > 1000);
}

static void test_limits(void** state)
{
    (void)state;
    Seen s = run_all("model M { state x = 0; x' = 1; when up(x - 1) { x := 0 } }\nexperiment e of M { stop = 1000; "
                     "record x every 900 }\n",
                     (kaiLimits){.tags = 200}, false);
    assert_true(s.status < 0);
    assert_true(s.counters.tags >= 200 && s.counters.tags <= 202);
}

// Somebody asks for an end: the run stands still after a whole instant, and goes on.
static void test_interrupt(void** state)
{
    (void)state;
    volatile int flag = 0;
    kaiModel* model = load("model M { state x = 0; x' = 1; when up(x - 1) { x := 0 } }\nexperiment e of M { stop = "
                           "100; record x every 99 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.events = "off";
    options.interrupt = &flag;
    kaiSim* sim = create(model, &options);
    assert_int_equal(kaiSim_RunTo(sim, INFINITY, 1), KAI_INSTANT);
    flag = 1;
    assert_int_equal(kaiSim_RunTo(sim, INFINITY, 1000), KAI_INTERRUPTED);
    flag = 0;
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    assert_int_equal(kaiSim_Counters(sim).located, 100);
    assert_int_equal(kaiSim_RunTo(sim, INFINITY, 0), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_RunTo(NULL, 1, 1), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball),           cmocka_unit_test(test_bodies),
                                       cmocka_unit_test(test_random_flights), cmocka_unit_test(test_random_machines),
                                       cmocka_unit_test(test_converter),      cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_interrupt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
