// What the files of programs share.
#ifndef KAIROS_EMIT_PROGRAM_INSIDE_H
#define KAIROS_EMIT_PROGRAM_INSIDE_H

#include "emit/program.h"

// Items of contexts at and below `at`, each in a switch over the modes that lead to it; no defaults.
void emit_in(Programs* p, const Sink* items, uint32_t count, uint32_t at);
// The values of a task in a phase, one for each mode that has one.
void task_sinks(Programs* p, Phase phase, uint32_t task, Sinks* out);

// loops.c: the tasks `local` of the graph, which hang on each other.
void emit_loop(Programs* p, TaskGraph* n, const uint32_t* local, uint32_t count);

#endif
