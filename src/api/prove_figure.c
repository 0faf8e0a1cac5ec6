// Panels side by side, as in paper 002: departed states grey, a real mode where it is white; the witness is a dot.
#include "api/prove_figure.h"

#include "kairos/result.h"
#include "plot/canvas.h"

#include <stdio.h>

enum
{
    PANEL = 190,
    GAP = 60,
    TOP = 60,
    COLUMNS = 4
};

static const TextStyle small = {.size = 11, .colour = COLOUR(0x333333), .anchor = TEXT_MIDDLE};
static const TextStyle heading = {.size = 12, .colour = COLOUR(0x000000), .anchor = TEXT_MIDDLE, .bold = true};

typedef struct Box
{
    const PhaseFigure* figure;
    double left, top;
} Box;

static double to_x(const Box* b, double x)
{
    return b->left + PANEL * (x - b->figure->x[0]) / (b->figure->x[1] - b->figure->x[0]);
}

static double to_y(const Box* b, double y)
{
    return b->top + PANEL * (b->figure->y[1] - y) / (b->figure->y[1] - b->figure->y[0]);
}

static void draw_axes(Canvas* canvas, const Box* b)
{
    Paint axis = {.stroke = COLOUR(0x555555), .width = 1}, frame = {.stroke = COLOUR(0x999999), .width = 1};
    const PhaseFigure* f = b->figure;
    char text[64], number[33];
    canvas_line(canvas, to_x(b, 0), b->top, to_x(b, 0), b->top + PANEL, &axis);
    canvas_line(canvas, b->left, to_y(b, 0), b->left + PANEL, to_y(b, 0), &axis);
    canvas_rectangle(canvas, b->left, b->top, PANEL, PANEL, &frame);
    canvas_text(canvas, b->left + PANEL / 2.0, b->top + PANEL + 15, f->x_name, &small);
    TextStyle upward = small;
    upward.upward = true;
    canvas_text(canvas, b->left - 8, b->top + PANEL / 2.0, f->y_name, &upward);
    for (int i = 0; i < 2; i++)
    {
        snprintf(number, sizeof number, "%.3g", f->x[i]);
        canvas_text(canvas, b->left + PANEL * i, b->top + PANEL + 15, number, &small);
        snprintf(text, sizeof text, "%.3g", f->y[i]);
        TextStyle end = small;
        end.anchor = TEXT_END;
        canvas_text(canvas, b->left - 5, i == 0 ? b->top + PANEL : b->top + 10, text, &end);
    }
}

static void draw_panel(Canvas* canvas, const Box* b, const PhasePanel* panel, bool last)
{
    Colour grey = last ? COLOUR(0x777777) : COLOUR(0xbbbbbb);
    Paint fill = {.fill = grey, .stroke = grey, .width = 0.3};
    canvas_group(canvas, panel->title);
    for (uint32_t i = 0; i < panel->cells.count; i++)
    {
        const PhaseCell* c = &panel->cells.at[i];
        double x = to_x(b, c->x0), y = to_y(b, c->y1);
        canvas_rectangle(canvas, x, y, to_x(b, c->x1) - x, to_y(b, c->y0) - y, &fill);
    }
    draw_axes(canvas, b);
    canvas_text(canvas, b->left + PANEL / 2.0, b->top - 20, panel->title, &heading);
    const char* says = last
                           ? (panel->cells.count > 0 ? "no mode to rest in: grey" : "every state has a mode to rest in")
                       : panel->some_rest ? "a real mode where it is white"
                                          : "departed everywhere: never real";
    canvas_text(canvas, b->left + PANEL / 2.0, b->top - 6, says, &small);
    if (b->figure->has_witness)
    {
        Paint dot = {.fill = COLOUR(0xd55e00), .stroke = COLOUR(0xffffff), .width = 1};
        canvas_ellipse(canvas, to_x(b, b->figure->witness_x), to_y(b, b->figure->witness_y), 4.5, 4.5, &dot);
    }
    canvas_ungroup(canvas);
}

const char* prove_figure_draw(const PhaseFigure* figure, const char* title, const char* path, kaiAllocator allocator)
{
    int count = (int)figure->panels.count, columns = count < COLUMNS ? count : COLUMNS;
    int rows = (count + columns - 1) / columns;
    CanvasOptions options = {.path = path,
                             .width = columns * (PANEL + GAP) + GAP / 2.0,
                             .height = rows * (PANEL + TOP + 30) + 20,
                             .title = title,
                             .allocator = allocator};
    const char* error = NULL;
    if (!canvas_format_of(path, &options.format))
        return "the name of a figure ends in .svg, .png or .pdf";
    Canvas* canvas = canvas_open(&options, &error);
    if (canvas == NULL)
        return error;
    for (int i = 0; i < count; i++)
    {
        Box box = {figure, GAP + (i % columns) * (PANEL + GAP), TOP + (i / columns) * (PANEL + TOP + 30)};
        draw_panel(canvas, &box, &figure->panels.at[i], i == count - 1);
    }
    return canvas_close(canvas) == KAI_OK ? NULL : "the figure cannot be written";
}
