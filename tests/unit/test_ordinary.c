// Instants that nobody looks at take a shorter way (src/kernel/plain.c). Whether somebody looks must not matter: the
// same bits, the same number of instants, tags and crossings as in a run that shows every tag; and the numbers of
// closed forms.
#include "unit/api_fixture.h"

typedef struct Seen
{
    kaiStatus status;
    int states;
    double x[8], n;  // n: the variable of this name, if there is one
    int64_t instants, tags, located[8], touches[8];
    char message[400];
} Seen;

static kaiStatus ignore(void* user, const kaiRow* row)
{
    (void)user, (void)row;
    return KAI_OK;
}

static void look_at_guards(const kaiSim* sim, Seen* seen)
{
    const char* text;
    kaiPlace place;
    for (int i = 0; i < 8 && kaiSim_GuardCount(sim, i, &seen->located[i], &seen->touches[i], &text, &place); i++)
        assert_true(strlen(text) > 0 && place.line > 0);
}

// All states of the model at its end, with rows of every tag or of none.
static Seen run(const kaiModel* model, bool shown, kaiLimits limits)
{
    Seen seen = {.states = kaiModel_StateCount(model)};
    int record[8];
    assert_true(seen.states <= 8);
    for (int i = 0; i < seen.states; i++)
        record[i] = kaiModel_StateVariable(model, i);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.events = shown ? "tags" : "off";
    options.record = record;
    options.record_count = seen.states;
    options.row = ignore;
    options.limits = limits;
    kaiSim* sim = create(model, &options);
    seen.status = kaiSim_Run(sim);
    kaiCounters counters = kaiSim_Counters(sim);
    seen.instants = counters.instants;
    seen.tags = counters.tags;
    for (int i = 0; i < seen.states; i++)
        if (!kaiSim_Get(sim, record[i], &seen.x[i]))
            seen.x[i] = 0;  // of a mode that is not active
    if (kaiModel_FindVariable(model, "n") >= 0)
        assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "n"), &seen.n));
    look_at_guards(sim, &seen);
    const kaiError* failure = kaiSim_Failure(sim);
    snprintf(seen.message, sizeof seen.message, "%s", failure->message != NULL ? failure->message : "");
    kaiSim_Free(sim);
    return seen;
}

static Seen run_both(const char* text, kaiLimits limits)
{
    kaiModel* model = load(text, "e");
    Seen shown = run(model, true, limits), blind = run(model, false, limits);
    assert_int_equal(shown.status, blind.status);
    if (memcmp(shown.x, blind.x, sizeof shown.x) != 0)
        fail_msg("%s: x[0] = %.17g where it is shown, %.17g where it is not", text, shown.x[0], blind.x[0]);
    assert_int_equal(shown.instants, blind.instants);
    assert_int_equal(shown.tags, blind.tags);
    assert_memory_equal(shown.located, blind.located, sizeof shown.located);
    assert_memory_equal(shown.touches, blind.touches, sizeof shown.touches);
    assert_string_equal(shown.message, blind.message);
    kaiModel_Free(model);
    return blind;
}

static const kaiLimits none = {0};

// Every fall takes sqrt(2/g), so bounce k is at (2k - 1) sqrt(2/g).
static void test_elastic(void** state)
{
    (void)state;
    Seen s = run_both("model M { state y = 1, v = 0; event hit = down(y); y' = v; v' = -9.81; when hit { v := -v } }\n"
                      "experiment e of M { stop = 100; expect count(hit) ~ 111 within 0 }\n",
                      none);
    double each = sqrt(2 / 9.81);
    int bounces = (int)floor((100 / each + 1) / 2);
    assert_int_equal(s.status, KAI_END);
    assert_int_equal(s.located[0], bounces);
    assert_int_equal(bounces, 111);
    assert_true(fabs(s.x[1] * s.x[1] / 2 + 9.81 * s.x[0] - 9.81) < 1e-7);  // energy
}

