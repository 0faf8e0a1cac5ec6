// A placed diagram on a canvas: groups, then arrows, then boxes, then labels.
#include "diagram/diagram.h"

#include <math.h>

enum
{
    ARROW_LENGTH = 9,
};

static const double DASH[2] = {5, 3};

static Paint outline(Colour colour, bool dashed)
{
    Paint paint = {.stroke = colour, .width = 1.2};
    if (dashed)
        paint.dash[0] = DASH[0], paint.dash[1] = DASH[1];
    return paint;
}

// ---- boxes

static void round_box(Canvas* c, double x, double y, double w, double h, double r, const Paint* paint)
{
    const double k = r * 0.5523;  // a quarter of a circle as a cubic
    const CanvasPoint p[] = {
        {x + r, y},         {x + r, y},         {x + w - r, y},         {x + w - r, y},
        {x + w - r + k, y}, {x + w, y + r - k}, {x + w, y + r},         {x + w, y + r},
        {x + w, y + h - r}, {x + w, y + h - r}, {x + w, y + h - r + k}, {x + w - r + k, y + h},
        {x + w - r, y + h}, {x + w - r, y + h}, {x + r, y + h},         {x + r, y + h},
        {x + r - k, y + h}, {x, y + h - r + k}, {x, y + h - r},         {x, y + h - r},
        {x, y + r},         {x, y + r},         {x, y + r - k},         {x + r - k, y},
        {x + r, y},
    };
    canvas_curve(c, p, (int)(sizeof p / sizeof *p), true, paint);
}

static void draw_outline(Canvas* c, const DiagramNode* n)
{
    double x = n->x - n->width / 2, y = n->y - n->height / 2;
    bool dashed = n->shape == SHAPE_EVENT || n->shape == SHAPE_ACTION;
    Paint paint = outline(n->accent, dashed);
    paint.fill = COLOUR(0xffffff);
    if (n->shape == SHAPE_ROUND)
        round_box(c, x, y, n->width, n->height, 8, &paint);
    else if (n->shape == SHAPE_PORT || n->shape == SHAPE_EVENT)
        round_box(c, x, y, n->width, n->height, fmin(n->height / 2, 13), &paint);
    else
        canvas_rectangle(c, x, y, n->width, n->height, &paint);
    if (!n->thick)
        return;
    Paint inner = outline(n->accent, false);
    inner.width = 0.8;
    if (n->shape == SHAPE_ROUND)
        round_box(c, x + 3, y + 3, n->width - 6, n->height - 6, 6, &inner);
    else
        canvas_rectangle(c, x + 3, y + 3, n->width - 6, n->height - 6, &inner);
}

static void draw_texts(Canvas* c, const DiagramNode* n)
{
    TextStyle title = diagram_title_style();
    TextStyle line = n->shape == SHAPE_TEXT ? diagram_label_style() : diagram_line_style();
    double height = (n->title != NULL ? 1.25 * title.size : 0) + 1.25 * line.size * n->lines.count;
    double y = n->y - height / 2;
    title.colour = n->accent;
    if (n->title != NULL)
    {
        canvas_text(c, n->x, y + canvas_ascent(c, &title) + 0.1 * title.size, n->title, &title);
        y += 1.25 * title.size;
    }
    for (uint32_t i = 0; i < n->lines.count; i++, y += 1.25 * line.size)
        canvas_text(c, n->x, y + canvas_ascent(c, &line) + 0.1 * line.size, n->lines.at[i], &line);
}

static void draw_node(Canvas* c, const DiagramNode* n)
{
    if (n->shape == SHAPE_ANCHOR)
        return;
    canvas_group(c, n->name);
    if (n->shape == SHAPE_DOT)
    {
        Paint paint = {.fill = n->accent};
        canvas_ellipse(c, n->x, n->y, n->width / 2, n->height / 2, &paint);
    }
    else if (n->shape != SHAPE_TEXT)
        draw_outline(c, n);
    draw_texts(c, n);
    canvas_ungroup(c);
}

static void draw_group(Canvas* c, const DiagramGroup* g)
{
    Paint paint = outline(g->accent, g->dashed);
    paint.fill = COLOUR(0xfcfcfa);
    if (g->round)
        round_box(c, g->corner.x, g->corner.y, g->size.x, g->size.y, 8, &paint);
    else
        canvas_rectangle(c, g->corner.x, g->corner.y, g->size.x, g->size.y, &paint);
}

// Lines may pass behind it.
static void veil(Canvas* c, double x, double y, double width, double height)
{
    Paint paint = {.fill = colour_fade(COLOUR(0xffffff), 0.8)};
    canvas_rectangle(c, x, y, width, height, &paint);
}

static void draw_group_title(Canvas* c, const DiagramGroup* g)
{
    TextStyle style = diagram_label_style();
    style.anchor = TEXT_START;
    style.bold = true;
    style.colour = g->accent;
    veil(c, g->corner.x + 6, g->corner.y + 4, canvas_text_width(c, g->title, &style) + 4, 15);
    canvas_text(c, g->corner.x + 8, g->corner.y + 15, g->title, &style);
}

// ---- arrows

static CanvasPoint direction(CanvasPoint from, CanvasPoint to)
{
    double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
    return length > 0 ? (CanvasPoint){x / length, y / length} : (CanvasPoint){1, 0};
}

