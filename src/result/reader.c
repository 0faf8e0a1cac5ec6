// CSV → rows, streamed. A result may have ten million rows, so a line is looked at once: fields that nobody wants are
// skipped, numbers are read by hand (64 bits of digits, then one power of ten in extended precision).
#include "base/error.h"
#include "base/file.h"
#include "result/csv.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum
{
    COLUMNS_MAX = 1 << 16
};

struct kaiCsvReader
{
    kaiAllocator allocator;
    char path[1024];
    kaiLines* lines;
    char* names;  // texts of the header, each ended by 0
    size_t names_size;
    int lead_count, tag_count;         // 3; 1 if there is only a time
    double time_factor, time_divisor;  // from the unit of a table of measurements to seconds
    const char **lead_names, **lead_units;
    char lead_text[512];  // as the last row had it
    kaiColumn* columns;
    int column_count, allocated;
    int* mode_capacity;
    bool* wanted;
    double* values;
    uint8_t* present;
    char remark[400];
};

// ---- memory

static void* get(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static void give(kaiAllocator a, const void* block, size_t size)
{
    if (block != NULL)
        a.alloc(a.user, (void*)block, size, 0);
}

static void free_columns(kaiCsvReader* r)
{
    kaiAllocator a = r->allocator;
    size_t n = (size_t)r->allocated;
    for (int i = 0; i < r->column_count && r->mode_capacity != NULL; i++)
    {
        for (int k = 0; k < r->columns[i].mode_count; k++)
            give(a, r->columns[i].mode_names[k], strlen(r->columns[i].mode_names[k]) + 1);
        give(a, r->columns[i].mode_names, sizeof(char*) * (size_t)r->mode_capacity[i]);
    }
    give(a, r->names, r->names_size);
    give(a, r->lead_names, sizeof *r->lead_names * n);
    give(a, r->lead_units, sizeof *r->lead_units * n);
    give(a, r->columns, sizeof *r->columns * n);
    give(a, r->mode_capacity, sizeof *r->mode_capacity * n);
    give(a, r->wanted, sizeof *r->wanted * n);
    give(a, r->values, sizeof *r->values * n);
    give(a, r->present, n);
}

void kaiCsvReader_Free(kaiCsvReader* r)
{
    if (r == NULL)
        return;
    kaiAllocator a = r->allocator;
    free_columns(r);
    kaiLines_Free(r->lines);
    give(a, r, sizeof *r);
}

const char* kaiCsvReader_Remark(const kaiCsvReader* r)
{
    return r != NULL && r->remark[0] != 0 ? r->remark : NULL;
}

// ---- lines

static void read_status(kaiCsvReader* r, const char* path)
{
    char name[sizeof r->path + 8];
    snprintf(name, sizeof name, "%s.status", path);
    size_t size;
    const char* why;
    FILE* file = strcmp(path, "-") != 0 ? file_open_whole(name, SIZE_MAX, &size, &why) : NULL;
    if (file == NULL)
        return;
    if (fgets(r->remark, sizeof r->remark, file) != NULL)
        r->remark[strcspn(r->remark, "\n")] = 0;
    fclose(file);
}

kaiCsvReader* kaiCsvReader_Open(const char* path, kaiAllocator a, kaiError* error)
{
    if (path == NULL || a.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "a reader needs a path and an allocator"), NULL;
    kaiCsvReader* r = get(a, sizeof *r);
    if (r == NULL)
        return error_memory(error), NULL;
    r->allocator = a;
    snprintf(r->path, sizeof r->path, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    r->lines = kaiLines_Open(path, NULL, a, error);
    if (r->lines != NULL)
        return read_status(r, path), r;
    kaiCsvReader_Free(r);
    return NULL;
}

void kaiCsvReader_SetInterrupt(kaiCsvReader* r, const volatile int* interrupt)
{
    if (r != NULL)
        kaiLines_SetInterrupt(r->lines, interrupt);
}

// The next line with its '\n', or what the file ends with. KAI_END: nothing left.
static kaiStatus next_line(kaiCsvReader* r, char** line, char** end, kaiError* error)
{
    size_t length = 0;
    kaiStatus status = kaiLines_Next(r->lines, line, &length, error);
    if (status == KAI_OK)
        *end = *line + length;
    return status;
}

// ---- numbers

static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                     1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                     1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

// Whether a number of 64 bits lies so near the middle between two doubles that its own rounding decides to which it
// goes.
static bool is_doubtful(long double value)
{
#if LDBL_MANT_DIG == 64
    uint64_t digits;
    memcpy(&digits, &value, sizeof digits);
    unsigned tail = (unsigned)(digits & 0x7ff);
    return tail >= 0x3ff && tail <= 0x401;
#else
    (void)value;
    return true;
#endif
}

// A field that `end` or a ',' before it ends. Returns where it ends; NULL: no number.
static char* read_number(char* at, char* end, double* value)
{
    char* from = at;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    bool negative = at < end && *at == '-', any = false;
    at += negative;
    for (; at < end && *at >= '0' && *at <= '9'; at++, any = true)
        if (count < 19)
            digits = digits * 10 + (uint64_t)(*at - '0'), count += digits != 0;
        else
            exponent++;
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++, any = true)
            if (count < 19)
                digits = digits * 10 + (uint64_t)(*at - '0'), count += digits != 0, exponent--;
    if (any && at < end && (*at == 'e' || *at == 'E'))
    {
        char* stop;
        exponent += (int)strtol(at + 1, &stop, 10);
        at = stop;
    }
    if (!any || (at != end && *at != ',') || exponent > 27 || exponent < -27)
    {
        char* stop;  // far exponents, inf, nan
        *value = strtod(from, &stop);
        return stop > from && stop <= end && (stop == end || *stop == ',') ? stop : NULL;
    }
    long double scaled =
        exponent < 0 ? (long double)digits / powers[-exponent] : (long double)digits * powers[exponent];
    *value = is_doubtful(scaled) || count == 19 ? strtod(from, NULL) : (double)(negative ? -scaled : scaled);
    return at;
}

// ---- fields

// The end of the field at `at`: its ',' or the end of the line. Quoted fields may contain commas.
static char* field_end(char* at, char* end)
{
    if (at < end && *at == '"')
        for (at++; at < end && !(*at == '"' && (at + 1 >= end || at[1] != '"')); at++)
            at += *at == '"';
    char* comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
    return comma != NULL ? comma : end;
}

// Takes quotes off, in place; ends the text with 0 (over the ',' or '\n' behind it).
static char* plain_text(char* at, char* end)
{
    *end = 0;
    if (*at != '"')
        return at;
    char* out = at;
    for (char* in = at + 1; *in != 0; in++)
        if (*in != '"' || in[1] == '"')
        {
            *out++ = *in;
            in += *in == '"';
        }
    *out = 0;
    return at;
}

static void trim(char** end, const char* begin)
{
    while (*end > begin && ((*end)[-1] == '\n' || (*end)[-1] == '\r'))
        (*end)--;
}

// ---- header

static bool allocate_columns(kaiCsvReader* r, const char* line, size_t length)
{
    int fields = 1;
    for (size_t i = 0; i < length; i++)
        fields += line[i] == ',';
    kaiAllocator a = r->allocator;
    size_t n = (size_t)(r->allocated = fields);
    r->names_size = 2 * length + (size_t)fields * sizeof ".impulse99" + 2;  // `x#0` is written anew behind them
    r->names = get(a, r->names_size);
    r->lead_names = get(a, sizeof *r->lead_names * n);
    r->lead_units = get(a, sizeof *r->lead_units * n);
    r->columns = get(a, sizeof *r->columns * n);
    r->mode_capacity = get(a, sizeof *r->mode_capacity * n);
    r->wanted = get(a, sizeof *r->wanted * n);
    r->values = get(a, sizeof *r->values * n);
    r->present = get(a, n);
    return r->names != NULL && r->lead_names != NULL && r->lead_units != NULL && r->columns != NULL &&
           r->mode_capacity != NULL && r->wanted != NULL && r->values != NULL && r->present != NULL;
}

static bool is_mode_name(const char* name)
{
    size_t length = strlen(name);
    return strcmp(name, "mode") == 0 || (length > 5 && strcmp(name + length - 5, ".mode") == 0);
}

// "x [km]": cuts the unit off. NULL: there is none.
static const char* split_unit(char* name)
{
    size_t length = strlen(name);
    char* open = length > 3 && name[length - 1] == ']' ? strstr(name, " [") : NULL;
    if (open == NULL)
        return NULL;
    name[length - 1] = 0;
    *open = 0;
    return open + 2;
}

// The number of a weight, "" for that of δ; -1: no number.
static int read_order(const char* digits)
{
    return strspn(digits, "0123456789") == strlen(digits) && strlen(digits) <= 2 ? atoi(digits) : -1;
}

int column_impulse(const char* name)
{
    const char* dot = strrchr(name, '.');
    return dot != NULL && dot > name && strncmp(dot, ".impulse", 8) == 0 ? read_order(dot + 8) + 1 : 0;
}

// The same for results that are older and have `x#0`, `x#1`: *name then gets the new one, written to *spare.
static int impulse_order(const char** name, char** spare)
{
    const char* hash = strrchr(*name, '#');
    if (hash == NULL)
        return column_impulse(*name);
    int order = read_order(hash + 1);
    if (order < 0)
        return 0;
    int length = order > 0 ? sprintf(*spare, "%.*s.impulse%d", (int)(hash - *name), *name, order)
                           : sprintf(*spare, "%.*s.impulse", (int)(hash - *name), *name);
    *name = *spare;
    *spare += length + 1;
    return order + 1;
}

static void add_column(kaiCsvReader* r, char* text, char** spare)
{
    const char* unit = split_unit(text);
    const char* name = text;
    int impulse = impulse_order(&name, spare);
    r->wanted[r->column_count] = true;
    r->columns[r->column_count++] = (kaiColumn){
        .name = name, .unit = unit, .kind = is_mode_name(name) ? KAI_COLUMN_MODE : KAI_COLUMN_REAL, .impulse = impulse};
}

// Names before `t,p,m` lead, those behind are the columns. False: there is no t,p,m.
static bool read_names(kaiCsvReader* r, char* at, char* end)
{
    int tags = 0;
    char* spare = end + 1;
    while (at <= end && at != NULL)
    {
        char* stop = field_end(at, end);
        bool last = stop == end;
        char* name = plain_text(at, stop);
        if (tags == 3)
            add_column(r, name, &spare);
        else if (strlen(name) == 1 && name[0] == "tpm"[tags])
            tags++;
        else if (tags > 0)
            return false;
        else
        {
            r->lead_units[r->lead_count] = split_unit(name);
            r->lead_names[r->lead_count++] = name;
        }
        at = last ? NULL : stop + 1;
    }
    r->tag_count = 3;
    r->time_factor = r->time_divisor = 1;
    return tags == 3;
}

// Tables of measurements may have a time in another unit. False: it is none of time.
static bool read_time_unit(kaiCsvReader* r, const char* unit)
{
    static const struct
    {
        const char* unit;
        double factor, divisor;
    } units[] = {{"s", 1, 1},    {"ms", 1, 1e3},  {"us", 1, 1e6}, {"\u00B5s", 1, 1e6}, {"\u03BCs", 1, 1e6},
                 {"ns", 1, 1e9}, {"ps", 1, 1e12}, {"min", 60, 1}, {"h", 3600, 1},      {"d", 86400, 1}};
    r->time_factor = r->time_divisor = 1;
    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, unit) == 0)
        {
            r->time_factor = units[i].factor;
            r->time_divisor = units[i].divisor;
            return true;
        }
    return unit == NULL;
}

