// Wall time of commands from start to exit, in turn, so that a busy machine hurts all of them alike.
//   start ROUNDS COMMAND ARGUMENT... -- COMMAND ARGUMENT... ...
// Prints for each the best and the median in milliseconds, and both as multiples of the first command's.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

enum
{
    MOST = 16
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double run(char** command, const posix_spawn_file_actions_t* quiet)
{
    double begun = now();
    pid_t child;
    int status = 0;
    if (posix_spawn(&child, command[0], quiet, NULL, command, environ) != 0 || waitpid(child, &status, 0) != child ||
        status != 0)
    {
        fprintf(stderr, "start: %s fails\n", command[0]);
        exit(1);
    }
    return now() - begun;
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static int split(char** words, char*** commands)
{
    int count = 0;
    commands[count++] = words;
    for (; *words != NULL; words++)
        if (strcmp(*words, "--") == 0 && count < MOST)
        {
            *words = NULL;
            commands[count++] = words + 1;
        }
    return count;
}

int main(int argc, char** argv)
{
    char** commands[MOST];
    double* times[MOST];
    posix_spawn_file_actions_t quiet;
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1)
        return 2;
    int count = split(argv + 2, commands);
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < count; i++)
        times[i] = calloc((size_t)rounds, sizeof(double));
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < count; i++)
            times[i][r] = run(commands[i], &quiet);
    for (int i = 0; i < count; i++)
    {
        qsort(times[i], (size_t)rounds, sizeof(double), compare);
        printf("%8.3f ms best (%.2f)  %8.3f ms median (%.2f)  ", times[i][0], times[i][0] / times[0][0],
               times[i][rounds / 2], times[i][rounds / 2] / times[0][rounds / 2]);
        for (char** word = commands[i]; *word != NULL; word++)
            printf("%s%s", *word, word[1] != NULL ? " " : "\n");
    }
    return 0;
}
