// Axes, curves, jumps, impulses, events, bands. Conventions: a jump is a gap with an open end at its left limit and a
// filled one at its right limit; an impulse is an arrow from 0 whose height is its weight (paper 003, Fig. 4), δ′ has
// two heads, δ″ three; an event is a stem; what is absent is not drawn.
#include "plot/chart.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Colour black = {0x22, 0x22, 0x22, 255}, pale = {0xe4, 0xe4, 0xe4, 255}, white = {255, 255, 255, 255};

Look look_of(const Canvas* canvas)
{
    bool coarse = canvas_format(canvas) == CANVAS_TERMINAL;
    return (Look){
        .coarse = coarse,
        .title = {.size = 14, .colour = black, .bold = true},
        .label = {.size = 12, .colour = black},
        .tick = {.size = 11, .colour = black},
        .note = {.size = 10.5, .colour = COLOUR(0x555555)},
        .gap = coarse ? 2 : 8,
        .line = 1.6,
        .marker = 3,
    };
}

double axis_place(const Axis* axis, double value)
{
    double part = axis->log ? log10(fmax(value, axis->low) / axis->low) / log10(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

// ---- ranges

bool chart_is_event(const Track* track)
{
    bool marks = false;
    for (int i = 0; i < track->count; i++)
        if (track->points[i].link != LINK_NONE)
            return false;
    for (int i = 0; i < track->mark_count && !marks; i++)
        marks = track->marks[i].kind != MARK_IMPULSE;
    return track->event || (track->count > 0 && track->points[track->count - 1].ends) || marks;
}

typedef struct Range
{
    double from, to;  // times that count
    bool any;
    double low, high;
    bool positive;  // for a logarithmic axis
} Range;

static void include(Range* r, double t, double value)
{
    if (t < r->from || t > r->to || (r->positive && !(value > 0)))
        return;
    r->low = !r->any || value < r->low ? value : r->low;
    r->high = !r->any || value > r->high ? value : r->high;
    r->any = true;
}

static bool range(const ChartSeries* series, int count, bool of_x, Range r, double* low, double* high)
{
    for (int k = 0; k < count; k++)
    {
        const Track* track = series[k].track;
        bool stands = !of_x && chart_is_event(track);
        for (int i = 0; i < track->count; i++)
            include(&r, track->points[i].t, of_x ? track->points[i].x : track->points[i].y);
        for (int i = 0; i < track->mark_count; i++)
        {
            include(&r, track->marks[i].t, of_x ? track->marks[i].x : track->marks[i].y);
            stands |= !of_x && track->marks[i].kind == MARK_IMPULSE;
        }
        if (stands && !r.positive)
            include(&r, r.from, 0);  // stems and arrows stand on it
    }
    *low = r.low;
    *high = r.high;
    return r.any;
}

bool chart_range(const ChartSeries* series, int count, bool of_x, double from, double to, Axis* axis)
{
    return range(series, count, of_x, (Range){from, to, false, 0, 0, axis->log}, &axis->low, &axis->high);
}

// ---- axes

static const Paint frame = {.stroke = {0x55, 0x55, 0x55, 255}, .width = 0.9};
static const Paint grid = {.stroke = {0xe4, 0xe4, 0xe4, 255}, .width = 0.8};
static const Paint zero = {.stroke = {0xb0, 0xb0, 0xb0, 255}, .width = 0.9};

static const Paint coarse_frame = {.stroke = {0x88, 0x88, 0x88, 255}, .width = 1};

void chart_axis_x(Canvas* c, const Look* look, const Axis* x, Box box, bool labels)
{
    TextStyle style = look->tick;
    style.anchor = TEXT_MIDDLE;
    double base = box.y + box.height;
    if (look->coarse && labels)
        canvas_line(c, box.x - 1, base, box.x + box.width - 1, base, &coarse_frame);
    for (int i = 0; i < x->ticks.count; i++)
    {
        char text[64];
        double at = axis_place(x, ticks_at(&x->ticks, i));
        if (!look->coarse)
        {
            canvas_line(c, at, box.y, at, base, &grid);
            canvas_line(c, at, base, at, base + 4, &frame);
        }
        ticks_label(&x->ticks, i, text, sizeof text);
        if (labels)
            canvas_text(c, at, base + (look->coarse ? 7 : 6 + canvas_ascent(c, &style)), text, &style);
    }
}

void chart_axis_y(Canvas* c, const Look* look, const Axis* y, Box box)
{
    TextStyle style = look->tick;
    style.anchor = TEXT_END;
    for (int i = 0; i < y->ticks.count; i++)
    {
        char text[64];
        double value = ticks_at(&y->ticks, i), at = axis_place(y, value);
        if (!look->coarse)
        {
            canvas_line(c, box.x, at, box.x + box.width, at,
                        !y->log && fabs(value) < 1e-9 * y->ticks.step ? &zero : &grid);
            canvas_line(c, box.x - 4, at, box.x, at, &frame);
        }
        ticks_label(&y->ticks, i, text, sizeof text);
        canvas_text(c, box.x - (look->coarse ? 4 : 7), at + (look->coarse ? 1 : 0.36 * style.size), text, &style);
    }
    if (look->coarse)
        canvas_line(c, box.x - 1, box.y, box.x - 1, box.y + box.height - 1, &coarse_frame);
    else
        canvas_rectangle(c, box.x, box.y, box.width, box.height, &frame);
}

// ---- curves

void chart_dash(const ChartSeries* series, Paint* paint)
{
    if (series->covers == 0)
        return;
    paint->dash[0] = 16.0 / (1 << (series->covers < 3 ? series->covers : 3));
    paint->dash[1] = 16 - paint->dash[0];
}

typedef struct Pen
{
    Canvas* canvas;
    const Look* look;
    const Axis *x, *y;
    Box box;
    Colour colour;
    double width;
    const ChartSeries* series;
} Pen;

// A logarithmic axis has no place for 0 and below.
static bool has_place(const Pen* pen, const TrackPoint* p)
{
    return (!pen->x->log || p->x > 0) && (!pen->y->log || p->y > 0);
}

static CanvasPoint place(const Pen* pen, double x, double y)
{
    return (CanvasPoint){axis_place(pen->x, x), axis_place(pen->y, y)};
}

static bool is_visible(const Pen* pen, CanvasPoint p)
{
    return p.x >= pen->box.x - 1 && p.x <= pen->box.x + pen->box.width + 1;
}

static void draw_end(const Pen* pen, CanvasPoint at, bool open, double radius)
{
    Paint paint = {.stroke = pen->colour, .fill = open ? white : pen->colour, .width = 1.3};
    if (is_visible(pen, at) && !pen->look->coarse)
        canvas_ellipse(pen->canvas, at.x, at.y, radius, radius, &paint);
}

// Pieces between jumps as polylines, in bites that the stack can hold.
static void draw_lines(const Pen* pen, const Track* track)
{
    enum
    {
        BITE = 1024
    };
    Paint paint = {.stroke = pen->colour, .width = pen->width};
    chart_dash(pen->series, &paint);
    CanvasPoint points[BITE];
    int count = 0, mode = -1;
    for (int i = 0; i < track->count; i++)
    {
        CanvasPoint p = place(pen, track->points[i].x, track->points[i].y);
        bool seen = has_place(pen, &track->points[i]);
        bool goes_on = count > 0 && track->points[i].link == LINK_LINE;
        if (!seen)
        {
            canvas_lines(pen->canvas, points, count, &paint);
            count = 0;
            continue;
        }
        bool other = pen->series->modes != NULL && track->points[i].mode != mode;
        if (!goes_on || count == BITE || other)
        {
            bool joins = goes_on && count > 0;
            canvas_lines(pen->canvas, points, count, &paint);
            points[0] = joins ? points[count - 1] : p;
            count = 1;
        }
        if (other)
        {
            mode = track->points[i].mode;
            paint.stroke = mode < pen->series->mode_count ? pen->series->modes[mode] : pen->colour;
        }
        if (goes_on)
            points[count++] = p;
    }
    canvas_lines(pen->canvas, points, count, &paint);
}

// Which way a curve in the phase plane is gone through: a head at a third and at two thirds of its length.
static void draw_directions(const Pen* pen, const Track* track)
{
    double length = 0, gone = 0;
    for (int pass = 0, next = 1; pass < 2; pass++)
        for (int i = 1; i < track->count && next <= 3; i++)
        {
            CanvasPoint a = place(pen, track->points[i - 1].x, track->points[i - 1].y);
            CanvasPoint b = place(pen, track->points[i].x, track->points[i].y);
            double piece = track->points[i].link == LINK_LINE ? hypot(b.x - a.x, b.y - a.y) : 0;
            length += pass == 0 ? piece : 0;
            gone += pass == 1 ? piece : 0;
            if (pass == 0 || piece == 0 || length < 60 || gone < length * (next - 0.5) / 3)
                continue;
            double ux = (b.x - a.x) / piece, uy = (b.y - a.y) / piece, size = 5;
            const CanvasPoint head[] = {{b.x + ux * size, b.y + uy * size},
                                        {b.x - ux * size - uy * 0.7 * size, b.y - uy * size + ux * 0.7 * size},
                                        {b.x - ux * size + uy * 0.7 * size, b.y - uy * size - ux * 0.7 * size}};
            bool by_mode = pen->series->modes != NULL && track->points[i].mode < pen->series->mode_count;
            Colour colour = by_mode ? pen->series->modes[track->points[i].mode] : pen->colour;
            canvas_polygon(pen->canvas, head, 3, &(Paint){.fill = colour});
            next++;
        }
}

static void draw_measured(const Pen* pen, const Track* track)
{
    const Paint paint = {.stroke = pen->colour, .width = 1.1};
    for (int i = 0; i < track->count; i++)
    {
        CanvasPoint at = place(pen, track->points[i].x, track->points[i].y);
        if (is_visible(pen, at) && has_place(pen, &track->points[i]))
            canvas_ellipse(pen->canvas, at.x, at.y, pen->look->coarse ? 0.5 : 2.2, pen->look->coarse ? 0.5 : 2.2,
                           &paint);
    }
}

// Jumps closer together than their markers are drawn without them: a row of circles would hide the curve.
static bool is_lonely(const Pen* pen, const Track* track, int jump)
{
    double room = 2.5 * pen->look->marker, x = axis_place(pen->x, track->points[jump].x);
    int before = jump - 2, after = jump + 1;
    while (before > 0 && track->points[before].link == LINK_LINE)
        before--;
    while (after < track->count && track->points[after].link == LINK_LINE)
        after++;
    bool clear_before = before <= 0 || fabs(x - axis_place(pen->x, track->points[before].x)) > room;
    bool clear_after = after >= track->count || fabs(axis_place(pen->x, track->points[after].x) - x) > room;
    return track->against || (clear_before && clear_after);
}

static void draw_jumps(const Pen* pen, const Track* track)
{
    // Dashes of a thousand jumps side by side make patterns that mean nothing: those are shades.
    const Paint dashed = {.stroke = colour_fade(pen->colour, 0.55), .width = 0.9, .dash = {2.5, 2.5}};
    const Paint shade = {.stroke = colour_fade(pen->colour, 0.3), .width = 0.9};
    for (int i = 0; i < track->count; i++)
    {
        const TrackPoint* p = &track->points[i];
        CanvasPoint at = place(pen, p->x, p->y);
        if (!has_place(pen, p) || (p->link == LINK_JUMP && !has_place(pen, &p[-1])))
            continue;
        if (p->link == LINK_JUMP)
        {
            CanvasPoint left = place(pen, p[-1].x, p[-1].y);
            double height = hypot(at.x - left.x, at.y - left.y);
            bool lonely = is_lonely(pen, track, i);
            if (height > 0.5)
                canvas_line(pen->canvas, left.x, left.y, at.x, at.y, lonely ? &dashed : &shade);
            if (height > pen->look->marker && lonely)
            {
                draw_end(pen, left, true, pen->look->marker);
                draw_end(pen, at, false, pen->look->marker);
            }
        }
        bool alone = p->link == LINK_NONE && (i + 1 == track->count || p[1].link == LINK_NONE);
        if (p->ends && !alone)
            draw_end(pen, at, true, pen->look->marker);
        if ((p->link == LINK_NONE && i > 0) || alone)
            draw_end(pen, at, false, pen->look->marker);
    }
}

// ---- marks

static void draw_head(const Pen* pen, CanvasPoint tip, double direction)
{
    double size = pen->look->coarse ? 3 : 7;
    const CanvasPoint head[] = {{tip.x, tip.y},
                                {tip.x - 0.45 * size, tip.y + direction * size},
                                {tip.x + 0.45 * size, tip.y + direction * size}};
    canvas_polygon(pen->canvas, head, 3, &(Paint){.fill = pen->colour});
}

// Impulses so close together that heads and labels would cover each other: shafts alone are drawn, as a comb.
static bool is_crowded(const Track* track, int index, const Axis* x)
{
    const double room = 6;  // dots
    const TrackMark* own = &track->marks[index];
    int before = index - 1, after = index + 1;
    while (before >= 0 && (track->marks[before].kind != MARK_IMPULSE || track->marks[before].x == own->x))
        before--;
    while (after < track->mark_count && (track->marks[after].kind != MARK_IMPULSE || track->marks[after].x == own->x))
        after++;
    double at = axis_place(x, own->x);
    return (before >= 0 && fabs(at - axis_place(x, track->marks[before].x)) < room) ||
           (after < track->mark_count && fabs(axis_place(x, track->marks[after].x) - at) < room);
}

static void draw_impulse(const Pen* pen, const TrackMark* mark, bool crowded)
{
    CanvasPoint foot = place(pen, mark->x, 0), tip = place(pen, mark->x, mark->y);
    double direction = tip.y < foot.y ? 1 : -1;  // of the shaft, from the tip
    Paint paint = {.stroke = pen->colour, .width = pen->look->line};
    canvas_line(pen->canvas, foot.x, foot.y, tip.x, tip.y + direction * (pen->look->coarse || crowded ? 0 : 4), &paint);
    for (int k = 0; k <= mark->order && !crowded; k++)
        draw_head(pen, (CanvasPoint){tip.x, tip.y + direction * 6 * k}, direction);
}

// A weight that is rounding beside what the axis shows.
static bool is_nothing(const TrackMark* mark, const Axis* y)
{
    return fabs(mark->y) < 1e-9 * (y->high - y->low);
}

static void draw_stem(const Pen* pen, double x, double y)
{
    CanvasPoint foot = place(pen, x, 0), tip = place(pen, x, y * pen->series->stem);
    Paint paint = {.stroke = pen->colour, .width = 1.2};
    canvas_line(pen->canvas, foot.x, foot.y, tip.x, tip.y, &paint);
    draw_end(pen, tip, false, 0.9 * pen->look->marker);
}

static void draw_marks(const Pen* pen, const Track* track, bool event)
{
    for (int i = 0; i < track->mark_count; i++)
    {
        const TrackMark* mark = &track->marks[i];
        if (mark->kind == MARK_IMPULSE && is_nothing(mark, pen->y))
            continue;
        if (mark->kind == MARK_IMPULSE)
            draw_impulse(pen, mark, is_crowded(track, i, pen->x));
        else if (event)
            draw_stem(pen, mark->x, mark->y);
        else
            draw_end(pen, place(pen, mark->x, mark->y), false, 0.6 * pen->look->marker);
    }
    for (int i = 0; i < track->count && event; i++)
        draw_stem(pen, track->points[i].x, track->points[i].y);
}

void chart_series(Canvas* c, const Look* look, const ChartSeries* series, const Axis* x, const Axis* y, Box box)
{
    Pen pen = {c, look, x, y, box, series->colour, series->width, series};
    bool event = !series->dots && chart_is_event(series->track);
    canvas_group(c, series->name);
    // Markers on the frame are whole: the clip has room for them.
    double room = look->coarse ? 0 : look->marker + 2;
    canvas_clip(c, box.x - room, box.y - room, box.width + 2 * room, box.height + 2 * room);
    if (series->dots)
        draw_measured(&pen, series->track);
    else if (!event)
        draw_lines(&pen, series->track);
    if (!event && !series->dots)
        draw_jumps(&pen, series->track);
    if (series->track->against && !look->coarse && !series->dots)
        draw_directions(&pen, series->track);
    if (!series->dots)
        draw_marks(&pen, series->track, event);
    canvas_unclip(c);
    canvas_ungroup(c);
}

// ---- labels of impulses

static void impulse_text(const TrackMark* mark, char* text, size_t size)
{
    static const char* const names[] = {"δ", "δ′", "δ″"};
    char number[64], raised[32];
    ticks_number(mark->y, 4, number, sizeof number);
    if (mark->order < 3)
        snprintf(text, size, "%s %s", number, names[mark->order]);
    else
    {
        ticks_raised(mark->order, raised, sizeof raised);
        snprintf(text, size, "%s δ⁽%s⁾", number, raised);
    }
}

// Labels stand right of the tip and inside the panel. False: it would lie on one that is there already.
static bool place_label(const Canvas* c, const TextStyle* style, Box panel, CanvasPoint tip, const char* text,
                        const Box* taken, int count, Box* out)
{
    double width = canvas_text_width(c, text, style), height = canvas_line_height(c, style);
    *out = (Box){tip.x + 6, tip.y - height / 2, width, height};
    if (out->x + width > panel.x + panel.width)
        out->x = tip.x - 6 - width;
    out->y = fmin(fmax(out->y, panel.y + 1), panel.y + panel.height - height - 1);
    for (int i = 0; i < count; i++)
        if (out->x < taken[i].x + taken[i].width && taken[i].x < out->x + width &&
            out->y < taken[i].y + taken[i].height && taken[i].y < out->y + height)
            return false;
    return true;
}

void chart_impulse_labels(Canvas* c, const Look* look, const ChartSeries* series, int count, const Axis* x,
                          const Axis* y, Box box)
{
    enum
    {
        LABELS_MAX = 40
    };
    Box taken[LABELS_MAX];
    int labels = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < series[k].track->mark_count && labels < LABELS_MAX; i++)
        {
            const TrackMark* mark = &series[k].track->marks[i];
            char text[128];
            if (mark->kind != MARK_IMPULSE || is_nothing(mark, y) || is_crowded(series[k].track, i, x))
                continue;
            CanvasPoint tip = {axis_place(x, mark->x), axis_place(y, mark->y)};
            impulse_text(mark, text, sizeof text);
            if (!place_label(c, &look->note, box, tip, text, taken, labels, &taken[labels]))
                continue;
            const Box* at = &taken[labels++];
            canvas_text(c, at->x, at->y + canvas_ascent(c, &look->note), text, &look->note);
        }
}

// ---- bands

void chart_fit_text(const Canvas* c, const TextStyle* style, double width, const char* text, char* out, size_t size)
{
    snprintf(out, size, "%s", text);
    size_t length = strlen(out);
    while (length > 0 && canvas_text_width(c, out, style) > width)
    {
        do
            length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80);
        snprintf(out, size, "%.*s…", (int)length, text);
        if (length == 0)
            out[0] = 0;
    }
}

