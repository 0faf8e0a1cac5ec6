// HDF5 → sheet: the data sets of the root group that have one dimension and as many elements as `t`, in the order in
// which they were made. A file that is still being written is read as far as it goes.
#include "base/error.h"
#include "result/hdf5.h"

#include <hdf5.h>

enum
{
    NAME_MAX_LENGTH = 1000
};

typedef struct Source
{
    hid_t file;
} Source;

static void close_source(Sheet* sheet)
{
    Source* source = sheet->own;
    hdf5_lock();
    for (int i = 0; i < sheet->stream_count && sheet->streams != NULL; i++)
        if (sheet->streams[i].source > 0)
            H5Dclose((hid_t)sheet->streams[i].source);
    H5Fclose(source->file);
    hdf5_unlock();
    memory_give(sheet->allocator, source, sizeof *source);
    sheet->own = NULL;
}

static bool fill(Sheet* sheet, Stream* stream, uint64_t first, size_t count, void* block)
{
    (void)sheet;
    hid_t set = (hid_t)stream->source;
    hsize_t from = first, size = count;
    hdf5_lock();
    hid_t in_file = H5Dget_space(set), in_memory = H5Screate_simple(1, &size, NULL);
    hid_t type = stream->record == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    bool fine = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &from, NULL, &size, NULL) >= 0 &&
                H5Dread(set, type, in_memory, in_file, H5P_DEFAULT, block) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    hdf5_unlock();
    return fine;
}

static bool get_text(hid_t object, const char* name, char* text, size_t size)
{
    text[0] = 0;
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), stored = H5Aget_type(attribute);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5Tget_cset(stored));
    bool fine =
        H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) <= 0 && H5Aread(attribute, type, text) >= 0;
    text[size - 1] = 0;
    H5Tclose(type);
    H5Tclose(stored);
    H5Aclose(attribute);
    return fine;
}

// Modes in the order of their values, as they were written; "" is the one for "not active".
static bool get_modes(Sheet* sheet, Cell* cell, hid_t type)
{
    int count = H5Tget_nmembers(type);
    for (int value = 0; value < count; value++)
    {
        char name[200];
        int32_t wanted = value;
        if (H5Tenum_nameof(type, &wanted, name, sizeof name) >= 0 && !sheet_add_mode(sheet, cell, name, sizeof name))
            return false;
    }
    return true;
}

static bool describe(Sheet* sheet, Cell* cell, hid_t set, hid_t type)
{
    char text[200];
    if (get_text(set, "kind", text, sizeof text))
        cell->kind = strcmp(text, "event") == 0  ? KAI_COLUMN_EVENT
                     : strcmp(text, "bool") == 0 ? KAI_COLUMN_BOOL
                     : strcmp(text, "mode") == 0 ? KAI_COLUMN_MODE
                                                 : KAI_COLUMN_REAL;
    if (cell->kind == KAI_COLUMN_MODE && H5Tget_class(type) == H5T_ENUM && !get_modes(sheet, cell, type))
        return false;
    return !get_text(set, "unit", text, sizeof text) || sheet_set_unit(sheet, cell, text, sizeof text);
}

// Adds the object if it is a column. False: no memory.
static bool add_set(Sheet* sheet, const char* name, hid_t set)
{
    hsize_t rows = 0;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    H5T_class_t class = H5Tget_class(type);
    bool column = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &rows, NULL) == 1 &&
                  (class == H5T_FLOAT || class == H5T_INTEGER || class == H5T_ENUM);
    Cell* cell = column ? sheet_add(sheet, name, strlen(name), class == H5T_FLOAT ? CELL_DOUBLE : CELL_INT) : NULL;
    bool fine = !column || cell != NULL;
    if (cell != NULL)
    {
        cell->size = class == H5T_FLOAT ? 8 : 4;
        cell->stream = sheet->cell_count - 1;
        sheet->streams[cell->stream] = (Stream){.record = cell->size, .fill = fill, .source = (long long)set};
        sheet->rows = cell->stream == 0 || rows < sheet->rows ? rows : sheet->rows;
        fine = describe(sheet, cell, set, type);
    }
    H5Tclose(type);
    H5Sclose(space);
    if (cell == NULL)
        H5Dclose(set);
    return fine;
}

static bool add_sets(Sheet* sheet, hid_t file, hsize_t count)
{
    H5_index_t order = H5_INDEX_CRT_ORDER;
    char name[NAME_MAX_LENGTH];
    if (count > 0 && H5Lget_name_by_idx(file, ".", order, H5_ITER_INC, 0, name, sizeof name, H5P_DEFAULT) < 0)
        order = H5_INDEX_NAME;  // another program's: nobody kept the order
    for (hsize_t i = 0; i < count; i++)
    {
        if (H5Lget_name_by_idx(file, ".", order, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            continue;
        hid_t object = H5Oopen(file, name, H5P_DEFAULT);
        if (object < 0)
            continue;
        if (H5Iget_type(object) != H5I_DATASET)
            H5Oclose(object);
        else if (!add_set(sheet, name, object))
            return false;
    }
    return true;
}

static hid_t open_file(const char* path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0)
        return file;
    // Of a file that is being written a piece may be half there: it is read again, after a wait that doubles each time.
    // By itself the library does so a hundred times, which a damaged file takes for ever: 2^24 ns are enough.
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_metadata_read_attempts(access, 24) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

static kaiStatus make(Sheet* sheet, Source* source, kaiError* error)
{
    H5G_info_t info;
    source->file = open_file(sheet->path);
    if (source->file < 0 || H5Gget_info(source->file, &info) < 0 || info.nlinks > 1000000)
        return sheet_damaged(sheet, "the HDF5 library cannot open it", error);
    int count = (int)info.nlinks;
    if (!sheet_allocate(sheet, count, count) || !add_sets(sheet, source->file, info.nlinks))
        return error_memory(error);
    sheet->stream_count = sheet->cell_count;
    get_text(source->file, "remark", sheet->remark, sizeof sheet->remark);
    return sheet_find_tags(sheet, error) ? KAI_OK : KAI_ERR_IO;
}

kaiStatus hdf5_make_sheet(Sheet* sheet, kaiError* error)
{
    Source* source = memory_get(sheet->allocator, sizeof *source);
    if (source == NULL)
        return error_memory(error);
    source->file = H5I_INVALID_HID;
    sheet->own = source;
    sheet->close = close_source;
    hdf5_lock();
    kaiStatus status = make(sheet, source, error);
    hdf5_unlock();
    return status;
}
