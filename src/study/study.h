// A study: its factors, its measures, and where the values come from.
#ifndef KAIROS_STUDY_STUDY_H
#define KAIROS_STUDY_STUDY_H

#include "kairos/study.h"

enum
{
    STUDY_REASON = 400  // letters of the reason of a failed run
};

typedef struct StudyFactor
{
    int variable;
    kaiSpread spread;      // RANDOM, LATIN, SOBOL
    const double* values;  // of the spread; of a grid the list
    int count;
} StudyFactor;

struct kaiStudy
{
    const kaiModel* model;
    kaiStudyOptions options;
    int64_t runs;
    StudyFactor* factors;
    int factor_count;
    int expect_count, asked_count;  // of the model: expectations, measures
    int measure_count;              // all: these two, then variables
    int* measures;                  // variables
    const char **names, **units;    // of the measures; a unit may be NULL
    double* list;                   // LIST: values
    size_t factor_room, name_room, list_room;
    kaiAllocator allocator;
};

#endif
