// kairos graph: a diagram of a model, to a figure.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum
{
    MODES_MOST = 256
};

typedef struct GraphRequest
{
    kaiProgramOptions source;
    kaiCompileOptions load;
    kaiDiagramOptions options;
    kaiModeChoice modes[MODES_MOST];
    char texts[MODES_MOST][200];
} GraphRequest;

static int set_kind(GraphRequest* r, const char* text)
{
    static const char* const names[] = {"blocks", "modes", "bonds"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
        {
            r->options.kind = (kaiDiagramKind)(KAI_DIAGRAM_BLOCKS + i);
            return EXIT_DONE;
        }
    return usage_error("--kind is blocks, modes or bonds, not `%s`", text);
}

static int set_depth(GraphRequest* r, const char* text)
{
    char* end;
    long depth = strtol(text, &end, 10);
    if (end == text || *end != 0 || depth < 0 || depth > 1000)
        return usage_error("--depth is a whole number from 0, not `%s`", text);
    r->options.depth = (int)depth;
    return EXIT_DONE;
}

// `machine=mode`, or a mode alone for the machine of the model itself.
static int add_mode(GraphRequest* r, const char* text)
{
    int index = r->options.mode_count;
    if (index == MODES_MOST || strlen(text) >= sizeof r->texts[0])
        return usage_error("--mode %s: at most %d of them, and shorter names", text, MODES_MOST);
    char* copy = strcpy(r->texts[index], text);
    char* equals = strchr(copy, '=');
    if (equals != NULL)
        *equals = 0;
    r->modes[index] = (kaiModeChoice){equals != NULL ? copy : "", equals != NULL ? equals + 1 : copy};
    r->options.modes = r->modes;
    r->options.mode_count++;
    return EXIT_DONE;
}

// False: argument *i is none of the options.
static bool parse_option(GraphRequest* r, int argc, char** argv, int* i, int* code)
{
    const char* value;
    if ((value = option_value(argc, argv, i, "-o")) != NULL)
        r->options.path = value;
    else if ((value = option_value(argc, argv, i, "-e")) != NULL ||
             (value = option_value(argc, argv, i, "--experiment")) != NULL)
        r->load.experiment = value;
    else if ((value = option_value(argc, argv, i, "--model")) != NULL)
        r->load.model = value;
    else if ((value = option_value(argc, argv, i, "--kind")) != NULL)
        *code = set_kind(r, value);
    else if ((value = option_value(argc, argv, i, "--mode")) != NULL)
        *code = add_mode(r, value);
    else if ((value = option_value(argc, argv, i, "--depth")) != NULL)
        *code = set_depth(r, value);
    else
        return parse_allow(argv[*i], &r->source.policy);
    return true;
}

static int parse(GraphRequest* r, int argc, char** argv)
{
    int code = EXIT_DONE;
    for (int i = 0; i < argc && code == EXIT_DONE; i++)
    {
        if (parse_option(r, argc, argv, &i, &code))
            continue;
        if (argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("graph has no option `%s`; see kairos graph --help", argv[i]);
        if (r->source.path != NULL)
            return usage_error("graph takes one file; `%s` is a second one", argv[i]);
        r->source.path = argv[i];
    }
    if (code == EXIT_DONE && r->source.path == NULL)
        return usage_error("graph needs a file; see kairos graph --help");
    if (code == EXIT_DONE && r->options.path == NULL)
        return usage_error("graph needs -o FIGURE.svg, .png or .pdf");
    return code;
}

int command_graph(int argc, char** argv)
{
    GraphRequest r = {.source = kaiDefaultProgramOptions(),
                      .load = kaiDefaultCompileOptions(),
                      .options = kaiDefaultDiagramOptions()};
    int code = parse(&r, argc, argv);
    if (code != EXIT_DONE)
        return code;
    kaiProgram* program = NULL;
    kaiError error;
    code = open_program(&r.source, &program);
    if (code != EXIT_DONE)
        return code;
    kaiStatus status = kaiProgram_Diagram(program, &r.load, &r.options, &error);
    if (status == KAI_ERR_USAGE)
        code = usage_error("-o %s: %s", r.options.path, error.message);
    else if (status == KAI_ERR_IO)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        code = EXIT_FILE;
    }
    else
        code = report_answer(program, status);
    kaiProgram_Free(program);
    return code;
}
