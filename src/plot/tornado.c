// Tornados: how far each factor moves a measure. The plane of least squares through all runs is followed from the 5 %
// to the 95 % quantile of a factor while the others stay at their means; how much of the variance the plane accounts
// for stands below, because a measure that is bent is not told by a plane.
#include "plot/survey.h"

#include "base/dense.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    PLATES = 6,
    FACTORS = 48,  // in the plane
    SHOWN = 12     // of them
};

typedef struct Bar
{
    const char* name;
    double low_value, high_value;  // of the factor
    double low, high;              // of the measure there
} Bar;

typedef struct Tornado
{
    const kaiChartColumn* measure;
    Bar bars[FACTORS];
    const char* names[FACTORS];  // from the bottom up
    double mean, share;          // of the measure; of its variance
    bool varies;
} Tornado;

typedef struct Plane
{
    const kaiChartColumn* x[FACTORS];
    int count;
    int64_t rows;  // that have all values
    double means[FACTORS], scales[FACTORS], mean, scale;
    double squares[FACTORS * FACTORS], products[FACTORS];
} Plane;

static bool is_whole(const Plane* p, const kaiChartColumn* y, int64_t row)
{
    bool whole = isfinite(y->values[row]);
    for (int i = 0; i < p->count && whole; i++)
        whole = isfinite(p->x[i]->values[row]);
    return whole;
}

// Mean and deviation, 0 where it is the same number in all rows, whatever a sum of these would round to.
static void centre_one(const Plane* p, const kaiChartColumn* y, const kaiChartColumn* x, int64_t rows, double* mean,
                       double* scale)
{
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    for (int64_t r = 0; r < rows; r++)
        if (is_whole(p, y, r))
        {
            sum += x->values[r];
            low = fmin(low, x->values[r]);
            high = fmax(high, x->values[r]);
        }
    *mean = low < high ? sum / (double)p->rows : p->rows > 0 ? low : 0;
    for (int64_t r = 0; r < rows; r++)
        if (is_whole(p, y, r))
            squares += pow(x->values[r] - *mean, 2);
    *scale = low < high ? sqrt(squares / (double)p->rows) : 0;
}

// The sums below are made of numbers of the size 1.
static void centre(Plane* p, const kaiChartColumn* y, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        p->rows += is_whole(p, y, r);
    for (int i = 0; i < p->count; i++)
        centre_one(p, y, p->x[i], rows, &p->means[i], &p->scales[i]);
    centre_one(p, y, y, rows, &p->mean, &p->scale);
}

static double standing(const Plane* p, int i, int64_t row)
{
    return p->scales[i] > 0 ? (p->x[i]->values[row] - p->means[i]) / p->scales[i] : 0;
}

static void add_up(Plane* p, const kaiChartColumn* y, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
    {
        if (!is_whole(p, y, r))
            continue;
        double v = p->scale > 0 ? (y->values[r] - p->mean) / p->scale : 0;
        for (int i = 0; i < p->count; i++)
        {
            double a = standing(p, i, r);
            p->products[i] += a * v;
            for (int k = 0; k < p->count; k++)
                p->squares[i * p->count + k] += a * standing(p, k, r);
        }
    }
    for (int i = 0; i < p->count; i++)
        if (!(p->scales[i] > 0))
            p->squares[i * p->count + i] = 1;  // what does not vary has no slope
}

static void quantiles(const Survey* s, const kaiChartColumn* x, double* sorted, double* low, double* high)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->rows; i++)
        if (isfinite(x->values[i]))
            sorted[count++] = x->values[i];
    survey_sort(sorted, count);
    *low = survey_quantile(sorted, count, 0.05);
    *high = survey_quantile(sorted, count, 0.95);
}

static int by_length(const void* a, const void* b)
{
    double x = fabs(((const Bar*)a)->high - ((const Bar*)a)->low),
           y = fabs(((const Bar*)b)->high - ((const Bar*)b)->low);
    return (x < y) - (x > y);
}

static kaiStatus fit_plane(const Survey* s, Plane* p, Tornado* t, double* sorted)
{
    uint32_t pivots[FACTORS];
    double slopes[FACTORS];
    centre(p, t->measure, s->rows);
    add_up(p, t->measure, s->rows);
    for (int i = 0; i < p->count; i++)
        slopes[i] = p->products[i];
    if (p->rows <= p->count || !dense_factor(p->squares, pivots, (uint32_t)p->count))
        return error_set(s->error, KAI_ERR_USAGE,
                         "%lld runs with all values do not tell %d factors apart: more runs, or fewer factors",
                         (long long)p->rows, p->count);
    dense_solve(p->squares, pivots, slopes, (uint32_t)p->count);
    t->mean = p->mean;
    t->varies = p->scale > 0;
    for (int i = 0; i < p->count; i++)
    {
        Bar* b = &t->bars[i];
        double slope = p->scales[i] > 0 ? slopes[i] * p->scale / p->scales[i] : 0;
        quantiles(s, p->x[i], sorted, &b->low_value, &b->high_value);
        b->name = p->x[i]->name;
        b->low = p->mean + slope * (b->low_value - p->means[i]);
        b->high = p->mean + slope * (b->high_value - p->means[i]);
        t->share += slopes[i] * p->products[i] / (double)p->rows;
    }
    qsort(t->bars, (size_t)p->count, sizeof *t->bars, by_length);
    return KAI_OK;
}

static kaiStatus make(const Survey* s, Tornado* t)
{
    size_t size = sizeof(double) * (size_t)s->rows, plane_size = sizeof(Plane);
    double* sorted = survey_get(s, size);
    Plane* p = survey_get(s, plane_size);
    kaiStatus status = KAI_ERR_MEMORY;
    if (sorted != NULL && p != NULL)
    {
        for (; p->count < FACTORS && survey_column(s, true, p->count) != NULL; p->count++)
            p->x[p->count] = survey_column(s, true, p->count);
        status = fit_plane(s, p, t, sorted);
    }
    survey_free(s, p, plane_size);
    survey_free(s, sorted, size);
    return status;
}

