// The value with which a run begins of one variable: the programs `params` and `start` of the model, on registers of
// their own.
#include "kairos/model.h"
#include "model/model.h"
#include "vm/vm.h"

#include <math.h>
#include <string.h>

// Nothing has happened yet that a delay could remember.
static double nothing_delayed(void* ctx, uint32_t delay, double time, bool slope)
{
    (void)ctx, (void)delay, (void)time, (void)slope;
    return NAN;
}

static bool run_start(const kaiModel* model, double* registers)
{
    VmHost host = {.ctx = NULL, .delayed = nothing_delayed};
    if (model->constants_count > 0)
        memcpy(registers + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
    for (uint32_t i = 0; i < model->starts_count; i++)
        registers[model->starts[i].target] = model->numbers[model->starts[i].value];
    for (uint32_t i = 0; i < model->machines_count; i++)
        registers[model->machines[i].reg] = model->machines[i].start;
    registers[model->reg_time] = isnan(model->settings.start) ? 0 : model->settings.start;
    return vm_run(model, registers, model->params, &host) == 0 && vm_run(model, registers, model->start, &host) == 0;
}

bool kaiModel_Start(const kaiModel* model, int variable, double* value)
{
    kaiAllocator a = model->allocator;
    size_t size = sizeof(double) * (model->reg_count + 1);
    double* registers = a.alloc(a.user, NULL, 0, size);
    if (registers == NULL)
        return false;
    memset(registers, 0, size);
    bool known = run_start(model, registers);
    *value = registers[model->vars[variable].reg];
    a.alloc(a.user, registers, size, 0);
    return known && !isnan(*value);
}
