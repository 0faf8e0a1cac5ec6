// Questions of the service about texts with all kinds of names: completion where it depends on what stands before,
// outlines, hovers, edits that messages propose, proofs, runs with modes, settings and names that are gone.
#include "unit/service_fixture.h"

static const char plant[] =
    "import \"electrical.kai\"\n"
    "function twice(a) = 2*a\n"
    "model Cell \"a cell\" { param c [F] = 1 \"size\"; state q[i in 1..2] = 0; input event go; output event out = go\n"
    "  for i in 1..2 { q[i]' = c } }\n"
    "model Plant {\n"
    "  a : Cell; b : Cell[k in 1..2](c = k)\n"
    "  param g [m/s^2] = 9.81 \"gravity\", e = 0.8\n"
    "  state y [m] = 1, v [m/s] = 0; discrete n = 0\n"
    "  event hit = down(y)\n"
    "  signal s = twice(y)  // a comment { that does not count\n"
    "  n0 : J0; src : Se(e = 1); r : R(r = 1); bond src -> n0; bond n0 -> r\n"
    "  modes { initial mode falling { y' = v; v' = -g; when hit { v := -e*v; n := n + 1 } on n > 3 -> resting }\n"
    "          mode resting { y' = 0; v' = 0 } }\n"
    "}\n"
    "experiment bounce of Plant { stop = 1; solver = taylor; record y, v; plot y }\n";

// Completion at the first `|` of a text, which is left out.
static void complete(const char* text)
{
    static char without[5000], what[200];
    const char* at = strchr(text, '|');
    int line = 0, column = 0;
    for (const char* c = text; c < at; c++)
    {
        column = *c == '\n' ? 0 : column + 1;
        line += *c == '\n';
    }
    snprintf(without, sizeof without, "%.*s%s", (int)(at - text), text, at + 1);
    snprintf(what, sizeof what, "\"do\":\"complete\",\"position\":{\"line\":%d,\"character\":%d}", line, column);
    ask(what, without);
}

static const char* with_end(const char* end)
{
    static char text[5000];
    const char* base = plant;
    size_t brace = (size_t)(strstr(base, "}\nexperiment") - base);
    snprintf(text, sizeof text, "%.*s  %s\n%s", (int)brace, base, end, base + brace);
    return text;
}

static void test_complete(void** state)
{
    (void)state;
    complete(with_end("signal z = |"));
    has("\"label\":\"hit\"");
    has("\"label\":\"g\",\"kind\":21,\"detail\":\"param [m/s^2]\",\"documentation\":\"gravity\"");
    has("\"label\":\"twice\"");
    has("\"label\":\"sin\"");
    has("\"label\":\"falling\"");
    complete(with_end("signal z = a.|"));
    has("\"label\":\"c\"");
    has("\"label\":\"go\"");
    lacks("\"label\":\"hit\"");
    complete(with_end("signal z = b[1].|"));
    has("\"label\":\"out\"");
    complete(with_end("signal z = y.|"));
    assert_string_equal(answer, "{\"items\":[]}");
    complete(with_end("signal z = .|"));
    assert_string_equal(answer, "{\"items\":[]}");
    complete(with_end("signal z = tw|"));
    has("\"label\":\"twice\"");
    lacks("\"label\":\"sin\"");
    complete(with_end("// in a comment |"));
    assert_string_equal(answer, "{\"items\":[]}");
    complete("experiment x of M { solver = ta| }");
    has("\"label\":\"taylor\"");
    lacks("\"label\":\"rk45\"");
    complete("model M { }\nexperiment x of M { sto| }");
    has("\"label\":\"stop\"");
    complete("|");
    has("\"label\":\"model\"");
    ask("\"do\":\"words\"", "");
    has("{\"word\":\"model\",\"kind\":\"reserved\"}");
}

static void test_outline(void** state)
{
    (void)state;
    ask("\"do\":\"symbols\"", plant);
    has("\"name\":\"Cell\",\"detail\":\"model\",\"kind\":5");
    has("\"name\":\"twice\",\"detail\":\"function\",\"kind\":12");
    has("\"name\":\"bounce\",\"detail\":\"experiment\",\"kind\":6");
    has("\"name\":\"g\",\"detail\":\"param [m/s^2]\",\"kind\":14");
    has("\"name\":\"hit\",\"detail\":\"event\",\"kind\":24");
    has("\"name\":\"a\",\"detail\":\"instance\",\"kind\":19");
    has("\"name\":\"resting\",\"detail\":\"mode\",\"kind\":22");
    // A brace in a text or in a comment closes nothing.
    ask("\"do\":\"symbols\"", "model M \"}\" { // }\n  state x = 0; x' = 1\n}\nmodel N { }\n");
    has("\"name\":\"M\",\"detail\":\"model\",\"kind\":5,\"range\":{\"start\":{\"line\":0,\"character\":6},\"end\":{"
        "\"line\":2,\"character\":1}}");
    ask("\"do\":\"format\"", "model M {");
    has("a text with syntax errors has no layout");
}

