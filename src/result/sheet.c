// Binary columns → rows, a block at a time: memory does not grow with the file.
#include "result/sheet.h"

#include "base/error.h"
#include "result/csv.h"
#include "result/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    BLOCK_BYTES = 1 << 20,
    BLOCK_ROWS = 4096
};

// ---- making

bool sheet_allocate(Sheet* sheet, int cells, int streams)
{
    kaiAllocator a = sheet->allocator;
    sheet->cell_capacity = cells;
    sheet->stream_count = sheet->stream_capacity = streams;
    sheet->cells = memory_get(a, sizeof *sheet->cells * (size_t)cells);
    sheet->streams = memory_get(a, sizeof *sheet->streams * (size_t)streams);
    return sheet->cells != NULL && sheet->streams != NULL;
}

Cell* sheet_add(Sheet* sheet, const char* name, size_t length, CellType type)
{
    if (sheet->cell_count == sheet->cell_capacity)
        return NULL;
    Cell* cell = &sheet->cells[sheet->cell_count];
    *cell = (Cell){.type = type, .size = 8};
    cell->name = memory_text(sheet->allocator, name, length);
    if (cell->name == NULL)
        return NULL;
    cell->kind = type == CELL_WIDE || type == CELL_BYTES ? KAI_COLUMN_MODE : KAI_COLUMN_REAL;
    sheet->cell_count++;
    return cell;
}

// The text ends where it has a 0, so that its size is known from it when it goes.
bool sheet_set_unit(Sheet* sheet, Cell* cell, const char* unit, size_t length)
{
    length = strnlen(unit, length);
    if (length == 0 || cell->unit != NULL)
        return true;
    cell->unit = memory_text(sheet->allocator, unit, length);
    return cell->unit != NULL;
}

bool sheet_add_mode(Sheet* sheet, Cell* cell, const char* name, size_t length)
{
    kaiAllocator a = sheet->allocator;
    length = strnlen(name, length);
    if (cell->mode_count == cell->mode_capacity)
    {
        int more = 2 * cell->mode_capacity + 4;
        char** names = a.alloc(a.user, cell->mode_names, sizeof *names * (size_t)cell->mode_capacity,
                               sizeof *names * (size_t)more);
        if (names == NULL)
            return false;
        cell->mode_names = names;
        cell->mode_capacity = more;
    }
    char* copy = memory_text(a, name, length);
    if (copy == NULL)
        return false;
    cell->mode_names[cell->mode_count++] = copy;
    return true;
}

void sheet_free(Sheet* sheet)
{
    kaiAllocator a = sheet->allocator;
    if (sheet->close != NULL)
        sheet->close(sheet);
    for (int i = 0; i < sheet->cell_count; i++)
    {
        Cell* cell = &sheet->cells[i];
        for (int k = 0; k < cell->mode_count; k++)
            memory_give(a, cell->mode_names[k], strlen(cell->mode_names[k]) + 1);
        if (cell->mode_names != NULL)
            a.alloc(a.user, cell->mode_names, sizeof *cell->mode_names * (size_t)cell->mode_capacity, 0);
        memory_give(a, cell->name, strlen(cell->name) + 1);
        memory_give(a, cell->unit, cell->unit != NULL ? strlen(cell->unit) + 1 : 0);
    }
    for (int i = 0; i < sheet->stream_count && sheet->streams != NULL; i++)
        memory_give(a, sheet->streams[i].block, sheet->block_rows * sheet->streams[i].record);
    size_t n = (size_t)sheet->cell_capacity;
    memory_give(a, sheet->streams, sizeof *sheet->streams * (size_t)sheet->stream_capacity);
    memory_give(a, sheet->columns, sizeof *sheet->columns * n);
    memory_give(a, sheet->wanted, sizeof *sheet->wanted * n);
    memory_give(a, sheet->values, sizeof *sheet->values * n);
    memory_give(a, sheet->present, n);
    memory_give(a, sheet->cells, sizeof *sheet->cells * n);
    if (sheet->descriptor >= 0)
        close(sheet->descriptor);
}

kaiStatus sheet_damaged(const Sheet* sheet, const char* what, kaiError* error)
{
    return error_set(error, KAI_ERR_IO, "%s is no result that can be read: %s", sheet->path, what);
}