static const struct
{
    const char *what, *text;
    int64_t located, tags;  // of the first guard; of all instants behind the start, 0: not asked
    double last;            // what the last state comes to
} chains[] = {
    // x = t - n crosses 1 at 1, 2, …: the tag of the crossing, and the one that finds nothing more.
    {"a saw", "state x = 0; x' = 1; when up(x - 1) { x := 0 }", 9, 18, 0.5},
    // The reset is itself a crossing of another guard, whose reaction assigns.
    {"a chain", "state x = 0, n = 0; x' = 1; n' = 0; when up(x - 1) { x := 0 } when down(x - 0.5) { n := n + 1 }", 9, 0,
     9},
    // A reaction that changes no state counts m, and the second tag sees it.
    {"a count", "state x = 0; discrete n = 0; x' = 1; when up(x - n - 1) { n := n + 1 }", 9, 18, 9.5},
    // Nothing is assigned that differs: one tag.
    {"the same value", "state x = -0.1, k = 3; x' = cos(time*2*pi)*2*pi; k' = 0; when up(x) { k := 3 }", 10, 10, 3},
    // Ticks of a clock; two clocks, one of which ticks with the other; a tick that assigns what is there.
    {"a clock", "state x = 0, n = 0; x' = 1; n' = x*0; when up(x - 100) { n := 0 } when clock(1, 1) { n := n + 1 }", 0,
     18, 9},
    {"a clock of islands",
     "state x = 0, n = 0; x' = 1; n' = 0; when up(x - 100) { n := 0 } when clock(1, 1) { n := n + 1 }", 0, 18, 9},
    {"two clocks",
     "state x = 0, m = 0; x' = m*0; m' = 0; when clock(1, 1) { x := x + 1 } when clock(0.5, 0.5) { m := m + 1 }", 0, 38,
     19},
    {"two clocks of islands",
     "state x = 0, m = 0; x' = 0; m' = 0; when clock(1, 1) { x := x + 1 } when clock(0.5, 0.5) { m := m + 1 }", 0, 38,
     19},
    {"a clock in vain", "state k = 3; k' = 0; when clock(1, 1) { k := 3 }", 0, 9, 3},
    // A tick takes a state across the level of a guard, whose reaction assigns; together with a crossing.
    {"a clock that pushes",
     "state x = 0.5, n = 0; x' = 1; n' = 0; when down(x) { n := n + 1 } when clock(1, 1) { x := -0.5 }", 9, 0, 9},
    {"a clock and a crossing",
     "state x = 0, n = 0; x' = 1; n' = 0; when up(x - 2) { x := 0 } when clock(1, 1) { n := n + 1 }", 4, 0, 9},
    // A guard that reads the tick itself goes over its level with it, and back: at 3, 4, 5, 6, 7; at 7.5 for good.
    {"a clock that is read",
     "state x = 0, n = 0; event tick = clock(1, 1); x' = 1; n' = x*0;"
     " when up(x + (if present(tick) then 5 else 0) - 7.5) { n := n + 1 }",
     6, 0, 6},
    // The same with the event of another guard: at 3, 4, 5, 6, 7 and 7.5.
    {"a crossing that is read",
     "state x = 0, n = 0, s = 0; event e = up(s - 1); x' = 1; n' = x*0; s' = 1;"
     " when up(x + (if present(e) then 5 else 0) - 7.5) { n := n + 1 } when e { s := 0 }",
     6, 0, 0.5},
    // A tick moves a level: nothing jumps, and the crossing comes earlier.
    {"a clock that lowers",
     "state x = 0, h = 5; x' = 1; h' = 0; when up(x - h) { x := 0 } when clock(4, 4) { h := h - 1 }", 2, 0, 3},
    // Two guards of one state, one after the other.
    {"two levels", "state x = 0; x' = 1; when up(x - 1) { x := 0.1 } when up(x - 0.5) { x := x + 0.25 }", 14, 0, 0.4},
};

static Seen run_body(const char* what, const char* body)
{
    char text[600];
    snprintf(text, sizeof text, "model M { %s }\nexperiment e of M { stop = 9.5 }\n", body);
    Seen s = run_both(text, none);
    if (s.status != KAI_END)
        fail_msg("%s: %s", what, s.message);
    return s;
}

static void test_chains(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
    {
        Seen s = run_body(chains[i].what, chains[i].text);
        if (s.located[0] != chains[i].located)
            fail_msg("%s: %ld crossings", chains[i].what, (long)s.located[0]);
        if (chains[i].tags > 0 && s.tags - 1 != chains[i].tags)
            fail_msg("%s: %ld tags", chains[i].what, (long)s.tags);
        if (!(fabs(s.x[s.states - 1] - chains[i].last) < 1e-9))
            fail_msg("%s: it comes to %.17g", chains[i].what, s.x[s.states - 1]);
    }
}

