// Rows → drawable pieces. At one t the first row is the left limit and the last the right limit; what lies between and
// is neither becomes a dot. Merging is M4 (Jugel et al., VLDB 2014): of all points in a slice of time the first, the
// last, the least and the greatest draw the same line as all of them where a slice is narrower than a pixel.
#include "plot/track.h"

#include <math.h>
#include <string.h>

enum
{
    FIRST_SIZE = 512,
    KEPT_MAX = 10,                        // points that a slice may keep
    MARKS_KEPT = 2 * (TRACK_ORDERS + 2),  // the least and the greatest of each kind
    JUMPS_KEPT = 2                        // more in one slice are a solid bar whatever is drawn
};

bool track_open(Track* track, bool event, bool against, kaiAllocator a)
{
    *track = (Track){.event = event, .against = against, .broken = true, .allocator = a};
    track->points = a.alloc(a.user, NULL, 0, sizeof *track->points * FIRST_SIZE);
    track->marks = a.alloc(a.user, NULL, 0, sizeof *track->marks * FIRST_SIZE);
    track->capacity = track->points != NULL ? FIRST_SIZE : 0;
    track->mark_capacity = track->marks != NULL ? FIRST_SIZE : 0;
    return track->points != NULL && track->marks != NULL;
}

void track_free(Track* track)
{
    kaiAllocator a = track->allocator;
    if (track->points != NULL)
        a.alloc(a.user, track->points, sizeof *track->points * (size_t)track->capacity, 0);
    if (track->marks != NULL)
        a.alloc(a.user, track->marks, sizeof *track->marks * (size_t)track->mark_capacity, 0);
    *track = (Track){0};
}

// Twice the room, up to `most`. False: there is none; merging makes some.
static bool grow(Track* track, void** at, int* capacity, size_t element, int most)
{
    kaiAllocator a = track->allocator;
    if (*capacity >= most)
        return false;
    void* more = a.alloc(a.user, *at, element * (size_t)*capacity, 2 * element * (size_t)*capacity);
    if (more == NULL)
        return false;
    *at = more;
    *capacity *= 2;
    return true;
}

// ---- merging points

typedef struct Slice
{
    int from, to;  // points [from, to)
    int breaks;
    int least_y, greatest_y, least_x, greatest_x;
} Slice;

static Slice look_at(const Track* track, int from, int to)
{
    const TrackPoint* p = track->points;
    Slice s = {from, to, 0, from, from, from, from};
    for (int i = from; i < to; i++)
    {
        s.breaks += i > from && p[i].link != LINK_LINE;
        s.least_y = p[i].y < p[s.least_y].y ? i : s.least_y;
        s.greatest_y = p[i].y > p[s.greatest_y].y ? i : s.greatest_y;
        s.least_x = p[i].x < p[s.least_x].x ? i : s.least_x;
        s.greatest_x = p[i].x > p[s.greatest_x].x ? i : s.greatest_x;
    }
    return s;
}

static bool is_kept(const Track* track, const Slice* s, int i)
{
    if (i == s->from || i == s->to - 1 || i == s->least_y || i == s->greatest_y)
        return true;
    if (track->against && (i == s->least_x || i == s->greatest_x))
        return true;
    if (s->breaks > JUMPS_KEPT)
        return false;
    return track->points[i].link != LINK_LINE || track->points[i + 1].link != LINK_LINE;
}

// Writes what a slice keeps from `out` on; returns the new end.
static int merge_slice(Track* track, const Slice* s, int out)
{
    for (int i = s->from; i < s->to; i++)
        if (is_kept(track, s, i))
        {
            TrackPoint point = track->points[i];
            if (i > s->from && s->breaks > JUMPS_KEPT)
                point.link = LINK_LINE;
            track->points[out++] = point;
        }
    return out;
}

static void merge_slices(Track* track, double width)
{
    const TrackPoint* p = track->points;
    double start = p[0].t;
    int out = 0;
    for (int from = 0, to; from < track->count; from = to)
    {
        double end = start + (floor((p[from].t - start) / width) + 1) * width;
        for (to = from + 1; to < track->count && !(p[to].t >= end); to++)
            ;
        Slice slice = look_at(track, from, to);
        out = merge_slice(track, &slice, out);
    }
    track->count = out;
}

// Halves them at least.
static void merge_points(Track* track)
{
    double slices = track->capacity / (2 * KEPT_MAX);
    merge_slices(track, (track->points[track->count - 1].t - track->points[0].t) / slices);
}

