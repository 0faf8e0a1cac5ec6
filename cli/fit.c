// kairos fit: parameters from measurements.
#include "cli/inquiry.h"
#include "cli/whole.h"

#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum
{
    MEASURED_MOST = 1 << 24  // half a gigabyte of them
};

typedef struct Data
{
    kaiMeasured* at;
    int count, room;
    int columns[INQUIRY_NAMES];  // variables, behind t
    kaiConversion units[INQUIRY_NAMES], time;
    int column_count;
    int occurred[INQUIRY_NAMES];
} Data;

static int add(Data* d, kaiMeasured measured)
{
    if (d->count == d->room)
    {
        if (d->room >= MEASURED_MOST)
            return usage_error("--data: at most %d measured values; leave rows out", MEASURED_MOST);
        int room = d->room > 0 ? 2 * d->room : 256;
        kaiMeasured* more = realloc(d->at, sizeof *more * (size_t)room);
        if (more == NULL)
            return fputs("kairos: out of memory\n", stderr), EXIT_RUN;
        d->at = more;
        d->room = room;
    }
    d->at[d->count++] = measured;
    return EXIT_DONE;
}

// "t,x,v", then times and values; a value that was not measured is an empty field.
static int take_values(Data* d, const char* path, const TableLine* line, int row)
{
    double t, value;
    int code = EXIT_DONE;
    if (line->count != d->column_count + 1 || !parse_number(line->fields[0], &t))
        return usage_error("%s:%d: a time and %d values are wanted", path, row, d->column_count);
    for (int i = 0; i < d->column_count && code == EXIT_DONE; i++)
    {
        const char* field = line->fields[i + 1];
        if (field[0] == 0)
            continue;
        if (!parse_number(field, &value))
            return usage_error("%s:%d: `%s` is no number", path, row, field);
        value = value * d->units[i].factor / d->units[i].divisor + d->units[i].offset;
        code =
            add(d, (kaiMeasured){.variable = d->columns[i], .t = t * d->time.factor / d->time.divisor, .value = value});
    }
    return code;
}

// "event,t", then a name and a time: the n-th row of a name is its n-th occurrence.
static int take_event(Data* d, const Inquiry* q, const char* path, const TableLine* line, int row)
{
    double t;
    int event, count;
    if (line->count != 2 || !parse_number(line->fields[1], &t))
        return usage_error("%s:%d: the name of an event and its time are wanted", path, row);
    int code = inquiry_variables(q, "--data", line->fields[0], &event, &count);
    int at = 0;
    while (at < d->column_count && d->columns[at] != event)
        at++;
    if (code == EXIT_DONE && at == INQUIRY_NAMES)
        return usage_error("%s:%d: at most %d events", path, row, INQUIRY_NAMES);
    if (code != EXIT_DONE)
        return code;
    if (at == d->column_count)
    {
        d->columns[d->column_count++] = event;
        d->occurred[at] = 0;
    }
    return add(d, (kaiMeasured){.variable = event, .occurrence = ++d->occurred[at], .t = t});
}

static int read_columns(const Inquiry* q, const char* path, TableLine* line, Data* d)
{
    kaiVariable v;
    if (line->count - 1 > INQUIRY_NAMES)
        return usage_error("--data: at most %d names", INQUIRY_NAMES);
    for (int i = 0; i + 1 < line->count; i++)
    {
        int one, code;
        const char* unit = table_cut_unit(line->fields[i + 1]);
        if ((code = inquiry_variables(q, "--data", line->fields[i + 1], &one, &d->column_count)) != EXIT_DONE)
            return code;
        d->columns[i] = one;
        d->units[i] = (kaiConversion){1, 1, 0};
        bool both = unit != NULL && kaiModel_Variable(q->model, one, &v) && v.unit != NULL;
        if (both && !kaiUnit_Convert(unit, v.unit, &d->units[i]))
            return usage_error("%s: `%s` is in %s in the model, the column in %s", path, v.name, v.unit, unit);
    }
    d->column_count = line->count - 1;
    return EXIT_DONE;
}

