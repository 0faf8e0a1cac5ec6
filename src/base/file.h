// Files that are read whole. What they are is looked at before a byte is read: a FIFO would be waited for, a device has
// no end, and a size that nothing of its kind has needs no memory first.
#ifndef KAIROS_BASE_FILE_H
#define KAIROS_BASE_FILE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdio.h>

// Opens a regular file of at most `most` bytes; *size: how many it has. NULL: *why, a static text or errno's, says why.
FILE* file_open_whole(const char* path, size_t most, size_t* size, const char** why);
// All of such a file, and a 0 behind it. NULL: as above. No memory: a jump, as with everything in an arena, and nothing
// stays open.
char* file_read_whole(Arena* arena, const char* path, size_t most, size_t* size, const char** why);

#endif
