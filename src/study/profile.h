// Watched runs, and what two of them say about each other.
#ifndef KAIROS_STUDY_PROFILE_H
#define KAIROS_STUDY_PROFILE_H

#include "study/report.h"
#include "study/sweep.h"

// What is run: a model, or the first point of its sweep.
typedef struct Subject
{
    const kaiModel* model;
    const kaiSweep* sweep;
    const kaiReportOptions* options;
} Subject;

// Runs to the end. KAI_OK however the run ended; otherwise there was none, and *error says why. The profile must be
// freed.
kaiStatus profile_run(Profile* profile, const Subject* subject, kaiSimOptions options, kaiError* error);
void profile_free(Profile* profile);

// The options of the second run.
kaiSimOptions profile_finer(kaiSimOptions options);
void profile_compare(Accuracy* accuracy, const kaiModel* model, const Profile* coarse, const Profile* fine);

#endif
