// An instant as a picture: its tags stand side by side, each as wide as the others. Modes and events are boxes, other
// values steps; signals that are equal at every tag share a line. Below, tag by tag, what changed and what fired, with
// the source line.
#include "base/error.h"
#include "plot/instant.h"

#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    LINES_MAX = PALETTE_COUNT,  // in one panel: each has its colour
    PANELS_MAX = 4,
    STRIPS_MAX = 12,
    NAME_SIZE = 120,
    TEXT_MAX = 400,
    ROWS_MAX = 60  // of the table
};

static const double panel_height = 130, panel_gap = 14, strip_height = 18, strip_gap = 4, row_height = 15,
                    text_left = 78, mono_size = 10.5, default_width = 820;

typedef struct StepLine
{
    int column;
    char name[NAME_SIZE];  // and of those equal to it
} StepLine;

typedef struct StepPanel
{
    StepLine lines[LINES_MAX];
    int count;
    const char* unit;
} StepPanel;

// What one instant shows.
typedef struct Scene
{
    kaiInstants* v;
    const Instant* x;
    StepPanel panels[PANELS_MAX];
    int panel_count;
    StepLine strips[STRIPS_MAX];
    int strip_count, left_out;
    double legend, left;  // widths
} Scene;

// ---- choosing

static bool equal_columns(const Scene* s, int a, int b)
{
    for (int tag = 0; tag < s->x->tag_count; tag++)
    {
        double va, vb;
        bool ha = instant_value(s->v, s->x, tag, a, &va), hb = instant_value(s->v, s->x, tag, b, &vb);
        if (ha != hb || (ha && va != vb))
            return false;
    }
    return s->v->columns[a].kind == s->v->columns[b].kind && s->v->columns[a].kind != KAI_COLUMN_MODE;
}

// Joins a line that is there already. Only the first few names are worth the room.
static bool join(const Scene* s, StepLine* lines, int count, int column)
{
    for (int i = 0; i < count; i++)
        if (equal_columns(s, lines[i].column, column))
        {
            size_t length = strlen(lines[i].name);
            bool full = length > 28 || (length > 2 && strcmp(lines[i].name + length - 3, "…") == 0);
            if (!full)
                snprintf(lines[i].name + length, NAME_SIZE - length, ", %s",
                         length + strlen(s->v->columns[column].name) > 36 ? "…" : s->v->columns[column].name);
            return true;
        }
    return false;
}

static bool is_strip(const kaiColumn* column)
{
    return column->kind == KAI_COLUMN_MODE || column->kind == KAI_COLUMN_EVENT;
}

static void add_line(Scene* s, StepLine* lines, int* count, int most, int column)
{
    if (join(s, lines, *count, column))
        return;
    if (*count == most)
    {
        s->left_out++;
        return;
    }
    StepLine* line = &lines[(*count)++];
    line->column = column;
    snprintf(line->name, sizeof line->name, "%s", s->v->columns[column].name);
}

