// A block as the text of a model: what a block means is said in the language, with functions that ask its instance.
#ifndef KAIROS_BLOCK_TEXT_H
#define KAIROS_BLOCK_TEXT_H

#include "base/arena.h"
#include "kairos/block.h"

// What the functions of such a text ask, and their arguments. P: all parameters, X: all states, U: all inputs, but
// between instants (rates, outputs, indicators) without events and their payloads.
typedef enum BlockQuestion
{
    BLOCK_START,      // time P U: index 0 the number of its first discrete state; 1 … its states
    BLOCK_RATE,       // number time X U
    BLOCK_OUTPUT,     // number time, and what it reads of X U; a discrete one: number
    BLOCK_INDICATOR,  // number time X U
    BLOCK_DUE,        // reacting touched number U pre(U): whether it is to commit at this tag
    BLOCK_COMMIT,     // due number time X U: BLOCK_AFTER_…, BLOCK_AFTER_STATES …
    BLOCK_TAG,        // reacting touched number time X, and the inputs it reads, now and before: an output at this tag
    BLOCK_SLOPE,      // number time X U, and how each of them moves: how a rate does
    BLOCK_QUESTIONS
} BlockQuestion;

enum
{
    BLOCK_AFTER_NUMBER,  // of its discrete state
    BLOCK_AFTER_NEXT,
    BLOCK_AFTER_END,
    BLOCK_AFTER_STATES,
};

// Of each input and output the number of the event that it is, or is the payload or count of; UINT32_MAX: of none.
void block_carriers(const kaiBlock* block, uint32_t* inputs, uint32_t* outputs);
// The inputs that a question BLOCK_TAG about an output names, and how many. `list` NULL: only that.
uint32_t block_tag_inputs(const kaiBlock* block, const kaiBlockVariable* output, uint32_t* list);

// The text of `model NAME` for a block, with names that begin with $ for what is not shown. In the arena.
const char* block_text(Arena* arena, const char* name, const kaiBlock* block);
// The names of its variables as the text has them: identifiers, all different, in the order parameters, inputs,
// outputs, states.
const char** block_names(Arena* arena, const kaiBlock* block);
// One of them: letters, digits and _ stay, whatever lies between them becomes one _; a word of the language gets a _.
const char* block_identifier(Arena* arena, const char* name);
// The symbol that asks for the derivative of what `symbol` asks, if the block tells it; NULL: it does not.
const char* block_slope(Arena* arena, const kaiBlock* block, const char* symbol);
// "block:2:7" → question 2, index 7.
bool block_question(const char* symbol, uint32_t* question, uint32_t* index);

#endif
