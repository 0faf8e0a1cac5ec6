// Code, word by word: the one place that knows how long an instruction is and which of its words are registers.
// Relocation, validation, listings and the search for a NaN walk with it; only the machine itself (src/vm) and whoever
// writes code (src/emit) know the layout besides, and they have their own reasons.
#ifndef KAIROS_MODEL_CODE_H
#define KAIROS_MODEL_CODE_H

#include "base/text.h"
#include "model/model.h"

// A control word, or a run of one operator, as model.h describes them.
typedef struct CodeItem
{
    uint32_t at;         // of its first word
    uint32_t op;         // VmOp
    uint32_t words;      // without the body of FIX and NEWTON, which follows as items of its own
    uint32_t body;       // FIX, NEWTON: words of the body
    uint32_t first_reg;  // registers are the words first_reg … first_reg + reg_count
    uint32_t reg_count;
    uint32_t stride;  // of a run: registers of one instruction, its result first; 0: a control word
} CodeItem;

// The item at `at`, which lies before `end`. False: there is no whole one.
bool code_item(const uint32_t* code, uint32_t at, uint32_t end, CodeItem* item);

void code_print(const uint32_t* code, const CodeItem* item, Text* text);

#endif
