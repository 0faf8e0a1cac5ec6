// See charts.h.
#include "cli/charts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- what is asked for

int names_split(Names* n, const char* option, const char* list)
{
    *n = (Names){.text = list != NULL ? strdup(list) : NULL};
    int depth = 0;
    for (char *from = n->text, *at = n->text; from != NULL; at++)
    {
        bool end = *at == 0;
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        if (!end && (*at != ',' || depth > 0))
            continue;
        *at = 0;
        from += strspn(from, " ");
        if (*from == 0 || n->count == CHART_COLUMNS)
            return usage_error("%s %s: it must read a,b,c", option, list);
        n->at[n->count++] = from;
        from = end ? NULL : at + 1;
    }
    return EXIT_DONE;
}

// What it would be refused for in the end is said before the first run.
static int check_path(const StudyChart* c)
{
    kaiError error = {0};
    kaiStatus status = kaiChart_Check(&c->options, &error);
    if (status == KAI_OK)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}

int chart_choose(StudyChart* c, const char* path, const char* kind, const char* signals, int factors)
{
    *c = (StudyChart){.options = kaiDefaultFigureOptions(), .factors = factors, .stride = 1};
    c->options.path = path;
    int code = names_split(&c->signals, "--signals", signals);
    if (code != EXIT_DONE)
        return code;
    if (kind != NULL && path == NULL)
        return usage_error("--chart %s: say where the figure goes, with --figure FILE.svg", kind);
    c->wanted = path != NULL;
    c->fan = kind != NULL && strcmp(kind, "fan") == 0;
    code = check_path(c);
    if (code != EXIT_DONE || kind == NULL || c->fan)
        return code;
    for (int i = 0; kaiChart_Word(i) != NULL; i++)
        if (strcmp(kind, kaiChart_Word(i)) == 0)
            return c->kind = (kaiChartKind)i, EXIT_DONE;
    return usage_error("--chart is histogram, scatter, tornado, heat or fan, not `%s`", kind);
}

// ---- rows

bool chart_open(StudyChart* c, const TableLine* header)
{
    int all = header->count - 3;
    c->count = !c->wanted ? 0 : all < CHART_COLUMNS ? all : CHART_COLUMNS;
    for (int i = 0; i < c->count; i++)
    {
        c->names[i] = strdup(header->fields[1 + i]);
        c->values[i] = malloc(sizeof(double) * CHART_ROWS);
        if (c->names[i] == NULL || c->values[i] == NULL)
            return false;
    }
    return true;
}

// Keeps the first, third, fifth … of what there is.
static void thin(StudyChart* c)
{
    c->stride *= 2;
    for (int i = 0; i < c->count; i++)
        for (int64_t k = 1; 2 * k < c->rows; k++)
            c->values[i][k] = c->values[i][2 * k];
    c->rows = (c->rows + 1) / 2;
}

bool chart_add(StudyChart* c, const TableLine* line)
{
    if (c->count == 0)
        return true;
    if (line->count < c->count + 3)
        return false;
    if (c->rows == CHART_ROWS)
        thin(c);
    int64_t run = strtoll(line->fields[0], NULL, 10) - 1;
    if (run % c->stride != 0)
        return true;
    for (int i = 0; i < c->count; i++)
    {
        const char* field = line->fields[1 + i];
        c->values[i][c->rows] = field[0] != 0 ? strtod(field, NULL) : NAN;
    }
    c->rows++;
    return true;
}

void chart_close(StudyChart* c)
{
    for (int i = 0; i < c->count; i++)
    {
        free(c->names[i]);
        free(c->values[i]);
    }
    free(c->signals.text);
    free(c->against.text);
    c->signals.text = c->against.text = NULL;
    c->count = 0;
}

// ---- columns

// "h [m]" is h in m.
static const char* split_unit(char* name)
{
    size_t length = strlen(name);
    char* open = length > 0 && name[length - 1] == ']' ? strrchr(name, '[') : NULL;
    if (open == NULL || open == name || open[-1] != ' ')
        return NULL;
    name[length - 1] = 0;
    open[-1] = 0;
    return open + 1;
}

static bool is_listed(const Names* names, const char* name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return true;
    return false;
}

static bool is_plain(const char* name)
{
    for (; *name != 0; name++)
        if (!isalnum((unsigned char)*name) && strchr("_.[]", *name) == NULL && (unsigned char)*name < 128)
            return false;
    return true;
}

// A table does not say which columns were varied: they come first, and have names, where measures often have brackets.
// Of three that a map is made of, the first two are its axes.
static void guess_factors(StudyChart* c)
{
    if (c->factors >= 0 || c->against.count > 0)
        return;
    if (c->kind == KAI_CHART_HEAT && c->signals.count > 2)
    {
        c->against.at[0] = c->signals.at[0];
        c->against.at[1] = c->signals.at[1];
        c->against.count = 2;
        return;
    }
    c->factors = 0;
    while (c->factors < c->count && is_plain(c->names[c->factors]) && !is_listed(&c->signals, c->names[c->factors]))
        c->factors++;
    if (c->factors == c->count && c->count > 1)
        c->factors = c->count - 1;
}

