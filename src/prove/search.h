// Is there a state from which the reactions of one instant come back to where they were? (Rules R5, B6.)
//
// One group of slots at a time. *Refuted*: a state and a cycle of n reactions. *Proved* in one of two ways:
// - no sequence of n reactions exists from any state, so every instant ends after fewer;
// - a rank: a number computed from the state that no reaction raises and some reaction lowers. Round a cycle it would
//   have to come back to its value, so no cycle contains that reaction; the same again without it, until none is left.
#ifndef KAIROS_PROVE_SEARCH_H
#define KAIROS_PROVE_SEARCH_H

#include "prove/encode.h"

typedef enum Answer
{
    ANSWER_PROVED,
    ANSWER_REFUTED,
    ANSWER_UNKNOWN,
} Answer;

// A value of a slot in a witness.
typedef struct Witness
{
    bool at_start;  // as a run starts, so that an experiment can begin with it
    bool initial;   // in the initial modes
    bool first;     // `choose` takes its first alternative everywhere
    uint32_t stem;  // reactions before the cycle
    uint32_t length;
    double time;
    bool mythical;    // the tags are sets of junction modes that are tried from one state
    double* base;     // that state
    double** values;  // [tag][slot]
    bool** fires;     // [tag][reaction]
    double* payloads;
} Witness;

typedef struct Search
{
    Encoder* e;
    uint32_t group;
    NodeId region;  // 0: none
    double start;   // time at which runs start
    Formulas path;
    VEC(Frame*) frames;
    Answer answer;
    uint32_t longest;  // PROVED: the most reactions of an instant; 0: by rank
    const char* ranks;
    bool quick;          // an answer is enough, no start of a run that shows it
    const char* reason;  // UNKNOWN
    Witness witness;     // REFUTED
} Search;

void search_group(Search* s);

// Without the witness: whether there is a cycle, for models with changed guards.
Answer search_decide(Search* s);

// rank.c: whether ranks of this degree, 1 or 2, exclude every cycle. Fills s->ranks.
bool rank_excludes(Search* s, int degree);

// mythical.c: NO: every a-posteriori run of the junctions ends; YES: not one from s->witness.
Verdict mythical_loop(Search* s);

// witness.c: values of the last model; a sequence that starts as a run does.
void witness_take(Search* s, const Frame* const* frames, uint32_t count, Witness* w);
void witness_simplify(Search* s, Formulas* path, const Frame* first);
bool witness_from_start(Search* s, uint32_t length);
void witness_from_cycle(Search* s, uint32_t length);

#endif
