// A picture of many runs: a grid of plates, each with two axes. The kinds of charts fill them.
#ifndef KAIROS_PLOT_SURVEY_H
#define KAIROS_PLOT_SURVEY_H

#include "kairos/plot.h"
#include "plot/chart.h"

typedef struct Survey
{
    const kaiFigureOptions* options;
    const kaiChartColumn* columns;
    int column_count;
    int64_t rows;
    kaiError* error;
    Canvas* canvas;  // while it is drawn
    Look look;
} Survey;

typedef struct Plate
{
    Axis x, y;
    const char *x_name, *x_unit, *y_name, *y_unit;  // NULL: none
    const char* const* rows;                        // names instead of numbers at y = 0, 1, …; NULL: numbers
    int row_count;
    double right;  // room that is kept free right of it
    Box box;
} Plate;

// A sheet of this size, if the options name none; `lines`: that of a terminal. KAI_ERR_IO and *error.
kaiStatus survey_open(Survey* survey, double width, double height);
// The title, the plates in `across` columns with their axes and names, and a remark below (or NULL).
void survey_plates(Survey* survey, Plate* plates, int count, int across, const char* remark);
kaiStatus survey_close(Survey* survey, kaiStatus status);

// A range with some room, never empty.
void survey_range(Axis* axis, double low, double high);
// The least and the most of a column, false: it has no values.
bool survey_extent(const Survey* survey, const kaiChartColumn* column, double* low, double* high);
// The n-th factor or measure, at most `most`; NULL past the last.
const kaiChartColumn* survey_column(const Survey* survey, bool factor, int n);
int survey_count(const Survey* survey, bool factor);
// Memory of the caller's allocator, zero; NULL: *error says it.
void* survey_get(const Survey* survey, size_t size);
void survey_free(const Survey* survey, void* block, size_t size);
// Sorts numbers, and the quantile of sorted ones.
void survey_sort(double* values, int64_t count);
double survey_quantile(const double* sorted, int64_t count, double p);

// histogram.c, scatter.c, tornado.c, heat.c
kaiStatus histogram_draw(Survey* survey);
kaiStatus scatter_draw(Survey* survey);
kaiStatus tornado_draw(Survey* survey);
kaiStatus heat_draw(Survey* survey);

#endif
