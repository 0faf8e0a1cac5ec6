// The symbols of a schematic (IEC 60617, with the zigzag only for springs), drawn from a to b. Each is written for a
// part that lies from left to right around the origin and turned where it stands.
#include "diagram/schematic.h"

#include <math.h>
#include <string.h>

static const Colour INK = {30, 30, 30, 255}, PAPER = {255, 255, 255, 255};

// A pen that draws in the coordinates of the symbol: x along it, y across, the middle at 0.
typedef struct Pen
{
    Canvas* canvas;
    CanvasPoint middle, along, across;
    Paint line, filled;
} Pen;

static Pen pen_for(Canvas* canvas, CanvasPoint a, CanvasPoint b)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    CanvasPoint u = length > 0 ? (CanvasPoint){(b.x - a.x) / length, (b.y - a.y) / length} : (CanvasPoint){1, 0};
    Paint line = {.stroke = INK, .fill = PAPER, .width = 1.6}, filled = {.stroke = INK, .fill = INK, .width = 1.6};
    return (Pen){canvas, {(a.x + b.x) / 2, (a.y + b.y) / 2}, u, {-u.y, u.x}, line, filled};
}

static CanvasPoint at(const Pen* p, double x, double y)
{
    return (CanvasPoint){p->middle.x + x * p->along.x + y * p->across.x,
                         p->middle.y + x * p->along.y + y * p->across.y};
}

static void stroke(const Pen* p, double x0, double y0, double x1, double y1)
{
    CanvasPoint from = at(p, x0, y0), to = at(p, x1, y1);
    canvas_line(p->canvas, from.x, from.y, to.x, to.y, &p->line);
}

// The leads from both ends to where the symbol begins.
static void leads(const Pen* p, double from, double to)
{
    stroke(p, -SYMBOL_LENGTH / 2.0, 0, from, 0);
    stroke(p, to, 0, SYMBOL_LENGTH / 2.0, 0);
}

static void shape(const Pen* p, const CanvasPoint* points, int count, const Paint* paint)
{
    CanvasPoint turned[16];
    for (int i = 0; i < count; i++)
        turned[i] = at(p, points[i].x, points[i].y);
    canvas_polygon(p->canvas, turned, count, paint);
}

static void circle(const Pen* p, double x, double radius)
{
    CanvasPoint centre = at(p, x, 0);
    canvas_ellipse(p->canvas, centre.x, centre.y, radius, radius, &p->line);
}

static void letter(const Pen* p, double x, double y, const char* text)
{
    TextStyle style = {.size = 12, .colour = INK, .anchor = TEXT_MIDDLE};
    CanvasPoint place = at(p, x, y);
    canvas_text(p->canvas, place.x, place.y + 4, text, &style);
}

// ---- parts with two terminals

static void draw_resistor(const Pen* p)
{
    leads(p, -20, 20);
    shape(p, (CanvasPoint[]){{-20, -8}, {20, -8}, {20, 8}, {-20, 8}}, 4, &p->line);
}

static void draw_capacitor(const Pen* p)
{
    leads(p, -4, 4);
    stroke(p, -4, -14, -4, 14);
    stroke(p, 4, -14, 4, 14);
}

// Half circles as pairs of cubics.
static void arcs(const Pen* p, double from, double radius, int count, double side)
{
    const double k = 0.5523 * radius;
    for (int i = 0; i < count; i++)
    {
        double x = from + 2 * radius * i, m = x + radius, e = x + 2 * radius, y = -side * radius;
        const CanvasPoint points[] = {at(p, x, 0),     at(p, x, -side * k), at(p, m - k, y), at(p, m, y),
                                      at(p, m + k, y), at(p, e, -side * k), at(p, e, 0)};
        canvas_curve(p->canvas, points, 7, false, &p->line);
    }
}

static void draw_inductor(const Pen* p)
{
    leads(p, -24, 24);
    arcs(p, -24, 6, 4, 1);
}

static void draw_diode(const Pen* p)
{
    leads(p, -10, 10);
    shape(p, (CanvasPoint[]){{-10, -11}, {10, 0}, {-10, 11}}, 3, &p->filled);
    stroke(p, 10, -11, 10, 11);
}

static void draw_thyristor(const Pen* p)
{
    draw_diode(p);
    stroke(p, 10, 0, 18, 12);
    stroke(p, 18, 12, 26, 12);
}

