// HDF5: one data set per column, in chunks that grow with the run, compressed. The file is in single-writer mode from
// its first row on ("SWMR"): whoever opens `path`.part meanwhile (h5py.File(…, swmr=True)) reads what there is. Modes
// are enumerations, -1 where the machine is not active; units and kinds are attributes; parameters are a group.
#include "base/error.h"
#include "part_stamp.h"
#include "result/hdf5.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>

enum
{
    CHUNK_ROWS = 1024,
    DEFLATE_LEVEL = 4
};

typedef struct Set
{
    hid_t id;
    hid_t type;     // in memory
    bool is_index;  // p, m and modes are int32
    union
    {
        double numbers[CHUNK_ROWS];
        int32_t indices[CHUNK_ROWS];
    } block;
} Set;

typedef struct Hdf5
{
    hid_t file;
    Set* sets;
    int set_count;
    size_t used;  // rows in the blocks
    hsize_t written;
    char partial[1100];
    bool made;
} Hdf5;

// ---- the library

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void hdf5_lock(void)
{
    pthread_mutex_lock(&mutex);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

// ---- making the file

static bool put_text(hid_t object, const char* name, const char* text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    size_t length = strlen(text);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return fine;
}

// Modes by their names; -1 is "no mode": the machine is not active.
static hid_t mode_type(const kaiColumn* column)
{
    hid_t type = H5Tenum_create(H5T_STD_I32LE);
    int32_t value = -1;
    H5Tenum_insert(type, "", &value);
    for (value = 0; value < column->mode_count; value++)
        H5Tenum_insert(type, column->mode_names[value], &value);
    return type;
}

static bool make_set(kaiWriter* w, Set* set, const char* name, hid_t type, bool is_index)
{
    Hdf5* h = w->own;
    hsize_t none = 0, any = H5S_UNLIMITED, chunk = CHUNK_ROWS;
    hid_t space = H5Screate_simple(1, &none, &any), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, DEFLATE_LEVEL);
    set->is_index = is_index;
    set->type = type;
    set->id = H5Dcreate2(h->file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    h->set_count++;
    return set->id >= 0;
}

static bool make_tags(kaiWriter* w)
{
    Hdf5* h = w->own;
    bool fine = true;
    for (int i = 0; i < w->options.lead_count && fine; i++)
        fine = make_set(w, &h->sets[h->set_count], w->options.lead_names[i], H5Tcopy(H5T_IEEE_F64LE), false);
    Set* t = &h->sets[h->set_count];
    fine =
        fine && make_set(w, t, result_tag_name(w, 0), H5Tcopy(H5T_IEEE_F64LE), false) && put_text(t->id, "unit", "s");
    for (int i = 1; i < 3 && fine; i++)
        fine = make_set(w, &h->sets[h->set_count], result_tag_name(w, i), H5Tcopy(H5T_STD_I32LE), true);
    return fine;
}

static bool make_column(kaiWriter* w, const kaiColumn* column)
{
    static const char* const kinds[] = {"real", "bool", "event", "mode"};
    Hdf5* h = w->own;
    Set* set = &h->sets[h->set_count];
    bool mode = column->kind == KAI_COLUMN_MODE;
    return make_set(w, set, column->name, mode ? mode_type(column) : H5Tcopy(H5T_IEEE_F64LE), mode) &&
           put_text(set->id, "kind", kinds[column->kind]) &&
           (column->unit == NULL || put_text(set->id, "unit", column->unit));
}

static bool make_constants(kaiWriter* w)
{
    const Hdf5* h = w->own;
    bool fine = true;
    if (w->options.constant_count == 0)
        return true;
    hid_t group = H5Gcreate2(h->file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < w->options.constant_count && fine; i++)
    {
        const kaiConstant* c = &w->options.constants[i];
        hid_t set = H5Dcreate2(group, c->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        fine = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &c->value) >= 0 &&
               (c->unit == NULL || put_text(set, "unit", c->unit)) &&
               (c->description == NULL || put_text(set, "description", c->description));
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Gclose(group);
    return fine;
}

static bool make_file(kaiWriter* w)
{
    Hdf5* h = w->own;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);  // what SWMR needs
    H5Pset_file_locking(access, false, true);  // a reader who comes while it is made must not end the run
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    h->file = H5Fcreate(h->partial, H5F_ACC_TRUNC, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    h->made = h->file >= 0;
    if (!h->made)
        return false;
    bool fine = put_text(h->file, "creator", "kairos") &&
                (w->options.title == NULL || put_text(h->file, "title", w->options.title)) && make_constants(w) &&
                make_tags(w);
    for (int i = 0; i < w->column_count && fine; i++)
        fine = make_column(w, &w->columns[i]);
    return fine && H5Fstart_swmr_write(h->file) >= 0;
}

static kaiStatus hdf5_open(kaiWriter* w, kaiError* error)
{
    Hdf5* h = memory_get(w->allocator, sizeof *h);
    w->own = h;
    if (h == NULL)
        return error_memory(error);
    size_t count = (size_t)(w->options.lead_count + w->column_count + 3);
    h->file = H5I_INVALID_HID;
    h->sets = memory_get(w->allocator, sizeof *h->sets * count);
    if (h->sets == NULL)
        return error_memory(error);
    int length = snprintf(h->partial, sizeof h->partial, "%s.part", w->options.path);
    hdf5_lock();
    bool fine = length < (int)sizeof h->partial && make_file(w);
    hdf5_unlock();
    return fine ? KAI_OK : error_set(error, KAI_ERR_IO, "%s cannot be written", w->options.path);
}

// ---- rows

static bool write_block(Hdf5* h, Set* set)
{
    hsize_t size = h->written + h->used, count = h->used;
    if (H5Dset_extent(set->id, &size) < 0)
        return false;
    hid_t in_file = H5Dget_space(set->id), in_memory = H5Screate_simple(1, &count, NULL);
    bool fine = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &h->written, NULL, &count, NULL) >= 0 &&
                H5Dwrite(set->id, set->type, in_memory, in_file, H5P_DEFAULT, &set->block) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return fine;
}

// t comes last: whoever reads meanwhile counts its rows, and finds the others at least as long.
static kaiStatus write_blocks(kaiWriter* w)
{
    Hdf5* h = w->own;
    int t = w->options.lead_count;
    bool fine = true;
    if (h->used == 0)
        return KAI_OK;
    for (int i = 0; i < h->set_count && fine; i++)
        if (i != t)
            fine = write_block(h, &h->sets[i]) && H5Dflush(h->sets[i].id) >= 0;
    fine = fine && write_block(h, &h->sets[t]) && H5Dflush(h->sets[t].id) >= 0;
    h->written += h->used;
    h->used = 0;
    return fine ? KAI_OK : KAI_ERR_IO;
}

static kaiStatus hdf5_flush(kaiWriter* w)
{
    hdf5_lock();
    kaiStatus status = write_blocks(w);
    hdf5_unlock();
    return status;
}

static kaiStatus hdf5_row(kaiWriter* w, const kaiRow* row)
{
    Hdf5* h = w->own;
    int lead = w->options.lead_count;
    size_t k = h->used++;
    for (int i = 0; i < lead; i++)
        h->sets[i].block.numbers[k] = w->lead[i];
    h->sets[lead].block.numbers[k] = row->t;
    h->sets[lead + 1].block.indices[k] = row->p;
    h->sets[lead + 2].block.indices[k] = row->m;
    for (int i = 0; i < w->column_count; i++)
    {
        Set* set = &h->sets[lead + 3 + i];
        if (set->is_index)
            set->block.indices[k] = row->present[i] ? (int32_t)row->values[i] : -1;
        else
            set->block.numbers[k] = result_value(row, i);
    }
    return h->used == CHUNK_ROWS ? hdf5_flush(w) : KAI_OK;
}

// ---- the end

static void close_sets(Hdf5* h)
{
    for (int i = 0; i < h->set_count; i++)
    {
        if (h->sets[i].id >= 0)
            H5Dclose(h->sets[i].id);
        H5Tclose(h->sets[i].type);
    }
    h->set_count = 0;
    if (h->file >= 0)
        H5Fclose(h->file);
    h->file = H5I_INVALID_HID;
}

// In single-writer mode nothing can be added: the remark comes when the file is open again.
static bool add_remark(const Hdf5* h, const char* remark)
{
    hid_t file = H5Fopen(h->partial, H5F_ACC_RDWR, H5P_DEFAULT);
    bool fine = file >= 0 && put_text(file, "remark", remark);
    if (file >= 0)
        H5Fclose(file);
    return fine;
}

static kaiStatus hdf5_close(kaiWriter* w, const char* remark)
{
    Hdf5* h = w->own;
    hdf5_lock();
    bool fine = write_blocks(w) == KAI_OK && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    close_sets(h);
    fine = fine && (remark == NULL || remark[0] == 0 || add_remark(h, remark));
    hdf5_unlock();
    return fine && rename(h->partial, w->options.path) == 0 ? KAI_OK : KAI_ERR_IO;
}

static void hdf5_free(kaiWriter* w)
{
    Hdf5* h = w->own;
    if (h == NULL)
        return;
    hdf5_lock();
    close_sets(h);
    hdf5_unlock();
    memory_give(w->allocator, h->sets, sizeof *h->sets * (size_t)(w->options.lead_count + w->column_count + 3));
    memory_give(w->allocator, h, sizeof *h);
}

static const Format format = {.ending = "h5",
                              .about = "HDF5",
                              .open = hdf5_open,
                              .row = hdf5_row,
                              .flush = hdf5_flush,
                              .close = hdf5_close,
                              .free = hdf5_free};

static const Hdf5Part part = {.head = {sizeof part, PART_STAMP}, .format = &format, .sheet = hdf5_make_sheet};

const PartHead* kairos_part(void)
{
    return &part.head;
}
