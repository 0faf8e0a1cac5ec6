// A model without a solver, inside: what eval.c (rates and instants), eval_watch.c (indicators for importers) and
// eval_save.c (copies) share.
#ifndef KAIROS_RUN_EVAL_H
#define KAIROS_RUN_EVAL_H

#include "kairos/eval.h"
#include "vm/series.h"
#include "watch/endless.h"
#include "watch/record.h"

// How an indicator is made of its guard since the last instant: scale * z = -toward * g + bias. It is positive from
// there on until the guard has crossed.
typedef struct Indicator
{
    double scale;   // a power of 2: the largest g at an instant so far
    double band;    // what counts as on the level
    double bias;    // band, or more where the guard was armed on its level or past it
    double due;     // of a guard of time alone: when it crosses, or is to be searched again
    int8_t toward;  // the direction of g that is watched; 0: none, z is 1
    bool back;      // it fires in the other direction only: what is waited for is its return
} Indicator;

struct kaiEval
{
    const kaiModel* model;
    kaiSimOptions options;
    Budget budget;
    Kernel kernel;
    Record record;
    Endless endless;
    bool started;
    bool inside;  // between the tags of an instant
    bool delays;  // signals are delayed
    bool told;    // somebody says when steps are over
    bool rated;   // the rates in the registers are those of the time and states there
    Indicator* indicators;
    Series** ahead;  // of guards that are searched ahead of time; NULL: not this one
    SeriesSpace* ahead_space;
};

void eval_put_states(kaiEval* eval, double t, const double* x);
void eval_get_states(kaiEval* eval, double* x);
double eval_due(const kaiEval* eval);                           // when something is scheduled
kaiStatus eval_look(kaiEval* eval, double t, const double* x);  // rates, guards and their slopes

bool eval_watch_make(kaiEval* eval);  // false: no memory
void eval_watch_free(kaiEval* eval);
kaiStatus eval_watch_arm(kaiEval* eval, double t, const double* x);  // after an instant
void eval_watch_loosen(kaiEval* eval);  // a step is over: what was armed on its level has left it
void eval_watch_locate(kaiEval* eval);  // the guards that have crossed, for the instant that begins

// eval_ahead.c: guards of time alone.
bool eval_ahead_make(kaiEval* eval);  // false: no memory
void eval_ahead_free(kaiEval* eval);
void eval_ahead_arm(kaiEval* eval, double t);
double eval_ahead_next(const kaiEval* eval);

// eval_delay.c: what goes into delayed signals. All but the start with the registers as eval_look leaves them.
bool eval_has_delays(const kaiEval* eval);
kaiStatus eval_delay_start(kaiEval* eval);
kaiStatus eval_delay_feed(kaiEval* eval, double t);  // up to here
kaiStatus eval_delay_jumps(kaiEval* eval);           // after an instant
double eval_delay_next(const kaiEval* eval);         // until when all that can be read is known

#endif