static void draw_switch(const Pen* p)
{
    leads(p, -16, 16);
    stroke(p, -14, 0, 12, -14);
    circle(p, -16, 2.5);
    circle(p, 16, 2.5);
}

// A switch that a gate closes, with the diode across it.
static void draw_transistor(const Pen* p)
{
    leads(p, -16, 16);
    stroke(p, -16, 0, -16, -8);
    stroke(p, 16, 0, 16, -8);
    stroke(p, -20, -8, 20, -8);
    stroke(p, -16, -12, 16, -12);
    stroke(p, 0, -12, 0, -20);
    stroke(p, -16, 0, -16, 10);
    stroke(p, 16, 0, 16, 10);
    stroke(p, -16, 10, -6, 10);
    stroke(p, 6, 10, 16, 10);
    shape(p, (CanvasPoint[]){{6, 4}, {-6, 10}, {6, 16}}, 3, &p->filled);
    stroke(p, -6, 4, -6, 16);
}

static void draw_voltage(const Pen* p)
{
    leads(p, -18, 18);
    circle(p, 0, 18);
    stroke(p, -12, 0, -4, 0);
    stroke(p, -8, -4, -8, 4);
    stroke(p, 8, -4, 8, 4);
}

// The current is driven out of a.
static void draw_current(const Pen* p)
{
    leads(p, -18, 18);
    circle(p, 0, 18);
    stroke(p, 11, 0, -8, 0);
    shape(p, (CanvasPoint[]){{-12, 0}, {-3, -5}, {-3, 5}}, 3, &p->filled);
}

static void draw_meter(const Pen* p)
{
    leads(p, -16, 16);
    circle(p, 0, 16);
    letter(p, 0, 0, "V");
}

static void draw_spring(const Pen* p)
{
    leads(p, -24, 24);
    for (int i = 0; i < 8; i++)
    {
        double x = -24 + 6 * i, side = i % 2 == 0 ? -1 : 1;
        stroke(p, x, i == 0 ? 0 : -8 * side, x + 6, i == 7 ? 0 : 8 * side);
    }
}

static void draw_damper(const Pen* p)
{
    leads(p, -14, 2);
    stroke(p, -14, -11, 14, -11);
    stroke(p, -14, 11, 14, 11);
    stroke(p, -14, -11, -14, 11);
    stroke(p, 2, -8, 2, 8);
}

// ---- parts with one terminal: a is where they hang

static void draw_mass(const Pen* p)
{
    stroke(p, -SYMBOL_LENGTH / 2.0, 0, -14, 0);
    shape(p, (CanvasPoint[]){{-14, -22}, {14, -22}, {14, 22}, {-14, 22}}, 4, &p->line);
}

static void draw_open(const Pen* p)
{
    stroke(p, -SYMBOL_LENGTH / 2.0, 0, 0, 0);
    circle(p, 0, 3);
}

static void draw_ground(const Pen* p)
{
    for (int i = 0; i < 3; i++)
        stroke(p, 4.0 * i, -12 + 4 * i, 4.0 * i, 12 - 4 * i);
}

static void draw_wall(const Pen* p)
{
    stroke(p, 0, -16, 0, 16);
    for (int i = 0; i < 5; i++)
        stroke(p, 0, -16 + 8 * i, 7, -22 + 8 * i);
}

static void draw_box(const Pen* p)
{
    leads(p, -22, 22);
    shape(p, (CanvasPoint[]){{-22, -13}, {22, -13}, {22, 13}, {-22, 13}}, 4, &p->line);
}

typedef void SymbolFn(const Pen* pen);

