// Tables of studies: one row a run, `run`, the factors, the measures, `passed`, `reason`. Written so that a process
// that is killed leaves rows that can be gone on behind, read back for statistics, joined from shards.
#ifndef KAIROS_CLI_TABLE_H
#define KAIROS_CLI_TABLE_H

#include "cli/cli.h"

enum
{
    TABLE_FIELDS_MOST = 600,
    TABLE_LINE = 65536,
    REASONS_MOST = 12,
};

// A file that is read line by line, whatever it is: what cannot be read, and a line without end, is said here.
typedef struct TableFile
{
    const char* path;
    kaiLines* lines;
    char* text;  // the line in work without its end; NULL: there is none any more
    bool whole;  // it ends in the file too, and not with it
} TableFile;
int table_file_open(TableFile* file, const char* path);
int table_file_next(TableFile* file);
long long table_file_row(const TableFile* file);  // the number of the line in work
void table_file_close(TableFile* file);

// A line taken apart. Fields point into `text`, which is changed.
typedef struct TableLine
{
    char* text;
    char* fields[TABLE_FIELDS_MOST];
    int count;
} TableLine;

// Splits a line in place: quotes are taken off. False: it has too many fields, or a quote does not end.
// "v [mV]": cuts the unit off. NULL: there is none.
char* table_cut_unit(char* name);
bool table_split(TableLine* line, char* text);
// A name or reason as a field, in quotes where it must be.
void table_text(FILE* out, const char* text);
void table_number(FILE* out, double value);  // nothing for what is not a number

// Statistics of all columns between `run` and `passed`.
typedef struct TableStatistics
{
    int measures;
    char** names;
    kaiStatistics** columns;
    int64_t *ones, *zeros;  // how often a column is 1 or 0: one that is nothing else is true or false
    int64_t rows, failed, passed;
    // Why runs failed, by the place that says it; the last takes what has no room of its own.
    char* reasons[REASONS_MOST];
    int64_t reason_counts[REASONS_MOST];
} TableStatistics;
// From the line of names. False: no memory, or it is no table of a study.
bool statistics_open(TableStatistics* s, const TableLine* header);
void statistics_close(TableStatistics* s);
// A line of values. False: it is none.
bool statistics_add(TableStatistics* s, const TableLine* line);
void statistics_print(const TableStatistics* s, bool json, FILE* out);

#endif
