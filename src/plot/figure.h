// What a figure is made of before it is drawn: series per panel and run, and bands of modes.
#ifndef KAIROS_PLOT_FIGURE_H
#define KAIROS_PLOT_FIGURE_H

#include "kairos/plot.h"
#include "plot/chart.h"
#include "plot/page.h"

enum
{
    FIGURE_PANELS = 32,
    FIGURE_SERIES = 16,  // in one panel and run
    FIGURE_BANDS = 8,
    FIGURE_RUNS = 64
};

typedef struct FigureSeries
{
    int panel, column, against;  // columns; against -1: time
    int impulses[TRACK_ORDERS];  // columns of δ, δ′, …
    int impulse_count;
    int run;
    bool dots;  // measured
    char label[128];
    Track track;
} FigureSeries;

typedef struct FigurePanel
{
    int columns[FIGURE_SERIES];
    int count, against;
} FigurePanel;

struct kaiFigure
{
    kaiFigureOptions options;
    CanvasFormat format;
    WebPage* page;  // instead of a canvas: the path ends in .html
    const kaiColumn* columns;
    int column_count;
    FigurePanel panels[FIGURE_PANELS];
    int panel_count;
    FigureSeries* series;
    int series_count, series_capacity;
    int runs, first_of_run;  // runs begun; the first series of the newest
    Bands* bands;
    size_t bands_size;
    int band_columns[FIGURE_BANDS], band_count;
    int bands_left_out;
    int phase_column;        // whose modes colour the curves of phase planes; -1: none
    int64_t rows;            // inside the times wanted
    double first_t, last_t;  // of all rows
    double shown_from, shown_to;
    bool any, past_end;
    double* before;  // the last row before the times wanted, so that curves reach the edge
    uint8_t* before_present;
    double before_t;
    bool has_before;
};

// figure_draw.c
kaiStatus figure_draw(kaiFigure* figure, Canvas* canvas);
void figure_size(const kaiFigure* figure, double* width, double* height);

// The column of this name, or -1 and a sentence that names near ones.
int plot_find_column(const kaiColumn* columns, int count, const char* name, kaiError* error);
// Opens the canvas of a figure; NULL: error.
Canvas* plot_open_canvas(const kaiFigureOptions* options, CanvasFormat format, double width, double height,
                         kaiStatus* status, kaiError* error);
// What every picture needs is there; false: error.
bool plot_check(const kaiFigureOptions* options, const kaiColumn* columns, int column_count, kaiError* error);
// Of the path; false: error.
bool plot_format(const kaiFigureOptions* options, CanvasFormat* format, kaiError* error);

#endif
