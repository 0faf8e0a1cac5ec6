// VCD → rows. Ours say in comments which tag the changes belong to; for those of other programs every time is a row.
// Tokens are separated by blanks, as the standard has it; what is not understood is skipped.
#include "base/error.h"
#include "result/csv.h"
#include "result/sheet.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum
{
    BUFFER_SIZE = 1 << 16,
    TOKEN_MAX = 1000,
    CODE_ROOM = 16
};

typedef struct Variable
{
    char code[CODE_ROOM];
    int column;
} Variable;

struct VcdReader
{
    Sheet sheet;  // columns, and the memory that they need
    const kaiCsvVisitor* visitor;
    char buffer[BUFFER_SIZE];
    size_t begin, end;
    char token[TOKEN_MAX];
    Variable* codes;  // sorted
    int code_capacity;
    double* payload;
    double unit;
    bool ours, open;  // tags in comments; there is a row that has not been handed over
    kaiRow row;
    kaiStatus status;
};

// ---- tokens

static int next_char(VcdReader* r)
{
    if (r->begin == r->end)
    {
        ssize_t count;
        do
            count = read(r->sheet.descriptor, r->buffer, BUFFER_SIZE);
        while (count < 0 && errno == EINTR);
        if (count <= 0)
            return -1;
        r->begin = 0;
        r->end = (size_t)count;
    }
    return (unsigned char)r->buffer[r->begin++];
}

static bool next_token(VcdReader* r)
{
    int c = next_char(r);
    size_t length = 0;
    while (c >= 0 && c <= ' ')
        c = next_char(r);
    for (; c > ' '; c = next_char(r))
        if (length + 1 < TOKEN_MAX)
            r->token[length++] = (char)c;
    r->token[length] = 0;
    return length > 0;
}

static bool is_end(const VcdReader* r)
{
    return strcmp(r->token, "$end") == 0;
}

static void skip_to_end(VcdReader* r)
{
    while (next_token(r) && !is_end(r))
        ;
}

// ---- definitions

static bool grow(VcdReader* r)
{
    Sheet* t = &r->sheet;
    kaiAllocator a = t->allocator;
    if (t->cell_count < t->cell_capacity)
        return true;
    int to = 2 * t->cell_capacity + 64;
    size_t from_size = (size_t)t->cell_capacity, to_size = (size_t)to;
    Cell* cells = a.alloc(a.user, t->cells, from_size * sizeof *cells, to_size * sizeof *cells);
    if (cells == NULL)
        return false;
    t->cells = cells;
    t->cell_capacity = to;
    Variable* codes = a.alloc(a.user, r->codes, (size_t)r->code_capacity * sizeof *codes, to_size * sizeof *codes);
    if (codes == NULL)
        return false;
    r->codes = codes;
    r->code_capacity = to;
    return true;
}

static kaiColumnKind kind_of(const char* type)
{
    return strcmp(type, "event") == 0                              ? KAI_COLUMN_EVENT
           : strcmp(type, "string") == 0                           ? KAI_COLUMN_MODE
           : strcmp(type, "wire") == 0 || strcmp(type, "reg") == 0 ? KAI_COLUMN_BOOL
                                                                   : KAI_COLUMN_REAL;
}

// $var type size code name… $end
static bool add_variable(VcdReader* r)
{
    char type[20], code[CODE_ROOM], name[TOKEN_MAX] = "";
    next_token(r);
    snprintf(type, sizeof type, "%.19s", r->token);
    next_token(r);
    bool wide = strcmp(r->token, "1") != 0;
    next_token(r);
    snprintf(code, sizeof code, "%.15s", r->token);
    for (size_t length = 0; next_token(r) && !is_end(r); length = strlen(name))
        snprintf(name + length, sizeof name - length, "%s", r->token);
    if (!grow(r))
        return false;
    Variable* variable = &r->codes[r->sheet.cell_count];
    memcpy(variable->code, code, sizeof code);
    variable->column = r->sheet.cell_count;
    Cell* cell = sheet_add(&r->sheet, name, strlen(name), CELL_DOUBLE);
    if (cell == NULL)
        return false;
    cell->kind = kind_of(type);
    cell->kind = cell->kind == KAI_COLUMN_BOOL && wide ? KAI_COLUMN_REAL : cell->kind;
    return true;
}