void chart_fit_title(const Canvas* c, TextStyle* style, double width, const char* text, char* out, size_t size)
{
    double wide = canvas_text_width(c, text, style);
    if (wide > width && canvas_format(c) != CANVAS_TERMINAL)
        style->size *= fmax(width / wide, 0.65);
    chart_fit_text(c, style, width, text, out, size);
}

// The end of `text` that has `bytes` bytes, or a little less: a character stays whole.
static const char* tail_of(const char* text, size_t bytes)
{
    const char* at = text + strlen(text) - bytes;
    while (((unsigned char)*at & 0xc0) == 0x80)
        at++;
    return at;
}

void chart_fit_name(const Canvas* c, const TextStyle* style, double width, const char* text, char* out, size_t size)
{
    snprintf(out, size, "%s", text);
    size_t length = strlen(text);
    for (size_t kept = length; kept > 1 && canvas_text_width(c, out, style) > width; kept--)
    {
        size_t head = kept / 2;
        while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
            head--;
        snprintf(out, size, "%.*s…%s", (int)head, text, tail_of(text, kept - kept / 2));
    }
}

static const double NARROW = 3;  // dots

void chart_piece(Canvas* c, const Look* look, Box at, const char* name, Colour colour)
{
    if (look->coarse)
    {
        const Paint line = {.stroke = colour, .width = 1};
        canvas_line(c, at.x, at.y + 2, at.x + at.width - 1, at.y + 2, &line);
        canvas_line(c, at.x, at.y, at.x, at.y + 3, &line);
    }
    else
    {
        // A white edge would hide what is as narrow as itself; what is narrow is darker instead.
        Paint paint = {.fill = colour_fade(colour, at.width < NARROW ? 0.6 : 0.35), .stroke = white, .width = 0.6};
        if (at.width < 3 * NARROW)
            paint.stroke.alpha = 0;
        canvas_rectangle(c, at.x, at.y, at.width, at.height, &paint);
    }
    TextStyle style = look->note;
    style.anchor = TEXT_MIDDLE;
    style.colour = look->coarse ? colour : black;
    if (canvas_text_width(c, name, &style) + 4 <= at.width)
        canvas_text(c, at.x + at.width / 2, at.y + (look->coarse ? 3 : at.height / 2 + 0.36 * style.size), name,
                    &style);
}

