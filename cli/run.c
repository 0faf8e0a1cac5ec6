// kairos run: one run to a CSV file.
#include "cli/cli.h"
#include "cli/runner.h"

#include <string.h>

static bool parse_view(const char* text, kaiView* view)
{
    static const char* const names[] = {"full", "limits", "unique"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
        {
            *view = (kaiView)i;
            return true;
        }
    return false;
}

static int parse_arguments(int argc, char** argv, RunRequest* r)
{
    const char *value, *why;
    for (int i = 0; i < argc; i++)
    {
        if ((value = option_value(argc, argv, &i, "-e")) != NULL ||
            (value = option_value(argc, argv, &i, "--experiment")) != NULL)
            r->load.experiment = value;
        else if ((value = option_value(argc, argv, &i, "--model")) != NULL)
            r->load.model = value;
        else if ((value = option_value(argc, argv, &i, "--set")) != NULL)
        {
            if (r->load.override_count == OVERRIDE_MAX)
                return usage_error("at most %d --set", OVERRIDE_MAX);
            int k = r->load.override_count++;
            if (!parse_override(value, &r->overrides[k], r->override_names[k], sizeof r->override_names[k], &why))
                return usage_error("--set %s: %s", value, why);
        }
        else if ((value = option_value(argc, argv, &i, "--stop")) != NULL)
        {
            if (!parse_number(value, &r->stop))
                return usage_error("--stop %s: it must be a number", value);
            r->has_stop = true;
        }
        else if ((value = option_value(argc, argv, &i, "--solver")) != NULL)
            r->load.solver = value;
        else if ((value = option_value(argc, argv, &i, "-o")) != NULL)
            r->output = value;
        else if ((value = option_value(argc, argv, &i, "--view")) != NULL)
        {
            if (!parse_view(value, &r->view))
                return usage_error("--view is full, limits or unique, not `%s`", value);
        }
        else if (strcmp(argv[i], "--quiet") == 0)
            r->quiet = true;
        else if (argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("run has no option `%s`; see kairos run --help", argv[i]);
        else if (r->load.path != NULL)
            return usage_error("run takes one file; `%s` is a second one", argv[i]);
        else
            r->load.path = argv[i];
    }
    return r->load.path != NULL ? EXIT_DONE : usage_error("run needs a file; see kairos run --help");
}

int command_run(int argc, char** argv)
{
    RunRequest request = {.load = kaiDefaultLoadOptions(), .view = KAI_VIEW_FULL};
    request.load.overrides = request.overrides;
    int code = parse_arguments(argc, argv, &request);
    return code != EXIT_DONE ? code : run_request(&request);
}
