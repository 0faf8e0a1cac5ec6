// The page of the studio, inside the program.
#ifndef KAIROS_CLI_PAGE_H
#define KAIROS_CLI_PAGE_H

#include "kairos/studio.h"

// Files of the page, in static memory.
const kaiStudioFile* page_files(int* count);

#endif
