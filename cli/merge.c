// kairos merge: the tables of the shards of a study as one, in the order of the runs, with its statistics.
#include "cli/charts.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/whole.h"

#include <stdlib.h>
#include <string.h>

enum
{
    SHARDS_MOST = 4096
};

typedef struct Shard
{
    const char* path;
    TableFile file;  // at the next row
    int64_t run;     // of it; -1: there is none
} Shard;

typedef struct Merge
{
    Shard shards[SHARDS_MOST];
    int count;
    const char *output, *figure, *kind, *signals;
    StudyChart chart;
    bool json;
    WholeFile out;
    char* header;
    size_t header_size;
    int64_t rows;
    TableStatistics statistics;
} Merge;

static int take(void* user, const Arguments* a, Found found)
{
    Merge* m = user;
    if (found == FOUND_FILE && m->count == SHARDS_MOST)
        return usage_error("at most %d tables", SHARDS_MOST);
    if (found == FOUND_FILE)
        m->shards[m->count++].path = a->value;
    else if (a->option == OPTION_OUTPUT)
        m->output = a->value;
    else if (a->option == OPTION_FIGURE)
        m->figure = a->value;
    else if (a->option == OPTION_CHART)
        m->kind = a->value;
    else if (a->option == OPTION_SIGNALS)
        m->signals = a->value;
    m->json |= found == FOUND_OPTION && a->option == OPTION_JSON;
    return EXIT_DONE;
}

static int fail(const char* path, const char* why)
{
    fprintf(stderr, "kairos: %s: %s\n", path, why);
    return EXIT_FILE;
}

// The part of a study that goes on: its last row may just be written.
static bool is_growing(const char* path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".part") == 0;
}

static int next_row(Shard* s)
{
    int64_t before = s->run;
    int code = table_file_next(&s->file);
    s->run = -1;
    if (code != EXIT_DONE || s->file.text == NULL || (!s->file.whole && is_growing(s->path)))
        return code;
    s->run = strtoll(s->file.text, NULL, 10);
    if (!s->file.whole)
        return fail(s->path, "the last row is cut off: let the study go on first");
    return s->run > before ? EXIT_DONE : fail(s->path, "its runs are not in order: this is no table of a study");
}

static int open_shard(Merge* m, Shard* s)
{
    int code = table_file_open(&s->file, s->path);
    if (code == EXIT_DONE)
        code = table_file_next(&s->file);
    if (code != EXIT_DONE)
        return code;
    if (s->file.text == NULL || strncmp(s->file.text, "run,", 4) != 0)
        return fail(s->path, "this is no table of a study");
    if (m->header == NULL)
        m->header = strdup(s->file.text);
    if (m->header == NULL || strcmp(m->header, s->file.text) != 0)
        return fail(s->path, "its columns are not those of the first table: another study");
    s->run = 0;
    return next_row(s);
}

// The shard with the smallest run; NULL: all are at their end.
static Shard* first_of(Merge* m)
{
    Shard* first = NULL;
    for (int i = 0; i < m->count; i++)
        if (m->shards[i].run > 0 && (first == NULL || m->shards[i].run < first->run))
            first = &m->shards[i];
    return first;
}

static int write_row(Merge* m, Shard* s)
{
    char why[80];
    TableLine line;
    if (s->run != m->rows + 1)
    {
        snprintf(why, sizeof why, s->run <= m->rows ? "run %lld is there twice" : "run %lld is missing before it",
                 (long long)(s->run <= m->rows ? s->run : m->rows + 1));
        return fail(s->path, why);
    }
    m->rows++;
    if (m->out.out != NULL)
        fprintf(m->out.out, "%s\n", s->file.text);
    if (!table_split(&line, s->file.text) || !statistics_add(&m->statistics, &line) || !chart_add(&m->chart, &line))
        return fail(s->path, "a row has another number of columns");
    return next_row(s);
}

static int open_all(Merge* m)
{
    TableLine header;
    int code = EXIT_DONE;
    for (int i = 0; i < m->count && code == EXIT_DONE; i++)
        code = open_shard(m, &m->shards[i]);
    if (code != EXIT_DONE)
        return code;
    if (m->output != NULL && strcmp(m->output, "-") != 0)
    {
        code = whole_open(&m->out, m->output);
        if (code != EXIT_DONE)
            return code;
        fprintf(m->out.out, "%s\n", m->header);
    }
    char* copy = strdup(m->header);
    bool ok = copy != NULL && table_split(&header, copy) && statistics_open(&m->statistics, &header) &&
              chart_open(&m->chart, &header);
    free(copy);
    return ok ? EXIT_DONE : fail(m->shards[0].path, "this is no table of a study");
}

static int merge(Merge* m)
{
    int code = open_all(m);
    for (Shard* s; code == EXIT_DONE && (s = first_of(m)) != NULL;)
        code = write_row(m, s);
    code = whole_close(&m->out, code);
    if (code == EXIT_DONE)
        statistics_print(&m->statistics, m->json, stdout);
    return code == EXIT_DONE && m->figure != NULL ? chart_draw(&m->chart) : code;
}

int command_merge(int argc, char** argv)
{
    static Merge m;
    int code = arguments_each(FOR_MERGE, argc, argv, take, &m);
    if (code == EXIT_DONE && m.count == 0)
        code = usage_error("merge needs the tables of a study; see kairos merge --help");
    for (int i = 0; i < m.count && code == EXIT_DONE; i++)
        if (m.output != NULL && is_same_file(m.shards[i].path, m.output))
            code = usage_error("-o %s: it is one of the tables", m.output);
    if (code == EXIT_DONE)
        code = chart_choose(&m.chart, m.figure, m.kind, m.signals, -1);
    if (code == EXIT_DONE)
        code = merge(&m);
    for (int i = 0; i < m.count; i++)
        table_file_close(&m.shards[i].file);
    statistics_close(&m.statistics);
    chart_close(&m.chart);
    free(m.header);
    return code;
}
