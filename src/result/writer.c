// Rows → a file of the format that its ending names: the frame of all formats but CSV, which has its own (csv.c), and
// the door to both.
#include "base/error.h"
#include "result/format.h"
#include "result/number.h"

#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    BUFFER_SIZE = 1 << 18
};

// CSV is the first: what has no ending is CSV too.
static const char csv_ending[] = "csv";
static const Format* const formats[] = {&format_npy, &format_npz, &format_mat, &format_hdf5, &format_vcd};
enum
{
    FORMAT_COUNT = sizeof formats / sizeof *formats
};

const char* kaiFormat_Ending(int index)
{
    if (index == 0)
        return csv_ending;
    return index > 0 && index <= FORMAT_COUNT ? formats[index - 1]->ending : NULL;
}

const char* kaiFormat_About(int index)
{
    if (index == 0)
        return "text, a line per row";
    return index > 0 && index <= FORMAT_COUNT ? formats[index - 1]->about : NULL;
}

void result_endings(char* text, size_t size)
{
    size_t length = 0;
    const char* ending;
    for (int i = 0; (ending = kaiFormat_Ending(i)) != NULL && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s.%s",
                                   i == 0                            ? ""
                                   : kaiFormat_Ending(i + 1) == NULL ? " or "
                                                                     : ", ",
                                   ending);
}

// ---- which format

static const char* ending_of(const char* path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(path, '.');
    name = name != NULL ? name + 1 : path;
    return dot != NULL && dot > name ? dot + 1 : "";
}

