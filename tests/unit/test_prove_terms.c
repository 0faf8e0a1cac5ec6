// What formulas say of a model's words: two modes that lead to each other loop if and only if both guards can hold at
// once, which follows by hand for every function; events, entries and machines inside modes; two-ports of circuits.
#include "unit/prove_fixture.h"

static void loop(kaiAnswer expected, const char* there, const char* back)
{
    char text[600];
    snprintf(text, sizeof text,
             "model M { state x = 1, y = 1; x' = 1; y' = 1\n modes { initial mode a { on %s -> b } mode b { on %s -> a "
             "} } }\n",
             there, back);
    answers(expected, text, NULL);
}

static void functions_have_bounds(void** state)
{
    (void)state;
    loop(KAI_PROVED, "max(x, 1) < 0.5", "true");
    loop(KAI_REFUTED, "max(x, 1) <= 1", "x < 0");
    loop(KAI_PROVED, "min(x, 1) > 2", "true");
    loop(KAI_PROVED, "sign(x) > 0.5", "x < 0");
    loop(KAI_REFUTED, "sign(x) < 0", "x < -1");
    loop(KAI_PROVED, "abs(x) < 1", "x > 2");
    loop(KAI_PROVED, "exp(x) < 0", "true");
    loop(KAI_PROVED, "cosh(x) < 0", "true");
    loop(KAI_PROVED, "sin(x) > 2", "true");
    loop(KAI_PROVED, "tanh(x) < -1.5", "true");
}

static void powers_and_quotients(void** state)
{
    (void)state;
    loop(KAI_PROVED, "x^2 < 0", "true");
    loop(KAI_PROVED, "x^3 > 8", "x < 2");
    loop(KAI_REFUTED, "x^3 > 8", "x < 3");
    loop(KAI_PROVED, "x^0.5 > 2", "x < 3 and x > 0");
    loop(KAI_PROVED, "sqrt(x) < 0", "x > 0");
    loop(KAI_PROVED, "x^(-2) < 0", "x > 1");
    loop(KAI_PROVED, "1/x > 1", "x > 2");
    loop(KAI_REFUTED, "1/x > 1", "x > 0.25");
    loop(KAI_PROVED, "hypot(x, y) < 0", "true");
}

// A power that is no polynomial is open: it may be anything, so that nothing is proved by it and a witness must run.
static void what_is_open_is_said(void** state)
{
    (void)state;
    kaiProof* proof =
        ask("model M { state x = 1, y = 1; x' = 1; y' = 1\n modes { initial mode a { on x^y > 1000 -> b }\n"
            " mode b { on x < 0.001 and y < 0.001 and x > 0 and y > 0 -> a } } }\n",
            NULL, 20);
    assert_int_not_equal(kaiProof_Answer(proof), KAI_PROVED);
    kaiProof_Free(proof);
}

// While something holds there is a tag after the other (R5); a filter lets through what its condition lets.
static void events_and_conditions(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { discrete n = 0; state x = 0; x' = 1; event w = while(n > 0); when w { n := 3 - n } }", NULL);
    answers(KAI_PROVED,
            "model M { event ping; discrete k = 0; when k > 0 { emit ping(1) }; event some = ping and k > 3\n"
            " when some { emit ping(5); k := 0 } }",
            NULL);
    answers(KAI_REFUTED,
            "model M { event ping; discrete k = 0; when k > 0 { emit ping(5) }; event some = ping and k > 3\n"
            " when some { emit ping(5) } }",
            NULL);
}

// The mode of a machine in the guard of another reaction, and a start in any mode.
static void modes_are_asked_for(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { discrete n = 0; modes { initial mode a { on n > 0 -> b } mode b { on n < 0 -> a } }\n"
            " choose { when mode == a and n < 0 { n := 1 }; when mode == b and n > 0 { n := -1 } } }",
            NULL);
    answers(KAI_PROVED,
            "model M { discrete n = 0; modes { initial mode a { on n > 0 -> b } mode b { on n < 0 -> a } }\n"
            " choose { when mode == a and n < 0 { n := 1 }; when mode == b and n > 0 { n := 0 } } }",
            NULL);
}

// Every form of one impulse of weight -2 v: from v > 0 to v < 0 and back for ever, and once if the second is missing.
static void impulses_by_their_weights(void** state)
{
    (void)state;
    static const char* const forms[] = {
        "2*delta(kick, -pre(v))",
        "delta(kick, -4*pre(v))/2",
        "delta(kick, -pre(v)) - delta(kick, pre(v))",
        "delta(kick, -3*pre(v)) + delta(kick, pre(v))",
        "(if k > 0 then delta(kick, -2*pre(v)) else delta(kick, -2*pre(v)))",
        "-delta(kick, 2*pre(v))",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    {
        char text[400];
        snprintf(text, sizeof text,
                 "model M { event kick; discrete k = 1; state v = 0; v' = %s; choose { when v > 0 { emit kick }\n"
                 " when v < 0 { emit kick } } }",
                 forms[i]);
        answers(KAI_REFUTED, text, "pinnacles", NULL);
        snprintf(text, sizeof text,
                 "model M { event kick; discrete k = 1; state v = 0; v' = %s; when v > 0 { emit kick } }", forms[i]);
        answers(KAI_PROVED, text, NULL);
    }
}

// `entry` is present where the mode has just been entered, and not a tag later.
static void entries(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> b }\n"
            " mode b { when entry { x := 3 - x }; on x > 0 -> a } } }",
            NULL);
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> b }\n"
            " mode b { when entry { x := -1 }; on x > 5 -> a } } }",
            NULL);
}

