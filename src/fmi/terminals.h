// Ports of bond graphs as terminals of FMI 3.0: terminalsAndIcons.xml.
#ifndef KAIROS_FMI_TERMINALS_H
#define KAIROS_FMI_TERMINALS_H

#include "base/arena.h"
#include "fmi/shape.h"
#include "kairos/program.h"

// The document for one model of a program, in the arena. NULL: it has no ports, or was wrong.
char* terminals_write(Arena* arena, kaiProgram* program, const kaiCompileOptions* which, const Shapes* shapes);

#endif
