// Diagrams of a model: what is in it and how it hangs together, without running it.
#ifndef KAIROS_DIAGRAM_H
#define KAIROS_DIAGRAM_H

#include "kairos/model.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef enum kaiDiagramKind
    {
        KAI_DIAGRAM_ANY,     // the bond graph if the model has one, else blocks
        KAI_DIAGRAM_BLOCKS,  // instances, integrators, signals, events
        KAI_DIAGRAM_MODES,   // state machines
        KAI_DIAGRAM_BONDS,   // the bond graph
    } kaiDiagramKind;

    // A machine, by the name of its instance or switched junction ("" for the model's own), and one of its modes.
    typedef struct kaiModeChoice
    {
        const char *machine, *mode;
    } kaiModeChoice;

    typedef struct kaiDiagramOptions
    {
        const char* path;  // the ending says what it is: .svg, .png or .pdf
        kaiDiagramKind kind;
        int depth;  // levels of instances (or of nested machines) that are unfolded; -1: the default of the kind
        const kaiModeChoice* modes;  // for the causality of a bond graph; the others are in their initial modes
        int mode_count;
    } kaiDiagramOptions;
    kaiDiagramOptions kaiDefaultDiagramOptions(void);

    // Draws the model of `load` into a file. KAI_ERR_MODEL: `messages` say why. KAI_ERR_USAGE: the file has another
    // ending. KAI_ERR_IO: it cannot be written; *error (static, or of errno) says why.
    kaiStatus kaiDiagram_Draw(const kaiLoadOptions* load, const kaiDiagramOptions* options, kaiMessages** messages,
                              const char** error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