// The first line: what the others are.
static int read_names(const Inquiry* q, const TableFile* file, Data* d, bool* events)
{
    if (file->text == NULL)
        return usage_error("%s has no line of names", file->path);
    *events = strcmp(file->text, "event,t") == 0;
    if (*events)
        return EXIT_DONE;
    TableLine line;
    if (strchr(file->text, ',') == NULL && strpbrk(file->text, ";\t") != NULL)
        return usage_error("%s separates its columns by `;` or tabs: write commas, and points in numbers", file->path);
    const char* unit = table_split(&line, file->text) ? table_cut_unit(line.fields[0]) : NULL;
    if (line.count < 2 || (strcmp(line.fields[0], "t") != 0 && strcasecmp(line.fields[0], "time") != 0) ||
        !kaiUnit_Convert(unit != NULL ? unit : "s", "s", &d->time))
        return usage_error("%s: its first line is `event,t`, or `t,` (or `time,`) and names of variables", file->path);
    return read_columns(q, file->path, &line, d);
}

static int read_data(const Inquiry* q, const char* path, Data* d)
{
    TableLine line;
    TableFile file;
    bool events = false;
    int code = table_file_open(&file, path);
    d->column_count = 0;
    if (code == EXIT_DONE)
        code = table_file_next(&file);
    if (code == EXIT_DONE)
        code = read_names(q, &file, d, &events);
    while (code == EXIT_DONE && (code = table_file_next(&file)) == EXIT_DONE && file.text != NULL)
    {
        int row = (int)table_file_row(&file);
        if (file.text[0] == 0 || file.text[0] == '#')
            continue;
        if (!table_split(&line, file.text))
            code = usage_error("%s:%d: a quote does not end", path, row);
        else
            code = events ? take_event(d, q, path, &line, row) : take_values(d, path, &line, row);
    }
    table_file_close(&file);
    return code;
}

// ---- output

static int print_json(const Inquiry* q, const kaiFitResult* r, const int* variables)
{
    WholeFile file;
    int n = r->variable_count, code = whole_open(&file, q->run->output);
    if (code != EXIT_DONE)
        return code;
    FILE* out = file.out;
    fputs("{\n", out);
    inquiry_json_names(out, "parameters", q->model, variables, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "values", r->values, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "halves", r->halves, n);
    fputs(",\n", out);
    inquiry_json_matrix(out, "covariance", r->covariance, n, n);
    fprintf(out, ",\n  \"rounds\": %d,\n  \"freedom\": %d\n}\n", r->rounds, r->freedom);
    return whole_close(&file, code);
}

static void print_text(const Inquiry* q, const kaiFit* fit, const Data* d, const int* variables)
{
    char title[2 * NAME_MAX_LENGTH];
    kaiFitResult r = kaiFit_Result(fit);
    request_title(q->run, q->model, title, sizeof title);
    printf("%s: fitted to %d measurements in %d rounds\n", title, d->count, r.rounds);
    for (int i = 0; i < r.variable_count; i++)
        printf("  %-16s %18.12g ± %.4g (95 %%)\n", kaiModel_VariableName(q->model, variables[i]), r.values[i],
               r.halves[i]);
    for (int i = 0; i < d->count; i++)
    {
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen |= d->at[k].variable == d->at[i].variable;
        if (!seen)
            printf("  deviation of %s: %.4g\n", kaiModel_VariableName(q->model, d->at[i].variable),
                   kaiFit_Deviation(fit, d->at[i].variable));
    }
}

static int fit_data(const Inquiry* q, const Data* data, const int* variables, int count)
{
    kaiError error;
    kaiFitOptions options = kaiDefaultFitOptions();
    options.variables = variables;
    options.variable_count = count;
    options.data = data->at;
    options.data_count = data->count;
    kaiSimOptions sim = request_options(q->run, q->model);
    kaiFit* fit = kaiFit_Create(q->model, &sim, &options, &error);
    if (fit == NULL)
        return inquiry_failed(q, &error);
    kaiFitResult result = kaiFit_Result(fit);
    int code = EXIT_DONE;
    if (q->run->json)
        code = print_json(q, &result, variables);
    else
        print_text(q, fit, data, variables);
    kaiFit_Free(fit);
    return code;
}

static int fit(const Inquiry* q)
{
    static int variables[INQUIRY_NAMES];
    static Data data;
    int count = 0;
    if (q->by == NULL || q->data_count == 0)
        return usage_error("fit needs --data FILE and --by a,b: what was measured, and which parameters are fitted?");
    int code = inquiry_variables(q, "--by", q->by, variables, &count);
    for (int i = 0; i < q->data_count && code == EXIT_DONE; i++)
        code = read_data(q, q->data[i], &data);
    if (code == EXIT_DONE)
        code = fit_data(q, &data, variables, count);
    free(data.at);
    return code;
}

int command_fit(int argc, char** argv)
{
    return inquiry_run(FOR_FIT, argc, argv, fit);
}
