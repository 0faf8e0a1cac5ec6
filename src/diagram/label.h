// Expressions, definitions and actions as people read them beside a box.
#ifndef KAIROS_DIAGRAM_LABEL_H
#define KAIROS_DIAGRAM_LABEL_H

#include "elab/flat.h"
#include "lang/diagnostics.h"

typedef struct Labels
{
    Arena* arena;
    const Flat* flat;
    const Sources* sources;
} Labels;

// The expression, with names relative to the instance and without the hidden variables of the compiler.
const char* label_expression(const Labels* labels, NodeId node, uint32_t instance);
// What makes a reaction or transition happen: `hit if v < 0`.
const char* label_trigger(const Labels* labels, NodeId trigger, NodeId guard, uint32_t instance);
// The guard of a switched junction as the author wrote it: `area(d.e) > 0 or post(d.e) > 0`. NULL: it cannot be found.
const char* label_junction_guard(const Labels* labels, const FlatTransition* transition);
// `y' = v`, `F = -k*x`.
const char* label_definition(const Labels* labels, const FlatDef* def, uint32_t instance);
// The same in the box of its variable: `y' = v`, `= -k*x`, behind the name of the mode if it holds in one, `falling: y'
// = v`.
const char* label_rule(const Labels* labels, const FlatDef* def, uint32_t instance);
const char* label_action(const Labels* labels, const FlatAction* action, uint32_t instance);
// A variable or instance, relative to the instance.
const char* label_name(const Labels* labels, const char* path, uint32_t instance);
// Per instance: it is an element or junction of a bond graph, which stands for no model of its own.
const bool* label_elements(const Labels* labels);

#endif
