// Messages of the Language Server Protocol in a stream of bytes: headers, a blank line, as many bytes as they announce.
#ifndef KAIROS_CLI_FRAME_H
#define KAIROS_CLI_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum
{
    FRAME_LARGEST = 64 << 20,  // bytes of a message; a client that announces more is not one
    FRAME_HEADER = 65536,      // of its headers
};

typedef enum FrameStatus
{
    FRAME_FOUND,
    FRAME_WAITS,   // more is to be read
    FRAME_BROKEN,  // this is no such stream
} FrameStatus;

// Where the body of the first message begins, and its size.
FrameStatus frame_find(const char* bytes, size_t count, size_t* from, size_t* size);

#endif
