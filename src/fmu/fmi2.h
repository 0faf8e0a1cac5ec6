// The interface of FMI 2.0 (fmi-standard.org), written from the standard: types, and the 44 functions of a binary.
#ifndef KAIROS_FMU_FMI2_H
#define KAIROS_FMU_FMI2_H

#include <stddef.h>

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

typedef enum
{
    fmi2OK,
    fmi2Warning,
    fmi2Discard,
    fmi2Error,
    fmi2Fatal,
    fmi2Pending
} fmi2Status;

typedef enum
{
    fmi2ModelExchange,
    fmi2CoSimulation
} fmi2Type;

typedef enum
{
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                                   fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void*);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);

typedef struct
{
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocateMemory;
    fmi2CallbackFreeMemory freeMemory;
    fmi2StepFinished stepFinished;
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct
{
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

// X(result, name, arguments)
#define FMI2_FUNCTIONS(X)                                                                                              \
    X(const char*, GetTypesPlatform, (void))                                                                           \
    X(const char*, GetVersion, (void))                                                                                 \
    X(fmi2Status, SetDebugLogging, (fmi2Component, fmi2Boolean, size_t, const fmi2String[]))                           \
    X(fmi2Component, Instantiate,                                                                                      \
      (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions*, fmi2Boolean, fmi2Boolean))          \
    X(void, FreeInstance, (fmi2Component))                                                                             \
    X(fmi2Status, SetupExperiment, (fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real))            \
    X(fmi2Status, EnterInitializationMode, (fmi2Component))                                                            \
    X(fmi2Status, ExitInitializationMode, (fmi2Component))                                                             \
    X(fmi2Status, Terminate, (fmi2Component))                                                                          \
    X(fmi2Status, Reset, (fmi2Component))                                                                              \
    X(fmi2Status, GetReal, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]))                            \
    X(fmi2Status, GetInteger, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]))                      \
    X(fmi2Status, GetBoolean, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]))                      \
    X(fmi2Status, GetString, (fmi2Component, const fmi2ValueReference[], size_t, fmi2String[]))                        \
    X(fmi2Status, SetReal, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]))                      \
    X(fmi2Status, SetInteger, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[]))                \
    X(fmi2Status, SetBoolean, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]))                \
    X(fmi2Status, SetString, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[]))                  \
    X(fmi2Status, GetFMUstate, (fmi2Component, fmi2FMUstate*))                                                         \
    X(fmi2Status, SetFMUstate, (fmi2Component, fmi2FMUstate))                                                          \
    X(fmi2Status, FreeFMUstate, (fmi2Component, fmi2FMUstate*))                                                        \
    X(fmi2Status, SerializedFMUstateSize, (fmi2Component, fmi2FMUstate, size_t*))                                      \
    X(fmi2Status, SerializeFMUstate, (fmi2Component, fmi2FMUstate, fmi2Byte[], size_t))                                \
    X(fmi2Status, DeSerializeFMUstate, (fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate*))                       \
    X(fmi2Status, GetDirectionalDerivative,                                                                            \
      (fmi2Component, const fmi2ValueReference[], size_t, const fmi2ValueReference[], size_t, const fmi2Real[],        \
       fmi2Real[]))                                                                                                    \
    X(fmi2Status, EnterEventMode, (fmi2Component))                                                                     \
    X(fmi2Status, NewDiscreteStates, (fmi2Component, fmi2EventInfo*))                                                  \
    X(fmi2Status, EnterContinuousTimeMode, (fmi2Component))                                                            \
    X(fmi2Status, CompletedIntegratorStep, (fmi2Component, fmi2Boolean, fmi2Boolean*, fmi2Boolean*))                   \
    X(fmi2Status, SetTime, (fmi2Component, fmi2Real))                                                                  \
    X(fmi2Status, SetContinuousStates, (fmi2Component, const fmi2Real[], size_t))                                      \
    X(fmi2Status, GetDerivatives, (fmi2Component, fmi2Real[], size_t))                                                 \
    X(fmi2Status, GetEventIndicators, (fmi2Component, fmi2Real[], size_t))                                             \
    X(fmi2Status, GetContinuousStates, (fmi2Component, fmi2Real[], size_t))                                            \
    X(fmi2Status, GetNominalsOfContinuousStates, (fmi2Component, fmi2Real[], size_t))                                  \
    X(fmi2Status, SetRealInputDerivatives,                                                                             \
      (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[], const fmi2Real[]))                      \
    X(fmi2Status, GetRealOutputDerivatives,                                                                            \
      (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[], fmi2Real[]))                            \
    X(fmi2Status, DoStep, (fmi2Component, fmi2Real, fmi2Real, fmi2Boolean))                                            \
    X(fmi2Status, CancelStep, (fmi2Component))                                                                         \
    X(fmi2Status, GetStatus, (fmi2Component, const fmi2StatusKind, fmi2Status*))                                       \
    X(fmi2Status, GetRealStatus, (fmi2Component, const fmi2StatusKind, fmi2Real*))                                     \
    X(fmi2Status, GetIntegerStatus, (fmi2Component, const fmi2StatusKind, fmi2Integer*))                               \
    X(fmi2Status, GetBooleanStatus, (fmi2Component, const fmi2StatusKind, fmi2Boolean*))                               \
    X(fmi2Status, GetStringStatus, (fmi2Component, const fmi2StatusKind, fmi2String*))

#define FMI2_DECLARE(result, name, arguments)                                                                          \
    __attribute__((visibility("default"))) result fmi2##name arguments;                                                \
    typedef result fmi2##name##TYPE arguments;
FMI2_FUNCTIONS(FMI2_DECLARE)
#undef FMI2_DECLARE

#endif
