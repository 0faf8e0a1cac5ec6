// Threads that share one function and one argument.
#include "kairos/study.h"

#include <pthread.h>
#include <unistd.h>

enum
{
    THREADS_MAX = 64
};

int kaiThreads_Wanted(int64_t jobs)
{
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t count = cores > THREADS_MAX ? THREADS_MAX : cores;
    count = jobs < count ? jobs : count;
    return count < 1 ? 1 : (int)count;
}

void kaiThreads_Run(int count, void* (*work)(void* user), void* user)
{
    pthread_t threads[THREADS_MAX];
    int made = 0;
    if (work == NULL)
        return;
    while (made < count && made < THREADS_MAX && pthread_create(&threads[made], NULL, work, user) == 0)
        made++;
    if (made == 0)
        work(user);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}