void track_thin(Track* track, double width)
{
    if (track->count > 0 && width > 0)
        merge_slices(track, width);
}

static void add_point(Track* track, double t, TrackValue v, TrackLink link)
{
    if (track->count == track->capacity &&
        !grow(track, (void**)&track->points, &track->capacity, sizeof *track->points, TRACK_POINTS))
        merge_points(track);
    track->points[track->count++] = (TrackPoint){t, track->against ? v.x : t, v.y, (uint8_t)link, false, v.mode};
    track->broken = false;
}

// ---- merging marks

static int class_of(const TrackMark* mark)
{
    return mark->kind == MARK_IMPULSE ? 2 + mark->order : mark->kind;
}

static int merge_mark_slice(Track* track, int from, int to, int out)
{
    int least[TRACK_ORDERS + 2], greatest[TRACK_ORDERS + 2];
    memset(least, -1, sizeof least);
    memset(greatest, -1, sizeof greatest);
    const TrackMark* m = track->marks;
    for (int i = from; i < to; i++)
    {
        int k = class_of(&m[i]);
        if (least[k] < 0 || m[i].y < m[least[k]].y)
            least[k] = i;
        if (greatest[k] < 0 || m[i].y > m[greatest[k]].y)
            greatest[k] = i;
    }
    for (int i = from; i < to; i++)
    {
        int k = class_of(&m[i]);
        if (i == least[k] || i == greatest[k])
            track->marks[out++] = m[i];
    }
    return out;
}

static void merge_marks(Track* track)
{
    double slices = track->mark_capacity / (2 * MARKS_KEPT);
    const TrackMark* m = track->marks;
    double start = m[0].t, width = (m[track->mark_count - 1].t - start) / slices;
    int out = 0;
    for (int from = 0, to; from < track->mark_count; from = to)
    {
        double end = start + (floor((m[from].t - start) / width) + 1) * width;
        for (to = from + 1; to < track->mark_count && !(m[to].t >= end); to++)
            ;
        out = merge_mark_slice(track, from, to, out);
    }
    track->mark_count = out;
}

static void add_mark(Track* track, MarkKind kind, int order, double x, double y)
{
    if (track->mark_count == track->mark_capacity &&
        !grow(track, (void**)&track->marks, &track->mark_capacity, sizeof *track->marks, TRACK_MARKS))
        merge_marks(track);
    track->marks[track->mark_count++] =
        (TrackMark){track->t, track->against ? x : track->t, y, (uint8_t)kind, (uint8_t)order};
}

// ---- rows

// Nothing but rounding between them: no figure shows it.
static bool equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static bool same(const Track* track, TrackValue a, TrackValue b)
{
    return a.present == b.present && (!a.present || (equal(a.y, b.y) && (!track->against || equal(a.x, b.x))));
}

// All rows of a t are known.
static void close_instant(Track* track)
{
    TrackValue left = track->left, right = track->last;
    if (!track->open)
        return;
    track->open = false;
    if (left.present)
        add_point(track, track->t, left, track->broken ? LINK_NONE : LINK_LINE);
    if (right.present && !same(track, left, right))
        add_point(track, track->t, right, left.present ? LINK_JUMP : LINK_NONE);
    if (!right.present)
    {
        if (!track->broken && track->count > 0)
            track->points[track->count - 1].ends = true;
        track->broken = true;
    }
}

void track_value(Track* track, double t, TrackValue value)
{
    value.present = value.present && isfinite(value.y) && (!track->against || isfinite(value.x));
    if (track->event)
    {
        track->t = t;
        if (value.present)
            add_mark(track, MARK_EVENT, 0, value.x, value.y);
        return;
    }
    if (track->open && t != track->t)
        close_instant(track);
    if (!track->open)
    {
        track->t = t;
        track->open = true;
        track->rows = 0;
        track->left = value;
    }
    // The row before was between the limits, and what it showed is gone. Not if the pinnacle is the same: a mythical
    // value was only tried, and belongs into the view of the instant.
    else if (track->rows > 1 && track->last.present && track->last.p != value.p &&
             !same(track, track->last, track->left) && !same(track, track->last, value))
        add_mark(track, MARK_DOT, 0, track->last.x, track->last.y);
    track->rows++;
    track->last = value;
}

void track_impulse(Track* track, int order, double weight)
{
    if (order < TRACK_ORDERS && isfinite(weight) && weight != 0)
        add_mark(track, MARK_IMPULSE, order, track->last.x, weight);
}

void track_finish(Track* track)
{
    close_instant(track);
}