// What others measured: a first column t or time, and names behind it. False: it is another file.
static bool read_plain_names(kaiCsvReader* r, char* at, char* end)
{
    char *stop = field_end(at, end), *spare = end + 1;
    char* first = plain_text(at, stop);
    const char* unit = split_unit(first);
    if (!read_time_unit(r, unit) || (strcmp(first, "t") != 0 && strcasecmp(first, "time") != 0) || stop == end)
        return false;
    r->tag_count = 1;
    r->lead_count = r->column_count = 0;
    for (at = stop + 1; at != NULL && at <= end; at = stop == end ? NULL : stop + 1)
    {
        stop = field_end(at, end);
        add_column(r, plain_text(at, stop), &spare);
    }
    return true;
}

static kaiStatus read_header(kaiCsvReader* r, kaiError* error)
{
    char *line, *end;
    kaiStatus status = next_line(r, &line, &end, error);
    if (status == KAI_END)
    {
        error_set(error, KAI_ERR_IO, "%s is empty", r->path);
        return KAI_ERR_IO;
    }
    if (status != KAI_OK)
        return status;
    trim(&end, line);
    if (!allocate_columns(r, line, (size_t)(end - line)))
        return KAI_ERR_MEMORY;
    memcpy(r->names, line, (size_t)(end - line));
    if (read_names(r, r->names, r->names + (end - line)))
        return KAI_OK;
    memcpy(r->names, line, (size_t)(end - line));
    if (read_plain_names(r, r->names, r->names + (end - line)))
        return KAI_OK;
    bool commas = memchr(line, ',', (size_t)(end - line)) != NULL;
    char other = commas                                     ? 0
                 : memchr(line, ';', (size_t)(end - line))  ? ';'
                 : memchr(line, '\t', (size_t)(end - line)) ? '\t'
                                                            : 0;
    if (other != 0)
        error_set(
            error, KAI_ERR_IO,
            "%s is no result of `kairos run`, and its columns are separated by %s: write commas, and points in numbers",
            r->path, other == ';' ? "`;`" : "tabs");
    else
        error_set(error, KAI_ERR_IO,
                  "%s is no result of `kairos run`: its first line has no t,p,m; of a table of measurements the first "
                  "column is called `t` or `time`, in s, ms or another unit of time",
                  r->path);
    return KAI_ERR_IO;
}

