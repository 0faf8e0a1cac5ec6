// What the command line asks of a run, the same for `run` and `explain`: file, experiment, values, solver, output.
#ifndef KAIROS_CLI_REQUEST_H
#define KAIROS_CLI_REQUEST_H

#include "cli/cli.h"

enum
{
    OVERRIDE_MAX = 256,
    NAME_MAX_LENGTH = 200
};

// Options that only some of the commands have.
enum
{
    REQUEST_OUTPUT = 1,  // -o
    REQUEST_ROWS = 2,    // --view, --quiet
    REQUEST_JSON = 4,    // --json
};

// Holds what `load` points to: it must not be copied.
typedef struct RunRequest
{
    kaiProgramOptions source;
    kaiCompileOptions load;
    kaiProgram* program;  // once it is open
    kaiOverride overrides[OVERRIDE_MAX];
    char override_names[OVERRIDE_MAX][NAME_MAX_LENGTH];
    int chosen_of;  // how many experiments it was chosen from; 0: it was named, or there is none
    double stop;
    bool has_stop;
    double balance;      // 0: as the experiment says
    const char* output;  // NULL: standard output
    kaiView view;
    bool quiet, json;
} RunRequest;

// An exit code. `options`: what the command has beside those of every run, REQUEST_….
int request_parse(RunRequest* request, const char* command, int options, int argc, char** argv);
// A request that asks for nothing yet.
RunRequest request_begin(void);
// Opens the program, if it is not open yet, and names the first experiment of the file if none was named. An exit code.
int request_open(RunRequest* request);
void request_close(RunRequest* request);
// The model, with the messages of its compilation on stderr. An exit code.
int request_load(RunRequest* request, kaiModel** model);
// Parses, loads and hands the model to `work`: the frame of every command that runs a model. An exit code.
typedef int RequestWork(const RunRequest* request, const kaiModel* model);
int request_run(const char* command, int options, int argc, char** argv, RequestWork* work);
// What the experiment says and the command line replaces.
kaiSimOptions request_options(const RunRequest* request, const kaiModel* model);
// "Ball, experiment bounce (the first of 3)"
void request_title(const RunRequest* request, const kaiModel* model, char* text, size_t size);

#endif
