// Rows → CSV. Rows are formatted into one large buffer. The last of them is *pending*: whether it stays is known only
// when the next row comes (the views `limits` and `unique` drop rows that a later row of the same t replaces), and
// dropping it is moving one index back. Only rows that stay are ever written.
#include "result/csv.h"

#include "base/error.h"
#include "result/number.h"
#include "result/output.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum
{
    BUFFER_MIN = 1 << 18,
    TAG_MAX = NUMBER_MAX + 2 * 12 + 4  // t,p,m, and the end of the line
};

struct Csv
{
    kaiAllocator allocator;
    Output output;
    kaiStatus status;  // the first failure; nothing is written after it
    const kaiColumn* columns;
    int column_count;
    kaiView view;

    // [0, kept): rows that stay; [kept, used): the pending row.
    char* buffer;
    size_t capacity, kept, used;
    size_t row_max;  // bytes that any row fits in
    bool pending, pending_is_left_limit;
    double pending_t;

    double t;  // the last one, and its digits
    char t_text[NUMBER_MAX];
    size_t t_length;

    char* lead;  // "1,0.25,": what every row begins with
    size_t lead_capacity, lead_length;
    int lead_count;
};

static inline bool ends_field(char c)
{
    return c == ',' || c == '"' || c == '\r' || c == '\n';
}

// Text as a field: quoted, with quotes doubled, if it contains what would end a field (RFC 4180).
static char* write_text(char* out, const char* text)
{
    size_t length = 0;
    while (text[length] != 0 && !ends_field(text[length]))
        length++;
    if (text[length] == 0)
    {
        memcpy(out, text, length);
        return out + length;
    }
    *out++ = '"';
    for (; *text != 0; text++)
    {
        if (*text == '"')
            *out++ = '"';
        *out++ = *text;
    }
    *out++ = '"';
    return out;
}

// `x [km]`, and whatever its name contains.
static char* write_title(char* out, const kaiColumn* column)
{
    if (column->unit == NULL || column->unit[0] == 0)
        return write_text(out, column->name);
    char* end = write_text(out, column->name);
    bool quoted = *out == '"';
    end -= quoted;
    *end++ = ' ';
    *end++ = '[';
    size_t length = strlen(column->unit);
    memcpy(end, column->unit, length);
    end += length;
    *end++ = ']';
    if (quoted)
        *end++ = '"';
    return end;
}

static size_t text_max(const char* text)
{
    return 2 * strlen(text) + 3;
}

static char* write_value(char* out, const kaiColumn* column, double value)
{
    if (column->kind == KAI_COLUMN_BOOL)
    {
        *out++ = value != 0 ? '1' : '0';
        return out;
    }
    if (column->kind == KAI_COLUMN_MODE && value >= 0 && value < column->mode_count)
        return write_text(out, column->mode_names[(int)value]);
    return out + number_write(out, value);
}

// The tags of an instant share their t: its digits are made once.
static char* write_time(Csv* csv, char* out, double t)
{
    if (csv->t_length == 0 || memcmp(&csv->t, &t, sizeof t) != 0)
    {
        csv->t = t;
        csv->t_length = (size_t)number_write(csv->t_text, t);
    }
    memcpy(out, csv->t_text, csv->t_length);
    return out + csv->t_length;
}

static char* write_index(char* out, int32_t value)
{
    if (value >= 0 && value < 10)
    {
        *out++ = (char)('0' + value);
        return out;
    }
    return out + number_write(out, value);
}

static char* write_row(Csv* csv, char* out, const kaiRow* row)
{
    if (csv->lead_length > 0)
        memcpy(out, csv->lead, csv->lead_length);
    out += csv->lead_length;
    out = write_time(csv, out, row->t);
    *out++ = ',';
    out = write_index(out, row->p);
    *out++ = ',';
    out = write_index(out, row->m);
    for (int i = 0; i < csv->column_count; i++)
    {
        *out++ = ',';
        if (row->present[i])
            out = write_value(out, &csv->columns[i], row->values[i]);
    }
    *out++ = '\n';
    return out;
}

static char* write_header(char* out, const CsvOptions* options)
{
    for (int i = 0; i < options->lead_count; i++)
    {
        out = write_text(out, options->lead_names[i]);
        *out++ = ',';
    }
    memcpy(out, "t,p,m", 5);
    out += 5;
    for (int i = 0; i < options->column_count; i++)
    {
        *out++ = ',';
        out = write_title(out, &options->columns[i]);
    }
    *out++ = '\n';
    return out;
}

static size_t header_max(const CsvOptions* options)
{
    size_t size = TAG_MAX;
    for (int i = 0; i < options->lead_count; i++)
        size += text_max(options->lead_names[i]);
    for (int i = 0; i < options->column_count; i++)
        size += text_max(options->columns[i].name) +
                (options->columns[i].unit != NULL ? strlen(options->columns[i].unit) + 3 : 0);
    return size;
}

