// kairos optimize: the best value of one parameter.
#include "cli/inquiry.h"
#include "cli/whole.h"

#include <math.h>

static int print(const Inquiry* q, const kaiOptimizeOptions* options, const kaiOptimum* o)
{
    const char* name = kaiModel_VariableName(q->model, options->variable);
    if (q->run->json)
    {
        WholeFile file;
        int code = whole_open(&file, q->run->output);
        if (code != EXIT_DONE)
            return code;
        FILE* out = file.out;
        fprintf(out, "{\n  \"parameter\": \"%s\",\n", name);
        inquiry_json_numbers(out, "value", &o->value, 1);
        fputs(",\n", out);
        inquiry_json_numbers(out, "measure", &o->measure, 1);
        fprintf(out, ",\n  \"runs\": %d\n}\n", o->runs);
        return whole_close(&file, code);
    }
    char title[2 * NAME_MAX_LENGTH];
    request_title(q->run, q->model, title, sizeof title);
    printf("%s: %s after %d runs\n  %-16s %18.12g%s\n  %-16s %18.12g\n", title,
           options->maximise ? "largest measure" : "smallest measure", o->runs, name, o->value,
           o->at_end ? "   (at the end of what was looked at)" : "", "measure", o->measure);
    return EXIT_DONE;
}

static int optimize(const Inquiry* q)
{
    static int variables[INQUIRY_NAMES], measures[INQUIRY_NAMES];
    kaiOptimizeOptions options = kaiDefaultOptimizeOptions();
    kaiOptimum optimum;
    kaiError error;
    int count = 0, measured = 0;
    if (q->by == NULL || !isfinite(q->low) || !isfinite(q->high))
        return usage_error("optimize needs --by a, --low and --high: what is varied, and between which values?");
    int code = inquiry_variables(q, "--by", q->by, variables, &count);
    if (code == EXIT_DONE)
        code = measures_variables(q, measures, &measured);
    if (code == EXIT_DONE && (count != 1 || q->measures.count > 1))
        code = usage_error("optimize varies one parameter and compares one measure");
    if (code != EXIT_DONE)
        return code;
    options.variable = variables[0];
    options.measure = measured > 0 ? measures[0] : -1;
    options.low = q->low;
    options.high = q->high;
    options.maximise = q->maximise;
    kaiSimOptions sim = request_options(q->run, q->model);
    if (kaiOptimize(q->model, &sim, &options, &optimum, &error) != KAI_OK)
        return inquiry_failed(q, &error);
    return print(q, &options, &optimum);
}

int command_optimize(int argc, char** argv)
{
    return inquiry_run(FOR_OPTIMIZE, argc, argv, optimize);
}
