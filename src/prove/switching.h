// The mythical mode algorithm as formulas (rule B3): which junctions switch before, which after, and what is committed.
#ifndef KAIROS_PROVE_SWITCHING_H
#define KAIROS_PROVE_SWITCHING_H

#include "prove/circuit.h"

bool switching_in_group(Encoder* e, uint32_t group);
bool switching_many(Encoder* e, uint32_t group);  // more than one junction: together and one at a time differ

// The set of modes after the a-priori pass, as the first one that is tried.
Frame* switching_prior(Encoder* e, Frame* base, uint32_t group);
// The next set of the a-posteriori run: all whose guards hold switch, or only the first declared.
// trial->active: something switches.
Frame* switching_posterior(Encoder* e, Frame* trial, uint32_t group, bool together);
// Something switched at this tag, whether it is taken back or not: the instant goes on.
Formula switching_happened(Encoder* e, Frame* base, Frame* first, uint32_t group);
// Fills trial->fires of the a-posteriori transitions.
void switching_guards(Encoder* e, Frame* trial, uint32_t group);
// Some a-posteriori guard holds in the set that is tried.
Formula switching_goes_on(Encoder* e, Frame* trial, uint32_t group);
// Any set whose guards let it rest; machines without a-posteriori guards are where the first pass left them.
Frame* switching_any_rest(Encoder* e, Frame* base, uint32_t group);
// The modes of two frames are the same.
Formula switching_same_modes(Encoder* e, const Frame* a, const Frame* b, uint32_t group);

#endif
