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
int command_import(int argc, char** argv);
int command_export(int argc, char** argv);
int command_resume(int argc, char** argv);
int command_lsp(int argc, char** argv);
int command_studio(int argc, char** argv);
int command_linearize(int argc, char** argv);
int command_sensitivity(int argc, char** argv);
int command_compare(int argc, char** argv);
int command_steady(int argc, char** argv);
int command_study(int argc, char** argv);
int command_fit(int argc, char** argv);
int command_optimize(int argc, char** argv);
int command_merge(int argc, char** argv);

// fmu.c: whether a file is an FMU, by its name; all that is wrong with it on stderr. An exit code.
bool is_fmu(const char* path);
// What the model has instead of the name that it does not have: "; did you mean `x`?", "; there are `x`, `y`".
// With parameters, or what has a column only.
void say_variables(const kaiModel* model, bool parameters, const char* name, char* text, size_t size);
// The text of a model that is this FMU alone. An exit code.
int read_fmu(kaiProgramOptions* source, const char* type, char** text);
int check_fmu(const char* path, const kaiProgramOptions* source);

// A sentence on stderr, "kairos: …", and the exit code for a wrong call.
int usage_error(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ssp.c: whether a file is a system of FMUs, by its name; what is wrong with it on stderr. An exit code.
bool is_ssp(const char* path);
int check_ssp(const char* path);
// The model of a system, unpacked to a folder of its own: what `source` reads from then on. An exit code; both are to
// be freed, and the folder removed, in any case.
int read_ssp(kaiProgramOptions* source, char** folder, char** model);
void remove_ssp(char* folder);  // with what is in it; NULL is fine

// Opens the program: an exit code. A text with errors is opened too; the first question to it reports them.
int open_program(const kaiProgramOptions* options, kaiProgram** program);
// All messages of the last question on stderr.
void print_messages(kaiProgram* program);
// The same and the exit code of the question: a wrong name on the command line is wrong usage, and an unknown
// experiment lists those that there are.
int report_answer(kaiProgram* program, kaiStatus status);
// Whether `output` (or NULL) is none of the files that the model was read from; otherwise that is said. An exit code.
int spare_inputs(const kaiProgram* program, const char* output);
// The same for a file that an option names; `read` or `output` NULL: there is none.
int spare_file(const char* option, const char* read, const char* output);
// A failed run on stderr, in the form of a diagnostic.
void print_failure(kaiProgram* program, const kaiError* failure);
void print_warnings(kaiProgram* program, const kaiSim* sim);
int exit_code(kaiStatus status);
// choice = all: a run is explored, it has outcomes.
bool explores_choices(const kaiSimOptions* options);

bool parse_number(const char* text, double* value);

// If the file is `-`: the text of standard input, which the caller frees. An exit code.
int read_standard_input(kaiProgramOptions* options, char** text);
// All of a stream, ending in 0; NULL: it cannot be read.
char* read_stream(FILE* in);
// Two names of one regular file: links, other spellings of the path.
bool is_same_file(const char* a, const char* b);
// Every error is one of the call: a wrong name or value in an option.
bool is_wrong_call(const kaiProgram* program);
// A listing of the model (kaiProgram_List) on standard output. An exit code.
int print_listing(kaiProgram* program, const kaiCompileOptions* options, const char* what);

#endif
