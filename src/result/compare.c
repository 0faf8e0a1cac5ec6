// Two results, signal by signal. A curve is compared as a tube: each of its rows must lie within the tolerance of what
// the other does within the tolerance in time, and the other way round, so that a jump that comes a little later is not
// a difference as high as the jump. Sequences (events, modes) are compared one by one.
#include "kairos/compare.h"

#include "base/budget.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "result/format.h"
#include "result/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// One column of one run.
typedef struct Track
{
    const kaiColumn* column;
    const kaiRecorder* rows;
    const double *t, *values;
    int64_t count;
} Track;

typedef struct Comparing
{
    const kaiCompareOptions* options;
    kaiComparison* result;
    Runs a, b;
    const char* run;
    bool same_rows;
    double time;  // the tolerance of all signals
} Comparing;

typedef struct Limits
{
    double value, time;
} Limits;

// ---- telling

static kaiTag tag_of(const Track* track, int64_t row)
{
    return (kaiTag){track->t[row], kaiRecorder_Jumps(track->rows)[row], kaiRecorder_Reactions(track->rows)[row]};
}

__attribute__((format(printf, 4, 5))) static void tell(Comparing* c, const char* signal, kaiTag tag, const char* format,
                                                       ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->result->differing++;
    if (c->options->difference != NULL)
        c->options->difference(c->options->user, &(kaiDifference){signal, c->run, tag, text});
}

// ---- what is compared how

static bool is_absent(const Track* track, int64_t row)
{
    return kaiNumber_IsAbsent(track->values[row]);
}

// A CSV does not say what is an event: what is never there at two times in succession, but not always absent.
static bool looks_like_event(const Track* track)
{
    bool absent = false;
    for (int64_t k = 0; k < track->count; k++)
    {
        absent |= is_absent(track, k);
        if (k > 0 && !is_absent(track, k) && !is_absent(track, k - 1) && track->t[k] != track->t[k - 1])
            return false;
    }
    return absent;
}

static bool is_event(const Track* a, const Track* b)
{
    return a->column->kind == KAI_COLUMN_EVENT || b->column->kind == KAI_COLUMN_EVENT ||
           (looks_like_event(a) && looks_like_event(b));
}

static double magnitude(const Track* track)
{
    double most = 0;
    for (int64_t k = 0; k < track->count; k++)
        if (isfinite(track->values[k]))
            most = fmax(most, fabs(track->values[k]));
    return most;
}

static Limits limits_of(const Comparing* c, const Track* a, const Track* b)
{
    double absolute = c->options->absolute, relative = c->options->relative, time = c->time;
    for (int i = 0; i < c->options->signal_count; i++)
    {
        const kaiTolerance* own = &c->options->signals[i];
        if (strcmp(own->signal, a->column->name) != 0)
            continue;
        absolute = isnan(own->absolute) ? absolute : own->absolute;
        relative = isnan(own->relative) ? relative : own->relative;
        time = isnan(own->time) ? time : own->time;
    }
    return (Limits){absolute + relative * fmax(magnitude(a), magnitude(b)), time};
}

// ---- row by row

static bool same_value(double a, double b, double tolerance)
{
    return a == b || fabs(a - b) <= tolerance || (isnan(a) && isnan(b));
}

static bool compare_rows(Comparing* c, const Track* a, const Track* b, Limits limits)
{
    for (int64_t k = 0; k < a->count; k++)
    {
        bool absent = is_absent(a, k);
        if (absent != is_absent(b, k))
            return tell(c, a->column->name, tag_of(a, k), "only the %s has a value", absent ? "second" : "first"),
                   false;
        if (!absent && !same_value(a->values[k], b->values[k], limits.value))
            return tell(c, a->column->name, tag_of(a, k), "%.17g and %.17g, %.3g apart (tolerance %.3g)", a->values[k],
                        b->values[k], fabs(a->values[k] - b->values[k]), limits.value),
                   false;
    }
    return true;
}

