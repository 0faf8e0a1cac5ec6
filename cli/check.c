// kairos check: diagnostics of every model and experiment of the files, or a listing.
#include "cli/cli.h"

#include <string.h>

static int print_listing(kaiProgram* program, const kaiCompileOptions* options, const char* what)
{
    const char* text = NULL;
    kaiStatus status = kaiProgram_List(program, options, what, &text);
    if (status == KAI_ERR_USAGE)
        return usage_error("--print knows flat, schedule, impulses and causality, not `%s`", what);
    int code = report_answer(program, status);
    if (status == KAI_OK)
        fputs(text, stdout);
    return code;
}

static int check_file(const kaiProgramOptions* options, const kaiCompileOptions* model, const char* what)
{
    kaiProgram* program = NULL;
    int code = open_program(options, &program);
    if (code == EXIT_DONE)
        code = what != NULL ? print_listing(program, model, what) : report_answer(program, kaiProgram_Check(program));
    kaiProgram_Free(program);
    return code;
}

int command_check(int argc, char** argv)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions model = kaiDefaultCompileOptions();
    const char *what = NULL, *value;
    int code = EXIT_DONE, files = 0;
    for (int i = 0; i < argc; i++)
    {
        if ((value = option_value(argc, argv, &i, "--print")) != NULL)
            what = value;
        else if ((value = option_value(argc, argv, &i, "-e")) != NULL)
            model.experiment = value;
        else if (!parse_allow(argv[i], &options.policy) && argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("check has no option `%s`", argv[i]);
    }
    for (int i = 0; i < argc; i++)
    {
        if (option_value(argc, argv, &i, "--print") != NULL || option_value(argc, argv, &i, "-e") != NULL ||
            parse_allow(argv[i], &options.policy))
            continue;
        files++;
        options.path = argv[i];
        int one = check_file(&options, &model, what);
        code = one > code ? one : code;
    }
    return files > 0 ? code : usage_error("check needs a file");
}
