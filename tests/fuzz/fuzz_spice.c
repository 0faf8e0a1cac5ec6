// Bytes → a netlist of SPICE: a model text that can be opened, or sentences.
#include "fuzz/fuzz.h"
#include "kairos/spice.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size > FUZZ_TEXT)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiProgramOptions options = fuzz_options(text);
    kaiSpice* spice = NULL;
    kaiError error = {0};
    options.path = "fuzz.cir";
    kaiStatus status = kaiSpice_Import(&options, &spice, &error);
    fuzz_demand(status == KAI_OK || spice != NULL || error.message != NULL);
    for (int i = 0; i < kaiSpice_MessageCount(spice); i++)
    {
        fuzz_demand(kaiSpice_Message(spice, i)->message[0] != 0);
        fuzz_demand(kaiSpice_MessageText(spice, i, i % 2 == 0)[0] != 0);
    }
    fuzz_demand(status != KAI_ERR_MODEL || kaiSpice_MessageCount(spice) > 0);
    if (status == KAI_OK)
    {
        const char* made = kaiSpice_Text(spice);
        fuzz_demand(made != NULL);
        kaiProgram* program = fuzz_open(made);
        fuzz_demand(program != NULL);
        kaiProgram_Free(program);
    }
    kaiSpice_Free(spice);
    free(text);
    return 0;
}
