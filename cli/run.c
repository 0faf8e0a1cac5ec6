// kairos run: one run, all runs of a sweep, or all outcomes of choice = all, to a CSV file; kairos resume: the rest of
// a run.
#include "cli/runner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// A checkpoint lies beside the result and is made again from the call.
static int check_checkpoint(const RunRequest* r, bool many)
{
    if (r->checkpoint == 0)
        return EXIT_DONE;
    if (many)
        return usage_error("--checkpoint saves one run; this is a sweep, or choice = all");
    if (r->output == NULL || strcmp(r->output, "-") == 0)
        return usage_error("--checkpoint needs a file for the result: -o FILE");
    const char* dot = strrchr(r->output, '.');
    if (dot != NULL && strchr(dot, '/') == NULL && strcasecmp(dot, ".csv") != 0)
        return usage_error("--checkpoint goes on with a CSV, not with a result that ends in %s", dot);
    if (r->folder != NULL)
        return usage_error("--checkpoint goes on with a model: `kairos import` writes that of a system");
    return r->text == NULL || is_fmu(r->source.path)
               ? EXIT_DONE
               : usage_error("--checkpoint needs a model in a file, not on standard input");
}

static int run(const RunRequest* request, const kaiModel* model)
{
    kaiError error;
    if (request->output != NULL && kaiFormat_Check(request->output, &error) != KAI_OK)
        return usage_error("-o %s", error.message);
    kaiSimOptions options = request_options(request, model);
    bool sweep = kaiModel_SweepCount(model) > 0, explores = explores_choices(&options);
    int code = check_checkpoint(request, sweep || explores);
    if (code == EXIT_DONE && (sweep || explores) && (request->input != NULL || request->pace > 0))
        code = usage_error("--input and --pace are for one run; this is a sweep, or choice = all");
    if (code != EXIT_DONE)
        return code;
    if (sweep)
        return run_sweep(request, model);
    return explores ? run_branches(request, model) : run_once(request, model);
}

int command_run(int argc, char** argv)
{
    return request_run(FOR_RUN, argc, argv, run);
}

// ---- resume

typedef struct ResumeCall
{
    const char* result;
    bool quiet;
} ResumeCall;

static int take(void* user, const Arguments* a, Found found)
{
    ResumeCall* c = user;
    if (found == FOUND_FILE && c->result != NULL)
        return usage_error("resume takes one result; `%s` is a second one", a->value);
    if (found == FOUND_FILE)
        c->result = a->value;
    c->quiet |= found == FOUND_OPTION && a->option == OPTION_QUIET;
    return EXIT_DONE;
}

// In the folder of the first call, with its arguments.
static int go_on(const ResumeCall* call, const kaiCheckpoint* checkpoint)
{
    int count = kaiCheckpoint_WordCount(checkpoint);
    const char* folder = kaiCheckpoint_Word(checkpoint, 0);
    if (count < 1 || chdir(folder) != 0)
    {
        fprintf(stderr, "kairos: the folder of the run, %s, is gone\n", count > 0 ? folder : "");
        return EXIT_FILE;
    }
    char** argv = calloc((size_t)count + 1, sizeof *argv);
    if (argv == NULL)
        return fputs("kairos: out of memory\n", stderr), EXIT_RUN;
    for (int i = 1; i < count; i++)
        argv[i - 1] = (char*)(uintptr_t)kaiCheckpoint_Word(checkpoint, i);
    argv[count - 1] = (char[]){"--quiet"};
    int code = request_go_on(FOR_RUN, call->quiet ? count : count - 1, argv, checkpoint, run);
    free(argv);
    return code;
}

int command_resume(int argc, char** argv)
{
    ResumeCall call = {0};
    int code = arguments_each(FOR_RESUME, argc, argv, take, &call);
    if (code != EXIT_DONE)
        return code;
    if (call.result == NULL)
        return usage_error("resume needs the result of a run that had --checkpoint; see kairos resume --help");
    char path[PATH_MAX];
    kaiError error;
    checkpoint_path(call.result, path, sizeof path);
    kaiCheckpoint* checkpoint = kaiCheckpoint_Read(path, &error);
    if (checkpoint == NULL)
        fprintf(stderr, "kairos: %s%s\n", error.message,
                access(path, F_OK) != 0 ? "; a run that can go on was called with --checkpoint and did not end" : "");
    if (checkpoint == NULL)
        return exit_code(error.status);
    code = go_on(&call, checkpoint);
    kaiCheckpoint_Free(checkpoint);
    return code;
}