// ---- drawing

static void draw_end(const Survey* s, const Plate* p, const Bar* b, bool high, double y)
{
    char text[40];
    double value = high ? b->high : b->low, other = high ? b->low : b->high, x = axis_place(&p->x, value);
    TextStyle style = s->look.note;
    bool right = value >= other;
    style.anchor = right ? TEXT_START : TEXT_END;
    double shown = high ? b->high_value : b->low_value, size = pow(10, floor(log10(fabs(shown))) - 2);
    ticks_number(isfinite(size) && size > 0 ? round(shown / size) * size : shown, 6, text, sizeof text);
    canvas_text(s->canvas, x + (right ? 4 : -4), y + 0.36 * style.size, text, &style);
}

static void draw_bars(const Survey* s, const Plate* p, const Tornado* t)
{
    double middle = axis_place(&p->x, t->mean), each = fabs(axis_place(&p->y, 1) - axis_place(&p->y, 0)),
           half = s->look.coarse ? 1 : fmin(0.32 * each, 13);
    for (int i = 0; i < p->row_count; i++)
    {
        const Bar* b = &t->bars[p->row_count - 1 - i];
        double y = axis_place(&p->y, i), low = axis_place(&p->x, b->low), high = axis_place(&p->x, b->high);
        Paint cold = {.fill = colour_of(0)}, warm = {.fill = colour_of(1)};
        canvas_rectangle(s->canvas, fmin(low, middle), y - half, fabs(low - middle), 2 * half, &cold);
        canvas_rectangle(s->canvas, fmin(high, middle), y - half, fabs(high - middle), 2 * half, &warm);
        if (s->look.coarse || fabs(high - low) < 2)  // of nothing there are no ends
            continue;
        draw_end(s, p, b, false, y);
        draw_end(s, p, b, true, y);
    }
    Paint line = {.stroke = {0x22, 0x22, 0x22, 255}, .width = 1};
    canvas_line(s->canvas, middle, p->box.y, middle, p->box.y + p->box.height, &line);
}

// Instead of bars of no length.
static void draw_constant(const Survey* s, const Plate* p, const Tornado* t)
{
    char number[40], text[80];
    TextStyle style = s->look.note;
    style.anchor = TEXT_MIDDLE;
    ticks_number(t->mean, 6, number, sizeof number);
    snprintf(text, sizeof text, "%s in every run", number);
    canvas_text(s->canvas, p->box.x + p->box.width / 2, p->box.y + p->box.height / 2, text, &style);
}

static void draw_legend(const Survey* s, const Plate* p, const Tornado* t)
{
    static const char* const words[] = {"factor at its 5 % quantile", "at its 95 % quantile"};
    char share[60];
    TextStyle style = s->look.note;
    if (s->look.coarse)
        return;
    double x = p->box.x, y = p->box.y - 5;
    for (int i = 0; i < 2; i++)
    {
        canvas_rectangle(s->canvas, x, y - 8, 9, 9, &(Paint){.fill = colour_of(i)});
        canvas_text(s->canvas, x + 13, y, words[i], &style);
        x += canvas_text_width(s->canvas, words[i], &style) + 30;
    }
    style.anchor = TEXT_END;
    snprintf(share, sizeof share, "plane: R² = %.3f", t->share);
    canvas_text(s->canvas, p->box.x + p->box.width, y, share, &style);
}

static void set_plate(const Survey* s, Plate* p, Tornado* t)
{
    int factors = survey_count(s, true);
    p->row_count = factors < SHOWN ? factors : SHOWN;
    double low = t->mean, high = t->mean;
    for (int i = 0; i < p->row_count; i++)
    {
        low = fmin(low, fmin(t->bars[i].low, t->bars[i].high));
        high = fmax(high, fmax(t->bars[i].low, t->bars[i].high));
        t->names[p->row_count - 1 - i] = t->bars[i].name;
    }
    double room = 0.08 * (high - low);  // for the numbers at the ends
    survey_range(&p->x, low - room, high + room);
    p->y = (Axis){.low = -0.6, .high = p->row_count - 0.4};
    p->x_name = t->measure->name;
    p->x_unit = t->measure->unit;
    p->rows = t->names;
}

static double height_of(const Plate* plates, int count)
{
    double height = 20;
    for (int i = 0; i < count; i++)
        height += 80 + 34 * fmax(plates[i].row_count, 2);
    return height;
}

kaiStatus tornado_draw(Survey* s)
{
    Plate plates[PLATES] = {0};
    size_t size = sizeof(Tornado) * PLATES;
    int all = survey_count(s, false), count = all < PLATES ? all : PLATES;
    Tornado* t = survey_get(s, size);
    kaiStatus status = t != NULL ? KAI_OK : KAI_ERR_MEMORY;
    for (int i = 0; i < count && status == KAI_OK; i++)
    {
        t[i].measure = survey_column(s, false, i);
        status = make(s, &t[i]);
        set_plate(s, &plates[i], &t[i]);
    }
    if (status == KAI_OK && (status = survey_open(s, 720, height_of(plates, count))) == KAI_OK)
    {
        survey_plates(s, plates, count, 1, NULL);
        for (int i = 0; i < count; i++)
        {
            (t[i].varies ? draw_bars : draw_constant)(s, &plates[i], &t[i]);
            if (t[i].varies)
                draw_legend(s, &plates[i], &t[i]);
        }
        status = survey_close(s, KAI_OK);
    }
    survey_free(s, t, size);
    return status;
}
