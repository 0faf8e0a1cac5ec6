// Does time diverge? Whether some state of a model has a sequence of reactions at one instant that comes back to where
// it was (rules R5 and B6; paper 002, "Analyzing Correctness of System Models").
#ifndef KAIROS_PROVE_PROVE_H
#define KAIROS_PROVE_PROVE_H

#include "elab/flat.h"
#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "prove/phase.h"
#include "prove/search.h"

typedef struct ProveRequest
{
    Arena* arena;
    const Flat* flat;
    const Sources* sources;
    const Experiment* experiment;  // NULL: none
    const char* path;              // of the file, for the experiment that is written
    double seconds;
    const char *plot_x, *plot_y;  // states of a phase space that is wanted; NULL: none
} ProveRequest;

typedef struct ProveResult
{
    Answer answer;
    bool vague;              // REFUTED, but with terms that formulas cannot say: a run has to confirm it
    const char* text;        // what to print; REFUTED: after a first line, which depends on the replay
    const char* experiment;  // REFUTED: a file that reproduces it; NULL: none could be made
    const char* unsaid;      // the terms that formulas cannot say, NULL: none
    bool has_figure;         // plot_x and plot_y: the phase space, or why there is none
    PhaseFigure figure;
    const char* no_figure;
} ProveResult;

ProveResult prove_model(const ProveRequest* request);

#endif