static size_t row_max(const CsvOptions* options)
{
    size_t size = TAG_MAX + (size_t)options->lead_count * (NUMBER_MAX + 1);
    for (int i = 0; i < options->column_count; i++)
    {
        const kaiColumn* column = &options->columns[i];
        size_t field = NUMBER_MAX + 1;
        for (int k = 0; column->kind == KAI_COLUMN_MODE && k < column->mode_count; k++)
            if (field < text_max(column->mode_names[k]))
                field = text_max(column->mode_names[k]);
        size += field;
    }
    return size;
}

// Frees what there is of it.
static void release(Csv* csv)
{
    kaiAllocator a = csv->allocator;
    if (csv->buffer != NULL)
        a.alloc(a.user, csv->buffer, csv->capacity, 0);
    if (csv->lead != NULL)
        a.alloc(a.user, csv->lead, csv->lead_capacity, 0);
    output_free(&csv->output, a);
    a.alloc(a.user, csv, sizeof *csv, 0);
}

static bool allocate_buffers(Csv* csv, const CsvOptions* options)
{
    size_t header = header_max(options);
    csv->row_max = row_max(options);
    csv->capacity = BUFFER_MIN > 2 * csv->row_max ? BUFFER_MIN : 2 * csv->row_max;
    if (csv->capacity < header)
        csv->capacity = header;
    csv->buffer = csv->allocator.alloc(csv->allocator.user, NULL, 0, csv->capacity);
    csv->lead_capacity = (size_t)options->lead_count * (NUMBER_MAX + 1);
    if (csv->lead_capacity > 0)
        csv->lead = csv->allocator.alloc(csv->allocator.user, NULL, 0, csv->lead_capacity);
    return csv->buffer != NULL && (csv->lead_capacity == 0 || csv->lead != NULL);
}

// ---- marks: where a file can go on

typedef struct Mark
{
    char magic[8];
    uint64_t bytes;  // of the file
    double pending_t;
    uint32_t pending_size;  // of the row that follows
    uint32_t flags;         // 1: there is one; 2: it is a left limit
} Mark;

static const char mark_magic[8] = "KAIMARK1";

static const char* take_mark(Csv* csv, const char* path, const CsvOptions* options)
{
    Mark mark = {.bytes = 0};
    if (options->mark_size >= sizeof mark)
        memcpy(&mark, options->mark, sizeof mark);
    if (memcmp(mark.magic, mark_magic, sizeof mark_magic) != 0 || mark.bytes > INT64_MAX ||
        mark.pending_size != options->mark_size - sizeof mark || mark.pending_size > csv->capacity)
        return "what says where to go on is damaged";
    const char* error = output_open_at(&csv->output, path, (long long)mark.bytes, csv->allocator);
    if (error != NULL)
        return error;
    memcpy(csv->buffer, (const char*)options->mark + sizeof mark, mark.pending_size);
    csv->used = mark.pending_size;
    csv->pending = (mark.flags & 1) != 0;
    csv->pending_is_left_limit = (mark.flags & 2) != 0;
    csv->pending_t = mark.pending_t;
    return NULL;
}

static const char* begin_file(Csv* csv, const char* path, const CsvOptions* options)
{
    if (options->mark != NULL)
        return take_mark(csv, path, options);
    const char* error = output_open(&csv->output, path, options->sink, csv->allocator);
    if (error == NULL)
        csv->kept = csv->used = (size_t)(write_header(csv->buffer, options) - csv->buffer);
    return error;
}

Csv* csv_open(const char* path, const CsvOptions* options, kaiAllocator allocator, const char** error)
{
    Csv* csv = allocator.alloc(allocator.user, NULL, 0, sizeof *csv);
    if (csv == NULL)
    {
        *error = "out of memory";
        return NULL;
    }
    *csv = (Csv){.allocator = allocator,
                 .columns = options->columns,
                 .column_count = options->column_count,
                 .view = options->view,
                 .lead_count = options->lead_count};
    *error = allocate_buffers(csv, options) ? begin_file(csv, path, options) : "out of memory";
    if (*error != NULL)
    {
        release(csv);
        return NULL;
    }
    if (csv->lead_count > 0)
        memset(csv->lead, ',', csv->lead_length = (size_t)csv->lead_count);  // empty fields until they are set
    return csv;
}

// Writes the rows that stay and moves the pending one to the front.
static void flush(Csv* csv)
{
    if (csv->status == KAI_OK)
        csv->status = output_write(&csv->output, csv->buffer, csv->kept);
    memmove(csv->buffer, csv->buffer + csv->kept, csv->used - csv->kept);
    csv->used -= csv->kept;
    csv->kept = 0;
}

// Keeps or drops the pending row, now that the next one is known to have another t, or the same.
static void settle(Csv* csv, bool same_t)
{
    bool replaced =
        same_t && (csv->view == KAI_VIEW_UNIQUE || (csv->view == KAI_VIEW_LIMITS && !csv->pending_is_left_limit));
    if (csv->pending && replaced)
        csv->used = csv->kept;
    csv->kept = csv->used;
    csv->pending = false;
}

