// Rows → CSV, streamed: memory does not grow with the run, and no row is ever written in part.
#ifndef KAIROS_RESULT_CSV_H
#define KAIROS_RESULT_CSV_H

#include "kairos/result.h"

typedef struct Csv Csv;

typedef struct CsvOptions
{
    const kaiColumn* columns;
    int column_count;
    kaiView view;
    // Columns written before t, the same in all rows until csv_set_lead ("run" and the swept values), as text.
    const char* const* lead_names;
    int lead_count;
    kaiSink sink;      // instead of the file
    const void* mark;  // of csv_mark: go on there; NULL: a new file
    size_t mark_size;
} CsvOptions;

// `path` "-" is standard output. A file is written as `path`.part and gets its name in csv_close, so that a file under
// the final name is never a torn one. NULL: *error (a static or strerror text) says why.
Csv* csv_open(const char* path, const CsvOptions* options, kaiAllocator allocator, const char** error);
// KAI_ERR_IO: a write failed. KAI_INTERRUPTED: the reader of a pipe has gone (csv_close then returns KAI_OK).
kaiStatus csv_row(Csv* csv, const kaiRow* row);
void csv_set_lead(Csv* csv, const double* values);  // flushes the pending row first; lead_count numbers
// Rows so far are in the file, for whoever reads it meanwhile.
kaiStatus csv_flush(Csv* csv);
// Rows so far are on the disk; `mark` gets where they end, and the row that is pending.
kaiStatus csv_mark(Csv* csv, const kaiSink* mark);
// Writes what is pending; `remark` (or NULL): a run that did not reach its end says so, in `path`.status.
kaiStatus csv_close(Csv* csv, const char* remark);

// Which weight a column of this name has: 1 for `x.impulse`, 2 for `x.impulse1` …; 0: none.
int column_impulse(const char* name);

#endif
