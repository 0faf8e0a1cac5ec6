// Courses: whole instants of a circuit that nobody looks at, kept to be gone again (course.c, decision 0330).
#ifndef KAIROS_KERNEL_COURSE_H
#define KAIROS_KERNEL_COURSE_H

#include "kernel/brief.h"

// For a run whose columns lie in these registers; `counts`: events are counted at each tag. False: no memory.
bool course_make(Kernel* kernel, bool counts, const uint32_t* columns, uint32_t count);
void course_free(Kernel* kernel);
void course_forget_set(BriefSet* set, kaiAllocator a);  // those from a set

// While circuit.c runs an instant: it begins; a tag is over, whose reaction was that of the set; it is over, and no
// guard leads on.
void course_begin(Kernel* kernel);
void course_note(Kernel* kernel, BriefSet* set, const CommitResult* result);
void course_end(Kernel* kernel, bool leaving);

// After the left limit: all tags of the instant, if it is one that is kept; guards are not armed yet. NULL: nothing has
// changed, unless *status says so; *reacted: the reaction of the first tag has run.
const Course* course_run(Kernel* kernel, bool* reacted, kaiStatus* status);
kaiStatus course_tell(Kernel* kernel, const Course* course);  // another tag follows all the same

#endif
