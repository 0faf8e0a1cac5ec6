// Runs as the program does them: simulate, write rows, say what happened. Each gives an exit code.
#ifndef KAIROS_CLI_RUNNER_H
#define KAIROS_CLI_RUNNER_H

#include "cli/progress.h"
#include "cli/request.h"

// What every run begins with: options of the request, progress, rows to `row`. NULL: the options are wrong, which was
// said.
kaiSim* runner_open(const RunRequest* request, const kaiModel* model, Progress* progress, kaiRowFn* row, void* user,
                    int* code);
// One run.
int run_once(const RunRequest* request, const kaiModel* model);
// Every outcome of choice = all.
int run_branches(const RunRequest* request, const kaiModel* model);
// Every combination of the swept values, on all cores.
int run_sweep(const RunRequest* request, const kaiModel* model);

// Where the checkpoint of a result lies.
void checkpoint_path(const char* result, char* path, size_t size);

// "94 rows (view full)"; the other views have fewer rows than tags were recorded.
void print_rows(int64_t recorded, kaiView view);

#endif
