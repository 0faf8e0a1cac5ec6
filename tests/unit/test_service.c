// JSON in and out, and every question of the service with an allocator that gives nothing once.
#include "kairos/kairos.h"
#include "service/json.h"
#include "unit/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// ---- JSON

typedef struct Page
{
    Arena arena;
    jmp_buf fail;
} Page;

static void page_open(Page* page)
{
    arena_init(&page->arena, kaiDefaultAllocator(), &page->fail);
}

static void expect_same(Page* page, const char* text, const char* written)
{
    const char* trouble;
    const Json* value = json_read(&page->arena, text, strlen(text), &trouble);
    assert_non_null(value);
    JsonWriter w = {.arena = &page->arena};
    json_put_value(&w, NULL, value);
    assert_int_equal(w.text.count, strlen(written));
    assert_memory_equal(w.text.at, written, w.text.count);
}

static void test_json(void** state)
{
    (void)state;
    Page page;
    page_open(&page);
    expect_same(&page, " { } ", "{}");
    expect_same(&page, "[1, -2.5e3 ,true,false,null,\"a\"]", "[1,-2500,true,false,null,\"a\"]");
    expect_same(&page, "{\"a\":{\"b\":[[],{}]}}", "{\"a\":{\"b\":[[],{}]}}");
    expect_same(&page, "\"\\u00e4\\ud83c\\udfc0\\n\\\"\\\\\\/\"", "\"\xC3\xA4\xF0\x9F\x8F\x80\\n\\\"\\\\/\"");
    expect_same(&page, "\"\\u0000\\ud800x\"", "\"\xEF\xBF\xBD\xEF\xBF\xBDx\"");
    expect_same(&page, "\"\xff\"", "\"\xEF\xBF\xBD\"");
    static const char* const wrong[] = {"",     "{",    "[1,", "\"a",     "{\"a\"}", "{\"a\":}",  "[1 2]",  "nul",
                                        "1 2",  "0x10", "inf", "nan",     "\"\\x\"", "\"\\u12\"", "\"\n\"", "{a:1}",
                                        "[1,]", "\"\\", "--1", "\"\\u\"", "]",       "'a'",       "tru",    ","};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        const char* trouble = NULL;
        assert_null(json_read(&page.arena, wrong[i], strlen(wrong[i]), &trouble));
        assert_non_null(trouble);
    }
    char deep[10000];
    const char* trouble;
    memset(deep, '[', sizeof deep);
    assert_null(json_read(&page.arena, deep, sizeof deep, &trouble));
    arena_free(&page.arena);
}

// ---- questions

static const char ball[] =
    "model Ball \\\"bounces\\\" {\\n  param g [m/s^2] = 9.81, e = 0.8\\n  state y [m] = 1, v [m/s] = 0\\n"
    "  event hit = down(y)\\n  y' = v; v' = -%s\\n  when hit { v := -e*v }\\n}\\n"
    "experiment bounce of Ball { stop = 1[s]; plot y; expect count(hit) ~ 1 within 0 }\\n";

typedef struct Answer
{
    char text[200000];
    size_t length;
} Answer;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Answer* a = user;
    if (a->length + size >= sizeof a->text)
        return KAI_ERR_IO;
    memcpy(a->text + a->length, bytes, size);
    a->length += size;
    a->text[a->length] = 0;
    return KAI_OK;
}

static kaiStatus ask(kaiAllocator allocator, const char* what, const char* gravity, Answer* answer)
{
    char text[1000], question[2000];
    kaiServiceOptions options = kaiDefaultServiceOptions();
    kaiSink sink = {keep, answer};
    answer->length = 0;
    options.allocator = allocator;
    snprintf(text, sizeof text, ball, gravity);
    snprintf(question, sizeof question, "{%s,\"path\":\"ball.kai\",\"text\":\"%s\"}", what, text);
    return kaiService_Answer(&options, question, strlen(question), NULL, &sink);
}

static const struct
{
    const char *question, *gravity, *has;
} cases[] = {
    {"\"do\":\"check\"", "g", "{\"diagnostics\":[]}"},
    {"\"do\":\"check\"", "gg", "did you mean `g`?"},
    {"\"do\":\"actions\"", "gg", "\"newText\":\"g\""},
    {"\"do\":\"complete\",\"position\":{\"line\":4,\"character\":17}", "g", "\"label\":\"g\""},
    {"\"do\":\"hover\",\"position\":{\"line\":4,\"character\":17}", "g", "9.81"},
    {"\"do\":\"definition\",\"position\":{\"line\":4,\"character\":17}", "g", "\"line\":1,\"character\":8"},
    {"\"do\":\"references\",\"position\":{\"line\":4,\"character\":17}", "g", "\"line\":4,\"character\":16"},
    {"\"do\":\"rename\",\"newName\":\"G\",\"position\":{\"line\":4,\"character\":17}", "g", "\"newText\":\"G\""},
    {"\"do\":\"rename\",\"newName\":\"v\",\"position\":{\"line\":4,\"character\":17}", "g", "is taken"},
    {"\"do\":\"symbols\"", "g", "\"name\":\"bounce\""},
    {"\"do\":\"format\"", "g", "\"edits\":["},
    {"\"do\":\"run\"", "g", "\"passed\":true"},
    {"\"do\":\"run\",\"set\":{\"g\":0.1}", "g", "\"passed\":false"},
    {"\"do\":\"run\",\"panels\":[{\"signals\":[\"y\",\"v\",\"none\"],\"against\":\"v\"}]", "g", "\"against\":\"v\""},
    {"\"do\":\"run\"", "gg", "did you mean `g`?"},
    {"\"do\":\"instant\",\"t\":0.4", "g", "\"tags\":[[-1,0],[0,0],[1,0]]"},
    {"\"do\":\"instant\",\"t\":0.4", "g", "\"line\":5,\"character\":2"},
    {"\"do\":\"diagram\",\"kind\":\"blocks\"", "g", "svg"},
    {"\"do\":\"explain\"", "g", "\"report\":{"},
    {"\"do\":\"figure\"", "g", "\"bytes\":\"PD94bWw"},
    {"\"do\":\"result\"", "g", "\"bytes\":\"dCxwLG0s"},
    {"\"do\":\"result\",\"format\":\"npy\"", "g", "\"bytes\":\"k05VTVB"},
    {"\"do\":\"result\",\"format\":\"../x\"", "g", "no such format"},
    {"\"do\":\"settings\"", "g", "\"ending\":\"csv\""},
    {"\"do\":\"nothing\"", "g", "\"error\":"},
};

static void test_questions(void** state)
{
    (void)state;
    static Answer answer;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        assert_int_equal(ask(kaiDefaultAllocator(), cases[i].question, cases[i].gravity, &answer), KAI_OK);
        if (strstr(answer.text, cases[i].has) == NULL)
            fail_msg("%s: %s", cases[i].question, answer.text);
    }
}

static void test_scarce(void** state)
{
    (void)state;
    static Answer answer;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        Heap all = {.fail_at = -1};
        ask((kaiAllocator){heap_alloc, &all}, cases[i].question, cases[i].gravity, &answer);
        assert_int_equal(all.live, 0);
        long stride = 1 + all.calls / 40;
        for (long at = 0; at < all.calls; at += stride)
        {
            Heap heap = {.fail_at = at};
            kaiStatus status = ask((kaiAllocator){heap_alloc, &heap}, cases[i].question, cases[i].gravity, &answer);
            assert_true(status == KAI_OK || status == KAI_ERR_MEMORY);
            assert_int_equal(heap.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_scarce),
    };
    return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}