// A device, a pipe or a folder is none of the formats, whatever it is called: the writer of CSV knows what to do.
static bool is_stream(const char* path)
{
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

// The number of a format; -1: the ending is unknown.
static int find_format(const char* path)
{
    const char* ending = ending_of(path);
    if (ending[0] == 0)
        return 0;
    if (strcasecmp(ending, "hdf5") == 0)
        ending = format_hdf5.ending;
    for (int i = 0; kaiFormat_Ending(i) != NULL; i++)
        if (strcasecmp(ending, kaiFormat_Ending(i)) == 0)
            return i;
    return is_stream(path) ? 0 : -1;
}

kaiStatus kaiFormat_Check(const char* path, kaiError* error)
{
    char endings[200];
    if (path == NULL)
        return error_set(error, KAI_ERR_USAGE, "a result needs a path");
    int found = find_format(path);
    if (found < 0)
    {
        result_endings(endings, sizeof endings);
        return error_set(error, KAI_ERR_USAGE, "%s: a result ends in %s, not in .%s", path, endings, ending_of(path));
    }
    if (found > 0 && is_stream(path))
        return error_set(error, KAI_ERR_USAGE, "%s is a device or pipe; only CSV is written there", path);
    error_clear(error);
    return KAI_OK;
}

// ---- bytes

static void write_out(kaiWriter* w)
{
    if (w->status == KAI_OK)
        w->status = output_write(&w->output, w->buffer, w->used);
    w->used = 0;
}

void result_put(kaiWriter* w, const void* bytes, size_t size)
{
    const char* from = bytes;
    while (size > 0 && w->status == KAI_OK)
    {
        size_t room = BUFFER_SIZE - w->used, part = size < room ? size : room;
        memcpy(w->buffer + w->used, from, part);
        w->used += part;
        from += part;
        size -= part;
        if (w->used == BUFFER_SIZE)
            write_out(w);
    }
}

void result_text(kaiWriter* w, const char* text)
{
    result_put(w, text, strlen(text));
}

long long result_position(const kaiWriter* w)
{
    return w->output.written + (long long)w->used;
}

void result_patch(kaiWriter* w, long long offset, const void* bytes, size_t size)
{
    if (offset + (long long)size > w->output.written && w->used > 0)
        write_out(w);
    if (w->status == KAI_OK && pwrite(w->output.descriptor, bytes, size, offset) != (ssize_t)size)
        w->status = KAI_ERR_IO;
}

kaiStatus result_flush(kaiWriter* w)
{
    write_out(w);
    return w->status;
}

const char* result_tag_name(const kaiWriter* w, int which)
{
    static const char* const names[] = {"#t", "#p", "#m"};
    for (int i = 0; i < w->column_count; i++)
        if (strcmp(w->columns[i].name, names[which] + 1) == 0)
            return names[which];
    for (int i = 0; i < w->options.lead_count; i++)
        if (strcmp(w->options.lead_names[i], names[which] + 1) == 0)
            return names[which];
    return names[which] + 1;
}

const char* result_mode_text(const kaiColumn* column, double value, char digits[40])
{
    if (value >= 0 && value < column->mode_count)
        return column->mode_names[(int)value];
    digits[number_write(digits, value)] = 0;
    return digits;
}

// ---- opening and closing

kaiWriterOptions kaiDefaultWriterOptions(void)
{
    return (kaiWriterOptions){.cookie = KAI_COOKIE, .path = "-", .allocator = kaiDefaultAllocator()};
}

static void release(kaiWriter* w)
{
    kaiAllocator a = w->allocator;
    size_t n = (size_t)w->column_count, lead = (size_t)w->options.lead_count;
    if (w->format != NULL && w->format->free != NULL)
        w->format->free(w);
    memory_give(a, w->buffer, BUFFER_SIZE);
    memory_give(a, w->copies, w->copies_size);
    memory_give(a, w->lead, sizeof(double) * lead);
    memory_give(a, w->pending_lead, sizeof(double) * lead);
    memory_give(a, w->values, sizeof(double) * n);
    memory_give(a, w->present, n);
    output_free(&w->output, a);
    memory_give(a, w, sizeof *w);
}

static kaiStatus open_csv(kaiWriter* w, kaiError* error)
{
    const kaiWriterOptions* o = &w->options;
    kaiCsvOptions csv = kaiDefaultCsvOptions();
    csv.path = o->path;
    csv.view = o->view;
    csv.lead_names = o->lead_names;
    csv.lead_count = o->lead_count;
    csv.mark = o->mark;
    csv.mark_size = o->mark_size;
    csv.allocator = o->allocator;
    w->csv = kaiCsv_Open(&csv, w->columns, w->column_count, error);
    return w->csv != NULL ? KAI_OK : error != NULL ? error->status : KAI_ERR_IO;
}

// ---- copies of what the caller says, in one block: columns, pointers, texts

typedef struct Packing
{
    kaiColumn* columns;
    const char** pointers;
    char* texts;  // NULL: only counting
    size_t pointer_count, text_size;
} Packing;

static const char* pack_text(Packing* p, const char* text)
{
    if (text == NULL)
        return NULL;
    size_t size = strlen(text) + 1;
    char* at = p->texts != NULL ? memcpy(p->texts + p->text_size, text, size) : NULL;
    p->text_size += size;
    return at;
}

static const char* const* pack_texts(Packing* p, const char* const* texts, int count)
{
    size_t first = p->pointer_count;
    p->pointer_count += (size_t)count;
    for (int i = 0; i < count; i++)
    {
        const char* text = pack_text(p, texts[i]);
        if (p->texts != NULL)
            p->pointers[first + (size_t)i] = text;
    }
    return p->texts != NULL ? p->pointers + first : NULL;
}

static void pack(Packing* p, kaiWriter* w, const kaiColumn* columns, const char* const* lead_names)
{
    p->pointer_count = p->text_size = 0;
    for (int i = 0; i < w->column_count; i++)
    {
        kaiColumn copy = columns[i];
        copy.name = pack_text(p, columns[i].name);
        copy.unit = pack_text(p, columns[i].unit);
        copy.mode_count = columns[i].kind == KAI_COLUMN_MODE ? columns[i].mode_count : 0;
        copy.mode_names = pack_texts(p, columns[i].mode_names, copy.mode_count);
        if (p->texts != NULL)
            p->columns[i] = copy;
    }
    w->options.lead_names = pack_texts(p, lead_names, w->options.lead_count);
}

static bool make_copies(kaiWriter* w)
{
    const kaiColumn* columns = w->columns;
    const char* const* lead_names = w->options.lead_names;
    Packing p = {0};
    pack(&p, w, columns, lead_names);
    size_t of_columns = sizeof *columns * (size_t)w->column_count, of_pointers = sizeof(char*) * p.pointer_count;
    w->copies_size = of_columns + of_pointers + p.text_size;
    char* block = w->copies = memory_get(w->allocator, w->copies_size);
    if (block == NULL)
        return false;
    p.columns = (kaiColumn*)(void*)block;
    p.pointers = (const char**)(void*)(block + of_columns);
    p.texts = block + of_columns + of_pointers;
    pack(&p, w, columns, lead_names);
    w->columns = p.columns;
    return true;
}

static bool allocate(kaiWriter* w)
{
    size_t n = (size_t)w->column_count, lead = (size_t)w->options.lead_count;
    w->buffer = memory_get(w->allocator, BUFFER_SIZE);
    w->lead = memory_get(w->allocator, sizeof(double) * lead);
    w->pending_lead = memory_get(w->allocator, sizeof(double) * lead);
    w->values = memory_get(w->allocator, sizeof(double) * n);
    w->present = memory_get(w->allocator, n);
    return w->buffer != NULL && w->lead != NULL && w->pending_lead != NULL && w->values != NULL && w->present != NULL &&
           make_copies(w);
}

static kaiStatus open_format(kaiWriter* w, kaiError* error)
{
    if (w->options.mark != NULL)
        return error_set(error, KAI_ERR_USAGE, "%s: only a CSV can go on where it was", w->options.path);
    if (!allocate(w))
        return error_memory(error);
    kaiSink none = {0};
    const char* why = w->format->streams ? output_open(&w->output, w->options.path, none, w->allocator) : NULL;
    if (why != NULL)
        return error_set(error, KAI_ERR_IO, "%s cannot be written: %s", w->options.path, why);
    kaiStatus status = w->format->open(w, error);
    if (status == KAI_OK && w->status != KAI_OK)
        status = error_set(error, w->status, "%s cannot be written", w->options.path);
    return status;
}

static bool is_fine(const kaiWriterOptions* o, const kaiColumn* columns, int column_count)
{
    return o->path != NULL && column_count >= 0 && (columns != NULL || column_count == 0) && o->lead_count >= 0 &&
           (o->lead_names != NULL || o->lead_count == 0) && o->constant_count >= 0 &&
           (o->constants != NULL || o->constant_count == 0) && o->allocator.alloc != NULL && o->view >= KAI_VIEW_FULL &&
           o->view <= KAI_VIEW_UNIQUE;
}

kaiWriter* kaiWriter_Open(const kaiWriterOptions* o, const kaiColumn* columns, int column_count, kaiError* error)
{
    if (!error_check_cookie(o != NULL ? &o->cookie : NULL, "kaiDefaultWriterOptions", error))
        return NULL;
    if (!is_fine(o, columns, column_count))
        return error_set(error, KAI_ERR_USAGE, "a result needs a path, columns, a view and an allocator"), NULL;
    if (kaiFormat_Check(o->path, error) != KAI_OK)
        return NULL;
    kaiWriter* w = memory_get(o->allocator, sizeof *w);
    if (w == NULL)
        return error_memory(error), NULL;
    int found = find_format(o->path);
    *w = (kaiWriter){.format = found > 0 ? formats[found - 1] : NULL,
                     .allocator = o->allocator,
                     .options = *o,
                     .columns = columns,
                     .column_count = column_count,
                     .output = {.descriptor = -1}};
    kaiStatus status = w->format == NULL ? open_csv(w, error) : open_format(w, error);
    if (status == KAI_OK)
        return w;
    release(w);
    return NULL;
}

// ---- rows

static void hand_over(kaiWriter* w, const kaiRow* row)
{
    if (w->status != KAI_OK)
        return;
    kaiStatus status = w->format->row(w, row);
    w->status = w->status == KAI_OK ? status : w->status;
    w->rows++;
}

// Writes or drops the pending row, now that the next one is known to have another t, or the same.
static void settle(kaiWriter* w, bool same_t)
{
    kaiView view = w->options.view;
    bool replaced = same_t && (view == KAI_VIEW_UNIQUE || (view == KAI_VIEW_LIMITS && !w->pending_is_left_limit));
    if (w->pending && !replaced)
    {
        double* lead = w->lead;
        w->lead = w->pending_lead;
        hand_over(w, &w->row);
        w->lead = lead;
    }
    w->pending = false;
}

static void keep(kaiWriter* w, const kaiRow* row)
{
    size_t n = (size_t)w->column_count;
    bool same_t = w->pending && w->row.t == row->t;
    settle(w, same_t);
    if (n > 0)
    {
        memcpy(w->values, row->values, sizeof *w->values * n);
        memcpy(w->present, row->present, n);
    }
    if (w->options.lead_count > 0)
        memcpy(w->pending_lead, w->lead, sizeof *w->lead * (size_t)w->options.lead_count);
    w->row = (kaiRow){row->t, row->p, row->m, w->values, w->present};
    w->pending = true;
    w->pending_is_left_limit = !same_t && row->p == -1;
}

kaiStatus kaiWriter_Row(void* writer, const kaiRow* row)
{
    kaiWriter* w = writer;
    if (w == NULL || row == NULL)
        return KAI_ERR_USAGE;
    if (w->csv != NULL)
        return kaiCsv_Row(w->csv, row);
    if (w->options.view == KAI_VIEW_FULL)
        hand_over(w, row);
    else
        keep(w, row);
    return w->status;
}

void kaiWriter_SetLead(kaiWriter* w, const double* values)
{
    if (w == NULL || values == NULL)
        return;
    if (w->csv != NULL)
    {
        kaiCsv_SetLead(w->csv, values);
        return;
    }
    settle(w, false);
    if (w->options.lead_count > 0)
        memcpy(w->lead, values, sizeof *values * (size_t)w->options.lead_count);
}

kaiStatus kaiWriter_Flush(kaiWriter* w)
{
    if (w == NULL)
        return KAI_ERR_USAGE;
    if (w->csv != NULL)
        return kaiCsv_Flush(w->csv);
    if (w->status == KAI_OK && w->format->flush != NULL)
        w->status = w->format->flush(w);
    else if (w->format->streams)
        result_flush(w);
    return w->status;
}

kaiCsv* kaiWriter_Csv(kaiWriter* w)
{
    return w != NULL ? w->csv : NULL;
}

kaiStatus kaiWriter_Close(kaiWriter* w, const char* remark)
{
    if (w == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status;
    if (w->csv != NULL)
        status = kaiCsv_Close(w->csv, remark);
    else
    {
        settle(w, false);
        if (w->status == KAI_OK)
            w->status = w->format->close(w, remark);
        if (w->format->streams)
        {
            result_flush(w);
            w->status = output_close(&w->output, w->status);
        }
        status = w->status;
    }
    release(w);
    return status;
}
