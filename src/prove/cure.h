// The smallest change of guards after which there is no cycle.
#ifndef KAIROS_PROVE_CURE_H
#define KAIROS_PROVE_CURE_H

#include "prove/report.h"

// A sentence that says what to write where; NULL: none of the changes that are tried helps.
const char* cure_find(const ProveRequest* request, const Search* refuted);

#endif
