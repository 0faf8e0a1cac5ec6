// `kairos fmt`: canonical text, idempotent, the same tree, every comment kept; and mutations of the snippets, which
// must neither crash nor break these laws.
#include "ast_text.h"
#include "lang_fixture.h"
#include "snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char* format_text(Text* text, const char* source, size_t length)
{
    text_open(text, source, length);
    return format_source(&text->arena, &text->sources, 1, &text->diags);
}

static void expect_format(const char* source, const char* wanted)
{
    Text text;
    char* formatted = format_text(&text, source, strlen(source));
    assert_non_null(formatted);
    assert_string_equal(formatted, wanted);
    text_close(&text);
}

static const char* tree_of(Text* text, const char* source)
{
    text_parse(text, source, strlen(source));
    return ast_text(&text->arena, text->ast);
}

static int count_comments(const char* source)
{
    int count = 0;
    Text text;
    text_open(&text, source, strlen(source));
    bool string = false;
    for (const char* at = source; *at; at++)
    {
        if (string && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            string = !string;
        else if (*at == '\n' || *at == '\r')
            string = false;
        else if (!string && at[0] == '/' && at[1] == '/')
        {
            count++;
            at += strcspn(at, "\n\r") - 1;
        }
    }
    text_close(&text);
    return count;
}

static const char* trailing_blank(const char* text)
{
    while (*text)
    {
        size_t length = strcspn(text, "\n");
        if (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
            return text;
        text += length + (text[length] == '\n');
    }
    return NULL;
}

// The laws. False if the source has errors and so no format.
static bool check_laws(const char* source)
{
    Text first, second, before, after;
    char* once = format_text(&first, source, strlen(source));
    if (!once)
    {
        assert_true(first.diags.error_count > 0);
        text_close(&first);
        return false;
    }
    char* twice = format_text(&second, once, strlen(once));
    const char* tree = tree_of(&before, source);
    const char* tree_after = tree_of(&after, once);
    if (!twice || strcmp(once, twice) != 0 || strcmp(tree, tree_after) != 0 || trailing_blank(once))
        fprintf(stderr, "--- source\n%s\n--- once\n%s\n--- twice\n%s\n", source, once, twice ? twice : "(errors)");
    assert_string_equal(tree, tree_after);
    assert_non_null(twice);
    assert_string_equal(once, twice);
    assert_null(trailing_blank(once));
    assert_int_equal(count_comments(source), count_comments(once));
    text_close(&first);
    text_close(&second);
    text_close(&before);
    text_close(&after);
    return true;
}

static void test_laws_on_snippets(void** state)
{
    (void)state;
    for (int i = 0; i < SNIPPETS; i++)
        assert_true(check_laws(snippets[i]));
}

static void test_models_of_the_document_are_fixed_points(void** state)
{
    (void)state;
    expect_format(snippet_billiard, snippet_billiard);
    expect_format(snippet_cradle, snippet_cradle);
}

static const struct
{
    const char *source, *wanted;
} formats[] = {
    {"", ""},
    {"// c", "// c\n"},
    {"model M{x=1}", "model M { x = 1 }\n"},
    {"model M{\nx=1\n}", "model M {\n  x = 1\n}\n"},
    {"model M { x = 1;\n y = 2; }", "model M {\n  x = 1\n  y = 2\n}\n"},
    {"model M {\r\n  x = 1\r\n  y = 2\r\n}\r\n", "model M {\n  x = 1\n  y = 2\n}\n"},  // no blank lines between
    {"model M {\n\n\n  x = 1\n\n\n\n  y = 2\n\n}\n\n\nmodel N { }",
     "model M {\n  x = 1\n\n  y = 2\n}\n\nmodel N { }\n"},
    {"model M {\n x=1// c  \n// d\n y=2;// e\n// f\n}", "model M {\n  x = 1 // c\n  // d\n  y = 2 // e\n  // f\n}\n"},
    {"model M {\n x = a+b-c*d/e^ - f' . g\n}", NULL},
    {"model M {\n x = a+b-c*d / e^ - f' \n}", "model M {\n  x = a + b - c*d / e^-f'\n}\n"},
    {"model M {\n x = - ( - a ) and not(b)\n}", "model M {\n  x = -(-a) and not (b)\n}\n"},
    {"model M {\n x = f ( a,b ) + y [ 1 ] + 3 [m / s^ - 2] + [1,2]\n}",
     "model M {\n  x = f(a, b) + y[1] + 3[m/s^-2] + [1, 2]\n}\n"},
    {"model M {\n state x [ i in 1 .. N ][m]=0\n}", "model M {\n  state x[i in 1..N] [m] = 0\n}\n"},
    {"model M {\n state x[m]=0,  y\n}", "model M {\n  state x [m] = 0,  y\n}\n"},
    {"model M {\n b:Ball [i in 1..N] (x=1)\n}", "model M {\n  b : Ball[i in 1..N](x = 1)\n}\n"},
    {"model M {\n x = 1 +\n 2\n - 3\n}", "model M {\n  x = 1 +\n      2\n      - 3\n}\n"},
    {"model M\n{\n when a\n {\n  x:=1\n }\n}", "model M {\n  when a {\n    x := 1\n  }\n}\n"},
    {"model M {\n x = 1 // c\n ; y = 2\n}", "model M {\n  x = 1 // c\n  y = 2\n}\n"},
    {"model M { ; ; x = 1 }", "model M { x = 1 }\n"},
    {"model M { choose { when a { x := 1 }  when b { x := 2 } } }",
     "model M { choose { when a { x := 1 } when b { x := 2 } } }\n"},
    {"model M {\r\n\tx = 1\r\n}\r\n", "model M {\n  x = 1\n}\n"},
    {"experiment e of M{sweep p in(1,2);expect final(x)~2 within 1e-6}",
     "experiment e of M { sweep p in (1, 2); expect final(x) ~ 2 within 1e-6 }\n"},
    {"function f ( a,b )=a*b\nexternal g(x)=\"l:g\"\nimport \"a\"",
     "function f(a, b) = a*b\nexternal g(x) = \"l:g\"\nimport \"a\"\n"},
    {"model M { // c\n x = 1 }", "model M { // c\n  x = 1\n}\n"},
    {"model M {\n a : A(x = 1, // c\n  y = 2)\n}", "model M {\n  a : A(x = 1, // c\n      y = 2)\n}\n"},
};

static void test_format_table(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    {
        Text text;
        char* formatted = format_text(&text, formats[i].source, strlen(formats[i].source));
        if (!formats[i].wanted)
            assert_null(formatted);
        else
        {
            assert_non_null(formatted);
            assert_string_equal(formatted, formats[i].wanted);
            assert_true(check_laws(formats[i].source));
        }
        text_close(&text);
    }
}

static void test_long_lines_are_split(void** state)
{
    (void)state;
    expect_format("model M { param aaaaaaaaaaaaaaaaaaaaaaaa = 1; param bbbbbbbbbbbbbbbbbbbbbbbbbbb = 2; param "
                  "ccccccccccccccc = 3 }",
                  "model M {\n  param aaaaaaaaaaaaaaaaaaaaaaaa = 1\n  param bbbbbbbbbbbbbbbbbbbbbbbbbbb = 2\n"
                  "  param ccccccccccccccc = 3\n}\n");
}

// ---- mutations

static uint64_t random_next(uint64_t* seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static const char* const pieces[] = {
    " ",      "\n",     ";",    "{",        "}",     "(", ")", "[",      "]",   ",",     "=",   ":=", "'",      "..",
    "// c\n", "\n\n\n", "x",    "1",        "\"s\"", "-", "*", "/",      "if ", "mode ", "on ", "->", "model ", "\t",
    "  ",     "@",      "\xFF", "\xC3\xA9", "not ",  ".", ":", "state ", "\r",  "~",     "1e",  "\"", "\\"};

static size_t mutate(char* text, size_t length, size_t capacity, uint64_t* seed)
{
    size_t at = length ? random_next(seed) % length : 0;
    size_t span = random_next(seed) % 12;
    if (span > length - at)
        span = length - at;
    switch (random_next(seed) % 5)
    {
    case 0:  // cut out
        memmove(text + at, text + at + span, length - at - span);
        return length - span;
    case 1:  // cut off
        return random_next(seed) % 4 ? length : at;
    case 2:  // copy a piece to another place
        if (length + span > capacity)
            return length;
        {
            size_t to = random_next(seed) % (length + 1);
            char piece[16];
            memcpy(piece, text + at, span);
            memmove(text + to + span, text + to, length - to);
            memcpy(text + to, piece, span);
            return length + span;
        }
    default:  // insert
    {
        const char* piece = pieces[random_next(seed) % (sizeof pieces / sizeof *pieces)];
        size_t size = strlen(piece);
        if (length + size > capacity)
            return length;
        memmove(text + at + size, text + at, length - at);
        memcpy(text + at, piece, size);
        return length + size;
    }
    }
}

static void test_mutations(void** state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    int right = 0;
    for (int round = 0; round < 3000; round++)
    {
        const char* snippet = snippets[round % SNIPPETS];
        char text[8192];
        size_t length = strlen(snippet);
        memcpy(text, snippet, length);
        for (int i = 0; i <= round % 3; i++)
            length = mutate(text, length, sizeof text - 1, &seed);
        text[length] = '\0';
        right += check_laws(text);
        Text parsed;
        text_parse(&parsed, text, length);
        for (int i = 0; i < parsed.count; i++)
            assert_non_null(report_diagnostic(&parsed.arena, &parsed.sources, &parsed.published[i], i % 2, i % 3 * 20));
        text_close(&parsed);
    }
    assert_true(right > 200);
}

static void test_truncations_and_noise(void** state)
{
    (void)state;
    static const char signs[] = " \n{}()[]=':;,.+-*/\"\\aE1\0\xC3\xA9";
    uint64_t seed = 1;
    for (size_t i = 0; i < strlen(snippet_every); i += 3)
    {
        Text text;
        text_parse(&text, snippet_every, i);
        text_close(&text);
    }
    for (int round = 0; round < 200; round++)
    {
        char noise[3000];
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = round % 2 ? (char)(random_next(&seed) >> 32) : signs[random_next(&seed) % (sizeof signs - 1)];
        Text text;
        text_parse(&text, noise, sizeof noise);
        assert_true(text.diags.error_count > 0);
        for (int i = 0; i < text.count; i += 10)
            report_diagnostic(&text.arena, &text.sources, &text.published[i], true, 0);
        text_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_on_snippets), cmocka_unit_test(test_models_of_the_document_are_fixed_points),
        cmocka_unit_test(test_format_table),     cmocka_unit_test(test_long_lines_are_split),
        cmocka_unit_test(test_mutations),        cmocka_unit_test(test_truncations_and_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
