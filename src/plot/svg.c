// SVG 1.1, written piece by piece through one fixed buffer. Text stays text, numbers have two decimals, and styles that
// everything shares stand once at the root: a file is small enough to be read and compared.
#include "plot/backend.h"

#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BUFFER_SIZE = 1 << 15,
    CHUNK_MAX = 512  // what one call of put_format may add
};

typedef struct Svg
{
    Canvas canvas;
    int clips;  // made so far: each has an id
    size_t used;
    char buffer[BUFFER_SIZE];
} Svg;

static void flush(Svg* s)
{
    canvas_write(&s->canvas, s->buffer, s->used);
    s->used = 0;
}

static void put_bytes(Svg* s, const char* bytes, size_t size)
{
    if (BUFFER_SIZE - s->used < size)
        flush(s);
    memcpy(s->buffer + s->used, bytes, size);
    s->used += size;
}

static void put(Svg* s, const char* text)
{
    put_bytes(s, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void put_format(Svg* s, const char* format, ...)
{
    if (BUFFER_SIZE - s->used < CHUNK_MAX)
        flush(s);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(s->buffer + s->used, CHUNK_MAX, format, args);
    va_end(args);
    s->used += length < CHUNK_MAX ? (size_t)length : CHUNK_MAX - 1;
}

// Two decimals without trailing zeros; what is not finite or absurdly far away stays near the sheet.
static void put_number(Svg* s, double value)
{
    char text[32];
    if (!(fabs(value) < 1e6))
        value = value > 0 ? 1e6 : value < 0 ? -1e6 : 0;
    long scaled = lround(value * 100);
    int length =
        snprintf(text, sizeof text, "%s%ld.%02ld", scaled < 0 ? "-" : "", labs(scaled) / 100, labs(scaled) % 100);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    put_bytes(s, text, (size_t)length);
}

static void put_pair(Svg* s, const char* x_name, const char* y_name, CanvasPoint p)
{
    put_format(s, " %s=\"", x_name);
    put_number(s, p.x);
    put_format(s, "\" %s=\"", y_name);
    put_number(s, p.y);
    put(s, "\"");
}

// ---- text

// A character XML 1.0 allows; the others have no place in a document, not even escaped.
static bool is_allowed(uint32_t code)
{
    return code == '\t' || code == '\n' || (code >= 0x20 && code != 0xfffe && code != 0xffff);
}

// Escaped; bytes that are no UTF-8 and characters that are not allowed become U+FFFD.
static void put_escaped(Svg* s, const char* text)
{
    for (size_t left = strlen(text); left > 0;)
    {
        uint32_t code = 0;
        size_t bytes = utf8_length(text, left, &code);
        if (bytes == 0 || !is_allowed(code))
            put(s, "\xef\xbf\xbd");
        else if (code == '&')
            put(s, "&amp;");
        else if (code == '<')
            put(s, "&lt;");
        else if (code == '>')
            put(s, "&gt;");
        else if (code == '"')
            put(s, "&quot;");
        else
            put_bytes(s, text, bytes);
        bytes += bytes == 0;
        text += bytes;
        left -= bytes;
    }
}

// ---- styles

static void put_colour(Svg* s, const char* name, Colour colour)
{
    if (colour.alpha == 0)
        put_format(s, " %s=\"none\"", name);
    else
        put_format(s, " %s=\"#%02x%02x%02x\"", name, colour.red, colour.green, colour.blue);
    if (colour.alpha != 0 && colour.alpha != 255)
        put_format(s, " %s-opacity=\"%.3g\"", name, colour.alpha / 255.0);
}

static void put_paint(Svg* s, const Paint* paint, bool filled)
{
    put_colour(s, "fill", filled ? paint->fill : (Colour){0});
    if (paint->stroke.alpha == 0)
        return;
    put_colour(s, "stroke", paint->stroke);
    if (paint->width != 1)
        put_format(s, " stroke-width=\"%.3g\"", paint->width);
    if (paint->dash[0] > 0)
        put_format(s, " stroke-dasharray=\"%.3g %.3g\"", paint->dash[0], paint->dash[1]);
}

// ---- the backend

static kaiStatus svg_begin(Canvas* c)
{
    Svg* s = (Svg*)c;
    put(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
    put_pair(s, "width", "height", (CanvasPoint){c->options.width, c->options.height});
    put_format(s, " viewBox=\"0 0 %.6g %.6g\"\n     font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\"",
               c->options.width, c->options.height);
    put(s, " stroke-linejoin=\"round\">\n");
    if (c->options.title != NULL)
    {
        put(s, "<title>");
        put_escaped(s, c->options.title);
        put(s, "</title>\n");
    }
    put(s, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    return KAI_OK;
}

static void put_points(Svg* s, const CanvasPoint* points, int count)
{
    for (int i = 0; i < count; i++)
    {
        put(s, i > 0 ? " " : "");
        put_number(s, points[i].x);
        put(s, ",");
        put_number(s, points[i].y);
    }
}

static void svg_path(Canvas* c, PathKind kind, const CanvasPoint* points, int count, const Paint* paint)
{
    Svg* s = (Svg*)c;
    bool curve = kind == PATH_CURVE || kind == PATH_CURVE_CLOSED;
    bool filled = kind == PATH_CLOSED || kind == PATH_CURVE_CLOSED;
    put(s, curve ? "<path d=\"M" : filled ? "<polygon points=\"" : "<polyline points=\"");
    put_points(s, points, curve ? 1 : count);
    if (curve)
    {
        put(s, "C");
        put_points(s, points + 1, count - 1);
        put(s, filled ? "Z" : "");
    }
    put(s, "\"");
    put_paint(s, paint, filled);
    put(s, "/>\n");
}

static void svg_ellipse(Canvas* c, CanvasPoint centre, CanvasPoint radius, const Paint* paint)
{
    Svg* s = (Svg*)c;
    put(s, "<ellipse");
    put_pair(s, "cx", "cy", centre);
    put_pair(s, "rx", "ry", radius);
    put_paint(s, paint, true);
    put(s, "/>\n");
}

static void svg_text(Canvas* c, CanvasPoint at, const char* text, const TextStyle* style)
{
    Svg* s = (Svg*)c;
    static const char* const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    put(s, "<text");
    put_pair(s, "x", "y", at);
    if (style->upward)
        put_format(s, " transform=\"rotate(-90 %.2f %.2f)\"", at.x, at.y);
    put_format(s, " font-size=\"%.4g\"%s", style->size, anchors[style->anchor]);
    if (style->mono)
        put(s, " font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" xml:space=\"preserve\"");
    put(s, style->bold ? " font-weight=\"bold\"" : "");
    put(s, style->italic ? " font-style=\"italic\"" : "");
    put_colour(s, "fill", style->colour);
    put(s, ">");
    put_escaped(s, text);
    put(s, "</text>\n");
}

static void svg_clip(Canvas* c, CanvasPoint corner, CanvasPoint size)
{
    Svg* s = (Svg*)c;
    s->clips++;
    put_format(s, "<clipPath id=\"clip%d\"><rect", s->clips);
    put_pair(s, "x", "y", corner);
    put_pair(s, "width", "height", size);
    put_format(s, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", s->clips);
}

static void svg_ungroup(Canvas* c)
{
    put((Svg*)c, "</g>\n");
}

static void svg_group(Canvas* c, const char* name)
{
    Svg* s = (Svg*)c;
    put(s, "<g><title>");
    put_escaped(s, name);
    put(s, "</title>\n");
}

static void svg_finish(Canvas* c)
{
    put((Svg*)c, "</svg>\n");
    flush((Svg*)c);
}

static void svg_end(Canvas* c)
{
    (void)c;
}

const Backend svg_backend = {
    .size = sizeof(Svg),
    .begin = svg_begin,
    .path = svg_path,
    .ellipse = svg_ellipse,
    .text = svg_text,
    .clip = svg_clip,
    .unclip = svg_ungroup,
    .group = svg_group,
    .ungroup = svg_ungroup,
    .finish = svg_finish,
    .end = svg_end,
};
