// Netlists of SPICE as texts of Kairos: `kairos import`.
//
//     kaiProgramOptions options = kaiDefaultProgramOptions();
//     options.path = "boost.cir";
//     kaiSpice* spice;
//     kaiError error;
//     kaiStatus status = kaiSpice_Import(&options, &spice, &error);
//     for (int i = 0; i < kaiSpice_MessageCount(spice); i++)
//         fputs(kaiSpice_MessageText(spice, i, false), stderr);
//     if (status == KAI_OK)
//         fputs(kaiSpice_Text(spice), stdout);
//     kaiSpice_Free(spice);
//
// What is understood, and what becomes ideal: docs/decisions/0100-netlists-of-spice.md.
// Lifetime. Text and messages live as long as the kaiSpice. Threads. One at a time; nothing is global.
#ifndef KAIROS_SPICE_H
#define KAIROS_SPICE_H

#include "kairos/program.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiSpice kaiSpice;

    // Reads a netlist, from `path` or `text` and with the policy for what it includes, as kaiProgram_Open does with a
    // program. KAI_OK, or KAI_ERR_MODEL: the messages say why, *error has the first; in both cases *spice is set.
    // KAI_ERR_IO: the file itself cannot be read. KAI_ERR_USAGE, KAI_ERR_MEMORY. Then *spice is NULL.
    kaiStatus kaiSpice_Import(const kaiProgramOptions* options, kaiSpice** spice, kaiError* error);
    // The model and its experiment `tran`; NULL after errors.
    const char* kaiSpice_Text(const kaiSpice* spice);
    // Errors, and warnings about what was left out. 0 for NULL.
    int kaiSpice_MessageCount(const kaiSpice* spice);
    // NULL past the last.
    const kaiError* kaiSpice_Message(const kaiSpice* spice, int index);
    // As kaiProgram_MessageText.
    const char* kaiSpice_MessageText(kaiSpice* spice, int index, bool colour);
    void kaiSpice_Free(kaiSpice* spice);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
