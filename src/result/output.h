// Where a result goes: a file that gets its name only when it is complete, a stream (standard output, a pipe, a
// device), or the caller's sink.
#ifndef KAIROS_RESULT_OUTPUT_H
#define KAIROS_RESULT_OUTPUT_H

#include "kairos/base.h"

#include <stdbool.h>

typedef struct Output
{
    int descriptor;
    bool owned;            // false: standard output, which is not ours to close
    char *path, *partial;  // a file: its final name and `path`.part; NULL for a stream
    size_t path_size;      // allocated for each of the two
    long long written;     // bytes of a file
    bool durable;          // output_sync was asked for: its end is to be as safe
    kaiSink sink;          // instead of all of these
} Output;

// "-" is standard output; with a sink the path does not matter. NULL, or a text that says why not: static, or that of
// errno.
const char* output_open(Output* output, const char* path, kaiSink sink, kaiAllocator allocator);

// A file that was left behind, `path`.part or `path` itself, cut to `size` bytes, to go on there.
const char* output_open_at(Output* output, const char* path, long long size, kaiAllocator allocator);

// What was written is on the disk. KAI_ERR_USAGE: it is no file.
kaiStatus output_sync(Output* output);
// Writes whole lines. After a failure a file is cut back to the last whole line. KAI_ERR_IO; KAI_INTERRUPTED if the
// reader of a pipe has gone: that is its way to say "enough", and no error.
kaiStatus output_write(Output* output, const char* text, size_t size);

// `status` is that of the writes so far. A file is renamed to its final name if all went well, and stays `.part`
// otherwise. A reader that has gone is KAI_OK.
kaiStatus output_close(Output* output, kaiStatus status);
// Beside a file that is about to be closed: `path`.status with this line, or (NULL) none. Nothing for streams.
kaiStatus output_remark(const Output* output, const char* remark);
void output_free(Output* output, kaiAllocator allocator);

#endif
