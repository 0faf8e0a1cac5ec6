// Threads that share one function and one argument.
#include "cli/workers.h"

#include <pthread.h>
#include <unistd.h>

int workers_wanted(int64_t jobs)
{
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t count = cores > WORKERS_MAX ? WORKERS_MAX : cores;
    count = jobs < count ? jobs : count;
    return count < 1 ? 1 : (int)count;
}

void workers_run(int count, void* (*work)(void* user), void* user)
{
    pthread_t threads[WORKERS_MAX];
    int made = 0;
    while (made < count && made < WORKERS_MAX && pthread_create(&threads[made], NULL, work, user) == 0)
        made++;
    if (made == 0)
        work(user);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}
