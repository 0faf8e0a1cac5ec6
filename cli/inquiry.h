// What the commands share that ask about a model more than one run tells: linearize, steady, sensitivity, fit,
// optimize, study. A request with options of their own, and lists of variables by name.
#ifndef KAIROS_CLI_INQUIRY_H
#define KAIROS_CLI_INQUIRY_H

#include "cli/request.h"

enum
{
    INQUIRY_NAMES = 256,  // variables in one list
    MEASURES_MOST = 64
};

// measures.c: what --measure names.
typedef struct Measures
{
    kaiGiven at[MEASURES_MOST];  // their texts are its own
    int count;
    bool expressions;  // some are more than a name
} Measures;

typedef struct Inquiry
{
    RunRequest* run;
    const kaiModel* model;
    double at;  // NaN: not given
    bool steady;
    const char* data[2];  // of a fit
    int data_count;
    double low, high;  // NaN: not given
    bool maximise;
    Measures measures;
    const char *design, *points, *figure;               // of a study; NULL: not given
    const char *keep, *trajectories, *chart, *signals;  // the same
    double runs, threads, run_number;                   // 0: not given
    int shard, shards;                                  // from 0; shards 0: not given
    const char *inputs, *outputs, *by, *period;         // lists as written; NULL: not given
} Inquiry;

// Parses, loads and hands the model to `work`. An exit code.
typedef int InquiryWork(const Inquiry* inquiry);
int inquiry_run(unsigned command, int argc, char** argv, InquiryWork* work);

// "a,b" as numbers of variables, at most INQUIRY_NAMES; *count: how many. An exit code.
int inquiry_variables(const Inquiry* inquiry, const char* option, const char* list, int* variables, int* count);
// measures.c: the items of one --measure. Into the options of the compiler, if some are expressions. Otherwise the
// variables that they name. Exit codes.
int measures_add(Measures* measures, const char* text);
int measures_compile(Measures* measures, kaiCompileOptions* load);
int measures_variables(const Inquiry* inquiry, int* variables, int* count);
void measures_free(Measures* measures);
// *error on standard error, and its exit code.
int inquiry_failed(const Inquiry* inquiry, const kaiError* error);
// A list of numbers as JSON: "name": [1, 2].
void inquiry_json_numbers(FILE* out, const char* name, const double* values, int count);
void inquiry_json_matrix(FILE* out, const char* name, const double* values, int rows, int columns);
void inquiry_json_names(FILE* out, const char* name, const kaiModel* model, const int* variables, int count);

#endif
