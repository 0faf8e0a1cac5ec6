// What the exports of FMUs and of systems are asked with.
#ifndef KAIROS_FMI_EXPORT_H
#define KAIROS_FMI_EXPORT_H

#include "kairos/fmi.h"

// All options were made by their functions. Otherwise *error says which was not.
bool export_has_options(const kaiProgramOptions* source, const kaiCompileOptions* which, const kaiFmuOptions* options,
                        kaiError* error);
// There is a model to read and a place for the archive.
bool export_has_places(const kaiProgramOptions* source, const kaiFmuOptions* options);

#endif