static bool same_unit(const char* a, const char* b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_to_panel(Scene* s, int column)
{
    const char* unit = s->v->columns[column].unit;
    int p = 0;
    while (p < s->panel_count && !same_unit(s->panels[p].unit, unit))
        p++;
    if (p == PANELS_MAX)
    {
        s->left_out++;
        return;
    }
    if (p == s->panel_count)
        s->panels[s->panel_count++] = (StepPanel){.unit = unit};
    add_line(s, s->panels[p].lines, &s->panels[p].count, LINES_MAX, column);
}

static void choose(Scene* s, kaiInstants* v, const Instant* x)
{
    memset(s, 0, sizeof *s);
    s->v = v;
    s->x = x;
    instant_choose(v, x);
    for (int i = 0; i < v->column_count; i++)
    {
        if (!v->changing[i])
            continue;
        if (is_strip(&v->columns[i]))
            add_line(s, s->strips, &s->strip_count, STRIPS_MAX, i);
        else
            add_to_panel(s, i);
    }
}

// ---- the table

static void tag_text(const Scene* s, int tag, char* text, size_t size)
{
    TagEntry entry = instant_tag(s->v, s->x, tag);
    snprintf(text, size, "⟨%s%d, %d⟩", entry.p < 0 ? "−" : "", entry.p < 0 ? -entry.p : entry.p, entry.m);
}

// Of signals that are equal at every tag the first speaks for all.
static bool is_first_of_its_kind(const Scene* s, int column)
{
    for (int i = 0; i < column; i++)
        if (s->v->changing[i] && equal_columns(s, i, column))
            return false;
    return true;
}

// What changed at a tag: "v = −0.7, h = 0.95, w absent". At the first tag what it is called.
static void changes_text(const Scene* s, int tag, char* text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; i < s->v->column_count && length + 1 < size; i++)
    {
        double value;
        char cell[64];
        if (!s->v->changing[i] || !instant_changed(s->v, s->x, tag, i) || !is_first_of_its_kind(s, i))
            continue;
        bool present = instant_value(s->v, s->x, tag, i, &value);
        if (!present && s->v->columns[i].kind == KAI_COLUMN_EVENT)
            continue;  // an event goes by itself
        instant_cell(s->v, s->x, tag, i, cell, sizeof cell);
        length += (size_t)snprintf(text + length, size - length, "%s%s%s%s", length > 0 ? ", " : "",
                                   s->v->columns[i].name, present ? " = " : " absent", present ? cell : "");
    }
    if (tag == 0 && instant_tag(s->v, s->x, 0).p == -1)
        snprintf(text, size, "left limit");
    else if (text[0] == 0)
        snprintf(text, size, "no change");
}

static void fired_text(const FiredEntry* f, char* text, size_t size)
{
    const char* slash = f->file != NULL ? strrchr(f->file, '/') : NULL;
    const char* file = slash != NULL ? slash + 1 : f->file;
    snprintf(text, size, "%s %s%s%s%s%s%.0d", instant_kind(f->kind), f->kind == KAI_FIRED_WHEN ? "sets " : "", f->text,
             file != NULL ? "   " : "", file != NULL ? file : "", file != NULL ? ":" : "", f->line);
}

// Rows of the table: one for each tag, one for each firing (two if it has a source line).
static int table_rows(const Scene* s)
{
    const Instant* x = s->x;
    int rows = 0;
    for (int tag = 0; tag < x->tag_count; tag++)
    {
        rows++;
        for (int k = 0; k < x->fired_count; k++)
            rows += instant_fired_at(s->v, x, tag, &x->fired[k]) ? 1 + (x->fired[k].source[0] != 0) : 0;
    }
    return rows < ROWS_MAX ? rows : ROWS_MAX + 1;
}

typedef struct Page
{
    Canvas* c;
    Look look;
    double y;
    int rows;  // of the table so far
} Page;

static const Colour quiet = {0x66, 0x66, 0x66, 255};

// One row; false: the table is full.
static bool put_row(Page* page, const char* tag, const char* text, bool code, Colour colour)
{
    char fitted[TEXT_MAX + 8];
    TextStyle style = {.size = mono_size, .colour = colour, .mono = true};
    TextStyle bold = page->look.tick;
    bold.bold = true;
    if (page->rows++ >= ROWS_MAX)
        return false;
    double left = text_left + (code ? 14 : 0);
    chart_fit_text(page->c, &style, canvas_width(page->c) - left - 10, text, fitted, sizeof fitted);
    canvas_text(page->c, 16, page->y + 11, tag, &bold);
    canvas_text(page->c, left, page->y + 11, fitted, &style);
    page->y += row_height;
    return true;
}

