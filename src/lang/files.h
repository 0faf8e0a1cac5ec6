// Which files a program may read, and how they are opened: the caller's provider, or the file system under a policy.
#ifndef KAIROS_LANG_FILES_H
#define KAIROS_LANG_FILES_H

#include "base/arena.h"
#include "kairos/program.h"

typedef struct Files
{
    kaiFileProvider provider;
    bool allow_files, allow_external;
    Arena* arena;
    VEC(const char*) folders;  // what lies below them may be read
    VEC(const char*) roots;    // each of them canonical, once it was asked for; "" is the root of the file system
} Files;

typedef enum FileOutcome
{
    FILE_DONE,
    FILE_FAILED,   // not there, unreadable, not a file
    FILE_REFUSED,  // outside of what the program may read
} FileOutcome;

// What lies below `folder` may be read. A folder that does not exist allows nothing.
void files_allow(Files* files, Arena* arena, const char* folder);
// The folder part of a path; "." if it has none.
const char* files_folder(Arena* arena, const char* path);
// The name under which a file is known, so that `a.kai` and `./a.kai` are one. `files` may be NULL.
const char* files_identity(const Files* files, Arena* arena, const char* path);
// Opens on the file system. `files` NULL: anything goes. *why: a text of static or errno's storage.
FileOutcome files_open(const Files* files, const kaiFileRequest* request, int* descriptor, const char** why);

#endif
