// What the commands of the program share. Exit codes: 0 done, 1 the model is wrong, 2 usage, 3 the run failed, 4 I/O.
#ifndef KAIROS_CLI_CLI_H
#define KAIROS_CLI_CLI_H

#include "kairos/kairos.h"

#include <stdbool.h>
#include <stdio.h>

enum
{
    EXIT_DONE = 0,
    EXIT_MODEL = 1,
    EXIT_USAGE = 2,
    EXIT_RUN = 3,
    EXIT_FILE = 4,
};

int command_run(int argc, char** argv);
int command_check(int argc, char** argv);
int command_test(int argc, char** argv);
int command_plot(int argc, char** argv);
int command_explain(int argc, char** argv);
int command_graph(int argc, char** argv);
int command_prove(int argc, char** argv);
int command_fmt(int argc, char** argv);

// A sentence on stderr, "kairos: …", and the exit code for a wrong call.
int usage_error(const char* format, ...) __attribute__((format(printf, 1, 2)));

// All messages of a compilation on stderr.
void print_messages(kaiMessages* messages);
// The same after a load, and its exit code: a file that cannot be read is one sentence, a wrong name on the command
// line is wrong usage, and an unknown experiment lists those that there are.
int report_load(const kaiLoadOptions* options, kaiStatus status, kaiMessages* messages);
// A failed run on stderr, in the form of a diagnostic.
void print_failure(const kaiFailure* failure);
void print_warnings(const kaiSim* sim);
int exit_code(kaiStatus status);
// choice = all: a run is explored, it has outcomes.
bool explores_choices(const kaiSimOptions* options);

bool parse_number(const char* text, double* value);

// If the file is `-`: the text of standard input, which the caller frees. An exit code.
int read_standard_input(kaiLoadOptions* options, char** text);
// All of a stream, ending in 0; NULL: it cannot be read.
char* read_stream(FILE* in);
// Every error is one of the call: a wrong name or value in an option.
bool is_wrong_call(kaiMessages* messages);
// A listing of the model (kaiModel_Print) on standard output. An exit code.
int print_listing(const kaiLoadOptions* options, const char* what);

#endif
