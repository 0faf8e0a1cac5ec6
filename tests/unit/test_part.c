// Parts and where they are found: the table is the same for everybody, a caller with another idea of it is refused, and
// what an installation does not have is not found.
#include "num/sundials.h"
#include "part/home.h"
#include "part/part.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_another_size_is_refused),
        cmocka_unit_test(threads_share_a_table),
        cmocka_unit_test(the_models_of_this_build_are_found),
        cmocka_unit_test(the_working_folder_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
