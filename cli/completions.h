// Completions of the command line for shells, from the same tables as the parser and the help.
#ifndef KAIROS_CLI_COMPLETIONS_H
#define KAIROS_CLI_COMPLETIONS_H

#include "cli/options.h"

typedef struct CompletedCommand
{
    unsigned id;  // FOR_…
    const char *name, *about;
} CompletedCommand;

// `shell` is bash, zsh or fish: the script that it reads, to standard output. An exit code.
int completions_print(const char* shell, const CompletedCommand* commands, int count);

#endif
