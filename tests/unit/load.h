// From a text to a model in one call, for tests: the program is handed out with its messages, to be freed by the
// caller.
#ifndef KAIROS_UNIT_LOAD_H
#define KAIROS_UNIT_LOAD_H

#include "kairos/kairos.h"

typedef struct LoadOptions
{
    const char *path, *text, *experiment, *model, *solver, *library;
    const kaiOverride* overrides;
    int override_count;
    const kaiGiven *values, *settings;
    int value_count, setting_count;
    kaiAllocator allocator;
} LoadOptions;

static inline LoadOptions load_default(void)
{
    return (LoadOptions){.allocator = kaiDefaultAllocator()};
}

static inline kaiStatus load_program(const LoadOptions* load, kaiProgram** program)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = load->path;
    options.text = load->text;
    options.library = load->library;
    options.allocator = load->allocator;
    return kaiProgram_Open(&options, program, NULL);
}

static inline kaiCompileOptions load_compile(const LoadOptions* load)
{
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = load->experiment;
    options.model = load->model;
    options.overrides = load->overrides;
    options.override_count = load->override_count;
    options.values = load->values;
    options.value_count = load->value_count;
    options.settings = load->settings;
    options.setting_count = load->setting_count;
    options.solver = load->solver;
    return options;
}

static inline kaiStatus load_model(const LoadOptions* load, kaiModel** model, kaiProgram** program)
{
    kaiCompileOptions options = load_compile(load);
    *model = NULL;
    kaiStatus status = load_program(load, program);
    return status == KAI_OK || status == KAI_ERR_MODEL ? kaiProgram_Compile(*program, &options, model) : status;
}

static inline kaiStatus load_check(const LoadOptions* load, kaiProgram** program)
{
    kaiStatus status = load_program(load, program);
    return status == KAI_OK || status == KAI_ERR_MODEL ? kaiProgram_Check(*program) : status;
}

#endif
