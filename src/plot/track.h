// One signal of a figure as it will be drawn: pieces of curve, jumps with their two ends, marks (impulses, events,
// values that exist only inside an instant). It is fed row by row and never grows beyond a fixed size: what lies closer
// together than the figure can show is merged so that no extreme, no impulse and no lone jump is lost.
#ifndef KAIROS_PLOT_TRACK_H
#define KAIROS_PLOT_TRACK_H

#include "kairos/result.h"

typedef enum TrackLink
{
    LINK_NONE,  // begins a piece: the signal was absent, or this is the first point
    LINK_LINE,  // goes on from the point before
    LINK_JUMP,  // right limit; the point before is the left limit at the same t
} TrackLink;

typedef struct TrackPoint
{
    double t, x, y;  // x is t unless the track is drawn against a signal
    uint8_t link;    // TrackLink
    bool ends;       // the signal is absent from here on
    uint8_t mode;    // of the first machine, for the colours of a curve in the phase plane
} TrackPoint;

typedef enum MarkKind
{
    MARK_DOT,      // a value inside an instant, neither its left nor its right limit
    MARK_EVENT,    // y: payload
    MARK_IMPULSE,  // y: weight of δ⁽ᵏ⁾, k = order
} MarkKind;

typedef struct TrackMark
{
    double t, x, y;
    uint8_t kind, order;
} TrackMark;

enum
{
    TRACK_POINTS = 1 << 16,
    TRACK_MARKS = 1 << 14,
    TRACK_ORDERS = 8  // impulses up to δ⁽⁷⁾
};

typedef struct TrackValue
{
    double x, y;
    bool present;
    int p;  // pinnacle of its tag
    uint8_t mode;
} TrackValue;

typedef struct Track
{
    bool event;    // every value is a mark
    bool against;  // x is a signal
    TrackPoint* points;
    TrackMark* marks;
    int count, mark_count;
    int capacity, mark_capacity;  // allocated; at most TRACK_POINTS, TRACK_MARKS
    // The instant in work: the rows seen at this t.
    double t;
    bool open;
    int rows;
    TrackValue left, last;
    bool broken;  // absent since the last point
    kaiAllocator allocator;
} Track;

// False: out of memory.
bool track_open(Track* track, bool event, bool against, kaiAllocator allocator);
void track_free(Track* track);
// The next tag. `x` counts only with `against`.
void track_value(Track* track, double t, TrackValue value);
// The weight of an impulse at the tag that was given last.
void track_impulse(Track* track, int order, double weight);
// No more rows.
void track_finish(Track* track);
// Leaves out what a figure in which `width` of time is less than a dot cannot show.
void track_thin(Track* track, double width);

#endif
