// kairos check: diagnostics of every model and experiment of the files, or a listing.
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

typedef struct CheckCall
{
    kaiProgramOptions source;
    kaiCompileOptions options;
    const char* what;  // --print; NULL: diagnostics
    int files;
    char** paths;
} CheckCall;

static int take(void* user, const Arguments* a, Found found)
{
    CheckCall* c = user;
    int code = EXIT_DONE;
    if (found == FOUND_FILE)
        c->paths[c->files++] = a->value;
    else if (a->option == OPTION_EXPERIMENT)
        c->options.experiment = a->value;
    else if (!take_rights(&c->source, a, &code))
        c->what = a->option == OPTION_LIST ? "names" : a->value;
    return code;
}

static bool has_experiment(const kaiProgram* program, const char* name)
{
    kaiExperiment experiment;
    bool found = name == NULL;
    for (int i = 0; !found && kaiProgram_Experiment(program, i, &experiment); i++)
        found = strcmp(experiment.name, name) == 0;
    return found;
}

static int check_one(CheckCall* c, char* path)
{
    char* text = NULL;
    kaiProgram* program = NULL;
    if (is_fmu(path))
        return check_fmu(path, &c->source);
    c->source.path = path;
    c->source.text = NULL;
    int code = read_standard_input(&c->source, &text);
    if (code == EXIT_DONE)
        code = open_program(&c->source, &program);
    if (code == EXIT_DONE)
        code = c->what != NULL ? print_listing(program, &c->options, c->what)
                               : report_answer(program, kaiProgram_Check(program));
    if (code == EXIT_DONE && c->what == NULL && !has_experiment(program, c->options.experiment))
        code = usage_error("%s has no experiment `%s`", path, c->options.experiment);
    kaiProgram_Free(program);
    free(text);
    return code;
}

int command_check(int argc, char** argv)
{
    CheckCall call = {.source = source_options(),
                      .options = kaiDefaultCompileOptions(),
                      .paths = argv};  // a file is never put behind where it was
    int code = arguments_each(FOR_CHECK, argc, argv, take, &call);
    if (code != EXIT_DONE)
        return code;
    for (int i = 0; i < call.files; i++)
    {
        int one = is_ssp(call.paths[i]) ? check_ssp(call.paths[i]) : check_one(&call, call.paths[i]);
        code = one > code ? one : code;
    }
    return call.files > 0 ? code : usage_error("check needs a file; see kairos check --help");
}
