// What is known about a run when it is over: the facts of `kairos explain`, written as text, JSON or HTML.
#ifndef KAIROS_STUDY_REPORT_H
#define KAIROS_STUDY_REPORT_H

#include "study/firings.h"
#include "study/sweep.h"

#include <stdio.h>

enum
{
    TAG_BINS = 12,  // instants with 1, 2, … tags; the last bin holds all longer ones
    FIGURES_MOST = 4,
};

// One run, watched.
typedef struct Profile
{
    kaiSim* sim;
    kaiStatus status;
    double seconds;
    Firings firings;
    double* largest;  // of each state, its largest size
    int state_count;
    int64_t tags[TAG_BINS + 1];  // instants by number of tags
    int64_t most_tags;           // the longest instant, and when it was
    double most_at;
} Profile;

typedef struct Limit
{
    const char* name;
    int64_t steps, rejected;
} Limit;

// The run against one with a smaller tolerance.
typedef struct Accuracy
{
    double rtol, step;    // of the second run
    const char* problem;  // why there is nothing to compare, or NULL
    const char* state;    // whose final values differ most in relation to its size; NULL: there is none
    double difference, coarse, fine;
    int64_t event_count;  // events that were compared
    Source* event;        // whose times differ most, NULL: there is none
    int64_t event_rank;
    double event_coarse, event_fine;
    Source* changed;  // fires another number of times in the second run; NULL: none
    int64_t changed_fine;
    int64_t instants, fine_instants;
} Accuracy;

struct kaiReport
{
    const kaiModel* model;
    kaiSweep* plan;
    const char* file;
    const char* experiment;  // NULL: none
    char title[400];
    char sweep[700];  // which of its runs, or ""
    int64_t sweep_points;
    kaiSimOptions options;
    kaiCounters counters;
    Profile profile, fine;
    Limit* limits;  // states that limited a step or had one rejected, most first
    int limit_count;
    bool compared;
    Accuracy accuracy;
    const char* halt;             // NULL: it did not
    char* figures[FIGURES_MOST];  // SVG texts, for HTML
    int figure_count;
};

// Names of the kinds of Firings: "crossing", "clock", "when", "transition".
const char* report_kind(kaiFiredKind kind);

void report_text(const kaiReport* report, FILE* out);
void report_json(const kaiReport* report, FILE* out);
void report_html(const kaiReport* report, FILE* out);

#endif
