// kairos run: one run, or all runs of a sweep, to a CSV file.
#include "cli/interrupt.h"
#include "cli/runner.h"

int command_run(int argc, char** argv)
{
    RunRequest request = {.load = kaiDefaultLoadOptions(), .view = KAI_VIEW_FULL};
    int code = request_parse(&request, "run", true, argc, argv);
    if (code != EXIT_DONE)
        return code;
    interrupt_catch();
    kaiModel* model = NULL;
    code = request_load(&request, &model);
    if (code == EXIT_DONE)
        code = kaiModel_SweepCount(model) > 0 ? run_sweep(&request, model) : run_once(&request, model);
    kaiModel_Free(model);
    return code;
}
