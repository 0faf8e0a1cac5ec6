// Watched runs, and what two of them say about each other.
#ifndef KAIROS_CLI_PROFILE_H
#define KAIROS_CLI_PROFILE_H

#include "cli/report.h"
#include "cli/sweep.h"

// What is run: a model, or the first point of its sweep.
typedef struct Subject
{
    const RunRequest* request;
    const kaiModel* model;
    const Sweep* sweep;  // NULL: none
    const SweepVariant* variant;
} Subject;

// Runs to the end. `options` are those of the run; rows go to its own `row` too. An exit code; the profile must be
// freed.
int profile_run(Profile* profile, const Subject* subject, kaiSimOptions options);
void profile_free(Profile* profile);

// The options of the second run.
kaiSimOptions profile_finer(kaiSimOptions options);
void profile_compare(Accuracy* accuracy, const kaiModel* model, const Profile* coarse, const Profile* fine);

#endif
