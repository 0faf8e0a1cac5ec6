// kairos export: an experiment as an FMU, or its parts as a system of FMUs.
#include "cli/request.h"

#include <string.h>

typedef struct ExportCall
{
    RunRequest request;
    kaiFmuOptions fmu;
} ExportCall;

static int take(void* user, const Arguments* a, Found found)
{
    ExportCall* c = user;
    int code = EXIT_DONE;
    if (found == FOUND_OPTION && a->option == OPTION_FMI)
    {
        if (strcmp(a->value, "2") != 0 && strcmp(a->value, "3") != 0)
            return usage_error("--fmi %s: the versions are 2 and 3", a->value);
        c->fmu.version = a->value[0] - '0';
    }
    else if (found == FOUND_OPTION && a->option == OPTION_HIDE)
        c->fmu.hide = true;
    else if (found == FOUND_OPTION && a->option == OPTION_SOURCES)
        c->fmu.sources = true;
    else if (found == FOUND_OPTION && a->option == OPTION_WHOLE_INSTANTS)
        c->fmu.whole_instants = true;
    else
        request_take(&c->request, a, found, &code);
    return code;
}

static int write_fmu(ExportCall* c)
{
    kaiModel* model = NULL;
    kaiError error;
    int code = request_load(&c->request, &model);
    if (code == EXIT_DONE)
        code = spare_inputs(c->request.program, c->request.output);
    kaiModel_Free(model);
    if (code != EXIT_DONE)
        return code;
    c->fmu.path = c->request.output;
    bool system = is_ssp(c->fmu.path);
    kaiStatus status = (system ? kaiSsp_Export : kaiFmu_Export)(&c->request.source, &c->request.load, &c->fmu, &error);
    if (status == KAI_OK && error.message != NULL)
        fprintf(stderr, "kairos: warning: %s\n", error.message);
    if (status == KAI_OK)
        return EXIT_DONE;
    const char* trouble = status != KAI_ERR_USAGE ? ""
                          : system                ? "this model cannot be a system: "
                                                  : "this model cannot be an FMU: ";
    fprintf(stderr, "kairos: %s%s\n", trouble, error.message);
    return status == KAI_ERR_USAGE ? EXIT_MODEL : exit_code(status);
}

static bool has_other_ending(const char* path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    return dot != NULL && !is_fmu(path) && !is_ssp(path);
}

int command_export(int argc, char** argv)
{
    static ExportCall call;
    request_begin(&call.request);
    call.fmu = kaiDefaultFmuOptions();
    int code = arguments_each(FOR_EXPORT, argc, argv, take, &call);
    if (code == EXIT_DONE)
        code = request_ready(&call.request, FOR_EXPORT);
    if (code == EXIT_DONE && call.request.output == NULL)
        code = usage_error("export needs -o model.fmu or system.ssp");
    else if (code == EXIT_DONE && has_other_ending(call.request.output))
        code = usage_error("-o %s: an FMU ends in .fmu, a system of FMUs in .ssp", call.request.output);
    if (code == EXIT_DONE)
        code = write_fmu(&call);
    request_close(&call.request);
    return code;
}
