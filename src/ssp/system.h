// A system of connected FMUs, as SSP 1.0 (System Structure and Parameterization) describes one: components with their
// connectors, parameter values, connections. Taken from a model whose parts are instances, or read from a description.
#ifndef KAIROS_SSP_SYSTEM_H
#define KAIROS_SSP_SYSTEM_H

#include "base/arena.h"
#include "kairos/kairos.h"

#include <stdbool.h>

typedef enum SspType
{
    SSP_REAL,
    SSP_INTEGER,
    SSP_BOOLEAN,
    SSP_TYPES
} SspType;

typedef struct SspConnector
{
    const char *name, *unit;  // unit NULL: none
    SspType type;
    bool output;
} SspConnector;

typedef struct SspValue
{
    const char* name;
    SspType type;
    double value;  // in SI units
} SspValue;

typedef struct SspComponent
{
    const char *name, *model;
    uint32_t fmu;  // of the system
    VEC(SspConnector) connectors;
    VEC(SspValue) values;
} SspComponent;

typedef struct SspFmu
{
    const char *model, *file;    // file: in the archive
    VEC(kaiOverride) overrides;  // parameters that decide its structure
    VEC(const char*) outputs;    // what others read of it
    const char* key;             // of the structure: components with the same one share it
} SspFmu;

// An element that is NULL is the system itself.
typedef struct SspConnection
{
    const char *from, *from_connector, *to, *to_connector;
} SspConnection;

typedef struct SspSystem
{
    const char* name;
    VEC(SspComponent) components;
    VEC(SspFmu) fmus;
    VEC(SspConnection) connections;
    VEC(SspConnector) connectors;
    double start, stop;  // stop inf: not said
} SspSystem;

// take.c: components and connections of a model. KAI_ERR_USAGE: it is more than instances and connections, *error says
// what. The types of the system's connectors, values and the connectors of components are still open.
typedef struct Flat Flat;
kaiStatus system_take(SspSystem* system, Arena* arena, const Flat* flat, kaiError* error);

// write.c: SystemStructure.ssd.
char* system_write(const SspSystem* system, Arena* arena);

#endif
