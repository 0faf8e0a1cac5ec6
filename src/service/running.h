// Runs as answers: what compile.c, run.c and views.c share.
#ifndef KAIROS_SERVICE_RUNNING_H
#define KAIROS_SERVICE_RUNNING_H

#include "service/answers.h"

// Signals that are drawn together, over time (-1) or against another.
typedef struct Panel
{
    VEC(int) variables;
    int against;
} Panel;
typedef VEC(Panel) PanelList;

// What the question wants compiled: `experiment`, `model`, values (`set`) and `settings`.
kaiCompileOptions running_which(Document* document, const Json* question);
// Compiles into document->model and puts the messages as `diagnostics`. False: there is no model.
bool running_compile(Document* document, const Json* question, JsonWriter* writer, kaiCompileOptions* options);
// Name, experiments and variables of the compiled model.
void running_put_model(Document* document, JsonWriter* writer);
// The panels of the question, or the `plot` lines, or some that may be of interest.
PanelList running_panels(Document* document, const Json* question);
// What the experiment says, within the limits of the service.
kaiSimOptions running_options(const Document* document, const kaiModel* model);

// `limits`: which states kept the steps short, over time.
void running_put_limits(Document* document, JsonWriter* writer);

// A run: rows of the panels, what fired, what was expected.
void answer_run(Document* document, const Json* question, JsonWriter* writer);
// All tags of the instant at (or next after) `t`, with everything that has a value, and what fired.
void answer_instant(Document* document, const Json* question, JsonWriter* writer);
// Pictures and reports: `diagram`, `prove`, `explain`, `figure`, `result`.
void answer_diagram(Document* document, const Json* question, JsonWriter* writer);
void answer_prove(Document* document, const Json* question, JsonWriter* writer);
void answer_explain(Document* document, const Json* question, JsonWriter* writer);
void answer_figure(Document* document, const Json* question, JsonWriter* writer);
void answer_result(Document* document, const Json* question, JsonWriter* writer);

#endif
