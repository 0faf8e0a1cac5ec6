// kairos check: diagnostics of every model and experiment of the files, or a listing.
#include "cli/options.h"

#include <stdlib.h>

static int check_file(const kaiLoadOptions* options)
{
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Check(options, &messages);
    int code = report_load(options, status, messages);
    kaiMessages_Free(messages);
    return code;
}

typedef struct CheckCall
{
    kaiLoadOptions options;
    const char* what;  // --print; NULL: diagnostics
    int files;
    char** paths;
} CheckCall;

static int take(void* user, const Arguments* a, Found found)
{
    CheckCall* c = user;
    if (found == FOUND_FILE)
        c->paths[c->files++] = a->value;
    else if (a->option == OPTION_EXPERIMENT)
        c->options.experiment = a->value;
    else
        c->what = a->option == OPTION_LIST ? "names" : a->value;
    return EXIT_DONE;
}

static int check_one(CheckCall* c, char* path)
{
    char* text = NULL;
    c->options.path = path;
    c->options.text = NULL;
    int code = read_standard_input(&c->options, &text);
    if (code == EXIT_DONE)
        code = c->what != NULL ? print_listing(&c->options, c->what) : check_file(&c->options);
    free(text);
    return code;
}

int command_check(int argc, char** argv)
{
    CheckCall call = {.options = kaiDefaultLoadOptions(), .paths = argv};  // a file is never put behind where it was
    int code = arguments_each(FOR_CHECK, argc, argv, take, &call);
    if (code != EXIT_DONE)
        return code;
    for (int i = 0; i < call.files; i++)
    {
        int one = check_one(&call, call.paths[i]);
        code = one > code ? one : code;
    }
    return call.files > 0 ? code : usage_error("check needs a file; see kairos check --help");
}
