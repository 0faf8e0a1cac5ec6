// kairos run: one run, all runs of a sweep, or all outcomes of choice = all, to a CSV file.
#include "cli/interrupt.h"
#include "cli/runner.h"

static int run(const RunRequest* request, const kaiModel* model)
{
    if (kaiModel_SweepCount(model) > 0)
        return run_sweep(request, model);
    kaiSimOptions options = request_options(request, model);
    return explores_choices(&options) ? run_branches(request, model) : run_once(request, model);
}

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
        code = run(&request, model);
    kaiModel_Free(model);
    return code;
}
