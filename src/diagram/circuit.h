// A model of parts that are joined at ports, as a list of parts and nets: what a schematic is drawn from. It knows no
// places.
#ifndef KAIROS_DIAGRAM_CIRCUIT_H
#define KAIROS_DIAGRAM_CIRCUIT_H

#include "diagram/label.h"

typedef enum SymbolKind
{
    SYMBOL_BOX,  // anything else: a box with the name of its model
    SYMBOL_RESISTOR,
    SYMBOL_CAPACITOR,
    SYMBOL_INDUCTOR,
    SYMBOL_DIODE,
    SYMBOL_THYRISTOR,
    SYMBOL_SWITCH,
    SYMBOL_TRANSISTOR,
    SYMBOL_VOLTAGE,
    SYMBOL_CURRENT,
    SYMBOL_METER,
    SYMBOL_GROUND,
    SYMBOL_OPEN,
    SYMBOL_TRANSFORMER,
    SYMBOL_AMPLIFIER,
    SYMBOL_MOTOR,
    SYMBOL_SPRING,
    SYMBOL_DAMPER,
    SYMBOL_MASS,
    SYMBOL_WALL,
} SymbolKind;

typedef struct CircuitTerminal
{
    const char* port;
    uint32_t part, net;
} CircuitTerminal;

typedef struct CircuitPart
{
    uint32_t instance;
    SymbolKind symbol;
    const char *name, *model;
    const char* value;      // "20 Ω", or NULL
    uint32_t first, count;  // terminals, in the order of their ports
} CircuitPart;

typedef struct CircuitNet
{
    uint32_t degree;  // terminals
    uint32_t anchor;  // a part that holds it at rest (ground, wall) + 1; 0: none
} CircuitNet;

typedef struct Circuit
{
    VEC(CircuitPart) parts;
    VEC(CircuitTerminal) terminals;  // those of a part one after the other
    VEC(CircuitNet) nets;
} Circuit;

// The parts down to `depth` levels of instances; -1: all levels, or one if that would be more parts than a sheet holds.
// False: the model is not made of parts that are joined at ports.
bool circuit_of_model(Circuit* circuit, const Labels* labels, int depth);

#endif
