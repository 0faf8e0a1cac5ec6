// Messages, options and numbers, the same in every command.
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// The name of an experiment, a model or a variable, a diagram of what is not there; or a value, which is a source of
// its own called --set or as its option. The call is wrong, not the model.
static bool is_about_the_call(const kaiError* d)
{
    static const char* const codes[] = {"K021", "K028", "K029", "K116", "K126", "K127", "K129"};
    for (size_t i = 0; d->place.file == NULL && i < sizeof codes / sizeof *codes; i++)
        if (strcmp(d->code, codes[i]) == 0)
            return true;
    return d->place.file != NULL && strncmp(d->place.file, "--", 2) == 0;
}

bool is_wrong_call(const kaiProgram* program)
{
    int errors = 0, wrong_calls = 0;
    const kaiError* d;
    for (int i = 0; (d = kaiProgram_Message(program, i)) != NULL; i++)
    {
        errors += d->severity == KAI_ERROR;
        wrong_calls += d->severity == KAI_ERROR && is_about_the_call(d);
    }
    return errors > 0 && wrong_calls == errors;
}

int report_answer(kaiProgram* program, kaiStatus status)
{
    int errors = 0;
    bool unknown_experiment = false;
    const kaiError* d;
    for (int i = 0; (d = kaiProgram_Message(program, i)) != NULL; i++)
    {
        errors += d->severity == KAI_ERROR;
        unknown_experiment |= strcmp(d->code, "K029") == 0 && d->place.file == NULL;
    }
    if (status == KAI_ERR_IO && errors == 1)
        fprintf(stderr, "kairos: %s\n", kaiProgram_Message(program, 0)->message);
    else
        print_messages(program);
    if (status == KAI_ERR_MEMORY)
        fputs("kairos: out of memory\n", stderr);
    if (status == KAI_INTERRUPTED)
        return fputs("kairos: interrupted\n", stderr), EXIT_RUN;
    if (unknown_experiment)
        list_experiments(program);
    return status == KAI_ERR_MODEL && is_wrong_call(program) ? EXIT_USAGE : exit_code(status);
}

bool is_same_file(const char* a, const char* b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino && S_ISREG(first.st_mode);
}

int spare_inputs(const kaiProgram* program, const char* output)
{
    if (output == NULL || !kaiProgram_HasRead(program, output))
        return EXIT_DONE;
    return usage_error("-o %s: the model reads this file, and the result would replace it", output);
}

int spare_file(const char* option, const char* read, const char* output)
{
    if (output == NULL || read == NULL || !is_same_file(read, output))
        return EXIT_DONE;
    return usage_error("-o %s: %s reads this file, and the result would replace it", output, option);
}

void print_failure(kaiProgram* program, const kaiError* f)
{
    if (f->message == NULL)
        return;
    const char* text = kaiProgram_ErrorText(program, f, isatty(2) && getenv("NO_COLOR") == NULL);
    if (f->place.file != NULL && text[0] != 0)
    {
        fputs(text, stderr);
        return;
    }
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

void print_warnings(kaiProgram* program, const kaiSim* sim)
{
    const kaiError* w;
    for (int i = 0; (w = kaiSim_Warning(sim, i)) != NULL; i++)
    {
        kaiError said = *w;
        said.severity = KAI_WARNING;
        const char* text = kaiProgram_ErrorText(program, &said, isatty(2) && getenv("NO_COLOR") == NULL);
        if (text[0] != 0)
        {
            fputs(text, stderr);
            continue;
        }
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
    case KAI_ERR_LIMIT:
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

enum
{
    TEXT_LARGEST = 1 << 28  // bytes: devices do not end
};

char* read_stream(FILE* in)
{
    size_t size = 0, capacity = 65536;
    char* text = malloc(capacity);
    while (text != NULL)
    {
        size += fread(text + size, 1, capacity - size - 1, in);
        if (size + 1 < capacity)
            break;
        capacity *= 2;
        char* more = capacity <= TEXT_LARGEST ? realloc(text, capacity) : NULL;
        errno = capacity <= TEXT_LARGEST ? errno : EFBIG;
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text != NULL && ferror(in))  // a folder, say
        free(text), text = NULL;
    if (text != NULL)
        text[size] = 0;
    return text;
}

int read_standard_input(kaiProgramOptions* options, char** text)
{
    if (strcmp(options->path, "-") != 0)
        return EXIT_DONE;
    *text = read_stream(stdin);
    if (*text == NULL)
    {
        fputs("kairos: standard input cannot be read\n", stderr);
        return EXIT_FILE;
    }
    options->path = "<stdin>";
    options->text = *text;
    return EXIT_DONE;
}

int print_listing(kaiProgram* program, const kaiCompileOptions* options, const char* what)
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

void say_variables(const kaiModel* model, bool parameters, const char* name, char* text, size_t size)
{
    enum
    {
        SHOWN = 8
    };
    const char* near = kaiModel_NearestVariable(model, name);
    size_t length = near != NULL ? (size_t)snprintf(text, size, "; did you mean `%s`?", near) : 0;
    kaiVariable v;
    int shown = 0;
    text[length < size ? length : 0] = 0;
    for (int i = 0; near == NULL && kaiModel_Variable(model, i, &v) && length + 1 < size; i++)
        if ((parameters || v.column != NULL) && shown++ < SHOWN)
            length +=
                (size_t)snprintf(text + length, size - length, "%s`%s`", shown == 1 ? "; there are " : ", ", v.name);
    if (shown > SHOWN && length + 1 < size)
        snprintf(text + length, size - length, " and %d more", shown - SHOWN);
}
