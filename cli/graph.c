// kairos graph: a diagram of a model, to a figure.
#include "cli/options.h"

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
    char* text;  // of standard input
} GraphRequest;

static int set_kind(GraphRequest* r, const char* text)
{
    static const char* const names[] = {"blocks", "modes", "bonds", "schematic"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0)
        {
            r->options.kind = (kaiDiagramKind)(KAI_DIAGRAM_BLOCKS + i);
            return EXIT_DONE;
        }
    return usage_error("--kind is blocks, modes, bonds or schematic, not `%s`", text);
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

static int take(void* user, const Arguments* a, Found found)
{
    GraphRequest* r = user;
    int code = EXIT_DONE;
    if (found == FOUND_FILE && r->source.path != NULL)
        return usage_error("graph takes one file; `%s` is a second one", a->value);
    if (found == FOUND_FILE)
        return r->source.path = a->value, EXIT_DONE;
    switch (a->option)
    {
    case OPTION_OUTPUT: r->options.path = a->value; break;
    case OPTION_EXPERIMENT: r->load.experiment = a->value; break;
    case OPTION_MODEL: r->load.model = a->value; break;
    case OPTION_KIND: return set_kind(r, a->value);
    case OPTION_MODE: return add_mode(r, a->value);
    case OPTION_DEPTH: return set_depth(r, a->value);
    default: take_rights(&r->source, a, &code);
    }
    return code;
}

static int parse(GraphRequest* r, int argc, char** argv)
{
    int code = arguments_each(FOR_GRAPH, argc, argv, take, r);
    if (code == EXIT_DONE && r->source.path == NULL)
        return usage_error("graph needs a file; see kairos graph --help");
    if (code == EXIT_DONE && r->options.path == NULL)
        return usage_error("graph needs -o FIGURE.svg, .png or .pdf");
    return code == EXIT_DONE ? read_standard_input(&r->source, &r->text) : code;
}

int command_graph(int argc, char** argv)
{
    GraphRequest r = {
        .source = source_options(), .load = kaiDefaultCompileOptions(), .options = kaiDefaultDiagramOptions()};
    kaiProgram* program = NULL;
    kaiError error;
    int code = parse(&r, argc, argv);
    if (code == EXIT_DONE)
        code = open_program(&r.source, &program);
    if (code == EXIT_DONE)
        code = spare_inputs(program, r.options.path);
    if (code == EXIT_DONE)
    {
        kaiStatus status = kaiProgram_Diagram(program, &r.load, &r.options, &error);
        if (status == KAI_ERR_USAGE)
            code = usage_error("-o %s: %s", r.options.path, error.message);
        else if (status == KAI_ERR_IO && kaiProgram_ErrorCount(program) == 0)
        {
            fprintf(stderr, "kairos: %s\n", error.message);
            code = EXIT_FILE;
        }
        else
            code = report_answer(program, status);
    }
    kaiProgram_Free(program);
    free(r.text);
    return code;
}
