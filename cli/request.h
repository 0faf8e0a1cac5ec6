// What the command line asks of a run, the same for `run` and `explain`: file, experiment, values, solver, output.
#ifndef KAIROS_CLI_REQUEST_H
#define KAIROS_CLI_REQUEST_H

#include "cli/options.h"

enum
{
    OVERRIDE_MAX = 256,
    NAME_MAX_LENGTH = 200,
    SETTINGS_GIVEN_MAX = 64,
};

// Holds what `load` points to: it must not be copied.
typedef struct RunRequest
{
    kaiProgramOptions source;
    kaiCompileOptions load;
    kaiProgram* program;            // once it is open
    kaiGiven values[OVERRIDE_MAX];  // --set
    char value_names[OVERRIDE_MAX][NAME_MAX_LENGTH];
    kaiGiven settings[SETTINGS_GIVEN_MAX];  // --rtol …
    int chosen_of;                          // how many it was chosen from; 0: it was named, or there is none
    const char* output;                     // NULL: standard output
    kaiView view;
    bool quiet, json, list, all_values;
    char* text;            // of standard input, or of an FMU that is run alone
    char *folder, *path;   // where a system of FMUs is unpacked, and its model there; NULL: this is none
    double checkpoint;     // every so much model time; 0: never
    const char* input;     // values of inputs; NULL: none
    const char* fmi_type;  // of an FMU that is run alone; NULL: as it likes best
    double pace;           // model time in a second of real time; 0: as fast as it goes
    int argc;              // of the call, for checkpoints
    char** argv;
    const kaiCheckpoint* resumed;  // where to go on; NULL: from the start
} RunRequest;

// One argument of a command that runs a model: -e, --model, --set, a setting, -o, --view, --quiet, --json, --list, the
// file. False: it is none of these. *code: an exit code.
bool request_take(RunRequest* request, const Arguments* arguments, Found found, int* code);
// All arguments, of a command that has no others. An exit code.
int request_parse(RunRequest* request, unsigned command, int argc, char** argv);
// After the arguments: is there a file; reads the text of `-`. An exit code.
int request_ready(RunRequest* request, unsigned command);
// A request that asks for nothing yet; it must be zero before.
void request_begin(RunRequest* request);
// Opens the program, if it is not open yet, and names the first experiment of the file if none was named. An exit code.
int request_open(RunRequest* request);
void request_close(RunRequest* request);
// --list: experiments and variables on standard output. An exit code.
int request_list(RunRequest* request);
// The model, with the messages of its compilation on stderr. An exit code.
int request_load(RunRequest* request, kaiModel** model);
// Parses, loads and hands the model to `work`: the frame of every command that runs a model. An exit code.
typedef int RequestWork(const RunRequest* request, const kaiModel* model);
int request_run(unsigned command, int argc, char** argv, RequestWork* work);
// The same from a checkpoint on.
int request_go_on(unsigned command, int argc, char** argv, const kaiCheckpoint* resumed, RequestWork* work);
// What the experiment says and the command line replaces.
kaiSimOptions request_options(const RunRequest* request, const kaiModel* model);
// "Ball, experiment bounce (the first of 3)"
void request_title(const RunRequest* request, const kaiModel* model, char* text, size_t size);

#endif
