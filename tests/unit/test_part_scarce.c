// Parts where there is no room for them, each in a process of its own, whose memory is bounded before it asks; and the
// shared library, which finds its installation by itself.
#include "kairos/kairos.h"
#include "part/home.h"
#include "part/part.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static size_t memory_used(void)
{
    size_t pages = 0;
    FILE* in = fopen("/proc/self/statm", "r");
    if (in == NULL || fscanf(in, "%zu", &pages) != 1)
        pages = 0;
    if (in != NULL)
        fclose(in);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// Exit code 0: the part was refused with a sentence that has `words`; 1: with another one; 2: it was opened.
static int ask_with_room(Part part, size_t room, const char* words)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
    {
        const char* trouble = "";
        size_t most = memory_used() + room;
        setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
        const void* table = part_load(part, 1, &trouble);  // nobody's size: never used
        setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
        exit(table != NULL ? 2 : strstr(trouble, words) != NULL ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool is_sanitized(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

static void test_no_room(void** state)
{
    (void)state;
    if (is_sanitized())
        return;  // its shadow is larger than any bound
    for (Part part = 0; part < PART_COUNT; part++)
    {
        assert_int_not_equal(ask_with_room(part, 64 << 10, "out of memory"), 2);
        assert_int_not_equal(ask_with_room(part, (size_t)4 << 30, "belongs to another build"), 2);
    }
    assert_int_equal(ask_with_room(PART_PROOFS, 64 << 10, "out of memory"), 0);
}

// The shared library beside the tests opens a text that imports a model of its installation.
static void test_shared(void** state)
{
    (void)state;
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 30);
    assert_true(length > 0);
    path[length] = 0;
    *strrchr(path, '/') = 0;
    strcpy(strrchr(path, '/'), "/libkairos.so");
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;  // it is not built here
    kaiStatus (*open_program)(const kaiProgramOptions*, kaiProgram**, kaiError*);
    kaiStatus (*check)(kaiProgram*);
    void (*close_program)(kaiProgram*);
    void* symbols[] = {dlsym(library, "kaiProgram_Open"), dlsym(library, "kaiProgram_Check"),
                       dlsym(library, "kaiProgram_Free")};
    memcpy(&open_program, &symbols[0], sizeof(void*));
    memcpy(&check, &symbols[1], sizeof(void*));
    memcpy(&close_program, &symbols[2], sizeof(void*));
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    kaiError error;
    options.path = "m.kai";
    options.text = "import \"electrical.kai\"\nmodel M { r : Resistor(R = 1); c : Capacitor(C = 1); connect r.a, c.a; "
                   "connect r.b, c.b }\n";
    assert_int_equal(open_program(&options, &program, &error), KAI_OK);
    assert_int_equal(check(program), KAI_OK);
    close_program(program);
}

static void test_no_place(void** state)
{
    (void)state;
    kaiError error;
    int count = 0;
    assert_int_equal(kaiRanks_Begin(NULL, &count, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "there is no room for the rank");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_room), cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_no_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
