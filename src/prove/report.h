// The answer in words, and the experiment that replays a cycle.
#ifndef KAIROS_PROVE_REPORT_H
#define KAIROS_PROVE_REPORT_H

#include "base/text.h"
#include "prove/prove.h"

// "file:line:column"
const char* report_place(const ProveRequest* request, Span span);
// The text of a span, on one line.
const char* report_source(const ProveRequest* request, Span span);

void report_assumptions(const ProveRequest* request, const Encoder* e, Writer* w);
// Where the sequence starts, and what each reaction of the cycle does.
void report_cycle(const ProveRequest* request, const Search* s, Writer* w);
// NULL: the cycle is not one that a run can start with.
const char* report_experiment(const ProveRequest* request, const Search* s);

#endif
