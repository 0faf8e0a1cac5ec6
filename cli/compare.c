// kairos compare: two results, signal by signal. Exit 0 if they are the same within the tolerances, 1 if not.
#include "cli/options.h"

#include <math.h>
#include <string.h>

enum
{
    TOLERANCES_MAX = 200,
    SIGNALS_MOST = 500
};

typedef struct CompareCall
{
    const char* files[2];
    int file_count;
    kaiCompareOptions options;
    kaiTolerance signals[TOLERANCES_MAX];
    const char* only[SIGNALS_MOST];
    bool quiet;
} CompareCall;

// ---- arguments

// "0.1", "1%", "name=0.1", "name=1%": an absolute tolerance, or one relative to the largest magnitude.
static int take_tolerance(CompareCall* c, const char* option, char* text, bool time)
{
    char *equals = strrchr(text, '='), *number = equals != NULL ? equals + 1 : text;
    size_t length = strlen(number);
    bool relative = !time && length > 1 && number[length - 1] == '%';
    double value;
    if (relative)
        number[length - 1] = 0;
    if (!parse_number(number, &value) || !(value >= 0) || isinf(value))
        return usage_error("%s %s: it must read VALUE%s or signal=VALUE", option, text, time ? "" : ", VALUE%");
    kaiTolerance all = {NULL, relative ? 0 : value, relative ? value / 100 : 0, NAN};
    if (time)
        all = (kaiTolerance){NULL, NAN, NAN, value};
    if (equals == NULL && time)
        c->options.time = value;
    else if (equals == NULL)
        c->options.absolute = all.absolute, c->options.relative = all.relative;
    else if (c->options.signal_count == TOLERANCES_MAX)
        return usage_error("at most %d tolerances", TOLERANCES_MAX);
    else
    {
        *equals = 0;
        all.signal = text;
        c->signals[c->options.signal_count++] = all;
    }
    return EXIT_DONE;
}

// "a,b": a comma in brackets belongs to a name. The text is an argument of the program, which is ours to cut.
static int take_signals(CompareCall* c, char* text)
{
    int depth = 0;
    for (char *from = text, *at = text;; at++)
    {
        bool end = *at == 0;
        depth += (*at == '[') - (*at == ']');
        if (!end && (*at != ',' || depth > 0))
            continue;
        *at = 0;
        if (*from == 0 || c->options.only_count == SIGNALS_MOST)
            return usage_error("--signals must read a,b,c");
        c->only[c->options.only_count++] = from;
        if (end)
            return EXIT_DONE;
        from = at + 1;
    }
}

static int take(void* user, const Arguments* a, Found found)
{
    CompareCall* c = user;
    if (found == FOUND_FILE && c->file_count == 2)
        return usage_error("compare takes two results; `%s` is a third one", a->value);
    if (found == FOUND_FILE)
        c->files[c->file_count++] = a->value;
    else if (a->option == OPTION_TOLERANCE)
        return take_tolerance(c, "--tolerance", a->value, false);
    else if (a->option == OPTION_TIME_TOLERANCE)
        return take_tolerance(c, "--time-tolerance", a->value, true);
    else if (a->option == OPTION_SIGNALS)
        return take_signals(c, a->value);
    else if (a->option == OPTION_QUIET)
        c->quiet = true;
    return EXIT_DONE;
}

// ---- the answer

static void print_difference(void* user, const kaiDifference* d)
{
    const CompareCall* c = user;
    char digits[33];
    if (c->quiet)
        return;
    kaiNumber_Write(digits, d->tag.t);
    printf("%s%s%s", d->run, d->run[0] != 0 ? ": " : "", d->signal);
    if (strncmp(d->text, "only the", 8) != 0 || strstr(d->text, "signal") == NULL)
        printf(": first difference at ⟨%s, %d, %d⟩", digits, (int)d->tag.p, (int)d->tag.m);
    printf(": %s\n", d->text);
}

static int conclude(const CompareCall* c, const kaiComparison* r)
{
    if (!c->quiet)
        printf("%d of %d signals differ%s%s\n", r->differing, r->signals, r->runs > 1 ? ", all runs together" : "",
               r->differing > 0 && !r->same_rows ? "; the results have different rows, and lines between them are "
                                                   "compared: record both with one `every`, or "
                                                   "give a --tolerance"
                                                 : "");
    return r->differing > 0 ? EXIT_MODEL : EXIT_DONE;
}

int command_compare(int argc, char** argv)
{
    CompareCall call = {.options = kaiDefaultCompareOptions()};
    int code = arguments_each(FOR_COMPARE, argc, argv, take, &call);
    if (code != EXIT_DONE)
        return code;
    if (call.file_count < 2)
        return usage_error("compare needs two results; see kairos compare --help");
    call.options.signals = call.signals;
    call.options.only = call.only;
    call.options.difference = print_difference;
    call.options.user = &call;
    call.options.limits = source_options().limits;
    kaiComparison comparison;
    kaiError error;
    kaiStatus status = kaiResult_Compare(call.files[0], call.files[1], &call.options, &comparison, &error);
    if (status == KAI_OK)
        return conclude(&call, &comparison);
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}
