// Diagrams of a model: what is in it and how it hangs together, without running it.
//
//     kaiDiagramOptions options = kaiDefaultDiagramOptions();
//     options.path = "ball.svg";
//     options.kind = KAI_DIAGRAM_MODES;
//     kaiCompileOptions which = kaiDefaultCompileOptions();
//     if (kaiProgram_Diagram(program, &which, &options, &error) != KAI_OK)
//         fprintf(stderr, "%s\n", error.message);
//
// Lifetime. Nothing of the options is kept.  Threads. As every question to a program: one at a time.
#ifndef KAIROS_DIAGRAM_H
#define KAIROS_DIAGRAM_H

#include "kairos/program.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef enum kaiDiagramKind
    {
        KAI_DIAGRAM_ANY,        // the schematic of a model of parts, or its bond graph, or its blocks
        KAI_DIAGRAM_BLOCKS,     // instances, integrators, signals, events
        KAI_DIAGRAM_MODES,      // state machines
        KAI_DIAGRAM_BONDS,      // the bond graph
        KAI_DIAGRAM_SCHEMATIC,  // parts that are joined at ports: symbols and wires
    } kaiDiagramKind;

    // A machine, by the name of its instance or switched junction ("" for the model's own), and one of its modes.
    typedef struct kaiModeChoice
    {
        const char *machine, *mode;
    } kaiModeChoice;

    typedef struct kaiDiagramOptions
    {
        uint32_t cookie;   // set by kaiDefaultDiagramOptions; not for you
        const char* path;  // the ending says what it is: .svg, .png or .pdf
        kaiDiagramKind kind;
        int depth;  // levels of instances (or of nested machines) that are unfolded; -1: the default of the kind
        const kaiModeChoice* modes;  // for the causality of a bond graph; the others are in their initial modes
        int mode_count;
        kaiSink sink;  // gets the picture instead of a file; the path still says what kind it is
    } kaiDiagramOptions;
    kaiDiagramOptions kaiDefaultDiagramOptions(void);

    // Draws the model into a file. KAI_ERR_MODEL: the program's messages say why. KAI_ERR_USAGE: the file has another
    // ending. KAI_ERR_IO: it cannot be written. *error has the (first) reason.
    kaiStatus kaiProgram_Diagram(kaiProgram* program, const kaiCompileOptions* model, const kaiDiagramOptions* options,
                                 kaiError* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
