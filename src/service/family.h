// Runs that belong together: the points of a sweep, or the outcomes of choice = all. A picture shows them all, and one
// of them is asked about.
#ifndef KAIROS_SERVICE_FAMILY_H
#define KAIROS_SERVICE_FAMILY_H

#include "service/running.h"

enum
{
    FAMILY_MOST = 24,  // runs
    FAMILY_LABEL = 200,
    DECISIONS_MOST = 1000,  // of an outcome; beyond them it takes the first alternatives
};

typedef struct Outcome
{
    int count;
    int* taken;  // of each choice, as kaiSim_Follow wants them
    char label[FAMILY_LABEL];
} Outcome;

typedef struct Family
{
    int64_t points;  // of the sweep, or outcomes: how many there are, if not `cut`
    bool cut;        // there are more outcomes than were looked for
    bool explored;
    Outcome* outcomes;
} Family;

// Into document->sweep; looks for the outcomes of choice = all. False: `failure` has been put.
bool family_open(Document* document, JsonWriter* writer, const kaiCompileOptions* compile, Family* family);
// How many can be run.
int64_t family_count(const Document* document, const Family* family);
// The model of a member; NULL: there is none.
const kaiModel* family_model(const Document* document, const Family* family, int64_t member);
// Makes document->sim, which has not started, that member.
void family_set(const Document* document, const Family* family, int64_t member, const kaiModel* model);
void family_describe(const Document* document, const Family* family, int64_t member, char* label, size_t size);

#endif
