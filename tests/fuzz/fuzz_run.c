// Text → a short run of its first experiment, or of its last model: any status, but a sentence for each; a snapshot
// taken on the way is restored and goes on.
#include "fuzz/fuzz.h"

static void snap(const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = (kaiLimits){.seconds = 0.2, .memory = FUZZ_MEMORY, .tags = 200};
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    bool runs = sim != NULL;
    for (int i = 0; runs && i < 3; i++)
        runs = kaiSim_Step(sim) == KAI_INSTANT;
    kaiSnapshot* snapshot = runs ? kaiSim_Save(sim) : NULL;
    kaiSim* other = snapshot != NULL ? kaiSim_Create(model, &options, NULL) : NULL;
    if (other != NULL && kaiSim_Restore(other, snapshot) == KAI_OK)
        for (int i = 0; i < 3; i++)
        {
            kaiStatus a = kaiSim_Step(sim), b = kaiSim_Step(other);
            double x = kaiSim_Now(sim).t, y = kaiSim_Now(other).t;
            bool limited = a == KAI_ERR_LIMIT || b == KAI_ERR_LIMIT || a == KAI_ERR_MEMORY || b == KAI_ERR_MEMORY;
            fuzz_demand(limited || (a == b && memcmp(&x, &y, sizeof x) == 0));
            if (limited || a != KAI_INSTANT)
                break;
        }
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(other);
    kaiSim_Free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size > FUZZ_TEXT)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiExperiment first;
    kaiModel* model = NULL;
    if (program != NULL && kaiProgram_Experiment(program, 0, &first))
        options.experiment = first.name;
    if (program != NULL)
        fuzz_read_messages(program, kaiProgram_Compile(program, &options, &model));
    if (model != NULL)
    {
        fuzz_run_model(model);
        if (strcmp(kaiModel_SimOptions(model).choice, "all") != 0)
            snap(model);
    }
    kaiModel_Free(model);
    kaiProgram_Free(program);
    free(text);
    return 0;
}