// ---- rows

static kaiStatus find_mode(kaiCsvReader* r, int column, const char* at, size_t length, double* value)
{
    kaiColumn* c = &r->columns[column];
    kaiAllocator a = r->allocator;
    for (int k = 0; k < c->mode_count; k++)
        if (strlen(c->mode_names[k]) == length && memcmp(c->mode_names[k], at, length) == 0)
        {
            *value = k;
            return KAI_OK;
        }
    if (c->mode_count == r->mode_capacity[column])
    {
        int more = 2 * c->mode_count + 4;
        void* names = a.alloc(a.user, (void*)c->mode_names, sizeof(char*) * (size_t)r->mode_capacity[column],
                              sizeof(char*) * (size_t)more);
        if (names == NULL)
            return KAI_ERR_MEMORY;
        c->mode_names = names;
        r->mode_capacity[column] = more;
    }
    char* name = get(a, length + 1);
    if (name == NULL)
        return KAI_ERR_MEMORY;
    memcpy(name, at, length);
    ((const char**)c->mode_names)[c->mode_count] = name;
    *value = c->mode_count++;
    return KAI_OK;
}

static kaiStatus bad_row(const kaiCsvReader* r, const char* what, kaiError* error)
{
    error_set(error, KAI_ERR_IO, "%s:%lld: %s; run the model again to get the whole result", r->path,
              kaiLines_Number(r->lines), what);
    return KAI_ERR_IO;
}

