// kairos: one program, one file a command.
#include "cli/completions.h"

#include <malloc.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

typedef struct Command
{
    unsigned id;  // FOR_…
    int (*run)(int argc, char** argv);
    const char* usage;
    const char* about;
} Command;

static const Command commands[] = {
    {FOR_RUN, command_run, "FILE [OPTION…]",
     "runs a model or an experiment (every combination of its sweeps, every outcome of its choices) to a result; "
     "FILE may be - for standard input"},
    {FOR_RESUME, command_resume, "RESULT [-q]",
     "goes on with a run that had --checkpoint and was killed or interrupted, as if it had not been"},
    {FOR_CHECK, command_check, "FILE… [OPTION…]",
     "diagnostics only; exit 1 if any error; an FMU is held against the rules of its standard"},
    {FOR_TEST, command_test, "FILE|DIR… [OPTION…]",
     "runs every experiment that has `expect`; the last line is `N passed, M failed`"},
    {FOR_PROVE, command_prove, "FILE [OPTION…]",
     "whether reactions can go on for ever at one instant; exit 0 proved, 1 refuted, 3 unknown"},
    {FOR_PLOT, command_plot, "FILE|RESULT [OPTION…]",
     "draws a model's experiment or a result, in the terminal without -o; --instant shows what happens inside one t"},
    {FOR_COMPARE, command_compare, "RESULT RESULT [OPTION…]",
     "compares two results of any format, signal by signal, event by event; exit 0 if they are the same, 1 if not"},
    {FOR_EXPLAIN, command_explain, "FILE [OPTION…]",
     "where the steps and the time of a run went, what its guards did, how accurate it is"},
    {FOR_GRAPH, command_graph, "FILE -o FIGURE [OPTION…]",
     "draws the blocks and signals of a model, its state machines, or its bond graph"},
    {FOR_LINEARIZE, command_linearize, "FILE [OPTION…]",
     "the linear system A, B, C, D around a point of a run, with its poles; -o bode.svg draws its frequency response"},
    {FOR_STEADY, command_steady, "FILE [--period T|auto] [OPTION…]",
     "a steady state with its poles, or a periodic orbit with its multipliers, jumps included"},
    {FOR_SENSITIVITY, command_sensitivity, "FILE --by a,b [OPTION…]",
     "a run to CSV with the derivatives of its signals and of the times of its events with respect to parameters"},
    {FOR_FIT, command_fit, "FILE --data CSV --by a,b [OPTION…]",
     "parameters from measured signals or event times, with 95 % confidence"},
    {FOR_OPTIMIZE, command_optimize, "FILE --by a --low L --high H [OPTION…]",
     "the value of one parameter at which an expect or a final value is smallest"},
    {FOR_STUDY, command_study, "FILE [-o TABLE] [OPTION…]",
     "many runs with values from distributions, a grid or a list: a row for each run, and statistics"},
    {FOR_MERGE, command_merge, "TABLE… -o TABLE",
     "joins the tables of the shards of a study, and gives its statistics"},
    {FOR_FMT, command_fmt, "FILE… [--check]", "canonical layout, in place; - reads standard input"},
    {FOR_IMPORT, command_import, "NETLIST [-o FILE]",
     "a netlist of SPICE as a model of ideal parts; what is left out or not understood is said"},
    {FOR_EXPORT, command_export, "FILE -o MODEL.fmu [OPTION…]",
     "an experiment as an FMU for other programs: Model Exchange and Co-Simulation, FMI 2.0 or 3.0"},
    {FOR_LSP, command_lsp, "[OPTION…]",
     "the language server of editors, on standard input and output: messages, completion, rename, layout"},
    {FOR_STUDIO, command_studio, "[FILE|FOLDER] [OPTION…]",
     "a page in the browser in which models are written, run and looked at as one types; only this computer can open "
     "it"},
};

