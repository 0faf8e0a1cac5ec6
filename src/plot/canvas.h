// A sheet to draw on: lines, polygons, curves, text, clipping. The same calls give SVG (ours, so that text stays text),
// PNG and PDF (Cairo) and a picture of braille dots for the terminal. It knows no results and no models.
//
// Coordinates: x to the right, y down, (0, 0) the upper left corner; a unit is 1/96 inch (a PNG has two pixels for
// each), in the terminal one braille dot (two by four of them make a character cell).
#ifndef KAIROS_PLOT_CANVAS_H
#define KAIROS_PLOT_CANVAS_H

#include "kairos/base.h"

#include <stdbool.h>

typedef struct Canvas Canvas;

typedef enum CanvasFormat
{
    CANVAS_SVG,
    CANVAS_PNG,
    CANVAS_PDF,
    CANVAS_TERMINAL,
} CanvasFormat;

typedef struct CanvasOptions
{
    const char* path;  // "-" is standard output; a file is written as `path`.part until it is complete
    CanvasFormat format;
    double width, height;
    const char* title;  // of the document, for readers and screen readers; or NULL
    bool colour;        // terminal: with colour codes
    kaiSink sink;       // instead of the file
    kaiAllocator allocator;
} CanvasOptions;

// By the ending of the name: .svg, .png, .pdf, in any case. False: none of them.
bool canvas_format_of(const char* path, CanvasFormat* format);
// The part that draws such a sheet is there. False: *why (static).
bool canvas_can(CanvasFormat format, const char** why);

// An empty white sheet. NULL: *error (static, or of errno) says why.
Canvas* canvas_open(const CanvasOptions* options, const char** error);
// The status of what canvas_open said: KAI_ERR_MEMORY or KAI_ERR_IO.
kaiStatus canvas_refusal(const char* why);
// Writes what is left and gives the file its name. KAI_ERR_IO, KAI_ERR_MEMORY: there is no file of that name.
kaiStatus canvas_close(Canvas* canvas);
// Leaves no file.
void canvas_discard(Canvas* canvas);

CanvasFormat canvas_format(const Canvas* canvas);
double canvas_width(const Canvas* canvas);
double canvas_height(const Canvas* canvas);

// ---- style

typedef struct Colour
{
    uint8_t red, green, blue, alpha;  // alpha 0: nothing is drawn
} Colour;

#define COLOUR(hex) ((Colour){(uint8_t)((hex) >> 16), (uint8_t)((hex) >> 8 & 255), (uint8_t)((hex)&255), 255})
// The same colour, fainter.
Colour colour_fade(Colour colour, double alpha);
// Okabe and Ito's colours, which colour-blind readers can tell apart; repeats after `PALETTE_COUNT`.
enum
{
    PALETTE_COUNT = 7
};
Colour colour_of(int index);

typedef struct Paint
{
    Colour stroke, fill;
    double width;    // of the stroke
    double dash[2];  // drawn, left out; {0}: a solid line
} Paint;

typedef enum TextAnchor
{
    TEXT_START,
    TEXT_MIDDLE,
    TEXT_END,
} TextAnchor;

typedef struct TextStyle
{
    double size;  // height of the font
    Colour colour;
    TextAnchor anchor;
    bool bold, italic, mono;
    bool upward;  // turned a quarter to the left: reads from bottom to top
} TextStyle;

// ---- drawing

typedef struct CanvasPoint
{
    double x, y;
} CanvasPoint;

// An open line through the points; fill counts for nothing.
void canvas_lines(Canvas* canvas, const CanvasPoint* points, int count, const Paint* paint);
void canvas_line(Canvas* canvas, double x0, double y0, double x1, double y1, const Paint* paint);
void canvas_polygon(Canvas* canvas, const CanvasPoint* points, int count, const Paint* paint);
// Cubic Bézier pieces, as Graphviz gives them: a start, then three points a piece (count = 1 + 3k). Closed: filled too.
void canvas_curve(Canvas* canvas, const CanvasPoint* points, int count, bool closed, const Paint* paint);
void canvas_rectangle(Canvas* canvas, double x, double y, double width, double height, const Paint* paint);
void canvas_ellipse(Canvas* canvas, double x, double y, double radius_x, double radius_y, const Paint* paint);

// (x, y) is on the base line. One line of text; UTF-8.
void canvas_text(Canvas* canvas, double x, double y, const char* text, const TextStyle* style);
double canvas_text_width(const Canvas* canvas, const char* text, const TextStyle* style);
// The same on paper, before there is a canvas: diagrams are laid out first.
double text_width(const char* text, const TextStyle* style);
// From one base line to the next, and of that the part above the base line.
double canvas_line_height(const Canvas* canvas, const TextStyle* style);
double canvas_ascent(const Canvas* canvas, const TextStyle* style);

// What follows is drawn inside the rectangle only, until canvas_unclip. One at a time.
void canvas_clip(Canvas* canvas, double x, double y, double width, double height);
void canvas_unclip(Canvas* canvas);

// What follows belongs together and has a name (SVG shows it under the pointer), until canvas_ungroup. May nest.
void canvas_group(Canvas* canvas, const char* name);
void canvas_ungroup(Canvas* canvas);

#endif
