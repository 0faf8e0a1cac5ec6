// kairos check: diagnostics of every model and experiment of the files, or a listing.
#include "cli/cli.h"

#include <string.h>

static int print_listing(const kaiLoadOptions* options, const char* what)
{
    char* text = NULL;
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Print(options, what, &text, &messages);
    int code = report_load(options, status, messages);
    kaiMessages_Free(messages);
    if (status == KAI_OK)
        fputs(text, stdout);
    kaiText_Free(text, options->allocator);
    if (status == KAI_ERR_USAGE)
        return usage_error("--print knows flat, schedule, impulses and causality, not `%s`", what);
    return code;
}

static int check_file(const kaiLoadOptions* options)
{
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Check(options, &messages);
    int code = report_load(options, status, messages);
    kaiMessages_Free(messages);
    return code;
}

int command_check(int argc, char** argv)
{
    kaiLoadOptions options = kaiDefaultLoadOptions();
    const char *what = NULL, *value;
    int code = EXIT_DONE, files = 0;
    for (int i = 0; i < argc; i++)
    {
        if ((value = option_value(argc, argv, &i, "--print")) != NULL)
            what = value;
        else if ((value = option_value(argc, argv, &i, "-e")) != NULL)
            options.experiment = value;
        else if (argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("check has no option `%s`", argv[i]);
    }
    for (int i = 0; i < argc; i++)
    {
        if (option_value(argc, argv, &i, "--print") != NULL || option_value(argc, argv, &i, "-e") != NULL)
            continue;
        files++;
        options.path = argv[i];
        int one = what != NULL ? print_listing(&options, what) : check_file(&options);
        code = one > code ? one : code;
    }
    return files > 0 ? code : usage_error("check needs a file");
}