static void hover(const char* word, const char* text)
{
    char what[100];
    const char *at = strstr(text, word), *line_start = at;
    int line = 0;
    for (const char* c = text; c < at; c++)
        line += *c == '\n';
    while (line_start > text && line_start[-1] != '\n')
        line_start--;
    snprintf(what, sizeof what, "\"do\":\"hover\",\"position\":{\"line\":%d,\"character\":%d}", line,
             (int)(at - line_start));
    ask(what, text);
}

static void test_hover(void** state)
{
    (void)state;
    hover("g [m/s^2]", plant);
    has("param g [m/s^2] = 9.81\\n```\\ngravity\\n\\nof model Plant");
    hover("bounce of", plant);
    has("experiment bounce of Plant");
    hover("y [m]", plant);
    has("state y [m] = 1 at the start");
    hover("go; output", plant);
    has("event input go");
    hover("a : Cell", plant);
    has("instance a : Cell");
    hover("down(y)", plant);
    has("down(");
    hover("stop = 1", plant);
    has("setting `stop`");
    hover("+ 1;", "model M { discrete n = 0; signal s = 1 + 1; }");
    has("null");
}

static void test_rename(void** state)
{
    (void)state;
    const char* text = plant;
    ask("\"do\":\"rename\",\"newName\":\"x\",\"position\":{\"line\":7,\"character\":0}", text);
    has("there is no name here that could be changed");
    ask("\"do\":\"rename\",\"newName\":\"when\",\"position\":{\"line\":7,\"character\":8}", text);
    has("`when` cannot be a name: letters, digits and _, no word of the language");
    ask("\"do\":\"rename\",\"newName\":\"9\",\"position\":{\"line\":7,\"character\":8}", text);
    has("cannot be a name");
    ask("\"do\":\"rename\",\"newName\":\"height\",\"position\":{\"line\":7,\"character\":8}", text);
    has("\"newText\":\"height\"");
}

static const char two_defined[] = "model M { signal s = 1; signal s = 2 }\n";

static void test_check(void** state)
{
    (void)state;
    ask("\"do\":\"check\"", two_defined);
    has("\"relatedInformation\":[{\"location\":");
    ask("\"do\":\"check\"", "import \"nowhere.kai\"\nmodel M { }\n");
    has("nowhere.kai");
    ask("\"do\":\"actions\",\"range\":{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":0,\"character\":5}}",
        "model M { stat x = 0; x' = 1 }\n");
    lacks("newText");
    ask("\"do\":\"actions\"", "model M { stat x = 0; x' = 1 }\n");
    has("\"newText\":\"state\"");
    kaiServiceOptions options = kaiDefaultServiceOptions();
    options.folder = "examples";
    ask_with(&options, "\"do\":\"check\",\"path\":\"ball/x.kai\"", "import \"model.kai\"\n");
    has("\"diagnostics\":[]");
    ask_with(&options, "\"do\":\"check\",\"path\":\"../x.kai\"", "model M { }");
    has("the path leads out of the folder");
    ask("\"do\":\"check\",\"path\":\"\"", "model M { }");
    has("the path leads out of the folder");
}

static void test_prove(void** state)
{
    (void)state;
    ask("\"do\":\"prove\"",
        "model M { state x = 0; x' = 1; when x >= 1 { x := 0 } }\nexperiment e of M { stop = 3 }\n");
    has("\"answer\":\"");
    has("\"text\":\"");
    ask("\"do\":\"prove\"", "model M { state x = gg }");
    has("\"error\":\"");
}

static void test_runs(void** state)
{
    (void)state;
    const char* text = plant;
    ask("\"do\":\"run\"", text);
    has("\"kind\":\"mode\",\"impulse\":0,\"modes\":[\"falling\",\"resting\"]");
    has("\"status\":\"end\"");
    // An experiment and a slider that are gone: the text is what counts.
    ask("\"do\":\"run\",\"experiment\":\"gone\",\"set\":{\"nothing\":3,\"g\":1}", text);
    has("\"experiment\":\"bounce\"");
    has("\"status\":\"end\"");
    ask("\"do\":\"run\",\"settings\":{\"stop\":\"0.25\"}", text);
    has("\"stop\":0.25");
    ask("\"do\":\"run\",\"panels\":[]",
        "model M { signal s = time, u = 2*time, w = 3, x = 4, z = 5 }\nexperiment e of M { stop = 1 }\n");
    has("\"signals\":[\"s\"]");
    ask("\"do\":\"run\"",
        "model M { state x = 1; x' = -1; assert x > 0.5 \"small\" }\nexperiment e of M { stop = 1 }\n");
    has("\"status\":\"failed\"");
    has("small");
    kaiServiceOptions options = kaiDefaultServiceOptions();
    options.limits.rows = 5;
    ask_with(&options, "\"do\":\"run\"", text);
    has("\"status\":\"limit\"");
    ask("\"do\":\"diagram\",\"kind\":\"modes\"", text);
    has("<svg");
    ask("\"do\":\"diagram\",\"kind\":\"unheard\",\"modes\":{\"mode\":\"resting\"}", text);
    has("`mode` has no modes");  // it is no junction
    ask("\"do\":\"diagram\"", "model M { state x = gg }");
    has("error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete), cmocka_unit_test(test_outline),
                                       cmocka_unit_test(test_hover),    cmocka_unit_test(test_rename),
                                       cmocka_unit_test(test_check),    cmocka_unit_test(test_prove),
                                       cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