enum
{
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

static int help(FILE* out)
{
    fprintf(out, "kairos %s: hybrid systems under one exact notion of time\n\n", kaiVersion());
    for (int i = 0; i < COMMAND_COUNT; i++)
    {
        fprintf(out, "  kairos %-7s %s\n          ", command_name(commands[i].id), commands[i].usage);
        print_folded(out, commands[i].about, 10, 10);
    }
    fputs("\n  kairos COMMAND --help, -h    every option of a command\n"
          "  kairos --version, -V         the version\n"
          "  kairos --completions SHELL   a script for bash, zsh or fish that completes calls\n"
          "\nexit codes\n"
          "  0  done\n"
          "  1  the model is wrong, fmt --check found a file that is not in canonical\n"
          "     layout, or compare found a difference\n"
          "  2  the call is wrong: an unknown option, solver, experiment, or name in --set\n"
          "  3  a run failed or was interrupted, a point of a sweep failed, or an\n"
          "     expectation does not hold\n"
          "  4  a file cannot be read or written\n",
          out);
    return EXIT_DONE;
}

static int command_help(const Command* command)
{
    printf("kairos %s %s\n  ", command_name(command->id), command->usage);
    print_folded(stdout, command->about, 2, 2);
    options_help(command->id, stdout);
    return EXIT_DONE;
}

static int version(void)
{
    printf("kairos %s\n", kaiVersion());
    return EXIT_DONE;
}

static int completions(const char* shell)
{
    CompletedCommand list[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        list[i] = (CompletedCommand){commands[i].id, command_name(commands[i].id), commands[i].about};
    return completions_print(shell, list, COMMAND_COUNT);
}

static const char* nearest_command(const char* word)
{
    const char* names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = command_name(commands[i].id);
    return kaiWord_Nearest(word, names, COMMAND_COUNT);
}

static int run_command(const Command* command, int argc, char** argv)
{
    if (arguments_have(argc, argv, OPTION_HELP))
        return command_help(command);
    if (arguments_have(argc, argv, OPTION_VERSION))
        return version();
    return command->run(argc, argv);
}

static const Command* find_command(const char* name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, command_name(commands[i].id)) == 0)
            return &commands[i];
    return NULL;
}

// What was printed has arrived, or nobody reads it any more: a pipe that was closed is no error.
static bool is_printed(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    bool fine = fflush(stdout) == 0 && !ferror(stdout);
    return fine || (poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0);
}

static int answer(int argc, char** argv)
{
    if (argc < 2)
    {
        help(stderr);
        return EXIT_USAGE;
    }
    const Command* command = find_command(argv[1]);
    if (command != NULL)
        return run_command(command, argc - 2, argv + 2);
    bool asks = strcmp(argv[1], "help") == 0;
    if (asks && argc > 2 && (command = find_command(argv[2])) != NULL)
        return command_help(command);
    if (asks || arguments_have(1, argv + 1, OPTION_HELP))
        return help(stdout);
    if (arguments_have(1, argv + 1, OPTION_VERSION))
        return version();
    if (strcmp(argv[1], "--completions") == 0)
        return completions(argv[2]);
    const char* ending = strrchr(argv[1], '.');
    if (ending != NULL && strcmp(ending, ".kai") == 0)
        return usage_error("a command stands before the file, as `kairos run %s`; see kairos --help", argv[1]);
    if (strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0)
        return usage_error("write kairos --version");
    const char* near = nearest_command(argv[1]);
    if (near != NULL)
        return usage_error("there is no command `%s`; did you mean `%s`? See kairos --help", argv[1], near);
    return usage_error("there is no %s `%s`; see kairos --help", argv[1][0] == '-' ? "option" : "command", argv[1]);
}

// The memory of a run comes in blocks of 64 KB: glibc would ask the system for two at a time and give them back.
static void prepare_memory(void)
{
#ifdef M_TOP_PAD
    enum
    {
        AHEAD = 1 << 20
    };
    mallopt(M_TOP_PAD, AHEAD);
#endif
}

int main(int argc, char** argv)
{
    prepare_memory();
    int code = answer(argc, argv);
    if (code != EXIT_DONE || is_printed())
        return code;
    fputs("kairos: standard output cannot be written: is the disk full?\n", stderr);
    return EXIT_FILE;
}