static void draw_table(Page* page, const Scene* s)
{
    const Instant* x = s->x;
    char text[TEXT_MAX], name[40];
    bool room = true;
    page->rows = 0;
    for (int tag = 0; tag < x->tag_count && room; tag++)
    {
        tag_text(s, tag, name, sizeof name);
        changes_text(s, tag, text, sizeof text);
        room = put_row(page, name, text, false, COLOUR(0x222222));
        for (int k = 0; k < x->fired_count && room; k++)
        {
            const FiredEntry* f = &x->fired[k];
            if (!instant_fired_at(s->v, x, tag, f))
                continue;
            fired_text(f, text, sizeof text);
            room = put_row(page, "", text, false, colour_of(f->kind < KAI_FIRED_WHEN ? 2 : 1));
            if (room && f->source[0] != 0)
                room = put_row(page, "", f->source, true, quiet);
        }
    }
    if (!room)
        canvas_text(page->c, text_left, page->y + 11, "and more tags", &page->look.note);
    page->y += room ? 0 : row_height;
}

// ---- steps

static double tag_x(const Scene* s, Box box, double tag)
{
    return box.x + tag * box.width / s->x->tag_count;
}

static const Paint frame = {.stroke = {0x55, 0x55, 0x55, 255}, .width = 0.9};
static const Paint thin = {.stroke = {0xe0, 0xe0, 0xe0, 255}, .width = 0.8};
static const Paint strong = {.stroke = {0x99, 0x99, 0x99, 255}, .width = 1};

// Lines between the tags; where a pinnacle begins they are stronger.
static void draw_separators(const Page* page, const Scene* s, Box box)
{
    for (int tag = 1; tag < s->x->tag_count; tag++)
    {
        double x = tag_x(s, box, tag);
        bool pinnacle = instant_tag(s->v, s->x, tag).p != instant_tag(s->v, s->x, tag - 1).p;
        canvas_line(page->c, x, box.y, x, box.y + box.height, pinnacle ? &strong : &thin);
    }
}

static void draw_tags(const Page* page, const Scene* s, Box box)
{
    TextStyle style = page->look.tick;
    style.anchor = TEXT_MIDDLE;
    double each = box.width / s->x->tag_count;
    int every = (int)ceil(50 / each);
    for (int tag = 0; tag < s->x->tag_count; tag += every)
    {
        char text[40];
        tag_text(s, tag, text, sizeof text);
        canvas_text(page->c, tag_x(s, box, tag + 0.5), box.y, text, &style);
    }
}

static bool panel_range(const Scene* s, const StepPanel* p, double* low, double* high)
{
    bool any = false;
    for (int k = 0; k < p->count; k++)
        for (int tag = 0; tag < s->x->tag_count; tag++)
        {
            double value;
            if (!instant_value(s->v, s->x, tag, p->lines[k].column, &value) || !isfinite(value))
                continue;
            *low = any ? fmin(*low, value) : value;
            *high = any ? fmax(*high, value) : value;
            any = true;
        }
    if (!any)
        *low = 0, *high = 1;
    ticks_range(low, high);
    return any;
}

// Lines at one value stand a little apart, so that all of them are seen.
static double step_shift(const Scene* s, const StepPanel* p, int k, int tag)
{
    double value, other;
    int rank = 0, count = 0;
    instant_value(s->v, s->x, tag, p->lines[k].column, &value);
    for (int i = 0; i < p->count; i++)
        if (instant_value(s->v, s->x, tag, p->lines[i].column, &other) && other == value)
        {
            count++;
            rank += i < k;
        }
    return (rank - (count - 1) / 2.0) * 2.2;
}

// One signal: level over each tag, joined where both are present.
static void draw_step(const Page* page, const Scene* s, const StepPanel* p, int k, const Axis* y, Box box)
{
    const StepLine* line = &p->lines[k];
    Paint level = {.stroke = colour_of(k), .width = 2.2};
    Paint join_paint = {.stroke = colour_fade(colour_of(k), 0.6), .width = 1, .dash = {2.5, 2.5}};
    double before = NAN;
    for (int tag = 0; tag < s->x->tag_count; tag++)
    {
        double value, x0 = tag_x(s, box, tag), x1 = tag_x(s, box, tag + 1);
        bool has = instant_value(s->v, s->x, tag, line->column, &value) && isfinite(value);
        double at = has ? axis_place(y, value) + step_shift(s, p, k, tag) : NAN;
        if (has)
            canvas_line(page->c, x0 + 3, at, x1 - 3, at, &level);
        if (has && !isnan(before) && fabs(before - at) > 0.5)
            canvas_line(page->c, x0, before, x0, at, &join_paint);
        before = at;
    }
}

