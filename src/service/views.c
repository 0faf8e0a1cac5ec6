// Pictures, proofs, reports and files as answers: what `kairos graph`, `prove`, `explain`, `plot` and `run` write, as
// text.
#include "service/family.h"

#include "kairos/diagram.h"
#include "kairos/plot.h"
#include "kairos/prove.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    MODES_MOST = 100,
    PROOF_SECONDS = 10,
};

static void put_why(JsonWriter* w, kaiStatus status, const kaiError* error)
{
    answer_error(w, status == KAI_INTERRUPTED ? "it was stopped"
                    : error->message != NULL  ? error->message
                                              : "it could not be made with the memory or time that there is");
}

// ---- diagrams

static kaiDiagramKind diagram_kind(const char* word)
{
    static const char* const words[] = {"any", "blocks", "modes", "bonds", "schematic"};
    for (int i = 0; i < 5; i++)
        if (strcmp(word, words[i]) == 0)
            return (kaiDiagramKind)i;
    return KAI_DIAGRAM_ANY;
}

void answer_diagram(Document* d, const Json* question, JsonWriter* w)
{
    kaiError error = {.message = d->error.message};
    if (d->program == NULL)
    {
        put_why(w, KAI_ERR_MODEL, &error);
        return;
    }
    kaiCompileOptions which = running_which(d, question);
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    kaiModeChoice* modes = arena_array(d->arena, kaiModeChoice, MODES_MOST);
    const Json* list = json_get(question, "modes");
    for (const Json* m = list != NULL ? list->first : NULL; m != NULL && options.mode_count < MODES_MOST; m = m->next)
        if (m->key != NULL && m->kind == JSON_STRING)
            modes[options.mode_count++] = (kaiModeChoice){m->key, m->text};
    options.modes = modes;
    options.path = "diagram.svg";
    options.kind = diagram_kind(json_text(question, "kind", "any"));
    options.depth = json_count(question, "depth", options.depth);
    options.sink = document_bytes(d, 0);
    kaiStatus status = kaiProgram_Diagram(d->program, &which, &options, &error);
    const char* svg = d->bytes[0].at;
    if (status == KAI_OK && svg != NULL)
        json_put_text(w, "svg", svg);
    else
        put_why(w, status, &error);
}

// ---- proofs

void answer_prove(Document* d, const Json* question, JsonWriter* w)
{
    static const char* const words[] = {"proved", "refuted", "unknown"};
    kaiProof* proof = NULL;
    if (d->program == NULL)
    {
        put_why(w, KAI_ERR_MODEL, &d->error);
        return;
    }
    kaiCompileOptions which = running_which(d, question);
    kaiProveOptions options = kaiDefaultProveOptions();
    options.timeout = fmin(json_number(question, "timeout", PROOF_SECONDS), PROOF_SECONDS);
    kaiStatus status = kaiProgram_Prove(d->program, &which, &options, &proof);
    const kaiError* first = kaiProgram_Message(d->program, 0);
    if (status != KAI_OK)
    {
        put_why(w, status, first != NULL ? first : &(kaiError){0});
        return;
    }
    kaiSink text = document_bytes(d, 0), experiment = document_bytes(d, 1);
    kaiAnswer answer = kaiProof_Answer(proof);
    const char* said = kaiProof_Text(proof);
    const char* replay = kaiProof_Experiment(proof);
    text.write(text.user, said, strlen(said));
    if (replay != NULL)
        experiment.write(experiment.user, replay, strlen(replay));
    kaiProof_Free(proof);
    json_put_text(w, "answer", words[answer]);
    json_put_text(w, "text", d->bytes[0].at != NULL ? d->bytes[0].at : "");
    json_put_text(w, "replay", d->bytes[1].at);
}

// ---- reports

static void adjust(void* user, const kaiModel* model, kaiSimOptions* options)
{
    const Document* d = user;
    (void)model;
    options->limits = d->options->limits;
}

void answer_explain(Document* d, const Json* question, JsonWriter* w)
{
    kaiCompileOptions compile;
    kaiError error;
    if (!running_compile(d, question, w, &compile))
        return;
    kaiReportOptions options = kaiDefaultReportOptions();
    options.estimate_accuracy = true;
    options.adjust = adjust;
    options.user = d;
    options.interrupt = d->interrupt;
    d->report = kaiReport_Create(d->program, d->model, &compile, &options, &error);
    if (d->report == NULL)
    {
        put_why(w, error.status, &error);
        return;
    }
    kaiSink text = document_bytes(d, 0), json = document_bytes(d, 1);
    if (kaiReport_Write(d->report, KAI_REPORT_TEXT, &text) == KAI_OK)
        json_put_text(w, "text", d->bytes[0].at);
    if (kaiReport_Write(d->report, KAI_REPORT_JSON, &json) == KAI_OK)
        json_put_raw(w, "report", d->bytes[1].at, d->bytes[1].size);
    running_put_limits(d, w);
}

// ---- figures and files

typedef struct Drawing
{
    kaiFigure* figure;
    kaiWriter* writer;
} Drawing;

static kaiStatus draw_row(void* user, const kaiRow* row)
{
    Drawing* drawing = user;
    return drawing->figure != NULL ? kaiFigure_Row(drawing->figure, row) : kaiWriter_Row(drawing->writer, row);
}

static bool create_sim(Document* d, const Json* question, JsonWriter* w, const kaiCompileOptions* compile,
                       Drawing* drawing)
{
    Family family;
    kaiError error;
    if (!family_open(d, w, compile, &family))
        return false;
    int64_t member = json_count(question, "member", 0);
    const kaiModel* model = family_model(d, &family, member);
    if (model == NULL)
        return answer_error(w, "there is no such run"), false;
    kaiSimOptions options = running_options(d, model);
    options.row = draw_row;
    options.row_user = drawing;
    kaiSim_Free(d->sim);
    d->sim = kaiSim_Create(model, &options, &error);
    if (d->sim == NULL)
        return put_why(w, error.status, &error), false;
    family_set(d, &family, member, model);
    return true;
}

