// Ranks of a study with threads and pipes instead of processes and MPI.
#ifndef KAIROS_TESTS_RANKS_FIXTURE_H
#define KAIROS_TESTS_RANKS_FIXTURE_H

#include "study/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    RANKS = 3
};

static int to_rank[RANKS][2], back[2];  // what rank 0 says to each, and all say to it
static _Thread_local int my_rank;
static bool deaf;

static inline bool send_message(int to, const void* message, size_t size)
{
    int32_t from = my_rank;
    int end = to == 0 ? back[1] : to_rank[to][1];
    size_t parts[2] = {sizeof from + sizeof size, size};
    char* all = malloc(parts[0] + size);
    memcpy(all, &from, sizeof from);
    memcpy(all + sizeof from, &size, sizeof size);
    memcpy(all + parts[0], message, size);
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    bool fine = write(end, all, parts[0] + size) == (ssize_t)(parts[0] + size);
    pthread_mutex_unlock(&lock);
    free(all);
    return fine;
}

static inline bool take(int end, void* to, size_t size)
{
    for (size_t at = 0; at < size;)
    {
        ssize_t got = read(end, (char*)to + at, size - at);
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static inline bool receive_message(int* from, void* message, size_t room)
{
    int end = my_rank == 0 ? back[0] : to_rank[my_rank][0];
    int32_t sender;
    size_t size;
    if (deaf || !take(end, &sender, sizeof sender) || !take(end, &size, sizeof size) || size > room)
        return false;
    *from = sender;
    return take(end, message, size);
}

static const RanksPart pipes = {.send = send_message, .receive = receive_message};

typedef struct Rank
{
    int rank;
    kaiStudy* study;
    kaiStudyRunOptions options;
    kaiStatus status;
    kaiError error;
} Rank;

static inline void* be_rank(void* user)
{
    Rank* r = user;
    my_rank = r->rank;
    r->status = study_share(r->study, &pipes, r->rank, RANKS, &r->options, &r->error);
    return NULL;
}

#endif