kaiStatus csv_row(Csv* csv, const kaiRow* row)
{
    bool same_t = csv->pending && csv->pending_t == row->t;
    settle(csv, same_t);
    if (csv->capacity - csv->used < csv->row_max)
        flush(csv);
    if (csv->status != KAI_OK)
        return csv->status;
    csv->used = (size_t)(write_row(csv, csv->buffer + csv->used, row) - csv->buffer);
    assert(csv->used <= csv->capacity);
    csv->pending = true;
    csv->pending_t = row->t;
    csv->pending_is_left_limit = !same_t && row->p == -1;
    return KAI_OK;
}

kaiStatus csv_flush(Csv* csv)
{
    if (csv->view == KAI_VIEW_FULL)
        settle(csv, false);  // nothing can replace it
    flush(csv);
    return csv->status;
}

kaiStatus csv_mark(Csv* csv, const kaiSink* sink)
{
    flush(csv);
    if (csv->status == KAI_OK)
        csv->status = output_sync(&csv->output);
    if (csv->status != KAI_OK)
        return csv->status;
    Mark mark = {.bytes = (uint64_t)csv->output.written,
                 .pending_t = csv->pending_t,
                 .pending_size = (uint32_t)csv->used,
                 .flags = (csv->pending ? 1u : 0u) | (csv->pending_is_left_limit ? 2u : 0u)};
    memcpy(mark.magic, mark_magic, sizeof mark_magic);
    kaiStatus status = sink->write(sink->user, (const char*)&mark, sizeof mark);
    return status == KAI_OK ? sink->write(sink->user, csv->buffer, csv->used) : status;
}

void csv_set_lead(Csv* csv, const double* values)
{
    settle(csv, false);
    csv->lead_length = 0;
    for (int i = 0; i < csv->lead_count; i++)
    {
        csv->lead_length += (size_t)number_write(csv->lead + csv->lead_length, values[i]);
        csv->lead[csv->lead_length++] = ',';
    }
}

kaiStatus csv_close(Csv* csv, const char* remark)
{
    settle(csv, false);
    flush(csv);
    if (csv->status == KAI_OK)
        csv->status = output_remark(&csv->output, remark);
    kaiStatus status = output_close(&csv->output, csv->status);
    release(csv);
    return status;
}

// ---- the public functions

kaiCsvOptions kaiDefaultCsvOptions(void)
{
    return (kaiCsvOptions){.cookie = KAI_COOKIE, .path = "-", .allocator = kaiDefaultAllocator()};
}

kaiCsv* kaiCsv_Open(const kaiCsvOptions* o, const kaiColumn* columns, int column_count, kaiError* error)
{
    if (!error_check_cookie(o != NULL ? &o->cookie : NULL, "kaiDefaultCsvOptions", error))
        return NULL;
    bool fine = o->path != NULL && column_count >= 0 && (columns != NULL || column_count == 0) && o->lead_count >= 0 &&
                (o->lead_names != NULL || o->lead_count == 0) && o->allocator.alloc != NULL &&
                o->view >= KAI_VIEW_FULL && o->view <= KAI_VIEW_UNIQUE;
    if (!fine)
        return error_set(error, KAI_ERR_USAGE, "a result needs a path, columns, a view and an allocator"), NULL;
    const char* why = NULL;
    CsvOptions options = {columns, column_count, o->view, o->lead_names, o->lead_count, o->sink, o->mark, o->mark_size};
    Csv* csv = csv_open(o->path, &options, o->allocator, &why);
    if (csv == NULL && strcmp(why, "out of memory") == 0)
        error_memory(error);
    else if (csv == NULL)
        error_set(error, KAI_ERR_IO, "%s cannot be written: %s", o->path, why);
    return (kaiCsv*)csv;
}

kaiStatus kaiCsv_Row(kaiCsv* csv, const kaiRow* row)
{
    return csv != NULL && row != NULL ? csv_row((Csv*)csv, row) : KAI_ERR_USAGE;
}

kaiStatus kaiCsv_Mark(kaiCsv* csv, const kaiSink* mark)
{
    return csv != NULL && mark != NULL && mark->write != NULL ? csv_mark((Csv*)csv, mark) : KAI_ERR_USAGE;
}

kaiStatus kaiCsv_Flush(kaiCsv* csv)
{
    return csv != NULL ? csv_flush((Csv*)csv) : KAI_ERR_USAGE;
}

void kaiCsv_SetLead(kaiCsv* csv, const double* values)
{
    if (csv != NULL && values != NULL)
        csv_set_lead((Csv*)csv, values);
}

kaiStatus kaiCsv_Close(kaiCsv* csv, const char* remark)
{
    return csv != NULL ? csv_close((Csv*)csv, remark) : KAI_ERR_USAGE;
}