void symbol_draw(Canvas* canvas, SymbolKind kind, CanvasPoint a, CanvasPoint b)
{
    static SymbolFn* const drawn[] = {
        [SYMBOL_BOX] = draw_box,
        [SYMBOL_RESISTOR] = draw_resistor,
        [SYMBOL_CAPACITOR] = draw_capacitor,
        [SYMBOL_INDUCTOR] = draw_inductor,
        [SYMBOL_DIODE] = draw_diode,
        [SYMBOL_THYRISTOR] = draw_thyristor,
        [SYMBOL_SWITCH] = draw_switch,
        [SYMBOL_TRANSISTOR] = draw_transistor,
        [SYMBOL_VOLTAGE] = draw_voltage,
        [SYMBOL_CURRENT] = draw_current,
        [SYMBOL_METER] = draw_meter,
        [SYMBOL_GROUND] = draw_ground,
        [SYMBOL_OPEN] = draw_open,
        [SYMBOL_TRANSFORMER] = draw_box,
        [SYMBOL_AMPLIFIER] = draw_box,
        [SYMBOL_MOTOR] = draw_box,
        [SYMBOL_SPRING] = draw_spring,
        [SYMBOL_DAMPER] = draw_damper,
        [SYMBOL_MASS] = draw_mass,
        [SYMBOL_WALL] = draw_wall,
    };
    Pen pen = pen_for(canvas, a, b);
    drawn[kind](&pen);
}

// ---- blocks

// Two coils beside each other; a dot at the beginning of each.
static void draw_transformer(Canvas* canvas, CanvasPoint corner, CanvasPoint size)
{
    double top = corner.y + 18, bottom = corner.y + size.y - 18, middle = corner.x + size.x / 2;
    Paint line = {.stroke = INK, .width = 1.6}, dot = {.fill = INK};
    for (int side = -1; side <= 1; side += 2)
    {
        double x = middle + 12 * side, edge = side < 0 ? corner.x : corner.x + size.x;
        double radius = (bottom - top) / 8;
        Pen pen = pen_for(canvas, (CanvasPoint){x, top}, (CanvasPoint){x, bottom});
        pen.line.fill = (Colour){0};
        arcs(&pen, (top - bottom) / 2, radius, 4, side);
        canvas_line(canvas, edge, top, x, top, &line);
        canvas_line(canvas, edge, bottom, x, bottom, &line);
        canvas_ellipse(canvas, x + 14 * side, top + 8, 2, 2, &dot);
    }
    canvas_line(canvas, middle - 2, top, middle - 2, bottom, &line);
    canvas_line(canvas, middle + 2, top, middle + 2, bottom, &line);
}

static void draw_amplifier(Canvas* canvas, CanvasPoint corner, CanvasPoint size)
{
    double middle = corner.y + size.y / 2;
    Paint line = {.stroke = INK, .fill = PAPER, .width = 1.6};
    TextStyle style = {.size = 14, .colour = INK, .anchor = TEXT_MIDDLE};
    const CanvasPoint corners[] = {corner, {corner.x + size.x, middle}, {corner.x, corner.y + size.y}};
    canvas_polygon(canvas, corners, 3, &line);
    canvas_text(canvas, corner.x + 12, corner.y + 23, "+", &style);
    canvas_text(canvas, corner.x + 12, corner.y + size.y - 13, "−", &style);
}

static void draw_motor(Canvas* canvas, CanvasPoint corner, CanvasPoint size)
{
    CanvasPoint centre = {corner.x + size.x / 2, corner.y + size.y / 2};
    Paint line = {.stroke = INK, .fill = PAPER, .width = 1.6};
    TextStyle style = {.size = 16, .colour = INK, .anchor = TEXT_MIDDLE};
    double top = corner.y + 18, bottom = corner.y + size.y - 18;
    canvas_line(canvas, corner.x, top, centre.x, top, &line);
    canvas_line(canvas, centre.x, top, centre.x, bottom, &line);
    canvas_line(canvas, corner.x, bottom, centre.x, bottom, &line);
    canvas_line(canvas, centre.x, top, corner.x + size.x, top, &line);  // the shaft
    canvas_ellipse(canvas, centre.x, centre.y, 20, 20, &line);
    canvas_text(canvas, centre.x, centre.y + 6, "M", &style);
}

void symbol_draw_block(Canvas* canvas, SymbolKind kind, CanvasPoint corner, CanvasPoint size)
{
    Paint line = {.stroke = INK, .fill = PAPER, .width = 1.6};
    if (kind == SYMBOL_TRANSFORMER && size.y > 60)
        draw_transformer(canvas, corner, size);
    else if (kind == SYMBOL_AMPLIFIER)
        draw_amplifier(canvas, corner, size);
    else if (kind == SYMBOL_MOTOR && size.y > 60)
        draw_motor(canvas, corner, size);
    else
        canvas_rectangle(canvas, corner.x, corner.y, size.x, size.y, &line);
}
