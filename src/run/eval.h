// Inside kaiEval: for rooms that look deeper than kairos/eval.h does.
#ifndef KAIROS_RUN_EVAL_H
#define KAIROS_RUN_EVAL_H

#include "kairos/eval.h"

#include "watch/endless.h"
#include "watch/record.h"

struct kaiEval
{
    const kaiModel* model;
    kaiSimOptions options;
    Budget budget;
    Kernel kernel;
    Record record;
    Endless endless;
    bool started;
};

#endif