static void draw_names(const Page* page, const StepPanel* p, Box box, double width)
{
    for (int k = 0; k < p->count; k++)
    {
        char text[NAME_SIZE];
        double x = box.x + box.width + 10, y = box.y + 8 + 16 * k;
        Paint sample = {.stroke = colour_of(k), .width = 2.2};
        canvas_line(page->c, x, y, x + 14, y, &sample);
        chart_fit_name(page->c, &page->look.tick, width - 34, p->lines[k].name, text, sizeof text);
        canvas_text(page->c, x + 20, y + 4, text, &page->look.tick);
    }
}

static void draw_panel(Page* page, const Scene* s, const StepPanel* p)
{
    Box box = {s->left, page->y, canvas_width(page->c) - s->left - s->legend, panel_height};
    Axis y = {.from = box.y + box.height - 6, .to = box.y + 6};
    panel_range(s, p, &y.low, &y.high);
    y.ticks = ticks_make(y.low, y.high, 5);
    char unit[64], note[100];
    unit_text(p->unit, 0, unit, sizeof unit);
    ticks_note(&y.ticks, note, sizeof note);
    chart_axis_y(page->c, &page->look, &y, box);
    draw_separators(page, s, box);
    canvas_rectangle(page->c, box.x, box.y, box.width, box.height, &frame);
    for (int k = p->count - 1; k >= 0; k--)
        draw_step(page, s, p, k, &y, box);
    TextStyle up = page->look.label;
    up.upward = true;
    up.anchor = TEXT_MIDDLE;
    canvas_text(page->c, 16, box.y + box.height / 2, unit, &up);
    canvas_text(page->c, box.x, box.y - 3, note, &page->look.note);
    draw_names(page, p, box, s->legend);
    page->y += panel_height + panel_gap;
}

static void draw_strip(Page* page, const Scene* s, const StepLine* line, int first_colour)
{
    const kaiColumn* column = &s->v->columns[line->column];
    Box box = {s->left, page->y, canvas_width(page->c) - s->left - s->legend, strip_height};
    TextStyle style = page->look.tick;
    char text[NAME_SIZE];
    chart_fit_name(page->c, &style, s->legend - 14, line->name, text, sizeof text);
    canvas_text(page->c, box.x + box.width + 10, box.y + 13, text, &style);
    for (int tag = 0; tag < s->x->tag_count; tag++)
    {
        double value;
        char cell[64];
        double x0 = tag_x(s, box, tag), x1 = tag_x(s, box, tag + 1);
        if (!instant_value(s->v, s->x, tag, line->column, &value))
            continue;
        instant_cell(s->v, s->x, tag, line->column, cell, sizeof cell);
        int colour = column->kind == KAI_COLUMN_MODE ? first_colour + (int)value : 4;
        chart_piece(page->c, &page->look, (Box){x0, box.y, x1 - x0, box.height}, cell, colour_of(colour));
    }
    canvas_rectangle(page->c, box.x, box.y, box.width, box.height, &thin);
    page->y += strip_height + strip_gap;
}

// ---- the sheet

static double scene_height(const Scene* s)
{
    double table = row_height * table_rows(s);
    return 34 + s->strip_count * (strip_height + strip_gap) + s->panel_count * (panel_height + panel_gap) + 32 + table +
           30;
}

