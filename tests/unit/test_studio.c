// The server of the studio over a socket: who may ask, what a folder shows and what it hides, texts that are replaced
// as a whole or not at all, questions about models, and runs that are looked at and stopped.
#include "kairos/studio.h"
#include "unit/heap.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kairos-studio-XXXXXX";
static kaiStudio* studio;
static int port;
static char token[40];

typedef struct Reply
{
    int status;
    char* text;  // all of it, to be freed
} Reply;

// Sends bytes as they are and reads until the server has no more.
static Reply talk(const char* bytes, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s, (struct sockaddr*)&to, sizeof to), 0);
    for (size_t at = 0; at < size;)
    {
        ssize_t put = send(s, bytes + at, size - at, MSG_NOSIGNAL);
        if (put <= 0)
            break;
        at += (size_t)put;
    }
    shutdown(s, SHUT_WR);
    size_t room = 1 << 16, used = 0;
    char* text = malloc(room);
    for (ssize_t got; (got = recv(s, text + used, room - used - 1, 0)) > 0;)
    {
        used += (size_t)got;
        if (used + 2 > room)
            text = realloc(text, room *= 2);
    }
    text[used] = 0;
    close(s);
    Reply r = {0, text};
    sscanf(text, "HTTP/1.1 %d", &r.status);
    return r;
}

static Reply request(const char* method, const char* path, const char* headers, const char* body)
{
    char* text = malloc(strlen(body) + 2000);
    int size = sprintf(text, "%s %s HTTP/1.1\r\nConnection: close\r\n%s", method, path, headers);
    if (strcmp(method, "POST") == 0)
        size += sprintf(text + size, "Content-Length: %zu\r\n", strlen(body));
    size += sprintf(text + size, "\r\n%s", body);
    Reply r = talk(text, (size_t)size);
    free(text);
    return r;
}

static char* host_line(void)
{
    static char line[100];
    snprintf(line, sizeof line, "Host: 127.0.0.1:%d\r\n", port);
    return line;
}

// The answer to a question, to be freed.
static char* ask(const char* body)
{
    char path[60], headers[200];
    snprintf(path, sizeof path, "/%s/ask", token);
    snprintf(headers, sizeof headers, "%sContent-Type: application/json\r\n", host_line());
    Reply r = request("POST", path, headers, body);
    if (r.status != 200)
        print_message("%s: %s\n", body, r.text);
    assert_int_equal(r.status, 200);
    char* answer = strdup(strstr(r.text, "\r\n\r\n") + 4);
    free(r.text);
    return answer;
}

static void says(const char* body, const char* words)
{
    char* answer = ask(body);
    if (strstr(answer, words) == NULL)
        print_message("%s: %s instead of %s\n", body, answer, words);
    assert_non_null(strstr(answer, words));
    free(answer);
}

static void status_is(const char* method, const char* path, const char* headers, const char* body, int status)
{
    Reply r = request(method, path, headers, body);
    if (r.status != status)
        print_message("%s %s: %s\n", method, path, r.text);
    assert_int_equal(r.status, status);
    free(r.text);
}

