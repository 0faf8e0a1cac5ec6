// From the command line to a compiled model and the options of its run.
#include "cli/request.h"

#include "cli/interrupt.h"

#include <string.h>

// ---- options
// ---------------------------------------------------------------------------------------------------------

static bool parse_view(const char* text, kaiView* view)
{
    static const char* const names[] = {"full", "limits", "unique"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
        {
            *view = (kaiView)i;
            return true;
        }
    return false;
}

static int add_override(RunRequest* r, const char* text)
{
    const char* why;
    if (r->load.override_count == OVERRIDE_MAX)
        return usage_error("at most %d --set", OVERRIDE_MAX);
    int k = r->load.override_count++;
    if (!parse_override(text, &r->overrides[k], r->override_names[k], sizeof r->override_names[k], &why))
        return usage_error("--set %s: %s", text, why);
    return EXIT_DONE;
}

static int set_stop(RunRequest* r, const char* text)
{
    r->has_stop = parse_number(text, &r->stop);
    return r->has_stop ? EXIT_DONE : usage_error("--stop %s: it must be a number", text);
}

static int set_balance(RunRequest* r, const char* text)
{
    bool fine = parse_number(text, &r->balance) && r->balance > 0;
    return fine ? EXIT_DONE : usage_error("--balance %s: it must be a positive number, 1e-9 say", text);
}

// The options for the result. False: argument *i is none of them.
static bool parse_output_option(RunRequest* r, int options, int argc, char** argv, int* i, int* code)
{
    const char* value;
    bool rows = (options & REQUEST_ROWS) != 0;
    if ((options & REQUEST_OUTPUT) != 0 && (value = option_value(argc, argv, i, "-o")) != NULL)
    {
        r->output = value;
        if (value[0] == 0)
            *code = usage_error("-o needs the name of a file, or - for standard output");
    }
    else if (rows && (value = option_value(argc, argv, i, "--view")) != NULL)
    {
        if (!parse_view(value, &r->view))
            *code = usage_error("--view is full, limits or unique, not `%s`", value);
    }
    else if (rows && strcmp(argv[*i], "--quiet") == 0)
        r->quiet = true;
    else if ((options & REQUEST_JSON) != 0 && strcmp(argv[*i], "--json") == 0)
        r->json = true;
    else
        return false;
    return true;
}

static bool parse_run_option(RunRequest* r, int argc, char** argv, int* i, int* code)
{
    const char* value;
    if ((value = option_value(argc, argv, i, "-e")) != NULL ||
        (value = option_value(argc, argv, i, "--experiment")) != NULL)
        r->load.experiment = value;
    else if ((value = option_value(argc, argv, i, "--model")) != NULL)
        r->load.model = value;
    else if ((value = option_value(argc, argv, i, "--set")) != NULL)
        *code = add_override(r, value);
    else if ((value = option_value(argc, argv, i, "--stop")) != NULL)
        *code = set_stop(r, value);
    else if ((value = option_value(argc, argv, i, "--solver")) != NULL)
        r->load.solver = value;
    else if ((value = option_value(argc, argv, i, "--balance")) != NULL)
        *code = set_balance(r, value);
    else
        return parse_allow(argv[*i], &r->source.policy);
    return true;
}

int request_parse(RunRequest* r, const char* command, int options, int argc, char** argv)
{
    int code = EXIT_DONE;
    r->load.overrides = r->overrides;
    for (int i = 0; i < argc && code == EXIT_DONE; i++)
    {
        if (parse_run_option(r, argc, argv, &i, &code) || parse_output_option(r, options, argc, argv, &i, &code))
            continue;
        if (argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("%s has no option `%s`; see kairos %s --help", command, argv[i], command);
        if (r->source.path != NULL)
            return usage_error("%s takes one file; `%s` is a second one", command, argv[i]);
        r->source.path = argv[i];
    }
    if (code == EXIT_DONE && r->source.path == NULL)
        return usage_error("%s needs a file; see kairos %s --help", command, command);
    return code;
}

// ---- loading
// ---------------------------------------------------------------------------------------------------------

RunRequest request_begin(void)
{
    return (RunRequest){
        .source = kaiDefaultProgramOptions(), .load = kaiDefaultCompileOptions(), .view = KAI_VIEW_FULL};
}

// The experiment to run if none was named: the first of the file.
static void choose_experiment(RunRequest* r)
{
    kaiExperiment first;
    bool open = r->load.experiment == NULL && r->load.model == NULL;
    if (!open || !kaiProgram_Experiment(r->program, 0, &first))
        return;
    r->load.experiment = first.name;
    r->chosen_of = kaiProgram_ExperimentCount(r->program);
}

int request_open(RunRequest* r)
{
    int code = r->program == NULL ? open_program(&r->source, &r->program) : EXIT_DONE;
    if (code == EXIT_DONE)
        choose_experiment(r);
    return code;
}

void request_close(RunRequest* r)
{
    kaiProgram_Free(r->program);
    r->program = NULL;
}

int request_load(RunRequest* r, kaiModel** model)
{
    int code = request_open(r);
    return code == EXIT_DONE ? report_answer(r->program, kaiProgram_Compile(r->program, &r->load, model)) : code;
}

kaiSimOptions request_options(const RunRequest* r, const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    if (r->has_stop)
        options.stop = r->stop;
    if (r->balance > 0)
        options.balance = r->balance;
    options.interrupt = interrupt_flag();
    return options;
}

void request_title(const RunRequest* r, const kaiModel* model, char* text, size_t size)
{
    int length = snprintf(text, size, "%s", kaiModel_Name(model));
    if (r->load.experiment != NULL && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length, ", experiment %s", r->load.experiment);
    if (r->chosen_of > 1 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " (the first of %d)", r->chosen_of);
}

int request_run(const char* command, int options, int argc, char** argv, RequestWork* work)
{
    RunRequest request = request_begin();
    int code = request_parse(&request, command, options, argc, argv);
    if (code != EXIT_DONE)
        return code;
    interrupt_catch();
    kaiModel* model = NULL;
    code = request_load(&request, &model);
    if (code == EXIT_DONE)
        code = work(&request, model);
    kaiModel_Free(model);
    request_close(&request);
    return code;
}