static int check_names(const StudyChart* c, const char* option, const Names* names)
{
    for (int i = 0; i < names->count; i++)
    {
        bool found = false;
        for (int k = 0; k < c->count && !found; k++)
            found = strcmp(names->at[i], c->names[k]) == 0;
        if (!found)
            return usage_error("%s: the table has no column `%s`", option, names->at[i]);
    }
    return EXIT_DONE;
}

// Of --signals a,b that are factors or measures, only these; where only measures are named all factors are shown, and
// the other way round.
static int choose_columns(StudyChart* c, kaiChartColumn* columns, int* count)
{
    const char* units[CHART_COLUMNS];
    int named[2] = {0};
    for (int i = 0; i < c->count; i++)
        units[i] = split_unit(c->names[i]);
    int code = check_names(c, "--signals", &c->signals);
    if (code == EXIT_DONE)
        code = check_names(c, "--against", &c->against);
    guess_factors(c);
    bool factors[CHART_COLUMNS];
    for (int i = 0; i < c->count; i++)
    {
        factors[i] = c->against.count > 0 ? is_listed(&c->against, c->names[i]) : i < c->factors;
        named[factors[i]] += is_listed(&c->signals, c->names[i]);
    }
    *count = 0;
    for (int i = 0; i < c->count; i++)
    {
        bool all = c->kind == KAI_CHART_HISTOGRAM ? c->signals.count == 0 : named[factors[i]] == 0;
        if (all || is_listed(&c->signals, c->names[i]))
            columns[(*count)++] = (kaiChartColumn){c->names[i], units[i], factors[i], c->values[i]};
    }
    return code;
}

int chart_draw(StudyChart* c)
{
    kaiChartColumn columns[CHART_COLUMNS];
    kaiError error = {0};
    int count;
    if (c->fan)
        return usage_error("a fan is one of trajectories: kairos study … --chart fan, or kairos plot of what "
                           "--trajectories wrote");
    int code = choose_columns(c, columns, &count);
    if (code != EXIT_DONE)
        return code;
    kaiStatus status = kaiChart_Draw(&c->options, c->kind, columns, count, c->rows, &error);
    if (status == KAI_OK)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}

// ---- tables that are there

// Only a file is looked into: what a look takes out of a pipe is gone.
bool is_study_table(const char* path)
{
    char line[16384];
    struct stat status;
    bool there = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    FILE* in = there ? fopen(path, "rb") : NULL;
    bool study = in != NULL && fgets(line, sizeof line, in) != NULL && strncmp(line, "run,", 4) == 0;
    if (in != NULL)
        fclose(in);
    line[study ? strcspn(line, "\r\n") : 0] = 0;
    size_t length = strlen(line), tail = strlen(",passed,reason");
    return study && length > tail && strcmp(line + length - tail, ",passed,reason") == 0;
}

static bool is_part(const char* path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".part") == 0;
}

static int read_table(StudyChart* c, TableFile* file)
{
    TableLine line;
    int code;
    for (bool first = true; (code = table_file_next(file)) == EXIT_DONE && file->text != NULL; first = false)
    {
        if (!file->whole && is_part(file->path))  // a study that goes on writes it just now
            break;
        if (table_split(&line, file->text) && (first ? chart_open(c, &line) : chart_add(c, &line)))
            continue;
        fprintf(stderr, "kairos: %s:%lld: this is no row of the table\n", file->path, table_file_row(file));
        return EXIT_FILE;
    }
    return code;
}

int chart_plot(StudyChart* c, const char* path)
{
    TableFile file;
    int code = table_file_open(&file, path);
    if (code == EXIT_DONE)
        code = read_table(c, &file);
    table_file_close(&file);
    if (code == EXIT_DONE)
        code = chart_draw(c);
    chart_close(c);
    return code;
}

// ---- fans

enum
{
    FAN_SIGNALS = 6
};

kaiFan* fan_make(const kaiFigureOptions* options, const char* const* signals, int signal_count,
                 const kaiColumn* columns, int count, kaiError* error)
{
    const char* chosen[FAN_SIGNALS];
    int wanted = 0;
    for (int i = 0; signal_count == 0 && i < count && wanted < FAN_SIGNALS; i++)
        if (columns[i].kind == KAI_COLUMN_REAL && columns[i].impulse == 0)
            chosen[wanted++] = columns[i].name;
    kaiFigureOptions own = *options;
    for (int i = 0; i < count && own.time_unit == NULL; i++)
        own.time_unit = columns[i].unit != NULL ? "s" : NULL;
    return kaiFan_Create(&own, columns, count, signal_count > 0 ? signals : chosen,
                         signal_count > 0 ? signal_count : wanted, error);
}

kaiFan* fan_open(const Inquiry* q, const kaiColumn* columns, int count, kaiError* error)
{
    Names names;
    kaiFigureOptions options = kaiDefaultFigureOptions();
    options.path = q->figure;
    names_split(&names, "--signals", q->signals);  // which was read before
    kaiFan* fan = fan_make(&options, names.at, names.count, columns, count, error);
    free(names.text);
    return fan;
}

int fan_draw(kaiFan* fan)
{
    kaiError error = {0};
    kaiStatus status = kaiFan_Draw(fan, &error);
    if (status == KAI_OK)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}