static kaiPanel* figure_panels(Document* d, const PanelList* list)
{
    kaiVariable v;
    kaiPanel* panels = arena_array(d->arena, kaiPanel, list->count + 1);
    for (uint32_t p = 0; p < list->count; p++)
    {
        const char** names = arena_array(d->arena, const char*, list->at[p].variables.count);
        panels[p].signals = names;
        for (uint32_t i = 0; i < list->at[p].variables.count; i++)
            if (kaiModel_Variable(d->model, list->at[p].variables.at[i], &v))
                names[panels[p].count++] = v.column;
        if (kaiModel_Variable(d->model, list->at[p].against, &v))
            panels[p].against = v.column;
    }
    return panels;
}

static kaiStatus draw(Document* d, const kaiFigureOptions* options, const PanelList* list, const kaiPanel* panels,
                      Drawing* drawing, kaiError* error)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(d->sim, &count);
    drawing->figure = kaiFigure_Create(options, columns, count, panels, (int)list->count, error);
    if (drawing->figure == NULL)
        return error->status;
    kaiSim_Run(d->sim);
    kaiStatus status = kaiFigure_Draw(drawing->figure, error);
    kaiFigure_Free(drawing->figure);
    return status;
}

void answer_figure(Document* d, const Json* question, JsonWriter* w)
{
    kaiCompileOptions compile;
    kaiError error = {0};
    Drawing drawing = {0};
    if (!running_compile(d, question, w, &compile) || !create_sim(d, question, w, &compile, &drawing))
        return;
    const char* format = json_text(question, "format", "svg");
    kaiFigureOptions options = kaiDefaultFigureOptions();
    options.path = strcmp(format, "png") == 0 ? "figure.png" : strcmp(format, "pdf") == 0 ? "figure.pdf" : "figure.svg";
    options.from = json_number(question, "from", options.from);
    options.to = json_number(question, "to", options.to);
    options.sink = document_bytes(d, 0);
    PanelList list = running_panels(d, question);
    kaiStatus status = draw(d, &options, &list, figure_panels(d, &list), &drawing, &error);
    if (status == KAI_OK && d->bytes[0].at != NULL)
        json_put_bytes(w, "bytes", d->bytes[0].at, d->bytes[0].size);
    else
        put_why(w, status, &error);
}

// A format is what the ending of a path says, so a result is written to a file of its own and read back.
static kaiStatus write_result(Document* d, const char* path, const char* view, Drawing* drawing, kaiError* error)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(d->sim, &count);
    kaiWriterOptions options = kaiDefaultWriterOptions();
    kaiSimOptions run = kaiModel_SimOptions(d->model);
    options.path = path;
    options.start = run.start;
    options.stop = run.stop;
    options.view = strcmp(view, "limits") == 0   ? KAI_VIEW_LIMITS
                   : strcmp(view, "unique") == 0 ? KAI_VIEW_UNIQUE
                                                 : KAI_VIEW_FULL;
    drawing->writer = kaiWriter_Open(&options, columns, count, error);
    if (drawing->writer == NULL)
        return error->status;
    kaiStatus status = kaiSim_Run(d->sim);
    kaiStatus closed = kaiWriter_Close(drawing->writer, status == KAI_END ? NULL : "the run did not reach its end");
    return closed < 0 ? closed : KAI_OK;
}

static kaiStatus read_back(Document* d, const char* path)
{
    char piece[65536];
    kaiSink sink = document_bytes(d, 0);
    FILE* file = fopen(path, "rb");
    kaiStatus status = file != NULL ? KAI_OK : KAI_ERR_IO;
    for (size_t got; status == KAI_OK && (got = fread(piece, 1, sizeof piece, file)) > 0;)
        status = sink.write(sink.user, piece, got);
    if (file != NULL)
        fclose(file);
    return status;
}

static const char* known_ending(const char* wanted)
{
    const char* ending;
    for (int i = 0; (ending = kaiFormat_Ending(i)) != NULL; i++)
        if (strcmp(ending, wanted) == 0)
            return ending;
    return NULL;
}

void answer_result(Document* d, const Json* question, JsonWriter* w)
{
    kaiCompileOptions compile;
    kaiError error = {0};
    Drawing drawing = {0};
    char folder[] = "/tmp/kairos-XXXXXX", path[sizeof folder + 40], status_path[sizeof path + 8];
    const char* ending = known_ending(json_text(question, "format", "csv"));
    if (ending == NULL)
    {
        answer_error(w, "there is no such format of results");
        return;
    }
    if (!running_compile(d, question, w, &compile) || !create_sim(d, question, w, &compile, &drawing))
        return;
    const char* view = json_text(question, "view", "full");
    if (mkdtemp(folder) == NULL)
    {
        answer_error(w, "there is no place for a file that is needed for a moment");
        return;
    }
    snprintf(path, sizeof path, "%s/result.%s", folder, ending);
    snprintf(status_path, sizeof status_path, "%s.status", path);
    kaiStatus status = write_result(d, path, view, &drawing, &error);
    if (status == KAI_OK)
        status = read_back(d, path);
    unlink(path);
    unlink(status_path);
    rmdir(folder);
    if (status == KAI_OK && d->bytes[0].at != NULL)
        json_put_bytes(w, "bytes", d->bytes[0].at, d->bytes[0].size);
    else
        put_why(w, status, &error);
}
