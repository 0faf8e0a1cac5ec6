// A figure while it is drawn: its panels with their axes and boxes, and who draws what.
#ifndef KAIROS_PLOT_FIGURE_LAYOUT_H
#define KAIROS_PLOT_FIGURE_LAYOUT_H

#include "plot/figure.h"

enum
{
    PANEL_SERIES = FIGURE_SERIES * FIGURE_RUNS
};

enum
{
    MODES_COLOURED = 16,
    RAMP_FROM = 4  // runs of one signal from which on their colours are a ramp
};

typedef struct Panel
{
    ChartSeries* series;
    int count;
    bool is_empty;
    bool has_x_labels;
    bool head_legend;  // the names stand above the panel, not right of it
    const char *x_unit, *y_unit;
    Axis x, y;
    Box box;
} Panel;

typedef struct Layout
{
    kaiFigure* f;
    Canvas* c;
    Look look;
    ChartSeries* pool;
    Panel panels[FIGURE_PANELS];
    Box bands[FIGURE_BANDS];
    double left, right, top, bottom;  // margins
    Axis time;
    Colour modes[MODES_COLOURED];  // of the machine that colours phase planes
    int mode_count;
} Layout;

// figure_series.c: the series of each panel with their colours; which lie on each other.
void layout_gather(Layout* l);
void layout_tell_apart(Layout* l, Panel* panel);

// figure_names.c: what is written around the panels.
// Room below a panel for tick labels and the name of the axis; above it, for the common power of ten of its labels (in
// the terminal the names of its signals).
double layout_axis_room(const Layout* l);
double layout_head_room(const Layout* l);
const char* layout_shared_unit(const Layout* l, const int* columns, int count);  // NULL: none, or several
void layout_title(const Layout* l);
void layout_names(const Layout* l, int panel);  // of its axes, and the legend
void layout_remark(const Layout* l);
// Names of modes that do not fit into their bands, in a line above them: their width, 0 if all fit.
double layout_mode_names(const Layout* l);
void layout_bands(const Layout* l);

#endif
