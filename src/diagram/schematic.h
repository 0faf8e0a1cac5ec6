// A circuit with places: parts that stand between a rail and the ground below it or lie between two rails, and wires
// that run along and across. Units are those of the canvas.
#ifndef KAIROS_DIAGRAM_SCHEMATIC_H
#define KAIROS_DIAGRAM_SCHEMATIC_H

#include "diagram/circuit.h"
#include "plot/canvas.h"

enum
{
    SYMBOL_LENGTH = 64,  // of a part with two terminals, from lead to lead
    SYMBOL_WIDTH = 28,
    BLOCK_WIDTH = 76,  // of a part with more
};

typedef struct SchematicPart
{
    const CircuitPart* part;
    CanvasPoint a, b;  // two terminals: the ends of the symbol. One: where it hangs from and its end
    bool shown;
    bool block;                // a box with terminals at both sides
    CanvasPoint corner, size;  // of a block
} SchematicPart;

typedef struct SchematicWire
{
    CanvasPoint from, to;
    uint32_t net;
} SchematicWire;

typedef struct SchematicDot
{
    CanvasPoint at;
    uint32_t net;
} SchematicDot;

typedef struct SchematicMark
{
    CanvasPoint at;
    SymbolKind kind;  // ground or wall
} SchematicMark;

typedef struct Schematic
{
    Arena* arena;
    const Circuit* circuit;
    const char* title;
    SchematicPart* parts;  // one for each of the circuit
    VEC(SchematicWire) wires;
    VEC(SchematicDot) dots;  // where wires of one net meet
    VEC(SchematicMark) marks;
    VEC(SchematicDot) ends;  // terminals of blocks: the net is the number of the terminal
    double width, height;
} Schematic;

// schematic.c: places everything.
void schematic_place(Schematic* schematic, Arena* arena, const Circuit* circuit, const char* title);
// schematic_draw.c: an error of canvas_open in *error, or a status.
kaiStatus schematic_draw(const Schematic* schematic, const char* path, CanvasFormat format, kaiSink sink,
                         kaiAllocator allocator, const char** error);
// symbols.c: a symbol from a to b; of a block in its frame.
void symbol_draw(Canvas* canvas, SymbolKind kind, CanvasPoint a, CanvasPoint b);
void symbol_draw_block(Canvas* canvas, SymbolKind kind, CanvasPoint corner, CanvasPoint size);
// The lines that a part is labelled with. Returns how many (at most 2).
int schematic_labels(const CircuitPart* part, const char* lines[2]);

#endif
