// Rows of a result: one per recorded tag, how they are written and read.
//
//     static kaiStatus on_row(void* user, const kaiRow* row) { return kaiCsv_Row(user, row); }
//     …
//     kaiCsvOptions options = kaiDefaultCsvOptions();
//     options.path = "ball.csv";
//     kaiCsv* csv = kaiCsv_Open(&options, columns, column_count, &error);
//     …                               // the run, with kaiSimOptions.row = on_row and row_user = csv
//     kaiCsv_Close(csv, NULL);        // from here on there is a file of that name
//
// Units. Times in seconds, values in the unit of their column, which is the one that the model declares; columns
// without one have no unit. In a CSV file the unit stands in the first line: `x [km]`.
// Lifetime. Rows live during the call that hands them over.
// Threads. A writer or reader belongs to one thread at a time.
#ifndef KAIROS_RESULT_H
#define KAIROS_RESULT_H

#include "kairos/error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // Which tags a result keeps (rule T5). Full: every recorded tag. Limits: at an instant only the left limit (its
    // first tag) and the right limit (its last). Unique: one right-continuous row per time.
    typedef enum kaiView
    {
        KAI_VIEW_FULL,
        KAI_VIEW_LIMITS,
        KAI_VIEW_UNIQUE,
    } kaiView;

    typedef enum kaiColumnKind
    {
        KAI_COLUMN_REAL,
        KAI_COLUMN_BOOL,   // 0 or 1
        KAI_COLUMN_EVENT,  // the payload where present
        KAI_COLUMN_MODE,   // the name of the mode
    } kaiColumnKind;

    // One column. Names with commas or quotes are quoted in CSV.
    typedef struct kaiColumn
    {
        const char* name;
        kaiColumnKind kind;
        const char* unit;               // as declared, or NULL
        const char* const* mode_names;  // MODE: text of value i
        int mode_count;
        int impulse;  // 0: values of a signal; 1, 2 …: weights of δ, δ′ … in the signal "x" ("x.impulse", "x.impulse1")
    } kaiColumn;

    // One recorded tag ⟨t, p, m⟩. `values[i]` counts only if `present[i]`.
    typedef struct kaiRow
    {
        double t;
        int32_t p, m;
        const double* values;
        const uint8_t* present;
    } kaiRow;

    // Receives rows in order of their tags. Nonzero stops the run (KAI_ERR_IO for a failed write).
    typedef kaiStatus kaiRowFn(void* user, const kaiRow* row);

    // Rows → CSV, streamed: memory does not grow with them.
    typedef struct kaiCsv kaiCsv;

    typedef struct kaiCsvOptions
    {
        uint32_t cookie;   // set by kaiDefaultCsvOptions; not for you
        const char* path;  // "-" is standard output; a file is written as `path`.part and gets its name at the end
        kaiSink sink;      // gets the bytes instead
        kaiView view;
        // Columns before t, the same in all rows until they are set anew ("run", swept values).
        const char* const* lead_names;
        int lead_count;
        // Goes on where kaiCsv_Mark was, with the same columns and view: rows behind it are cut off. NULL: a new file.
        const void* mark;
        size_t mark_size;
        kaiAllocator allocator;
    } kaiCsvOptions;
    kaiCsvOptions kaiDefaultCsvOptions(void);

    // `columns` (of kaiSim_Columns, say) must outlive it. NULL: *error says why.
    kaiCsv* kaiCsv_Open(const kaiCsvOptions* options, const kaiColumn* columns, int column_count, kaiError* error);
    // In order of their tags. KAI_ERR_IO: it could not be written; KAI_INTERRUPTED: the reader has gone.
    kaiStatus kaiCsv_Row(kaiCsv* csv, const kaiRow* row);
    // Values of the lead columns from here on, as many as there are.
    void kaiCsv_SetLead(kaiCsv* csv, const double* values);
    // All rows so far are on the disk, and stay there whatever happens to this process or machine; the bytes that
    // `mark` gets say where they end. KAI_ERR_USAGE: it is no file that is written here.
    kaiStatus kaiCsv_Mark(kaiCsv* csv, const kaiSink* mark);
    // A remark (or NULL): why the run did not reach its end. A file has it beside it, as the one line of `path`.status,
    // so that every program reads the rows; without one such a file of an earlier run is removed. Frees the writer,
    // whatever it answers, which is as kaiCsv_Row.
    kaiStatus kaiCsv_Close(kaiCsv* csv, const char* remark);

    // All rows so far can be read by others, in `path`.part. As kaiCsv_Row.
    kaiStatus kaiCsv_Flush(kaiCsv* csv);

    // ---- any format

    // What the ending of a path makes of a result: "csv", "npy", …, and a few words about it. NULL past the last.
    const char* kaiFormat_Ending(int index);
    const char* kaiFormat_About(int index);
    // Whether a result can be written there: KAI_OK, or KAI_ERR_USAGE with the endings that there are. A path without
    // an ending, a device and a pipe are CSV.
    kaiStatus kaiFormat_Check(const char* path, kaiError* error);

    // What does not change in a run; MAT and HDF5 keep it.
    typedef struct kaiConstant
    {
        const char *name, *unit, *description;  // the last two may be NULL
        double value;
    } kaiConstant;

    // Rows → a file of the format that its ending says. All but NPZ, which is made of columns at the end, are streamed.
    // CSV: as kaiCsv. NPY: one array of records. NPZ: one array per column. MAT: version 4, a trajectory as Dymola and
    // OpenModelica write it. HDF5 (h5): one data set per column, compressed, readable while it is written. VCD: changes
    // for waveform viewers. Absent values are kaiNumber_Absent() in NPY, NPZ, MAT and HDF5.
    typedef struct kaiWriter kaiWriter;

    typedef struct kaiWriterOptions
    {
        uint32_t cookie;    // set by kaiDefaultWriterOptions; not for you
        const char* path;   // a file is written as `path`.part and gets its name at the end
        const char* title;  // what was run; NULL: nothing to say
        kaiView view;
        const char* const* lead_names;  // as in kaiCsvOptions
        int lead_count;
        const kaiConstant* constants;
        int constant_count;
        double start, stop;  // of the run as far as known: a VCD takes the finest unit of time that fits
        const void* mark;    // CSV only: as in kaiCsvOptions
        size_t mark_size;
        kaiAllocator allocator;
    } kaiWriterOptions;
    kaiWriterOptions kaiDefaultWriterOptions(void);

    // Constants and the title must outlive it, and of a CSV the columns. NULL: *error says why.
    kaiWriter* kaiWriter_Open(const kaiWriterOptions* options, const kaiColumn* columns, int column_count,
                              kaiError* error);
    // A kaiRowFn, with the writer as `user`; otherwise as kaiCsv_Row.
    kaiStatus kaiWriter_Row(void* writer, const kaiRow* row);
    // As their namesakes of kaiCsv.
    void kaiWriter_SetLead(kaiWriter* writer, const double* values);
    kaiStatus kaiWriter_Flush(kaiWriter* writer);
    kaiStatus kaiWriter_Close(kaiWriter* writer, const char* remark);
    // The CSV that it writes, for kaiCheckpointParts; NULL: it is no CSV.
    kaiCsv* kaiWriter_Csv(kaiWriter* writer);

    // ---- columns in memory

    // Rows → columns: a whole run as contiguous arrays, for programs that compute with it.
    typedef struct kaiRecorder kaiRecorder;
    typedef struct kaiRecorderOptions
    {
        uint32_t cookie;  // set by kaiDefaultRecorderOptions; not for you
        kaiView view;
        kaiAllocator allocator;
    } kaiRecorderOptions;
    kaiRecorderOptions kaiDefaultRecorderOptions(void);
    // For rows of `column_count` values. NULL: *error says why.
    kaiRecorder* kaiRecorder_Create(const kaiRecorderOptions* options, int column_count, kaiError* error);
    void kaiRecorder_Free(kaiRecorder* recorder);  // NULL is fine
    // A kaiRowFn, with the recorder as `user`. KAI_ERR_MEMORY: the rows before it are kept.
    kaiStatus kaiRecorder_Row(void* recorder, const kaiRow* row);
    // How many rows there are, and how many columns.
    int64_t kaiRecorder_Count(const kaiRecorder* recorder);
    int kaiRecorder_ColumnCount(const kaiRecorder* recorder);
    // kaiRecorder_Count values each; they live until the next row. t, p and m of the tags, and the values of a column,
    // kaiNumber_Absent() where there is none. NULL: no such column, or no rows yet.
    const double* kaiRecorder_Times(const kaiRecorder* recorder);
    const int32_t* kaiRecorder_Jumps(const kaiRecorder* recorder);
    const int32_t* kaiRecorder_Reactions(const kaiRecorder* recorder);
    const double* kaiRecorder_Column(const kaiRecorder* recorder, int column);

    // The NaN that stands for a value that is not there, and whether a number is it: a NaN that was computed is not.
    double kaiNumber_Absent(void);
    bool kaiNumber_IsAbsent(double value);

    // ---- reading

    // A text line by line, for tables that are no results, from a file that may be anything: a folder, a pipe or a
    // device without end. A line of more than 64 MB is an error that names it, so memory is bounded by that.
    // `path` "-" is standard input. NULL: *error says why. `interrupt` (or NULL): nonzero ends the reading.
    typedef struct kaiLines kaiLines;
    kaiLines* kaiLines_Open(const char* path, const volatile int* interrupt, kaiAllocator allocator, kaiError* error);
    // *line, which may be written to, lives until the next one; its *length bytes end in '\n' unless the file ends
    // before. KAI_OK, KAI_END behind the last line, KAI_INTERRUPTED, KAI_ERR_IO or KAI_ERR_MEMORY.
    kaiStatus kaiLines_Next(kaiLines* lines, char** line, size_t* length, kaiError* error);
    long long kaiLines_Number(const kaiLines* lines);  // of the last line, from 1 on; 0 before it
    void kaiLines_SetInterrupt(kaiLines* lines, const volatile int* interrupt);  // from here on; NULL: never
    void kaiLines_Free(kaiLines* lines);                                         // NULL is fine

    // CSV → rows, streamed: what kaiCsv wrote, in any view. A column is a MODE if it is called `mode` or ends in
    // `.mode` (its mode_names grow while it is read); all others are REAL. Numbers are read as the nearest double.
    // `path` "-" is standard input.
    typedef struct kaiCsvVisitor
    {
        // After the first line. `wanted` (all true at first): the columns whose values are needed; the others are
        // absent in all rows. The columns live as long as the reader. Nonzero stops.
        kaiStatus (*header)(void* user, const kaiColumn* columns, int column_count, bool* wanted);
        kaiRowFn* row;
        // Only of a file with lead columns (a sweep): they have new values, "run = 1, a = 0.5". NULL: not wanted.
        kaiStatus (*lead)(void* user, const char* text);
        void* user;
    } kaiCsvVisitor;
    typedef struct kaiCsvReader kaiCsvReader;
    // NULL: *error says why.
    kaiCsvReader* kaiCsvReader_Open(const char* path, kaiAllocator allocator, kaiError* error);
    // To the end. KAI_OK, the first nonzero status of the visitor, KAI_ERR_IO (unreadable, cut off, no result: `error`
    // says where) or KAI_ERR_MEMORY.
    kaiStatus kaiCsvReader_Read(kaiCsvReader* reader, const kaiCsvVisitor* visitor, kaiError* error);
    // Why the run did not reach its end: the line of `path`.status, or the "# …" at the end that older results have.
    // NULL: it did.
    const char* kaiCsvReader_Remark(const kaiCsvReader* reader);
    // Nonzero ends kaiCsvReader_Read with KAI_INTERRUPTED when more of the file is wanted; NULL: never.
    void kaiCsvReader_SetInterrupt(kaiCsvReader* reader, const volatile int* interrupt);
    void kaiCsvReader_Free(kaiCsvReader* reader);  // NULL is fine

    // Any format → rows, by what the file holds and not by its name. As kaiCsvReader, which it is for a CSV; `path` "-"
    // is standard input, a CSV. HDF5 and VCD know which columns are events, HDF5, NPZ and MAT know units.
    typedef struct kaiReader kaiReader;
    kaiReader* kaiReader_Open(const char* path, kaiAllocator allocator, kaiError* error);
    kaiStatus kaiReader_Read(kaiReader* reader, const kaiCsvVisitor* visitor, kaiError* error);
    const char* kaiReader_Remark(const kaiReader* reader);
    void kaiReader_SetInterrupt(kaiReader* reader, const volatile int* interrupt);  // for what can be without end: CSV
    void kaiReader_Free(kaiReader* reader);

    // The shortest decimal that reads back as the same double; at most 32 bytes, 0-terminated. Returns the length.
    int kaiNumber_Write(char out[33], double value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
