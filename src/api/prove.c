// Proofs: the compiler's side finds the answer, a run confirms a witness.
#include "prove/proofs.h"

#include "api/compilation.h"
#include "api/prove_figure.h"

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
    return (kaiProveOptions){.cookie = KAI_COOKIE, .timeout = 60};
}

static char* copy_text(kaiAllocator a, const char* text)
{
    size_t size = text != NULL ? strlen(text) + 1 : 0;
    char* copy = size > 0 ? a.alloc(a.user, NULL, 0, size) : NULL;
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

static void free_text(char* text, kaiAllocator a)
{
    if (text != NULL)
        a.alloc(a.user, text, strlen(text) + 1, 0);
}

// ---- replay
// ----------------------------------------------------------------------------------------------------------

static kaiStatus branch_end(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    (void)branch;
    kaiProof* proof = user;
    const kaiError* f = kaiSim_Failure(sim);
    bool zeno = status == KAI_ERR_RUN && f->message != NULL &&
                (strstr(f->message, "chattering Zeno") != NULL || strstr(f->message, "mythical loop") != NULL);
    if (zeno && proof->replay == NULL)
        proof->replay = copy_text(proof->allocator, f->message);
    return zeno ? KAI_INTERRUPTED : KAI_OK;
}

// The one point of a witness's sweeps, as start values.
static kaiStatus compile_point(kaiProgram* witness, kaiModel** model)
{
    enum
    {
        MOST = 64
    };
    kaiOverride overrides[MOST];
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = "witness";
    kaiStatus status = kaiProgram_Compile(witness, &options, model);
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
    options.overrides = overrides;
    options.override_count = count;
    kaiModel* plain = *model;
    status = kaiProgram_Compile(witness, &options, model);
    kaiModel_Free(plain);
    return status;
}

// With the rights of the program it is about.
static void replay(kaiProof* proof, const kaiProgram* program)
{
    kaiProgramOptions options = program->options;
    kaiProgram* witness = NULL;
    kaiModel* model = NULL;
    options.path = "witness.kai";
    options.text = proof->experiment;
    if (kaiProgram_Open(&options, &witness, NULL) == KAI_OK && compile_point(witness, &model) == KAI_OK)
    {
        kaiSimOptions run = kaiModel_SimOptions(model);
        kaiError failure = {0};
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
            branch_end(proof, sim, 1, kaiSim_Run(sim));
        kaiSim_Free(sim);
    }
    kaiModel_Free(model);
    kaiProgram_Free(witness);
}

// ---- the answer
// ------------------------------------------------------------------------------------------------------

typedef struct Request
{
    const kaiCompileOptions* model;
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
static const char* import_path(const kaiProgram* p, Compilation* c)
{
    return files_identity(&p->files, &c->arena, p->path);
}

static kaiStatus keep(kaiProof* proof, const ProveResult* r)
{
    proof->answer = r->answer == ANSWER_PROVED ? KAI_PROVED : r->answer == ANSWER_REFUTED ? KAI_REFUTED : KAI_UNKNOWN;
    proof->text = copy_text(proof->allocator, r->text);
    proof->experiment = copy_text(proof->allocator, r->experiment);
    return proof->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

// A cycle with terms that formulas cannot say counts only if a run has it.
static kaiStatus confirm(kaiProof* proof, const kaiProgram* program, const ProveResult* r, Compilation* c,
                         const char* name)
{
    if (proof->experiment != NULL)
        replay(proof, program);
    bool open = r->vague && proof->replay == NULL;
    proof->answer = open ? KAI_UNKNOWN : KAI_REFUTED;
    if (open)
    {
        free_text(proof->experiment, proof->allocator);
        proof->experiment = NULL;
    }
    const char* head =
        open ? r->unsaid != NULL
                   ? arena_printf(&c->arena, "a cycle is possible if %s may have any value; no run confirms it",
                                  r->unsaid)
                   : "a cycle is possible, but no run confirms it"
             : arena_printf(&c->arena, "%s can switch for ever at one instant", name);
    char* text = arena_printf(&c->arena, "%s: %s\n%s", open ? "unknown" : "refuted", head, r->text);
    free_text(proof->text, proof->allocator);
    proof->text = copy_text(proof->allocator, text);
    return proof->text != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

static kaiStatus prove_work(kaiProgram* p, Compilation* c, void* user)
{
    Request* request = user;
    Flat* flat = compilation_elaborate(c, request->model);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    const char* trouble;
    const ProofsPart* part = part_load(PART_PROOFS, sizeof *part, &trouble);
    if (part == NULL)
        return compilation_lacks(c, trouble);
    ProveRequest q = {.arena = &c->arena,
                      .flat = flat,
                      .sources = &c->sources,
                      .experiment = find_experiment(c, request->model->experiment),
                      .path = import_path(p, c),
                      .seconds = request->options->timeout};
    if (request->options->figure != NULL)
    {
        q.plot_x = request->options->plot_x;
        q.plot_y = request->options->plot_y;
    }
    ProveResult result = part->prove(&q);
    kaiStatus status = keep(request->proof, &result);
    if (result.has_figure)
        result.no_figure = prove_figure_draw(&result.figure, flat->model_name, request->options->figure, c->allocator);
    request->proof->no_figure = copy_text(c->allocator, result.no_figure);
    return status == KAI_OK && result.answer == ANSWER_REFUTED
               ? confirm(request->proof, p, &result, c, flat->model_name)
               : status;
}

kaiStatus kaiProgram_Prove(kaiProgram* program, const kaiCompileOptions* model, const kaiProveOptions* options,
                           kaiProof** proof)
{
    if (proof == NULL)
        return KAI_ERR_USAGE;
    *proof = NULL;
    if (program == NULL || options == NULL || options->cookie != KAI_COOKIE || !(options->timeout > 0))
        return KAI_ERR_USAGE;
    kaiAllocator a = program->allocator;
    kaiProof* made = a.alloc(a.user, NULL, 0, sizeof *made);
    if (made == NULL)
        return KAI_ERR_MEMORY;
    *made = (kaiProof){.allocator = a, .answer = KAI_UNKNOWN};
    Request request = {model, options, made};
    kaiStatus status = program_ask_about(program, model, prove_work, &request);
    if (status == KAI_OK)
        *proof = made;
    else
        kaiProof_Free(made);
    return status;
}

kaiAnswer kaiProof_Answer(const kaiProof* proof)
{
    return proof != NULL ? proof->answer : KAI_UNKNOWN;
}

const char* kaiProof_Text(const kaiProof* proof)
{
    return proof != NULL ? proof->text : NULL;
}

const char* kaiProof_Experiment(const kaiProof* proof)
{
    return proof != NULL ? proof->experiment : NULL;
}

const char* kaiProof_NoFigure(const kaiProof* proof)
{
    return proof != NULL ? proof->no_figure : NULL;
}

const char* kaiProof_Replay(const kaiProof* proof)
{
    return proof != NULL ? proof->replay : NULL;
}

void kaiProof_Free(kaiProof* proof)
{
    if (proof == NULL)
        return;
    free_text(proof->text, proof->allocator);
    free_text(proof->experiment, proof->allocator);
    free_text(proof->replay, proof->allocator);
    free_text(proof->no_figure, proof->allocator);
    proof->allocator.alloc(proof->allocator.user, proof, sizeof *proof, 0);
}
