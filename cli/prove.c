// kairos prove: whether time diverges, before any run. Exit 0 proved, 1 refuted, 3 unknown.
#include "cli/request.h"

#include <errno.h>
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
    FILE* file = fopen(path, "w");
    bool fine = file != NULL && fputs(text, file) >= 0;
    fine = file != NULL && fclose(file) == 0 && fine;
    if (fine)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s cannot be written: %s\n", path, strerror(errno));
    return EXIT_FILE;
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
    printf("witness: kairos run %s\n", c->output);
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
    call = (ProveCall){.request = {.load = kaiDefaultLoadOptions()}, .options = kaiDefaultProveOptions()};
    int code = parse(&call, argc, argv);
    if (code != EXIT_DONE)
        return code;
    request_choose(&call.request);
    kaiProof* proof = NULL;
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Prove(&call.request.load, &call.options, &proof, &messages);
    code = report_load(&call.request.load, status, messages);
    if (code == EXIT_DONE)
        code = conclude(&call, proof);
    kaiProof_Free(proof);
    kaiMessages_Free(messages);
    free(call.request.text);
    return code;
}
