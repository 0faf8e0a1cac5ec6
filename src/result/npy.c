// NPY: a result as one array of records, a field per column. numpy.load reads it, pandas.DataFrame takes it. It is
// streamed: the number of rows stands in the header with room to grow, and is written at the end.
#include "result/npy.h"

#include <stdio.h>

enum
{
    ALIGNMENT = 64,
    COUNT_ROOM = 20,        // digits
    OLD_HEADER_MAX = 60000  // version 1 counts its header in 16 bits
};

typedef struct Npy
{
    long long count_at;  // where the number of rows stands
    int width_max;       // of the modes
    uint32_t* wide;
} Npy;

size_t npy_head(char text[NPY_HEAD_MAX], const char* type, uint64_t count)
{
    char* words = text + 10;
    int length = snprintf(words, NPY_HEAD_MAX - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }", type,
                          (unsigned long long)count);
    size_t whole = ((size_t)length + 11 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(words + length, ' ', whole - 10 - (size_t)length);
    text[whole - 1] = '\n';
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    text[8] = (char)((whole - 10) & 0xff);
    text[9] = (char)((whole - 10) >> 8);
    return whole;
}

static int characters(const char* text)
{
    int count = 0;
    for (; *text != 0; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

int npy_mode_width(const kaiColumn* column)
{
    int width = 1;
    for (int i = 0; i < column->mode_count; i++)
        if (characters(column->mode_names[i]) > width)
            width = characters(column->mode_names[i]);
    return width;
}

void npy_wide(uint32_t* out, int width, const char* text)
{
    memset(out, 0, sizeof *out * (size_t)width);
    const unsigned char* at = (const unsigned char*)text;
    for (int i = 0; i < width && *at != 0; i++)
    {
        int more = *at < 0xC0 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
        uint32_t code = more == 0 ? *at : *at & (0x3Fu >> more);
        for (at++; more > 0 && (*at & 0xC0) == 0x80; more--, at++)
            code = code << 6 | (*at & 0x3Fu);
        out[i] = code;
    }
}

// ---- the header of records

// A name as a Python string: quotes and backslashes escaped.
static void put_name(kaiWriter* w, const char* name)
{
    result_text(w, "'");
    for (; *name != 0; name++)
    {
        if (*name == '\'' || *name == '\\')
            result_put(w, "\\", 1);
        result_put(w, name, 1);
    }
    result_text(w, "'");
}

static void put_field(kaiWriter* w, const char* name, const char* type)
{
    result_text(w, "(");
    put_name(w, name);
    result_text(w, ", '");
    result_text(w, type);
    result_text(w, "'), ");
}

static void put_fields(kaiWriter* w, Npy* npy)
{
    for (int i = 0; i < w->options.lead_count; i++)
        put_field(w, w->options.lead_names[i], "<f8");
    put_field(w, result_tag_name(w, 0), "<f8");
    put_field(w, result_tag_name(w, 1), "<i4");
    put_field(w, result_tag_name(w, 2), "<i4");
    for (int i = 0; i < w->column_count; i++)
    {
        char type[20] = "<f8";
        if (w->columns[i].kind == KAI_COLUMN_MODE)
        {
            int width = npy_mode_width(&w->columns[i]);
            npy->width_max = width > npy->width_max ? width : npy->width_max;
            snprintf(type, sizeof type, "<U%d", width);
        }
        put_field(w, w->columns[i].name, type);
    }
}

// Version 3 has names in UTF-8, version 2 a long header; whoever reads only version 1 gets it where it is enough.
static int choose_version(const kaiWriter* w)
{
    size_t size = 200;
    bool plain = true;
    for (int i = 0; i < w->column_count; i++)
    {
        size += 2 * strlen(w->columns[i].name) + 20;
        for (const char* at = w->columns[i].name; *at != 0; at++)
            plain &= (unsigned char)*at < 128;
    }
    return !plain ? 3 : size > OLD_HEADER_MAX ? 2 : 1;
}

static kaiStatus npy_open(kaiWriter* w, kaiError* error)
{
    (void)error;
    Npy* npy = memory_get(w->allocator, sizeof *npy);
    w->own = npy;
    if (npy == NULL)
        return KAI_ERR_MEMORY;
    int version = choose_version(w);
    char head[8] = "\x93NUMPY";
    head[6] = (char)version;
    result_put(w, head, 8);
    uint32_t length = 0;
    size_t length_size = version == 1 ? 2 : 4;
    result_put(w, &length, length_size);
    result_text(w, "{'descr': [");
    put_fields(w, npy);
    result_text(w, "], 'fortran_order': False, 'shape': (");
    npy->count_at = result_position(w);
    result_text(w, "                    ,), }");
    long long end = result_position(w), whole = (end + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    for (; end < whole - 1; end++)
        result_put(w, " ", 1);
    result_put(w, "\n", 1);
    length = (uint32_t)(whole - 8 - (long long)length_size);
    result_patch(w, 8, &length, length_size);
    npy->wide = memory_get(w->allocator, sizeof *npy->wide * (size_t)npy->width_max);
    return npy->wide != NULL ? w->status : KAI_ERR_MEMORY;
}

// ---- rows

static void put_mode(kaiWriter* w, Npy* npy, const kaiRow* row, int column)
{
    char digits[40];
    int width = npy_mode_width(&w->columns[column]);
    bool present = row->present[column];
    npy_wide(npy->wide, width, present ? result_mode_text(&w->columns[column], row->values[column], digits) : "");
    result_put(w, npy->wide, sizeof *npy->wide * (size_t)width);
}

static kaiStatus npy_row(kaiWriter* w, const kaiRow* row)
{
    result_put(w, w->lead, sizeof(double) * (size_t)w->options.lead_count);
    result_put(w, &row->t, sizeof row->t);
    result_put(w, &row->p, sizeof row->p);
    result_put(w, &row->m, sizeof row->m);
    for (int i = 0; i < w->column_count; i++)
    {
        double value = result_value(row, i);
        if (w->columns[i].kind == KAI_COLUMN_MODE)
            put_mode(w, w->own, row, i);
        else
            result_put(w, &value, sizeof value);
    }
    return w->status;
}

static kaiStatus npy_close(kaiWriter* w, const char* remark)
{
    (void)remark;
    const Npy* npy = w->own;
    char digits[COUNT_ROOM + 1];
    snprintf(digits, sizeof digits, "%*llu", COUNT_ROOM, (unsigned long long)w->rows);
    result_patch(w, npy->count_at, digits, COUNT_ROOM);
    return w->status;
}

static void npy_free(kaiWriter* w)
{
    Npy* npy = w->own;
    if (npy != NULL)
        memory_give(w->allocator, npy->wide, sizeof *npy->wide * (size_t)npy->width_max);
    memory_give(w->allocator, npy, sizeof *npy);
}

const Format format_npy = {"npy", "NumPy, one array of records", true, npy_open, npy_row, NULL, npy_close, npy_free};
