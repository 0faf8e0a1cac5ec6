// The entry of the part `proofs`.
#include "prove/proofs.h"

#include "part_stamp.h"

static const ProofsPart part = {.head = {sizeof part, PART_STAMP}, .prove = prove_model};

const PartHead* kairos_part(void)
{
    return &part.head;
}
