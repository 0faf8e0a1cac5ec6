// The part of a step for which the polynomial of a guard holds.
#ifndef KAIROS_FLOW_GUARD_WINDOW_H
#define KAIROS_FLOW_GUARD_WINDOW_H

#include "flow/guard_path.h"

typedef struct GuardWindow
{
    const GuardPath* path;
    GuardPolynomial p;
    double theta, end;  // of the step
    double length;      // of time
    double g_end;       // of an exact polynomial its value there
} GuardWindow;

// The guard from theta on. False: it has no polynomial there.
bool guard_window_open(const GuardPath* path, double theta, GuardWindow* w);

// guard_doubt.c: as far as its polynomial tells the guard from zero, or a simple root from others; at most its length.
double guard_window_certain(const GuardWindow* w);

// The first place at which the guard crosses; inf: nowhere before the end.
double guard_window_search(const GuardWindow* w);

// `at`, or else what the guard remembers at the end of the window; where rounding hid a crossing from the polynomial,
// that.
double guard_window_pass_end(const GuardWindow* w, double at);

// guard_side.c: beside the way that it has come, the guard hardly moves; rounding has flattened its way to its level at
// theta; what it remembers where its window ends without it.
bool guard_is_flat(const GuardPath* path, double g, double slope);
bool guard_came_flat(const GuardPath* path, double theta, double g, double slope);
void guard_keep_side(const GuardPath* path, double theta, double g, double slope);

// guard_flat.c: `at`, or where the guard passes through its level if it is flat there.
double guard_flat_place(const GuardWindow* w, double at);

#endif
