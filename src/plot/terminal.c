// A picture of characters: braille dots for lines, two by four in a cell, and text over them. Faint fills (bands) are
// left out, they would hide the lines; a white fill erases.
#include "plot/backend.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cell
{
    uint8_t dots;  // bit of each dot as Unicode numbers them
    uint8_t ansi;  // colour of the terminal, 0: its own
    char text[4];  // a character over the dots, UTF-8 without end; text[0] == 0: none
} Cell;

typedef struct Terminal
{
    Canvas canvas;
    int columns, rows;
    Cell* cells;
    double left, top, right, bottom;  // of the clip, in dots
} Terminal;

static void whole_sheet(Terminal* t)
{
    t->left = t->top = 0;
    t->right = 2 * t->columns;
    t->bottom = 4 * t->rows;
}

static kaiStatus terminal_begin(Canvas* c)
{
    Terminal* t = (Terminal*)c;
    kaiAllocator a = c->options.allocator;
    t->columns = (int)ceil(c->options.width / 2);
    t->rows = (int)ceil(c->options.height / 4);
    size_t size = sizeof *t->cells * (size_t)t->columns * (size_t)t->rows;
    t->cells = a.alloc(a.user, NULL, 0, size);
    if (t->cells == NULL)
        return KAI_ERR_MEMORY;
    memset(t->cells, 0, size);
    whole_sheet(t);
    return KAI_OK;
}

// The nearest of the terminal's colours: one for each of the palette, so that two curves never share one.
static uint8_t ansi_of(Colour colour)
{
    static const uint8_t codes[PALETTE_COUNT] = {34, 31, 32, 35, 33, 36, 0};
    for (int i = 0; i < PALETTE_COUNT; i++)
    {
        Colour p = colour_of(i);
        if (p.red == colour.red && p.green == colour.green && p.blue == colour.blue)
            return codes[i];
    }
    return abs(colour.red - colour.green) < 30 && abs(colour.green - colour.blue) < 30 && colour.red > 90 ? 90 : 0;
}

// ---- dots

static void dot(Terminal* t, double x, double y, Colour colour)
{
    static const uint8_t bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    if (!(x >= t->left && x < t->right && y >= t->top && y < t->bottom))
        return;
    int column = (int)x, row = (int)y;
    Cell* cell = &t->cells[row / 4 * t->columns + column / 2];
    uint8_t bit = bits[row % 4][column % 2];
    bool white = colour.red == 255 && colour.green == 255 && colour.blue == 255;
    cell->dots = white ? (uint8_t)(cell->dots & ~bit) : (uint8_t)(cell->dots | bit);
    uint8_t ansi = ansi_of(colour);
    if (!white && (ansi != 90 || cell->ansi == 0))
        cell->ansi = ansi;  // grey (the grid) never hides a colour
}

// Liang and Barsky: the part of the line inside the clip, so that far away points cost nothing.
static bool clip_line(const Terminal* t, CanvasPoint* a, CanvasPoint* b)
{
    double from = 0, to = 1, dx = b->x - a->x, dy = b->y - a->y;
    const double p[4] = {-dx, dx, -dy, dy};
    const double q[4] = {a->x - t->left, t->right - a->x, a->y - t->top, t->bottom - a->y};
    for (int i = 0; i < 4; i++)
    {
        if (p[i] == 0 && q[i] < 0)
            return false;
        if (p[i] < 0)
            from = fmax(from, q[i] / p[i]);
        if (p[i] > 0)
            to = fmin(to, q[i] / p[i]);
    }
    *b = (CanvasPoint){a->x + to * dx, a->y + to * dy};
    *a = (CanvasPoint){a->x + from * dx, a->y + from * dy};
    return from <= to;
}

// `run`: how long the line is already, for its dashes.
static void draw_line(Terminal* t, CanvasPoint a, CanvasPoint b, const Paint* paint, double* run)
{
    if (!isfinite(a.x + a.y + b.x + b.y) || !clip_line(t, &a, &b))
        return;
    int steps = (int)ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y)));
    double period = paint->dash[0] + paint->dash[1];
    for (int i = 0; i <= steps; i++)
    {
        double s = steps > 0 ? (double)i / steps : 0;
        bool gap = period > 0 && fmod(*run + i, period) >= paint->dash[0];
        if (!gap)
            dot(t, a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), paint->stroke);
    }
    *run += steps;
}

static bool is_inside(const CanvasPoint* p, int count, double x, double y)
{
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++)
        if ((p[i].y > y) != (p[j].y > y) && x < p[i].x + (y - p[i].y) / (p[j].y - p[i].y) * (p[j].x - p[i].x))
            inside = !inside;
    return inside;
}

static void fill(Terminal* t, const CanvasPoint* p, int count, Colour colour)
{
    double x0 = t->right, x1 = t->left, y0 = t->bottom, y1 = t->top;
    for (int i = 0; i < count; i++)
    {
        x0 = fmin(x0, p[i].x), x1 = fmax(x1, p[i].x);
        y0 = fmin(y0, p[i].y), y1 = fmax(y1, p[i].y);
    }
    for (double y = floor(fmax(y0, t->top)); y <= fmin(y1, t->bottom); y++)
        for (double x = floor(fmax(x0, t->left)); x <= fmin(x1, t->right); x++)
            if (is_inside(p, count, x + 0.5, y + 0.5))
                dot(t, x, y, colour);
}

// ---- shapes

