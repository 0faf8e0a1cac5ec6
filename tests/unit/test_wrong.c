// Every model in tests/wrong through the library: the message that its first line announces (`// error K020 3:14`, or a
// warning) is there with its code, place and help, and an error is no model. tests/cli/wrong.sh asks the same of the
// program.
#include "load_fixture.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

typedef struct Wanted
{
    char kind[16], code[16];
    int line, column;
} Wanted;

static Wanted read_wanted(const char* path)
{
    Wanted wanted;
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    if (fscanf(file, "// %15s %15s %d:%d", wanted.kind, wanted.code, &wanted.line, &wanted.column) != 4)
        fail_msg("%s: the first line does not say what is wrong", path);
    fclose(file);
    return wanted;
}

static bool is_wanted(const kaiError* message, const Wanted* wanted)
{
    bool error = strcmp(wanted->kind, "error") == 0;
    return (message->severity == KAI_ERROR) == error && message->code != NULL &&
           strcmp(message->code, wanted->code) == 0 && message->place.line == wanted->line &&
           message->place.column == wanted->column;
}

static void check_file(const char* path)
{
    Wanted wanted = read_wanted(path);
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = path;
    options.policy.allow_external = options.policy.allow_files = true;
    kaiProgram* program = NULL;
    kaiStatus status = kaiProgram_Open(&options, &program, NULL);
    if (status == KAI_OK || status == KAI_ERR_MODEL)
        status = kaiProgram_Check(program);
    assert_int_equal(status, strcmp(wanted.kind, "error") == 0 ? KAI_ERR_MODEL : KAI_OK);
    bool found = false;
    const kaiError* message;
    for (int i = 0; (message = kaiProgram_Message(program, i)) != NULL; i++)
        found |= is_wanted(message, &wanted);
    if (!found)
        fail_msg("%s: no %s[%s] at %d:%d", path, wanted.kind, wanted.code, wanted.line, wanted.column);
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
        assert_true(strlen(kaiProgram_MessageText(program, i, true)) > 0);
    kaiProgram_Free(program);
}

static void test_wrong(void** state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/wrong/*.kai", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 50);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_file(files.gl_pathv[i]);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
