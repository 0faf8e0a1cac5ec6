// Passages: how an instant went from one set of modes of a bond graph to another, kept to be followed (passage.c).
#ifndef KAIROS_KERNEL_PASSAGE_H
#define KAIROS_KERNEL_PASSAGE_H

#include "bond/sign_row.h"
#include "kernel/kernel.h"

enum
{
    PASSAGE_SETS = 32,  // of modes that have any; what has more of them is rarely in the same one again
    PASSAGE_WAYS = 8,   // from one set
    PASSAGE_TESTS = 24  // of one way
};

typedef struct PassageTerm
{
    const double* x;  // a register
    double weight;
} PassageTerm;

// A sign that was asked for, as a sum of registers.
typedef struct PassageTest
{
    uint32_t transition, machine;
    int8_t sign;  // that the sum has, clearly; 0: either
    bool fires;   // what that makes of the transition
    bool below;   // it is no more than the bound
    bool asks;    // where the sum is not clear, or there is none, the selection may be asked: the set is there
    uint32_t count;
    double bound, per_time;  // BondReason
    double tolerance;        // of the sign (select.c)
    PassageTerm terms[SIGN_ROW_MOST];
} PassageTest;

typedef struct Passage
{
    uint64_t cause;  // transitions of the set that held on committed values
    bool begins;     // at the first tag of an instant
    bool known;      // it has been recorded; otherwise it was met, `met` times
    uint32_t met, vain;
    unsigned long grown, trimmed;  // of the selection and the net when it was
    uint32_t tags, steps, switches, last_place;
    uint32_t before, count, room;  // tests before the last set is entered; all; how many there is room for
    double* modes;                 // of the last set, per junction; NULL: the set is not left
    BondMode** net;                // and its equations, per block
    const double** rows;           // the rows of its maps; NULL: not looked for
    bool* on;                      // its switches
    bool tied;                     // BondPresent
    bool shares;                   // storages depend on others alone there (switching_shares)
    bool depends;                  // storages do on each other there: they may have to be put together
    PassageTest* tests;
    struct BriefSet* end;  // programs of the last set; NULL: they are not known, or there are none
} Passage;

typedef struct PassagePrior  // a transition of the set that is taken on committed values
{
    const double* fire;
} PassagePrior;

typedef struct PassageSet
{
    bool none;  // its instants are not followed
    uint32_t prior_count, way_count;
    PassagePrior* priors;
    double* modes;  // per junction
    Passage ways[PASSAGE_WAYS];
    size_t size;
} PassageSet;

// What is being recorded.
typedef struct PassageDraft
{
    bool open, failed;
    bool first;  // the set in work is the one that the instant began in
    uint32_t from, count, tags;
    kaiTag at;
    int64_t switches;  // before it
    PassageSet* set;
    Passage* way;
    PassageTest tests[PASSAGE_TESTS];
} PassageDraft;

typedef struct Passages
{
    PassageSet* sets[PASSAGE_SETS];
    uint32_t count, last;
    Passage* taken;  // the way of this tag; NULL: none was followed
    bool rests;      // because nothing has changed
    PassageDraft draft;
} Passages;

void passages_free(Kernel* kernel);  // all of them: the equations are others

// The set of the modes in the registers; NULL: it has none, or its instants are not followed.
PassageSet* passage_find_set(Kernel* kernel, bool make);
static inline uint64_t passage_cause(const PassageSet* set)
{
    const PassagePrior *prior = set->priors, *end = prior + set->prior_count;
    uint64_t cause = 0;
    for (uint64_t bit = 1; prior < end; prior++, bit <<= 1)
        if (*prior->fire != 0)
            cause |= bit;
    return cause;
}
Passage* passage_find(const Kernel* kernel, PassageSet* set, uint64_t cause);  // the way from it; NULL: there is none
bool passage_serves(const Kernel* kernel);                                     // ways may be kept and followed

// passage_follow.c: goes the way that an instant like this one went before, if there is one and every sign on it is
// clear and the same; or there is none, because nothing has changed since the set was committed and no transition
// holds. What was found is committed then. False: nothing has happened that is not found again.
bool passage_follow(Kernel* kernel, CommitResult* result, kaiStatus* status);
// The modes of a set that has been left are the ones in the registers: as contexts_refresh.
void passage_take_modes(Kernel* kernel);

// Parts of that: inputs of the graph as they are now, none larger than ever, where storages that depend on each other
// agree; signs between two places of a way are what they were (`jumped`: the net is in their set, after its jump);
// nothing moves in the set at its end; modes and equations there.
bool passage_take_inputs(Kernel* kernel);
bool passage_pass(Kernel* kernel, const Passage* way, uint32_t from, uint32_t to, bool jumped);
void passage_stay(Kernel* kernel);
void passage_enter(Kernel* kernel, const Passage* way);
bool passage_load(Kernel* kernel, const Passage* way);  // the rows of that set; false: no memory

// While the full rules find a way (switching.c): it is recorded if the instant has been met before. The set that is
// looked at, after its jump, `first` if none is switched yet; its tag; a sign in it; that it is left; that the rules
// try something else; and the end.
void passage_begin(Kernel* kernel, bool same);
void passage_note_set(Kernel* kernel, bool first);
void passage_note_tag(Kernel* kernel);
void passage_note_sign(Kernel* kernel, uint32_t machine, const Transition* t, int sign);
void passage_leave_set(Kernel* kernel);
void passage_give_up(Kernel* kernel);
void passage_end(Kernel* kernel, bool found);

#endif
