// What the files of FMI 3.0 share.
#ifndef KAIROS_FMU_FMI3_INSIDE_H
#define KAIROS_FMU_FMI3_INSIDE_H

#include "fmu/fmi3.h"
#include "fmu/unit.h"

typedef struct Instance
{
    Unit* unit;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    bool logging;       // from the start
    bool event_mode;    // Co-Simulation: events are for the importer to see
    bool early_return;  // and steps may end there
} Instance;

static inline bool fmi3_may(const Instance* instance, unsigned modes, const char* function)
{
    return instance != NULL && unit_may(instance->unit, modes, function);
}

static inline fmi3Status fmi3_status(bool ok)
{
    return ok ? fmi3OK : fmi3Error;
}

#endif