// ---- curves

typedef struct Range
{
    double low, high;
    bool any;
} Range;

static void widen(Range* range, double value)
{
    if (isnan(value))
        return;
    range->low = range->any ? fmin(range->low, value) : value;
    range->high = range->any ? fmax(range->high, value) : value;
    range->any = true;
}

// On the line between rows k - 1 and k.
static void widen_between(Range* range, const Track* track, int64_t k, double t)
{
    if (k <= 0 || k >= track->count || is_absent(track, k) || is_absent(track, k - 1))
        return;
    double before = track->t[k - 1], after = track->t[k];
    if (t < before || t > after || !(after > before))
        return;
    widen(range, track->values[k - 1] + (t - before) / (after - before) * (track->values[k] - track->values[k - 1]));
}

// What the track does in [from, to]; *cursor is the first row at or behind `from`, and only goes on.
static Range range_of(const Track* track, double from, double to, int64_t* cursor)
{
    Range range = {0};
    while (*cursor < track->count && track->t[*cursor] < from)
        ++*cursor;
    widen_between(&range, track, *cursor, from);
    int64_t k = *cursor;
    for (; k < track->count && track->t[k] <= to; k++)
        if (!is_absent(track, k))
            widen(&range, track->values[k]);
    widen_between(&range, track, k, to);
    return range;
}

// Each row of `of` within the tube around `around`. `swapped`: `of` is the second result.
static bool is_inside(Comparing* c, const Track* of, const Track* around, Limits limits, bool swapped)
{
    int64_t cursor = 0;
    const char* other = swapped ? "first" : "second";
    for (int64_t k = 0; k < of->count; k++)
    {
        double value = of->values[k], t = of->t[k];
        if (isnan(value))
            continue;
        Range range = range_of(around, t - limits.time, t + limits.time, &cursor);
        if (!range.any)
            return tell(c, of->column->name, tag_of(of, k), "the %s has no value there", other), false;
        double off = fmax(range.low - value, value - range.high);
        if (!same_value(value, range.low, 0) && off > limits.value)
            return tell(c, of->column->name, tag_of(of, k), "%.17g, and the %s is %.3g away (tolerance %.3g)", value,
                        other, off, limits.value),
                   false;
    }
    return true;
}

// ---- sequences

static const char* text_of(const Track* track, double value, char digits[40])
{
    if (kaiNumber_IsAbsent(value))
        return "absent";
    if (track->column->kind == KAI_COLUMN_MODE)
        return result_mode_text(track->column, value, digits);
    snprintf(digits, 40, "%.17g", value);
    return digits;
}

// The next row from `row` on that belongs to the sequence: an occurrence, or a change. `count`: none.
static int64_t next_item(const Track* track, bool event, int64_t row)
{
    for (; row < track->count; row++)
    {
        bool absent = is_absent(track, row);
        if (event ? !absent : row == 0 || memcmp(&track->values[row], &track->values[row - 1], sizeof(double)) != 0)
            return row;
    }
    return track->count;
}

static bool same_item(const Track* a, int64_t i, const Track* b, int64_t k, double tolerance)
{
    char one[40], other[40];
    bool absent = is_absent(a, i);
    if (absent || is_absent(b, k))
        return absent == is_absent(b, k);
    if (a->column->kind == KAI_COLUMN_MODE)
        return strcmp(text_of(a, a->values[i], one), text_of(b, b->values[k], other)) == 0;
    return same_value(a->values[i], b->values[k], tolerance);
}