static void draw(Terminal* t, const CanvasPoint* points, int count, bool closed, const Paint* paint)
{
    double run = 0;
    if (closed && paint->fill.alpha == 255)
        fill(t, points, count, paint->fill);
    for (int i = 0; i + 1 < count && paint->stroke.alpha != 0; i++)
        draw_line(t, points[i], points[i + 1], paint, &run);
    if (closed && paint->stroke.alpha != 0)
        draw_line(t, points[count - 1], points[0], paint, &run);
}

static CanvasPoint bezier(const CanvasPoint* p, double s)
{
    double r = 1 - s, a = r * r * r, b = 3 * r * r * s, c = 3 * r * s * s, d = s * s * s;
    return (CanvasPoint){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                         a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

static void terminal_path(Canvas* c, PathKind kind, const CanvasPoint* points, int count, const Paint* paint)
{
    enum
    {
        PIECES = 16
    };
    Terminal* t = (Terminal*)c;
    if (kind == PATH_OPEN || kind == PATH_CLOSED)
    {
        draw(t, points, count, kind == PATH_CLOSED, paint);
        return;
    }
    double run = 0;
    for (int i = 0; i + 3 < count; i += 3)
        for (int k = 0; k < PIECES; k++)
            draw_line(t, bezier(points + i, (double)k / PIECES), bezier(points + i, (double)(k + 1) / PIECES), paint,
                      &run);
}

static void terminal_ellipse(Canvas* c, CanvasPoint centre, CanvasPoint radius, const Paint* paint)
{
    enum
    {
        CORNERS = 16
    };
    CanvasPoint points[CORNERS];
    for (int i = 0; i < CORNERS; i++)
    {
        double angle = 2 * acos(-1) * i / CORNERS;
        points[i] = (CanvasPoint){centre.x + radius.x * cos(angle), centre.y + radius.y * sin(angle)};
    }
    draw((Terminal*)c, points, CORNERS, true, paint);
}

static void terminal_text(Canvas* c, CanvasPoint at, const char* text, const TextStyle* style)
{
    Terminal* t = (Terminal*)c;
    size_t left = strlen(text);
    double shift = (double)utf8_count(text, left) * (double)style->anchor / 2;
    int column = (int)floor(at.x / 2 + 0.25 - (style->upward ? 0 : shift));
    int row = (int)floor((at.y - 1) / 4 + (style->upward ? shift : 0));
    while (left > 0)
    {
        uint32_t code = 0;
        size_t bytes = utf8_length(text, left, &code);
        bool known = bytes > 0 && code >= 0x20;
        if (column >= 0 && column < t->columns && row >= 0 && row < t->rows)
        {
            Cell* cell = &t->cells[row * t->columns + column];
            memset(cell->text, 0, sizeof cell->text);
            memcpy(cell->text, known ? text : "?", known ? bytes : 1);
            cell->ansi = ansi_of(style->colour);
        }
        bytes += bytes == 0;
        text += bytes;
        left -= bytes;
        column += !style->upward;
        row -= style->upward;
    }
}

static void terminal_clip(Canvas* c, CanvasPoint corner, CanvasPoint size)
{
    Terminal* t = (Terminal*)c;
    t->left = fmax(0, corner.x);
    t->top = fmax(0, corner.y);
    t->right = fmin(2 * t->columns, corner.x + size.x);
    t->bottom = fmin(4 * t->rows, corner.y + size.y);
}

static void terminal_unclip(Canvas* c)
{
    whole_sheet((Terminal*)c);
}

// ---- writing

static bool is_blank(const Cell* cell)
{
    return cell->dots == 0 && (cell->text[0] == 0 || cell->text[0] == ' ');
}

static size_t write_cell(char* out, const Cell* cell)
{
    if (cell->text[0] != 0)
    {
        size_t bytes = 1;
        while (bytes < 4 && cell->text[bytes] != 0)
            bytes++;
        memcpy(out, cell->text, bytes);
        return bytes;
    }
    if (cell->dots == 0)
    {
        *out = ' ';
        return 1;
    }
    uint32_t code = 0x2800u + cell->dots;
    out[0] = (char)0xe2;
    out[1] = (char)(0x80 | (code >> 6 & 63));
    out[2] = (char)(0x80 | (code & 63));
    return 3;
}

static void write_line(Terminal* t, const Cell* cells)
{
    char out[32];
    int end = t->columns;
    uint8_t ansi = 0;
    while (end > 0 && is_blank(&cells[end - 1]))
        end--;
    for (int i = 0; i < end; i++)
    {
        size_t length = 0;
        if (t->canvas.options.colour && cells[i].ansi != ansi && !is_blank(&cells[i]))
            length = (size_t)snprintf(out, sizeof out, "\033[%dm", ansi = cells[i].ansi);
        length += write_cell(out + length, &cells[i]);
        canvas_write(&t->canvas, out, length);
    }
    canvas_write(&t->canvas, ansi != 0 ? "\033[0m\n" : "\n", ansi != 0 ? 5 : 1);
}

static void terminal_finish(Canvas* c)
{
    Terminal* t = (Terminal*)c;
    for (int row = 0; row < t->rows; row++)
        write_line(t, &t->cells[row * t->columns]);
}

static void terminal_end(Canvas* c)
{
    Terminal* t = (Terminal*)c;
    kaiAllocator a = c->options.allocator;
    if (t->cells != NULL)
        a.alloc(a.user, t->cells, sizeof *t->cells * (size_t)t->columns * (size_t)t->rows, 0);
}

const Backend terminal_backend = {
    .size = sizeof(Terminal),
    .begin = terminal_begin,
    .path = terminal_path,
    .ellipse = terminal_ellipse,
    .text = terminal_text,
    .clip = terminal_clip,
    .unclip = terminal_unclip,
    .finish = terminal_finish,
    .end = terminal_end,
};
