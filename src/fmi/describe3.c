// modelDescription.xml of FMI 3.0 (section 2.4 of the standard).
#include "fmi/describe.h"

char* describe_3(const Description* d)
{
    return arena_printf(d->arena, "%s", d->guid);
}