static void measure(Page* page, Scene* s)
{
    double names = 60, ticks = 0;
    for (int p = 0; p < s->panel_count; p++)
    {
        double low, high;
        panel_range(s, &s->panels[p], &low, &high);
        Ticks t = ticks_make(low, high, 5);
        for (int i = 0; i < t.count; i++)
        {
            char text[64];
            ticks_label(&t, i, text, sizeof text);
            ticks = fmax(ticks, canvas_text_width(page->c, text, &page->look.tick));
        }
        for (int k = 0; k < s->panels[p].count; k++)
            names = fmax(names, canvas_text_width(page->c, s->panels[p].lines[k].name, &page->look.tick) + 24);
    }
    for (int k = 0; k < s->strip_count; k++)
        names = fmax(names, canvas_text_width(page->c, s->strips[k].name, &page->look.tick));
    s->left = ticks + 40;
    s->legend = fmin(names + 20, 0.34 * canvas_width(page->c));
}

static void draw_scene(Page* page, Scene* s)
{
    char t[64], text[100];
    int colour = 0;
    measure(page, s);
    ticks_number(s->x->t, 12, t, sizeof t);
    snprintf(text, sizeof text, "t = %s", t);
    TextStyle head = page->look.label;
    head.bold = true;
    canvas_text(page->c, 16, page->y + 18, text, &head);
    page->y += 34;
    for (int k = 0; k < s->strip_count; k++)
    {
        draw_strip(page, s, &s->strips[k], colour);
        colour += s->v->columns[s->strips[k].column].mode_count;
    }
    page->y += s->panel_count > 0 ? 6 : 0;
    for (int p = 0; p < s->panel_count; p++)
        draw_panel(page, s, &s->panels[p]);
    draw_tags(page, s, (Box){s->left, page->y + 2, canvas_width(page->c) - s->left - s->legend, 0});
    if (s->left_out > 0)
    {
        snprintf(text, sizeof text, "%d more signals change", s->left_out);
        canvas_text(page->c, canvas_width(page->c) - s->legend + 10, page->y + 2, text, &page->look.note);
    }
    page->y += 18;
    draw_table(page, s);
    page->y += 24;
}

static double sheet_height(kaiInstants* v, Scene* s)
{
    double height = v->options.title != NULL ? 34 : 8;
    for (int i = 0; i < v->count; i++)
    {
        choose(s, v, &v->kept[i]);
        height += scene_height(s);
    }
    return fmax(height, v->options.height);
}

static void draw_all(kaiInstants* v, Scene* s, Canvas* c)
{
    Page page = {.c = c, .look = look_of(c), .y = v->options.title != NULL ? 34 : 8};
    if (v->options.title != NULL)
        canvas_text(c, 16, 26, v->options.title, &page.look.title);
    for (int i = 0; i < v->count; i++)
    {
        choose(s, v, &v->kept[i]);
        draw_scene(&page, s);
    }
}

static kaiStatus draw_sheet(kaiInstants* v, Scene* s, kaiError* error)
{
    double width = v->options.width > 0 ? v->options.width : default_width;
    kaiStatus status;
    Canvas* c = plot_open_canvas(&v->options, v->format, width, sheet_height(v, s), &status, error);
    if (c == NULL)
        return status;
    draw_all(v, s, c);
    status = canvas_close(c);
    if (status != KAI_OK)
        error_set(error, KAI_ERR_IO, "%s could not be written", v->options.path);
    return status;
}

kaiStatus instant_draw(kaiInstants* v, kaiError* error)
{
    if (v->count > INSTANT_FIGURES)
    {
        error_set(error, KAI_ERR_USAGE, "there are %d instants and a figure shows %d: narrow it with --from and --to",
                  v->count, INSTANT_FIGURES);
        return KAI_ERR_USAGE;
    }
    kaiAllocator a = v->options.allocator;
    Scene* s = a.alloc(a.user, NULL, 0, sizeof *s);
    error_memory(error);
    if (s == NULL)
        return KAI_ERR_MEMORY;
    kaiStatus status = draw_sheet(v, s, error);
    a.alloc(a.user, s, sizeof *s, 0);
    return status;
}
