// The part `proofs`: all of this room but overlap.c is in it.
#ifndef KAIROS_PROVE_PROOFS_H
#define KAIROS_PROVE_PROOFS_H

#include "part/part.h"
#include "prove/prove.h"

typedef struct ProofsPart
{
    PartHead head;
    ProveResult (*prove)(const ProveRequest* request);
} ProofsPart;

#endif
