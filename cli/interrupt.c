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
    __atomic_store_n(&flag, number, __ATOMIC_RELAXED);
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
    int none = 0;
    __atomic_compare_exchange_n(&flag, &none, -1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool interrupt_came(void)
{
    return signalled != 0;
}
