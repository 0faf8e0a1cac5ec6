// kairos import: a netlist of SPICE as a model; a system of FMUs as a folder with the model that it is.
#include "cli/options.h"
#include "cli/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ImportCall
{
    kaiProgramOptions source;
    const char* output;  // NULL: standard output
    char* text;          // of standard input
} ImportCall;

static int take(void* user, const Arguments* a, Found found)
{
    ImportCall* c = user;
    if (found == FOUND_FILE && c->source.path != NULL)
        return usage_error("import takes one netlist; `%s` is a second one", a->value);
    if (found == FOUND_FILE)
        c->source.path = a->value;
    else if (a->option == OPTION_OUTPUT)
        c->output = a->value;
    int code = EXIT_DONE;
    if (found != FOUND_FILE)
        take_rights(&c->source, a, &code);
    return code;
}

static int parse(ImportCall* c, int argc, char** argv)
{
    int code = arguments_each(FOR_IMPORT, argc, argv, take, c);
    if (code != EXIT_DONE)
        return code;
    if (c->source.path == NULL)
        return usage_error("import needs a netlist, or - for standard input");
    if (c->output != NULL && strcmp(c->output, "-") == 0)
        c->output = NULL;
    if (c->output != NULL && is_same_file(c->source.path, c->output))
        return usage_error("-o %s is the netlist itself", c->output);
    return read_standard_input(&c->source, &c->text);
}

static int write_text(const char* path, const char* text)
{
    WholeFile file;
    int code = whole_open(&file, path);
    if (code == EXIT_DONE)
        fputs(text, file.out);
    return whole_close(&file, code);
}

static void print_netlist_messages(kaiSpice* spice)
{
    bool colour = isatty(2) && getenv("NO_COLOR") == NULL;
    for (int i = 0; i < kaiSpice_MessageCount(spice); i++)
    {
        const char* text = kaiSpice_MessageText(spice, i, colour);
        fputs(text, stderr);
        if (text[0] != 0 && text[strlen(text) - 1] != '\n')
            fputs("\n", stderr);
    }
}

static int import_ssp(const ImportCall* c)
{
    kaiError error;
    if (c->output == NULL)
        return usage_error("import of a system needs -o FOLDER, for its FMUs and system.kai");
    if (mkdir(c->output, 0777) != 0 && errno != EEXIST)
    {
        fprintf(stderr, "kairos: %s cannot be made: %s\n", c->output, strerror(errno));
        return EXIT_FILE;
    }
    kaiStatus status = kaiSsp_Read(c->source.path, c->output, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}

int command_import(int argc, char** argv)
{
    ImportCall call = {.source = kaiDefaultProgramOptions()};
    kaiSpice* spice = NULL;
    kaiError error;
    int code = parse(&call, argc, argv);
    if (code == EXIT_DONE && is_ssp(call.source.path))
        return import_ssp(&call);
    if (code == EXIT_DONE)
    {
        kaiStatus status = kaiSpice_Import(&call.source, &spice, &error);
        if (spice == NULL)
            fprintf(stderr, "kairos: %s\n", error.message);
        print_netlist_messages(spice);
        code = status == KAI_OK ? write_text(call.output, kaiSpice_Text(spice)) : exit_code(status);
    }
    kaiSpice_Free(spice);
    free(call.text);
    return code;
}
