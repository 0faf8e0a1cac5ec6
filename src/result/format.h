// What a format of results is: rows in, a file out. The frame (writer.c) chooses the format by the ending of the path,
// drops the rows that the view does not keep, and owns the file; a format writes its bytes through it. Files are seen
// by other programs only when they are whole, so a format may go back and patch what it knows only at the end.
#ifndef KAIROS_RESULT_FORMAT_H
#define KAIROS_RESULT_FORMAT_H

#include "kairos/result.h"
#include "result/output.h"

#include <string.h>

typedef struct Format
{
    const char *ending, *about;
    bool streams;  // the frame opens the file; otherwise the format does, with its own library
    kaiStatus (*open)(kaiWriter* writer, kaiError* error);
    kaiStatus (*row)(kaiWriter* writer, const kaiRow* row);
    kaiStatus (*flush)(kaiWriter* writer);  // NULL: the buffer is all there is
    kaiStatus (*close)(kaiWriter* writer, const char* remark);
    void (*free)(kaiWriter* writer);  // whatever `own` holds; also after `open` has failed
} Format;

extern const Format format_npy, format_npz, format_mat, format_vcd, format_hdf5;

struct kaiWriter
{
    const Format* format;  // NULL: CSV
    kaiCsv* csv;
    kaiAllocator allocator;
    kaiWriterOptions options;
    const kaiColumn* columns;
    int column_count;
    Output output;
    kaiStatus status;  // the first failure; nothing is written after it
    char* buffer;
    size_t used;
    double* lead;
    void* copies;  // columns and lead names: those of a sweep are gone when the file is closed
    size_t copies_size;
    // The row that a later one of the same t may replace: a copy.
    bool pending, pending_is_left_limit;
    kaiRow row;
    double *values, *pending_lead;
    uint8_t* present;
    uint64_t rows;  // written
    void* own;      // of the format
};

// Bytes behind what has been written; and over what has been. The first failure stays in writer->status.
void result_put(kaiWriter* writer, const void* bytes, size_t size);
void result_text(kaiWriter* writer, const char* text);
void result_patch(kaiWriter* writer, long long offset, const void* bytes, size_t size);
long long result_position(const kaiWriter* writer);
// Brings the buffer to the file.
kaiStatus result_flush(kaiWriter* writer);
// "t", "p" or "m", with a `#` before it if the model records a variable of that name.
const char* result_tag_name(const kaiWriter* writer, int which);
// The text of a mode; a number that is none becomes digits in `digits`.
const char* result_mode_text(const kaiColumn* column, double value, char digits[40]);
// The value of a row, the mark for absence where it has none.
static inline double result_value(const kaiRow* row, int column)
{
    return row->present[column] ? row->values[column] : kaiNumber_Absent();
}

// "csv, npy, …", for messages.
void result_endings(char* text, size_t size);

// ---- memory

static inline void* memory_get(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size > 0 ? size : 1);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static inline void memory_give(kaiAllocator a, const void* block, size_t size)
{
    if (block != NULL)
        a.alloc(a.user, (void*)block, size > 0 ? size : 1, 0);
}

// A copy of a text; NULL: no memory.
static inline char* memory_text(kaiAllocator a, const char* text, size_t length)
{
    char* copy = memory_get(a, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

#endif
