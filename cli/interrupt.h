// Ctrl-C and a reader that has gone: both end all runs of the program at their next step.
#ifndef KAIROS_CLI_INTERRUPT_H
#define KAIROS_CLI_INTERRUPT_H

#include <stdbool.h>

// From here on SIGINT and SIGTERM set the flag; a second one ends the program at once.
void interrupt_catch(void);
// The flag for kaiSimOptions.interrupt.
const volatile int* interrupt_flag(void);
// Sets the flag without a signal: the other runs of a sweep need not go on.
void interrupt_all(void);
// A signal came.
bool interrupt_came(void);

#endif
