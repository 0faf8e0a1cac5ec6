// Lines of files that may be anything (kaiLines): what they are, how long they may be, who can end the reading.
#include "kairos/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/kairos-lines-XXXXXX";

static int make_file(void** state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void** state)
{
    (void)state;
    return unlink(path);
}

static void put(const char* text, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static kaiLines* lines_of(const char* text, size_t size, const volatile int* interrupt)
{
    put(text, size);
    kaiLines* lines = kaiLines_Open(path, interrupt, kaiDefaultAllocator(), NULL);
    assert_non_null(lines);
    return lines;
}

static void expect(kaiLines* lines, const char* text, size_t size)
{
    char* line = NULL;
    size_t length = 0;
    assert_int_equal(kaiLines_Next(lines, &line, &length, NULL), KAI_OK);
    assert_int_equal(length, size);
    assert_memory_equal(line, text, size);
    line[length - 1] = 0;  // it may be written to
}

static void expect_end(kaiLines* lines, long long number)
{
    char* line = NULL;
    size_t length = 1;
    assert_int_equal(kaiLines_Next(lines, &line, &length, NULL), KAI_END);
    assert_int_equal(kaiLines_Next(lines, &line, &length, NULL), KAI_END);
    assert_int_equal(kaiLines_Number(lines), number);
    kaiLines_Free(lines);
}

static void test_ends(void** state)
{
    (void)state;
    kaiLines* lines = lines_of("a\n\nb\0c\r\nd", 9, NULL);
    expect(lines, "a\n", 2);
    expect(lines, "\n", 1);
    expect(lines, "b\0c\r\n", 5);
    assert_int_equal(kaiLines_Number(lines), 3);
    expect(lines, "d", 1);
    expect_end(lines, 4);
    expect_end(lines_of("", 0, NULL), 0);
}

// Longer than the first buffer, and across its border.
static void test_long(void** state)
{
    (void)state;
    size_t size = 3 << 20;
    char* text = malloc(size + 2);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size / 3] = text[size] = '\n';
    text[size + 1] = 'y';
    kaiLines* lines = lines_of(text, size + 2, NULL);
    expect(lines, text, size / 3 + 1);
    expect(lines, text + size / 3 + 1, size - size / 3);
    expect(lines, "y", 1);
    expect_end(lines, 3);
    free(text);
}

static size_t most, held;

static void* bounded(void* user, void* block, size_t old, size_t size)
{
    (void)user;
    held = held - old + size;
    most = held > most ? held : most;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static void test_endless(void** state)
{
    (void)state;
    char* line;
    size_t length;
    kaiError error = {0};
    most = held = 0;
    kaiLines* lines = kaiLines_Open("/dev/zero", NULL, (kaiAllocator){bounded, NULL}, &error);
    assert_int_equal(kaiLines_Next(lines, &line, &length, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/dev/zero:1: this line goes on for more than 64 MB"));
    kaiLines_Free(lines);
    assert_true(most <= (64 << 20) + 4096);
    assert_int_equal(held, 0);
    assert_null(kaiLines_Open("/", NULL, kaiDefaultAllocator(), &error));
    assert_string_equal(error.message, "/ cannot be read: it is a folder");
    assert_null(kaiLines_Open("/nowhere", NULL, kaiDefaultAllocator(), &error));
    assert_int_equal(error.status, KAI_ERR_IO);
}

static void* refusing(void* user, void* block, size_t old, size_t size)
{
    int* left = user;
    return size > 0 && (*left)-- <= 0 ? NULL : bounded(NULL, block, old, size);
}

static void test_memory(void** state)
{
    (void)state;
    char* line;
    size_t length;
    kaiError error;
    held = 0;
    for (int n = 0; n < 4; n++)
    {
        int left = n;
        kaiLines* lines = kaiLines_Open("/dev/zero", NULL, (kaiAllocator){refusing, &left}, &error);
        assert_int_equal(lines != NULL, n >= 2);
        assert_int_equal(lines != NULL ? kaiLines_Next(lines, &line, &length, &error) : error.status, KAI_ERR_MEMORY);
        kaiLines_Free(lines);
        assert_int_equal(held, 0);
    }
}

static void test_interrupt(void** state)
{
    (void)state;
    char* line;
    size_t length;
    volatile int flag = 1;
    kaiError error;
    kaiLines* lines = lines_of("a\nb\n", 4, &flag);
    assert_int_equal(kaiLines_Next(lines, &line, &length, &error), KAI_INTERRUPTED);
    kaiLines_SetInterrupt(lines, NULL);
    expect(lines, "a\n", 2);
    kaiLines_SetInterrupt(lines, &flag);
    expect(lines, "b\n", 2);  // it is there already
    assert_int_equal(kaiLines_Next(lines, &line, &length, &error), KAI_INTERRUPTED);
    assert_non_null(strstr(error.message, "interrupted behind line 2"));
    flag = 0;
    expect_end(lines, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),   cmocka_unit_test(test_long),      cmocka_unit_test(test_endless),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
