// Fans: trajectories as bands of quantiles over time. Each run is kept as its values at the times first + k step, k up
// to POINTS; when a row comes behind the last of them the step is doubled and every second value goes, so that neither
// the end of the runs nor their number of rows must be known before. Runs are thinned in the same way.
#include "plot/survey.h"

#include "base/error.h"
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    POINTS = 1024,
    RUNS = 1024,
    SIGNALS = 6,
    LEFT = 20  // a fan ends where less than one in so many runs is left: their quantiles would be those of a few
};

struct kaiFan
{
    kaiFigureOptions options;
    int columns[SIGNALS];
    const char *names[SIGNALS], *units[SIGNALS];
    int signal_count;
    double first, step;  // times; step 0: not known yet
    bool begun;
    int64_t runs, stride;  // that began; of those that are kept
    int kept, room;        // runs in `values`
    bool taking;           // the rows that come are of a run that is kept
    int next;              // time of the run that has no value yet
    double last_t, last[SIGNALS];
    bool has_last;
    double* values;  // [run][signal][point]; NaN: the run is not there
};

static double* values_of(const kaiFan* f, int64_t run, int signal)
{
    return f->values + (run * f->signal_count + signal) * (POINTS + 1);
}

static double time_of(const kaiFan* f, int point)
{
    return f->first + point * f->step;
}

// ---- making

static bool find_signal(kaiFan* f, const kaiColumn* columns, int count, const char* name, kaiError* error)
{
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0)
        {
            if (columns[i].kind == KAI_COLUMN_MODE || columns[i].kind == KAI_COLUMN_EVENT || columns[i].impulse > 0)
                return error_set(error, KAI_ERR_USAGE, "`%s` has no value at every time: it has no fan", name), false;
            f->columns[f->signal_count] = i;
            f->names[f->signal_count] = columns[i].name;
            f->units[f->signal_count++] = columns[i].unit;
            return true;
        }
    error_set(error, KAI_ERR_USAGE, "there is no column `%s`", name);
    return false;
}

kaiFan* kaiFan_Create(const kaiFigureOptions* options, const kaiColumn* columns, int column_count,
                      const char* const* signals, int signal_count, kaiError* error)
{
    if (options == NULL || columns == NULL || signals == NULL || signal_count < 1)
        return error_set(error, KAI_ERR_USAGE, "there are no options, no columns or no signals"), NULL;
    if (!error_check_cookie(&options->cookie, "kaiDefaultFigureOptions", error))
        return NULL;
    if (signal_count > SIGNALS)
        return error_set(error, KAI_ERR_USAGE, "a fan has at most %d signals", SIGNALS), NULL;
    kaiAllocator a = options->allocator;
    kaiFan* f = a.alloc(a.user, NULL, 0, sizeof *f);
    if (f == NULL)
        return error_memory(error), NULL;
    *f = (kaiFan){.options = *options, .stride = 1};
    bool fine = true;
    for (int i = 0; i < signal_count && fine; i++)
        fine = find_signal(f, columns, column_count, signals[i], error);
    if (fine)
        return f;
    kaiFan_Free(f);
    return NULL;
}

static size_t run_size(const kaiFan* f)
{
    return sizeof(double) * (size_t)f->signal_count * (POINTS + 1);
}

void kaiFan_Free(kaiFan* f)
{
    if (f == NULL)
        return;
    kaiAllocator a = f->options.allocator;
    if (f->values != NULL)
        a.alloc(a.user, f->values, (size_t)f->room * run_size(f), 0);
    a.alloc(a.user, f, sizeof *f, 0);
}

// ---- runs

static void thin_runs(kaiFan* f)
{
    f->stride *= 2;
    for (int i = 1; 2 * i < f->kept; i++)
        memcpy(values_of(f, i, 0), values_of(f, 2 * i, 0), run_size(f));
    f->kept = (f->kept + 1) / 2;
}

void kaiFan_BeginRun(kaiFan* f)
{
    if (f == NULL)
        return;
    if (f->kept == RUNS)
        thin_runs(f);
    f->taking = f->runs % f->stride == 0;
    f->runs++;
    f->begun = true;
    f->has_last = false;
    f->next = 0;
}

static bool add_run(kaiFan* f)
{
    kaiAllocator a = f->options.allocator;
    if (f->kept == f->room)
    {
        int room = f->room == 0 ? 16 : 2 * f->room;
        double* more = a.alloc(a.user, f->values, (size_t)f->room * run_size(f), (size_t)room * run_size(f));
        if (more == NULL)
            return false;
        f->values = more;
        f->room = room;
    }
    f->kept++;
    double* values = values_of(f, f->kept - 1, 0);
    for (int i = 0; i < f->signal_count * (POINTS + 1); i++)
        values[i] = NAN;
    return true;
}

