// A result that lies in a file as a table of binary columns, read row by row: what NPY, NPZ, MAT and HDF5 have in
// common. Each has columns of a few types, in one or several streams of records; the table goes through all streams at
// once, a block of rows at a time.
#ifndef KAIROS_RESULT_SHEET_H
#define KAIROS_RESULT_SHEET_H

#include "result/format.h"

typedef enum CellType
{
    CELL_DOUBLE,
    CELL_FLOAT,
    CELL_INT,    // signed, of `size` bytes
    CELL_WIDE,   // text in UTF-32, `size` bytes
    CELL_BYTES,  // text in UTF-8, `size` bytes
} CellType;

typedef enum CellRole
{
    ROLE_COLUMN,
    ROLE_LEAD,
    ROLE_T,
    ROLE_P,
    ROLE_M,
} CellRole;

typedef struct Sheet Sheet;

// Records of one size, one behind the other: in a file, or wherever `fill` gets them from.
typedef struct Stream
{
    size_t record;
    long long offset;  // in the file
    // Rows [first, first + count) to `block`. NULL: from the file. False: they cannot be read.
    bool (*fill)(Sheet* sheet, struct Stream* stream, uint64_t first, size_t count, void* block);
    long long source;  // for `fill`
    char* block;
} Stream;

typedef struct Cell
{
    CellRole role;
    CellType type;
    int stream;
    size_t offset, size;  // in a record
    bool is_mode_number;  // a mode by number, whose names are known
    char *name, *unit;
    kaiColumnKind kind;
    char** mode_names;
    int mode_count, mode_capacity;
    int column;  // among those that the visitor sees
} Cell;

struct Sheet
{
    kaiAllocator allocator;
    char path[1024];
    int descriptor;  // -1: none
    uint64_t rows;
    Stream* streams;
    int stream_count, stream_capacity;
    Cell* cells;
    int cell_count, cell_capacity;
    size_t block_rows;
    char remark[400];
    // what the visitor gets
    kaiColumn* columns;
    int column_count;
    bool* wanted;
    double* values;
    uint8_t* present;
    char lead_text[512];
    void (*close)(Sheet* sheet);  // of what `own` holds
    void* own;
};

// Room for so many cells and streams. False: no memory.
bool sheet_allocate(Sheet* sheet, int cells, int streams);
// Adds a cell, with a copy of its name (and of unit, or NULL). NULL: no memory.
Cell* sheet_add(Sheet* sheet, const char* name, size_t length, CellType type);
bool sheet_set_unit(Sheet* sheet, Cell* cell, const char* unit, size_t length);
bool sheet_add_mode(Sheet* sheet, Cell* cell, const char* name, size_t length);
// Which cells are t, p and m, by name: `t` or `time`, or with `#` before; those before t lead. False: no tags, and
// *error says it.
bool sheet_find_tags(Sheet* sheet, kaiError* error);
// All rows to the visitor.
kaiStatus sheet_read(Sheet* sheet, const kaiCsvVisitor* visitor, kaiError* error);
void sheet_free(Sheet* sheet);
// "… is damaged", with the path.
kaiStatus sheet_damaged(const Sheet* sheet, const char* what, kaiError* error);

// What the readers of the formats do: make the sheet of an open file whose first bytes are those of their format.
kaiStatus npy_sheet(Sheet* sheet, kaiError* error);
kaiStatus npz_sheet(Sheet* sheet, kaiError* error);
kaiStatus mat_sheet(Sheet* sheet, kaiError* error);
kaiStatus hdf5_sheet(Sheet* sheet, kaiError* error);

// VCD is text, and changes instead of rows. vcd_make, NULL: *error says why. Columns live until the reader goes.
typedef struct VcdReader VcdReader;
VcdReader* vcd_make(const char* path, kaiAllocator allocator, kaiError* error);
kaiStatus vcd_read(VcdReader* reader, const kaiCsvVisitor* visitor, kaiError* error);
const char* vcd_remark(const VcdReader* reader);  // NULL: none
void vcd_reader_free(VcdReader* reader);

// Exactly `size` bytes at an offset of the file.
bool sheet_pread(const Sheet* sheet, long long offset, void* bytes, size_t size);
long long sheet_file_size(const Sheet* sheet);

#endif
