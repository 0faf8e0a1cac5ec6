// A run as the program does it: load, simulate, write rows, say what happened.
#ifndef KAIROS_CLI_RUNNER_H
#define KAIROS_CLI_RUNNER_H

#include "cli/cli.h"

enum
{
    OVERRIDE_MAX = 256
};

typedef struct RunRequest
{
    kaiLoadOptions load;
    kaiOverride overrides[OVERRIDE_MAX];
    char override_names[OVERRIDE_MAX][200];
    double stop;
    bool has_stop;
    const char* output;  // NULL: standard output
    kaiView view;
    bool quiet;
} RunRequest;

// Exit code.
int run_request(RunRequest* request);

// The experiment to run if none was named: the only one, or the first. NULL: the file has none (or cannot be read).
void choose_experiment(kaiLoadOptions* load, char* name, size_t size);

#endif
