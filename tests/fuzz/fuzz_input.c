// Bytes → a file of `--input`: values and events for the inputs of a model, or a sentence; then it runs.
#include "fuzz/fuzz.h"
#include "kairos/drive.h"

#include <sys/mman.h>
#include <unistd.h>

static kaiModel* model;

static void prepare(void)
{
    static const char text[] = "model M { input u [V] = 0; input event e; input n = 1; state x = 0; x' = u + n\n"
                               "  discrete k = 0; when e { k := k + 1 } }\n"
                               "experiment run of M { stop = 2 }\n";
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = "run";
    fuzz_demand(kaiProgram_Compile(program, &options, &model) == KAI_OK);
    kaiProgram_Free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    char path[60];
    kaiError error = {0};
    if (model == NULL)
        prepare();
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = (kaiLimits){.seconds = 0.3, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    kaiSim* sim = kaiSim_Create(model, &options, &error);
    kaiStatus status = sim != NULL ? kaiInputs_Post(path, model, sim, &error) : error.status;  // its time may be up
    fuzz_demand(status == KAI_OK || error.message != NULL);
    if (status == KAI_OK)
    {
        status = kaiSim_Run(sim);
        fuzz_demand(status == KAI_END || (status < 0 && kaiSim_Failure(sim)->message != NULL));
    }
    kaiSim_Free(sim);
    close(file);
    return 0;
}
