// Short programs for instants that nobody looks at (brief.c).
#ifndef KAIROS_KERNEL_BRIEF_H
#define KAIROS_KERNEL_BRIEF_H

#include "kernel/kernel.h"
#include "vm/slice.h"

enum
{
    BRIEF_SETS = 32,    // of modes that have programs of their own
    BRIEF_WORDS = 4096  // of a reaction at most that has them
};

// A relation of a set of modes: where its argument, what it was last, its latch and its truth are.
typedef struct BriefGuard
{
    double *argument, *last_g, *react_g, *latch, *truth;
    uint32_t latch_reg;
} BriefGuard;

enum
{
    COURSE_STOPS = 6,  // tags of an instant that is kept
    COURSE_KEPT = 8    // such instants, from one set of modes
};

typedef struct BriefSet BriefSet;

// A tag of an instant that is kept (course.c).
typedef struct CourseStop
{
    BriefSet* set;
    struct Passage* way;    // that it takes; NULL: nothing changes any more
    uint32_t met;           // and which it was
    uint64_t cause, fires;  // transitions that hold, and reactions
} CourseStop;

typedef struct Course
{
    uint32_t count, tags, vain;  // stops; tags of theirs; times in a row that it was begun in vain
    CourseStop stops[COURSE_STOPS];
} Course;

typedef struct CourseWrite
{
    double *at, before;
} CourseWrite;

typedef struct Courses
{
    bool open;      // the instant in work may be kept
    uint64_t gone;  // how many instants were gone again
    Course draft;
    CourseWrite* log;  // what the stops have written, to be put back; NULL: there are no courses
    uint32_t log_count, column_count;
    uint32_t *columns, *left;  // registers that listeners show; guards of modes that have been left
    size_t size;
} Courses;

// The programs of a set of modes, without switches.
struct BriefSet
{
    Slice *react, *events, *look;
    Slice* sums;  // the reaction without the truths of relations; NULL: they are read, or are not as relations are
    bool clear;   // and such a truth is 0 where its argument is not negative and has changed
    BriefGuard* guards;           // of a set with `sums`: all that are active
    bool left;                    // and the left limits of all guards are what they make of the first reaction
    uint32_t met;                 // so often, before there are any
    struct PassageSet* passages;  // from it; NULL: not looked for
    Course* courses;              // of instants that begin in it
    uint32_t course_count;
    size_t size;
    uint32_t count, guard_count;  // contexts that are active, and their guards
    uint32_t contexts[];          // and the guards behind them
};

typedef struct CircuitWhen
{
    const double* fire;
    const Reaction* reaction;
} CircuitWhen;

struct Brief
{
    Slice *react, *flow, *attempt, *events;
    BriefSet *sets[BRIEF_SETS], *set;  // the last: that of the present modes; NULL: they have none
    uint32_t set_count;
    bool stale;     // modes may have changed since
    bool moved;     // they have, since the last reaction
    bool owes;      // guards have no left limits yet: the first reaction has them
    bool unmoved;   // no event takes a guard across its level by its presence alone
    uint8_t* read;  // per register: somebody reads it who has not computed it, or shows it
    bool used;      // the registers have what the short reaction computes, no more
    // Where what is tried is steady (bonds.h): registers that it writes, and their committed values.
    uint32_t *written, written_count;
    double* kept;
    bool kept_some, kept_all;  // those have been kept; all registers have, because a whole reaction has run
    bool left_seen;            // somebody looks at the left limit
    bool circuit;              // instants are those of circuit.c
    CircuitWhen* whens;        // whose reactions are these
    uint32_t when_count;
    Courses courses;
    bool follows;  // ways from set to set (passage.h) are
};

// Makes them for a run whose rows and probes read the registers `shown`, where that is possible. False: no memory.
bool brief_make(Kernel* kernel, const uint32_t* shown, uint32_t count);
void brief_free(Kernel* kernel);
// `only`: who looks at tags at all counts events, or wants the last value. Ways are followed then, in a model of one
// graph, whose sources have no impulses and hang on no state, if nothing else has impulses. `counts`: events are
// counted; rows show these columns. False: no memory.
bool brief_follow(Kernel* kernel, bool only, bool counts, const uint32_t* columns, uint32_t column_count);

// A program in the modes that are active, where nobody but the kernel reads its values (scene_modes.c); it must be one
// that can be sliced. NULL: no memory.
Slice* brief_of_modes(Kernel* kernel, CodeRange program);

// The reaction in the registers: short, if there is such a program.
kaiStatus brief_react(Kernel* kernel);
// The same where a set of modes is tried: what is committed has its values already.
kaiStatus brief_try(Kernel* kernel);
// The values of a tag are there: whoever looks at it finds all of them.
kaiStatus brief_tag(Kernel* kernel);
// The flow of a left limit; `seen`: all of it.
kaiStatus brief_flow(Kernel* kernel, bool seen);
// And what guards compare there, after that.
kaiStatus brief_events(Kernel* kernel);
// What guards of the island compare where they are armed, with their slopes.
kaiStatus brief_look(Kernel* kernel);
// All values of the reaction in the registers.
kaiStatus brief_whole(Kernel* kernel);
// brief_sets.c: the programs of the present modes; NULL: they have none of their own.
BriefSet* brief_find_set(Kernel* kernel);
static inline BriefSet* brief_set(Kernel* kernel)
{
    BriefSet* set = kernel->brief->set;
    if (kernel->brief->stale)
        return brief_find_set(kernel);
    return set != NULL && set->react != NULL ? set : NULL;
}
void brief_sets_free(Kernel* kernel);
// Tags of such a set with `sums`: latches and last values are what the reaction has found.
void brief_commit_set(Kernel* kernel, const BriefSet* set);
// The reaction of such a set: relations whose arguments are what they were keep their latches.
void brief_react_set(Kernel* kernel, const BriefSet* set);
// Whether the left limits of its guards can wait for the first reaction, at an instant that nobody looks at.
bool brief_puts_off(Kernel* kernel);
// The modes of a set have been taken, which has programs: as contexts_refresh, with what is known of it.
void brief_take_set(Kernel* kernel, BriefSet* set);

// What the reaction and the left limit of guards are made for; for guards that are armed the second with slopes.
void brief_need_react(const kaiModel* model, uint8_t* needed);
void brief_need_guards(const kaiModel* model, uint8_t* needed);
void brief_need_armed(const kaiModel* model, uint8_t* needed);

// Committed values, while steady sets are tried, and back.
void brief_begin(Kernel* kernel);
void brief_restore(Kernel* kernel);

#endif
