// Figures of studies: rows of a table that are kept for one, and fans of trajectories.
#ifndef KAIROS_CLI_CHARTS_H
#define KAIROS_CLI_CHARTS_H

#include "cli/inquiry.h"
#include "cli/table.h"

enum
{
    CHART_ROWS = 1 << 15,  // beyond them every second run counts, then every fourth
    CHART_COLUMNS = 64
};

// "a,b(1, 2)" as two names. Owns its copy of the text.
typedef struct Names
{
    char* text;
    const char* at[CHART_COLUMNS];
    int count;
} Names;
// NULL: none. An exit code.
int names_split(Names* names, const char* option, const char* list);

typedef struct StudyChart
{
    kaiFigureOptions options;
    bool wanted, fan;
    kaiChartKind kind;
    Names signals, against;  // columns by name; none: all
    int factors;             // the first columns; -1: not known
    int count;               // columns
    char* names[CHART_COLUMNS];
    double* values[CHART_COLUMNS];
    int64_t rows, stride;
} StudyChart;

// What --figure, --chart and --signals say. `factors`: how many columns they are, -1 if the table does not say. An exit
// code.
int chart_choose(StudyChart* chart, const char* path, const char* kind, const char* signals, int factors);
// The line of names, and the line of a run. False: no memory, or too many columns.
bool chart_open(StudyChart* chart, const TableLine* header);
bool chart_add(StudyChart* chart, const TableLine* line);
// An exit code.
int chart_draw(StudyChart* chart);
void chart_close(StudyChart* chart);

// kairos plot TABLE.csv. An exit code.
bool is_study_table(const char* path);
int chart_plot(StudyChart* chart, const char* path);

// The signals of a fan: as --signals says, or the first that there are. NULL: *error says why.
kaiFan* fan_open(const Inquiry* inquiry, const kaiColumn* columns, int count, kaiError* error);
kaiFan* fan_make(const kaiFigureOptions* options, const char* const* signals, int signal_count,
                 const kaiColumn* columns, int count, kaiError* error);
// An exit code.
int fan_draw(kaiFan* fan);

#endif
