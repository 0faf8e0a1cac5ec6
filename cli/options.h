// Arguments of a command, one at a time: files, options of the program (options.def), and an option for every setting
// of an experiment (kairos/settings.h). `--name value`, `--name=value`, `-o FILE`, `-oFILE`, `-qo FILE`; after `--`
// there are only files; `-` is a file.
#ifndef KAIROS_CLI_OPTIONS_H
#define KAIROS_CLI_OPTIONS_H

#include "cli/cli.h"

// The commands that an option belongs to.
enum
{
    FOR_RUN = 1,
    FOR_CHECK = 2,
    FOR_TEST = 4,
    FOR_PLOT = 8,
    FOR_EXPLAIN = 16,
    FOR_PROVE = 32,
    FOR_GRAPH = 64,
    FOR_FMT = 128,
    FOR_IMPORT = 256,
    FOR_RESUME = 512,
    FOR_LSP = 1024,
    FOR_STUDIO = 2048,
    FOR_EXPORT = 4096,
    FOR_ALL =
        511 | FOR_LSP | FOR_STUDIO | FOR_EXPORT,  // but resume, which has the options of the run that it goes on with
    FOR_LINEARIZE = 1 << 16,
    FOR_STEADY = 1 << 17,
    FOR_SENSITIVITY = 1 << 18,
    FOR_FIT = 1 << 19,
    FOR_OPTIMIZE = 1 << 20,
    FOR_STUDY = 1 << 21,
    FOR_MERGE = 1 << 22,
    FOR_COMPARE = 1 << 23,
    FOR_LAST = FOR_COMPARE,
    FOR_EVERY = 2 * FOR_LAST - 1,
    FOR_ANALYSIS = FOR_LINEARIZE | FOR_STEADY | FOR_SENSITIVITY | FOR_FIT | FOR_OPTIMIZE | FOR_STUDY,
};

typedef enum OptionId
{
#define OPTION(id, letter, name, argument, commands, text) OPTION_##id,
#include "cli/options.def"
#undef OPTION
    OPTION_SETTING,  // of an experiment: Arguments.setting
} OptionId;

typedef enum Found
{
    FOUND_END,
    FOUND_FILE,    // Arguments.value
    FOUND_OPTION,  // Arguments.option, and its value
    FOUND_WRONG,   // said; EXIT_USAGE
} Found;

typedef struct Arguments
{
    unsigned command;  // FOR_…
    int argc;
    char** argv;
    int next;
    bool only_files;  // after `--`
    char* letters;    // what is left of `-qo`; NULL: nothing
    OptionId option;
    const kaiSetting* setting;
    char* value;  // NULL: the option takes none
    char name[80];
} Arguments;

Found arguments_next(Arguments* arguments);
// Goes through all of them; `use` has an exit code for each. An exit code.
typedef int ArgumentUse(void* user, const Arguments* arguments, Found found);
int arguments_each(unsigned command, int argc, char** argv, ArgumentUse* use, void* user);
// What a shell completes: the options of a command, those for settings too. Returns how many are in the list.
typedef struct CompletedOption
{
    char letter;  // 0: none
    char name[40];
    const char *argument, *text;  // argument NULL: none
    const kaiSetting* setting;    // NULL: none
} CompletedOption;
int options_list(unsigned command, CompletedOption* list, int most);
// Whether `letter` or --name stands before `--`.
bool arguments_have(int argc, char** argv, OptionId option);

// What a program is opened with unless an option says otherwise: a quarter of the machine's memory, ended by Ctrl-C.
kaiProgramOptions source_options(void);
// --allow-files, --allow-external, --time, --memory. False: the option is none of them. *code: an exit code.
bool take_rights(kaiProgramOptions* source, const Arguments* arguments, int* code);

const char* command_name(unsigned command);
// Every option of the command with its explanation, in 80 columns.
void options_help(unsigned command, FILE* out);
// `text` in lines of 80 columns, all but the first behind `indent` blanks; the first begins at column `column`.
void print_folded(FILE* out, const char* text, int column, int indent);

#endif
