// One thread per core for work that divides itself.
#ifndef KAIROS_CLI_WORKERS_H
#define KAIROS_CLI_WORKERS_H

#include <stdint.h>

enum
{
    WORKERS_MAX = 64
};

// As many as there are cores, but not more than jobs.
int workers_wanted(int64_t jobs);
// Runs `work(user)` in that many threads and waits for all. If no thread can be made, in this one.
void workers_run(int count, void* (*work)(void* user), void* user);

#endif
