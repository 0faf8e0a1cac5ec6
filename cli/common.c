// Messages, options and numbers, the same in every command.
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int usage_error(const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("kairos: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    return EXIT_USAGE;
}

int open_program(const kaiProgramOptions* options, kaiProgram** program)
{
    kaiError error;
    kaiStatus status = kaiProgram_Open(options, program, &error);
    if (*program != NULL)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}

void print_messages(kaiProgram* program)
{
    bool colour = isatty(2) && getenv("NO_COLOR") == NULL;
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
    {
        const char* text = kaiProgram_MessageText(program, i, colour);
        fputs(text, stderr);
        if (text[0] != 0 && text[strlen(text) - 1] != '\n')
            fputs("\n", stderr);
    }
}

// "kairos: it has the experiments bounce, drop" after an unknown one.
static void list_experiments(const kaiProgram* program)
{
    kaiExperiment experiment;
    int count = kaiProgram_ExperimentCount(program);
    fprintf(stderr, "kairos: %s has %s", kaiProgram_FileName(program, 0),
            count == 0   ? "no experiment"
            : count == 1 ? "the experiment "
                         : "the experiments ");
    for (int i = 0; kaiProgram_Experiment(program, i, &experiment); i++)
        fprintf(stderr, "%s%s", i > 0 ? ", " : "", experiment.name);
    fputs("\n", stderr);
}

// The name of an experiment or of --set, a solver that does not fit, a diagram of what is not there: the call is wrong,
// not the model.
static bool is_about_the_call(const kaiError* d)
{
    static const char* const codes[] = {"K028", "K029", "K116", "K126", "K127", "K129"};
    for (size_t i = 0; d->place.file == NULL && i < sizeof codes / sizeof *codes; i++)
        if (strcmp(d->code, codes[i]) == 0)
            return true;
    return false;
}

int report_answer(kaiProgram* program, kaiStatus status)
{
    int errors = 0, wrong_calls = 0;
    bool unknown_experiment = false;
    const kaiError* d;
    for (int i = 0; (d = kaiProgram_Message(program, i)) != NULL; i++)
    {
        errors += d->severity == KAI_ERROR;
        wrong_calls += d->severity == KAI_ERROR && is_about_the_call(d);
        unknown_experiment |= strcmp(d->code, "K029") == 0 && d->place.file == NULL;
    }
    print_messages(program);
    if (status == KAI_ERR_MEMORY)
        fputs("kairos: out of memory\n", stderr);
    if (unknown_experiment)
        list_experiments(program);
    return status == KAI_ERR_MODEL && errors > 0 && wrong_calls == errors ? EXIT_USAGE : exit_code(status);
}

bool parse_allow(const char* argument, kaiPolicy* policy)
{
    bool files = strcmp(argument, "--allow-files") == 0, external = strcmp(argument, "--allow-external") == 0;
    policy->allow_files |= files;
    policy->allow_external |= external;
    return files || external;
}

void print_failure(const kaiError* f)
{
    if (f->message == NULL)
        return;
    if (f->place.file != NULL)
        fprintf(stderr, "%s:%d:%d: ", f->place.file, f->place.line, f->place.column);
    else
        fputs("kairos: ", stderr);
    if (f->code != NULL)
        fprintf(stderr, "error[%s]: %s\n", f->code, f->message);
    else
        fprintf(stderr, "error: %s\n", f->message);
    if (f->help != NULL)
        fprintf(stderr, "help: %s\n", f->help);
}

void print_warnings(const kaiSim* sim)
{
    const kaiError* w;
    for (int i = 0; (w = kaiSim_Warning(sim, i)) != NULL; i++)
    {
        if (w->place.file != NULL)
            fprintf(stderr, "%s:%d:%d: ", w->place.file, w->place.line, w->place.column);
        fprintf(stderr, "warning: %s\n", w->message);
    }
}

int exit_code(kaiStatus status)
{
    switch (status)
    {
    case KAI_ERR_MODEL: return EXIT_MODEL;
    case KAI_ERR_USAGE: return EXIT_USAGE;
    case KAI_ERR_IO: return EXIT_FILE;
    case KAI_ERR_RUN:
    case KAI_ERR_MEMORY: return EXIT_RUN;
    default: return EXIT_DONE;
    }
}

bool explores_choices(const kaiSimOptions* options)
{
    return strcmp(options->choice, "all") == 0;
}

bool parse_number(const char* text, double* value)
{
    char* end;
    *value = strtod(text, &end);
    return end != text && *end == 0;
}

bool parse_override(const char* text, kaiOverride* out, char* name, size_t name_size, const char** why)
{
    const char* equals = strchr(text, '=');
    if (equals == NULL || equals == text || (size_t)(equals - text) >= name_size)
    {
        *why = "it must read name=value";
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    out->name = name;
    if (!parse_number(equals + 1, &out->value))
    {
        *why = "the value must be a number";
        return false;
    }
    return true;
}

const char* option_value(int argc, char** argv, int* i, const char* name)
{
    size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length] != 0)
        return NULL;
    if (*i + 1 >= argc)
        return "";
    return argv[++*i];
}