bool sheet_pread(const Sheet* sheet, long long offset, void* bytes, size_t size)
{
    char* to = bytes;
    while (size > 0)
    {
        ssize_t count = pread(sheet->descriptor, to, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        to += count;
        offset += count;
        size -= (size_t)count;
    }
    return true;
}

long long sheet_file_size(const Sheet* sheet)
{
    struct stat status;
    return fstat(sheet->descriptor, &status) == 0 ? (long long)status.st_size : -1;
}

// ---- tags

static int find_cell(const Sheet* sheet, const char* name)
{
    for (int i = 0; i < sheet->cell_count; i++)
        if (strcmp(sheet->cells[i].name, name) == 0)
            return i;
    return -1;
}

// `#p` if the model has a variable p of its own.
static int find_tag(const Sheet* sheet, const char* marked)
{
    int found = find_cell(sheet, marked);
    return found >= 0 ? found : find_cell(sheet, marked + 1);
}

bool sheet_find_tags(Sheet* sheet, kaiError* error)
{
    int t = find_cell(sheet, "#t");
    if (t < 0)
        t = find_cell(sheet, "time");
    if (t < 0)
        t = find_cell(sheet, "t");
    if (t < 0)
        return sheet_damaged(sheet, "it has no column `t`", error), false;
    int p = find_tag(sheet, "#p"), m = find_tag(sheet, "#m");
    for (int i = 0; i < t; i++)
        sheet->cells[i].role = ROLE_LEAD;
    sheet->cells[t].role = ROLE_T;
    if (p < 0 || m < 0 || p < t || m < p)
        return true;  // another program's: no tags, each row is at ⟨t, 0, 0⟩
    sheet->cells[p].role = ROLE_P;
    sheet->cells[m].role = ROLE_M;
    return true;
}

// ---- cells

static size_t narrow(const uint32_t* wide, size_t count, char* text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < count && wide[i] != 0 && length + 4 < size; i++)
    {
        uint32_t c = wide[i];
        if (c < 0x80)
            text[length++] = (char)c;
        else if (c < 0x800)
        {
            text[length++] = (char)(0xC0 | c >> 6);
            text[length++] = (char)(0x80 | (c & 0x3F));
        }
        else
        {
            if (c > 0xFFFF)
                text[length++] = (char)(0xF0 | (c >> 18 & 7));
            text[length++] = (char)((c > 0xFFFF ? 0x80 : 0xE0) | (c >> 12 & (c > 0xFFFF ? 0x3F : 0xF)));
            text[length++] = (char)(0x80 | (c >> 6 & 0x3F));
            text[length++] = (char)(0x80 | (c & 0x3F));
        }
    }
    text[length] = 0;
    return length;
}

static bool is_number(const Cell* cell)
{
    return cell->type != CELL_WIDE && cell->size > 0 && cell->size <= sizeof(int64_t);
}

static double number_of(const Cell* cell, const char* at)
{
    double value = 0;
    float single = 0;
    int64_t whole = 0;
    if (!is_number(cell))  // a damaged file calls a text one
        return NAN;
    if (cell->type == CELL_FLOAT)
        return memcpy(&single, at, sizeof single), (double)single;
    if (cell->type == CELL_DOUBLE)
        return memcpy(&value, at, sizeof value), value;
    memcpy(&whole, at, cell->size);
    int shift = 64 - 8 * (int)cell->size;
    return (double)((int64_t)((uint64_t)whole << shift) >> shift);
}

// A mode by its text: its number counts in the order of appearance. False: no memory.
static bool mode_of(Sheet* sheet, Cell* cell, const char* at, double* value, bool* present)
{
    char text[1024];
    uint32_t wide[256];
    size_t length = cell->size < sizeof wide ? cell->size : sizeof wide;
    memcpy(wide, at, length);
    if (cell->type == CELL_WIDE)
        length = narrow(wide, length / 4, text, sizeof text);
    else
    {
        length = strnlen(at, cell->size < sizeof text ? cell->size : sizeof text - 1);
        memcpy(text, at, length);
        text[length] = 0;
    }
    *present = length > 0;
    int k = 0;
    while (k < cell->mode_count && strcmp(cell->mode_names[k], text) != 0)
        k++;
    *value = k;
    if (!*present || k < cell->mode_count)
        return true;
    bool fine = sheet_add_mode(sheet, cell, text, length);
    sheet->columns[cell->column].mode_names = (const char* const*)cell->mode_names;
    sheet->columns[cell->column].mode_count = cell->mode_count;
    return fine;
}

static bool is_text(const Cell* cell)
{
    return cell->type == CELL_WIDE || cell->type == CELL_BYTES;
}

static bool read_cell(Sheet* sheet, Cell* cell, const char* at)
{
    bool present = true;
    double value = 0;
    if (is_text(cell))
    {
        if (!mode_of(sheet, cell, at, &value, &present))
            return false;
    }
    else
    {
        value = number_of(cell, at);
        present = cell->kind == KAI_COLUMN_MODE ? value >= 0 && value < cell->mode_count : !kaiNumber_IsAbsent(value);
        value = present && cell->kind == KAI_COLUMN_MODE ? trunc(value) : value;  // an index of its names
    }
    sheet->values[cell->column] = value;
    sheet->present[cell->column] = present;
    return true;
}

// ---- rows

static bool make_columns(Sheet* sheet)
{
    kaiAllocator a = sheet->allocator;
    size_t n = (size_t)sheet->cell_capacity;
    sheet->columns = memory_get(a, sizeof *sheet->columns * n);
    sheet->wanted = memory_get(a, sizeof *sheet->wanted * n);
    sheet->values = memory_get(a, sizeof *sheet->values * n);
    sheet->present = memory_get(a, n);
    if (sheet->columns == NULL || sheet->wanted == NULL || sheet->values == NULL || sheet->present == NULL)
        return false;
    for (int i = 0; i < sheet->cell_count; i++)
    {
        Cell* cell = &sheet->cells[i];
        if (cell->role != ROLE_COLUMN)
            continue;
        cell->column = sheet->column_count++;
        sheet->wanted[cell->column] = true;
        sheet->columns[cell->column] = (kaiColumn){.name = cell->name,
                                                   .kind = cell->kind,
                                                   .unit = cell->unit,
                                                   .mode_names = (const char* const*)cell->mode_names,
                                                   .mode_count = cell->mode_count,
                                                   .impulse = column_impulse(cell->name)};
    }
    return true;
}