static void read_timescale(VcdReader* r)
{
    static const struct
    {
        const char* name;
        double size;
    } units[] = {{"fs", 1e-15}, {"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    double number = 1;
    while (next_token(r) && !is_end(r))
    {
        char* rest;
        double read = strtod(r->token, &rest);
        number = rest != r->token ? read : number;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(rest, units[i].name) == 0)
                r->unit = number * units[i].size;
    }
}

static int by_code(const void* a, const void* b)
{
    return strcmp(((const Variable*)a)->code, ((const Variable*)b)->code);
}

static kaiStatus end_definitions(VcdReader* r, kaiError* error)
{
    Sheet* t = &r->sheet;
    size_t n = (size_t)t->cell_capacity;
    kaiAllocator a = t->allocator;
    skip_to_end(r);
    t->columns = memory_get(a, sizeof *t->columns * n);
    t->wanted = memory_get(a, sizeof *t->wanted * n);
    t->values = memory_get(a, sizeof *t->values * n);
    t->present = memory_get(a, n);
    r->payload = memory_get(a, sizeof *r->payload * n);
    if (t->columns == NULL || t->wanted == NULL || t->values == NULL || t->present == NULL || r->payload == NULL)
        return error_memory(error);
    t->column_count = t->cell_count;
    for (int i = 0; i < t->cell_count; i++)
    {
        t->cells[i].column = i;
        t->wanted[i] = true;
        r->payload[i] = 1;
        t->columns[i] = (kaiColumn){
            .name = t->cells[i].name, .kind = t->cells[i].kind, .impulse = column_impulse(t->cells[i].name)};
    }
    if (t->cell_count > 0)
        qsort(r->codes, (size_t)t->cell_count, sizeof *r->codes, by_code);
    return r->visitor->header(r->visitor->user, t->columns, t->column_count, t->wanted);
}

// ---- changes

static int find_column(const VcdReader* r, const char* code)
{
    Variable key = {.column = -1};
    snprintf(key.code, sizeof key.code, "%.15s", code);
    const Variable* found = r->sheet.cell_count > 0
                                ? bsearch(&key, r->codes, (size_t)r->sheet.cell_count, sizeof *r->codes, by_code)
                                : NULL;
    return found != NULL ? found->column : -1;
}

// The row that is complete; events are gone with it.
static void hand_over(VcdReader* r)
{
    Sheet* t = &r->sheet;
    if (!r->open)
        return;
    for (int i = 0; i < t->column_count; i++)
        t->present[i] = t->present[i] && t->wanted[i];
    r->row.values = t->values;
    r->row.present = t->present;
    r->status = r->visitor->row(r->visitor->user, &r->row);
    r->open = false;
    for (int i = 0; i < t->column_count; i++)
        if (t->cells[i].kind == KAI_COLUMN_EVENT)
        {
            t->present[i] = 0;
            r->payload[i] = 1;
        }
}

// "t p m [code payload]…", or "remark …", or anybody's words.
static void read_comment(VcdReader* r)
{
    double tag[3];
    int count = 0, column = -1;
    size_t length = 0;
    bool remark = false, words = false;
    while (next_token(r) && !is_end(r))
    {
        char* rest;
        double number = strtod(r->token, &rest);
        bool is_number = rest != r->token && *rest == 0;
        if (count == 0 && strcmp(r->token, "remark") == 0)
            remark = true;
        else if (remark && length < sizeof r->sheet.remark)
            length += (size_t)snprintf(r->sheet.remark + length, sizeof r->sheet.remark - length, "%s%s",
                                       length > 0 ? " " : "", r->token);
        else if (count < 3 && is_number && !words)
        {
            tag[count++] = number;
            if (count < 3)
                continue;
            r->open = r->open && r->ours;  // the first time stands before its comment
            hand_over(r);
            r->ours = r->open = true;
            r->row = (kaiRow){.t = tag[0], .p = (int32_t)tag[1], .m = (int32_t)tag[2]};
        }
        else if (count < 3)
            words = true;
        else if (column < 0)
            column = find_column(r, r->token);
        else
        {
            r->payload[column] = number;
            column = -1;
        }
    }
}

static bool set_mode(VcdReader* r, int column, const char* text)
{
    Sheet* t = &r->sheet;
    Cell* cell = &t->cells[column];
    int k = 0;
    t->present[column] = strcmp(text, "-") != 0;
    while (k < cell->mode_count && strcmp(cell->mode_names[k], text) != 0)
        k++;
    t->values[column] = k;
    if (k < cell->mode_count || !t->present[column])
        return true;
    bool fine = sheet_add_mode(t, cell, text, strlen(text));
    t->columns[column].mode_names = (const char* const*)cell->mode_names;
    t->columns[column].mode_count = cell->mode_count;
    return fine;
}

static void set_number(VcdReader* r, int column, bool present, double value)
{
    Sheet* t = &r->sheet;
    bool event = t->cells[column].kind == KAI_COLUMN_EVENT;
    t->present[column] = present;
    t->values[column] = event ? r->payload[column] : value;
}

// "1!", "x!", "r1.5 !", "sname !", "b0101 !"
static bool read_change(VcdReader* r)
{
    char value[TOKEN_MAX], letter = r->token[0];
    bool two = strchr("rRsSbB", letter) != NULL;
    memcpy(value, r->token, sizeof value);
    if (two && !next_token(r))
        return true;
    int column = find_column(r, two ? r->token : value + 1);
    if (column < 0)
        return true;
    if (letter == 's' || letter == 'S')
        return set_mode(r, column, value + 1);
    if (letter == 'r' || letter == 'R')
        set_number(r, column, strcmp(value + 1, "nan") != 0, strtod(value + 1, NULL));
    else if (two)
        set_number(r, column, strspn(value + 1, "01") == strlen(value + 1), (double)strtoull(value + 1, NULL, 2));
    else
        set_number(r, column, letter == '0' || letter == '1', letter == '1');
    return true;
}

static kaiStatus read_changes(VcdReader* r, kaiError* error)
{
    while (r->status == KAI_OK && next_token(r))
    {
        if (strcmp(r->token, "$comment") == 0)
            read_comment(r);
        else if (r->token[0] == '#' && !r->ours)
        {
            hand_over(r);
            r->open = true;
            r->row = (kaiRow){.t = strtod(r->token + 1, NULL) * r->unit};
        }
        else if (strchr("01xXzZrRsSbB", r->token[0]) != NULL && !read_change(r))
            return error_memory(error);
    }
    if (r->status == KAI_OK)
        hand_over(r);
    return r->status;
}

static kaiStatus read_all(VcdReader* r, kaiError* error)
{
    while (next_token(r))
    {
        if (strcmp(r->token, "$var") == 0)
        {
            if (!add_variable(r))
                return error_memory(error);
        }
        else if (strcmp(r->token, "$timescale") == 0)
            read_timescale(r);
        else if (strcmp(r->token, "$enddefinitions") == 0)
        {
            kaiStatus status = end_definitions(r, error);
            return status == KAI_OK ? read_changes(r, error) : status;
        }
        else if (r->token[0] == '$')
            skip_to_end(r);
    }
    return sheet_damaged(&r->sheet, "it is a VCD whose definitions have no end", error);
}

VcdReader* vcd_make(const char* path, kaiAllocator a, kaiError* error)
{
    VcdReader* r = memory_get(a, sizeof *r);
    if (r == NULL)
        return error_memory(error), NULL;
    r->sheet.allocator = a;
    r->unit = 1e-9;
    snprintf(r->sheet.path, sizeof r->sheet.path, "%s", path);
    r->sheet.descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (r->sheet.descriptor >= 0)
        return r;
    error_set(error, KAI_ERR_IO, "%s cannot be read", path);
    vcd_reader_free(r);
    return NULL;
}

kaiStatus vcd_read(VcdReader* r, const kaiCsvVisitor* visitor, kaiError* error)
{
    r->visitor = visitor;
    if (r->sheet.columns != NULL)
        return error_set(error, KAI_ERR_USAGE, "%s has been read", r->sheet.path);
    return read_all(r, error);
}

const char* vcd_remark(const VcdReader* r)
{
    return r->sheet.remark[0] != 0 ? r->sheet.remark : NULL;
}

void vcd_reader_free(VcdReader* r)
{
    if (r == NULL)
        return;
    kaiAllocator a = r->sheet.allocator;
    memory_give(a, r->payload, sizeof *r->payload * (size_t)r->sheet.cell_capacity);
    if (r->codes != NULL)
        a.alloc(a.user, r->codes, sizeof *r->codes * (size_t)r->code_capacity, 0);
    sheet_free(&r->sheet);
    memory_give(a, r, sizeof *r);
}
