// kairos: one program, one file a command.
#include "cli/cli.h"

#include <string.h>

typedef struct Command
{
    const char* name;
    int (*run)(int argc, char** argv);
    const char* usage;
    const char* about;
} Command;

static const Command commands[] = {
    {"run", command_run,
     "FILE [-e EXPERIMENT|--model NAME] [--set name=value]… [--stop T] [--solver S] [--balance TOL]\n"
     "              [-o FILE|-] [--view full|limits|unique] [--quiet]",
     "runs a model or an experiment (every combination of its sweeps) to CSV"},
    {"check", command_check, "FILE… [--print flat|schedule|impulses|causality] [-e EXPERIMENT]",
     "diagnostics only; exit 1 if any error"},
    {"test", command_test, "FILE|DIR…",
     "runs every experiment that has `expect`; the last line is `N passed, M failed`"},
    {"prove", command_prove,
     "FILE [-e EXPERIMENT] [--set name=value]… [--timeout S] [-o WITNESS.kai]\n"
     "              [--plot p,x -o FIGURE.svg|png|pdf]",
     "whether reactions can go on for ever at one instant; exit 0 proved, 1 refuted, 3 unknown"},
    {"plot", command_plot,
     "FILE|RESULT [-e EXPERIMENT,…] [-o FIGURE.svg|png|pdf] [--signals a,b]… [--against x] [--from T] [--to T]\n"
     "              [--instant T | --instants] [--size WxH] [--title TEXT] [--set name=value]… [--stop T] [--solver S] "
     "[--quiet]",
     "draws a model's experiment or a result, in the terminal without -o; --instant shows what happens inside one t"},
    {"explain", command_explain,
     "FILE [-e EXPERIMENT|--model NAME] [--set name=value]… [--stop T] [--solver S]\n"
     "              [--json] [-o REPORT.html]",
     "where the steps and the time of a run went, what its guards did, how accurate it is"},
    {"graph", command_graph,
     "FILE -o FIGURE.svg|png|pdf [-e EXPERIMENT|--model NAME] [--kind blocks|modes|bonds]\n"
     "              [--depth N] [--mode junction=mode]…",
     "draws the blocks and signals of a model, its state machines, or its bond graph"},
    {"fmt", command_fmt, "FILE… [--check]", "canonical layout; - reads standard input"},
};

enum
{
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

// Of every command that reads a model.
static const char allowing[] =
    "  [--allow-files]     a model may read imports and tables from anywhere, not only below its folder\n"
    "  [--allow-external]  a model may call C functions: trust it as you trust a program\n";

static int help(FILE* out)
{
    fprintf(out, "kairos %s: hybrid systems under one exact notion of time\n\n", kaiVersion());
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  kairos %-7s %s\n              %s\n", commands[i].name, commands[i].usage, commands[i].about);
    fprintf(out, "\n%s", allowing);
    fputs("\nexit codes\n"
          "  0  done\n"
          "  1  the model is wrong, or fmt --check found a file that is not in canonical layout\n"
          "  2  the call is wrong: an unknown option, solver, experiment, or name in --set\n"
          "  3  a run failed or was interrupted, a point of a sweep failed, or an expectation does not hold\n"
          "  4  a file cannot be read or written\n",
          out);
    return EXIT_DONE;
}

static const char* nearest_command(const char* word)
{
    const char* names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    return kaiNearest(word, names, COMMAND_COUNT);
}

int main(int argc, char** argv)
{
    if (argc < 2)
    {
        help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(stdout);
    if (strcmp(argv[1], "--version") == 0)
    {
        printf("kairos %s\n", kaiVersion());
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
        {
            for (int k = 2; k < argc; k++)
                if (strcmp(argv[k], "--help") == 0)
                {
                    printf("kairos %s %s\n  %s\n%s", commands[i].name, commands[i].usage, commands[i].about,
                           commands[i].run != command_fmt ? allowing : "");
                    return EXIT_DONE;
                }
            return commands[i].run(argc - 2, argv + 2);
        }
    const char* near = nearest_command(argv[1]);
    return usage_error("there is no command `%s`%s%s%s; see kairos --help", argv[1],
                       near != NULL ? "; did you mean `" : "", near != NULL ? near : "", near != NULL ? "`?" : "");
}
