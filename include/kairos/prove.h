// Does time diverge? Whether a model has a state from which its reactions at one instant never come to rest.
//
//     kaiProveOptions options = kaiDefaultProveOptions();
//     kaiProof* proof;
//     if (kaiProgram_Prove(program, &which, &options, &proof) == KAI_OK)
//         fputs(kaiProof_Text(proof), stdout);
//     kaiProof_Free(proof);
//
// What "proved" means and assumes: docs/decisions/0028-what-proved-means.md.
// Lifetime. A proof outlives its program; its texts live as long as it does.
// Threads. As every question to a program: one at a time. A proof never changes.
#ifndef KAIROS_PROVE_H
#define KAIROS_PROVE_H

#include "kairos/program.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef enum kaiAnswer
    {
        KAI_PROVED,   // from no state (of the experiment's region) the reactions come back to where they were
        KAI_REFUTED,  // there is such a state: the witness
        KAI_UNKNOWN,  // not decided in the time that was given, or with terms that are not polynomials
    } kaiAnswer;

    typedef struct kaiProveOptions
    {
        uint32_t cookie;  // set by kaiDefaultProveOptions; not for you
        double timeout;   // of the search, in seconds of wall time
        // A figure of the phase space of two states, one panel per set of junction modes: departed states grey.
        const char *plot_x, *plot_y, *figure;  // figure: .svg, .png or .pdf; NULL: none
    } kaiProveOptions;
    kaiProveOptions kaiDefaultProveOptions(void);

    typedef struct kaiProof kaiProof;
    // The answer for one experiment (or model). KAI_OK and a proof, or as kaiProgram_Compile. A witness is replayed
    // before it is reported as such.
    kaiStatus kaiProgram_Prove(kaiProgram* program, const kaiCompileOptions* model, const kaiProveOptions* options,
                               kaiProof** proof);
    // KAI_UNKNOWN for NULL.
    kaiAnswer kaiProof_Answer(const kaiProof* proof);
    // The answer in words: assumptions, or the witness with its cycle and a cure, or what is open.
    const char* kaiProof_Text(const kaiProof* proof);
    // A file with an experiment that replays the witness; NULL: there is none.
    const char* kaiProof_Experiment(const kaiProof* proof);
    // What the replay of the witness ended with; NULL: there was none, or it rests.
    const char* kaiProof_Replay(const kaiProof* proof);
    // Why there is no figure; NULL: there is, or none was wanted.
    const char* kaiProof_NoFigure(const kaiProof* proof);
    void kaiProof_Free(kaiProof* proof);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
