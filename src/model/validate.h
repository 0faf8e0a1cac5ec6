// Whether a model is whole: nothing in it leads out of its arrays, whoever wrote it.
#ifndef KAIROS_MODEL_VALIDATE_H
#define KAIROS_MODEL_VALIDATE_H

#include "base/text.h"
#include "model/model.h"

// Every index, register, range and string lies inside what it counts in, every code word is legal, jumps lead forward
// to an instruction, and lists that belong together are of one length. A model that passes can be run: it may compute
// nonsense, but reads and writes nothing that is not its own. Time is linear in the model. False: `why` has the
// sentence.
bool model_validate(const kaiModel* model, Text* why);

#endif