static const char cut_off[] = "the result is cut off in the middle of this row";

// "run = 1, a = 0.5", told to the visitor when it changes.
static kaiStatus read_lead(kaiCsvReader* r, char** at, char* end, const kaiCsvVisitor* v)
{
    char text[sizeof r->lead_text] = "";
    size_t length = 0;
    for (int i = 0; i < r->lead_count && *at <= end; i++)
    {
        char* stop = field_end(*at, end);
        if (length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s = %.*s%s%s", i > 0 ? ", " : "",
                                       r->lead_names[i], (int)(stop - *at), *at, r->lead_units[i] != NULL ? " " : "",
                                       r->lead_units[i] != NULL ? r->lead_units[i] : "");
        *at = stop + 1;
    }
    if (strcmp(text, r->lead_text) == 0)
        return KAI_OK;
    memcpy(r->lead_text, text, sizeof text);
    return v->lead != NULL ? v->lead(v->user, text) : KAI_OK;
}

static bool read_tag(char** at, char* end, double tag[3], int count)
{
    for (int i = 0; i < count; i++)
    {
        char* stop = *at <= end ? read_number(*at, end, &tag[i]) : NULL;
        bool whole = stop != NULL && (i == 0 || (tag[i] >= INT32_MIN && tag[i] <= INT32_MAX));
        if (!whole)
            return false;
        *at = stop + 1;
    }
    return true;
}

