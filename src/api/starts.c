// The programs `params` and `start` of the model, on registers of their own.
#include "api/starts.h"

#include "vm/vm.h"

#include <math.h>
#include <string.h>

// Nothing has happened yet that a delay could remember.
static double nothing_delayed(void* ctx, uint32_t delay, double at, uint32_t order)
{
    (void)ctx, (void)delay, (void)at, (void)order;
    return NAN;
}

static void run_start(const kaiModel* model, double* registers)
{
    VmHost host = {.ctx = NULL, .delayed = nothing_delayed};
    if (model->constants_count > 0)
        memcpy(registers + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
    for (uint32_t i = 0; i < model->starts_count; i++)
        registers[model->starts[i].target] = model->numbers[model->starts[i].value];
    for (uint32_t i = 0; i < model->machines_count; i++)
        registers[model->machines[i].reg] = model->machines[i].start;
    registers[model->reg_time] = isnan(model->settings.start) ? 0 : model->settings.start;
    if (vm_run(model, registers, model->params, &host) == 0)
        vm_run(model, registers, model->start, &host);
}

static bool has_start(const ModelVar* var)
{
    return var->kind == MODEL_PARAM || var->kind == MODEL_STATE || var->kind == MODEL_DISCRETE ||
           var->kind == MODEL_INPUT || var->kind == MODEL_MODE;
}

bool starts_compute(kaiModel* model)
{
    kaiAllocator a = model->allocator;
    size_t size = sizeof(double) * (model->reg_count + 1);
    double* registers = a.alloc(a.user, NULL, 0, size);
    model->start_values = a.alloc(a.user, NULL, 0, sizeof(double) * (model->vars_count + 1));
    bool fine = registers != NULL && model->start_values != NULL;
    if (fine)
    {
        memset(registers, 0, size);
        run_start(model, registers);
        for (uint32_t i = 0; i < model->vars_count; i++)
            model->start_values[i] = has_start(&model->vars[i]) ? registers[model->vars[i].reg] : NAN;
    }
    if (registers != NULL)
        a.alloc(a.user, registers, size, 0);
    return fine;
}