// ---- rows

static void thin_times(kaiFan* f)
{
    for (int64_t run = 0; run < f->kept; run++)
        for (int s = 0; s < f->signal_count; s++)
        {
            double* v = values_of(f, run, s);
            for (int i = 0; i <= POINTS; i++)
                v[i] = 2 * i <= POINTS ? v[2 * i] : NAN;
        }
    f->step *= 2;
    f->next = (f->next + 1) / 2;
}

// Values at the times up to t, on the line from the row before; that at t itself may still be replaced by a later tag.
static void take(kaiFan* f, double t, const double* now)
{
    while (time_of(f, f->next) < t)
    {
        double at = time_of(f, f->next), part = t > f->last_t ? (at - f->last_t) / (t - f->last_t) : 1;
        for (int s = 0; s < f->signal_count && f->has_last; s++)
            values_of(f, f->kept - 1, s)[f->next] = f->last[s] + (part > 0 ? part * (now[s] - f->last[s]) : 0);
        f->next++;
    }
    for (int s = 0; s < f->signal_count && time_of(f, f->next) == t; s++)
        values_of(f, f->kept - 1, s)[f->next] = now[s];
}

kaiStatus kaiFan_Row(void* fan, const kaiRow* row)
{
    kaiFan* f = fan;
    if (f == NULL || row == NULL)
        return KAI_ERR_USAGE;
    if (!f->begun)
        kaiFan_BeginRun(f);
    if (!f->taking || row->t < f->options.from || row->t > f->options.to)
        return KAI_OK;
    if (!f->has_last && !add_run(f))
        return KAI_ERR_MEMORY;
    double now[SIGNALS];
    for (int s = 0; s < f->signal_count; s++)
        now[s] = row->present[f->columns[s]] ? row->values[f->columns[s]] : NAN;
    if (f->kept == 1 && !f->has_last && f->runs == 1)
        f->first = row->t;
    if (f->step == 0 && row->t > f->first)
        f->step = (row->t - f->first) / (POINTS / 2);
    while (f->step > 0 && row->t > time_of(f, POINTS))
        thin_times(f);
    if (f->step > 0)
        take(f, row->t, now);
    else if (row->t == f->first)
        for (int s = 0; s < f->signal_count; s++)
            values_of(f, f->kept - 1, s)[0] = now[s];
    memcpy(f->last, now, sizeof now);
    f->last_t = row->t;
    f->has_last = true;
    return KAI_OK;
}

// ---- quantiles

static int gather(const kaiFan* f, int signal, int point, double* sorted)
{
    int count = 0;
    for (int64_t run = 0; run < f->kept; run++)
        if (!isnan(values_of(f, run, signal)[point]))
            sorted[count++] = values_of(f, run, signal)[point];
    survey_sort(sorted, count);
    return count;
}

double kaiFan_Quantile(const kaiFan* f, int signal, int at, double p, double* t)
{
    double sorted[RUNS];
    if (f == NULL || signal < 0 || signal >= f->signal_count || at < 0 || at > POINTS || !(p >= 0 && p <= 1))
        return NAN;
    if (t != NULL)
        *t = time_of(f, at);
    return survey_quantile(sorted, gather(f, signal, at, sorted), p);
}

// ---- drawing

typedef struct FanBands
{
    double q[POINTS + 1][5];  // 5, 25, 50, 75, 95 %
    int count;
} FanBands;