// The direction in which the curve reaches its end: the last control point may lie on it.
static CanvasPoint end_direction(const DiagramEdge* e, bool tail)
{
    CanvasPoint end = e->points[tail ? 0 : e->point_count - 1];
    for (int i = 1; i < e->point_count; i++)
    {
        CanvasPoint other = e->points[tail ? i : e->point_count - 1 - i];
        if (hypot(other.x - end.x, other.y - end.y) > 0.5)
            return direction(other, end);
    }
    return (CanvasPoint){1, 0};
}

static void draw_head(Canvas* c, const DiagramEdge* e)
{
    CanvasPoint tip = e->points[e->point_count - 1], d = end_direction(e, false), normal = {-d.y, d.x};
    CanvasPoint base = {tip.x - ARROW_LENGTH * d.x, tip.y - ARROW_LENGTH * d.y};
    Paint paint = {.fill = e->colour, .stroke = e->colour, .width = 1.2};
    const double half = 0.42 * ARROW_LENGTH;
    if (e->arrow == ARROW_FULL)
        canvas_polygon(c,
                       (CanvasPoint[]){tip,
                                       {base.x + half * normal.x, base.y + half * normal.y},
                                       {base.x - half * normal.x, base.y - half * normal.y}},
                       3, &paint);
    else if (e->arrow == ARROW_HALF)
        canvas_line(c, tip.x, tip.y, base.x - 2 * half * normal.x, base.y - 2 * half * normal.y, &paint);
}

// A short bar across the end: the side that the effort goes to.
static void draw_stroke(Canvas* c, const DiagramEdge* e)
{
    bool tail = e->stroke < 0;
    CanvasPoint end = e->points[tail ? 0 : e->point_count - 1], d = end_direction(e, tail);
    Paint paint = outline(e->colour, false);
    paint.width = 2;
    end = (CanvasPoint){end.x - 3 * d.x, end.y - 3 * d.y};  // beside the outline of a box, not on it
    canvas_line(c, end.x + 7 * d.y, end.y - 7 * d.x, end.x - 7 * d.y, end.y + 7 * d.x, &paint);
}

static void draw_mark(Canvas* c, CanvasPoint at, const char* text, Colour colour)
{
    Paint paint = outline(colour, false);
    TextStyle style = diagram_label_style();
    paint.fill = COLOUR(0xffffff);
    style.size = 9;
    style.bold = true;
    style.colour = colour;
    canvas_ellipse(c, at.x, at.y, 6.5, 6.5, &paint);
    canvas_text(c, at.x, at.y + 3.3, text, &style);
}

static void draw_marks(Canvas* c, const DiagramEdge* e)
{
    CanvasPoint head = e->points[e->point_count - 1], tail = e->points[0];
    CanvasPoint in = end_direction(e, false), out = end_direction(e, true);
    if (e->history)
        draw_mark(c, (CanvasPoint){head.x - (ARROW_LENGTH + 8) * in.x, head.y - (ARROW_LENGTH + 8) * in.y}, "H",
                  e->colour);
    if (e->preempt)
    {
        Paint paint = {.fill = COLOUR(0xd55e00), .stroke = COLOUR(0xd55e00), .width = 1};
        canvas_ellipse(c, tail.x - 3.5 * out.x, tail.y - 3.5 * out.y, 3.5, 3.5, &paint);
    }
}

static void draw_edge(Canvas* c, const DiagramEdge* e)
{
    if (e->points == NULL)
        return;
    Paint paint = outline(e->colour, e->dashed);
    canvas_curve(c, e->points, e->point_count, false, &paint);
    draw_head(c, e);
    if (e->stroke != 0)
        draw_stroke(c, e);
    draw_marks(c, e);
}

static void draw_label(Canvas* c, const DiagramEdge* e)
{
    if (e->label.count == 0)
        return;
    TextStyle style = diagram_label_style();
    veil(c, e->label_at.x - e->label_width / 2 + 3, e->label_at.y - e->label_height / 2 + 1, e->label_width - 6,
         e->label_height - 2);
    double y = e->label_at.y - 1.25 * style.size * e->label.count / 2;
    for (uint32_t i = 0; i < e->label.count; i++, y += 1.25 * style.size)
        canvas_text(c, e->label_at.x, y + canvas_ascent(c, &style) + 0.1 * style.size, e->label.at[i], &style);
}

// ---- all together

static void draw_all(Canvas* c, const Diagram* d)
{
    TextStyle style = diagram_title_style();
    style.anchor = TEXT_START;
    canvas_text(c, DIAGRAM_MARGIN, DIAGRAM_MARGIN + 10, d->title, &style);
    for (uint32_t i = 1; i < d->groups.count; i++)  // a parent comes before its children
        draw_group(c, &d->groups.at[i]);
    for (uint32_t i = 0; i < d->edges.count; i++)
        draw_edge(c, &d->edges.at[i]);
    for (uint32_t i = 1; i < d->groups.count; i++)
        draw_group_title(c, &d->groups.at[i]);
    for (uint32_t i = 0; i < d->nodes.count; i++)
        draw_node(c, &d->nodes.at[i]);
    for (uint32_t i = 0; i < d->edges.count; i++)
        if (d->edges.at[i].points != NULL)
            draw_label(c, &d->edges.at[i]);
}

kaiStatus diagram_draw(const Diagram* d, const char* path, CanvasFormat format, kaiSink sink, kaiAllocator allocator,
                       const char** error)
{
    CanvasOptions options = {.path = path,
                             .format = format,
                             .width = d->width,
                             .height = d->height,
                             .title = d->title,
                             .sink = sink,
                             .allocator = allocator};
    Canvas* canvas = canvas_open(&options, error);
    if (canvas == NULL)
        return canvas_refusal(*error);
    draw_all(canvas, d);
    return canvas_close(canvas);
}
