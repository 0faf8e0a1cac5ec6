// stub
#include "plot/instant.h"
#include <stdio.h>
kaiStatus instant_draw(kaiInstants* v, char* error, size_t error_size)
{
    (void)v;
    snprintf(error, error_size, "not yet");
    return KAI_ERR_USAGE;
}