static void fill_bands(const kaiFan* f, int signal, FanBands* b)
{
    static const double at[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    double sorted[RUNS];
    int most = 0;
    b->count = 0;
    for (int i = 0; i <= POINTS; i++)
    {
        int count = gather(f, signal, i, sorted);
        most = count > most ? count : most;
        for (int k = 0; k < 5; k++)
            b->q[i][k] = survey_quantile(sorted, count, at[k]);
        b->count = count > 0 && count * LEFT >= most ? i + 1 : b->count;
    }
}

static void draw_piece(const Survey* s, const Plate* p, const kaiFan* f, const FanBands* b, int from, int to)
{
    CanvasPoint points[2 * (POINTS + 1)];
    static const double strength[] = {0.22, 0.42};
    for (int band = 0; band < 2; band++)
    {
        int count = 0;
        for (int i = from; i < to; i++)
            points[count++] = (CanvasPoint){axis_place(&p->x, time_of(f, i)), axis_place(&p->y, b->q[i][band])};
        for (int i = to - 1; i >= from; i--)
            points[count++] = (CanvasPoint){axis_place(&p->x, time_of(f, i)), axis_place(&p->y, b->q[i][4 - band])};
        Paint fill = {.fill = colour_fade(colour_of(0), strength[band])};
        if (s->look.coarse)
            fill = (Paint){.stroke = colour_of(band == 0 ? 5 : 0), .width = 1};
        canvas_polygon(s->canvas, points, count, &fill);
    }
    for (int i = from; i < to; i++)
        points[i - from] = (CanvasPoint){axis_place(&p->x, time_of(f, i)), axis_place(&p->y, b->q[i][2])};
    canvas_lines(s->canvas, points, to - from, &(Paint){.stroke = colour_of(0), .width = 1.8});
}

static void draw_bands(const Survey* s, const Plate* p, const kaiFan* f, const FanBands* b)
{
    for (int i = 0, from = 0; i <= b->count; i++)
        if (i == b->count || isnan(b->q[i][2]))
        {
            if (i > from)
                draw_piece(s, p, f, b, from, i);
            from = i + 1;
        }
}

static void draw_legend(const Survey* s, const Plate* p, int runs, int64_t all)
{
    static const char* const words[] = {"median", "25 to 75 %", "5 to 95 %"};
    static const double strength[] = {1, 0.55, 0.22};
    char text[60];
    TextStyle style = s->look.note;
    double x = p->box.x, y = p->box.y - 5;
    if (s->look.coarse)
        return;
    for (int i = 0; i < 3; i++)
    {
        Paint paint = {.fill = colour_fade(colour_of(0), strength[i])};
        canvas_rectangle(s->canvas, x, i == 0 ? y - 4.5 : y - 8, 14, i == 0 ? 1.8 : 9, &paint);
        canvas_text(s->canvas, x + 18, y, words[i], &style);
        x += canvas_text_width(s->canvas, words[i], &style) + 36;
    }
    style.anchor = TEXT_END;
    if (runs < all)
        snprintf(text, sizeof text, "%d of %lld runs", runs, (long long)all);
    else
        snprintf(text, sizeof text, "%d runs", runs);
    canvas_text(s->canvas, p->box.x + p->box.width, y, text, &style);
}

static void set_plate(const kaiFan* f, int signal, const FanBands* b, Plate* p)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < b->count; i++)
        if (!isnan(b->q[i][2]))
        {
            low = fmin(low, b->q[i][0]);
            high = fmax(high, b->q[i][4]);
        }
    survey_range(&p->y, low <= high ? low : 0, low <= high ? high : 1);
    if (isfinite(f->options.y_from))
        p->y.low = f->options.y_from;
    if (isfinite(f->options.y_to))
        p->y.high = f->options.y_to;
    double end = time_of(f, b->count > 1 ? b->count - 1 : 1);
    p->x = (Axis){.low = f->first, .high = end > f->first ? end : f->first + 1};
    p->x_name = "t";
    p->x_unit = f->options.time_unit;
    p->y_name = f->names[signal];
    p->y_unit = f->units[signal];
}

kaiStatus kaiFan_Draw(kaiFan* f, kaiError* error)
{
    if (f == NULL || f->kept == 0)
        return error_set(error, KAI_ERR_USAGE, "there are no rows to draw");
    Survey s = {.options = &f->options, .error = error};
    Plate plates[SIGNALS] = {0};
    size_t size = sizeof(FanBands) * (size_t)f->signal_count;
    FanBands* bands = survey_get(&s, size);
    if (bands == NULL)
        return KAI_ERR_MEMORY;
    for (int i = 0; i < f->signal_count; i++)
    {
        fill_bands(f, i, &bands[i]);
        set_plate(f, i, &bands[i], &plates[i]);
    }
    kaiStatus status = survey_open(&s, 720, f->signal_count == 1 ? 390 : 30 + 240 * f->signal_count);
    if (status == KAI_OK)
    {
        survey_plates(&s, plates, f->signal_count, 1, NULL);
        for (int i = 0; i < f->signal_count; i++)
        {
            Box box = plates[i].box;
            canvas_clip(s.canvas, box.x, box.y, box.width, box.height);
            draw_bands(&s, &plates[i], f, &bands[i]);
            canvas_unclip(s.canvas);
            draw_legend(&s, &plates[i], f->kept, f->runs);
        }
        status = survey_close(&s, KAI_OK);
    }
    survey_free(&s, bands, size);
    return status;
}