// Modes that change faster than the figure can show: a stripe for each that took part.
static void draw_mixed(Canvas* c, Box at, uint32_t modes, int first_colour)
{
    int count = 0, row = 0;
    for (int i = 0; i < 32; i++)
        count += (modes >> i & 1) != 0;
    for (int i = 0; i < 32 && count > 0; i++)
        if (modes >> i & 1)
        {
            double height = at.height / count;
            canvas_rectangle(c, at.x, at.y + height * row++, at.width, height,
                             &(Paint){.fill = colour_fade(colour_of(first_colour + i), 0.5)});
        }
}

void chart_band(Canvas* c, const Look* look, const Bands* b, const char* const* names, int name_count, int first_colour,
                const Axis* x, Box box)
{
    for (int k = 0; k < 2 * b->count; k++)  // what is narrow comes last, over the edges of its neighbours
    {
        int i = k % b->count, mode = b->pieces[i].mode;
        double end = i + 1 < b->count ? b->pieces[i + 1].from : b->ends_at;
        double left = fmax(box.x, axis_place(x, b->pieces[i].from)),
               right = fmin(box.x + box.width, axis_place(x, end));
        if (mode == BAND_ABSENT || !(right > left) || (right - left < NARROW) != (k >= b->count))
            continue;
        bool known = mode >= 0 && mode < name_count;
        if (mode == BAND_MIXED)
            draw_mixed(c, (Box){left, box.y, right - left, box.height}, b->pieces[i].modes, first_colour);
        else
            chart_piece(c, look, (Box){left, box.y, fmax(right - left, look->coarse ? 1 : 1.2), box.height},
                        known ? names[mode] : "", known ? colour_of(first_colour + mode) : pale);
    }
}
