// One panel: axes, ticks, and signals drawn between them. It is told where; the figure arranges panels.
#ifndef KAIROS_PLOT_CHART_H
#define KAIROS_PLOT_CHART_H

#include "plot/bands.h"
#include "plot/canvas.h"
#include "plot/ticks.h"
#include "plot/track.h"

typedef struct Box
{
    double x, y, width, height;
} Box;

typedef struct Axis
{
    double low, high;  // values
    double from, to;   // where they are on the sheet
    Ticks ticks;
    bool log;
} Axis;

double axis_place(const Axis* axis, double value);

typedef struct ChartSeries
{
    const Track* track;
    const char* name;
    Colour colour;
    double width;         // of its line: what lies below is wider, so that curves that coincide are both seen
    int covers;           // curves below it that it lies on, and of its colour: then it is dashed, the more the shorter
    double stem;          // how much of its height a stem has, so that events of several signals are all seen
    bool dots;            // measured: points, no line
    const Colour* modes;  // the colour of each mode, of a curve in the phase plane; NULL: one colour
    int mode_count;
} ChartSeries;

// The styles of a figure, for its canvas.
typedef struct Look
{
    bool coarse;  // the terminal: no markers, no turned text
    TextStyle title, label, tick, note;
    double gap;  // between things
    double line, marker;
} Look;
Look look_of(const Canvas* canvas);

// The dashes of a curve that lies on others.
void chart_dash(const ChartSeries* series, Paint* paint);

// A track that only ever has single values is one of events, whatever its column was called.
bool chart_is_event(const Track* track);

// The range of what the series show at times in [from, to], into the axis; false: nothing to see.
bool chart_range(const ChartSeries* series, int count, bool of_x, double from, double to, Axis* axis);

void chart_axis_x(Canvas* canvas, const Look* look, const Axis* x, Box box, bool labels);
void chart_axis_y(Canvas* canvas, const Look* look, const Axis* y, Box box);
void chart_series(Canvas* canvas, const Look* look, const ChartSeries* series, const Axis* x, const Axis* y, Box box);
// Labels of the impulses of all series; after the curves, so that they stay readable.
void chart_impulse_labels(Canvas* canvas, const Look* look, const ChartSeries* series, int count, const Axis* x,
                          const Axis* y, Box box);
void chart_band(Canvas* canvas, const Look* look, const Bands* bands, const char* const* names, int name_count,
                int first_colour, const Axis* x, Box box);

// A piece of a band: a coloured box with a name, if that fits.
void chart_piece(Canvas* canvas, const Look* look, Box at, const char* name, Colour colour);

// Text cut with "…" so that it is not wider.
void chart_fit_text(const Canvas* canvas, const TextStyle* style, double width, const char* text, char* out,
                    size_t size);
// A name cut in its middle: what tells `plant.motor.speed` from `plant.motor.torque` is at the end.
void chart_fit_name(const Canvas* canvas, const TextStyle* style, double width, const char* text, char* out,
                    size_t size);
// A title: smaller letters first, then it is cut.
void chart_fit_title(const Canvas* canvas, TextStyle* style, double width, const char* text, char* out, size_t size);

#endif