// A machine inside a mode begins anew where the mode is entered, and goes on where it is resumed.
static void machines_inside_modes(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> b }\n"
            " mode b { modes { initial mode c { on x > 0 -> d } mode d { } }; on x > 0 -> a } } }",
            NULL);
    answers(KAI_REFUTED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> resume b }\n"
            " mode b { modes { initial mode c { on x > 0 -> d } mode d { on x > 1 -> c } }; on x > 0 -> a } } }",
            NULL);
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> b }\n"
            " mode b { discrete k = 0; modes { initial mode c { on x > 0 -> d { k := 1 } } mode d { } }\n"
            "   on x < 0 and k > 0 -> a } } }",
            NULL);
}

// ---- circuits

#define DIODE                                                                                                          \
    "s : J1 switched { initial mode off_ : OFF { on area(s.e) > 0 or area(s.e) == 0 and post(s.e) > 0 -> on_ }\n"      \
    "    mode on_ : ON { on area(s.f) < 0 or area(s.f) == 0 and post(s.f) < 0 -> off_ } }\n"

// One ideal diode behind a transformer or a gyrator: whatever the coil holds, it switches once.
static void two_ports(void** state)
{
    (void)state;
    answers(KAI_PROVED,
            "model M { u : Se(e = 1); t : TF(n = 2); l : I(i = 1); r : R(r = 1); j : J1\n  " DIODE
            "  bond u -> j -> t -> s; bond j -> l; bond s -> r }\n",
            NULL);
    answers(KAI_PROVED,
            "model M { u : Se(e = 1); g : GY(r = 2); c : C(c = 1); r : R(r = 1); j : J1\n  " DIODE
            "  bond u -> j -> g -> s; bond j -> r; bond s -> c }\n",
            NULL);
}

// A diode whose guards both hold at zero current and voltage goes back and forth.
static void a_diode_without_strictness(void** state)
{
    (void)state;
    answers(
        KAI_REFUTED,
        "model M { u : Se(e = 0); r : R(r = 1)\n"
        "  s : J1 switched { initial mode off_ : OFF { on post(s.e) >= 0 -> on_ } mode on_ : ON { on post(s.f) <= 0 "
        "-> off_ } }\n  bond u -> s -> r }\n",
        NULL);
}

// The same diode in a region without zero: the loop is not in it.
static void circuits_in_a_region(void** state)
{
    (void)state;
    static const char text[] =
        "model M { c : C(c = 1); r : R(r = 1)\n"
        "  s : J1 switched { initial mode off_ : OFF { on post(s.e) >= 0 -> on_ } mode on_ : ON { on post(s.f) <= 0 "
        "-> off_ } }\n  bond c -> s -> r }\nexperiment e of M { stop = 1%s }\n";
    char whole[500];
    snprintf(whole, sizeof whole, text, "");
    answers(KAI_REFUTED, whole, NULL);
    snprintf(whole, sizeof whole, text, "; region = c.q > 1");
    answers(KAI_PROVED, whole, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_bounds),
        cmocka_unit_test(powers_and_quotients),
        cmocka_unit_test(what_is_open_is_said),
        cmocka_unit_test(events_and_conditions),
        cmocka_unit_test(entries),
        cmocka_unit_test(machines_inside_modes),
        cmocka_unit_test(two_ports),
        cmocka_unit_test(a_diode_without_strictness),
        cmocka_unit_test(modes_are_asked_for),
        cmocka_unit_test(impulses_by_their_weights),
        cmocka_unit_test(circuits_in_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