static void put_file(const char* name, const char* text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

// ---- who may ask

static void test_guard(void** state)
{
    (void)state;
    char page[60], wrong[60], ask_path[60], headers[300];
    snprintf(page, sizeof page, "/%s/", token);
    snprintf(ask_path, sizeof ask_path, "/%s/ask", token);
    snprintf(wrong, sizeof wrong, "/%.31s%c/", token, token[31] == '0' ? '1' : '0');
    status_is("GET", page, host_line(), "", 200);
    status_is("GET", wrong, host_line(), "", 403);
    status_is("GET", "/", host_line(), "", 403);
    status_is("GET", page, "Host: elsewhere.org\r\n", "", 403);
    snprintf(headers, sizeof headers, "Host: localhost:%d\r\n", port);
    status_is("GET", page, headers, "", 200);
    snprintf(headers, sizeof headers, "%sOrigin: http://evil.org\r\n", host_line());
    status_is("GET", page, headers, "", 403);
    snprintf(headers, sizeof headers, "%sOrigin: http://127.0.0.1:%d\r\n", host_line(), port);
    status_is("GET", page, headers, "", 200);
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: cross-site\r\n", host_line());
    status_is("GET", page, headers, "", 403);
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: none\r\n", host_line());
    status_is("GET", page, headers, "", 200);
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: none\r\nContent-Type: application/json\r\n", host_line());
    status_is("POST", ask_path, headers, "{}", 403);
    status_is("POST", page, host_line(), "", 405);
    status_is("POST", ask_path, host_line(), "{}", 400);  // no application/json
    snprintf(headers, sizeof headers, "%sContent-Type: application/json\r\n", host_line());
    status_is("POST", ask_path, headers, "{", 400);
    snprintf(headers, sizeof headers, "GET /%s/none.js HTTP/1.1\r\nConnection: close\r\n%s\r\n", token, host_line());
    Reply r = talk(headers, strlen(headers));
    assert_int_equal(r.status, 404);
    assert_non_null(strstr(r.text, "frame-ancestors 'none'"));
    free(r.text);
}

static void test_too_large(void** state)
{
    (void)state;
    char text[400];
    int size = snprintf(text, sizeof text,
                        "POST /%s/ask HTTP/1.1\r\nConnection: close\r\n%sContent-Type: application/json\r\n"
                        "Content-Length: 1000000000\r\n\r\n{",
                        token, host_line());
    Reply r = talk(text, (size_t)size);
    assert_int_equal(r.status, 413);
    free(r.text);
    size = snprintf(text, sizeof text,
                    "POST /%s/ask HTTP/1.1\r\nConnection: close\r\n%sContent-Type: application/json\r\n"
                    "Content-Length: 100\r\n\r\n{",
                    token, host_line());
    r = talk(text, (size_t)size);  // cut off
    assert_int_equal(r.status, 400);
    assert_non_null(strstr(r.text, "this request cannot be read: it is too large or cut off"));
    free(r.text);
}

static void test_pages(void** state)
{
    (void)state;
    char path[60];
    snprintf(path, sizeof path, "/%s/a.js", token);
    Reply r = request("GET", path, host_line(), "");
    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.text, "Content-Type: text/javascript"));
    assert_string_equal(strstr(r.text, "\r\n\r\n") + 4, "let a = 1");
    free(r.text);
    snprintf(path, sizeof path, "/%s/engine.json", token);
    r = request("GET", path, host_line(), "");  // `make playground` may have made one here
    assert_true(r.status == 200 || strstr(r.text, "this installation has no engine for pages") != NULL);
    free(r.text);
}

// ---- the folder

