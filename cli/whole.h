// A file of text that has its name only when it is whole: whatever ends the program, a full disk or a signal, there is
// the old file or the new one. What is no regular file (a device, a pipe) is written to as it is.
#ifndef KAIROS_CLI_WHOLE_H
#define KAIROS_CLI_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct WholeFile
{
    const char* path;
    char part[4096];  // the name until then; "": there is none
    FILE* out;        // NULL: not open
} WholeFile;

// NULL or "-": standard output. An exit code; what is wrong has been said.
int whole_open(WholeFile* file, const char* path);
// With EXIT_DONE it gets its name; with any other code what was written goes away, and the code comes back.
int whole_close(WholeFile* file, int code);

#endif
