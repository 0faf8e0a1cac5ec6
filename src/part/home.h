// Where this copy of Kairos lives: the files that belong to it (parts, the models of lib/) are found from the program
// or shared library that holds this code, wherever it was moved to, and only then in the folder it was configured for.
#ifndef KAIROS_PART_HOME_H
#define KAIROS_PART_HOME_H

#include <stdbool.h>

// The full name of the file or folder `tail` ("share/kairos/lib") below the prefix. `path` has PATH_MAX bytes. False:
// there is none.
bool home_find(const char* tail, char* path);

// The models for `import`. False: there are none.
bool home_models(char* path);

#endif
