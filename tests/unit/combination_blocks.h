// The blocks that test_combinations.c puts together in pairs: model texts with the closed forms of their signals, and
// the features that a block or a setting brings.
#ifndef KAIROS_TESTS_COMBINATION_BLOCKS_H
#define KAIROS_TESTS_COMBINATION_BLOCKS_H

#include "load_fixture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double stop = 3, fine = 1e-6, coarse = 1e-2;  // coarse: steps of the right Riemann sum, 1/4096 long

// ------------------------------------------------------------------------------------------------------------- blocks

typedef struct Block
{
    const char *name, *text;
    double (*out)(double t);
    double jumps[4];  // where `out` jumps: no closed form within a step of them; 0: none
    double marks[8];  // 0: no more
} Block;

static inline double decay_out(double t)
{
    return exp(-0.7 * t);
}

// A capacitor that discharges through a resistor gives half of its charge to another one at t = 1.1.
static inline double bond_out(double t)
{
    return t < 1.1 ? exp(-t) : 0.5 * exp(-1.1) * exp(-0.5 * (t - 1.1));
}

// Always the first alternative: the slope grows by 1 at each tick.
static inline double choice_out(double t)
{
    return fmax(t - 0.37, 0) + fmax(t - 1.37, 0) + fmax(t - 2.37, 0);
}

// Height of a ball s after it left the ground with v: every bounce halves the speed, twice the first flight is all.
static inline double bounce(double s, double v)
{
    while (v > 1e-9 && s > 2 * v / 9.81)
    {
        s -= 2 * v / 9.81;
        v *= 0.5;
    }
    return v > 1e-9 ? fmax(v * s - 0.5 * 9.81 * s * s, 0) : 0;
}

// Falls from 0.2, rests, is kicked at 1.5, rests again.
static inline double zeno_out(double t)
{
    double ground = sqrt(0.4 / 9.81);
    if (t < ground)
        return 0.2 - 0.5 * 9.81 * t * t;
    return t < 1.5 ? bounce(t - ground, 0.5 * 9.81 * ground) : bounce(t - 1.5, 2);
}

static inline double impulse_out(double t)
{
    return t < 0.9 ? 0 : exp(-(t - 0.9));
}

// Method of steps.
static inline double delayed_out(double t)
{
    double sum = 0, factor = 1;
    for (int k = 0; k == 0 || t >= 0.5 * (k - 1); k++)
    {
        factor *= k > 0 ? -1.0 / k : 1;
        sum += factor * (k > 0 ? pow(t - 0.5 * (k - 1), k) : 1);
    }
    return sum;
}

static inline double echo_out(double t)
{
    double sum = 0;
    for (double at = 0.31; at < t; at += 0.5)
        sum += t - at;
    return sum;
}

static const Block decay = {"Decay",
                            "model Decay { state x = 1; x' = -0.7*x; signal out = x; event mark = down(x - 0.5) }\n",
                            decay_out,
                            {0},
                            {0.99021025794277904}};
static const Block bonds = {
    "Bond",
    "model Bond { c1 : C(c = 1, e0 = 1); c2 : C(c = 1); r : R(r = 1); n : J0; k : J0\n"
    "  w : J1 switched { initial mode open : OFF { on time >= 1.1 -> shut } mode shut : ON {} }\n"
    "  bond n -> c1; bond n -> r; bond k -> c2; bond n -> w -> k\n"
    "  signal out = c1.e; event mark = down(c1.e - 0.6) }\n",
    bond_out,
    {1.1},
    {0.51082562376599072}};
static const Block choice = {"Choice",
                             "model Choice { event tick = clock(1, 0.37), mark = tick; state y = 0; discrete n = 0\n"
                             "  y' = n; signal out = y\n"
                             "  choose { when tick { n := n + 1 }\n"
                             "    when tick { n := n - 1 } } }\n",
                             choice_out,
                             {0},
                             {0.37, 1.37, 2.37}};
static const Block zeno = {"Ball",
                           "model Ball { state y = 0.2, v = 0; y' = v; v' = -9.81\n"
                           "  event hit = down(y), kick = clock(10, 1.5), mark = down(y - 0.1); signal out = y\n"
                           "  when hit { v := -0.5*v }; when kick { v := 2 } }\n",
                           zeno_out,
                           {0},
                           {0.14278431229270646, 1.8493970819550902}};
static const Block impulse = {"Impulse",
                              "model Impulse { event k = clock(10, 0.9); state v = 0; v' = -v + delta(k, 1)\n"
                              "  signal out = v; event mark = down(v - 0.5) }\n",
                              impulse_out,
                              {0.9},
                              {1.5931471805599453}};
static const Block delayed = {"Delayed",
                              "model Delayed { state y = 1; y' = -delay(y, 0.5); signal out = y\n"
                              "  event mark = down(y - 0.25) }\n",
                              delayed_out,
                              {0},
                              {0.79289321881345254}};
