// kairos prove: whether time diverges, before any run. Exit 0 proved, 1 refuted, 3 unknown.
#include "cli/request.h"
#include "cli/whole.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct ProveCall
{
    RunRequest request;
    kaiProveOptions options;
    const char* output;  // of the witness, or with --plot of the figure
    char names[2][NAME_MAX_LENGTH];
} ProveCall;

// `p,x`: the two states of the phase space.
static int parse_plot(ProveCall* c, const char* value)
{
    const char* comma = strchr(value, ',');
    if (comma == NULL || comma == value || comma[1] == 0 || strlen(value) >= NAME_MAX_LENGTH)
        return usage_error("--plot %s: it must read p,x with the names of two states", value);
    snprintf(c->names[0], NAME_MAX_LENGTH, "%.*s", (int)(comma - value), value);
    snprintf(c->names[1], NAME_MAX_LENGTH, "%s", comma + 1);
    c->options.plot_x = c->names[0];
    c->options.plot_y = c->names[1];
    return EXIT_DONE;
}

static int take(void* user, const Arguments* a, Found found)
{
    ProveCall* c = user;
    int code = EXIT_DONE;
    if (found == FOUND_OPTION && a->option == OPTION_TIMEOUT)
        return parse_number(a->value, &c->options.timeout) && c->options.timeout > 0
                   ? EXIT_DONE
                   : usage_error("--timeout %s: it must be a number of seconds", a->value);
    if (found == FOUND_OPTION && a->option == OPTION_PHASE)
        return parse_plot(c, a->value);
    request_take(&c->request, a, found, &code);
    return code;
}

static int parse(ProveCall* c, int argc, char** argv)
{
    int code = arguments_each(FOR_PROVE, argc, argv, take, c);
    c->output = c->request.output;
    if (code == EXIT_DONE && c->options.plot_x != NULL && c->output == NULL)
        return usage_error("--plot needs -o FIGURE.svg");
    if (c->options.plot_x != NULL)
    {
        c->options.figure = c->output;
        c->output = NULL;
    }
    return code == EXIT_DONE ? request_ready(&c->request, FOR_PROVE) : code;
}

static int write_experiment(const char* path, const char* text)
{
    WholeFile file;
    int code = whole_open(&file, path);
    if (code == EXIT_DONE)
        fputs(text, file.out);
    return whole_close(&file, code);
}

// Whether a witness at `path` may import the model: it does so from its own folder and below without being asked.
static bool lies_below(const char* path, const char* model)
{
    char folder[PATH_MAX], real[PATH_MAX], name[PATH_MAX];
    const char* slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1, slash != NULL ? path : ".");
    if (realpath(name, folder) == NULL || realpath(model, real) == NULL)
        return true;
    size_t length = strlen(folder);
    return strncmp(folder, real, length) == 0 && (real[length] == '/' || folder[length - 1] == '/');
}

static int say_witness(const ProveCall* c, const kaiProof* proof)
{
    const char* experiment = kaiProof_Experiment(proof);
    if (experiment == NULL)
        return EXIT_DONE;
    if (kaiProof_Replay(proof) != NULL)
        printf("replay: %s\n", kaiProof_Replay(proof));
    else
        printf("replay: in doubles the run comes to rest; the cycle needs the exact values\n");
    if (c->output == NULL)
    {
        printf("witness (-o writes it to a file):\n%s", experiment);
        return EXIT_DONE;
    }
    printf("witness: kairos run%s%s %s\n", lies_below(c->output, c->request.source.path) ? "" : " --allow-files",
           c->request.source.policy.allow_external ? " --allow-external" : "", c->output);
    return write_experiment(c->output, experiment);
}

static int conclude(const ProveCall* c, const kaiProof* proof)
{
    fputs(kaiProof_Text(proof), stdout);
    int code = say_witness(c, proof);
    if (kaiProof_NoFigure(proof) != NULL)
    {
        fprintf(stderr, "kairos: no figure: %s\n", kaiProof_NoFigure(proof));
        return EXIT_FILE;
    }
    if (code != EXIT_DONE)
        return code;
    switch (kaiProof_Answer(proof))
    {
    case KAI_PROVED: return EXIT_DONE;
    case KAI_REFUTED: return EXIT_MODEL;
    default: return EXIT_RUN;
    }
}

int command_prove(int argc, char** argv)
{
    static ProveCall call;
    call.options = kaiDefaultProveOptions();
    request_begin(&call.request);
    kaiProof* proof = NULL;
    int code = parse(&call, argc, argv);
    if (code == EXIT_DONE)
        code = request_open(&call.request);
    if (code == EXIT_DONE)
        code = spare_inputs(call.request.program, call.request.output);
    if (code == EXIT_DONE)
        code = report_answer(call.request.program,
                             kaiProgram_Prove(call.request.program, &call.request.load, &call.options, &proof));
    if (code == EXIT_DONE)
        code = conclude(&call, proof);
    kaiProof_Free(proof);
    request_close(&call.request);
    return code;
}