static void test_list(void** state)
{
    (void)state;
    char path[200];
    says("{\"do\":\"start\"}", "\"first\":\"one.kai\"");
    says("{\"do\":\"files\"}", "[\"deep/two.kai\",\"one.kai\"]");
    says("{\"do\":\"read\",\"path\":\"one.kai\"}", "\"text\":\"model M { }\\n\"");
    says("{\"do\":\"read\",\"path\":\"deep/two.kai\"}", "\"text\":\"model N { }\\n\"");
    static const char* const outside[] = {"../one.kai", "/etc/passwd",  ".hidden.kai", "deep/../one.kai", "one.txt",
                                          "",           "deep//two.kai"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    {
        snprintf(path, sizeof path, "{\"do\":\"read\",\"path\":\"%s\"}", outside[i]);
        says(path, "only models, files *.kai, below the folder of the studio can be opened");
    }
    says("{\"do\":\"read\",\"path\":\"linked.kai\"}", "there is no such file, or it cannot be read");
    says("{\"do\":\"read\",\"path\":\"away/x.kai\"}", "only models");
    says("{\"do\":\"read\",\"path\":\"none.kai\"}", "there is no such file");
    says("{\"do\":\"look\",\"path\":\"none.kai\"}", "\"version\":null");
    says("{\"do\":\"examples\"}", "two.kai");
    says("{\"do\":\"example\",\"path\":\"two.kai\"}", "model N");
    says("{\"do\":\"library\",\"path\":\"electrical.kai\"}", "model Resistor");
    snprintf(path, sizeof path, "%s/pipe.kai", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    says("{\"do\":\"read\",\"path\":\"pipe.kai\"}", "there is no such file, or it cannot be read");
    unlink(path);
}

static void version_in(const char* answer, char* version, size_t size)
{
    const char* at = strstr(answer, "\"version\":\"");
    assert_non_null(at);
    snprintf(version, size, "%.*s", (int)strcspn(at + 11, "\""), at + 11);
}

static void test_write(void** state)
{
    (void)state;
    char version[100], later[100], body[300];
    char* answer = ask("{\"do\":\"write\",\"path\":\"new.kai\",\"text\":\"model A { }\"}");
    version_in(answer, version, sizeof version);
    free(answer);
    says("{\"do\":\"read\",\"path\":\"new.kai\"}", "\"text\":\"model A { }\"");
    says("{\"do\":\"write\",\"path\":\"new.kai\",\"text\":\"x\"}",
         "\"conflict\":true,\"error\":\"the file has changed on the disk\"");
    snprintf(body, sizeof body, "{\"do\":\"write\",\"path\":\"new.kai\",\"text\":\"model B { }\",\"version\":\"%s\"}",
             version);
    answer = ask(body);
    version_in(answer, later, sizeof later);
    free(answer);
    assert_string_not_equal(version, later);
    says(body, "the file has changed on the disk");  // with the version of before
    snprintf(body, sizeof body, "{\"do\":\"write\",\"path\":\"gone.kai\",\"text\":\"x\",\"version\":\"%s\"}", version);
    says(body, "the file is no longer there");
    says("{\"do\":\"write\",\"path\":\"../x.kai\",\"text\":\"x\"}", "only models");
    answer = ask("{\"do\":\"look\",\"path\":\"new.kai\"}");
    version_in(answer, version, sizeof version);
    assert_string_equal(version, later);
    free(answer);
    snprintf(body, sizeof body, "%s/new.kai", folder);
    unlink(body);
}

// What was half written before is not written over.
static void test_write_fails(void** state)
{
    (void)state;
    char name[100], path[200];
    snprintf(name, sizeof name, ".stuck.kai.%ld.part", (long)getpid());
    put_file(name, "half");
    says("{\"do\":\"write\",\"path\":\"stuck.kai\",\"text\":\"model A { }\"}", "the file cannot be written");
    says("{\"do\":\"look\",\"path\":\"stuck.kai\"}", "\"version\":null");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

// ---- texts and runs

static void test_questions(void** state)
{
    (void)state;
    says("{\"do\":\"check\",\"text\":\"model M { state x = ; }\"}", "an expression is missing before this");
    says("{\"do\":\"nonsense\"}", "error");
    says("{\"do\":\"progress\",\"page\":\"p\"}", "\"reached\":null");
    says("{\"do\":\"stop\",\"page\":\"p\"}", "{}");
}

static void* long_run(void* unused)
{
    (void)unused;
    return ask("{\"do\":\"run\",\"page\":\"p\",\"text\":\"model M { state x = 0; x' = 1; event e = clock(1e-4) }\\n"
               "experiment e of M { stop = 1e9; record x every 1e8 }\",\"experiment\":\"e\"}");
}

// A run without an end is seen from outside, and ends when its page says so.
static void test_stop(void** state)
{
    (void)state;
    pthread_t thread;
    void* answer = NULL;
    bool seen = false;
    assert_int_equal(pthread_create(&thread, NULL, long_run, NULL), 0);
    for (int i = 0; i < 500 && !seen; i++)
    {
        char* progress = ask("{\"do\":\"progress\",\"page\":\"p\"}");
        seen = strstr(progress, "null") == NULL;
        free(progress);
        usleep(10000);
    }
    assert_true(seen);
    free(ask("{\"do\":\"stop\",\"page\":\"p\"}"));
    pthread_join(thread, &answer);
    assert_non_null(strstr(answer, "\"status\":\"stopped\""));
    free(answer);
}

// ---- starts

static void test_start(void** state)
{
    (void)state;
    kaiStudioOptions options = kaiDefaultStudioOptions();
    kaiError error;
    options.folder = "/nowhere/at/all";
    assert_null(kaiStudio_Start(&options, &error));
    assert_string_equal(error.message, "/nowhere/at/all is no folder that can be opened");
    options.folder = folder;
    options.port = port;
    assert_null(kaiStudio_Start(&options, &error));  // it is taken
    assert_int_equal(error.status, KAI_ERR_IO);
    options.cookie = 0;
    assert_null(kaiStudio_Start(&options, &error));
    assert_int_equal(error.status, KAI_ERR_USAGE);
    assert_string_equal(kaiStudio_Address(NULL), "");
    kaiStudio_Stop(NULL);
}

// A server without memory says so, and answers the next question.
static void test_memory(void** state)
{
    (void)state;
    static const char question[] = "{\"do\":\"check\",\"text\":\"model M { state x = 1; x' = -x }\"}";
    Heap heap = {.fail_at = -1};
    kaiStudioOptions options = kaiDefaultStudioOptions();
    kaiError error;
    options.folder = folder;
    options.service.allocator = (kaiAllocator){heap_alloc, &heap};
    kaiStudio* other = kaiStudio_Start(&options, &error);
    assert_non_null(other);
    int kept = port, refused = 0;
    char mine[sizeof token], path[60], headers[200];
    memcpy(mine, token, sizeof token);
    sscanf(kaiStudio_Address(other), "http://127.0.0.1:%d/%32[0-9a-f]", &port, token);
    for (long n = 0; n < 30; n++)
    {
        heap.fail_at = heap.calls + n;
        snprintf(path, sizeof path, "/%s/ask", token);
        snprintf(headers, sizeof headers, "%sContent-Type: application/json\r\n", host_line());
        Reply r = request("POST", path, headers, question);
        refused += r.status == 503;
        assert_true(r.status == 503 || r.status == 200);
        free(r.text);
        heap.fail_at = -1;
        says(question, "{\"diagnostics\":[]}");
    }
    assert_true(refused > 0);
    kaiStudio_Stop(other);
    assert_int_equal(heap.live, 0);
    port = kept;
    memcpy(token, mine, sizeof token);
}

static const kaiStudioFile files[] = {{"", "text/html; charset=utf-8", "<html></html>", 13},
                                      {"a.js", "text/javascript", "let a = 1", 9}};

static int set_up(void** state)
{
    (void)state;
    char deep[100], from[100];
    assert_non_null(mkdtemp(folder));
    snprintf(deep, sizeof deep, "%s/deep", folder);
    mkdir(deep, 0700);
    put_file("one.kai", "model M { }\n");
    put_file("deep/two.kai", "model N { }\n");
    put_file(".hidden.kai", "model H { }\n");
    put_file("one.txt", "text");
    snprintf(from, sizeof from, "%s/linked.kai", folder);
    assert_int_equal(symlink("one.kai", from), 0);
    snprintf(from, sizeof from, "%s/away", folder);
    assert_int_equal(symlink("/tmp", from), 0);
    kaiStudioOptions options = kaiDefaultStudioOptions();
    kaiError error;
    options.folder = folder;
    options.examples = deep;
    options.first = "one.kai";
    options.files = files;
    options.file_count = 2;
    studio = kaiStudio_Start(&options, &error);
    if (studio == NULL)
        print_message("%s\n", error.message);
    else
        sscanf(kaiStudio_Address(studio), "http://127.0.0.1:%d/%32[0-9a-f]", &port, token);
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    char command[100];
    kaiStudio_Stop(studio);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),     cmocka_unit_test(test_too_large), cmocka_unit_test(test_pages),
        cmocka_unit_test(test_list),      cmocka_unit_test(test_write),     cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_stop),      cmocka_unit_test(test_start),
        cmocka_unit_test(test_memory),
    };
    set_up(NULL);
    if (studio == NULL)
    {
        tear_down(NULL);
        return 0;  // without the part that serves there is no studio
    }
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