// Modes: transitions by crossings, relations and clocks, with actions and resets on entry, one after the other at one
// instant, into a mode with a timer of its own, past a preemption. The last state counts, by closed forms.
static const struct
{
    const char *what, *text;
    double last;
} machines[] = {
    // z goes up and down between -1 and 1, 2 a way: there at 1, 3, 5, 7, 9.
    {"a triangle",
     "state z = 0, n = 0; n' = z*0; modes { initial mode up_ { z' = 1; on z > 1 -> down_ { n := n + 1 } }"
     " mode down_ { z' = -1; on z < -1 -> up_ { n := n + 1 } } }",
     5},
    {"crossings for relations",
     "state z = 0, n = 0; n' = z*0; modes { initial mode up_ { z' = 1; on up(z - 1) -> down_ { n := n + 1 } }"
     " mode down_ { z' = -1; on down(z + 1) -> up_ { n := n + 1 } } }",
     5},
    // A saw that a clock turns: each second z jumps to 0, in turns from 1 and from 2.
    {"a clock that switches",
     "state z = 0, n = 0; event tick = clock(1, 1); n' = z*0; modes {"
     " initial mode slow { z' = 1; on tick -> fast { n := n + z; z := 0 } }"
     " mode fast { z' = 2; on tick -> slow { n := n + z; z := 0 } } }",
     13},
    // What a mode declares begins anew each time: 0.5 s in a, 1 s in b, from 0 on; in b six times by 9.5 (at 0.5, 2, …,
    // 8).
    {"a state of a mode",
     "state n = 0; n' = 0; modes { initial mode a { state r = 0; r' = 1; on r > 0.5 -> b { n := n + 1 } }"
     " mode b { state s = 0; s' = 1; on s > 1 -> a } }",
     7},
    // Through two modes at one instant: b is left at the tag after it was entered.
    {"two transitions at once",
     "state z = 0, n = 0; n' = z*0; modes { initial mode a { z' = 1; on z > 1 -> b { z := 0 } }"
     " mode b { z' = 1; on z < 0.5 -> a { n := n + 1 } } }",
     9},
    // A mode with a timer is none of these sets; the run goes on from one to the other: at 8.2, and at 9.2 at once.
    {"a timer",
     "state z = 0, n = 0; n' = z*0; modes { initial mode a { z' = 1; on z > 1 -> b { z := 0 } }"
     " mode b { z' = 0; on time > 8.2 or z < -1 -> a { n := n + 1 } } }",
     2},
    // The reaction of a mode that is left by a preemption does not happen.
    {"a preemption",
     "state z = 0, n = 0; event top = up(z - 1); n' = z*0; modes {"
     " initial mode a { z' = 1; when top { n := n + 100 } preempt on top -> b { z := 0; n := n + 1 } }"
     " mode b { z' = 1; when top { z := 0; n := n + 10 } on n > 20 -> c } mode c { z' = 0 } }",
     21},
    // A machine within a mode, which goes on where the other leaves it.
    {"modes in modes",
     "state z = 0, n = 0; event tick = clock(1, 1); n' = z*0; modes {"
     " initial mode on_ { modes { initial mode p { z' = 1; on z > 0.75 -> q { n := n + 1 } }"
     " mode q { z' = -1 } } on tick -> off_ { z := 0 } }"
     " mode off_ { z' = 0; on tick -> on_ } }",
     5},
    // A relation outside of modes: kinks are latches too.
    {"a kink", "state z = -1, n = 0; z' = 1; n' = if z > 0 then 1 else 0; when up(z - 1) { z := -1 }", 4.5},
};

static void test_machines(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    {
        Seen s = run_body(machines[i].what, machines[i].text);
        if (!(fabs(s.n - machines[i].last) < 1e-9))
            fail_msg("%s: n comes to %.17g", machines[i].what, s.n);
    }
}