// The value of column i at *at, which then stands behind it.
static kaiStatus read_value(kaiCsvReader* r, int i, char** at_end, char* end, kaiError* error)
{
    char *at = *at_end, *stop = NULL;
    bool empty = at == end || *at == ',', mode = r->columns[i].kind == KAI_COLUMN_MODE;
    r->present[i] = r->wanted[i] && !empty;
    if (r->present[i] && !mode && (*at_end = read_number(at, end, &r->values[i])) != NULL)
        return KAI_OK;
    *at_end = stop = empty ? at : field_end(at, end);
    if (!r->present[i])
        return KAI_OK;
    if (mode)
        return find_mode(r, i, at, (size_t)(stop - at), &r->values[i]);
    char what[300];
    snprintf(what, sizeof what, "`%.*s` in column %s is no number", (int)(stop - at > 40 ? 40 : stop - at), at,
             r->columns[i].name);
    return bad_row(r, what, error);
}

static kaiStatus read_row(kaiCsvReader* r, char* at, char* end, const kaiCsvVisitor* v, kaiError* error)
{
    double tag[3] = {0};
    if (end[-1] != '\n' && r->tag_count == 3)
        return bad_row(r, cut_off, error);
    if (memchr(at, 0, (size_t)(end - at)) != NULL)
        return bad_row(r, "this row holds bytes of 0, which no text has", error);
    trim(&end, at);
    kaiStatus status = r->lead_count > 0 ? read_lead(r, &at, end, v) : KAI_OK;
    if (status != KAI_OK)
        return status;
    if (!read_tag(&at, end, tag, r->tag_count))
        return bad_row(r, cut_off, error);
    tag[0] = tag[0] * r->time_factor / r->time_divisor;
    for (int i = 0; i < r->column_count; i++)
    {
        if (at > end)
            return bad_row(r, cut_off, error);
        status = read_value(r, i, &at, end, error);
        if (status != KAI_OK)
            return status;
        at++;
    }
    if (at <= end)
        return bad_row(r, "this row has more fields than the first line has names", error);
    return v->row(v->user, &(kaiRow){tag[0], (int32_t)tag[1], (int32_t)tag[2], r->values, r->present});
}

kaiStatus kaiCsvReader_Read(kaiCsvReader* r, const kaiCsvVisitor* v, kaiError* error)
{
    if (r == NULL || v == NULL || v->header == NULL || v->row == NULL)
        return error_set(error, KAI_ERR_USAGE, "a reader needs a visitor with header and row");
    error_set(error, KAI_ERR_IO, "%s cannot be read", r->path);
    kaiStatus status = read_header(r, error);
    if (status == KAI_OK)
        status = v->header(v->user, r->columns, r->column_count, r->wanted);
    while (status == KAI_OK)
    {
        char *line, *end;
        status = next_line(r, &line, &end, error);
        if (status != KAI_OK)
            break;
        if (line[0] == '#')
            snprintf(r->remark, sizeof r->remark, "%.*s", (int)(end - line > 2 ? end - line - 2 : 0), line + 2);
        else
            status = read_row(r, line, end, v, error);
    }
    size_t length = strlen(r->remark);
    if (length > 0 && r->remark[length - 1] == '\n')
        r->remark[length - 1] = 0;
    return status == KAI_END ? KAI_OK : status;
}
