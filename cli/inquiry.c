// See inquiry.h.
#include "cli/inquiry.h"

#include "cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int set_number(const char* option, const char* text, double* value)
{
    if (parse_number(text, value) && isfinite(*value))
        return EXIT_DONE;
    return usage_error("%s %s: it must be a number", option, text);
}

static int set_count(const char* option, const char* text, double* value)
{
    if (parse_number(text, value) && *value >= 1 && *value <= 1e15 && *value == floor(*value))
        return EXIT_DONE;
    return usage_error("%s %s: it must be a whole number from 1 on", option, text);
}

static int set_shard(Inquiry* q, const char* text)
{
    char end;
    if (sscanf(text, "%d/%d%c", &q->shard, &q->shards, &end) == 2 && q->shard >= 1 && q->shard <= q->shards)
        return q->shard--, EXIT_DONE;
    return usage_error("--shard %s: it must read I/N, as 2/7, with I from 1 to N", text);
}

// False: the option is none of these.
static bool take_study(Inquiry* q, const Arguments* a, int* code)
{
    switch (a->option)
    {
    case OPTION_RUNS: *code = set_count("--runs", a->value, &q->runs); break;
    case OPTION_DESIGN: q->design = a->value; break;
    case OPTION_POINTS: q->points = a->value; break;
    case OPTION_MEASURE: *code = measures_add(&q->measures, a->value); break;
    case OPTION_KEEP: q->keep = a->value; break;
    case OPTION_TRAJECTORIES: q->trajectories = a->value; break;
    case OPTION_RUN: *code = set_count("--run", a->value, &q->run_number); break;
    case OPTION_CHART: q->chart = a->value; break;
    case OPTION_SIGNALS: q->signals = a->value; break;
    case OPTION_FIGURE: q->figure = a->value; break;
    case OPTION_SHARD: *code = set_shard(q, a->value); break;
    case OPTION_THREADS: *code = set_count("--threads", a->value, &q->threads); break;
    default: return false;
    }
    return true;
}

static bool take_own(Inquiry* q, const Arguments* a, int* code)
{
    switch (a->option)
    {
    case OPTION_AT: *code = set_number("--at", a->value, &q->at); break;
    case OPTION_STEADY: q->steady = true; break;
    case OPTION_LOW: *code = set_number("--low", a->value, &q->low); break;
    case OPTION_HIGH: *code = set_number("--high", a->value, &q->high); break;
    case OPTION_MAXIMISE: q->maximise = true; break;
    case OPTION_DATA:
        if (q->data_count == 2)
            *code = usage_error("--data: at most two files");
        else
            q->data[q->data_count++] = a->value;
        break;
    case OPTION_INPUTS: q->inputs = a->value; break;
    case OPTION_OUTPUTS: q->outputs = a->value; break;
    case OPTION_BY: q->by = a->value; break;
    case OPTION_PERIOD: q->period = a->value; break;
    default: return false;
    }
    return true;
}

static int take(void* user, const Arguments* a, Found found)
{
    Inquiry* q = user;
    int code = EXIT_DONE;
    if (found == FOUND_FILE || (!take_own(q, a, &code) && !take_study(q, a, &code)))
        request_take(q->run, a, found, &code);
    return code;
}

static int work_on(Inquiry* q, InquiryWork* work)
{
    kaiModel* model = NULL;
    interrupt_catch();
    int code = measures_compile(&q->measures, &q->run->load);
    if (code == EXIT_DONE)
        code = request_load(q->run, &model);
    q->model = model;
    if (code == EXIT_DONE)
        code = spare_inputs(q->run->program, q->run->output);
    if (code == EXIT_DONE)
        code = spare_file("--points", q->points, q->run->output);
    for (int i = 0; i < q->data_count && code == EXIT_DONE; i++)
        code = spare_file("--data", q->data[i], q->run->output);
    if (code == EXIT_DONE)
        code = work(q);
    kaiModel_Free(model);
    return code;
}

int inquiry_run(unsigned command, int argc, char** argv, InquiryWork* work)
{
    static RunRequest run;  // large, and zero already
    Inquiry q = {.run = &run, .at = NAN, .low = NAN, .high = NAN};
    request_begin(&run);
    int code = arguments_each(command, argc, argv, take, &q);
    if (code == EXIT_DONE)
        code = request_ready(&run, command);
    if (code == EXIT_DONE)
        code = run.list ? request_list(&run) : work_on(&q, work);
    request_close(&run);
    measures_free(&q.measures);
    return code;
}

int inquiry_variables(const Inquiry* q, const char* option, const char* list, int* variables, int* count)
{
    char name[NAME_MAX_LENGTH];
    *count = 0;
    for (const char* at = list; *at != 0;)
    {
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int found = kaiModel_FindVariable(q->model, name);
        char known[300] = "";
        if (found < 0)
            say_variables(q->model, true, name, known, sizeof known);
        if (found < 0)
            return usage_error("%s: there is no `%s` in %s%s", option, name, kaiModel_Name(q->model), known);
        if (*count == INQUIRY_NAMES)
            return usage_error("%s: at most %d names", option, INQUIRY_NAMES);
        variables[(*count)++] = found;
        at += length + (at[length] == ',');
    }
    return EXIT_DONE;
}

int inquiry_failed(const Inquiry* inquiry, const kaiError* error)
{
    print_failure(inquiry->run->program, error);
    return exit_code(error->status);
}

static void print_number(FILE* out, double value)
{
    char text[33];
    if (!isfinite(value))
    {
        fputs("null", out);
        return;
    }
    kaiNumber_Write(text, value);
    fputs(text, out);
}

void inquiry_json_numbers(FILE* out, const char* name, const double* values, int count)
{
    fprintf(out, "  \"%s\": [", name);
    for (int i = 0; i < count; i++)
    {
        fputs(i > 0 ? ", " : "", out);
        print_number(out, values[i]);
    }
    fputs("]", out);
}

void inquiry_json_matrix(FILE* out, const char* name, const double* values, int rows, int columns)
{
    fprintf(out, "  \"%s\": [", name);
    for (int i = 0; i < rows; i++)
    {
        fputs(i > 0 ? ", [" : "[", out);
        for (int j = 0; j < columns; j++)
        {
            fputs(j > 0 ? ", " : "", out);
            print_number(out, values[i * columns + j]);
        }
        fputs("]", out);
    }
    fputs("]", out);
}

void inquiry_json_names(FILE* out, const char* name, const kaiModel* model, const int* variables, int count)
{
    fprintf(out, "  \"%s\": [", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", kaiModel_VariableName(model, variables[i]));
    fputs("]", out);
}