static bool make_blocks(Sheet* sheet)
{
    size_t widest = 1;
    if (sheet->rows == 0)
        return true;  // what a file says about rows that it does not have asks for any memory
    for (int i = 0; i < sheet->stream_count; i++)
        widest = sheet->streams[i].record > widest ? sheet->streams[i].record : widest;
    sheet->block_rows = widest * BLOCK_ROWS > BLOCK_BYTES ? BLOCK_BYTES / widest + 1 : BLOCK_ROWS;
    for (int i = 0; i < sheet->stream_count; i++)
    {
        Stream* stream = &sheet->streams[i];
        stream->block = memory_get(sheet->allocator, sheet->block_rows * stream->record);
        if (stream->block == NULL)
            return false;
    }
    return true;
}

static bool fill(Sheet* sheet, uint64_t first, size_t count)
{
    for (int i = 0; i < sheet->stream_count; i++)
    {
        Stream* s = &sheet->streams[i];
        bool fine = s->fill != NULL
                        ? s->fill(sheet, s, first, count, s->block)
                        : sheet_pread(sheet, s->offset + (long long)(first * s->record), s->block, count * s->record);
        if (!fine)
            return false;
    }
    return true;
}

// "run = 1, a = 0.5", told to the visitor when it changes.
static kaiStatus tell_lead(Sheet* sheet, size_t k, const kaiCsvVisitor* visitor)
{
    char text[sizeof sheet->lead_text] = "", digits[NUMBER_MAX + 1];
    size_t length = 0;
    for (int i = 0; i < sheet->cell_count; i++)
    {
        const Cell* cell = &sheet->cells[i];
        const Stream* s = &sheet->streams[cell->stream];
        if (cell->role != ROLE_LEAD || is_text(cell) || length >= sizeof text)
            continue;
        digits[number_write(digits, number_of(cell, s->block + k * s->record + cell->offset))] = 0;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s = %s", length > 0 ? ", " : "", cell->name,
                                   digits);
    }
    if (strcmp(text, sheet->lead_text) == 0)
        return KAI_OK;
    memcpy(sheet->lead_text, text, sizeof text);
    return visitor->lead != NULL ? visitor->lead(visitor->user, text) : KAI_OK;
}

// A damaged file may hold any number there.
static int32_t index_of(double value)
{
    return value >= -1 && value <= INT32_MAX ? (int32_t)value : 0;
}

static kaiStatus tell_row(Sheet* sheet, size_t k, const kaiCsvVisitor* visitor)
{
    kaiRow row = {.values = sheet->values, .present = sheet->present};
    kaiStatus status = tell_lead(sheet, k, visitor);
    for (int i = 0; i < sheet->cell_count && status == KAI_OK; i++)
    {
        Cell* cell = &sheet->cells[i];
        const Stream* s = &sheet->streams[cell->stream];
        const char* at = s->block + k * s->record + cell->offset;
        if (cell->role == ROLE_T)
            row.t = number_of(cell, at);
        else if (cell->role == ROLE_P)
            row.p = index_of(number_of(cell, at));
        else if (cell->role == ROLE_M)
            row.m = index_of(number_of(cell, at));
        else if (cell->role == ROLE_COLUMN && !sheet->wanted[cell->column])
            sheet->present[cell->column] = 0;
        else if (cell->role == ROLE_COLUMN && !read_cell(sheet, cell, at))
            status = KAI_ERR_MEMORY;
    }
    return status == KAI_OK ? visitor->row(visitor->user, &row) : status;
}

kaiStatus sheet_read(Sheet* sheet, const kaiCsvVisitor* visitor, kaiError* error)
{
    for (int i = 0; i < sheet->cell_count; i++)
        if (sheet->cells[i].role != ROLE_LEAD && sheet->cells[i].role != ROLE_COLUMN && !is_number(&sheet->cells[i]))
            return sheet_damaged(sheet, "its tags are no numbers", error);
    if (!make_columns(sheet) || !make_blocks(sheet))
        return error_memory(error);
    kaiStatus status = visitor->header(visitor->user, sheet->columns, sheet->column_count, sheet->wanted);
    for (uint64_t first = 0; first < sheet->rows && status == KAI_OK; first += sheet->block_rows)
    {
        uint64_t rest = sheet->rows - first;
        size_t count = rest < sheet->block_rows ? (size_t)rest : sheet->block_rows;
        if (!fill(sheet, first, count))
            return sheet_damaged(sheet, "it ends before its last row", error);
        for (size_t k = 0; k < count && status == KAI_OK; k++)
            status = tell_row(sheet, k, visitor);
    }
    return status;
}
