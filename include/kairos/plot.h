// Figures: rows in, a picture out (SVG, PNG, PDF, characters for a terminal, or a page for a browser in which one can
// zoom, read values and look into instants).
//
//     kaiFigureOptions options = kaiDefaultFigureOptions();
//     options.path = "ball.svg";
//     const char* signals[] = {"y"};
//     kaiPanel panel = {.signals = signals, .count = 1};
//     int count;
//     const kaiColumn* columns = kaiSim_Columns(sim, &count);
//     kaiFigure* figure = kaiFigure_Create(&options, columns, count, &panel, 1, &error);
//     …                                 // every row of the run: kaiFigure_Row(figure, row), a kaiRowFn
//     kaiFigure_Draw(figure, &error);
//     kaiFigure_Free(figure);
//
// Units. Lengths in 1/96 inch; times in seconds.
// Lifetime. The options' texts and the columns must live as long as the figure; panels are copied.
// Threads. A figure belongs to one thread at a time; different figures are independent.
#ifndef KAIROS_PLOT_H
#define KAIROS_PLOT_H

#include "kairos/base.h"
#include "kairos/result.h"
#include "kairos/sim.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // One line of a model's text for a view of instants, cut to `size`; false: there is none. kaiProgram_SourceLine is
    // one.
    typedef bool kaiSourceLineFn(void* user, const char* file, int line, char* text, size_t size);

    typedef struct kaiFigureOptions
    {
        uint32_t cookie;               // set by kaiDefaultFigureOptions; not for you
        const char* path;              // ends in .svg, .png, .pdf or .html; "-": characters on standard output
        double width, height;          // in 1/96 inch (a PNG has two pixels for each), of "-" in characters; 0: chosen
        const char* title;             // NULL: none
        double from, to;               // only these times; -inf, inf: all
        const char* time_unit;         // of the time axis, or NULL
        bool colour;                   // of "-": with colour codes
        bool log_x, log_y;             // logarithmic axes; what is not positive is not drawn
        double y_from, y_to;           // the range of all y axes; NaN: what is to be seen
        const char* remark;            // what the figure leaves out, below it; NULL: nothing
        kaiSourceLineFn* source_line;  // of instants: shows the lines that did it; NULL: only their places
        void* source_user;
        kaiSink sink;  // gets the picture instead of a file; the path still says what kind it is
        kaiAllocator allocator;
    } kaiFigureOptions;
    kaiFigureOptions kaiDefaultFigureOptions(void);

    // One panel: its signals, by the names of their columns, over time or against another signal.
    typedef struct kaiPanel
    {
        const char* const* signals;
        int count;
        const char* against;  // NULL: time
    } kaiPanel;

    // A figure of panels, one below the other. Columns of modes become bands above them. `columns` must outlive it.
    // NULL: `error` (a sentence) says why: no memory, a signal that there is not, an unknown ending of the path.
    typedef struct kaiFigure kaiFigure;
    kaiFigure* kaiFigure_Create(const kaiFigureOptions* options, const kaiColumn* columns, int column_count,
                                const kaiPanel* panels, int panel_count, kaiError* error);
    // A kaiRowFn. Memory does not grow with the rows: what the figure could not show apart is merged, extremes, jumps
    // and impulses stay. A page keeps every row, in its file.
    kaiStatus kaiFigure_Row(void* figure, const kaiRow* row);
    // A kaiFiredFn. A page (.html) shows what fired at an instant; other figures do not need it.
    void kaiFigure_Fired(void* figure, const kaiFired* fired);
    // The rows of another run follow; it is drawn over the others. The first run needs no call. KAI_ERR_USAGE: too
    // many.
    kaiStatus kaiFigure_BeginRun(kaiFigure* figure, const char* label);
    // As kaiFigure_BeginRun: the rows that follow were measured, and are drawn as points.
    kaiStatus kaiFigure_BeginPoints(kaiFigure* figure, const char* label);
    // KAI_OK: the file is there. KAI_ERR_USAGE: no rows to draw; KAI_ERR_IO; `error` says why.
    kaiStatus kaiFigure_Draw(kaiFigure* figure, kaiError* error);
    void kaiFigure_Free(kaiFigure* figure);

    // What happens inside instants: every tag ⟨p, m⟩ with the values that change, what fired and where it is written.
    // `at`: only the instant nearest to this time (NaN: all of them). Path "-": a table as text.
    typedef struct kaiInstants kaiInstants;
    kaiInstants* kaiInstants_Create(const kaiFigureOptions* options, double at, const kaiColumn* columns,
                                    int column_count, kaiError* error);
    kaiStatus kaiInstants_Row(void* instants, const kaiRow* row);
    void kaiInstants_Fired(void* instants, const kaiFired* fired);
    // Only these signals, by name, are shown (whether they change or not); with count 0 those that change.
    kaiStatus kaiInstants_Show(kaiInstants* instants, const char* const* signals, int count, kaiError* error);
    kaiStatus kaiInstants_Draw(kaiInstants* instants, kaiError* error);
    void kaiInstants_Free(kaiInstants* instants);

    // ---- many runs as one picture

    typedef enum kaiChartKind
    {
        KAI_CHART_HISTOGRAM,  // of every column
        KAI_CHART_SCATTER,    // every measure over every factor
        KAI_CHART_TORNADO,    // how far each factor moves a measure, the one that moves it most on top
        KAI_CHART_HEAT,       // a measure over two factors: the mean in each cell
    } kaiChartKind;
    // "histogram", "scatter", "tornado", "heat"; NULL past the last.
    const char* kaiChart_Word(int kind);

    typedef struct kaiChartColumn
    {
        const char *name, *unit;  // the unit may be NULL
        bool factor;              // what was varied; the others were measured
        const double* values;     // one for each row; NaN: there is none
    } kaiChartColumn;
    // Before there are rows: KAI_ERR_USAGE, no picture ends so; KAI_ERR_IO, the part that makes such is missing
    // (*error).
    kaiStatus kaiChart_Check(const kaiFigureOptions* options, kaiError* error);
    // Draws at most six histograms, four by four scatters, six tornados or six maps; `options` as for a figure (no
    // page). A tornado shows the plane through the rows that has the least squares, between the 5 % and the 95 %
    // quantile of each factor, or says that the measure never varies. KAI_OK: the file is there. KAI_ERR_USAGE: these
    // columns cannot be drawn so (*error).
    kaiStatus kaiChart_Draw(const kaiFigureOptions* options, kaiChartKind kind, const kaiChartColumn* columns,
                            int column_count, int64_t row_count, kaiError* error);

    // Trajectories as bands: at each time the median, the middle half and the middle nine tenths of the runs that are
    // still going on. Memory does not grow with runs and rows: beyond 1024 runs every second, fourth, … one is taken.
    typedef struct kaiFan kaiFan;
    // Columns by name, one panel each. `columns` and the texts of the options must outlive it. NULL: *error says why.
    kaiFan* kaiFan_Create(const kaiFigureOptions* options, const kaiColumn* columns, int column_count,
                          const char* const* signals, int signal_count, kaiError* error);
    // The rows of another run follow; also before the first.
    void kaiFan_BeginRun(kaiFan* fan);
    // A kaiRowFn, with the fan as `user`.
    kaiStatus kaiFan_Row(void* fan, const kaiRow* row);
    // The quantile of a probability of signal `signal` at point `at` of the drawing, and its time. NaN: no run is
    // there.
    double kaiFan_Quantile(const kaiFan* fan, int signal, int at, double p, double* t);
    kaiStatus kaiFan_Draw(kaiFan* fan, kaiError* error);
    void kaiFan_Free(kaiFan* fan);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