static const Block echo = {"Echo",
                           "model Echo { event tick = clock(0.5, 0.11), mark = delay(tick, 0.2); discrete n = 0\n"
                           "  state y = 0; y' = n; signal out = y; when mark { n := n + 1 } }\n",
                           echo_out,
                           {0},
                           {0.31, 0.81, 1.31, 1.81, 2.31, 2.81}};

// ----------------------------------------------------------------------------------------------------------- features

typedef enum Feature
{
    ISLANDS,
    BOND,
    FIRST,
    RANDOM,
    ALL,
    ZENO,
    SYMBOLIC,
    NUMERIC,
    DELAY_SIGNAL,
    DELAY_EVENT,
    SNAPSHOT,
    RK45,
    TAYLOR,
    ROSENBROCK,
    EVAL,
    FEATURES
} Feature;

static const char* const words[FEATURES] = {"islands = auto",  "bond graph",      "choice = first", "choice = random",
                                            "choice = all",    "zeno = continue", "symbolic",       "numeric",
                                            "delay of signal", "delay of event",  "snapshots",      "rk45",
                                            "taylor",          "rosenbrock",      "kaiEval"};

static const Block* const block_of[FEATURES] = {
    [BOND] = &bonds,       [FIRST] = &choice,    [RANDOM] = &choice,        [ALL] = &choice,       [ZENO] = &zeno,
    [SYMBOLIC] = &impulse, [NUMERIC] = &impulse, [DELAY_SIGNAL] = &delayed, [DELAY_EVENT] = &echo,
};

typedef struct Setup
{
    const Block* blocks[2];
    const char *islands, *choice, *zeno, *impulses, *solver;
    bool snapshots, eval;
    bool coupled;  // a state that reads both blocks makes them one island
    bool follow;   // choice = all along one order that is not the first
} Setup;

static inline void switch_on(Setup* s, int slot, Feature f)
{
    static const char* const choices[] = {"first", "random", "all"};
    static const char* const solvers[] = {"rk45", "taylor", "rosenbrock"};
    if (block_of[f] != NULL)
        s->blocks[slot] = block_of[f];
    if (f == ISLANDS)
        s->islands = "auto";
    if (f >= FIRST && f <= ALL)
        s->choice = choices[f - FIRST];
    if (f == ZENO)
        s->zeno = "continue";
    if (f == NUMERIC)
        s->impulses = "numeric";
    if (f >= RK45 && f <= ROSENBROCK)
        s->solver = solvers[f - RK45];
    s->snapshots |= f == SNAPSHOT;
    s->eval |= f == EVAL;
}

// What takes its place in the run that it is compared with.
static inline void switch_off(Setup* s, Feature f)
{
    if (f == RK45)
        s->solver = "rosenbrock";
    if (f == NUMERIC)
        s->solver = "riemann";
}

// Bit 0 and 1 of `on`: which of the two features.
static inline Setup setup_of(Feature f, Feature g, int on, bool coupled)
{
    Setup s = {.blocks = {&decay, &decay},
               .islands = "none",
               .choice = "first",
               .zeno = "stop",
               .impulses = "symbolic",
               .coupled = coupled,
               .follow = (f == SNAPSHOT || g == SNAPSHOT) && (f == ALL || g == ALL)};
    const Feature both[2] = {f, g};
    for (int i = 0; i < 2; i++)
        if ((on >> i & 1) != 0)
            switch_on(&s, i, both[i]);
        else
            switch_off(&s, both[i]);
    return s;
}

static inline bool is_rough(const Setup* s)
{
    return strcmp(s->impulses, "numeric") == 0 || (s->solver != NULL && strcmp(s->solver, "riemann") == 0);
}

static inline void write_model(const Setup* s, char* text, size_t size)
{
    bool twice = s->blocks[0] == s->blocks[1];
    int length = snprintf(text, size,
                          "%s%smodel Follower { state x = 1; x' = -x }\n"
                          "model M { a : %s; b : %s; fa : Follower; fb : Follower; discrete ga = 0, gb = 0\n"
                          "  %s\n"
                          "  when a.mark { fa.x := fa.x + 1; gb := b.out }\n"
                          "  when b.mark { fb.x := fb.x + 1; ga := a.out } }\n"
                          "experiment e of M { stop = 3; rtol = 1e-10; islands = %s; choice = %s; zeno = %s; "
                          "impulses = %s",
                          s->blocks[0]->text, twice ? "" : s->blocks[1]->text, s->blocks[0]->name, s->blocks[1]->name,
                          s->coupled ? "state j = 0; j' = a.out + b.out - j" : "state j = 0; j' = 1 - j", s->islands,
                          s->choice, s->zeno, s->impulses);
    const char* step = is_rough(s) ? "; step = 1/4096" : "";
    length += snprintf(text + length, size - (size_t)length, "%s%s%s }\n", s->solver != NULL ? "; solver = " : "",
                       s->solver != NULL ? s->solver : "", step);
    assert_true((size_t)length < size);
}

#endif
