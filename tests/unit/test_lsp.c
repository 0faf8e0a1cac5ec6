// The language server without its transport: a session of an editor, message by message, what is no message, and the
// same session with an allocator that gives nothing once.
#include "kairos/kairos.h"
#include "unit/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char heard[100000];  // the messages since the last question, a line each
static size_t heard_size;
static kaiStatus sink_status;

static kaiStatus hear(void* user, const char* bytes, size_t size)
{
    (void)user;
    if (heard_size + size + 2 > sizeof heard)
        return KAI_ERR_IO;
    memcpy(heard + heard_size, bytes, size);
    heard_size += size;
    heard[heard_size++] = '\n';
    heard[heard_size] = 0;
    return sink_status;
}

static kaiLanguageServer* create(kaiAllocator allocator)
{
    kaiServiceOptions options = kaiDefaultServiceOptions();
    kaiSink sink = {hear, NULL};
    options.allocator = allocator;
    sink_status = KAI_OK;
    return kaiLanguageServer_Create(&options, &sink, NULL);
}

static kaiStatus tell(kaiLanguageServer* s, const char* message)
{
    heard_size = 0;
    heard[0] = 0;
    return kaiLanguageServer_Message(s, message, strlen(message));
}

#define TEXT "{\"uri\":\"file:///m%20odel.kai\",\"version\":3,\"text\":"
#define DOCUMENT "\"textDocument\":{\"uri\":\"file:///m%20odel.kai\"}"
#define AT ",\"position\":{\"line\":1,\"character\":10}"
static const char wrong[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":" TEXT
    "\"model Ball {\\n  state y = gg\\n}\\n\"}}}";
static const char right[] = "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{"
                            "\"uri\":\"file:///m%20odel.kai\",\"version\":4},\"contentChanges\":[{\"text\":\"x\"},"
                            "{\"text\":\"model Ball {\\n  state heigth = 1; heigth' = -heigth\\n}\\n\"}]}}";

// Every message of a session, and what its answer has; NULL: there is none.
static const struct
{
    const char *message, *has;
} session[] = {
    {"{\"id\":1,\"method\":\"textDocument/hover\"}",
     "\"code\":-32002,\"message\":\"the first request is `initialize`\""},
    {"{\"method\":\"textDocument/didOpen\"}", NULL},
    {"{\"id\":2,\"method\":\"initialize\",\"params\":{}}", "\"positionEncoding\":\"utf-16\""},
    {"{\"method\":\"initialized\"}", NULL},
    {wrong, "there is no `gg` in model Ball"},
    {"{\"id\":3,\"method\":\"textDocument/codeAction\",\"params\":{" DOCUMENT "}}", "\"result\":["},
    {right, "\"version\":4,\"diagnostics\":[]"},
    {"{\"method\":\"textDocument/didChange\",\"params\":{" DOCUMENT "}}", NULL},
    {"{\"method\":\"textDocument/didSave\",\"params\":{" DOCUMENT "}}", "publishDiagnostics"},
    {"{\"id\":4,\"method\":\"textDocument/hover\",\"params\":{" DOCUMENT AT "}}", "heigth"},
    {"{\"id\":5,\"method\":\"textDocument/completion\",\"params\":{" DOCUMENT AT "}}", "\"result\":["},
    {"{\"id\":6,\"method\":\"textDocument/definition\",\"params\":{" DOCUMENT AT "}}",
     "\"uri\":\"file:///m%20odel.kai\""},
    {"{\"id\":7,\"method\":\"textDocument/references\",\"params\":{" DOCUMENT AT "}}", "\"character\":20"},
    {"{\"id\":8,\"method\":\"textDocument/rename\",\"params\":{\"newName\":\"height\"," DOCUMENT AT "}}",
     "\"newText\":\"height\""},
    {"{\"id\":9,\"method\":\"textDocument/rename\",\"params\":{\"newName\":\"1\"," DOCUMENT AT "}}", "\"code\":-32803"},
    {"{\"id\":10,\"method\":\"textDocument/documentSymbol\",\"params\":{" DOCUMENT "}}", "\"name\":\"Ball\""},
    {"{\"id\":11,\"method\":\"textDocument/formatting\",\"params\":{" DOCUMENT "}}", "\"result\":["},
    {"{\"id\":12,\"method\":\"textDocument/hover\",\"params\":{\"textDocument\":{\"uri\":\"file:///other\"}}}",
     "\"code\":-32602,\"message\":\"this text is not open\""},
    {"{\"id\":13,\"method\":\"workspace/symbol\"}",
     "\"code\":-32601,\"message\":\"this server does not have that method\""},
    {"{\"id\":14", "\"code\":-32700"},
    {"{\"result\":1}", NULL},
    {"{\"method\":\"textDocument/didClose\",\"params\":{\"textDocument\":{\"uri\":\"file:///other\"}}}", NULL},
    {"{\"method\":\"textDocument/didClose\",\"params\":{" DOCUMENT "}}", "\"diagnostics\":[]"},
    {"{\"id\":15,\"method\":\"shutdown\"}", "\"id\":15,\"result\":null"},
};

static void test_session(void** state)
{
    (void)state;
    kaiLanguageServer* s = create(kaiDefaultAllocator());
    for (size_t i = 0; i < sizeof session / sizeof *session; i++)
    {
        assert_int_equal(tell(s, session[i].message), KAI_OK);
        assert_int_equal(kaiLanguageServer_Idle(s), KAI_OK);
        if (session[i].has == NULL ? heard[0] != 0 : strstr(heard, session[i].has) == NULL)
            fail_msg("%s: %s", session[i].message, heard);
    }
    assert_int_equal(tell(s, "{\"method\":\"exit\"}"), KAI_END);
    kaiLanguageServer_Free(s);
}

// The help of a message is part of it: most editors show nothing else.
static void test_help(void** state)
{
    (void)state;
    kaiLanguageServer* s = create(kaiDefaultAllocator());
    tell(s, "{\"id\":1,\"method\":\"initialize\"}");
    tell(s, "{\"method\":\"textDocument/"
            "didOpen\",\"params\":{\"textDocument\":{\"uri\":\"untitled:1\",\"text\":\"model M { state x = ; }\"}}}");
    assert_int_equal(kaiLanguageServer_Idle(s), KAI_OK);
    assert_non_null(strstr(heard, "an expression is missing before this\\nhelp: write the value behind `=`"));
    assert_int_equal(tell(s, "{\"method\":\"exit\"}"), KAI_INTERRUPTED);  // without shutdown
    sink_status = KAI_ERR_IO;
    assert_int_equal(tell(s, "{\"id\":1,\"method\":\"shutdown\"}"), KAI_ERR_IO);
    kaiLanguageServer_Free(s);
}

// ---- a folder of texts

static void write_text(const char* folder, const char* name, const char* text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

// A name that is declared in the text and used by files that are not open: the edit reaches into those of the folder,
// and below it if a folder is open. An open text counts as the editor has it, not as the disk has it.
static void rename_in(const char* folder, const char* root, bool deep)
{
    char message[1000];
    kaiLanguageServer* s = create(kaiDefaultAllocator());
    snprintf(message, sizeof message, "{\"id\":1,\"method\":\"initialize\",\"params\":{%s}}", root);
    assert_int_equal(tell(s, message), KAI_OK);
    static const char* const texts[] = {"model Part { param size = 2; state q = 1; q' = -q*size }",
                                        "import \\\"part.kai\\\"\\nmodel C { p : Part(size = 5) }"};
    static const char* const names[] = {"p%61rt.kai", "c%2Ekai"};
    for (int i = 0; i < 2; i++)
    {
        snprintf(message, sizeof message,
                 "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file://%s/"
                 "%s\",\"text\":\"%s\"}}}",
                 folder, names[i], texts[i]);
        assert_int_equal(tell(s, message), KAI_OK);
    }
    snprintf(message, sizeof message,
             "{\"id\":2,\"method\":\"textDocument/rename\",\"params\":{\"newName\":\"width\",\"textDocument\":{\"uri\":"
             "\"file://%s/p%%61rt.kai\"},\"position\":{\"line\":0,\"character\":20}}}",
             folder);
    assert_int_equal(tell(s, message), KAI_OK);
    if (strstr(heard, "/part.kai") == NULL || strstr(heard, "/a.kai") == NULL || strstr(heard, "/c.kai") == NULL)
        fail_msg("%s", heard);
    assert_int_equal(strstr(heard, "/below/b.kai") != NULL, deep);
    assert_null(strstr(heard, "other.txt"));
    kaiLanguageServer_Free(s);
}

static void test_folder(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-unit-XXXXXX", below[60], command[60], root[200];
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/below", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    write_text(folder, "part.kai", "model Part { param size = 2; state q = 1; q' = -q*size }");
    write_text(folder, "a.kai", "import \"part.kai\"\nmodel A { p : Part(size = 3) }\n");
    write_text(folder, "c.kai", "an old text");
    write_text(folder, "other.txt", "import \"part.kai\"\nmodel A { p : Part(size = 3) }\n");
    write_text(below, "b.kai", "import \"../part.kai\"\nmodel B { p : Part(size = 4) }\n");
    rename_in(folder, "", false);
    snprintf(root, sizeof root, "\"workspaceFolders\":[{\"uri\":\"file://%s\"}]", folder);
    rename_in(folder, root, true);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// ---- memory

static kaiStatus go_through(kaiAllocator allocator)
{
    kaiStatus first = KAI_OK;
    kaiLanguageServer* s = create(allocator);
    if (s == NULL)
        return KAI_ERR_MEMORY;
    for (size_t i = 0; i < sizeof session / sizeof *session; i++)
    {
        kaiStatus status = tell(s, session[i].message), idle = kaiLanguageServer_Idle(s);
        first = first == KAI_OK ? (status != KAI_OK ? status : idle) : first;
    }
    kaiLanguageServer_Free(s);
    return first;
}

// A message is lost, the next ones are not.
static void test_memory(void** state)
{
    (void)state;
    Heap all = {.fail_at = -1};
    assert_int_equal(go_through((kaiAllocator){heap_alloc, &all}), KAI_OK);
    long stride = 1 + all.calls / 150;
    for (long n = 0; n < all.calls; n += n < 40 ? 1 : stride)
    {
        Heap heap = {.fail_at = n};
        kaiStatus status = go_through((kaiAllocator){heap_alloc, &heap});
        assert_true(status == KAI_ERR_MEMORY || status == KAI_OK);
        assert_int_equal(heap.live, 0);
    }
}

static void test_misuse(void** state)
{
    (void)state;
    kaiServiceOptions options = kaiDefaultServiceOptions();
    kaiSink sink = {hear, NULL};
    kaiError error;
    assert_null(kaiLanguageServer_Create(&options, NULL, &error));
    assert_string_equal(error.message, "a language server needs somewhere to send its messages");
    assert_null(kaiLanguageServer_Create(NULL, &sink, &error));
    assert_int_equal(kaiLanguageServer_Message(NULL, "", 0), KAI_ERR_USAGE);
    assert_int_equal(kaiLanguageServer_Idle(NULL), KAI_ERR_USAGE);
    kaiLanguageServer_Free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_session), cmocka_unit_test(test_help),
                                       cmocka_unit_test(test_folder), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
