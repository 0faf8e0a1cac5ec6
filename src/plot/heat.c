// Heat maps: a measure over two factors. A factor with few values has a column or row for each of them, another one
// equal parts of its range; a cell shows the mean of the runs in it, and stays white where there is none. The colours
// are those of viridis, which print well in grey.
#include "plot/survey.h"

#include "base/error.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>

enum
{
    PLATES = 6,
    SIDE = 48,    // cells across and down
    LEVELS = 40,  // values that a factor of a grid may have
    BAR = 74      // room right of a map
};

typedef struct Edges
{
    double at[SIDE + 1];
    int cells;
} Edges;

typedef struct Map
{
    const kaiChartColumn* measure;
    double sums[SIDE][SIDE], counts[SIDE][SIDE], low, high;
} Map;

static Colour heat_colour(double part)
{
    static const uint32_t anchors[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                       0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
    double at = fmin(fmax(part, 0), 1) * 8;
    int i = at < 8 ? (int)at : 7;
    Colour a = COLOUR(anchors[i]), b = COLOUR(anchors[i + 1]);
    double w = at - i;
    return (Colour){(uint8_t)lround(a.red + w * (b.red - a.red)), (uint8_t)lround(a.green + w * (b.green - a.green)),
                    (uint8_t)lround(a.blue + w * (b.blue - a.blue)), 255};
}

// ---- cells

// How many values there are, up to one more than LEVELS; sorted.
static int levels_of(const Survey* s, const kaiChartColumn* x, double* levels)
{
    int count = 0;
    for (int64_t i = 0; i < s->rows && count <= LEVELS; i++)
    {
        double v = x->values[i];
        int k = 0;
        while (k < count && levels[k] < v)
            k++;
        if (!isfinite(v) || (k < count && levels[k] == v))
            continue;
        for (int j = count; j > k; j--)
            levels[j] = levels[j - 1];
        levels[k] = v;
        count++;
    }
    return count;
}

static Edges edges_of(const Survey* s, const kaiChartColumn* x)
{
    double levels[LEVELS + 2], low = 0, high = 1;
    Edges e = {.cells = levels_of(s, x, levels)};
    if (e.cells == 1)
        return (Edges){{levels[0] - 0.5, levels[0] + 0.5}, 1};
    if (e.cells > 1 && e.cells <= LEVELS && (double)e.cells * e.cells <= 2 * (double)s->rows)
    {
        for (int i = 1; i < e.cells; i++)
            e.at[i] = (levels[i - 1] + levels[i]) / 2;
        e.at[0] = levels[0] - (e.at[1] - levels[0]);
        e.at[e.cells] = levels[e.cells - 1] + (levels[e.cells - 1] - e.at[e.cells - 1]);
        return e;
    }
    survey_extent(s, x, &low, &high);
    e.cells = (int)fmin(fmax(sqrt((double)s->rows) / 3, 4), 24);
    for (int i = 0; i <= e.cells; i++)
        e.at[i] = low + (high - low) * i / e.cells;
    return e;
}

static int cell_of(const Edges* e, double v)
{
    if (!(v >= e->at[0] && v <= e->at[e->cells]))
        return -1;
    int i = 0;
    while (i + 1 < e->cells && v >= e->at[i + 1])
        i++;
    return i;
}

static void fill(const Survey* s, const Edges* across, const Edges* up, Map* m)
{
    const kaiChartColumn *x = survey_column(s, true, 0), *y = survey_column(s, true, 1);
    for (int64_t r = 0; r < s->rows; r++)
    {
        int i = cell_of(across, x->values[r]), k = cell_of(up, y->values[r]);
        if (i < 0 || k < 0 || !isfinite(m->measure->values[r]))
            continue;
        m->sums[i][k] += m->measure->values[r];
        m->counts[i][k]++;
    }
    m->low = INFINITY;
    m->high = -INFINITY;
    for (int i = 0; i < across->cells; i++)
        for (int k = 0; k < up->cells; k++)
            if (m->counts[i][k] > 0)
            {
                m->low = fmin(m->low, m->sums[i][k] / m->counts[i][k]);
                m->high = fmax(m->high, m->sums[i][k] / m->counts[i][k]);
            }
}

// ---- drawing

static void draw_cells(const Survey* s, const Plate* p, const Edges* across, const Edges* up, const Map* m)
{
    double span = m->high > m->low ? m->high - m->low : 1;
    for (int i = 0; i < across->cells; i++)
        for (int k = 0; k < up->cells; k++)
        {
            if (!(m->counts[i][k] > 0))
                continue;
            Colour colour = heat_colour((m->sums[i][k] / m->counts[i][k] - m->low) / span);
            Paint paint = {.fill = colour, .stroke = colour, .width = 0.4};  // no seams between them
            double x = axis_place(&p->x, across->at[i]), y = axis_place(&p->y, up->at[k + 1]);
            canvas_rectangle(s->canvas, x, y, axis_place(&p->x, across->at[i + 1]) - x,
                             axis_place(&p->y, up->at[k]) - y, &paint);
        }
    Paint frame = {.stroke = {0x55, 0x55, 0x55, 255}, .width = 0.9};
    if (!s->look.coarse)
        canvas_rectangle(s->canvas, p->box.x, p->box.y, p->box.width, p->box.height, &frame);
}

// The scale of the colours, right of the map.
static void draw_scale(const Survey* s, const Plate* p, const Map* m)
{
    enum
    {
        STEPS = 64
    };
    double x = p->box.x + p->box.width + 12, width = 12, low = m->low, high = m->high > m->low ? m->high : m->low + 1;
    Axis axis = {.low = low, .high = high, .from = p->box.y + p->box.height, .to = p->box.y};
    axis.ticks = ticks_make(low, high, (int)fmin(fmax(p->box.height / 28, 2), 8));
    if (s->look.coarse)
        return;
    for (int i = 0; i < STEPS; i++)
    {
        Colour colour = heat_colour((i + 0.5) / STEPS);
        double top = axis_place(&axis, low + (high - low) * (i + 1) / STEPS);
        canvas_rectangle(s->canvas, x, top, width, p->box.height / STEPS + 0.4, &(Paint){.fill = colour});
    }
    Paint frame = {.stroke = {0x55, 0x55, 0x55, 255}, .width = 0.9};
    canvas_rectangle(s->canvas, x, p->box.y, width, p->box.height, &frame);
    for (int i = 0; i < axis.ticks.count; i++)
    {
        char text[64];
        double y = axis_place(&axis, ticks_at(&axis.ticks, i));
        ticks_label(&axis.ticks, i, text, sizeof text);
        canvas_line(s->canvas, x + width, y, x + width + 4, y, &frame);
        canvas_text(s->canvas, x + width + 7, y + 0.36 * s->look.tick.size, text, &s->look.tick);
    }
}

static void draw_name(const Survey* s, const Plate* p, const Map* m)
{
    char note[100], unit[64], text[400], shown[300];
    Ticks ticks = ticks_make(m->low, m->high > m->low ? m->high : m->low + 1, 5);
    ticks_note(&ticks, note, sizeof note);
    unit_text(m->measure->unit, 0, unit, sizeof unit);
    snprintf(text, sizeof text, "%.200s%s%s%s%s", m->measure->name, unit[0] != 0 ? " " : "", unit,
             note[0] != 0 ? "   " : "", note);
    TextStyle style = s->look.label;
    chart_fit_text(s->canvas, &style, p->box.width + p->right, text, shown, sizeof shown);
    canvas_text(s->canvas, p->box.x, p->box.y - (s->look.coarse ? 1 : 5), shown, &style);
}

kaiStatus heat_draw(Survey* s)
{
    Plate plates[PLATES] = {0};
    size_t size = sizeof(Map) * PLATES;
    int all = survey_count(s, false), count = all < PLATES ? all : PLATES, across = count > 1 ? 2 : 1;
    const kaiChartColumn *x = survey_column(s, true, 0), *y = survey_column(s, true, 1);
    Edges columns = edges_of(s, x), rows = edges_of(s, y);
    Map* maps = survey_get(s, size);
    if (maps == NULL)
        return KAI_ERR_MEMORY;
    for (int i = 0; i < count; i++)
    {
        maps[i].measure = survey_column(s, false, i);
        fill(s, &columns, &rows, &maps[i]);
        plates[i] = (Plate){.x = {.low = columns.at[0], .high = columns.at[columns.cells]},
                            .y = {.low = rows.at[0], .high = rows.at[rows.cells]},
                            .x_name = x->name,
                            .x_unit = x->unit,
                            .y_name = y->name,
                            .y_unit = y->unit,
                            .right = BAR};
    }
    kaiStatus status =
        survey_open(s, across > 1 ? 960 : 640, count == 1 ? 480 : 30 + 340 * ((count + across - 1) / across));
    if (status == KAI_OK)
    {
        plates[0].right = s->look.coarse ? 0 : BAR;
        survey_plates(s, plates, count, across, NULL);
        for (int i = 0; i < count; i++)
        {
            bool any = maps[i].high >= maps[i].low;
            draw_name(s, &plates[i], &maps[i]);
            if (any)
                draw_cells(s, &plates[i], &columns, &rows, &maps[i]);
            if (any)
                draw_scale(s, &plates[i], &maps[i]);
        }
        status = survey_close(s, KAI_OK);
    }
    survey_free(s, maps, size);
    return status;
}
