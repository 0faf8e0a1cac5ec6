// Proofs: the compiler's side finds the answer, a run confirms a witness.
#include "prove/proofs.h"

#include "api/compilation.h"
#include "api/prove_figure.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kaiProof
{
    kaiAllocator allocator;
    kaiAnswer answer;
    char *text, *experiment, *replay, *no_figure;
};

kaiProveOptions kaiDefaultProveOptions(void)
{
    return (kaiProveOptions){.timeout = 60};
}

static char* copy_text(kaiAllocator a, const char* text)
{
    size_t size = text != NULL ? strlen(text) + 1 : 0;
    char* copy = size > 0 ? a.alloc(a.user, NULL, 0, size) : NULL;
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

// ---- replay
// ----------------------------------------------------------------------------------------------------------

static kaiStatus branch_end(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    (void)branch;
    kaiProof* proof = user;
    const kaiFailure* f = kaiSim_Failure(sim);
    bool zeno = status == KAI_ERR_RUN && f->text != NULL &&
                (strstr(f->text, "chattering Zeno") != NULL || strstr(f->text, "mythical loop") != NULL);
    if (zeno && proof->replay == NULL)
        proof->replay = copy_text(proof->allocator, f->text);
    return zeno ? KAI_INTERRUPTED : KAI_OK;
}

// The one point of a witness's sweeps, as start values.
static kaiStatus load_point(const kaiLoadOptions* options, kaiModel** model, kaiMessages** messages)
{
    enum
    {
        MOST = 64
    };
    kaiOverride overrides[MOST];
    kaiStatus status = kaiModel_Load(options, model, messages);
    kaiMessages_Free(*messages);
    *messages = NULL;
    int count = status == KAI_OK ? kaiModel_SweepCount(*model) : 0;
    if (count == 0 || count > MOST)
        return status;
    for (int i = 0; i < count; i++)
    {
        const double* values;
        int value_count;
        bool structural;
        int variable = kaiModel_SweepVariable(*model, i, &values, &value_count, &structural);
        overrides[i] = (kaiOverride){kaiModel_VariableName(*model, variable), values[0]};
    }
    kaiLoadOptions again = *options;
    again.overrides = overrides;
    again.override_count = count;
    kaiModel* plain = *model;
    status = kaiModel_Load(&again, model, messages);
    kaiModel_Free(plain);
    return status;
}

static void replay(kaiProof* proof, const kaiLoadOptions* options)
{
    kaiLoadOptions load = {.path = "witness.kai",
                           .text = proof->experiment,
                           .experiment = "witness",
                           .library = options->library,
                           .allocator = options->allocator};
    kaiModel* model = NULL;
    kaiMessages* messages = NULL;
    if (load_point(&load, &model, &messages) == KAI_OK)
    {
        kaiSimOptions run = kaiModel_SimOptions(model);
        kaiFailure failure = {0};
        if (strcmp(run.choice, "all") == 0)  // the cycle comes soon or not at all
        {
            run.max_choices = 300;
            run.max_microsteps = 200;
        }
        kaiSim* sim = kaiSim_Create(model, &run, &failure);
        kaiExploreEvents events = {.end = branch_end, .user = proof};
        kaiExploration found;
        if (sim != NULL && strcmp(run.choice, "all") == 0)
            kaiSim_Explore(model, sim, &events, &found);
        else if (sim != NULL)
            branch_end(proof, sim, 1, kaiSim_Run(model, sim));
        kaiSim_Free(sim);
    }
    kaiModel_Free(model);
    kaiMessages_Free(messages);
}

// ---- the answer
// ------------------------------------------------------------------------------------------------------

typedef struct Request
{
    const kaiProveOptions* options;
    kaiProof* proof;
} Request;

static const Experiment* find_experiment(const Compilation* c, const char* name)
{
    for (uint32_t i = 0; name != NULL && i < c->program.experiments.count; i++)
        if (strcmp(c->program.experiments.at[i]->name, name) == 0)
            return c->program.experiments.at[i];
    return NULL;
}

// Where an experiment in another folder finds the model.
static const char* import_path(Compilation* c, const char* path)
{
    char full[PATH_MAX];
    return realpath(path, full) != NULL ? arena_copy_string(&c->arena, full, strlen(full)) : path;
}

static kaiStatus keep(kaiProof* proof, const ProveResult* r)
{
    proof->answer = r->answer == ANSWER_PROVED ? KAI_PROVED : r->answer == ANSWER_REFUTED ? KAI_REFUTED : KAI_UNKNOWN;
    proof->text = copy_text(proof->allocator, r->text);
    proof->experiment = copy_text(proof->allocator, r->experiment);
    return proof->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

// A cycle with terms that formulas cannot say counts only if a run has it.
static kaiStatus confirm(kaiProof* proof, const kaiLoadOptions* options, const ProveResult* r, Compilation* c,
                         const char* name)
{
    if (proof->experiment != NULL)
        replay(proof, options);
    bool open = r->vague && proof->replay == NULL;
    proof->answer = open ? KAI_UNKNOWN : KAI_REFUTED;
    if (open)
    {
        kaiText_Free(proof->experiment, proof->allocator);
        proof->experiment = NULL;
    }
    const char* head =
        open ? r->unsaid != NULL
                   ? arena_printf(&c->arena, "a cycle is possible if %s may have any value; no run confirms it",
                                  r->unsaid)
                   : "a cycle is possible, but no run confirms it"
             : arena_printf(&c->arena, "%s can switch for ever at one instant", name);
    char* text = arena_printf(&c->arena, "%s: %s\n%s", open ? "unknown" : "refuted", head, r->text);
    kaiText_Free(proof->text, proof->allocator);
    proof->text = copy_text(proof->allocator, text);
    return proof->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

static kaiStatus prove_work(Compilation* c, const kaiLoadOptions* options, void* user)
{
    Request* request = user;
    ElabOptions elab = compilation_options(c, options, options->experiment, options->model);
    Flat* flat = elaborate(&c->program, &elab);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    const char* trouble;
    const ProofsPart* part = part_load(PART_PROOFS, sizeof *part, &trouble);
    if (part == NULL)
        return compilation_lacks(c, trouble);
    ProveRequest q = {.arena = &c->arena,
                      .flat = flat,
                      .sources = &c->sources,
                      .experiment = find_experiment(c, options->experiment),
                      .path = import_path(c, options->path != NULL ? options->path : "model.kai"),
                      .seconds = request->options->timeout};
    if (request->options->figure != NULL)
    {
        q.plot_x = request->options->plot_x;
        q.plot_y = request->options->plot_y;
    }
    ProveResult result = part->prove(&q);
    kaiStatus status = keep(request->proof, &result);
    if (result.has_figure)
        result.no_figure =
            prove_figure_draw(&result.figure, flat->model_name, request->options->figure, options->allocator);
    request->proof->no_figure = copy_text(options->allocator, result.no_figure);
    return status == KAI_OK && result.answer == ANSWER_REFUTED
               ? confirm(request->proof, options, &result, c, flat->model_name)
               : status;
}

kaiStatus kaiModel_Prove(const kaiLoadOptions* options, const kaiProveOptions* prove, kaiProof** proof,
                         kaiMessages** messages)
{
    kaiAllocator a = options->allocator;
    *proof = a.alloc(a.user, NULL, 0, sizeof **proof);
    if (*proof == NULL)
        return KAI_ERR_MEMORY;
    **proof = (kaiProof){.allocator = a, .answer = KAI_UNKNOWN};
    Request request = {prove, *proof};
    kaiStatus status = compilation_run(options, messages, prove_work, &request);
    if (status != KAI_OK)
    {
        kaiProof_Free(*proof);
        *proof = NULL;
    }
    return status;
}

kaiAnswer kaiProof_Answer(const kaiProof* proof)
{
    return proof->answer;
}

const char* kaiProof_Text(const kaiProof* proof)
{
    return proof->text;
}

const char* kaiProof_Experiment(const kaiProof* proof)
{
    return proof->experiment;
}

const char* kaiProof_NoFigure(const kaiProof* proof)
{
    return proof->no_figure;
}

const char* kaiProof_Replay(const kaiProof* proof)
{
    return proof->replay;
}

void kaiProof_Free(kaiProof* proof)
{
    if (proof == NULL)
        return;
    kaiText_Free(proof->text, proof->allocator);
    kaiText_Free(proof->experiment, proof->allocator);
    kaiText_Free(proof->replay, proof->allocator);
    kaiText_Free(proof->no_figure, proof->allocator);
    proof->allocator.alloc(proof->allocator.user, proof, sizeof *proof, 0);
}
