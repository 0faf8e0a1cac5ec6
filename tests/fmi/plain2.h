// What FMUs written by hand against FMI 2.0 answer alike, whatever is in them: included once into each, which is one
// file and one shared library.
#include "../../src/fmu/fmi2.h"

const char* fmi2GetTypesPlatform(void)
{
    return "default";
}

const char* fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String list[])
{
    (void)c, (void)on, (void)n, (void)list;
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi2OK;
}