static bool compare_sequences(Comparing* c, const Track* a, const Track* b, Limits limits, bool event)
{
    const char *name = a->column->name, *what = event ? "occurrence" : "change";
    int64_t i = next_item(a, event, 0), k = next_item(b, event, 0);
    char one[40], other[40];
    for (long long number = 1; i < a->count || k < b->count; number++)
    {
        if (i == a->count || k == b->count)
            return tell(c, name, i < a->count ? tag_of(a, i) : tag_of(b, k), "only the %s has %s %lld",
                        i < a->count ? "first" : "second", what, number),
                   false;
        if (!same_item(a, i, b, k, limits.value))
            return tell(c, name, tag_of(a, i), "%s %lld is %s, and %s at t = %.17g in the second", what, number,
                        text_of(a, a->values[i], one), text_of(b, b->values[k], other), b->t[k]),
                   false;
        if (fabs(a->t[i] - b->t[k]) > limits.time)
            return tell(c, name, tag_of(a, i), "%s %lld comes at t = %.17g in the second, %.3g apart (tolerance %.3g)",
                        what, number, b->t[k], fabs(a->t[i] - b->t[k]), limits.time),
                   false;
        i = next_item(a, event, i + 1);
        k = next_item(b, event, k + 1);
    }
    return true;
}

// ---- results

static Track track_of(const Runs* runs, const Run* run, int column)
{
    return (Track){&runs->columns[column], run->rows, kaiRecorder_Times(run->rows),
                   kaiRecorder_Column(run->rows, column), kaiRecorder_Count(run->rows)};
}

static void compare_signal(Comparing* c, const Track* a, const Track* b)
{
    Limits limits = limits_of(c, a, b);
    bool event = is_event(a, b);
    bool steps = a->column->kind == KAI_COLUMN_MODE || b->column->kind == KAI_COLUMN_MODE ||
                 a->column->kind == KAI_COLUMN_BOOL || b->column->kind == KAI_COLUMN_BOOL;
    c->result->signals++;
    if (event || steps)
        compare_sequences(c, a, b, limits, event);
    else if (c->same_rows)
        compare_rows(c, a, b, limits);
    else if (is_inside(c, a, b, limits, false))
        is_inside(c, b, a, limits, true);
}

static bool has_same_tags(const kaiRecorder* a, const kaiRecorder* b)
{
    size_t n = (size_t)kaiRecorder_Count(a);
    return kaiRecorder_Count(a) == kaiRecorder_Count(b) &&
           (n == 0 || (memcmp(kaiRecorder_Times(a), kaiRecorder_Times(b), n * sizeof(double)) == 0 &&
                       memcmp(kaiRecorder_Jumps(a), kaiRecorder_Jumps(b), n * sizeof(int32_t)) == 0 &&
                       memcmp(kaiRecorder_Reactions(a), kaiRecorder_Reactions(b), n * sizeof(int32_t)) == 0));
}

static bool is_wanted(const kaiCompareOptions* o, const char* name)
{
    for (int i = 0; i < o->only_count; i++)
        if (strcmp(o->only[i], name) == 0)
            return true;
    return o->only_count == 0;
}

static double span_of(const kaiRecorder* rows)
{
    int64_t n = kaiRecorder_Count(rows);
    return n > 0 ? kaiRecorder_Times(rows)[n - 1] - kaiRecorder_Times(rows)[0] : 0;
}

static void compare_run(Comparing* c, const Run* a, const Run* b)
{
    c->run = a->label;
    c->same_rows = has_same_tags(a->rows, b->rows);
    c->result->same_rows &= c->same_rows;
    c->result->runs++;
    c->time = isnan(c->options->time) ? COMPARE_TIME * fmax(span_of(a->rows), span_of(b->rows)) : c->options->time;
    for (int i = 0; i < c->a.column_count; i++)
    {
        const char* name = c->a.columns[i].name;
        int k = runs_find(&c->b, name);
        if (!is_wanted(c->options, name))
            continue;
        Track first = track_of(&c->a, a, i);
        if (k < 0)
            c->result->signals++, tell(c, name, (kaiTag){0}, "only the first has this signal");
        else
        {
            Track second = track_of(&c->b, b, k);
            const char *ours = c->a.columns[i].unit, *theirs = c->b.columns[k].unit;
            if (ours != NULL && theirs != NULL && strcmp(ours, theirs) != 0)
                c->result->signals++, tell(c, name, (kaiTag){0}, "the first is in %s, the second in %s", ours, theirs);
            else
                compare_signal(c, &first, &second);
        }
    }
    for (int i = 0; i < c->b.column_count; i++)
        if (runs_find(&c->a, c->b.columns[i].name) < 0 && is_wanted(c->options, c->b.columns[i].name))
            c->result->signals++, tell(c, c->b.columns[i].name, (kaiTag){0}, "only the second has this signal");
}

