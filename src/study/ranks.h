// The part `mpi`: processes that mpirun or srun started, and messages between them. ranks_mpi.c is in it.
#ifndef KAIROS_STUDY_RANKS_H
#define KAIROS_STUDY_RANKS_H

#include "kairos/study.h"
#include "part/part.h"

typedef struct RanksPart
{
    PartHead head;
    bool (*begin)(int* rank, int* count);
    void (*end)(void);
    bool (*send)(int to, const void* message, size_t size);
    // A message of at most `room` bytes from anybody (from < 0) or one rank; *from: whose it is.
    bool (*receive)(int* from, void* message, size_t room);
} RanksPart;

// One of `count` > 1 ranks, whatever carries their messages.
kaiStatus study_share(kaiStudy* study, const RanksPart* part, int rank, int count, const kaiStudyRunOptions* options,
                      kaiError* error);
kaiStatus study_run_ranks(kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error);

#endif
