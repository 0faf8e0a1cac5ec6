// See table.h.
#include "cli/table.h"

#include "cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- files

int table_file_open(TableFile* file, const char* path)
{
    kaiError error;
    *file = (TableFile){.path = path};
    file->lines = kaiLines_Open(path, interrupt_flag(), kaiDefaultAllocator(), &error);
    if (file->lines != NULL)
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(error.status);
}

int table_file_next(TableFile* file)
{
    kaiError error;
    size_t length = 0;
    file->text = NULL;
    kaiStatus status = kaiLines_Next(file->lines, &file->text, &length, &error);
    if (status == KAI_END)
        return file->text = NULL, EXIT_DONE;
    if (status == KAI_OK && memchr(file->text, 0, length) == NULL)
    {
        file->whole = file->text[length - 1] == '\n';
        file->text[length - file->whole] =
            0;  // the reader has room for it behind a file that ends without a line's end
        file->text[strcspn(file->text, "\r")] = 0;
        return EXIT_DONE;
    }
    file->text = NULL;
    if (status != KAI_OK)
        fprintf(stderr, "kairos: %s\n", error.message);
    else
        fprintf(stderr, "kairos: %s:%lld: this line holds bytes of 0, which no text has; name a file of text\n",
                file->path, table_file_row(file));
    return status == KAI_OK ? EXIT_FILE : status == KAI_INTERRUPTED ? EXIT_RUN : exit_code(status);
}

long long table_file_row(const TableFile* file)
{
    return kaiLines_Number(file->lines);
}

void table_file_close(TableFile* file)
{
    kaiLines_Free(file->lines);
    *file = (TableFile){0};
}

// ---- lines

bool table_split(TableLine* line, char* text)
{
    line->text = text;
    line->count = 0;
    char* from = text;
    for (;;)
    {
        if (line->count == TABLE_FIELDS_MOST)
            return false;
        bool quoted = *from == '"';
        char *to = from, *start = from;
        for (from += quoted; *from != 0 && (quoted || *from != ',');)
        {
            if (quoted && *from == '"' && from[1] != '"')
                break;
            from += quoted && *from == '"';  // two for one
            *to++ = *from++;
        }
        if (quoted && *from++ != '"')
            return false;
        char end = *from;
        *to = 0;
        line->fields[line->count++] = start;
        if (end != ',')
            return end == 0;
        from++;
    }
}

