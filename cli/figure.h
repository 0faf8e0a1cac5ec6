// What `kairos plot` is asked for, and from what it makes a picture.
#ifndef KAIROS_CLI_FIGURE_H
#define KAIROS_CLI_FIGURE_H

#include "cli/request.h"

enum
{
    PANELS_MAX = 32,
    SIGNALS_MAX = 256,
    EXPRESSIONS_MAX = 32
};

// Panels by the names of their columns. Owns the array of names, not the names.
typedef struct Panels
{
    const char* names[SIGNALS_MAX];
    kaiPanel at[PANELS_MAX];
    int name_count, count;
    int left_out;  // signals that had no place in a chosen figure
} Panels;

typedef struct PlotRequest
{
    RunRequest* run;
    kaiFigureOptions figure;
    Panels wanted;                          // --signals, each use a panel; none: the experiment or the result decides
    kaiGiven expressions[EXPRESSIONS_MAX];  // of --signals
    const char* against;
    const char* chart;    // --chart: of a study
    const char* overlay;  // --overlay: a measured table
    double instant;       // --instant; NaN: none
    bool instants;        // --instants
    bool has_title;
    bool quiet;
    bool silent;  // not even what is wrong: the caller says it
} PlotRequest;

enum
{
    PAGE_SIGNALS = 64  // a page carries all of them if there are no more
};

// plot.c: whether the figure is a page for a browser, in which instants unfold and signals are chosen.
bool draws_page(const PlotRequest* request);

// Begins a panel, and adds a signal to the newest. False: too many.
bool panels_begin(Panels* panels, const char* against);
bool panels_add(Panels* panels, const char* name);

// overlay.c: the measured table over the figure. False: it cannot be read, and it is said why.
bool overlay_draw(kaiFigure* figure, const char* path, const kaiColumn* columns, int count, const Panels* panels);

// figure_model.c: a model that is loaded. figure_model.c, figure_result.c: run or read, draw. An exit code.
int plot_figure(PlotRequest* request, const kaiModel* model);
int plot_model(PlotRequest* request);
int plot_result(PlotRequest* request);

#endif
