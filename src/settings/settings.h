// The table of settings (settings.def) and the lists of words that have no owner elsewhere. Solvers and root methods
// are listed where they are implemented, num/ode.h and num/root.h.
//
// Use: define the macros of the rows you want and include "settings/settings.def"; rows that you do not define are left
// out.
#ifndef KAIROS_SETTINGS_SETTINGS_H
#define KAIROS_SETTINGS_SETTINGS_H

#include "kairos/settings.h"
#include "num/ode.h"
#include "num/root.h"

#include <math.h>

// In the order of OdeBreakpoint.
#define BREAKPOINT_WORDS(X)                                                                                            \
    X(SAME, "same", "the solver itself")                                                                               \
    X(BACKWARD_EULER, "backward_euler", "one step of backward Euler")                                                  \
    X(IBE, "ibe", "impulse backward Euler: a step forward and the same step back in time")

#define IMPULSE_WORDS(X)                                                                                               \
    X(SYMBOLIC, "symbolic", "a value of its own, exact")                                                               \
    X(NUMERIC, "numeric", "a number, 1/h for one step of length h")

// In the order of ChoicePolicy (kernel/kernel.h).
#define CHOICE_WORDS(X)                                                                                                \
    X(FIRST, "first", "the first in the text")                                                                         \
    X(RANDOM, "random", "one drawn by weight")                                                                         \
    X(ALL, "all", "each of them: every outcome is found")

#define ISLAND_WORDS(X)                                                                                                \
    X(AUTO, "auto", "every part that meets the others only at events")                                                 \
    X(ONE, "one", "one solver for everything, whatever is declared")                                                   \
    X(NONE, "none", "the same as one")

#define ZENO_WORDS(X)                                                                                                  \
    X(STOP, "stop", "the run fails, with the limit and the cause")                                                     \
    X(CONTINUE, "continue", "the run goes on from the limit, and along surfaces")                                      \
    X(SLIDE, "slide", "the same: another word for continue")                                                           \
    X(OFF, "off", "nothing: no run is stopped for it, and nothing is held")

#define EVENT_WORDS(X)                                                                                                 \
    X(TAGS, "tags", "every tag of an instant that changes something has one")                                          \
    X(OFF, "off", "none; the start, the end and what record every asks for stay")

#define CLOCK_WORDS(X)                                                                                                 \
    X(TIME, "time", "time 0: ticks at first + nT, from the start on")                                                  \
    X(START, "start", "the start of the run: ticks at start + first + nT")

#define ROW_WORDS(X)                                                                                                   \
    X(CURVE, "curve", "the points of the solver, and points between where a curve bends")                              \
    X(STEPS, "steps", "the points of the solver")

typedef enum SettingId
{
#define NUMBER(name, ...) SETTING_ID_##name,
#define COUNT(name, ...) SETTING_ID_##name,
#define WORD(name, ...) SETTING_ID_##name,
#define MODEL_WORD(name, ...) SETTING_ID_##name,
#define CONDITION(name, ...) SETTING_ID_##name,
#include "settings/settings.def"
    SETTING_ID_COUNT
} SettingId;

// The place of a word in its list, which is the number of the enumeration that the list belongs to; -1: not in it.
int setting_word(const kaiSetting* setting, const char* word);

#endif
