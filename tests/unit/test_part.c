// Parts and where they are found: the table is the same for everybody, a caller with another idea of it is refused, and
// what an installation does not have is not found. Programs that lie elsewhere, or have no /proc to know it from, are
// played: what the library asks through readlink is answered here.
#include "num/sundials.h"
#include "part/home.h"
#include "part/part.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum
{
    THREADS = 8
};

static void* load(void* user)
{
    const char* trouble = NULL;
    *(const void**)user = sundials_load(&trouble);
    return NULL;
}

static void threads_share_a_table(void** state)
{
    (void)state;
    pthread_t threads[THREADS];
    const void* tables[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load, &tables[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_non_null(tables[0]);
    for (int i = 1; i < THREADS; i++)
        assert_ptr_equal(tables[i], tables[0]);
}

static void a_table_of_another_size_is_refused(void** state)
{
    (void)state;
    const char* trouble = NULL;
    for (Part part = 0; part < PART_COUNT; part++)
    {
        assert_null(part_load(part, sizeof(PartHead), &trouble));
        assert_non_null(strstr(trouble, "belongs to another build"));
    }
    assert_non_null(sundials_load(&trouble));
    assert_null(part_load(PART_SUNDIALS, sizeof(SundialsPart) + sizeof(void*), &trouble));
    assert_non_null(strstr(trouble, "belongs to another build"));
}

static void the_models_of_this_build_are_found(void** state)
{
    (void)state;
    char path[PATH_MAX], here[PATH_MAX];
    char found[PATH_MAX];
    assert_true(home_models(path));
    assert_non_null(realpath(path, found));
    assert_non_null(realpath("lib", here));  // tests run in the top folder
    assert_string_equal(found, here);
    assert_false(home_find("share/kairos/no-such-thing", path));
}

// The answer does not depend on where the process is.
static void the_working_folder_does_not_matter(void** state)
{
    (void)state;
    char here[PATH_MAX], first[PATH_MAX], second[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    assert_true(home_models(first));
    assert_int_equal(chdir("/"), 0);
    bool found = home_models(second);
    assert_int_equal(chdir(here), 0);
    assert_true(found);
    assert_string_equal(first, second);
}

// ---- elsewhere

static const char* program;  // where this one is said to lie; "": there is no /proc; NULL: the truth

ssize_t readlink(const char* path, char* buffer, size_t size)
{
    if (program == NULL || strcmp(path, "/proc/self/exe") != 0)
        return syscall(SYS_readlink, path, buffer, size);
    size_t length = strlen(program);
    assert_true(length < size);
    memcpy(buffer, program, length);
    return length > 0 ? (ssize_t)length : -1;
}

static int tell_the_truth(void** state)
{
    (void)state;
    program = NULL;
    return 0;
}

// The name that it was started with is enough.
static void a_root_without_proc(void** state)
{
    (void)state;
    char known[PATH_MAX], found[PATH_MAX];
    assert_true(home_models(known));
    program = "";
    assert_true(home_models(found));
    char first[PATH_MAX], second[PATH_MAX];
    assert_string_equal(realpath(known, first), realpath(found, second));
}

static void a_program_in_the_root_folder(void** state)
{
    (void)state;
    char path[PATH_MAX], tail[PATH_MAX];
    program = "/kairos";
    assert_true(home_find("tmp", path));
    assert_string_equal(path, "/tmp");
    assert_false(home_find("share/kairos/no-such-thing", path));
    memset(tail, 'a', sizeof tail - 1);  // no path is that long
    tail[sizeof tail - 1] = 0;
    assert_false(home_find(tail, path));
}

// The folder for parts, from the sentence about one that is missing.
static void parts_folder(const char* sentence, char* tail, size_t size)
{
    const char *from = strstr(sentence, "in the folder "), *to = strstr(sentence, " of this installation");
    assert_true(from != NULL && to != NULL);
    snprintf(tail, size, "%.*s", (int)(to - from) - 14, from + 14);
}

static void make_folders(char* path)
{
    for (char* at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
    {
        *at = 0;
        assert_true(mkdir(path, 0700) == 0 || access(path, W_OK) == 0);
        *at = '/';
    }
}

// An installation without the part, with something else under its name, and with a library that is none.
static void an_installation_of_others(void** state)
{
    (void)state;
    char home[] = "/tmp/kairos-unit-XXXXXX", name[60], tail[200], path[400], command[60];
    const char* trouble = "";
    assert_non_null(mkdtemp(home));
    snprintf(name, sizeof name, "%s/bin/kairos", home);
    program = name;
    bool installed = home_find("share/kairos", path);  // then its parts are found
    if (installed && rmdir(home) == 0)
        skip();
    assert_null(part_load(PART_STUDIO, 1, &trouble));
    assert_non_null(strstr(trouble, " is missing: there is no libkairos-studio.so in the folder "));
    parts_folder(trouble, tail, sizeof tail);
    snprintf(path, sizeof path, "%s/%s/libkairos-studio.so", home, tail);
    make_folders(path);
    FILE* out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs("no library", out) >= 0 && fclose(out) == 0);
    assert_null(part_load(PART_STUDIO, 1, &trouble));
    assert_non_null(strstr(trouble, "cannot be opened, probably for want of a library"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/lib/x86_64-linux-gnu/libm.so.6", path), 0);
    if (access(path, R_OK) == 0)  // of another machine otherwise
    {
        assert_null(part_load(PART_STUDIO, 1, &trouble));
        assert_non_null(strstr(trouble, "belongs to another build of Kairos"));
    }
    snprintf(command, sizeof command, "rm -r %s", home);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_another_size_is_refused),
        cmocka_unit_test(threads_share_a_table),
        cmocka_unit_test(the_models_of_this_build_are_found),
        cmocka_unit_test(the_working_folder_does_not_matter),
        cmocka_unit_test_teardown(a_root_without_proc, tell_the_truth),
        cmocka_unit_test_teardown(a_program_in_the_root_folder, tell_the_truth),
        cmocka_unit_test_teardown(an_installation_of_others, tell_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
