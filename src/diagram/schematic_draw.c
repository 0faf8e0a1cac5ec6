// A placed schematic on a canvas: wires, symbols, dots, then the names beside them.
#include "diagram/schematic.h"

#include <math.h>

static const Colour INK = {30, 30, 30, 255}, FAINT = {105, 105, 105, 255};

static TextStyle name_style(void)
{
    return (TextStyle){.size = 11, .colour = INK};
}

// Beside a part that stands, above one that lies.
static void draw_label(Canvas* c, const SchematicPart* part)
{
    const char* lines[2];
    int count = schematic_labels(part->part, lines);
    TextStyle style = name_style();
    bool stands = fabs(part->a.x - part->b.x) < fabs(part->a.y - part->b.y);
    CanvasPoint middle = {(part->a.x + part->b.x) / 2, (part->a.y + part->b.y) / 2};
    double beside = part->part->symbol == SYMBOL_MASS || part->part->count == 1 ? 28 : SYMBOL_WIDTH / 2.0 + 10;
    for (int i = 0; i < count; i++)
    {
        style.colour = i == 0 ? INK : FAINT;
        style.anchor = stands ? TEXT_START : TEXT_MIDDLE;
        if (stands)
            canvas_text(c, middle.x + beside, middle.y + 4 + 14 * (i - (count - 1) / 2.0), lines[i], &style);
        else
            canvas_text(c, middle.x, middle.y - 20 - 13 * (count - 1 - i), lines[i], &style);
    }
}

static void draw_block_label(Canvas* c, const SchematicPart* part)
{
    const char* lines[2];
    int count = schematic_labels(part->part, lines);
    TextStyle style = name_style();
    style.anchor = TEXT_MIDDLE;
    double x = part->corner.x + part->size.x / 2, y = part->corner.y + part->size.y / 2;
    bool inside = part->part->symbol == SYMBOL_BOX;
    for (int i = 0; i < count; i++)
    {
        style.colour = i == 0 ? INK : FAINT;
        style.bold = inside && i == 0;
        canvas_text(c, x, inside ? y + 4 + 14 * (i - (count - 1) / 2.0) : part->corner.y + part->size.y + 13 + 13 * i,
                    lines[i], &style);
    }
}

// The names of ports, where a symbol does not say which is which.
static void draw_ends(Canvas* c, const Schematic* s)
{
    TextStyle style = name_style();
    style.size = 9;
    style.colour = FAINT;
    for (uint32_t i = 0; i < s->ends.count; i++)
    {
        const CircuitTerminal* t = &s->circuit->terminals.at[s->ends.at[i].net];
        const SchematicPart* part = &s->parts[t->part];
        bool right = s->ends.at[i].at.x > part->corner.x + part->size.x / 2;
        style.anchor = right ? TEXT_END : TEXT_START;
        if (part->part->symbol == SYMBOL_BOX)
            canvas_text(c, s->ends.at[i].at.x + (right ? -4 : 4), s->ends.at[i].at.y - 3, t->port, &style);
    }
}

static void draw_parts(Canvas* c, const Schematic* s)
{
    for (uint32_t i = 0; i < s->circuit->parts.count; i++)
    {
        const SchematicPart* part = &s->parts[i];
        if (!part->shown)
            continue;
        canvas_group(c, part->part->name);
        if (part->block)
        {
            symbol_draw_block(c, part->part->symbol, part->corner, part->size);
            draw_block_label(c, part);
        }
        else
        {
            bool ends = part->part->count == 1 && part->part->symbol == SYMBOL_BOX;  // a box without a second lead
            symbol_draw(c, ends ? SYMBOL_MASS : part->part->symbol, part->a, part->b);
            draw_label(c, part);
        }
        canvas_ungroup(c);
    }
}

static void draw_all(Canvas* c, const Schematic* s)
{
    Paint line = {.stroke = INK, .width = 1.3}, dot = {.fill = INK};
    TextStyle title = {.size = 13, .colour = INK, .bold = true};
    canvas_text(c, 16, 26, s->title, &title);
    for (uint32_t i = 0; i < s->wires.count; i++)
    {
        const SchematicWire* w = &s->wires.at[i];
        canvas_line(c, w->from.x, w->from.y, w->to.x, w->to.y, &line);
    }
    draw_parts(c, s);
    draw_ends(c, s);
    for (uint32_t i = 0; i < s->dots.count; i++)
        canvas_ellipse(c, s->dots.at[i].at.x, s->dots.at[i].at.y, 3.2, 3.2, &dot);
    for (uint32_t i = 0; i < s->marks.count; i++)
    {
        CanvasPoint from = s->marks.at[i].at, to = {from.x, from.y};
        symbol_draw(c, s->marks.at[i].kind, (CanvasPoint){from.x, from.y - 1}, (CanvasPoint){to.x, to.y + 1});
    }
}

kaiStatus schematic_draw(const Schematic* s, const char* path, CanvasFormat format, kaiSink sink,
                         kaiAllocator allocator, const char** error)
{
    CanvasOptions options = {.path = path,
                             .format = format,
                             .width = s->width,
                             .height = s->height,
                             .title = s->title,
                             .sink = sink,
                             .allocator = allocator};
    Canvas* canvas = canvas_open(&options, error);
    if (canvas == NULL)
        return canvas_refusal(*error);
    draw_all(canvas, s);
    return canvas_close(canvas);
}