void table_text(FILE* out, const char* text)
{
    if (strpbrk(text, ",\"\n") == NULL)
    {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != 0; text++)
    {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('"', out);
}

void table_number(FILE* out, double value)
{
    char text[33];
    if (isnan(value))
        return;
    kaiNumber_Write(text, value);
    fputs(text, out);
}

char* table_cut_unit(char* name)
{
    char *open = strstr(name, " ["), *close = open != NULL ? strrchr(open, ']') : NULL;
    if (close == NULL || close[1] != 0)
        return NULL;
    *open = *close = 0;
    return open + 2;
}

// ---- statistics

bool statistics_open(TableStatistics* s, const TableLine* header)
{
    *s = (TableStatistics){.measures = header->count - 3};
    if (s->measures < 0)
        return false;
    s->names = calloc((size_t)s->measures + 1, sizeof *s->names);
    s->columns = calloc((size_t)s->measures + 1, sizeof *s->columns);
    s->ones = calloc(2 * (size_t)s->measures + 1, sizeof *s->ones);
    s->zeros = s->ones + s->measures;
    bool ok = s->names != NULL && s->columns != NULL && s->ones != NULL;
    for (int i = 0; i < s->measures && ok; i++)
    {
        s->names[i] = strdup(header->fields[1 + i]);
        s->columns[i] = kaiStatistics_Create(kaiDefaultAllocator());
        ok = s->names[i] != NULL && s->columns[i] != NULL;
    }
    return ok;
}

void statistics_close(TableStatistics* s)
{
    for (int i = 0; i < s->measures && s->names != NULL && s->columns != NULL; i++)
    {
        free(s->names[i]);
        kaiStatistics_Free(s->columns[i]);
    }
    for (int i = 0; i < REASONS_MOST; i++)
        free(s->reasons[i]);
    free(s->names);
    free(s->columns);
    free(s->ones);
    *s = (TableStatistics){0};
}

// "ball.kai:2:3: …" is the same wherever in time it happened: the place counts, up to its third colon.
static size_t place_length(const char* reason)
{
    int colons = 0;
    for (size_t i = 0; reason[i] != 0; i++)
        if (reason[i] == ':' && ++colons == 3)
            return i + 1;
    return strlen(reason);
}

static void add_reason(TableStatistics* s, const char* reason)
{
    size_t length = place_length(reason);
    int i = 0;
    while (i < REASONS_MOST - 1 && s->reasons[i] != NULL &&
           (place_length(s->reasons[i]) != length || strncmp(s->reasons[i], reason, length) != 0))
        i++;
    if (s->reasons[i] == NULL)
        s->reasons[i] = strdup(i < REASONS_MOST - 1 ? reason : "other reasons");
    s->reason_counts[i]++;
}

bool statistics_add(TableStatistics* s, const TableLine* line)
{
    if (line->count != s->measures + 3)
        return false;
    int64_t run = strtoll(line->fields[0], NULL, 10) - 1;
    const char* passed = line->fields[line->count - 2];
    s->rows++;
    if (line->fields[line->count - 1][0] != 0)
    {
        s->failed++;
        add_reason(s, line->fields[line->count - 1]);
    }
    s->passed += passed[0] == '1';
    for (int i = 0; i < s->measures; i++)
    {
        const char* field = line->fields[1 + i];
        double value = field[0] != 0 ? strtod(field, NULL) : NAN;
        s->ones[i] += value == 1;
        s->zeros[i] += value == 0;
        if (kaiStatistics_Add(s->columns[i], run, value) != KAI_OK)
            return false;
    }
    return true;
}

static void print_part(FILE* out, int64_t hits, int64_t count)
{
    double low, high;
    kaiStatistics_Proportion(hits, count, &low, &high);
    fprintf(out, "%lld of %lld runs: %.4g %% (95 %% confidence: %.4g to %.4g %%)", (long long)hits, (long long)count,
            100.0 * (double)hits / (double)count, 100 * low, 100 * high);
}

static bool is_truth(const TableStatistics* s, int i, const kaiSummary* m)
{
    return s->ones[i] > 0 && s->zeros[i] > 0 && s->ones[i] + s->zeros[i] == m->count;
}

static void print_text(const TableStatistics* s, int i, const kaiSummary* m, FILE* out)
{
    const char* name = s->names[i];
    if (is_truth(s, i, m))
    {
        fprintf(out, "%s\n  true in ", name);
        print_part(out, s->ones[i], m->count);
        fputc('\n', out);
        return;
    }
    fprintf(out, "%s\n  mean %.9g ± %.3g (95 %%), deviation %.6g, %lld values\n", name, m->mean, m->half, m->deviation,
            (long long)m->count);
    fprintf(
        out,
        "  least %.9g (run %lld), 5 %% %.9g, 25 %% %.9g, median %.9g, 75 %% %.9g, 95 %% %.9g, most %.9g (run %lld)\n",
        m->least, (long long)m->least_run + 1, m->quantiles[0], m->quantiles[1], m->quantiles[2], m->quantiles[3],
        m->quantiles[4], m->most, (long long)m->most_run + 1);
}

static void put(FILE* out, const char* name, double value, const char* end)
{
    fprintf(out, "\"%s\": ", name);
    if (isfinite(value))
        table_number(out, value);
    else
        fputs("null", out);
    fputs(end, out);
}

static void print_json_text(const char* text, FILE* out)
{
    fputc('"', out);
    for (; *text != 0; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static void print_json(const char* name, const kaiSummary* m, FILE* out)
{
    static const char* const at[] = {"q05", "q25", "q50", "q75", "q95"};
    fputs("    {\"measure\": ", out);
    print_json_text(name, out);
    fprintf(out, ", \"count\": %lld, ", (long long)m->count);
    put(out, "mean", m->mean, ", ");
    put(out, "half", m->half, ", ");
    put(out, "deviation", m->deviation, ", ");
    put(out, "least", m->least, ", ");
    put(out, "most", m->most, ", ");
    for (int i = 0; i < 5; i++)
        put(out, at[i], m->quantiles[i], i < 4 ? ", " : "}");
}

// How likely it is that a run fails, and by which assertion.
static void print_reasons(const TableStatistics* s, FILE* out)
{
    for (int i = 0; i < REASONS_MOST && s->reasons[i] != NULL; i++)
    {
        fputs("fails in ", out);
        print_part(out, s->reason_counts[i], s->rows);
        fprintf(out, "\n  %s\n", s->reasons[i]);
    }
}

static void print_json_reasons(const TableStatistics* s, FILE* out)
{
    fputs("  ],\n  \"reasons\": [", out);
    for (int i = 0; i < REASONS_MOST && s->reasons[i] != NULL; i++)
    {
        fprintf(out, "%s\n    {\"runs\": %lld, \"reason\": ", i > 0 ? "," : "", (long long)s->reason_counts[i]);
        print_json_text(s->reasons[i], out);
        fputs("}", out);
    }
    fputs("]\n}\n", out);
}

void statistics_print(const TableStatistics* s, bool json, FILE* out)
{
    int64_t whole = s->rows - s->failed;
    if (json)
        fprintf(out, "{\n  \"runs\": %lld,\n  \"failed\": %lld,\n  \"passed\": %lld,\n  \"measures\": [\n",
                (long long)s->rows, (long long)s->failed, (long long)s->passed);
    else
        fprintf(out, "%lld runs, %lld failed\n", (long long)s->rows, (long long)s->failed);
    for (int i = 0; i < s->measures; i++)
    {
        kaiSummary m = kaiStatistics_Summary(s->columns[i]);
        if (json)
            print_json(s->names[i], &m, out);
        else
            print_text(s, i, &m, out);
        if (json)
            fputs(i + 1 < s->measures ? ",\n" : "\n", out);
    }
    if (json)
        print_json_reasons(s, out);
    else
        print_reasons(s, out);
    if (json || whole == 0)
        return;
    fputs("expectations hold in ", out);
    print_part(out, s->passed, whole);
    fputc('\n', out);
}