// Whoever asks between two instants finds every signal where the states are, though no reaction has computed it.
static void test_signals(void** state)
{
    (void)state;
    kaiModel* model = load("model M { state z = 0; discrete k = 1; signal s = k*z + 1, r = if z > 0 then s else -s;"
                           " modes { initial mode up_ { z' = 1; on z > 1 -> down_ { k := k + 1; z := 0.9 } }"
                           " mode down_ { z' = -1; on z < -1 -> up_ } } }\nexperiment e of M { stop = 20 }\n",
                           "e");
    int z = kaiModel_FindVariable(model, "z"), k = kaiModel_FindVariable(model, "k");
    int s = kaiModel_FindVariable(model, "s"), r = kaiModel_FindVariable(model, "r"), record[] = {z}, instants = 0;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.events = "off";
    options.record = record;
    options.record_count = 1;
    options.row = ignore;
    kaiSim* sim = create(model, &options);
    while (kaiSim_Step(sim) == KAI_INSTANT)
    {
        double at = NAN, number = NAN, signal = NAN, other = NAN;
        assert_true(kaiSim_Get(sim, z, &at) && kaiSim_Get(sim, k, &number) && kaiSim_Get(sim, s, &signal) &&
                    kaiSim_Get(sim, r, &other));
        assert_true(signal == number * at + 1);
        assert_true(fabs(at) < 1e-9 || other == (at > 0 ? signal : -signal));
        instants++;
    }
    // The start; the top at 1 + 3.9 n, 0 after another 0.9, the bottom after 1.9, 0 again after 2.9.
    assert_int_equal(instants, 21);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// ---- random machines: seen or not, the same bits

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

__attribute__((format(printf, 2, 3))) static void put(char** at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *at += vsprintf(*at, format, arguments);
    va_end(arguments);
}

static void put_transition(char** at, uint32_t mode, bool event)
{
    static const char* const events[] = {"tick", "beat", "up(x - %g)", "down(y - %g)", "cross(y + x - %g)"};
    static const char* const levels[] = {"x > %g", "y < %g", "x*y > %g", "n < %g and y > 0", "x - y > %g or y > 3"};
    put(at, "  on ");
    put(at, event ? events[below(5)] : levels[below(5)], number(-1, 2));
    put(at, " -> m%u { ", (mode + 1 + below(2)) % 3);
    for (uint32_t k = 0, count = below(3); k < count; k++)
        put(at, "%s := %g*%s + %g; ", k == 0 ? "y" : "n", number(-1, 0.9), below(2) ? "x" : "y", number(-1, 1));
    put(at, "}\n");
}

static void put_machine(char* at)
{
    put(&at, "model M {\n  state x = %g, y = %g\n  discrete n = 0\n", number(-1, 1), number(-1, 1));
    put(&at, "  event tick = clock(%g), beat = clock(%g, 0.1)\n", number(0.3, 1), number(0.3, 1));
    put(&at, "  x' = %g - %g*x + %s\n", number(-1, 1), number(0.1, 1), below(2) ? "sin(3*time)" : "0.5*y");
    if (below(2) == 0)
        put(&at, "  when up(x - %g) { x := %g*x }\n", number(0, 1), number(-0.9, 0.9));
    if (below(2) == 0)
        put(&at, "  when beat { x := %g*x + %g; n := n + 1 }\n", number(-0.9, 0.9), number(-1, 1));
    put(&at, "  modes {\n");
    for (uint32_t mode = 0; mode < 3; mode++)
    {
        put(&at, "  %smode m%u { y' = %g%s\n", mode == 0 ? "initial " : "", mode, number(-2, 2),
            below(2)   ? " - y"
            : below(2) ? " + (if x > 0.1 then 1 else 0)"
                       : "");
        for (uint32_t k = 0, count = 1 + below(2), first = below(2); k < count; k++)
            put_transition(&at, mode, k == first);
        if (below(3) == 0)
            put(&at, "  when down(y + %g) { y := y + 1; n := n - 1 }\n", number(0, 2));
        put(&at, "  }\n");
    }
    put(&at, "  }\n}\nexperiment e of M { stop = 8 }\n");
}

static void test_random_machines(void** state)
{
    (void)state;
    const char* wanted = getenv("KAIROS_MACHINES");
    int ended = 0, count = wanted != NULL ? atoi(wanted) : 300;
    for (int i = 0; i < count; i++)
    {
        char text[4000];
        drawn = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1);
        put_machine(text);
        ended += run_both(text, none).status == KAI_END;
    }
    print_message("%d of %d random machines came to their end\n", ended, count);
    assert_true(2 * ended > count);
}

// What goes wrong is told in the same words, at the same time.
static void test_failures(void** state)
{
    (void)state;
    static const struct
    {
        const char *text, *says;
    } list[] = {
        {"state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.8*v }",
         "the events accumulate at t = 4.0637127"},
        {"state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := 0 }", "and is pushed against it"},
        {"state x = 0, a = 1; x' = 1; a' = 0; when up(x - 1) { a := sqrt(a - 2) }",
         "the value for a is not a number at t = 1"},
        {"state x = 0; x' = 1; when up(x - 1) { x := 0 } when down(x - 0.5) { x := 2 }",
         "the reactions repeat themselves"},
        {"state x = 1; x' = if x > 0 then -1 else 1; when down(x) { x := x }", "both vector fields push"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    {
        char text[500];
        snprintf(text, sizeof text, "model M { %s }\nexperiment e of M { stop = 9.5 }\n", list[i].text);
        Seen s = run_both(text, none);
        assert_int_equal(s.status, KAI_ERR_RUN);
        if (strstr(s.message, list[i].says) == NULL)
            fail_msg("%s: %s", list[i].text, s.message);
    }
}

static void test_limits(void** state)
{
    (void)state;
    Seen s = run_both("model M { state x = 0; x' = 1; when up(x - 1) { x := 0 } }\nexperiment e of M { stop = 100 }\n",
                      (kaiLimits){.tags = 20});
    assert_true(s.status < 0);
    assert_true(strlen(s.message) > 10);
    assert_true(s.tags >= 20 && s.tags <= 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elastic),  cmocka_unit_test(test_chains),
                                       cmocka_unit_test(test_machines), cmocka_unit_test(test_random_machines),
                                       cmocka_unit_test(test_signals),  cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
