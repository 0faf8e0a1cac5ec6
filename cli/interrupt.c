// Ctrl-C: one flag for all runs.
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int flag;
static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    if (signalled)
        _exit(128 + number);  // twice: at once
    signalled = 1;
    flag = number;
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

const volatile int* interrupt_flag(void)
{
    return &flag;
}

void interrupt_all(void)
{
    if (flag == 0)
        flag = -1;
}

bool interrupt_came(void)
{
    return signalled != 0;
}