static void compare_all(Comparing* c)
{
    c->result->same_rows = true;
    for (int i = 0; i < c->a.count || i < c->b.count; i++)
    {
        bool both = i < c->a.count && i < c->b.count;
        const Run* run = i < c->a.count ? &c->a.at[i] : &c->b.at[i];
        if (both && strcmp(c->a.at[i].label, c->b.at[i].label) == 0)
        {
            compare_run(c, &c->a.at[i], &c->b.at[i]);
            continue;
        }
        c->run = run->label;
        c->result->runs++;
        tell(c, "", (kaiTag){0}, both ? "run %d is another one in the second" : "only one of them has run %d", i + 1);
        return;
    }
}

// ---- the call

kaiCompareOptions kaiDefaultCompareOptions(void)
{
    return (kaiCompareOptions){
        .cookie = KAI_COOKIE, .relative = COMPARE_VALUE, .time = NAN, .allocator = kaiDefaultAllocator()};
}

static kaiStatus check_names(const Comparing* c, kaiError* error)
{
    const kaiCompareOptions* o = c->options;
    for (int i = 0; i < o->only_count + o->signal_count; i++)
    {
        const char* name = i < o->only_count ? o->only[i] : o->signals[i - o->only_count].signal;
        if (name == NULL || (runs_find(&c->a, name) < 0 && runs_find(&c->b, name) < 0))
            return error_set(error, KAI_ERR_USAGE, "neither result has a signal `%s`", name != NULL ? name : "");
    }
    return KAI_OK;
}

static bool is_fine(const char* first, const char* second, const kaiCompareOptions* o, const kaiComparison* comparison)
{
    return first != NULL && second != NULL && comparison != NULL && o->absolute >= 0 && o->relative >= 0 &&
           !(o->time < 0) && o->signal_count >= 0 && (o->signals != NULL || o->signal_count == 0) &&
           o->only_count >= 0 && (o->only != NULL || o->only_count == 0) && o->allocator.alloc != NULL;
}

// Memory that a limit did not give is no memory that the machine did not have.
static kaiStatus tell_end(const Budget* budget, kaiError* error)
{
    char text[200];
    kaiStatus status = budget_tell(budget, "the comparison", text, sizeof text);
    return error_set(error, status, "%s", text);
}

kaiStatus kaiResult_Compare(const char* first, const char* second, const kaiCompareOptions* o,
                            kaiComparison* comparison, kaiError* error)
{
    if (!error_check_cookie(o != NULL ? &o->cookie : NULL, "kaiDefaultCompareOptions", error))
        return KAI_ERR_USAGE;
    if (!is_fine(first, second, o, comparison))
        return error_set(error, KAI_ERR_USAGE, "a comparison needs two results and tolerances that are not negative");
    *comparison = (kaiComparison){0};
    Comparing c = {.options = o, .result = comparison};
    Budget budget;
    budget_init(&budget, o->allocator, o->limits, o->interrupt);
    kaiAllocator a = budget_allocator(&budget);
    kaiStatus status = runs_read(&c.a, first, a, o->interrupt, error);
    if (status == KAI_OK)
        status = runs_read(&c.b, second, a, o->interrupt, error);
    if (status == KAI_OK)
        status = check_names(&c, error);
    if (status == KAI_OK)
        compare_all(&c);
    c.b.allocator = a;
    runs_free(&c.a);
    runs_free(&c.b);
    return status == KAI_ERR_MEMORY ? tell_end(&budget, error) : status;
}
