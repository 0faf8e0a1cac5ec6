// The cheap form of a proof, for `kairos check`: two transitions between the same two modes whose guards both hold at
// equality.
#ifndef KAIROS_PROVE_OVERLAP_H
#define KAIROS_PROVE_OVERLAP_H

#include "elab/flat.h"
#include "lang/diagnostics.h"

// A warning K140 with both lines for each such pair.
void overlap_check(const Flat* flat, Diags* diags);

#endif
