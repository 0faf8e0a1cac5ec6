// Where SUNDIALS is not installed: scripts see exit code 77 and leave the CVODE loop out.
#include "importer_loop.h"

#include <stdio.h>
#include <stdlib.h>

void exchange_cvode(Loop* m)
{
    (void)m;
    fprintf(stderr, "importer: built without CVODE (libsundials-dev)\n");
    exit(77);
}
