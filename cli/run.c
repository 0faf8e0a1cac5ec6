// kairos run: one run, all runs of a sweep, or all outcomes of choice = all, to a CSV file.
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
    return request_run(FOR_RUN, argc, argv, run);
}
