// kairos sensitivity: a run with its derivatives, to CSV.
#include "cli/inquiry.h"

#include "cli/interrupt.h"

#include <string.h>

typedef struct Target
{
    kaiCsv* csv;
} Target;

static kaiStatus write_row(void* user, const kaiRow* row)
{
    Target* target = user;
    return kaiCsv_Row(target->csv, row);
}

static int finish(const Inquiry* q, Target* target, kaiSensitivity* s, kaiStatus status, const kaiError* error)
{
    char remark[120];
    const char* path = q->run->output != NULL ? q->run->output : "-";
    snprintf(remark, sizeof remark, "stopped at t = %.17g", kaiSim_Now(kaiSensitivity_Sim(s)).t);
    if (kaiCsv_Close(target->csv, status == KAI_END ? NULL : remark) < 0)
    {
        fprintf(stderr, "kairos: %s cannot be written\n", path);
        return EXIT_FILE;
    }
    if (interrupt_came())
        return fputs("kairos: interrupted\n", stderr), EXIT_RUN;
    return status < 0 ? inquiry_failed(q, error) : EXIT_DONE;
}

static int sensitivity(const Inquiry* q)
{
    static int variables[INQUIRY_NAMES];
    Target target = {0};
    kaiError error;
    int count;
    if (q->by == NULL)
        return usage_error("sensitivity needs --by a,b: with respect to which parameters or start values?");
    kaiSensitivityOptions options = kaiDefaultSensitivityOptions();
    int code = inquiry_variables(q, "--by", q->by, variables, &options.variable_count);
    if (code != EXIT_DONE)
        return code;
    options.variables = variables;
    options.row = write_row;
    options.user = &target;
    kaiSimOptions sim = request_options(q->run, q->model);
    kaiSensitivity* s = kaiSensitivity_Create(q->model, &sim, &options, &error);
    if (s == NULL)
        return inquiry_failed(q, &error);
    const kaiColumn* columns = kaiSensitivity_Columns(s, &count);
    kaiCsvOptions csv = kaiDefaultCsvOptions();
    csv.path = q->run->output != NULL ? q->run->output : "-";
    csv.view = q->run->view;
    target.csv = kaiCsv_Open(&csv, columns, count, &error);
    code = target.csv == NULL ? inquiry_failed(q, &error) : EXIT_DONE;
    if (code == EXIT_DONE)
    {
        kaiStatus status = kaiSensitivity_Run(s, &error);
        code = finish(q, &target, s, status, &error);
    }
    kaiSensitivity_Free(s);
    return code;
}

int command_sensitivity(int argc, char** argv)
{
    return inquiry_run(FOR_SENSITIVITY, argc, argv, sensitivity);
}
