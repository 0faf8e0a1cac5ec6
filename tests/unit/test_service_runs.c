// Questions of the service that need more than one run or more than one text: sweeps, every order of a choice, long
// runs, names that are used in another file; and questions that are none.
#include "unit/service_fixture.h"

// ---- families

static const char orders[] =
    "model M { discrete a = 0, b = 0, order = 0\n"
    "  choose { when time >= 1 and a == 0 { a := 1; order := 10*order + 1 }\n"
    "           when time >= 1 and b == 0 { b := 1; order := 10*order + 2 } } }\n"
    "experiment e of M { stop = 2; choice = all; plot order; expect final(order) ~ 12 within 0 }\n";

// Two outcomes, 12 and 21: the first keeps what is expected, the second does not.
static void test_choices(void** state)
{
    (void)state;
    ask("\"do\":\"run\"", orders);
    has("\"points\":2,\"more\":false");
    has("\"passed\":true");
    has("\"passed\":false");
    ask("\"do\":\"instant\",\"t\":1,\"member\":0", orders);
    has("\"name\":\"order\"");
    has("[0,0,1,12]");
    ask("\"do\":\"instant\",\"t\":1,\"member\":1", orders);
    has("[0,0,2,21]");
    ask("\"do\":\"instant\",\"t\":1,\"member\":2", orders);
    has("there is no such run");
    ask("\"do\":\"figure\",\"member\":1", orders);
    has("\"bytes\":\"");
    ask("\"do\":\"result\",\"member\":7", orders);
    has("there is no such run");
}

// More outcomes than are shown: said, not hidden.
static void test_many_choices(void** state)
{
    (void)state;
    ask("\"do\":\"run\"", "model M { param n = 0; discrete k = 0, code = 0; event t = clock(1, 1)\n"
                          "  choose { when t { code := 2*code } when t { code := 2*code + 1 } } }\n"
                          "experiment e of M { stop = 8.5; choice = all; plot code }\n");
    has("\"more\":true");
}

static const char swept[] = "model M { param k = 1; state x = 1; x' = -k*x }\n"
                            "experiment e of M { stop = 1; plot x; sweep k in (1, 2, 3) }\n"
                            "model N { param n = 1; state x[i in 1..n] = 1; for i in 1..n { x[i]' = -1 } }\n"
                            "experiment sized of N { stop = 1; sweep n in (1, 2) }\n";

static void test_sweep(void** state)
{
    (void)state;
    ask("\"do\":\"run\",\"experiment\":\"e\"", swept);
    has("\"points\":3");
    has("k = 1");
    has("k = 3");
    ask("\"do\":\"instant\",\"experiment\":\"e\",\"t\":1,\"member\":2", swept);
    has("0.0497870");                                       // exp(-3)
    ask("\"do\":\"run\",\"experiment\":\"sized\"", swept);  // the others have other variables
    has("\"points\":2");
    lacks("n = 2");
}

// ---- long runs

// More steps than stretches: neighbours are joined, and the steps of all stretches are those of the run.
static void test_limits(void** state)
{
    (void)state;
    ask("\"do\":\"explain\",\"experiment\":\"e\"",
        "model M { state x = 1, v = 0, slow = 0; x' = v; v' = -1e4*x; slow' = 1 - slow }\n"
        "experiment e of M { stop = 20; solver = rk45 }\n");
    const char* limits = strstr(answer, "\"limits\":[");
    assert_non_null(limits);
    long steps = 0, stretches = 0, fast = 0, other = 0;
    for (const char* at = limits; (at = strstr(at, "\"steps\":")) != NULL; at++)
    {
        steps += atol(at + 8);
        stretches++;
        const char* state_of = strstr(at, "\"state\":\"");
        other += state_of != NULL && strncmp(state_of, "\"state\":\"slow", 13) == 0;
        fast += state_of != NULL &&
                (strncmp(state_of, "\"state\":\"x\"", 11) == 0 || strncmp(state_of, "\"state\":\"v\"", 11) == 0);
    }
    assert_true(stretches > 120 && stretches <= 240);
    assert_true(steps > 1000);
    assert_true(fast > stretches - stretches / 10);
    assert_true(other < stretches / 10);  // what is slow keeps no step short
}

// ---- texts beside the text

static const char* const beside =
    "\"others\":[{\"path\":\"part.kai\",\"text\":\"model Part { param size = 2; state q = size;"
    " q' = -q }\"},{\"path\":\"../out.kai\",\"text\":\"model Out {}\"}]";
static const char uses[] = "import \"part.kai\"\nmodel M { a : Part(size = 3); signal s = a.q }\n"
                           "experiment e of M { stop = 1; plot s }\n";

static void test_others(void** state)
{
    (void)state;
    char what[1000];
    snprintf(what, sizeof what, "\"do\":\"check\",%s", beside);
    ask(what, uses);
    has("{\"diagnostics\":[]}");
    snprintf(what, sizeof what, "\"do\":\"rename\",\"newName\":\"width\",\"position\":{\"line\":1,\"character\":22},%s",
             beside);
    ask(what, uses);
    has("part.kai");
    has("\"newText\":\"width\"");
    ask("\"do\":\"check\"", uses);  // without it there is no such file
    has("part.kai");
    lacks("{\"diagnostics\":[]}");
    ask("\"do\":\"rename\",\"newName\":\"Ohm\",\"position\":{\"line\":1,\"character\":16}",
        "import \"electrical.kai\"\nmodel M { r : Resistor(R = 1); g : Ground; connect r.a, g.a; connect r.b, g.a }\n");
    has("`Resistor` is declared in ");
    has("which is not open here");
}

static void test_layout(void** state)
{
    (void)state;
    ask("\"do\":\"format\"", "model   M{state x=1;x'=-x}\n");
    has("\"newText\":\"model M { state x = 1; x' = -x }\\n\"");
    has("\"start\":{\"line\":0,\"character\":0}");
    ask("\"do\":\"format\"", "model M { state x = 1; x' = -x }\n");
    has("\"edits\":[]");
    ask("\"do\":\"format\"", "model M { state\n");
    has("a text with syntax errors has no layout");
}

static void test_modes(void** state)
{
    (void)state;
    ask("\"do\":\"instant\",\"t\":0.5",
        "model M { state x = 0; x' = 1; modes { initial mode low { on x >= 0.5 -> high } mode high {} } }\n"
        "experiment e of M { stop = 1 }\n");
    has("[\"low\",\"low\",\"high\"]");
}

// ---- no questions

static void raw(const char* question, const char* words)
{
    kaiServiceOptions options = kaiDefaultServiceOptions();
    kaiSink sink = {take, NULL};
    answer_size = 0;
    answer[0] = 0;
    assert_int_equal(kaiService_Answer(&options, question, strlen(question), NULL, &sink), KAI_OK);
    has(words);
}

static void test_no_questions(void** state)
{
    (void)state;
    raw("{\"do\":", "the question is not JSON: ");
    raw("{\"do\":\"check\"}", "the question has no `text`");
    raw("{\"do\":\"prove\",\"text\":\"model M {\"}", "\"error\":");
    raw("{\"do\":\"check\",\"text\":\"model \\u004D { state \\u0078 = 1; x' = -x } \\u002F\\u002f \\uD83D\\uDE00 "
        "\\uD83Dx\"}",
        "{\"diagnostics\":[]}");
    raw("{\"do\":\"check\",\"text\":\"\\u12G4\"}", "the question is not JSON: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices), cmocka_unit_test(test_many_choices), cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_others),       cmocka_unit_test(test_layout),
        cmocka_unit_test(test_modes),   cmocka_unit_test(test_no_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
