// NPZ: a result as one array per column, in a ZIP file without compression (numpy.load opens it lazily, any program
// that unpacks ZIP can take it apart). The columns are gathered in memory and written at the end. Beside the data there
// are `#units` and `#kinds`, texts in the order of `#names`; and `#remark` where the run did not reach its end.
//
// ZIP as in APPNOTE.TXT 6.3: local header, bytes, … and a directory at the end; sizes of 32 bits.
#include "base/error.h"
#include "result/npy.h"

#include <stdio.h>

enum
{
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46
};

typedef struct Entry
{
    uint32_t check, size, offset;
    char name[300];  // longer ones are cut
} Entry;

typedef struct Npz
{
    kaiRecorder* recorder;
    double* values;  // lead and columns of a row
    uint8_t* present;
    Entry* entries;
    int entry_count, entry_capacity;
    uint32_t table[256];  // of CRC-32
    bool too_large;
} Npz;

// ---- ZIP

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++)
    {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static void put_bytes(kaiWriter* w, Entry* entry, const void* bytes, size_t size)
{
    Npz* npz = w->own;
    const unsigned char* at = bytes;
    uint32_t check = ~entry->check;
    for (size_t i = 0; i < size; i++)
        check = npz->table[(check ^ at[i]) & 0xff] ^ (check >> 8);
    entry->check = ~check;
    npz->too_large |= size > UINT32_MAX - entry->size;
    entry->size += (uint32_t)size;
    result_put(w, bytes, size);
}

static void set16(char* at, unsigned value)
{
    at[0] = (char)(value & 0xff);
    at[1] = (char)(value >> 8);
}

static void set32(char* at, uint32_t value)
{
    set16(at, value & 0xffff);
    set16(at + 2, value >> 16);
}

// What both headers have: version, flags (names in UTF-8), method "stored", a date, check sum, sizes, length of name.
static void fill_common(char* at, const Entry* entry)
{
    set16(at, 20);
    set16(at + 2, 0x0800);
    set16(at + 8, 0x21);  // the first day of ZIP: files do not depend on when they were made
    set32(at + 10, entry->check);
    set32(at + 14, entry->size);
    set32(at + 18, entry->size);
    set16(at + 22, (unsigned)strlen(entry->name));
}

static Entry* begin_entry(kaiWriter* w, const char* name)
{
    Npz* npz = w->own;
    Entry* entry = &npz->entries[npz->entry_count++];
    char head[LOCAL_SIZE] = "PK\x03\x04";
    npz->too_large |= result_position(w) > UINT32_MAX;
    entry->offset = (uint32_t)result_position(w);
    snprintf(entry->name, sizeof entry->name, "%s.npy", name);
    fill_common(head + 4, entry);
    result_put(w, head, sizeof head);
    result_text(w, entry->name);
    return entry;
}

static void end_entry(kaiWriter* w, const Entry* entry)
{
    char head[LOCAL_SIZE] = "PK\x03\x04";
    fill_common(head + 4, entry);
    result_patch(w, entry->offset, head, sizeof head);
}

static void put_directory(kaiWriter* w)
{
    Npz* npz = w->own;
    long long begin = result_position(w);
    for (int i = 0; i < npz->entry_count; i++)
    {
        char head[CENTRAL_SIZE] = "PK\x01\x02";
        set16(head + 4, 20);
        fill_common(head + 6, &npz->entries[i]);
        set32(head + 42, npz->entries[i].offset);
        result_put(w, head, sizeof head);
        result_text(w, npz->entries[i].name);
    }
    char end[22] = "PK\x05\x06";
    npz->too_large |= result_position(w) > UINT32_MAX || npz->entry_count > UINT16_MAX;
    set16(end + 8, (unsigned)npz->entry_count & 0xffff);
    set16(end + 10, (unsigned)npz->entry_count & 0xffff);
    set32(end + 12, (uint32_t)(result_position(w) - begin));
    set32(end + 16, (uint32_t)begin);
    result_put(w, end, sizeof end);
}

// ---- arrays

static void put_array(kaiWriter* w, const char* name, const char* type, const void* values, size_t size, int64_t count)
{
    char head[NPY_HEAD_MAX];
    Entry* entry = begin_entry(w, name);
    put_bytes(w, entry, head, npy_head(head, type, (uint64_t)count));
    if (count > 0)
        put_bytes(w, entry, values, size * (size_t)count);
    end_entry(w, entry);
}

enum
{
    WIDTH_MAX = 400
};

static void put_wide(kaiWriter* w, Entry* entry, int width, const char* text)
{
    uint32_t wide[WIDTH_MAX];
    npy_wide(wide, width, text);
    put_bytes(w, entry, wide, sizeof *wide * (size_t)width);
}

static void put_modes(kaiWriter* w, const kaiColumn* column, const double* values, int64_t count)
{
    char head[NPY_HEAD_MAX], type[20], digits[40];
    int width = npy_mode_width(column);
    width = width < WIDTH_MAX ? width : WIDTH_MAX;
    snprintf(type, sizeof type, "<U%d", width);
    Entry* entry = begin_entry(w, column->name);
    put_bytes(w, entry, head, npy_head(head, type, (uint64_t)count));
    for (int64_t i = 0; i < count; i++)
        put_wide(w, entry, width, kaiNumber_IsAbsent(values[i]) ? "" : result_mode_text(column, values[i], digits));
    end_entry(w, entry);
}

static const char* kind_word(kaiColumnKind kind)
{
    static const char* const words[] = {"real", "bool", "event", "mode"};
    return words[kind];
}

static const char* name_of(const kaiColumn* column)
{
    return column->name;
}

static const char* unit_of(const kaiColumn* column)
{
    return column->unit != NULL ? column->unit : "";
}

static const char* kind_of(const kaiColumn* column)
{
    return kind_word(column->kind);
}

// Something about every column, as an array of texts.
static void put_about(kaiWriter* w, const char* name, const char* (*about)(const kaiColumn* column))
{
    char head[NPY_HEAD_MAX], type[20];
    int width = 1;
    for (int i = 0; i < w->column_count; i++)
        width = (int)strlen(about(&w->columns[i])) > width ? (int)strlen(about(&w->columns[i])) : width;
    width = width < WIDTH_MAX ? width : WIDTH_MAX;
    snprintf(type, sizeof type, "<U%d", width);
    Entry* entry = begin_entry(w, name);
    put_bytes(w, entry, head, npy_head(head, type, (uint64_t)w->column_count));
    for (int i = 0; i < w->column_count; i++)
        put_wide(w, entry, width, about(&w->columns[i]));
    end_entry(w, entry);
}

static void put_remark(kaiWriter* w, const char* remark)
{
    char head[NPY_HEAD_MAX], type[20];
    int width = (int)strlen(remark);
    width = width < WIDTH_MAX ? width : WIDTH_MAX;
    if (width == 0)
        return;
    snprintf(type, sizeof type, "<U%d", width);
    Entry* entry = begin_entry(w, "#remark");
    put_bytes(w, entry, head, npy_head(head, type, 1));
    put_wide(w, entry, width, remark);
    end_entry(w, entry);
}

// ---- the format

static kaiStatus npz_open(kaiWriter* w, kaiError* error)
{
    Npz* npz = memory_get(w->allocator, sizeof *npz);
    w->own = npz;
    if (npz == NULL)
        return error_memory(error);
    int count = w->options.lead_count + w->column_count;
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    options.allocator = w->allocator;
    npz->recorder = kaiRecorder_Create(&options, count, error);
    npz->values = memory_get(w->allocator, sizeof *npz->values * (size_t)count);
    npz->present = memory_get(w->allocator, (size_t)count);
    npz->entry_capacity = count + 8;
    npz->entries = memory_get(w->allocator, sizeof *npz->entries * (size_t)npz->entry_capacity);
    make_table(npz->table);
    bool fine = npz->recorder != NULL && npz->values != NULL && npz->present != NULL && npz->entries != NULL;
    return fine ? KAI_OK : error_memory(error);
}

static kaiStatus npz_row(kaiWriter* w, const kaiRow* row)
{
    Npz* npz = w->own;
    int lead = w->options.lead_count;
    for (int i = 0; i < lead; i++)
    {
        npz->values[i] = w->lead[i];
        npz->present[i] = 1;
    }
    for (int i = 0; i < w->column_count; i++)
    {
        npz->values[lead + i] = row->values[i];
        npz->present[lead + i] = row->present[i];
    }
    return kaiRecorder_Row(npz->recorder, &(kaiRow){row->t, row->p, row->m, npz->values, npz->present});
}

static kaiStatus npz_close(kaiWriter* w, const char* remark)
{
    Npz* npz = w->own;
    int lead = w->options.lead_count;
    int64_t count = kaiRecorder_Count(npz->recorder);
    for (int i = 0; i < lead; i++)
        put_array(w, w->options.lead_names[i], "<f8", kaiRecorder_Column(npz->recorder, i), sizeof(double), count);
    put_array(w, result_tag_name(w, 0), "<f8", kaiRecorder_Times(npz->recorder), sizeof(double), count);
    put_array(w, result_tag_name(w, 1), "<i4", kaiRecorder_Jumps(npz->recorder), sizeof(int32_t), count);
    put_array(w, result_tag_name(w, 2), "<i4", kaiRecorder_Reactions(npz->recorder), sizeof(int32_t), count);
    for (int i = 0; i < w->column_count && w->status == KAI_OK; i++)
    {
        const double* values = kaiRecorder_Column(npz->recorder, lead + i);
        if (w->columns[i].kind == KAI_COLUMN_MODE)
            put_modes(w, &w->columns[i], values, count);
        else
            put_array(w, w->columns[i].name, "<f8", values, sizeof(double), count);
    }
    put_about(w, "#names", name_of);
    put_about(w, "#units", unit_of);
    put_about(w, "#kinds", kind_of);
    if (remark != NULL)
        put_remark(w, remark);
    put_directory(w);
    return w->status == KAI_OK && npz->too_large ? KAI_ERR_LIMIT : w->status;
}

static void npz_free(kaiWriter* w)
{
    Npz* npz = w->own;
    kaiAllocator a = w->allocator;
    size_t count = (size_t)(w->options.lead_count + w->column_count);
    if (npz == NULL)
        return;
    kaiRecorder_Free(npz->recorder);
    memory_give(a, npz->values, sizeof *npz->values * count);
    memory_give(a, npz->present, count);
    memory_give(a, npz->entries, sizeof *npz->entries * (size_t)npz->entry_capacity);
    memory_give(a, npz, sizeof *npz);
}

const Format format_npz = {"npz", "NumPy, one array per column", true, npz_open, npz_row, NULL, npz_close, npz_free};
